"""A joint's two frames evaluated: how far its locked axes are off, and its free coordinates with their axes.

Every function takes one pair of frames or whole trajectories of them: poses broadcast over their leading axes. The same
definitions run on the device in ``dynamics/coordinates.py``.

With q = conj(q_a) q_b the rotation of b's frame seen from a's, a and b the z axes of the two frames, and p the vector
from a's origin to b's:

    SLIDE_X,Y,Z   components of p in a's axes
    TWIST         2 atan2(q_z, q_w), within (-pi, pi]
    CARDAN_X,Y    phi, theta of R = Rx(phi) Ry(theta)
    SWING_X,Y     s = theta/sin(theta) (-b_y, b_x), with b in a's axes
    SWING         theta, the angle from a to b
    RADIAL        |p|
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .. import spatial
from ..spatial import Array, Pose
from .joints import Coordinate, CoordinateKind, JointType
from .values import number

if TYPE_CHECKING:
    from .joint import Joint

X, Y, Z = np.eye(3)
TURN = 2.0 * math.pi  # rad
SMALL_SWING = 0.02  # rad; below it theta/sin(theta) and its derivative come from their series, also on the device


def lock_error(joint_type: JointType, length: float | Array, frame_a: Pose, frame_b: Pose) -> tuple[Array, Array]:
    """How far the locked axes are off: translations (m) and rotations (rad), [..., 3] each, zero on free axes.

    Translations are in the axes of a's frame; a radial lock has its one error, |p| - length, in the z entry.
    Rotations are the engine's own measures, right to third order in the angle; :func:`misalignment` is exact.
    """
    offset = spatial.rotate(spatial.conjugate(frame_a.rotation), frame_b.position - frame_a.position)
    if joint_type.keeps_length():
        gap = np.linalg.norm(offset, axis=-1) - length
        translation = np.stack([np.zeros_like(gap), np.zeros_like(gap), gap], axis=-1)
    else:
        translation = np.where(joint_type.locked_translations, offset, 0.0)
    relative = _relative(frame_a, frame_b)
    locked = joint_type.locked_rotations
    if locked == (True, True, True):
        rotation = np.where(relative[..., 3:] < 0.0, -2.0, 2.0) * relative[..., :3]
    elif locked == (True, True, False):
        rotation = np.cross(Z, spatial.rotate(relative, Z))
    elif locked == (False, False, True):  # a's x axis stays square to b's y axis
        rotation = -Z * spatial.rotate(relative, Y)[..., :1]
    else:
        rotation = np.zeros_like(relative[..., :3])
    return translation, rotation


def misalignment(joint_type: JointType, frame_a: Pose, frame_b: Pose) -> Array:
    """The locked rotations' error as a rotation vector in a's axes (rad), true for any angle.

    Turning b back by it makes the locked axes meet: opposed z axes are pi apart here, their cross product is zero.
    """
    relative = _relative(frame_a, frame_b)
    locked = joint_type.locked_rotations
    if locked == (True, True, True):
        upright = np.where(relative[..., 3:] < 0.0, -relative, relative)
        return _vector_of_angle(upright[..., :3], 2.0 * np.arctan2(_norm(upright[..., :3]), upright[..., 3:]))
    if locked == (True, True, False):
        b = spatial.rotate(relative, Z)
        return _vector_of_angle(np.cross(Z, b), np.arctan2(np.hypot(b[..., :1], b[..., 1:2]), b[..., 2:]))
    if locked == (False, False, True):
        return np.asarray(-Z * np.arcsin(np.clip(spatial.rotate(relative, Y)[..., :1], -1.0, 1.0)))
    return np.zeros_like(relative[..., :3])


def coordinate(kind: CoordinateKind, frame_a: Pose, frame_b: Pose) -> Array:
    """A free coordinate (m or rad), [...]; a twist within (-pi, pi], turns not counted."""
    offset = frame_b.position - frame_a.position
    if kind <= CoordinateKind.SLIDE_Z:
        return np.asarray(spatial.rotate(spatial.conjugate(frame_a.rotation), offset)[..., int(kind)])
    if kind == CoordinateKind.RADIAL:
        return np.asarray(np.linalg.norm(offset, axis=-1))
    relative = _relative(frame_a, frame_b)
    if kind == CoordinateKind.TWIST:
        return _wrapped(2.0 * np.arctan2(relative[..., 2], relative[..., 3]))
    if kind == CoordinateKind.CARDAN_X:
        y = spatial.rotate(relative, Y)
        return np.asarray(np.arctan2(y[..., 2], y[..., 1]))
    if kind == CoordinateKind.CARDAN_Y:
        x = spatial.rotate(spatial.conjugate(relative), X)
        return np.asarray(np.arctan2(x[..., 2], x[..., 0]))
    b = spatial.rotate(relative, Z)
    if kind == CoordinateKind.SWING:
        return _swing_angle(b)
    ratio, _ = _swing_ratio(b)
    return np.asarray(-ratio * b[..., 1] if kind == CoordinateKind.SWING_X else ratio * b[..., 0])


def coordinate_axis(kind: CoordinateKind, frame_a: Pose, frame_b: Pose) -> Array:
    """The world direction d of a coordinate, [..., 3].

    The coordinate's rate is d . (velocity of b less that of a, both at b's anchor) for lengths, and d . (angular
    velocity of b less that of a) for angles, as long as the locked axes meet.
    """
    if kind <= CoordinateKind.SLIDE_Z:
        return spatial.rotate(frame_a.rotation, np.eye(3)[int(kind)])
    if kind == CoordinateKind.RADIAL:
        return _unit(frame_b.position - frame_a.position, np.zeros(3))
    if kind == CoordinateKind.CARDAN_X:
        return spatial.rotate(frame_a.rotation, X)
    if kind == CoordinateKind.CARDAN_Y:
        return spatial.rotate(frame_b.rotation, Y)
    if kind == CoordinateKind.TWIST:
        a, b = spatial.rotate(frame_a.rotation, Z), spatial.rotate(frame_b.rotation, Z)
        return np.asarray((a + b) / np.maximum(1.0 + np.sum(a * b, axis=-1, keepdims=True), 1e-6))
    b = spatial.rotate(_relative(frame_a, frame_b), Z)
    local = _unit(np.cross(Z, b), X) if kind == CoordinateKind.SWING else np.cross(b, _swing_gradient(kind, b))
    return spatial.rotate(frame_a.rotation, local)


def unwrapped(value: Array | float, before: Array | float) -> Array:
    """An angle with the number of turns that brings it nearest to the one before, rad."""
    return np.asarray(value + TURN * np.round((before - value) / TURN))


def counts_turns(joint: Joint, found: Coordinate) -> bool:
    """Whether the turns of a coordinate are counted: of every angle that can make them.

    The twist of a ball is counted where it carries something; by itself it has no turns to speak of, since a ball that
    tumbles goes through poses in which it jumps.
    """
    is_ball = len(joint.type.coordinates) == 4
    used = any("twist" in carried for carried in (joint.ranges, joint.springs, joint.drives, joint.catches))
    return found.kind.is_turn and (used or not is_ball)


def start_value(joint: Joint, coordinate_of: Coordinate) -> float:
    """A coordinate at the start of a scene (m or rad); a hinge's angle with the turns that its ``drawn_at`` counts."""
    value = float(coordinate(coordinate_of.kind, *joint.world_frames()))
    if coordinate_of.kind != CoordinateKind.TWIST:
        return value
    drawn_at = number(getattr(joint.type, "drawn_at", 0.0), f"joint '{joint.name}' drawn_at (rad)")
    return float(unwrapped(value, drawn_at))


