"""What may be connected to what on a sheet that is being drawn, and so may be wrong in places.

The rules are those of the network: a connection is tried on the block itself and on all that depends on it. What is
wrong already keeps nobody from connecting something else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import SceneError
from .blocks import Block, SignalKind, Use, Wire
from .network import PASSES, Node, in_order, kinds_of, names_of, nodes_of
from .sinks import Sink
from .spec import InputSpec, SubDiagramSpec

if TYPE_CHECKING:
    from ..scene.scene import Scene


@dataclass
class SheetParts:
    """What lies on one sheet: that of a diagram with its sinks, or that of a sub-diagram with its ``results``."""

    inputs: dict[str, InputSpec] = field(default_factory=dict)
    blocks: dict[str, Block] = field(default_factory=dict)
    sinks: dict[str, Sink] = field(default_factory=dict)
    results: dict[str, Wire] = field(default_factory=dict)
    diagrams: dict[str, SubDiagramSpec] = field(default_factory=dict)


class Fitting:
    """The ``kinds`` of all signals of a sheet, as far as they can be told, and the ``errors`` of its blocks by name."""

    def __init__(self, parts: SheetParts, scene: Scene | None = None) -> None:
        self.parts = parts
        self.errors: dict[str, str] = {}
        self._scene = scene
        self._nodes = self._flat()
        self._names = names_of(parts.inputs, self._nodes)
        self._owner = {name: node.name for node in self._nodes.values() for name in node.signals().values()}
        self._resolve()
        self._order = self._ordered()
        self.kinds: dict[str, SignalKind] = {name: spec.kind for name, spec in parts.inputs.items()}
        self._feeds = self._fed()
        self._find_kinds()

    # --- as it is ---------------------------------------------------------------------------------------------------

    def _flat(self) -> dict[str, Node]:
        parts = self.parts
        known = {*parts.inputs, *parts.blocks}
        nodes: dict[str, Node] = {}
        for name, block in {**parts.blocks, **parts.sinks}.items():
            try:
                made = nodes_of(name, block, "", known, parts.diagrams)
            except SceneError as error:
                self.errors[name] = str(error)
                wires = {port: wire for port, wire in block.wires().items() if _is_known(wire, known)}
                made = [] if isinstance(block, Use) else [Node(name, block, wires)]
            nodes |= {node.name: node for node in made}
        return nodes

    def _resolve(self) -> None:
        for node in self._nodes.values():
            for port, wire in list(node.wires.items()):
                if not isinstance(wire, str):
                    continue
                if wire in self._names:
                    node.wires[port] = self._names[wire]
                else:
                    self.errors.setdefault(
                        self._on_sheet(node.name), f"{node.what}: {port} is connected to '{wire}', which is not there"
                    )
                    del node.wires[port]

    def _ordered(self) -> list[Node]:
        try:
            return in_order(self._nodes)
        except SceneError as error:
            self.errors.setdefault("", str(error))
            return list(self._nodes.values())

    def _fed(self) -> dict[str, list[Node]]:
        """The nodes that a signal goes to."""
        feeds: dict[str, list[Node]] = {}
        for node in self._order:
            for wire in node.wires.values():
                if isinstance(wire, str):
                    feeds.setdefault(wire, []).append(node)
        return feeds

    def _find_kinds(self) -> None:
        for _ in range(PASSES):
            before = dict(self.kinds)
            wrong: dict[str, str] = {}
            for node in self._order:
                try:
                    found = kinds_of(node.block, node.given(self.kinds), self._scene)
                except SceneError as error:
                    wrong[self._on_sheet(node.name)] = f"{node.what}: {error}"
                except KeyError:  # an input of which nothing is known
                    pass
                else:
                    self.kinds |= {name: found[port] for port, name in node.signals().items()}
            if self.kinds == before:
                break
        self.errors = wrong | self.errors

    def _on_sheet(self, name: str) -> str:
        return name.partition(".")[0]

    # --- as it could be ---------------------------------------------------------------------------------------------

    def ports_for(self, signal: str) -> list[tuple[str, str]]:
        """The inputs that a signal may be connected to: the name of a block, and its port."""
        name = self._names.get(signal, signal)
        if name not in self.kinds:
            return []
        before = self._before(self._owner.get(name))
        found = [(result, "value") for result in self.parts.results]
        for node, port, shown in self._ports():
            if (node.name not in before or port in node.block.late_inputs()) and self._may(node, port, name):
                found.append(shown)
        return found

    def signals_for(self, block: str, port: str) -> list[str]:
        """The signals that may be connected to an input of a block."""
        if block in self.parts.results and port == "value":
            return list(self.signals())
        node, inner = next(((n, p) for n, p, shown in self._ports() if shown == (block, port)), (None, ""))
        if node is None:
            return []
        is_late = inner in node.block.late_inputs()
        return [
            name
            for name in self.signals()
            if name in self.kinds
            and (is_late or node.name not in self._before(self._owner.get(name)))
            and self._may(node, inner, name)
        ]

    def signals(self) -> list[str]:
        """The signals that there are on the sheet itself, by their shortest names."""
        own = [*self.parts.inputs]
        for name, block in self.parts.blocks.items():
            if isinstance(block, Use):
                inner = self.parts.diagrams.get(block.diagram)
                _, *others = (inner.outputs if inner else ()) or ("",)
            else:
                _, *others = block.outputs()
            own += [name, *(f"{name}.{port}" for port in others)]
        return [name for name in own if name in self._names]

    def _ports(self) -> list[tuple[Node, str, tuple[str, str]]]:
        """All inputs of the sheet: the node and its port, and what they are called on the sheet."""
        found: list[tuple[Node, str, tuple[str, str]]] = []
        for name, block in {**self.parts.blocks, **self.parts.sinks}.items():
            if isinstance(block, Use):
                inner = self.parts.diagrams.get(block.diagram)
                gates = [port for port in (inner.inputs if inner else ()) if f"{name}.{port}" in self._nodes]
                found += [(self._nodes[f"{name}.{port}"], "input", (name, port)) for port in gates]
                continue
            ports = list(block.wires())
            if "inputs" in block.ports():
                ports.append(f"inputs[{sum(port.startswith('inputs[') for port in ports)}]")  # one more
            found += [(self._nodes[name], port, (name, port)) for port in ports]
        return found

    def _before(self, name: str | None) -> set[str]:
        """A node and all that it depends on within a tick."""
        seen: set[str] = set()
        waiting = [name] if name is not None else []
        while waiting:
            node = self._nodes[waiting.pop()]
            if node.name in seen:
                continue
            seen.add(node.name)
            late = node.block.late_inputs()
            wires = (wire for port, wire in node.wires.items() if isinstance(wire, str) and port not in late)
            waiting += [self._owner[wire] for wire in wires if wire in self._owner]
        return seen

    def _after(self, node: Node) -> list[Node]:
        """A node and all that depends on it, in this tick or a later one."""
        seen = {node.name}
        waiting = [node]
        while waiting:
            for name in waiting.pop().signals().values():
                for follower in self._feeds.get(name, ()):
                    if follower.name not in seen:
                        seen.add(follower.name)
                        waiting.append(follower)
        return [one for one in self._order if one.name in seen]

    def _may(self, node: Node, port: str, signal: str) -> bool:
        """Whether a signal fits there and in all that follows from it; what was wrong before does not count."""
        if self._changes_nothing(node, port, signal):
            return True
        after = self._after(node)
        anew = {name for one in after for name in one.signals().values()}
        kinds = {name: kind for name, kind in self.kinds.items() if name not in anew}
        loops = any(one.wires.get(late) in anew for one in after for late in one.block.late_inputs())
        for _ in range(PASSES if loops or signal in anew else 1):
            before = dict(kinds)
            for one in after:
                given = one.given(kinds)
                if one is node:
                    given = self._connected(node, port, kinds.get(signal), given)
                try:
                    found = kinds_of(one.block, given, self._scene)
                except KeyError:  # an input of which nothing is known
                    continue
                except SceneError:
                    if one is node or self._on_sheet(one.name) not in self.errors:
                        return False
                    continue
                kinds |= {name: found[out] for out, name in one.signals().items()}
            if kinds == before:
                break
        return True

    def _changes_nothing(self, node: Node, port: str, signal: str) -> bool:
        """Whether a signal fits, and the node gives what it gave before: then nothing follows from it."""
        given = self._connected(node, port, self.kinds.get(signal), node.given(self.kinds))
        try:
            found = kinds_of(node.block, given, self._scene)
        except (SceneError, KeyError):
            return False
        return all(self.kinds.get(name) == found[out] for out, name in node.signals().items())

    def _connected(
        self, node: Node, port: str, kind: SignalKind | None, given: dict[str, SignalKind]
    ) -> dict[str, SignalKind]:
        """What a node is given with one more signal; numbers in place of signals follow its type."""
        if kind is None:
            return {name: one for name, one in given.items() if name != port}
        if node.block.port(port).type == "any":
            numbers = [name for name, wire in node.wires.items() if not isinstance(wire, str)]
            given |= {name: SignalKind(kind.type) for name in numbers if node.block.port(name).type == "any"}
        return given | {port: kind}


def _is_known(wire: Wire, known: set[str]) -> bool:
    return not isinstance(wire, str) or wire.partition(".")[0] in known
