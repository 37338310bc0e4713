"""Spherical joint (ball): all rotations are free."""

from __future__ import annotations

from typing import ClassVar

from ... import spatial
from ..values import ORIGIN, Vec3
from .joint_type import LOCKED, Coordinate, CoordinateKind, FreeAxes, JointType, Mask, world_pose


class Spherical(JointType, frozen=True, tag="spherical"):
    """A ball joint at ``anchor``. ``axis`` is the twist axis and ``reference`` the first swing axis, for limits."""

    locked_translations: ClassVar[Mask] = LOCKED
    coordinates: ClassVar[tuple[Coordinate, ...]] = (
        Coordinate("twist", CoordinateKind.TWIST),
        Coordinate("swing_x", CoordinateKind.SWING_X),
        Coordinate("swing_y", CoordinateKind.SWING_Y),
        Coordinate("swing", CoordinateKind.SWING),
    )
    free_axes: ClassVar[tuple[FreeAxes, ...]] = (FreeAxes("rotation", False, (0, 1, 2)),)

    anchor: Vec3 = ORIGIN
    axis: Vec3 = (0.0, 0.0, 1.0)
    reference: Vec3 | None = None

    def world_frames(self, what: str, b: spatial.Pose) -> tuple[spatial.Pose, spatial.Pose]:
        frame = world_pose(self.anchor, self.axis, self.reference, what)
        return frame, frame
