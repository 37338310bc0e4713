"""A robot beside Pinocchio (URDF) and MuJoCo (MJCF) at random states.

The two may have other coordinates for balls and free bodies, so they are compared through the velocities of the bodies:
ours are S u, theirs J v, and u = T v with S T = J. Then T^T M T is the mass matrix over their coordinates, and
T^T (h + M T' v) the bias, where S T' v = J' v - a0 (``sharnir.analysis.machine`` has M, h, S and a0).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.analysis.machine import Bodies, Machine
from sharnir.importing import Options, load_robot
from sharnir.scene.check import opening
from sharnir.scene.joint_coordinates import start_value
from sharnir.scene.shape import MassProperties, combined
from sharnir.spatial import Array, Pose

from .elsewhere import mujoco_model

STATES = 20
LEAST = 1e-3  # m: torques below the weight of the robot on this arm count as none
ROOM = 0.1  # rad or m
TOGETHER = 60  # bodies whose equations are compared at once: trees that share nothing are taken apart
MEASURES = ("pose", "jacobian", "mass matrix", "gravity", "bias", "forward dynamics")


class Skipped(Exception):
    """A comparison that was not made, and why."""


@dataclass
class Theirs:
    """A state in the other engine, over its coordinates: [body * 6, v] and [body * 6] of the centres of our bodies."""

    jacobian: Array
    drift: Array  # J' v
    rates: Array  # v
    mass_matrix: Array
    gravity: Array
    bias: Array
    acceleration: Array  # without contacts, limits, friction and motors


def worst(ours: Array, theirs: Array, least: float = 0.0) -> float:
    """The largest difference, by the largest number, or by the ``least`` that counts where all of them are about 0."""
    size = max(float(np.max(np.abs(theirs), initial=0.0)), least)
    return float(np.max(np.abs(np.asarray(ours) - theirs), initial=0.0)) / (size or 1.0)


def posed(scene: sh.Scene, coordinates: dict[str, Any], free: dict[str, Pose] | None = None) -> dict[str, Pose]:
    """Where the bodies are with joints at coordinates (rad, m, or a quaternion), by a walk down the tree."""
    poses = {"world": Pose(np.zeros(3), spatial.IDENTITY)}
    poses |= {name: body.pose for name, body in scene.bodies.items()} | (free or {})
    for joint in scene.joints.values():
        value = coordinates.get(joint.name)
        if value is None:
            continue
        if np.ndim(value) == 1:
            inner = joint.frame_b.rotation
            turn = spatial.multiply(spatial.multiply(spatial.conjugate(inner), value), inner)
            motion = Pose(np.zeros(3), turn)
        elif isinstance(joint.type, sh.Prismatic):
            motion = Pose(np.array([0.0, 0.0, value]), spatial.IDENTITY)
        else:
            motion = Pose(np.zeros(3), spatial.about((0, 0, 1), value))
        poses[joint.b.name] = poses[joint.a.name] @ joint.frame_a @ motion @ joint.frame_b.inverse()
    return poses


class Comparison:
    """The largest differences so far, in ``found``.

    Bodies that are ``weightless`` there, as those between several joints of one body, weigh nothing here either, and
    have no place in the other engine.
    """

    def __init__(self, scene: sh.Scene, weightless: set[str], without: set[str]) -> None:
        self.scene, self.weightless = scene, weightless
        self.machine = Machine(scene)
        self.bodies = self.machine.mechanism.bodies
        there = np.array([body.name not in without for body in self.bodies], bool)
        self.there = np.repeat(there, 6)
        self.found = dict.fromkeys(MEASURES, 0.0)
        self.motors = np.array([[_rotor(scene, label) for label in self.machine.rows.labels]])
        weights = [body.properties.mass for body in self.bodies if body.properties is not None]
        self.least = LEAST * 9.81 * sum(weights)

    def centers(self, poses: dict[str, Pose]) -> dict[str, Array]:
        """The centres of mass of the bodies that the other engine has."""
        return {body.name: poses[body.name].point(body.properties.center) for body in self.bodies}  # type: ignore[union-attr]

    def pose(self, ours: Pose, position: Array, rotation: Array) -> None:
        """Where a body is here and there."""
        turned = 2.0 * float(np.linalg.norm(spatial.multiply(spatial.conjugate(rotation), ours.rotation)[:3]))
        self._keep("pose", max(float(np.abs(ours.position - position).max()), turned))

    def equations(self, poses: dict[str, Pose], theirs: Theirs) -> None:
        """Their equations of motion and ours."""
        still = self._still(poses)
        span = self.machine.span(still)[0]
        turn, *_ = np.linalg.lstsq(span[self.there], theirs.jacobian[self.there], rcond=None)
        self._keep("jacobian", worst((span @ turn)[self.there], theirs.jacobian[self.there]))
        velocity = (span @ turn @ theirs.rates).reshape(1, -1, 6)
        moving = Bodies(**(vars(still) | {"v": velocity[..., :3], "w": velocity[..., 3:]}))
        at_rest, standing = self.machine.standing(still, self.motors), self.machine.standing(moving, self.motors)
        matrix = turn.T @ standing.mass_matrix[0] @ turn
        self._keep("mass matrix", worst(matrix, theirs.mass_matrix))
        self._keep("gravity", worst(turn.T @ at_rest.bias[0], theirs.gravity, self.least))
        drift = (theirs.drift - standing.drift[0])[self.there]
        turning, *_ = np.linalg.lstsq(span[self.there], drift, rcond=None)
        bias = turn.T @ (standing.bias[0] + standing.mass_matrix[0] @ turning)
        self._keep("bias", worst(bias, theirs.bias, self.least))
        self._keep("forward dynamics", worst(np.linalg.solve(matrix, -bias), theirs.acceleration, 1.0))

    def _keep(self, what: str, difference: float) -> None:
        self.found[what] = max(self.found[what], difference)

    def _still(self, poses: dict[str, Pose]) -> Bodies:
        placed = [poses[body.name] for body in self.bodies]
        properties = [body.properties for body in self.bodies if body.properties is not None]
        heavy = np.array([body.name not in self.weightless for body in self.bodies], float)
        none = np.zeros((1, len(placed), 3))
        return Bodies(
            x=np.array([[pose.point(p.center) for pose, p in zip(placed, properties, strict=True)]]),
            rotation=np.array([[spatial.matrix(pose.rotation) for pose in placed]]),
            v=none,
            w=none,
            mass=np.array([[p.mass for p in properties]]) * heavy,
            inertia=np.array([[p.inertia for p in properties]]) * heavy[:, None, None],
            gravity=np.array([self.scene.gravity]),
        )


def _rotor(scene: sh.Scene, label: str) -> float:
    """The inertia of a motor behind its gear, on a coordinate."""
    joint, _, axis = label.rpartition(".")
    drive = scene.joints[joint].drives.get(axis)
    motor = drive if drive is None or isinstance(drive, sh.DcDrive) else drive.drive
    return 0.0 if motor is None else motor.ratio**2 * motor.stall_torque * motor.time_constant / motor.idle_speed


def welds(scene: sh.Scene, joints: Iterable[str], free: Collection[str] = ()) -> list[str]:
    """Fixed joints that alone hold a body, which a sensor of forces keeps from being one with the next.

    ``joints`` are those that the other engine has, ``free`` the bodies that nothing holds there.
    """
    held = {scene.joints[name].b.name for name in joints if name in scene.joints} | set(free)
    fixed = [joint for joint in scene.joints.values() if isinstance(joint.type, sh.Fixed)]
    return [joint.name for joint in fixed if joint.b.name not in held and not joint.b.spec.fixed]


def tree_alone(scene: sh.Scene, joints: Iterable[str]) -> sh.Scene:
    """The scene without loops, couplings and spools of tendons, of which a mass matrix there knows nothing."""
    tree = scene.as_it_is()
    tree.couplings, tree.sensors = {}, {}
    kept = set(joints)
    for name, joint in scene.joints.items():
        if name not in kept:
            del tree.joints[name]
            if name == joint.b.name:  # the spool of a tendon, which nothing else holds
                tree.bodies.pop(name, None)
    return tree


def apart(tree: sh.Scene, most: int = TOGETHER) -> list[sh.Scene]:
    """Scenes of the trees that share no moving body, as many together as have ``most`` bodies, or one that has more."""
    roots: dict[str, str] = {}
    for joint in tree.joints.values():  # from the root down
        a, b = joint.a.name, joint.b.name
        roots[b] = roots.get(a, b if a == "world" or joint.a.spec.fixed else a)
    trees: dict[str, list[str]] = {}
    for name, body in tree.bodies.items():
        if not body.spec.fixed:
            trees.setdefault(roots.get(name, name), []).append(name)
    groups: list[set[str]] = []
    for names in trees.values():
        if groups and len(groups[-1]) + len(names) <= most:
            groups[-1].update(names)
        else:
            groups.append(set(names))
    return [_part(tree, group) for group in groups]


def _part(tree: sh.Scene, moving: set[str]) -> sh.Scene:
    part = tree.as_it_is()
    part.bodies = {name: body for name, body in tree.bodies.items() if body.spec.fixed or name in moving}
    part.joints = {name: joint for name, joint in tree.joints.items() if joint.b.name in moving}
    return part


# --- loops and couplings, here alone ----------------------------------------------------------------------------------


def open_loops(scene: sh.Scene, states: int = STATES) -> float | None:
    """The largest opening of a joint, and error of a coupling (m or rad), at random states; None where all is a tree.

    The freedoms of the scene go up to ``ROOM`` away from the start, within their limits, and everything else follows;
    where its loops do not reach that far, up to a tenth of it, and so on.
    """
    closed = [joint for joint in scene.joints.values() if not isinstance(joint.type, sh.Strut)]
    moving = sum(not body.spec.fixed for body in scene.bodies.values())
    if not scene.couplings and len(closed) <= moving:
        return None
    random, worst_yet = np.random.default_rng(1), 0.0
    free = [label for label in scene.freedoms().labels if label.rpartition(".")[0] in scene.joints]
    for _ in range(states):
        posture = _posture(scene, free, random)
        gaps = [max(opening(joint)) for joint in posture.joints.values() if not isinstance(joint.type, sh.Strut)]
        gaps += [abs(one.start - one.offset) for one in posture.couplings.values()]
        worst_yet = max(worst_yet, *gaps)
    return worst_yet


def _posture(scene: sh.Scene, free: list[str], random: Any) -> sh.Scene:
    for room in (ROOM, 0.1 * ROOM, 0.01 * ROOM, 0.001 * ROOM):
        posture = deepcopy(scene)
        try:
            posture.pose({label: _near(posture, label, random.uniform(-room, room)) for label in free})
        except sh.SceneError:  # further than its loops reach
            continue
        return posture
    raise Skipped("its loops cannot be moved")


def _near(scene: sh.Scene, label: str, by: float) -> float:
    name, _, axis = label.rpartition(".")
    joint = scene.joints[name]
    (free,) = (one for one in joint.type.coordinates if one.name == axis)
    low, high = joint.ranges.get(axis, (None, None))
    goal = start_value(joint, free) + by
    return min(max(goal, goal if low is None else low), goal if high is None else high)


# --- URDF beside Pinocchio --------------------------------------------------------------------------------------------


def beside_pinocchio(file: Path, scene: sh.Scene, states: int = STATES) -> dict[str, float]:
    """The largest relative differences. Inertias that were repaired are given to Pinocchio; all others must agree."""
    import pinocchio

    try:
        model = pinocchio.buildModelFromUrdf(str(file))
    except ValueError:
        raise Skipped("Pinocchio refuses the file") from None
    if model.nv == 0:
        return {}
    names = {i: model.names[i].replace(".", "_") for i in range(1, model.njoints)}
    robot = load_robot(file, Options(motors=False, search=tuple(_search(file))))
    joints = {i: robot.joints[name] for i, name in names.items() if name in robot.joints}
    bodies = {i: joint.b.name for i, joint in joints.items()}
    if len(bodies) < len(names):
        raise Skipped("a floating link inside of the tree")
    welded = welds(robot, names.values())
    ours_alone = {robot.joints[name].b.name for name in welded}
    comparison = Comparison(tree_alone(robot, [*names.values(), *welded]), set(), ours_alone)
    comparison.found["inertia"] = _inertias(model, joints, _mended(robot), [robot.joints[name] for name in welded])
    data, random = model.createData(), np.random.default_rng(1)
    for _ in range(states):
        v = random.uniform(-2.0, 2.0, model.nv)
        q = pinocchio.integrate(model, pinocchio.neutral(model), random.uniform(-1.5, 1.5, model.nv))
        pinocchio.forwardKinematics(model, data, q)
        coordinates = {joint.name: _coordinate(model, i, q) for i, joint in joints.items()}
        poses = posed(robot, coordinates | dict.fromkeys(welded, 0.0))
        poses |= {
            bodies[i]: Pose(data.oMi[i].translation.copy(), spatial.from_matrix(data.oMi[i].rotation))
            for i, joint in joints.items()
            if isinstance(joint.type, sh.Planar)
        }
        for i, name in bodies.items():
            comparison.pose(poses[name], data.oMi[i].translation, spatial.from_matrix(data.oMi[i].rotation))
        comparison.equations(poses, _in_pinocchio(model, data, q, v, comparison, bodies, poses))
    return comparison.found


def _search(file: Path) -> list[Path]:
    return [folder for folder in file.parents if folder.name in ("robots", "pybullet_data")]


def _mended(scene: sh.Scene) -> set[str]:
    assert scene.report is not None
    return {entry.what.split("'")[1] for entry in scene.report.of("repaired") if "'" in entry.what}


def _coordinate(model: Any, i: int, q: Array) -> Any:
    """The coordinate of a joint: Pinocchio has cosine and sine of joints without limits, and quaternions of balls."""
    joint = model.joints[i]
    part = q[joint.idx_q : joint.idx_q + joint.nq]
    if joint.nq == 1:
        return float(part[0])
    return np.array(part) if joint.nq == 4 and joint.nv == 3 else float(np.arctan2(part[1], part[0]))


def _lumped(body: sh.Body, welded: list[sh.Joint]) -> tuple[MassProperties, set[str]]:
    """What a body weighs with all that is welded to it, in its frame, and the names of all these."""
    assert body.properties is not None
    parts, names = [body.properties], {body.name}
    for joint in welded:
        if joint.a is body:
            part, more = _lumped(joint.b, welded)
            parts.append(part.placed(body.pose.inverse() @ joint.b.pose))
            names |= more
    return (combined(parts) if len(parts) > 1 else parts[0]), names


def _inertias(model: Any, joints: dict[int, sh.Joint], mended: set[str], welded: list[sh.Joint]) -> float:
    """The largest difference of inertias; those that were repaired are given to Pinocchio."""
    import pinocchio

    found = 0.0
    for i, joint in joints.items():
        (mass, center, inertia), lumped = _lumped(joint.b, welded)
        theirs = model.inertias[i]
        if lumped & mended:
            model.inertias[i] = pinocchio.Inertia(mass, center, inertia)
            continue
        for ours, other in ((mass, theirs.mass), (center, theirs.lever), (inertia, theirs.inertia)):
            found = max(found, worst(np.asarray(ours), np.asarray(other), 1e-9))
    return found


def _in_pinocchio(
    model: Any, data: Any, q: Array, v: Array, comparison: Comparison, bodies: dict[int, str], poses: dict[str, Pose]
) -> Theirs:
    import pinocchio

    pinocchio.computeJointJacobiansTimeVariation(model, data, q, v)
    pinocchio.forwardKinematics(model, data, q, v, np.zeros(model.nv))
    centers, order = comparison.centers(poses), [body.name for body in comparison.bodies]
    jacobian, drift = np.zeros((6 * len(order), model.nv)), np.zeros(6 * len(order))
    frame = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for i, name in bodies.items():
        at = 6 * order.index(name)
        arm = centers[name] - data.oMi[i].translation
        part = np.reshape(pinocchio.getJointJacobian(model, data, i, frame), (6, model.nv))
        jacobian[at : at + 3] = part[:3] - np.cross(arm, part[3:], axisb=0).T
        jacobian[at + 3 : at + 6] = part[3:]
        spin = part[3:] @ v
        pushed = pinocchio.getClassicalAcceleration(model, data, i, frame)
        drift[at : at + 3] = pushed.linear + np.cross(pushed.angular, arm) + np.cross(spin, np.cross(spin, arm))
        drift[at + 3 : at + 6] = pushed.angular
    matrix = np.reshape(pinocchio.crba(model, data, q), (model.nv, model.nv))
    matrix = np.triu(matrix) + np.triu(matrix, 1).T
    gravity = np.array(pinocchio.computeGeneralizedGravity(model, data, q))
    bias = np.array(pinocchio.nonLinearEffects(model, data, q, v))
    pushed = np.array(pinocchio.aba(model, data, q, v, np.zeros(model.nv)))
    return Theirs(jacobian, drift, v, matrix, gravity, bias, pushed)


# --- MJCF beside MuJoCo -----------------------------------------------------------------------------------------------


def beside_mujoco(file: Path, scene: sh.Scene, states: int = STATES) -> dict[str, float]:
    """The largest relative differences."""
    import mujoco

    model = mujoco_model(file)
    if model.nv == 0:
        return {}
    _leave_motion_alone(model)
    data, random = mujoco.MjData(model), np.random.default_rng(1)
    names = {j: (model.joint(j).name or f"joint {j}").replace(".", "_") for j in range(model.njnt)}
    called = {i: (model.body(i).name or f"body {i}").replace(".", "_") for i in range(1, model.nbody)}
    real = {i: name for i, name in called.items() if name in scene.bodies}
    between = {name for name in scene.bodies if name not in real.values()}
    weightless = between | {name for i, name in real.items() if model.body_mass[i] <= 0.0 and _alone(model, i)}
    assert scene.report is not None
    if any(entry.what.startswith("inertia of") for entry in scene.report.of("repaired")):
        raise Skipped("its inertias were repaired")
    floating = [called[int(body)] for body, kind in zip(model.jnt_bodyid, model.jnt_type, strict=True) if kind == 0]
    welded = welds(scene, names.values(), floating)
    tree = tree_alone(scene, [*names.values(), *welded])
    comparisons = [Comparison(part, weightless, between) for part in apart(tree)]
    for _ in range(states):
        coordinates, free = _random_state(model, data, random, names)
        mujoco.mj_forward(model, data)
        poses = posed(scene, coordinates | dict.fromkeys(welded, 0.0), free)
        for i, name in real.items():
            comparisons[0].pose(poses[name], data.xpos[i], np.roll(data.xquat[i], -1))
        for comparison, theirs in zip(comparisons, _in_mujoco(model, data, comparisons, real, poses), strict=True):
            comparison.equations(poses, theirs)
    return {what: max(comparison.found[what] for comparison in comparisons) for what in MEASURES}


def _alone(model: Any, body: int) -> bool:
    """Whether nothing that weighs is welded to a body."""
    welded = [i for i in range(1, model.nbody) if model.body_weldid[i] == model.body_weldid[body]]
    return not any(model.body_mass[i] > 0.0 for i in welded)


def _leave_motion_alone(model: Any) -> None:
    """No contacts, limits, loops, springs, dampers, friction, motors, medium; nor rotors of balls and free bodies,
    which the report names as ignored."""
    keep = model.opt.disableflags & (1 << 7)  # no gravity
    model.opt.disableflags = keep | 1 | 2 | 4 | 8 | 16 | 32 | 64 | (1 << 11)
    model.opt.density = model.opt.viscosity = 0.0
    model.body_gravcomp[:] = 0.0
    for j in range(model.njnt):
        if model.jnt_type[j] < 2:
            first = int(model.jnt_dofadr[j])
            model.dof_armature[first : first + (6 if model.jnt_type[j] == 0 else 3)] = 0.0
    if hasattr(model, "tendon_armature"):
        model.tendon_armature[:] = 0.0


def _in_mujoco(
    model: Any, data: Any, comparisons: list[Comparison], real: dict[int, str], poses: dict[str, Pose]
) -> list[Theirs]:
    """The state there, in the parts that are compared."""
    import mujoco

    matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, matrix, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, matrix)
    rates, bias, pushed = data.qvel.copy(), data.qfrc_bias.copy(), data.qacc.copy()
    moved = [_moved(model, data, comparison, real, poses) for comparison in comparisons]
    data.qvel[:] = 0.0
    mujoco.mj_forward(model, data)
    gravity = data.qfrc_bias
    taken = [np.flatnonzero(np.any(jacobian, axis=0)) for jacobian, _ in moved]
    if sum(map(len, taken)) != model.nv or len(np.unique(np.concatenate(taken))) != model.nv:
        raise Skipped("its trees are others there")
    return [
        Theirs(
            jacobian[:, own], drift, rates[own], matrix[np.ix_(own, own)], gravity[own].copy(), bias[own], pushed[own]
        )
        for (jacobian, drift), own in zip(moved, taken, strict=True)
    ]


def _moved(
    model: Any, data: Any, comparison: Comparison, real: dict[int, str], poses: dict[str, Pose]
) -> tuple[Array, Array]:
    """J and J' v of the bodies of a comparison."""
    import mujoco

    order, centers = {body.name: k for k, body in enumerate(comparison.bodies)}, comparison.centers(poses)
    jacobian, drift = np.zeros((6 * len(order), model.nv)), np.zeros(6 * len(order))
    for i, name in real.items():
        if name not in order:
            continue
        at, parts = 6 * order[name], np.zeros((4, 3, model.nv))
        mujoco.mj_jac(model, data, parts[0], parts[1], centers[name], i)
        mujoco.mj_jacDot(model, data, parts[2], parts[3], centers[name], i)
        jacobian[at : at + 6] = parts[:2].reshape(6, -1)
        drift[at : at + 6] = parts[2:].reshape(6, -1) @ data.qvel
    return jacobian, drift


def _random_state(model: Any, data: Any, random: Any, names: dict[int, str]) -> tuple[dict[str, Any], dict[str, Pose]]:
    coordinates: dict[str, Any] = {}
    free: dict[str, Pose] = {}
    data.qvel[:] = random.uniform(-2.0, 2.0, model.nv)
    for j, name in names.items():
        at, kind = model.jnt_qposadr[j], model.jnt_type[j]
        if kind >= 2:
            data.qpos[at] = model.qpos0[at] + random.uniform(-1.5, 1.5)
            coordinates[name] = float(data.qpos[at])
            continue
        turn = random.standard_normal(4)
        turn /= np.linalg.norm(turn)
        if kind == 1:
            data.qpos[at : at + 4] = turn
            coordinates[name] = np.roll(turn, -1)
            continue
        data.qpos[at : at + 3] = random.uniform(-1.0, 1.0, 3)
        data.qpos[at + 3 : at + 7] = turn
        body = model.body(int(model.jnt_bodyid[j])).name or f"body {model.jnt_bodyid[j]}"
        free[body.replace(".", "_")] = Pose(data.qpos[at : at + 3].copy(), np.roll(turn, -1))
    return coordinates, free
