"""A diagram that runs: its values, its memory, and the tick."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ..errors import ControlFault, SceneError, nearest
from .blocks import Function, Places, Signal, Value, Wire, literal, literal_kind
from .blocks.block import CLOCK, Memory, PythonFunction, SignalKind, Tick
from .network import Network, Node
from .sinks import ControlledPlant, Sink

if TYPE_CHECKING:
    from .diagram import Diagram
    from .spec import InputSpec

NEVER = -1
EMPTY = {"bool": False, "int": 0, "real": 0.0}  # what a signal holds before the first tick


@dataclass(frozen=True)
class ControllerState:
    """Everything that a controller remembers; plain numbers, so it can be stored anywhere.

    ``values`` of all signals, ``memory`` of all blocks, ``ticks`` made, and ``ticked_at``, the step of the last one.
    """

    values: tuple[Value, ...]
    memory: tuple[object, ...]
    ticks: int
    ticked_at: int


class Controller:
    """A diagram connected to one world of a simulation, as ``diagram.start(simulation)`` returns it.

    ``inputs`` are set by name and checked; ``values`` are read by name. The simulation calls :meth:`tick` before every
    step; calling it oneself does no harm, because a tick is made once in a control period.
    """

    rank = 0  # faults, which change what controllers set, come after

    def __init__(
        self,
        diagram: Diagram,
        network: Network,
        plant: ControlledPlant | None,
        period: float | None,
        functions: Mapping[str, PythonFunction],
        world: int = 0,
    ) -> None:
        self.diagram = diagram
        self.world = world
        self._plant = plant
        dt = plant.dt if plant is not None else period
        if dt is None:
            raise SceneError("the diagram has no period and no simulation; give one: Diagram(period=0.01)")
        self.period = dt if period is None else period
        self._every = _multiple(self.period, dt)
        self._kinds = network.kinds
        self._values: list[Value] = [0.0]
        self._memory: Memory = []
        self._places: dict[str, int] = {}
        for name, spec in network.inputs.items():
            self._place(name, spec.start)
        for name, kind in network.kinds.items():
            if name not in self._places:
                self._place(name, EMPTY[kind.type])
        self._program: list[Tick] = []
        self._endings: list[Tick] = []
        self._sinks: list[Tick] = []
        self._owners: dict[int, Node] = {}
        self._numbers: dict[tuple[str, str], tuple[int, bool]] = {}  # in place of signals: where, and whether whole
        self._release: list[Callable[[], None]] = []
        for node in network.nodes:
            self._build(node, functions)
        self.inputs = InputValues(network.inputs, self._values, self._places)
        self.values: Mapping[str, Value] = SignalValues(self._values, self._places)
        self._ticks, self._ticked_at = 0, NEVER
        self._start = self.snapshot()

    def __repr__(self) -> str:
        return f"<controller of {self.diagram!r}, every {self.period:g} s>"

    # --- making -----------------------------------------------------------------------------------------------------

    def _place(self, name: str, value: Value) -> None:
        self._places[name] = len(self._values)
        self._values.append(value)

    def _source(self, wire: Wire, whole: bool) -> int:
        if isinstance(wire, str):
            return self._places[wire]
        self._values.append(literal(wire, whole))
        return len(self._values) - 1

    def _is_whole(self, node: Node) -> bool:
        """Whether all numbers that a block could take as real or int come in as int."""
        free = [wire for port, wire in node.wires.items() if node.block.port(port).type in ("number", "any")]
        kinds = [self._kinds[wire] if isinstance(wire, str) else literal_kind(wire) for wire in free]
        return all(kind.type == "int" for kind in kinds)

    def _build(self, node: Node, functions: Mapping[str, PythonFunction]) -> None:
        whole = self._is_whole(node)
        is_int = {"int": True, "number": whole, "any": whole, "real": False, "bool": False}
        inputs = {port: self._source(wire, is_int[node.block.port(port).type]) for port, wire in node.wires.items()}
        for port, wire in node.wires.items():
            if not isinstance(wire, str):
                self._numbers[node.name, port] = (inputs[port], is_int[node.block.port(port).type])
        outputs = {port: self._places[name] for port, name in node.signals().items()}
        io = Places(self._values, self._memory, inputs, outputs, self.period, whole)
        block = node.block
        if isinstance(block, Signal):
            run: Tick | tuple[Tick, Tick] = self._reading(block, io)
        elif isinstance(block, Sink):
            run = self._sending(block, io, node)
        elif isinstance(block, Function):
            if block.function not in functions:
                raise SceneError(
                    f"{node.what} calls a function '{block.function}' that was not given"
                    f'{nearest(block.function, functions)}; set diagram.functions["{block.function}"]'
                )
            run = block.build_with(io, functions[block.function])
        else:
            run = block.build(io)
        steps = run if isinstance(run, tuple) else (run,)
        self._program.append(steps[0])
        if isinstance(block, Sink):
            self._sinks.append(steps[0])
        self._endings.extend(steps[1:])
        self._owners |= {id(step): node for step in steps}

    def _needed_plant(self, what: str) -> ControlledPlant:
        if self._plant is None:
            raise SceneError(f"{what} needs a simulation; start the diagram with one: diagram.start(simulation)")
        return self._plant

    def _reading(self, block: Signal, io: Places) -> Tick:
        plant = self._needed_plant("a signal of the simulation")
        read = plant.taps.reader(block.quantity(plant.scene), block.component, self.world)
        v, out = io.values, io.out()

        def run() -> None:
            v[out] = read()

        return run

    def _sending(self, sink: Sink, io: Places, node: Node) -> Tick:
        if self._plant is None and sink.tag() in ("lamp", "gauge"):
            return sink.build_to(io, [], None)  # type: ignore[arg-type]
        plant = self._needed_plant(node.what)
        targets = sink.acts_on(plant.scene)
        writers = [plant.taps.writer(quantity, component, self.world) for quantity, component in targets]
        rest = sink.at_rest(plant.scene)
        if rest is not None:
            self._release += [partial(write, rest) for write in writers]
        return sink.build_to(io, writers, plant.scene)

    # --- running ----------------------------------------------------------------------------------------------------

    def kind(self, name: str) -> SignalKind:
        """The type and unit of the value called ``name``."""
        if name not in self._kinds:
            raise SceneError(f"there is no signal '{name}'{nearest(name, self._kinds)}")
        return self._kinds[name]

    def tick(self) -> int:
        """Evaluate the diagram if a control period begins now, once. Returns the number of steps to the next one."""
        plant = self._plant
        steps = self._ticks if plant is None else plant.steps_of(self.world)
        into = 0 if plant is None else steps % self._every
        if into == 0 and steps != self._ticked_at:
            self._evaluate(self._ticks * self.period if plant is None else steps * plant.dt)
            self._ticked_at = NEVER if plant is None else steps
        return self._every - into

    def _evaluate(self, time: float) -> None:
        if self._plant is not None:
            self._plant.taps.refresh()
        self._values[CLOCK] = time
        run: Tick | None = None
        try:
            for run in self._program:
                run()
            for run in self._endings:
                run()
        except Exception as error:
            node = self._owners[id(run)]
            raise ControlFault(
                f"the diagram stopped at t = {time:g} s: {node.what}: {error}; "
                f"its inputs were {self._shown_inputs(node)}",
                block=node.name,
                time=time,
            ) from error
        self._ticks += 1
        if self._plant is not None:
            self._plant.taps.flush()

    def _shown_inputs(self, node: Node) -> str:
        given = {port: self.values[wire] if isinstance(wire, str) else wire for port, wire in node.wires.items()}
        return ", ".join(f"{port} = {value!r}" for port, value in given.items()) or "none"

    def tune(self, block: str, port: str, value: Value) -> None:
        """Make ``value`` the number at the ``port`` of a ``block``, where there is no signal, from the next tick on."""
        if (block, port) not in self._numbers:
            tunable = [f"{name} {there}" for name, there in self._numbers]
            raise SceneError(f"there is no number at '{port}' of block '{block}'{nearest(f'{block} {port}', tunable)}")
        place, whole = self._numbers[block, port]
        if isinstance(self._values[place], bool) != isinstance(value, bool) or not math.isfinite(value):
            raise SceneError(f"'{port}' of block '{block}' cannot become {value!r}; it is {self._values[place]!r}")
        if whole and not float(value).is_integer():
            raise SceneError(f"'{port}' of block '{block}' cannot become {value!r}; it counts in whole numbers")
        self._values[place] = literal(value, whole)

    # --- starting over ----------------------------------------------------------------------------------------------

    def snapshot(self) -> ControllerState:
        """All that it remembers, inputs included."""
        return ControllerState(tuple(self._values), tuple(self._memory), self._ticks, self._ticked_at)

    def restore(self, state: ControllerState) -> None:
        """Go on from a snapshot's ``state``, bit for bit."""
        if len(state.values) != len(self._values) or len(state.memory) != len(self._memory):
            raise SceneError("the snapshot is of another diagram; restore it into the diagram it was taken of")
        self._values[:], self._memory[:] = state.values, state.memory
        self._ticks, self._ticked_at = state.ticks, state.ticked_at
        if self._ticks == 0:
            self.release()
            return
        for send in self._sinks:  # into a simulation in which something else was set since
            send()
        if self._plant is not None:
            self._plant.taps.flush()

    def reset(self) -> None:
        """Back to the initial inputs and memories."""
        self.restore(self._start)

    def release(self) -> None:
        """Set what the diagram had set in the simulation back: drives, targets and efforts to zero, brakes off."""
        for back in self._release:
            back()
        if self._plant is not None:
            self._plant.taps.flush()


