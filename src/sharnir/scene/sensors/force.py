"""Sensors of forces: at a joint, and where bodies touch."""

from __future__ import annotations

import math
from typing import ClassVar

from ..values import ORIGIN, Vec3, as_quat, positive, vector
from .sensor_type import QUIET, Carrier, Noise, Reading, ReadingKind, SensorType


class ForceTorque(SensorType, frozen=True, tag="force_torque"):
    """Force (N) and torque (N m, about the anchor) of a joint on its body b, in the joint's frame on b.

    It is what the locked axes carry: all six of a ``Fixed`` joint, which makes a load cell between two bodies.
    ``force_noise`` and ``torque_noise`` are added.
    """

    carrier: ClassVar[str] = "joint"

    force_noise: Noise = QUIET
    torque_noise: Noise = QUIET

    def readings(self, carrier: Carrier) -> tuple[Reading, ...]:
        turn = as_quat(carrier.frame_b.rotation)
        return (
            Reading("force", ReadingKind.FORCE, "N", self.force_noise, turn=turn),
            Reading("torque", ReadingKind.TORQUE, "N m", self.torque_noise, turn=turn),
        )


class PressurePad(SensorType, frozen=True, tag="pressure_pad"):
    """What touches a body within ``radius`` (m) of ``position`` (m, in its frame); anywhere on it if radius is None.

    ``force`` (N) is that on the body, in its axes. With a radius ``pressure`` (Pa) is the sum of all normal forces over
    the pad's area. ``noise`` is that of the force.
    """

    position: Vec3 = ORIGIN
    radius: float | None = None
    noise: Noise = QUIET

    def readings(self, carrier: Carrier) -> tuple[Reading, ...]:
        if self.radius is None:
            return (Reading("force", ReadingKind.TOUCH, "N", self.noise, size=math.inf),)
        area, size, place = math.pi * self.radius**2, self.radius, self.position
        spoilt = Noise(**{name: getattr(self.noise, name) / area for name in self.noise.__struct_fields__})
        return (
            Reading("force", ReadingKind.TOUCH, "N", self.noise, place=place, size=size),
            Reading("pressure", ReadingKind.PRESSURE, "Pa", spoilt, place=place, size=size, factor=1.0 / area),
        )

    def checked(self, what: str) -> None:
        super().checked(what)
        vector(self.position, f"{what} position (m)")
        if self.radius is not None:
            positive(self.radius, f"{what} radius (m)")
