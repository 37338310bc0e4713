"""Joint frames, their locked errors, their coordinates, and assembly."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import sharnir as sh
from sharnir import spatial
from sharnir.scene.check import check_scene, opening
from sharnir.scene.joint_coordinates import coordinate, coordinate_axis, lock_error, misalignment, start_value
from sharnir.scene.joints import AnyJoint, CoordinateKind, JointType
from sharnir.spatial import Array, Pose

RANDOM = np.random.default_rng(7)
STEP = 1e-5  # s, of the finite differences
ALL_TYPES: list[AnyJoint] = [
    sh.Revolute(axis=(1, 2, 3), anchor=(0.1, 0.2, 0.3)),
    sh.Prismatic(axis=(1, 2, 3), anchor=(0.1, 0.2, 0.3)),
    sh.Spherical(axis=(1, 2, 3), anchor=(0.1, 0.2, 0.3)),
    sh.Fixed(),
    sh.Cylindrical(axis=(1, 2, 3), anchor=(0.1, 0.2, 0.3)),
    sh.Universal(axis_a=(0, 1, 0), axis_b=(0, 0, 1), anchor=(0.1, 0.2, 0.3)),
    sh.Planar(normal=(1, 2, 3), anchor=(0.1, 0.2, 0.3)),
    sh.Distance(anchor_a=(0, 0, 0), anchor_b=(0.1, 0.2, 0.3)),
]


def random_rotation() -> Array:
    q = RANDOM.standard_normal(4)
    return q / np.linalg.norm(q)


def random_pose(turn: float = 2.0) -> Pose:
    return Pose(RANDOM.standard_normal(3), spatial.from_vector(turn * RANDOM.uniform(-1, 1, 3)))


def after(pose: Pose, velocity: Array, spin: Array, time: float) -> Pose:
    return Pose(pose.position + velocity * time, spatial.multiply(spatial.from_vector(spin * time), pose.rotation))


def rate(measure: Callable[[Pose, Pose], Array], a: Pose, b: Pose, twist: Array) -> Array:
    """Time derivative of a measure of two moving frames by central differences; twist: v_a, w_a, v_b, w_b."""
    ends = [measure(after(a, *twist[:2], t), after(b, *twist[2:], t)) for t in (-STEP, STEP)]
    return (ends[1] - ends[0]) / (2 * STEP)


def relative(a: Pose, b: Pose, twist: Array) -> tuple[Array, Array]:
    """Velocity of b less that of a at b's origin, and relative angular velocity."""
    (va, wa, vb, wb) = twist
    return vb - va - np.cross(wa, b.position - a.position), wb - wa


def two_bodies(joint: AnyJoint, **given: object) -> tuple[sh.Scene, sh.Joint]:
    scene = sh.Scene()
    a = scene.body("a", sh.Box(1, 1, 1, mass=1), position=(1, 2, 3), rotation=random_rotation())
    b = scene.body("b", sh.Box(1, 1, 1, mass=1), position=(3, 2, 1), rotation=random_rotation())
    return scene, scene.joint("j", joint, a, b, **given)  # type: ignore[arg-type]


# --- frames ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("joint", ALL_TYPES, ids=lambda joint: type(joint).__name__)
def test_joints_placed_in_the_world_meet(joint: AnyJoint) -> None:
    scene, made = two_bodies(joint)
    check_scene(scene)
    assert max(opening(made)) < 1e-14
    for free in made.type.coordinates:
        expected = math.sqrt(0.14) if free.kind == CoordinateKind.RADIAL else 0.0
        assert start_value(made, free) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("joint", ALL_TYPES, ids=lambda joint: type(joint).__name__)
def test_free_and_locked_axes_are_six(joint: AnyJoint) -> None:
    locked = sum(joint.locked_translations) + sum(joint.locked_rotations)
    free = {"Revolute": 1, "Prismatic": 1, "Spherical": 3, "Fixed": 0, "Cylindrical": 2, "Universal": 2, "Planar": 3}
    assert 6 - locked == free.get(type(joint).__name__, 5)


