"""What a block is: named inputs and outputs with types and units, and a closure that computes one from the other.

All values of a running diagram lie in one flat list, all memories in another. A block is built once into a function
without arguments that reads and writes its own places in them; a tick calls these functions in order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, get_origin

import msgspec

from ...errors import SceneError
from ...scene.values import Description, shown
from ..units import checked_unit, product, same_unit

Type = Literal["bool", "int", "real"]
Value = float | bool  # int is a float to the type checker
Memory = list[Any]  # numbers and truth values; blocks may keep other things in theirs
PythonFunction = Callable[..., object]  # of signals, one argument each
Wire = float | bool | str  # a number or a truth value, or the name of the signal that is connected: "pid", "timer.et"
Tick = Callable[[], None]

CLOCK = 0  # the place of the simulated time (s) among the values


class SignalKind(NamedTuple):
    """What a signal carries. The unit None is that of a bare number, which fits any unit."""

    type: Type
    unit: str | None = None

    def __str__(self) -> str:
        return self.type if self.type == "bool" or self.unit is None else f"{self.type} in {self.unit}"


class Port(NamedTuple):
    """What an input takes or an output gives.

    ``type`` is bool, int, real, number (int or real) or any; outputs of type number or any are of the widest type that
    came in. ``unit`` is a unit; "u" where all ports marked so agree, also "u s" and "u/s" for outputs; or "*": any.
    """

    type: Literal["bool", "int", "real", "number", "any"]
    unit: str = "*"


def gives(**ports: Port) -> Mapping[str, Port]:
    """The outputs of a block, in order."""
    return MappingProxyType(ports)


BOOL, COUNT, SECONDS = Port("bool"), Port("int", "1"), Port("real", "s")
REAL, NUMBER, SAME = Port("real", "u"), Port("number", "u"), Port("any", "u")
FREE, ANY_NUMBER, ANY = Port("real"), Port("number"), Port("any")
PURE, PURE_NUMBER = Port("real", "1"), Port("number", "1")


class Places:
    """Where a block being built finds its values and keeps its memory."""

    def __init__(
        self,
        values: Memory,
        memory: Memory,
        inputs: Mapping[str, int],
        outputs: Mapping[str, int],
        period: float,
        whole: bool,
    ) -> None:
        self.values, self.memory, self.period = values, memory, period
        self.whole = whole  # all numbers that come in are of type int
        self._inputs, self._outputs = inputs, outputs

    def __getitem__(self, port: str) -> int:
        return self._inputs[port]

    def inputs(self) -> list[int]:
        """The places of all inputs, in order."""
        return list(self._inputs.values())

    def several(self, port: str) -> list[int]:
        """The places of an input that takes a list of signals."""
        return [place for name, place in self._inputs.items() if name.partition("[")[0] == port]

    def out(self, port: str = "out") -> int:
        """The place of an output."""
        return self._outputs[port]

    def remember(self, *initial: object) -> int:
        """Take memory with initial values and return the place of the first."""
        place = len(self.memory)
        self.memory.extend(initial)
        return place


class Block(Description, frozen=True, tag_field="type"):
    """Base of all blocks. Fields that are inputs, such as ``input: takes.Real``, take a signal's name or a number; the
    first output has the block's name, the others a name after a dot."""

    outs: ClassVar[Mapping[str, Port]] = gives(out=NUMBER)
    late: ClassVar[tuple[str, ...]] = ()  # inputs that do not reach the outputs within the tick
    law: ClassVar[PythonFunction]  # the output as a function of the inputs, of blocks where there is no more to it

    def __post_init__(self) -> None:
        super().__post_init__()
        for port, wire in self.wires().items():
            check_wire(wire, f"{self.tag()} {port}")

    @classmethod
    def tag(cls) -> str:
        """The block's type as a scene file names it."""
        return str(cls.__struct_config__.tag)

    @classmethod
    def ports(cls) -> Mapping[str, Port]:
        """What its inputs take, in order, a list of signals last."""
        return _ports_of(cls)

    def wires(self) -> dict[str, Wire]:
        """What is connected to each input; items of a list as ``inputs[0]`` and so on."""
        found: dict[str, Wire] = {}
        for port in self.ports():
            given = getattr(self, port)
            if isinstance(given, tuple):
                found |= {f"{port}[{i}]": wire for i, wire in enumerate(given)}
            else:
                found[port] = given
        return found

    def outputs(self) -> tuple[str, ...]:
        """The names of the outputs."""
        return tuple(self.outs)

    def late_inputs(self) -> tuple[str, ...]:
        """The inputs that do not reach the outputs within the tick."""
        return self.late

    def port(self, name: str) -> Port:
        """What an input takes."""
        return self.ports()[name.partition("[")[0]]

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        """What the outputs carry, given what the inputs carry; raises SceneError where they do not fit."""
        unit: str | None = None
        types: list[Type] = []
        for name, kind in given.items():
            port = self.port(name)
            check_type(port, kind, name)
            if kind.type != "bool":
                unit = _agreed(port.unit, kind.unit, unit, name)
            if port.type in ("number", "any"):
                types.append(kind.type)
        widest = widest_type(types)
        return {name: SignalKind(_type_of(port, widest), _unit_of(port.unit, unit)) for name, port in self.outs.items()}

    def build(self, io: Places) -> Tick | tuple[Tick, Tick]:
        """The function of a tick; with late inputs also the one that takes them in at its end."""
        return applied(io, type(self).law)


