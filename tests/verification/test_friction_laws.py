"""Friction laws beyond Coulomb's, and bounds that follow the joint's own reaction ([004])."""

from __future__ import annotations

import mechanisms as mech
import msgspec
import numpy as np
import pytest
from test_limits_and_loops import four_bar

import sharnir as sh
from sharnir import reference

# Laws that can hold a load for ever, each with a bound of 0.5 at rest.
STICKING = {
    "coulomb": sh.Coulomb(0.5),
    "static": sh.Coulomb(0.3, static=0.5),
    "stribeck": sh.Stribeck(0.3, 0.5, 0.01),
    "lugre": sh.LuGre(0.5, 0.5, 0.01, 1e5, damping=10.0),
    "dahl": sh.Dahl(0.5, 1e5),
}


def double_pendulum() -> tuple[sh.Scene, sh.Joint, sh.Joint]:
    """[004]: x down, two rods of 2 m (2 and 1 kg) level at the start, pins of 0.2 m radius with LuGre friction."""
    scene = sh.Scene("LuGre double pendulum", gravity=(9.81, 0, 0))
    law = sh.LuGre(0.3, 0.4, 0.001, 1e6, damping=100.0, load=sh.Load(radius=0.2))
    upper = scene.body("upper", sh.Box(1e-4, 2.0, 1e-4, mass=2.0), position=(0, 1, 0))
    lower = scene.body("lower", sh.Box(1e-4, 2.0, 1e-4, mass=1.0), position=(0, 3, 0))
    first = scene.joint("first", sh.Revolute(axis=(0, 0, 1), drawn_at=np.pi / 2), scene.world, upper, friction=law)
    second = scene.joint("second", sh.Revolute(axis=(0, 0, 1), anchor=(0, 2, 0)), upper, lower, friction=law)
    return scene, first, second


def test_lugre_double_pendulum(scheme: dict[str, str], dt: float) -> None:
    """theta1(1) = -0.08314, theta1(2) = -1.09235 (reference DAE), to 0.02, 0.08 at 10 ms and 0.002, 0.01 at 1 ms."""
    scene, first, _ = double_pendulum()
    run = sh.Simulation(scene, dt=dt, iterations=200, **scheme).run(2.0)
    angle = mech.values(run, first.angle)
    coarse = dt == 0.01
    assert abs(angle[round(1 / dt)] + 0.08314) < (0.02 if coarse else 0.002)
    assert abs(angle[round(2 / dt)] + 1.09235) < (0.08 if coarse else 0.01)


def test_stick_slip_block(scheme: dict[str, str]) -> None:
    """M x'' = K (v t - x) - LuGre: x(25) = 1.9088391992 m. Between slips nothing moves, so dt = 1 ms is 1e-2 off."""
    scene = sh.Scene("block", gravity=mech.FREE)
    law = sh.LuGre(1.0, 1.5, 1e-3, 1e5, damping=np.sqrt(1e5), viscous=0.4)
    block = scene.body("block", sh.Box(0.1, 0.1, 0.1, mass=1.0))
    guide = scene.joint("guide", sh.Prismatic(axis=(1, 0, 0)), scene.world, block, friction=law, spring=sh.Spring(2.0))
    # the spring's free end moves: K (v t - x) is the spring at rest plus a force K v t
    run = sh.Simulation(scene, dt=0.001, **scheme).run(25.0, force={guide: lambda t: 2.0 * 0.1 * t}, every=10)
    assert mech.values(run, guide.displacement)[-1] == pytest.approx(1.9088391992, abs=0.02)


@pytest.mark.parametrize("law", STICKING)
def test_ten_minutes_of_standstill(scheme: dict[str, str], law: str) -> None:
    """0.99 of the bound for 600 s: drift below 1e-9 rad. Bristles, loaded slowly, bend by their presliding displacement
    (g/s0) ln(1/(1 - 0.99)), from dz/dx = 1 - s0 z/g, and creep no further; half as much again is allowed because dt
    does not resolve the bristles' own frequency of 548 rad/s."""
    scene, axle = mech.rotor(friction=STICKING[law])
    sim = sh.Simulation(scene, dt=0.01, **scheme)
    sim.run(10.0, torque={axle: lambda t: 0.99 * 0.5 * min(t / 9.0, 1.0)}, every=1000)
    sim.set(axle.effort(), 0.99 * 0.5)
    sim.step(100)
    early = sim.get(axle.angle)
    sim.step(60_000)
    assert abs(sim.get(axle.angle) - early) < 1e-9
    presliding = 0.5 / 1e5 * np.log(100) if law in ("lugre", "dahl") else 0.0
    assert abs(early) <= 1.5 * presliding + 1e-9