class InputValues(MutableMapping[str, Value]):
    """The inputs of a controller by name; what is set is checked, and brought within the input's range."""

    def __init__(self, specs: Mapping[str, InputSpec], values: list[Value], places: Mapping[str, int]) -> None:
        self.specs = specs
        self._values, self._places = values, places

    def _known(self, name: str) -> str:
        if name not in self.specs:
            raise SceneError(f"there is no input '{name}'{nearest(str(name), self.specs)}")
        return name

    def __getitem__(self, name: str) -> Value:
        return self._values[self._places[self._known(name)]]

    def __setitem__(self, name: str, value: Value) -> None:
        place = self._places[self._known(name)]
        try:
            self._values[place] = self.specs[name].accept(value)
        except SceneError as error:
            raise SceneError(f"input '{name}' {error}") from None

    def __delitem__(self, name: str) -> None:
        raise SceneError(f"input '{name}' cannot be removed; set it to its initial value instead")

    def __iter__(self) -> Iterator[str]:
        return iter(self.specs)

    def __len__(self) -> int:
        return len(self.specs)


class SignalValues(Mapping[str, Value]):
    """The values of all signals by name, as they are now."""

    def __init__(self, values: list[Value], places: Mapping[str, int]) -> None:
        self._values, self._places = values, places

    def __getitem__(self, name: str) -> Value:
        if name not in self._places:
            raise SceneError(f"there is no signal '{name}'{nearest(str(name), self._places)}")
        return self._values[self._places[name]]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _multiple(period: float, dt: float) -> int:
    every = round(period / dt)
    if every < 1 or abs(every * dt - period) > 1e-9 * period:
        near = max(every, 1) * dt
        raise SceneError(
            f"the diagram's period is {period:g} s and the step {dt:g} s; the period must be a multiple of it, "
            f"such as {near:g} s"
        )
    return every