def test_axes_point_where_they_are_told() -> None:
    _, hinge = two_bodies(sh.Revolute(axis=(0, 3, 4), anchor=(1, 1, 1)))
    frame_a, frame_b = hinge.world_frames()
    for frame in (frame_a, frame_b):
        assert frame.position == pytest.approx([1, 1, 1])
        assert spatial.rotate(frame.rotation, (0, 0, 1)) == pytest.approx([0, 0.6, 0.8])
    _, cross = two_bodies(sh.Universal(axis_a=(0, 0, 2), axis_b=(0, 5, 0)))
    frame_a, frame_b = cross.world_frames()
    assert spatial.rotate(frame_a.rotation, (1, 0, 0)) == pytest.approx([0, 0, 1], abs=1e-15)
    assert spatial.rotate(frame_b.rotation, (0, 1, 0)) == pytest.approx([0, 1, 0], abs=1e-15)
    _, slab = two_bodies(sh.Planar(normal=(0, 1, 0), reference=(0, 1, 1)))
    assert spatial.rotate(slab.world_frames()[0].rotation, (1, 0, 0)) == pytest.approx([0, 0, 1], abs=1e-15)


@pytest.mark.parametrize("initial", [0.7, -2.5, 3.0, 9.0, -20.0])
def test_coordinates_start_where_they_are_drawn(initial: float) -> None:
    for joint in (sh.Revolute(axis=(1, 2, 3), drawn_at=initial), sh.Prismatic(axis=(1, 2, 3), drawn_at=initial)):
        _, made = two_bodies(joint)
        assert start_value(made, made.type.coordinates[0]) == pytest.approx(initial, abs=1e-12)


def test_frames_on_the_bodies() -> None:
    scene = sh.Scene()
    rod = scene.body("rod", sh.Box(1, 0.1, 0.1, mass=1), position=(0.5, 0, 0))
    hinge = scene.joint(
        "hinge",
        sh.Revolute(frame_a=sh.Frame(axis=(0, 1, 0)), frame_b=sh.Frame(position=(-0.5, 0, 0), axis=(0, 1, 0))),
        scene.world,
        rod,
    )
    check_scene(scene)
    assert start_value(hinge, hinge.type.coordinates[0]) == pytest.approx(0.0)


# --- coordinates and their axes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", [kind for kind in CoordinateKind if kind not in (CoordinateKind.CARDAN_X, CoordinateKind.CARDAN_Y)]
)
def test_the_axis_of_a_coordinate_gives_its_rate(kind: CoordinateKind) -> None:
    for turn in (
        (0.5, 1.2) if kind == CoordinateKind.SWING else (1e-3, 0.02, 0.5, 1.2)
    ):  # near zero the swing bends as |x| does
        for _ in range(10):
            a, twist = random_pose(), RANDOM.standard_normal((4, 3))
            b = Pose(RANDOM.standard_normal(3), spatial.multiply(a.rotation, random_pose(turn).rotation))
            linear, angular = relative(a, b, twist)
            expected = coordinate_axis(kind, a, b) @ (linear if kind.is_linear else angular)
            found = rate(lambda a, b: coordinate(kind, a, b), a, b, twist)
            assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", [CoordinateKind.CARDAN_X, CoordinateKind.CARDAN_Y])
def test_the_axis_of_a_cardan_angle_gives_its_rate(kind: CoordinateKind) -> None:
    """On the lock: the relative spin has no part along the third axis."""
    for _ in range(20):
        a, (phi, theta), (dphi, dtheta) = random_pose(), RANDOM.uniform(-3, 3, 2), RANDOM.standard_normal(2)
        turn = spatial.multiply(spatial.about((1, 0, 0), phi), spatial.about((0, 1, 0), theta))
        b = Pose(a.position, spatial.multiply(a.rotation, turn))
        assert coordinate(kind, a, b) == pytest.approx(phi if kind == CoordinateKind.CARDAN_X else theta)
        x, y = (coordinate_axis(k, a, b) for k in (CoordinateKind.CARDAN_X, CoordinateKind.CARDAN_Y))
        assert x @ y == pytest.approx(0, abs=1e-14)
        twist = np.zeros((4, 3))
        twist[1] = RANDOM.standard_normal(3)
        twist[3] = twist[1] + dphi * x + dtheta * y
        found = rate(lambda a, b: coordinate(kind, a, b), a, b, twist)
        assert found == pytest.approx(dphi if kind == CoordinateKind.CARDAN_X else dtheta, abs=1e-7)