@pytest.mark.parametrize("law", STICKING)
def test_spins_down_under_every_law(scheme: dict[str, str], law: str) -> None:
    """Fast sliding is Coulomb's: I w' = -level; from 3 rad/s it stops after I w0/level."""
    scene, axle = mech.rotor(spin=3.0, friction=STICKING[law])
    level = STICKING[law].level
    run = sh.Simulation(scene, dt=0.001, **scheme).run(1 / level + 0.5)
    speed, t = mech.values(run, axle.speed), mech.times(run)
    fast = (t > 0.02) & (t < 0.9 / level)
    np.testing.assert_allclose(speed[fast], 3.0 - 3 * level * t[fast], atol=0.02)
    assert np.abs(speed[-100:]).max() < 1e-3


def test_pin_friction_follows_the_reaction(scheme: dict[str, str]) -> None:
    """A rotor of weight m g on a level pin: torque R mu/sqrt(1 + mu^2) m g, since the pin force contains friction."""
    scene = sh.Scene("rotor", gravity=(0, 0, -9.81))
    law = sh.Coulomb(0.3, load=sh.Load(radius=0.05))
    body = scene.body("rotor", mass=4.0, inertia=(0.3, 0.3, 0.3), angular_velocity=(0, 3, 0))
    axle = scene.joint("axle", sh.Revolute(axis=(0, 1, 0)), scene.world, body, friction=law)
    run = sh.Simulation(scene, dt=0.001, iterations=200, **scheme).run(0.5)
    torque = 0.05 * 0.3 / np.sqrt(1.09) * 4.0 * 9.81
    assert mech.values(run, axle.speed)[-1] == pytest.approx(3 - torque / 0.3 * 0.5, rel=1e-3)


def test_slider_friction_follows_the_reaction(scheme: dict[str, str]) -> None:
    """A block on a level guide: deceleration mu g, plus mu preload/m."""
    law = sh.Coulomb(0.2, load=sh.Load(preload=10.0))
    scene, guide = mech.slider(2.0, friction=law)
    sim = sh.Simulation(scene, dt=0.001, iterations=200, **scheme)
    sim.set(scene.bodies["block"].velocity, (3, 0, 0))
    run = sim.run(0.5)
    deceleration = 0.2 * (9.81 + 10 / 2)
    assert mech.values(run, guide.speed)[-1] == pytest.approx(3 - deceleration * 0.5, rel=1e-3)


def test_slope_angle_of_friction(scheme: dict[str, str]) -> None:
    """tan(slope) = mu decides whether it slides, whatever the mass."""
    for slope, moves in ((16.6, False), (16.8, True)):  # atan(0.3) = 16.699 deg
        scene, guide = mech.slider(7.0, np.radians(slope), friction=sh.Coulomb(0.3, load=sh.Load()))
        run = sh.Simulation(scene, dt=0.01, iterations=200, **scheme).run(1.0)
        assert (abs(mech.values(run, guide.displacement)[-1]) > 1e-5) == moves


def test_ball_friction_follows_the_reaction(scheme: dict[str, str]) -> None:
    """A ball under its weight spinning about the vertical: torque R mu/sqrt(1 + mu^2) m g."""
    scene = sh.Scene("ball")
    law = sh.Coulomb(0.3, load=sh.Load(radius=0.05))
    body = scene.body("body", mass=4.0, inertia=(0.3, 0.3, 0.3), angular_velocity=(0, 0, 3))
    scene.joint("ball", sh.Spherical(), scene.world, body, friction=law)
    run = sh.Simulation(scene, dt=0.001, iterations=200, **scheme).run(0.5)
    torque = 0.05 * 0.3 / np.sqrt(1.09) * 4.0 * 9.81
    assert mech.values(run, body.angular_velocity)[-1, 2] == pytest.approx(3 - torque / 0.3 * 0.5, rel=1e-3)


def test_lugre_in_a_ball_joint(scheme: dict[str, str]) -> None:
    """Isotropic I = 2, |w0| = sqrt(14), T = 2: fast sliding is Coulomb's, stops near 3.741657 s."""
    scene = mech.free_or_ball_body((2, 2, 2), (3, 2, 1), friction=sh.LuGre(2.0, 2.0, 0.01, 1e5, damping=100.0))
    run = sh.Simulation(scene, dt=0.002, iterations=200, **scheme).run(4.0)
    speed = np.linalg.norm(mech.values(run, scene.bodies["body"].angular_velocity), axis=-1)
    t = mech.times(run)
    np.testing.assert_allclose(speed[t < 3.5], np.sqrt(14) - t[t < 3.5], atol=0.01)
    assert speed[-1] < 1e-3


