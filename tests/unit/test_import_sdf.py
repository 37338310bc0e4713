"""SDF: frames in any order, axes in any frame, loops, gearboxes, screws, worlds of models; what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sh
from sharnir import spatial
from sharnir.scene.check import opening

HEAVY = (
    "<inertial><pose>0 0 -0.25 0 0 0</pose><mass>2</mass>"
    "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.02</izz></inertia></inertial>"
)
ARM = f"""<sdf version="1.9"><model name="arm"><pose>0 0 1 0 0 {math.pi / 2}</pose>
<link name="lower"><pose relative_to="elbow"/>{HEAVY}<sensor name="s" type="imu"/></link>
<link name="upper"><pose relative_to="base">0 0 0.5 0 0 0</pose>{HEAVY}
  <visual name="v"><geometry><cylinder><radius>.1</radius><length>.5</length></cylinder></geometry>
  <material><diffuse>1 0 0 1</diffuse></material></visual></link>
<link name="base"><pose>0.1 0 0 0 0 0</pose>{HEAVY}
  <collision name="c"><geometry><box><size>1 1 1</size></box></geometry>
  <surface><friction><ode><mu>0.6</mu></ode></friction></surface></collision></link>
<joint name="weld" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child>
  <axis><xyz expressed_in="__model__">0 1 0</xyz>
  <limit><lower>-1</lower><upper>inf</upper><effort>10</effort><velocity>3</velocity></limit>
  <dynamics><damping>0.2</damping><friction>0.1</friction><spring_stiffness>4</spring_stiffness></dynamics></axis></joint>
<joint name="elbow" type="universal"><pose relative_to="upper">0 0 -0.5 0 0 0</pose>
  <parent>upper</parent><child>lower</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
