"""What all sensors have: noise, sample rate and delay, and the readings they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

from ..values import ORIGIN, UPRIGHT, Description, Quat, Vec3, not_negative, number, positive, whole


class Noise(Description, frozen=True):
    """What a device adds to what it measures.

    ``density`` (unit of the reading per root of Hz) is that of white noise, of which the Allan deviation over T seconds
    is density/sqrt(T). ``walk`` (unit per root of s) is that of a bias that wanders, with walk sqrt(T/3). ``bias``
    (unit) is a constant. ``spread`` (unit) is the standard deviation of a further one, drawn when a world starts.
    """

    density: float = 0.0
    walk: float = 0.0
    bias: float = 0.0
    spread: float = 0.0

    def checked(self, what: str) -> None:
        """Refuse numbers that make no sense."""
        number(self.bias, f"{what} bias")
        for name in ("density", "walk", "spread"):
            not_negative(getattr(self, name), f"{what} {name}")


QUIET = Noise()
Carrier = Any  # what a sensor sits on: a body, a joint, or a pair of joint and coordinate


class ReadingKind(IntEnum):
    """What a reading is of, as the device knows it."""

    ACCELERATION = 0
    SPIN = 1
    COORDINATE = 2
    RATE = 3
    FORCE = 4
    TORQUE = 5
    TOUCH = 6
    PRESSURE = 7
    BEAM = 8
    POSITION = 9
    VELOCITY = 10
    TURN = 11


@dataclass(frozen=True)
class Reading:
    """One number, or one vector, that a sensor gives.

    ``place`` (m) and ``turn`` are those of the sensor's frame on its body. The reading is multiplied by ``factor``,
    cut to steps of ``resolution``; ``size`` is the radius of a pad or the reach of a beam, m.
    """

    name: str
    kind: ReadingKind
    unit: str
    noise: Noise = QUIET
    place: Vec3 = ORIGIN
    turn: Quat = UPRIGHT
    factor: float = 1.0
    resolution: float = 0.0
    size: float = 0.0

    @property
    def is_vector(self) -> bool:
        """Whether it has three components."""
        return self.kind not in (ReadingKind.COORDINATE, ReadingKind.RATE, ReadingKind.PRESSURE, ReadingKind.BEAM)


class SensorType(Description, frozen=True, tag_field="type", kw_only=True):
    """Base of all sensors.

    ``rate`` (Hz) is that of its samples, None for every step; what it gives is its latest sample that is older than
    ``delay`` (s). ``seed`` chooses other random numbers for the same noise. Both times must be multiples of the step.
    """

    carrier: ClassVar[str] = "body"  # what it sits on: a body, a joint or a coordinate

    rate: float | None = None
    delay: float = 0.0
    seed: int = 0

    def readings(self, carrier: Carrier) -> tuple[Reading, ...]:
        """What it gives, on what carries it: a body, a joint, or a pair of joint and coordinate."""
        raise NotImplementedError

    def checked(self, what: str) -> None:
        """Refuse numbers that make no sense."""
        if self.rate is not None:
            positive(self.rate, f"{what} rate (Hz)")
        not_negative(self.delay, f"{what} delay (s)")
        whole(self.seed, f"{what} seed", 0)
        for name in self.__struct_fields__:
            given = getattr(self, name)
            if isinstance(given, Noise):
                given.checked(f"{what} {name}")
