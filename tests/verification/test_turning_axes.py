"""Rows whose axes turn while they act: limits, rotors and wheels on joints do no work by it. Closed forms."""

from __future__ import annotations

from math import pi

import mechanisms as mech
import numpy as np
import pytest

import sharnir as sh


@pytest.mark.parametrize("dt", [0.01, 0.0025])
def test_ball_on_a_taut_string_keeps_its_speed(dt: float) -> None:
    """A limit keeps a length as a lock does: r = 1 m and v = 2 pi m/s stay, and so does the momentum m r v."""
    scene = sh.Scene("string", gravity=mech.FREE)
    ball = scene.body("ball", sh.Sphere(0.05, mass=1.0), position=(1, 0, 0), velocity=(0, 2 * pi, 0))
    scene.joint("string", sh.Strut(anchor_a=(0, 0, 0), anchor_b=(1, 0, 0)), scene.world, ball, limits=(None, 1.0))
    run = sh.Simulation(scene, dt=dt).run(5.0)
    assert abs(mech.values(run, scene.kinetic_energy)[-2] / (2 * pi**2) - 1) < 1e-4
    assert abs(mech.values(run, scene.angular_momentum)[-2, 2] / (2 * pi) - 1) < 1e-4
    np.testing.assert_allclose(np.linalg.norm(mech.values(run, ball.position), axis=1), 1.0, atol=1e-5)


def test_tethered_bodies_keep_their_momentum() -> None:
    """Two free bodies on a taut tether whose eyes lie beside their centres: energy and angular momentum stay."""
    scene = sh.Scene("tethered", gravity=mech.FREE)
    spin = {"mass": 1.0, "inertia": (0.05, 0.06, 0.07), "angular_velocity": (0, 0, 4)}
    a = scene.body("a", position=(-0.5, 0, 0), velocity=(0, -2, 0), **spin)
    b = scene.body("b", position=(0.5, 0, 0), velocity=(0, 2, 0), **spin)
    eyes = (-0.3, 0.05, 0.0), (0.3, 0.0, 0.02)
    length = float(np.linalg.norm(np.subtract(*eyes)))
    scene.joint("tether", sh.Strut(anchor_a=eyes[0], anchor_b=eyes[1]), a, b, limits=(None, length))
    run = sh.Simulation(scene, dt=0.005).run(5.0)
    momentum = mech.values(run, scene.angular_momentum)[1:-1]
    assert np.linalg.norm(momentum - momentum[0], axis=1).max() < 1e-5 * np.linalg.norm(momentum[0])
    energy = mech.values(run, scene.kinetic_energy)[1:-1]
    np.testing.assert_allclose(energy, energy[0], rtol=1e-4)


def test_a_slack_tether_lets_its_end_pass_by_its_root() -> None:
    """A ball that flies past the place where its tether is tied at 1 mm, 100 mm in a step, does not feel it."""
    scene = sh.Scene("past", gravity=mech.FREE)
    ball = scene.body("ball", sh.Sphere(0.05, mass=1.0), position=(0.5, 1e-3, 0), velocity=(-10, 0, 0))
    tether = scene.joint("tether", sh.Strut(anchor_b=(0.5, 1e-3, 0)), scene.world, ball, limits=(None, 2.0))
    run = sh.Simulation(scene, dt=0.01).run(0.5)
    speed = mech.values(run, ball.velocity)
    np.testing.assert_allclose(speed[:24], np.tile([-10, 0, 0], (24, 1)), atol=1e-9)  # past at 0.05 s, taut at 0.25 s
    assert mech.values(run, tether.coordinate("length")).max() < 2.0 + 1e-9


def rotor_arm(
    second: sh.Revolute | sh.Universal, coordinate: str, dt: float, **settings: object
) -> tuple[float, float]:
    """Two links that float on hinges with rotors of 1 kg m^2 and no torque: worst and last error of their energy."""
    none, scene = 1e-9, sh.Scene("rotors", gravity=mech.FREE)
    rotor = sh.DcDrive(stall_torque=none, idle_speed=1.0, time_constant=1.0 / none, ratio=1.0)
    upper = scene.body("upper", sh.Box(1, 0.05, 0.05, mass=1.0), position=(0.5, 0, 0))
    lower = scene.body("lower", sh.Box(1, 0.05, 0.05, mass=1.0), position=(1.5, 0, 0))
    shoulder = scene.joint("shoulder", sh.Revolute(axis=(0, 0, 1)), scene.world, upper, drive=rotor)
    elbow = scene.joint("elbow", second, upper, lower, drive={coordinate: rotor})
    scene.pose({shoulder: 0.0}, speeds={shoulder: 2.0, elbow.coordinate(coordinate): -3.0})
    run = sh.Simulation(scene, dt=dt, **settings).run(5.0)
    energy = mech.values(run, scene.energy)[1:-1]
    return float(np.abs(energy / energy[0] - 1).max()), float(energy[-1] / energy[0] - 1)


@pytest.mark.parametrize("warm_start", [True, False])
def test_rotors_on_turning_axes_keep_the_energy(warm_start: bool) -> None:
    """No torque acts on a rotor of 1 kg m^2: kinetic energy stays, with an error that quarters with the step."""
    elbow = sh.Revolute(axis=(0, 1, 1), anchor=(1, 0, 0))
    errors = [rotor_arm(elbow, "angle", dt, warm_start=warm_start)[0] for dt in (0.01, 0.005)]
    assert errors[0] < 2e-3
    assert 3.0 < errors[0] / errors[1] < 5.0


def test_a_rotor_in_a_universal_joint_keeps_the_energy() -> None:
    """The axes of a universal joint turn with both bodies."""
    elbow = sh.Universal(axis_a=(0, 1, 1), axis_b=(1, 0, 0), anchor=(1, 0, 0))
    errors = [rotor_arm(elbow, "angle_a", dt)[0] for dt in (0.01, 0.005)]
    assert errors[1] < 5e-4
    assert errors[0] / errors[1] > 3.0  # it comes near its singular pose, where 10 ms are coarse
