"""The console of a scene as plain data: groups of widgets, the keys, and what is plotted at first."""

from __future__ import annotations

from typing import Any

from ..runtime.frames import FrameLayout
from ..runtime.inputs import InputSpec, round_up
from ..scene.scene import Scene

Plain = dict[str, Any]

KEY_PAIRS = (
    ("ArrowUp", "ArrowDown"),
    ("ArrowRight", "ArrowLeft"),
    ("KeyW", "KeyS"),
    ("KeyD", "KeyA"),
    ("KeyE", "KeyQ"),
)
STICK_AXES = ((1, True), (0, False), (3, True), (2, False))  # of a gamepad: axis, and whether forward is negative
GAUGES_SHOWN = 12
PLOTTED_AT_FIRST = 3


def panel_of(scene: Scene, inputs: list[InputSpec], layout: FrameLayout) -> list[Plain]:
    """Groups of widgets: what the operator works, then what he reads."""
    groups = [{"title": "Inputs", "widgets": [_control(spec) for spec in inputs]}] if inputs else []
    gauges = [_gauge(scene, channel.name, channel.unit) for channel in layout.channels if channel.group == "joints"]
    if gauges:
        groups.append({"title": "Joints", "widgets": gauges[:GAUGES_SHOWN]})
    drives = [
        {"kind": "readout", "name": channel.name, "unit": channel.unit}
        for channel in layout.channels
        if channel.group == "drives"
    ]
    if drives:
        groups.append({"title": "Drives", "widgets": drives})
    return groups


def keys_of(inputs: list[InputSpec]) -> list[Plain]:
    """The keys and gamepad axes of the first inputs: each pair moves one up and down while it is held."""
    numbers = [spec for spec in inputs if spec.kind == "real"]
    keys = [
        {"input": spec.name, "key": key, "share": share}
        for spec, pair in zip(numbers, KEY_PAIRS, strict=False)
        for key, share in zip(pair, (1.0, -1.0), strict=True)
    ]
    axes = [
        {"input": spec.name, "axis": axis, "invert": invert}
        for spec, (axis, invert) in zip(numbers, STICK_AXES, strict=False)
    ]
    return keys + axes


def plotted_of(layout: FrameLayout) -> list[str]:
    """What the plot shows before the operator chooses."""
    return [channel.name for channel in layout.channels if channel.group == "joints"][:PLOTTED_AT_FIRST]


def _control(spec: InputSpec) -> Plain:
    return {"kind": {"bool": "switch", "int": "selector"}.get(spec.kind, "slider"), "name": spec.name}


def _gauge(scene: Scene, label: str, unit: str) -> Plain:
    joint, _, axis = label.partition(".")
    low, high = scene.joints[joint].ranges.get(axis, (None, None))
    free = 1.0 if unit == "m" else 3.141592653589793
    return {
        "kind": "gauge",
        "name": label,
        "label": joint if len(scene.joints[joint].type.coordinates) == 1 else label,
        "unit": unit,
        "low": -free if low is None else -round_up(-low) if unit == "m" and low < 0 else low,
        "high": free if high is None else high,
    }
