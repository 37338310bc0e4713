"""What the default settings promise, at steps of 10 ms unless said: closed forms, conservation laws, the exact twin."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
from random_mechanisms import floating_mechanism
from scipy.optimize import root
from scipy.spatial.transform import Rotation
from scipy.special import ellipk
from test_second_order import chain

import sharnir as sh
from sharnir import spatial
from sharnir.reference import solve


def double_pendulum() -> tuple[sh.Scene, list[sh.Joint]]:
    scene = sh.Scene("double pendulum")
    thin = (1e-3, 1 / 12, 1 / 12)
    upper = scene.body("upper", mass=1.0, inertia=thin, position=(0.5, 0, 0))
    lower = scene.body("lower", mass=1.0, inertia=thin, position=(1.5, 0, 0))
    shoulder = scene.joint("shoulder", sh.Revolute(axis=(0, 1, 0)), scene.world, upper)
    elbow = scene.joint("elbow", sh.Revolute(axis=(0, 1, 0), anchor=(1, 0, 0)), upper, lower)
    return scene, [shoulder, elbow]


def ball_body(mass: float, inertia: tuple[float, ...], **start: object) -> tuple[sh.Scene, sh.Body]:
    """A body that hangs from, or stands on, a ball joint at the origin."""
    scene = sh.Scene("ball")
    body = scene.body("body", mass=mass, inertia=inertia, **start)  # type: ignore[arg-type]
    scene.joint("ball", sh.Spherical(), scene.world, body)
    return scene, body


def heavy_top(spin: float, precession: float = 0.0) -> tuple[sh.Scene, sh.Body]:
    """1 kg, 0.2 m from its tip, I 0.01, 0.01, 0.005 kg m^2 about its centre, 30 degrees from upright."""
    tilt, upright = np.radians(30), np.array([0.0, 0.0, 1.0])
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    turning = precession * upright + (spin - precession * np.cos(tilt)) * axis
    return ball_body(
        1.0,
        (0.01, 0.01, 0.005),
        position=0.2 * axis,
        rotation=(0, np.sin(tilt / 2), 0, np.cos(tilt / 2)),
        velocity=np.cross(turning, 0.2 * axis),
        angular_velocity=turning,
    )


def test_spinning_rod_keeps_its_energy() -> None:
    """1 rev/s: within 0.1 % after a second, and no drift over a minute; (w h)^2 is 0.4 %."""
    scene, _ = mech.pinned_rod(spin=2 * np.pi)
    energy = mech.values(sh.Simulation(scene, dt=0.01).run(60.0), scene.kinetic_energy)
    assert abs(energy[100] / energy[0] - 1) < 0.001
    assert np.abs(energy[2:] / energy[0] - 1).max() < 0.002
    assert abs(energy[-100:].mean() / energy[100:200].mean() - 1) < 1e-4


@pytest.mark.parametrize("thickness", [0.1, 0.03, 0.01, 0.003, 0.001])  # m
def test_thin_rod_does_not_spin_up_about_itself(thickness: float) -> None:
    """The pin locks it, so it stays below the start's 1e-4 rad/s, and kinetic energy stays within (w h)^2/4 = 0.1 %."""
    scene = sh.Scene("thin rod")
    shape = sh.Box(1.0, thickness, thickness, mass=1.0)
    turning = (1e-4, 0, 2 * np.pi)
    rod = scene.body("rod", shape, position=(0.5, 0, 0), velocity=(0, np.pi, 0), angular_velocity=turning)
    scene.joint("pin", sh.Revolute(axis=(0, 0, 1)), scene.world, rod)
    run = sh.Simulation(scene, dt=0.01).run(10.0)
    along = 2 * mech.values(run, rod.position)  # the pin is at the origin
    assert np.abs((mech.values(run, rod.angular_velocity) * along).sum(axis=1)).max() <= 1.001e-4
    energy = mech.values(run, rod.kinetic_energy)
    assert np.abs(energy / energy[0] - 1).max() < (2 * np.pi * 0.01) ** 2 / 4


def test_reaction_of_a_spinning_rod() -> None:
    """m w^2 L/2 at the pin, towards the axis, at the instant it is reported for: second order."""
    errors = []
    for dt in (0.01, 0.005):
        scene, pin = mech.pinned_rod(spin=2 * np.pi)
        run = sh.Simulation(scene, dt=dt).run(0.5)
        force = mech.values(run, pin.reaction_force)[3:]
        inward = -mech.values(run, scene.bodies["rod"].position)[3:] * 2
        errors.append(np.abs(force - (2 * np.pi) ** 2 / 2 * inward).max())
    assert errors[0] < 1.5 * (2 * np.pi) ** 2 / 2 * (2 * np.pi * 0.01) ** 2
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.8)