def test_loaded_four_bar_agrees_with_the_twin(scheme: dict[str, str]) -> None:
    """Pins of 3 cm radius with mu = 0.3 in every joint of the four-bar, 1 s at dt = 1 ms: within 2 % of the twin."""
    plain, _ = four_bar()
    scene = sh.Scene("loaded four-bar", gravity=plain.gravity)
    for name, body in plain.bodies.items():
        scene.add_body(name, body.spec)
    law = sh.Coulomb(0.3, load=sh.Load(radius=0.03))
    for name, joint in plain.joints.items():
        scene.add_joint(name, msgspec.structs.replace(joint.spec, friction=law))
    crank = scene.joints["O"].angle
    exact = mech.values(reference.solve(scene, 1.0, dt=0.01, rtol=1e-8), crank)
    run = sh.Simulation(scene, dt=0.001, iterations=2000, epsilon=1e-9, **scheme).run(1.0, every=10)
    assert np.abs(mech.values(run, crank) - exact).max() < 0.02 * np.ptp(exact)
    frictionless = mech.values(reference.solve(plain, 1.0, dt=0.01, rtol=1e-8), plain.joints["O"].angle)
    assert np.abs(frictionless - exact).max() > 0.1 * np.ptp(exact)  # the friction matters


def test_viscous_part_follows_the_load(scheme: dict[str, str]) -> None:
    """Stribeck's viscous term with a load: torque s2 R^2 N w on a level pin under m g, w = w0 exp(-s2 R^2 m g t/I)."""
    scene = sh.Scene("rotor", gravity=(0, 0, -9.81))
    law = sh.Stribeck(0.0, 0.0, 0.01, viscous=2.0, load=sh.Load(radius=0.05))
    body = scene.body("rotor", mass=4.0, inertia=(0.3, 0.3, 0.3), angular_velocity=(0, 3, 0))
    axle = scene.joint("axle", sh.Revolute(axis=(0, 1, 0)), scene.world, body, friction=law)
    run = sh.Simulation(scene, dt=0.001, iterations=200, **scheme).run(0.5)
    rate = 2.0 * 0.05**2 * 4.0 * 9.81 / 0.3
    assert mech.values(run, axle.speed)[-1] == pytest.approx(3 * np.exp(-rate * 0.5), rel=2e-3)


@pytest.mark.parametrize("solver", ["direct", "sequential-impulses"])
@pytest.mark.parametrize("law", [sh.LuGre(0.2, 0.3, 0.1, 1000.0, load=sh.Load()), sh.Dahl(0.2, 1000.0, load=sh.Load())])
def test_sliding_without_a_load_is_free(law: sh.LuGre | sh.Dahl, solver: str) -> None:
    """No weight, no normal force: a body slides on its plane at (1, 0.5) m/s for ever. The friction's matrix had no
    inverse across the plane."""
    scene = sh.Scene("weightless", gravity=mech.FREE)
    block = scene.body("block", sh.Box(0.1, 0.2, 0.3, mass=1.0), velocity=(1, 0.5, 0))
    scene.joint("plane", sh.Planar(), scene.world, block, friction={"slide": law})
    run = sh.Simulation(scene, dt=0.005, solver=solver).run(1.0)
    assert np.abs(mech.values(run, block.velocity) - (1, 0.5, 0)).max() < 1e-12


@pytest.mark.parametrize("solver", ["direct", "sequential-impulses"])
def test_turning_on_a_plane_whose_load_is_one_blow(solver: str) -> None:
    """The plane stops the body's velocity along its normal n by one impulse P, then carries nothing: friction takes
    mu R P of the angular momentum along n within that step, and the rest turns on for ever. The rule for sliding lost
    the axis where the bound fell to 1e-20 N m s."""
    spin, normal = np.array([1.0, 2.0, 3.0]), np.array([1, 1, 0]) / np.sqrt(2)
    scene = sh.Scene("one blow", gravity=mech.FREE)
    body = scene.body("body", mass=1.0, inertia=(0.02,) * 3, angular_velocity=tuple(spin), velocity=(1, 0, 1))
    law = sh.Coulomb(0.2, load=sh.Load(radius=0.02))
    scene.joint("plane", sh.Planar(normal=tuple(normal)), scene.world, body, friction={"angle": law})
    run = sh.Simulation(scene, dt=0.005, solver=solver, iterations=1000, epsilon=1e-15).run(1.0)
    blow = normal @ (1, 0, 1)
    left = normal @ spin - 0.2 * 0.02 * blow / 0.02
    assert np.abs(mech.values(run, body.angular_velocity)[1:] - left * normal).max() < 1e-9
