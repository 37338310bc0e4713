"""A coordinate is the same number in the kernels, in numpy (results, checks) and in the exact twin."""

import math

import numpy as np
import pytest

import sharnir as sh
from sharnir import spatial
from sharnir.device import load_warp
from sharnir.dynamics.coordinates import make_coordinates
from sharnir.model.precision import precision_of
from sharnir.reference import solve
from sharnir.scene.joint_coordinates import coordinate, coordinate_axis, lock_error
from sharnir.scene.joints import CoordinateKind, Fixed, Revolute, Universal

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


@pytest.mark.parametrize("kind", list(CoordinateKind))
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
    _, _, error = on_device(CoordinateKind.TWIST, joint.basis, locked, a, b)
    np.testing.assert_allclose(error, lock_error(joint, 0.0, a, b)[1], atol=1e-12)


TURNS, TIME, STEP = 2.0, 1.0, 0.005
RATE = 2 * math.pi * TURNS / TIME  # rad/s
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
# joint type, the axis that its body turns about, and the coordinate that goes through all turns
TURNING = {
    "revolute": (sh.Revolute(axis=Z), Z, "angle"),
    "cylindrical": (sh.Cylindrical(axis=Z), Z, "angle"),
    "planar": (sh.Planar(normal=Z), Z, "angle"),
    "universal about a's axis": (sh.Universal(axis_a=X, axis_b=Y), X, "angle_a"),
    "universal about b's axis": (sh.Universal(axis_a=X, axis_b=Y), Y, "angle_b"),
    "ball about its twist": (sh.Spherical(axis=Z), Z, "twist"),
}
# those that go along, and what their coordinates must be at a time
SLIDING = {
    "prismatic": (sh.Prismatic(axis=Z), "displacement", lambda t: 0.5 * t),
    "strut": (sh.Strut(anchor_a=(0, 0, -1), anchor_b=(0, 0, 0)), "length", lambda t: 1 + 0.5 * t),
    "planar along x": (sh.Planar(normal=Y, reference=Z), "x", lambda t: 0.5 * t),
}


def everything_turns() -> sh.Scene:
    """A ball on each joint type, turning or sliding steadily: without gravity it keeps its velocity."""
    scene = sh.Scene("turns", gravity=(0, 0, 0))
    for name, (joint, axis, _) in TURNING.items():
        ball = scene.body(name, sh.Sphere(0.1, mass=1.0), angular_velocity=tuple(RATE * np.array(axis)))
        # what carries a spring is counted, also in a ball; this one is too soft to be felt
        scene.joint(name, joint, scene.world, ball, spring={"twist": sh.Spring(1e-12)} if "ball" in name else None)
    for name, (joint, _, _) in SLIDING.items():
        ball = scene.body(name, sh.Sphere(0.1, mass=1.0), velocity=(0, 0, 0.5))
        scene.joint(name, joint, scene.world, ball)
    return scene


def test_every_joint_type_through_two_turns_in_kernels_numpy_and_twin():
    scene = everything_turns()
    sim = sh.Simulation(scene, STEP)
    steps = round(TIME / STEP)
    axes = [(j, c.name) for j in scene.joints.values() for c in j.type.coordinates]
    readers = [sim.taps.reader(joint.coordinate(name)) for joint, name in axes]
    kernels = []

    def look(_: sh.Simulation) -> None:
        sim.taps.refresh()
        kernels.append([read() for read in readers])

    run = sim.run(TIME, before_step=look)
    look(sim)
    twin = solve(scene, TIME, dt=STEP)
    for i, (joint, name) in enumerate(axes):
        quantity = joint.coordinate(name)
        np.testing.assert_allclose(run[quantity], np.array(kernels)[:, i], atol=1e-12, err_msg=quantity.label)
        np.testing.assert_allclose(run[quantity], twin[quantity], atol=1e-6, err_msg=quantity.label)
        np.testing.assert_allclose(run[joint.rate(name)], twin[joint.rate(name)], atol=1e-6, err_msg=quantity.label)
    for name, (_, _, coordinate_name) in TURNING.items():
        walked = run[scene.joints[name].coordinate(coordinate_name)].values
        np.testing.assert_allclose(walked, RATE * run.time, atol=1e-6, err_msg=name)
    for name, (_, coordinate_name, law) in SLIDING.items():
        walked = run[scene.joints[name].coordinate(coordinate_name)].values
        np.testing.assert_allclose(walked, law(run.time), atol=1e-9, err_msg=name)
    assert len(kernels) == steps + 1
