"""Lookup table, state machine and a Python function as a block."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import pairwise
from typing import Literal

from ...errors import SceneError, nearest
from ...scene.values import number, one_of, shown
from . import takes
from .block import (
    BOOL,
    CLOCK,
    SECONDS,
    Block,
    Places,
    Port,
    PythonFunction,
    SignalKind,
    Tick,
    Type,
    Wire,
    applied,
    check_type,
    gives,
    unit_field,
)

Between = Literal["linear", "step"]


class Table(Block, frozen=True, tag="table"):
    """A curve through ``points`` (x, y), x rising: straight between them, or a step at each x (``between: step``).

    Beyond its ends the curve stays at the last value. ``unit`` is that of y.
    """

    input: takes.Free
    points: tuple[tuple[float, float], ...]
    between: Between = "linear"
    unit: str = "1"

    def __post_init__(self) -> None:
        super().__post_init__()
        unit_field(self.unit, "table")
        one_of(self.between, Between, "table between")
        if not isinstance(self.points, tuple) or not self.points or any(len(point) != 2 for point in self.points):
            raise SceneError(f"table points are {shown(self.points)}; give pairs of numbers (x, y)")
        xs = [number(x, "table x") for x, _ in self.points]
        for _, y in self.points:
            number(y, "table y")
        if any(a >= b for a, b in pairwise(xs)):
            raise SceneError(f"table x are {shown(tuple(xs))}; each must be above the one before")

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        super().kinds(given)
        return {"out": SignalKind("real", self.unit)}

    def build(self, io: Places) -> Tick:
        v, out, u = io.values, io.out(), io["input"]
        xs, ys = ([float(point[i]) for point in self.points] for i in (0, 1))
        slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(self.points)] + [0.0]
        if self.between == "step":
            slopes = [0.0] * len(slopes)

        def run() -> None:
            now = v[u]
            i = bisect_right(xs, now) - 1
            v[out] = ys[0] if i < 0 else ys[i] + slopes[i] * (now - xs[i])

        return run


class Machine(Block, frozen=True, tag="machine"):
    """A state machine. Its outputs: ``state``, the number of the present state; one truth value per state, by the
    state's name; and ``time``, how long it has been there (s).

    A transition is (state, condition, next state), the condition being a truth signal. Of the transitions that leave
    the present state the first whose condition is true is taken, one in a tick. It starts in the first state.
    """

    states: tuple[str, ...]
    transitions: tuple[tuple[str, Wire, str], ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.states, tuple) or len(set(self.states)) != len(self.states) or len(self.states) < 2:
            raise SceneError(f"machine states are {shown(self.states)}; give two or more different names")
        for name in self.states:
            if not isinstance(name, str) or not name or "." in name or name in ("state", "time"):
                raise SceneError(f"machine has a state {name!r}; give a text without dots, not 'state' or 'time'")
        for leave, _, enter in self.transitions:
            for name in (leave, enter):
                if name not in self.states:
                    raise SceneError(f"machine has no state '{name}'{nearest(str(name), self.states)}")

    def wires(self) -> dict[str, Wire]:
        return {f"transitions[{i}]": condition for i, (_, condition, _) in enumerate(self.transitions)}

    def port(self, name: str) -> Port:
        return BOOL

    def outputs(self) -> tuple[str, ...]:
        return ("state", *self.states, "time")

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        for name, kind in given.items():
            check_type(BOOL, kind, name)
        states = dict.fromkeys(self.states, SignalKind("bool"))
        return {"state": SignalKind("int", "1"), **states, "time": SignalKind("real", "s")}

    def build(self, io: Places) -> Tick:
        v, x, h, m = io.values, io.memory, io.period, io.remember(0, 0)  # the state, ticks since it was entered
        number_out, time_out, truths = io.out("state"), io.out("time"), [io.out(name) for name in self.states]
        conditions = io.several("transitions")
        leaving: list[list[tuple[int, int]]] = [[] for _ in self.states]
        for place, (leave, _, enter) in zip(conditions, self.transitions, strict=True):
            leaving[self.states.index(leave)].append((place, self.states.index(enter)))

        def run() -> None:
            x[m + 1] += 1
            for condition, enter in leaving[x[m]]:
                if v[condition]:
                    v[truths[x[m]]] = False
                    x[m], x[m + 1] = enter, 0
                    break
            state = x[m]
            v[number_out], v[truths[state]], v[time_out] = state, True, x[m + 1] * h

        return run


class Function(Block, frozen=True, tag="function"):
    """A Python function of the inputs. It should depend on nothing else, so that a run can be repeated.

    A scene file holds its name only; the function itself is handed over in Python, by ``diagram.function(f, ...)`` or
    ``diagram.functions["name"] = f``. ``result`` is bool, int or real, and ``unit`` that of a number.
    """

    function: str
    inputs: takes.Anythings = ()
    result: Type = "real"
    unit: str = "1"

    def __post_init__(self) -> None:
        super().__post_init__()
        unit_field(self.unit, "function")
        one_of(self.result, Type, "function result")

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        return {"out": SignalKind(self.result, None if self.result == "bool" else self.unit)}

    def build_with(self, io: Places, function: PythonFunction) -> Tick:
        """The function of a tick."""
        convert: PythonFunction = {"bool": bool, "int": int, "real": float}[self.result]
        return applied(io, lambda *given: convert(function(*given)))


class Time(Block, frozen=True, tag="time"):
    """Simulated time, s."""

    outs = gives(out=SECONDS)

    def build(self, io: Places) -> Tick:
        v, out = io.values, io.out()

        def run() -> None:
            v[out] = v[CLOCK]

        return run


AnyTable = Table | Machine | Function | Time
