"""A scene as URDF and back: the same robot; what the format cannot hold is told or refused."""

from __future__ import annotations

import numpy as np
import pytest
from robot_files import ARM

import sharnir as sh


def assert_same(one: sh.Scene, other: sh.Scene) -> None:
    assert list(one.bodies) == list(other.bodies) and list(one.joints) == list(other.joints)
    for name, body in one.bodies.items():
        again = other.bodies[name]
        assert np.allclose(body.pose.position, again.pose.position, atol=1e-14)
        assert abs(body.pose.rotation @ again.pose.rotation) == pytest.approx(1.0, abs=1e-14)
        assert body.spec.fixed == again.spec.fixed and len(body.spec.shapes) == len(again.spec.shapes)
        if body.properties is not None:
            for a, b in zip(body.properties, again.properties, strict=True):
                assert np.allclose(a, b, rtol=1e-13, atol=1e-15)
    for name, joint in one.joints.items():
        again = other.joints[name]
        assert type(joint.type) is type(again.type)
        assert (joint.ranges, joint.friction) == (again.ranges, again.friction)
        for frame, back in ((joint.frame_a, again.frame_a), (joint.frame_b, again.frame_b)):
            assert np.allclose(frame.position, back.position, atol=1e-14)
        for axis, drive in joint.drives.items():
            motor, same = drive.drive, again.drives[axis].drive
            assert (motor.stall_torque, motor.idle_speed) == (same.stall_torque, same.idle_speed)


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_a_robot_comes_back_the_same(tmp_path, base):
    (tmp_path / "arm.urdf").write_text(ARM)
    scene = sh.Scene.load(tmp_path / "arm.urdf", base=base)
    again = sh.Scene.load(scene.save(tmp_path / "again.urdf"), base=base)
    assert_same(scene, again)
    assert "the largest effort and speed of it alone" in (tmp_path / "again.urdf").read_text()


def test_anchors_away_from_a_body_s_frame_and_joints_to_the_world(tmp_path):
    scene = sh.Scene("by hand")
    first = scene.body("first", sh.Box(1, 0.1, 0.1, mass=2), position=(0.5, 0, 1))
    second = scene.body("second", sh.Sphere(0.1, mass=1), position=(1, 0.2, 1), rotation=(0, 0, 1, 0))
    scene.joint("a", sh.Revolute(axis=(0, 1, 0), anchor=(0, 0, 1)), scene.world, first)
    scene.joint("b", sh.Prismatic(axis=(0, 1, 1), anchor=(1, 0, 1)), second, first, limits=(-0.2, 0.3))
    again = sh.Scene.load(scene.save(tmp_path / "robot.urdf"))
    for name, body in scene.bodies.items():
        mass, center, _ = body.properties
        new = again.bodies[name]
        assert np.allclose(body.pose.point(center), new.pose.point(new.properties.center), atol=1e-15)
        assert new.properties.mass == pytest.approx(mass)
    # the joint is written from second's side: the child's coordinate runs the other way round the same axis
    turned = again.joints["b"].world_frames()[0]
    assert again.joints["b"].ranges == {"displacement": (-0.2, 0.3)}
    assert np.allclose(turned.point((0, 0, 1)) - turned.position, np.array([0, -1, -1]) / np.sqrt(2), atol=1e-12)


def test_what_urdf_cannot_hold_is_refused_or_told(tmp_path):
    scene = sh.Scene("loop")
    bodies = [scene.body(name, sh.Sphere(0.1, mass=1), position=(x, 0, 0)) for name, x in (("p", 0), ("q", 1))]
    scene.joint("one", sh.Revolute(anchor=(0.3, 0, 0)), *bodies, spring=sh.Spring(5.0))
    assert "spring: URDF has none" in scene.save(tmp_path / "tree.urdf").read_text()
    scene.joint("two", sh.Revolute(anchor=(0.6, 0, 0)), *bodies)
    with pytest.raises(sh.SceneError, match="joint 'two' closes a loop"):
        scene.save(tmp_path / "loop.urdf")
    ball = sh.Scene("ball")
    ball.joint("socket", sh.Universal(), ball.world, ball.body("b", sh.Sphere(0.1, mass=1)))
    with pytest.raises(sh.SceneError, match="no counterpart in URDF"):
        ball.save(tmp_path / "ball.urdf")


def test_starts_and_load_cells_come_back(tmp_path):
    """As ros2_control and Gazebo write them, since URDF itself has neither."""
    scene = sh.Scene("arm")
    base = scene.body("base", mass=1.0, inertia=(1, 1, 1), fixed=True)
    arm = scene.body("arm", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 1))
    tool = scene.body("tool", mass=0.5, inertia=(1, 1, 1), position=(0, 0, 2))
    scene.joint("bent", sh.Revolute(axis=(0, 1, 0), anchor=(0, 0, 1), drawn_at=0.3), base, arm, limits=(-1, 1))
    cell = scene.joint("cell", sh.Fixed(), arm, tool)
    scene.sensor("load", sh.ForceTorque(force_noise=sh.Noise(density=0.2, bias=0.1)), cell)
    again = sh.Scene.load(scene.save(tmp_path / "arm.urdf"))
    assert [*again.joints] == ["bent", "cell"]
    np.testing.assert_allclose(again.bodies["tool"].pose.position, (0, 0, 2), atol=1e-12)
    assert again.joints["bent"].type.drawn_at == pytest.approx(0.3)
    noise = again.sensors["load"].spec.sensor.force_noise
    assert (noise.density, noise.bias) == (pytest.approx(0.2), 0.1)
    assert "sensors" not in str(again.report)


def test_a_ball_comes_back_where_it_stands(tmp_path):
    """As Bullet writes it; a turned body keeps its pose."""
    scene = sh.Scene("neck")
    chest = scene.body("chest", sh.Box(0.2, 0.2, 0.2, mass=2), fixed=True)
    turned = (0.0, 0.0, np.sin(0.2), np.cos(0.2))
    head = scene.body("head", sh.Sphere(0.1, mass=1), position=(0, 0, 0.3), rotation=turned)
    scene.joint("neck", sh.Spherical(anchor=(0, 0, 0.15)), chest, head, friction=sh.Coulomb(0.2))
    again = sh.Scene.load(scene.save(tmp_path / "neck.urdf"))
    assert isinstance(again.joints["neck"].type, sh.Spherical) and again.joints["neck"].friction
    place, center = again.bodies["head"].pose, again.bodies["head"].properties.center
    np.testing.assert_allclose(again.joints["neck"].world_frames()[1].position, (0, 0, 0.15), atol=1e-12)
    np.testing.assert_allclose(place.point(center), (0, 0, 0.3), atol=1e-12)
    assert abs(place.rotation @ np.array(turned)) == pytest.approx(1.0, abs=1e-12)
