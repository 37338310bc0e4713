"""A tree of links as a scene: links that are welded together become one body, every other joint becomes a joint."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

import msgspec
import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.body import BodySpec
from ..scene.check import opening
from ..scene.elements.drive import PositionServo, SpeedServo
from ..scene.elements.friction_laws import AnyFriction, Coulomb, Stribeck, Viscous
from ..scene.elements.spring import Spring
from ..scene.joint import Joint, JointSpec
from ..scene.joints import AnyJoint, Fixed, Frame, Planar, Prismatic, Revolute, Spherical, Strut
from ..scene.materials import Contact, Material
from ..scene.scene import STANDARD_GRAVITY, WORLD, Scene
from ..scene.shape import MassProperties, combined
from ..scene.shapes import AnyShape
from ..scene.values import ORIGIN, Plain
from ..spatial import Array, Pose
from .carried_sensors import add_sensors
from .felt import Held, felt, twists
from .following import couple, move_inside, settle
from .motors import IDLE, SPEEDS, UNBOUND, geared, position_servo, rotor, speed_servo
from .options import Options
from .repair import light, moments, nearest_inertia, physical
from .report import ImportReport
from .stretching import UPRIGHT, stretch
from .tree import MOST_LINKS, NOWHERE, Connection, Link, Tree

ROUNDED, LAST_DIGITS = 1e-13, 1e-6  # m: anchors that miss each other by so much are put right
FARTHEST, HEAVIEST = 1e6, 1e15  # m; kg and kg m^2
CLOSED = 1e-9  # m and rad: loops that start open by less are closed
PAIRED = ("friction", "rolling_friction", "spinning_friction")  # of two materials, the larger of which holds in MuJoCo
SLOW_STICK = 1e-3  # rad/s or m/s: below it dry friction beside viscous friction holds


@dataclass
class _Group:
    """Links that are welded together, by the frame of the first of them."""

    name: str
    root: Link
    pose: Pose  # in the world, at the start
    links: list[tuple[Link, Pose]] = field(default_factory=list)  # with their places in the group's frame
    mass: MassProperties | None = None
    fixed: bool = False


def build(tree: Tree, report: ImportReport, options: Options) -> Scene:
    """The scene of a tree."""
    if len(tree.links) > MOST_LINKS:
        raise SceneError(f"{report.source} has {len(tree.links)} links; at most {MOST_LINKS} are read")
    if options.scale != 1.0:
        stretch(tree, options.scale)
    if options.up:
        _put_upright(tree, UPRIGHT[options.up])
    scene = Scene(tree.name or "robot", tree.gravity or STANDARD_GRAVITY)
    couplings = settle(tree, report)
    groups, joints = _grouped(tree, report)
    names = _Names(report)
    groups[0].fixed = options.base == "fixed" or groups[0].root.name == WORLD
    if options.base == "free" and groups[0].root.name == WORLD:
        report.ignore(
            report.source, "base", "the file itself says what is fixed to the world, and what is not", "motion"
        )
    _check_places(groups, report)
    _weigh(groups, report)
    for group in groups:
        group.name = WORLD if _is_nothing(group) else names.of(group.root.name, group.root.where)
    by_link = {link.name: (group, place) for group in groups for link, place in group.links}
    for group in groups[groups[0].name == WORLD :]:
        scene.add_body(group.name, _body(scene, group, report, options, tree.name or "robot"))
    inertias = _inertias(groups, joints, by_link)
    joint_names: dict[str, str] = {}
    for joint in joints:
        a, place = by_link[joint.parent]
        b, _ = by_link[joint.child]
        with report.naming(joint.where):
            spec = _joint(joint, a, b, place, inertias, report, options)
        if spec is not None:
            joint_names[joint.name] = names.of(joint.name, joint.where, scene.joints)
            scene.add_joint(joint_names[joint.name], spec)
    joint_names |= _close(tree, scene, by_link, names, report)
    for coupling in couplings:
        with report.naming(coupling.where):
            couple(scene, names.of(coupling.name, coupling.where, scene.couplings), coupling, joint_names, report)
    if tree.loops:
        move_inside(scene, report)
        _meet(scene.joints.values(), report)
    places = {link: (group.name, place) for link, (group, place) in by_link.items()}
    add_sensors(scene, tree, places, joint_names, report)
    for name, (ground, material) in tree.terrains.items():
        at = tree.place @ Pose(np.array(ground.position), np.array(ground.rotation))
        lies: Plain = {"position": tuple(at.position.tolist()), "rotation": tuple(at.rotation.tolist())}
        scene.add_terrain(name, msgspec.structs.replace(ground, material=_material_name(scene, material), **lies))
    if tree.larger_friction:
        _pair_materials(scene)
    return scene


def _put_upright(tree: Tree, turn: Array) -> None:
    """Turn a robot, and a gravity of its file that pulls down along the axis that was up, so that this axis is z.

    Any other gravity is what the format has where a file says nothing, and pulls down already.
    """
    tree.place = Pose(np.zeros(3), turn) @ tree.place
    if tree.gravity is not None:
        x, y, z = spatial.rotate(turn, tree.gravity).tolist()
        if math.hypot(x, y) <= abs(z):
            tree.gravity = (x, y, z)


def _is_nothing(group: _Group) -> bool:
    """The world itself: it needs no body where nothing of it is seen or touched."""
    return group.root.name == WORLD and not any(link.shapes for link, _ in group.links)


# --- which links are one body -----------------------------------------------------------------------------------------


def _grouped(tree: Tree, report: ImportReport) -> tuple[list[_Group], list[Connection]]:
    """Bodies, parents first, and the joints between them; a tree that is none is refused."""
    below: dict[str, list[Connection]] = {}
    above: dict[str, Connection] = {}
    for joint in tree.joints.values():
        if joint.child in above:
            raise SceneError(
                f"{report.source}, {joint.where}: link '{joint.child}' hangs on '{above[joint.child].parent}' already; "
                "a link has one parent"
            )
        above[joint.child] = joint
        below.setdefault(joint.parent, []).append(joint)
    root = tree.links[tree.root]
    groups: list[_Group] = []
    joints: list[Connection] = []
    at, inside = (NOWHERE, tree.place) if root.name == WORLD else (tree.place, NOWHERE)
    stack = [(root, _Group(root.name, root, at), inside, above.get(root.name))]
    seen = 0
    while stack:
        link, group, place, held_by = stack.pop()
        seen += 1
        if link is group.root:
            groups.append(group)
            joints += [] if held_by is None else [held_by]
        group.links.append((link, place))
        for below_it in reversed(below.get(link.name, [])):
            child = tree.links[below_it.child]
            if below_it.kind == "fixed" and not below_it.kept:
                stack.append((child, group, place @ below_it.pose, below_it))
                continue
            started = group.pose @ place @ below_it.pose @ _moved(below_it)
            stack.append((child, _Group(child.name, child, started), NOWHERE, below_it))
    if seen < len(tree.links):
        reached = {link.name for group in groups for link, _ in group.links}
        lost = next(name for name in tree.links if name not in reached)
        raise SceneError(f"{report.source}: link '{lost}' does not hang on '{root.name}'; a robot is one tree of links")
    return groups, joints


def _moved(joint: Connection) -> Pose:
    """The child's frame at the start, in its frame at coordinate zero."""
    if joint.kind == "prismatic":
        return Pose(joint.start * joint.axis / np.linalg.norm(joint.axis), spatial.IDENTITY)
    turn = joint.turn if joint.kind == "spherical" else spatial.about(joint.axis, joint.start)
    if joint.kind not in ("revolute", "spherical") or np.array_equal(turn, spatial.IDENTITY):
        return NOWHERE
    return Pose(joint.anchor - spatial.rotate(turn, joint.anchor), turn)