def _relative(frame_a: Pose, frame_b: Pose) -> Array:
    return spatial.multiply(spatial.conjugate(frame_a.rotation), frame_b.rotation)


def _wrapped(angle: Array) -> Array:
    return np.asarray(angle - 2.0 * math.pi * np.ceil((angle - math.pi) / (2.0 * math.pi)))


def _norm(v: Array) -> Array:
    return np.asarray(np.linalg.norm(v, axis=-1, keepdims=True))


def _unit(v: Array, otherwise: Array) -> Array:
    """v made of length one, or ``otherwise`` where v has no direction."""
    length = _norm(v)
    return np.where(length > 1e-12, v / np.maximum(length, 1e-12), otherwise)


def _vector_of_angle(direction: Array, angle: Array) -> Array:
    return angle * _unit(direction, X)


def _swing_angle(b: Array) -> Array:
    return np.asarray(np.arctan2(np.hypot(b[..., 0], b[..., 1]), b[..., 2]))


def _swing_ratio(b: Array) -> tuple[Array, Array]:
    """theta/sin(theta) and its derivative by b_z, for the angle theta between z and b."""
    angle = _swing_angle(b)
    small = angle < SMALL_SWING
    square = angle * angle
    theta = np.where(small, 1.0, np.minimum(angle, math.pi - 1e-9))
    sine = np.sin(theta)
    ratio = np.where(small, 1.0 + square / 6.0 + 7.0 * square**2 / 360.0, theta / sine)
    slope = np.where(
        small, 1.0 / 3.0 + 2.0 * square / 15.0 + 2.0 * square**2 / 63.0, (sine - theta * np.cos(theta)) / sine**3
    )
    return ratio, -slope


def _swing_gradient(kind: CoordinateKind, b: Array) -> Array:
    """Derivative of a swing component by b."""
    ratio, slope = _swing_ratio(b)
    zero = np.zeros_like(ratio)
    if kind == CoordinateKind.SWING_X:
        return np.stack([zero, -ratio, -slope * b[..., 1]], axis=-1)
    return np.stack([ratio, zero, slope * b[..., 0]], axis=-1)
