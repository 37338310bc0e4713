"""The exact twin with Coulomb and Stribeck friction and with limits: events found, the rest exact."""

from __future__ import annotations

import mechanisms as mech
import msgspec
import numpy as np
import pytest
from test_limits_and_loops import four_bar

import sharnir as sh
from sharnir import spatial
from sharnir.reference import solve


def at_time(run: sh.Trajectory, quantity: sh.Quantity, until: float, t: float) -> float:
    """A smooth signal at t, from the polynomial through the eight last samples before ``until``."""
    time = mech.times(run)
    last = int(np.searchsorted(time, until)) - 1
    near = slice(last - 7, last + 1)
    return float(np.polynomial.Polynomial.fit(time[near], mech.values(run, quantity)[near], 7)(t))


@pytest.mark.parametrize("breaks", [(0.33,), ()], ids=["jump named", "jump found"])
def test_door(breaks: tuple[float, ...]) -> None:
    """I w' = M - T while pushed, I w' = -T after: stop at 0.87 s after 37.62 deg, and no motion afterwards."""
    scene = sh.Scene("door")
    door = scene.body("door", sh.Box(0.9, 0.04, 2.0, mass=26.487360107), position=(0.45, 0, 1))
    hinge = scene.joint(
        "hinge", sh.Revolute(axis=(0, 0, 1), anchor=(0, 0, 1)), scene.world, door, friction=sh.Coulomb(20.0)
    )
    run = solve(scene, 2.0, torque={hinge: lambda t: 52.727272727 if t < 0.33 else 0.0}, breaks=breaks)
    speed = mech.values(run, hinge.speed)
    assert abs(speed[33] - 1.509408884) < 1e-8
    assert abs(np.degrees(mech.values(run, hinge.angle)[-1]) - 37.62) < 1e-6
    assert abs(0.86 + speed[86] / (20 / 7.155118877) - 0.87) < 1e-6
    assert np.abs(speed[88:]).max() < 1e-12
    assert not mech.values(run, hinge.stuck())[86]
    assert mech.values(run, hinge.stuck())[88:].all()


def test_pendulum_with_friction() -> None:
    """(1/3) q'' = -(g/2) sin q - T sgn q': turns at -1.2763, 1.0190, -0.7841; rests within 5.851 deg."""
    scene, pin = mech.pinned_rod(np.pi / 2, gravity=(0, 0, -9.81), friction=sh.Coulomb(0.5))
    run = solve(scene, 9.0, dt=0.001)
    angle, speed = mech.values(run, pin.angle), mech.values(run, pin.speed)
    turns = mech.turning_points(angle[1:], speed[1:])[:3]
    np.testing.assert_allclose(turns, [-1.2763, 1.0190, -0.7841], atol=1e-4)
    # at a turn the energy lost is the work of the friction, (g/2)(cos q1 - cos q0) = T |q1 - q0|; samples 1 ms apart
    path = np.append(np.pi / 2, turns)
    np.testing.assert_allclose(
        9.81 / 2 * np.diff(np.cos(path)), 0.5 * np.abs(np.diff(path)), atol=5e-5
    )  # samples 1 ms apart
    assert abs(np.degrees(angle[-1])) < 5.851
    assert abs(speed[-1]) < 1e-12


def test_ramp_breaks_free() -> None:
    """M = t: moves when M = T, at 0.5 s; then theta = (t - 0.5)^3/(6 I), theta(2) = 1.6875 rad."""
    scene, axle = mech.rotor(friction=sh.Coulomb(0.5))
    run = solve(scene, 2.0, torque={axle: lambda t: t})
    assert abs(mech.values(run, axle.angle)[-1] - 1.6875) < 1e-9


def test_static_level_above_dynamic() -> None:
    """Ramp M = t with static 0.8, dynamic 0.5: from 0.8 s on I w = (t^2 - 0.8^2)/2 - 0.5 (t - 0.8)."""
    scene, axle = mech.rotor(friction=sh.Coulomb(0.5, static=0.8))
    run = solve(scene, 2.0, torque={axle: lambda t: t})
    assert abs(mech.values(run, axle.speed)[-1] - 3 * ((2.0**2 - 0.8**2) / 2 - 0.5 * 1.2)) < 1e-9


def test_slider_pulled_by_spring() -> None:
    """k v t = F at 1 s; then x = v s - (v/w) sin(w s), w = 5, s = t - 1: x(2) = 0.119178 m."""
    scene, guide = mech.slider(2.0, gravity=0.0, friction=sh.Coulomb(5.0), spring=sh.Spring(50.0))
    run = solve(scene, 2.0, force={guide: lambda t: 50.0 * 0.1 * t})
    assert abs(mech.values(run, guide.displacement)[-1] - (0.1 - 0.02 * np.sin(5.0))) < 1e-9


