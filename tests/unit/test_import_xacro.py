"""Xacro: macros, properties and conditions as ROS has them; nothing of a file is executed, and all of it is bounded."""

from __future__ import annotations

import math

import pytest

import sharnir as sh

PARTS = """<robot xmlns:xacro="http://ros.org/wiki/xacro">
<xacro:macro name="part" params="name mass:=1.0 *origin **extra color:=^|red">
  <link name="${prefix}${name}">
    <inertial><xacro:insert_block name="origin"/><mass value="${mass}"/>
      <inertia ixx="${mass*0.1**2}" iyy="${mass*0.01}" izz="${0.01 * mass}" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><xacro:insert_block name="extra"/>
      <material name="${color}"><color rgba="${'1 0 0 1' if color == 'red' else '0 0 1 1'}"/></material></visual>
  </link>
</xacro:macro></robot>"""
ROBOT = """<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">
<xacro:arg name="prefix" default="left_"/>
<xacro:property name="prefix" value="$(arg prefix)"/>
<xacro:property name="half" value="${sizes.upper['length']/2}"/>
<xacro:property name="sizes" value="${xacro.load_yaml('../config/sizes.yaml')}"/>
<xacro:include filename="$(find arm)/urdf/parts.xacro"/>
<link name="base"/>
<xacro:part name="upper" mass="${sizes['upper']['mass']}">
  <origin xyz="0 0 ${half}"/>
  <extra><geometry><box size="${half} 0.1 0.1"/></geometry></extra>
</xacro:part>
<xacro:if value="${prefix == 'left_' and not False}">
  <joint name="turn" type="revolute"><parent link="base"/><child link="${prefix}upper"/><axis xyz="0 1 0"/>
    <limit lower="${-pi/2}" upper="${radians(90)}" effort="5" velocity="1"/></joint>
</xacro:if>
<xacro:unless value="${prefix == 'left_'}">
  <joint name="spin" type="continuous"><parent link="base"/><child link="${prefix}upper"/></joint>
</xacro:unless>
</robot>"""


@pytest.fixture
def arm(tmp_path):
    package = tmp_path / "arm"
    for folder in ("urdf", "config"):
        (package / folder).mkdir(parents=True)
    (package / "package.xml").write_text("<package/>")
    (package / "config" / "sizes.yaml").write_text("upper: {mass: 2.5, length: 0.4}\n")
    (package / "urdf" / "parts.xacro").write_text(PARTS)
    file = package / "urdf" / "arm.urdf.xacro"
    file.write_text(ROBOT)
    return file


def test_a_robot_is_expanded_as_ros_does(arm):
    scene = sh.Scene.load(arm)
    mass, center, inertia = scene.bodies["left_upper"].properties
    assert (mass, center.tolist()) == (2.5, [0.0, 0.0, 0.2])
    assert inertia[0, 0] == pytest.approx(0.025)
    assert scene.joints["turn"].ranges["angle"] == pytest.approx((-math.pi / 2, math.pi / 2))
    (box,) = scene.bodies["left_upper"].spec.shapes
    assert (box.x, box.color) == (0.2, "#ff0000")
    assert not scene.report.losses


def test_arguments_choose_and_unknown_ones_are_refused(arm):
    scene = sh.Scene.load(arm, arguments={"prefix": "right_"})
    assert list(scene.bodies) == ["base", "right_upper"] and list(scene.joints) == ["spin"]
    with pytest.raises(sh.SceneError, match="has no argument 'prefiks'"):
        sh.Scene.load(arm, arguments={"prefiks": "x"})


