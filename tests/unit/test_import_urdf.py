"""URDF: poses and masses by hand, a report that accounts for everything, repairs, and what is refused."""

from __future__ import annotations

import json
import math
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest
from robot_files import ARM

import sharnir as sh
from sharnir import cli, spatial
from sharnir.control.defaults import default_diagram
from sharnir.scene.joint_coordinates import start_value


@pytest.fixture
def arm(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(ARM)
    return file


def test_bodies_lie_and_weigh_as_the_file_says(arm):
    scene = sh.Scene.load(arm)
    assert list(scene.bodies) == ["base", "upper", "tool"]
    # 0 is outside of the limits, so the shoulder starts at 0.25 rad about -y of a frame turned by 90 degrees: about +x
    rise, ahead = math.sin(0.25), math.cos(0.25)
    assert np.allclose(scene.bodies["tool"].pose.position, [0, ahead, 1 + rise], atol=1e-15)
    mass, center, inertia = scene.bodies["upper"].properties
    assert (mass, center.tolist()) == (2.0, [0.5, 0.0, 0.0])
    assert np.allclose(inertia, np.diag([0.1, 0.3, 0.3]), atol=1e-16)  # its frame is turned about z
    mass, center, inertia = scene.bodies["tool"].properties  # with the lamp, 0.2 m beside it
    assert (mass, center.tolist()) == (2.0, [0.0, 0.1, 0.0])
    assert np.allclose(inertia, 0.2 * np.eye(3) + 2 * 0.01 * np.diag([1, 0, 1]), atol=1e-16)


def test_joints_carry_what_the_file_says(arm):
    shoulder, wrist = sh.Scene.load(arm).joints.values()
    assert shoulder.ranges == {"angle": (0.25, 2.0)}
    assert shoulder.friction["angle"] == sh.Stribeck(0.2, 0.2, 1e-3, viscous=0.5)
    assert wrist.friction["angle"] == sh.Viscous(0.1)
    servo = shoulder.drives["angle"]
    assert (servo.drive.stall_torque, servo.drive.idle_speed) == (50.0, 4.0)
    assert servo.reach == (0.25, 1.8)  # the soft limits, within those of the joint
    assert wrist.drives == {}
    assert sh.Scene.load(arm, motors=False).joints["shoulder"].drives == {}


def test_shapes_are_seen_or_touched(arm):
    scene = sh.Scene.load(arm)
    (box,) = scene.bodies["base"].spec.shapes
    assert (box.color, box.visible, box.collides) == ("#0000ff80", True, False)
    (tube,) = scene.bodies["upper"].spec.shapes
    assert (tube.visible, tube.collides) == (True, True)  # it has nothing else to be seen by
    assert scene.materials.named[scene.bodies["upper"].spec.contact.material].friction == 0.8
    assert scene.materials.named[scene.bodies["tool"].spec.contact.material].friction == 0.3


def test_soft_limits_are_where_the_console_ends_and_beyond_them_one_is_warned(arm):
    scene = sh.Scene.load(arm)
    assert default_diagram(scene).inputs["shoulder target"].range == (0.25, 1.8)
    sim = sh.Simulation(scene, dt=0.005)
    with pytest.warns(sh.SimulationWarning, match=r"target-beyond-limit.*1.9 rad, .* \(0.25, 1.8\)"):
        sim.run(0.01, target={scene.joints["shoulder"]: 1.9})


def test_gazebo_tells_where_the_robot_and_its_joints_start(arm, tmp_path):
    told = """<gazebo><pose>1 2 3 0 0 1.5707963267948966</pose></gazebo>
      <gazebo reference="shoulder"><initialJointPosition>0.5</initialJointPosition></gazebo></robot>"""
    arm.write_text(ARM.replace("</robot>", told))
    scene = sh.Scene.load(arm)
    assert np.allclose(scene.bodies["base"].pose.position, [1, 2, 3], atol=1e-15)
    assert start_value(scene.joints["shoulder"], scene.joints["shoulder"].type.coordinates[0]) == 0.5
    # along x of the file's shoulder, which is turned to -x by both turns of 90 degrees, and raised by 0.5 rad
    tip = scene.bodies["tool"].pose.position
    assert np.allclose(tip, [1 - math.cos(0.5), 2, 4 + math.sin(0.5)], atol=1e-12)
    again = sh.Scene.load(scene.save(tmp_path / "again.urdf"))
    assert again.joints["shoulder"].drives["angle"].reach == (0.25, 1.8)
    assert np.allclose(again.bodies["tool"].pose.position, tip, atol=1e-12)
    assert "<pose>" not in str(scene.report) and "initialJointPosition" not in str(scene.report)


def test_the_report_accounts_for_every_element_and_attribute(arm):
    report = sh.Scene.load(arm).report
    root = ElementTree.fromstring(ARM)
    there = Counter(node.tag for node in root.iter())
    there.update(f"{node.tag}.{name}" for node in root.iter() for name in node.attrib)
    ignored = [node for tag in ("inertia_scaling", "kp", "plugin") for node in root.iter(tag)]
    for node in ignored:
        there.subtract([node.tag, *(f"{node.tag}.{name}" for name in node.attrib)])
    there.subtract(["safety_controller.k_velocity"])
    left = {f"<{node.tag}>" for node in ignored} | {"safety_controller k_velocity"}
    assert {entry.what for entry in report.of("ignored")} == left
    assert all(entry.why and entry.where.startswith("line ") for entry in report.losses)
    # a <gazebo> element, its reference and <mu1> are read as well; nothing is counted that is not there
    assert report.used == +there
    (start,) = report.of("repaired")
    assert start.why == "0 is outside of the limits; starts at 0.25"


def test_a_robot_moves_like_the_same_scene_by_hand(tmp_path):
    file = tmp_path / "pendulum.urdf"
    inertial = '<inertial><origin xyz="1 0 0"/><mass value="1"/><inertia ixx=".004" iyy=".004" izz=".004"/></inertial>'
    file.write_text(
        f'<robot name="r"><link name="base"/><link name="bob">{inertial}</link><joint name="pivot" type="continuous">'
        '<parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>'
    )
    scene = sh.Scene("by hand")
    bob = scene.body("bob", position=(0, 0, 0), mass=1.0, center_of_mass=(1, 0, 0), inertia=(0.004,) * 3)
    scene.joint("pivot", sh.Revolute(axis=(0, 1, 0)), scene.world, bob)
    ends = []
    for one in (sh.Scene.load(file), scene):
        sim = sh.Simulation(one, dt=0.002)
        sim.step(500)
        ends.append(sim.get(one.joints["pivot"].angle))
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)
    assert abs(ends[0]) > 0.5


