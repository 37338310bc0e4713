"""Joints that follow others, from URDF and MJCF: exact couplings, with limits and starts that agree; tendons; poses."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sh
from sharnir.scene.check import opening

LINK = (
    '<link name="{0}"><inertial><mass value="1"/>'
    '<inertia ixx="{1}" iyy="{1}" izz="{1}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = '<joint name="{0}" type="{1}"><parent link="base"/><child link="{2}"/><axis xyz="0 0 1"/>{3}</joint>'
LIMIT = '<limit lower="{}" upper="{}" effort="5" velocity="1"/>'
HAND = """<mujoco model="hand"><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
  <body name="p"><joint name="a" axis="0 0 1" ref="0.2"/><inertial mass="1" pos="0 0 0" diaginertia=".3 .3 .3"/></body>
  <body name="q"><joint name="b" axis="0 0 1"/><inertial mass="1" pos="0 0 0" diaginertia=".2 .2 .2"/></body>
  <body name="r"><joint name="c" axis="0 0 1"/><inertial mass="1" pos="0 0 0" diaginertia=".1 .1 .1"/></body>
  </worldbody>{}
  <keyframe><key name="home" qpos="0.5 0.1 -0.2"/></keyframe></mujoco>"""


def gripper(tmp_path, right: str, multiplier: float, offset: float = 0.0) -> sh.Scene:
    mimic = f'<mimic joint="left" multiplier="{multiplier}" offset="{offset}"/>'
    file = tmp_path / "gripper.urdf"
    file.write_text(
        '<robot name="g"><link name="base"/>'
        + LINK.format("l", 0.3)
        + LINK.format("r", 0.2)
        + JOINT.format("left", "revolute", "l", LIMIT.format(-0.5, 1))
        + JOINT.format("right", "revolute", "r", right + mimic)
        + "</robot>"
    )
    return sh.Scene.load(file)


def test_a_mimic_is_an_exact_coupling_with_one_motor_and_one_pair_of_limits(tmp_path):
    scene = gripper(tmp_path, LIMIT.format(-0.8, 0.4), -2.0, 0.1)
    (coupling,) = scene.couplings.values()
    assert coupling.type == sh.Mimic(-2.0, 0.1) and coupling.labels == ("right.angle", "left.angle")
    assert coupling.start == coupling.offset  # the follower starts where its leader puts it
    left, right = scene.joints["left"], scene.joints["right"]
    # right = 0.1 - 2 left between -0.8 and 0.4: left between -0.15 and 0.45
    assert left.ranges["angle"] == pytest.approx((-0.15, 0.45)) and right.ranges == {}
    assert set(left.drives) == {"angle"} and right.drives == {}
    assert not scene.report.losses
    # the inertia that the leader feels: I1 + m^2 I2
    sim = sh.Simulation(scene, dt=0.002)
    assert sim.mass_matrix([left]).item() == pytest.approx(0.3 + 4 * 0.2, rel=1e-12)
    run = sim.run(0.3, torque={left: 1.0})
    assert float(run[left.angle][-1]) > 0.01
    np.testing.assert_allclose(run[right.angle], 0.1 - 2 * run[left.angle], rtol=0, atol=1e-9)


def test_limits_that_leave_no_room_and_followers_without_a_leader_are_told(tmp_path):
    scene = gripper(tmp_path, LIMIT.format(3, 4), 1.0)
    assert scene.joints["left"].ranges["angle"] == (-0.5, 1.0)
    (told,) = scene.report.of("ignored")
    assert told.what == "limits of 'right'" and "no room" in told.why and told.matters == "motion"
    held = gripper(tmp_path, LIMIT.format(-1, 1), 0.0, 0.25)  # a multiplier of 0: it stands
    assert isinstance(held.couplings["right"].type, sh.Prescribed)
    assert held.couplings["right"].offset == pytest.approx(0.25)


def test_mimics_survive_urdf_and_yaml(tmp_path):
    scene = gripper(tmp_path, LIMIT.format(-0.8, 0.4), -2.0, 0.1)
    for name in ("again.urdf", "again.yaml"):
        again = sh.Scene.load(scene.save(tmp_path / name))
        assert [one.spec.coordinates for one in again.couplings.values()] == [("right.angle", "left.angle")]
        assert again.couplings["right"].type == sh.Mimic(-2.0, 0.1)


def hand(tmp_path, inside: str, **how) -> sh.Scene:
    file = tmp_path / "hand.xml"
    file.write_text(HAND.format(inside))
    return sh.Scene.load(file, **how)


def test_an_equality_of_joints_counts_from_where_the_model_stands(tmp_path):
    pytest.importorskip("mujoco")
    scene = hand(tmp_path, '<equality><joint joint1="b" joint2="a" polycoef="0.05 3 0 0 0"/></equality>')
    # b - 0 = 0.05 + 3 (a - 0.2)
    assert isinstance(scene.couplings["b"].type, sh.Mimic)
    assert (scene.couplings["b"].type.multiplier, scene.couplings["b"].offset) == pytest.approx((3.0, -0.55))
    assert scene.couplings["b"].start == pytest.approx(scene.couplings["b"].offset, abs=1e-12)


def test_a_fixed_tendon_is_a_spool_that_carries_its_actuator(tmp_path):
    pytest.importorskip("mujoco")
    tendon = '<tendon><fixed name="t" range="-1 2" limited="true" damping="0.4"><joint joint="a" coef="0.5"/>'
    tendon += '<joint joint="b" coef="-2"/></fixed></tendon>'
    scene = hand(tmp_path, tendon + '<actuator><motor tendon="t" gear="3" ctrlrange="-1 1"/></actuator>')
    spool = scene.joints["t"]
    assert spool.ranges["angle"] == (-1.0, 2.0) and spool.friction["angle"] == sh.Viscous(0.4)
    assert spool.drives["angle"].stall_torque == 3.0
    assert scene.couplings["t"].type == sh.WeightedSum((1.0, -0.5, 2.0), 0.0)
    assert scene.couplings["t"].start == pytest.approx(0.0, abs=1e-12)  # 0.5 * 0.2 at the start
    # M q'' = c F: the spool's own inertia is a ten-thousandth of the others
    sim = sh.Simulation(scene, dt=0.001)
    a, b = scene.joints["a"], scene.joints["b"]
    run = sim.run(0.001 * 20, voltage={spool: 1.0})
    speeds = [float(run[joint.speed][-1]) for joint in (a, b)]
    # the motor's and the damper's force F on the spool, by impulse: a gets 0.5 F/0.3, b gets -2 F/0.2
    assert speeds[0] / speeds[1] == pytest.approx((0.5 / 0.3) / (-2 / 0.2), rel=1e-6)
    np.testing.assert_allclose(run[spool.angle], 0.5 * run[a.angle] - 2 * run[b.angle], rtol=0, atol=1e-9)


def test_an_equality_of_tendons_ties_the_joints_themselves(tmp_path):
    pytest.importorskip("mujoco")
    tendons = '<tendon><fixed name="t"><joint joint="a" coef="2"/><joint joint="b" coef="4"/></fixed>'
    tendons += '<fixed name="s"><joint joint="c" coef="1"/></fixed></tendon>'
    equal = '<equality><tendon tendon1="t" tendon2="s" polycoef="0 6 0 0 0"/></equality>'
    scene = hand(tmp_path, tendons + equal)
    (coupling,) = scene.couplings.values()
    assert "t" not in scene.joints  # they carry nothing else
    assert dict(zip(coupling.labels, coupling.factors, strict=True)) == {"a.angle": 1, "b.angle": 2, "c.angle": -3}
    assert coupling.offset == pytest.approx(0.2)


def test_a_keyframe_is_where_a_scene_starts(tmp_path):
    pytest.importorskip("mujoco")
    scene = hand(tmp_path, "", keyframe="home")
    sim = sh.Simulation(scene)
    assert [sim.get(scene.joints[name].angle) for name in "abc"] == pytest.approx([0.5, 0.1, -0.2], abs=1e-12)
    assert "'home'" in next(one.why for one in hand(tmp_path, "").report.of("ignored") if "keyframes" in one.what)
    with pytest.raises(sh.SceneError, match=r"hand\.xml has no keyframe 'hom'; did you mean 'home'"):
        hand(tmp_path, "", keyframe="hom")


def test_loops_that_start_open_are_closed(tmp_path):
    pytest.importorskip("mujoco")
    body = '<body name="{0}" pos="{1} 0 0"><joint name="{0}" axis="0 1 0"/><geom type="capsule" size=".02" '
    body += 'fromto="0 0 0 0 0 {2}"/>{3}</body>'
    rod = '<body name="rod" pos="0 0 .5"><joint name="rod" axis="0 1 0"/><geom type="capsule" size=".02" '
    rod += 'fromto="0 0 0 .9 0 0"/><site name="tip" pos=".9 0 .01"/></body>'
    file = tmp_path / "open.xml"
    file.write_text(
        "<mujoco><worldbody>"
        + body.format("one", 0, 0.5, rod)
        + body.format("two", 1, 0.4, '<site name="end" pos="0 0 .4"/>')
        + '</worldbody><equality><connect name="pin" site1="tip" site2="end"/></equality></mujoco>'
    )
    scene = sh.Scene.load(file)
    assert max(opening(scene.joints["pin"])) < 1e-9 and max(opening(scene.joints["one"])) < 1e-9
    assert any("start open by up to" in one.why for one in scene.report.of("repaired"))


def test_robots_with_couplings_and_ground_are_added_several_times(tmp_path):
    gripper(tmp_path, LIMIT.format(-0.8, 0.4), -2.0, 0.1)
    cell = sh.Scene("cell")
    for name, y in (("left", 0.0), ("right", 1.0)):
        cell.add(tmp_path / "gripper.urdf", name=name, at=(0, y, 0))
    assert [one.labels for one in cell.couplings.values()] == [
        ("left/right.angle", "left/left.angle"),
        ("right/right.angle", "right/left.angle"),
    ]
    land = sh.Scene("land")
    land.material("ice", sh.Material(friction=0.1))
    land.terrain("slope", sh.Plane(), material="ice", position=(0, 0, 1))
    cell.add(land, name="field", at=(0, 0, 2))
    slope = cell.terrains["field/slope"].spec
    assert slope.position == (0.0, 0.0, 3.0) and cell.materials.named[slope.material].friction == 0.1
    with pytest.raises(sh.SceneError, match="has terrain, which no body can carry"):
        cell.add(land, name="again", on=cell.bodies["left/l"])


def test_anchors_that_miss_by_the_last_digits_of_a_file_meet(tmp_path):
    """A planar loop whose ball lies 50 nm beside the plane, where nothing can move: it is put right, and told."""
    pytest.importorskip("mujoco")
    file = tmp_path / "four_bar.xml"
    bar = '<joint axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 -1"/>'
    file.write_text(
        f"""<mujoco><worldbody>
        <body name="left" pos="0 0 2">{bar}<body name="middle" pos="0 0 -1"><joint axis="0 1 0"/>
          <geom type="capsule" size="0.02" fromto="0 0 0 1 0 0"/><site name="end" pos="1 5e-8 0"/></body></body>
        <body name="right" pos="1 0 2">{bar}<site name="foot" pos="0 0 -1"/></body>
        </worldbody><equality><connect name="pin" site1="end" site2="foot"/></equality></mujoco>"""
    )
    scene = sh.Scene.load(file)
    assert max(opening(scene.joints["pin"])) < 1e-14
    assert any("misses its loop by 5.0e-08 m" in entry.why for entry in scene.report.of("repaired"))
    simulation = sh.Simulation(scene, dt=0.002)
    simulation.step(100)
    assert float(simulation.get(scene.joints["pin"].gap)) < 1e-9


LINE = """<mujoco model="crane"><option timestep="0.0005" integrator="RK4"/><worldbody>
  <site name="s0" pos="0 0 2"/><site name="s2" pos="0.8 0 2"/>
  <body name="block" pos="0.4 0 1.5"><joint name="lift" type="slide" axis="0 0 1"/>
    <geom type="box" size=".05 .05 .05" mass="1" contype="0" conaffinity="0"/><site name="s1" pos="0 0 .05"/></body>
  <body name="arm" pos="1.2 0 1.5"><joint name="hinge" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02" mass="1" contype="0" conaffinity="0"/>
    <site name="s3" pos="0.3 0 0"/></body>
  </worldbody><tendon>{}</tendon>
  <actuator><motor name="pull" tendon="line" ctrlrange="-5 5"/></actuator></mujoco>"""
SPRING = 'stiffness="80" damping="2" springlength="1.5"'
ROUND = '<site site="s0"/><site site="s1"/><site site="s2"/>'


@pytest.mark.parametrize(
    ("tendon", "lines"),
    [
        (f'<spatial name="line" {SPRING}>{ROUND}<site site="s3"/></spatial>', 3),
        (f'<spatial name="line" {SPRING}>{ROUND}<pulley divisor="2"/><site site="s2"/><site site="s3"/></spatial>', 3),
        (f'<spatial name="line" {SPRING}><site site="s0"/><site site="s2"/><site site="s1"/></spatial>', 1),
        (f'<spatial name="line" {SPRING}><site site="s0"/><site site="s1"/></spatial>', 1),
    ],
)
def test_a_tendon_over_several_sites_and_pulleys_moves_as_in_mujoco(tmp_path, tendon, lines):
    """Its spring and damper act on the whole length; MuJoCo at a fine step of fourth order is the reference."""
    import mujoco

    file = tmp_path / "crane.xml"
    file.write_text(LINE.format(tendon))
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    while data.time < 0.5 - 1e-9:
        mujoco.mj_step(model, data)
    again = sh.Scene.load(sh.Scene.load(file).save(tmp_path / "crane.yaml"))
    assert sum(isinstance(joint.type, sh.Strut) for joint in again.joints.values()) == lines
    assert again.joints["line"].drives
    errors = []
    for dt in (0.002, 0.001):
        run = sh.Simulation(again, dt=dt).run(0.5)
        lift, hinge = (run[q].values[-1] for q in (again.joints["lift"].displacement, again.joints["hinge"].angle))
        length = float(run[again.joints["line"].displacement].values[-1])
        assert length == pytest.approx(float(data.ten_length[0]), abs=2e-4)
        errors.append(max(abs(float(lift) - data.qpos[0]), abs(float(hinge) - data.qpos[1])))
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] > 3.0  # of second order


def test_a_tendon_that_wraps_around_a_body_is_named(tmp_path):
    geom = '<geom name="drum" type="cylinder" size=".1 .1" pos="0.4 0 1.8" contype="0" conaffinity="0"/>'
    wraps = '<spatial name="line"><site site="s0"/><geom geom="drum"/><site site="s2"/></spatial>'
    file = tmp_path / "crane.xml"
    file.write_text(LINE.format(wraps).replace("<site name=", geom + "<site name=", 1))
    scene = sh.Scene.load(file)
    assert "wraps around a body" in str(scene.report)
    with pytest.raises(sh.SceneError, match="wraps around a body"):
        sh.Scene.load(file, strict=True)
