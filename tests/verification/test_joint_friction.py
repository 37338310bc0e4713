"""Dry friction in joints ([000]): closed forms and reference values."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest

import sharnir as sh
from sharnir import spatial

# First-order errors at dt = 10 ms and 1 ms, as the reference tables state them.
COARSE = 0.01


def at(dt: float, coarse: float, fine: float) -> float:
    """The tolerance that belongs to a time step."""
    return coarse if dt == COARSE else fine


def test_door(scheme: dict[str, str], dt: float) -> None:
    """I w' = M - T while pushed, I w' = -T after: w linear, stop at 0.87 s after 37.62 deg."""
    scene = sh.Scene("door")
    door = scene.body("door", sh.Box(0.9, 0.04, 2.0, mass=26.487360107), position=(0.45, 0, 1))
    hinge = scene.joint(
        "hinge", sh.Revolute(axis=(0, 0, 1), anchor=(0, 0, 1)), scene.world, door, friction=sh.Coulomb(20.0)
    )
    sim = sh.Simulation(scene, dt=dt, **scheme)
    run = sim.run(2.0, torque={hinge: lambda t: 52.727272727 if t < 0.33 else 0.0})
    speed, angle = mech.values(run, hinge.speed), np.degrees(mech.values(run, hinge.angle))
    t = mech.times(run)
    inertia = 7.155118877
    pushed = (t > 0) & (t <= 0.33)
    np.testing.assert_allclose(speed[pushed], (52.727272727 - 20) / inertia * t[pushed], rtol=1.5 * dt)
    slowing = (t > 0.33) & (t < 0.86)
    np.testing.assert_allclose(speed[slowing], 1.509408884 - 20 / inertia * (t[slowing] - 0.33), atol=2 * dt)
    assert abs(angle[-1] - 37.62) < at(dt, 0.15, 0.015)
    assert abs(mech.first_time(run, (t > 0.4) & (np.abs(speed) < 1e-9)) - 0.87) < 1.01 * dt
    assert np.abs(speed[t > 0.87 + 1.5 * dt]).max() < 1e-9
    assert bool(mech.values(run, hinge.stuck())[-1])


def test_revolute_spins_down(scheme: dict[str, str], dt: float) -> None:
    """I w' = -T: stops at I w0/T = 2 s after I w0^2/(2T) = 3 rad; a first-order sum of speeds is w0 dt/2 short."""
    scene, pin = mech.rotor(spin=3.0, friction=sh.Coulomb(0.5))
    run = sh.Simulation(scene, dt=dt, **scheme, iterations=200).run(2.5)
    speed = mech.values(run, pin.speed)
    assert abs(mech.first_time(run, np.abs(speed) < 1e-9) - 2.0) < 1.01 * dt
    assert abs(mech.values(run, pin.angle)[-1] - 3.0) < 1.5 * dt + 1e-9


@pytest.mark.parametrize("warm_start", [True, False])
def test_stick_does_not_creep(scheme: dict[str, str], warm_start: bool) -> None:
    """|M| < T: w = 0 for ever."""
    scene, pin = mech.pinned_rod(friction=sh.Coulomb(0.5))
    sim = sh.Simulation(scene, dt=0.01, **scheme, warm_start=warm_start, iterations=200)
    run = sim.run(10.0, torque={pin: 0.99 * 0.5})
    assert np.abs(mech.values(run, pin.angle)).max() < 1e-6


def test_ramp_breaks_free(scheme: dict[str, str], dt: float) -> None:
    """M = t: moves when M = T, at 0.5 s; then theta = (t - 0.5)^3/(6 I), theta(2) = 1.6875 rad."""
    scene, pin = mech.rotor(friction=sh.Coulomb(0.5))
    run = sh.Simulation(scene, dt=dt, **scheme, iterations=200).run(2.0, torque={pin: lambda t: t})
    angle = mech.values(run, pin.angle)
    assert abs(mech.first_time(run, np.abs(mech.values(run, pin.speed)) > 1e-6) - 0.5) < 1.01 * dt
    assert abs(angle[-1] / 1.6875 - 1) < at(dt, 0.02, 0.003)


