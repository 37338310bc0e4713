"""The axes that a joint of USD leaves free: one by its type, or those that a joint of free choice does not lock."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import spatial
from ..spatial import Array, Pose
from .tree import NOWHERE, Connection, Kind, Link

UNITS = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
CHOICE = tuple(f"{way}{axis}" for way in ("trans", "rot") for axis in UNITS)  # as they follow each other in a joint
SMALL = 1e-6  # rad or m by which a locked axis may be off at the start


@dataclass(frozen=True)
class Axis:
    """A free axis: its direction in the joint's frame, the names of its limits, and of its drive."""

    name: str
    direction: Array
    linear: bool
    limits: tuple[str, str]
    drive: str

    @staticmethod
    def of_type(kind: Kind, letter: str) -> Axis:
        """The axis of a hinge or a slide."""
        linear = kind == "prismatic"
        limits = ("physics:lowerLimit", "physics:upperLimit")
        return Axis("", np.array(UNITS.get(letter, UNITS["X"])), linear, limits, "linear" if linear else "angular")

    @staticmethod
    def of_choice(name: str) -> Axis:
        """An axis of a joint of free choice, such as ``rotX``."""
        limits = (f"limit:{name}:physics:low", f"limit:{name}:physics:high")
        return Axis(name, np.array(UNITS[name[-1]]), name.startswith("trans"), limits, name)


def coordinates(apart: Pose) -> dict[str, float]:
    """How far a joint has moved along x, y, z (m), then turned about x, about the new y and the new z (rad)."""
    r = spatial.matrix(apart.rotation)
    turns = (math.atan2(-r[1, 2], r[2, 2]), math.asin(min(max(r[0, 2], -1.0), 1.0)), math.atan2(-r[0, 1], r[0, 0]))
    return dict(zip(CHOICE, (*apart.position.tolist(), *turns), strict=True))


def off_axis(apart: Pose, axes: Sequence[Axis]) -> float:
    """How far the axes that are locked are from where they are held (m or rad)."""
    free = {axis.name for axis in axes}
    return max((abs(value) for name, value in coordinates(apart).items() if name not in free), default=0.0)


def chained(
    made: Connection, axes: Sequence[Axis], near: Pose, far: Pose, apart: Pose, forward: bool
) -> tuple[list[Link], list[tuple[Connection, Axis]]]:
    """A joint of several axes as joints of one, with links that weigh nothing between them.

    ``near`` and ``far`` are its frames on parent and child, ``apart`` how the second body of the file stands to the
    first; the parent is the first body if it runs ``forward``.
    """
    values, sign = coordinates(apart), 1.0 if forward else -1.0
    order = list(axes) if forward else list(axes)[::-1]
    links, joints, parent = [], [], made.parent
    for k, axis in enumerate(order):
        last = k == len(order) - 1
        child = made.child if last else f"{made.name} after {axis.name}"
        pose = (near if k == 0 else NOWHERE) @ (far.inverse() if last else NOWHERE)
        kind: Kind = "prismatic" if axis.linear else "revolute"
        joint = Connection(f"{made.name} {axis.name}", kind, parent, child, made.where, pose)
        direction = spatial.rotate(far.rotation, axis.direction) if last else axis.direction
        joint.axis, joint.start = sign * direction, values[axis.name]
        joint.anchor = far.position if last else np.zeros(3)
        joints.append((joint, axis))
        if not last:
            links.append(Link(child, made.where, light=True))
        parent = child
    return links, joints
