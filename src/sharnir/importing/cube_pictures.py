"""Pictures on the six sides of a cube about a shape, as MuJoCo has them: surfaces cut where the sides meet.

A point of the surface shows what the ray to it from the middle meets on the cube. Sides and their axes are those of
cube maps in OpenGL.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..spatial import Array

# of each side: the axis that it faces, then those along which its picture runs to the right and down
SIDES: dict[str, tuple[tuple[int, int], tuple[int, int], tuple[int, int]]] = {
    "right": ((0, 1), (2, -1), (1, -1)),
    "left": ((0, -1), (2, 1), (1, -1)),
    "up": ((1, 1), (0, 1), (2, 1)),
    "down": ((1, -1), (0, 1), (2, -1)),
    "front": ((2, 1), (0, 1), (1, -1)),
    "back": ((2, -1), (0, -1), (1, -1)),
}
STRAIGHT = 0.01  # of a side's width: triangles that bend its picture by more are divided
MOST_DIVISIONS = 4
NUMBERS = 7  # of a corner: its place, its ray, and the number of the smooth part of the surface that it belongs to


class Wrapped(NamedTuple):
    """What of a surface lies on one side: ``uv`` of every vertex go from 0 to 1, to the right and down."""

    side: str
    vertices: Array
    triangles: Array
    uv: Array


def wrapped(vertices: Array, faces: Array, rays: Array, smooth: Array) -> Iterator[Wrapped]:
    """The parts of a surface, side by side.

    ``rays`` lead to the corners of every face [n, 3, 3] from the middle of the cube; faces of the same number in
    ``smooth`` [n] go over into each other without an edge.
    """
    numbers = np.broadcast_to(np.asarray(smooth, float)[:, None, None], (len(faces), 3, 1))
    corners = np.concatenate([vertices[faces], rays, numbers], axis=2)
    for side in SIDES:
        cut = _divided(_cut(corners, side), side)
        if len(cut):
            yield _indexed(cut, side)


def _cut(corners: Array, side: str) -> Array:
    """The triangles [n, 3, NUMBERS] of what lies within the pyramid of a side."""
    (axis, sign), *_ = SIDES[side]
    bounds = []
    for other in {0, 1, 2} - {axis}:
        for against in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis], normal[other] = sign, against
            bounds.append(normal)
    for normal in bounds:
        depth = corners[:, :, 3:6] @ normal
        inside = (depth >= 0.0).all(axis=1)
        split = ~inside & (depth > 0.0).any(axis=1)
        pieces = [_clipped(triangle, d) for triangle, d in zip(corners[split], depth[split], strict=True)]
        corners = np.concatenate([corners[inside], *pieces]) if pieces else corners[inside]
    return corners


def _clipped(triangle: Array, depth: Array) -> Array:
    """What of a triangle lies where the depth of its corners is above zero, as triangles."""
    kept = []
    for i in range(3):
        j = (i + 1) % 3
        if depth[i] >= 0.0:
            kept.append(triangle[i])
        if (depth[i] >= 0.0) != (depth[j] >= 0.0):
            kept.append(triangle[i] + depth[i] / (depth[i] - depth[j]) * (triangle[j] - triangle[i]))
    return np.array([[kept[0], kept[k], kept[k + 1]] for k in range(1, len(kept) - 1)]).reshape(-1, 3, NUMBERS)


def _divided(corners: Array, side: str) -> Array:
    """Triangles so small that the picture runs straight over each of them."""
    done = []
    for _ in range(MOST_DIVISIONS):
        middles = 0.5 * (corners + np.roll(corners, -1, axis=1))
        shown = _uv(corners, side)
        bent = np.abs(_uv(middles, side) - 0.5 * (shown + np.roll(shown, -1, axis=1))).max(axis=(1, 2)) > STRAIGHT
        done.append(corners[~bent])
        a, b, c = np.moveaxis(corners[bent], 1, 0)
        ab, bc, ca = np.moveaxis(middles[bent], 1, 0)
        quarters = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        corners = np.concatenate([np.stack(quarter, axis=1) for quarter in quarters])
    return np.concatenate([*done, corners])


def _uv(corners: Array, side: str) -> Array:
    (axis, sign), *across = SIDES[side]
    far = np.maximum(sign * corners[..., 3 + axis], 1e-12)
    return np.stack([0.5 * (1.0 + way * corners[..., 3 + along] / far) for along, way in across], axis=-1)


def _indexed(corners: Array, side: str) -> Wrapped:
    """Corners in the same place of the same smooth part are one vertex, so that light runs over it smoothly."""
    rows = np.concatenate([corners, _uv(corners, side)], axis=2).reshape(-1, NUMBERS + 2)
    keys = np.round(rows[:, [0, 1, 2, 6, 7, 8]], 9)
    _, first, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    triangles = np.reshape(index, (-1, 3))
    real = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
    return Wrapped(side, rows[first, :3], triangles[real], np.clip(rows[first, 7:], 0.0, 1.0))