def test_static_level_above_dynamic(scheme: dict[str, str], dt: float) -> None:
    """Ramp M = t with static 0.8, dynamic 0.5: breaks free at 0.8 s with the angular acceleration (0.8 - 0.5)/I."""
    scene, pin = mech.rotor(friction=sh.Coulomb(0.5, static=0.8))
    run = sh.Simulation(scene, dt=dt, **scheme, iterations=200).run(2.0, torque={pin: lambda t: t})
    speed = mech.values(run, pin.speed)
    assert abs(mech.first_time(run, speed > 1e-6) - 0.8) < 2.01 * dt
    # I w = (t^2 - 0.8^2)/2 - 0.5 (t - 0.8)
    expected = 3 * ((2.0**2 - 0.8**2) / 2 - 0.5 * 1.2)
    assert abs(speed[-1] - expected) < 3 * (0.8 - 0.5) * 2 * dt + 3 * 2 * dt


def test_slider_on_slope(scheme: dict[str, str], dt: float) -> None:
    """a = g sin(30 deg) - F/m = 2.405 m/s^2."""
    scene, guide = mech.slider(2.0, np.radians(30), friction=sh.Coulomb(5.0))
    run = sh.Simulation(scene, dt=dt, **scheme).run(1.0)
    assert abs(mech.values(run, guide.speed)[-1] / 2.405 - 1) < at(dt, 0.01, 0.001)
    assert abs(mech.values(run, guide.displacement)[-1] / (2.405 / 2) - 1) < at(dt, 0.01, 0.001) + dt


@pytest.mark.parametrize(("slope", "moves"), [(14.76, False), (14.77, True)])
def test_critical_slope(scheme: dict[str, str], slope: float, moves: bool) -> None:
    """m g sin(slope) = F at 14.764 deg."""
    scene, guide = mech.slider(2.0, np.radians(slope), friction=sh.Coulomb(5.0))
    run = sh.Simulation(scene, dt=0.01, **scheme).run(1.0)
    assert (abs(mech.values(run, guide.displacement)[-1]) > 1e-6) == moves


def test_slider_pulled_by_spring(scheme: dict[str, str], dt: float) -> None:
    """k v t = F at 1 s; then m x'' = k (v t - x) - F: x(2) = 0.119178 m, x = v s - (v/w) sin(w s), w = 5, s = t - 1."""
    scene, guide = mech.slider(2.0, gravity=0.0, friction=sh.Coulomb(5.0))

    def pull(sim: sh.Simulation) -> None:
        middle = sim.time + dt / 2
        sim.set(guide.effort(), 50.0 * (0.1 * middle - sim.get(guide.displacement)))

    run = sh.Simulation(scene, dt=dt, **scheme).run(2.0, before_step=pull)
    assert abs(mech.first_time(run, np.abs(mech.values(run, guide.speed)) > 1e-6) - 1.0) < 2.01 * dt
    assert abs(mech.values(run, guide.displacement)[-1] - 0.119178) < at(dt, 2e-3, 3e-4)


def test_pendulum_with_friction(scheme: dict[str, str], dt: float) -> None:
    """(1/3) q'' = -(g/2) sin q - T sgn q': turns at -1.2763, 1.0190, -0.7841; rests within 5.851 deg."""
    scene, pin = mech.pinned_rod(np.pi / 2, gravity=(0, 0, -9.81), friction=sh.Coulomb(0.5))
    run = sh.Simulation(scene, dt=dt, **scheme, iterations=200).run(9.0)
    angle, speed = mech.values(run, pin.angle), mech.values(run, pin.speed)
    turns = mech.turning_points(angle, speed)[:3]
    np.testing.assert_allclose(turns, [-1.2763, 1.0190, -0.7841], atol=at(dt, 0.10, 0.012))
    assert abs(np.degrees(angle[-1])) < 5.851 + np.degrees(dt)
    assert abs(speed[-1]) < 1e-9