def test_stribeck_slides_down() -> None:
    """Far above the Stribeck speed m v' = F - level - viscous v: v = (1 - exp(-t)) for F - level = viscous = m = 1."""
    law = sh.Stribeck(level=2.0, static=2.5, speed=1e-3, viscous=1.0)
    scene, guide = mech.slider(1.0, gravity=0.0, friction=law)
    run = solve(scene, 3.0, force={guide: 3.0})
    t = mech.times(run)
    # the extra force of the first millimetres per second costs less than (static - level) times the time they take
    np.testing.assert_allclose(mech.values(run, guide.speed), 1 - np.exp(-t), atol=2e-3)
    held = solve(scene, 1.0, force={guide: 2.499})
    assert np.abs(mech.values(held, guide.displacement)).max() < 1e-12


@pytest.mark.parametrize("law", ["maximum-dissipation", "impulse-clamp"])
def test_ball_isotropic(law: str) -> None:
    """I w' = -T w/|w|: stops at I |w0|/T = 3.741657 s after I w0^2/(2T) = 7 rad about w0."""
    scene = mech.free_or_ball_body((2, 2, 2), (3, 2, 1), friction=sh.Coulomb(2.0, law=law))
    run = solve(scene, 4.0, dt=0.1)
    body = scene.bodies["body"]
    spin = mech.values(run, body.angular_velocity)
    assert abs(3.7 + np.linalg.norm(spin[37]) - np.sqrt(14)) < 1e-8
    error = spatial.multiply(spatial.conjugate(spatial.about((3, 2, 1), 7.0)), mech.values(run, body.rotation)[-1])
    assert 2 * np.arcsin(np.linalg.norm(error[:3])) < 1e-8
    assert np.abs(spin[38:]).max() < 1e-12


@pytest.mark.parametrize(("law", "stop"), [("maximum-dissipation", 3.0780), ("impulse-clamp", 2.9155)])
def test_ball_anisotropic(law: str, stop: float) -> None:
    """I = diag(1, 2, 3), w0 = (3, 2, 1), T = 2: true friction stops at 3.0780 s, the paper's clamp at 2.9155 s."""
    scene = mech.free_or_ball_body((1, 2, 3), (3, 2, 1), friction=sh.Coulomb(2.0, law=law))
    run = solve(scene, 3.2, dt=1e-4)
    speed = np.linalg.norm(mech.values(run, scene.bodies["body"].angular_velocity), axis=-1)
    assert abs(mech.first_time(run, speed < 1e-9) - stop) < 1.5e-4


def test_rod_against_stop() -> None:
    """q'^2 = 3 g cos q: impact 0.5821689 s at 5.0484778 rad/s, impulse I q' = 1.682826, then period 1.6664613 s."""
    stop = np.radians(30)
    scene, pin = mech.pinned_rod(-np.pi / 2, gravity=(0, 0, -9.81), limits=(None, stop))
    run = solve(scene, 6.0, dt=0.005)
    impact = 0.5821689
    assert abs(at_time(run, pin.angle, impact, impact) - stop) < 5.05 * 1e-7
    assert abs(at_time(run, pin.speed, impact, impact) - 5.0484778) < 5e-7
    impulse = mech.values(run, pin.limit_impulse())
    assert abs(-impulse.min() - 1.682826) < 1e-6
    angle, t = mech.values(run, pin.angle), mech.times(run)
    assert angle.max() < stop + 1e-9
    passages = []
    for k in np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0) & (t[1:] > impact))[:3]:
        near = np.polynomial.Polynomial.fit(angle[k - 2 : k + 4], t[k - 2 : k + 4], 5)
        passages.append(near(0.0))
    # each return touches the stop at no speed; where it does, an error of 1e-9 rad is one of sqrt(1e-9) s
    np.testing.assert_allclose(np.diff(passages), 1.6664613, atol=1e-6)


