"""USD with its physics schemas, read through usd-core (``pip install 'sharnir[import]'``).

Rigid bodies become links, joints a spanning tree of them; joints that are left, those outside of their articulation
first, close loops. Lengths, masses and the up axis of the stage are made metres, kilograms and z.
"""

from __future__ import annotations

import math
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
from .motors import rotor
from .options import Options
from .report import ImportReport
from .robot_files import LARGEST_MESH, Places
from .tree import Connection, Coupling, Kind, Link, Loop, Tree
from .usd_prims import Prims, account_for

if TYPE_CHECKING:
    from pxr.Usd import Prim

KINDS: dict[str, Kind] = {
    "PhysicsRevoluteJoint": "revolute",
    "PhysicsPrismaticJoint": "prismatic",
    "PhysicsSphericalJoint": "spherical",
    "PhysicsFixedJoint": "fixed",
}
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
UNBOUND = 1e6  # rad/s or m/s: the idle speed of a motor whose torque does not fall with its speed
UNLIMITED = 1e30  # what the schemas have for no limit, as a float
MOST_LAYERS = 500
# names of attributes in the schemas of vendors
FRICTION = ("physxJoint:jointFriction", "newton:friction", "mjc:frictionloss")
ARMATURE = ("physxJoint:armature", "newton:armature", "mjc:armature")
FASTEST = ("physxJoint:maxJointVelocity",)


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
        raise SceneError(f"{path}: usd-core cannot read it ({' '.join(str(error).split())[:200]})") from None
    tree = _Reader(Prims(stage, places, report, options.decompose), report, path.stem).tree()
    account_for(stage, report)
    return tree


def _check_layers(path: Path, places: Places) -> None:
    """Every file that the stage is composed of lies in the robot's folders and is not too large."""
    from pxr import Sdf

    waiting, seen = [path.resolve()], set()
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
            layer = Sdf.Layer.OpenAsAnonymous(str(file))
        except Exception as error:
            raise SceneError(f"{file}: is no USD file ({' '.join(str(error).split())[:200]})") from None
        for name in layer.GetCompositionAssetDependencies():
            try:
                waiting.append(places.find(str(name), str(file), file.parent))
            except FileNotFoundError:
                continue  # usd-core tells of it, and the report of what it lacks


