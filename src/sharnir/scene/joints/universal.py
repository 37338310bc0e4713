"""Universal joint (Cardan, Hooke): two crossed rotations are free."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ... import spatial
from ...errors import SceneError
from ..values import ORIGIN, Vec3, direction
from .joint_type import LOCKED, Basis, Coordinate, CoordinateKind, FreeAxes, JointType, Mask, world_pose


class Universal(JointType, frozen=True, tag="universal"):
    """A cross at ``anchor``: ``axis_a`` is held by body a, ``axis_b`` by body b, square to each other.

    ``angle_a`` turns about the first, ``angle_b`` about the second (rad).
    """

    locked_translations: ClassVar[Mask] = LOCKED
    locked_rotations: ClassVar[Mask] = (False, False, True)
    basis: ClassVar[Basis] = Basis.CARDAN
    coordinates: ClassVar[tuple[Coordinate, ...]] = (
        Coordinate("angle_a", CoordinateKind.CARDAN_X),
        Coordinate("angle_b", CoordinateKind.CARDAN_Y),
    )
    free_axes: ClassVar[tuple[FreeAxes, ...]] = (FreeAxes("angle_a", False, (0,)), FreeAxes("angle_b", False, (1,)))

    axis_a: Vec3 = (1.0, 0.0, 0.0)
    axis_b: Vec3 = (0.0, 1.0, 0.0)
    anchor: Vec3 = ORIGIN

    def world_frames(self, what: str, b: spatial.Pose) -> tuple[spatial.Pose, spatial.Pose]:
        first = np.array(direction(self.axis_a, f"{what} axis_a"))
        second = np.array(direction(self.axis_b, f"{what} axis_b"))
        cosine = first @ second / (np.linalg.norm(first) * np.linalg.norm(second))
        if abs(cosine) > 1e-6:
            angle = np.degrees(np.arccos(cosine))
            raise SceneError(f"{what}: axis_a and axis_b are {angle:.3f}° apart; a universal joint needs 90°")
        x, y, z = np.cross(first, second)
        frame = world_pose(self.anchor, (float(x), float(y), float(z)), self.axis_a, what)
        return frame, frame
