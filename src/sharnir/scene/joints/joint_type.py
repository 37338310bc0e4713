"""What a joint type is: two frames and a mask.

Each joint has a frame on body a and one on body b. Of the six relative axes (translations along and rotations about
the frame's x, y, z) a type locks some and leaves the others free. No layer below knows joint types by name.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar, NamedTuple, Self

import numpy as np

from ... import spatial
from ...errors import SceneError
from ..values import ORIGIN, Description, Vec3, direction, vector

Mask = tuple[bool, bool, bool]

FREE: Mask = (False, False, False)
LOCKED: Mask = (True, True, True)


class CoordinateKind(IntEnum):
    """How a free coordinate is measured; one device function per kind, in ``dynamics/coordinates.py``."""

    SLIDE_X = 0  # displacement of b's frame along a's x axis
    SLIDE_Y = 1
    SLIDE_Z = 2
    TWIST = 3  # 2 atan2(q_z, q_w), turns counted
    CARDAN_X = 4  # rotation about a's x axis, then ...
    CARDAN_Y = 5  # ... about b's y axis, turns counted
    SWING_X = 6  # components of the swing vector
    SWING_Y = 7
    SWING = 8  # its length: the angle between the two z axes
    RADIAL = 9  # distance between the two origins

    @property
    def is_linear(self) -> bool:
        """Whether the coordinate is a length (m) rather than an angle (rad)."""
        return self <= CoordinateKind.SLIDE_Z or self == CoordinateKind.RADIAL

    @property
    def is_turn(self) -> bool:
        """Whether the coordinate is an angle that can make whole turns, which a simulation counts."""
        return CoordinateKind.TWIST <= self <= CoordinateKind.CARDAN_Y

    @property
    def is_swing(self) -> bool:
        """Whether the coordinate belongs to the swing of a ball joint."""
        return CoordinateKind.SWING_X <= self <= CoordinateKind.SWING


class Coordinate(NamedTuple):
    """A free coordinate of a joint type: its name and how it is measured."""

    name: str
    kind: CoordinateKind

    @property
    def unit(self) -> str:
        """The coordinate's unit."""
        return "m" if self.kind.is_linear else "rad"


class FreeAxes(NamedTuple):
    """Free axes that share one friction bound: linear or angular, and which of x, y, z."""

    name: str
    is_linear: bool
    axes: tuple[int, ...]

    @property
    def unit(self) -> str:
        """The unit of friction impulses here."""
        return "N s" if self.is_linear else "N m s"


class Basis(IntEnum):
    """Which way the locked axes point."""

    FRAME = 0  # along the axes of a's frame
    CARDAN = 1  # rotations: a's x axis, b's y axis, and the locked one square to both
    RADIAL = 2  # translations: z from a's origin to b's


class Frame(Description, frozen=True):
    """A frame on a body, in the body's own coordinates.

    Its origin is at ``position`` (m), its z axis along ``axis``, its x axis along ``reference`` made square to it; the
    lengths of these two vectors do not matter.
    """

    position: Vec3 = ORIGIN
    axis: Vec3 = (0.0, 0.0, 1.0)
    reference: Vec3 | None = None

    @classmethod
    def at(cls, pose: spatial.Pose) -> Frame:
        """The frame that has a pose in the body."""
        (px, py, pz), (xx, xy, xz), (zx, zy, zz) = (
            column.tolist() for column in (pose.position, *spatial.matrix(pose.rotation).T[[0, 2]])
        )
        return cls(position=(px, py, pz), axis=(zx, zy, zz), reference=(xx, xy, xz))

    def pose(self, what: str) -> spatial.Pose:
        """The frame as a pose in the body."""
        return _pose(self.position, self.axis, self.reference, what)


class JointType(Description, frozen=True, tag_field="type"):
    """Base of all joint types.

    Where the joint sits is given once in world coordinates, for the start (``anchor``, m, and whatever axis the type
    has, a vector of any length), or as ``frame_a`` and ``frame_b`` in the coordinates of the two bodies.
    """

    locked_translations: ClassVar[Mask] = FREE
    locked_rotations: ClassVar[Mask] = FREE
    basis: ClassVar[Basis] = Basis.FRAME
    coordinates: ClassVar[tuple[Coordinate, ...]] = ()
    free_axes: ClassVar[tuple[FreeAxes, ...]] = ()

    frame_a: Frame | None = None
    frame_b: Frame | None = None

    def world_frames(self, what: str, b: spatial.Pose) -> tuple[spatial.Pose, spatial.Pose]:
        """The two joint frames in world coordinates at the start, when they are not given on the bodies."""
        raise NotImplementedError

    @classmethod
    def keeps_length(cls) -> bool:
        """Whether the distance between the two origins is locked."""
        return cls.basis == Basis.RADIAL and any(cls.locked_translations)

    def radial_length(self, frame_a: spatial.Pose, frame_b: spatial.Pose) -> float:
        """The distance that a radial lock keeps (m), from the two world frames at the start."""
        return 0.0

    def on_bodies(self, frame_a: Frame, frame_b: Frame, length: float) -> Self:
        """This joint with its place given on the bodies instead of in the world; a radial lock keeps ``length`` (m)."""
        return type(self)(frame_a=frame_a, frame_b=frame_b)

    def frames(self, what: str, a: spatial.Pose, b: spatial.Pose) -> tuple[spatial.Pose, spatial.Pose]:
        """The joint's frame on each body, in that body's coordinates."""
        if (self.frame_a is None) != (self.frame_b is None):
            raise SceneError(f"{what}: only one of frame_a and frame_b is given; give both, or an anchor")
        if self.frame_a is not None and self.frame_b is not None:
            return self.frame_a.pose(f"{what} frame_a"), self.frame_b.pose(f"{what} frame_b")
        world_a, world_b = self.world_frames(what, b)
        return a.inverse() @ world_a, b.inverse() @ world_b


def world_pose(anchor: Vec3, axis: Vec3, reference: Vec3 | None, what: str) -> spatial.Pose:
    """A world frame at an anchor with z along an axis, the numbers checked."""
    return _pose(vector(anchor, f"{what} anchor (m)"), axis, reference, what)


def _pose(position: Vec3, axis: Vec3, reference: Vec3 | None, what: str) -> spatial.Pose:
    z = np.array(direction(axis, f"{what} axis"))
    if reference is not None:
        x = np.array(direction(reference, f"{what} reference"))
        if np.linalg.norm(np.cross(z, x)) < 1e-9 * np.linalg.norm(z) * np.linalg.norm(x):
            raise SceneError(f"{what}: reference {reference} lies along axis {axis}; give one that does not")
    at = np.array(vector(position, f"{what} position (m)"))
    return spatial.Pose(at, spatial.frame_rotation(axis, reference))
