"""Bad scenes are refused with an error that names the object, the value and the remedy."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from tests.refusal import refused

import sharnir as sh
from sharnir.scene.check import check_scene

BALL = sh.Sphere(0.1, mass=1.0)
NAN, INF = float("nan"), float("inf")


def pair() -> sh.Scene:
    """Two balls a metre apart."""
    scene = sh.Scene("pair")
    scene.body("left", BALL)
    scene.body("right", BALL, position=(1, 0, 0))
    return scene


# --- names ----------------------------------------------------------------------------------------------------------


def test_names() -> None:
    scene = pair()
    scene.joint("pin", sh.Spherical(), "left", "right")
    refused("body 'left' already", "another name", action=lambda: scene.body("left", BALL))
    refused("joint 'pin' already", "another name", action=lambda: scene.joint("pin", sh.Fixed(), "left", "right"))
    refused("'world'", "ground", action=lambda: scene.body("world", BALL))
    for name in ("", "a.b", 3):
        refused(repr(name), "text", action=lambda name=name: scene.body(name, BALL))  # type: ignore[misc]
    unknown = lambda: scene.joint("j", sh.Fixed(), "left", "rihgt")  # noqa: E731
    refused("joint 'j'", "'rihgt'", "did you mean 'right'", action=unknown)
    stranger = pair().bodies["left"]
    refused("'left'", "another scene", action=lambda: scene.joint("j", sh.Fixed(), stranger, "right"))
    refused("'j'", "'left'", "itself", "two bodies", action=lambda: scene.joint("j", sh.Fixed(), "left", "left"))
    scene.body("wall", fixed=True)
    refused("'j'", "cannot move", "free", action=lambda: scene.joint("j", sh.Fixed(), "world", "wall"))


# --- bodies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mass", [0, -1.5, NAN, INF, "heavy", None, [1], 10**400])
def test_masses(mass: Any) -> None:
    scene = sh.Scene()
    refused("'b'", "mass", action=lambda: scene.body("b", sh.Box(1, 1, 1, mass=mass)))
    refused("'b'", "mass", action=lambda: scene.body("b", sh.Box(1, 1, 1), mass=mass, inertia=(1, 1, 1)))
    if mass in (0, -1.5):
        refused(f"{mass:g}", "above zero", action=lambda: scene.body("b", sh.Box(1, 1, 1, mass=mass)))
    if mass is not None:
        refused("density (kg/m^3)", action=lambda: scene.body("b", sh.Box(1, 1, 1, density=mass)))


def test_mass_and_density_together() -> None:
    shape = sh.Sphere(1, mass=2, density=3)
    refused("'b'", "2", "3", "give one", action=lambda: sh.Scene().body("b", shape))


def test_no_mass_at_all() -> None:
    refused("'b'", "no mass", "density", "fixed", action=lambda: sh.Scene().body("b", sh.Box(1, 1, 1)))


@pytest.mark.parametrize(
    ("inertia", "parts"),
    [
        ((1, 1, 2.5), ("(1, 1, 2.5) kg m^2", "sum of the others", "check")),
        ((1, 1, 1, 0.9, 0, 0), ("(0.1, 1, 1.9)", "sum of the others")),
        ((1, -1, 1), ("(-1, 1, 1)", "above zero")),
        ((0, 0, 0), ("above zero",)),
        ((1, NAN, 1), ("[1] is nan", "finite")),
        ((1, 2), ("(1.0, 2.0)", "three principal values")),
        (5, ("5", "three principal values")),
        (("a", 1, 1), ("'a'", "number")),
    ],
)
def test_inertias(inertia: Any, parts: tuple[str, ...]) -> None:
    refused("body 'b' inertia", *parts, action=lambda: sh.Scene().body("b", mass=1, inertia=inertia))


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ({"position": (0, NAN, 0)}, ("position (m)[1] is nan", "finite")),
        ({"position": (0, 0)}, ("position (m) is (0.0, 0.0)", "3 numbers")),
        ({"position": 5}, ("position (m) is 5", "3 numbers")),
        ({"position": "here"}, ("position (m) is 'here'", "3 numbers")),
        ({"velocity": (INF, 0, 0)}, ("velocity (m/s)[0] is inf", "finite")),
        ({"angular_velocity": (0, None, 0)}, ("angular_velocity (rad/s)[1] is None", "number")),
        ({"rotation": (0, 0, 0, 2)}, ("norm 2", "unit quaternion")),
        ({"rotation": (0, 0, 0, 0)}, ("norm 0", "unit quaternion")),
        ({"rotation": (0, 0, 1)}, ("rotation", "4 numbers")),
        ({"center_of_mass": (0, 0, NAN)}, ("center_of_mass (m)[2] is nan",)),
        ({"fixed": True, "velocity": (1, 0, 0)}, ("fixed", "velocity", "leave one")),
    ],
)
def test_numbers_of_a_body(given: dict[str, Any], parts: tuple[str, ...]) -> None:
    refused("body 'b'", *parts, action=lambda: sh.Scene().body("b", BALL, **given))


@pytest.mark.parametrize(
    ("shape", "parts"),
    [
        (sh.Box(1, 0, 1, mass=1), ("Box y (m) is 0", "above zero")),
        (sh.Sphere(-1, mass=1), ("Sphere radius (m) is -1", "above zero")),
        (sh.Cylinder(1, NAN, mass=1), ("Cylinder length (m) is nan",)),
        (sh.Capsule(1, "long", mass=1), ("Capsule length (m) is 'long'",)),  # type: ignore[arg-type]
        (sh.Sphere(1e200, density=1), ("too large", "sizes (m)")),
        (sh.Sphere(1e-200, mass=1), ("too small", "sizes (m)")),
        (sh.Sphere(1e-200, density=1), ("too small", "sizes (m)")),
        (sh.Box(1e200, 1e200, 1e200, density=1), ("too large", "sizes (m)")),
        (sh.Mesh(mass=1), ("Mesh", "file", "vertices and triangles")),
        (sh.Mesh(file="no/such.stl", mass=1), ("'no/such.stl'", "path")),
        (sh.Mesh(vertices=((0, 0, 0), (1, 0, 0), (0, 1, 0)), triangles=((0, 1, 2),), mass=1), ("not closed", "repair")),
        (sh.Mesh(vertices=((0, 0, 0),), triangles=((0, 1, 2),), mass=1), ("vertex 1 of 1", "from 0")),
        ("box", ("'box' is not a shape", "Box")),
    ],
)
def test_shapes(shape: Any, parts: tuple[str, ...]) -> None:
    refused("body 'b'", *parts, action=lambda: sh.Scene().body("b", shape))


def test_a_mesh_file_that_is_no_mesh(tmp_path: Path) -> None:
    file = tmp_path / "noise.stl"
    file.write_bytes(b"\x00\xff" * 50)
    refused("'b'", "noise.stl", action=lambda: sh.Scene().body("b", sh.Mesh(file=str(file), mass=1)))


def test_gravity() -> None:
    refused("gravity (m/s^2)[2] is nan", action=lambda: sh.Scene(gravity=(0, 0, NAN)))
    refused("gravity (m/s^2) is 9.81", "3 numbers", action=lambda: sh.Scene(gravity=9.81))  # type: ignore[arg-type]


# --- joints ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("joint", "parts"),
    [
        (sh.Revolute(axis=(0, 0, 0)), ("axis is (0.0, 0.0, 0.0)", "no direction", "not zero")),
        (sh.Revolute(axis=(0, NAN, 1)), ("axis[1] is nan",)),
        (sh.Revolute(anchor=(0, 0, INF)), ("anchor (m)[2] is inf",)),
        (sh.Revolute(drawn_at=NAN), ("drawn_at (rad) is nan",)),
        (sh.Planar(reference=(0, 0, 2)), ("reference (0, 0, 2) lies along", "give one")),
        (sh.Universal(axis_b=(1, 1, 0)), ("45.000°", "90°")),
        (sh.Distance(), ("coincide", "Spherical")),
        (sh.Distance(anchor_b=(1, 0, 0), length=-1), ("length (m) is -1", "above zero")),
        (sh.Distance(frame_a=sh.Frame(), frame_b=sh.Frame(), length=0), ("length (m) is 0", "above zero")),
        (sh.Revolute(frame_a=sh.Frame()), ("only one of frame_a and frame_b", "give both")),
        (sh.Revolute(frame_a=sh.Frame(), frame_b=sh.Frame(axis=(0, 0, 0))), ("frame_b axis", "no direction")),
        (sh.Revolute, ("is not a joint type", "Revolute(...)")),
    ],
)
def test_places_of_joints(joint: Any, parts: tuple[str, ...]) -> None:
    refused("joint 'j'", *parts, action=lambda: pair().joint("j", joint, "left", "right"))


@pytest.mark.parametrize(
    ("joint", "given", "parts"),
    [
        (sh.Revolute(), {"limits": (2, -2)}, ("limits are (2, -2)", "lower one is above", "swap")),
        (sh.Revolute(), {"limits": (NAN, 1)}, ("nan", "finite")),
        (sh.Revolute(), {"limits": 3}, ("limits is 3", "2 numbers")),
        (sh.Revolute(), {"limits": {"angel": (0, 1)}}, ("'angel'", "did you mean 'angle'")),
        (sh.Cylindrical(), {"limits": (0, 1)}, ("2 coordinates", "angle, displacement")),
        (sh.Spherical(), {"limits": (0, 1)}, ("SwingTwist or Cone",)),
        (sh.Revolute(), {"limits": sh.Cone(1)}, ("Cone limits are for spherical joints", "(lower, upper)")),
        (sh.Revolute(), {"friction": 20}, ("friction is 20", "Coulomb(level)")),
        (sh.Revolute(), {"friction": {"angle": 20}}, ("friction on 'angle' is 20", "Coulomb(level)")),
        (sh.Revolute(), {"friction": {"angel": sh.Coulomb(1)}}, ("'angel'", "did you mean 'angle'")),
        (sh.Cylindrical(), {"friction": sh.Coulomb(1)}, ("slides and turns", "angle, displacement")),
        (sh.Fixed(), {"friction": sh.Coulomb(1)}, ("no free axis", "leave friction out")),
    ],
)
def test_what_joints_carry(joint: Any, given: dict[str, Any], parts: tuple[str, ...]) -> None:
    refused("joint 'j'", *parts, action=lambda: pair().joint("j", joint, "left", "right", **given))


def test_elements_check_themselves() -> None:
    refused("level", "-1", "negative", action=lambda: sh.Coulomb(-1))
    refused("static level 1", "dynamic level 2", "swap", action=lambda: sh.Coulomb(2, static=1))
    refused("'clamp'", "did you mean 'impulse-clamp'", action=lambda: sh.Coulomb(1, law="clamp"))  # type: ignore[arg-type]
    refused("swing_x", "(1, -1)", "swap", action=lambda: sh.SwingTwist(x=(1, -1)))
    refused("3.2", "±3.1", action=lambda: sh.SwingTwist(y=(-3.2, 0)))
    refused("Cone angle", "4", "pi", action=lambda: sh.Cone(4))
    refused("Cone angle", "above zero", action=lambda: sh.Cone(0))


# --- the whole scene ------------------------------------------------------------------------------------------------


def test_nothing_that_moves() -> None:
    scene = sh.Scene("still")
    refused("'still'", "no body that can move", "scene.body", action=lambda: check_scene(scene))
    scene.body("wall", fixed=True)
    refused("'still'", "no body that can move", action=lambda: check_scene(scene))


def test_anchors_that_do_not_meet_say_how_far() -> None:
    scene = pair()
    off = sh.Frame(position=(-0.9875, 0, 0), axis=(0, math.sin(0.1), math.cos(0.1)))
    scene.joint("hinge", sh.Revolute(frame_a=sh.Frame(), frame_b=off), "left", "right")
    parts = ("'hinge'", "'left' and 'right'", "12.5 mm", "5.72958°", "scene.assemble()")
    refused(*parts, action=lambda: check_scene(scene))


def test_axes_that_point_against_each_other_do_not_meet() -> None:
    scene = pair()
    off = sh.Frame(position=(-1, 0, 0), axis=(0, 0, -1))
    scene.joint("hinge", sh.Revolute(frame_a=sh.Frame(), frame_b=off), "left", "right")
    refused("'hinge'", "they are 180° apart", action=lambda: check_scene(scene))


def test_a_rod_of_another_length() -> None:
    scene = pair()
    scene.joint("rod", sh.Distance(anchor_b=(1, 0, 0), length=1.25), "left", "right")
    parts = ("'rod'", "1 m apart", "250 mm off its length 1.25 m", "scene.assemble()")
    refused(*parts, action=lambda: check_scene(scene))


def test_a_rod_without_length() -> None:
    scene = pair()
    here, there = sh.Frame(), sh.Frame(position=(-1, 0, 0))
    scene.joint("rod", sh.Distance(frame_a=here, frame_b=there), "left", "right")
    refused("'rod'", "coincide", "Spherical", action=lambda: check_scene(scene))


@pytest.mark.parametrize(
    ("joint", "limits", "parts"),
    [
        (
            sh.Revolute(drawn_at=1.0),
            (-0.5, 0.5),
            ("angle starts at 1 rad (57.2958°)", "(-0.5 rad (-28.6479°), 0.5 rad"),
        ),
        (sh.Revolute(drawn_at=7.0), (None, 6.9), ("starts at 7 rad", "(open, 6.9 rad")),
        (sh.Prismatic(drawn_at=0.3), (0.4, None), ("displacement starts at 0.3 m", "(0.4 m, open)")),
        (sh.Planar(), {"y": (0.1, 1)}, ("y starts at 0 m",)),
        (sh.Spherical(), sh.SwingTwist(y=(0.1, 1)), ("swing_y starts at 0 rad",)),
    ],
)
def test_limits_that_exclude_the_start(joint: Any, limits: Any, parts: tuple[str, ...]) -> None:
    scene = pair()
    scene.joint("j", joint, "left", "right", limits=limits)
    refused("joint 'j'", *parts, "widen the limits", action=lambda: check_scene(scene))


def test_limits_at_the_start_and_turns_counted_are_accepted() -> None:
    scene = pair()
    scene.joint("a", sh.Revolute(drawn_at=-math.pi / 2), "left", "right", limits=(-math.pi / 2, 0))
    scene.joint("b", sh.Revolute(drawn_at=20.0), "left", "right", limits=(19, 21))
    check_scene(scene)


def test_swings_where_limits_have_no_direction() -> None:
    scene = pair()
    off = sh.Frame(position=(-1, 0, 0), axis=(0, 0, -1))
    scene.joint("ball", sh.Spherical(frame_a=sh.Frame(), frame_b=off), "left", "right", limits={"twist": (-1, 1)})
    refused("'ball'", "swing of 3.14159 rad (180°)", "turn a body", action=lambda: check_scene(scene))
    wide = pair()
    wide.joint("ball", sh.Spherical(), "left", "right", limits={"swing_x": (-4, 4)})
    refused("'ball'", "swing_x", "4 rad", "3.1 rad", action=lambda: check_scene(wide))


# --- files ----------------------------------------------------------------------------------------------------------

DOOR = """\
sharnir: 1
bodies:
  door:
    shapes: [{type: box, x: 0.9, y: 0.04, z: 2, mass: 26.5}]
    position: [0.45, 0, 1]
