"""The exact twin without dry friction: closed forms, conservation laws and public benchmarks, to 1e-6 or better."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
from test_limits_and_loops import four_bar

import sharnir as sh
from sharnir import spatial
from sharnir.reference import solve


def crossings(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where a smooth signal changes sign: the roots of polynomials through six samples."""
    found = []
    for k in np.flatnonzero(np.diff(np.sign(values)) != 0):
        near = slice(max(k - 2, 0), k + 4)
        around = np.polynomial.Polynomial.fit(time[near], values[near], len(time[near]) - 1).roots()
        real = around[np.abs(around.imag) < 1e-9].real
        found.append(real[np.argmin(np.abs(real - time[k]))])
    return np.array(found)


def test_free_body_tumbles() -> None:
    """Euler's equations, I = (1, 2, 3): w2 changes sign at 2.941790 and 8.065314 s; 2T = 18.04, |L| = 6.0083276."""
    scene = sh.Scene("free", gravity=mech.FREE)
    body = scene.body("body", mass=1.0, inertia=(1, 2, 3), angular_velocity=(0.1, 3, 0.1))
    run = solve(scene, 9.0, dt=0.01)
    spin, q = mech.values(run, body.angular_velocity), mech.values(run, body.rotation)
    middle = spatial.rotate(spatial.conjugate(q), spin)[:, 1]
    np.testing.assert_allclose(crossings(mech.times(run), middle), [2.941790, 8.065314], atol=5e-7)
    np.testing.assert_allclose(2 * mech.values(run, scene.kinetic_energy), 18.04, rtol=1e-10)
    np.testing.assert_allclose(mech.values(run, scene.angular_momentum), [[0.1, 6.0, 0.3]] * len(q), atol=1e-9)


def test_pendulum_period() -> None:
    """A point mass on 1 m, released horizontally: the period is 4 K(1/2) sqrt(L/g) = 2.367842 s."""
    scene = sh.Scene("pendulum")
    bob = scene.body("bob", mass=1.0, inertia=(1e-8, 1e-8, 1e-8), position=(1, 0, 0))
    pin = scene.joint("pin", sh.Revolute(axis=(0, 1, 0)), scene.world, bob)
    run = solve(scene, 3.0, dt=0.005)
    turns = crossings(mech.times(run)[20:], mech.values(run, pin.speed)[20:])
    assert abs(turns[1] - 2.367842) < 5e-7
    np.testing.assert_allclose(mech.values(run, scene.energy), 0.0, atol=1e-7)  # rounding, by 1/I = 1e8


def test_four_bar() -> None:
    """Crank angle -0.64769 rad at 0.5 s, energy 11.81566 J; three redundant rows do not matter."""
    scene, pin = four_bar()
    run = solve(scene, 0.5)
    assert abs(mech.values(run, pin.angle)[-1] + 0.64769) < 5e-6
    assert abs(mech.values(run, pin.angle)[-1] + 0.6476854091) < 1e-9  # more digits, from three tolerances
    np.testing.assert_allclose(mech.values(run, scene.energy), 11.8156641, atol=2e-7)
    assert run.data["gap"].max() < 1e-9


def andrews_squeezer() -> tuple[sh.Scene, dict[str, sh.Joint]]:
    """Andrews' squeezer (IVP test set): seven bodies, ten hinges, a coil spring; 9 of 50 locked rows are redundant."""
    masses = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
    inertias = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
    a, b, c = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), np.array([0.014, 0.072])
    beta, theta, gamma = -0.0617138900142764496, 0.0, 0.455279819163070380
    phi, delta, omega, epsilon = 0.222668390165885885, 0.487364979543842550, -0.222668390165885885, 1.23054744454982119

    def ahead(angle: float) -> np.ndarray:
        return np.array([np.cos(angle), np.sin(angle)])

    def aside(angle: float) -> np.ndarray:
        return np.array([np.sin(angle), -np.cos(angle)])

    crank = 0.007 * ahead(beta)
    meeting = crank - 0.028 * ahead(beta + theta)
    end5, end7 = a + 0.04 * ahead(delta), a + 0.04 * aside(epsilon)
    centers = (
        0.00092 * ahead(beta),
        crank - 0.0115 * ahead(beta + theta),
        b + 0.01874 * aside(gamma) + 0.01043 * ahead(gamma),
        end5 + (0.02 - 0.01421) * aside(phi + delta),
        a + 0.02308 * ahead(delta) + 0.00916 * aside(delta),
        end7 + (0.02 - 0.01421) * ahead(omega + epsilon),
        a + 0.01228 * aside(epsilon) + 0.00449 * ahead(epsilon),
    )
    scene = sh.Scene("squeezer", gravity=mech.FREE)
    world = scene.world
    k1, k2, k3, k4, k5, k6, k7 = (
        scene.body(f"K{i}", mass=m, inertia=(j, j, j), position=(*at, 0))
        for i, (m, j, at) in enumerate(zip(masses, inertias, centers, strict=True), start=1)
    )
    pins = (
        ("beta", world, k1, np.zeros(2), beta),
        ("theta", k1, k2, crank, theta),
        ("gamma", world, k3, b, gamma),
        ("phi", k5, k4, end5, phi),
        ("delta", world, k5, a, delta),
        ("omega", k7, k6, end7, omega),
        ("epsilon", world, k7, a, epsilon),
        ("meeting 3", k2, k3, meeting, 0.0),
        ("meeting 4", k2, k4, meeting, 0.0),
        ("meeting 6", k2, k6, meeting, 0.0),
    )
    joints = {
        name: scene.joint(name, sh.Revolute(axis=(0, 0, 1), anchor=(*at, 0), drawn_at=start), first, second)
        for name, first, second, at, start in pins
    }
    hook = b + 0.02 * ahead(gamma) + 0.018 * aside(gamma)
    coil = sh.Strut(anchor_a=(*c, 0), anchor_b=(*hook, 0))
    scene.joint("coil", coil, world, k3, spring=sh.Spring(4530.0, rest=0.07785))
    return scene, joints


