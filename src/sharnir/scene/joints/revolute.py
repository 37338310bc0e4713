"""Revolute joint (hinge): one rotation is free."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from ... import spatial
from ..values import ORIGIN, Vec3, number
from .joint_type import LOCKED, Coordinate, CoordinateKind, Frame, FreeAxes, JointType, Mask, world_pose


class Revolute(JointType, frozen=True, tag="revolute"):
    """A hinge about ``axis`` through ``anchor``, both in world coordinates at the start.

    The angle (rad, turns counted) is ``drawn_at`` in the posture in which the bodies are drawn.
    """

    locked_translations: ClassVar[Mask] = LOCKED
    locked_rotations: ClassVar[Mask] = (True, True, False)
    coordinates: ClassVar[tuple[Coordinate, ...]] = (Coordinate("angle", CoordinateKind.TWIST),)
    free_axes: ClassVar[tuple[FreeAxes, ...]] = (FreeAxes("angle", False, (2,)),)

    axis: Vec3 = (0.0, 0.0, 1.0)
    anchor: Vec3 = ORIGIN
    drawn_at: float = 0.0

    def world_frames(self, what: str, b: spatial.Pose) -> tuple[spatial.Pose, spatial.Pose]:
        frame = world_pose(self.anchor, self.axis, None, what)
        back = spatial.Pose(np.zeros(3), spatial.about((0, 0, 1), -number(self.drawn_at, f"{what} drawn_at (rad)")))
        return frame @ back, frame

    def on_bodies(self, frame_a: Frame, frame_b: Frame, length: float) -> Self:
        return type(self)(frame_a=frame_a, frame_b=frame_b, drawn_at=self.drawn_at)
