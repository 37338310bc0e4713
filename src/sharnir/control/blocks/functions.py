"""Functions of one signal, after IEC 61131-3: ABS, SQRT, EXP, LN, LOG, SIN ... ATAN; and ATAN2 and the sign."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from ..units import product
from . import takes
from .block import PURE, Block, Port, SignalKind, gives


class OfOne(Block, frozen=True):
    """Base of functions of one signal."""

    input: takes.Number


class Abs(OfOne, frozen=True, tag="abs"):
    """The value without its sign."""

    law = staticmethod(abs)


class Sqrt(OfOne, frozen=True, tag="sqrt"):
    """The square root. A negative input stops the run, naming the block."""

    law = staticmethod(math.sqrt)

    input: takes.AnyNumber

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        super().kinds(given)
        unit = given["input"].unit
        return {"out": SignalKind("real", None if unit is None else product("1", unit, Fraction(1, 2)))}


class Pure(OfOne, frozen=True):
    """Base of functions of a number without a unit (or an angle)."""

    outs = gives(out=PURE)

    input: takes.PureNumber


class Exp(Pure, frozen=True, tag="exp"):
    """e to the power of the input."""

    law = staticmethod(math.exp)


class Ln(Pure, frozen=True, tag="ln"):
    """The natural logarithm."""

    law = staticmethod(math.log)


class Log(Pure, frozen=True, tag="log"):
    """The logarithm to base 10."""

    law = staticmethod(math.log10)


class Sin(Pure, frozen=True, tag="sin"):
    """The sine of an angle in rad."""

    law = staticmethod(math.sin)


class Cos(Pure, frozen=True, tag="cos"):
    """The cosine of an angle in rad."""

    law = staticmethod(math.cos)


class Tan(Pure, frozen=True, tag="tan"):
    """The tangent of an angle in rad."""

    law = staticmethod(math.tan)


ANGLE = Port("real", "rad")


class Asin(Pure, frozen=True, tag="asin"):
    """The angle whose sine is the input, rad."""

    outs = gives(out=ANGLE)
    law = staticmethod(math.asin)


class Acos(Pure, frozen=True, tag="acos"):
    """The angle whose cosine is the input, rad."""

    outs = gives(out=ANGLE)
    law = staticmethod(math.acos)


class Atan(Pure, frozen=True, tag="atan"):
    """The angle whose tangent is the input, rad."""

    outs = gives(out=ANGLE)
    law = staticmethod(math.atan)


class Atan2(Block, frozen=True, tag="atan2"):
    """The angle of the point (in2, in1), rad: of y/x in all four quadrants."""

    outs = gives(out=ANGLE)
    law = staticmethod(math.atan2)

    in1: takes.Number
    in2: takes.Number


class Sign(OfOne, frozen=True, tag="sign"):
    """-1, 0 or 1."""

    outs = gives(out=Port("int", "1"))
    law = staticmethod(lambda x: (x > 0) - (x < 0))


AnyFunction = Abs | Sqrt | Exp | Ln | Log | Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sign
