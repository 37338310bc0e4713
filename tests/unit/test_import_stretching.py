"""Robots drawn larger, or with another axis up, are the same robots: in every format."""

from __future__ import annotations

import math

import numpy as np
import pytest
from robot_files import ARM

import sharnir as sh
from sharnir import spatial
from sharnir.scene.joint_coordinates import start_value

SLIDE = """<robot name="press"><link name="base"/>
  <link name="ram"><inertial><origin xyz="0 0 3"/><mass value="2"/>
    <inertia ixx="1" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="1 2 3"/></geometry></collision>
    <visual><geometry><cylinder radius="1" length="4"/></geometry></visual></link>
  <link name="screw"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="stroke" type="prismatic"><parent link="base"/><child link="ram"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="2" upper="5" effort="10" velocity="1"/><dynamics friction="3"/></joint>
  <joint name="turn" type="revolute"><parent link="base"/><child link="screw"/><axis xyz="0 0 1"/>
    <limit lower="-99" upper="99" effort="0" velocity="1"/><mimic joint="stroke" multiplier="2" offset="1"/></joint>
</robot>"""
TENDON = """<mujoco><option gravity="0 -9.81 0"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1" zaxis="0 1 0" friction="1 0.01 0.02" condim="6"/>
  <body name="a" pos="0 3 0"><joint name="hinge" axis="0 0 1"/><geom type="capsule" size="0.1" fromto="0 0 0 1 0 0"/>
    <site name="s" pos="1 0 0"/>
    <body name="b" pos="1 0 0"><joint name="slide" type="slide" axis="1 0 0" stiffness="5" springref="0.2"/>
      <geom size="0.2"/></body></body><site name="t" pos="2 3 1"/></worldbody>
  <tendon><spatial name="line" stiffness="7" springlength="1.5"><site site="s"/><site site="t"/></spatial>
    <fixed name="sum" limited="true" range="-1 2"><joint joint="hinge" coef="0.5"/><joint joint="slide" coef="2"/>
    </fixed></tendon>
  <sensor><touch site="s"/></sensor></mujoco>"""


def write(tmp_path, name: str, text: str):
    file = tmp_path / name
    file.write_text(text)
    return file


def test_lengths_grow_and_forces_stay(tmp_path):
    scene = sh.Scene.load(write(tmp_path, "press.urdf", SLIDE), scale=0.1)
    stroke, ram = scene.joints["stroke"], scene.bodies["ram"]
    assert stroke.ranges["displacement"] == pytest.approx((0.2, 0.5)) and stroke.friction["displacement"].level == 3.0
    assert stroke.drives["displacement"].drive.stall_torque == 10.0
    assert np.allclose(ram.pose.position, [0.1, 0, 0.2])
    mass, center, inertia = ram.properties
    assert mass == 2.0 and np.allclose(center, [0, 0, 0.3]) and np.allclose(inertia, np.diag([0.01, 0.02, 0.02]))
    sizes = {type(shape): tuple(shape.sizes().values()) for shape in ram.spec.shapes}
    assert sizes == {sh.Box: pytest.approx((0.1, 0.2, 0.3)), sh.Cylinder: pytest.approx((0.1, 0.4))}
    assert scene.couplings["turn"].type == sh.Mimic(pytest.approx(20.0), pytest.approx(1.0))  # rad per metre
    assert start_value(scene.joints["turn"], scene.joints["turn"].type.coordinates[0]) == pytest.approx(5.0)


def test_a_slide_in_millimetres_is_the_slide_in_metres(tmp_path):
    """Speeds are lengths per time; what is per length, such as stiffness and gains, grows as the unit shrinks."""
    slide = """<mujoco><option gravity="0 0 0"/><worldbody><body>
      <joint name="j" type="slide" axis="1 0 0" stiffness="{k}" damping="{c}" springref="{x}"/>
      <inertial pos="0 0 0" mass="2" diaginertia="{i} {i} {i}"/></body></worldbody>
      <actuator><position joint="j" kp="{kp}" kv="{c}" forcerange="-9 9"/></actuator></mujoco>"""
    metres = write(tmp_path, "m.xml", slide.format(k=5, c=3, x=0.2, i=1, kp=40))
    millimetres = write(tmp_path, "mm.xml", slide.format(k=5e-3, c=3e-3, x=200, i=1e6, kp=40e-3))
    ways = []
    for scene in (sh.Scene.load(metres), sh.Scene.load(millimetres, scale=1e-3)):
        joint = scene.joints["j"]
        run = sh.Simulation(scene, dt=0.005).run(0.5, target={joint: 0.1})
        ways.append(run[joint.displacement].values)
    assert np.ptp(ways[0]) > 0.05
    np.testing.assert_allclose(ways[1], ways[0], atol=1e-9)


