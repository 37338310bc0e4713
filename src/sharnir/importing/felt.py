"""The effective inertia at a joint, while all other joints of a robot are free.

A spatial inertia A (6 x 6, about the origin of the world, turning first) says what momentum a twist takes. Seen through
a joint whose free twists are the columns of S, a part with the inertia A shows

    A - A S (S^T A S)^-1 S^T A,

as it moves along S by itself. A motor on S between a part C and all the rest R then feels the least kinetic energy of a
unit rate, twice:  S^T C S - (C S)^T (C + R)^-1 C S.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..scene.shape import MassProperties
from ..spatial import Array
from .tree import Kind

STANDING = 1e6  # times the inertia of all: that of what stands


class Held(NamedTuple):
    """A joint between two bodies, by their numbers, and its ``free`` twists [6, n] in the world."""

    parent: int
    child: int
    free: Array


def felt(bodies: Sequence[MassProperties | None], joints: Sequence[Held]) -> list[float]:
    """The inertia (kg or kg m^2) at every joint, parents first; infinite at those that do not move by one number.

    ``bodies`` are in the world; one that is None stands.
    """
    own = [None if body is None else spatial_inertia(body) for body in bodies]
    all_ = sum((inertia for inertia in own if inertia is not None), np.zeros((6, 6)))
    standing = STANDING * max(float(np.trace(all_)), 1e-30) * np.eye(6)
    hanging = [np.array(standing if inertia is None else inertia) for inertia in own]  # with all that hangs on it
    for joint in reversed(joints):
        if own[joint.parent] is not None:
            hanging[joint.parent] += through(hanging[joint.child], joint.free)
    above: dict[int, Array] = {}  # what a body feels through the joint that it hangs on
    found = []
    for joint in joints:
        rest = standing
        if own[joint.parent] is not None:
            part = hanging[joint.parent] - through(hanging[joint.child], joint.free)
            rest = part + above.get(joint.parent, np.zeros((6, 6)))
        above[joint.child] = through(rest, joint.free)
        momentum = hanging[joint.child] @ joint.free
        lent = np.linalg.lstsq(hanging[joint.child] + rest, momentum, rcond=None)[0]
        kept = joint.free.T @ momentum - momentum.T @ lent
        found.append(float(kept.item()) if kept.size == 1 else np.inf)
    return found


def twists(kind: Kind, axis: Array, anchor: Array) -> Array:
    """The free twists [6, n] of a joint about or along an ``axis`` through an ``anchor`` (m), both in the world."""
    turns = {"revolute": axis[:, None], "spherical": np.eye(3), "floating": np.eye(3), "planar": axis[:, None]}
    about = turns.get(kind, np.zeros((3, 0)))
    flat = np.eye(3) - np.outer(axis, axis)
    slides = {"prismatic": axis[:, None], "floating": np.eye(3), "planar": np.linalg.svd(flat)[0][:, :2]}
    along = slides.get(kind, np.zeros((3, 0)))
    turning = np.concatenate([about, np.cross(anchor, about, axis=0)])
    sliding = np.concatenate([np.zeros_like(along), along])
    return np.concatenate([turning, sliding], axis=1)


def spatial_inertia(body: MassProperties) -> Array:
    """Of a body in the world, about the world's origin."""
    mass, center, inertia = body
    x, y, z = center
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[inertia - mass * cross @ cross, mass * cross], [-mass * cross, mass * np.eye(3)]])


def through(inertia: Array, free: Array) -> Array:
    """What a spatial inertia shows beyond a joint with these free twists."""
    momentum = inertia @ free
    shown: Array = inertia - momentum @ np.linalg.lstsq(free.T @ momentum, momentum.T, rcond=None)[0]
    return shown