def test_door_stands_where_it_should() -> None:
    """The door of [000]: I w' = M - T while pushed, I w' = -T after, 37.62 degrees after 0.87 s, and then still."""
    scene = sh.Scene("door")
    door = scene.body("door", sh.Box(0.9, 0.04, 2.0, mass=26.487360107), position=(0.45, 0, 1))
    place = sh.Revolute(axis=(0, 0, 1), anchor=(0, 0, 1))
    hinge = scene.joint("hinge", place, scene.world, door, friction=sh.Coulomb(20.0))
    run = sh.Simulation(scene, dt=0.01).run(2.0, torque={hinge: lambda t: 52.727272727 if t < 0.33 else 0.0})
    angle, speed, time = (np.degrees(mech.values(run, hinge.angle)), mech.values(run, hinge.speed), mech.times(run))
    assert angle[-1] == pytest.approx(37.62, abs=0.005)
    assert time[np.argmax((time > 0.4) & (np.abs(speed) < 1e-9))] == pytest.approx(0.87, abs=0.0101)
    assert np.ptp(angle[time > 0.875]) < 1e-9


def test_pendulum_period_from_150_degrees() -> None:
    """A rod m = L = 1: 4 K(sin^2(75 deg)) sqrt(2 L/(3 g)) = 2.886396 s."""
    scene, pin = mech.pinned_rod(angle=np.radians(150), gravity=(0, 0, -mech.GRAVITY))
    run = sh.Simulation(scene, dt=0.01).run(9.0)
    time, speed = mech.times(run), mech.values(run, pin.speed)
    at = [k for k in np.flatnonzero(np.diff(np.sign(speed)) != 0) if k > 10]
    turns = np.array([time[k] + 0.01 * speed[k] / (speed[k] - speed[k + 1]) for k in at])
    period = 4 * ellipk(np.sin(np.radians(75)) ** 2) * np.sqrt(2 / (3 * mech.GRAVITY))
    assert period == pytest.approx(2.886396, abs=1e-6)
    np.testing.assert_allclose(2 * np.diff(turns), period, atol=0.001)


def test_double_pendulum_from_level() -> None:
    """0.002 rad after a second at 10 ms, and a quarter of the error with half the step."""
    scene, joints = double_pendulum()
    exact = solve(scene, 1.0)
    errors = []
    for dt in (0.01, 0.005, 0.0025):
        run = sh.Simulation(scene, dt=dt).run(1.0)
        errors.append(max(abs(mech.values(run, q.angle)[-1] - mech.values(exact, q.angle)[-1]) for q in joints))
    assert errors[0] < 0.002
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.8)
    assert errors[1] / errors[2] == pytest.approx(4, abs=0.8)


def test_spherical_pendulum() -> None:
    """Level, 2 rad/s about the vertical: within 2 mm after 3 s."""
    start = {"position": (0.5, 0, 0), "velocity": (0, 1, 0), "angular_velocity": (0, 0, 2)}
    scene, body = ball_body(1.0, (0.001, 1 / 12, 1 / 12), **start)
    place = mech.values(sh.Simulation(scene, dt=0.01).run(3.0), body.position)[-1]
    assert np.linalg.norm(place - mech.values(solve(scene, 3.0), body.position)[-1]) < 0.002


def test_heavy_top_stands() -> None:
    """100 rad/s: within 10 mm of the exact path and 0.1 % of the energy over 2 s at 1 ms, L_z within 1e-6."""
    scene, body = heavy_top(spin=100.0)
    run, exact = sh.Simulation(scene, dt=0.001).run(2.0), solve(scene, 2.0, dt=0.001)
    away = mech.values(run, body.position) - mech.values(exact, body.position)
    assert np.linalg.norm(away, axis=1).max() < 0.01
    energy = mech.values(run, scene.energy)
    assert np.abs(energy / energy[0] - 1).max() < 0.001
    upright = mech.values(run, scene.angular_momentum)[:, 2]
    assert np.abs(upright / upright[0] - 1).max() < 1e-6


def test_gyroscope_precesses_steadily() -> None:
    """(I_t + m l^2) cos(a) W^2 - I_a w W + m g l = 0 at w = 300 rad/s: W = 1.3615 rad/s."""
    a, b, c = (0.01 + 0.2**2) * np.cos(np.radians(30)), -0.005 * 300.0, mech.GRAVITY * 0.2
    rate = (-b - np.sqrt(b * b - 4 * a * c)) / (2 * a)
    scene, body = heavy_top(spin=300.0, precession=rate)
    place = mech.values(sh.Simulation(scene, dt=0.001).run(2.0), body.position)
    turned = np.unwrap(np.arctan2(place[:, 1], place[:, 0]))[-1]
    assert turned / 2.0 == pytest.approx(rate, rel=0.005)


@pytest.mark.parametrize("inertia", [1e-5, 1e-4, 1e-3])
@pytest.mark.parametrize("dt", [0.01, 0.002])
def test_compact_bob_keeps_its_swing(inertia: float, dt: float) -> None:
    """1 kg 2 m below a ball joint, 0.05 m aside: 99 % of the swing is left after a minute; h^2 f r is above 2 I."""
    scene, bob = ball_body(1.0, (inertia,) * 3, position=(0.05, 0, -np.sqrt(2.0**2 - 0.05**2)))
    side = mech.values(sh.Simulation(scene, dt=dt).run(60.0), bob.position)[:, 0]
    assert np.abs(side[-round(3 / dt) :]).max() > 0.99 * 0.05