def test_arguments_within_expressions_are_worked_out_first(tmp_path):
    """As upstream: ${'$(arg arm)' == 'ur5'} chooses."""
    file = tmp_path / "chosen.xacro"
    file.write_text(
        """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="arm" default="ur5"/>
        <xacro:arg name="n" default="2"/><link name="base"/>
        <xacro:if value="${'$(arg arm)' == 'ur5'}"><link name="${'$(arg arm)' + '_tool'}"/>
          <joint name="j" type="continuous"><parent link="base"/><child link="ur5_tool"/>
          <origin xyz="${$(arg n) + 1} 0 0"/></joint></xacro:if></robot>"""
    )
    assert "j" in sh.Scene.load(file).joints
    assert "j" not in sh.Scene.load(file, arguments={"arm": "panda"}).joints
    with pytest.raises(sh.SceneError, match=r"has no argument 'bogus'(?!; did you mean 'bogus')"):
        sh.Scene.load(file, arguments={"bogus": "1"})


REFUSED = {
    "a call": ("${__import__('os').system('true')}", "calls 'Attribute', which is not allowed"),
    "a file": ("${open('/etc/passwd').read()}", "calls 'Attribute'"),
    "a class": ("${().__class__.__base__}", "asks for '__class__' of what has no such item"),
    "a format": ("${'{0.__class__}'.format(1)}", "calls 'Attribute'"),
    "a comprehension": ("${[x for x in (1, 2)]}", "uses ListComp, which is not allowed"),
    "a function": ("${(lambda: 1)()}", "calls 'Lambda'"),
    "a tall power": ("${9**9**9}", "raises to a power beyond 64"),
    "a long text": ("${'a'*10**9}", "multiplies what are no numbers"),
    "a shift": ("${1 << 999999999}", "uses LShift, which is not allowed"),
    "brackets": ("${" + "(" * 500 + "1" + ")" * 500 + "}", "is no expression"),
    "an unknown name": ("${nothing}", "names 'nothing', which is not known"),
    "a circle": ("${round}", "is made of itself"),
    "the environment": ("$(env HOME)", r"\$\(env ...\) is not read"),
    "no bracket": ("${1", "has no closing bracket"),
    "no argument": ("$(arg speed)", "there is no argument 'speed'"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_nothing_of_a_file_is_executed(tmp_path, what):
    text, why = REFUSED[what]
    file = tmp_path / "bad.xacro"
    inside = f'<xacro:property name="round" value="${{round}}"/><link name="{text.replace("<", "&lt;")}"/>'
    file.write_text(f'<robot name="b" xmlns:xacro="x">{inside}</robot>')
    with pytest.raises(sh.SceneError, match=why):
        sh.Scene.load(file)


def test_macros_and_includes_that_lead_back_end(tmp_path):
    head = '<robot name="b" xmlns:xacro="x">'
    macro = '<xacro:macro name="again" params=""><xacro:again/><xacro:again/></xacro:macro><xacro:again/>'
    for name, inside, why in (
        ("macro", macro, "nested deeper than 80"),
        ("include", '<xacro:include filename="include.xacro"/>', "beyond 200 includes|nested deeper"),
        ("outside", '<xacro:include filename="/etc/hosts"/>', "outside of the robot's folder|no file"),
        ("parameter", '<xacro:macro name="m" params="a"/><xacro:m/>', "'m' needs the parameter 'a'"),
        ("unknown", "<xacro:mm/>", "there is no macro 'mm'"),
    ):
        file = tmp_path / f"{name}.xacro"
        file.write_text(f"{head}{inside}</robot>")
        with pytest.raises(sh.SceneError, match=why):
            sh.Scene.load(file)


def test_what_doubles_again_and_again_is_bounded(tmp_path):
    """Twenty-four macros, each calling the last one twice: sixteen million calls, of nothing in the end."""
    macros = "".join(
        f'<xacro:macro name="m{i}" params=""><xacro:m{i - 1}/><xacro:m{i - 1}/></xacro:macro>' for i in range(1, 25)
    )
    start = '<xacro:macro name="m0" params=""/>'
    file = tmp_path / "laughs.xacro"
    file.write_text(f'<robot name="b" xmlns:xacro="x">{start}{macros}<xacro:m24/></robot>')
    with pytest.raises(sh.SceneError, match="expands to more than 100000 elements and calls"):
        sh.Scene.load(file)
