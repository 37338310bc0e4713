"""Distance joint (massless rod with ball ends): the distance of two points is kept."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from ... import spatial
from ...errors import SceneError
from ..values import ORIGIN, Vec3, positive, vector
from .joint_type import Basis, Coordinate, CoordinateKind, Frame, JointType, Mask


class Distance(JointType, frozen=True, tag="distance"):
    """Keeps ``anchor_a`` (m) on body a and ``anchor_b`` (m) on body b (world, at the start) ``length`` (m) apart.

    Without a length the distance at the start is kept.
    """

    locked_translations: ClassVar[Mask] = (False, False, True)
    basis: ClassVar[Basis] = Basis.RADIAL
    coordinates: ClassVar[tuple[Coordinate, ...]] = (Coordinate("distance", CoordinateKind.RADIAL),)

    anchor_a: Vec3 = ORIGIN
    anchor_b: Vec3 = ORIGIN
    length: float | None = None

    def world_frames(self, what: str, b: spatial.Pose) -> tuple[spatial.Pose, spatial.Pose]:
        first = np.array(vector(self.anchor_a, f"{what} anchor_a (m)"))
        second = np.array(vector(self.anchor_b, f"{what} anchor_b (m)"))
        if self.length is None and np.linalg.norm(second - first) < 1e-9:
            raise SceneError(f"{what}: its two anchors coincide; give them a distance, or use Spherical")
        return spatial.Pose(first, spatial.IDENTITY), spatial.Pose(second, spatial.IDENTITY)

    def radial_length(self, frame_a: spatial.Pose, frame_b: spatial.Pose) -> float:
        if self.length is not None:
            return self.length
        return float(np.linalg.norm(frame_b.position - frame_a.position))

    def on_bodies(self, frame_a: Frame, frame_b: Frame, length: float) -> Self:
        return type(self)(frame_a=frame_a, frame_b=frame_b, length=length)

    def frames(self, what: str, a: spatial.Pose, b: spatial.Pose) -> tuple[spatial.Pose, spatial.Pose]:
        if self.length is not None:
            positive(self.length, f"{what} length (m)")
        return super().frames(what, a, b)
