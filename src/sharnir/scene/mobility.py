"""Which joints of closed loops cannot move, although their free axes look as if they could.

The locked rows of a loop leave its bodies some velocities: the null space of their Jacobian at the start. A velocity is
not yet a motion (two bars in line between two pins have one and stay where they are), so the bodies are moved a little
along such velocities and assembled again: a joint is free if that leaves it elsewhere than at the start.

Where no row is redundant a structure is as stiff as it was drawn, and nothing is said of it: a plate on six rods. A
redundant loop moves by its geometry alone, such as hinges that are parallel. There a joint that does not move has lost
its freedom. The joints at fault are those which would free the loop if they were balls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..spatial import Array
from .assemble import Poses, Problem, closed
from .joint import Joint
from .machines import MOST_BODIES, mechanisms_of, moved_by
from .scene import Scene

# rad of error for each rad of motion that joints take without much of a hindrance: driven for half a second, a four-bar
# with a hinge off by 1e-6 moves 0.96 of its way in the stiffest step there is, one that is off by 1e-5 moves 0.66 of it
NEGLIGIBLE = 2e-6
SHOVE = 0.05  # rad, and share of the loop's size: how far bodies are moved along a velocity
MOVED = 1e-3  # of the shove: a joint that changes by less has not moved
TRIES = 4


@dataclass(frozen=True)
class LockedLoop:
    """Joints of one loop that cannot move, and those of them that would free it if they were balls."""

    joints: tuple[Joint, ...]
    culprits: tuple[Joint, ...]


def locked_loops(scene: Scene) -> list[LockedLoop]:
    """The loops of a scene that hold joints which look free."""
    return [found for joints in _loops(scene) if (found := _examined(scene, joints)) is not None]


def redundant_joints(scene: Scene) -> set[str]:
    """Names of the joints with rows that others imply, at the start; all those of a loop too large to examine."""
    return {name for joints in _loops(scene) for name in _redundant_of(scene, joints)}


def _redundant_of(scene: Scene, joints: list[Joint]) -> set[str]:
    """A row is redundant if some combination of rows that it is a part of acts on no body: y^T J = 0."""
    problem, start = _problem_of(scene, joints)
    if len(start.center) > MOST_BODIES:
        return {joint.name for joint in joints}
    rows = _without_units(problem.jacobian(start), problem, _size_of(problem, start))
    combinations, values, _ = np.linalg.svd(rows, full_matrices=len(rows) > rows.shape[1])
    idle = combinations[:, _rank(values) :]
    owner, _ = np.nonzero(problem.locked)
    return {joints[i].name for i in owner[np.linalg.norm(idle, axis=1) > NEGLIGIBLE]}


def _loops(scene: Scene) -> list[list[Joint]]:
    """Joints that can be part of a loop, in groups that share bodies which move."""
    at: dict[str, dict[str, Joint]] = {name: {} for name in scene.bodies}
    for joint in scene.joints.values():
        if any(joint.type.locked_translations + joint.type.locked_rotations):
            for body in moved_by(joint):
                at[body.name][joint.name] = joint
    ends = [name for name, joints in at.items() if len(joints) == 1]
    while ends:  # what hangs on one joint is no part of a loop
        for joint in list(at[ends.pop()].values()):
            for body in moved_by(joint):
                del at[body.name][joint.name]
                if len(at[body.name]) == 1:
                    ends.append(body.name)
    left = {name: joint for joints in at.values() for name, joint in joints.items()}
    return mechanisms_of(joint for name, joint in scene.joints.items() if name in left)


def _problem_of(scene: Scene, joints: list[Joint]) -> tuple[Problem, Poses]:
    """The rows of these joints on the bodies that move, and where those start."""
    moving = moved_by(*joints)
    return Problem.of(scene, joints, moving), Poses.of(moving, joints)


def _rank(values: Array) -> int:
    """Of a matrix with these singular values."""
    return int(np.sum(values > NEGLIGIBLE * values[0]))


def _examined(scene: Scene, joints: list[Joint]) -> LockedLoop | None:
    problem, start = _problem_of(scene, joints)
    if len(start.center) > MOST_BODIES:
        return None
    size = _size_of(problem, start)
    is_redundant, moves = _mobility(problem, start, size)
    locked = [i for i, joint in enumerate(joints) if joint.type.coordinates and not moves[i]]
    if not locked or not is_redundant:
        return None
    culprits = [i for i in locked if _would_free(problem, start, size, i, locked)]
    return LockedLoop(tuple(joints[i] for i in locked), tuple(joints[i] for i in culprits))


def _would_free(problem: Problem, start: Poses, size: float, joint: int, locked: list[int]) -> bool:
    """Whether other joints that are locked could move if this one were a ball."""
    others = [i for i in locked if i != joint]
    as_ball = problem.locked.copy()
    as_ball[joint, 3:] = False
    _, moves = _mobility(replace(problem, locked=as_ball), start, size)
    return bool(as_ball.sum() < problem.locked.sum() and moves[others].any())


def _mobility(problem: Problem, start: Poses, size: float) -> tuple[bool, Array]:
    """Whether some rows are redundant, and which joints can move, [joint]."""
    rows = _without_units(problem.jacobian(start), problem, size)
    _, values, motions = np.linalg.svd(rows)
    rank = _rank(values)
    return rank < len(rows), _moves(problem, start, motions[rank:], size)


def _size_of(problem: Problem, poses: Poses) -> float:
    """A length of the loop, m: how far its anchors are from the centres of mass, or from each other."""
    frame_a, frame_b = problem.frames(poses)
    points = np.concatenate([frame_a.position, frame_b.position, poses.center])
    return float(np.linalg.norm(np.std(points, axis=0))) or 1.0


def _without_units(jacobian: Array, problem: Problem, size: float) -> Array:
    """Rows and columns of lengths measured in the loop's size."""
    _, axis = np.nonzero(problem.locked)
    scaled = jacobian.reshape(len(axis), -1, 6) * np.array([size, size, size, 1.0, 1.0, 1.0])
    return np.where(axis[:, None] < 3, scaled.reshape(len(axis), -1) / size, scaled.reshape(len(axis), -1))


def _moves(problem: Problem, start: Poses, free: Array, size: float) -> Array:
    """Whether each joint moves when the bodies are shoved along their free velocities, [joint]."""
    alive = np.zeros(len(problem.joints), bool)
    if not len(free):
        return alive
    before = _postures(problem, start, size)
    draw = np.random.default_rng(1)
    for _ in range(TRIES):
        motion = (draw.standard_normal(len(free)) @ free).reshape(-1, 6)
        motion *= SHOVE / np.max(np.abs(motion)) * np.array([size, size, size, 1.0, 1.0, 1.0])
        for side in (1.0, -1.0):
            found = closed(problem, start.moved(side * motion))
            if problem.worst_error(found) <= NEGLIGIBLE * SHOVE:
                alive |= np.max(np.abs(_postures(problem, found, size) - before), axis=1) > MOVED * SHOVE
    return alive


def _postures(problem: Problem, poses: Poses, size: float) -> Array:
    """How b stands to a in every joint: offset over size and rotation, [joint, 7]."""
    frame_a, frame_b = problem.frames(poses)
    relative = frame_a.inverse() @ frame_b
    upright = np.where(relative.rotation[:, 3:] < 0.0, -1.0, 1.0) * relative.rotation
    return np.concatenate([relative.position / size, upright], axis=1)