@cache
def _ports_of(block: type[Block]) -> Mapping[str, Port]:
    types = {field.name: field.type for field in msgspec.structs.fields(block)}
    found = {name: kind.__metadata__[0] for name, kind in types.items() if get_origin(kind) is Annotated}
    return {name: found[name] for name in sorted(found, key=lambda name: name == "inputs")}


def applied(io: Places, law: PythonFunction) -> Tick:
    """The function of a tick that hands all inputs to a law, one argument each."""
    v, out, places = io.values, io.out(), io.inputs()
    if len(places) == 1:
        x = places[0]

        def of_one() -> None:
            v[out] = law(v[x])

        return of_one
    if len(places) == 2:
        a, b = places

        def of_two() -> None:
            v[out] = law(v[a], v[b])

        return of_two

    def of_all() -> None:
        v[out] = law(*[v[place] for place in places])

    return of_all


def check_wire(wire: object, what: str) -> None:
    """Refuse what is neither a signal's name, nor a finite number, nor a truth value."""
    if isinstance(wire, str):
        if not wire:
            raise SceneError(f"{what} is an empty text; give the name of a signal, or a number")
    elif not isinstance(wire, (bool, int, float)) or not math.isfinite(wire):
        raise SceneError(f"{what} is {shown(wire)}; give the name of a signal, a finite number or a truth value")


def check_type(port: Port, kind: SignalKind, name: str) -> None:
    """Refuse a signal that an input cannot take; whole numbers fit where real ones are asked for."""
    fits = {
        "any": True,
        "number": kind.type != "bool",
        "real": kind.type != "bool",
        "int": kind.type == "int",
        "bool": kind.type == "bool",
    }
    if not fits[port.type]:
        wanted = {"number": "a number", "real": "a number", "int": "a whole number", "bool": "a truth value"}
        raise SceneError(f"{name} is {kind.type}; it takes {wanted[port.type]} (to_real, to_int and to_bool convert)")


def widest_type(types: list[Type]) -> Type:
    """The type that holds all of them: real over int; bool only with bool."""
    kinds = set(types)
    if "bool" in kinds and len(kinds) > 1:
        raise SceneError("truth values and numbers are mixed; convert one of them with to_real, to_int or to_bool")
    return "bool" if kinds == {"bool"} else "int" if kinds == {"int"} else "real"


def _agreed(wanted: str, given: str | None, unit: str | None, name: str) -> str | None:
    """The unit u so far, after one more input."""
    if wanted == "*" or given is None:
        return unit
    if wanted != "u":
        if not same_unit(wanted, given):
            raise SceneError(f"{name} is in {given}; it takes {wanted}")
        return unit
    if unit is not None and not same_unit(unit, given):
        raise SceneError(f"{name} is in {given}, the others in {unit}; all must have one unit (a gain changes units)")
    return given if unit is None else unit


def _type_of(port: Port, widest: Type) -> Type:
    return widest if port.type == "any" or port.type == "number" else port.type


def _unit_of(wanted: str, unit: str | None) -> str | None:
    if wanted == "u" or wanted == "*":
        return unit
    if wanted in ("u s", "u/s"):
        return None if unit is None else product(unit, "s", 1 if wanted == "u s" else -1)
    return wanted


def unit_field(unit: object, what: str) -> None:
    """Check a field that holds a unit."""
    if not isinstance(unit, str):
        raise SceneError(f"{what} unit is {shown(unit)}; give a text such as 'rad/s', or '1'")
    checked_unit(unit, what)
