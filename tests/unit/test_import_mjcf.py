"""MJCF: the same robot as MuJoCo's, at any posture; actuators, loops, masks; and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sh
from sharnir.importing import load_robot

pytest.importorskip("mujoco")
from benchmarks.importing.beside import MEASURES, beside_mujoco

ROBOT = """
<mujoco model="walker">
  <compiler angle="degree"/>
  <option gravity="0 0 -9" timestep="0.001"/>
  <include file="defaults.xml"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" friction="0.7"/>
    <body name="trunk" pos="0 0 1" euler="0 20 10">
      <joint name="x" type="slide" axis="1 0 0" armature="0.5"/>
      <joint name="z" type="slide" axis="0 0 1" ref="0.3"/>
      <joint name="pitch" axis="0 1 0" pos="0 0 0.2" stiffness="2" springref="10" frictionloss="0.3"/>
      <geom type="box" size="0.1 0.2 0.3" euler="0 0 30"/>
      <body name="thigh" pos="0 0 -0.3">
        <joint name="hip" axis="0.2 1 0" range="-60 40"/>
        <geom type="capsule" fromto="0 0 0 0.1 0 -0.4" size="0.05"/>
        <body name="foot" pos="0.1 0 -0.4">
          <joint name="ankle" type="ball" damping="0.4"/>
          <geom type="sphere" size="0.08" mass="0.5" contype="2" conaffinity="2"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="push" joint="hip" gear="-30" ctrlrange="-0.5 0.5" ctrllimited="true"/>
    <position name="stand" joint="pitch" kp="40" kv="3" ctrlrange="-57.29577951308232 57.29577951308232"/>
    <velocity name="walk" joint="x" kv="7" ctrlrange="-2 2"/>
  </actuator>
  <contact><exclude body1="thigh" body2="foot"/></contact>
  <sensor><jointpos joint="hip"/></sensor>
</mujoco>
"""
DEFAULTS = '<mujoco><default><joint damping="1.5"/><geom density="400"/></default></mujoco>'
FLOATING = """
<body name="kite" pos="1 0 2" euler="10 20 30"><freejoint name="fly"/>
  <geom type="box" size="0.1 0.2 0.05" pos="0.1 0 0"/>
  <body name="tail" pos="-0.2 0 0"><joint name="wag" axis="0 1 1" armature="0.01"/>
    <geom type="ellipsoid" size="0.1 0.02 0.03" pos="-0.1 0 0"/></body></body>
"""
LOOP = """
<mujoco><default><geom type="capsule" size=".02"/><joint axis="0 1 0"/></default><worldbody>
  <body name="crank" pos="0 0 1"><joint name="a"/><geom fromto="0 0 0 .2 0 0"/>
    <body name="rod" pos=".2 0 0"><joint name="b"/><geom fromto="0 0 0 .5 0 .2"/></body></body>
  <body name="rocker" pos=".7 0 .8"><joint name="c"/><geom fromto="0 0 0 0 0 .4"/></body></worldbody>
  <equality><connect name="pin" body1="rod" body2="rocker" anchor=".5 0 .2"/></equality></mujoco>
