"""USD with its physics schemas, read through usd-core (``pip install 'sharnir[import]'``).

Rigid bodies become links, joints a spanning tree of them; joints that are left, those outside of their articulation
first, close loops. Lengths, masses and the up axis of the stage are made metres, kilograms and z.
"""

from __future__ import annotations

import math
import re
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.elements.drive import AnyDrive, DcDrive, PositionServo, SpeedServo
from ..scene.joints import AnyJoint, Distance, Fixed, Frame, Prismatic, Revolute, Spherical
from ..scene.scene import WORLD
from ..spatial import Array, Pose
from .motors import IDLE, UNBOUND, rotor
from .options import Options
from .report import ImportReport
from .robot_files import LARGEST_MESH, Places
from .tree import NOWHERE, Connection, Coupling, Kind, Link, Loop, Tree
from .usd_axes import CHOICE, SMALL, Axis, chained, off_axis
from .usd_layers import Layers, check_prims
from .usd_prims import Prims, account_for

if TYPE_CHECKING:
    from pxr.Usd import Prim

KINDS: dict[str, Kind] = {
    "PhysicsRevoluteJoint": "revolute",
    "PhysicsPrismaticJoint": "prismatic",
    "PhysicsSphericalJoint": "spherical",
    "PhysicsFixedJoint": "fixed",
}
UNLIMITED = 1e30  # what the schemas have for no limit, as a float
MOST_LAYERS = 500
LEVERS = "is a share of the load in PhysX; now so many N or N m, whatever the load"


def read_usd(path: Path, report: ImportReport, options: Options) -> Tree:
    """The tree of a USD stage."""
    try:
        from pxr import Usd
    except ImportError:
        raise SceneError("USD is read by usd-core; install it with: pip install 'sharnir[import]'") from None
    places = Places(path, options.search)
    _check_layers(path, places)
    try:
        stage = Usd.Stage.Open(str(path))
    except Exception as error:
        raise SceneError(f"{path}: usd-core cannot read it ({_said(error)})") from None
    prims = Prims(stage, places, report, options)
    tree = _Reader(prims, report, path.stem).tree()
    account_for(stage, report, prims.looks.used)
    return tree


def _check_layers(path: Path, places: Places) -> None:
    """Every file that the stage is composed of lies in the robot's folders and is not too large."""
    from pxr import Sdf

    waiting, seen = [path.resolve()], set()
    layers: Layers = {}
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        if len(seen) > MOST_LAYERS:
            raise SceneError(f"{path} is composed of more than {MOST_LAYERS} files; no robot is")
        if not file.is_file():
            raise SceneError(f"{file} cannot be read; check the path")
        if file.stat().st_size > LARGEST_MESH:
            raise SceneError(f"{file} has {file.stat().st_size / 2**20:.0f} MiB; at most {LARGEST_MESH >> 20} are read")
        try:
            kept = Sdf.Layer.Find(str(file))
            if kept:
                kept.Reload()  # usd-core keeps what it has read; the file may have changed since
            layer = Sdf.Layer.OpenAsAnonymous(str(file))
        except Exception as error:
            raise SceneError(f"{file}: is no USD file ({_said(error)})") from None
        if layer is None:  # of a .usd that is neither text nor binary
            raise SceneError(f"{file}: is no USD file; check what it holds")
        layers[file] = (layer, {"": file})
        for name in filter(None, layer.GetCompositionAssetDependencies()):  # without a name: the file itself
            try:
                waiting.append(places.find(str(name), str(file), file.parent))
            except FileNotFoundError:
                continue  # usd-core tells of it, and the report of what it lacks
            layers[file][1][str(name)] = waiting[-1]
    check_prims(layers, path)


def _said(error: Exception) -> str:
    """What usd-core says, without where in its own code it says it."""
    text = " ".join(str(error).split())
    found = re.search(r" in file \S+ : '(.*)", text)
    return (found[1] if found else text)[:300]


