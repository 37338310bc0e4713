"""The parts of the exact twin: its steps, its rows, its inputs, and the comparison with a simulation."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sharnir as sh
from sharnir import spatial
from sharnir.cli.command import main
from sharnir.reference import solve
from sharnir.reference.collocation import CollocationStepper, tableau
from sharnir.reference.efforts import Efforts
from sharnir.reference.frictions import Frictions
from sharnir.reference.mechanism import Mechanism, quaternions, turned, vector_rate
from sharnir.scene.joint_coordinates import coordinate
from sharnir.scene.joints import CoordinateKind

ALL_JOINTS = {
    "revolute": sh.Revolute(axis=(1, 2, 3), anchor=(0.5, 0.2, -0.1)),
    "prismatic": sh.Prismatic(axis=(1, -2, 0.5), anchor=(0.5, 0.2, -0.1)),
    "spherical": sh.Spherical(anchor=(0.5, 0.2, -0.1)),
    "fixed": sh.Fixed(anchor=(0.5, 0.2, -0.1)),
    "cylindrical": sh.Cylindrical(axis=(1, 0, 2), anchor=(0.5, 0.2, -0.1)),
    "universal": sh.Universal(axis_a=(1, 0, 0), axis_b=(0, 1, 1), anchor=(0.5, 0.2, -0.1)),
    "planar": sh.Planar(normal=(0, 1, 1), anchor=(0.5, 0.2, -0.1)),
    "distance": sh.Distance(anchor_a=(0.1, 0.2, 0), anchor_b=(1.2, -0.1, 0.3)),
    "strut": sh.Strut(anchor_a=(0.1, 0.2, 0), anchor_b=(1.2, -0.1, 0.3)),
}


def pair(joint: sh.JointType, **carried: object) -> sh.Scene:
    """Two tumbling bodies in a joint."""
    scene = sh.Scene("pair")
    first = scene.body("first", mass=2.0, inertia=(0.3, 0.4, 0.5), angular_velocity=(0.5, -1, 2), velocity=(1, 0, 0))
    second = scene.body("second", mass=1.0, inertia=(0.1, 0.2, 0.25), position=(1, 0, 0), angular_velocity=(1, 2, 0))
    scene.joint("joint", joint, first, second, **carried)
    return scene


# --- steps ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stages", [3, 5, 7])
def test_radau_is_a_collocation_method(stages):
    method = tableau(stages)
    for power in range(1, stages + 1):
        np.testing.assert_allclose(
            method.weights @ method.nodes ** (power - 1), method.nodes**power / power, atol=1e-14
        )


@pytest.mark.parametrize(("stages", "order"), [(3, 5), (5, 9)])
def test_radau_has_its_order(stages, order):
    """y'' = -y over 2 s: the error falls by 2^order with half the step."""

    def rates(t, y):
        return np.stack([y[:, 1], -y[:, 0]], axis=1)

    def at_stages(t, start, stages, inverse):
        return stages, rates(t, start + stages)

    errors = []
    for steps in (1, 2) if stages == 5 else (4, 8):
        stepper, y, h = CollocationStepper(stages), np.array([1.0, 0.0]), 2.0 / steps
        jacobian = np.array([[0.0, 1.0], [-1.0, 0.0]])
        for k in range(steps):
            step = stepper.attempt(at_stages, k * h, y, h, jacobian, np.zeros((stages, 2)), np.full(2, 1e-15))
            y = step.end
        errors.append(abs(y[0] - np.cos(2.0)))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.7)


def test_the_polynomial_of_a_step_goes_through_its_stages():
    method, y = tableau(5), np.array([1.0])
    step = CollocationStepper(5).attempt(
        lambda t, start, z, inverse: (z, -(start + z)), 0.0, y, 0.5, -np.eye(1), np.zeros((5, 1)), np.full(1, 1e-14)
    )
    np.testing.assert_allclose(step.at(method.nodes), step.start + step.stages, atol=1e-13)
    np.testing.assert_allclose(step.at(np.array([0.5]))[0], np.exp(-0.25), atol=1e-7)


# --- rotations and rows -----------------------------------------------------------------------------------------------


def test_rotation_vectors():
    rng = np.random.default_rng(1)
    vectors = np.vstack([rng.normal(size=(20, 3)), 1e-4 * rng.normal(size=(5, 3)), np.zeros((1, 3))])
    matrices = turned(vectors)
    expected = np.array([spatial.matrix(spatial.from_vector(v)) for v in vectors])
    np.testing.assert_allclose(matrices, expected, atol=1e-14)
    back = quaternions(matrices)
    np.testing.assert_allclose(np.abs(np.sum(back * [spatial.from_vector(v) for v in vectors], axis=1)), 1.0)
    spin = rng.normal(size=vectors.shape)
    h = 1e-5
    moved = [turned(vectors + sign * h * vector_rate(vectors, spin)) for sign in (1, -1)]
    rate = (moved[0] - moved[1]) / (2 * h)
    np.testing.assert_allclose(rate, np.cross(spin[:, None], matrices.swapaxes(1, 2)).swapaxes(1, 2), atol=1e-8)


def rows_of(scene: sh.Scene) -> Mechanism:
    mechanism = Mechanism(scene)
    for free in mechanism.joints[0].type.coordinates:
        mechanism.coordinate_row(0, free.kind)
    Frictions(mechanism)
    Efforts(mechanism, {})
    mechanism.freeze()
    return mechanism


@pytest.mark.parametrize("name", ALL_JOINTS)
def test_rows_of_every_joint(name):
    """J times the velocities is the rate of the row, which is that of the coordinate; its derivative is the bias."""
    mechanism = rows_of(pair(ALL_JOINTS[name]))
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1, 2, 3))
    rotation = turned(0.4 * rng.normal(size=(1, 2, 3)))
    v, w = rng.normal(size=(1, 2, 3)), rng.normal(size=(1, 2, 3))
    h = 1e-4
    now, later, earlier = (mechanism.motion(x + k * h * v, turned(k * h * w) @ rotation, v, w) for k in (0, 1, -1))
    velocity = np.concatenate([v, w], axis=-1).reshape(-1)
    np.testing.assert_allclose(now.jacobian[0].reshape(len(mechanism.rows), -1) @ velocity, now.rate[0], atol=1e-12)
    np.testing.assert_allclose((later.rate - earlier.rate) / (2 * h), now.bias, rtol=1e-5, atol=1e-6)
    for free in mechanism.joints[0].type.coordinates:
        if free.kind not in (
            CoordinateKind.CARDAN_X,
            CoordinateKind.CARDAN_Y,
            CoordinateKind.TWIST,
        ):  # those hold where the locked axes meet
            rate = (mechanism.coordinate(later, 0, free.kind) - mechanism.coordinate(earlier, 0, free.kind)) / (2 * h)
            row = mechanism.coordinate_row(0, free.kind)
            np.testing.assert_allclose(rate, now.rate[:, row], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", list(CoordinateKind))
def test_coordinates_are_those_of_the_scene(kind):
    mechanism = rows_of(pair(sh.Spherical(anchor=(0.5, 0.2, -0.1))))
    rng = np.random.default_rng(4)
    turns = turned(0.5 * rng.normal(size=(6, 2, 3)))
    m = mechanism.motion(rng.normal(size=(6, 2, 3)), turns, np.zeros((6, 2, 3)), np.zeros((6, 2, 3)))
    a = spatial.Pose(np.zeros((6, 3)), quaternions(m.frame_a[:, 0]))
    b = spatial.Pose(m.offset[:, 0], quaternions(m.frame_b[:, 0]))
    np.testing.assert_allclose(mechanism.coordinate(m, 0, kind), coordinate(kind, a, b), atol=1e-12)


@pytest.mark.parametrize("name", ALL_JOINTS)
def test_every_joint_holds_and_keeps_the_energy(name):
    scene = pair(ALL_JOINTS[name])
    run = solve(scene, 1.0, dt=0.1, rtol=1e-9)
    energy = run[scene.energy].values
    np.testing.assert_allclose(energy, energy[0], atol=2e-7)
    assert run.data["gap"].max() < 1e-8
    assert run.data["tilt"].max() < 1e-8
    fall = 3.0 * np.array([0, 0, -9.81]) * 1.0
    np.testing.assert_allclose(run[scene.momentum].values[-1] - run[scene.momentum].values[0], fall, atol=1e-7)


def test_velocities_that_a_joint_does_not_allow_are_taken_away_by_an_impulse():
    """Two equal masses in a slider across their motion: each ends with half of the other's speed along the lock."""
    scene = sh.Scene("pair", gravity=(0, 0, 0))
    left = scene.body("left", mass=1.0, inertia=(1, 1, 1), velocity=(0, 1, 0))
    right = scene.body("right", mass=1.0, inertia=(1, 1, 1))
    scene.joint("slider", sh.Prismatic(axis=(1, 0, 0)), left, right)
    run = solve(scene, 0.1)
    np.testing.assert_allclose(run[right.velocity].values[0], [0, 0.5, 0], atol=1e-12)


