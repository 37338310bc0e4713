"""Dry friction in long trees, which is solved in the matrix of the direct solver (``dynamics/rows/held.py``)."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sh

LINKS = 20
RODS = 1.0  # kg, m
GRAVITY = 9.81


def shelf(level: float, ball: bool) -> sh.Scene:
    """Rods in one level line from a wall; ``level`` is each joint's friction over the torque that its load needs."""
    scene = sh.Scene("shelf")
    before = scene.world
    for i in range(LINKS):
        rod = scene.body(f"rod{i}", sh.Box(RODS, 0.05, 0.05, mass=RODS), position=(i + 0.5, 0, 0))
        beyond = LINKS - i
        needed = GRAVITY * RODS * beyond * 0.5 * beyond
        anchor = (float(i), 0.0, 0.0)
        joint = sh.Spherical(anchor=anchor) if ball else sh.Revolute(axis=(0, 1, 0), anchor=anchor)
        scene.joint(f"joint{i}", joint, before, rod, friction=sh.Coulomb(level * needed))
        before = rod
    return scene


def shafts(rate: float, friction: float, inertia: float) -> tuple[sh.Scene, list[sh.Joint]]:
    """Wheels on one line, each turning on the one before it, every one faster than that by ``rate`` (rad/s)."""
    scene = sh.Scene("shafts", gravity=(0, 0, 0))
    before, joints = scene.world, []
    for i in range(LINKS):
        wheel = scene.body(
            f"wheel{i}",
            mass=1.0,
            inertia=(inertia, inertia, inertia),
            position=(float(i), 0, 0),
            angular_velocity=((i + 1) * rate, 0, 0),
        )
        pin = sh.Revolute(axis=(1, 0, 0), anchor=(i - 0.5, 0, 0))
        joints.append(scene.joint(f"pin{i}", pin, before, wheel, friction=sh.Coulomb(friction)))
        before = wheel
    return scene, joints


@pytest.mark.parametrize("ball", [False, True])
@pytest.mark.parametrize("integrator", ["leapfrog", "semi-implicit-euler"])
def test_a_shelf_held_by_friction_does_not_sink(ball: bool, integrator: str) -> None:
    """The load of every joint is 0.99 of what its friction can hold: nothing moves, for ever."""
    sim = sh.Simulation(shelf(1 / 0.99, ball), dt=0.005, integrator=integrator)
    sim.step(2000)
    fallen = [sim.get(body.position)[2] for body in sim.scene.bodies.values()]
    assert np.abs(fallen).max() < 1e-9 * LINKS
    assert sim.report.iterations[0] <= 2


def test_a_shelf_beyond_its_friction_falls() -> None:
    """With 0.99 of what is needed it does not stay: all turn about the wall with 0.01 of the torque of their weight."""
    sim = sh.Simulation(shelf(0.99, ball=False), dt=0.005)
    sim.step(200)
    last = sim.scene.bodies[f"rod{LINKS - 1}"]
    assert sim.get(last.position)[2] < -1e-3


def test_wheels_catch_one_another() -> None:
    """The last k wheels turn as one and slow down by T/(k I) until they have the speed of the next, after k I w/T.

    So wheel after wheel is caught, and all of them stand after I w/T (1 + 2 + ... + n). The momentum falls by T a
    second whatever turns together, to rounding; a speed is off by what friction does in a step at most.
    """
    rate, friction, inertia, dt = 1.0, 0.5, 0.02, 0.005
    scene, joints = shafts(rate, friction, inertia)
    sim = sh.Simulation(scene, dt=dt)
    unit = inertia * rate / friction
    whole = unit * LINKS * (LINKS + 1) / 2
    momentum = inertia * rate * LINKS * (LINKS + 1) / 2
    time = 0.0
    while time + 20 * dt < whole:
        sim.step(20)
        time += 20 * dt
        speeds = np.cumsum([float(sim.get(joint.speed)) for joint in joints])
        assert abs(inertia * speeds.sum() - (momentum - friction * time)) < 1e-9
        caught, since = 1, 0.0  # the last ``caught`` wheels turn together since then
        while time > since + caught * unit and caught < LINKS:
            since, caught = since + caught * unit, caught + 1
        together = rate * (LINKS + 1 - caught) - friction * (time - since) / (caught * inertia)
        assert np.abs(speeds[-caught:] - together).max() < 1.5 * friction * dt / inertia
        np.testing.assert_allclose(
            speeds[:-caught], rate * np.arange(1, LINKS - caught + 1), atol=1.5 * friction * dt / inertia
        )
    sim.step(int((whole - time) / dt) + 2)
    assert max(abs(float(sim.get(joint.speed))) for joint in joints) < 1e-9


def test_a_swinging_chain_needs_few_iterations() -> None:
    """Balls that stick and slide in turn: visits alone would end at the cap of 50 in most steps."""
    scene = sh.Scene("chain")
    before = scene.world
    for i in range(32):
        rod = scene.body(f"rod{i}", sh.Box(1.0, 0.05, 0.05, mass=1.0), position=(i + 0.5, 0, 0))
        scene.joint(f"ball{i}", sh.Spherical(anchor=(float(i), 0, 0)), before, rod, friction=sh.Coulomb(0.1))
        before = rod
    sim = sh.Simulation(scene, dt=0.005)
    iterations = []
    for _ in range(300):
        sim.step(1)
        iterations.append(int(sim.report.iterations[0]))
    assert np.median(iterations) <= 5
    assert np.percentile(iterations, 90) <= 15
