"""Ellipsoids: mass, the points where they touch, rays, and rocking on a plane."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
import touching

import sharnir as sh
from sharnir import spatial

AXES = np.array([0.3, 0.2, 0.1])
TURN = spatial.about((1.0, 2.0, -1.0), 0.7)


def pole(way: np.ndarray) -> np.ndarray:
    """The point of the turned ellipsoid about the origin whose outward normal is ``way``: A^2 u/|A u|."""
    u = spatial.rotate(spatial.conjugate(TURN), way)
    return spatial.rotate(TURN, AXES**2 * u / np.linalg.norm(AXES * u))


def facing(way: np.ndarray) -> np.ndarray:
    """A rotation whose z axis is ``way``."""
    return spatial.frame_rotation(way)


def test_mass_and_inertia() -> None:
    """m = 4/3 pi abc rho, I_x = m (b^2 + c^2)/5; three equal half axes are a ball."""
    found = sh.Ellipsoid(*AXES, density=1000.0).mass_properties()
    mass = 4.0 / 3.0 * np.pi * AXES.prod() * 1000.0
    assert found.mass == pytest.approx(mass)
    np.testing.assert_allclose(np.diag(found.inertia), mass / 5 * (AXES @ AXES - AXES**2))
    ball, same = (
        shape.mass_properties() for shape in (sh.Sphere(0.2, mass=3.0), sh.Ellipsoid(0.2, 0.2, 0.2, mass=3.0))
    )
    np.testing.assert_allclose(same.inertia, ball.inertia)


def test_gaps_to_a_plane_a_ball_and_a_box() -> None:
    """Whatever stands off the point with the normal n by g along n has the gap g, and n as its normal."""
    gap, radius = 1e-3, 0.15
    ways = {"ball": np.array([0.6, 0.0, 0.8]), "box": np.array([-0.48, 0.64, 0.6]), "world": np.array([0.0, 0.0, -1.0])}
    at = {name: pole(way) + gap * way for name, way in ways.items()}
    scene = touching.playground(gravity=0.0)
    scene.ground(height=float(at["world"][2]))
    contact = sh.Contact()
    scene.body("egg", sh.Ellipsoid(*AXES, mass=1.0), rotation=TURN, contact=contact)
    place = at["ball"] + radius * ways["ball"]
    scene.body("ball", sh.Sphere(radius), position=place, fixed=True, contact=contact)
    place = at["box"] + 0.05 * ways["box"]
    scene.body("box", sh.Box(0.4, 0.4, 0.1), position=place, rotation=facing(ways["box"]), fixed=True, contact=contact)
    sim = sh.Simulation(scene, dt=1e-3)
    sim.step()
    found = {(touch.a if touch.b == "egg" else touch.b): touch for touch in sim.contacts()}
    assert set(found) == set(ways)
    for name, touch in found.items():
        assert touch.gap == pytest.approx(gap, abs=1e-9), name
        outward = touch.normal if touch.a == "egg" else -touch.normal
        np.testing.assert_allclose(outward, ways[name], atol=1e-5, err_msg=name)


def test_rays_meet_the_surface() -> None:
    """o + t d with |A^-1 (o + t d)| = 1, in the axes of the ellipsoid; a ray beside it meets nothing."""
    scene = touching.playground(gravity=0.0)
    scene.ground(height=-5.0)
    scene.body("egg", sh.Ellipsoid(*AXES, mass=1.0), rotation=TURN)
    sim = sh.Simulation(scene, dt=1e-3)
    origin, way = np.array([1.0, 0.4, 0.5]), np.array([-1.0, -0.42, -0.45])
    way /= np.linalg.norm(way)
    o, d = (spatial.rotate(spatial.conjugate(TURN), x) / AXES for x in (origin, way))
    expected = (-o @ d - np.sqrt((o @ d) ** 2 - (d @ d) * (o @ o - 1.0))) / (d @ d)
    hit = sim.ray(origin, way)
    assert hit.body == "egg"
    assert hit.distance == pytest.approx(expected, abs=1e-7)
    np.testing.assert_allclose(pole(hit.normal), origin + expected * way, atol=1e-4)
    assert sim.ray(origin, (-1.0, 0.4, 0.4)).body is None


@pytest.mark.parametrize("side", [0, 1])
def test_rocking_on_a_plane(side: int) -> None:
    """On its short half axis c it rolls to and fro: w^2 = 5 g (a^2 - c^2)/(c (a^2 + 6 c^2)), a along the way it rolls.

    The radius of curvature below is a^2/c, so that a roll by s lifts the middle by s^2 (a^2/c - c)/2; it turns about
    the point that touches, with (a^2 + c^2)/5 + c^2 of its mass. Large angles add s^2/4 or so of the period.
    """
    swing, dt, periods = 0.01, 0.002, 4
    a, c = AXES[side], AXES[2]
    axis = np.array([(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)][side])
    scene = touching.playground(friction=1.0)
    scene.ground()
    height = np.hypot(a * np.sin(swing), c * np.cos(swing))
    egg = scene.body("egg", sh.Ellipsoid(*AXES, mass=2.0), position=(0, 0, height), rotation=spatial.about(axis, swing))
    pace = np.sqrt(5 * mech.GRAVITY * (a**2 - c**2) / (c * (a**2 + 6 * c**2)))
    run = sh.Simulation(scene, dt=dt).run(periods * 2 * np.pi / pace)
    spin = mech.values(run, egg.angular_velocity) @ axis
    turned = np.flatnonzero((spin[:-1] < 0) & (spin[1:] >= 0))
    times = mech.times(run)[turned] - dt * spin[turned] / (spin[turned + 1] - spin[turned])
    assert len(times) >= periods - 1
    assert np.diff(times) == pytest.approx(2 * np.pi / pace, rel=2e-3)
    assert np.abs(spin).max() == pytest.approx(swing * pace, rel=0.02)
