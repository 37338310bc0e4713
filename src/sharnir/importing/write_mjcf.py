"""A scene as MJCF for MuJoCo, with a report of what it cannot hold.

Joints that span the scene as a tree become MuJoCo's joints; those that are left close loops and become equalities,
which are soft in MuJoCo. Coordinates count from the same zero (``ref``).
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from .. import spatial
from ..scene.couplings import Coupling
from ..scene.elements.drive import AnyDrive, DcDrive, PositionServo, SpeedServo
from ..scene.elements.friction_laws import Coulomb, Stribeck, Viscous
from ..scene.elements.spring import Spring
from ..scene.joint import Joint
from ..scene.joint_coordinates import start_value
from ..scene.joints import (
    Cylindrical,
    Distance,
    Fixed,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Strut,
    Universal,
)
from ..scene.scene import WORLD, Scene
from ..scene.values import Plain
from .left_out import tell_left_out
from .mjcf_shapes import Shapes, text
from .report import ImportReport, Matters
from .spanning import Branch, carries, spanning_tree

# of every type of joint, from a to b: MuJoCo's joint, the axis (of frame a, or of frame b), coordinate and friction
AXES: dict[type, tuple[tuple[str, str, int, str, str], ...]] = {
    Revolute: (("hinge", "a", 2, "angle", "angle"),),
    Prismatic: (("slide", "a", 2, "displacement", "displacement"),),
    Spherical: (("ball", "a", 2, "", "rotation"),),
    Fixed: (),
    Cylindrical: (
        ("slide", "a", 2, "displacement", "displacement"),
        ("hinge", "a", 2, "angle", "angle"),
    ),
    Planar: (("slide", "a", 0, "x", "slide"), ("slide", "a", 1, "y", "slide"), ("hinge", "a", 2, "angle", "angle")),
    Universal: (("hinge", "a", 0, "angle_a", "angle_a"), ("hinge", "b", 1, "angle_b", "angle_b")),
}
CLOSING = (Spherical, Fixed, Revolute)
HALF = 0.5  # m from the middle of a hinge that closes a loop to each of the two points that stand for it


def write_mjcf(scene: Scene, path: Path) -> ImportReport:
    """Write a scene; the report tells what is lost, and stands as a comment at the head of the file."""
    report = ImportReport(path.name)
    root = document(scene, report, path.absolute().parent)
    ElementTree.indent(root)
    lines = "".join(f"  {' '.join(line.split()).replace('--', '- -')}\n" for line in report.lines())
    written = f"<!--\n{lines}-->\n{ElementTree.tostring(root, encoding='unicode')}\n"
    path.write_text(written, encoding="utf-8", newline="\n")
    return report


def document(scene: Scene, report: ImportReport, folder: Path) -> Element:
    """The scene as a ``<mujoco>`` element; files of meshes are named relative to a folder."""
    return _Writer(scene, report, folder).document()


def tree_of(scene: Scene) -> tuple[list[Branch], list[Joint]]:
    """The bodies of a scene as MuJoCo hangs them on each other, parents first, and the joints that close loops."""
    return spanning_tree(scene, tuple(AXES), CLOSING)


def joint_names(joint: Joint) -> list[str]:
    """MuJoCo's joints of a joint, from a to b."""
    axes = AXES[type(joint.type)]
    return [joint.name if len(axes) == 1 else f"{joint.name} {coordinate}" for _, _, _, coordinate, _ in axes]


