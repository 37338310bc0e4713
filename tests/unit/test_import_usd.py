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


def test_mimics_of_newton_are_couplings_in_our_units(tmp_path):
    rel = "rel newton:mimicJoint = </robot/top>\nfloat newton:mimicCoef0 = 90\nfloat newton:mimicCoef1 = 0.5\n"
    api = ' (prepend apiSchemas = ["NewtonMimicAPI"])'
    scene = load(tmp_path, chain(rel, api))
    assert scene.couplings["knee"].type == sh.Mimic(0.5, math.pi / 2)
    assert not load(tmp_path, chain(f"{rel}bool newton:mimicEnabled = 0\n", api)).couplings
    lost = load(tmp_path, chain("rel newton:mimicJoint = </robot/nothing>\n", api))
    assert not lost.couplings and "the joint that it follows is not there" in str(lost.report)


@pytest.mark.parametrize(
    "given",
    [
        "float newton:friction = 5000\nfloat newton:armature = 300\nfloat newton:damping = 100\n",
        "float physxJointAxis:angular:dynamicFrictionEffort = 5000\nfloat physxJointAxis:angular:armature = 300\n"
        "float physxJointAxis:angular:viscousFrictionCoefficient = 100\n",
        f"float mjc:frictionloss = 0.5\nfloat mjc:armature = 0.03\nfloat mjc:damping = {0.01 * 180 / math.pi}\n",
    ],
    ids=["newton", "physx", "mjc"],
)
def test_friction_and_rotors_of_vendors_are_in_the_units_of_the_stage(tmp_path, given):
    """A stage of centimetres: 5000 kg cm^2/s^2 are 0.5 N m, 300 kg cm^2 are 0.03 kg m^2; 0.01 N m s per degree."""
    knee = load(tmp_path, chain(given)).joints["knee"]
    law = knee.friction["angle"]
    assert (law.level, law.viscous) == pytest.approx((0.5, 0.01 * 180 / math.pi), rel=1e-6)
    motor = knee.drives["angle"]
    assert motor.inertia * motor.ratio**2 == pytest.approx(0.03, rel=1e-6)


def test_a_share_of_the_load_is_told(tmp_path):
    scene = load(tmp_path, chain())
    assert any(entry.what == "jointFriction" and "share of the load" in entry.why for entry in scene.report.losses)


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


ALL = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")


def of_choice(limits: dict[str, tuple[float, float]], extra: str = "", schemas: str = "") -> str:
    given = "".join(
        f"float limit:{n}:physics:low = {a}\nfloat limit:{n}:physics:high = {b}\n" for n, (a, b) in limits.items()
    )
    bodies = BODY % ("upper", "", "(0, 100, 0)", BOX) + BODY % ("lower", "", "(0, 50, 0)", "")
    top = HINGE % ("top", "", "", "upper", "(0, 100, 0)", "(0, 0, 0)", "")
    knee = HINGE % ("knee", schemas, to("upper"), "lower", "(0, -50, 0)", "(0, 0, 0)", given + extra)
    return bodies + top + knee.replace('PhysicsRevoluteJoint "knee"', 'PhysicsJoint "knee"')


@pytest.mark.parametrize(
    ("free", "joints", "mobility"),
    [
        ((), ["top"], 1),
        (("rotZ",), ["top", "knee"], 2),
        (ALL[3:], ["top", "knee"], 4),
        (ALL, ["top"], 7),
        (("transX", "rotY"), ["top", "knee transX", "knee rotY"], 3),
    ],
)
def test_joints_of_free_choice_leave_what_they_do_not_lock(tmp_path, free, joints, mobility):
    locked = {name: (1, -1) if name != "rotX" else (0, 0) for name in ALL if name not in free}
    scene = load(tmp_path, of_choice(locked))
    assert list(scene.joints) == joints and scene.freedoms().mobility == mobility
    assert max(max(opening(joint)) for joint in scene.joints.values()) < 1e-9


def test_axes_of_choice_carry_their_own_limits_and_drives(tmp_path):
    limits = dict.fromkeys(ALL[:3], (1, -1)) | {"rotX": (-90, 45), "rotY": (0, 0), "rotZ": (-10, 20)}
    drive = "float drive:rotZ:physics:stiffness = 2000\nfloat drive:rotZ:physics:maxForce = 50000\n"
    scene = load(tmp_path, of_choice(limits, drive, ' (prepend apiSchemas = ["PhysicsDriveAPI:rotZ"])'))
    x, z = scene.joints["knee rotX"], scene.joints["knee rotZ"]
    assert x.ranges["angle"] == pytest.approx((-math.pi / 2, math.pi / 4)) and not x.drives
    assert z.ranges["angle"] == pytest.approx((-math.pi / 18, math.pi / 9))
    assert z.drives["angle"].drive.stall_torque == pytest.approx(5.0)
    axes = [spatial.rotate(joint.world_frames()[0].rotation, (0, 0, 1)) for joint in (x, z)]
    assert np.allclose(axes, [[1, 0, 0], [0, -1, 0]], atol=1e-9)


def test_several_hinges_between_two_bodies_follow_each_other(tmp_path):
    second = HINGE % ("roll", "", to("upper"), "lower", "(0, -50, 0)", "(0, 0, 0)", "double mjc:damping = 0.5")
    scene = load(tmp_path, chain() + second.replace('physics:axis = "Z"', 'physics:axis = "X"'))
    assert list(scene.joints) == ["top", "knee", "roll"] and scene.freedoms().mobility == 3
    assert scene.joints["roll"].friction["angle"] == sh.Viscous(0.5)