def _check_places(groups: list[_Group], report: ImportReport) -> None:
    """Refuse what is so far away, or so heavy, that nothing is left of the numbers of the rest."""
    for group in groups:
        for link, place in group.links:
            center = np.zeros(3) if link.mass is None else link.mass.center
            away = float(np.abs(group.pose.point(place.point(center))).max())
            if not away <= FARTHEST:
                far = f"lies {away:.3g} m away; at most {FARTHEST:g} m are read"
                raise SceneError(f"{report.source}, {link.where}: '{link.name[:60]}' {far}")
            if link.mass is not None and not max(link.mass.mass, np.abs(link.mass.inertia).max()) <= HEAVIEST:
                raise SceneError(
                    f"{report.source}, {link.where}: '{link.name[:60]}' weighs {link.mass.mass:.3g} kg with moments "
                    f"{moments(link.mass.inertia)}; at most {HEAVIEST:g} are read"
                )


# --- bodies -----------------------------------------------------------------------------------------------------------


def _weigh(groups: list[_Group], report: ImportReport) -> None:
    """The mass of every body, repaired where no body can have it."""
    for group in groups:
        parts = [link.mass.placed(place) for link, place in group.links if link.mass is not None]
        group.mass = combined(parts) if any(part.mass > 0.0 for part in parts) else None
        if parts and group.mass is None and not group.fixed:
            report.ignore(group.root.where, f"inertia of '{group.root.name}'", "there is no mass with it", "motion")
        if group.mass is None:
            continue
        mass, center, inertia = group.mass
        if not physical(inertia):
            mended = nearest_inertia(mass, inertia)
            group.mass = MassProperties(mass, center, mended)
            report.repair(
                group.root.where,
                f"inertia of '{group.root.name}'",
                f"principal moments {moments(inertia)} cannot be; now {moments(mended)}",
                "nothing" if group.fixed else "motion",
            )
    total = sum(group.mass.mass for group in groups if group.mass is not None)
    for group in groups:
        if group.mass is None and not group.fixed:
            group.mass = light(total)
            if not group.root.light:
                report.repair(
                    group.root.where,
                    f"mass of '{group.root.name}'",
                    f"moves without mass; now {group.mass.mass:.3g} kg",
                )


