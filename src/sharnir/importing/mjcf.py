"""MJCF, the format of MuJoCo, read through MuJoCo itself: only it knows its defaults, includes and mesh inertias.

The text is looked at before MuJoCo sees it, for what is refused and for the report; the numbers come from the compiled
model, whose arrays have one row per body, joint, geom and so on.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import spatial
from ..errors import SceneError, nearest
from ..scene.elements.drive import AnyDrive, DcDrive, PositionServo, SpeedServo
from ..scene.joints import Fixed, Frame, Spherical
from ..scene.shape import MassProperties
from ..scene.values import Vec3, as_vec3
from ..spatial import Array, Pose
from .mjcf_geoms import Geoms
from .mjcf_sensors import Sensors
from .mjcf_tendons import POLYNOMIAL, TENDON, TENDON_EQUALITY, Tendons
from .mjcf_text import account_for, checked_text
from .motors import UNBOUND, rotor
from .options import Options
from .report import ImportReport
from .robot_files import Places
from .tree import NOWHERE, Connection, Coupling, Kind, Link, Loop, Tree
from .xml import LARGEST_NUMBER, Node

if TYPE_CHECKING:
    from mujoco import MjModel

KINDS: tuple[Kind, ...] = ("floating", "spherical", "prismatic", "revolute")  # by mjtJoint
CONNECT, WELD, JOINT = 0, 1, 2  # of mjtEq
BODY = 1  # of mjtObj
NO_GRAVITY = 1 << 7  # of mjtDisableBit, with the next: what a model has of all that may be switched off
SWITCHES = {
    1 << 1: ("eq_active0",),
    1 << 2: ("dof_frictionloss", "tendon_frictionloss"),
    1 << 3: ("jnt_limited", "tendon_limited"),
    1 << 4: ("geom_contype", "geom_conaffinity"),
    1 << 5: ("jnt_stiffness", "tendon_stiffness"),
    1 << 6: ("dof_damping", "tendon_damping"),
}
NO_CONSTRAINT, CONSTRAINTS = 1 << 0, sum(1 << i for i in (1, 2, 3, 4))  # all of these at once
NO_ACTUATION = 1 << 11
READ = ("qpos", "body_", "jnt_", "dof_", "geom_", "mat_", "mesh_", "hfield_", "site_", "cam_")
CARRIED = ("tendon_", "wrap_", "eq_", "actuator_", "sensor_", "key_")
MOST_NAMED = 8  # keyframes that a report names
TO_JOINT = (0, 1)  # of mjtTrn: on a joint, in the child's or in the parent's frame
FIXED_GAIN, NO_BIAS, AFFINE_BIAS, NO_DYNAMICS = 0, 0, 1, 0


def read_mjcf(root: Node, places: Places, report: ImportReport, options: Options) -> Tree:
    """The tree of an MJCF document; of the ``options`` it minds the keyframe and the pieces of meshes."""
    documents, folders = checked_text(root, places, report)
    tree = _Reader(_compiled(places.robot), places, folders, options, report).tree()
    for document in documents:
        account_for(document, report)
    return tree


def _compiled(path: Path) -> object:
    try:
        import mujoco
    except ImportError:
        raise SceneError("MJCF is read by MuJoCo; install it with: pip install 'sharnir[import]'") from None
    mujoco.set_mju_user_warning(_quiet)  # they would go to a file in the working folder
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise SceneError(f"{path}: MuJoCo cannot read it ({' '.join(str(error).split())})") from None


def _switch_off(model: MjModel) -> None:
    """What the flags of a model disable is not there."""
    off = int(model.opt.disableflags)
    off |= CONSTRAINTS if off & NO_CONSTRAINT else 0
    for bit, names in SWITCHES.items():
        for name in names if off & bit else ():
            getattr(model, name)[:] = 0


def _quiet(_: object) -> None:
    pass


class _Reader:
    def __init__(
        self, model: MjModel, places: Places, folders: list[Path], options: Options, report: ImportReport
    ) -> None:
        self.model, self.report = model, report
        _switch_off(model)
        self.qpos = self._posture(options.keyframe)
        for name in (name for name in dir(model) if name.startswith(READ + CARRIED)):
            values = getattr(model, name)
            if isinstance(values, np.ndarray) and not np.all(np.abs(values.astype(float)) <= LARGEST_NUMBER):
                what = f"{name} holds a number that is not finite, or beyond {LARGEST_NUMBER:g}"
                raise SceneError(f"{places.robot}: {what}; give finite numbers")
        self.geoms = Geoms(model, places, folders, report, options.decompose)
        self.joint_names = {i: self._name("joint", i) for i in range(model.njnt)}
        self.tendons = Tendons(model, self.qpos, self.joint_names, report)

    def _posture(self, keyframe: str) -> Array:
        """The coordinates at which the scene starts: those of a keyframe, or those at which the model stands."""
        model = self.model
        names = [str(model.key(k).name) or str(k) for k in range(model.nkey)]
        if not keyframe:
            if names:
                told = ", ".join(f"'{name}'" for name in names[:MOST_NAMED])
                why = f"choose one with keyframe=: {told}"
                self.report.ignore("keyframe", f"{len(names)} keyframes", why, "nothing")
            return np.array(model.qpos0, float)
        if keyframe not in names:
            raise SceneError(f"{self.report.source} has no keyframe '{keyframe}'{nearest(keyframe, names)}")
        k = names.index(keyframe)
        if np.any(model.key_qvel[k]):
            self.report.ignore(f"key '{keyframe}'", "qvel", "a keyframe gives the posture, at rest", "motion")
        return np.array(model.key_qpos[k], float)

    def _name(self, what: str, index: int) -> str:
        return str(getattr(self.model, what)(int(index)).name) or f"{what} {index}"

    def tree(self) -> Tree:
        model = self.model
        names = ["world", *(self._name("body", i) for i in range(1, model.nbody))]
        tree = Tree(_model_name(model), "world", gravity=self._gravity(), larger_friction=True)
        for i, name in enumerate(names):
            tree.links[name] = Link(name, f"body '{name}'", self._mass(i), shapes=self.geoms.shapes(i))
            if i > 0:
                self._hang(tree, i, name, names[model.body_parentid[i]])
        tree.terrains = self.geoms.terrains()
        self.geoms.set_contacts(tree, names, [(int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature])
        self.tendons.add(tree, names)
        self._actuators(tree)
        self._equalities(tree, names)
        Sensors(model, names, self.joint_names, self.tendons.spools, self.report).add(tree)
        self._others()
        return tree

    def _gravity(self) -> Vec3:
        off = int(self.model.opt.disableflags)
        if off & NO_ACTUATION and self.model.nu:
            self.report.ignore("option flag", "actuation", "is disabled there; motors are there, and rest", "motion")
        return (0.0, 0.0, 0.0) if off & NO_GRAVITY else as_vec3(self.model.opt.gravity)

    def _mass(self, i: int) -> MassProperties | None:
        mass = float(self.model.body_mass[i])
        if i == 0 or mass <= 0.0:
            return None
        inertia = np.diag(self.model.body_inertia[i])
        pose = Pose(self.model.body_ipos[i].copy(), quaternion(self.model.body_iquat[i]))
        return MassProperties(mass, np.zeros(3), inertia).placed(pose)

    # --- joints -----------------------------------------------------------------------------------------------------

    def _hang(self, tree: Tree, i: int, name: str, parent: str) -> None:
        """A body on its parent: by no joint, by one, or by several with links between that weigh nothing."""
        model = self.model
        pose = Pose(model.body_pos[i].copy(), quaternion(model.body_quat[i]))
        first, count = int(model.body_jntadr[i]), int(model.body_jntnum[i])
        if model.body_mocapid[i] >= 0:
            self.report.ignore(f"body '{name}'", "mocap", "it stays where it starts", "motion")
        if count == 0:
            tree.joints[f"{name} weld"] = Connection(f"{name} weld", "fixed", parent, name, f"body '{name}'", pose)
            return
        above = parent
        for j in range(first, first + count):
            below = name if j == first + count - 1 else f"{name} {self.joint_names[j]}"
            if below != name:
                tree.links[below] = Link(below, f"body '{name}'", light=True)
            joint = self._joint(j, above, below, pose if j == first else NOWHERE)
            tree.joints[joint.name] = joint
            above = below

    def _joint(self, j: int, parent: str, child: str, pose: Pose) -> Connection:
        model, name = self.model, self.joint_names[j]
        where = f"joint '{name}'"
        kind = KINDS[int(model.jnt_type[j])]
        joint = Connection(name, kind, parent, child, where, pose)
        dof, at = int(model.jnt_dofadr[j]), int(model.jnt_qposadr[j])
        joint.axis, joint.anchor = model.jnt_axis[j].copy(), model.jnt_pos[j].copy()
        joint.damping, joint.friction = float(model.dof_damping[dof].item()), float(model.dof_frictionloss[dof].item())
        joint.armature = float(model.dof_armature[dof].item())
        stiffness = float(model.jnt_stiffness[j])
        for what, terms in (("stiffness", model.jnt_stiffnesspoly[j]), ("damping", model.dof_dampingpoly[dof])):
            if np.any(terms):
                self.report.ignore(where, what, POLYNOMIAL, "motion")
        if kind in ("floating", "spherical"):
            self._without_coordinate(joint, stiffness, bool(model.jnt_limited[j]))
            self._start_without_coordinate(joint, at)
            return joint
        joint.stiffness, joint.rest = stiffness, float(model.qpos_spring[at])
        joint.start = float(model.qpos0[at])
        if joint.start != 0.0:  # the model stands at this coordinate: zero is so far before
            joint.pose = pose @ _moved(joint, -joint.start)
        if model.jnt_limited[j]:
            joint.low, joint.high = map(float, model.jnt_range[j])
        joint.start = float(self.qpos[at])
        return joint

    def _start_without_coordinate(self, joint: Connection, at: int) -> None:
        """Where a ball and a free body begin."""
        if joint.kind == "spherical":
            joint.turn = quaternion(self.qpos[at : at + 4])
        else:
            joint.pose = Pose(self.qpos[at : at + 3].copy(), quaternion(self.qpos[at + 3 : at + 7]))

    def _without_coordinate(self, joint: Connection, stiffness: float, limited: bool) -> None:
        """What a ball and a free body cannot carry here."""
        word = "a free body" if joint.kind == "floating" else "a ball joint"
        lost = {"armature": joint.armature, "stiffness": stiffness, "range": float(limited)}
        if joint.kind == "floating":
            lost |= {"damping": joint.damping, "frictionloss": joint.friction}
        for name, value in lost.items():
            if value != 0.0:
                self.report.ignore(joint.where, name, f"{word} carries none", "motion")

    # --- actuators --------------------------------------------------------------------------------------------------

    def _actuators(self, tree: Tree) -> None:
        driven = [self._driven(tree, i) for i in range(self.model.nu)]
        for i, joint in enumerate(driven):
            if joint is not None:
                self._carry(i, joint)
        for i, joint in enumerate(driven):
            where = f"actuator '{self._name('actuator', i)}'"
            if joint is None or not joint.has_coordinate:
                self.report.ignore(where, "actuator", "acts on no hinge, slide or tendon", "motion")
            elif joint.drive is not None and not self._damps(i):
                self.report.ignore(where, "actuator", f"'{joint.name}' has one already", "motion")
            else:
                with self.report.naming(where):
                    self._drive(i, joint, where)

    def _carry(self, i: int, joint: Connection) -> None:
        """The rotor and the friction of an actuator's own, which the joint feels behind the gear."""
        model, squared = self.model, float(self.model.actuator_gear[i, 0]) ** 2
        joint.armature += squared * float(model.actuator_armature[i])
        joint.damping += squared * float(model.actuator_damping[i])
        if np.any(model.actuator_dampingpoly[i]):
            where = f"actuator '{self._name('actuator', i)}'"
            self.report.ignore(where, "damping", POLYNOMIAL, "motion")

    def _driven(self, tree: Tree, i: int) -> Connection | None:
        if self.model.actuator_trntype[i] == TENDON:
            spool = self.tendons.spools.get(int(self.model.actuator_trnid[i, 0]))
            return None if spool is None else tree.joints[spool]
        if self.model.actuator_trntype[i] not in TO_JOINT:
            return None
        return tree.joints[self.joint_names[int(self.model.actuator_trnid[i, 0])]]

    def _damps(self, i: int) -> bool:
        """Whether an actuator is a damper while nothing is asked of it, as a velocity servo beside a position servo."""
        model = self.model
        return bool(model.actuator_biastype[i] == AFFINE_BIAS and not np.any(model.actuator_biasprm[i, :2]))

    def _drive(self, i: int, joint: Connection, where: str) -> None:
        """A motor, a position servo or a velocity servo; torque = gear (gain ctrl + b0 + b1 gear q + b2 gear q')."""
        model = self.model
        gear, gain = float(model.actuator_gear[i, 0]), float(model.actuator_gainprm[i, 0])
        b0, b1, b2 = (float(b) for b in model.actuator_biasprm[i, :3])
        biased = model.actuator_biastype[i] == AFFINE_BIAS
        plain = model.actuator_gaintype[i] == FIXED_GAIN and model.actuator_biastype[i] in (NO_BIAS, AFFINE_BIAS)
        if not plain or model.actuator_dyntype[i] != NO_DYNAMICS or gear == 0.0 or gain == 0.0:
            self.report.ignore(where, "actuator", "its law has no counterpart", "motion")
            return
        bounded = bool(model.actuator_ctrllimited[i])
        low, high = map(float, model.actuator_ctrlrange[i]) if bounded else (-1.0, 1.0)
        most = max(abs(low), abs(high)) or 1.0
        force = float(np.abs(model.actuator_forcerange[i]).max()) if model.actuator_forcelimited[i] else None
        if force is not None:
            self._two_sided(i, "forcerange", where)
        if bounded and b1 == 0.0:
            self._two_sided(i, "ctrlrange", where)
        if not biased or (b1 == 0.0 and b2 == 0.0):
            if not bounded:
                self.report.repair(where, "ctrl", "has no range; now from -1 to 1")
            strongest = abs(gain * gear) * most
            strongest = strongest if force is None else min(strongest, force * abs(gear))
            joint.drive = _reversed(rotor(strongest, UNBOUND, joint.armature), gain * gear < 0.0)
            if b0:
                self.report.ignore(where, "biasprm", "a motor has no constant torque", "motion")
        elif b1 == 0.0 and b0 == 0.0 and b2 < 0.0 and force is None:
            self._velocity(joint, gain * gear * most, -b2 * gear**2, bounded, where)
        elif b1 == 0.0 and b0 == 0.0 and b2 < 0.0 and gain > 0.0 and force is not None:
            joint.drive = self._speed(joint, gain, -b2, gear, force, where)
        elif b1 < 0.0 and b0 == 0.0 and gain > 0.0:
            share = self._share(gain / (-b1 * gear), where)
            reach = (min(share * low, share * high), max(share * low, share * high))
            joint.drive = self._position(joint, i, -b1 * gear**2, -b2 * gear**2, reach, bounded, force)
        else:
            self.report.ignore(where, "actuator", "its law has no counterpart", "motion")

    def _two_sided(self, i: int, name: str, where: str) -> None:
        """Tell of an actuator that is stronger one way than the other, which motors are not."""
        low, high = map(float, getattr(self.model, f"actuator_{name}")[i])
        most = max(abs(low), abs(high))
        if abs(low + high) > 1e-9 * most:
            self.report.repair(where, name, f"is from {low:g} to {high:g}; now from {-most:g} to {most:g}")

    def _share(self, share: float, where: str) -> float:
        """The target of a joint's servo that a control of 1 asks for; told where it is not the control itself."""
        if abs(share - 1.0) > 1e-12:
            self.report.repair(where, "ctrl", f"of 1 is a target of {share:g}; now the target is given")
        return share

    def _speed(
        self, joint: Connection, gain: float, damping: float, gear: float, force: float, where: str
    ) -> SpeedServo:
        """gear (gain u - damping gear q'), the bracket bounded; what is damped beyond the gain is the motor's own."""
        own = max(damping - gain, 0.0) * gear**2
        effort = force * abs(gear)
        self._share(gain / (min(gain, damping) * gear), where)
        idle = effort / own if own > 1e-12 * damping * gear**2 else UNBOUND
        return SpeedServo(drive=rotor(effort, idle, joint.armature), gain=min(gain, damping) * gear**2 / effort)

    def _velocity(self, joint: Connection, strongest: float, damping: float, bounded: bool, where: str) -> None:
        """M u - k v' is what a DC motor does of stall torque M and idle speed M/k."""
        if joint.drive is not None:
            joint.damping += damping
            return
        fastest = abs(strongest) / damping
        if not bounded:
            self.report.repair(where, "ctrl", f"has no range; now up to {fastest:g}")
        joint.drive = _reversed(rotor(abs(strongest), fastest, joint.armature), strongest < 0.0)

    def _position(
        self,
        joint: Connection,
        i: int,
        stiffness: float,
        damping: float,
        ctrl: tuple[float, float],
        bounded: bool,
        force: float | None,
    ) -> AnyDrive:
        """A servo whose force is bounded as the file says, or else by what its whole range asks for."""
        gear = abs(float(self.model.actuator_gear[i, 0]))
        if force is None:
            joint.damping += damping  # the same, and implicit
            span = (ctrl[1] - ctrl[0]) / gear if bounded else 2.0 * np.pi
            effort, damping = stiffness * max(span, 1e-3), 0.0
        else:
            effort = force * gear
            if bounded:
                where = f"actuator '{self._name('actuator', i)}'"
                self.report.ignore(where, "ctrlrange", "bounds what may be asked for, not the servo", "nothing")
        motor = rotor(effort, UNBOUND, joint.armature)
        return PositionServo(drive=motor, gain=stiffness / effort, damping=max(damping, 0.0) / effort)

    # --- loops and couplings ----------------------------------------------------------------------------------------

    def _equalities(self, tree: Tree, names: list[str]) -> None:
        model = self.model
        for i in range(model.neq):
            name = str(model.equality(i).name) or f"loop {i + 1}"
            where, kind = f"equality '{name}'", int(model.eq_type[i])
            if not model.eq_active0[i]:
                self.report.ignore(where, "equality", "is not active", "nothing")
            elif kind in (CONNECT, WELD):
                tree.loops.append(self._loop(i, kind, name, where, names))
            elif kind == JOINT:
                self._couple(tree, i, where)
            elif kind == TENDON_EQUALITY:
                self.tendons.couple(tree, i, where)
            else:
                self.report.ignore(where, "equality", "couples soft bodies", "motion")

    def _loop(self, i: int, kind: int, name: str, where: str, names: list[str]) -> Loop:
        model, data = self.model, self.model.eq_data[i]
        a, b = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        if model.eq_objtype[i] != BODY:  # between two sites
            poses = [Pose(model.site_pos[s].copy(), quaternion(model.site_quat[s])) for s in (a, b)]
            a, b = (int(model.site_bodyid[s]) for s in (a, b))
        elif kind == CONNECT:
            poses = [Pose(data[0:3].copy(), spatial.IDENTITY), Pose(data[3:6].copy(), spatial.IDENTITY)]
        else:
            poses = [Pose(data[3:6].copy(), quaternion(data[6:10])), NOWHERE]
        frames = [Frame.at(pose) for pose in poses]
        type_ = (Spherical if kind == CONNECT else Fixed)(frame_a=frames[0], frame_b=frames[1])
        return Loop(name, type_, names[a], names[b], where)

    def _couple(self, tree: Tree, i: int, where: str) -> None:
        """q1 - r1 = c0 + c1 (q2 - r2) + ..., with r the coordinates at which the model stands."""
        model = self.model
        c = [float(value) for value in model.eq_data[i, :5]]
        one, other = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        names = self.joint_names
        start = [float(model.qpos0[model.jnt_qposadr[k]]) for k in (one, other)]
        if other < 0:
            name = names[one]
            tree.couplings.append(Coupling(name, {name: 1.0}, start[0] + c[0], where))
            return
        if any(c[2:]):
            self.report.ignore(where, "polycoef", "is not linear; what is linear in it is taken", "motion")
        offset = start[0] + c[0] - c[1] * start[1]
        tree.couplings.append(Coupling.mimic(names[one], names[other], c[1], offset, where))

    # --- contact and the rest ---------------------------------------------------------------------------------------

    def _others(self) -> None:
        """What a model holds that has no place in a scene."""
        model = self.model
        counted = {
            "soft bodies": (model.nflex, "are not simulated", "motion"),
            "contact pairs": (model.npair, "bodies and their masks decide what touches", "contact"),
        }
        for what, (count, why, matters) in counted.items():
            if count:
                self.report.ignore("the model", f"{count} {what}", why, matters)  # type: ignore[arg-type]
        if model.opt.density or model.opt.viscosity or np.any(model.opt.wind):
            self.report.ignore("option", "density, viscosity, wind", "there is no medium", "motion")
        if np.any(model.body_gravcomp):
            self.report.ignore("the model", "gravcomp", "gravity acts on every body", "motion")
        loops = [i for i in range(model.neq) if model.eq_active0[i]]
        if loops:
            self.report.repair("the model", f"{len(loops)} equalities", "are soft there and exact here")


def _moved(joint: Connection, by: float) -> Pose:
    """A motion of the joint, in the child's frame."""
    if joint.kind == "prismatic":
        return Pose(by * joint.axis, spatial.IDENTITY)
    turn = spatial.about(joint.axis, by)
    return Pose(joint.anchor - spatial.rotate(turn, joint.anchor), turn)


def _reversed(drive: DcDrive, backwards: bool) -> DcDrive:
    if not backwards:
        return drive
    return DcDrive(drive.stall_torque, drive.idle_speed, drive.time_constant, -drive.ratio)


def quaternion(wxyz: Array) -> Array:
    """MuJoCo's quaternion (w, x, y, z) as ours."""
    return np.roll(np.asarray(wxyz, float), -1)


def _model_name(model: MjModel) -> str:
    name = bytes(model.names).split(b"\0", 1)[0].decode(errors="replace")
    return name if name and name != "MuJoCo Model" else "robot"
