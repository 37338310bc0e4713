"""The narrow phase where the answer is known in closed form: gaps, normals from a to b, points, and their number."""

import math

import numpy as np
import pytest
from narrow import Bench

import sharnir as sh
from sharnir import spatial

UPRIGHT = (0, 0, 0, 1)
SHAPES = [
    sh.Sphere(0.5, mass=1),
    sh.Sphere(0.25, mass=1),
    sh.Capsule(0.2, 1.0, mass=1),
    sh.Capsule(0.1, 0.6, mass=1),
    sh.Box(1, 1, 1, mass=1),
    sh.Box(0.4, 0.6, 0.8, mass=1),
    sh.Box(1, 1, 1, mass=1),
]
GROUND, BALL, SMALL, LONG, SHORT, CUBE, BRICK, TWIN = range(8)


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench(SHAPES, [sh.Plane()])


def turned(axis, degrees):
    return tuple(spatial.about(axis, math.radians(degrees)))


def test_two_spheres(bench):
    found = bench.collide(BALL, SMALL, ((0, 0, 0), UPRIGHT), ((0, 0.8, 0), UPRIGHT), margin=0.1)
    assert found.count[0] == 1
    assert found.gaps() == pytest.approx([0.05])  # 0.8 - 0.5 - 0.25
    assert found.normal[0, 0] == pytest.approx([0, 1, 0])
    assert found.points()[0] == pytest.approx([0, 0.525, 0])  # midway between 0.5 and 0.55


def test_nothing_beyond_the_margin(bench):
    for b in (SMALL, LONG, CUBE):
        assert bench.collide(BALL, b, ((0, 0, 0), UPRIGHT), ((0, 3, 0), UPRIGHT), margin=0.5).count[0] == 0


def test_the_order_of_a_pair_turns_the_normal_round(bench):
    poses = (((0, 0, 0.9), turned((1, 2, 3), 30)), ((0.1, 0, 0), UPRIGHT))
    for a, b in ((BALL, CUBE), (LONG, BRICK), (CUBE, BRICK)):
        one, other = bench.collide(a, b, *poses, margin=0.5), bench.collide(b, a, *reversed(poses), margin=0.5)
        assert one.normal[0, 0] == pytest.approx(-other.normal[0, 0], abs=1e-9)
        assert one.depth == pytest.approx(other.depth)


def test_a_cube_on_the_ground_touches_with_its_four_corners(bench):
    found = bench.collide(CUBE, GROUND, ((0, 0, 0.499), UPRIGHT), ((0, 0, 0), UPRIGHT))
    assert found.count[0] == 4
    assert found.gaps() == pytest.approx([-0.001] * 4)
    assert found.normal[0, 0] == pytest.approx([0, 0, -1])
    assert sorted(map(tuple, np.round(found.points()[:, :2], 9).tolist())) == [
        (x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)
    ]
    assert len(set(found.feature[0, :4].tolist())) == 4


def test_features_stay_when_a_cube_slides(bench):
    here = bench.collide(CUBE, BRICK, ((0, 0, 0.9), UPRIGHT), ((0, 0, 0), UPRIGHT), margin=0.1)
    there = bench.collide(CUBE, BRICK, ((0.01, 0.02, 0.9), UPRIGHT), ((0, 0, 0), UPRIGHT), margin=0.1)
    assert set(here.feature[0, :4].tolist()) == set(there.feature[0, :4].tolist())


def test_a_capsule_lies_on_two_points(bench):
    flat = turned((1, 0, 0), 90)  # its z axis becomes -y
    found = bench.collide(GROUND, LONG, ((0, 0, 0), UPRIGHT), ((0, 0, 0.21), flat), margin=0.05)
    assert found.count[0] == 2
    assert found.gaps() == pytest.approx([0.01, 0.01])
    assert found.normal[0, 0] == pytest.approx([0, 0, 1])
    assert sorted(found.points()[:, 1]) == pytest.approx([-0.5, 0.5])


