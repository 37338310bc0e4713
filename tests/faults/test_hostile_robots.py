"""Robots' files that mean harm, or are beyond measure: refused by name, in bounded time and memory."""

from __future__ import annotations

import json
import os
import resource
import struct
import subprocess
import sys
import zlib

import pytest

import sharnir as sh
from sharnir.cli.command import main
from sharnir.view.painting import Looks

LAUGHS = (
    '<!DOCTYPE r [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{i} "&a{i - 1};&a{i - 1};&a{i - 1};&a{i - 1};">' for i in range(1, 40))
    + ']><robot name="&a39;"/>'
)
OUTSIDE = '<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><robot name="r"><link name="&f;"/></robot>'
BALL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def joined(pairs: list[tuple[str, str]], inside: dict[int, str] | None = None) -> str:
    names = dict.fromkeys(name for pair in pairs for name in pair)
    links = "".join(f'<link name="{name}">{BALL}</link>' for name in names)
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="{a}"/><child link="{b}"/>'
        f"{(inside or {}).get(i, '')}</joint>"
        for i, (a, b) in enumerate(pairs)
    )
    return f'<robot name="r">{links}{joints}</robot>'


MESH = (
    '<robot name="r"><link name="a">{}<collision><geometry><mesh filename="{}"/></geometry></collision></link></robot>'
)

