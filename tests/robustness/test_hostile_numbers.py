"""Every number of a URDF and of an MJCF with most that is read, replaced by ones that mean harm: told, or taken.

A case of each number by default; ``SHARNIR_SLOW=1`` tries all of them.
"""

from __future__ import annotations

import math
import os
import re
import warnings

import numpy as np
import pytest

import sharnir as sh
from sharnir.scene.check import check_scene

HOSTILE = ("nan", "inf", "-inf", "1e308", "-1e308", "1e-320", "0", "-1")
VALUE = re.compile(r'(?<==")[^"]*(?=")')  # of an attribute
NUMBER = re.compile(r"(?<!\S)[-+]?\d+(\.\d*)?(e[-+]?\d+)?(?!\S)")
INERTIAL = (
    '<inertial><origin xyz="0.01 0 0.1" rpy="0 0.1 0"/><mass value="2"/>'
    '<inertia ixx="0.02" iyy="0.03" izz="0.02" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial>'
)
URDF = f"""<robot name="r">
<material name="blue"><color rgba="0.1 0.2 0.8 1"/></material>
<link name="base">{INERTIAL}
  <visual><origin xyz="0 0 0.1" rpy="0 0 0.5"/>
    <geometry><box size="0.4 0.3 0.2"/></geometry><material name="blue"/></visual>
  <collision><geometry><cylinder radius="0.2" length="0.2"/></geometry></collision>
  <contact><lateral_friction value="0.8"/><rolling_friction value="0.01"/><spinning_friction value="0.02"/>
    <restitution value="0.1"/></contact>
</link>
<link name="upper">{INERTIAL}<collision><geometry><capsule radius="0.05" length="0.4"/></geometry></collision></link>
<link name="lower">{INERTIAL}<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="finger">{INERTIAL}</link><link name="twin">{INERTIAL}</link><link name="plate"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
  <origin xyz="0 0.2 0.3" rpy="0.1 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="50" velocity="3"/>
  <dynamics friction="0.5" damping="0.2"/>
  <safety_controller soft_lower_limit="-0.9" soft_upper_limit="1.9" k_position="10" k_velocity="5"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.4"/>
  <axis xyz="1 0 0"/>
  <limit effort="20" velocity="6"/></joint>
<joint name="grip" type="prismatic"><parent link="lower"/><child link="finger"/><axis xyz="0 0 1"/>
  <limit lower="0" upper="0.04" effort="10" velocity="0.1"/></joint>
<joint name="second" type="prismatic"><parent link="lower"/><child link="twin"/><axis xyz="0 0 -1"/>
  <limit lower="0" upper="0.04" effort="10" velocity="0.1"/><mimic joint="grip" multiplier="1" offset="0"/></joint>
<joint name="mount" type="fixed"><parent link="lower"/><child link="plate"/><origin xyz="0.1 0 0" rpy="0 0 1"/></joint>
<transmission name="t"><type>SimpleTransmission</type><joint name="shoulder"/><actuator name="m">
  <mechanicalReduction value="50">50</mechanicalReduction></actuator></transmission>
<gazebo reference="base"><mu1 value="0.9">0.9</mu1></gazebo>
</robot>"""
MJCF = """<mujoco model="m"><compiler angle="radian"/>
<option timestep="0.002" gravity="0 0 -9.81" density="0" viscosity="0"/>
<default><geom friction="1 0.005 0.0001" density="1000"/><joint damping="0.1" armature="0.01"/></default>
<asset><material name="red" rgba="0.9 0.1 0.1 1" metallic="0.2" roughness="0.5" emission="0.1"/>
  <texture name="grid" type="2d" builtin="checker"
    rgb1="0.1 0.1 0.1" rgb2="0.9 0.9 0.9" width="32" height="32"/></asset>
<worldbody><geom name="floor" type="plane" size="5 5 0.1"/>
<body name="base" pos="0 0 1" quat="1 0 0 0"><freejoint name="free"/>
  <geom type="box" size="0.2 0.15 0.1" material="red" condim="3" contype="1" conaffinity="1"/>
  <site name="middle" pos="0 0 0.1"/>
  <camera name="eye" pos="0 0 1" fovy="45"/>
  <body name="upper" pos="0.2 0 0" euler="0 0.1 0">
    <joint name="shoulder" type="hinge" axis="0 1 0" range="-1 2" limited="true" ref="0.1" springref="0.2" stiffness="3"
      frictionloss="0.4" pos="0 0 0.01"/>
    <joint name="swing" type="hinge" axis="1 0 0"/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/><site name="hook" pos="0.2 0 0"/>
    <body name="lower" pos="0.4 0 0"><joint name="slide" type="slide" axis="1 0 0" range="0 0.3" limited="true"/>
      <inertial pos="0.1 0 0" mass="0.5" diaginertia="0.01 0.02 0.02"/>
      <geom type="sphere" size="0.05" pos="0.1 0 0"/><site name="end" pos="0.1 0 0"/></body></body>
  <body name="ball" pos="-0.3 0 0"><joint name="neck" type="ball" range="0 1" limited="true"/>
    <geom type="ellipsoid" size="0.05 0.06 0.07" mass="0.3"/></body>
  <body name="loop" pos="0 0.3 0"><joint name="arm" axis="0 0 1"/><geom type="cylinder" size="0.05 0.1"/></body>
</body></worldbody>
<contact><exclude body1="base" body2="lower"/></contact>
<equality><joint joint1="swing" joint2="arm" polycoef="0 0.5 0 0 0"/></equality>
<tendon><fixed name="both" range="-1 1" limited="true" stiffness="2" damping="0.1"><joint joint="shoulder" coef="0.5"/>
  <joint joint="arm" coef="-0.5"/></fixed>
  <spatial name="cord" range="0 3" limited="true" stiffness="5" damping="0.2" springlength="0.4"><site site="middle"/>
  <site site="end"/></spatial></tendon>
<actuator><motor joint="shoulder" gear="20" ctrlrange="-1 1" ctrllimited="true"/>
  <position joint="swing" kp="50" kv="3" forcerange="-20 20" forcelimited="true"/>
  <velocity joint="slide" kv="4" ctrlrange="-1 1" ctrllimited="true"/>
  <general joint="arm" gainprm="30" biasprm="0 -30 -2" biastype="affine"/></actuator>
<sensor><gyro site="hook" noise="0.01"/><accelerometer site="hook" cutoff="100"/><rangefinder site="end"/>
  <jointpos joint="slide"/><touch site="end"/></sensor>
<keyframe><key name="home" time="0" qpos="0 0 1 1 0 0 0 0.2 0 0.1 1 0 0 0 0" ctrl="0 0 0 0"/></keyframe>
</mujoco>"""
ROBOTS = {"robot.urdf": (URDF, {"base": "free"}), "robot.xml": (MJCF, {"keyframe": "home"})}