def test_slider_hits_end_of_free_cart() -> None:
    """m v = (m + M) u: u = 0.5 m/s, momentum 2 N s, kinetic energy 2 -> 0.5 J; and no push apart afterwards."""
    scene = sh.Scene("cart", gravity=mech.FREE)
    cart = scene.body("cart", sh.Box(1, 0.2, 0.2, mass=3.0))
    block = scene.body("block", sh.Box(0.1, 0.1, 0.1, mass=1.0), velocity=(2, 0, 0))
    rail = scene.joint("rail", sh.Prismatic(axis=(1, 0, 0)), cart, block, limits=(-0.4, 0.4))
    run = solve(scene, 1.0)
    t = mech.times(run)
    np.testing.assert_allclose(mech.values(run, scene.momentum), np.tile([2, 0, 0], (len(t), 1)), atol=1e-10)
    np.testing.assert_allclose(mech.values(run, scene.kinetic_energy)[t < 0.2], 2.0, atol=1e-10)
    np.testing.assert_allclose(mech.values(run, scene.kinetic_energy)[t > 0.2 + 1e-9], 0.5, atol=1e-10)
    np.testing.assert_allclose(mech.values(run, rail.displacement)[t > 0.2 + 1e-9], 0.4, atol=1e-10)


def test_ball_limits() -> None:
    """A hitch limited to 18 deg (swing) and 15 deg (twist), pushed obliquely, ends in the corner of its box."""
    wide, narrow = np.radians(18), np.radians(15)
    scene = sh.Scene("hitch", gravity=mech.FREE)
    body = scene.body("trailer", sh.Box(1, 2, 0.5, mass=50.0))
    limits = sh.SwingTwist(x=(-wide, wide), y=(-wide, wide), twist=(-narrow, narrow))
    ball = scene.joint("ball", sh.Spherical(axis=(0, 1, 0), reference=(0, 0, 1)), scene.world, body, limits=limits)
    run = solve(scene, 3.0, torque={body: np.array([20.0, 25.0, 22.0])}, rtol=1e-8, dt=0.05)
    for name, bound in (("swing_x", wide), ("swing_y", wide), ("twist", narrow)):
        assert abs(mech.values(run, ball.coordinate(name))[-1] - bound) < 1e-8
        assert mech.values(run, ball.coordinate(name)).max() < bound + 1e-8


def test_load_on_a_slope() -> None:
    """N = m g cos(a): x'' = g (sin a - mu cos a) for mu = 0.3, a = 30 deg; it stays put for mu = 0.6."""
    slope = np.radians(30)
    scene, guide = mech.slider(2.0, slope, friction=sh.Coulomb(0.3, load=sh.Load()))
    run = solve(scene, 1.0)
    expected = 9.81 * (np.sin(slope) - 0.3 * np.cos(slope))
    np.testing.assert_allclose(mech.values(run, guide.speed), expected * mech.times(run), atol=1e-9)
    scene, guide = mech.slider(2.0, slope, friction=sh.Coulomb(0.6, load=sh.Load()))
    assert np.abs(mech.values(solve(scene, 1.0), guide.displacement)).max() < 1e-12


@pytest.mark.parametrize("joint", ["hinge", "ball"])
def test_load_of_a_pin(joint: str) -> None:
    """A rotor of weight W on a pin of radius R: torque R mu/sqrt(1 + mu^2) W + R mu P, constant, until it stops."""
    radius, mu, preload, spin = 0.05, 0.3, 4.0, 3.0
    scene = sh.Scene("rotor")
    body = scene.body("rotor", mass=2.0, inertia=(0.1, 0.1, 0.1), angular_velocity=(0, spin, 0))
    kind = sh.Revolute(axis=(0, 1, 0)) if joint == "hinge" else sh.Spherical()
    friction = sh.Coulomb(mu, load=sh.Load(radius=radius, preload=preload))
    scene.joint("bearing", kind, scene.world, body, friction=friction)
    torque = radius * mu / np.sqrt(1 + mu**2) * 2.0 * 9.81 + radius * mu * preload
    run = solve(scene, 1.5, dt=0.05)
    stop = 0.1 * spin / torque
    expected = np.maximum(spin * (1 - mech.times(run) / stop), 0.0)
    np.testing.assert_allclose(mech.values(run, body.angular_velocity)[:, 1], expected, atol=1e-8)


@pytest.mark.parametrize("level", [0.05, 0.5])
def test_four_bar_with_friction(level: float) -> None:
    """Energy lost = level * sum of the ways turned in the four joints, through dead centres and until it sticks."""
    scene, _ = four_bar()
    for joint in scene.joints.values():
        joint.describe(msgspec.structs.replace(joint.spec, friction=sh.Coulomb(level)))
    run = solve(scene, 3.0, dt=0.001, rtol=1e-9)
    energy = mech.values(run, scene.energy)
    ways = sum(np.abs(np.diff(mech.values(run, joint.angle))).cumsum() for joint in scene.joints.values())
    np.testing.assert_allclose(energy[0] - energy[1:], level * ways, atol=level * 1e-4)
    assert run.data["gap"].max() < 1e-9