@pytest.mark.parametrize("up, turn", [("x", ((0, 1, 0), -math.pi / 2)), ("y", ((1, 0, 0), math.pi / 2))])
def test_an_axis_that_is_up_becomes_z(tmp_path, up, turn):
    file = write(tmp_path, "arm.urdf", ARM)
    plain, turned = sh.Scene.load(file), sh.Scene.load(file, up=up)
    upright = spatial.about(*turn)
    ahead = {"x": (1, 0, 0), "y": (0, 1, 0)}[up]
    assert np.allclose(spatial.rotate(upright, ahead), [0, 0, 1], atol=1e-15)
    for name, body in plain.bodies.items():
        there = turned.bodies[name].pose.position
        assert np.allclose(there, spatial.rotate(upright, body.pose.position), atol=1e-14)
    assert turned.gravity == plain.gravity and plain.gravity[2] < -9  # the file gives none


def test_a_world_with_its_ground_gravity_and_tendons_is_turned_and_stretched(tmp_path):
    file = write(tmp_path, "world.xml", TENDON)
    pytest.importorskip("mujoco")
    plain, other = sh.Scene.load(file, up="y"), sh.Scene.load(file, up="y", scale=2.0)
    assert plain.gravity == pytest.approx((0, 0, -9.81), abs=1e-12)
    (floor,) = plain.terrains.values()
    assert np.allclose(spatial.rotate(floor.spec.rotation, (0, 0, 1)), [0, 0, 1], atol=1e-12)
    assert np.allclose(plain.bodies["a"].pose.position, [0, 0, 3], atol=1e-12)
    for name, body in plain.bodies.items():
        assert np.allclose(other.bodies[name].pose.position, 2 * body.pose.position, atol=1e-12), name
    assert other.joints["line"].springs["length"].rest == pytest.approx(2 * plain.joints["line"].springs["length"].rest)
    assert other.joints["slide"].springs["displacement"].rest == pytest.approx(0.4)
    one, two = (scene.couplings["sum"].type.coefficients for scene in (plain, other))
    assert one == (1.0, -0.5, -2.0) and two == (1.0, -1.0, -2.0)  # m of the tendon by rad and by m
    material = other.materials.named[next(iter(other.terrains.values())).spec.material]
    assert (material.spinning_friction, material.rolling_friction) == pytest.approx((0.02, 0.04))
    (pad,) = other.sensors.values()
    assert pad.spec.sensor.radius == pytest.approx(2 * next(iter(plain.sensors.values())).spec.sensor.radius)


def test_models_of_a_world_lie_apart_in_proportion(tmp_path):
    model = '<model name="{}"><pose>{} 0 0 0 0</pose><link name="l"><inertial><mass>1</mass></inertial></link></model>'
    inside = model.format("a", "1 2") + model.format("b", "0 5")
    text = f'<sdf version="1.9"><world name="w"><gravity>0 -9 0</gravity>{inside}</world></sdf>'
    scene = sh.Scene.load(write(tmp_path, "w.sdf", text), up="y", scale=3.0)
    assert np.allclose(scene.bodies["a/l"].pose.position, [3, 0, 6], atol=1e-12)
    assert np.allclose(scene.bodies["b/l"].pose.position, [0, 0, 15], atol=1e-12)
    assert scene.gravity == pytest.approx((0, 0, -9), abs=1e-12)


@pytest.mark.parametrize("wrong", [{"scale": 0.0}, {"scale": math.nan}, {"scale": "2"}, {"up": "w"}, {"up": 3}])
def test_what_is_no_scale_and_no_axis_is_refused(tmp_path, wrong):
    with pytest.raises(sh.SceneError, match=f"^{next(iter(wrong))} "):
        sh.Scene.load(write(tmp_path, "arm.urdf", ARM), **wrong)


def test_a_gravity_that_no_file_gives_pulls_down_whatever_axis_was_up(tmp_path):
    """MuJoCo's own is -z; one along the axis that was up is the file's."""
    body = '<worldbody><body><joint axis="1 0 0"/><geom size="0.1"/></body></worldbody>'
    silent = write(tmp_path, "silent.xml", f"<mujoco>{body}</mujoco>")
    assert sh.Scene.load(silent, up="y").gravity == pytest.approx((0, 0, -9.81))
    told = write(tmp_path, "told.xml", f'<mujoco><option gravity="0 -1.6 0"/>{body}</mujoco>')
    assert sh.Scene.load(told, up="y").gravity == pytest.approx((0, 0, -1.6))
