"""Conversion between types, after IEC 61131-3, and constants."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import SceneError
from . import takes
from .block import BOOL, SAME, Block, Places, Port, SignalKind, Tick, Value, check_wire, gives, unit_field


class Conversion(Block, frozen=True):
    """Base of conversions between types."""

    input: takes.Same


class ToReal(Conversion, frozen=True, tag="to_real"):
    """As a real number: false is 0, true is 1."""

    outs = gives(out=Port("real", "u"))
    law = staticmethod(float)


class ToInt(Conversion, frozen=True, tag="to_int"):
    """As a whole number, halves to the even one: 0.5 gives 0, 1.5 gives 2."""

    outs = gives(out=Port("int", "u"))
    law = staticmethod(round)


class ToBool(Conversion, frozen=True, tag="to_bool"):
    """True when it differs from zero."""

    outs = gives(out=BOOL)
    law = staticmethod(bool)


class Trunc(Conversion, frozen=True, tag="trunc"):
    """As a whole number, cut towards zero."""

    outs = gives(out=Port("int", "u"))
    law = staticmethod(int)

    input: takes.Number


class Constant(Block, frozen=True, tag="constant"):
    """A number with a unit, or a truth value."""

    outs = gives(out=SAME)

    value: float | bool
    unit: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.value, str):
            raise SceneError(f"constant value is '{self.value}'; give a number or a truth value")
        check_wire(self.value, "constant value")
        if self.unit is not None:
            unit_field(self.unit, "constant")

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        kind = literal_kind(self.value)
        return {"out": SignalKind(kind.type, None if kind.type == "bool" else self.unit)}

    def build(self, io: Places) -> Tick:
        v, out, value = io.values, io.out(), literal(self.value, float(self.value).is_integer())

        def run() -> None:
            v[out] = value

        return run


def literal(wire: float | bool, whole: bool) -> Value:
    """A number written in place of a signal's name, as the diagram holds it."""
    return wire if isinstance(wire, bool) else int(wire) if whole else float(wire)


def literal_kind(wire: float | bool) -> SignalKind:
    """What it carries: whole numbers fit int and real inputs."""
    return SignalKind("bool" if isinstance(wire, bool) else "int" if float(wire).is_integer() else "real")


AnyConversion = ToReal | ToInt | ToBool | Trunc | Constant
