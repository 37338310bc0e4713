"""Assembly: bodies placed roughly are moved so that all joints meet.

The unknowns are the poses of the free bodies. Each step solves the joints' locked rows, linearised, for the motion
that is least when weighted by mass, with damping (Levenberg-Marquardt) that makes redundant rows harmless. Joints keep
their frames on the bodies; one that was placed by a world anchor is described by its two frames from then on. Limits
are not considered, and velocities stay as they were given.

``postured`` does the same with some coordinates held at given values, and tells where the bodies are then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from .. import spatial
from ..errors import SceneError
from ..spatial import Array, Pose
from .body import Body
from .check import MEETING_TOLERANCE, describe_opening
from .joint import Joint
from .joint_coordinates import coordinate, coordinate_axis, lock_error, misalignment
from .joints import Basis, Coordinate, Frame
from .quantity import Quantity
from .scene import Scene

CLOSED = 1e-12  # m and rad: no better is asked for
CLOSE_ENOUGH = 1e-9  # m and rad: from here on nothing more is tried
ATTEMPTS = 6
ITERATIONS = 60
STALLED = 0.9999  # a step that leaves more of the squared error than this was the last
LARGEST_TURN = 0.5  # rad a body may turn in one step, since the rows are linear


def assemble(scene: Scene) -> None:
    """Move the free bodies of a scene as little as possible so that all joints meet, or change nothing."""
    moving = [body for body in scene.bodies.values() if not body.spec.fixed]
    joints = list(scene.joints.values())
    if not joints:
        return
    problem = Problem.of(scene, joints, moving)
    start = Poses.of(moving, joints)
    if problem.worst_error(start) <= CLOSE_ENOUGH:
        return
    best = start
    for attempt in range(ATTEMPTS):
        found = closed(problem, _tried(start, attempt))
        if problem.worst_error(found) < problem.worst_error(best):
            best = found
        if problem.worst_error(best) <= CLOSE_ENOUGH:
            break
    _refuse_open(scene, problem, best)
    _apply(joints, moving, best)


def postured(scene: Scene, held: Mapping[Quantity, float], start: Mapping[str, Pose] | None = None) -> dict[str, Pose]:
    """Where the free bodies of a scene are with some joint coordinates at given values (rad, m); the scene stays.

    ``start`` is where the search begins (where the scene starts, if not given): near the answer, on the same branch.
    """
    moving = [body for body in scene.bodies.values() if not body.spec.fixed]
    joints = list(scene.joints.values())
    problem = Problem.of(scene, joints, moving, [Held.of(joints, *one) for one in held.items()])
    poses = Poses.of(moving, joints)
    if start is not None:
        poses = poses.placed(_stacked([start[body.name] for body in moving]))
    found = closed(problem, poses)
    if problem.worst_error(found) > CLOSE_ENOUGH:
        wanted = ", ".join(f"{quantity.label} = {value:.6g} {quantity.unit}" for quantity, value in held.items())
        raise SceneError(f"scene '{scene.name}' has no posture with {wanted}; take values that the mechanism reaches")
    frames = found.frames()
    return {body.name: Pose(frames.position[i], frames.rotation[i]) for i, body in enumerate(moving)}


def _tried(start: Poses, attempt: int) -> Poses:
    """Where an attempt begins: by mass, then with all masses equal, then shaken ever harder out of dead centres."""
    if attempt == 0:
        return start
    equal = replace(start, scale=start.scale / start.scale[:, :1])
    return equal if attempt == 1 else equal.shaken(0.02 * 2.0**attempt, seed=attempt)


@dataclass
class Poses:
    """Poses of the moving bodies, and how easily they move."""

    center: Array  # [body, 3] centre of mass, m
    rotation: Array  # [body, 4]
    local_center: Array  # [body, 3] centre of mass in the body's frame
    scale: Array  # [body, 6] of moving and of turning: 1/sqrt(mass), 1/sqrt(inertia)

    @staticmethod
    def of(bodies: list[Body], joints: list[Joint]) -> Poses:
        """Where the bodies start."""
        count = len(bodies)
        poses = Poses(np.zeros((count, 3)), np.zeros((count, 4)), np.zeros((count, 3)), np.zeros((count, 6)))
        for i, body in enumerate(bodies):
            assert body.properties is not None  # moving bodies have mass
            mass, local, inertia = body.properties
            anchors = [joint.frame_a.position for joint in joints if joint.a is body]
            anchors += [joint.frame_b.position for joint in joints if joint.b is body]
            # a small ball at the middle of a long link must not be spun to bring the link's end a little closer
            arm = max((float(np.linalg.norm(anchor - local)) for anchor in anchors), default=0.0)
            poses.center[i] = body.pose.point(local)
            poses.rotation[i] = body.pose.rotation
            poses.local_center[i] = local
            poses.scale[i, :3] = 1.0 / np.sqrt(mass)
            poses.scale[i, 3:] = 1.0 / np.sqrt(np.linalg.norm(inertia, 2) + mass * arm**2)
        return poses

    def frames(self) -> Pose:
        """The poses of the bodies' frames, [body, ...]."""
        return Pose(self.center - spatial.rotate(self.rotation, self.local_center), self.rotation)

    def placed(self, frames: Pose) -> Poses:
        """The poses with the bodies' frames somewhere else, [body, ...]."""
        center = frames.position + spatial.rotate(frames.rotation, self.local_center)
        return replace(self, center=center, rotation=frames.rotation)

    def moved(self, motion: Array) -> Poses:
        """The poses after small displacements and turns [body, 6]."""
        turns = np.array([spatial.from_vector(turn) for turn in motion[:, 3:]])
        rotation = spatial.multiply(turns, self.rotation)
        rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
        return replace(self, center=self.center + motion[:, :3], rotation=rotation)

    def shaken(self, amount: float, seed: int) -> Poses:
        """The poses disturbed by an amount (m and rad), the same for the same seed."""
        return self.moved(amount * np.random.default_rng(seed).standard_normal((len(self.center), 6)))


