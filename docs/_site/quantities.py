"""Writes the page ``api/quantities.md`` from the registry of quantities: ``make blocks``, after adding one."""

from __future__ import annotations

from pathlib import Path

from sharnir.model.layout import SOURCES
from sharnir.quantities import QUANTITIES, Definition

PAGE = Path(__file__).resolve().parents[1] / "api" / "quantities.md"

INTRODUCTION = """\
# Quantities

Every named number of a scene. `body.quantity("mass")`, `joint.quantity("rate", "angle")` and `rope.quantity("stretch")`
address any of them by name; the common ones have properties and methods of their own, such as `body.mass` and
`joint.speed`. Recorded are all of them; *set* can be set by `sim.set`, for all worlds or one by one; *sent* can be
written while running, by [diagrams and faults](../control.md).

This page is made from the declarations in `sharnir.quantities` (`make blocks`).
"""
OWNERS = {
    "body": "Of bodies",
    "joint": "Of joints",
    "axis": "Of a joint's coordinates",
    "limit": "Of coordinates with limits",
    "friction": "Of axes with dry friction",
    "soft": "Of axes with springs, dampers or drives",
    "actuator": "Of axes with actuators",
    "catch": "Of coordinates with catches",
    "coupling": "Of couplings",
    "term": "Of the coordinates of couplings",
    "ray": "Of rays",
    "sensor": "Of sensors that read one number",
    "beam": "Of the beams of lidars",
    "vector_sensor": "Of sensors that read vectors",
    "rope": "Of ropes",
    "node": "Of a rope's nodes",
    "element": "Of a rope's elements",
    "source": f"Of sources and sinks of energy: {', '.join(SOURCES)}",
    None: "Of the whole scene",
}


def page_text() -> str:
    """The page: a table per owner."""
    lines = [INTRODUCTION]
    for owner, heading in OWNERS.items():
        lines += [f"## {heading}", "", "| name | unit | what it is | |", "|---|---|---|---|"]
        lines += [_row(definition) for definition in QUANTITIES.values() if definition.owner == owner]
        lines.append("")
    return "\n".join(lines)


def _row(definition: Definition) -> str:
    unit = definition.unit if isinstance(definition.unit, str) else " or ".join(definition.unit)
    parts = f", {' '.join(definition.components)}" if definition.components else ""
    marks = [word for word, given in (("set", definition.set), ("sent", definition.sent)) if given is not None]
    return f"| `{definition.name}` | {unit or 'as its item'} | {definition.about}{parts} | {', '.join(marks)} |"


if __name__ == "__main__":
    PAGE.write_text(page_text(), encoding="utf-8")
