"""A scene as MJCF: MuJoCo compiles it, and read again it is the same robot; what the format cannot hold is told."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from robot_files import ARM

import sharnir as sh

mujoco = pytest.importorskip("mujoco")


def assert_same(one: sh.Scene, other: sh.Scene) -> None:
    assert set(one.bodies) == set(other.bodies) and set(one.joints) == set(other.joints)
    for name, body in one.bodies.items():
        again = other.bodies[name]
        assert np.allclose(body.pose.position, again.pose.position, atol=1e-12)
        assert body.spec.fixed == again.spec.fixed and len(body.spec.shapes) == len(again.spec.shapes)
        if body.properties is not None:
            for a, b in zip(body.properties, again.properties, strict=True):
                assert np.allclose(a, b, rtol=1e-9, atol=1e-12)
    for name, joint in one.joints.items():
        again = other.joints[name]
        assert type(joint.type) is type(again.type)
        assert (joint.ranges, joint.friction, joint.springs) == (again.ranges, again.friction, again.springs)


def test_a_robot_comes_back_the_same_with_its_motors(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    scene = sh.Scene.load(tmp_path / "arm.urdf")
    again = sh.Scene.load(scene.save(tmp_path / "arm.xml"))
    assert_same(scene, again)
    ours, theirs = (one.joints["shoulder"].drives["angle"] for one in (scene, again))
    # force = M gain (target - q) - (M damping + M/w) q': the motor's own slowing is in the servo's damping there
    assert theirs.drive.stall_torque == ours.drive.stall_torque and theirs.gain == pytest.approx(ours.gain)
    assert theirs.damping == pytest.approx(ours.damping + 1.0 / ours.drive.idle_speed)
    assert "bounds its voltage here, and its force in MuJoCo" in (tmp_path / "arm.xml").read_text()


def machine(friction: float = 0.3) -> sh.Scene:
    """A crank, a rod and a rocker in a loop, a disc geared to the crank, a strut, and three wheels in one sum."""
    scene = sh.Scene("machine", gravity=(0, 0, -5))
    crank = scene.body("crank", sh.Capsule(0.02, 0.2, mass=1), position=(0.1, 0, 1))
    rod = scene.body("rod", sh.Box(0.5, 0.02, 0.02, mass=2), position=(0.45, 0, 1), contact=False)
    rocker = scene.body("rocker", sh.Cylinder(0.03, 0.4, mass=1), position=(0.7, 0, 0.8))
    disc = scene.body("disc", sh.Sphere(0.1, mass=1), position=(0, 1, 0))
    y = (0, 1, 0)
    first = scene.joint(
        "first", sh.Revolute(axis=y, anchor=(0, 0, 1)), scene.world, crank, drive=sh.DcDrive(3, 50, 0.02, -10)
    )
    scene.joint("second", sh.Revolute(axis=y, anchor=(0.2, 0, 1)), rod, crank, friction=sh.Coulomb(friction))
    scene.joint("third", sh.Revolute(axis=y, anchor=(0.7, 0, 0.6)), scene.world, rocker, spring=sh.Spring(7, 0.5, 0.1))
    scene.joint("pin", sh.Revolute(axis=y, anchor=(0.7, 0, 1)), rod, rocker)
    spin = scene.joint("spin", sh.Revolute(axis=(0, 0, 1), anchor=(0, 1, 0)), scene.world, disc, limits=(-2, 1))
    scene.couple("gear", sh.Gear(-3.0), spin, first)
    scene.spring("strut", scene.world, rocker, (1, 0, 1), (0.7, 0, 0.9), sh.Spring(100, 2, 0.3))
    wheels = []
    for name in ("w1", "w2", "w3"):
        body = scene.body(name, sh.Sphere(0.1, mass=1), position=(3, len(wheels), 0))
        wheels.append(scene.joint(name, sh.Revolute(axis=y, anchor=(3, len(wheels), 0)), scene.world, body))
    scene.couple("sum", sh.WeightedSum((1.0, 2.0, -0.5)), *wheels)
    return scene


def test_loops_couplings_and_struts_are_there_in_mujoco(tmp_path):
    scene = machine()
    model = mujoco.MjModel.from_xml_path(str(scene.save(tmp_path / "machine.xml")))
    assert (model.nbody - 1, model.njnt, model.ntendon) == (7, 7, 2)
    kinds = [int(kind) for kind in model.eq_type]
    assert sorted(kinds) == [0, 0, 2, 3]  # a hinge as two points, the gear, the sum
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos[: data.ne]).max() < 1e-9  # every equality holds at the start
    for name, body in scene.bodies.items():
        assert np.allclose(data.body(name).xpos, body.pose.position, atol=1e-12)
    # the drive is behind a gear of 10 that reverses: armature 100 J, and full voltage pulls with 30 N m the other way
    assert float(model.dof_armature[model.joint("first").dofadr[0]].item()) == pytest.approx(100 * 3 * 0.02 / 50)
    data.ctrl[:] = 1.0
    mujoco.mj_forward(model, data)
    assert data.joint("first").qfrc_actuator[0] == pytest.approx(-30.0)


def test_it_moves_in_mujoco_as_it_does_here(tmp_path):
    """The tree alone, without friction, which is soft in MuJoCo: its accelerations are ours."""
    scene = machine(friction=0.0)
    del scene.joints["pin"], scene.couplings["gear"], scene.couplings["sum"], scene.joints["strut"]
    model = mujoco.MjModel.from_xml_path(str(scene.save(tmp_path / "tree.xml")))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    sim = sh.Simulation(scene, dt=1e-6)
    sim.step(10)
    for name in ("first", "third"):
        joint = scene.joints[name]
        assert sim.get(joint.speed) / 1e-5 == pytest.approx(float(data.joint(name).qacc[0]), rel=1e-3)


LOST = {  # what is added to a scene: what a URDF tells, and what an MJCF tells; nothing where it holds it
    "velocity": (
        lambda s: ball(s, velocity=(1, 0, 0)),
        "velocity: URDF starts at rest",
        "velocity: MJCF starts at rest",
    ),
    "picture": (lambda s: ball(s, sh.Sphere(0.1, mass=1, texture="t.png")), "", "texture: MJCF has none"),
    "finish": (lambda s: ball(s, sh.Sphere(0.1, mass=1, glow=0.5)), "finish of a material", "finish of a material"),
    "groups": (lambda s: ball(s, contact=sh.Contact(groups=("x",))), "contact groups: URDF has none", ""),
    "rubber": (
        lambda s: (s.material("rubber", sh.Material(stiffness=1e4, damping=1.0)), ball(s)),
        "",
        "compliance of materials: MJCF has none",
    ),
    "pair": (
        lambda s: (s.material("ice", sh.Material()), s.material_pair("ice", "ice", sh.Material(friction=0.01))),
        "materials of pairs",
        "materials of pairs",
    ),
    "ruler": (lambda s: s.ruler("r", ball(s), s.world), "1 rulers", "1 rulers"),
    "camera": (lambda s: s.camera("eye", ball(s)), "1 cameras", "1 cameras"),
    "gravity": (lambda s: setattr(s, "gravity", (0.0, 0.0, -1.6)), "gravity: URDF has none", ""),
    "catch": (
        lambda s: s.joint("k", sh.Revolute(anchor=(5, 0, 0)), s.world, ball(s), catch=sh.OneWayClutch()),
        "catch: has no counterpart",
        "catch: has no counterpart",
    ),
    "shape": (lambda s: ball(s, sh.Ellipsoid(0.1, 0.2, 0.3, mass=1)), "Ellipsoid as collision: URDF has no", ""),
}


def ball(scene: sh.Scene, shape: sh.Sphere | None = None, **given: object) -> sh.Body:
    return scene.body("ball", shape or sh.Sphere(0.1, mass=1), position=(5, 0, 0), **given)


@pytest.mark.parametrize("what", LOST)
def test_nothing_that_a_format_lacks_is_left_out_in_silence(tmp_path, monkeypatch, what):
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (2, 2)).save("t.png")
    add, *told = LOST[what]
    for ending, said in zip(("urdf", "xml"), told, strict=True):
        scene = sh.Scene("robot")
        scene.joint("j", sh.Revolute(), scene.world, scene.body("arm", sh.Box(0.2, 0.2, 0.2, mass=1)))
        add(scene)
        head = scene.save(tmp_path / f"robot.{ending}").read_text().partition("-->")[0]
        lost = [line for line in head.splitlines() if "ignored" in line]
        assert len(lost) == bool(said) and said in head, lost


def test_colours_by_name_and_pictures_come_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (2, 2)).save("t.png")
    scene = sh.Scene("robot")
    ball(scene, sh.Sphere(0.1, mass=1, color="teal", texture="t.png"))
    again = sh.Scene.load(scene.save(tmp_path / "robot.urdf"), base="free")
    (shape,) = (one for one in again.bodies["ball"].spec.shapes if one.visible)
    assert shape.color == "#008080" and shape.texture.endswith("t.png")
    model = mujoco.MjModel.from_xml_path(str(scene.save(tmp_path / "robot.xml")))
    assert np.allclose(model.geom_rgba[0], [0, 128 / 255, 128 / 255, 1])


def test_what_mujoco_cannot_hold_is_told(tmp_path):
    scene = sh.Scene("odd")
    wheel = scene.body("wheel", sh.Wheel(0.3, 0.1, mass=5), position=(0, 0, 1), velocity=(1, 0, 0))
    scene.joint("hub", sh.Revolute(axis=(0, 1, 0), anchor=(0, 0, 1)), scene.world, wheel, friction=sh.Dahl(1, 50))
    scene.ground()
    text = scene.save(tmp_path / "odd.xml").read_text()
    for told in ("Dahl friction", "MJCF starts at rest", "is a cylinder, without rounding and tyre"):
        assert told in text
    assert mujoco.MjModel.from_xml_string(text).ngeom == 2
