"""A diagram flattened, checked and sorted into the order of its execution.

Sub-diagrams are written out, their blocks named "instance.block". Every input has one driver by construction; what is
checked is that the names exist, that types and units fit, that no two sinks set one thing, and that no block depends
on itself within a tick.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..errors import SceneError, nearest
from .blocks import Block, Signal, SignalKind, Use, Wire, literal_kind
from .blocks.block import check_type
from .blocks.subdiagram import Gate
from .sinks import Sink
from .spec import DiagramSpec, InputSpec, SubDiagramSpec
from .units import same_unit

if TYPE_CHECKING:
    from ..scene.scene import Scene

PASSES = 50  # more than the longest chain of late inputs whose units follow from one another


@dataclass
class Node:
    """A block of the flat diagram; what is connected is a number, or the full name of a signal."""

    name: str
    block: Block
    wires: dict[str, Wire]

    @property
    def what(self) -> str:
        """How errors call it."""
        return f"{'output' if isinstance(self.block, Sink) else 'block'} '{self.name}' ({self.block.tag()})"

    def signals(self) -> dict[str, str]:
        """The full name of each output: the block's own for the first, with a dot for the others."""
        first, *others = self.block.outputs()
        return {first: self.name} | {port: f"{self.name}.{port}" for port in others}

    def given(self, kinds: Mapping[str, SignalKind]) -> dict[str, SignalKind]:
        """What its inputs carry, as far as it is known."""
        told = {port: kinds.get(w) if isinstance(w, str) else literal_kind(w) for port, w in self.wires.items()}
        return {port: kind for port, kind in told.items() if kind is not None}


@dataclass
class Network:
    """The flat diagram: inputs, nodes in the order of their execution (sinks last), and what each signal carries."""

    inputs: dict[str, InputSpec]
    nodes: list[Node]
    kinds: dict[str, SignalKind] = field(default_factory=dict)


def make_network(spec: DiagramSpec, scene: Scene | None = None) -> Network:
    """Flatten, order and check a diagram; with a scene also what it reads and sets there."""
    _check_names(spec)
    nodes = {node.name: node for node in _expanded("", spec.inputs, spec.blocks, spec.diagrams, ())}
    for name, sink in spec.outputs.items():
        nodes[name] = Node(name, sink, _local(sink.wires(), "", {*spec.inputs, *spec.blocks}, f"output '{name}'"))
    _resolve(spec.inputs, nodes)
    if scene is not None:
        _check_targets(nodes, scene)
    ordered = in_order(nodes)
    network = Network(dict(spec.inputs), ordered)
    network.kinds = _kinds(network, scene)
    return network


# --- names ------------------------------------------------------------------------------------------------------------


def _check_names(spec: DiagramSpec) -> None:
    taken: dict[str, str] = {}
    for what, names in (("an input", spec.inputs), ("a block", spec.blocks), ("an output", spec.outputs)):
        for name in names:
            _check_name(name, what)
            if name in taken:
                raise SceneError(f"{what} is named '{name}', and so is {taken[name]}; give it another name")
            taken[name] = what
    for title, inner in spec.diagrams.items():
        _check_name(title, "diagram")
        if not inner.outputs:
            raise SceneError(f"diagram '{title}' has no outputs; name the signals that it gives")
        for name in (*inner.inputs, *inner.blocks, *inner.outputs):
            _check_name(name, f"in diagram '{title}' a signal")
        for name in inner.inputs:
            if name in inner.blocks:
                raise SceneError(f"diagram '{title}': input and block '{name}' have one name; give one another")


def _check_name(name: str, what: str) -> None:
    if not isinstance(name, str) or not name.strip() or "." in name or "[" in name:
        raise SceneError(f"{what} is named {name!r}; give a text without dots and brackets")


def _expanded(
    prefix: str,
    inputs: Mapping[str, InputSpec],
    blocks: Mapping[str, Block],
    diagrams: Mapping[str, SubDiagramSpec],
    trail: tuple[str, ...],
) -> list[Node]:
    """The nodes of a diagram, those of its sub-diagrams written out."""
    known = {*inputs, *blocks}
    return [node for name, block in blocks.items() for node in nodes_of(name, block, prefix, known, diagrams, trail)]


