"""What is only seen of machines: bars, plates and lamps, of shapes that neither weigh nor touch."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from .. import spatial
from ..scene.meshes import ConvexHull
from ..scene.shapes import AnyShape, Box, Capsule, Cylinder
from ..scene.values import Quat, Vec3, as_quat


class Finish(TypedDict, total=False):
    """Colour and surface of a shape."""

    color: str
    roughness: float
    metalness: float
    glow: float


STEEL: Finish = {"color": "#8b9298", "roughness": 0.4, "metalness": 0.75}
DARK: Finish = {"color": "#2b3034", "roughness": 0.6, "metalness": 0.3}
GLASS: Finish = {"color": "#1c262e", "roughness": 0.08, "metalness": 0.6}
WHITE_LIGHT: Finish = {"color": "#fff4d8", "roughness": 0.2, "glow": 0.9}
RED_LIGHT: Finish = {"color": "#d8261c", "roughness": 0.3, "glow": 0.45}


def painted(color: str) -> Finish:
    """Sheet metal with a coat of paint."""
    return {"color": color, "roughness": 0.42, "metalness": 0.25}


def bar(a: ArrayLike, b: ArrayLike, radius: float, finish: Finish = STEEL) -> Capsule:
    """A round bar with round ends between two points (m)."""
    middle, length, turn = _between(a, b)
    return Capsule(radius, length, position=middle, rotation=turn, collides=False, **finish)


def pipe(a: ArrayLike, b: ArrayLike, radius: float, finish: Finish = STEEL) -> Cylinder:
    """A cylinder between the middles (m) of its ends."""
    middle, length, turn = _between(a, b)
    return Cylinder(radius, length, position=middle, rotation=turn, collides=False, **finish)


def block(size: Vec3, at: Vec3, finish: Finish = DARK) -> Box:
    """A box of edge lengths (m) about a point."""
    return Box(*size, position=at, collides=False, **finish)


def plates(points: list[Vec3], finish: Finish) -> ConvexHull:
    """Flat plates around points (m)."""
    return ConvexHull(points=tuple(points), collides=False, **finish)


def hull(low: tuple[Vec3, Vec3], high: tuple[Vec3, Vec3], finish: Finish) -> ConvexHull:
    """Plates from a rectangle up to another one, each given by two opposite corners (m)."""
    corners = [(x, y, a[2]) for a, b in (low, high) for x in (a[0], b[0]) for y in (a[1], b[1])]
    return plates(corners, finish)


def lamp(at: Vec3, towards: Vec3, radius: float) -> list[AnyShape]:
    """A head lamp in its housing, which shines ``towards`` a direction at night."""
    place, way = np.array(at), np.array(towards) / np.linalg.norm(towards)
    return [
        pipe(place - 0.8 * radius * way, place, 1.15 * radius, DARK),
        pipe(place - 0.2 * radius * way, place + 0.1 * radius * way, radius, WHITE_LIGHT),
    ]


def _between(a: ArrayLike, b: ArrayLike) -> tuple[Vec3, float, Quat]:
    start, end = np.asarray(a, float), np.asarray(b, float)
    x, y, z = (0.5 * (start + end)).tolist()
    return (x, y, z), float(np.linalg.norm(end - start)), as_quat(spatial.frame_rotation(end - start))
