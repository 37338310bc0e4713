"""Comparison, truth values, selection, after IEC 61131-3: GT ... NE, AND ... NOT, SEL, MUX, MIN, MAX, LIMIT, MOVE."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import ClassVar

from .arithmetic import Several
from .block import (
    BOOL,
    COUNT,
    NUMBER,
    SAME,
    Block,
    Kind,
    Places,
    PythonFunction,
    Run,
    Wire,
    check_type,
    gives,
    takes,
)

TRUTH = gives(out=BOOL)


class Comparison(Block, frozen=True):
    """Base of comparisons of two signals of one unit."""

    ports = takes(in1=NUMBER, in2=NUMBER)
    outs = TRUTH
    compare: ClassVar[PythonFunction]

    in1: Wire
    in2: Wire

    def build(self, io: Places) -> Run:
        v, out, a, b, compare = io.values, io.out(), io["in1"], io["in2"], type(self).compare

        def run() -> None:
            v[out] = compare(v[a], v[b])

        return run


class Gt(Comparison, frozen=True, tag="gt"):
    """in1 > in2."""

    compare = staticmethod(operator.gt)


class Ge(Comparison, frozen=True, tag="ge"):
    """in1 >= in2."""

    compare = staticmethod(operator.ge)


class Le(Comparison, frozen=True, tag="le"):
    """in1 <= in2."""

    compare = staticmethod(operator.le)


class Lt(Comparison, frozen=True, tag="lt"):
    """in1 < in2."""

    compare = staticmethod(operator.lt)


class Eq(Comparison, frozen=True, tag="eq"):
    """in1 = in2, of numbers or truth values; real numbers are equal to the last bit or not at all."""

    ports = takes(in1=SAME, in2=SAME)
    compare = staticmethod(operator.eq)


class Ne(Comparison, frozen=True, tag="ne"):
    """in1 differs from in2."""

    ports = takes(in1=SAME, in2=SAME)
    compare = staticmethod(operator.ne)


class Truths(Several, frozen=True):
    """Base of blocks that join two or more truth values."""

    ports = takes(inputs=BOOL)
    outs = TRUTH


class And(Truths, frozen=True, tag="and"):
    """All inputs are true."""

    def build(self, io: Places) -> Run:
        v, out, places = io.values, io.out(), io.several("inputs")

        def run() -> None:
            for place in places:
                if not v[place]:
                    v[out] = False
                    return
            v[out] = True

        return run


class Or(Truths, frozen=True, tag="or"):
    """One input or more is true."""

    def build(self, io: Places) -> Run:
        v, out, places = io.values, io.out(), io.several("inputs")

        def run() -> None:
            for place in places:
                if v[place]:
                    v[out] = True
                    return
            v[out] = False

        return run


class Xor(Truths, frozen=True, tag="xor"):
    """An odd number of inputs is true."""

    def build(self, io: Places) -> Run:
        v, out, places = io.values, io.out(), io.several("inputs")

        def run() -> None:
            v[out] = sum([v[place] for place in places]) % 2 == 1

        return run


class Not(Block, frozen=True, tag="not"):
    """True when the input is false."""

    ports = takes(input=BOOL)
    outs = TRUTH

    input: Wire

    def build(self, io: Places) -> Run:
        v, out, x = io.values, io.out(), io["input"]

        def run() -> None:
            v[out] = not v[x]

        return run


class Sel(Block, frozen=True, tag="sel"):
    """in0 while g is false, in1 while it is true."""

    ports = takes(g=BOOL, in0=SAME, in1=SAME)
    outs = gives(out=SAME)

    g: Wire
    in0: Wire
    in1: Wire

    def build(self, io: Places) -> Run:
        v, out, g, no, yes = io.values, io.out(), io["g"], io["in0"], io["in1"]

        def run() -> None:
            v[out] = v[yes] if v[g] else v[no]

        return run


class Mux(Several, frozen=True, tag="mux"):
    """The input number k, counted from 0. A k without an input stops the run, naming the block."""

    ports = takes(k=COUNT, inputs=SAME)
    outs = gives(out=SAME)

    k: Wire

    def kinds(self, given: Mapping[str, Kind]) -> dict[str, Kind]:
        check_type(COUNT, given["k"], "k")
        return super().kinds({name: kind for name, kind in given.items() if name != "k"})

    def build(self, io: Places) -> Run:
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

    def build(self, io: Places) -> Run:
        v, out, places = io.values, io.out(), io.several("inputs")

        def run() -> None:
            v[out] = min([v[place] for place in places])

        return run


class Max(Several, frozen=True, tag="max"):
    """The largest of two or more signals."""

    def build(self, io: Places) -> Run:
        v, out, places = io.values, io.out(), io.several("inputs")

        def run() -> None:
            v[out] = max([v[place] for place in places])

        return run


class Limit(Block, frozen=True, tag="limit"):
    """The input, at least mn and at most mx: MIN(MAX(IN, MN), MX)."""

    ports = takes(mn=NUMBER, input=NUMBER, mx=NUMBER)

    mn: Wire
    input: Wire
    mx: Wire

    def build(self, io: Places) -> Run:
        v, out, low, x, high = io.values, io.out(), io["mn"], io["input"], io["mx"]

        def run() -> None:
            value, least, most = v[x], v[low], v[high]
            if value < least:
                value = least
            v[out] = most if value > most else value

        return run


class Move(Block, frozen=True, tag="move"):
    """The input itself, under another name."""

    ports = takes(input=SAME)
    outs = gives(out=SAME)

    input: Wire

    def build(self, io: Places) -> Run:
        v, out, x = io.values, io.out(), io["input"]

        def run() -> None:
            v[out] = v[x]

        return run


AnyLogic = Gt | Ge | Le | Lt | Eq | Ne | And | Or | Xor | Not | Sel | Mux | Min | Max | Limit | Move