def test_kinematic_bodies_stand(tmp_path):
    scene = load(tmp_path, BODY % ("stand", "", "(0, 100, 0)", BOX + "bool physics:kinematicEnabled = 1"))
    assert all(body.spec.fixed for body in scene.bodies.values())
    assert any(entry.what == "kinematicEnabled" for entry in scene.report.of("repaired"))


def test_cones_and_stretched_spheres_have_their_shapes(tmp_path):
    cone = """
        def Cone "tip" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            double radius = 10
            double height = 30
            uniform token axis = "Y"
        }
"""
    egg = """
        def Sphere "egg"
        {
            double radius = 10
            float3 xformOp:scale = (1, 2, 3)
            uniform token[] xformOpOrder = ["xformOp:scale"]
        }
        def Points "dust"
        {
        }
"""
    scene = load(tmp_path, BODY % ("thing", "", "(0, 0, 0)", cone + egg))
    shapes = {type(shape).__name__: shape for shape in scene.bodies["thing"].spec.shapes}
    tip = shapes["ConvexHull"].surface()
    turned = spatial.rotate(np.array(shapes["ConvexHull"].rotation), (0, 0, 1))
    assert np.allclose(turned, [0, 1, 0], atol=1e-9) and tip.bounds[:, 2] == pytest.approx((-0.15, 0.15))
    assert tip.volume == pytest.approx(math.pi * 0.01 * 0.3 / 3, rel=0.01)
    assert shapes["Ellipsoid"].sizes() == pytest.approx({"x": 0.1, "y": 0.2, "z": 0.3})
    assert any(entry.what == "Points" for entry in scene.report.of("ignored"))


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ("physics:mass = 2", "physics:mass = inf", "physics:mass is infinite"),
        ("physics:mass = 2", "physics:mass = nan", "physics:mass is not a number"),
        ("(300, 100, 200)", "(nan, 100, 200)", "diagonalInertia is not finite"),
    ],
)
def test_masses_that_are_not_finite_are_refused(tmp_path, was, now, told):
    with pytest.raises(sh.SceneError, match=told):
        load(tmp_path, chain().replace(was, now))


def test_a_stage_that_refers_to_itself_is_read_once(tmp_path):
    inside = BODY % ("stand", ', "PhysicsCollisionAPI"', "(0, 0, 0)", "")
    scene = load(tmp_path, inside + 'def Xform "copy" (references = </robot/stand>)\n{\n}\n')
    assert {"stand", "copy"} <= set(scene.bodies)


def test_a_stiff_drive_without_bounds_stands(tmp_path):
    stiff = DRIVE.replace("2000", "1e9").replace("= 100\n", "= 1e9\n").replace("50000", "inf")
    scene = load(tmp_path, chain().replace(DRIVE, stiff).replace("(300, 100, 200)", "(1, 1, 1)"))
    top = scene.joints["top"]
    assert top.drives["angle"].damping == 0.0
    simulation = sh.Simulation(scene, dt=0.002)
    simulation.step(100)
    assert abs(float(simulation.get(top.angle))) < 1e-2


PART = """#usda 1.0
(
    defaultPrim = "part"
)
def Xform "part"
{
    def Mesh "wedge"
    {
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
        point3f[] points = [(0, 0, 0), (10, 0, 0), (0, 10, 0), (0, 0, 10)]
        double3 xformOp:scale = (-2, 1, 1)
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }
}
"""


def test_what_lies_in_instances_is_there(tmp_path):
    """A mirrored wedge of an instance, in cm with y up: 20 cm along -x, 10 cm up and 10 cm along the world's -y."""
    (tmp_path / "part.usda").write_text(PART)
    instance = 'def Xform "shared" (instanceable = true prepend references = @part.usda@) {}'
    instance = instance.replace(" prepend", "\n prepend")
    loose = 'def Sphere "lamp" {}'
    scene = load(tmp_path, BODY % ("trunk", "", "(0, 100, 0)", instance) + loose)
    (shape,) = scene.bodies["trunk"].spec.shapes
    surface, pose = shape.surface(), scene.bodies["trunk"].pose
    local = spatial.Pose(np.array(shape.position), np.array(shape.rotation))
    corners = (pose @ local).point(np.asarray(surface.vertices))
    assert np.allclose([corners.min(axis=0), corners.max(axis=0)], [[-0.2, -0.1, 1], [0, 0, 1.1]], atol=1e-12)
    assert surface.volume > 0.0  # not inside out
    (lost,) = [entry for entry in scene.report.of("ignored") if "belongs to no body" in entry.why]
    assert lost.where == "/robot/lamp" and lost.matters == "looks"


def test_a_slide_starts_where_its_bodies_stand(tmp_path):
    """Drawn 30 cm along its axis: its coordinate begins at 0.3 m, and the body stays where the file has it."""
    bodies = BODY % ("rail", "", "(0, 100, 0)", "") + BODY % ("cart", "", "(30, 100, 0)", "")
    ends = "rel physics:body0 = </robot/rail>\n rel physics:body1 = </robot/cart>"
    slide = f'def PhysicsPrismaticJoint "slide"\n{{\n uniform token physics:axis = "X"\n {ends}\n}}\n'
    scene = load(tmp_path, bodies + slide)
    assert np.allclose(scene.bodies["cart"].pose.position, [0.3, 0, 1], atol=1e-9)
    assert np.allclose(scene.joints["slide"].world_frames()[0].position, [0, 0, 1], atol=1e-9)
