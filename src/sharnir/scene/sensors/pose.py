"""Satellite navigation, motion capture: where a body is."""

from __future__ import annotations

from ..values import ORIGIN, Vec3, vector
from .sensor_type import QUIET, Carrier, Noise, Reading, ReadingKind, SensorType


class PoseSensor(SensorType, frozen=True, tag="pose"):
    """Where a point of a body is: ``position`` (m) in the body's frame is that of the antenna or marker.

    It gives ``position`` (m), ``velocity`` (m/s) and ``rotation``, the turn of the body from the world's axes as a
    rotation vector (rad), all in world axes, with ``position_noise``, ``velocity_noise`` and ``rotation_noise``.
    """

    position: Vec3 = ORIGIN
    position_noise: Noise = QUIET
    velocity_noise: Noise = QUIET
    rotation_noise: Noise = QUIET

    def readings(self, carrier: Carrier) -> tuple[Reading, ...]:
        return (
            Reading("position", ReadingKind.POSITION, "m", self.position_noise, place=self.position),
            Reading("velocity", ReadingKind.VELOCITY, "m/s", self.velocity_noise, place=self.position),
            Reading("rotation", ReadingKind.TURN, "rad", self.rotation_noise),
        )

    def checked(self, what: str) -> None:
        super().checked(what)
        vector(self.position, f"{what} position (m)")
