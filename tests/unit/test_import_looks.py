"""What a robot looks like: parts with colours and textures, each file once, mirrored right, no more than fits."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest
import trimesh
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


COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="1"/></asset>
<library_images><image id="sign"><init_from>sign.png</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON>
  <newparam sid="sign-surface"><surface type="2D"><init_from>sign</init_from></surface></newparam>
  <newparam sid="sign-sampler"><sampler2D><source>{}</source></sampler2D></newparam>
  <technique sid="common"><phong><diffuse><texture texture="sign-sampler" texcoord="UV"/></diffuse></phong></technique>
</profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
    <accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
    <param name="Z" type="float"/></accessor></technique_common></source>
  <source id="t"><float_array id="ta" count="6">0 0 1 0 0 1</float_array><technique_common>
    <accessor source="#ta" count="3" stride="2"><param name="S" type="float"/><param name="T" type="float"/></accessor>
    </technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <triangles count="1" material="worn"><input semantic="VERTEX" source="#v" offset="0"/>
    <input semantic="TEXCOORD" source="#t" offset="1" set="0"/><p>0 0 1 1 2 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"><bind_material><technique_common>
  <instance_material symbol="worn" target="#m"/></technique_common></bind_material></instance_geometry></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


@pytest.mark.parametrize("surface", ["sign-surface", "sign_001-surface"])
def test_a_collada_material_that_names_its_surface_wrongly_is_read(robot, surface):
    """As the feet of example-robot-data's ANYmal have it; pycollada leaves such a mesh out."""
    pytest.importorskip("collada")
    robot.with_name("sign.dae").write_text(COLLADA.format(surface))
    robot.write_text(robot.read_text().replace("sign.obj", "sign.dae"))
    world = world_of(sh.Scene.load(robot))
    (part,) = world["bodies"][0]["shapes"]
    assert part["texture"] == 0 and len(world["textures"]) == 1


BARE = '<link name="{}"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>'
WELDED = '<joint name="w" type="fixed"><parent link="b"/><child link="c"/></joint>'


def test_what_touches_is_seen_where_nothing_else_of_its_body_is(robot):
    """A foot welded to a leg that has a mesh is not; one by itself is."""
    text = robot.read_text().replace("</robot>", BARE.format("c") + WELDED + "</robot>")
    robot.write_text(text)
    assert [shape.visible for shape in sh.Scene.load(robot).bodies["b"].spec.shapes] == [True, True, False]
    robot.write_text(text.replace(SIGN.format(""), "").replace(SIGN.format(' scale="-2 1 1"'), ""))
    assert [shape.visible for shape in sh.Scene.load(robot).bodies["b"].spec.shapes] == [True]


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


CUBES = """
<mujoco>
  <asset>
    <texture name="six" type="cube" fileright="right.png" fileleft="left.png" fileup="up.png" filedown="down.png"
      filefront="front.png" rgb1="1 0 0"/>
    <texture name="grid" type="cube" file="grid.png" gridsize="3 4" gridlayout=".U..LFRB.D.."/>
    <material name="six" texture="six"/> <material name="grid" texture="grid" texuniform="true"/>
  </asset>
  <worldbody>
    <body name="dice"><freejoint/><geom type="box" size="1 1 3" material="six"/></body>
    <body name="long"><freejoint/><geom type="box" size="1 1 3" material="grid"/></body>
    <body name="ball"><freejoint/><geom size="2" material="grid"/></body>
    <body name="pill"><freejoint/><geom type="capsule" size="1 2" material="six"/></body>
    <body name="tin"><freejoint/><geom type="cylinder" size="1 2" material="six"/></body>
    <body name="egg"><freejoint/><geom type="ellipsoid" size="1 2 3" material="six"/></body>
  </worldbody>
</mujoco>"""


@pytest.fixture
def cubes(tmp_path):
    pytest.importorskip("mujoco")
    for side in ("right", "left", "up", "down", "front"):
        Image.new("RGB", (4, 4), "#336699").save(tmp_path / f"{side}.png")
    Image.new("RGB", (16, 12), "#336699").save(tmp_path / "grid.png")
    (tmp_path / "robot.xml").write_text(CUBES)
    return sh.Scene.load(tmp_path / "robot.xml")


def _seen(scene, name):
    return [shape for shape in scene.bodies[name].spec.shapes if shape.visible]


def test_the_sides_of_a_cube_have_the_places_and_the_ways_of_mujocos_renderer(cubes):
    """Which vertex shows the upper left corner of each picture: as MuJoCo draws it, looked at there."""
    first = {}
    for part in _seen(cubes, "dice"):
        name = "back" if part.texture is None else Path(part.texture).stem
        if part.uv is None:
            assert part.color == "#ff0000" and all(vertex[2] == -3.0 for vertex in part.vertices)
            continue
        first[name] = next(v for v, uv in zip(part.vertices, part.uv, strict=True) if uv == (0.0, 1.0))
    assert first == {
        "right": (1, 1, 3),
        "left": (-1, 1, -3),
        "up": (-1, 1, -3),
        "down": (-1, -1, 3),
        "front": (-1, 1, 3),
    }
    assert not [entry for entry in cubes.report.of("ignored") if entry.matters == "looks" and "rgb1" not in entry.what]


