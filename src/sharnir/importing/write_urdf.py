"""A scene as URDF: trees of bodies, with a report of what the format cannot hold."""

from __future__ import annotations

import math
import os
from collections import deque
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import msgspec
import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.body import Body
from ..scene.couplings import Coupling
from ..scene.elements.drive import DcDrive, PositionServo
from ..scene.elements.friction_laws import Coulomb, Stribeck, Viscous
from ..scene.joint import Joint
from ..scene.joint_coordinates import start_value
from ..scene.joints import Fixed, Planar, Prismatic, Revolute, Spherical
from ..scene.materials import Contact
from ..scene.meshes import ConvexHull, Mesh
from ..scene.scene import STANDARD_GRAVITY, WORLD, Scene
from ..scene.sensors import ForceTorque, Noise
from ..scene.shapes import AnyShape, Box, Capsule, Cylinder, Sphere, Wheel
from ..spatial import Array, Pose
from .gazebo_sensors import USUAL_RATE
from .left_out import rgba_of, tell_left_out
from .report import ImportReport, Matters
from .tree import NOWHERE

STARTS = 1e-9  # rad or m: a start that is as near to the usual one is that
KINDS = {Revolute: "revolute", Prismatic: "prismatic", Fixed: "fixed", Planar: "planar", Spherical: "spherical"}


class _Hung(NamedTuple):
    """A body on its parent, by a joint or floating; its link's frame in the body's frame."""

    body: Body
    parent: str
    joint: Joint | None
    link: Pose


def write_urdf(scene: Scene, path: Path) -> ImportReport:
    """Write a scene whose joints make a tree; the report tells what is lost."""
    report = ImportReport(path.name)
    hung = _tree(scene)
    root = Element("robot", name=scene.name)
    if any(one.parent == WORLD for one in hung):
        SubElement(root, "link", name=WORLD)
    places = {WORLD: NOWHERE} | {one.body.name: one.link for one in hung}
    for one in hung:
        _add_link(root, scene, one, report, path.absolute().parent)
    for one in hung:
        if one.parent:
            _add_joint(root, scene, one, places[one.parent], report)
    _add_starts(root, scene, hung)
    measured = _add_load_cells(root, scene, hung)
    _tell_others(scene, report, len(scene.sensors) - measured)
    ElementTree.indent(root)
    lines = "".join(f"  {' '.join(line.split()).replace('--', '- -')}\n" for line in report.lines())
    text = f'<?xml version="1.0"?>\n<!--\n{lines}-->\n{ElementTree.tostring(root, encoding="unicode")}\n'
    path.write_text(text, encoding="utf-8", newline="\n")
    return report


def _tree(scene: Scene) -> list[_Hung]:
    """Bodies, parents first; loops and joints without a counterpart are refused by name."""
    neighbours: dict[str, list[Joint]] = {name: [] for name in (WORLD, *scene.bodies)}
    for joint in scene.joints.values():
        if type(joint.type) not in KINDS:
            raise SceneError(f"{joint!r} has no counterpart in URDF; save the scene as .yaml, or as .xml for MuJoCo")
        for end in (joint.a, joint.b):
            neighbours[end.name].append(joint)
    hung: list[_Hung] = []
    used: set[str] = set()
    reached: set[str] = {WORLD}
    alone = _single_root(scene, neighbours)
    starts = [alone] if alone else [WORLD, *scene.bodies]
    for start in starts:
        if start != WORLD and start not in reached:
            reached.add(start)
            hung.append(_Hung(scene.bodies[start], "" if alone else WORLD, None, NOWHERE))
        queue = deque([start])
        while queue:
            name = queue.popleft()
            for joint in neighbours[name]:
                if joint.name in used:
                    continue
                used.add(joint.name)
                other = joint.b if joint.a.name == name else joint.a
                if other.name in reached:
                    raise SceneError(
                        f"joint '{joint.name}' closes a loop, which URDF cannot hold; save the scene as .yaml, or as "
                        ".xml for MuJoCo"
                    )
                reached.add(other.name)
                frame = joint.frame_b if other is joint.b else joint.frame_a
                link = Pose(frame.position, spatial.IDENTITY) if not isinstance(joint.type, Fixed) else NOWHERE
                hung.append(_Hung(other, name, joint, link))
                queue.append(other.name)
    return hung