def nodes_of(
    name: str,
    block: Block,
    prefix: str = "",
    known: Collection[str] = (),
    diagrams: Mapping[str, SubDiagramSpec] = MappingProxyType({}),
    trail: tuple[str, ...] = (),
) -> list[Node]:
    """The nodes of one block of a diagram with the ``known`` signals: several where it uses another diagram."""
    full = prefix + name
    wires = _local(block.wires(), prefix, known, f"block '{full}' ({block.tag()})")
    return _used(full, block, wires, diagrams, trail) if isinstance(block, Use) else [Node(full, block, wires)]


def _used(
    full: str, use: Use, wires: dict[str, Wire], diagrams: Mapping[str, SubDiagramSpec], trail: tuple[str, ...]
) -> list[Node]:
    if use.diagram not in diagrams:
        raise SceneError(
            f"block '{full}' uses a diagram '{use.diagram}' that is not there{nearest(use.diagram, diagrams)}"
        )
    if use.diagram in trail:
        path = " -> ".join((*trail[trail.index(use.diagram) :], use.diagram))
        raise SceneError(f"block '{full}': the diagrams use one another without end: {path}")
    inner = diagrams[use.diagram]
    for port in wires:
        if port not in inner.inputs:
            raise SceneError(
                f"block '{full}': diagram '{use.diagram}' has no input '{port}'{nearest(port, inner.inputs)}"
            )
    nodes = []
    for name, spec in inner.inputs.items():
        wire = wires.get(name, spec.start)
        nodes.append(Node(f"{full}.{name}", Gate(input=wire, declared=(spec.type, spec.unit)), {"input": wire}))
    nodes += _expanded(f"{full}.", inner.inputs, inner.blocks, diagrams, (*trail, use.diagram))
    taken = {*inner.inputs, *inner.blocks}
    outer = _local(dict(inner.outputs), f"{full}.", taken, f"diagram '{use.diagram}'")
    for name, wire in outer.items():
        if name in taken and wire != f"{full}.{name}":
            raise SceneError(f"diagram '{use.diagram}': output '{name}' has the name of another signal; rename it")
        if name not in taken:
            nodes.append(Node(f"{full}.{name}", Gate(input=wire), {"input": wire}))
    first = next(iter(inner.outputs))
    nodes.append(Node(full, Gate(input=f"{full}.{first}"), {"input": f"{full}.{first}"}))
    return nodes


def _local(wires: dict[str, Wire], prefix: str, known: Collection[str], what: str) -> dict[str, Wire]:
    """The wires of a block with the full names of the signals."""
    found: dict[str, Wire] = {}
    for port, wire in wires.items():
        if isinstance(wire, str):
            head = wire.partition(".")[0]
            if head not in known:
                raise SceneError(f"{what}: {port} is connected to '{wire}', which is not there{nearest(head, known)}")
            found[port] = prefix + wire
        else:
            found[port] = wire
    return found


def names_of(inputs: Iterable[str], nodes: Mapping[str, Node]) -> dict[str, str]:
    """The one name of every signal, by all that it is called."""
    names = {name: name for name in inputs}
    for node in nodes.values():
        for port, name in node.signals().items():
            names[name] = name
            names.setdefault(f"{node.name}.{port}", name)
    return names


def _resolve(inputs: Mapping[str, InputSpec], nodes: dict[str, Node]) -> None:
    """Give every wire the one name its signal has; "timer.q" is the same as "timer"."""
    signals = names_of(inputs, nodes)
    for node in nodes.values():
        for port, wire in node.wires.items():
            if isinstance(wire, str):
                if wire not in signals:
                    raise SceneError(
                        f"{node.what}: {port} is connected to '{wire}', which is not there{nearest(wire, signals)}"
                    )
                node.wires[port] = signals[wire]