def test_a_uniform_cube_is_laid_on_by_the_real_size_and_a_grid_by_its_cells(cubes):
    parts = _seen(cubes, "long")
    assert {Path(part.texture).name for part in parts} == {"grid.png"}
    cells = {tuple(np.floor(np.mean(part.uv, axis=0) * (4, 3)).astype(int)): part for part in parts}
    front = cells[(1, 1)]  # the middle row from below, the second column: what looks up, down to z = |x|, |y|
    assert np.min(front.vertices, axis=0)[2] == pytest.approx(1.0)
    assert {*cells} == {(0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (3, 1)}


@pytest.mark.parametrize("name", ["ball", "pill", "tin", "egg", "dice", "long"])
def test_what_wears_a_cube_has_the_surface_it_had_and_touches_as_before(cubes, name):
    parts = [trimesh.Trimesh(part.vertices, part.triangles, process=False) for part in _seen(cubes, name)]
    (touched,) = (shape for shape in cubes.bodies[name].spec.shapes if shape.collides)
    assert not touched.visible and touched.texture is None
    area = {
        "ball": 16 * np.pi,
        "pill": 12 * np.pi,
        "tin": 10 * np.pi,
        "egg": 48.882,
        "dice": 56.0,
        "long": 56.0,
    }[name]
    assert sum(part.area for part in parts) == pytest.approx(area, rel=0.02)


USD_PICTURE = """#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Z"
)
def Xform "box" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
{
    float physics:mass = 1
    vector3f physics:velocity = (100, 0, 0)
    vector3f physics:angularVelocity = (0, 0, 180)
    double3 xformOp:translate = (0, 0, 100)
    float xformOp:rotateZ = 90
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ"]
    def Mesh "plate" ( prepend apiSchemas = ["MaterialBindingAPI"] )
    {
        int[] faceVertexCounts = [4, 3]
        int[] faceVertexIndices = [0, 1, 2, 3, 0, 3, 4]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (-1, 0, 0)]
        texCoord2f[] primvars:map = [(0, 0), (1, 0), (1, 1), (0, 1), (0.5, 0.5), (0, 1), (0, 0)] (
            interpolation = "faceVarying" )
        rel material:binding = </looks>
    }
}
def Material "looks"
{
    token outputs:surface.connect = </looks/surface.outputs:surface>
    string inputs:name = "map"
    def Shader "surface"
    {
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </looks/picture.outputs:rgb>
        token outputs:surface
    }
    def Shader "picture"
    {
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @FILE@
        float2 inputs:st.connect = </looks/moved.outputs:result>
        float3 outputs:rgb
    }
    def Shader "moved"
    {
        uniform token info:id = "UsdTransform2d"
        float2 inputs:in.connect = </looks/reader.outputs:result>
        float2 inputs:scale = (2, 1)
        float inputs:rotation = 90
        float2 inputs:translation = (1, 0)
        float2 outputs:result
    }
    def Shader "reader"
    {
        uniform token info:id = "UsdPrimvarReader_float2"
        string inputs:varname.connect = </looks.inputs:name>
        float2 outputs:result
    }
}
"""


def _usd(folder, picture="wood.png", text=USD_PICTURE):
    pytest.importorskip("pxr")
    (folder / "robot.usda").write_text(text.replace("FILE", picture))
    return sh.Scene.load(folder / "robot.usda")


def test_a_usd_mesh_wears_the_picture_of_its_preview_surface(tmp_path):
    Image.new("RGB", (4, 4), "#336699").save(tmp_path / "wood.png")
    scene = _usd(tmp_path)
    (plate,) = scene.bodies["box"].spec.shapes
    assert Path(plate.texture) == tmp_path / "wood.png" and plate.color is None
    shown = {(vertex, uv) for vertex, uv in zip(plate.vertices, plate.uv, strict=True)}
    near = {(tuple(np.round(v, 9)), tuple(np.round(uv, 9))) for v, uv in shown}
    # (u, v) becomes (1 - v, 2 u); the vertex at the origin lies on a seam
    assert near == {
        ((0, 0, 0), (1, 0)), ((0.01, 0, 0), (1, 2)), ((0.01, 0.01, 0), (0, 2)), ((0, 0.01, 0), (0, 0)),
        ((0, 0, 0), (0.5, 1)), ((-0.01, 0, 0), (1, 0)),
    }  # fmt: skip
    assert len(plate.triangles) == 3
    again = sh.Scene.load(scene.save(tmp_path / "robot.yaml"))
    assert again.bodies["box"].spec == scene.bodies["box"].spec
    drawn = world_of(scene)
    (shape,) = drawn["bodies"][0]["shapes"]
    assert shape["uv"] and shape["texture"] == 0 and shape["color"] == "#ffffff" and len(drawn["textures"]) == 1


def test_a_usd_picture_that_is_not_there_or_not_laid_on_is_told_and_one_outside_refused(tmp_path):
    told = [entry.why for entry in _usd(tmp_path).report.of("ignored")]
    assert "there is no such file" in told
    Image.new("RGB", (4, 4), "#336699").save(tmp_path / "wood.png")
    bare = _usd(tmp_path, text=USD_PICTURE.replace("primvars:map", "primvars:other"))
    assert any("has no primvar 'map'" in entry.why for entry in bare.report.of("ignored"))
    with pytest.raises(sh.SceneError, match="outside of the robot's folder"):
        _usd(tmp_path, "/etc/passwd")


def test_a_usd_body_starts_as_fast_as_its_file_says_in_its_own_axes(tmp_path):
    body = _usd(tmp_path).bodies["box"].spec
    assert body.velocity == pytest.approx((0.0, 1.0, 0.0)) and body.angular_velocity == pytest.approx((0, 0, np.pi))
    assert not [e for e in _usd(tmp_path).report.of("ignored") if "elocity" in e.what]
    with pytest.raises(sh.SceneError, match=r"physics:velocity is .*nan.*; give finite"):
        _usd(tmp_path, text=USD_PICTURE.replace("(100, 0, 0)", "(nan, 0, 0)"))


def test_faces_of_a_usd_mesh_with_a_material_of_their_own_are_painted_by_themselves(tmp_path):
    Image.new("RGB", (4, 4), "#336699").save(tmp_path / "wood.png")
    subset = """uniform token orientation = "leftHanded"
        def GeomSubset "red" ( prepend apiSchemas = ["MaterialBindingAPI"] )
        {
            uniform token elementType = "face"
            uniform token familyName = "materialBind"
            int[] indices = [1]
            rel material:binding = </red>
        }
        rel material:binding = </looks>"""
    red = """
def Material "red"
{
    token outputs:surface.connect = </red/surface.outputs:surface>
    def Shader "surface"
    {
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor = (1, 0, 0)
        float inputs:roughness = 0.25
        token outputs:surface
    }
}
"""
    scene = _usd(tmp_path, text=USD_PICTURE.replace("rel material:binding = </looks>", subset) + red)
    painted, plain = scene.bodies["box"].spec.shapes
    assert painted.color == "#ff0000" and painted.roughness == 0.25 and painted.texture is None
    assert painted.vertices == ((0, 0, 0), (0, 0.01, 0), (-0.01, 0, 0))
    assert painted.triangles == ((2, 1, 0),)  # its file has the other side outside
    assert plain.color is None and Path(plain.texture).name == "wood.png" and len(plain.triangles) == 2
    assert [entry.what for entry in scene.report.of("ignored")] == []


def test_a_picture_that_nothing_lays_on_a_usd_shape_is_told(tmp_path):
    Image.new("RGB", (4, 4), "#336699").save(tmp_path / "wood.png")
    cube = 'def Cube "cube" ( prepend apiSchemas = ["MaterialBindingAPI"] )\n{\nrel material:binding = </looks>\n}'
    scene = _usd(tmp_path, text=USD_PICTURE.replace('def Mesh "plate"', f'{cube}\n    def Mesh "plate"'))
    (told,) = (entry for entry in scene.report.of("ignored") if entry.what == "picture 'wood.png'")
    assert "Cube has no primvar" in told.why and told.matters == "looks"


def test_the_velocity_of_a_usd_body_is_that_of_its_centre_of_mass(tmp_path):
    text = USD_PICTURE.replace(
        "float physics:mass = 1", "float physics:mass = 1\n    point3f physics:centerOfMass = (0, 50, 0)"
    )
    body = _usd(tmp_path, text=text).bodies["box"].spec
    # in the body's axes: (1, 0, 0) - pi z x (0, 0.5, 0) = (1 + pi / 2, 0, 0), and the body is turned by 90 degrees
    assert body.velocity == pytest.approx((0.0, 1.0 + np.pi / 2.0, 0.0))


def test_the_colours_of_a_mesh_hold_before_that_of_the_robots_file(tmp_path):
    """As in RViz: a mesh that is coloured keeps its colours, one that is not takes the material's."""
    corners = ("0 0 0", "1 0 0", "0 1 0", "0 0 1")
    faces = "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
    for name, kinds, color in (("plain", (), ""), ("painted", ("red", "green", "blue"), " 255 0 0")):
        head = "ply\nformat ascii 1.0\nelement vertex 4\n" + "".join(f"property float {axis}\n" for axis in "xyz")
        head += "".join(f"property uchar {kind}\n" for kind in kinds)
        head += "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
        (tmp_path / f"{name}.ply").write_text(head + "".join(f"{one}{color}\n" for one in corners) + faces)
    visual = (
        '<visual><geometry><mesh filename="{}.ply"/></geometry><material name="b"><color rgba="0 0 1 1"/></material>'
    )
    seen = "".join(visual.format(name) + "</visual>" for name in ("plain", "painted"))
    (tmp_path / "robot.urdf").write_text(f'<robot name="r"><link name="a">{seen}</link></robot>')
    plain, painted = sh.Scene.load(tmp_path / "robot.urdf").bodies["a"].spec.shapes
    assert plain.color == "#0000ff" and painted.color is None
