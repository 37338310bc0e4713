"""Cylindrical joint: one rotation and the translation along it are free."""

from __future__ import annotations

from typing import ClassVar

from ... import spatial
from ..values import ORIGIN, Vec3
from .joint_type import Coordinate, CoordinateKind, FreeAxes, JointType, Mask, world_pose


class Cylindrical(JointType, frozen=True, tag="cylindrical"):
    """A sleeve that turns about and slides along ``axis`` through ``anchor`` (m, world, at the start)."""

    locked_translations: ClassVar[Mask] = (True, True, False)
    locked_rotations: ClassVar[Mask] = (True, True, False)
    coordinates: ClassVar[tuple[Coordinate, ...]] = (
        Coordinate("angle", CoordinateKind.TWIST),
        Coordinate("displacement", CoordinateKind.SLIDE_Z),
    )
    free_axes: ClassVar[tuple[FreeAxes, ...]] = (FreeAxes("angle", False, (2,)), FreeAxes("displacement", True, (2,)))

    axis: Vec3 = (0.0, 0.0, 1.0)
    anchor: Vec3 = ORIGIN

    def world_frames(self, what: str, b: spatial.Pose) -> tuple[spatial.Pose, spatial.Pose]:
        frame = world_pose(self.anchor, self.axis, None, what)
        return frame, frame