def test_swing_and_twist_rebuild_the_rotation() -> None:
    """q = swing * twist, the swing a rotation vector square to z."""
    for _ in range(50):
        q = random_rotation()
        a, b = Pose(np.zeros(3), spatial.IDENTITY), Pose(np.zeros(3), q)
        x, y, twist = (
            float(coordinate(kind, a, b))
            for kind in (CoordinateKind.SWING_X, CoordinateKind.SWING_Y, CoordinateKind.TWIST)
        )
        built = spatial.multiply(spatial.from_vector((x, y, 0)), spatial.about((0, 0, 1), twist))
        assert abs(built @ q) == pytest.approx(1, abs=1e-12)
        assert coordinate(CoordinateKind.SWING, a, b) == pytest.approx(math.hypot(x, y))
        assert -math.pi < twist <= math.pi


def test_swing_is_smooth_across_the_series() -> None:
    for angle in (0.0, 1e-9, 1e-5, 0.0099999, 0.0100001):
        b = Pose(np.zeros(3), spatial.from_vector((angle, 0, 0)))
        a = Pose(np.zeros(3), spatial.IDENTITY)
        assert coordinate(CoordinateKind.SWING_X, a, b) == pytest.approx(angle, rel=1e-13, abs=1e-300)
        assert coordinate_axis(CoordinateKind.SWING_X, a, b) == pytest.approx([1, 0, 0], abs=1e-12)


# --- locked errors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("joint", ALL_TYPES, ids=lambda joint: type(joint).__name__)
def test_the_rate_of_a_locked_error_is_the_motion_along_its_axis(joint: JointType) -> None:
    """At a closed joint, in a's axes (Cardan: about the axis square to both; radial: along the line)."""
    for _ in range(10):
        _, made = two_bodies(joint)  # type: ignore[arg-type]
        a, b = made.world_frames()
        twist = RANDOM.standard_normal((4, 3))
        linear, angular = (spatial.rotate(spatial.conjugate(a.rotation), v) for v in relative(a, b, twist))
        if isinstance(joint, sh.Distance):
            line = coordinate_axis(CoordinateKind.RADIAL, a, b)
            linear = np.array([0, 0, line @ relative(a, b, twist)[0]])
        expected = np.concatenate([linear * joint.locked_translations, angular * joint.locked_rotations])
        length = made.length
        found = rate(lambda a, b, length=length: np.concatenate(lock_error(joint, length, a, b)), a, b, twist)
        assert found == pytest.approx(expected, abs=1e-7)
        exact = rate(lambda a, b: misalignment(joint, a, b), a, b, twist)
        assert exact == pytest.approx(expected[3:], abs=1e-7)


@pytest.mark.parametrize("joint", [sh.Revolute(), sh.Prismatic(), sh.Fixed()], ids=lambda joint: type(joint).__name__)
def test_turning_back_by_the_misalignment_aligns(joint: AnyJoint) -> None:
    for _ in range(20):
        a, b = random_pose(), random_pose()
        back = spatial.from_vector(-spatial.rotate(a.rotation, misalignment(joint, a, b)))
        aligned = Pose(b.position, spatial.multiply(back, b.rotation))
        assert misalignment(joint, a, aligned) == pytest.approx([0, 0, 0], abs=1e-7)


