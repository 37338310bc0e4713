"""Diagrams as pictures: SVG, where values carry the names of their signals so that a page can renew them; or PNG."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ..errors import SceneError
from ..scene.values import Plain
from .block_layout import HEAD, Drawn, DrawnBox, DrawnWire, SheetLayout
from .blocks import Block, Signal, Use, Value

if TYPE_CHECKING:
    from .diagram import Diagram

LETTER = 6.7  # width of a letter, pixels at 11 px
SYMBOLS = {
    "add": "+",
    "sub": "−",
    "mul": "×",
    "div": "÷",
    "gt": ">",
    "ge": "≥",
    "lt": "<",
    "le": "≤",
    "eq": "=",
    "ne": "≠",
    "and": "&",
    "or": "≥1",
    "xor": "=1",
    "not": "1",
    "integral": "∫",
    "delay": "z⁻¹",
    "abs": "|x|",
    "sqrt": "√x",
}
COLORS = {"input": "#2a7de1", "output": "#c25700", "block": "#3c4654", "source": "#12805c"}
PAPER, BOX, INK, FAINT, LINE = "#ffffff", "#f6f8fa", "#1f2328", "#6b7683", "#7d8996"


class Shape(NamedTuple):
    """A box with its text: what kind it is, its type, its name, and the numbers written to its inputs."""

    kind: str
    title: str
    name: str
    literals: dict[str, str]
    signals: dict[str, str]  # output -> full name of the signal


def svg(diagram: Diagram, values: Mapping[str, Value] | None = None) -> str:
    """The picture as SVG text."""
    shapes, drawn = _drawn(diagram)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawn.width:.0f} {drawn.height:.0f}" '
        f'width="{drawn.width:.0f}" height="{drawn.height:.0f}" class="diagram" '
        'font-family="Inter, Segoe UI, DejaVu Sans, sans-serif" font-size="11">',
        f"<title>{escape(diagram.name)}</title>",
        f'<rect width="100%" height="100%" fill="{PAPER}" class="paper"/>',
    ]
    for (box, port), points in drawn.lines:
        signal = escape(shapes[box].signals[port])
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{LINE}" stroke-width="1.3" stroke-linejoin="round" '
            f'class="wire" data-signal="{signal}"/>'
        )
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{LINE}" class="branch"/>' for _, (x, y) in drawn.dots]
    for name, shape in shapes.items():
        parts += _box_svg(drawn.boxes[name], shape, values or {})
    return "\n".join([*parts, "</svg>", ""])


def draw(diagram: Diagram, file: Path, values: Mapping[str, Value] | None = None) -> Path:
    """Write the picture to a file, SVG or PNG by the ending of its name."""
    if file.suffix.lower() == ".svg":
        file.write_text(svg(diagram, values), encoding="utf-8")
    elif file.suffix.lower() == ".png":
        _png(diagram, file, values or {})
    else:
        raise SceneError(f"{file}: its name ends in '{file.suffix}'; pictures of diagrams end in .svg or .png")
    return file


# --- what is drawn ----------------------------------------------------------------------------------------------------


def _drawn(diagram: Diagram) -> tuple[dict[str, Shape], Drawn]:
    shapes: dict[str, Shape] = {}
    boxes: list[DrawnBox] = []
    wires: list[DrawnWire] = []
    for name, spec in diagram.inputs.items():
        unit = "" if spec.type == "bool" or spec.unit == "1" else f" [{spec.unit}]"
        _add(shapes, boxes, Shape("input", "", name + unit, {}, {"": name}), name, (), ("",))
    blocks: dict[str, Block] = {**diagram.blocks, **diagram.outputs}
    for name, block in blocks.items():
        inputs = tuple(_wires_of(diagram, block))
        outputs = () if name in diagram.outputs else diagram.outputs_of(name)
        signals = {port: name if i == 0 else f"{name}.{port}" for i, port in enumerate(outputs)}
        kind = "output" if name in diagram.outputs else "source" if not inputs else "block"
        _add(shapes, boxes, Shape(kind, _title(block), name, {}, signals or {"": name}), name, inputs, outputs)
    for name in diagram.results:
        _add(shapes, boxes, Shape("output", "", name, {}, {"": name}), f"{name} ", ("value",), ())
    for name, block in blocks.items():
        for port, wire in _wires_of(diagram, block).items():
            _join(diagram, shapes, wires, wire, (name, port), port in block.late_inputs())
    for name, wire in diagram.results.items():
        _join(diagram, shapes, wires, wire, (f"{name} ", "value"), False)
    last = [*diagram.outputs, *(f"{name} " for name in diagram.results)]
    return shapes, SheetLayout(boxes, wires, list(diagram.inputs), last).place()


def _add(
    shapes: dict[str, Shape],
    boxes: list[DrawnBox],
    shape: Shape,
    key: str,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
) -> None:
    shapes[key] = shape
    left = max((len(_label(port, inputs)) for port in inputs), default=0)
    right = max((len(_label(port, outputs)) for port in outputs), default=0)
    letters = max(len(shape.title), len(shape.name) if not shape.title else 0, left + right + 2)
    is_flat = max(len(inputs), len(outputs)) <= 1 and left + right == 0
    width = max(44.0, LETTER * letters + 18.0)
    boxes.append(DrawnBox(key, width, inputs, outputs, head=0.0 if is_flat else HEAD))


def _wires_of(diagram: Diagram, block: Block) -> Plain:
    """What is connected to a block, without the inputs that were left as they are."""
    if not isinstance(block, Use):
        usual = {field.name: field.default for field in msgspec.structs.fields(block)}
        return {port: wire for port, wire in block.wires().items() if isinstance(wire, str) or wire != usual.get(port)}
    inner = diagram.diagrams[block.diagram]
    return {name: block.inputs.get(name, spec.start) for name, spec in inner.inputs.items()}


def _join(
    diagram: Diagram,
    shapes: dict[str, Shape],
    wires: list[DrawnWire],
    wire: float | bool | str,
    target: tuple[str, str],
    late: bool,
) -> None:
    """A line where a signal is connected, a number where one is written."""
    if not isinstance(wire, str):
        shapes[target[0]].literals[target[1]] = _number(wire)
        return
    head, _, port = wire.partition(".")
    if head in diagram.inputs:
        wires.append(DrawnWire((head, ""), target, late))
    elif head in diagram.blocks:
        known = diagram.outputs_of(head)
        wires.append(DrawnWire((head, port if port in known else known[0]), target, late))


def _title(block: Block) -> str:
    if isinstance(block, Use):
        return block.diagram
    if isinstance(block, Signal):
        return " ".join(word for word in (block.of, block.what, block.component) if word)
    where = getattr(block, "joint", None) or getattr(block, "body", None)
    function = getattr(block, "function", None)
    if block.tag() == "function" and isinstance(function, str):
        return f"{function}()"
    return f"{block.tag()} {where}" if where else SYMBOLS.get(block.tag(), block.tag().upper())


def _label(port: str, among: tuple[str, ...]) -> str:
    """The name of a port, where it says something."""
    plain = port.startswith("inputs[") or port in ("input", "value", "out", "")
    return "" if plain or (len(among) == 1 and port in ("q", "q1")) else port.replace("transitions", "")


def _number(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.4g}" if isinstance(value, (int, float)) else str(value)


# --- drawing ----------------------------------------------------------------------------------------------------------


class Text(NamedTuple):
    """A piece of text in a box; ``signal`` where it is the value of one."""

    x: float
    y: float
    text: str
    color: str
    anchor: str = "start"
    size: float = 11.0
    bold: bool = False
    signal: str = ""


def _texts(box: DrawnBox, shape: Shape, values: Mapping[str, Value]) -> list[Text]:
    color = COLORS[shape.kind]
    middle = box.x + box.width / 2
    title_y = box.y + (16 if box.head else box.height / 2 + 4)
    found = [Text(middle, title_y, shape.title or shape.name, color, "middle", bold=True)]
    if shape.title:
        found.append(Text(box.x, box.y - 5, shape.name, FAINT, size=9.5))
    for port in box.inputs:
        y = box.port_y(box.inputs, port) + 4
        found.append(Text(box.x + 6, y, _label(port, tuple(box.inputs)), INK))
        if port in shape.literals:
            found.append(Text(box.x - 5, y, shape.literals[port], FAINT, "end", 10))
    for port in box.outputs:
        y = box.port_y(box.outputs, port)
        found.append(Text(box.x + box.width - 6, y + 4, _label(port, tuple(box.outputs)), INK, "end"))
        signal = shape.signals[port]
        now = _number(values[signal]) if signal in values else ""
        found.append(Text(box.x + box.width + 4, y - 3, now, COLORS["source"], size=9.5, signal=signal))
    if shape.kind == "output" and not box.outputs:
        now = _number(values[shape.name]) if shape.name in values else ""
        found.append(Text(box.x + box.width + 4, box.y + box.height - 5, now, COLORS["source"], signal=shape.name))
    return [text for text in found if text.text or text.signal]


def _box_svg(box: DrawnBox, shape: Shape, values: Mapping[str, Value]) -> list[str]:
    parts = [
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="4" fill="{BOX}" '
        f'stroke="{COLORS[shape.kind]}" stroke-width="1.3" class="{shape.kind}" data-block="{escape(shape.name)}"/>'
    ]
    for text in _texts(box, shape, values):
        signal = f' class="value" data-signal="{escape(text.signal)}"' if text.signal else ""
        weight = ' font-weight="600"' if text.bold else ""
        parts.append(
            f'<text x="{text.x:.1f}" y="{text.y:.1f}" text-anchor="{text.anchor}" font-size="{text.size:g}" '
            f'fill="{text.color}"{weight}{signal}>{escape(text.text)}</text>'
        )
    return parts


def _png(diagram: Diagram, file: Path, values: Mapping[str, Value]) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch

    shapes, drawn = _drawn(diagram)
    figure = Figure(figsize=(drawn.width / 72, drawn.height / 72), facecolor=PAPER)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, drawn.width), ylim=(drawn.height, 0))
    axes.axis("off")
    for _, points in drawn.lines:
        axes.plot(*zip(*points, strict=True), color=LINE, linewidth=1.2, zorder=1)
    for _, (x, y) in drawn.dots:
        axes.plot(x, y, marker="o", markersize=4.0, color=LINE, zorder=1)
    for name, shape in shapes.items():
        box = drawn.boxes[name]
        patch = FancyBboxPatch(
            (box.x + 3, box.y + 3),
            box.width - 6,
            box.height - 6,
            boxstyle="round,pad=3",
            facecolor=BOX,
            edgecolor=COLORS[shape.kind],
            linewidth=1.2,
            zorder=2,
        )
        axes.add_patch(patch)
        for text in _texts(box, shape, values):
            side = {"start": "left", "middle": "center", "end": "right"}[text.anchor]
            weight = "bold" if text.bold else "normal"
            axes.text(
                text.x,
                text.y,
                text.text.replace("$", r"\$"),
                color=text.color,
                fontsize=text.size * 0.85,
                ha=side,
                va="baseline",
                fontweight=weight,
                zorder=3,
            )
    figure.savefig(file, dpi=144)
