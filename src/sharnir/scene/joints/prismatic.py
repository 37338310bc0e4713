"""Prismatic joint (slider): one translation is free."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ... import spatial
from ..values import ORIGIN, Vec3, number
from .joint_type import LOCKED, Coordinate, CoordinateKind, FreeAxes, JointType, Mask, world_pose


class Prismatic(JointType, frozen=True, tag="prismatic"):
    """A slider along ``axis`` through ``anchor``, both in world coordinates at the start.

    The displacement (m) is ``drawn_at`` in the posture in which the bodies are drawn.
    """

    locked_translations: ClassVar[Mask] = (True, True, False)
    locked_rotations: ClassVar[Mask] = LOCKED
    coordinates: ClassVar[tuple[Coordinate, ...]] = (Coordinate("displacement", CoordinateKind.SLIDE_Z),)
    free_axes: ClassVar[tuple[FreeAxes, ...]] = (FreeAxes("displacement", True, (2,)),)

    axis: Vec3 = (0.0, 0.0, 1.0)
    anchor: Vec3 = ORIGIN
    drawn_at: float = 0.0

    def world_frames(self, what: str, b: spatial.Pose) -> tuple[spatial.Pose, spatial.Pose]:
        frame = world_pose(self.anchor, self.axis, None, what)
        back = spatial.Pose(np.array([0.0, 0.0, -number(self.drawn_at, f"{what} drawn_at (m)")]), spatial.IDENTITY)
        return frame @ back, frame