def _single_root(scene: Scene, neighbours: dict[str, list[Joint]]) -> str:
    """The body that all others hang on, where the world is not needed for it: the fixed one, or the first.

    It stands at the origin, as a root does in this format.
    """
    if neighbours[WORLD] or not scene.bodies:
        return ""
    fixed = [name for name, body in scene.bodies.items() if body.spec.fixed]
    if len(fixed) > 1:
        return ""
    start = fixed[0] if fixed else next(iter(scene.bodies))
    pose = scene.bodies[start].pose
    if np.any(pose.position) or not np.array_equal(pose.rotation, spatial.IDENTITY):
        return ""  # a root has no place of its own in this format
    reached, queue = {start}, deque([start])
    while queue:
        for joint in neighbours[queue.popleft()]:
            for end in (joint.a.name, joint.b.name):
                if end not in reached:
                    reached.add(end)
                    queue.append(end)
    return start if len(reached) == len(scene.bodies) else ""


# --- links ------------------------------------------------------------------------------------------------------------


def _add_link(root: Element, scene: Scene, one: _Hung, report: ImportReport, folder: Path) -> None:
    body, back = one.body, one.link.inverse()
    element = SubElement(root, "link", name=body.name)
    given = body.properties
    if given is None and body.spec.mass is not None:  # a fixed body that has a mass all the same
        given = Body(body.name, msgspec.structs.replace(body.spec, fixed=False)).properties
    if given is not None:
        inertial = SubElement(element, "inertial")
        SubElement(inertial, "origin", xyz=_text(back.point(given.center)), rpy="0 0 0")
        SubElement(inertial, "mass", value=repr(float(given.mass)))
        names = ((0, 0, "ixx"), (1, 1, "iyy"), (2, 2, "izz"), (0, 1, "ixy"), (0, 2, "ixz"), (1, 2, "iyz"))
        SubElement(inertial, "inertia", {name: repr(float(given.inertia[i, j])) for i, j, name in names})
    # a collision is seen where there is no visual, so that a shape which is both need not be written twice
    has_looks = any(shape.visible and (shape.color or not shape.collides) for shape in body.spec.shapes)
    for shape in body.spec.shapes:
        is_visual = shape.visible and (has_looks or not shape.collides)
        for tag, wanted in (("visual", is_visual), ("collision", shape.collides)):
            if wanted:
                _add_shape(element, tag, shape, back, report, folder, body.name)
    contact = body.spec.contact
    if isinstance(contact, Contact) and contact.material in scene.materials.named:
        material = scene.materials.named[contact.material]
        tagged = SubElement(element, "contact")
        values = {"lateral_friction": material.friction, "rolling_friction": material.rolling_friction}
        values |= {"spinning_friction": material.spinning_friction, "restitution": material.restitution}
        if material.stiffness is not None:
            values |= {"stiffness": material.stiffness, "damping": material.damping or 0.0}
        for tag, value in values.items():
            SubElement(tagged, tag, value=repr(float(value)))
    report.use("body")


def _add_shape(
    element: Element, tag: str, shape: AnyShape, back: Pose, report: ImportReport, folder: Path, owner: str
) -> None:
    geometry = _geometry(shape, folder)
    where, matters = f"body '{owner}'", "looks" if tag == "visual" else "contact"
    if geometry is None:
        why = "URDF has no counterpart"
        report.ignore(where, f"{type(shape).__name__} as {tag}", why, matters)  # type: ignore[arg-type]
        return
    made = SubElement(element, tag)
    _add_origin(made, back @ Pose(np.array(shape.position), np.array(shape.rotation)))
    made.append(geometry)
    if tag == "visual" and (shape.color or shape.texture):
        worn = SubElement(made, "material", name=f"{shape.color or ''}{Path(shape.texture or '').name}")
        if shape.color is not None:
            SubElement(worn, "color", rgba=_text(rgba_of(shape.color)))
        if shape.texture is not None:
            SubElement(worn, "texture", filename=Path(os.path.relpath(shape.texture, folder)).as_posix())
    if isinstance(shape, Wheel) and tag == "collision":
        report.ignore(where, "Wheel", "is a cylinder in URDF, without its rounding and tyre", "contact")


def _geometry(shape: AnyShape, folder: Path) -> Element | None:
    geometry = Element("geometry")
    if isinstance(shape, Box):
        SubElement(geometry, "box", size=_text((shape.x, shape.y, shape.z)))
    elif isinstance(shape, Sphere):
        SubElement(geometry, "sphere", radius=repr(float(shape.radius)))
    elif isinstance(shape, (Cylinder, Capsule)):
        tag = "cylinder" if isinstance(shape, Cylinder) else "capsule"
        SubElement(geometry, tag, radius=repr(float(shape.radius)), length=repr(float(shape.length)))
    elif isinstance(shape, Wheel):
        SubElement(geometry, "cylinder", radius=repr(float(shape.radius)), length=repr(float(shape.width)))
    elif isinstance(shape, (Mesh, ConvexHull)) and shape.file is not None:
        file = Path(os.path.relpath(shape.file, folder)).as_posix()
        scale = np.broadcast_to(np.asarray(shape.scale, float), 3)
        SubElement(geometry, "mesh", filename=file, scale=_text(scale))
    else:
        return None
    return geometry


