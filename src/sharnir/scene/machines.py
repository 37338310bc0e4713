"""Machines: what joints hold together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..spatial import Array, matrix
from .body import Body
from .joint import Joint
from .scene import Scene

MOST_BODIES = 80  # of a machine whose rows are examined as one dense matrix: a second for as many


def grouped(names: Iterable[str], ties: Iterable[Sequence[str]]) -> list[list[str]]:
    """Names in groups that ties hold together, each in the order of the names."""
    group = {name: {name} for name in names}
    for tie in ties:
        together = set().union(*(group[name] for name in tie))
        group |= dict.fromkeys(together, together)
    found: dict[int, list[str]] = {}
    for name, mates in group.items():
        found.setdefault(id(mates), []).append(name)
    return list(found.values())


def machines_of(scene: Scene) -> list[list[str]]:
    """The names of the bodies that move, in groups that joints hold together."""
    moving = [name for name, body in scene.bodies.items() if not body.spec.fixed]
    return grouped(moving, ([body.name for body in moved_by(joint)] for joint in scene.joints.values()))


def mechanisms_of(joints: Iterable[Joint], ties: Iterable[Sequence[str]] = ()) -> list[list[Joint]]:
    """Joints in groups that share bodies which move, or names of joints in ``ties``, such as those of couplings."""
    known = {joint.name: joint for joint in joints}
    around: dict[str, list[str]] = {}
    for joint in known.values():
        for body in moved_by(joint):
            around.setdefault(body.name, []).append(joint.name)
    return [[known[name] for name in names] for names in grouped(known, [*around.values(), *ties])]


def moved_by(*joints: Joint) -> list[Body]:
    """The bodies of joints that are not fixed, each once."""
    return list(dict.fromkeys(body for joint in joints for body in (joint.a, joint.b) if not body.spec.fixed))


def root_of_inverse_mass(bodies: Sequence[Body]) -> Array:
    """L with L L^T = M^-1 over the velocities of bodies at the start, world axes, [body * 6, body * 6]."""
    root = np.zeros((6 * len(bodies), 6 * len(bodies)))
    for i, body in enumerate(bodies):
        assert body.properties is not None  # moving bodies have mass
        turn, at = matrix(body.pose.rotation), 6 * i
        root[at : at + 3, at : at + 3] = np.eye(3) / np.sqrt(body.properties.mass)
        inverse = turn @ np.linalg.inv(body.properties.inertia) @ turn.T
        root[at + 3 : at + 6, at + 3 : at + 6] = np.linalg.cholesky(inverse)
    return root
