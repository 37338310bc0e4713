"""USD physics: places, units and the up axis; joints, drives, limits, loops and mimics; what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sh
from sharnir import spatial
from sharnir.scene.check import opening

pytest.importorskip("pxr")

HEAD = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 0.01
    kilogramsPerUnit = 1
    upAxis = "Y"
)
def PhysicsScene "scene"
{
    float physics:gravityMagnitude = 981
}
"""
BODY = """
    def Xform "%s" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"%s])
    {
        double3 xformOp:translate = %s
        uniform token[] xformOpOrder = ["xformOp:translate"]
        float physics:mass = 2
        point3f physics:centerOfMass = (0, -10, 0)
        float3 physics:diagonalInertia = (300, 100, 200)
        %s
    }
"""
BOX = """
        def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            double size = 10
            color3f[] primvars:displayColor = [(1, 0, 0)]
        }
"""
HINGE = """
    def PhysicsRevoluteJoint "%s"%s
    {
        uniform token physics:axis = "Z"
        %s
        rel physics:body1 = </robot/%s>
        point3f physics:localPos0 = %s
        point3f physics:localPos1 = %s
        %s
    }
"""
DRIVE = """
        float physics:lowerLimit = -90
        float physics:upperLimit = 45
        float drive:angular:physics:stiffness = 2000
        float drive:angular:physics:damping = 100
        float drive:angular:physics:maxForce = 50000
        float physxJoint:jointFriction = 0.25
"""


def load(tmp_path, inside: str) -> sh.Scene:
    file = tmp_path / "robot.usda"
    root = 'def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])'
    file.write_text(f"{HEAD}{root}\n{{\n{inside}\n}}\n")
    return sh.Scene.load(file)


def to(body: str) -> str:
    return f"rel physics:body0 = </robot/{body}>"


def chain(extra: str = "", first: str = "") -> str:
    bodies = BODY % ("upper", "", "(0, 100, 0)", BOX) + BODY % ("lower", "", "(0, 50, 0)", "")
    driven = ' (prepend apiSchemas = ["PhysicsDriveAPI:angular"])'
    joints = HINGE % ("top", driven, "", "upper", "(0, 100, 0)", "(0, 0, 0)", DRIVE)
    return bodies + joints + HINGE % ("knee", first, to("upper"), "lower", "(0, -50, 0)", "(0, 0, 0)", extra)


def test_units_and_the_up_axis_are_made_ours(tmp_path):
    scene = load(tmp_path, chain())
    assert scene.gravity == pytest.approx((0, 0, -9.81))
    assert np.allclose(scene.bodies["upper"].pose.position, [0, 0, 1], atol=1e-9)
    assert np.allclose(scene.bodies["lower"].pose.position, [0, 0, 0.5], atol=1e-9)
    mass, center, inertia = scene.bodies["upper"].properties
    assert mass == 2.0 and np.allclose(scene.bodies["upper"].pose.point(center), [0, 0, 0.9], atol=1e-9)
    assert np.allclose(np.diag(inertia), [0.03, 0.01, 0.02], rtol=1e-6)
    axis = spatial.rotate(scene.joints["top"].world_frames()[0].rotation, (0, 0, 1))
    assert np.allclose(axis, [0, -1, 0], atol=1e-9)  # z of a stage whose y is up
    (box,) = scene.bodies["upper"].spec.shapes
    assert box.x == pytest.approx(0.1) and box.color == "#ff0000" and box.collides


def test_joints_carry_limits_friction_and_drives(tmp_path):
    top = load(tmp_path, chain()).joints["top"]
    assert top.ranges["angle"] == pytest.approx((-math.pi / 2, math.pi / 4))
    assert top.friction["angle"] == sh.Coulomb(0.25)
    servo = top.drives["angle"]
    assert servo.drive.stall_torque == pytest.approx(5.0)  # 50000 kg cm^2/s^2
    # 2000 kg cm^2/s^2 per degree
    assert servo.gain * servo.drive.stall_torque == pytest.approx(0.2 * 180 / math.pi)
    assert servo.damping * servo.drive.stall_torque == pytest.approx(0.01 * 180 / math.pi)


def test_joints_outside_of_the_articulation_close_loops(tmp_path):
    third = BODY % ("link", "", "(50, 50, 0)", "")
    joints = HINGE % ("side", "", to("lower"), "link", "(0, -10, 0)", "(-50, -10, 0)", "")
    joints += HINGE % ("pin", "", "", "link", "(50, 60, 0)", "(0, 10, 0)", "bool physics:excludeFromArticulation = 1")
    scene = load(tmp_path, chain() + third + joints)
    assert list(scene.joints)[-1] == "pin" and scene.freedoms().mobility == 1
    assert max(max(opening(joint)) for joint in scene.joints.values()) < 1e-9


def test_mimics_are_couplings(tmp_path):
    rel = "rel physxMimicJoint:rotZ:referenceJoint = </robot/top>\nfloat physxMimicJoint:rotZ:gearing = 2\n"
    scene = load(tmp_path, chain(rel, ' (prepend apiSchemas = ["PhysxMimicJointAPI:rotZ"])'))
    assert scene.couplings["knee"].type == sh.Mimic(-2.0, 0.0)


def test_stages_without_bodies_and_layers_from_outside_are_refused(tmp_path):
    with pytest.raises(sh.SceneError, match="has no rigid bodies"):
        load(tmp_path, "")
    (tmp_path / "secret").mkdir()
    inner = tmp_path / "a" / "b" / "c"
    inner.mkdir(parents=True)
    (tmp_path / "secret" / "other.usda").write_text("#usda 1.0\n")
    file = inner / "robot.usda"
    file.write_text("#usda 1.0\n(\n    subLayers = [@../../../secret/other.usda@]\n)\n")
    with pytest.raises(sh.SceneError, match="outside of the robot's folder"):
        sh.Scene.load(file)
    file.write_text("no stage")
    with pytest.raises(sh.SceneError, match=r"robot\.usda: is no USD file"):
        sh.Scene.load(file)