# --- joints -----------------------------------------------------------------------------------------------------------


def _add_joint(root: Element, scene: Scene, one: _Hung, parent: Pose, report: ImportReport) -> None:
    joint, body = one.joint, one.body
    if joint is None:
        kind = "fixed" if body.spec.fixed else "floating"
        element = SubElement(root, "joint", name=f"{body.name} {kind}", type=kind)
        SubElement(element, "parent", link=one.parent)
        SubElement(element, "child", link=body.name)
        _add_origin(element, parent.inverse() @ body.pose @ one.link)
        return
    forward = body is joint.b
    near, far = (joint.frame_a, joint.frame_b) if forward else (joint.frame_b, joint.frame_a)
    low, high = next(iter(joint.ranges.values()), (None, None)) if joint.ranges else (None, None)
    kind = KINDS[type(joint.type)]
    if kind == "revolute" and low is None and high is None:
        kind = "continuous"
    element = SubElement(root, "joint", name=joint.name, type=kind)
    SubElement(element, "parent", link=one.parent)
    SubElement(element, "child", link=body.name)
    if kind == "spherical":  # of Bullet; it starts where it is drawn
        above = joint.a if forward else joint.b
        _add_origin(element, parent.inverse() @ above.pose.inverse() @ body.pose @ one.link)
        _add_dynamics(element, joint, report)
        if joint.ranges:
            report.ignore(f"joint '{joint.name}'", "limits", "balls of URDF have none", "motion")
        report.use("joint")
        return
    _add_origin(element, parent.inverse() @ near @ far.inverse() @ one.link)
    if kind == "fixed":
        return
    axis = spatial.rotate(far.rotation, (0.0, 0.0, 1.0))
    SubElement(element, "axis", xyz=_text(axis if forward else -axis))
    _add_mimic(element, joint, scene)
    _add_limit(element, joint, kind, low, high, report)
    _add_dynamics(element, joint, report)
    report.use("joint")


def _add_limit(
    element: Element, joint: Joint, kind: str, low: float | None, high: float | None, report: ImportReport
) -> None:
    where = f"joint '{joint.name}'"
    values: dict[str, str] = {}
    if kind in ("revolute", "prismatic"):
        if low is None or high is None:
            report.ignore(where, "open limit", "URDF has limits on both sides; a wide one stands for it", "motion")
        values |= {"lower": repr(-1e4 if low is None else low), "upper": repr(1e4 if high is None else high)}
    drive = next(iter(joint.drives.values()), None)
    motor = drive if drive is None or isinstance(drive, DcDrive) else drive.drive
    values |= {"effort": "0", "velocity": "0"}
    if motor is not None:
        values |= {
            "effort": repr(abs(motor.stall_torque * motor.ratio)),
            "velocity": repr(abs(motor.idle_speed / motor.ratio)),
        }
        report.ignore(where, "drive", "URDF has the largest effort and speed of it alone", "motion")
    if values["effort"] != "0" or "lower" in values:
        SubElement(element, "limit", values)
    if isinstance(drive, PositionServo) and drive.reach is not None:
        ends = zip(("soft_lower_limit", "soft_upper_limit"), drive.reach, strict=True)
        SubElement(element, "safety_controller", {name: repr(end) for name, end in ends} | {"k_velocity": "0"})


def _add_mimic(element: Element, joint: Joint, scene: Scene) -> None:
    """A coupling of two coordinates, c1 q1 + c2 q2 = offset, on its first joint."""
    for coupling in scene.couplings.values():
        if _is_mimic(coupling) and coupling.terms[0][0] is joint:
            first, second = coupling.factors
            values = {"multiplier": repr(-second / first), "offset": repr(coupling.offset / first)}
            SubElement(element, "mimic", {"joint": coupling.terms[1][0].name, **values})
            return


def _is_mimic(coupling: Coupling) -> bool:
    simple = all(isinstance(joint.type, (Revolute, Prismatic)) for joint, _ in coupling.terms)
    return simple and len(coupling.terms) == 2 and not coupling.loses_power and coupling.gap == 0.0


def _tell_couplings(scene: Scene, report: ImportReport) -> None:
    followers: set[str] = set()
    for coupling in scene.couplings.values():
        follower = coupling.terms[0][0].name
        if not _is_mimic(coupling) or follower in followers:
            what = type(coupling.type).__name__
            report.ignore(f"coupling '{coupling.name}'", what, "URDF has one mimic of a joint, without loss", "motion")
        followers.add(follower)


