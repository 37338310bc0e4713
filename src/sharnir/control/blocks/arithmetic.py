"""Arithmetic, after IEC 61131-3: ADD, SUB, MUL, DIV, MOD, EXPT; and gains, which change units."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from fractions import Fraction

from ...errors import SceneError
from ..units import product, same_unit
from . import takes
from .block import (
    ANY_NUMBER,
    Block,
    Places,
    PythonFunction,
    SignalKind,
    Tick,
    applied,
    check_type,
    unit_field,
    widest_type,
)

LARGEST = 2**53  # of whole numbers: beyond it they are no longer told apart from real ones


def bounded(io: Places, run: Tick) -> Tick:
    """A function whose result, if it is a whole number, must not grow without end."""
    if not io.whole:
        return run
    v, out = io.values, io.out()

    def checked() -> None:
        run()
        if not -LARGEST <= v[out] <= LARGEST:
            raise OverflowError("the whole number is larger than 2^53")

    return checked


def gathered(io: Places, law: PythonFunction) -> Tick:
    """The function of a tick that hands all equal inputs to a law, as one list."""
    v, out, places = io.values, io.out(), io.several("inputs")

    def run() -> None:
        v[out] = law([v[place] for place in places])

    return run


class Several(Block, frozen=True):
    """Base of blocks with two or more equal inputs; their law takes a list."""

    inputs: takes.Numbers

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.inputs, tuple) or len(self.inputs) < 2:
            raise SceneError(f"{self.tag()} inputs are {self.inputs!r}; give two or more signals")

    def build(self, io: Places) -> Tick:
        return gathered(io, type(self).law)


class Add(Several, frozen=True, tag="add"):
    """The sum of two or more signals of one unit."""

    def build(self, io: Places) -> Tick:
        return bounded(io, applied(io, operator.add) if len(self.inputs) == 2 else gathered(io, sum))


class Sub(Block, frozen=True, tag="sub"):
    """in1 - in2."""

    in1: takes.Number
    in2: takes.Number

    def build(self, io: Places) -> Tick:
        return bounded(io, applied(io, operator.sub))


class Mul(Several, frozen=True, tag="mul"):
    """The product of two or more signals; their units are multiplied."""

    inputs: takes.AnyNumbers

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        unit = "1"
        for name, kind in given.items():
            check_type(ANY_NUMBER, kind, name)
            unit = product(unit, kind.unit or "1")
        return {"out": SignalKind(widest_type([kind.type for kind in given.values()]), unit)}

    def build(self, io: Places) -> Tick:
        return bounded(io, applied(io, operator.mul) if len(self.inputs) == 2 else gathered(io, math.prod))


class Div(Block, frozen=True, tag="div"):
    """in1/in2; of two whole numbers the quotient towards zero. Dividing by zero stops the run, naming the block."""

    in1: takes.AnyNumber
    in2: takes.AnyNumber

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        over, under = given["in1"], given["in2"]
        check_type(ANY_NUMBER, over, "in1")
        check_type(ANY_NUMBER, under, "in2")
        return {
            "out": SignalKind(widest_type([over.type, under.type]), product(over.unit or "1", under.unit or "1", -1))
        }

    def build(self, io: Places) -> Tick:
        return applied(io, _whole_quotient if io.whole else operator.truediv)


def _whole_quotient(over: int, under: int) -> int:
    whole = abs(over) // abs(under)
    return whole if (over < 0) == (under < 0) else -whole


class Mod(Block, frozen=True, tag="mod"):
    """What in1/in2 leaves: in1 - in2 trunc(in1/in2), with the sign of in1; 0 when in2 is 0."""

    in1: takes.Number
    in2: takes.Number

    def build(self, io: Places) -> Tick:
        return applied(io, _whole_rest if io.whole else lambda over, under: math.fmod(over, under) if under else 0.0)


def _whole_rest(over: int, under: int) -> int:
    rest = abs(over) % abs(under) if under else 0
    return rest if over >= 0 else -rest


class Expt(Block, frozen=True, tag="expt"):
    """in1 to the power of in2. A signal with a unit takes a plain number as its power."""

    law = staticmethod(math.pow)

    in1: takes.AnyNumber
    in2: takes.PureNumber

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        base = given["in1"].unit or "1"
        super().kinds(given)
        if same_unit(base, "1"):
            return {"out": SignalKind("real", "1")}
        if isinstance(self.in2, str):
            raise SceneError(f"in1 is in {base} and the power is a signal; give a number as in2, or a signal in 1")
        return {"out": SignalKind("real", product("1", base, Fraction(float(self.in2)).limit_denominator(2)))}


class Gain(Block, frozen=True, tag="gain"):
    """k times a signal. With ``unit`` the result is in that unit: a gain is how units change."""

    law = staticmethod(operator.mul)

    input: takes.AnyNumber
    k: takes.AnyNumber
    unit: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unit is not None:
            unit_field(self.unit, "gain")

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        super().kinds(given)
        k = given["k"].unit or "1"
        unit = given["input"].unit
        return {"out": SignalKind("real", self.unit or (None if unit is None else product(unit, k)))}


AnyArithmetic = Add | Sub | Mul | Div | Mod | Expt | Gain
