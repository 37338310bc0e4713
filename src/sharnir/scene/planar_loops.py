"""Which locked axes of a joint that closes a planar loop are needed, and which the other joints imply.

Where all joints of a chain keep its bodies parallel to one plane with the normal n, its ends keep their distance along
n and their tilt against n. A joint that closes the chain into a loop need not lock these again: of a four-bar's last
hinge the two translations in the plane are left. Its rows are then independent, which a solver likes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..spatial import Array, conjugate, rotate
from .joint import Joint
from .joints import AnyJoint, Basis, Fixed, Planar, Prismatic, Revolute
from .joints.joint_type import Mask
from .scene import Scene

PARALLEL = 2e-6  # rad: as in mobility.py, what joints take without a hindrance
Z = np.array([0.0, 0.0, 1.0])
Trees = dict[str, list[Joint]]  # the joints around each body, but those which close loops


class Locks(NamedTuple):
    """The axes of a joint's frame a along and about which its bodies do not move against each other."""

    translations: Mask
    rotations: Mask


def locks_of(joint: Joint) -> Locks:
    """All that the joint's type locks."""
    return Locks(joint.type.locked_translations, joint.type.locked_rotations)


def needed_locks(scene: Scene, closing: Iterable[str]) -> dict[str, Locks]:
    """By joint: what it locks, less what the joints imply that do not close loops.

    ``closing`` names one joint for each loop, so that the others are trees.
    """
    names = set(closing)
    around: dict[str, list[Joint]] = {}
    for joint in scene.joints.values():
        if joint.name not in names:
            for body in (joint.a, joint.b):
                around.setdefault(body.name, []).append(joint)
    return {name: _needed(joint, around) if name in names else locks_of(joint) for name, joint in scene.joints.items()}


def _needed(joint: Joint, around: Trees) -> Locks:
    every = locks_of(joint)
    if joint.type.basis == Basis.FRAME:
        for normal in range(3):
            needed = Locks(_without(every.translations, normal), _alone(every.rotations, normal))
            if needed != every and _is_planar(joint, normal, around):
                return needed
    return every


def _without(mask: Mask, axis: int) -> Mask:
    x, y, z = (on and i != axis for i, on in enumerate(mask))
    return x, y, z


def _alone(mask: Mask, axis: int) -> Mask:
    x, y, z = (on and i == axis for i, on in enumerate(mask))
    return x, y, z


def _is_planar(joint: Joint, axis: int, around: Trees) -> bool:
    """Whether the other joints keep the ends of this one parallel to the plane square to an axis of its frame."""
    normal_a, normal_b = (rotate(frame.rotation, np.eye(3)[axis]) for frame in (joint.frame_a, joint.frame_b))
    carried = _carried(joint.a.name, joint.b.name, normal_a, around)
    if carried is None:
        return False
    return not any(joint.type.locked_rotations) or _are_parallel(carried, normal_b)


def _carried(start: str, goal: str, normal: Array, around: Trees) -> Array | None:
    """A normal in the coordinates of body ``start`` in those of body ``goal``; None if no planar chain joins them."""
    found, ends = {start: normal}, [start]
    while ends and goal not in found:
        body = ends.pop()
        for joint in around.get(body, ()):
            near, far = (joint.frame_a, joint.frame_b) if joint.a.name == body else (joint.frame_b, joint.frame_a)
            other = joint.b.name if joint.a.name == body else joint.a.name
            local = rotate(conjugate(near.rotation), found[body])
            if other not in found and _keeps_plane(joint.type, local):
                found[other] = rotate(far.rotation, local)
                ends.append(other)
    return found.get(goal)


def _keeps_plane(joint_type: AnyJoint, normal: Array) -> bool:
    """Whether a joint keeps two bodies parallel to the plane with a normal (axes of its frames) that both share."""
    match joint_type:
        case Fixed():
            return True
        case Prismatic():
            return abs(float(normal @ Z)) < PARALLEL
        case Revolute() | Planar():
            return _are_parallel(normal, Z)
    return False


def _are_parallel(a: Array, b: Array) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) < PARALLEL