class _Writer:
    def __init__(self, scene: Scene, report: ImportReport, folder: Path) -> None:
        self.scene, self.report = scene, report
        self.root = Element("mujoco", model=scene.name)
        SubElement(self.root, "compiler", angle="radian", autolimits="true")
        SubElement(self.root, "option", gravity=text(scene.gravity))
        self.sections = {name: Element(name) for name in ("asset", "worldbody", "tendon", "equality", "actuator")}
        self.elements: dict[str, Element] = {WORLD: self.sections["worldbody"]}
        self.written: dict[str, str] = {}  # MuJoCo's joint of a coordinate, by its label
        self.shapes = Shapes(scene, self.sections["asset"], report, folder)

    def document(self) -> Element:
        branches, left = tree_of(self.scene)
        self.shapes.add_terrains(self.elements[WORLD])
        for branch in branches:
            self._body(branch)
        for joint in left:
            self._left(joint)
        for coupling in self.scene.couplings.values():
            self._couple(coupling)
        self._others()
        self.root.extend(section for section in self.sections.values() if len(section))
        return self.root

    # --- bodies -----------------------------------------------------------------------------------------------------

    def _body(self, branch: Branch) -> None:
        body, parent, joint = branch
        place = parent.pose.inverse() @ body.pose
        element = SubElement(self.elements[parent.name], "body", name=body.name)
        element.attrib |= {"pos": text(place.position), "quat": text(np.roll(place.rotation, 1))}
        self.elements[body.name] = element
        self.report.use("body")
        if body.properties is not None:
            mass, center, inertia = body.properties
            full = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
            SubElement(element, "inertial", pos=text(center), mass=repr(float(mass)), fullinertia=text(full))
            if joint is None:
                SubElement(element, "freejoint", name=f"{body.name} free")
        if joint is not None:
            self._joint(element, branch, joint)
        self.shapes.add(element, body)

    # --- joints of the tree -----------------------------------------------------------------------------------------

    def _joint(self, element: Element, branch: Branch, joint: Joint) -> None:
        forward = branch.body is joint.b
        world = dict(zip("ab", joint.world_frames(), strict=True))
        back = spatial.conjugate(branch.body.pose.rotation)
        position = (joint.frame_b if forward else joint.frame_a).position
        axes = list(zip(AXES[type(joint.type)], joint_names(joint), strict=True))
        for (kind, frame, column, coordinate, friction), name in axes if forward else reversed(axes):
            made = SubElement(element, "joint", name=name, type=kind, pos=text(position))
            self._friction(made, joint, friction)
            if kind == "ball":
                continue
            axis = spatial.rotate(back, spatial.matrix(world[frame].rotation)[:, column])
            made.set("axis", text(axis if forward else -axis))
            self.written[f"{joint.name}.{coordinate}"] = name
            free = next(one for one in joint.type.coordinates if one.name == coordinate)
            start = start_value(joint, free)
            made.set("ref", repr(start))
            self._carried(made, joint, coordinate, start)
        self.report.use("joint")
        if isinstance(joint.type, Spherical) and joint.ranges:
            self.report.ignore(f"joint '{joint.name}'", "limits", "a cone of MuJoCo is another one", "motion")

    def _friction(self, made: Element, joint: Joint, name: str) -> None:
        law = joint.friction.get(name)
        if law is None:
            return
        if isinstance(law, Viscous):
            made.set("damping", repr(law.coefficient))
        elif isinstance(law, (Coulomb, Stribeck)) and law.load is None and law.static in (None, law.level):
            made.set("frictionloss", repr(law.level))
            if getattr(law, "viscous", 0.0):
                made.set("damping", repr(law.viscous))
        else:
            what = f"{type(law).__name__} friction"
            self.report.ignore(f"joint '{joint.name}'", what, "MuJoCo has one level and a damping", "motion")

    def _carried(self, made: Element, joint: Joint, coordinate: str, start: float) -> None:
        """Limits, spring and drive of a coordinate."""
        where = f"joint '{joint.name}'"
        if coordinate in joint.ranges:
            low, high = joint.ranges[coordinate]
            if low is None or high is None:
                self.report.repair(where, "limits", "are open on one side; a wide one stands for it", "nothing")
            made.set("range", text((-1e4 if low is None else low, 1e4 if high is None else high)))
        spring = joint.springs.get(coordinate)
        if spring is not None:
            if _plain(spring):
                made.set("stiffness", repr(spring.stiffness))
                made.set("springref", repr(_unloaded(spring, start)))
                made.set("damping", repr(float(made.get("damping", "0")) + spring.damping))
            else:
                self.report.ignore(where, "spring", "MuJoCo has linear ones", "motion")
        drive = joint.drives.get(coordinate)
        if drive is not None:
            self._drive(made, drive, where)

    def _drive(self, made: Element, drive: AnyDrive, where: str) -> None:
        """Force = gain u + b1 q + b2 q': of a motor M r (U - r q'/w), with its servo's voltage for U."""
        motor = drive if isinstance(drive, DcDrive) else drive.drive
        strongest = motor.stall_torque * abs(motor.ratio)
        slowing = motor.stall_torque * motor.ratio**2 / motor.idle_speed
        made.set("armature", repr(motor.inertia * motor.ratio**2))
        given = {"name": str(made.get("name")), "joint": str(made.get("name")), "biastype": "affine"}
        if isinstance(drive, DcDrive):
            gain, bias = motor.stall_torque * motor.ratio, (0.0, 0.0, -slowing)
            given["ctrlrange"] = "-1 1"
        elif isinstance(drive, SpeedServo):
            gain, bias = strongest * drive.gain, (0.0, 0.0, -strongest * drive.gain - slowing)
        else:
            gain, bias = strongest * drive.gain, (0.0, -strongest * drive.gain, -strongest * drive.damping - slowing)
        if isinstance(drive, (SpeedServo, PositionServo)):
            given["forcerange"] = text((-strongest, strongest))
            self.report.repair(where, "servo", "bounds its voltage here, and its force in MuJoCo")
            if drive.integral:
                self.report.ignore(where, "integral", "MuJoCo's servos have none", "motion")
        if motor.loses_power:
            self.report.ignore(where, "efficiency", "MuJoCo's gears lose nothing", "motion")
        given |= {"gainprm": repr(float(gain)), "biasprm": text(bias)}
        SubElement(self.sections["actuator"], "general", given)

    # --- loops ------------------------------------------------------------------------------------------------------

    def _left(self, joint: Joint) -> None:
        where = f"joint '{joint.name}'"
        if isinstance(joint.type, (Strut, Distance)):
            self._line(joint, where)
            return
        if not isinstance(joint.type, CLOSING):
            what = type(joint.type).__name__
            self.report.ignore(where, what, "MuJoCo closes loops with balls, hinges and welds alone", "motion")
            return
        if carries(joint):
            self.report.ignore(where, "limits, friction, springs and drives", "a loop of MuJoCo has none", "motion")
        moving = joint.b if joint.b.properties is not None else joint.a
        other = joint.a if moving is joint.b else joint.b
        frame = joint.frame_b if moving is joint.b else joint.frame_a
        bodies = {"body1": moving.name, "body2": other.name}
        self.report.repair(where, "loop", "is exact here and soft in MuJoCo")
        if isinstance(joint.type, Fixed):
            SubElement(self.sections["equality"], "weld", {"name": joint.name, **bodies})
            return
        along = spatial.rotate(frame.rotation, (0.0, 0.0, HALF))
        points = (
            [frame.position] if isinstance(joint.type, Spherical) else [frame.position - along, frame.position + along]
        )
        for i, point in enumerate(points):
            name = joint.name if len(points) == 1 else f"{joint.name} {i + 1}"
            SubElement(self.sections["equality"], "connect", {"name": name, **bodies, "anchor": text(point)})

    def _line(self, joint: Joint, where: str) -> None:
        """A strut as a spatial tendon between two sites; a rod as one whose length is kept."""
        spring = next(iter(joint.springs.values()), None)
        tendon = SubElement(self.sections["tendon"], "spatial", name=joint.name)
        for end, body, frame in (("a", joint.a, joint.frame_a), ("b", joint.b, joint.frame_b)):
            SubElement(self.elements[body.name], "site", name=f"{joint.name} {end}", pos=text(frame.position))
            SubElement(tendon, "site", site=f"{joint.name} {end}")
        if spring is not None and _plain(spring):
            (free,) = joint.type.coordinates
            tendon.attrib |= {"stiffness": repr(spring.stiffness), "damping": repr(spring.damping)}
            tendon.set("springlength", repr(_unloaded(spring, start_value(joint, free))))
        elif spring is not None:
            self.report.ignore(where, "spring", "MuJoCo has linear ones", "motion")
        for low, high in joint.ranges.values():
            tendon.set("range", text((0.0 if low is None else low, 1e4 if high is None else high)))
        if isinstance(joint.type, Distance):
            self.report.repair(where, "rod", "is exact here and soft in MuJoCo")
            SubElement(self.sections["equality"], "tendon", name=joint.name, tendon1=joint.name)
        if joint.friction or joint.drives:
            self.report.ignore(where, "friction and drive", "a tendon of two sites has none", "motion")

    def _couple(self, coupling: Coupling) -> None:
        """c1 q1 + c2 q2 + ... = offset, as an equality of two joints, or of a tendon over several with a constant."""
        where = f"coupling '{coupling.name}'"
        if coupling.loses_power or coupling.gap:
            self.report.ignore(where, "efficiency and backlash", "MuJoCo's couplings have none", "motion")
        joints = [self.written.get(label) for label in coupling.labels]
        if not all(joints):
            self.report.ignore(where, type(coupling.type).__name__, "a joint of it closes a loop", "motion")
            return
        self.report.repair(where, type(coupling.type).__name__, "is exact here and soft in MuJoCo")
        if len(joints) <= 2:
            given = {"name": coupling.name, "joint1": str(joints[0])}
            slope = -coupling.factors[1] / coupling.factors[0] if len(joints) == 2 else 0.0
            if len(joints) == 2:
                given["joint2"] = str(joints[1])
            off = (coupling.offset - coupling.start) / coupling.factors[0]
            SubElement(self.sections["equality"], "joint", given | {"polycoef": text((off, slope, 0.0, 0.0, 0.0))})
            return
        tendon = SubElement(self.sections["tendon"], "fixed", name=coupling.name)
        for name, factor in zip(joints, coupling.factors, strict=True):
            SubElement(tendon, "joint", joint=str(name), coef=repr(float(factor)))
        off = coupling.offset - coupling.start
        given = {"name": coupling.name, "tendon1": coupling.name, "polycoef": text((off, 0.0, 0.0, 0.0, 0.0))}
        SubElement(self.sections["equality"], "tendon", given)

    def _others(self) -> None:
        scene = self.scene
        tell_left_out(scene, self.report, "MJCF", ("contact groups",))
        left: Plain = {"ropes": scene.ropes, "rays": scene.rays, "sensors": scene.sensors}
        left["cameras"] = scene.cameras
        for what, things in left.items():
            if things:
                matters: Matters = "motion" if what == "ropes" else "sensing"
                self.report.ignore(f"scene '{scene.name}'", f"{len(things)} {what}", "are not written", matters)
        if scene.diagram is not None or scene.panel is not None:
            self.report.ignore(f"scene '{scene.name}'", "diagram and console", "MJCF has none", "nothing")


def _plain(spring: Spring) -> bool:
    return spring.side == "both" and spring.table is None and (spring.preload == 0.0 or spring.stiffness > 0.0)


def _unloaded(spring: Spring, start: float) -> float:
    """The coordinate at which a spring has no force: that of rest, beyond it by what a preload takes."""
    rest = start if spring.rest is None else spring.rest
    return rest + (spring.preload / spring.stiffness if spring.preload else 0.0)