# --- inputs, signals, refusals ----------------------------------------------------------------------------------------


def rotor(**carried: object) -> tuple[sh.Scene, sh.Joint]:
    scene = sh.Scene("rotor", gravity=(0, 0, 0))
    body = scene.body("rotor", mass=1.0, inertia=(1, 1, 1))
    return scene, scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, body, **carried)


def test_inputs_are_those_of_a_run():
    scene, axle = rotor()
    body = scene.bodies["rotor"]
    for inputs in ({axle: 2.0}, {axle.effort("angle"): lambda t: 2.0}, {body: (0.0, 0.0, 2.0)}):
        assert float(solve(scene, 1.0, torque=inputs)[axle.speed][-1]) == pytest.approx(2.0, abs=1e-9)


def test_turns_are_counted():
    scene, axle = rotor()
    run = solve(scene, 10.0, torque={axle: 1.0}, dt=0.5)
    assert float(run[axle.angle][-1]) == pytest.approx(50.0, abs=1e-7)
    assert float(run[axle.effort()][-1]) == 1.0


def test_forces_of_a_still_scene():
    scene = sh.Scene("hanging")
    body = scene.body("body", mass=2.0, inertia=(1, 1, 1), position=(0, 0, -1))
    ball = scene.joint("ball", sh.Spherical(), scene.world, body, friction=sh.Coulomb(3.0))
    run = solve(scene, 0.2, torque={body: (1.0, 0.0, 0.0)})
    np.testing.assert_allclose(run[ball.reaction_force].values, np.tile([0, 0, 2 * 9.81], (21, 1)), atol=1e-9)
    np.testing.assert_allclose(run[ball.friction_impulse()].values, np.tile([-0.01, 0, 0], (21, 1)), atol=1e-12)
    assert run[ball.stuck()].values.all()


