"""Latches, edges, timers and counters, after IEC 61131-3: SR, RS, R_TRIG, F_TRIG, TP, TON, TOF, CTU, CTD, CTUD.

Time is counted in ticks, so that a timer of 0.3 s at 0.1 s ends with the third tick after its start, whatever the
rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import getitem

from . import takes
from .block import BOOL, COUNT, SECONDS, Block, Places, Tick, gives

COUNT_MAX, COUNT_MIN = 2**31 - 1, -(2**31)  # PVmax and PVmin of the standard, those of DINT
PART_OF_TICK = 1e-6  # what a time may fall short of another by rounding


class Sr(Block, frozen=True, tag="sr"):
    """A latch where setting wins: q1 = s1 or (q1 and not r)."""

    outs = gives(q1=BOOL)

    s1: takes.Bool
    r: takes.Bool

    def build(self, io: Places) -> Tick:
        v, x, q, s, r, m = io.values, io.memory, io.out("q1"), io["s1"], io["r"], io.remember(False)

        def run() -> None:
            v[q] = x[m] = v[s] or (x[m] and not v[r])

        return run


class Rs(Block, frozen=True, tag="rs"):
    """A latch where resetting wins: q1 = not r1 and (s or q1)."""

    outs = gives(q1=BOOL)

    s: takes.Bool
    r1: takes.Bool

    def build(self, io: Places) -> Tick:
        v, x, q, s, r, m = io.values, io.memory, io.out("q1"), io["s"], io["r1"], io.remember(False)

        def run() -> None:
            v[q] = x[m] = not v[r] and (v[s] or x[m])

        return run


def rising_edge(io: Places, place: int) -> Callable[[], bool]:
    """A function that tells, once a tick, whether the truth value at a place has risen."""
    v, x, m = io.values, io.memory, io.remember(False)

    def rises() -> bool:
        before, x[m] = x[m], v[place]
        return bool(x[m] and not before)

    return rises


class RTrig(Block, frozen=True, tag="r_trig"):
    """True for one tick when clk rises; as in the standard, also in the first tick if clk is true there."""

    outs = gives(q=BOOL)

    clk: takes.Bool

    def build(self, io: Places) -> Tick:
        v, q, rises = io.values, io.out("q"), rising_edge(io, io["clk"])

        def run() -> None:
            v[q] = rises()

        return run


class FTrig(Block, frozen=True, tag="f_trig"):
    """True for one tick when clk falls; as in the standard, also in the first tick if clk is false there."""

    outs = gives(q=BOOL)

    clk: takes.Bool

    def build(self, io: Places) -> Tick:
        v, x, q, clk, m = io.values, io.memory, io.out("q"), io["clk"], io.remember(True)

        def run() -> None:
            now = v[clk]
            v[q] = x[m] and not now
            x[m] = now

        return run


class Timer(Block, frozen=True):
    """Base of the timers: ``pt`` is the time set (s), output ``et`` the time elapsed (s)."""

    outs = gives(q=BOOL, et=SECONDS)

    input: takes.Bool
    pt: takes.Seconds


class Ton(Timer, frozen=True, tag="ton"):
    """On-delay: q is true once the input has been true for pt. et runs up to pt and is 0 while the input is false."""

    def build(self, io: Places) -> Tick:
        v, x, h, q, et = io.values, io.memory, io.period, io.out("q"), io.out("et")
        on, pt, m = io["input"], io["pt"], io.remember(0)  # ticks since the input rose
        slack = PART_OF_TICK * h

        def run() -> None:
            if not v[on]:
                x[m], v[q], v[et] = 0, False, 0.0
                return
            elapsed, wanted = x[m] * h, v[pt]
            done = elapsed >= wanted - slack
            v[q], v[et] = done, wanted if done else elapsed
            x[m] += not done

        return run


class Tof(Timer, frozen=True, tag="tof"):
    """Off-delay: q is true with the input, and for pt after it fell. et runs while the input is false, up to pt."""

    def build(self, io: Places) -> Tick:
        v, x, h, q, et = io.values, io.memory, io.period, io.out("q"), io.out("et")
        on, pt, m = io["input"], io["pt"], io.remember(-1)  # ticks since the input fell; -1: not started
        slack = PART_OF_TICK * h

        def run() -> None:
            if v[on]:
                x[m], v[q], v[et] = 0, True, 0.0
                return
            if x[m] < 0:  # the input was never true
                v[q], v[et] = False, 0.0
                return
            elapsed, wanted = x[m] * h, v[pt]
            done = elapsed >= wanted - slack
            v[q], v[et] = not done, wanted if done else elapsed
            x[m] += not done

        return run


class Tp(Timer, frozen=True, tag="tp"):
    """Pulse: when the input rises q is true for pt, whatever the input does meanwhile. et stays at pt until the input
    is false again."""

    def build(self, io: Places) -> Tick:
        v, x, h, q, et = io.values, io.memory, io.period, io.out("q"), io.out("et")
        on, pt, m = io["input"], io["pt"], io.remember(-1, False)  # ticks since the start, or -1; the input before
        slack = PART_OF_TICK * h

        def run() -> None:
            now, ticks = v[on], x[m]
            if ticks < 0 and now and not x[m + 1]:
                ticks = 0
            x[m + 1] = now
            if ticks < 0:
                v[q], v[et] = False, 0.0
                return
            elapsed, wanted = ticks * h, v[pt]
            done = elapsed >= wanted - slack
            v[q], v[et] = not done, wanted if done else elapsed
            if done and not now:
                x[m], v[et] = -1, 0.0
            else:
                x[m] = ticks if done else ticks + 1

        return run


def counter(
    io: Places, *, up: str | None = None, down: str | None = None, zero: str | None = None, load: str | None = None
) -> Callable[[], int]:
    """A function that counts the edges of a tick and returns the count; the ports are those that the block has.

    ``zero`` sets it to 0 and wins over ``load``, which sets it to pv; edges up and down at once are none.
    """
    v, x, m, pv = io.values, io.memory, io.remember(0), io["pv"]
    rises, falls = (rising_edge(io, io[port]) if port else _never for port in (up, down))
    zeroes, loads = (partial(getitem, v, io[port]) if port else _never for port in (zero, load))

    def count() -> int:
        step = rises() - falls()  # both are asked, so that neither misses an edge
        if zeroes():
            x[m] = 0
        elif loads():
            x[m] = v[pv]
        elif COUNT_MIN <= x[m] + step <= COUNT_MAX:
            x[m] += step
        return int(x[m])

    return count


def _never() -> bool:
    return False


class Ctu(Block, frozen=True, tag="ctu"):
    """Counts rising edges of cu up to and beyond pv, where q becomes true; r sets the count cv to 0."""

    outs = gives(q=BOOL, cv=COUNT)

    cu: takes.Bool
    r: takes.Bool
    pv: takes.Count

    def build(self, io: Places) -> Tick:
        v, q, cv, pv, count = io.values, io.out("q"), io.out("cv"), io["pv"], counter(io, up="cu", zero="r")

        def run() -> None:
            v[cv] = count()
            v[q] = v[cv] >= v[pv]

        return run


class Ctd(Block, frozen=True, tag="ctd"):
    """Counts rising edges of cd down; ld sets the count cv to pv; q is true at 0 and below."""

    outs = gives(q=BOOL, cv=COUNT)

    cd: takes.Bool
    ld: takes.Bool
    pv: takes.Count

    def build(self, io: Places) -> Tick:
        v, q, cv, count = io.values, io.out("q"), io.out("cv"), counter(io, down="cd", load="ld")

        def run() -> None:
            v[cv] = count()
            v[q] = v[cv] <= 0

        return run


class Ctud(Block, frozen=True, tag="ctud"):
    """Counts up with cu and down with cd, neither when both rise at once; r sets cv to 0 and wins over ld, which sets
    it to pv. qu: cv >= pv; qd: cv <= 0."""

    outs = gives(qu=BOOL, qd=BOOL, cv=COUNT)

    cu: takes.Bool
    cd: takes.Bool
    r: takes.Bool
    ld: takes.Bool
    pv: takes.Count

    def build(self, io: Places) -> Tick:
        v, qu, qd, cv, pv = io.values, io.out("qu"), io.out("qd"), io.out("cv"), io["pv"]
        count = counter(io, up="cu", down="cd", zero="r", load="ld")

        def run() -> None:
            v[cv] = count()
            v[qu], v[qd] = v[cv] >= v[pv], v[cv] <= 0

        return run


AnyEvent = Sr | Rs | RTrig | FTrig | Tp | Ton | Tof | Ctu | Ctd | Ctud
