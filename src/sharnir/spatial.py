"""Rotations and poses in numpy, for describing scenes and reading results.

Quaternions are (x, y, z, w) and act on the last axis, so every function takes one or many.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])


class Pose(NamedTuple):
    """A frame seen from another: its origin (m) and its orientation (quaternion x, y, z, w)."""

    position: Array
    rotation: Array

    def point(self, local: ArrayLike) -> Array:
        """A point given in this frame, in the outer frame."""
        return self.position + rotate(self.rotation, local)

    def inverse(self) -> Pose:
        """The outer frame seen from this one."""
        back = conjugate(self.rotation)
        return Pose(-rotate(back, self.position), back)

    def __matmul__(self, inner: Pose) -> Pose:
        return Pose(self.point(inner.position), multiply(self.rotation, inner.rotation))


def cross(a: ArrayLike, b: ArrayLike) -> Array:
    """a x b along the last axis; several times faster than numpy's for few vectors."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.ndim == b.ndim == 1:  # plain numbers have the same bits at a fifth of the time
        (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
        return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
    ax, ay, az, bx, by, bz = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def conjugate(q: ArrayLike) -> Array:
    """The inverse rotation of a unit quaternion."""
    return np.asarray(q, float) * np.array([-1.0, -1.0, -1.0, 1.0])


def multiply(p: ArrayLike, q: ArrayLike) -> Array:
    """The rotation q followed by p."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    pv, pw, qv, qw = p[..., :3], p[..., 3:], q[..., :3], q[..., 3:]
    vector = pw * qv + qw * pv + cross(pv, qv)
    scalar = pw * qw - np.sum(pv * qv, axis=-1, keepdims=True)
    return np.concatenate([vector, scalar], axis=-1)


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """The vector v turned by q."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    t = 2.0 * cross(q[..., :3], v)
    return v + q[..., 3:] * t + cross(q[..., :3], t)


def matrix(q: ArrayLike) -> Array:
    """The rotation matrix of q; its columns are the turned axes."""
    q = np.asarray(q, float)
    return np.stack([rotate(q, axis) for axis in np.eye(3)], axis=-1)


def from_matrix(m: ArrayLike) -> Array:
    """The unit quaternion of a rotation matrix, w >= 0 (Shepperd's method: divide by the largest component)."""
    m = np.asarray(m, float)
    xx, yy, zz = m[0, 0], m[1, 1], m[2, 2]
    squares = np.array([1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz])
    big = int(np.argmax(squares))
    four = np.array(
        [
            [squares[0], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
            [m[0, 1] + m[1, 0], squares[1], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
            [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[2], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3]],
        ]
    )[big]
    q = four / np.linalg.norm(four)
    return q if q[3] >= 0 else -q


def about(axis: ArrayLike, angle: float) -> Array:
    """The rotation by an angle (rad) about an axis."""
    axis = np.asarray(axis, float)
    return np.append(np.sin(angle / 2) * axis / np.linalg.norm(axis), np.cos(angle / 2))


def from_vector(v: ArrayLike) -> Array:
    """The rotation by |v| radians about v."""
    v = np.asarray(v, float)
    angle = float(np.linalg.norm(v))
    return about(v, angle) if angle > 0 else IDENTITY.copy()


def to_vector(q: ArrayLike) -> Array:
    """The rotation vector (rad) of a quaternion, or of many [..., 4], the shorter way round."""
    given = np.asarray(q, float)
    given = np.where(given[..., 3:] < 0.0, -given, given)
    part, sine = given[..., :3], np.linalg.norm(given[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, given[..., 3:])
    return np.asarray(part * np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 1e-12))


def perpendicular(axis: ArrayLike) -> Array:
    """Some unit vector square to the axis, the same one for the same axis."""
    axis = np.asarray(axis, float)
    other = np.zeros(3)
    other[int(np.argmin(np.abs(axis)))] = 1.0
    side = cross(cross(axis, other), axis)
    return side / np.linalg.norm(side)


def frame_rotation(axis: ArrayLike, reference: ArrayLike | None = None) -> Array:
    """The orientation whose z axis is ``axis`` and whose x axis is ``reference`` made square to it."""
    z = np.asarray(axis, float)
    z = z / np.linalg.norm(z)
    x = perpendicular(z) if reference is None else np.asarray(reference, float)
    x = x - z * (x @ z)
    x = x / np.linalg.norm(x)
    return from_matrix(np.stack([x, cross(z, x), z], axis=1))
