"""The device's joint geometry agrees with the numpy definitions that results and checks use."""

import numpy as np
import pytest

from sharnir import spatial
from sharnir.device import load_warp
from sharnir.dynamics.coordinates import make_coordinates
from sharnir.model.precision import precision_of
from sharnir.scene.joints import Fixed, Kind, Revolute, Universal
from sharnir.scene.measure import coordinate, coordinate_axis, lock_error

wp = load_warp()
P = precision_of("float64")
GEOMETRY = make_coordinates(P)
Frames, coordinate_value, axis_of_coordinate = GEOMETRY.Frames, GEOMETRY.coordinate_value, GEOMETRY.coordinate_axis
angular_basis, angular_error = GEOMETRY.angular_basis, GEOMETRY.angular_error


@wp.kernel(enable_backward=False)
def measure(
    qa: wp.array(dtype=P.quat),
    qb: wp.array(dtype=P.quat),
    offset: wp.array(dtype=P.vec3),
    kind: int,
    basis: int,
    locked: int,
    value: wp.array(dtype=P.real),
    axis: wp.array(dtype=P.vec3),
    error: wp.array(dtype=P.vec3),
):
    i = wp.tid()
    f = Frames()
    f.qa = qa[i]
    f.qb = qb[i]
    f.offset = offset[i]
    value[i] = coordinate_value(f, kind)
    axis[i] = axis_of_coordinate(f, kind)
    error[i] = angular_error(f, angular_basis(f, basis), locked)


def on_device(kind, basis, locked, a, b):
    n = len(a.rotation)
    value, axis, error = wp.zeros(n, P.real, "cpu"), wp.zeros(n, P.vec3, "cpu"), wp.zeros(n, P.vec3, "cpu")
    inputs = [wp.array(a.rotation, dtype=P.quat, device="cpu"), wp.array(b.rotation, dtype=P.quat, device="cpu")]
    inputs.append(wp.array(b.position - a.position, dtype=P.vec3, device="cpu"))
    wp.launch(measure, dim=n, inputs=[*inputs, int(kind), int(basis), locked, value, axis, error], device="cpu")
    return value.numpy(), axis.numpy(), error.numpy()


def poses(count, spread, seed):
    """Pairs of frames, the second turned from the first by up to ``spread`` rad."""
    rng = np.random.default_rng(seed)
    rotation = rng.normal(size=(count, 4))
    rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
    turn = np.array([spatial.from_vector(spread * v / np.linalg.norm(v)) for v in rng.normal(size=(count, 3))])
    a = spatial.Pose(rng.normal(size=(count, 3)), rotation)
    return a, spatial.Pose(a.position + rng.normal(size=(count, 3)), spatial.multiply(rotation, turn))


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("spread", [1e-3, 0.0199, 0.0201, 0.5, 2.0])  # both sides of SMALL_SWING
def test_coordinates_agree(kind, spread):
    a, b = poses(50, spread, 1)
    value, axis, _ = on_device(kind, 0, 7, a, b)
    np.testing.assert_allclose(value, coordinate(kind, a, b), atol=1e-10)
    np.testing.assert_allclose(axis, coordinate_axis(kind, a, b), atol=1e-8)


@pytest.mark.parametrize("joint", [Revolute(), Universal(), Fixed()])
def test_locked_rotations_agree(joint):
    a, b = poses(50, 0.02, 2)
    locked = sum(1 << i for i, on in enumerate(joint.locked_rotations) if on)
    _, _, error = on_device(Kind.TWIST, joint.basis, locked, a, b)
    np.testing.assert_allclose(error, lock_error(joint, 0.0, a, b)[1], atol=1e-12)