def _check_targets(nodes: dict[str, Node], scene: Scene) -> None:
    """One driver for everything that a diagram sets in the scene."""
    taken: dict[tuple[str, str | None, str | None], str] = {}
    for node in nodes.values():
        if isinstance(node.block, Sink):
            try:
                acts = node.block.acts_on(scene)
            except SceneError as error:
                raise SceneError(f"{node.what}: {error}") from None
            for quantity, component in acts:
                variable = "drive input" if quantity.variable in ("voltage", "target") else quantity.variable
                key = (variable, quantity.item, component)
                if key in taken:
                    raise SceneError(
                        f"{node.what} sets the {variable} of '{quantity.item}', which '{taken[key]}' sets already; "
                        "join the two signals before one output"
                    )
                taken[key] = node.name


# --- order ------------------------------------------------------------------------------------------------------------


def in_order(nodes: dict[str, Node]) -> list[Node]:
    """Every block after those it depends on within the tick; otherwise as they were written."""
    owner = {signal: node.name for node in nodes.values() for signal in node.signals().values()}
    place = {name: i for i, name in enumerate(nodes)}
    needs: dict[str, list[str]] = {}
    feeds: dict[str, list[str]] = {name: [] for name in nodes}
    for node in nodes.values():
        late = node.block.late_inputs()
        wires = [wire for port, wire in node.wires.items() if isinstance(wire, str) and port not in late]
        needs[node.name] = list(dict.fromkeys(owner[wire] for wire in wires if wire in owner))
        for name in needs[node.name]:
            feeds[name].append(node.name)
    waiting = {name: len(needed) for name, needed in needs.items()}
    ready = [place[name] for name, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    names = list(nodes)
    ordered = []
    while ready:
        name = names[heapq.heappop(ready)]
        ordered.append(nodes[name])
        del waiting[name]
        for fed in feeds[name]:
            waiting[fed] -= 1
            if waiting[fed] == 0:
                heapq.heappush(ready, place[fed])
    if waiting:
        raise SceneError(_loop(waiting, needs))
    return ordered


def _loop(waiting: Mapping[str, int], needs: dict[str, list[str]]) -> str:
    """Walk back along what is missing until a block comes twice."""
    path = [next(iter(waiting))]
    while path[-1] not in path[:-1]:
        path.append(next(name for name in needs[path[-1]] if name in waiting))
    circle = path[path.index(path[-1]) :][::-1]
    return f"the blocks depend on one another within a tick: {' -> '.join(circle)}; break the circle with a delay"


# --- types and units --------------------------------------------------------------------------------------------------


def _kinds(network: Network, scene: Scene | None) -> dict[str, SignalKind]:
    """What every signal carries. Units go round through late inputs, so it is repeated until nothing changes."""
    kinds = {name: spec.kind for name, spec in network.inputs.items()}
    for _ in range(PASSES):
        before = dict(kinds)
        for node in network.nodes:
            try:
                found = kinds_of(node.block, node.given(kinds), scene)
            except SceneError as error:
                raise SceneError(f"{node.what}: {_with_source(str(error), node)}") from None
            kinds |= {name: found[port] for port, name in node.signals().items()}
        if kinds == before:
            break
    return kinds


def kinds_of(block: Block, given: dict[str, SignalKind], scene: Scene | None) -> dict[str, SignalKind]:
    """What the outputs of a block carry, given what its inputs carry; SceneError where they do not fit."""
    if isinstance(block, Signal):
        return {"out": block.kind(scene)}
    if isinstance(block, Sink):
        for name, port in block.input_ports(scene).items():
            kind = given[name]
            check_type(port, kind, name)
            if port.unit not in ("*", "u") and kind.unit is not None and not same_unit(port.unit, kind.unit):
                raise SceneError(f"{name} is in {kind.unit}; it takes {port.unit}")
            if port.unit not in ("*", "u") and kind.unit is None and kind.type != "bool":
                given[name] = SignalKind(kind.type, port.unit)
        first = next(iter(given.values()))
        return dict.fromkeys(block.outs, SignalKind(first.type, getattr(block, "unit", None) or first.unit))
    return block.kinds(given)


def _with_source(message: str, node: Node) -> str:
    """An error about an input, with the name of the signal that is connected there."""
    port = message.partition(" ")[0]
    wire = node.wires.get(port)
    return message.replace(port, f"{port} ('{wire}')", 1) if isinstance(wire, str) else message
