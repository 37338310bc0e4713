"""Delay, integral, derivative and PID. h is the control period (s), k counts ticks, u is the input."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import SceneError
from . import takes
from .block import FREE, SAME, Block, Places, Port, SignalKind, Tick, Value, check_wire, gives, unit_field
from .filters import share


class Delay(Block, frozen=True, tag="delay"):
    """The input of the tick before; ``initial`` in the first. Its input may depend on its output: it breaks loops."""

    outs = gives(out=SAME)
    late = ("input",)

    input: takes.Same
    initial: float | bool = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_wire(self.initial, "delay initial")

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        is_bool = isinstance(self.initial, bool)
        if "input" in given and (given["input"].type == "bool") != is_bool:
            raise SceneError(f"input is {given['input'].type}, initial is {self.initial!r}; give both of one type")
        kind = given.get("input", SignalKind("bool" if is_bool else "real"))
        return {"out": kind}

    def build(self, io: Places) -> tuple[Tick, Tick]:
        is_bool = isinstance(self.initial, bool)
        initial: Value = self.initial if is_bool else int(self.initial) if io.whole else float(self.initial)
        v, x, out, u, m = io.values, io.memory, io.out(), io["input"], io.remember(initial)

        def run() -> None:
            v[out] = x[m]

        def end() -> None:
            x[m] = v[u]

        return run, end


class Integral(Block, frozen=True, tag="integral"):
    """The integral of a signal that is held between ticks: y(k+1) = y(k) + h u(k), kept within mn and mx.

    While r1 is true the output is x0. Its input may depend on its output.
    """

    outs = gives(out=Port("real", "u s"))
    late = ("input",)

    input: takes.Real
    r1: takes.Bool = False
    x0: takes.Free = 0.0
    mn: takes.Free = -1e300
    mx: takes.Free = 1e300

    def build(self, io: Places) -> tuple[Tick, Tick]:
        v, x, h, out, m = io.values, io.memory, io.period, io.out(), io.remember(None)
        u, r1, x0, low, high = io["input"], io["r1"], io["x0"], io["mn"], io["mx"]

        def run() -> None:
            value = v[x0] if v[r1] or x[m] is None else x[m]
            v[out] = x[m] = min(max(value, v[low]), v[high])

        def end() -> None:
            x[m] += h * v[u]

        return run, end


class Derivative(Block, frozen=True, tag="derivative"):
    """(u(k) - u(k-1))/h through a low pass with the time constant tf (s); 0 in the first tick."""

    outs = gives(out=Port("real", "u/s"))

    input: takes.Real
    tf: takes.Seconds = 0.0

    def build(self, io: Places) -> Tick:
        v, x, h, out = io.values, io.memory, io.period, io.out()
        u, tf, m = io["input"], io["tf"], io.remember(None, 0.0)

        def run() -> None:
            now = v[u]
            raw = 0.0 if x[m] is None else (now - x[m]) / h
            x[m] = now
            x[m + 1] += share(h, v[tf]) * (raw - x[m + 1])
            v[out] = x[m + 1]

        return run


class Pid(Block, frozen=True, tag="pid"):
    """out = kp e + ki (integral of e) - kd (rate of pv), within mn and mx, with e = sp - pv.

    The rate of pv goes through a low pass with the time constant tf (s); the set point does not kick it. The integral
    stands still while the output is at a bound and e drives it further out (no windup). While ``auto`` is false the
    output is x0, and the integral follows it, so that the change back is without a bump. ``unit`` is that of the
    output, of mn, mx and x0; kp is in that unit per unit of pv, ki and kd likewise with 1/s and s.
    """

    outs = gives(out=FREE)

    sp: takes.Real
    pv: takes.Real
    kp: takes.Free
    ki: takes.Free = 0.0
    kd: takes.Free = 0.0
    tf: takes.Seconds = 0.0
    mn: takes.Free = -1.0
    mx: takes.Free = 1.0
    auto: takes.Bool = True
    x0: takes.Free = 0.0
    unit: str = "1"

    def __post_init__(self) -> None:
        super().__post_init__()
        unit_field(self.unit, "pid")

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        super().kinds(given)
        return {"out": SignalKind("real", self.unit)}

    def build(self, io: Places) -> Tick:
        v, x, h, out = io.values, io.memory, io.period, io.out()
        m = io.remember(0.0, None, 0.0, None, 1.0)  # the integral, pv before, its rate; tf and its share of a period
        sp, pv, kp, ki, kd, tf = (io[port] for port in ("sp", "pv", "kp", "ki", "kd", "tf"))
        low, high, auto, x0 = (io[port] for port in ("mn", "mx", "auto", "x0"))

        def run() -> None:
            now = v[pv]
            error = v[sp] - now
            proportional = v[kp] * error
            if v[kd]:
                raw = 0.0 if x[m + 1] is None else (now - x[m + 1]) / h
                if v[tf] != x[m + 3]:
                    x[m + 3], x[m + 4] = v[tf], share(h, v[tf])
                x[m + 2] += x[m + 4] * (raw - x[m + 2])
                proportional -= v[kd] * x[m + 2]
            x[m + 1] = now
            if not v[auto]:
                v[out] = min(max(v[x0], v[low]), v[high])
                x[m] = v[out] - proportional
                return
            growth = v[ki] * error * h
            asked = proportional + x[m] + growth
            held = v[low] if asked < v[low] else v[high] if asked > v[high] else asked
            if (asked - held) * growth <= 0.0:
                x[m] += growth
            v[out] = held

        return run


AnyDynamic = Delay | Integral | Derivative | Pid
