"""Parts of the constructor add what the templates of Python add; units and limits; what the view is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sharnir as sh
from sharnir.assemblies.robots.krt100 import WHEEL, WHEEL_DRIVE, wishbones
from sharnir.constructor.checking import Checker
from sharnir.constructor.document import SceneDocument
from sharnir.constructor.parts import PARTS, added_by, described_parts
from sharnir.constructor.patch import apply_all, same
from sharnir.constructor.stage import Told, bodies_of, stage_of
from sharnir.errors import SceneError
from sharnir.files.scene_file import content_of
from sharnir.files.schema import scene_schema
from sharnir.files.typed import to_plain, to_typed
from sharnir.scene.body import BodySpec

HULL = {"type": "box", "x": 1.1, "y": 0.3, "z": 0.22, "mass": 130, "position": [0, 0, 0.25]}
DRIVE = {"type": "dc_drive", "stall_torque": 1.5, "idle_speed": 300, "time_constant": 0.02, "ratio": 50}
WISHBONES = {"type": "double_wishbone", "arm_mass": 0.5, "upright_mass": 0.8}
FRONT = {
    "chassis": "krt_chassis",
    "axles": {"front": 0.4},
    "scale": 0.6,
    "suspension": WISHBONES,
    "spring": "torsion",
    "stiffness": 4000,
    "damping": 200,
    "drive": DRIVE,
    "load": 30,
}


def document(**more: Any) -> dict[str, Any]:
    return {"sharnir": 1, "name": "krt", "bodies": {"krt_chassis": {"shapes": [HULL]}}} | more


def with_part(data: dict[str, Any], kind: str, given: dict[str, Any], folder: Path = Path()) -> dict[str, Any]:
    """The document with a part; the scene of it is right."""
    scene, errors = Checker(folder).check(data)
    assert scene is not None and errors == []
    apply_all(data, added_by(kind, given, scene, data, folder))
    assert Checker(folder).check(data)[1] == []
    return data


def test_wheels_are_those_of_the_axle_that_python_builds():
    scene = sh.Scene("krt")
    hull = sh.Box(1.1, 0.3, 0.22, mass=130.0, position=(0.0, 0.0, 0.25))
    chassis = scene.body("krt_chassis", hull)
    axle = sh.Axle(x=0.4, track=0.6, wheel=WHEEL, suspension=wishbones(), drive=WHEEL_DRIVE)
    weight = 30 * 9.81
    axle.build(scene, chassis, "krt_front", (weight, weight), None, 0.0)
    twin = to_plain(content_of(scene, str))
    built = with_part(document(), "wheels", FRONT)
    for section in ("bodies", "joints", "rulers"):
        assert same(built[section], twin[section]), section


def test_wheels_are_copied_along_the_axles_and_mirrored():
    built = with_part(document(), "wheels", FRONT | {"axles": {"front": 0.4, "middle": 0, "rear": -0.4}})
    wheels = [name for name in built["bodies"] if name.endswith("wheel")]
    assert len(wheels) == 6
    left, right = (built["bodies"][f"krt_middle_{side}_wheel"]["position"] for side in ("left", "right"))
    assert [left[0], -left[1], left[2]] == right
    one = with_part(document(), "wheels", FRONT | {"side": "left"})
    assert [name for name in one["bodies"] if name.endswith("wheel")] == ["krt_front_left_wheel"]


@pytest.mark.parametrize("kind", ["swing_axle", "trailing_arm", "double_trailing_arm", "sliding_pillar", "macpherson"])
def test_every_suspension_can_be_picked(kind):
    given = FRONT | {"suspension": {"type": kind}, "spring": "coil"}
    assert "krt_front_right_wheel" in with_part(document(), "wheels", given)["bodies"]


def test_other_parts_are_built():
    data = with_part(document(), "robot", {"robot": "krt100", "name": "towing", "position": [0, 5, 0]})
    assert "towing_chassis" in data["bodies"] and "towing_hitch" in data["joints"]
    data = with_part(document(), "arm", {"chassis": "krt_chassis"})
    assert len(data["bodies"]) == 2
    tracks = {"gauge": 0.6, "length": 0.8, "radius": 0.1, "width": 0.15, "mass": 10}
    assert len(with_part(document(), "tracks", {"chassis": "krt_chassis", "tracks": tracks})["bodies"]) > 2
    kinds = {option["$ref"].rpartition("/")[2] for option in _schema("axle")["AxlePart"]["properties"]["axle"]["anyOf"]}
    assert kinds == {"Axle", "BeamAxle", "WalkingBeam"}


def test_a_hitch_joins_two_bodies():
    data = document()
    data["bodies"]["trailer"] = {"shapes": [HULL], "position": [-2, 0, 0]}
    given = {"tow": "krt_chassis", "trailer": "trailer", "at": [-0.7, 0, 0.2], "to": [1.3, 0, 0.2]}
    assert with_part(data, "hitch", given)["joints"]["hitch"]["between"] == ["krt_chassis", "trailer"]


def test_a_robot_from_a_file(tmp_path):
    sh.Scene.load(_saved(tmp_path / "arm.yaml"))
    data = with_part(document(), "import", {"file": "arm.yaml", "name": "arm", "on": "krt_chassis"}, tmp_path)
    assert "arm/link" in data["bodies"]


def _saved(path: Path) -> Path:
    scene = sh.Scene("arm")
    link = scene.body("link", sh.Box(0.1, 0.1, 0.4, mass=2.0), position=(0, 0, 0.2))
    scene.joint("hinge", sh.Revolute(axis=(0, 1, 0)), scene.world, link)
    return scene.save(path)


def _schema(kind: str) -> dict[str, Any]:
    return next(part["schema"]["$defs"] for part in described_parts() if part["kind"] == kind)


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("wheels", {"chassis": "nobody"}, "nobody"),
        ("wheels", {"chassis": "krt_chassis", "track": -1}, "track (m) is -1"),
        ("wheels", {"chassis": "krt_chassis", "axles": {}}, "no axles"),
        ("wheels", {"chassis": "krt_chassis", "wheel": {"radius": "big"}}, "wheel.radius"),
        ("castle", {}, "castle"),
        ("import", {"file": "missing.urdf"}, "missing.urdf"),
    ],
)
def test_a_part_that_cannot_be_built_says_why(kind, given, said):
    data = document()
    scene, _ = Checker(Path()).check(data)
    with pytest.raises(SceneError, match=said.replace("(", r"\(").replace(")", r"\)")):
        added_by(kind, given, scene, data, Path())
    assert data == document()


def test_a_name_that_is_taken_is_refused():
    data = with_part(document(), "wheels", FRONT)
    scene, _ = Checker(Path()).check(data)
    with pytest.raises(SceneError, match="krt_front_left"):
        added_by("wheels", FRONT, scene, data, Path())


def test_all_parts_are_described():
    assert [part["kind"] for part in described_parts()] == list(PARTS)


# --- units and limits -------------------------------------------------------------------------------------------------


def test_the_schema_knows_units_and_limits_from_docstrings_and_checks():
    known = scene_schema()["$defs"]

    def about(kind: str, field: str) -> dict[str, Any]:
        found = known[kind]["properties"][field]
        return {name: found[name] for name in ("unit", "minimum", "exclusiveMinimum") if name in found}

    assert about("Box", "x") == {"unit": "m", "exclusiveMinimum": 0}
    assert about("Box", "mass") == {"unit": "kg", "exclusiveMinimum": 0}
    assert about("Revolute", "anchor") == {"unit": "m"}
    assert about("Spring", "stiffness") == {"unit": "N/m or N m/rad", "minimum": 0}
    assert about("PositionServo", "integral")["unit"] == "1/(rad s) or 1/(m s)"
    assert about("BodySpec", "angular_velocity") == {"unit": "rad/s"}
    assert about("Box", "rotation") == {}


# --- what the view is told --------------------------------------------------------------------------------------------


def test_an_edit_of_one_body_tells_of_one_body():
    checker, told, data = Checker(Path()), Told(), document()
    data["bodies"]["other"] = {"shapes": [HULL], "position": [0, 3, 0]}

    def changes() -> dict[str, Any]:
        scene, _ = checker.check(data)
        assert scene is not None
        return told.changes(stage_of(scene))

    assert len(changes()["world"]["bodies"]) == 2
    assert changes() == {}
    data["bodies"]["other"]["shapes"] = [HULL | {"color": "#ff0000"}]
    assert set(changes()["world_changes"]["bodies"]) == {1}
    data["bodies"]["third"] = {"shapes": [HULL], "position": [0, 6, 0]}
    assert "world" in changes()


def test_a_new_body_is_told_of_before_the_scene_is_checked():
    data, told = document(), Told()
    scene, _ = Checker(Path()).check(data)
    assert scene is not None and told.at_once({}) == {}
    told.changes(stage_of(scene))
    new = {"shapes": [HULL], "position": [0, 3, 0]}
    operations = [
        {"op": "add", "path": "/bodies/other", "value": new},
        {"op": "add", "path": "/joints/hinge", "value": {}},
    ]
    assert bodies_of(operations) == {"other"}
    assert bodies_of([{"op": "move", "from": "/bodies/a", "path": "/bodies/b"}]) == set()
    seen = told.at_once({"other": to_typed(BodySpec, new)})["world_changes"]["bodies"]
    assert {i: body["name"] for i, body in seen.items()} == {1: "other"}
    data["bodies"]["other"] = new
    scene, _ = Checker(Path()).check(data)
    assert scene is not None
    assert "world" not in told.changes(stage_of(scene)), "it was told of already"


# --- typing -----------------------------------------------------------------------------------------------------------


def test_what_is_typed_is_undone_at_once():
    made = SceneDocument("sharnir: 1\nname: x\n")
    made.edit("Add", [{"op": "add", "path": "/gravity", "value": [0, 0, 0]}])
    for value in (-9, -9.8, -9.81):
        made.edit("Set gravity", [{"op": "replace", "path": "/gravity/2", "value": value}], typing=True)
    assert made.data["gravity"] == [0, 0, -9.81]
    made.undo()
    assert made.data["gravity"] == [0, 0, 0] and made.undo_label == "Add"
    made.redo()
    assert made.data["gravity"] == [0, 0, -9.81]
    made.mark_saved()
    made.edit("Set gravity", [{"op": "replace", "path": "/gravity/2", "value": -1}], typing=True)
    assert not made.saved
    made.undo()
    assert made.saved
