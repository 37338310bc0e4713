"""Filters and shapers: low and high pass, average, rate limiter, dead zone, hysteresis.

h is the control period (s), k counts ticks, u is the input.
"""

from __future__ import annotations

import math

from ...errors import SceneError
from . import takes
from .block import BOOL, REAL, Block, Places, Tick, gives


def share(h: float, time_constant: float) -> float:
    """How much of the way to its input a first-order lag goes in a period: 1 - exp(-h/T)."""
    return 1.0 if time_constant <= 0.0 else -math.expm1(-h / time_constant)


class LowPass(Block, frozen=True, tag="low_pass"):
    """First order, time constant t (s): y(k) = y(k-1) + (1 - exp(-h/t)) (u(k) - y(k-1)); starts at the input."""

    outs = gives(out=REAL)

    input: takes.Real
    t: takes.Seconds

    def build(self, io: Places) -> Tick:
        v, x, h, out, u, t, m = (
            io.values,
            io.memory,
            io.period,
            io.out(),
            io["input"],
            io["t"],
            io.remember(None, None, 1.0),
        )

        def run() -> None:
            now = v[u]
            if v[t] != x[m + 1]:
                x[m + 1], x[m + 2] = v[t], share(h, v[t])
            before = now if x[m] is None else x[m]
            v[out] = x[m] = before + x[m + 2] * (now - before)

        return run


class HighPass(Block, frozen=True, tag="high_pass"):
    """The input less its low pass with the time constant t (s)."""

    outs = gives(out=REAL)

    input: takes.Real
    t: takes.Seconds

    def build(self, io: Places) -> Tick:
        v, x, h, out, u, t, m = io.values, io.memory, io.period, io.out(), io["input"], io["t"], io.remember(None)

        def run() -> None:
            now = v[u]
            before = now if x[m] is None else x[m]
            x[m] = before + share(h, v[t]) * (now - before)
            v[out] = now - x[m]

        return run


class Average(Block, frozen=True, tag="average"):
    """The mean of the last ``count`` inputs; of as many as there were at the beginning."""

    outs = gives(out=REAL)

    input: takes.Real
    count: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.count, int) or not 1 <= self.count <= 100_000:
            raise SceneError(f"average count is {self.count!r}; give a whole number from 1 to 100000")

    def build(self, io: Places) -> Tick:
        v, x, out, u, count = io.values, io.memory, io.out(), io["input"], self.count
        m = io.remember(0, *[0.0] * count)  # how many came in; the last ones

        def run() -> None:
            x[m + 1 + x[m] % count] = v[u]
            x[m] += 1
            filled = min(x[m], count)
            v[out] = math.fsum(x[m + 1 : m + 1 + filled]) / filled

        return run


class RateLimit(Block, frozen=True, tag="rate_limit"):
    """Follows the input, rising by ``rise`` and falling by ``fall`` a second at most; starts from ``initial``.

    Without ``fall`` it falls as fast as it rises.
    """

    outs = gives(out=REAL)

    input: takes.Real
    rise: takes.Free
    fall: takes.Free = -1.0
    initial: float = 0.0

    def build(self, io: Places) -> Tick:
        v, x, h, out, m = io.values, io.memory, io.period, io.out(), io.remember(float(self.initial))
        u, rise, fall = io["input"], io["rise"], io["fall"]

        def run() -> None:
            up = h * v[rise]
            down = h * v[fall]
            if down < 0.0:
                down = up
            before, now = x[m], v[u]
            if now > before + up:
                now = before + up
            elif now < before - down:
                now = before - down
            v[out] = x[m] = now

        return run


class DeadZone(Block, frozen=True, tag="dead_zone"):
    """0 while the input is within +-width, beyond that the input less the width, so that there is no jump."""

    outs = gives(out=REAL)
    law = staticmethod(lambda now, w: now - w if now > w else now + w if now < -w else 0.0)

    input: takes.Real
    width: takes.Real


class Hysteresis(Block, frozen=True, tag="hysteresis"):
    """True once in1 > in2 + eps, false once in1 < in2 - eps, unchanged between."""

    outs = gives(q=BOOL)

    in1: takes.Number
    in2: takes.Number
    eps: takes.Number

    def build(self, io: Places) -> Tick:
        v, x, q, m = io.values, io.memory, io.out("q"), io.remember(False)
        a, b, eps = io["in1"], io["in2"], io["eps"]

        def run() -> None:
            difference, e = v[a] - v[b], v[eps]
            v[q] = x[m] = difference >= -e if x[m] else difference > e

        return run


AnyFilter = LowPass | HighPass | Average | RateLimit | DeadZone | Hysteresis
