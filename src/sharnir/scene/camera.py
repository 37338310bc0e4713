"""Cameras mounted on bodies: where an operator sees from. The physics does not know of them."""

from __future__ import annotations

import math

import numpy as np

from ..errors import SceneError
from .values import ORIGIN, Description, Vec3, direction, positive, vector

PARALLEL = 1e-3  # sine of the least angle between a camera's direction and what is up for it


class CameraSpec(Description, frozen=True):
    """What a scene file says of a camera: the ``body`` that carries it, its place and axes in that body's frame.

    ``position`` is in m; the lengths of ``direction`` and ``up`` do not matter. ``field_of_view`` (rad) is the angle
    between the lower and the upper edge of its picture.
    """

    body: str
    position: Vec3 = ORIGIN
    direction: Vec3 = (1.0, 0.0, 0.0)
    up: Vec3 = (0.0, 0.0, 1.0)
    field_of_view: float = 1.0


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

    def __repr__(self) -> str:
        return f"<camera '{self.name}'>"
