"""Materials, groups and neighbours: what the compiled tables say of who touches whom, and how."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

import sharnir as sh
from sharnir.model.compile import Compiled, compile_scene

BALL = sh.Sphere(0.1, mass=1.0)


def compiled(scene: sh.Scene) -> Compiled:
    return compile_scene(scene, "direct", "semi-implicit-euler")


def excluded(scene: sh.Scene) -> set[tuple[str, str]]:
    """The pairs of bodies that pass through each other, by name."""
    model = compiled(scene).model
    names = ["world", *scene.bodies]
    count = len(model["shape_body"])
    pairs = [divmod(key, count) for key in model["excluded"]]
    assert model["excluded"] == sorted(model["excluded"])
    return {(names[model["shape_body"][a]], names[model["shape_body"][b]]) for a, b in pairs}


def test_a_scene_without_terrain_collides_only_when_asked() -> None:
    scene = sh.Scene()
    scene.body("a", BALL)
    scene.body("b", BALL, position=(1, 0, 0))
    assert not compiled(scene).features.contacts
    assert compiled(scene).counts["contact"] == 0
    scene.body("c", BALL, position=(2, 0, 0), contact=True)
    scene.body("d", BALL, position=(3, 0, 0), contact=True)
    assert compiled(scene).features.contact_kinds == {"round"}
    assert compiled(scene).model["shape_body"] == [3, 4]


def test_with_terrain_everything_collides_unless_it_says_no() -> None:
    scene = sh.Scene()
    scene.ground()
    scene.body("a", BALL, sh.Box(1, 1, 1), sh.Sphere(2, collides=False))
    scene.body("ghost", BALL, contact=False)
    scene.body("wall", sh.Box(1, 1, 1), fixed=True)
    table = compiled(scene)
    assert table.model["shape_body"] == [0, 1, 1, 3]
    assert table.features.contact_kinds == {"round", "box"}


def test_nothing_to_touch_costs_nothing() -> None:
    scene = sh.Scene()
    scene.body("only", BALL, contact=True)
    assert not compiled(scene).features.contacts


def test_materials_combine() -> None:
    """mu = sqrt(mu_a mu_b), e = max, arms add up, springs and dampers in series."""
    scene = sh.Scene()
    scene.material("rubber", sh.Material(friction=0.9, rolling_friction=0.01, stiffness=1e5, damping=200))
    scene.material(
        "steel", sh.Material(friction=0.4, restitution=0.7, rolling_friction=0.002, stiffness=3e5, damping=50)
    )
    scene.material("ice", sh.Material(friction=0.04))
    scene.material_pair("ice", "rubber", sh.Material(friction=0.1))
    between = scene.materials.between
    both = between("rubber", "steel")
    assert both == between("steel", "rubber")
    assert both.friction == pytest.approx(0.6)
    assert both.restitution == 0.7
    assert both.rolling_friction == pytest.approx(0.012)
    assert both.stiffness == pytest.approx(1 / (1 / 1e5 + 1 / 3e5))
    assert both.damping == pytest.approx(40)
    assert between("rubber", "default").stiffness == 1e5  # a rigid partner adds nothing
    assert between("rubber", "ice").friction == between("ice", "rubber").friction == 0.1
    assert between("steel", "ice").friction == pytest.approx(math.sqrt(0.016))


def test_the_table_of_pairs() -> None:
    scene = sh.Scene()
    scene.material("ice", sh.Material(friction=0.04))
    scene.material("default", sh.Material(friction=0.25, restitution=0.5))
    scene.ground(material="ice")
    scene.body("a", BALL)
    model = compiled(scene).model
    assert model["shape_material"] == [1, 0]
    column = {name: [value for (value,) in model[f"pair_{name}"]] for name in ("friction", "restitution", "stiffness")}
    assert column["friction"] == pytest.approx([0.25, 0.1, 0.1, 0.04])
    assert column["restitution"] == [0.5, 0.5, 0.5, 0.0]
    assert column["stiffness"] == [math.inf] * 4


def test_groups_become_bits() -> None:
    scene = sh.Scene()
    scene.ground()
    scene.body("a", BALL, contact=sh.Contact(groups=("wheels", "left")))
    scene.body("b", BALL, contact=sh.Contact(groups=("hull",), ignores=("wheels",)))
    model = compiled(scene).model
    ground, a, b = model["shape_groups"]
    assert all(x & y == 0 for x, y in combinations((ground, a, b), 2))
    assert [bin(bits).count("1") for bits in (ground, a, b)] == [1, 2, 1]
    assert model["shape_ignores"][2] & a
    assert model["shape_ignores"][2] & ground == 0
    assert model["shape_ignores"][1] == 0


def chain(**contact: object) -> sh.Scene:
    scene = sh.Scene()
    scene.ground(height=-5)
    for i, name in enumerate("abcd"):
        scene.body(name, BALL, position=(i, 0, 0), contact=sh.Contact(**contact))  # type: ignore[arg-type]
    scene.joint("ab", sh.Spherical(), "a", "b")
    scene.joint("bc", sh.Fixed(), "b", "c")
    scene.joint("cd", sh.Spherical(), "c", "d")
    return scene


def test_neighbours_in_a_joint_pass_through_each_other() -> None:
    # b and c are one in their Fixed joint, so both are neighbours of a and of d
    assert excluded(chain()) == {("a", "b"), ("a", "c"), ("b", "c"), ("b", "d"), ("c", "d")}
    assert excluded(chain(neighbours=True)) == set()


def test_a_body_hinged_to_the_world_still_meets_the_ground() -> None:
    scene = sh.Scene()
    scene.ground()
    for name in "ab":
        scene.body(name, BALL)
        scene.joint(name, sh.Revolute(axis=(0, 1, 0)), "world", name)
    assert excluded(scene) == set()
    scene.body("base", BALL)
    scene.joint("bolts", sh.Fixed(), "world", "base")
    scene.body("arm", BALL)
    scene.joint("shoulder", sh.Revolute(axis=(0, 1, 0)), "base", "arm")
    assert ("base", "arm") in excluded(scene)


def test_sizes_and_bounding_radii() -> None:
    scene = sh.Scene()
    scene.ground()
    scene.body("cylinder", sh.Cylinder(0.3, 0.8, mass=1))
    scene.body("wheel", sh.Wheel(0.3, 0.1, rounding=0.02, mass=1))
    scene.body("hull", sh.ConvexHull(points=((1, 0, 0), (3, 0, 0), (1, 1, 0), (1, 0, 1)), mass=1))
    model = compiled(scene).model
    assert model["shape_size"][1] == pytest.approx((0.3, 0.4, 0))
    assert model["shape_size"][2] == pytest.approx((0.28, 0.02, 0.03))
    # the wheel's rim is farthest where its rounding ends: sqrt(0.28^2 + 0.03^2) + 0.02
    assert model["shape_radius"][1:3] == pytest.approx([0.5, math.hypot(0.28, 0.03) + 0.02])
    assert model["shape_radius"][3] == pytest.approx(math.hypot(1, 0.5, 0.5))
    assert model["hull_end"][3] - model["hull_start"][3] == 4
    assert model["hull_face_end"][3] - model["hull_face_start"][3] == 4