def _body(scene: Scene, group: _Group, report: ImportReport, options: Options, robot: str) -> BodySpec:
    shows = any(shape.visible for link, _ in group.links for shape in link.shapes)
    shapes = []
    for link, place in group.links:
        own = link.shapes if shows or not link.bare else [_shown(shape) for shape in link.shapes]
        shapes += [_placed(shape, place) for shape in own]
    given: Plain = {}
    if group.mass is not None:
        mass, center, inertia = group.mass
        six = [float(inertia[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        given = {"mass": float(mass), "center_of_mass": tuple(center.tolist()), "inertia": tuple(six)}
    return BodySpec(
        shapes=tuple(shapes),
        position=tuple(group.pose.position.tolist()),
        rotation=tuple(group.pose.rotation.tolist()),
        velocity=ORIGIN if group.fixed else group.root.velocity,
        angular_velocity=ORIGIN if group.fixed else group.root.angular_velocity,
        fixed=group.fixed,
        contact=_contact(scene, group, report, options, robot),
        **given,
    )


def _shown(shape: AnyShape) -> AnyShape:
    """A shape that a bare link touches with, where nothing else of the body is to be seen."""
    return msgspec.structs.replace(shape, visible=True)


def _placed(shape: AnyShape, place: Pose) -> AnyShape:
    if place is NOWHERE:
        return shape
    pose = place @ Pose(np.array(shape.position), np.array(shape.rotation))
    return msgspec.structs.replace(
        shape, position=tuple(pose.position.tolist()), rotation=tuple(pose.rotation.tolist())
    )


def _contact(scene: Scene, group: _Group, report: ImportReport, options: Options, robot: str) -> Contact | None:
    """How a body touches others: the links of a robot not each other, unless that is asked for."""
    given = [link for link, _ in group.links if link.contact is not None or link.material is not None]
    said = next((link.contact for link in given if link.contact is not None), None)
    if said is None:
        said = Contact() if options.self_collision else Contact(groups=(robot,), ignores=(robot,))
    found = [link.material for link in given if link.material is not None]
    if not found:
        return said
    if any(material != found[0] for material in found):
        report.ignore(
            group.root.where, "materials of welded links", f"'{group.root.name}' keeps the first of them", "contact"
        )
    return msgspec.structs.replace(said, material=_material_name(scene, found[0]))


def _material_name(scene: Scene, material: Material) -> str:
    """A material by its name in the scene, as one of those that are there already if it can be."""
    named = scene.materials.named
    name = next((name for name, known in named.items() if known == material), None)
    return scene.material(f"surface {len(named) + 1}", material) if name is None else name


def _pair_materials(scene: Scene) -> None:
    """Let the larger of every number hold between two materials, where ours would combine to something else."""
    for a, b in combinations_with_replacement(scene.materials.named, 2):
        numbers = [msgspec.structs.asdict(scene.materials.named[name]) for name in (a, b)]
        larger = Material(**{name: max(numbers[0][name], numbers[1][name]) for name in PAIRED})
        if larger != scene.materials.between(a, b):
            scene.material_pair(a, b, larger)


# --- joints -----------------------------------------------------------------------------------------------------------


def _joint(
    joint: Connection,
    a: _Group,
    b: _Group,
    place: Pose,
    inertias: dict[str, tuple[float, float]],
    report: ImportReport,
    options: Options,
) -> JointSpec | None:
    """The joint of a scene; None for a link that floats."""
    if joint.kind == "floating":
        return None
    turn = joint.turn if joint.kind == "fixed" else spatial.frame_rotation(joint.axis)
    frame_b = Pose(joint.anchor, turn)
    frame_a = place @ joint.pose @ frame_b
    frames: Plain = {"frame_a": Frame.at(frame_a), "frame_b": Frame.at(frame_b)}
    between = (a.name, b.name)
    type_: AnyJoint
    if joint.kind == "spherical":
        type_ = Spherical(**frames)
        friction = _friction(joint)
        return JointSpec(joint=type_, between=between, friction=friction)
    if joint.kind == "fixed":
        return JointSpec(joint=Fixed(**frames), between=between)
    if joint.kind == "planar":
        return JointSpec(joint=Planar(**frames), between=between)
    type_ = Revolute(**frames, drawn_at=joint.start) if joint.kind == "revolute" else Prismatic(**frames)
    limits = None if joint.low is None and joint.high is None else (joint.low, joint.high)
    spring = Spring(joint.stiffness, rest=joint.rest) if joint.stiffness > 0.0 else None
    return JointSpec(
        joint=type_,
        between=between,
        friction=_friction(joint),
        limits=limits,
        spring=spring,
        drive=_drive(joint, inertias[joint.name], report, options),
    )


def _friction(joint: Connection) -> AnyFriction | None:
    """Dry friction, viscous friction, or both as one law whose dry part is the same at rest and in motion."""
    if joint.friction > 0.0 and joint.damping > 0.0:
        return Stribeck(joint.friction, joint.friction, SLOW_STICK, viscous=joint.damping)
    if joint.friction > 0.0:
        return Coulomb(joint.friction)
    return Viscous(joint.damping) if joint.damping > 0.0 else None


def _drive(joint: Connection, inertia: tuple[float, float], report: ImportReport, options: Options) -> Any:
    if joint.drive is None and (not options.motors or joint.effort <= 0.0):
        return rotor(IDLE, UNBOUND, joint.armature) if joint.armature > 0.0 else None
    if joint.drive is not None:
        return joint.drive
    velocity = joint.velocity
    if velocity <= 0.0:
        velocity = SPEEDS[joint.is_linear]
        unit = "m/s" if joint.is_linear else "rad/s"
        report.repair(joint.where, "limit velocity", f"is not given beside an effort; now {velocity:g} {unit}")
    own, all_ = inertia
    if joint.low is None and joint.high is None:
        servo: SpeedServo | PositionServo = speed_servo(joint.effort, velocity, own, joint.armature)
    else:
        servo = position_servo(joint.effort, velocity, joint.is_linear, own, all_, joint.armature)
    servo = msgspec.structs.replace(servo, drive=geared(servo.drive, joint.ratio))
    return msgspec.structs.replace(servo, reach=joint.reach) if isinstance(servo, PositionServo) else servo


def _inertias(
    groups: list[_Group], joints: list[Connection], by_link: dict[str, tuple[_Group, Pose]]
) -> dict[str, tuple[float, float]]:
    """What a joint moves, by its name: the least inertia about (kg m^2) or along (kg) its axis, of the next body alone
    or with all other joints free, and that of all that hangs on it as one rigid body, at the start."""
    all_: dict[int, MassProperties] = {}
    own: list[MassProperties | None] = []
    numbers = {id(group): i for i, group in enumerate(groups)}
    for group in groups:
        assert group.mass is not None or group.fixed
        if group.mass is not None:
            all_[id(group)] = group.mass.placed(group.pose)
        own.append(None if group.fixed else all_[id(group)])
    held: list[Held] = []
    for joint in joints:
        parent, child = (by_link[name][0] for name in (joint.parent, joint.child))
        axis, anchor = _axis_of(joint, child)
        held.append(Held(numbers[id(parent)], numbers[id(child)], twists(joint.kind, axis, anchor)))
    free = dict(zip((joint.name for joint in joints), felt(own, held), strict=True))
    found = {}
    for joint in reversed(joints):
        parent, child = by_link[joint.parent][0], by_link[joint.child][0]
        hanging, alone = all_[id(child)], own[numbers[id(child)]]
        least = 0.0 if alone is None else min(_about(joint, child, alone), free[joint.name])
        found[joint.name] = (least, _about(joint, child, hanging))
        if id(parent) in all_:
            all_[id(parent)] = combined([all_[id(parent)], hanging])
    return found


def _axis_of(joint: Connection, child: _Group) -> tuple[Array, Array]:
    """A joint's axis and anchor (m) in the world, at the start."""
    axis = spatial.rotate(child.pose.rotation, joint.axis)
    return axis / np.linalg.norm(axis), child.pose.point(joint.anchor)


def _about(joint: Connection, child: _Group, mass: MassProperties) -> float:
    if joint.is_linear:
        return mass.mass
    axis, anchor = _axis_of(joint, child)
    arm = np.cross(axis, mass.center - anchor)
    return float(axis @ mass.inertia @ axis + mass.mass * arm @ arm)


# --- loops ------------------------------------------------------------------------------------------------------------


def _close(
    tree: Tree, scene: Scene, by_link: dict[str, tuple[_Group, Pose]], names: _Names, report: ImportReport
) -> dict[str, str]:
    """Add the joints that close loops, and close them; what they are called in the scene."""
    closing: list[Joint] = []
    called: dict[str, str] = {}
    for loop in tree.loops:
        (a, place_a), (b, place_b) = by_link[loop.a], by_link[loop.b]
        if a is b:
            report.ignore(loop.where, f"loop '{loop.name}'", "its two bodies are welded together", "nothing")
            continue
        if a.fixed and b.fixed:
            report.ignore(loop.where, f"loop '{loop.name}'", "neither of its bodies can move", "nothing")
            continue
        frames = [
            Frame.at(place @ frame.pose(loop.where))
            for place, frame in ((place_a, loop.joint.frame_a), (place_b, loop.joint.frame_b))
            if frame is not None
        ]
        type_ = loop.joint.on_bodies(frames[0], frames[1], getattr(loop.joint, "length", 0.0))
        spec = JointSpec(joint=type_, between=(a.name, b.name), spring=loop.spring, limits=loop.limits)
        name = names.of(loop.name, loop.where, scene.joints)
        scene.add_joint(name, spec)
        closing.append(scene.joints[name])
        called[loop.name] = name
    _meet(closing, report)
    _assemble(scene, closing, report)
    return called


def _meet(joints: Iterable[Joint], report: ImportReport) -> None:
    """Anchors that miss each other by the last digits of a file, often in a direction in which a loop cannot move,
    meet."""
    for joint in joints:
        gap, tilt = opening(joint)
        if not (ROUNDED < gap <= LAST_DIGITS and tilt <= ROUNDED) or isinstance(joint.type, Strut):
            continue
        there = joint.b.pose.inverse().point(joint.world_frames()[0].position)
        frames = (Frame.at(joint.frame_a), Frame.at(Pose(there, joint.frame_b.rotation)))
        joint.describe(msgspec.structs.replace(joint.spec, joint=joint.type.on_bodies(*frames, joint.length)))
        report.repair("the robot", f"anchor of '{joint.name}'", f"misses its loop by {gap:.1e} m; now it meets")


def _assemble(scene: Scene, closing: list[Joint], report: ImportReport) -> None:
    """Loops that start open are closed, by moving the bodies as little as possible; those that cannot close are left
    out."""
    gap = max((max(opening(joint)) for joint in closing), default=0.0)
    if gap <= CLOSED:
        return
    try:
        scene.assemble()
        report.repair("the robot", "its loops", f"start open by up to {1e3 * gap:.3g} mm or mrad; now closed")
    except SceneError as error:
        for joint in closing:
            if max(opening(joint)) > CLOSED:
                del scene.joints[joint.name]
                report.ignore("the robot", f"loop '{joint.name}'", str(error), "motion")


class _Names:
    """Names that a scene takes: without dots, each once, none of them the world's."""

    def __init__(self, report: ImportReport) -> None:
        self.report = report
        self.bodies: set[str] = {WORLD}

    def of(self, name: str, where: str, taken: Any = None) -> str:
        """A name for a body, or for a joint among those that are ``taken``."""
        known = self.bodies if taken is None else taken
        free = name.replace(".", "_") or "unnamed"
        if free == WORLD and taken is None:
            free = "base"
        stem, count = free, 1
        while free in known:
            count += 1
            free = f"{stem} {count}"
        if free != name:
            self.report.repair(where, f"name '{name}'", f"is now '{free}'", "nothing")
        if taken is None:
            self.bodies.add(free)
        return free
