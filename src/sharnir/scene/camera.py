"""Cameras mounted on bodies: where an operator sees from. The physics does not know of them."""

from __future__ import annotations

import math

import numpy as np

from ..errors import SceneError
from .values import ORIGIN, Description, Vec3, direction, number, positive, vector

PARALLEL = 1e-3  # sine of the least angle between a camera's direction and what is up for it


class CameraSpec(Description, frozen=True):
    """What a scene file says of a camera: the ``body`` that carries it, its place and axes in that body's frame.

    ``position`` is in m; the lengths of ``direction`` and ``up`` do not matter. ``field_of_view`` (rad) is the angle
    between the lower and the upper edge of its picture. ``distortion`` are the coefficients (k1, k2) of its lens: what
    an ideal one shows at (x, y), tangents of the angles from the middle, is shown at (x, y) (1 + k1 r^2 + k2 r^4), r^2
    = x^2 + y^2, as calibrations have it; k1 below 0 bends lines outwards, as wide lenses do.
    """

    body: str
    position: Vec3 = ORIGIN
    direction: Vec3 = (1.0, 0.0, 0.0)
    up: Vec3 = (0.0, 0.0, 1.0)
    field_of_view: float = 1.0
    distortion: tuple[float, float] = (0.0, 0.0)


class Camera:
    """A camera of a scene, as returned by ``scene.camera``."""

    def __init__(self, name: str, spec: CameraSpec) -> None:
        self.name = name
        self.spec = spec
        what = f"camera '{name}'"
        vector(spec.position, f"{what} position (m)")
        ahead, up = direction(spec.direction, f"{what} direction"), direction(spec.up, f"{what} up")
        if float(np.linalg.norm(np.cross(ahead, up))) < PARALLEL:
            raise SceneError(f"{what} looks along {spec.direction}, which is up for it ({spec.up}); give another up")
        if positive(spec.field_of_view, f"{what} field_of_view (rad)") >= math.pi:
            raise SceneError(f"{what} field_of_view is {spec.field_of_view} rad; give less than pi")
        _check_lens(what, spec)

    def __repr__(self) -> str:
        return f"<camera '{self.name}'>"


def _check_lens(what: str, spec: CameraSpec) -> None:
    """Refuse a lens that shows two things in one place of a picture, up to the corners of one twice as wide as high."""
    k1, k2 = (number(value, f"{what} distortion") for value in spec.distortion)
    corner = math.sqrt(5.0) * math.tan(0.5 * spec.field_of_view)
    r = np.linspace(0.0, 20.0 * corner, 4001)
    rises = 1.0 + 3.0 * k1 * r**2 + 5.0 * k2 * r**4 > 0.05
    until = len(r) if rises.all() else int(np.argmin(rises))
    shown = r[:until] * (1.0 + k1 * r[:until] ** 2 + k2 * r[:until] ** 4)
    if shown[-1] < corner:
        raise SceneError(
            f"{what} distortion is {spec.distortion}, which folds a picture of {spec.field_of_view:g} rad over at its "
            f"corners; give numbers nearer to 0 or a smaller field_of_view"
        )
