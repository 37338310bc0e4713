"""Range finder and lidar: beams that see what takes part in contact, except for their own body."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ... import spatial
from ...errors import SceneError
from ...spatial import Array
from ..values import ORIGIN, Vec3, as_quat, direction, positive, vector, whole
from .sensor_type import QUIET, Carrier, Noise, Reading, ReadingKind, SensorType

PARALLEL = 1e-3  # sine of the least angle between a beam and the axis of its fan


class RangeFinder(SensorType, frozen=True, tag="range_finder"):
    """How far (m) a beam goes from ``position`` (m) in ``direction``, both in the body's frame.

    It gives its ``reach`` (m), without ``noise``, where there is nothing nearer.
    """

    position: Vec3 = ORIGIN
    direction: Vec3 = (1.0, 0.0, 0.0)
    reach: float = 10.0
    noise: Noise = QUIET

    def readings(self, carrier: Carrier) -> tuple[Reading, ...]:
        return (beam("distance", self.position, self.direction, self.reach, self.noise),)

    def checked(self, what: str) -> None:
        super().checked(what)
        check_beam(self, what)


class Lidar(SensorType, frozen=True, tag="lidar"):
    """A fan of ``beams`` from ``position`` (m) about ``direction``, turned about ``up``, all in the body's frame.

    Beam 0 is at -``field_of_view``/2 (rad), the last one at the other edge; a fan of 2 pi has no beam twice. Beams that
    meet nothing give the ``reach`` (m), without ``noise``.
    """

    beams: int
    position: Vec3 = ORIGIN
    direction: Vec3 = (1.0, 0.0, 0.0)
    up: Vec3 = (0.0, 0.0, 1.0)
    field_of_view: float = 2.0 * math.pi
    reach: float = 10.0
    noise: Noise = QUIET

    def angles(self) -> Array:
        """The angles of the beams from ``direction``, rad, counterclockwise seen from ``up``."""
        whole_turn = self.field_of_view >= 2.0 * math.pi - 1e-9
        return np.linspace(-0.5, 0.5, self.beams, endpoint=not whole_turn) * self.field_of_view

    def readings(self, carrier: Carrier) -> tuple[Reading, ...]:
        ways = [spatial.rotate(spatial.about(self.up, angle), self.direction) for angle in self.angles().tolist()]
        return tuple(beam(str(i), self.position, way, self.reach, self.noise) for i, way in enumerate(ways))

    def checked(self, what: str) -> None:
        super().checked(what)
        whole(self.beams, f"{what} beams", 2)
        check_beam(self, what)
        ahead, up = np.array(self.direction), np.array(direction(self.up, f"{what} up"))
        if np.linalg.norm(np.cross(ahead, up)) < PARALLEL * np.linalg.norm(ahead) * np.linalg.norm(up):
            raise SceneError(f"{what} looks along {self.direction}, about which it turns ({self.up}); give another up")
        if positive(self.field_of_view, f"{what} field_of_view (rad)") > 2.0 * math.pi + 1e-9:
            raise SceneError(f"{what} field_of_view is {self.field_of_view} rad; give at most 2 pi")


def beam(name: str, position: Vec3, way: ArrayLike, reach: float, noise: Noise) -> Reading:
    """The reading of one beam; it goes along the x axis of its frame."""
    turn = as_quat(spatial.multiply(spatial.frame_rotation(way), Z_TO_X))
    return Reading(name, ReadingKind.BEAM, "m", noise, place=position, turn=turn, size=reach)


Z_TO_X = spatial.about((0, 1, 0), -math.pi / 2)  # the frame whose x axis lies along z


def check_beam(sensor: RangeFinder | Lidar, what: str) -> None:
    """Refuse a beam that goes nowhere."""
    vector(sensor.position, f"{what} position (m)")
    direction(sensor.direction, f"{what} direction")
    positive(sensor.reach, f"{what} reach (m)")