"""


@pytest.fixture
def walker(tmp_path):
    (tmp_path / "defaults.xml").write_text(DEFAULTS)
    file = tmp_path / "walker.xml"
    file.write_text(ROBOT)
    return file


def test_it_moves_as_in_mujoco_at_any_state(walker, tmp_path):
    """With a ball, a floating body, several joints on one body and rotors; Coriolis forces and all."""
    walker.write_text(ROBOT.replace("</worldbody>", FLOATING + "</worldbody>"))
    differences = beside_mujoco(walker, load_robot(walker), states=5)
    assert set(differences) == set(MEASURES)
    assert max(differences.values()) < 1e-11


def test_joints_carry_what_the_file_says(walker):
    scene = sh.Scene.load(walker)
    assert scene.gravity == (0.0, 0.0, -9.0)
    assert list(scene.joints) == ["x", "z", "pitch", "hip", "ankle"]
    pitch, hip = scene.joints["pitch"], scene.joints["hip"]
    assert pitch.springs["angle"].rest == pytest.approx(math.radians(10))
    # a position servo without a bound of its force leaves its damping to the joint, where it is implicit
    assert pitch.friction["angle"] == sh.Stribeck(0.3, 0.3, 1e-3, viscous=4.5)
    servo = pitch.drives["angle"]
    assert servo.gain * servo.drive.stall_torque == pytest.approx(40)
    assert hip.ranges["angle"] == pytest.approx((math.radians(-60), math.radians(40)))
    motor = hip.drives["angle"]
    assert (motor.stall_torque, motor.ratio) == (15.0, -1.0)
    walk = scene.joints["x"].drives["displacement"]
    assert (walk.stall_torque, walk.idle_speed) == (14.0, 2.0)
    assert walk.stall_torque * walk.time_constant / walk.idle_speed == pytest.approx(0.5)  # the armature
    assert scene.joints["ankle"].friction["rotation"] == sh.Viscous(0.4)


def test_masks_and_exclusions_become_groups(walker):
    scene = sh.Scene.load(walker)
    foot, thigh = (scene.bodies[name].spec.contact for name in ("foot", "thigh"))
    assert foot.groups == ("mask 2 2",) and set(foot.ignores) == {"default", "body thigh"}
    assert thigh.groups == ("default", "body thigh")
    assert scene.bodies["trunk"].spec.contact.groups == ("default",)
    assert scene.materials.named[scene.terrains["floor"].spec.material].friction == 0.7
    told = {entry.what: entry for entry in scene.report.of("ignored")}
    assert told["option timestep"].matters == "nothing"


def test_parents_pass_through_children_also_through_what_is_welded_between(tmp_path):
    """As the hips of a humanoid: a leg of three joints on a body that is welded to the trunk."""
    file = tmp_path / "hips.xml"
    file.write_text(
        """<mujoco><worldbody><body name="trunk" pos="0 0 1"><freejoint/><geom size="0.2"/>
        <body name="hip" pos="0 0 -0.1"><geom size="0.1"/><body name="leg"><joint name="rx" axis="1 0 0" damping="0.1"/>
        <joint name="ry" axis="0 1 0" damping="0.1"/><geom type="capsule" size="0.1" fromto="0 0 0 0 0 -0.4"/></body>
        </body></body></worldbody></mujoco>"""
    )
    scene = sh.Scene.load(file)
    trunk, leg = (scene.bodies[name].spec.contact for name in ("trunk", "leg"))
    assert set(trunk.ignores) & set(leg.groups) or set(leg.ignores) & set(trunk.groups)
    simulation = sh.Simulation(scene, dt=0.002)
    simulation.step(50)
    assert not simulation.contacts()
    assert simulation.get(scene.bodies["trunk"].velocity)[2] == pytest.approx(
        -0.981, rel=1e-6
    )  # all of it falls freely


def test_the_larger_friction_of_two_holds(tmp_path):
    file = tmp_path / "surfaces.xml"
    file.write_text(
        """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.3 0.005 0.0001"/>
        <body name="a" pos="0 0 1"><freejoint/><geom size="0.1" friction="1.2 0.02 0.003" condim="6"/></body>
        </worldbody></mujoco>"""
    )
    scene = sh.Scene.load(file)
    ball, floor = scene.bodies["a"].spec.contact.material, scene.terrains["floor"].spec.material
    between = scene.materials.between(ball, floor)
    assert (between.friction, between.spinning_friction, between.rolling_friction) == (1.2, 0.02, 0.003)
    assert scene.materials.between(ball, ball).rolling_friction == 0.003


FLAGGED = """<mujoco><option><flag {}/></option><worldbody><geom type="plane" size="1 1 1"/>
  <body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" limited="true" range="-10 10" damping="2" frictionloss="3"
    stiffness="4"/><geom size=".2" mass="1"/></body>
  <body name="b" pos="0 0 1"><joint name="k" axis="0 1 0"/><geom size=".2" mass="1"/></body></worldbody>
  <equality><joint joint1="j" joint2="k"/></equality>
  <actuator><motor joint="k" ctrlrange="-1 1"/></actuator></mujoco>"""


@pytest.mark.parametrize(
    "flag", ["gravity", "limit", "damper", "frictionloss", "spring", "equality", "contact", "constraint", ""]
)
def test_what_is_switched_off_is_off(tmp_path, flag):
    file = tmp_path / "flagged.xml"
    file.write_text(FLAGGED.format(f'{flag}="disable"' if flag else ""))
    scene = sh.Scene.load(file)
    joint = scene.joints["j"]
    on = {
        "gravity": any(scene.gravity),
        "limit": any(one.ranges for one in scene.joints.values()),  # the leader of a coupling has them
        "damper": "viscous" in str(joint.friction).lower() and "viscous=0.0" not in str(joint.friction),
        "frictionloss": "3.0" in str(joint.friction),
        "spring": bool(joint.springs),
        "equality": bool(scene.couplings),
        "contact": any(shape.collides for shape in scene.bodies["a"].spec.shapes) and bool(scene.terrains),
    }
    off = {flag} if flag != "constraint" else {"limit", "frictionloss", "equality", "contact"}
    assert {name for name, value in on.items() if not value} == off - {""}


def test_actuators_that_are_switched_off_are_told(tmp_path):
    file = tmp_path / "flagged.xml"
    file.write_text(FLAGGED.format('actuation="disable"'))
    (told,) = (entry for entry in sh.Scene.load(file).report.of("ignored") if entry.where == "option flag")
    assert (told.what, told.matters) == ("actuation", "motion")


def test_loops_are_exact(tmp_path):
    file = tmp_path / "loop.xml"
    file.write_text(LOOP)
    scene = sh.Scene.load(file)
    gaps = []
    for dt in (0.002, 0.001):
        run = sh.Simulation(scene, dt=dt).run(0.5)
        gaps.append(float(run[scene.joints["pin"].gap].max()))
    assert abs(float(run[scene.joints["a"].angle][-1])) > 0.3
    # what is left of a step falls at least as its square
    assert gaps[0] < 1e-6 and gaps[1] < gaps[0] / 3.5
    assert any("soft there and exact here" in entry.why for entry in scene.report.of("repaired"))


def test_height_fields_lie_as_in_mujoco(tmp_path):
    file = tmp_path / "hills.xml"
    data = " ".join(str(value) for value in (0, 1, 2, 3, 4, 8))  # two rows, three along x, the first at the largest y
    file.write_text(
        f'<mujoco><asset><hfield name="h" nrow="2" ncol="3" size="2 1 0.8 0.1" elevation="{data}"/></asset><worldbody>'
        '<geom type="hfield" hfield="h"/><body pos="0 0 2"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
    )
    scene = sh.Scene.load(file)
    heights, spacing = scene.terrains["ground"].spec.surface.sample("ground")
    assert spacing == (2.0, 2.0)
    assert heights == pytest.approx(0.1 * np.array([[3, 0], [4, 1], [8, 2]]), abs=1e-7)


REFUSED = {
    "includes itself": ('<mujoco><include file="robot.xml"/></mujoco>', "includes itself"),
    "circle of includes": ('<mujoco><include file="other.xml"/></mujoco>', "more than 200 files"),
    "include from outside": ('<mujoco><include file="../../../secret.xml"/></mujoco>', "outside of the robot's folder"),
    "no such include": ('<mujoco><include file="nothing.xml"/></mujoco>', "no file 'nothing.xml' to include"),
    "mesh from outside": (
        '<mujoco><compiler meshdir="../../.."/><asset><mesh name="m" file="secret.stl"/></asset></mujoco>',
        "outside of the robot's folder",
    ),
    "entities": ('<!DOCTYPE m [<!ENTITY a "b">]><mujoco model="&a;"/>', "document type"),
    "not a number": (
        '<mujoco><worldbody><body pos="nan 0 0"><geom size="1"/></body></worldbody></mujoco>',
        "MuJoCo|finite",
    ),
    "a field without end": (
        '<mujoco><asset><hfield nrow="100000" ncol="100000"/></asset></mujoco>',
        "at most 16777216",
    ),
    "a picture without end": ('<mujoco><asset><texture width="200000" height="200000"/></asset></mujoco>', "at most"),
    "cloth without end": (
        '<mujoco><worldbody><flexcomp name="f" type="grid" count="5000 5000 500"/></worldbody></mujoco>',
        "make 1.25e\\+10 cells; at most 100000",
    ),
    "ten thousand bodies": (
        "<mujoco><worldbody>" + '<body><freejoint/><geom size="1"/></body>' * 10_000 + "</worldbody></mujoco>",
        "at most 4000 are read",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_hostile_files_are_refused_by_name(tmp_path, what):
    text, told = REFUSED[what]
    for name in ("secret.xml", "secret.stl"):
        (tmp_path / name).write_text("<mujoco/>")
    file = tmp_path / "a" / "b" / "c" / "robot.xml"
    file.parent.mkdir(parents=True)
    (file.parent / "other.xml").write_text('<mujoco><include file="more.xml"/></mujoco>')
    (file.parent / "more.xml").write_text('<mujoco><include file="other.xml"/></mujoco>')
    file.write_text(text)
    with pytest.raises(sh.SceneError, match=told) as refused:
        sh.Scene.load(file)
    assert "robot.xml" in str(refused.value) or "other.xml" in str(refused.value)


def test_a_servo_may_scale_its_control(tmp_path):
    """Force = 500 u - 200 q goes to 2.5 u with a stiffness of 200, as the arm of the Adroit hand."""
    file = tmp_path / "servo.xml"
    file.write_text(
        """<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1"/></body></worldbody><actuator>
        <general joint="j" gainprm="500" biastype="affine" biasprm="0 -200 0" ctrlrange="-0.3 0.5"/></actuator>
        </mujoco>"""
    )
    scene = sh.Scene.load(file)
    servo = scene.joints["j"].drives["angle"]
    assert servo.gain * servo.drive.stall_torque == pytest.approx(200)
    assert any("of 1 is a target of 2.5" in entry.why for entry in scene.report.of("repaired"))


def one_joint(tmp_path, actuator: str) -> sh.Scene:
    file = tmp_path / "joint.xml"
    file.write_text(
        f"""<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/></body></worldbody>
        <actuator>{actuator}</actuator></mujoco>"""
    )
    return sh.Scene.load(file)


def test_a_servo_behind_a_gear_is_asked_for_what_the_joint_does(tmp_path):
    """Force = gear k (u - gear q) goes to q = u/gear; one that reverses, the other way."""
    scene = one_joint(tmp_path, '<position joint="j" kp="50" gear="-4" ctrlrange="-1 2"/>')
    servo = scene.joints["j"].drives["angle"]
    assert servo.gain * servo.drive.stall_torque == pytest.approx(50 * 4**2)
    assert any("of 1 is a target of -0.25" in entry.why for entry in scene.report.of("repaired"))


def test_a_bounded_velocity_actuator_is_a_speed_servo(tmp_path):
    """Force = k (u - q') within 3 N m; what is damped beyond the gain, as our own files have it, is the motor's own."""
    servo = one_joint(tmp_path, '<velocity joint="j" kv="10" forcerange="-3 3"/>').joints["j"].drives["angle"]
    assert isinstance(servo, sh.SpeedServo)
    assert (servo.drive.stall_torque, servo.gain * servo.drive.stall_torque) == pytest.approx((3, 10))
    general = '<general joint="j" gainprm="20" biastype="affine" biasprm="0 0 -22" forcerange="-3 3"/>'
    servo = one_joint(tmp_path, general).joints["j"].drives["angle"]
    assert servo.gain * servo.drive.stall_torque == pytest.approx(20)
    assert servo.drive.stall_torque / servo.drive.idle_speed == pytest.approx(2)


def test_a_wheel_of_a_urdf_keeps_its_motor_as_an_mjcf(tmp_path):
    file = tmp_path / "wheel.urdf"
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    file.write_text(
        f"""<robot name="w"><link name="base"/><link name="wheel"><inertial><mass value="1"/>{inertia}</inertial></link>
        <joint name="spin" type="continuous"><parent link="base"/><child link="wheel"/><axis xyz="0 1 0"/>
        <limit effort="20" velocity="5"/></joint></robot>"""
    )
    ends = []
    for scene in (sh.Scene.load(file), sh.Scene.load(sh.Scene.load(file).save(tmp_path / "wheel.xml"))):
        spin = scene.joints["spin"]
        run = sh.Simulation(scene, dt=0.005).run(0.5, target={spin: 3.0})
        ends.append(float(run[spin.angle].values[-1]))
    assert ends[0] > 0.5 and ends[1] == pytest.approx(ends[0], rel=1e-6)


def test_a_base_is_free_where_an_mjcf_says_so(tmp_path):
    file = tmp_path / "joint.xml"
    one_joint(tmp_path, "")
    told = sh.Scene.load(file, base="free").report.of("ignored")
    assert any(entry.what == "base" for entry in told)
    with pytest.raises(sh.SceneError, match="base"):
        sh.Scene.load(file, base="free", strict=True)


def test_a_hip_that_overlaps_a_fixed_base_passes_through_it(tmp_path):
    """MuJoCo takes a base that is welded to the world for the world, which its children touch."""
    hinges = '<joint name="{0}x" axis="1 0 0"/><joint name="{0}y" axis="0 1 0"/><geom size=".1" mass="1"/>'
    file = tmp_path / "hip.xml"
    file.write_text(
        '<mujoco><worldbody><body name="base" pos="0 0 1"><geom size=".2"/>'
        f'<body name="thigh" pos="0 0 -.1">{hinges.format("t")}</body>'
        f'<body name="far" pos="0 0 -.5">{hinges.format("f")}</body></body></worldbody></mujoco>'
    )
    scene = sh.Scene.load(file)
    base = next(body.spec.contact for body in scene.bodies.values() if body.spec.fixed)
    thigh, far = (scene.bodies[name].spec.contact for name in ("thigh", "far"))
    assert {*thigh.ignores} & {*base.groups} or {*base.ignores} & {*thigh.groups}
    assert not ({*far.ignores} & {*base.groups} or {*base.ignores} & {*far.groups})
    assert any("overlaps the base" in entry.why for entry in scene.report.of("repaired"))


AWKWARD = """
<mujoco><compiler angle="radian"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" rgba="0.2 0.4 0.6 1"/>
    <geom name="poster" type="plane" size="0.5 0.25 1" pos="1 2 0.3" rgba="1 0 0 1" contype="0" conaffinity="0"/>
    <body name="arm"><joint name="hip" axis="0 1 0" damping="0.5 0.1"/><geom size="0.1" pos="0.3 0 0"/>
      <site name="tip" pos="0.3 0 0"/>
      <body name="hand" pos="0.5 0 0"><joint name="wrist" axis="0 1 0" stiffness="1 2"/><geom size="0.1"/>
        <site name="palm"/></body></body>
  </worldbody>
  <tendon><spatial name="rope" stiffness="3 1"><site site="tip"/><site site="palm"/></spatial></tendon>
  <actuator>
    <motor name="push" joint="hip" gear="3" ctrlrange="0 2" ctrllimited="true" armature="0.5" damping="0.2"/>
    <position name="hold" joint="wrist" kp="5" dampratio="1" forcerange="-1 2" forcelimited="true"/>
  </actuator>
  <sensor><accelerometer site="tip" cutoff="5"/></sensor>
</mujoco>
"""


def test_nothing_of_an_awkward_model_is_lost_in_silence(tmp_path):
    """Numbers that MuJoCo reads and a scene has no place for are named, with what they matter to."""
    (tmp_path / "robot.xml").write_text(AWKWARD)
    scene = sh.Scene.load(tmp_path / "robot.xml")
    told = {(entry.where, entry.what): entry.matters for entry in scene.report.losses}
    for place, what in (
        ("actuator 'push'", "ctrlrange"),  # a motor of ours pulls both ways alike
        ("actuator 'hold'", "forcerange"),
        ("joint 'hip'", "damping"),  # of the square of the rate
        ("joint 'wrist'", "stiffness"),
        ("tendon 'rope'", "stiffness"),
    ):
        assert told[place, what] == "motion"
    assert [matters for (_, what), matters in told.items() if what == "accelerometer cutoff"] == ["sensing"]
    assert not any("dampratio" in what for _, what in told)  # MuJoCo makes it a damping
    with pytest.raises(sh.SceneError, match="without loss"):
        sh.Scene.load(tmp_path / "robot.xml", strict=True)


def test_the_rotor_and_the_friction_of_an_actuator_are_felt_behind_its_gear(tmp_path):
    """At the joint the inertia of a rotor counts r^2 times, and so does its friction."""
    (tmp_path / "robot.xml").write_text(AWKWARD)
    hip = sh.Scene.load(tmp_path / "robot.xml").joints["hip"]
    motor = hip.drives["angle"]
    assert motor.inertia * motor.ratio**2 == pytest.approx(3.0**2 * 0.5)
    assert hip.friction["angle"].coefficient == pytest.approx(0.5 + 3.0**2 * 0.2)


def test_planes_are_seen_as_mujoco_shows_them(tmp_path):
    (tmp_path / "robot.xml").write_text(AWKWARD)
    scene = sh.Scene.load(tmp_path / "robot.xml")
    assert list(scene.terrains) == ["floor"] and scene.terrains["floor"].spec.color == "#336699"
    (poster,) = scene.bodies["base"].spec.shapes
    assert not poster.collides and poster.color == "#ff0000" and poster.position == (1.0, 2.0, 0.3)
    assert np.ptp(np.array(poster.vertices), axis=0).tolist() == [1.0, 0.5, 0.0]
    assert poster.surface().face_normals[:, 2].tolist() == [1.0, 1.0]  # seen from above


def test_what_mujoco_knows_and_we_do_not_matters_to_motion(tmp_path):
    """An attribute without a reason of ours may move the robot: a strict import refuses it."""
    text = '<mujoco><worldbody><body><freejoint/><geom size="1" surfacevel="1 0 0 0 0 0"/></body></worldbody></mujoco>'
    (tmp_path / "robot.xml").write_text(text)
    with pytest.raises(sh.SceneError, match="surfacevel"):
        sh.Scene.load(tmp_path / "robot.xml", strict=True)


CHILD = """<mujoco model="leg"><compiler meshdir="parts"/><asset><mesh name="m" file="tetra.obj"/></asset>
<worldbody><body name="leg"><joint name="knee" axis="0 1 0"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
PARENT = """<mujoco><asset><model name="leg" file="leg/leg.xml"/></asset><worldbody><body name="trunk"><freejoint/>
<geom size="0.1"/><replicate count="2" offset="0 1 0"><attach model="leg" body="leg" prefix="l_"/></replicate>
</body></worldbody></mujoco>"""


def test_parts_of_other_files_are_attached(tmp_path):
    (tmp_path / "leg" / "parts").mkdir(parents=True)
    (tmp_path / "leg" / "parts" / "tetra.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    (tmp_path / "leg" / "leg.xml").write_text(CHILD)
    (tmp_path / "robot.xml").write_text(PARENT)
    scene = sh.Scene.load(tmp_path / "robot.xml")
    assert [*scene.bodies] == ["trunk", "l_leg0", "l_leg1"] and [*scene.joints] == ["l_knee0", "l_knee1"]
    _, seen = scene.bodies["l_leg0"].spec.shapes
    assert seen.file == str(tmp_path / "leg" / "parts" / "tetra.obj")
    assert not scene.report.of("ignored")


@pytest.mark.parametrize("first, second", [((2, 0), (0, 2)), ((0, 2), (2, 0)), ((2, 0), (2, 0)), ((2, 2), (4, 4))])
def test_bodies_meet_where_the_type_of_one_is_in_the_affinity_of_either(tmp_path, first, second):
    """As in MuJoCo: two geoms touch if (type 1 & affinity 2) or (type 2 & affinity 1)."""
    bodies = "".join(
        f'<body pos="0 0 {z}"><freejoint/><geom size="1" contype="{kind}" conaffinity="{affinity}"/></body>'
        for z, (kind, affinity) in ((1, first), (4, second))
    )
    (tmp_path / "robot.xml").write_text(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    a, b = (body.spec.contact for body in sh.Scene.load(tmp_path / "robot.xml").bodies.values())
    meets = not ({*a.groups} & {*b.ignores} or {*b.groups} & {*a.ignores})
    assert meets == bool(first[0] & second[1] or second[0] & first[1])


@pytest.mark.parametrize(
    "condim, numbers", [(1, (0, 0, 0)), (3, (0.7, 0, 0)), (4, (0.7, 0.1, 0)), (6, (0.7, 0.1, 0.2))]
)
def test_a_geom_rubs_in_as_many_directions_as_its_contacts_have(tmp_path, condim, numbers):
    text = f'<mujoco><worldbody><geom type="plane" size="1 1 1" friction="0.7 0.1 0.2" condim="{condim}"/>'
    (tmp_path / "robot.xml").write_text(text + '<body><joint/><geom size="1"/></body></worldbody></mujoco>')
    scene = sh.Scene.load(tmp_path / "robot.xml")
    (ground,) = scene.terrains.values()
    made = scene.materials.named[ground.spec.material]
    assert (made.friction, made.spinning_friction, made.rolling_friction) == numbers