REPAIRED = {
    "axis": ('<axis xyz="0 0 0"/>', "", "is (0, 0, 0); now (1, 0, 0)"),
    "limit": ('<limit lower="1" upper="-1"/>', "", "runs from 1 to -1; now from -1 to 1"),
    "damping": ('<dynamics damping="-1"/><limit upper="1"/>', "", "is -1; now 0"),
    "velocity": ('<limit upper="1" effort="3"/>', "", "is not given beside an effort; now 10 rad/s"),
    "inertia": ('<limit upper="1"/>', '<mass value="1"/><inertia ixx="1" iyy="1" izz="9"/>', "cannot be; now"),
    "mass": ('<limit upper="1"/>', '<mass value="0"/>', "moves without mass; now 1e-06 kg"),
    "numbers": ('<axis xyz="1 0 0 7"/><limit upper="1"/>', "", "has 4 numbers; the first 3 are taken"),
    "tail": ('<limit upper="1.5."/>', "", "is '1.5.'; now 1.5"),
}


@pytest.mark.parametrize("what", REPAIRED)
def test_what_cannot_be_is_repaired_and_told(tmp_path, what):
    joint, inertial, told = REPAIRED[what]
    file = tmp_path / "robot.urdf"
    file.write_text(robot(joint, inertial or '<mass value="1"/><inertia ixx="1" iyy="1" izz="1"/>'))
    scene = sh.Scene.load(file)
    assert any(told in entry.why for entry in scene.report.of("repaired")), str(scene.report)
    with pytest.raises(sh.SceneError, match=r"without loss.*mend the file"):
        sh.Scene.load(file, strict=True)


def robot(joint: str, inertial: str) -> str:
    return (
        f'<robot name="r"><link name="a"/><link name="b"><inertial>{inertial}</inertial></link>'
        f'<joint name="j" type="revolute"><parent link="a"/><child link="b"/>{joint}</joint></robot>'
    )


