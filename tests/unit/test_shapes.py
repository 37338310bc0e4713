"""Mass properties of shapes and bodies, against closed forms and against integrals over triangles."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

import sharnir as sh
from sharnir import spatial
from sharnir.scene.shape import Shape

TETRAHEDRON = sh.Mesh(
    vertices=((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)),
    triangles=((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
    density=6.0,
)


def body_of(*shapes: Shape, **given: object) -> sh.Body:
    return sh.Scene().body("thing", *shapes, **given)  # type: ignore[arg-type]


def test_box() -> None:
    mass, center, inertia = body_of(sh.Box(2, 3, 4, density=10)).properties
    assert mass == pytest.approx(240)
    assert center == pytest.approx([0, 0, 0])
    # I_xx = m (y^2 + z^2) / 12
    assert inertia == pytest.approx(240 / 12 * np.diag([9 + 16, 4 + 16, 4 + 9]))


def test_sphere() -> None:
    mass, _, inertia = body_of(sh.Sphere(0.5, density=1000)).properties
    assert mass == pytest.approx(1000 * 4 / 3 * math.pi * 0.125)
    assert inertia == pytest.approx(0.4 * mass * 0.25 * np.eye(3))


def test_cylinder() -> None:
    mass, _, inertia = body_of(sh.Cylinder(0.2, 1.5, mass=7)).properties
    across = 7 * (0.2**2 / 4 + 1.5**2 / 12)
    assert mass == 7
    assert inertia == pytest.approx(np.diag([across, across, 7 * 0.2**2 / 2]))


@pytest.mark.parametrize("length", [0.3, 2.0])
def test_capsule_matches_the_integral_over_its_triangles(length: float) -> None:
    surface = trimesh.creation.capsule(height=length, radius=0.4, count=[96, 96])
    surface.apply_translation(-surface.center_mass)
    mass, center, inertia = body_of(sh.Capsule(0.4, length, density=1)).properties
    assert mass == pytest.approx(surface.volume, rel=3e-3)
    assert center == pytest.approx([0, 0, 0])
    assert inertia == pytest.approx(surface.moment_inertia, rel=5e-3, abs=1e-6)


def test_capsule_of_no_length_is_a_sphere() -> None:
    capsule = body_of(sh.Capsule(0.4, 1e-12, mass=3)).properties
    assert capsule.inertia == pytest.approx(0.4 * 3 * 0.16 * np.eye(3))


def test_wheel_is_a_disc_with_a_rounded_rim() -> None:
    """Pappus: the core disc, and a half circle about its rim whose centroid is 4r/(3 pi) farther out."""
    radius, r = 0.3, 0.05
    mass, _, inertia = body_of(sh.Wheel(radius, 2 * r, density=1)).properties
    core = radius - r
    volume = math.pi * core**2 * 2 * r + math.pi * r**2 / 2 * 2 * math.pi * (core + 4 * r / (3 * math.pi))
    assert mass == pytest.approx(volume, rel=1e-12)
    assert inertia[2, 2] > 0.5 * mass * core**2
    sharp = body_of(sh.Wheel(0.3, 0.1, rounding=1e-9, mass=1)).properties
    assert sharp.inertia == pytest.approx(body_of(sh.Cylinder(0.3, 0.1, mass=1)).properties.inertia, rel=1e-6)
    ball = body_of(sh.Wheel(0.3, 0.6, mass=1)).properties
    assert ball.inertia == pytest.approx(body_of(sh.Sphere(0.3, mass=1)).properties.inertia)


def test_convex_hull_of_a_cloud(tmp_path: object) -> None:
    """The corners of a box, and points inside that do not count."""
    corners = [(x, y, z) for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)]
    hull = body_of(sh.ConvexHull(points=(*corners, (0, 0, 0), (0.5, 1, -2)), mass=5)).properties
    assert hull.inertia == pytest.approx(body_of(sh.Box(2, 4, 6, mass=5)).properties.inertia)
    file = f"{tmp_path}/cloud.stl"
    trimesh.creation.icosphere(radius=500).export(file)
    ball = body_of(sh.ConvexHull(file=file, scale=0.001, mass=1)).properties
    assert ball.inertia == pytest.approx(0.4 * 0.25 * np.eye(3), rel=1e-2, abs=1e-6)


def test_mesh_from_triangles() -> None:
    # the unit right tetrahedron: V = 1/6, centroid 1/4, at mass 1 I_xx = 2 * 3/80, I_xy = 1/80 about the centroid
    mass, center, inertia = body_of(TETRAHEDRON).properties
    assert mass == pytest.approx(1)
    assert center == pytest.approx([0.25, 0.25, 0.25])
    assert inertia == pytest.approx(np.full((3, 3), 1 / 80) + np.diag([5 / 80] * 3))


def test_mesh_from_a_file_with_scale(tmp_path: object) -> None:
    file = f"{tmp_path}/box.stl"
    trimesh.creation.box((200, 300, 400)).export(file)
    mesh = body_of(sh.Mesh(file=file, scale=0.001, mass=2)).properties
    box = body_of(sh.Box(0.2, 0.3, 0.4, mass=2)).properties
    assert mesh.inertia == pytest.approx(box.inertia, rel=1e-6)


def test_a_placed_shape_turns_its_inertia() -> None:
    quarter = spatial.about((0, 0, 1), math.pi / 2)
    turned = body_of(sh.Box(2, 3, 4, mass=1, rotation=tuple(quarter), position=(1, 2, 3))).properties
    assert turned.center == pytest.approx([1, 2, 3])
    assert turned.inertia == pytest.approx(body_of(sh.Box(3, 2, 4, mass=1)).properties.inertia)


def test_a_body_of_several_shapes_obeys_steiner() -> None:
    """Two boxes side by side are one box; a dumb-bell has 2 m d^2 across."""
    halves = [sh.Box(1, 1, 1, mass=2, position=(x, 0, 0)) for x in (-0.5, 0.5)]
    joined, whole = body_of(*halves).properties, body_of(sh.Box(2, 1, 1, mass=4)).properties
    assert joined.mass == whole.mass
    assert joined.center == pytest.approx(whole.center)
    assert joined.inertia == pytest.approx(whole.inertia)
    balls = [sh.Sphere(0.1, mass=3, position=(0, y, 0)) for y in (0, 4)]
    dumbbell = body_of(*balls).properties
    own = 2 * 0.4 * 3 * 0.01
    assert dumbbell.center == pytest.approx([0, 2, 0])
    assert dumbbell.inertia == pytest.approx(np.diag([own + 6 * 4, own, own + 6 * 4]))


def test_a_shape_without_mass_adds_none() -> None:
    bare = body_of(sh.Box(1, 1, 1, mass=2)).properties
    dressed = body_of(sh.Box(1, 1, 1, mass=2), sh.Sphere(5)).properties
    assert dressed.mass == bare.mass
    assert dressed.inertia == pytest.approx(bare.inertia)


def test_given_mass_scales_the_inertia_of_the_shapes() -> None:
    given = body_of(sh.Box(1, 2, 3, density=10), mass=5).properties
    assert given.mass == 5
    assert given.inertia == pytest.approx(body_of(sh.Box(1, 2, 3, mass=5)).properties.inertia)


def test_given_mass_properties_win() -> None:
    given = body_of(sh.Box(1, 2, 3, mass=5), center_of_mass=(0, 0, 1), inertia=(2, 2, 2, 0.1, 0.2, 0.3)).properties
    assert given.center == pytest.approx([0, 0, 1])
    assert given.inertia == pytest.approx(np.array([[2, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2]]))


def test_numpy_numbers_are_taken_as_plain_ones() -> None:
    shape = sh.Box(np.float32(0.1), np.float64(2), 3, mass=np.int64(4), position=np.array([1, 2, 3]))
    assert shape.position == (1, 2, 3)
    assert {type(number) for number in (shape.x, shape.y, shape.mass, *shape.position)} <= {int, float}


def test_a_rotation_is_brought_to_norm_one() -> None:
    body = body_of(sh.Sphere(1, mass=1), rotation=(0, 0, 0.6001, 0.8))
    assert np.linalg.norm(body.pose.rotation) == pytest.approx(1, abs=1e-15)
