"""The diagram and the inputs that a run is driven by, also where the scene has none of its own."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from ..control import Diagram, default_diagram
from ..model.layout import coordinates_of
from ..scene.joint import Joint
from ..scene.joints import Coordinate
from ..scene.scene import Scene

PUSHED = 8  # coordinates that an operator may push in a scene without drives
UNBOUNDED = 1.0  # the range of a number that was given none, and starts at zero


class Input(msgspec.Struct, frozen=True):
    """What an operator can set, as the browser is told."""

    name: str
    kind: str  # "real", "int" or "bool"
    unit: str
    low: float
    high: float
    initial: float
    choices: tuple[str, ...] = ()
    momentary: bool = False
    note: str = ""


def diagram_of(scene: Scene) -> Diagram:
    """The scene's own diagram; or an input per drive; or, where nothing is driven, a push per joint."""
    if scene.diagram is not None:
        return scene.diagram
    diagram = default_diagram(scene)
    if not diagram.inputs:
        for label, joint, axis in coordinates_of(scene)[:PUSHED]:
            _add_push(diagram, label.replace(".", " "), joint, axis)
    return diagram


def inputs_of(diagram: Diagram) -> dict[str, Input]:
    """The inputs of a diagram with a range each."""
    found = {}
    for name, spec in diagram.inputs.items():
        most = max(UNBOUNDED, 2.0 * abs(float(spec.start)))
        low, high = (0.0, 1.0) if spec.type == "bool" else spec.limits or (-most, most)
        found[name] = Input(
            name, spec.type, spec.unit, low, high, float(spec.start), spec.choices, spec.momentary, spec.note
        )
    return found


def _add_push(diagram: Diagram, name: str, joint: Joint, axis: Coordinate) -> None:
    """A push by hand, up to half of what the moved body weighs."""
    moved = joint.b if joint.b.properties is not None else joint.a
    properties = moved.properties
    assert properties is not None  # a joint moves one of its bodies
    anchor = joint.world_frames()[1].position
    reach = max(float(np.linalg.norm(moved.pose.point(properties.center) - anchor)), 0.05)
    most = round_up(0.5 * properties.mass * 9.81 * (1.0 if axis.kind.is_linear else reach))
    effort = joint.effort(axis.name)
    note = f"a push on '{joint.name}' by hand"
    push = diagram.input(f"push {name}", unit=effort.unit, range=(-most, most), note=note)
    diagram.effort(effort, push)


def round_up(value: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(max(value, 1e-9)))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= value * (1 - 1e-9))