REFUSED = {
    "billion laughs": (LAUGHS, "declares a document type, .* take the declaration out$"),
    "external entity": (OUTSIDE, "document type"),
    "parameter entity": ('<!DOCTYPE r [<!ENTITY % p SYSTEM "http://x/">%p;]><robot/>', "document type"),
    "no xml": ("robot: arm", "is not XML"),
    "empty": ("", "is not XML"),
    "cut off": ('<robot name="r"><link name="a">', "is not XML"),
    "another format": ("<svg/>", "begins with <svg>"),
    "not a number": (joined([("a", "b")], {0: '<origin xyz="nan 0 0"/>'}), "xyz is nan; give a finite number"),
    "words": (joined([("a", "b")], {0: '<origin xyz="one 0 0"/>'}), "xyz is 'one'; give a number"),
    "endless mass": (joined([("a", "b")]).replace('value="1"', 'value="inf"'), "value is inf; give a finite number"),
    "circle of mimics": (
        joined([("a", "b"), ("a", "c")], {0: '<mimic joint="j1"/>', 1: '<mimic joint="j0"/>'}),
        "leads back to itself",
    ),
    "circle of links": (joined([("a", "b"), ("b", "c"), ("c", "a")]), "go round in a circle"),
    "circle beside": (joined([("a", "b"), ("c", "d"), ("d", "c")]), "does not hang on 'a'"),
    "two parents": (joined([("a", "c"), ("a", "b"), ("b", "c")]), "hangs on 'a' already"),
    "two roots": (joined([("a", "b"), ("c", "d")]), "2 links that hang on nothing"),
    "no such link": (joined([("a", "b")]).replace('child link="b"', 'child link="x"'), "'x', which is no link"),
    "ten thousand links": (joined([(f"l{i}", f"l{i + 1}") for i in range(10_000)]), "at most 4000 are read"),
    "deep": ("<robot>" + "<a>" * 300 + "</a>" * 300 + "</robot>", "nested deeper than 200"),
    "unknown type": (joined([("a", "b")]).replace("continuous", "elastic"), "its type is 'elastic'"),
    "path out": (MESH.format("", "../../../secret.stl"), "outside of the robot's folder"),
    "far away": (
        joined([("a", "b")], {0: '<origin xyz="1e18 0 0"/>'}),
        "lies 1e[+]18 m away; at most 1e[+]06 m are read",
    ),
    "too heavy": (joined([("a", "b")]).replace('mass value="1"', 'mass value="1e29"'), "weighs 1e[+]29 kg"),
    "absolute path": (MESH.format("", "file:///etc/passwd"), "outside of the robot's folder"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_hostile_files_are_refused_by_name(tmp_path, what):
    text, told = REFUSED[what]
    (tmp_path / "secret.stl").write_text("solid\nendsolid\n")
    file = tmp_path / "a" / "b" / "c" / "robot.urdf"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    with pytest.raises(sh.SceneError, match=told) as refused:
        sh.Scene.load(file)
    assert file.name in str(refused.value)
    assert len(str(refused.value)) < 600


BOUNDED = """
import resource, sys
from pathlib import Path
import sharnir as sh
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for file in sorted(Path(sys.argv[1]).glob("*.urdf")):
    try:
        sh.Scene.load(file)
    except sh.SceneError:
        pass
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used) / 1024)
"""


def test_hostile_files_take_little_memory_and_time(tmp_path):
    """All of them, with a mesh and a file of a gigabyte, end within a bound of the system, and grow by little."""
    for i, (text, _) in enumerate(REFUSED.values()):
        (tmp_path / f"{i}.urdf").write_text(text)
    for name in ("huge.stl", "huge.urdf"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(2**30)
    (tmp_path / "mesh.urdf").write_text(MESH.format(BALL, "huge.stl"))

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))

    command = [sys.executable, "-c", BOUNDED, str(tmp_path)]
    ended = subprocess.run(command, preexec_fn=bound, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert float(ended.stdout) < 300.0  # MiB, of which a file may have 64


def test_a_mesh_of_a_gigabyte_is_not_read(tmp_path):
    with (tmp_path / "huge.stl").open("wb") as file:
        file.truncate(2**30)
    robot = tmp_path / "robot.urdf"
    robot.write_text(MESH.format(BALL, "huge.stl"))
    scene = sh.Scene.load(robot, base="free")
    (lost,) = scene.report.of("ignored")
    assert "1024 MiB" in lost.why and lost.matters == "contact"
    assert scene.bodies["a"].spec.shapes == ()


def test_a_file_of_a_gigabyte_is_not_read(tmp_path):
    robot = tmp_path / "robot.urdf"
    with robot.open("wb") as file:
        file.truncate(2**30)
    with pytest.raises(sh.SceneError, match="has 1024 MiB; at most 64"):
        sh.Scene.load(robot)


def test_a_package_is_found_by_the_search_path_alone(tmp_path):
    package = tmp_path / "far" / "arm_description"
    (package / "meshes").mkdir(parents=True)
    (package / "meshes" / "link.stl").write_text(
        "solid x\n" + "".join(facet(*corners) for corners in TETRAHEDRON) + "endsolid x\n"
    )
    robot = tmp_path / "near" / "urdf" / "robot.urdf"
    robot.parent.mkdir(parents=True)
    robot.write_text(MESH.format(BALL, "package://arm_description/meshes/link.stl"))
    assert sh.Scene.load(robot, base="free").bodies["a"].spec.shapes == ()
    (hull,) = sh.Scene.load(robot, base="free", search=[tmp_path / "far"]).bodies["a"].spec.shapes
    assert isinstance(hull, sh.ConvexHull)


TETRAHEDRON = (((0, 0, 0), (0, 1, 0), (1, 0, 0)), ((0, 0, 0), (1, 0, 0), (0, 0, 1)),
               ((0, 0, 0), (0, 0, 1), (0, 1, 0)), ((1, 0, 0), (0, 1, 0), (0, 0, 1)))  # fmt: skip


def facet(*corners: tuple[int, int, int]) -> str:
    points = "".join(f"vertex {x} {y} {z}\n" for x, y, z in corners)
    return f"facet normal 0 0 0\nouter loop\n{points}endloop\nendfacet\n"


SOFT = '<flexcomp name="f" type="grid" count="20 20 20" spacing=".1 .1 .1" dim="3"/>'
REPEATED = {
    "soft bodies": f'<replicate count="4000">{SOFT}</replicate>',
    "soft bodies in two rows": f'<replicate count="40"><replicate count="40">{SOFT}</replicate></replicate>',
    "geoms": '<replicate count="1000000000"><geom size="1"/></replicate>',
    "bodies": '<replicate count="100"><replicate count="100"><body><geom size="1"/></body></replicate></replicate>',
    "an include": '<replicate count="4000"><include file="part.xml"/></replicate>',
}


@pytest.mark.parametrize("what", REPEATED)
def test_what_mujoco_would_repeat_without_end_is_refused_before_it_begins(tmp_path, what):
    file = tmp_path / "robot.xml"
    file.write_text(f"<mujoco><worldbody>{REPEATED[what]}</worldbody></mujoco>")
    (tmp_path / "part.xml").write_text(
        '<mujocoinclude><replicate count="4000"><geom size="1"/></replicate></mujocoinclude>'
    )
    with pytest.raises(sh.SceneError, match=r"makes more than .* at most"):
        sh.Scene.load(file)


LAUGHING = LAUGHS.removesuffix('<robot name="&a39;"/>')
DAE = (
    '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
    "<asset><contributor>{}</contributor></asset></COLLADA>"
)


@pytest.mark.parametrize(
    "name, root", [("robot.sdf", "<sdf version='1.9'>{}</sdf>"), ("robot.xml", "<mujoco>{}</mujoco>")]
)
@pytest.mark.parametrize("head, inside", [(LAUGHING, "&a39;"), (OUTSIDE.partition("<robot")[0], "&f;")])
def test_entities_are_refused_in_every_format(tmp_path, name, root, head, inside):
    (tmp_path / name).write_text(head + root.format(inside))
    with pytest.raises(sh.SceneError, match=rf"{name}.*document type"):
        sh.Scene.load(tmp_path / name)


@pytest.mark.parametrize("head, inside", [(LAUGHING, "&a39;"), (OUTSIDE.partition("<robot")[0], "&f;")])
def test_a_mesh_of_collada_with_entities_is_not_expanded(tmp_path, head, inside):
    pytest.importorskip("collada")
    (tmp_path / "mesh.dae").write_text(head + DAE.format(inside))
    (tmp_path / "mesh.urdf").write_text(MESH.format(BALL, "mesh.dae"))
    command = [sys.executable, "-c", BOUNDED, str(tmp_path)]
    ended = subprocess.run(
        command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60)), capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    assert float(ended.stdout) < 300.0  # MiB


@pytest.mark.parametrize(
    "how", ["subLayers = [@/etc/hostname@]", "references = @/etc/hostname@", "payload = @/etc/hostname@"]
)
def test_usd_that_is_composed_of_files_outside_is_refused(tmp_path, how):
    pytest.importorskip("pxr")
    inside = f'def Xform "a" ( prepend {how} ) {{}}'
    text = f"#usda 1.0\n(\n    {how}\n)\n" if how.startswith("sub") else f"#usda 1.0\n{inside}\n"
    (tmp_path / "robot.usda").write_text(text)
    with pytest.raises(sh.SceneError, match="outside of the robot's folder"):
        sh.Scene.load(tmp_path / "robot.usda")


def test_usd_layers_that_include_each_other_end(tmp_path):
    pytest.importorskip("pxr")
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.usda").write_text(f"#usda 1.0\n(\n    subLayers = [@./{other}.usda@]\n)\n")
    with pytest.raises(sh.SceneError, match=r"a\.usda"):
        sh.Scene.load(tmp_path / "a.usda")


def _counted_in_vain(kind: str) -> bytes:
    """A mesh whose head declares thousands of millions of parts that are not there."""
    number = 4_000_000_000
    if kind == "stl":
        return b"x" * 80 + struct.pack("<I", number) + bytes(50)
    if kind == "ply":
        lists = f"element face {number}\nproperty list uchar int vertex_indices\nend_header\n"
        axes = "".join(f"property float {axis}\n" for axis in "xyz")
        return f"ply\nformat binary_little_endian 1.0\nelement vertex {number}\n{axes}{lists}".encode()
    if kind == "obj":
        return f"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 {number}\n".encode()
    held = {"asset": {"version": "2.0"}, "buffers": [{"byteLength": number}], "scene": 0, "scenes": [{"nodes": [0]}]}
    held |= {"bufferViews": [{"buffer": 0, "byteLength": number}], "nodes": [{"mesh": 0}]}
    held |= {"accessors": [{"bufferView": 0, "componentType": 5126, "count": number // 12, "type": "VEC3"}]}
    held |= {"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]}
    text = json.dumps(held).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text), len(text), b"JSON") + text


@pytest.mark.parametrize("kind", ["stl", "ply", "obj", "glb"])
def test_a_mesh_that_declares_more_than_it_holds_is_told_and_takes_no_memory(tmp_path, kind):
    (tmp_path / f"mesh.{kind}").write_bytes(_counted_in_vain(kind))
    (tmp_path / "mesh.urdf").write_text(MESH.format(BALL, f"mesh.{kind}"))
    ended = subprocess.run([sys.executable, "-c", BOUNDED, str(tmp_path)], capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
    assert float(ended.stdout) < 300.0  # MiB
    (lost,) = sh.Scene.load(tmp_path / "mesh.urdf", base="free").report.of("ignored")
    assert f"mesh.{kind}" in lost.what + lost.why and lost.matters == "contact"


SDF = '<sdf version="1.9"><model name="m">{}</model></sdf>'
RIGID = '#usda 1.0\ndef Xform "b" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] )\n{{\n{}\n}}\n'
CUBE = 'def Cube "c{}" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] )\n{{\n}}\n'
SEEN = '<link name="l"><visual name="v"><geometry><mesh><uri>{}</uri></mesh></geometry></visual></link>'
TOUCHED = '( prepend apiSchemas = ["PhysicsCollisionAPI"] )'
OTHERS = {
    "sdf that includes itself": ("robot.sdf", SDF.format("<include><uri>robot.sdf</uri></include>"), "includes itself"),
    "sdf, no number": ("robot.sdf", SDF.format('<link name="l"><pose>nan 0 0 0 0 0</pose></link>'), "pose is nan"),
    "sdf, frames in a circle": (
        "robot.sdf",
        SDF.format('<frame name="a" attached_to="b"/><frame name="b" attached_to="a"/>'
                   '<link name="l"><pose relative_to="a">0 0 0 0 0 0</pose></link>'),
        "leads back to itself",
    ),
    "sdf, a path out": (
        "robot.sdf",
        SDF.format(SEEN.format("/etc/passwd")),
        "outside of the robot's folder",
    ),
    "sdf of 10,000 links": (
        "robot.sdf", SDF.format("".join(f'<link name="l{i}"/>' for i in range(10_000))), "at most 4000 are read",
    ),
    "usd of 10,000 bodies": (
        "robot.usda",
        "#usda 1.0\n" + "".join(CUBE.format(i) for i in range(10_000)),
        "at most 4000 are read",
    ),
    "sdf, endless mass": (
        "robot.sdf", SDF.format('<link name="l"><inertial><mass>inf</mass></inertial></link>'), "mass is inf; give",
    ),
    "mjcf, colour": (
        "robot.xml",
        '<mujoco><worldbody><body><freejoint/><geom size="1" rgba="nan 0 0 1"/></body></worldbody></mujoco>',
        "geom_rgba holds a number that is not finite",
    ),
    "mjcf, gear": (
        "robot.xml",
        '<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>'
        '<actuator><motor joint="j" gear="1e308"/></actuator></mujoco>',
        "holds a number that is not finite, or beyond 1e+30",
    ),
    "usd, unit": ("robot.usda", "#usda 1.0\n(\nmetersPerUnit = nan\n)\n" + CUBE.format(1), "metersPerUnit is nan"),
    "usd, neither text nor binary": ("robot.usd", "nothing of the kind", "is no USD file"),
    "usd, an archive": ("robot.usdz", "PK", "is an archive; unpack it"),
    "usd, no number": (
        "robot.usda",
        RIGID.format('double3 xformOp:translate = (nan, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]'),
        "no finite transform",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", OTHERS)
def test_hostile_files_of_sdf_and_usd_are_refused_by_name_at_the_command_line(tmp_path, capsys, what):
    name, text, told = OTHERS[what]
    if ".usd" in name:
        pytest.importorskip("pxr")
    if name.endswith("xml"):
        pytest.importorskip("mujoco")
    (tmp_path / name).write_text(text)
    assert main(["import", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert told in said and name in said and "Traceback" not in said


@pytest.mark.parametrize(
    "name", ["x" * 300 + "/a.stl", "package://" + "x" * 300 + "/a.stl", "circle/a.stl", "pipe.stl"]
)
def test_names_that_no_file_can_have_are_told(tmp_path, name):
    (tmp_path / "circle").symlink_to("circle")
    os.mkfifo(tmp_path / "pipe.stl")
    (tmp_path / "robot.urdf").write_text(MESH.format(BALL, name))
    (lost,) = sh.Scene.load(tmp_path / "robot.urdf").report.of("ignored")
    assert "there is no file" in lost.why and lost.matters == "contact" and len(lost.why) < 200


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "robot.urdf")
    with pytest.raises(sh.SceneError, match=r"robot\.urdf is no plain file"):
        sh.Scene.load(tmp_path / "robot.urdf")


def test_a_file_of_two_bytes_a_letter_is_read(tmp_path):
    text = f'<?xml version="1.0" encoding="UTF-16"?>{joined([("плечо", "кисть")])}'
    (tmp_path / "robot.urdf").write_bytes(text.encode("utf-16"))
    assert "кисть" in sh.Scene.load(tmp_path / "robot.urdf").bodies


def test_the_weakest_motor_there_could_be_is_none(tmp_path):
    """A servo was sought for it without end."""
    limit = '<limit lower="-1" upper="1" effort="1e-320" velocity="1"/>'
    text = joined([("a", "b")], {0: limit}).replace("continuous", "revolute")
    (tmp_path / "robot.urdf").write_text(text)
    scene = sh.Scene.load(tmp_path / "robot.urdf")
    assert not scene.joints["j0"].drives and "so the joint has no motor" in str(scene.report)


def picture(width: int, height: int) -> bytes:
    """A PNG file of black pixels, a thousandth of their size."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(1 + 3 * width)) for _ in range(height)) + packer.flush()
    parts = ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    chunks = (struct.pack(">I", len(d)) + kind + d + struct.pack(">I", zlib.crc32(kind + d)) for kind, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


TOO_LARGE = "names the picture 'black.png' of more than 67 million pixels"


def test_pictures_with_too_many_pixels_are_not_read(tmp_path):
    """50,000 pixels wide, 300 MB in memory, of a file of 300 kB."""
    (tmp_path / "black.png").write_bytes(picture(50_000, 2_000))
    skin = '<material name="m"><texture filename="black.png"/></material>'
    box = (
        f'<robot name="r"><link name="a"><visual><geometry><box size="1 1 1"/></geometry>{skin}</visual></link></robot>'
    )
    (tmp_path / "robot.urdf").write_text(box)
    with pytest.raises(sh.SceneError, match=TOO_LARGE):
        sh.Scene.load(tmp_path / "robot.urdf")
    (tmp_path / "m.mtl").write_text("newmtl m\nmap_Kd black.png\n")
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n"
    (tmp_path / "m.obj").write_text(f"mtllib m.mtl\n{corners}usemtl m\nf 1/1 2/2 3/3\n")
    (tmp_path / "mesh.urdf").write_text(MESH.format(BALL, "m.obj").replace("collision", "visual"))
    (lost,) = sh.Scene.load(tmp_path / "mesh.urdf").report.of("ignored")
    assert TOO_LARGE in lost.why and lost.matters == "looks"
    looks = Looks()
    assert looks.texture(str(tmp_path / "black.png")) is None and "67 million pixels" in looks.told[0]
    pytest.importorskip("mujoco")
    worn = '<asset><texture name="t" type="2d" file="black.png"/></asset>'
    (tmp_path / "robot.xml").write_text(f"<mujoco>{worn}<worldbody><geom size='1'/></worldbody></mujoco>")
    with pytest.raises(sh.SceneError, match=TOO_LARGE):
        sh.Scene.load(tmp_path / "robot.xml")


BROKEN = {
    "colour": ('def Cube "c" {}\n{{\ncolor3f[] primvars:displayColor = [(nan, 0, 0)]\n}}', "its colour is"),
    "corners": (
        'def Mesh "m" {}\n{{\nint[] faceVertexCounts = [2000000000]\nint[] faceVertexIndices = [0, 1, 2]\n'
        "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n}}",
        "3 faceVertexIndices where its faceVertexCounts need 2000000000",
    ),
    "endless": ('def Sphere "s" {}\n{{\ndouble radius = inf\n}}', "radius is infinite; give a finite number"),
    "no number": ('def Cube "c" {}\n{{\ndouble size = nan\n}}', "size is not a number; give a finite one"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_usd_shape_that_cannot_be_is_told_and_left_out(tmp_path, what):
    pytest.importorskip("pxr")
    shape, why = BROKEN[what]
    (tmp_path / "robot.usda").write_text(RIGID.format(shape.format(TOUCHED)))
    scene = sh.Scene.load(tmp_path / "robot.usda")
    (lost,) = scene.report.of("ignored")
    assert why in lost.why and lost.matters == "contact" and scene.bodies["b"].spec.shapes == ()


@pytest.mark.parametrize(
    "name, inside, told",
    [
        ("../../../leg.xml", "<body name='leg'/>", "outside of the robot's folder"),
        ("leg.xml", SOFT.join(["<replicate count='4000'>", "</replicate>"]), "makes more than .* at most"),
        ("leg.xml", "<replicate count='200'><body><geom size='1'/></body></replicate>", "makes more than 4000 bodies"),
        ("leg.xml", "<attach model='leg' body='x' prefix='y'/>", "one of them includes itself"),
    ],
)
def test_parts_that_are_attached_are_bounded_as_what_is_included(tmp_path, name, inside, told):
    """A part of another file may lie outside, or repeat without end; it is refused before MuJoCo opens it."""
    file = tmp_path / "a" / "b" / "c" / "robot.xml"
    file.parent.mkdir(parents=True)
    for folder in (tmp_path, file.parent):
        (folder / "leg.xml").write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    attach = '<replicate count="100"><attach model="leg" body="x" prefix="l_"/></replicate>'
    file.write_text(f'<mujoco><asset><model name="leg" file="{name}"/></asset><worldbody>{attach}</worldbody></mujoco>')
    with pytest.raises(sh.SceneError, match=told):
        sh.Scene.load(file)


@pytest.mark.parametrize("instanceable", ["false", "true"])
def test_prims_that_double_with_every_line_are_refused_before_they_are_made(tmp_path, instanceable):
    """Nine prims, each of which refers ten times to the one before: a thousand million of them."""
    pytest.importorskip("pxr")
    refers = 'def "c{}" (\n instanceable = {}\n prepend references = </p{}>\n)\n{{\n}}\n'
    parts = ['def Cube "c"\n{\n}\n']
    parts += ["".join(refers.format(k, instanceable, i) for k in range(10)) for i in range(9)]
    lines = [f'def Xform "p{i}"\n{{\n{inside}}}\n' for i, inside in enumerate(parts)]
    body = 'def Xform "b" (\n prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n prepend references = </p9>\n)\n{\n}\n'
    (tmp_path / "robot.usda").write_text("#usda 1.0\n" + "".join(lines) + body)
    with pytest.raises(sh.SceneError, match="makes more than 200000 prims"):
        sh.Scene.load(tmp_path / "robot.usda")
