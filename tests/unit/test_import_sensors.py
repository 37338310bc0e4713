"""Sensors and cameras of robots' files: what they read is what the file means."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sh

MJCF = """
<mujoco model="arm"><option gravity="0 0 -10"/><worldbody>
  <site name="post" pos="0 0 1"/>
  <body name="arm" pos="0 0 2"><joint name="hinge" axis="0 1 0"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -1" mass="1"/>
    <site name="tip" pos="0 0 -1" euler="0 90 0"/><site name="side" pos="0 0.3 -0.5"/>
    <camera name="eye" pos="0.1 0 -1" xyaxes="0 -1 0 0 0 1" fovy="60"/>
    <body name="tool" pos="0 0 -1"><site name="cell" pos="0 0 0.1"/><site name="pad" pos="0 0 -0.1" size="0.2"/>
      <geom type="sphere" size="0.1" mass="2"/></body></body>
  <body name="ball" pos="0 0 5"><freejoint/><geom size="0.1"/></body>
  <camera name="still" pos="3 0 0"/>
</worldbody><sensor>
  <accelerometer name="acc" site="tip"/><gyro name="gyro" site="tip"/><force name="load" site="cell"/>
  <jointpos name="q" joint="hinge"/><jointvel name="dq" joint="hinge"/><rangefinder name="beam" site="side" cutoff="7"/>
  <touch name="bump" site="pad" noise="0.1"/><framepos name="where" objtype="site" objname="tip"/>
  <velocimeter name="speed" site="tip"/><subtreecom name="com" body="arm"/><force name="none" site="post"/>
</sensor></mujoco>
"""

INERTIAL = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = f"""
<robot name="rover">
  <link name="base">{INERTIAL.format(5)}</link><link name="mast">{INERTIAL.format(2)}</link><link name="head"/>
  <joint name="cell" type="fixed"><parent link="base"/><child link="mast"/><origin xyz="0 0 1"/></joint>
  <joint name="neck" type="fixed"><parent link="mast"/><child link="head"/>
    <origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/></joint>
  <gazebo reference="head">
    <sensor name="imu" type="imu"><update_rate>100</update_rate><pose>0.1 0 0 0 0 0</pose><imu><angular_velocity><x>
      <noise type="gaussian"><mean>0</mean><stddev>0.02</stddev><bias_mean>0.001</bias_mean></noise>
      </x></angular_velocity></imu></sensor>
    <sensor name="laser" type="ray"><ray><scan><horizontal><samples>91</samples><min_angle>-0.5</min_angle>
      <max_angle>1.0</max_angle></horizontal></scan><range><max>12</max></range></ray></sensor>
    <sensor name="cam" type="camera"><camera><horizontal_fov>1.2</horizontal_fov><image><width>640</width>
      <height>480</height></image></camera></sensor>
    <sensor name="nose" type="smell"/>
  </gazebo>
  <gazebo reference="cell"><sensor name="force" type="force_torque"/></gazebo>
</robot>
"""


def test_sensors_of_mjcf_read_what_mujoco_reads(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    file = tmp_path / "arm.xml"
    file.write_text(MJCF)
    scene = sh.Scene.load(file)
    assert set(scene.sensors) == {"acc", "gyro", "load", "q", "dq", "beam", "bump", "where", "speed"}
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    swing, angle, rate = scene.joints["hinge"], 0.7, 1.5
    data.qpos[0], data.qvel[0] = angle, rate
    mujoco.mj_forward(model, data)
    scene.pose({swing.angle: angle})
    simulation = sh.Simulation(scene, dt=1e-4)
    simulation.set(swing.rate(), rate)
    simulation.step(2)  # sensors read at the end of a step

    def read(name: str, which: str | None = None) -> np.ndarray:
        return np.asarray(simulation.get(scene.sensors[name].reading(which)))

    def theirs(name: str) -> np.ndarray:
        return np.asarray(data.sensor(name).data)

    near = {"abs": 0.02}  # two steps of 0.1 ms later
    assert read("acc", "acceleration") == pytest.approx(theirs("acc"), **near)
    assert read("gyro", "angular_velocity") == pytest.approx(theirs("gyro"), **near)
    assert float(read("q")) == pytest.approx(float(theirs("q")[0]), **near)
    assert float(read("dq")) == pytest.approx(float(theirs("dq")[0]), **near)
    assert read("where", "position") == pytest.approx(theirs("where"), **near)
    assert read("load", "force") == pytest.approx(theirs("load"), abs=0.05)
    assert float(read("beam")) == 7.0  # nothing is there; MuJoCo says -1
    told = {entry.where: entry for entry in scene.report.losses if entry.matters in ("sensing", "looks")}
    assert "computed from" in told["sensor 'com'"].why
    assert "hangs on nothing" in told["sensor 'none'"].why
    assert "does not ride" in told["camera 'still'"].why


def test_cameras_of_mjcf_ride_along(tmp_path):
    pytest.importorskip("mujoco")
    file = tmp_path / "arm.xml"
    file.write_text(MJCF)
    (eye,) = sh.Scene.load(file).cameras.values()
    assert eye.spec.body == "arm" and eye.spec.field_of_view == pytest.approx(math.radians(60))
    assert eye.spec.direction == pytest.approx((1, 0, 0)) and eye.spec.up == pytest.approx((0, 0, 1))


def test_sensors_of_gazebo_sit_where_the_urdf_says(tmp_path):
    file = tmp_path / "rover.urdf"
    file.write_text(URDF)
    scene = sh.Scene.load(file)
    imu, laser, force = (scene.sensors[name] for name in ("imu", "laser", "force"))
    assert imu.spec.on == "mast" and imu.type.position == pytest.approx((0, 0.1, 0.5))
    assert imu.type.gyro == sh.Noise(density=0.002, bias=0.001)
    assert laser.type.beams == 91 and laser.type.field_of_view == pytest.approx(1.5) and laser.type.reach == 12
    middle = math.pi / 2 + 0.25
    assert laser.type.direction == pytest.approx((math.cos(middle), math.sin(middle), 0))
    assert scene.cameras["cam"].spec.field_of_view == pytest.approx(2 * math.atan(math.tan(0.6) * 0.75))
    assert isinstance(scene.joints["cell"].type, sh.Fixed) and force.on is scene.joints["cell"]
    assert any("'smell'" in entry.why for entry in scene.report.of("ignored"))
    simulation = sh.Simulation(scene, dt=0.005)
    simulation.step(5)
    weight = simulation.get(force.reading("force"))
    assert np.linalg.norm(weight) == pytest.approx(2 * 9.81, rel=1e-6)


def test_sensors_of_an_sdf(tmp_path):
    file = tmp_path / "box.sdf"
    file.write_text(
        """<sdf version="1.9"><model name="box"><link name="body"><pose>0 0 1 0 0 0</pose>
        <sensor name="imu" type="imu"><pose>0 0 0.2 0 0 0</pose></sensor><sensor name="touch" type="contact"/></link>
        </model></sdf>"""
    )
    scene = sh.Scene.load(file)
    assert scene.sensors["imu"].type.position == (0.0, 0.0, 0.2)
    assert isinstance(scene.sensors["touch"].type, sh.PressurePad)
