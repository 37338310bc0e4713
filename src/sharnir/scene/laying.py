"""Where the nodes and elements of a rope lie at the start."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from .. import spatial
from ..errors import SceneError
from .values import Vec3

EXACT = 1e-9  # of the length: a rope this little too short is only rounded


def laid_out(
    what: str, path: tuple[Vec3, ...], length: float | None, elements: int, down: spatial.Array
) -> spatial.Array:
    """The nodes of a rope along its path: straight or as an arc between two points, from point to point otherwise."""
    points = np.array(path, float)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if steps.min() <= 0.0 and not (len(points) == 2 and length is not None):
        raise SceneError(f"{what} path has the same point twice; drop one of them")
    if len(points) == 2:
        return _between(what, points[0], points[1], length, elements, down)
    if length is not None and abs(length - steps.sum()) > 1e-6 * length:
        raise SceneError(
            f"{what} length is {length:g} m, its path {steps.sum():g} m; leave length out, or give two points only"
        )
    if elements < len(steps):
        raise SceneError(f"{what} has {elements} elements on a path of {len(steps)} pieces; give at least as many")
    places = [np.linspace(0.0, 1.0, count, endpoint=False) for count in _shared_out(elements, steps)]
    pieces = [a + share[:, None] * (b - a) for share, (a, b) in zip(places, pairwise(points), strict=True)]
    return np.concatenate([*pieces, points[-1:]])


def _shared_out(elements: int, steps: spatial.Array) -> list[int]:
    """How many elements each piece of a path gets: at least one, and more the longer they would be."""
    counts = np.ones(len(steps), int)
    for _ in range(elements - len(steps)):
        counts[np.argmax(steps / counts)] += 1
    return [int(count) for count in counts]


def _between(
    what: str, start: spatial.Array, end: spatial.Array, length: float | None, elements: int, down: spatial.Array
) -> spatial.Array:
    apart = float(np.linalg.norm(end - start))
    wanted = apart if length is None else length
    if wanted < apart * (1 - EXACT):
        raise SceneError(
            f"{what} is {wanted:g} m long but its ends are {apart:g} m apart, {apart - wanted:g} m more; "
            "make it longer, or move its ends together"
        )
    share = np.linspace(0.0, 1.0, elements + 1)[:, None]
    if wanted <= apart * (1 + EXACT) or elements == 1:
        return start + share * (end - start)
    return _arc(start, end, wanted, elements, down)


def _arc(start: spatial.Array, end: spatial.Array, length: float, elements: int, down: spatial.Array) -> spatial.Array:
    """Equal chords of a circle through both ends, bulging downwards.

    n chords of length l, each turned by t against the one before, span l sin(n t/2)/sin(t/2): t by bisection.
    """
    chord = length / elements
    apart = float(np.linalg.norm(end - start))
    low, high = 0.0, 2.0 * math.pi / elements
    for _ in range(200):
        turn = 0.5 * (low + high)
        span = chord * math.sin(elements * turn / 2) / math.sin(turn / 2)
        low, high = (turn, high) if span > apart else (low, turn)
    angles = turn * (np.arange(elements) - (elements - 1) / 2)
    ahead = (end - start) / apart if apart > EXACT * length else spatial.perpendicular(down)
    sag = down - ahead * (down @ ahead)
    if np.linalg.norm(sag) < 1e-6:  # the ends are above each other: any side will do
        sag = spatial.perpendicular(ahead)
    sag = sag / np.linalg.norm(sag)
    steps = chord * (np.cos(angles)[:, None] * ahead - np.sin(angles)[:, None] * sag)
    nodes = start + np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    nodes[-1] = end
    return nodes


def transported_frames(nodes: spatial.Array, twist: float) -> spatial.Array:
    """Orientations of the elements with z along them.

    Each is turned from the last by the bend alone, and about its own axis by its share of the twist (rad) of the rope;
    half a share is left at either end.
    """
    ahead = np.diff(nodes, axis=0)
    ahead = ahead / np.linalg.norm(ahead, axis=1)[:, None]
    frames = [spatial.frame_rotation(ahead[0])]
    for before, after in pairwise(ahead):
        frames.append(spatial.multiply(turned_onto(before, after), frames[-1]))
    shares = twist * (np.arange(len(ahead)) + 0.5) / len(ahead)
    wound = [spatial.about(axis, share) for axis, share in zip(ahead, shares, strict=True)]
    return spatial.multiply(np.array(wound), np.array(frames))


def turned_onto(before: spatial.Array, after: spatial.Array) -> spatial.Array:
    """The smallest rotation that turns one unit vector onto another."""
    q = np.append(spatial.cross(before, after), 1.0 + before @ after)
    norm = np.linalg.norm(q)
    return q / norm if norm > 1e-9 else np.append(spatial.perpendicular(before), 0.0)