@dataclass(frozen=True)
class Held:
    """A coordinate held at a value: one more row beside the locked ones."""

    joint: int
    coordinate: Coordinate
    value: float

    @staticmethod
    def of(joints: list[Joint], quantity: Quantity, value: float) -> Held:
        """The row of a quantity such as ``hinge.angle``."""
        for i, joint in enumerate(joints):
            for found in joint.type.coordinates:
                if quantity == joint.coordinate(found.name):
                    return Held(i, found, float(value))
        raise SceneError(f"'{quantity.label}' is not a joint coordinate of this scene and cannot be held")

    def error(self, frame_a: Pose, frame_b: Pose) -> float:
        """How far the coordinate is from its value; of an angle, within half a turn."""
        apart = float(coordinate(self.coordinate.kind, frame_a, frame_b)) - self.value
        return apart if self.coordinate.kind.is_linear else float(np.angle(np.exp(1j * apart)))


@dataclass
class Problem:
    """All joints as arrays. Bodies are counted with the moving ones first, as in the unknowns, then the fixed ones."""

    joints: list[Joint]
    fixed: Pose  # [fixed body, ...]
    body_a: Array  # [joint]
    body_b: Array
    local_a: Pose  # [joint, ...] the joint's frame on body a, in the body's coordinates
    local_b: Pose
    length: Array  # [joint] m, of radial locks
    locked: Array  # [joint, 6] bool
    held: Sequence[Held]

    @staticmethod
    def of(scene: Scene, joints: list[Joint], moving: list[Body], held: Sequence[Held] = ()) -> Problem:
        """The problem of some joints of a scene, on the bodies that move."""
        fixed = [scene.world, *(body for body in scene.bodies.values() if body.spec.fixed)]
        place = {body.name: i for i, body in enumerate([*moving, *fixed])}
        return Problem(
            joints=joints,
            fixed=_stacked([body.pose for body in fixed]),
            body_a=np.array([place[joint.a.name] for joint in joints]),
            body_b=np.array([place[joint.b.name] for joint in joints]),
            local_a=_stacked([joint.frame_a for joint in joints]),
            local_b=_stacked([joint.frame_b for joint in joints]),
            length=np.array([joint.length for joint in joints]),
            locked=np.array([joint.type.locked_translations + joint.type.locked_rotations for joint in joints]),
            held=held,
        )

    def frames(self, poses: Poses) -> tuple[Pose, Pose]:
        """The two frames of every joint in the world."""
        moving = poses.frames()
        bodies = Pose(*(np.concatenate(pair) for pair in zip(moving, self.fixed, strict=True)))
        return _picked(bodies, self.body_a) @ self.local_a, _picked(bodies, self.body_b) @ self.local_b

    def errors(self, poses: Poses) -> Array:
        """The six errors of every joint (m, rad), [joint, 6], zero on free axes."""
        frame_a, frame_b = self.frames(poses)
        errors = np.zeros((len(self.joints), 6))
        for kind in {type(joint.type): joint.type for joint in self.joints}.values():
            which = np.array([type(joint.type) is type(kind) for joint in self.joints])
            pair = _picked(frame_a, which), _picked(frame_b, which)
            errors[which, :3] = lock_error(kind, self.length[which], *pair)[0]
            errors[which, 3:] = misalignment(kind, *pair)
        return errors

    def row_errors(self, poses: Poses) -> Array:
        """The errors (m, rad) of the locked rows and the held ones, [row]."""
        frame_a, frame_b = self.frames(poses)
        held = [row.error(_picked(frame_a, row.joint), _picked(frame_b, row.joint)) for row in self.held]
        return np.concatenate([self.errors(poses)[self.locked], held])

    def worst_error(self, poses: Poses) -> float:
        """The largest error of a row (m or rad)."""
        return float(np.max(np.abs(self.row_errors(poses))))

    def jacobian(self, poses: Poses) -> Array:
        """Rates of the locked and the held rows by the bodies' velocities and spins, [row, body * 6]."""
        count = len(poses.center)
        frame_a, frame_b = self.frames(poses)
        joint, axis = np.nonzero(self.locked)
        direction = self._directions(frame_a, frame_b)[joint, axis]
        is_linear = axis[:, None] < 3
        for held in self.held:
            pair = _picked(frame_a, held.joint), _picked(frame_b, held.joint)
            joint = np.append(joint, held.joint)
            direction = np.vstack([direction, coordinate_axis(held.coordinate.kind, *pair)])
            is_linear = np.vstack([is_linear, [[held.coordinate.kind.is_linear]]])
        rows = np.zeros((len(joint), count, 6))
        for body, sign in ((self.body_a[joint], -1.0), (self.body_b[joint], 1.0)):
            row = np.flatnonzero(body < count)
            arm = frame_b.position[joint[row]] - poses.center[body[row]]
            ahead = direction[row]
            rows[row, body[row], :3] = sign * np.where(is_linear[row], ahead, 0.0)
            rows[row, body[row], 3:] = sign * np.where(is_linear[row], np.cross(arm, ahead), ahead)
        return rows.reshape(len(joint), -1)

    def _directions(self, frame_a: Pose, frame_b: Pose) -> Array:
        """World directions of the three translations and the three rotations of every joint, [joint, 6, 3]."""
        axes = np.swapaxes(spatial.matrix(frame_a.rotation), -1, -2)
        directions = np.concatenate([axes, axes], axis=1)
        across = np.cross(axes[:, 0], spatial.rotate(frame_b.rotation, (0.0, 1.0, 0.0)))
        for basis, place, along in ((Basis.RADIAL, 2, frame_b.position - frame_a.position), (Basis.CARDAN, 5, across)):
            length = np.linalg.norm(along, axis=-1)
            which = (length > 1e-9) & [joint.type.basis == basis for joint in self.joints]
            directions[which, place] = along[which] / length[which, None]
        return directions