def test_free_body_keeps_the_direction_of_its_momentum() -> None:
    """L is constant: to 1e-6 rad in 20 s, tumbling about the middle axis."""
    scene = sh.Scene("free", gravity=mech.FREE)
    body = scene.body("body", mass=1.0, inertia=(1, 2, 3), angular_velocity=(0.1, 3, 0.1))
    run = sh.Simulation(scene, dt=0.01).run(20.0)
    turn, spin = mech.values(run, body.rotation), mech.values(run, body.angular_velocity)
    momentum = spatial.rotate(turn, np.array([1, 2, 3]) * spatial.rotate(spatial.conjugate(turn), spin))
    away = np.cross(momentum, momentum[0]) / (momentum[0] @ momentum[0])
    assert np.linalg.norm(away, axis=1).max() < 1e-6


@pytest.mark.parametrize("along", [1e-9, 1e-4, 1e-2])
def test_thin_rod_turns_end_over_end(along: float) -> None:
    """1 m, 1 mm thick: a symmetric top keeps its kinetic energy, and its spin along its axis is never multiplied.

    Exact in the angular momentum, the step is off by no more than what that spin itself has: I_1 w_1^2 is 1e-11 of the
    whole for the largest here.
    """
    scene = sh.Scene("rod", gravity=mech.FREE)
    scene.body("rod", sh.Box(1.0, 1e-3, 1e-3, mass=1.0), angular_velocity=(along, 0, 2 * np.pi))
    energy = mech.values(sh.Simulation(scene, dt=0.01).run(10.0), scene.kinetic_energy)
    assert np.abs(energy / energy[0] - 1).max() < 1e-11


def test_the_drift_is_the_implicit_midpoint_rotation() -> None:
    """R' = R exp(h u) with I u = exp(-h u/2) I w: by a series or Newton's method, turns up to 0.7 rad."""
    random, dt = np.random.default_rng(3), 0.005
    scene = sh.Scene("free", gravity=mech.FREE)
    for i in range(500):
        sides = random.uniform(0.01, 1.0, size=3) ** 2
        spin = random.normal(size=3) * 10 ** random.uniform(-1, 1.5)
        inertia = (sides[1] + sides[2], sides[0] + sides[2], sides[0] + sides[1])
        scene.body(f"body{i}", mass=1.0, inertia=inertia, position=(i, 0, 0), angular_velocity=spin)
    sim = sh.Simulation(scene, dt=dt, ignored_warnings=["long-step"])
    sim.step()
    for body in scene.bodies.values():
        inertia, spin = np.diagonal(body.properties.inertia), np.asarray(body.spec.angular_velocity)
        mean = root(
            lambda u, i=inertia, w=spin: i * u - Rotation.from_rotvec(-dt / 2 * u).apply(i * w), spin, tol=1e-15
        ).x
        off = Rotation.from_quat(sim.get(body.rotation)) * Rotation.from_rotvec(-dt * mean)
        assert off.magnitude() < 1e-11, body.name


@pytest.mark.parametrize("loop", [False, True], ids=["tree", "loop"])
def test_floating_mechanisms_keep_their_angular_momentum(loop: bool) -> None:
    """Nothing acts from outside: L is constant, to 1e-4 over 5 s; at the last instant velocities are an estimate."""
    for seed in range(12):
        scene, spins = floating_mechanism(seed, loop)
        sim = sh.Simulation(scene, dt=0.01, threads=1)
        for body, spin in spins.items():
            sim.set(scene.bodies[body].angular_velocity, spin)
        sim.step(2)  # from here on the velocities agree with the joints
        run = sim.run(5.0)
        momentum = mech.values(run, scene.angular_momentum)
        away = np.linalg.norm(momentum - momentum[0], axis=1) / np.linalg.norm(momentum[0])
        assert away[:-1].max() < 1e-4, seed
        assert away[-1] < 1e-3, seed


@pytest.mark.parametrize("dt", [0.01, 0.005])
@pytest.mark.parametrize("load", [1e3, 1e6])
def test_heavy_loads_on_light_links(load: float, dt: float) -> None:
    """32 links of 1 kg carry it from 0.1 rad for 5 s: gaps below 0.1 mm, and the swing of a pendulum of 32 m."""
    scene = chain(32, tip=load, angle=0.1)
    run = sh.Simulation(scene, dt=dt).run(5.0, every=round(0.05 / dt))
    assert float(run.data["gap"].max()) < 1e-4
    if load == 1e6:
        tip = mech.values(run, scene.bodies["link31"].position)
        bob = tip + (tip - mech.values(run, scene.bodies["link30"].position)) / 2
        expected = 0.1 * np.cos(np.sqrt(mech.GRAVITY / 32) * (1 - 0.1**2 / 16) * mech.times(run))
        assert np.abs(np.arctan2(bob[:, 0], -bob[:, 2]) - expected).max() < 0.1 * 0.01