def spoilt(text: str) -> list[tuple[str, str]]:
    """Every number of a file replaced by every hostile one: what it is, and the file."""
    found = []
    for value in VALUE.finditer(text):
        for number in NUMBER.finditer(value[0]):
            at = value.start() + number.start()
            for hostile in HOSTILE:
                line = f"line {text.count(chr(10), 0, at) + 1}, {text[max(at - 30, 0) : at]}[{hostile}]"
                found.append((line, text[:at] + hostile + text[at + len(number[0]) :]))
    return found


def refuses_or_holds(file, options: dict[str, object]) -> str:
    """What is wrong with how a file is read: nothing where it is refused by name, or makes a scene that is whole."""
    try:
        scene = sh.Scene.load(file, **options)
    except sh.SceneError as error:
        return "" if file.name in str(error) else f"refused without its name: {error}"
    for name, body in scene.bodies.items():
        if body.properties is not None and not all(np.isfinite(part).all() for part in body.properties):
            return f"body '{name}' has a mass that is not finite"
        if not np.isfinite(body.pose.position).all() or not np.isfinite(body.pose.rotation).all():
            return f"body '{name}' is nowhere"
    try:
        check_scene(scene)
    except sh.SceneError as error:  # of a scene that cannot be simulated, told by its object
        return "" if "'" in str(error) else f"its scene is refused without a name: {error}"
    again = sh.Scene.load(scene.save(file.with_name("again.yaml")))
    if {name: body.spec for name, body in again.bodies.items()} != {n: body.spec for n, body in scene.bodies.items()}:
        return "bodies differ after a scene file"
    return "" if math.isfinite(sum(again.gravity)) else "gravity is not finite"


@pytest.mark.parametrize("name", ROBOTS)
def test_every_number_that_means_harm_is_refused_by_name_or_taken_whole(name, tmp_path):
    if name.endswith(".xml"):
        pytest.importorskip("mujoco")
    text, options = ROBOTS[name]
    cases = spoilt(text)
    assert len(cases) > 800
    if not os.environ.get("SHARNIR_SLOW"):
        cases = cases[:: len(HOSTILE) + 1]  # another value of each number that follows
    wrong = {}
    file = tmp_path / name
    for what, spoiled in cases:
        file.write_text(spoiled)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                told = refuses_or_holds(file, options)
            except Exception as error:
                told = f"{type(error).__name__}: {error}"
        if told:
            wrong[what] = told
    assert not wrong


def test_the_files_are_read_as_they_are(tmp_path):
    for name, (text, options) in ROBOTS.items():
        if name.endswith(".xml"):
            pytest.importorskip("mujoco")
        (tmp_path / name).write_text(text)
        assert refuses_or_holds(tmp_path / name, options) == ""
        assert len(sh.Scene.load(tmp_path / name, **options).joints) >= 4
