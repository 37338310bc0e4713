"""Sensors of a joint's coordinate: encoder and tachometer."""

from __future__ import annotations

from typing import ClassVar, Literal

from ...errors import SceneError
from ..elements.drive import DcDrive
from ..joint import Joint
from ..joints import Coordinate
from ..values import not_negative
from .sensor_type import QUIET, Carrier, Noise, Reading, ReadingKind, SensorType

Side = Literal["load", "motor"]


class Encoder(SensorType, frozen=True, tag="encoder"):
    """Counts marks of a coordinate that are ``resolution`` apart (rad or m): the last mark passed; 0 reads all between.

    On the ``side`` of the motor, before a drive's gear, it reads ratio times the coordinate. Where a gear has backlash
    its two sides are coordinates of their own: put it on either. Its ``noise`` comes before the count.
    """

    carrier: ClassVar[str] = "coordinate"

    resolution: float = 0.0
    side: Side = "load"
    noise: Noise = QUIET

    def readings(self, carrier: Carrier) -> tuple[Reading, ...]:
        factor, unit = seen_from(self.side, *carrier)
        return (
            Reading("position", ReadingKind.COORDINATE, unit, self.noise, factor=factor, resolution=self.resolution),
        )

    def checked(self, what: str) -> None:
        super().checked(what)
        not_negative(self.resolution, f"{what} resolution (rad or m)")


class Tachometer(SensorType, frozen=True, tag="tachometer"):
    """The rate of a coordinate, rad/s or m/s, with ``noise``; on the ``side`` of the motor, ratio times as fast."""

    carrier: ClassVar[str] = "coordinate"

    side: Side = "load"
    noise: Noise = QUIET

    def readings(self, carrier: Carrier) -> tuple[Reading, ...]:
        factor, unit = seen_from(self.side, *carrier)
        return (Reading("rate", ReadingKind.RATE, f"{unit}/s", self.noise, factor=factor),)


def seen_from(side: str, joint: Joint, coordinate: Coordinate) -> tuple[float, str]:
    """What a coordinate is multiplied by, and the unit, on a side of its gear."""
    if side == "load":
        return 1.0, coordinate.unit
    if coordinate.name not in joint.drives:
        raise SceneError(
            f"{joint!r} has no drive on '{coordinate.name}', so there is no motor's side; give it a drive, or "
            "leave side out"
        )
    drive = joint.drives[coordinate.name]
    motor = drive if isinstance(drive, DcDrive) else drive.drive
    return float(motor.ratio), "rad"
