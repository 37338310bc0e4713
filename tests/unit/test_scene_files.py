"""Scene files: what is saved loads as the same scene, to the bit, and obeys the published schema."""

from __future__ import annotations

import json
import math
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import trimesh
import yaml

import sharnir as sh
from sharnir.files import scene_text, schema_text
from sharnir.files.schema import scene_schema
from sharnir.files.typed import to_plain

SCHEMA_FILE = Path(__file__).parents[2] / "docs" / "scene.schema.json"
ENDINGS = ("yaml", "yml", "json")
AWKWARD = (
    (0.1 + 0.2, -0.0, 5e-324),
    (1e-9, 123456789.123456789, math.pi),
    (2.0**53 + 2, 1e22, -1.7976931348623157e308 / 1e300),
    (1 / 3, math.nextafter(1, 2), 1e15),
)


def everything() -> sh.Scene:
    """Every shape, every joint type, everything that an axis carries, awkward numbers and names."""
    scene = sh.Scene("всё: 'quoted' # and more", gravity=(0, 1e-300, -9.80665))
    tetrahedron = sh.Mesh(
        vertices=((0, 0, 0), (1 / 3, 0, 0), (0, 0.1, 0), (0, 0, 1)),
        triangles=((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
        mass=1,
    )
    scene.material("лёд", sh.Material(friction=1 / 3, restitution=0.1, stiffness=1e5, damping=3.0))
    scene.material("1e5", sh.Material(rolling_friction=1e-3))
    scene.material_pair("лёд", "1e5", sh.Material(friction=0.0))
    scene.ground(material="лёд", height=-20)
    relief = sh.Stairs(rise=0.1, count=3) + sh.Ramp(rise=0.2, length=3) + sh.HalfRound(radius=0.1, direction=1 / 3)
    relief += sh.Sine(amplitude=0.1, wavelength=1 / 3) + sh.Roughness(rms=0.01, seed=7)
    scene.terrain("field", sh.HeightField(heights=((0, 1 / 3, -0.0), (1e-9, 2, 3)), spacing=0.1))
    scene.terrain("relief", sh.HeightField(relief=relief, size=(2, 1), spacing=(0.5, 0.25)))
    scene.terrain("dune", tetrahedron, position=AWKWARD[1], rotation=(0.6, 0, 0, 0.8))
    corners = (sh.ConvexHull(points=((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1 / 3)), density=1),)
    shapes: list[tuple[sh.Box | sh.Sphere | sh.Cylinder | sh.Capsule | sh.Mesh, ...]] = [
        (sh.Box(0.1, 0.2, 0.1 + 0.2, mass=1 / 3, color="tomato"), sh.Sphere(2)),
        (sh.Sphere(1e-3, density=7850.1, position=AWKWARD[1]),),
        (sh.Cylinder(0.1, 1e5, density=1e-9, rotation=(0.6, 0, 0, 0.8)),),
        (sh.Capsule(0.1, 0.7, mass=2),),
        (tetrahedron,),
    ]
    names = ("on", "1e5", "null", "ось z", "[a, b]: {c}")
    for name, made, position in zip(names, shapes, (*AWKWARD, (0, 0, 0)), strict=True):
        scene.body(name, *made, position=position, rotation=(0.1, 0.7, 0.1, 0.7), velocity=AWKWARD[0])
    scene.body(
        "given", mass=1.5, inertia=(1, 1.5, 2, 0.1, 0, -0.2), center_of_mass=AWKWARD[1], angular_velocity=AWKWARD[0]
    )
    scene.body("2001-01-01", fixed=True, contact=False)
    scene.ray("eye", "given", AWKWARD[1], (0, -0.0, 1 / 3), reach=1e-3)
    scene.camera("lens", "given", AWKWARD[1], (0, -0.0, 1 / 3), up=(1, 0, 1e-3), field_of_view=2 / 3)
    touching = sh.Contact(material="лёд", groups=("a", "b"), ignores=("default",), neighbours=True)
    scene.body("hull", *corners, contact=touching)
    scene.body("wheel", sh.Wheel(0.3, 0.1, rounding=0.01, mass=1, collides=False), contact=True)
    frames = {"frame_a": sh.Frame(position=AWKWARD[1]), "frame_b": sh.Frame(axis=(0, 1, 1), reference=(1, 0, 0))}
    scene.joint(
        "r",
        sh.Revolute(axis=(0.1, 0.2, 1 / 3), drawn_at=9.5),
        "world",
        "on",
        limits=(-1e-9, 20),
        friction=sh.Coulomb(20),
    )
    scene.joint(
        "p", sh.Prismatic(anchor=AWKWARD[1]), "on", "1e5", limits=(None, 0.5), friction=sh.Coulomb(0.1, static=0.3)
    )
    box = sh.SwingTwist(x=(-0.1, 0.2), y=(None, 0.3), twist=(-1, None))
    scene.joint("s", sh.Spherical(), "1e5", "null", limits=box, friction=sh.Coulomb(1, law="impulse-clamp"))
    scene.joint("s2", sh.Spherical(reference=(1, 0, 0)), "on", "null", limits=sh.Cone(0.5, twist=(-0.1, 0.1)))
    scene.joint("s3", sh.Spherical(), "on", "null", limits={"swing_x": (-0.5, 0.5)})
    scene.joint("f", sh.Fixed(), "null", "ось z")
    scene.joint(
        "c", sh.Cylindrical(), "ось z", "given", limits={"angle": (-1, 1)}, friction={"displacement": sh.Coulomb(2)}
    )
    scene.joint("u", sh.Universal(**frames), "given", "on")
    scene.joint("pl", sh.Planar(normal=(0, 0, -1)), "2001-01-01", "on", limits={"x": (-1, 1), "angle": (None, 2)})
    scene.joint("d", sh.Distance(anchor_b=(1, 0, 0), length=0.1), "given", "[a, b]: {c}")
    add_elements(scene)
    return scene


def add_elements(scene: sh.Scene) -> None:
    """Every friction law, spring and drive."""
    pin, slide = sh.Load(radius=0.1 + 0.2, preload=5e-324), sh.Load()
    drive = sh.DcDrive(1.5, 300, 1 / 3, -50, efficiency=0.7, self_locking=True)
    table = ((-1, -2), (-0.0, 0), (1 / 3, math.pi))
    laws = {
        "viscous": sh.Viscous(1 / 3),
        "stribeck": sh.Stribeck(0.3, 0.1 + 0.2, 1e-3, viscous=0.4, load=pin),
        "lugre": sh.LuGre(0.3, 0.4, 1e-3, 1e6, damping=100, viscous=1e-9, load=pin),
        "dahl": sh.Dahl(1 / 3, 1e22),
    }
    for name, law in laws.items():
        scene.joint(name, sh.Spherical(), "world", "on", friction=law)
    scene.joint("servo", sh.Revolute(), "on", "given", drive=sh.PositionServo(drive, 1 / 3, damping=0.1, integral=2))
    scene.joint(
        "sleeve",
        sh.Cylindrical(),
        "on",
        "given",
        friction={"angle": sh.Coulomb(0.1, load=pin), "displacement": sh.Coulomb(0.1, static=0.2, load=slide)},
        spring={"angle": sh.Spring(1e8, rest=None), "displacement": sh.Spring(damping=7, table=table, side="push")},
        drive={"angle": drive, "displacement": sh.SpeedServo(drive, 2, integral=1e-9)},
    )
    scene.spring("coil", "on", "given", AWKWARD[0], AWKWARD[1], sh.Spring(4e3, 200, rest=None, preload=-1 / 3))
    scene.joint("tether", sh.Strut(anchor_b=(0, 0, 1 / 3)), "world", "given", limits=(None, 0.5))


def same_to_the_bit(a: sh.Scene, b: sh.Scene) -> None:
    assert (a.name, repr(to_plain(a.gravity))) == (b.name, repr(to_plain(b.gravity)))
    assert list(a.bodies) == list(b.bodies)
    assert list(a.joints) == list(b.joints)
    for name, body in a.bodies.items():
        other = b.bodies[name]
        assert repr(to_plain(body.spec)) == repr(to_plain(other.spec))
        if body.properties is not None and other.properties is not None:
            for ours, theirs in zip(body.properties, other.properties, strict=True):
                assert np.asarray(ours, float).tobytes() == np.asarray(theirs, float).tobytes()
    for name, joint in a.joints.items():
        other_joint = b.joints[name]
        assert repr(to_plain(joint.spec)) == repr(to_plain(other_joint.spec))
        assert joint.spec.joint == other_joint.spec.joint
        for attribute in ("ranges", "friction", "springs", "drives", "length"):
            ours, theirs = (to_plain(getattr(either, attribute)) for either in (joint, other_joint))
            assert repr(ours) == repr(theirs), attribute
        for ours, theirs in zip(
            (*joint.frame_a, *joint.frame_b), (*other_joint.frame_a, *other_joint.frame_b), strict=True
        ):
            assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_saved_loads_the_same_to_the_bit(tmp_path: Path, ending: str) -> None:
    scene = everything()
    path = scene.save(tmp_path / f"scene.{ending}")
    loaded = sh.Scene.load(path)
    same_to_the_bit(scene, loaded)
    assert loaded.save(tmp_path / f"again.{ending}").read_bytes() == path.read_bytes()


def test_random_numbers_survive(tmp_path: Path) -> None:
    bits = np.random.default_rng(0).integers(0, 2**63, 600, dtype=np.uint64).view(np.float64)
    numbers = bits[np.isfinite(bits)][:300].reshape(-1, 3).tolist()
    scene = sh.Scene()
    for i, position in enumerate(numbers):
        scene.body(f"b{i}", position=position, fixed=True)
    for ending in ("yaml", "json"):
        loaded = sh.Scene.load(scene.save(tmp_path / f"numbers.{ending}"))
        assert [list(body.spec.position) for body in loaded.bodies.values()] == numbers


def test_yaml_and_json_hold_the_same_data(tmp_path: Path) -> None:
    scene = everything()
    from_json = json.loads(scene.save(tmp_path / "s.json").read_text(encoding="utf-8"))
    from_yaml = yaml.safe_load(scene.save(tmp_path / "s.yaml").read_text(encoding="utf-8"))
    assert from_yaml == from_json


def test_a_file_reads_well(tmp_path: Path) -> None:
    scene = sh.Scene("door")
    door = scene.body("door", sh.Box(0.9, 0.04, 2.0, mass=26.5), position=(0.45, 0, 1))
    hinge = sh.Revolute(anchor=(0, 0, 1))
    scene.joint("hinge", hinge, scene.world, door, friction=sh.Coulomb(20.0), limits=(-2.0, 2.0))
    assert scene.save(tmp_path / "door.yaml").read_text() == (
        "sharnir: 1\n"
        "name: door\n"
        "bodies:\n"
        "  door:\n"
        "    shapes: [{type: box, x: 0.9, y: 0.04, z: 2, mass: 26.5}]\n"
        "    position: [0.45, 0, 1]\n"
        "joints:\n"
        "  hinge:\n"
        "    joint: {type: revolute, anchor: [0, 0, 1]}\n"
        "    between: [world, door]\n"
        "    friction: {type: coulomb, level: 20}\n"
        "    limits: [-2, 2]\n"
    )


def test_a_file_written_by_hand(tmp_path: Path) -> None:
    """YAML 1.2: numbers without a point before the e, texts that YAML 1.1 takes for something else; comments."""
    path = tmp_path / "hand.yaml"
    path.write_text(
        "sharnir: 1  # the version of the format\n"
        "bodies:\n"
        "  off: {mass: 1e-9, inertia: [1e-9, 1E-9, .5e-9], position: [-1, +2., 0o17]}\n"
        "  12:30: {fixed: true}\n"
        "joints:\n"
        "  yes: {joint: {type: spherical}, between: [12:30, off], limits: {swing: [~, 1]}, friction: null}\n"
    )
    scene = sh.Scene.load(path)
    assert scene.bodies["off"].spec.inertia == (1e-9, 1e-9, 0.5e-9)
    assert scene.bodies["off"].spec.position == (-1, 2, 15)
    assert scene.joints["yes"].ranges == {"swing": (None, 1)}
    assert scene.gravity == (0, 0, -9.81)


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    for ending, text in (("yaml", "sharnir: 1\nname: x\n"), ("json", '{"sharnir": 1, "name": "x"}')):
        path = tmp_path / f"bom.{ending}"
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())
        assert sh.Scene.load(path).name == "x"


def test_meshes_are_named_relative_to_the_scene_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("meshes", "scenes", "elsewhere"):
        (tmp_path / folder).mkdir()
    trimesh.creation.box((1, 2, 3)).export(tmp_path / "meshes" / "box.stl")
    monkeypatch.chdir(tmp_path)
    scene = sh.Scene()
    scene.body("b", sh.Mesh(file="meshes/box.stl", mass=1))
    path = scene.save("scenes/mesh.yaml")
    assert "file: ../meshes/box.stl" in path.read_text()
    monkeypatch.chdir(tmp_path / "elsewhere")
    loaded = sh.Scene.load(tmp_path / "scenes" / "mesh.yaml")
    assert loaded.bodies["b"].properties.inertia == pytest.approx(scene.bodies["b"].properties.inertia)
    assert Path(loaded.bodies["b"].spec.shapes[0].file).samefile(tmp_path / "meshes" / "box.stl")
    assert (
        loaded.save(tmp_path / "scenes" / "again.yaml").read_text() == (tmp_path / "scenes" / "mesh.yaml").read_text()
    )


def test_a_saved_run_holds_its_scene(tmp_path: Path) -> None:
    scene = everything()
    text = tmp_path / "text.json"
    text.write_text(scene_text(scene), encoding="utf-8")
    again = sh.Scene.load(text)
    assert again.save(tmp_path / "again.json").read_bytes() == scene.save(tmp_path / "scene.json").read_bytes()


def test_the_published_schema_is_up_to_date() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), "run: sharnir schema > docs/scene.schema.json"


def test_saved_scenes_obey_the_schema(tmp_path: Path) -> None:
    schema = scene_schema()
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    data = json.loads(everything().save(tmp_path / "s.json").read_text(encoding="utf-8"))
    assert list(validator.iter_errors(data)) == []
    for spoilt in (
        data | {"sharnir": 2},
        data | {"extra": 1},
        data | {"gravity": [0, 0]},
        data | {"bodies": {"a": {"mas": 1}}},
        data | {"joints": {"j": {"joint": {"type": "revolut"}, "between": ["world", "a"]}}},
        data | {"joints": {"j": {"joint": {"type": "revolute"}, "between": ["world", "a"], "limits": {"x": 1}}}},
    ):
        assert not validator.is_valid(spoilt)


def test_the_schema_explains_itself() -> None:
    definitions = scene_schema()["$defs"]
    assert "kg m^2" in definitions["BodySpec"]["description"]
    assert all(definition["description"] for definition in definitions.values())
