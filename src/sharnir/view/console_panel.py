"""The console of a scene as the page needs it: its own panel, or one made from its diagram, as plain data."""

from __future__ import annotations

import json
from itertools import takewhile

import msgspec

from ..control import Diagram, Panel, default_panel
from ..control.panel import (
    COLUMNS,
    AnyWidget,
    CameraWidget,
    GaugeWidget,
    JoystickWidget,
    LampWidget,
    PlotWidget,
    TextWidget,
)
from ..runtime.control import Input
from ..runtime.frame_bytes import FrameLayout
from ..scene.rope import Rope
from ..scene.scene import Scene
from ..scene.values import Plain

PLOTTED_AT_FIRST = 3  # where the panel has no plot
SECONDS = 10.0  # the same
SENSORS = "Sensors"  # the title of the group, which the page has in its own language
FEWEST_ALIKE = 3  # labels whose common beginning is left out
WARNS = 0.8  # of the breaking load, from which on a rope's bar warns
HALF_TURN = 3.141592653589793


def panel_of(scene: Scene) -> Panel:
    """The scene's own panel, or the default one."""
    diagram = scene.diagram
    assert diagram is not None
    return scene.panel or default_panel(diagram, scene)


def described(scene: Scene, panel: Panel, inputs: list[Input], layout: FrameLayout) -> Plain:
    """Groups of widgets, keys, axes, the picture of the diagram, and what the plot shows at first."""
    known = {given.name: given for given in inputs}
    units = {channel.name: channel.unit for channel in layout.channels}
    diagram = scene.diagram
    assert diagram is not None
    groups: list[Plain] = [
        {
            "title": group.title,
            "columns": group.columns,
            "widgets": [_placed(widget, _plain(widget, known, units, diagram)) for widget in group.widgets],
        }
        for group in panel.groups
    ]
    for group in groups:
        group["widgets"] = [widget for widget in group["widgets"] if widget]
    shown = {widget.get("name") for group in groups for widget in group["widgets"]}
    sensors = [widget for widget in _sensors(scene) if widget["name"] not in shown]
    groups.insert(1, {"title": SENSORS, "columns": COLUMNS, "widgets": sensors})
    for group in groups:
        _shorten(group["widgets"])
    plots = [widget for _, widget in panel.widgets() if isinstance(widget, PlotWidget) and widget.place is None]
    joints = [channel.name for channel in layout.channels if channel.group == "joints"]
    return {
        "groups": [group for group in groups if group["widgets"]],
        "keys": [msgspec.to_builtins(key) | {"action": key.action, "value": float(key.value)} for key in panel.keys],
        "axes": [msgspec.to_builtins(axis) | {"invert": axis.invert} for axis in panel.axes],
        "diagram": diagram.svg() if diagram.blocks else "",
        "plotted": _plotted(plots) or joints[:PLOTTED_AT_FIRST],
        "seconds": max((plot.seconds for plot in plots), default=SECONDS),
        "title": panel.title,
        "theme": panel.theme,
        "plate": None if panel.plate is None else msgspec.structs.asdict(panel.plate),
    }


def _shorten(widgets: list[Plain]) -> None:
    """Leave out of the labels what all of a group begin with, such as the name of the robot."""
    labels = [widget["label"] for widget in widgets if widget["label"]]
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*labels, strict=False))
    common = "".join(letters[0] for letters in alike)
    end = max(common.rfind(mark) for mark in "_ /") + 1
    if len(labels) >= FEWEST_ALIKE and end > 1 and all(len(label) > end for label in labels):
        for widget in widgets:
            widget["label"] = widget["label"][end:]


def _placed(widget: AnyWidget, plain: Plain) -> Plain:
    """A widget with its place on the grid, where it has one."""
    return plain if not plain or widget.place is None else plain | {"place": list(widget.place)}


def _sensors(scene: Scene) -> list[Plain]:
    """What the distance sensors and the ropes of a scene say, as bars."""
    rays = [
        {"kind": "bar", "name": f"{name} distance", "label": name, "unit": "m", "low": 0.0, "high": ray.spec.reach}
        for name, ray in scene.rays.items()
    ]
    ropes = [
        {"kind": "bar", "name": f"{name} tension", "label": name, "unit": "N", "low": 0.0, "high": tight_at(rope)}
        | ({} if rope.spec.breaking_load is None else {"warns": WARNS * rope.spec.breaking_load})
        for name, rope in scene.ropes.items()
    ]
    return [*rays, *ropes]


def tight_at(rope: Rope) -> float:
    """The tension that is drawn as tight (N): what breaks the rope, or ten times its weight."""
    return rope.spec.breaking_load or 10.0 * 9.81 * rope.mass_per_metre * rope.length


def _plotted(plots: list[PlotWidget]) -> list[str]:
    """The signals of all plots, each once."""
    return list(dict.fromkeys(signal for plot in plots for signal in plot.signals))


def _named(kind: str, widget: AnyWidget, **more: object) -> Plain:
    return {"kind": kind, "label": widget.label, **more}


def _plain(widget: AnyWidget, inputs: dict[str, Input], units: dict[str, str], diagram: Diagram) -> Plain:
    """A widget as an element of the page: ``static/widgets.js`` has one for each kind.

    Plots without a place of their own are drawn below the view.
    """
    if isinstance(widget, PlotWidget):
        signals = json.dumps(widget.signals)
        return {} if widget.place is None else _named("plot", widget, signals=signals, seconds=widget.seconds)
    if isinstance(widget, TextWidget):
        return _named("text", widget, text=widget.text)
    if isinstance(widget, CameraWidget):
        return _named("camera", widget, camera=widget.camera)
    if isinstance(widget, JoystickWidget):
        return {"kind": "joystick", "across": widget.x, "along": widget.y, "label": widget.label or "stick"}
    if isinstance(widget, LampWidget):
        return {"kind": "lamp", "name": widget.value, "label": widget.label or widget.value, "color": widget.color}
    if isinstance(widget, GaugeWidget):
        low, high = widget.range or getattr(diagram.outputs.get(widget.value), "range", None) or (None, None)
        unit = units.get(widget.value, "")
        reach = HALF_TURN if unit == "rad" else 1.0
        return {
            "kind": "readout" if low is None and unit not in ("rad", "m", "1") else "gauge",
            "name": widget.value,
            "label": widget.label or widget.value,
            "unit": unit,
            "low": -reach if low is None else low,
            "high": reach if high is None else high,
        }
    kind, given = str(widget.__struct_config__.tag), inputs[widget.input]
    if kind == "selector" and not given.choices:
        kind = "slider"
    low, high = getattr(widget, "range", None) or (given.low, given.high)
    return {
        "kind": kind,
        "name": widget.input,
        "label": widget.label or widget.input,
        "low": low,
        "high": high,
        "springs": "" if getattr(widget, "springs", False) else None,
        "vertical": "" if getattr(widget, "vertical", False) else None,
        "color": getattr(widget, "color", "") or None,
    }
