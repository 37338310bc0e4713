"""Rays: distances in closed form for every kind of shape, against triangles elsewhere; sensors in a run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import trimesh

import sharnir as sh
from sharnir import spatial

LYING = tuple(spatial.about((1, 0, 0), math.pi / 2))
HILLS = sh.HeightField(relief=sh.Roughness(rms=0.1, shortest=1, longest=3, seed=2), size=(6, 4), spacing=0.2)
CLOUD = np.random.default_rng(3).uniform(-0.3, 0.3, (14, 3))
FAR = 20.0  # m between the things that are looked at


def gallery() -> sh.Scene:
    """Every kind of shape on a body of its own, in a row along x; a field and a mesh of hills beside them."""
    scene = sh.Scene(gravity=(0, 0, 0))
    scene.ground(height=-5)
    shapes: list[Any] = [
        sh.Sphere(0.5, mass=1),
        sh.Box(1, 0.6, 0.4, mass=1),
        sh.Capsule(0.2, 1, mass=1),
        sh.Cylinder(0.3, 1, mass=1),
        sh.Wheel(0.5, 0.2, mass=1),
        sh.ConvexHull(points=CLOUD, density=1),
    ]
    for i, shape in enumerate(shapes):
        scene.body(type(shape).__name__, shape, position=(FAR * i, 0, 0))
    scene.terrain("hills", HILLS, position=(0, FAR, 0))
    block = trimesh.creation.icosphere(subdivisions=2, radius=1.0)
    scene.terrain("rock", sh.Mesh(vertices=block.vertices, triangles=block.faces), position=(FAR, FAR, 0))
    scene.ray("ahead", "Sphere", (0.5, 0, 0), (2, 0, 0), reach=30)
    scene.ray("down", "Sphere", direction=(0, 0, -1), reach=30)
    scene.ray("up", "Box", direction=(0, 0, 1), reach=7)
    return scene


@pytest.fixture(scope="module")
def sim() -> sh.Simulation:
    return sh.Simulation(gallery(), dt=0.01)


@pytest.mark.parametrize(
    ("origin", "direction", "distance", "normal", "body"),
    [
        ((0, -3, 0), (0, 1, 0), 2.5, (0, -1, 0), "Sphere"),
        ((0.3, -3, 0), (0, 2, 0), 2.6, (0.6, -0.8, 0), "Sphere"),
        ((FAR, -3, 0.1), (0, 1, 0), 2.7, (0, -1, 0), "Box"),
        ((FAR + 2, 0, 0), (-1, 0, 0.05), 1.5 * math.hypot(1, 0.05), (1, 0, 0), "Box"),
        ((2 * FAR, -3, 0.2), (0, 1, 0), 2.8, (0, -1, 0), "Capsule"),
        ((2 * FAR, 0, 3), (0, 0, -1), 2.3, (0, 0, 1), "Capsule"),
        ((3 * FAR, -3, 0.2), (0, 1, 0), 2.7, (0, -1, 0), "Cylinder"),
        ((3 * FAR + 0.1, 0, 3), (0, 0, -1), 2.5, (0, 0, 1), "Cylinder"),
        ((4 * FAR, -3, 0), (0, 1, 0), 2.5, (0, -1, 0), "Wheel"),
        ((4 * FAR + 0.2, 0, 3), (0, 0, -1), 2.9, (0, 0, 1), "Wheel"),
        # over the rounded rim: 0.4 + 0.1 sin(30 deg) from the axis, 0.1 cos(30 deg) up
        ((4 * FAR + 0.45, 0, 3), (0, 0, -1), 3 - 0.1 * math.cos(math.pi / 6), (0.5, 0, math.cos(math.pi / 6)), "Wheel"),
        ((7, -7, 2), (0, 0, -1), 7.0, (0, 0, 1), "world"),
        ((7, -7, 2), (0, 3, -4), 8.75, (0, 0, 1), "world"),
    ],
)
def test_closed_forms(sim: sh.Simulation, origin: Any, direction: Any, distance: float, normal: Any, body: str) -> None:
    hit = sim.ray(origin, direction)
    assert hit.distance == pytest.approx(distance, abs=1e-8)
    assert hit.normal == pytest.approx(normal, abs=1e-6)
    assert hit.body == body
    way = np.array(direction) / np.linalg.norm(direction)
    assert hit.point == pytest.approx(np.array(origin) + distance * way, abs=1e-8)


def test_a_ray_that_meets_nothing_and_one_that_starts_inside(sim: sh.Simulation) -> None:
    nothing = sim.ray((0, -3, 0), (0, -1, 0))
    assert nothing.distance == math.inf
    assert nothing.body is None
    assert np.isnan(nothing.point).all()
    assert sim.ray((0, -3, 0), (0, 1, 0), reach=2.4).body is None
    assert sim.ray((FAR, 0.1, 0), (0, 1, 0)).distance == 0.0


@pytest.mark.parametrize(
    ("place", "surface"), [((5 * FAR, 0, 0), "hull"), ((0, FAR, 0), "hills"), ((FAR, FAR, 0), "rock")]
)
def test_rays_against_triangles_by_brute_force(sim: sh.Simulation, place: Any, surface: str) -> None:
    """Moeller and Trumbore over all triangles, in numpy."""
    if surface == "hull":
        triangles = sh.ConvexHull(points=CLOUD, density=1).surface().triangles
    elif surface == "rock":
        triangles = trimesh.creation.icosphere(subdivisions=2, radius=1.0).triangles
    else:
        triangles = field_triangles(HILLS)
    rng = np.random.default_rng(7)
    origin = np.array(place) + rng.uniform(-1, 1, (500, 3)) * (2, 1.5, 0.1) + (0, 0, 2)
    target = np.array(place) + rng.uniform(-1, 1, (500, 3)) * (0.5, 0.5, 0.1)
    way = (target - origin) / np.linalg.norm(target - origin, axis=1, keepdims=True)
    hits = sim.ray(origin, way, reach=4.5)
    expected = nearest_triangle(triangles + place, origin, way)
    expected[expected > 4.5] = np.inf
    assert np.isfinite(expected).sum() > 100
    assert (np.isfinite(hits.distance) == np.isfinite(expected)).mean() > 0.998  # a ray along an edge may go either way
    both = np.isfinite(hits.distance) & np.isfinite(expected)
    assert hits.distance[both] == pytest.approx(expected[both], abs=1e-6)
    assert ((hits.normal[both] * way[both]).sum(axis=1) <= 0).all()


def field_triangles(field: sh.HeightField) -> Any:
    heights, (dx, dy) = field.sample("test")
    rows, columns = heights.shape
    x, y = np.meshgrid(
        (np.arange(rows) - (rows - 1) / 2) * dx, (np.arange(columns) - (columns - 1) / 2) * dy, indexing="ij"
    )
    p = np.stack([x, y, heights], axis=-1)
    a, b, c, d = p[:-1, :-1], p[1:, :-1], p[1:, 1:], p[:-1, 1:]
    return np.concatenate([np.stack(half, axis=-2).reshape(-1, 3, 3) for half in ((a, b, c), (a, c, d))])


def nearest_triangle(triangles: Any, origin: Any, way: Any) -> Any:
    a, ab, ac = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    best = np.full(len(origin), np.inf)
    for i, (o, d) in enumerate(zip(origin, way, strict=True)):
        p = np.cross(d, ac)
        det = (ab * p).sum(axis=1)
        with np.errstate(all="ignore"):
            u = ((o - a) * p).sum(axis=1) / det
            q = np.cross(o - a, ab)
            v = (q @ d) / det
            t = (ac * q).sum(axis=1) / det
            met = (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)
        if met.any():
            best[i] = t[met].min()
    return best


def test_sensors_read_and_recorded(sim: sh.Simulation) -> None:
    scene = sim.scene
    ahead, down, up = (scene.rays[name].distance for name in ("ahead", "down", "up"))
    assert sim.get(ahead) == pytest.approx(FAR - 0.5 - 0.5)  # from the ball's rim to the face of the box
    assert sim.get(down) == pytest.approx(5.0)  # through its own body
    assert sim.get(up) == 7.0  # nothing: the reach
    sim.set(scene.bodies["Sphere"].velocity, (1.0, 0, 0))
    run = sim.run(0.5)
    assert run[ahead].values[[0, -1]] == pytest.approx([19.0, 18.5])
    assert run[ahead].attrs["units"] == "m"
    reader = sim.taps.reader(down)
    sim.set(scene.bodies["Sphere"].position, (0, 0, 1.5))
    sim.taps.refresh()
    assert reader() == pytest.approx(6.5)
    sim.reset()


def test_rays_see_without_any_contact() -> None:
    scene = sh.Scene(gravity=(0, 0, 0))
    scene.body("eye", sh.Sphere(0.1, mass=1), contact=False)
    scene.body("wall", sh.Box(0.2, 4, 4), position=(3, 0, 0), fixed=True, contact=True)
    ray = scene.ray("range", "eye")
    assert sh.Simulation(scene).get(ray.distance) == pytest.approx(2.9)


def test_bad_rays() -> None:
    scene = gallery()
    for given, part in (
        ({"direction": (0, 0, 0)}, "no direction"),
        ({"reach": 0}, "reach (m)"),
        ({"position": 3}, "position"),
    ):
        with pytest.raises(sh.SceneError, match="ray 'r'") as caught:
            scene.ray("r", "Box", **given)  # type: ignore[arg-type]
        assert part in str(caught.value)
    with pytest.raises(sh.SceneError, match="did you mean 'Box'"):
        scene.ray("r", "Bx")
    with pytest.raises(sh.SceneError, match="ray 'up' already"):
        scene.ray("up", "Box")


def test_bad_questions(sim: sh.Simulation) -> None:
    with pytest.raises(sh.SceneError, match="above zero"):
        sim.ray((0, 0, 0), (0, 0, 0))
    with pytest.raises(sh.SceneError, match="three finite numbers"):
        sim.ray((0, 0), (1, 0))