class _Joint:
    """A joint as the file has it: its ends, its frames on them, and its free axes; of several there is no kind."""

    def __init__(self, prim: Prim, prims: Prims) -> None:
        self.prim, self.name = prim, prims.name(prim)
        self.ends = [prims.target(prim, f"physics:body{k}") for k in (0, 1)]
        self.frames = [prims.local_frame(prim, k, self.ends[k]) for k in (0, 1)]
        self.is_of_choice = str(prim.GetTypeName()) == "PhysicsJoint"
        self.kind = KINDS.get(str(prim.GetTypeName()))
        self.excluded = bool(prims.value(prim, "physics:excludeFromArticulation", False))
        self.axes = self._of_choice(prims) if self.is_of_choice else []
        if not self.is_of_choice and self.kind is not None:
            self.axes = [Axis.of_type(self.kind, str(prims.value(prim, "physics:axis", "X")))]
        self.axis = self.axes[0].direction if self.axes else np.array([1.0, 0.0, 0.0])
        self.where = f"joint '{prim.GetPath()}'"

    @property
    def turns_or_slides(self) -> bool:
        """Whether it has one free axis."""
        return self.kind in ("revolute", "prismatic")

    def _of_choice(self, prims: Prims) -> list[Axis]:
        """The axes that are not locked, whose lower limit is below the upper; they make the kind where they can."""
        axes = [Axis.of_choice(name) for name in CHOICE]
        ends = [[prims.number(self.prim, name, sign * math.inf) for name, sign in _ends(axis)] for axis in axes]
        axes = [axis for axis, (low, high) in zip(axes, ends, strict=True) if low < high]
        bounded = any(low > -UNLIMITED or high < UNLIMITED for low, high in ends if low < high)
        self.has_extras = bounded or any(prims.has(self.prim, f"PhysicsDriveAPI:{axis.drive}") for axis in axes)
        if not axes:
            self.kind = "fixed"
        elif len(axes) == 1:
            self.kind = "prismatic" if axes[0].linear else "revolute"
        elif [axis.name for axis in axes] == list(CHOICE[3:]) and not self.has_extras:
            self.kind = "spherical"
        return axes


