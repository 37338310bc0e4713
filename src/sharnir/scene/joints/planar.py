"""Planar joint: two translations in a plane and the rotation about its normal are free."""

from __future__ import annotations

from typing import ClassVar

from ... import spatial
from ..values import ORIGIN, Vec3
from .joint_type import Coordinate, CoordinateKind, FreeAxes, JointType, Mask, world_pose


class Planar(JointType, frozen=True, tag="planar"):
    """Body b slides and turns in the plane through ``anchor`` (m, world, at the start).

    The direction of its z axis is ``normal``, that of its x axis ``reference``.
    """

    locked_translations: ClassVar[Mask] = (False, False, True)
    locked_rotations: ClassVar[Mask] = (True, True, False)
    coordinates: ClassVar[tuple[Coordinate, ...]] = (
        Coordinate("x", CoordinateKind.SLIDE_X),
        Coordinate("y", CoordinateKind.SLIDE_Y),
        Coordinate("angle", CoordinateKind.TWIST),
    )
    free_axes: ClassVar[tuple[FreeAxes, ...]] = (FreeAxes("slide", True, (0, 1)), FreeAxes("angle", False, (2,)))

    normal: Vec3 = (0.0, 0.0, 1.0)
    anchor: Vec3 = ORIGIN
    reference: Vec3 | None = None

    def world_frames(self, what: str, b: spatial.Pose) -> tuple[spatial.Pose, spatial.Pose]:
        frame = world_pose(self.anchor, self.normal, self.reference, what)
        return frame, frame