@pytest.mark.parametrize("law", ["maximum-dissipation", "impulse-clamp"])
def test_ball_isotropic(scheme: dict[str, str], dt: float, law: str) -> None:
    """I w' = -T w/|w|: both laws agree; stops at I |w0|/T = 3.741657 s after I w0^2/(2T) = 7 rad about w0."""
    friction = sh.Coulomb(2.0, law=law)
    scene = mech.free_or_ball_body((2, 2, 2), (3, 2, 1), friction=friction)
    run = sh.Simulation(scene, dt=dt, **scheme).run(4.0)
    body = scene.bodies["body"]
    speed = np.linalg.norm(mech.values(run, body.angular_velocity), axis=-1)
    assert abs(mech.first_time(run, speed < 1e-9) - 3.741657) < 1.01 * dt
    expected = spatial.about((3, 2, 1), 7.0)
    error = spatial.multiply(spatial.conjugate(expected), mech.values(run, body.rotation)[-1])
    assert 2 * np.arcsin(np.linalg.norm(error[:3])) < at(dt, 0.05, 0.005)


@pytest.mark.parametrize(("law", "stop"), [("maximum-dissipation", 3.0780), ("impulse-clamp", 2.9155)])
def test_ball_anisotropic(scheme: dict[str, str], law: str, stop: float) -> None:
    """I = diag(1, 2, 3), w0 = (3, 2, 1), T = 2: true friction stops at 3.0780 s, the paper's clamp at 2.9155 s."""
    scene = mech.free_or_ball_body((1, 2, 3), (3, 2, 1), friction=sh.Coulomb(2.0, law=law))
    run = sh.Simulation(scene, dt=0.001, **scheme).run(3.2)
    speed = np.linalg.norm(mech.values(run, scene.bodies["body"].angular_velocity), axis=-1)
    assert abs(mech.first_time(run, speed < 1e-9) - stop) < 0.004


@pytest.mark.parametrize("integrator", ["leapfrog", "position-verlet", "rk4"])
@pytest.mark.parametrize("dt", [0.01, 0.001])
def test_an_elbow_that_has_locked_up_stays_so_in_a_moving_arm(dt: float, integrator: str) -> None:
    """A forearm of 0.2 kg and 0.3 m on an arm of 2 kg that swings: 0.5 N m stop their relative 3 rad/s and then hold.

    What the forearm's weight and acceleration ask of the elbow, m l/2 (g + a) with l/2 = 0.15 m, stays below it. The
    papers' step is left out: the pseudo-velocities that close its joints turn the elbow by 14 mrad/s at 10 ms.
    """
    scene = sh.Scene("arm")
    rod = (1e-3, 2 / 12, 2 / 12)
    upper = scene.body("upper", mass=2.0, inertia=rod, position=(0.5, 0, 0))
    small = (1e-5, 0.2 * 0.09 / 12, 0.2 * 0.09 / 12)
    spin = {"angular_velocity": (0, 3, 0), "velocity": (0, 0, -0.45)}
    fore = scene.body("fore", mass=0.2, inertia=small, position=(1.15, 0, 0), **spin)
    scene.joint("shoulder", sh.Revolute(axis=(0, 1, 0)), scene.world, upper)
    place = sh.Revolute(axis=(0, 1, 0), anchor=(1, 0, 0))
    elbow = scene.joint("elbow", place, upper, fore, friction=sh.Coulomb(0.5))
    run = sh.Simulation(scene, dt=dt, integrator=integrator).run(1.0)
    angle, stuck = mech.values(run, elbow.angle), mech.values(run, elbow.stuck()) > 0
    locked = mech.times(run) > 0.3
    assert stuck[locked].all()
    assert np.ptp(angle[locked]) < 1e-9
    assert angle[-1] > 0.02
    assert np.ptp(mech.values(run, upper.position)[locked, 2]) > 0.3
    held = np.linalg.norm(mech.values(run, elbow.friction_impulse()), axis=1)[locked] / dt
    assert 0.05 < held.max() < 0.5
