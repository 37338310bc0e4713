"""Solids on height fields and meshes: as on a plane where they are flat, by the true distance where they are not."""

import math

import coal
import numpy as np
import pytest
from narrow import Bench
from test_narrow_fuzz import random_turns

import sharnir as sh
from sharnir import spatial

UPRIGHT = (0, 0, 0, 1)
LYING = tuple(spatial.about((1, 0, 0), math.pi / 2))
CLOUD = np.random.default_rng(3).uniform(-0.3, 0.3, (14, 3))
SHAPES = [
    sh.Sphere(0.3, mass=1),
    sh.Capsule(0.15, 0.5, mass=1),
    sh.Box(0.6, 0.4, 0.3, mass=1),
    sh.Cylinder(0.2, 0.5, mass=1),
    sh.Wheel(0.3, 0.1, mass=1),
    sh.ConvexHull(points=CLOUD, density=1),
]
STEP = 0.15  # m, of the kerb
FLAT = sh.HeightField(heights=np.zeros((41, 41)), spacing=(0.2, 0.15))
ROUGH = sh.HeightField(relief=sh.Roughness(rms=0.1, shortest=0.4, longest=3, seed=1), size=(8, 6), spacing=(0.2, 0.15))
PLANE, FIELD, FLAT_MESH, ROUGH_FIELD, ROUGH_MESH, KERB, BALL, CAPSULE, BOX, CYLINDER, WHEEL, HULL = range(12)
SOLIDS = range(BALL, HULL + 1)


def triangulated(field: sh.HeightField) -> sh.Mesh:
    """The same surface as a mesh."""
    heights, (dx, dy) = field.sample("test")
    rows, columns = heights.shape
    x, y = np.meshgrid(
        (np.arange(rows) - (rows - 1) / 2) * dx, (np.arange(columns) - (columns - 1) / 2) * dy, indexing="ij"
    )
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    halves = [np.stack(corners, axis=-1).reshape(-1, 3) for corners in ((a, b, c), (a, c, d))]
    return sh.Mesh(vertices=np.stack([x, y, heights], axis=-1).reshape(-1, 3), triangles=np.concatenate(halves))


def kerb() -> sh.Mesh:
    """A floor at z = 0, a wall at x = 0 and a floor at z = STEP beyond it, in strips."""
    profile = [(-2, 0), (-1, 0), (0, 0), (0, STEP), (1, STEP), (2, STEP)]
    vertices = [(x, y, z) for x, z in profile for y in (-1.0, 1.0)]
    strips = [((i, i + 2, i + 3), (i, i + 3, i + 1)) for i in range(0, 2 * len(profile) - 2, 2)]
    return sh.Mesh(vertices=vertices, triangles=[triangle for strip in strips for triangle in strip])


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench(SHAPES, [sh.Plane(), FLAT, triangulated(FLAT), ROUGH, triangulated(ROUGH), kerb()], room=30)


def thrown(seed: int, count: int = 2000):
    """Random solids in random poses near the ground."""
    rng = np.random.default_rng(seed)
    place = np.stack([rng.uniform(-2, 2, count), rng.uniform(-1.5, 1.5, count), rng.uniform(0.0, 0.9, count)], axis=1)
    return rng.integers(SOLIDS[0], SOLIDS[-1] + 1, count), (place, random_turns(rng, count))


def on(bench, solids, ground, poses, margin):
    return bench.collide(solids, np.full(np.shape(solids), ground), poses, ((0, 0, 0), UPRIGHT), margin)


@pytest.mark.parametrize("ground", [FIELD, FLAT_MESH])
def test_a_flat_surface_of_triangles_is_a_plane(bench, ground):
    """The same depth to the bit, and no normal that comes from an edge."""
    solids, poses = thrown(1)
    if ground == FLAT_MESH:
        poses[0][:, 2] += 0.35  # a mesh holds what is above it; the field also what has sunk below
    on_triangles, on_plane = (on(bench, solids, under, poses, margin=0.3) for under in (ground, PLANE))
    assert np.isfinite(on_plane.depth).sum() > 400
    assert on_triangles.depth == pytest.approx(on_plane.depth, abs=1e-12)
    held = np.arange(30) < on_triangles.count[:, None]
    assert np.abs(on_triangles.normal - (0, 0, -1))[held].max() < 1e-6
    assert on_triangles.lost.sum() == 0