def test_opposed_axes_are_half_a_turn_apart() -> None:
    a, b = Pose(np.zeros(3), spatial.IDENTITY), Pose(np.zeros(3), np.array([1.0, 0, 0, 0]))
    assert np.linalg.norm(misalignment(sh.Revolute(), a, b)) == pytest.approx(math.pi)


def test_measures_take_whole_trajectories() -> None:
    """[frame, world] poses of b against one pose of a give the same numbers as one at a time."""
    a = random_pose()
    many = Pose(RANDOM.standard_normal((3, 2, 3)), np.array([[random_rotation() for _ in range(2)] for _ in range(3)]))
    for joint in ALL_TYPES:
        for found, single in zip(
            (*lock_error(joint, 0.5, a, many), misalignment(joint, a, many)),
            (*lock_error(joint, 0.5, a, Pose(*(part[2, 1] for part in many))), None),
            strict=True,
        ):
            assert found.shape == (3, 2, 3)
            assert single is None or np.array_equal(found[2, 1], single)
    for kind in CoordinateKind:
        one = Pose(*(part[2, 1] for part in many))
        assert coordinate(kind, a, many)[2, 1] == coordinate(kind, a, one)
        assert np.array_equal(
            np.broadcast_to(coordinate_axis(kind, a, many), (3, 2, 3))[2, 1], coordinate_axis(kind, a, one)
        )


# --- assembly -------------------------------------------------------------------------------------------------------


def four_bar(ground: float = 1.1, noise: float = 0.05) -> sh.Scene:
    """The four-bar 0.4, 1.2, 0.9 m, its bars placed roughly; joints by frames on the bars."""
    random = np.random.default_rng(3)
    scene = sh.Scene("four-bar")
    middles = {
        "crank": (0.4, (0.1, 0, 0.2), 1.0),
        "coupler": (1.2, (0.8, 0, 0.5), 0.2),
        "rocker": (0.9, (1.2, 0, 0.4), 1.2),
    }
    for name, (length, middle, angle) in middles.items():
        scene.body(
            name,
            sh.Box(length, 0.02, 0.02, mass=length),
            position=middle + noise * random.standard_normal(3),
            rotation=spatial.from_vector((0, -angle, 0) + noise * random.standard_normal(3)),
        )

    def at(x: float) -> sh.Frame:
        return sh.Frame(position=(x, 0, 0), axis=(0, 1, 0))

    scene.joint("A", sh.Revolute(frame_a=at(0), frame_b=at(-0.2)), "world", "crank")
    scene.joint("B", sh.Revolute(frame_a=at(0.2), frame_b=at(-0.6)), "crank", "coupler")
    scene.joint("C", sh.Revolute(frame_a=at(0.6), frame_b=at(0.45)), "coupler", "rocker")
    scene.joint("D", sh.Revolute(frame_a=at(ground), frame_b=at(-0.45)), "world", "rocker")
    return scene


def test_a_closed_loop_assembles_in_spite_of_redundant_rows() -> None:
    scene = four_bar()
    with pytest.raises(sh.SceneError, match="do not meet"):
        check_scene(scene)
    crank = scene.bodies["crank"]
    before = crank.pose
    scene.assemble()
    check_scene(scene)
    assert max(max(opening(joint)) for joint in scene.joints.values()) < 1e-10
    assert scene.bodies["crank"] is crank
    assert np.linalg.norm(crank.pose.position - before.position) < 0.2


def test_assembling_twice_changes_nothing() -> None:
    scene = four_bar()
    scene.assemble()
    specs = [body.spec for body in scene.bodies.values()]
    scene.assemble()
    assert [body.spec for body in scene.bodies.values()] == specs