def test_an_inertia_is_repaired_no_further_than_needed():
    from sharnir.importing.repair import nearest_inertia, physical

    thin = np.diag([1.0, 1.0, 2.0001])
    mended = nearest_inertia(1.0, thin)
    assert physical(mended)
    assert np.abs(mended - thin).max() < 1e-4
    assert physical(nearest_inertia(2.0, np.zeros((3, 3))))


def test_a_scene_file_holds_the_robot_to_the_bit_and_tells_its_losses(arm, tmp_path):
    scene = sh.Scene.load(arm)
    again = sh.Scene.load(scene.save(tmp_path / "arm.yaml"))
    assert {name: body.spec for name, body in again.bodies.items()} == {n: b.spec for n, b in scene.bodies.items()}
    assert {name: joint.spec for name, joint in again.joints.items()} == {n: j.spec for n, j in scene.joints.items()}
    head = [line for line in (tmp_path / "arm.yaml").read_text().splitlines() if line.startswith("#")]
    assert any("<plugin>" in line and "matters to motion" in line for line in head)


def test_robots_are_added_several_times_and_on_a_moving_platform(arm):
    scene = sh.Scene()
    cart = scene.body("cart", sh.Box(1, 1, 0.2, mass=10), position=(0, 0, 3))
    left = scene.add(arm, name="left", at=(0, 1, 0), rotation=(0, 0, 1, 0))
    right = scene.add(arm, name="ride", at=(0.5, 0, 0.1), on=cart)
    rise, ahead = math.sin(0.25), math.cos(0.25)
    assert np.allclose(left.bodies["tool"].pose.position, [0, 1 - ahead, 1 + rise], atol=1e-15)
    assert np.allclose(right.bodies["tool"].pose.position, [0.5, ahead, 4.1 + rise], atol=1e-15)
    assert scene.joints["ride/base weld"].a is cart
    assert not right.bodies["base"].spec.fixed
    from sharnir.scene.check import check_scene

    check_scene(scene)  # all joints meet
    assert right.bodies["base"].spec.mass == pytest.approx(4e-6)  # of 4 kg: it has none in its file
    losses = {entry.where: entry.why for entry in scene.report.losses}
    assert losses["ride: base"] == "is carried without mass; now 4e-06 kg"
    assert [report.source for report in (left.report, right.report, scene.report)] == ["arm.urdf"] * 3
    assert sum(where.startswith("left: line ") for where in losses) == len(left.report.losses)
    sim = sh.Simulation(scene, dt=0.005)
    run = sim.run(0.5)
    assert float(run[scene.joints["ride/base weld"].gap].max()) < 1e-8


