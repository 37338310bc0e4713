"""Strut: a line between two points that locks nothing; it carries a spring or, by its limits, is a tether."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ... import spatial
from ...errors import SceneError
from ..values import ORIGIN, Vec3, vector
from .joint_type import Basis, Coordinate, CoordinateKind, JointType


class Strut(JointType, frozen=True, tag="strut"):
    """The line from ``anchor_a`` (m) on body a to ``anchor_b`` (m) on body b (world, at the start).

    Its ``length`` (m) is free; it may carry a spring, and limits.
    """

    basis: ClassVar[Basis] = Basis.RADIAL
    coordinates: ClassVar[tuple[Coordinate, ...]] = (Coordinate("length", CoordinateKind.RADIAL),)

    anchor_a: Vec3 = ORIGIN
    anchor_b: Vec3 = ORIGIN

    def world_frames(self, what: str, b: spatial.Pose) -> tuple[spatial.Pose, spatial.Pose]:
        first = np.array(vector(self.anchor_a, f"{what} anchor_a (m)"))
        second = np.array(vector(self.anchor_b, f"{what} anchor_b (m)"))
        if np.linalg.norm(second - first) < 1e-9:
            raise SceneError(f"{what}: its two anchors coincide, so it has no direction; move one of them")
        return spatial.Pose(first, spatial.IDENTITY), spatial.Pose(second, spatial.IDENTITY)