def _add_dynamics(element: Element, joint: Joint, report: ImportReport) -> None:
    where = f"joint '{joint.name}'"
    law = next(iter(joint.friction.values()), None)
    if isinstance(law, Viscous):
        SubElement(element, "dynamics", damping=repr(law.coefficient), friction="0")
    elif isinstance(law, (Coulomb, Stribeck)) and law.load is None and law.static in (None, law.level):
        SubElement(element, "dynamics", damping=repr(getattr(law, "viscous", 0.0)), friction=repr(law.level))
    elif law is not None:
        report.ignore(where, f"{type(law).__name__} friction", "URDF has a level and a damping alone", "motion")
    if joint.springs:
        report.ignore(where, "spring", "URDF has none", "motion")


# --- what other programs add to a URDF --------------------------------------------------------------------------------


def _add_starts(root: Element, scene: Scene, hung: list[_Hung]) -> None:
    """Where joints start, as ros2_control says it, if it is neither zero nor the limit that is next to it."""
    followers = {coupling.terms[0][0].name for coupling in scene.couplings.values()}
    control: Element | None = None
    for joint in (one.joint for one in hung if one.joint is not None):
        if len(joint.type.coordinates) != 1 or joint.name in followers:
            continue
        start = float(start_value(joint, joint.type.coordinates[0]))
        low, high = next(iter(joint.ranges.values()), (None, None)) if joint.ranges else (None, None)
        usual = max(0.0, -math.inf if low is None else low)
        usual = min(usual, math.inf if high is None else high)
        if abs(start - usual) > STARTS:
            control = SubElement(root, "ros2_control", name="start", type="system") if control is None else control
            state = SubElement(SubElement(control, "joint", name=joint.name), "state_interface", name="position")
            SubElement(state, "param", name="initial_value").text = repr(start)


def _add_load_cells(root: Element, scene: Scene, hung: list[_Hung]) -> int:
    """Sensors of the forces through a joint, as Gazebo describes them; how many there are."""
    forward = {one.joint.name for one in hung if one.joint is not None and one.body is one.joint.b}
    written = 0
    for name, sensor in scene.sensors.items():
        spec = sensor.spec
        if not isinstance(spec.sensor, ForceTorque) or spec.on not in forward:
            continue
        element = SubElement(SubElement(root, "gazebo", reference=spec.on), "sensor", name=name, type="force_torque")
        inner = SubElement(element, "force_torque")
        for side, noise in (("force", spec.sensor.force_noise), ("torque", spec.sensor.torque_noise)):
            if noise != Noise():
                described = SubElement(SubElement(SubElement(inner, side), "x"), "noise", type="gaussian")
                spread = noise.density * math.sqrt(USUAL_RATE)
                for tag, value in (("mean", noise.bias), ("stddev", spread), ("bias_stddev", noise.spread)):
                    SubElement(described, tag).text = repr(value)
        written += 1
    return written


def _tell_others(scene: Scene, report: ImportReport, sensors: int) -> None:
    _tell_couplings(scene, report)
    tell_left_out(scene, report, "URDF", ("texture", "restitution", "compliance of materials"))
    if not np.allclose(scene.gravity, STANDARD_GRAVITY, atol=1e-9):
        report.ignore(f"scene '{scene.name}'", "gravity", "URDF has none", "motion")
    counts = {"ropes": len(scene.ropes), "terrain": len(scene.terrains), "rays": len(scene.rays), "sensors": sensors}
    counts["cameras"] = len(scene.cameras)
    for what, count in counts.items():
        if count:
            matters: Matters = "motion" if what in ("ropes", "terrain") else "sensing"
            report.ignore(f"scene '{scene.name}'", f"{count} {what}", "URDF describes one robot", matters)
    if scene.diagram is not None or scene.panel is not None:
        report.ignore(f"scene '{scene.name}'", "diagram and console", "URDF has none", "nothing")


def _add_origin(element: Element, pose: Pose) -> None:
    SubElement(element, "origin", xyz=_text(pose.position), rpy=_text(_rpy(pose.rotation)))


def _rpy(rotation: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation; at a pitch of 90 degrees all turning is roll."""
    m = spatial.matrix(rotation)
    pitch = float(np.arctan2(-m[2, 0], np.hypot(m[0, 0], m[1, 0])))
    if np.hypot(m[0, 0], m[1, 0]) < 1e-9:
        return float(np.arctan2(-m[1, 2], m[1, 1])), pitch, 0.0
    return float(np.arctan2(m[2, 1], m[2, 2])), pitch, float(np.arctan2(m[1, 0], m[0, 0]))


def _text(values: object) -> str:
    return " ".join(repr(float(value)) for value in np.asarray(values).ravel())
