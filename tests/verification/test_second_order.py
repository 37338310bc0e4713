"""The second-order step: a quarter of the error at half the dt, no drift of energy; heavy loads, redundant rows."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
from mechanisms import DIRECT, LEAPFROG
from test_limits_and_loops import crank_angle

import sharnir as sh


def chain(links: int, friction: float | None = None, tip: float = 0.0, angle: float = np.pi / 2) -> sh.Scene:
    """Rods of 1 kg and 1 m in ball joints, straight at an angle from hanging, with a load at the tip."""
    scene = sh.Scene("chain")
    down = np.array([np.sin(angle), 0, -np.cos(angle)])
    turn = (0, -np.sin(angle / 2), 0, np.cos(angle / 2))
    before = scene.world
    for i in range(links):
        shapes = [sh.Box(0.05, 0.05, 1.0, mass=1.0)]
        if tip and i == links - 1:
            shapes.append(sh.Sphere(0.3, mass=tip, position=(0, 0, -0.5)))
        link = scene.body(f"link{i}", *shapes, position=down * (i + 0.5), rotation=turn)
        law = None if friction is None else sh.Coulomb(friction)
        scene.joint(f"joint{i}", sh.Spherical(anchor=down * i), before, link, friction=law)
        before = link
    return scene


def halvings(end: list[float]) -> list[float]:
    """Ratios of the differences between successive halvings of dt: 4 for second order (Richardson)."""
    steps = np.diff(end)
    return list(steps[:-1] / steps[1:])


def test_four_bar_is_second_order() -> None:
    """Against the reference crank angle -0.647685 at 0.5 s."""
    errors = [crank_angle(LEAPFROG, dt)[0] + 0.647685 for dt in (0.01, 0.005, 0.0025)]
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.8)
    assert errors[1] / errors[2] == pytest.approx(4, abs=0.8)


def test_double_pendulum_is_second_order() -> None:
    def tip(dt: float) -> float:
        scene = sh.Scene("double pendulum")
        upper = scene.body("upper", sh.Box(1, 0.05, 0.05, mass=1.0), position=(0.5, 0, 0))
        lower = scene.body("lower", sh.Box(1, 0.05, 0.05, mass=1.0), position=(1.5, 0, 0))
        scene.joint("shoulder", sh.Revolute(axis=(0, 1, 0)), scene.world, upper)
        elbow = scene.joint("elbow", sh.Revolute(axis=(0, 1, 0), anchor=(1, 0, 0)), upper, lower)
        run = sh.Simulation(scene, dt=dt, **LEAPFROG).run(1.0)
        return float(mech.values(run, elbow.angle)[-1])

    for ratio in halvings([tip(dt) for dt in (0.008, 0.004, 0.002, 0.001)]):
        assert ratio == pytest.approx(4, abs=0.8)


def test_free_body_is_second_order() -> None:
    def spin(dt: float) -> float:
        scene = sh.Scene("free", gravity=mech.FREE)
        body = scene.body("body", mass=1.0, inertia=(1, 2, 3), angular_velocity=(0.1, 3, 0.1))
        return float(mech.values(sh.Simulation(scene, dt=dt, **LEAPFROG).run(3.2), body.angular_velocity)[-1, 0])

    for ratio in halvings([spin(dt) for dt in (0.02, 0.01, 0.005, 0.0025)]):
        assert ratio == pytest.approx(4, abs=0.8)


def test_chain_does_not_drift() -> None:
    """Eight links released level, 60 s at 2 ms: energy within q^2 of what is exchanged, and no trend in it.

    q is the largest turn of a link in a step: how far the worst whip is off depends on how fast it is, which in this
    chaotic motion depends on the last bit, and so does q (``energy_bound.py`` derives the bound).
    """
    trend = []
    for i in range(5):
        scene = chain(8, angle=np.pi / 2 + 1e-7 * i)
        sim = sh.Simulation(scene, dt=0.002, **LEAPFROG)
        run = sim.run(60.0, every=50)
        energy, most = mech.values(run, scene.energy), mech.values(run, scene.kinetic_energy).max()
        turn = float(sim.report.largest_turn[0])
        assert turn < 0.15
        assert np.abs(energy - energy[0]).max() < turn**2 * most
        quarters = [part.mean() for part in np.array_split(energy, 4)]
        trend.append(abs(quarters[-1] - quarters[0]) / most)
        assert trend[-1] < turn**2 / 4
    assert np.median(trend) < 0.0005


@pytest.mark.parametrize(("load", "bound"), [(1e3, 0.05e-3), (1e6, 1e-3)])
def test_heavy_tip(load: float, bound: float) -> None:
    """32 links of 1 kg carry the load from 0.1 rad for 5 s at 5 ms: the worst gap of a joint stays below the bound."""
    scene = chain(32, tip=load, angle=0.1)
    sim = sh.Simulation(scene, dt=0.005, iterations=1, **DIRECT)
    worst = 0.0
    for _ in range(1000):
        sim.step()
        worst = max(worst, float(sim.report.joint_error[0]))
    assert worst < bound
    assert sim.stopped_worlds == ()


def test_stiff_chain_swings_at_the_right_rate() -> None:
    """A million kilograms 32 m below the pin: the angle follows 0.1 cos(sqrt(g/L) (1 - a^2/16) t)."""
    scene = chain(32, tip=1e6, angle=0.1)
    run = sh.Simulation(scene, dt=0.005, **DIRECT).run(5.0, every=10)
    tip = mech.values(run, scene.bodies["link31"].position)
    bob = tip + (tip - mech.values(run, scene.bodies["link30"].position)) / 2
    angle = np.arctan2(bob[:, 0], -bob[:, 2])
    expected = 0.1 * np.cos(np.sqrt(9.81 / 32) * (1 - 0.1**2 / 16) * mech.times(run))
    # first order in dt: numerical damping of the swing and of the stiffened links
    assert np.abs(angle - expected).max() < 0.1 * 0.05


def test_redundant_loops_on_one_chassis() -> None:
    """Eight planar four-bars (three redundant rows each) on a chassis of 200 kg: 24 redundant rows do no harm.

    What a step leaves open is of the order (w h)^3 of an arm.
    """
    scene = sh.Scene("four-bars", gravity=mech.FREE)
    chassis = scene.body("chassis", sh.Box(2, 2, 0.2, mass=200.0))
    for i in range(8):
        y = i - 3.5
        points = np.array([[0, 0], [0.2, 0.3464101615], [1.2, 0.8], [1.1, 0]])
        rods = []
        for name, (start, end) in {"crank": (0, 1), "coupler": (1, 2), "rocker": (3, 2)}.items():
            span = points[end] - points[start]
            length, tilt = float(np.linalg.norm(span)), -np.arctan2(span[1], span[0])
            middle = (points[start] + points[end]) / 2
            rods.append(
                scene.body(
                    f"{name}{i}",
                    sh.Box(length, 0.03, 0.03, mass=length),
                    position=(middle[0], y, middle[1]),
                    rotation=(0, np.sin(tilt / 2), 0, np.cos(tilt / 2)),
                )
            )
        pairs = [(chassis, rods[0]), (rods[0], rods[1]), (rods[1], rods[2]), (chassis, rods[2])]
        for k, (a, b) in enumerate(pairs):
            anchor = (points[k][0], y, points[k][1])
            scene.joint(f"pin{k}-{i}", sh.Revolute(axis=(0, 1, 0), anchor=anchor), a, b)
    sim = sh.Simulation(scene, dt=0.002, **LEAPFROG)
    for i in range(8):
        sim.set(scene.joints[f"pin0-{i}"].effort(), 0.5 * (i + 1))
    run = sim.run(1.0)
    spun = np.abs(sim.state.spin.numpy()).max()
    assert 0.5 < spun < 100
    assert sim.report.joint_error[0] < (spun * 0.002) ** 3
    # no force from outside: momentum stays zero, to rounding times the 1e5 by which redundant rows amplify it
    exchanged = 200.0
    assert np.abs(mech.values(run, scene.momentum)[:-1]).max() < 1e-9 * exchanged
    assert np.abs(mech.values(run, scene.angular_momentum)[:-1]).max() < 1e-6 * exchanged
