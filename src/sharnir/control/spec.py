"""What a scene file says of a diagram."""

from __future__ import annotations

import math
from typing import SupportsFloat

import msgspec

from ..errors import SceneError
from ..scene.values import Description, bounds, one_of, shown, units
from .blocks import AnyBlock, SignalKind, Type, Value, Wire
from .blocks.block import unit_field
from .sinks import AnySink


class InputSpec(Description, frozen=True):
    """An input of a diagram, worked by the operator, by a program, or by the diagram around.

    ``type`` is real, int or bool, ``unit`` that of a number, ``range`` its bounds, ``initial`` the value at the start
    (0 or false, within the range). ``choices`` are names for the values 0, 1, ... of an int. A ``momentary`` bool goes
    back to false when the operator lets go. ``note`` explains it to the operator.
    """

    type: Type = "real"
    unit: str = "1"
    range: tuple[float, float] | None = None
    initial: float | bool | None = None
    choices: tuple[str, ...] = ()
    momentary: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.type, Type, "input type")
        unit_field(self.unit, "input")
        if self.range is not None:
            bounds(self.range, "input range")
            if self.type == "bool" or None in self.range:
                raise SceneError(f"input range is {self.range}; give two numbers, to an input that is a number")
        if self.choices and self.type != "int":
            raise SceneError(f"input has choices and is {self.type}; choices are for type int")
        if self.initial is not None and self.accept(self.initial) != self.initial:
            raise SceneError(f"input initial is {shown(self.initial)}, outside its range {self.limits}")

    @property
    def kind(self) -> SignalKind:
        """What it carries."""
        return SignalKind(self.type, None if self.type == "bool" else self.unit)

    @property
    def limits(self) -> tuple[float, float] | None:
        """Its range; that of the choices where it has some."""
        return (0, len(self.choices) - 1) if self.choices else self.range

    @property
    def start(self) -> Value:
        """The value at the start."""
        return self.accept((False if self.type == "bool" else 0.0) if self.initial is None else self.initial)

    def accept(self, value: object) -> Value:
        """A value as the diagram takes it: of the input's type and within its range; SceneError if it is no value."""
        if self.type == "bool":
            if value not in (True, False):
                raise SceneError(f"is {shown(value)}; give True or False")
            return bool(value)
        if isinstance(value, (bool, str)) or not isinstance(value, SupportsFloat) or not math.isfinite(value):
            raise SceneError(f"is {shown(value)}; give a finite number")
        given = float(value)
        if self.limits is not None:
            given = float(min(max(given, self.limits[0]), self.limits[1]))
        return round(given) if self.type == "int" else given


Point = tuple[float, float]


class Note(Description, frozen=True):
    """A remark on the sheet of a diagram: ``text``, ``at`` its upper left corner, ``size`` its width and height."""

    text: str
    at: Point
    size: Point = (200.0, 80.0)


class Sheet(Description, frozen=True):
    """How a diagram lies on its sheet, in pixels, x to the right and y downwards. Nothing that runs depends on it.

    ``at`` has the upper left corners of inputs, blocks and outputs by name, ``outputs_at`` those of the outputs of a
    sub-diagram, which may be named as blocks are; what has no place is laid out by whoever draws it. ``notes`` are
    remarks to the reader.
    """

    at: dict[str, Point] = msgspec.field(default_factory=dict)
    outputs_at: dict[str, Point] = msgspec.field(default_factory=dict)
    notes: tuple[Note, ...] = ()


class SubDiagramSpec(Description, frozen=True):
    """A diagram to be used as a block: its ``inputs``, its ``blocks``, and the signals that are its ``outputs``.

    ``sheet`` tells where they lie when it is drawn.
    """

    inputs: dict[str, InputSpec] = msgspec.field(default_factory=dict)
    blocks: dict[str, AnyBlock] = msgspec.field(default_factory=dict)
    outputs: dict[str, Wire] = msgspec.field(default_factory=dict)
    sheet: Sheet | None = None


class DiagramSpec(Description, frozen=True):
    """A function-block diagram: ``inputs``, ``blocks`` and ``outputs`` by name.

    It is evaluated once in every ``period`` (s), a multiple of the simulation's step; without one, in every step.
    Where a block takes a signal, give the name of an input or block, "block.output" for its second and further
    outputs, or a number. ``diagrams`` are for use as blocks (type use). ``sheet`` tells where all of it lies when it is
    drawn.
    """

    above_zero = units(period="s")

    period: float | None = None
    inputs: dict[str, InputSpec] = msgspec.field(default_factory=dict)
    blocks: dict[str, AnyBlock] = msgspec.field(default_factory=dict)
    outputs: dict[str, AnySink] = msgspec.field(default_factory=dict)
    diagrams: dict[str, SubDiagramSpec] = msgspec.field(default_factory=dict)
    sheet: Sheet | None = None

    @classmethod
    def called(cls) -> str:
        return "diagram"
