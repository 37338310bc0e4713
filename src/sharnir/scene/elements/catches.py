"""Catches: what holds a coordinate of a joint by a bounded row of its own kind, such as a one-way clutch.

A kind is declared by its class here and by its device code, ``dynamics/rows/<tag>.py``. Its numbers are the arrays
``<tag>_<number>`` of the model, what it remembers from step to step the arrays ``<tag>_<number>`` of the memory.
"""

from __future__ import annotations

import math
from typing import ClassVar, Literal, get_args

from ...errors import SceneError
from ..values import Description, shown, units

Direction = Literal["up", "down"]
ON_TOOTH = 1e-6  # of a pitch: what is nearer to a tooth of a ratchet is on it


class Catch(Description, frozen=True, tag_field="type"):
    """One kind of catch, and what its device code needs to know of it."""

    NUMBERS: ClassVar[dict[str, str]]  # name -> unit and meaning
    MEMORY: ClassVar[dict[str, str]] = {}  # likewise; 0 at the start

    def numbers(self, start: float) -> dict[str, float]:
        """By name, on a coordinate that starts at ``start``, m or rad."""
        raise NotImplementedError


class OneWayClutch(Catch, frozen=True, tag="one_way_clutch"):
    """A one-way clutch, freewheel or backstop: the coordinate moves freely one way and is held against the other.

    ``free`` is the way that it is free: "up", to larger values, or "down". ``capacity`` (N or N m) is the effort above
    which it slips; None for never.
    """

    above_zero = units(capacity="N or N m")

    free: Direction = "up"
    capacity: float | None = None

    NUMBERS: ClassVar[dict[str, str]] = {"side": "1: free to go up, -1: down", "capacity": "N or N m"}

    def __post_init__(self) -> None:
        super().__post_init__()
        side_of(self.free, "OneWayClutch free")

    def numbers(self, start: float) -> dict[str, float]:
        """By name; where the coordinate starts, at ``start`` (m or rad), does not matter to them."""
        capacity = math.inf if self.capacity is None else self.capacity
        return {"side": side_of(self.free, "OneWayClutch free"), "capacity": capacity}


class Ratchet(Catch, frozen=True, tag="ratchet"):
    """A ratchet: the coordinate moves freely one way; back it goes to the last tooth that its pawl has passed.

    ``free`` is the way that it is free: "up", to larger values, or "down". ``pitch`` (m or rad) is from tooth to tooth;
    teeth are at its multiples.
    """

    above_zero = units(pitch="m or rad")

    pitch: float
    free: Direction = "up"

    NUMBERS: ClassVar[dict[str, str]] = {
        "side": "1: free to go up, -1: down",
        "pitch": "m or rad from tooth to tooth",
        "first": "number of the tooth that holds it at the start, counted along the free way",
    }
    MEMORY: ClassVar[dict[str, str]] = {
        "passed": "teeth since the start",
        "clearance": "m or rad beyond the last of them",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        side_of(self.free, "Ratchet free")

    def numbers(self, start: float) -> dict[str, float]:
        """By name, where the coordinate starts at ``start``, m or rad."""
        side = side_of(self.free, "Ratchet free")
        return {"side": side, "pitch": self.pitch, "first": math.floor(side * start / self.pitch + ON_TOOTH)}


def side_of(direction: str, what: str) -> float:
    """1 for up, -1 for down."""
    if direction not in get_args(Direction):
        raise SceneError(f"{what} is {shown(direction)}; give 'up' or 'down'")
    return 1.0 if direction == "up" else -1.0


CATCHES: tuple[type[Catch], ...] = (OneWayClutch, Ratchet)
AnyCatch = OneWayClutch | Ratchet