class _Joint:
    """A joint as the file has it: its ends, and its frames on them."""

    def __init__(self, prim: Prim, prims: Prims) -> None:
        self.prim, self.name = prim, prims.name(prim)
        self.ends = [prims.target(prim, f"physics:body{k}") for k in (0, 1)]
        self.frames = [prims.local_frame(prim, k, self.ends[k]) for k in (0, 1)]
        self.kind = KINDS.get(str(prim.GetTypeName()))
        self.excluded = bool(prims.value(prim, "physics:excludeFromArticulation", False))
        self.axis = np.array(AXES.get(str(prims.value(prim, "physics:axis", "X")), AXES["X"]))
        self.where = f"joint '{prim.GetPath()}'"


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
            tree.links[link.name] = link
        joints = [_Joint(prim, prims) for prim in prims.joints()]
        self._span(tree, [joint for joint in joints if self._held(joint, tree)])
        for joint in joints:
            self._mimic(joint, tree)
        return tree

    def _held(self, joint: _Joint, tree: Tree) -> bool:
        """Whether a joint ties two different links; what it is not is told."""
        if joint.kind is None and str(joint.prim.GetTypeName()) != "PhysicsDistanceJoint":
            kind = str(joint.prim.GetTypeName())
            self.report.ignore(joint.where, kind, "joints of free choice of axes are not read", "motion")
            return False
        if joint.ends[0] == joint.ends[1]:
            self.report.ignore(joint.where, "joint", "ties a body to itself", "nothing")
            return False
        return bool(self.prims.value(joint.prim, "physics:jointEnabled", True))

    def _span(self, tree: Tree, joints: list[_Joint]) -> None:
        """Hang the links on each other, from the world and from the roots of articulations; the rest closes loops."""
        first = [joint for joint in joints if not joint.excluded and joint.kind is not None]
        at: dict[str, list[_Joint]] = {name: [] for name in tree.links}
        for joint in first:
            for end in joint.ends:
                at[end].append(joint)
        used: set[str] = set()
        reached = {WORLD}
        roots = [name for name in self.prims.roots() if name in tree.links]
        for start in (WORLD, *roots, *tree.links):
            if start != WORLD:
                if start in reached:
                    continue
                reached.add(start)
                pose, where = self.prims.pose_of(start), tree.links[start].where
                free = Connection(f"{start} free", "floating", WORLD, start, where, pose)
                tree.joints[free.name] = free
            queue = deque([start])
            while queue:
                name = queue.popleft()
                for joint in at[name]:
                    other = joint.ends[1] if joint.ends[0] == name else joint.ends[0]
                    if joint.name in used or other in reached:
                        continue
                    used.add(joint.name)
                    reached.add(other)
                    tree.joints[joint.name] = self._connection(joint, name, other)
                    queue.append(other)
        for joint in joints:
            if joint.name not in used:
                self._loop(joint, tree)

    # --- joints -----------------------------------------------------------------------------------------------------

    def _connection(self, joint: _Joint, parent: str, child: str) -> Connection:
        assert joint.kind is not None
        forward = joint.ends[1] == child
        near, far = (joint.frames[0], joint.frames[1]) if forward else (joint.frames[1], joint.frames[0])
        made = Connection(joint.name, joint.kind, parent, child, joint.where, near @ far.inverse())
        made.anchor = far.position
        axis = spatial.rotate(far.rotation, joint.axis)
        made.axis = axis if forward else -axis
        apart = (self.prims.pose_of(parent) @ near).inverse() @ (self.prims.pose_of(child) @ far)
        if joint.kind == "spherical":
            made.turn = _in_child(apart.rotation, far)
        elif made.has_coordinate:
            made.start = _coordinate(apart, joint.axis, made.is_linear) * (1.0 if forward else -1.0)
            self._carried(joint, made)
        return made

    def _carried(self, joint: _Joint, made: Connection) -> None:
        prims, prim = self.prims, joint.prim
        unit = prims.meters if made.is_linear else math.pi / 180.0  # angles of the schemas are in degrees
        low, high = (prims.number(prim, f"physics:{side}Limit", sign * math.inf) for side, sign in _SIDES)
        if low > high:
            self.report.repair(joint.where, "limits", f"run from {low:g} to {high:g}; left out")
        else:
            made.low = low * unit if abs(low) < UNLIMITED else None
            made.high = high * unit if abs(high) < UNLIMITED else None
        made.friction = max(0.0, prims.first(prim, FRICTION, 0.0))
        made.armature = max(0.0, prims.first(prim, ARMATURE, 0.0))
        self._drive(joint, made, unit)

    def _drive(self, joint: _Joint, made: Connection, unit: float) -> None:
        """Force = stiffness (target - q) + damping (target rate - q'), per degree of hinges, within maxForce."""
        prims, prim = self.prims, joint.prim
        kind = "linear" if made.is_linear else "angular"
        if not prims.has(prim, f"PhysicsDriveAPI:{kind}"):
            return
        force = prims.kilograms * prims.meters * (1.0 if made.is_linear else prims.meters)  # N or N m
        stiffness = prims.number(prim, f"drive:{kind}:physics:stiffness", 0.0) * force / unit
        damping = prims.number(prim, f"drive:{kind}:physics:damping", 0.0) * force / unit
        most = prims.number(prim, f"drive:{kind}:physics:maxForce", math.inf) * force
        fastest = prims.first(prim, FASTEST, math.inf) * unit
        if str(prims.value(prim, f"drive:{kind}:physics:type", "force")) == "acceleration":
            self.report.ignore(joint.where, "drive", "acts on accelerations, whatever they take", "motion")
            return
        bounded = most < UNLIMITED
        speed = fastest if fastest < UNLIMITED else UNBOUND
        if stiffness > 0.0:
            span = (made.high - made.low) if made.low is not None and made.high is not None else 2.0 * math.pi
            effort = most if bounded else stiffness * max(span, 1e-3)
            motor = rotor(effort, speed, made.armature)
            made.drive = PositionServo(drive=motor, gain=stiffness / effort, damping=damping / effort)
        elif damping > 0.0:
            effort = most if bounded else damping * 10.0
            made.drive = SpeedServo(drive=rotor(effort, speed, made.armature), gain=damping / effort)
        elif bounded and most > 0.0:
            made.drive = rotor(most, speed, made.armature)
        if made.drive is not None and not bounded:
            self.report.repair(joint.where, "maxForce", f"is not given; now {_strongest(made.drive):g}")

    def _loop(self, joint: _Joint, tree: Tree) -> None:
        turn = Pose(np.zeros(3), spatial.frame_rotation(joint.axis))
        a, b = (Frame.at(frame @ turn) for frame in joint.frames)
        made: AnyJoint
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
        """PhysX: q + gearing q_reference + offset = 0, in degrees; Newton: q = coef0 + coef1 q_leader."""
        prims, prim = self.prims, joint.prim
        follower = tree.joints.get(joint.name)
        for axis in ("rotX", "rotY", "rotZ", "transX", "transY", "transZ"):
            leader = prims.target_name(prim, f"physxMimicJoint:{axis}:referenceJoint")
            if not leader or follower is None:
                continue
            gearing = prims.number(prim, f"physxMimicJoint:{axis}:gearing", 1.0)
            offset = prims.number(prim, f"physxMimicJoint:{axis}:offset", 0.0)
            offset *= prims.meters if follower.is_linear else math.pi / 180.0
            if leader in tree.joints:
                tree.couplings.append(Coupling.mimic(joint.name, leader, -gearing, -offset, joint.where))
            else:
                self.report.ignore(joint.where, "mimic", "the joint that it follows is not there", "motion")


_SIDES = (("lower", -1.0), ("upper", 1.0))


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