@pytest.mark.parametrize("ground", [FIELD, FLAT_MESH])
def test_what_stands_on_a_plane_stands_on_triangles(bench, ground):
    for solid, turn, height, corners in (
        (BOX, UPRIGHT, 0.15, [(x, y) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]),
        (CAPSULE, LYING, 0.15, [(0, -0.25), (0, 0.25)]),
        (CYLINDER, LYING, 0.2, [(0, -0.25), (0, 0.25)]),
    ):
        at = np.array([0.03, 0.04, height - 0.001])
        found = on(bench, [solid], ground, (at, turn), margin=0.02)
        assert found.gaps() == pytest.approx(np.full(found.count[0], -0.001), abs=1e-6)
        for corner in corners:
            assert np.linalg.norm(found.points()[:, :2] - at[:2] - corner, axis=1).min() < 1e-3
        assert len(set(found.feature[0, : found.count[0]].tolist())) == found.count[0]


@pytest.mark.parametrize("ground", [FIELD, FLAT_MESH])
def test_wheels_and_balls_roll_over_edges_without_a_bump(bench, ground):
    """Along a line across many triangles: one point, straight below, at the height of the plane."""
    steps = 400
    x = np.linspace(-1.5, 1.5, steps)
    place = np.stack([x, 0.4 * x + 0.01, np.full(steps, 0.2995)], axis=1)
    for solid, turn in ((BALL, UPRIGHT), (WHEEL, LYING)):
        found = on(bench, np.full(steps, solid), ground, (place, np.tile(turn, (steps, 1))), margin=0.02)
        assert (found.count == 1).all()
        assert found.gap[:, 0] == pytest.approx(np.full(steps, -0.0005), abs=1e-9)
        assert found.normal[:, 0] == pytest.approx(np.tile((0, 0, -1), (steps, 1)), abs=1e-9)
        assert found.point[:, 0, :2] == pytest.approx(place[:, :2], abs=1e-6)
        assert set(found.feature[:, 0].tolist()) == {0}


def coal_distances(mesh: sh.Mesh, solids, poses):
    """Distances to the mesh by coal; a wheel is its disc, less the rounding."""
    model, vertices, triangles = coal.BVHModelOBBRSS(), coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in mesh.vertices:
        vertices.append(np.array(vertex))
    for triangle in mesh.triangles:
        triangles.append(coal.Triangle(*triangle))
    model.beginModel(len(mesh.triangles), len(mesh.vertices))
    model.addSubModel(vertices, triangles)
    model.endModel()
    corners = coal.StdVec_Vec3s()
    for corner in SHAPES[-1].surface().vertices - SHAPES[-1].unit_properties().center:
        corners.append(corner)
    theirs = [
        coal.Sphere(0.3),
        coal.Capsule(0.15, 0.5),
        coal.Box(0.6, 0.4, 0.3),
        coal.Cylinder(0.2, 0.5),
        coal.Cylinder(0.25, 1e-9),
        coal.Convex.convexHull(corners, False, "Qt"),
    ]
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-9
    found = np.zeros(len(solids))
    for i, (solid, place, turn) in enumerate(zip(solids, *poses, strict=True)):
        pose = coal.Transform3s(spatial.matrix(turn), place)
        shape = theirs[solid - BALL]
        found[i] = coal.distance(shape, pose, model, coal.Transform3s(), request, coal.DistanceResult())
    return found - np.where(solids == WHEEL, 0.05, 0.0)