def test_andrews_squeezer() -> None:
    """The reference solution of the IVP test set at 0.03 s, driven by 0.033 N m."""
    scene, joints = andrews_squeezer()
    run = solve(scene, 0.03, torque={joints["beta"]: 0.033}, dt=0.003, rtol=1e-9)
    expected = {
        "beta": 15.81077119629904,
        "theta": -15.75637105984298,
        "gamma": 0.04082224013073101,
        "phi": -0.5347301163226948,
        "delta": 0.5244099658805304,
        "omega": 0.5347301163226948,
        "epsilon": 1.048080741042263,
    }
    for name, value in expected.items():
        assert abs(mech.values(run, joints[name].angle)[-1] - value) < 1e-8, name


def test_spring_and_damper() -> None:
    """m x'' + c x' + k x = -m g, m = 25, c = 200, k = 4000, dropped from the undeformed length."""
    scene, guide = mech.slider(25.0, -np.pi / 2, spring=sh.Spring(4000.0, 200.0))
    run = solve(scene, 0.5, dt=0.1)
    fall, rate = 25 * 9.81 / 4000, 4.0
    t, frequency = mech.times(run), np.sqrt(160 - rate**2)
    exact = -fall + fall * np.exp(-rate * t) * (np.cos(frequency * t) + rate / frequency * np.sin(frequency * t))
    np.testing.assert_allclose(mech.values(run, guide.displacement), exact, atol=1e-10)
    np.testing.assert_allclose(exact[1:], [-0.033651, -0.075424, -0.080597, -0.064340, -0.054118], atol=5e-7)


def test_bump_stop() -> None:
    """A mass that runs into a one-sided spring at v leaves it after pi/w with -v: w = 20 rad/s, v = 1 m/s."""
    push = sh.Spring(400.0, side="push", rest=0.5)
    scene = sh.Scene("bump", gravity=mech.FREE)
    block = scene.body("block", mass=1.0, inertia=(1, 1, 1), position=(0.6, 0, 0), velocity=(-1, 0, 0))
    guide = scene.joint("guide", sh.Prismatic(axis=(1, 0, 0), drawn_at=0.6), scene.world, block, spring=push)
    run = solve(scene, 0.5, dt=0.05)
    assert abs(mech.values(run, guide.speed)[-1] - 1.0) < 1e-8
    assert abs(mech.values(run, guide.displacement)[-1] - (0.5 + 0.5 - 0.1 - np.pi / 20)) < 1e-8


def test_progressive_spring() -> None:
    """Energy in a piecewise-linear spring: v^2 = 2 * area under the table to the turning point at 0.3 m."""
    table = ((-1.0, -10.0), (0.0, 0.0), (0.1, 1.0), (0.2, 5.0), (0.4, 25.0))
    area = 0.05 + 0.3 + 0.5 * (5.0 + 15.0) * 0.1
    scene = sh.Scene("progressive", gravity=mech.FREE)
    block = scene.body("block", mass=1.0, inertia=(1, 1, 1), velocity=(np.sqrt(2 * area), 0, 0))
    spring = sh.Spring(table=table)
    guide = scene.joint("guide", sh.Prismatic(axis=(1, 0, 0)), scene.world, block, spring=spring)
    run = solve(scene, 1.0, dt=0.001)
    turn = crossings(mech.times(run), mech.values(run, guide.speed))[0]
    assert np.interp(turn, mech.times(run), mech.values(run, guide.displacement)) == pytest.approx(0.3, abs=1e-5)


def test_dc_drive() -> None:
    """T = t_m + J w_idle/(r^2 M_s): w = w_ss (1 - exp(-t/T)), 0.921110, 3.792723, 5.959572 at 0.01, 0.06, 0.3 s."""
    scene = sh.Scene("drive", gravity=mech.FREE)
    load = scene.body("load", mass=1.0, inertia=(0.5, 0.5, 0.5))
    drive = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    axle = scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, load, drive=drive)
    run = solve(scene, 0.3, voltage={axle: 1.0}, dt=0.01)
    t, speed = mech.times(run), mech.values(run, axle.speed)
    np.testing.assert_allclose(speed, 6.0 * (1 - np.exp(-t / (0.02 + 0.5 * 300 / (2500 * 1.5)))), atol=1e-9)
    np.testing.assert_allclose(speed[[1, 6, 30]], [0.921110, 3.792723, 5.959572], atol=5e-7)


def test_position_servo() -> None:
    """Without saturation (J + r^2 I_m) c'' + r M_s (r/w_idle + damping) c' + r M_s gain (c - target) = 0."""
    drive = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    servo = sh.PositionServo(drive, gain=2.0, damping=0.05)
    scene = sh.Scene("servo", gravity=mech.FREE)
    load = scene.body("load", mass=1.0, inertia=(0.5, 0.5, 0.5))
    axle = scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, load, drive=servo)
    run = solve(scene, 1.0, target={axle: 0.3}, dt=0.01)
    inertia = 0.5 + 2500 * 1.5 * 0.02 / 300
    damping, stiffness = 75.0 * (50 / 300 + 0.05), 75.0 * 2.0
    roots = np.roots([inertia, damping, stiffness])
    t = mech.times(run)
    weights = np.array([roots[1], -roots[0]]) / (roots[1] - roots[0])
    exact = 0.3 * (1 - (weights * np.exp(np.outer(t, roots))).sum(axis=1).real)
    np.testing.assert_allclose(mech.values(run, axle.angle), exact, atol=1e-9)
