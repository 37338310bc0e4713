"""Cylinders, wheels and hulls where the answer is known: how they stand, lie and lean."""

import math

import numpy as np
import pytest
from narrow import Bench

import sharnir as sh
from sharnir import spatial

UPRIGHT = (0, 0, 0, 1)
CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
SHAPES = [
    sh.Cylinder(0.3, 0.8, mass=1),
    sh.Cylinder(0.2, 1.0, mass=1),
    sh.Wheel(0.3, 0.1, mass=1),
    sh.Wheel(0.3, 0.2, rounding=0.02, mass=1),
    sh.ConvexHull(points=CORNERS, density=1),
    sh.ConvexHull(points=((-0.5, -0.5, -0.25), (0.5, -0.5, -0.25), (0, 0.5, -0.25), (0, 0, 0.75)), density=1),
    sh.Box(1, 1, 1, mass=1),
]
GROUND, CYLINDER, ROD, TORUS, TREAD, CUBE, PYRAMID, BOX = range(8)


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench(SHAPES, [sh.Plane()])


def turned(axis, degrees):
    return tuple(spatial.about(axis, math.radians(degrees)))


LYING = turned((1, 0, 0), 90)


def on_ground(bench, shape, height, turn, margin=0.05):
    return bench.collide(shape, GROUND, ((0, 0, height), turn), ((0, 0, 0), UPRIGHT), margin)


def test_a_cylinder_stands_on_four_points_and_lies_on_two(bench):
    standing = on_ground(bench, CYLINDER, 0.41, UPRIGHT)
    assert standing.count[0] == 4
    assert standing.gaps() == pytest.approx([0.01] * 4)
    assert np.linalg.norm(standing.points()[:, :2], axis=1) == pytest.approx([0.3] * 4)
    assert np.linalg.norm(standing.points()[:, :2].sum(axis=0)) < 1e-12  # evenly about the axis
    lying = on_ground(bench, CYLINDER, 0.29, LYING)
    assert lying.gaps() == pytest.approx([-0.01] * 2)
    assert sorted(lying.points()[:, 1]) == pytest.approx([-0.4, 0.4])


def test_a_leaning_cylinder_touches_with_the_lowest_point_of_its_rim(bench):
    """Centre height minus h/2 cos(a) minus r sin(a)."""
    for degrees in (0.5, 5, 30, 60, 85):
        angle = math.radians(degrees)
        found = on_ground(bench, CYLINDER, 1.0, turned((1, 1, 0), degrees), margin=2.0)
        assert found.depth[0] == pytest.approx(1 - 0.4 * math.cos(angle) - 0.3 * math.sin(angle), abs=1e-9)


@pytest.mark.parametrize("under", [CUBE, BOX])
def test_a_cylinder_on_a_cube(bench, under):
    poses = ((0.1, 0, 0), UPRIGHT), ((0, 0, 0.895), UPRIGHT)
    found = bench.collide(under, CYLINDER, *poses, margin=0.01)
    assert found.count[0] == 4
    assert found.gaps() == pytest.approx([-0.005] * 4, abs=1e-9)
    assert found.normal[0, 0] == pytest.approx([0, 0, 1], abs=1e-9)
    assert np.linalg.norm(found.points()[:, :2], axis=1) == pytest.approx([0.3] * 4, abs=1e-6)
    rod = bench.collide(under, ROD, ((0, 0, 0), UPRIGHT), ((0, 0.2, 0.7), LYING), margin=0.01)
    # from y = -0.3 to 0.7, of which the cube carries what is below 0.5
    assert sorted(rod.points()[:, 1]) == pytest.approx([-0.3, 0.5], abs=1e-6)
    assert rod.gaps() == pytest.approx([0, 0], abs=1e-9)


def test_cylinders_side_by_side_touch_in_two_points(bench):
    found = bench.collide(CYLINDER, ROD, ((0, 0, 0), UPRIGHT), ((0.51, 0, 0.3), UPRIGHT), margin=0.05)
    assert found.count[0] == 2
    assert found.gaps() == pytest.approx([0.01] * 2)
    assert sorted(found.points()[:, 2]) == pytest.approx([-0.2, 0.4])


def test_hulls_lie_on_their_faces(bench):
    stacked = bench.collide(CUBE, PYRAMID, ((0, 0, 0), UPRIGHT), ((0, -0.125, 0.75), UPRIGHT), margin=0.01)
    assert stacked.count[0] == 3
    assert stacked.gaps() == pytest.approx([0] * 3, abs=1e-9)  # its centre of mass is a quarter of its height up
    assert stacked.normal[0, 0] == pytest.approx([0, 0, 1], abs=1e-9)
    same = bench.collide(CUBE, BOX, ((0.2, 0, 0.99), UPRIGHT), ((0, 0, 0), UPRIGHT), margin=0.01)
    assert same.gaps() == pytest.approx([-0.01] * 4, abs=1e-9)
    tip = on_ground(bench, PYRAMID, 0.76, turned((1, 0, 0), 180), margin=0.05)
    assert tip.count[0] == 1
    assert tip.gaps() == pytest.approx([0.01])


def test_a_wheel_touches_in_one_point(bench):
    upright = on_ground(bench, TORUS, 0.31, LYING)
    assert upright.count[0] == 1
    assert upright.gaps() == pytest.approx([0.01])
    assert upright.points()[0] == pytest.approx([0, 0, 0.005], abs=1e-12)
    for under in (CUBE, BOX):
        found = bench.collide(under, TORUS, ((0, 0, -0.5), UPRIGHT), ((0.1, 0.2, 0.29), LYING), margin=0.05)
        assert found.count[0] == 1
        assert found.gaps() == pytest.approx([-0.01], abs=1e-9)
        assert found.points()[0, :2] == pytest.approx([0.1, 0.2], abs=1e-5)


def test_a_leaning_wheel_rolls_on_its_rounding(bench):
    """The core circle's lowest point, R - r from the axis, and the rounding below it."""
    for degrees in (1, 20, 45):
        angle = math.radians(degrees)
        found = on_ground(bench, TORUS, 0.4, turned((1, 0, 0), 90 - degrees), margin=1.0)
        assert found.gaps() == pytest.approx([0.4 - 0.25 * math.cos(angle) - 0.05])
        assert found.points()[0, 1] == pytest.approx(-0.25 * math.sin(angle))  # under the leaning rim


def test_a_flat_tread_touches_in_its_middle_and_at_its_edge_when_it_leans(bench):
    """Its one point moves from the middle to the edge while one side sinks by a fiftieth of its size."""
    middle = on_ground(bench, TREAD, 0.3, LYING)
    assert middle.count[0] == 1
    assert middle.points()[0] == pytest.approx([0, 0, 0], abs=1e-12)
    edge = on_ground(bench, TREAD, 0.3, turned((1, 0, 0), 86))
    assert edge.count[0] == 1
    assert abs(edge.points()[0, 1]) == pytest.approx(0.08 - 0.28 * math.sin(math.radians(4)), abs=0.001)
    slightly = on_ground(bench, TREAD, 0.3, turned((1, 0, 0), 89.8))
    assert 0 < abs(slightly.points()[0, 1]) < abs(edge.points()[0, 1])