@pytest.mark.parametrize("ground", [ROUGH_FIELD, ROUGH_MESH])
def test_rough_ground_is_as_near_as_it_is(bench, ground):
    """Against coal; where a box, cylinder or hull is still far, its gap may be that of its lowest face, 3 % more."""
    solids, poses = thrown(2)
    poses[0][:, 2] += 0.3
    found = on(bench, solids, ground, poses, margin=0.3)
    distance = coal_distances(triangulated(ROUGH), solids, poses)
    near = (distance > 1e-6) & (distance < 0.29)
    assert near.sum() > 500
    assert (found.count[near] > 0).all()
    is_round = np.isin(solids, (BALL, WHEEL))
    assert np.abs(found.depth - distance)[near & is_round].max() < 1e-8
    assert (found.depth - distance)[near].min() > -1e-7
    assert ((found.depth - distance) / distance)[near].max() < 0.03
    # whatever cuts the surface is found, too
    assert (found.count[distance <= 0] > 0).all()


def test_nothing_that_has_sunk_into_a_height_field_is_lost(bench):
    solids, poses = thrown(3)
    poses[0][:, 2] = -0.05 - 0.2 * poses[0][:, 2]
    found = on(bench, solids, ROUGH_FIELD, poses, margin=0.01)
    heights, (dx, dy) = ROUGH.sample("test")
    rows, columns = (np.round(poses[0][:, k] / d + (n - 1) / 2).astype(int) for k, d, n in ((0, dx, 41), (1, dy, 41)))
    below = poses[0][:, 2] < heights[rows, columns] - 0.1
    assert below.sum() > 300
    assert (found.count[below] > 0).all()
    assert (found.normal[below, 0, 2] < 0).all()  # pushed up


def test_a_wheel_at_a_kerb_touches_floor_and_edge(bench):
    """The edge at (0, STEP): its distance from the axis at (x, 0.3) is hypot(x, 0.3 - STEP)."""
    x = -math.sqrt(0.3**2 - 0.15**2) - 0.004
    found = on(bench, [WHEEL], KERB, ((x, 0, 0.3), LYING), margin=0.02)
    assert found.count[0] == 2
    floor, edge = sorted(range(2), key=lambda i: found.normal[0, i, 0])
    assert found.normal[0, floor] == pytest.approx([0, 0, -1], abs=1e-6)
    assert found.gap[0, floor] == pytest.approx(0, abs=1e-9)
    outward = np.array([-x, 0, STEP - 0.3])
    assert found.normal[0, edge] == pytest.approx(outward / np.linalg.norm(outward), abs=1e-5)
    assert found.gap[0, edge] == pytest.approx(np.linalg.norm(outward) - 0.3, abs=1e-8)


def test_a_box_on_the_edge_of_a_kerb_is_held_up_and_not_thrown_sideways(bench):
    found = on(bench, [BOX], KERB, ((0.1, 0, STEP + 0.149), UPRIGHT), margin=0.02)
    assert found.gaps() == pytest.approx(np.full(found.count[0], -0.001), abs=1e-6)
    assert np.abs(found.normal[0, : found.count[0]] - (0, 0, -1)).max() < 1e-6
    assert found.points()[:, 0].min() == pytest.approx(0, abs=1e-6)  # where the floor begins
    assert found.points()[:, 0].max() == pytest.approx(0.4, abs=1e-6)


def test_a_box_against_the_wall_of_a_kerb_is_held_on_two_sides(bench):
    found = on(bench, [BOX], KERB, ((-0.299, 0, 0.149), UPRIGHT), margin=0.02)
    normals = {tuple(np.round(n, 6)) for n in found.normal[0, : found.count[0]]}
    assert normals == {(0, 0, -1), (1, 0, 0)}
    assert found.gaps() == pytest.approx(np.full(found.count[0], -0.001), abs=1e-6)


def test_a_mesh_has_one_side(bench):
    below = on(bench, [BALL], FLAT_MESH, ((0, 0, -0.2), UPRIGHT), margin=0.02)
    assert below.count[0] == 0