class _Reader:
    def __init__(self, prims: Prims, report: ImportReport, name: str) -> None:
        self.prims, self.report, self.name = prims, report, name

    def tree(self) -> Tree:
        prims = self.prims
        tree = Tree(self.name, WORLD, gravity=prims.gravity())
        tree.links[WORLD] = Link(WORLD, "the stage", shapes=prims.static_shapes())
        tree.terrains = prims.terrains()
        for path in prims.bodies:
            link = Link(prims.bodies[path], f"body '{path}'", prims.mass(path), prims.shapes(path))
            link.material = prims.material(path)
            center = np.zeros(3) if link.mass is None else link.mass.center
            link.velocity, link.angular_velocity = prims.velocity(path, center)
            tree.links[link.name] = link
        joints = [_Joint(prim, prims) for prim in prims.joints()]
        self._span(tree, [joint for joint in joints if self._held(joint, tree)])
        for joint in joints:
            self._mimic(joint, tree)
        return tree

    def _held(self, joint: _Joint, tree: Tree) -> bool:
        """Whether a joint ties two different links; what it is not is told."""
        kind = str(joint.prim.GetTypeName())
        if joint.kind is None and not joint.is_of_choice and kind != "PhysicsDistanceJoint":
            self.report.ignore(joint.where, kind, "joints of this kind have no counterpart", "motion")
            return False
        if len(joint.axes) == len(CHOICE):
            if joint.has_extras:
                self.report.ignore(joint.where, kind, "bounds or drives a body that is free in all axes", "motion")
            return False
        if joint.ends[0] == joint.ends[1]:
            self.report.ignore(joint.where, "joint", "ties a body to itself", "nothing")
            return False
        return bool(self.prims.value(joint.prim, "physics:jointEnabled", True))

    def _span(self, tree: Tree, joints: list[_Joint]) -> None:
        """Hang the links on each other, from the world and from the roots of articulations; the rest closes loops."""
        first = [joint for joint in joints if not joint.excluded and (joint.kind is not None or joint.axes)]
        at: dict[str, list[_Joint]] = {name: [] for name in tree.links}
        for joint in first:
            for end in joint.ends:
                at[end].append(joint)
        used: set[str] = set()
        reached = {WORLD}
        roots = [name for name in self.prims.roots() if name in tree.links]
        standing = self.prims.kinematic()
        for start in (WORLD, *standing, *roots, *list(tree.links)):
            if start != WORLD:
                if start in reached:
                    continue
                reached.add(start)
                pose, where = self.prims.pose_of(start), tree.links[start].where
                free = Connection(f"{start} free", "floating", WORLD, start, where, pose)
                if start in standing:
                    free = Connection(f"{start} held", "fixed", WORLD, start, where, pose)
                    self.report.repair(where, "kinematicEnabled", "is moved by a program; now it stands still")
                tree.joints[free.name] = free
            queue = deque([start])
            while queue:
                name = queue.popleft()
                for joint in at[name]:
                    other = joint.ends[1] if joint.ends[0] == name else joint.ends[0]
                    if joint.name in used or other in reached:
                        continue
                    reached.add(other)
                    together = [one for one in at[name] if one.ends == joint.ends and one.turns_or_slides]
                    if joint.turns_or_slides and len(together) > 1:
                        self._connect_in_a_row(together, name, other, tree)
                        used |= {one.name for one in together}
                    else:
                        self._connect(joint, name, other, tree)
                        used.add(joint.name)
                    queue.append(other)
        for joint in joints:
            if joint.name not in used:
                self._loop(joint, tree)

    # --- joints -----------------------------------------------------------------------------------------------------

    def _connect(self, joint: _Joint, parent: str, child: str, tree: Tree) -> None:
        forward = joint.ends[1] == child
        near, far = (joint.frames[0], joint.frames[1]) if forward else (joint.frames[1], joint.frames[0])
        made = Connection(joint.name, joint.kind or "fixed", parent, child, joint.where, near @ far.inverse())
        made.anchor = far.position
        if joint.kind is None:
            first, second = (
                self.prims.pose_of(end) @ frame for end, frame in zip(joint.ends, joint.frames, strict=True)
            )
            apart = first.inverse() @ second
            if off_axis(apart, joint.axes) > SMALL:
                self.report.repair(joint.where, "start", "is off the axes that it leaves free; now on them")
            links, chain = chained(made, joint.axes, near, far, apart, forward)
            tree.links |= {link.name: link for link in links}
            for one, axis in chain:
                tree.joints[one.name] = one
                self._carried(joint, one, axis)
            return
        tree.joints[joint.name] = made
        made.axis = spatial.rotate(far.rotation, joint.axis) * (1.0 if forward else -1.0)
        apart = (self.prims.pose_of(parent) @ near).inverse() @ (self.prims.pose_of(child) @ far)
        if joint.kind == "spherical":
            made.turn = _in_child(apart.rotation, far)
        elif made.has_coordinate:
            made.start = _coordinate(apart, joint.axis, made.is_linear) * (1.0 if forward else -1.0)
            self._carried(joint, made, joint.axes[0])

    def _connect_in_a_row(self, joints: list[_Joint], parent: str, child: str, tree: Tree) -> None:
        """Several hinges and slides between the same two bodies, as MuJoCo has them: one after the other."""
        forward = joints[0].ends[1] == child
        placed = self.prims.pose_of(parent).inverse() @ self.prims.pose_of(child)
        above = parent
        for k, joint in enumerate(joints if forward else joints[::-1]):
            near, far = joint.frames if forward else joint.frames[::-1]
            last = k == len(joints) - 1
            below = child if last else f"{child} {joint.name}"
            pose = near @ far.inverse() if k == 0 else NOWHERE
            made = Connection(joint.name, joint.kind or "fixed", above, below, joint.where, pose, anchor=far.position)
            made.axis = spatial.rotate(far.rotation, joint.axis) * (1.0 if forward else -1.0)
            if k == 0 and not np.allclose(spatial.matrix(pose.rotation), spatial.matrix(placed.rotation), atol=SMALL):
                self.report.repair(joint.where, "start", "its body is turned; now all joints to it start at zero")
            if not last:
                tree.links[below] = Link(below, joint.where, light=True)
            tree.joints[made.name] = made
            self._carried(joint, made, joint.axes[0])
            above = below

    def _carried(self, joint: _Joint, made: Connection, axis: Axis) -> None:
        prims, prim = self.prims, joint.prim
        unit = prims.meters if made.is_linear else math.pi / 180.0  # angles of the schemas are in degrees
        low, high = (prims.number(prim, name, sign * math.inf) for name, sign in _ends(axis))
        if low > high:
            self.report.repair(joint.where, "limits", f"run from {low:g} to {high:g}; left out")
        else:
            made.low = low * unit if abs(low) < UNLIMITED else None
            made.high = high * unit if abs(high) < UNLIMITED else None
        self._passive(joint, made, axis, unit)
        self._drive(joint, made, axis.drive, unit)

    def _force(self, made: Connection) -> float:
        """The unit of the stage for what acts along or about an axis, N or N m."""
        prims = self.prims
        return prims.kilograms * prims.meters * (1.0 if made.is_linear else prims.meters)

    def _passive(self, joint: _Joint, made: Connection, axis: Axis, unit: float) -> None:
        """Friction, damping, spring and rotor of the schemas of vendors: of PhysX and Newton in the units of the stage,
        per degree of hinges, of MuJoCo in SI."""
        prims, prim, force = self.prims, joint.prim, self._force(made)
        inertia = prims.kilograms * (1.0 if made.is_linear else prims.meters**2)
        own = f"physxJointAxis:{axis.drive}:"  # of one axis, before that of all
        made.friction = self._first(
            prim,
            {f"{own}dynamicFrictionEffort": force, "physxJoint:jointFriction": 1.0, "newton:friction": force}
            | {"mjc:frictionloss": 1.0},
        )
        made.armature = self._first(
            prim,
            {f"{own}armature": inertia, "physxJoint:armature": inertia, "newton:armature": inertia}
            | {"mjc:armature": 1.0},
        )
        slowing = {f"{own}viscousFrictionCoefficient": force / unit, "newton:damping": force / unit, "mjc:damping": 1.0}
        made.damping = self._first(prim, slowing)
        made.stiffness, made.rest = self._first(prim, {"mjc:stiffness": 1.0}), self._rest(prim, made)
        if not prim.GetAttribute(f"{own}dynamicFrictionEffort") and prims.number(prim, "physxJoint:jointFriction", 0.0):
            self.report.repair(joint.where, "jointFriction", LEVERS)

    def _first(self, prim: Prim, units: dict[str, float]) -> float:
        """The first of several attributes that is there, by its unit; never below zero."""
        prims = self.prims
        return next(
            (max(0.0, prims.finite(prim, name, 0.0)) * unit for name, unit in units.items() if prim.GetAttribute(name)),
            0.0,
        )

    def _rest(self, prim: Prim, made: Connection) -> float:
        """Where MuJoCo's spring has no force, which is in the units of limits."""
        return self.prims.finite(prim, "mjc:springref", 0.0) * (1.0 if made.is_linear else math.pi / 180.0)

    def _drive(self, joint: _Joint, made: Connection, kind: str, unit: float) -> None:
        """Force = stiffness (target - q) + damping (target rate - q'), per degree of hinges, within maxForce."""
        prims, prim = self.prims, joint.prim
        if not prims.has(prim, f"PhysicsDriveAPI:{kind}"):
            return
        force = self._force(made)
        stiffness = prims.number(prim, f"drive:{kind}:physics:stiffness", 0.0) * force / unit
        damping = prims.number(prim, f"drive:{kind}:physics:damping", 0.0) * force / unit
        most = prims.number(prim, f"drive:{kind}:physics:maxForce", math.inf) * force
        names = (f"physxJointAxis:{kind}:maxJointVelocity", "physxJoint:maxJointVelocity", "newton:velocityLimit")
        fastest = prims.first(prim, names, math.inf) * unit
        if str(prims.value(prim, f"drive:{kind}:physics:type", "force")) == "acceleration":
            self.report.ignore(joint.where, "drive", "acts on accelerations, whatever they take", "motion")
            return
        if most < IDLE:
            self.report.ignore(joint.where, "maxForce", f"is {most:g}, so the joint has no motor", "motion")
            return
        bounded = most < UNLIMITED
        speed = fastest if fastest < UNLIMITED else UNBOUND
        if stiffness > 0.0:
            span = (made.high - made.low) if made.low is not None and made.high is not None else 2.0 * math.pi
            effort = most if bounded else stiffness * max(span, 1e-3)
            motor = rotor(effort, speed, made.armature)
            if not bounded:  # as large as it may be: that of the joint, which is not sampled
                made.damping, damping = made.damping + damping, 0.0
            made.drive = PositionServo(drive=motor, gain=stiffness / effort, damping=damping / effort)
        elif damping > 0.0:
            effort = most if bounded else damping * 10.0
            made.drive = SpeedServo(drive=rotor(effort, speed, made.armature), gain=damping / effort)
        elif bounded:
            made.drive = rotor(most, speed, made.armature)
        if made.drive is not None and not bounded:
            self.report.repair(joint.where, "maxForce", f"is not given; now {_strongest(made.drive):g}")

    def _loop(self, joint: _Joint, tree: Tree) -> None:
        turn = Pose(np.zeros(3), spatial.frame_rotation(joint.axis))
        a, b = (Frame.at(frame @ turn) for frame in joint.frames)
        made: AnyJoint
        if joint.is_of_choice and joint.kind is None:
            self.report.ignore(joint.where, "PhysicsJoint", "closes a loop with several free axes", "motion")
            return
        if joint.kind is None:
            low, high = (self.prims.number(joint.prim, f"physics:{side}Distance", -1.0) for side in ("min", "max"))
            if low != high or low <= 0.0:
                self.report.ignore(joint.where, "PhysicsDistanceJoint", "its distance is bounded, not kept", "motion")
                return
            made = Distance(frame_a=a, frame_b=b, length=low * self.prims.meters)
        else:
            types = {"revolute": Revolute, "prismatic": Prismatic, "spherical": Spherical, "fixed": Fixed}
            made = types[joint.kind](frame_a=a, frame_b=b)
        tree.loops.append(Loop(joint.name, made, joint.ends[0], joint.ends[1], joint.where))

    def _mimic(self, joint: _Joint, tree: Tree) -> None:
        """Newton: q = coef0 + coef1 q_leader; PhysX: q + gearing q_reference + offset = 0; both in units of limits."""
        prims, prim = self.prims, joint.prim
        leader = prims.target_name(prim, "newton:mimicJoint")
        if leader:
            if bool(prims.value(prim, "newton:mimicEnabled", True)):
                multiplier = prims.finite(prim, "newton:mimicCoef1", 1.0)
                self._follow(joint, leader, multiplier, prims.finite(prim, "newton:mimicCoef0", 0.0), tree)
            return
        for axis in ("rotX", "rotY", "rotZ", "transX", "transY", "transZ"):
            leader = prims.target_name(prim, f"physxMimicJoint:{axis}:referenceJoint")
            if leader:
                gearing = prims.finite(prim, f"physxMimicJoint:{axis}:gearing", 1.0)
                self._follow(joint, leader, -gearing, -prims.finite(prim, f"physxMimicJoint:{axis}:offset", 0.0), tree)

    def _follow(self, joint: _Joint, leader: str, multiplier: float, offset: float, tree: Tree) -> None:
        """A joint that follows another: angles are in degrees, lengths in the unit of the stage."""
        follower, leading = tree.joints.get(joint.name), tree.joints.get(leader)
        if follower is None or leading is None:
            missing = "it closes a loop" if follower is None else "the joint that it follows is not there"
            self.report.ignore(joint.where, "mimic", missing, "motion")
            return
        own, other = (self.prims.meters if one.is_linear else math.pi / 180.0 for one in (follower, leading))
        coupling = Coupling.mimic(joint.name, leader, multiplier * own / other, offset * own, joint.where)
        tree.couplings.append(coupling)


def _ends(axis: Axis) -> tuple[tuple[str, float], tuple[str, float]]:
    """The names of an axis' limits, with the sign of the infinity that they are where they are not given."""
    return (axis.limits[0], -1.0), (axis.limits[1], 1.0)


def _coordinate(apart: Pose, axis: Array, linear: bool) -> float:
    """How far a joint has moved along its axis (m), or about it (rad)."""
    if linear:
        return float(apart.position @ axis)
    return 2.0 * math.atan2(float(apart.rotation[:3] @ axis), float(apart.rotation[3]))


def _in_child(turn: Array, frame: Pose) -> Array:
    """A turn in a joint's frame, in the axes of the child."""
    return spatial.multiply(spatial.multiply(frame.rotation, turn), spatial.conjugate(frame.rotation))


def _strongest(drive: AnyDrive) -> float:
    motor = drive if isinstance(drive, DcDrive) else drive.drive
    return float(motor.stall_torque * abs(motor.ratio))
