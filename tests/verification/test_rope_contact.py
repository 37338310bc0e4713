"""Ropes that lie on things, on each other, and pull over edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sharnir as sh

G = 9.81
THICK: dict[str, Any] = {"radius": 0.01, "density": 1000.0, "bending": 2e-3, "twisting": 2e-3}
LINE = 1000 * np.pi * 0.01**2  # kg/m


def positions(run: sh.Trajectory) -> np.ndarray:
    """Of all nodes, [instant, node, xyz]."""
    return run.data["node_position"].values


def test_rope_comes_to_rest_on_the_ground() -> None:
    """A level rope dropped from 0.3 m: no node below its radius, all of them there at the end, and still."""
    scene = sh.Scene("dropped")
    scene.ground()
    scene.rope("rope", [(0, 0, 0.3), (2, 0, 0.3)], self_contact=False, **THICK)
    run = sh.Simulation(scene, dt=0.005).run(2.0)
    z = positions(run)[:, :, 2]
    assert z.min() > 0.01 - 1e-6
    np.testing.assert_allclose(z[-1], 0.01, atol=1e-6)
    assert np.abs(run.data["node_velocity"].values[-1]).max() < 1e-6


@pytest.mark.parametrize(("slope", "slides"), [(29.0, False), (33.0, True)])
def test_rope_on_a_slope(slope: float, slides: bool) -> None:
    """mu = 0.6 holds up to atan(0.6) = 30.96 degrees; beyond, a = g (sin - mu cos)."""
    scene = sh.Scene("slope")
    angle = np.radians(slope)
    scene.terrain("hill", sh.Plane(), rotation=(0, np.sin(angle / 2), 0, np.cos(angle / 2)))
    normal, down = np.array([np.sin(angle), 0, np.cos(angle)]), np.array([np.cos(angle), 0, -np.sin(angle)])
    ends = [tuple(0.01 * normal + y * np.array([0, 1, 0]) + 0.3 * y * down) for y in (0.0, 1.0)]
    scene.rope("rope", ends, self_contact=False, **THICK)
    run = sh.Simulation(scene, dt=0.005).run(1.0)
    moved = (positions(run)[-1] - positions(run)[0]) @ down
    expected = max(G * (np.sin(angle) - 0.6 * np.cos(angle)), 0.0) / 2
    if slides:
        np.testing.assert_allclose(moved, expected, rtol=0.02)
    else:
        np.testing.assert_allclose(moved, 0.0, atol=1e-6)


@pytest.mark.parametrize(("hanging", "slides"), [(0.27, False), (0.36, True)])
def test_rope_over_an_edge(hanging: float, slides: bool) -> None:
    """A rope lies on a table with friction 0.6 and hangs by x over a smooth round edge of radius R = 0.11 m.

    The table ends s = 3 cm before the top of the edge, so that the rope does not turn at its corner; what lies between
    is carried by both. The rope slips when what pulls, x + R (the quarter circle pulls with R rho g), exceeds 0.6 times
    what lies on the table, between 1 m - x - s and 1 m - x: x = 0.29 to 0.31 m. Then a = g (x + R - 0.6 (1 m - x ...))/
    (1 + pi R/2) grows with x, and it slips by a_0/k^2 (cosh(k t) - 1) with k^2 = 1.6 g/(1 + pi R/2); the error of the
    first-order step is of the order k dt, 0.7 %.
    """
    scene = sh.Scene("table")
    scene.material("ice", sh.Material(friction=0.0))
    cloth, ice = sh.Contact(), sh.Contact(material="ice")
    scene.body("table", sh.Box(3, 1, 1, position=(-1.53, 0, -0.5)), fixed=True, contact=cloth)
    round_edge = sh.Cylinder(0.1, 1.0, rotation=(0.5**0.5, 0, 0, 0.5**0.5), position=(0, 0, -0.1))
    scene.body("edge", round_edge, fixed=True, contact=ice)
    quarter = [(0.11 * np.sin(a), 0, -0.1 + 0.11 * np.cos(a)) for a in np.linspace(0, np.pi / 2, 9)]
    path = [(hanging - 1, 0, 0.01), *quarter, (0.11, 0, -0.1 - hanging)]
    made = THICK | {"bending": 0.0, "twisting": 0.0, "contact": cloth, "self_contact": False}
    rope = scene.rope("rope", path, elements=60, **made)
    run = sh.Simulation(scene, dt=0.002).run(0.6)
    slipped = run[rope.node("start")].values[-1, 0] - run[rope.node("start")].values[0, 0]
    mass = 1 + np.pi * 0.11 / 2
    growth = np.sqrt(1.6 * G / mass)
    least, most = (
        max(G * (hanging + 0.11 - 0.6 * (1 - between - hanging)) / mass, 0.0) / growth**2 * (np.cosh(growth * 0.6) - 1)
        for between in (0.0, 0.03)
    )
    assert (least > 0) == slides
    assert 0.99 * least - 1e-4 < slipped < 1.01 * most + 1e-4


def test_coils_lie_on_each_other() -> None:
    """Three turns of a helix fall onto the ground: three layers, one diameter apart, none through the ground. Its free
    ends straighten slowly, held by friction, and have come to rest after some seconds."""
    scene = sh.Scene("coil")
    scene.ground()
    angles = np.linspace(0, 6 * np.pi, 121)
    path = [(0.3 * np.cos(a), 0.3 * np.sin(a), 0.05 + 0.02 * a) for a in angles]
    scene.rope("rope", path, **THICK)
    run = sh.Simulation(scene, dt=0.005).run(8.0, every=4)
    z = positions(run)[:, :, 2]
    assert z.min() > 0.01 - 5e-4  # it lands at 1.5 m/s: a tenth of what it moves in a step would be 0.75 mm
    assert z[-1].max() == pytest.approx(0.05, abs=0.005)
    assert np.abs(positions(run)[-1] - positions(run)[-51]).max() < 5e-5  # in the last second


def test_rope_on_a_height_field() -> None:
    """A rope dropped on waves lies on them: every node is its radius above the surface, and it is at rest.

    The waves bend by at most k = 0.4/m, so facets of s = 0.05 m are below them by at most k s^2/8 = 0.125 mm, and above
    them in the hollows; a rope on nodes 67 mm apart is above hollows by at most k l^2/8 = 0.22 mm more.
    """
    scene = sh.Scene("waves")
    waves = sh.HeightField.sampled(lambda x, y: 0.1 * np.sin(2 * x) + 0 * y, size=(6, 2), spacing=0.05)
    scene.terrain("waves", waves)
    scene.rope("rope", [(-2, 0.3, 0.15), (2, -0.2, 0.15)], elements=60, self_contact=False, **THICK)
    run = sh.Simulation(scene, dt=0.005).run(3.0)
    x, _, z = positions(run).transpose(2, 0, 1)
    slope = 0.2 * np.cos(2 * x)
    gap = (z - 0.1 * np.sin(2 * x)) / np.sqrt(1 + slope**2) - 0.01
    assert gap.min() > -0.002  # it lands at 2 m/s: a fifth of what it moves in a step
    assert gap[-1].min() > -1.3e-4
    assert gap[-1].max() < 1.3e-4 + 2.3e-4
    assert np.abs(run.data["node_velocity"].values[-1]).max() < 1e-6


def test_weight_on_a_body() -> None:
    """A rope lying across a plate on a spring adds its weight: the plate sinks by m g/k more."""
    scene = sh.Scene("plate")
    plate = scene.body("plate", sh.Box(2, 1, 0.1, mass=5.0), contact=True)
    spring = sh.Spring(2000.0, 150.0)
    guide = scene.joint("guide", sh.Prismatic(axis=(0, 0, 1)), scene.world, plate, spring=spring)
    scene.rope("rope", [(-0.5, 0, 0.06), (0.5, 0, 0.06)], contact=True, self_contact=False, **THICK)
    run = sh.Simulation(scene, dt=0.002).run(3.0, every=10)
    assert run[guide.displacement].values[-1] == pytest.approx(-(5.0 + LINE) * G / 2000.0, rel=1e-3)
