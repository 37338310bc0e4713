"""What a window asks of the sheets of a diagram: what its signals carry, what fits where, and how to lay it out."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from ..control.block_layout import DrawnBox, DrawnWire, SheetLayout
from ..control.blocks import BLOCKS
from ..control.blocks.block import Block
from ..control.blocks.describe import inputs_told, law_of, outputs_told
from ..control.fitting import Fitting
from ..control.sinks import SINKS
from ..quantities import QUANTITIES
from ..scene.scene import Scene
from ..scene.values import Plain
from .checking import Checker
from .document import Refused

Asked = TypeVar("Asked")


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """What may be connected to a ``signal``, or to the ``port`` of a block called ``name``, on a ``sheet``."""

    id: int
    sheet: str = ""
    signal: str | None = None
    name: str = ""
    port: str = ""


class Boxes(msgspec.Struct, forbid_unknown_fields=True):
    """What is to be laid out: boxes (name, width, inputs, outputs, height of the head) and wires between their ports.

    A wire is (box, port, box, port, whether it leads to the tick after); ``first`` stand on the left, ``last`` right.
    """

    id: int
    boxes: list[tuple[str, float, list[str], list[str], float]]
    wires: list[tuple[str, str, str, str, bool]]
    first: list[str]
    last: list[str]


class Sheets:
    """Answers for one document; ``scene`` is that of what is right in it."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self.scene: Scene | None = None

    def kinds(self, data: Plain) -> Plain:
        """What every signal carries, by sheet: its type and its unit; and what is wrong with blocks of sub-diagrams."""
        if not isinstance(data.get("diagram"), dict):
            return {}
        names = ["", *(data["diagram"].get("diagrams") or {})]
        return {name: _told(Fitting(self._checker.sheet(data, name), self.scene)) for name in names}

    def fits(self, data: Plain, asked: object) -> Plain:
        """What fits: ports to a signal, or signals to a port."""
        question = _converted(asked, Question)
        fitting = Fitting(self._checker.sheet(data, question.sheet), self.scene)
        if question.signal is not None:
            return {"id": question.id, "ports": fitting.ports_for(question.signal)}
        return {"id": question.id, "signals": fitting.signals_for(question.name, question.port)}

    def laid_out(self, asked: object) -> Plain:
        """The upper left corners of boxes."""
        given = _converted(asked, Boxes)
        boxes = [DrawnBox(name, width, inputs, outputs, head) for name, width, inputs, outputs, head in given.boxes]
        wires = [DrawnWire((a, out), (b, into), back) for a, out, b, into, back in given.wires]
        try:
            drawn = SheetLayout(boxes, wires, given.first, given.last).place()
        except (KeyError, ValueError) as error:
            raise Refused(f"the sheet was not laid out: a wire ends at {error}, which is not there") from None
        return {"id": given.id, "at": {name: [box.x, box.y] for name, box in drawn.boxes.items()}}


def _converted(asked: object, kind: type[Asked]) -> Asked:
    try:
        return msgspec.convert(asked, kind)
    except msgspec.ValidationError as error:
        raise Refused(f"the page asked something that is not known ({error}); load it again") from None


def _told(fitting: Fitting) -> Plain:
    return {
        "kinds": {name: [kind.type, kind.unit] for name, kind in fitting.kinds.items()},
        "errors": fitting.errors,
    }


# --- what there is ----------------------------------------------------------------------------------------------------


def described_blocks() -> list[Plain]:
    """All function blocks and outputs: type, group, help, ports with types and units, parameters with defaults."""
    return [_described(tag, kind, "block") for tag, kind in BLOCKS.items()] + [
        _described(tag, kind, "output") for tag, kind in SINKS.items()
    ]


def _described(tag: str, kind: type[Block], section: str) -> Plain:
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    return {
        "type": tag,
        "name": kind.__name__,
        "section": section,
        "group": kind.__module__.rpartition(".")[2],
        "help": " ".join(law_of(kind).replace("``", "`").split()),
        "inputs": {
            name: {
                "type": port.type,
                "unit": port.unit,
                "required": fields[name].required,
                "default": _default(fields[name]),
            }
            for name, port in kind.ports().items()
        },
        "outputs": {name: {"type": port.type, "unit": port.unit} for name, port in kind.outs.items()},
        "told": {"inputs": inputs_told(kind), "outputs": outputs_told(kind)},
        "late": list(kind.late),
        "parameters": [
            {"name": name, "required": field.required, "default": _default(field)}
            for name, field in fields.items()
            if name not in kind.ports()
        ],
    }


def _default(field: msgspec.structs.FieldInfo) -> object:
    return None if field.default is msgspec.NODEFAULT else msgspec.to_builtins(field.default)


def described_quantities() -> list[Plain]:
    """All quantities that a signal block can read."""
    return [
        {
            "name": one.name,
            "owner": one.owner,
            "unit": one.unit if isinstance(one.unit, str) else "",
            "about": one.about,
            "components": list(one.components or ()),
        }
        for one in QUANTITIES.values()
    ]