def test_a_servo_is_held_to_its_voltage():
    drive = sh.DcDrive(stall_torque=1.0, idle_speed=10.0, time_constant=0.0, ratio=1.0)
    scene, axle = rotor(drive=sh.SpeedServo(drive, gain=100.0, integral=1.0))
    run = solve(scene, 1.0, target={axle: 5.0})
    t = run.time
    np.testing.assert_allclose(run[axle.speed].values, 10 * (1 - np.exp(-t / 10)), atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ({"duration": 0.0}, "duration is 0 s"),
        ({"rtol": 1.0}, "rtol is 1"),
        ({"torque": {"axle": 1.0}}, "cannot be driven"),
    ],
)
def test_bad_arguments_are_explained(arguments, hint):
    scene, _ = rotor()
    with pytest.raises(sh.SceneError, match=hint):
        solve(scene, **({"duration": 1.0} | arguments))


def test_inputs_of_the_wrong_kind_are_explained():
    scene, axle = rotor()
    with pytest.raises(sh.SceneError, match="pass it as torque="):
        solve(scene, 1.0, force={axle: 1.0})
    _, other = rotor()
    with pytest.raises(sh.SceneError, match="not a moving body of this scene"):
        solve(scene, 1.0, torque={other.b: (0, 0, 1)})


def test_gears_with_losses_are_refused_by_name():
    drive = sh.DcDrive(1.0, 10.0, 0.1, 5.0, efficiency=0.7)
    scene, _ = rotor(drive=drive)
    with pytest.raises(sh.SceneError, match=r"'axle'.*efficiency 0\.7"):
        solve(scene, 1.0)


# --- compare ----------------------------------------------------------------------------------------------------------


def test_compare_reports_and_draws_the_difference(capsys, tmp_path):
    options = ["compare", "door", "--time", "1", "--dt", "0.01", "--out", str(tmp_path)]
    assert main([*options, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    found = {difference["name"]: difference for difference in report["differences"]}
    assert set(found) == {"hinge.angle", "door position", "door rotation"}
    assert 1e-7 < found["hinge.angle"]["largest"] < 0.001
    assert found["hinge.angle"]["span"] == pytest.approx(np.radians(37.62), abs=1e-6)
    assert (tmp_path / "compare-door.png").is_file()
    assert main(options) == 0
    assert "exact twin" in capsys.readouterr().out


def test_compare_of_a_scene_file(capsys, tmp_path):
    scene = pair(sh.Spherical(anchor=(0.5, 0.2, -0.1)))
    file = scene.save(tmp_path / "pair.yaml")
    assert main(["compare", str(file), "--time", "0.2", "--dt", "0.001", "--out", str(tmp_path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert all(difference["largest"] < 0.01 for difference in report["differences"])
