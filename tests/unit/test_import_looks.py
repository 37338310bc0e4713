"""What a robot looks like: parts with colours and textures, each file once, mirrored right, no more than fits."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from PIL import Image

import sharnir as sh
from sharnir.view.painting import Looks
from sharnir.view.world import world_of

OBJ = """mtllib sign.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 1 1
usemtl picture
f 1/1 2/2 3/3
f 1/1 3/3 4/2
usemtl red
f 1/1 2/2 5/3
"""
MTL = "newmtl picture\nKd 0.6 0.6 0.6\nmap_Kd sign.png\nnewmtl red\nKd 1 0 0\n"
ROBOT = """<robot name="r">
  <link name="a">{}</link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>{}</link>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
</robot>"""
SIGN = '<visual><geometry><mesh filename="sign.obj"{}/></geometry></visual>'


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "sign.obj").write_text(OBJ)
    (tmp_path / "sign.mtl").write_text(MTL)
    Image.new("RGB", (2048, 8), (10, 200, 30)).save(tmp_path / "sign.png")
    file = tmp_path / "robot.urdf"
    file.write_text(ROBOT.format(SIGN.format(""), SIGN.format("") + SIGN.format(' scale="-2 1 1"')))
    return file


def points(packed: dict[str, str], name: str, kind: str, width: int) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed[name]), kind).reshape(-1, width)


def test_parts_have_their_colours_and_textures_and_each_file_is_packed_once(robot):
    world = world_of(sh.Scene.load(robot))
    first, second = (body["shapes"] for body in world["bodies"])
    assert {(part["color"], part["texture"]) for part in first} == {("#ffffff", 0), ("#ff0000", None)}
    assert [part["surface"] for part in first] == [part["surface"] for part in second[:2]]
    assert len(world["surfaces"]) == 4  # two parts, and the same two mirrored
    (texture,) = world["textures"]
    assert texture.startswith("data:image/jpeg;base64,")
    import io

    assert Image.open(io.BytesIO(base64.b64decode(texture.partition(",")[2]))).size == (1024, 4)
    assert world["told"] == []


def test_a_mirrored_mesh_is_not_inside_out(robot):
    world = world_of(sh.Scene.load(robot))
    plain, mirrored = (part for part in world["bodies"][1]["shapes"] if part["texture"] == 0)
    normals = []
    for part in (plain, mirrored):
        packed = world["surfaces"][part["surface"]]
        corners = points(packed, "vertices", "<f4", 3)[points(packed, "triangles", "<u4", 3)]
        normals.append(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    assert np.all(normals[0][:, 2] == 1.0) and np.all(normals[1][:, 2] == 2.0)
    assert mirrored["bounds"] == [[-2.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


def test_what_does_not_fit_is_drawn_as_a_hull_and_told(robot):
    mesh = sh.Mesh(file=str(robot.parent / "sign.obj"))
    looks = Looks(most=10)
    (hull,) = looks.parts(mesh)
    assert looks.told == ["'sign.obj' does not fit and is drawn as its hull"]
    assert hull["color"] is None and len(looks.surfaces) == 1


def test_visuals_weigh_and_touch_nothing(robot):
    scene = sh.Scene.load(robot, base="free")
    scene.ground(height=-0.5)
    assert scene.bodies["b"].properties.mass == 1.0
    from sharnir.model.contacts import collides

    assert not collides(scene)


def test_a_texture_that_is_not_there_is_named(robot):
    with pytest.raises(sh.SceneError, match=r"body 'x': Box texture: there is no file 'no\.png'"):
        sh.Scene().body("x", sh.Box(1, 1, 1, mass=1, texture="no.png"))


def test_pictures_are_found_beside_the_meshes_and_not_outside(robot, tmp_path):
    folder = robot.parent
    for name in ("inside/meshes", "inside/pictures"):
        (folder / name).mkdir(parents=True)
    (folder / "inside" / "meshes" / "sign.obj").write_text(OBJ)
    (folder / "sign.png").rename(folder / "inside" / "pictures" / "sign.png")
    for place, count in (("../pictures/sign.png", 1), ("../../../sign.png", 0)):
        (folder / "inside" / "meshes" / "sign.mtl").write_text(MTL.replace("sign.png", place))
        (folder.parent / "sign.png").write_bytes((folder / "inside" / "pictures" / "sign.png").read_bytes())
        mesh = folder / "inside" / "meshes" / "sign.obj"
        mesh.write_text(OBJ + "\n" * count)  # another file, as far as what was read before is concerned
        looks = Looks()
        looks.parts(sh.Mesh(file=str(mesh)))
        assert len(looks.textures) == count


def test_the_numbers_of_materials_come_from_their_files(tmp_path):
    """Roughness and metalness of glTF and SDF; what the robot's file says of a mesh holds before the mesh's own."""
    import trimesh

    box = trimesh.creation.box((0.1, 0.1, 0.1))
    material = trimesh.visual.material.PBRMaterial(
        baseColorFactor=[200, 100, 50, 255], metallicFactor=0.75, roughnessFactor=0.25
    )
    box.visual = trimesh.visual.TextureVisuals(uv=np.zeros((len(box.vertices), 2)), material=material)
    box.export(tmp_path / "box.glb")
    scene = sh.Scene("chrome")
    mesh = sh.Mesh(file=str(tmp_path / "box.glb"), collides=False)
    scene.body("own", mesh, fixed=True)
    scene.body("said", sh.Mesh(file=str(tmp_path / "box.glb"), collides=False, roughness=0.9), fixed=True)
    own, said = (body["shapes"][0] for body in world_of(scene)["bodies"])
    assert (own["roughness"], own["metalness"]) == (0.25, 0.75)
    assert (said["roughness"], said["metalness"]) == (0.9, 0.75)
    (tmp_path / "a.sdf").write_text(
        """<sdf version="1.9"><model name="m"><link name="l"><visual name="v"><geometry><sphere>
        <radius>1</radius></sphere></geometry><material><diffuse>1 0 0 1</diffuse><pbr><metal><metalness>0.5</metalness>
        <roughness>0.125</roughness></metal></pbr></material></visual></link></model></sdf>"""
    )
    (ball,) = sh.Scene.load(tmp_path / "a.sdf").bodies["l"].spec.shapes
    assert (ball.roughness, ball.metalness, ball.color) == (0.125, 0.5, "#ff0000")


def test_every_geom_has_its_own_material(tmp_path):
    pytest.importorskip("mujoco")
    (tmp_path / "m.xml").write_text(
        """<mujoco><asset><material name="steel" rgba="0.5 0.5 0.6 1" metallic="1" roughness="0.25"/>
        <material name="lamp" rgba="1 1 0 1" emission="0.5"/></asset><worldbody><body name="b"><freejoint/>
        <geom size="0.1" material="steel"/><geom size="0.1" pos="0 0 1" material="lamp"/>
        <geom size="0.1" rgba="0 1 0 1"/>
        </body></worldbody></mujoco>"""
    )
    steel, lamp, plain = sh.Scene.load(tmp_path / "m.xml").bodies["b"].spec.shapes
    assert (steel.metalness, steel.roughness, steel.glow) == (1.0, 0.25, 0.0)
    assert (lamp.glow, lamp.metalness, lamp.color) == (0.5, None, "#ffff00")
    assert (plain.color, plain.roughness) == ("#00ff00", None)


def test_a_scene_file_in_another_folder_names_the_same_meshes(robot, tmp_path):
    scene = sh.Scene.load(robot)
    (tmp_path / "elsewhere").mkdir()
    again = sh.Scene.load(scene.save(tmp_path / "elsewhere" / "robot.yaml"))
    assert [body.spec for body in again.bodies.values()] == [body.spec for body in scene.bodies.values()]


def test_a_cube_with_one_picture_is_drawn_on_boxes_and_told_on_others(tmp_path):
    pytest.importorskip("mujoco")
    Image.new("RGB", (4, 4), "#336699").save(tmp_path / "wood.png")
    sheet = Image.new("RGB", (12, 16), "#000000")
    sheet.paste("#ffffff", (4, 4, 8, 8))
    sheet.save(tmp_path / "sides.png")
    (tmp_path / "robot.xml").write_text("""
<mujoco>
  <asset>
    <texture name="wood" type="cube" file="wood.png"/>
    <texture name="sides" type="cube" file="sides.png" gridsize="4 3" gridlayout=".U..LFRB.D.."/>
    <material name="wood" texture="wood"/> <material name="sides" texture="sides"/>
  </asset>
  <worldbody>
    <body name="box"><freejoint/><geom type="box" size="1 1 1" material="wood"/></body>
    <body name="ball"><freejoint/><geom size="1" material="wood"/></body>
    <body name="dice"><freejoint/><geom type="box" size="1 1 1" material="sides"/></body>
  </worldbody>
</mujoco>""")
    scene = sh.Scene.load(tmp_path / "robot.xml")
    seen = {name: body.spec.shapes[0].texture for name, body in scene.bodies.items()}
    assert seen["box"] and seen["box"].endswith("wood.png") and seen["ball"] is None and seen["dice"] is None
    told = [entry.what for entry in scene.report.of("ignored") if "cube's picture" in entry.why]
    assert told == ["texture 'wood.png'", "texture 'sides.png'"]