</model></sdf>"""


def load(tmp_path, text: str, name: str = "robot.sdf", **how) -> sh.Scene:
    (tmp_path / name).write_text(text)
    return sh.Scene.load(tmp_path / name, **how)


def axis_of(joint: sh.Joint) -> np.ndarray:
    return spatial.rotate(joint.world_frames()[0].rotation, (0.0, 0.0, 1.0))


def test_frames_and_axes_are_where_the_file_says(tmp_path):
    scene = load(tmp_path, ARM)
    # the model is turned by 90 degrees about z: its x is the world's y
    assert np.allclose(scene.bodies["upper"].pose.position, [0, 0.1, 1.5], atol=1e-12)
    assert np.allclose(scene.bodies["lower"].pose.position, [0, 0.1, 1.0], atol=1e-12)
    shoulder, first, second = scene.joints.values()
    assert np.allclose(axis_of(shoulder), [-1, 0, 0], atol=1e-12)
    assert np.allclose(axis_of(first), [0, 1, 0], atol=1e-12) and np.allclose(axis_of(second), [-1, 0, 0], atol=1e-12)
    assert shoulder.ranges == {"angle": (-1.0, None)} and shoulder.springs["angle"].stiffness == 4.0
    assert shoulder.friction["angle"] == sh.Stribeck(0.1, 0.1, 1e-3, viscous=0.2)
    assert scene.bodies["upper"].spec.shapes[0].color == "#ff0000"
    assert scene.bodies["upper"].properties.center.tolist() == [0.0, 0.0, -0.25]
    told = {entry.what: entry.matters for entry in scene.report.of("ignored")}
    assert not any(matters == "motion" for matters in told.values())


def hinge(name: str, parent: str, child: str, x: float, z: float) -> str:
    pose = f'<pose relative_to="__model__">{x} 0 {z} 0 0 0</pose>'
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="revolute">{pose}{ends}<axis><xyz>0 1 0</xyz></axis></joint>'


def link(name: str, x: float) -> str:
    return f'<link name="{name}"><pose>{x} 0 0 0 0 0</pose>{HEAVY}</link>'


def test_a_link_with_two_parents_closes_a_loop(tmp_path):
    joints = hinge("a", "world", "p", 0, 0) + hinge("b", "world", "q", 1, 0)
    joints += hinge("c", "p", "r", 0, -0.5) + hinge("d", "q", "r", 1, -0.5)
    scene = load(
        tmp_path,
        f'<sdf version="1.7"><model name="m">{link("p", 0)}{link("q", 1)}{link("r", 0.5)}{joints}</model></sdf>',
    )
    assert set(scene.joints) == {"a", "b", "c", "d"} and scene.freedoms().mobility == 1
    assert max(max(opening(joint)) for joint in scene.joints.values()) < 1e-12


def test_gearboxes_and_screws_are_couplings(tmp_path):
    gear = '<joint name="gear" type="gearbox"><parent>p</parent><child>q</child>'
    gear += "<gearbox_reference_body>r</gearbox_reference_body><gearbox_ratio>5</gearbox_ratio>"
    gear += "<axis><xyz>0 1 0</xyz></axis><axis2><xyz>0 -1 0</xyz></axis2></joint>"
    screw = '<joint name="screw" type="screw"><parent>r</parent><child>s</child><axis><xyz>0 0 1</xyz></axis>'
    screw += "<screw_thread_pitch>0.01</screw_thread_pitch></joint>"
    links = link("r", 0) + link("p", 1) + link("q", 2) + link("s", 3)
    joints = hinge("a", "r", "p", 1, 0) + hinge("b", "r", "q", 2, 0)
    scene = load(tmp_path, f'<sdf version="1.10"><model name="m">{links}{joints}{gear}{screw}</model></sdf>')
    # theta_2 = -5 theta_1, and the second axis is turned round: b = 5 a
    assert scene.couplings["b"].type == sh.Mimic(5.0, 0.0)
    assert scene.couplings["screw slide"].type.multiplier == pytest.approx(0.01 / (2 * math.pi))
    assert scene.freedoms().mobility == 6 + 2


def test_a_world_holds_models_of_other_files(tmp_path):
    folder = tmp_path / "models" / "box"
    folder.mkdir(parents=True)
    (folder / "model.sdf").write_text(f'<sdf version="1.6"><model name="box">{link("l", 0)}</model></sdf>')
    plane = "<collision name='c'><geometry><plane><normal>0 0 1</normal></plane></geometry></collision>"
    world = f"""<sdf version="1.6"><world name="moon"><gravity>0 0 -1.6</gravity>
      <model name="ground"><static>true</static><link name="l">{plane}</link></model>
      <include><uri>model://box</uri><name>one</name><pose>1 0 2 0 0 0</pose></include>
      <include><uri>model://box</uri><name>two</name><pose>2 0 2 0 0 0</pose></include>
      <include><uri>model://nothing</uri></include></world></sdf>"""
    scene = load(tmp_path, world, "moon.world", search=[tmp_path / "models"])
    assert scene.gravity == (0.0, 0.0, -1.6) and list(scene.terrains) == ["ground/l"]
    assert [(name, body.pose.position[0]) for name, body in scene.bodies.items()] == [("one/l", 1.0), ("two/l", 2.0)]
    assert any("there is no model 'model://nothing'" in entry.why for entry in scene.report.of("ignored"))


