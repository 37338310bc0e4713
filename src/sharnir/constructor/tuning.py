"""Values tuned live: edits of numbers on the scheme, as commands to the scene that is being tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..runtime.commands import Tune
from ..scene.values import Plain
from .patch import Operation, steps_of


def tuned(data: Plain, operations: Sequence[Operation]) -> list[Tune]:
    """The commands that make edits take effect in a running diagram; others take effect when it starts anew."""
    found = []
    for operation in operations:
        value = operation.get("value")
        steps = steps_of(operation["path"])
        if operation["op"] in ("add", "replace") and isinstance(value, (int, float)) and steps[0] == "diagram":
            for block, port in _ports(data["diagram"], steps[1:]):
                found.append(Tune(block, port, value))
    return found


def _ports(diagram: Plain, steps: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The blocks of the flat diagram, and their ports, whose numbers lie at a path."""
    sheet, prefixes = diagram, [""]
    if steps[0] == "diagrams" and len(steps) > 2:
        sheet, prefixes = diagram["diagrams"][steps[1]], list(_instances(diagram, steps[1]))
        steps = steps[2:]
    if steps[0] not in ("blocks", "outputs") or len(steps) < 3:
        return
    name, port, *inside = steps[1:]
    if sheet[steps[0]][name].get("type") == "use" and inside:
        name, port = f"{name}.{inside[0]}", "input"
    elif port == "transitions" and inside:
        port = f"transitions[{inside[0]}]"
    elif inside:
        port = f"{port}[{inside[0]}]"
    for prefix in prefixes:
        yield prefix + name, port


def _instances(diagram: Plain, title: str) -> Iterator[str]:
    """The beginnings of the names that the blocks of a sub-diagram have, one per use of it."""
    sheets = {"": diagram, **diagram.get("diagrams", {})}
    for owner, sheet in sheets.items():
        users = [name for name, block in sheet.get("blocks", {}).items() if block.get("type") == "use"]
        for name in users:
            if sheet["blocks"][name].get("diagram") == title and owner != title:
                for prefix in [""] if owner == "" else _instances(diagram, owner):
                    yield f"{prefix}{name}."