def test_the_command_imports(arm, tmp_path, capsys):
    assert cli.main(["import", str(arm), "--out", str(tmp_path / "arm.yaml"), "--base", "free", "--ground"]) == 0
    shown = capsys.readouterr().out
    assert "what was not taken as it is" in shown and "2 joints, 1 of them driven" in shown
    loaded = sh.Scene.load(tmp_path / "arm.yaml")
    assert not loaded.bodies["base"].spec.fixed
    assert loaded.terrains["ground"].spec.position[2] < 1.0
    assert cli.main(["import", str(arm), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ignored"]
    assert cli.main(["import", str(arm), "--strict"]) == 2
    capsys.readouterr()
    assert cli.main(["import", str(tmp_path / "arm.yaml")]) == 2
    assert "is a scene already" in capsys.readouterr().err


CHOICES = ("--base", "free", "--ground", "--up", "x", "--scale", "0.5", "--no-motors", "--self-collision")


def test_every_command_that_takes_a_robot_takes_the_same_choices(arm, tmp_path, monkeypatch, capsys):
    """What ``run`` and ``compare`` simulate, ``drive`` offers and ``pack`` holds is what ``import`` writes."""
    from sharnir import experiment
    from sharnir.files.pack import unpack_scene
    from sharnir.reference import compare
    from sharnir.view.choice import Choice

    seen = {}

    def stop(name):
        def taken(one, *_, **__):
            seen[name] = one if isinstance(one, sh.Scene) else one.scene
            raise sh.SceneError("seen")

        return taken

    monkeypatch.setattr(experiment.Experiment, "run", stop("run"))
    monkeypatch.setattr(compare, "compare", stop("compare"))
    monkeypatch.setattr(Choice, "physics", stop("drive"))
    assert cli.main(["import", str(arm), "--out", str(tmp_path / "told.yaml"), *CHOICES]) == 0
    assert cli.main(["run", str(arm), *CHOICES]) == 2
    assert cli.main(["compare", str(arm), *CHOICES]) == 2
    assert cli.main(["drive", str(arm), *CHOICES]) == 2
    assert cli.main(["pack", str(arm), "--out", str(tmp_path / "arm.zip"), *CHOICES]) == 0
    assert "lists them" in capsys.readouterr().err
    seen["pack"] = sh.Scene.load(unpack_scene(tmp_path / "arm.zip", tmp_path / "arm"))
    told = sh.Scene.load(tmp_path / "told.yaml")
    assert told.terrains["ground"].spec.position[2] < 0.5 and not told.bodies["base"].spec.fixed
    for name, scene in seen.items():
        assert {n: body.spec for n, body in scene.bodies.items()} == {n: b.spec for n, b in told.bodies.items()}, name
        assert {n: joint.spec for n, joint in scene.joints.items()} == {n: j.spec for n, j in told.joints.items()}
        assert scene.terrains["ground"].spec == told.terrains["ground"].spec
    assert len(seen) == 4


@pytest.mark.parametrize("command", ["run door", "compare door", "drive door", "drive krt100", "drive"])
@pytest.mark.parametrize("choice", ["--ground", "--base free", "--up y", "--arg a=1"])
def test_choices_of_an_import_are_refused_with_what_is_no_robot(command, choice, capsys):
    assert cli.main([*command.split(), *choice.split()]) == 2
    assert "is no robot's file; leave --base, --ground" in capsys.readouterr().err


def test_options_are_checked(arm):
    for options, told in (({"base": "flying"}, "'flying'; give 'fixed'"), ({"strict": 1}, "True or False")):
        with pytest.raises(sh.SceneError, match=told):
            sh.Scene.load(arm, **options)
    with pytest.raises(sh.SceneError, match="not a robot's file"):
        sh.Scene.load(arm.with_suffix(".yaml"), strict=True)


def test_the_console_of_an_imported_robot_has_a_slider_for_every_motor(arm):
    """Grouped by limbs; a servo is first asked to stay where the robot stands."""
    from sharnir.control import default_diagram, default_panel
    from sharnir.control.panel import SliderWidget

    scene = sh.Scene.load(arm)
    driven = [joint for joint in scene.joints.values() if joint.drives]
    (first, *_) = driven
    scene.pose({first.coordinate(): 0.4})
    diagram = default_diagram(scene)
    panel = default_panel(diagram, scene)
    sliders = [one for group in panel.groups for one in group.widgets if isinstance(one, SliderWidget)]
    assert {slider.input for slider in sliders} == set(diagram.inputs) and len(sliders) == len(driven)
    assert diagram.inputs[f"{first.name} target"].start == pytest.approx(0.4)


def test_a_drive_of_an_imported_robot_has_these_sliders(arm, tmp_path):
    """Its run is read from a scene file, which does not tell that the robot was imported."""
    from sharnir.control.panel import KnobWidget, SliderWidget
    from sharnir.runtime.journal import create_run

    run = create_run(sh.Scene.load(arm), 0.005, {}, tmp_path)
    widgets = [widget for group in run.scene().panel.groups for widget in group.widgets]
    assert any(isinstance(widget, SliderWidget) for widget in widgets)
    assert not any(isinstance(widget, KnobWidget) for widget in widgets)


def test_transmissions_are_gears_and_controllers_tell_the_start(arm, tmp_path):
    scene = sh.Scene.load(arm)
    name, joint = next(
        (name, one) for name, one in scene.joints.items() if isinstance(one.type, sh.Revolute) and one.drives
    )
    more = f"""<transmission name="t"><type>simple</type><joint name="{name}"/>
      <actuator name="m"><mechanicalReduction>50</mechanicalReduction><drake:rotor_inertia value="1e-5"/></actuator>
      </transmission><ros2_control name="c" type="system"><joint name="{name}"><command_interface name="position"/>
      <state_interface name="position"><param name="initial_value">0.3</param></state_interface>
      </joint></ros2_control>"""
    file = tmp_path / "geared.urdf"
    file.write_text(arm.read_text().replace("</robot>", more + "</robot>"))
    geared = sh.Scene.load(file).joints[name]
    motor, before = geared.drives["angle"].drive, joint.drives["angle"].drive
    assert motor.ratio == 50 and motor.stall_torque * 50 == pytest.approx(before.stall_torque)
    assert motor.idle_speed / 50 == pytest.approx(before.idle_speed)
    assert motor.inertia * 50**2 == pytest.approx(1e-5 * 50**2)
    (free,) = geared.type.coordinates
    assert start_value(geared, free) == pytest.approx(0.3)
    file.write_text(file.read_text().replace(">50<", ">reduction<"))
    plain = sh.Scene.load(file)
    assert plain.joints[name].drives["angle"].drive.ratio == 1.0
    assert any("'reduction' is no number" in entry.why for entry in plain.report.of("ignored"))


def test_what_joints_of_several_coordinates_cannot_carry_is_named(tmp_path):
    """Limits, efforts and friction of a plane and of a ball: the format says not of which coordinate."""
    carried = '<limit lower="-1" upper="1" effort="5" velocity="2"/><dynamics damping="0.5" friction="0.6"/>'
    weight = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    links = '<link name="a"/>' + "".join(f'<link name="{name}">{weight}</link>' for name in "bc")
    joints = "".join(
        f'<joint name="j{i}" type="{kind}"><parent link="{a}"/><child link="{b}"/>{carried}</joint>'
        for i, (kind, a, b) in enumerate([("planar", "a", "b"), ("spherical", "b", "c")])
    )
    (tmp_path / "robot.urdf").write_text(f'<robot name="r">{links}{joints}</robot>')
    scene = sh.Scene.load(tmp_path / "robot.urdf")
    lost = {(entry.where.partition("joint ")[2], entry.what) for entry in scene.report.of("ignored")}
    assert {("'j0' limit", "<limit>"), ("'j0' dynamics", "<dynamics>"), ("'j1' limit", "<limit>")} <= lost
    assert all(entry.matters == "motion" for entry in scene.report.of("ignored"))
    assert not scene.joints["j0"].friction and scene.joints["j1"].friction


def test_a_material_may_be_defined_later_and_one_that_is_not_there_is_named(tmp_path):
    visual = '<visual><geometry><sphere radius="0.1"/></geometry><material name="{}">{}</material></visual>'
    links = f'<link name="a">{visual.format("red", "")}{visual.format("lost", "")}</link>'
    links += f'<link name="b">{visual.format("red", "<color rgba=" + chr(34) + "1 0 0 1" + chr(34) + "/>")}</link>'
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
    (tmp_path / "robot.urdf").write_text(f'<robot name="r">{links}{joint}</robot>')
    scene = sh.Scene.load(tmp_path / "robot.urdf")
    assert [shape.color for shape in scene.bodies["a"].spec.shapes] == ["#ff0000", None, "#ff0000"]
    (lost,) = scene.report.of("ignored")
    assert lost.why == "there is no 'lost'" and lost.matters == "looks"


def test_roll_pitch_and_yaw_turn_about_fixed_axes_in_this_order(tmp_path):
    """R = Rz(yaw) Ry(pitch) Rx(roll), with all three of them at once."""
    roll, pitch, yaw = 0.3, 0.8, -1.1
    x = [[1, 0, 0], [0, math.cos(roll), -math.sin(roll)], [0, math.sin(roll), math.cos(roll)]]
    y = [[math.cos(pitch), 0, math.sin(pitch)], [0, 1, 0], [-math.sin(pitch), 0, math.cos(pitch)]]
    z = [[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]]
    visual = f'<visual><origin rpy="{roll} {pitch} {yaw}"/><geometry><box size="1 1 1"/></geometry></visual>'
    (tmp_path / "robot.urdf").write_text(f'<robot name="r"><link name="a">{visual}</link></robot>')
    (box,) = sh.Scene.load(tmp_path / "robot.urdf").bodies["a"].spec.shapes
    assert np.allclose(spatial.matrix(np.array(box.rotation)), np.array(z) @ y @ x, atol=1e-15)
