"""Rulers: how far a point of a body has moved along an axis of another. The physics does not know of them."""

from __future__ import annotations

import msgspec
import numpy as np

from ..spatial import Array, Pose, conjugate, rotate
from .body import Body
from .quantity import Quantity, declared
from .values import ORIGIN, Description, Vec3, direction, number, vector


class RulerSpec(Description, frozen=True):
    """What a scene file says of a ruler: it lies on the first of the two bodies ``between`` which it measures.

    ``axis`` (any length) is in the axes of that body, ``point`` (m) in the frame of the other; it reads 0 where the
    point is ``zero`` (m) along the axis from the origin of the first body's frame, None for where it is at first.
    """

    between: tuple[str, str]
    axis: Vec3 = (0.0, 0.0, 1.0)
    point: Vec3 = ORIGIN
    zero: float | None = None


class Ruler:
    """A ruler of a scene, as returned by ``scene.ruler``."""

    def __init__(self, name: str, spec: RulerSpec, a: Body, b: Body) -> None:
        self.name, self.a, self.b = name, a, b
        what = f"ruler '{name}'"
        self.axis = np.array(direction(spec.axis, f"{what} axis"))
        self.axis /= np.linalg.norm(self.axis)
        self.point = np.array(vector(spec.point, f"{what} point (m)"))
        zero = float(self.along(a.pose, b.pose)) if spec.zero is None else number(spec.zero, f"{what} zero (m)")
        self.spec = msgspec.structs.replace(spec, zero=zero)
        self.zero = zero

    def __repr__(self) -> str:
        return f"<ruler '{self.name}' from '{self.a.name}' to '{self.b.name}'>"

    def along(self, a: Pose, b: Pose) -> Array:
        """How far the point is along the axis, m, with the bodies at the poses ``a`` and ``b``, or at many of them."""
        away = b.position + rotate(b.rotation, self.point) - a.position
        return np.asarray(rotate(conjugate(a.rotation), away) @ self.axis)

    @property
    def travel(self) -> Quantity:
        """How far the point is from where the ruler reads 0, m."""
        return declared("travel").address(self.name)
