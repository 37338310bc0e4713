"""A diagram used as a block of another, and the gates where signals enter and leave it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ...errors import SceneError
from ..units import same_unit
from . import takes
from .block import Block, Port, SignalKind, Type, Wire, check_type, check_wire


class Use(Block, frozen=True, tag="use"):
    """The sub-diagram ``diagram``, with its inputs connected; inputs that are left out keep their initial values."""

    diagram: str
    inputs: dict[str, Wire] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, wire in self.inputs.items():
            check_wire(wire, f"use {name}")

    def wires(self) -> dict[str, Wire]:
        return dict(self.inputs)


class Gate(Block, frozen=True):
    """An input or output of a sub-diagram: passes a signal of the declared type and unit. Made by the compiler."""

    law = staticmethod(lambda value: value)

    input: takes.Anything
    declared: tuple[Type, str] | None = None

    @classmethod
    def tag(cls) -> str:
        return "gate"

    def port(self, name: str) -> Port:
        return Port("any") if self.declared is None else Port(self.declared[0])

    def kinds(self, given: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        kind = given["input"]
        if self.declared is None:
            return {"out": kind}
        wanted, unit = self.declared
        check_type(self.port("input"), kind, "what is connected")
        if wanted == "bool":
            return {"out": SignalKind("bool")}
        if kind.unit is not None and not same_unit(kind.unit, unit):
            raise SceneError(f"what is connected is in {kind.unit}; it takes {unit}")
        return {"out": SignalKind(wanted, unit)}