def _stacked(poses: list[Pose]) -> Pose:
    return Pose(np.array([pose.position for pose in poses]), np.array([pose.rotation for pose in poses]))


def _picked(poses: Pose, which: Array | int) -> Pose:
    return Pose(poses.position[which], poses.rotation[which])


def closed(problem: Problem, poses: Poses) -> Poses:
    """The poses after as many damped steps as still bring the joints together."""
    damping = 1e-6
    errors = problem.row_errors(poses)
    for _ in range(ITERATIONS):
        if np.max(np.abs(errors)) < CLOSED or damping > 1e6:
            break
        tried = poses.moved(_step(problem.jacobian(poses), errors, poses.scale, damping))
        after = problem.row_errors(tried)
        if after @ after < errors @ errors:
            stalled = after @ after > STALLED * (errors @ errors)
            poses, errors, damping = tried, after, max(damping * 0.1, 1e-14)
            if stalled:
                break
        else:
            damping *= 10.0
    return poses


def _step(jacobian: Array, errors: Array, scale: Array, damping: float) -> Array:
    """The motion [body, 6], least when weighted by mass, that closes the linearised rows."""
    weighted = jacobian * scale.ravel()
    # rows brought to the same size, so that one damping serves light bodies and heavy ones
    size = np.linalg.norm(weighted, axis=1)
    scaled = weighted / size[:, None]
    multipliers = np.linalg.solve(scaled @ scaled.T + damping * np.eye(len(errors)), -errors / size)
    motion = scale * (scaled.T @ multipliers).reshape(-1, 6)
    largest = np.max(np.linalg.norm(motion[:, 3:], axis=1))
    return np.asarray(motion * min(1.0, LARGEST_TURN / largest) if largest > 0.0 else motion)


def _refuse_open(scene: Scene, problem: Problem, poses: Poses) -> None:
    errors = problem.errors(poses)
    worst = int(np.argmax(np.max(np.abs(errors), axis=1)))
    gap, tilt = (float(np.linalg.norm(part)) for part in (errors[worst, :3], errors[worst, 3:]))
    if max(gap, tilt) > MEETING_TOLERANCE:
        joint = problem.joints[worst]
        raise SceneError(
            f"scene '{scene.name}': the loop through joint '{joint.name}' ('{joint.a.name}' to '{joint.b.name}') "
            f"cannot close: its frames stay {describe_opening(gap, tilt)} apart; "
            "change the sizes of its bodies or the frames of its joints"
        )


def _apply(joints: list[Joint], moving: list[Body], poses: Poses) -> None:
    frames = poses.frames()
    for body, position, rotation in zip(moving, frames.position.tolist(), frames.rotation.tolist(), strict=True):
        body.spec = msgspec.structs.replace(body.spec, position=tuple(position), rotation=tuple(rotation))
    for joint in joints:
        frame_a = joint.type.frame_a or Frame.at(joint.frame_a)
        frame_b = joint.type.frame_b or Frame.at(joint.frame_b)
        placed = joint.type.on_bodies(frame_a, frame_b, joint.length)
        joint.describe(msgspec.structs.replace(joint.spec, joint=placed))