joints:
  hinge:
    joint: {type: revolute, anchor: [0, 0, 1]}
    between: [world, door]
    friction: {type: coulomb, level: 20}
    limits: [-2, 2]
"""


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("mass:", "mas:", ("line 4: bodies.door.shapes[0]: unknown key 'mas'", "did you mean 'mass'")),
        ("position:", "postion:", ("line 5: bodies.door: unknown key 'postion'", "did you mean 'position'")),
        ("bodies:", "bodys:", ("line 2: unknown key 'bodys'", "did you mean 'bodies'")),
        ("between:", "1: 2\n    between:", ("joints.hinge: unknown key '1'",)),
        ("revolute", "revolut", ("line 8: joints.hinge.joint: unknown type 'revolut'", "did you mean 'revolute'")),
        ("type: box", "type: pyramid", ("unknown type 'pyramid'", "known: box, sphere")),
        ("type: box", "type: [1]", ("unknown type '[1]'",)),
        ("type: box, ", "", ("shapes[0]: missing key 'type'", "box, sphere")),
        ("x: 0.9, ", "", ("line 4: bodies.door.shapes[0]: missing key 'x'", "a number")),
        ("    between: [world, door]\n", "", ("joints.hinge: missing key 'between'",)),
        ("x: 0.9", "x: wide", ("shapes[0].x: is 'wide'", "a number")),
        ("x: 0.9", "x: true", ("shapes[0].x: is true", "a number")),
        ("x: 0.9", f"x: 1{'0' * 400}", ("shapes[0].x: is too large",)),
        ("[0.45, 0, 1]", "[0.45, 0]", ("line 5: bodies.door.position: has 2 items; give 3",)),
        ("[0.45, 0, 1]", "[0.45, 0, .nan]", ("line 3: body 'door' position (m)[2] is nan", "finite")),
        ("[0.45, 0, 1]", "5", ("bodies.door.position: is 5", "list of 3")),
        ("26.5", "-26.5", ("line 3: body 'door'", "-26.5", "above zero")),
        ("[world, door]", "[world, dor]", ("line 7: joint 'hinge'", "'dor'", "did you mean 'door'")),
        ("{type: coulomb, level: 20}", "{level: 20}", ("friction.level: is 20", "give friction a type: coulomb")),
        ("level: 20", "level: -20", ("line 10: joints.hinge.friction: Coulomb friction level", "-20")),
        ("[-2, 2]", "[2, -2]", ("line 7: joint 'hinge' limits are (2, -2)", "swap")),
        ("[-2, 2]", "3", ("joints.hinge.limits: is 3", "list of 2")),
        ("[-2, 2]", "{angel: [0, 1]}", ("'angel'", "did you mean 'angle'")),
        ("    limits:", "    between:", ("line 11 has the key 'between' twice", "drop one")),
        ("sharnir: 1\n", "", ("missing key 'sharnir'",)),
        ("sharnir: 1", "sharnir: 2", ("line 1: sharnir: is 2", "format 1")),
        ("  door:", "  1.5:", ("bodies: the name 1.5 is not a text", "quotes")),
        ("[0.45, 0, 1]", "&p [0.45, 0, 1]\n    velocity: *p", ("line 6 is not YAML: aliases", "write the value out")),
        ("x: 0.9", "x: !!python/object/apply:os.getcwd []", ("line 4", "python/object")),
        ("x: 0.9", "x: !!float wide", ("line 4", "'wide'", "float")),
        ("x: 0.9", "x: !!bool wide", ("line 4", "'wide'", "bool")),
        ("x: 0.9", "x: !!timestamp 2001", ("line 4", "timestamp")),
        ("{type: revolute", "type: revolute", ("line 8 is not YAML",)),
        ("bodies:", "---\nbodies:", ("line 2 is not YAML",)),
        ("bodies:", "? [a]\n: 1\nbodies:", ("line 2 has a key that is not a text",)),
    ],
)
def test_scene_files_with_a_mistake(tmp_path: Path, old: str, new: str, parts: tuple[str, ...]) -> None:
    path = tmp_path / "my.yaml"
    assert old in DOOR
    path.write_text(DOOR.replace(old, new, 1))
    refused(str(path), *parts, action=lambda: sh.Scene.load(path))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (b"", ("is not JSON",)),
        (b"[]", ("is a list of 0", "mapping")),
        (b'{"sharnir": 1,}', ("line 1 is not JSON",)),
        (b'{"sharnir": 1, "name": 3}', ("line 1: name: is 3", "a text")),
        (b'{"sharnir": 1,\n "bodies": {"b": {}, "b": {}}}', ("key 'b' twice", "drop one")),
        (b'{"sharnir": 1, "gravity": [0, 0, NaN]}', ("gravity", "nan")),
        (b'{"sharnir": 1, "bodies": {"b":\n {"mas": 1}}}', ("line 2: bodies.b: unknown key 'mas'", "'mass'")),
        (b'{"sharnir": ' + b"9" * 5000 + b"}", ("cannot be read",)),
        (b"[" * 100000, ("nested too deeply",)),
        (b'{"sharnir": "\xff"}', ("not UTF-8", "byte 13")),
    ],
)
def test_json_files_with_a_mistake(tmp_path: Path, text: bytes, parts: tuple[str, ...]) -> None:
    path = tmp_path / "my.json"
    path.write_bytes(text)
    refused(str(path), *parts, action=lambda: sh.Scene.load(path))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (b"", ("empty", "bodies")),
        (b"# nothing\n", ("empty",)),
        (b"just words", ("is 'just words'", "mapping")),
        (b"\x00\x01\x02", ("line 1 is not text",)),
        (b"\xff\xfe\x00", ("not UTF-8",)),
        (b"[" * 100000, ("nested too deeply",)),
        (b"a: " * 50, ("is not YAML",)),
        (b"sharnir: " + b"9" * 5000, ("line 1",)),
        (b"- - - - 1", ("is a list of 1", "mapping")),
    ],
)
def test_files_that_are_no_scenes(tmp_path: Path, text: bytes, parts: tuple[str, ...]) -> None:
    path = tmp_path / "my.yaml"
    path.write_bytes(text)
    refused(str(path), *parts, action=lambda: sh.Scene.load(path))


def test_paths(tmp_path: Path) -> None:
    scene = pair()
    refused("none.yaml", "cannot be read", "path", action=lambda: sh.Scene.load(tmp_path / "none.yaml"))
    refused("'.txt'", ".yaml", action=lambda: sh.Scene.load(tmp_path / "scene.txt"))
    refused("'.txt'", ".json", action=lambda: scene.save(tmp_path / "scene.txt"))
    refused("cannot be written", "folder", action=lambda: scene.save(tmp_path / "no" / "such" / "scene.yaml"))
    (tmp_path / "folder.yaml").mkdir()
    refused("folder.yaml", "cannot be read", action=lambda: sh.Scene.load(tmp_path / "folder.yaml"))
    refused("folder.yaml", "cannot be written", action=lambda: scene.save(tmp_path / "folder.yaml"))
    scene.body("\ud800", BALL)
    refused("'\\ud800'", "rename", action=lambda: scene.save(tmp_path / "surrogate.json"))


def test_a_missing_mesh_names_the_body_and_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mesh.yaml"
    path.write_text("sharnir: 1\nbodies:\n  hull:\n    shapes: [{type: mesh, file: hull.stl, mass: 1}]\n")
    refused("mesh.yaml, line 3", "'hull'", str(tmp_path / "hull.stl"), "path", action=lambda: sh.Scene.load(path))


TOKENS = (
    *(b"null", b"true", b"[]", b"{}", b"-1", b"0", b"1e400", b".nan", b"NaN", b"'x'", b'"', b"9" * 5000, b"1e308"),
    *(b"!!python/object:os.system", b"&a", b"*a", b"!!binary", b"<<", b": ", b"\n", b"\t", b"? ", b"- ", b"|", b"\xff"),
    *(b"\x00", b"type", b"%YAML", b"---", b"world", b"[[[", b"}", b"\xc2\x85"),
)


def spoilt(text: bytes, source: random.Random) -> bytes:
    """The text cut short, with bytes changed, words replaced or lines repeated."""
    for _ in range(source.randint(1, 3)):
        at = source.randrange(len(text))
        way = source.randrange(4)
        if way == 0:
            text = text[:at]
        elif way == 1:
            text = text[:at] + bytes([source.randrange(256)]) + text[at + 1 :]
        elif way == 2:
            text = text[:at] + source.choice(TOKENS) + text[at + source.randint(0, 8) :]
        else:
            lines = text.splitlines()
            lines.insert(source.randrange(len(lines)), source.choice(lines))
            text = b"\n".join(lines)
        text = text or b" "
    return text


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_spoilt_files_are_read_or_refused_and_nothing_else(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "door.yaml"
    path.write_text(DOOR)
    original = sh.Scene.load(path).save(tmp_path / f"seed.{ending}").read_bytes()
    source = random.Random(1)
    target = tmp_path / f"spoilt.{ending}"
    for _ in range(250):
        target.write_bytes(spoilt(original, source))
        try:
            sh.Scene.load(target)
        except sh.SceneError as error:
            assert len(str(error)) < 600, error


def test_wrong_values_anywhere_are_read_or_refused_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "door.yaml"
    path.write_text(DOOR)
    data = json.loads(sh.Scene.load(path).save(tmp_path / "seed.json").read_text())
    values = [
        None,
        True,
        [],
        {},
        -1,
        0,
        1e308,
        1e-308,
        NAN,
        INF,
        "x",
        10**400,
        [0, 0, 0],
        {"type": "cone"},
        "world",
        [[1]],
    ]
    target = tmp_path / "spoilt.json"

    def each(node: Any) -> None:
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            kept = node[key]
            for value in values:
                node[key] = value
                target.write_text(json.dumps(data))
                try:
                    check_scene(sh.Scene.load(target))
                except sh.SceneError as error:
                    assert len(str(error)) < 600, error
            node[key] = kept
            if isinstance(kept, (dict, list)):
                each(kept)

    each(data)
