"""Fixed joint (weld): nothing is free."""

from __future__ import annotations

from typing import ClassVar

from ... import spatial
from ..values import Vec3
from .joint_type import LOCKED, JointType, Mask, world_pose


class Fixed(JointType, frozen=True, tag="fixed"):
    """A weld that keeps the two bodies as they start; its reaction is measured at ``anchor`` (m; body b by default)."""

    locked_translations: ClassVar[Mask] = LOCKED
    locked_rotations: ClassVar[Mask] = LOCKED

    anchor: Vec3 | None = None

    def world_frames(self, what: str, b: spatial.Pose) -> tuple[spatial.Pose, spatial.Pose]:
        x, y, z = b.position if self.anchor is None else self.anchor
        frame = world_pose((float(x), float(y), float(z)), (0.0, 0.0, 1.0), None, what)
        return frame, frame