REFUSED = {
    "a circle of frames": ('<link name="a"><pose relative_to="b"/></link><link name="b"><pose relative_to="a"/></link>',
                           "leads back to itself"),
    "no such frame": ('<link name="a"><pose relative_to="x">0 0 0 0 0 0</pose></link>', "there is no frame 'x'"),
    "no such link": ('<link name="a"/><joint name="j" type="ball"><parent>a</parent><child>c</child></joint>',
                     "no frame 'c'|no link"),
    "a joint of no kind": ('<link name="a"/><joint name="j" type="magic"><parent>a</parent><child>a</child></joint>',
                           "its type is 'magic'"),
    "not a number": ('<link name="a"><pose>nan 0 0 0 0 0</pose></link>', "pose is nan; give a finite number"),
    "itself": ("<include><uri>robot.sdf</uri></include>", "beyond 200 includes"),
    "a mesh from outside": (
        '<link name="a"><visual name="v"><geometry><mesh><uri>/etc/passwd</uri></mesh></geometry></visual></link>',
        "outside of the robot's folder"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_makes_no_sense_or_leads_outside_is_refused_by_name(tmp_path, what):
    inside, why = REFUSED[what]
    with pytest.raises(sh.SceneError, match=rf"robot\.sdf.*({why})"):
        load(tmp_path, f'<sdf version="1.9"><model name="m">{inside}</model></sdf>')


FRAMED = f"""<sdf version="1.10"><world name="w">
<frame name="corner"><pose>1 0 0 0 0 {math.pi / 2}</pose></frame>
<model name="m"><pose relative_to="corner">0 2 0 0 0 0</pose>
  <link name="a">{HEAVY}<collision name="c"><pose relative_to="up">0.5 0 0 0 0 0</pose>
    <geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
    <visual name="v"><transparency>0.25</transparency><geometry><sphere><radius>0.1</radius></sphere></geometry>
    <material><diffuse>1 0 0 1</diffuse></material></visual>
    <sensor name="s" type="imu"><pose relative_to="up">0 0.5 0 0 0 0</pose></sensor></link>
  <frame name="up" attached_to="a"><pose>0 0 1 0 0 0</pose></frame>
  <model name="n" placement_frame="tip"><pose>1 0 0 0 0 0</pose>
    <frame name="tip"><pose>0 0 2 0 0 0</pose></frame><link name="a">{HEAVY}</link></model>
  <joint name="hinge" type="revolute"><parent>up</parent><child>n</child><axis><xyz>0 1 0</xyz></axis></joint>
</model>
<model name="late"><pose relative_to="m::n::tip">0 0 0.5 0 0 0</pose><link name="l">{HEAVY}</link></model>
</world></sdf>"""


def test_frames_of_worlds_and_models_place_everything(tmp_path):
    """A frame of the world turns m by 90 degrees; n hangs by its placement frame, its origin 2 m below that."""
    scene = load(tmp_path, FRAMED, "framed.world")
    at = {name: body.pose.position for name, body in scene.bodies.items()}
    assert np.allclose(at["m/a"], [-1, 0, 0], atol=1e-12)  # (1, 0, 0) + R (0, 2, 0)
    assert np.allclose(at["m/n::a"], [-1, 1, -2], atol=1e-12)  # + R (1, 0, -2)
    assert np.allclose(at["late/l"], [-1, 1, 0.5], atol=1e-12)  # where the placement frame is
    touched = next(shape for shape in scene.bodies["m/a"].spec.shapes if shape.collides)
    assert np.allclose(touched.position, [0.5, 0, 1], atol=1e-12)
    assert np.allclose(next(iter(scene.sensors.values())).spec.sensor.position, [0, 0.5, 1], atol=1e-12)
    assert scene.bodies["m/a"].spec.shapes[0].color == "#ff0000bf"
    hinge = scene.joints["m/hinge"]  # between the links that a frame and a model move with
    assert (hinge.a.name, hinge.b.name) == ("m/a", "m/n::a")
    assert np.allclose(hinge.world_frames()[0].position, [-1, 1, -2], atol=1e-12)
    assert [entry.what for entry in scene.report.entries if entry.matters != "nothing"] == []


def test_a_frame_that_is_attached_to_itself_is_refused(tmp_path):
    frames = '<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>'
    joint = '<joint name="j" type="ball"><parent>f</parent><child>a</child></joint>'
    text = f'<sdf version="1.10"><model name="m">{link("a", 0)}{frames}{joint}</model></sdf>'
    with pytest.raises(sh.SceneError, match=r"attached to itself|leads back to itself"):
        load(tmp_path, text)
