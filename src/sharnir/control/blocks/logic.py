"""Comparison, truth values, selection, after IEC 61131-3: GT ... NE, AND ... NOT, SEL, MUX, MIN, MAX, LIMIT, MOVE."""

from __future__ import annotations

import operator
from collections.abc import Mapping

from . import takes
from .arithmetic import Several
from .block import BOOL, COUNT, SAME, Block, Places, SignalKind, Tick, check_type, gives

TRUTH = gives(out=BOOL)


class Comparison(Block, frozen=True):
    """Base of comparisons of two signals of one unit."""

    outs = TRUTH

    in1: takes.Number
    in2: takes.Number


class Gt(Comparison, frozen=True, tag="gt"):
    """in1 > in2."""

    law = staticmethod(operator.gt)


class Ge(Comparison, frozen=True, tag="ge"):
    """in1 >= in2."""

    law = staticmethod(operator.ge)


class Le(Comparison, frozen=True, tag="le"):
    """in1 <= in2."""

    law = staticmethod(operator.le)


class Lt(Comparison, frozen=True, tag="lt"):
    """in1 < in2."""

    law = staticmethod(operator.lt)


class Equality(Block, frozen=True):
    """Base of comparisons of numbers or truth values."""

    outs = TRUTH

    in1: takes.Same
    in2: takes.Same


class Eq(Equality, frozen=True, tag="eq"):
    """in1 = in2, of numbers or truth values; real numbers are equal to the last bit or not at all."""

    law = staticmethod(operator.eq)


class Ne(Equality, frozen=True, tag="ne"):
    """in1 differs from in2."""

    law = staticmethod(operator.ne)


class Truths(Several, frozen=True):
    """Base of blocks that join two or more truth values."""

    outs = TRUTH

    inputs: takes.Bools


class And(Truths, frozen=True, tag="and"):
    """All inputs are true."""

    law = staticmethod(all)


class Or(Truths, frozen=True, tag="or"):
    """One input or more is true."""

    law = staticmethod(any)


class Xor(Truths, frozen=True, tag="xor"):
    """An odd number of inputs is true."""

    law = staticmethod(lambda truths: sum(truths) % 2 == 1)


class Not(Block, frozen=True, tag="not"):
    """True when the input is false."""

    outs = TRUTH
    law = staticmethod(operator.not_)

    input: takes.Bool


class Sel(Block, frozen=True, tag="sel"):
    """in0 while g is false, in1 while it is true."""

    outs = gives(out=SAME)
    law = staticmethod(lambda g, no, yes: yes if g else no)

    g: takes.Bool
    in0: takes.Same
    in1: takes.Same


class Mux(Several, frozen=True, tag="mux"):
    """The input number k, counted from 0. A k without an input stops the run, naming the block."""

    outs = gives(out=SAME)

    k: takes.Count
    inputs: takes.Sames

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        check_type(COUNT, given["k"], "k")
        return super().kinds({name: kind for name, kind in given.items() if name != "k"})

    def build(self, io: Places) -> Tick:
        v, out, k, places = io.values, io.out(), io["k"], io.several("inputs")
        count = len(places)

        def run() -> None:
            chosen = v[k]
            if not 0 <= chosen < count:
                raise ValueError(f"k is {chosen}, and there are inputs 0 to {count - 1}")
            v[out] = v[places[chosen]]

        return run


class Min(Several, frozen=True, tag="min"):
    """The smallest of two or more signals."""

    law = staticmethod(min)


class Max(Several, frozen=True, tag="max"):
    """The largest of two or more signals."""

    law = staticmethod(max)


class Limit(Block, frozen=True, tag="limit"):
    """The input, at least mn and at most mx: MIN(MAX(IN, MN), MX)."""

    law = staticmethod(lambda least, value, most: min(max(value, least), most))

    mn: takes.Number
    input: takes.Number
    mx: takes.Number


class Move(Block, frozen=True, tag="move"):
    """The input itself, under another name."""

    outs = gives(out=SAME)
    law = staticmethod(lambda value: value)

    input: takes.Same


AnyLogic = Gt | Ge | Le | Lt | Eq | Ne | And | Or | Xor | Not | Sel | Mux | Min | Max | Limit | Move