def test_joints_by_anchor_keep_their_frames_on_the_bodies() -> None:
    scene = sh.Scene()
    a = scene.body("a", sh.Box(1, 1, 1, mass=1), position=(1, 0, 0))
    b = scene.body("b", sh.Box(1, 1, 1, mass=1), position=(3, 0, 0))
    hinge = scene.joint("hinge", sh.Revolute(axis=(0, 1, 1), anchor=(2, 0, 0), drawn_at=9.0), a, b, limits=(8, 10))
    rod = scene.joint("rod", sh.Distance(anchor_a=(0, 0, 3), anchor_b=(3, 1, 0)), scene.world, b)
    pin = sh.Spherical(frame_a=sh.Frame(), frame_b=sh.Frame(position=(-0.7, 0.1, 0)))
    scene.joint("pin", pin, scene.world, a)

    def on_bodies(joint: sh.Joint) -> list[object]:
        frames = (joint.frame_a, joint.frame_b)
        return [joint.length, *(part for pose in frames for part in (pose.position, spatial.matrix(pose.rotation)))]

    kept = [on_bodies(joint) for joint in (hinge, rod)]
    scene.assemble()
    check_scene(scene)
    for joint, frames in zip((hinge, rod), kept, strict=True):
        for now, then in zip(on_bodies(joint), frames, strict=True):
            assert now == pytest.approx(then, abs=1e-14)
    assert start_value(hinge, hinge.type.coordinates[0]) == pytest.approx(9.0, abs=2.0)


def test_an_assembled_scene_is_saved_assembled(tmp_path: object) -> None:
    scene = four_bar()
    scene.assemble()
    loaded = sh.Scene.load(scene.save(f"{tmp_path}/four-bar.yaml"))
    check_scene(loaded)
    for name, joint in scene.joints.items():
        assert np.array_equal(joint.frame_a.rotation, loaded.joints[name].frame_a.rotation)


def test_a_flipped_hinge_is_turned_over() -> None:
    scene = sh.Scene()
    lid = scene.body("lid", sh.Box(1, 1, 0.1, mass=1), position=(0, 0, 3))
    upside_down = sh.Frame(position=(0.5, 0, 0), axis=(0, 0, -1))
    scene.joint("hinge", sh.Revolute(frame_a=sh.Frame(), frame_b=upside_down), scene.world, lid)
    scene.assemble()
    check_scene(scene)


def test_light_and_heavy_bodies_assemble() -> None:
    scene = sh.Scene()
    random = np.random.default_rng(1)
    last: sh.Body = scene.world
    types = (sh.Spherical, sh.Revolute, sh.Universal, sh.Prismatic, sh.Planar, sh.Fixed, sh.Cylindrical)
    for i in range(14):
        ball = sh.Sphere(0.1, mass=10.0 ** random.uniform(-3, 3))
        rotation = spatial.from_vector(0.3 * random.standard_normal(3))
        link = scene.body(f"link {i}", ball, position=(i, 0, 0) + 0.2 * random.standard_normal(3), rotation=rotation)
        frames = {"frame_a": sh.Frame(position=(0.5, 0, 0)), "frame_b": sh.Frame(position=(-0.5, 0, 0))}
        scene.joint(f"joint {i}", types[i % 7](**frames), last, link)
        last = link
    scene.assemble()
    check_scene(scene)


def test_a_dead_centre_is_left() -> None:
    """Two rods of 2 m to points 3 m apart, started on the line between them: the ball must leave the line."""
    scene = sh.Scene()
    ball = scene.body("ball", sh.Sphere(0.1, mass=1), position=(1.5, 0, 0))
    for name, x in (("left", 0.0), ("right", 3.0)):
        scene.joint(name, sh.Distance(anchor_a=(x, 0, 0), anchor_b=(1.5, 0, 0), length=2.0), scene.world, ball)
    scene.assemble()
    check_scene(scene)
    assert math.hypot(*ball.spec.position[1:]) == pytest.approx(math.sqrt(4 - 2.25))


def test_a_loop_that_cannot_close_is_refused_and_nothing_moves() -> None:
    scene = four_bar(ground=4.0)
    specs = [body.spec for body in scene.bodies.values()]
    with pytest.raises(sh.SceneError, match=r"'four-bar': the loop through joint '\w' .* cannot close: .* mm.* change"):
        scene.assemble()
    assert [body.spec for body in scene.bodies.values()] == specs
