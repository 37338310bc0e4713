"""A vehicle on terrain in MuJoCo: the nearest equivalent of a Sharnir scene that the peer's own means allow.

Joints that span the scene as a tree are MuJoCo's own; hinges that close a loop become two ``connect`` constraints each.
Limits, torsion springs and coils (tendons) keep their numbers; a spring's preload becomes its reference. A bump stop
has no counterpart: the peer has the hard limit behind it. A DC drive is an actuator with its stall torque, its speed
curve as a bias, and its rotor as armature. A ball's separate ranges become one cone. Wheels are cylinders; they touch
the level ground and the fixed capsules on it, and nothing else does.
"""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import msgspec
import numpy as np

import sharnir as sh
from sharnir.assemblies.rig import static_force
from sharnir.importing.mjcf_shapes import text
from sharnir.importing.write_mjcf import joint_names, tree_of
from sharnir.scene.elements.drive import DcDrive
from sharnir.spatial import Array

from ..contender import NotInstalled
from .mujoco_peer import mjcf

GRIP = {"condim": "3", "friction": "0.6 0.005 0.0001"}
GROUND = {"contype": "2", "conaffinity": "1"} | GRIP
TREAD = {"contype": "1", "conaffinity": "2"} | GRIP
SMALL = 1e-4  # m, rad: a spring's stiffness is its slope over this


class MujocoVehicle:
    """A scene with vehicles in MuJoCo: ``wheels`` on level ground with the scene's fixed capsules on it."""

    name = "MuJoCo"

    def __init__(self, scene: sh.Scene, dt: float, wheels: list[sh.Body]) -> None:
        try:
            import mujoco
        except ImportError:
            raise NotInstalled("mujoco") from None
        self._mujoco: Any = mujoco
        self.model: Any = mujoco.MjModel.from_xml_string(_xml(scene, dt, wheels))
        self.data: Any = mujoco.MjData(self.model)
        self.settings = f"implicitfast, Newton, {self.model.nv} coordinates, {self.model.neq} loop constraints"

    def drive(self, voltage: float) -> None:
        """All motors at one voltage."""
        self.data.ctrl[:] = voltage

    def step(self, count: int) -> None:
        """Make ``count`` steps in one call."""
        self._mujoco.mj_step(self.model, self.data, count)

    def restart(self) -> None:
        """Back to the start, motors off."""
        self._mujoco.mj_resetData(self.model, self.data)

    def place(self, body: str) -> Array:
        """Where a body's frame is, m."""
        return np.array(self.data.body(body).xpos)

    def gap(self) -> float:
        """The largest opening of a loop's constraint, m."""
        loops = self.data.efc_type == self._mujoco.mjtConstraint.mjCNSTR_EQUALITY
        return float(np.abs(self.data.efc_pos[loops]).max())


def _xml(scene: sh.Scene, dt: float, wheels: list[sh.Body]) -> str:
    bare = _stripped(scene)
    option = {"timestep": repr(dt), "integrator": "implicitfast", "solver": "Newton", "iterations": "50"}
    root = ElementTree.fromstring(mjcf(bare, option, {"solref": f"{2 * dt} 1"}, {}))
    flag = root.find("option/flag")
    assert flag is not None
    flag.set("contact", "enable")
    for body in root.iter("body"):  # what touches is added below
        for geom in body.findall("geom"):
            body.remove(geom)
    places = {joint.get("name"): joint for joint in root.iter("joint")}
    actuators = ElementTree.SubElement(root, "actuator")
    for branch in tree_of(bare)[0]:
        if branch.joint is not None:
            _dress(places, actuators, scene.joints[branch.joint.name])
    _add_coils(root, scene)
    ground = root.find("worldbody")
    ElementTree.SubElement(ground, "geom", type="plane", size="50 50 1", **GROUND)
    bodies = {body.get("name"): body for body in root.iter("body")}
    for name, body in scene.bodies.items():
        if body.spec.fixed:
            _add_shape(bodies[name], body, "capsule", "length", GROUND)
    for wheel in wheels:
        _add_shape(bodies[wheel.name], wheel, "cylinder", "width", TREAD)
    return ElementTree.tostring(root, encoding="unicode")


def _stripped(scene: sh.Scene) -> sh.Scene:
    """The bodies and joints alone."""
    bare = sh.Scene(scene.name, scene.gravity)
    for name, body in scene.bodies.items():
        bare.add_body(
            name, msgspec.structs.replace(body.spec, velocity=(0, 0, 0), angular_velocity=(0, 0, 0), contact=False)
        )
    for name, joint in scene.joints.items():
        spec = msgspec.structs.replace(joint.spec, limits=None, spring=None, drive=None, friction=None)
        bare.add_joint(name, spec)
    return bare


def _dress(places: dict[str | None, Any], actuators: Any, joint: sh.Joint) -> None:
    coordinates = [coordinate.name for coordinate in joint.type.coordinates]
    if isinstance(joint.type, sh.Spherical):
        widest = max(abs(bound) for pair in joint.ranges.values() for bound in pair if bound is not None)
        places[joint.name].set("range", f"0 {widest}")
        return
    for name in joint_names(joint):
        element, label = places[name], name.removeprefix(f"{joint.name} ")
        coordinate = label if label in coordinates else coordinates[0]
        if coordinate in joint.ranges:
            bounds = [float(bound) for bound in joint.ranges[coordinate] if bound is not None]
            element.set("range", text(bounds))
        if coordinate in joint.springs:
            stiffness, reference = _linear(joint.springs[coordinate])
            element.set("stiffness", repr(stiffness))
            element.set("springref", repr(reference))
            element.set("damping", repr(joint.springs[coordinate].damping))
        if coordinate in joint.drives:
            motor = getattr(joint.drives[coordinate], "drive", joint.drives[coordinate])
            _add_motor(actuators, element, motor)


def _linear(spring: sh.Spring) -> tuple[float, float]:
    """The stiffness of a spring about its rest, and the coordinate at which it has no force."""
    stiffness = (static_force(spring, SMALL) - static_force(spring, -SMALL)) / (2 * SMALL)
    assert spring.rest is not None  # the joint has resolved it
    return stiffness, spring.rest + spring.preload / stiffness


def _add_motor(actuators: Any, element: Any, motor: DcDrive) -> None:
    slope = motor.stall_torque / motor.idle_speed
    element.set("armature", repr(motor.ratio**2 * slope * motor.time_constant))
    ElementTree.SubElement(
        actuators,
        "general",
        joint=str(element.get("name")),
        ctrlrange="-1 1",
        gainprm=repr(motor.ratio * motor.stall_torque),
        biastype="affine",
        biasprm=f"0 0 {-(motor.ratio**2) * slope}",
    )


def _add_coils(root: Any, scene: sh.Scene) -> None:
    """Springs for the tendons that stand for struts."""
    tendons = {tendon.get("name"): tendon for tendon in root.iter("spatial")}
    for joint in scene.joints.values():
        if isinstance(joint.type, sh.Strut):
            stiffness, reference = _linear(joint.springs["length"])
            values = {"stiffness": stiffness, "damping": joint.springs["length"].damping, "springlength": reference}
            tendons[joint.name].attrib |= {name: repr(value) for name, value in values.items()}


def _add_shape(element: Any, body: sh.Body, kind: str, length: str, surface: dict[str, str]) -> None:
    shape: Any = body.spec.shapes[0]
    x, y, z, w = shape.rotation
    size = f"{shape.radius} {getattr(shape, length) / 2}"
    ElementTree.SubElement(element, "geom", type=kind, size=size, quat=text((w, x, y, z)), mass="0", **surface)