def test_capsules_side_by_side_and_crossed(bench):
    beside = bench.collide(LONG, SHORT, ((0, 0, 0), UPRIGHT), ((0.3, 0, 0.4), UPRIGHT), margin=0.1)
    # the short one reaches from 0.1 to 0.7, the long one to 0.5
    assert sorted(beside.points()[:, 2]) == pytest.approx([0.1, 0.5])
    assert beside.gaps() == pytest.approx([0, 0], abs=1e-15)
    crossed = bench.collide(LONG, SHORT, ((0, 0, 0), UPRIGHT), ((0.35, 0, 0.4), turned((1, 0, 0), 90)), margin=0.1)
    assert crossed.count[0] == 1
    assert crossed.gaps() == pytest.approx([0.05])
    assert crossed.points()[0] == pytest.approx([0.225, 0, 0.4])


def test_a_cube_on_a_brick(bench):
    found = bench.collide(BRICK, CUBE, ((0, 0, 0), UPRIGHT), ((0.5, 0, 0.88), UPRIGHT))
    # the brick's top, 0.4 by 0.6, is covered by the cube from x = 0 on
    assert found.count[0] == 4
    assert found.gaps() == pytest.approx([-0.02] * 4)
    assert found.normal[0, 0] == pytest.approx([0, 0, 1])
    corners = sorted(map(tuple, np.round(found.points()[:, :2], 9).tolist()))
    assert corners == [(0, -0.3), (0, 0.3), (0.2, -0.3), (0.2, 0.3)]
    assert found.points()[:, 2] == pytest.approx([0.39] * 4)  # midway of 0.4 and 0.38


def test_crossed_edges_of_two_cubes_touch_in_one_point(bench):
    # one stands on an edge along y, the other hangs with an edge along x below it
    lower, upper = turned((0, 1, 0), 45), turned((1, 0, 0), 45)
    reach = math.sqrt(2) / 2
    for gap in (-0.03, 0.04):
        found = bench.collide(CUBE, TWIN, ((0, 0, 0), lower), ((0, 0, 2 * reach + gap), upper), margin=0.1)
        assert found.count[0] == 1
        assert found.gaps() == pytest.approx([gap])
        assert found.normal[0, 0] == pytest.approx([0, 0, 1])
        assert found.points()[0] == pytest.approx([0, 0, reach + gap / 2])


def test_corner_to_corner_is_the_true_distance(bench):
    found = bench.collide(CUBE, BRICK, ((0, 0, 0), UPRIGHT), ((1, 1, 1), UPRIGHT), margin=2.0)
    apart = np.array([1 - 0.5 - 0.2, 1 - 0.5 - 0.3, 1 - 0.5 - 0.4])
    assert found.depth[0] == pytest.approx(np.linalg.norm(apart))
    assert found.normal[0, 0] == pytest.approx(apart / np.linalg.norm(apart))


def test_a_ball_inside_a_cube_leaves_by_the_nearest_face(bench):
    found = bench.collide(SMALL, CUBE, ((0, 0.3, 0.1), UPRIGHT), ((0, 0, 0), UPRIGHT))
    assert found.gaps() == pytest.approx([-0.45])  # 0.2 to the face and the radius
    assert found.normal[0, 0] == pytest.approx([0, -1, 0])


def test_a_list_that_is_full_counts_what_is_lost():
    bench = Bench(SHAPES, [sh.Plane()], room=3)
    found = bench.collide([CUBE, BALL], [GROUND, GROUND], ((0, 0, 0.5), UPRIGHT), ((0, 0, 0), UPRIGHT), margin=0.1)
    assert found.count.tolist() == [3, 1]
    assert found.lost.tolist() == [1, 0]


def test_float32_agrees_with_float64(bench):
    rough = Bench(SHAPES, [sh.Plane()], precision="float32")
    poses = (((0.1, 0.2, 0.93), turned((1, 2, 3), 5)), ((0, 0, 0), UPRIGHT))
    for a, b in ((BALL, CUBE), (LONG, BRICK), (CUBE, BRICK), (CUBE, GROUND)):
        one, other = bench.collide(a, b, *poses, margin=0.5), rough.collide(a, b, *poses, margin=0.5)
        assert other.depth == pytest.approx(one.depth, abs=1e-5)
        assert other.normal[0, 0] == pytest.approx(one.normal[0, 0], abs=1e-4)
