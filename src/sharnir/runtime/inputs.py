"""Operator inputs of a scene that has no diagram: a voltage or target per drive, or an effort per joint."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np

from ..model.fields import write_row
from ..model.layout import coordinates_of, layout_of
from ..model.softs import SoftRow, softs_of
from ..scene.elements.drive import DcDrive, PositionServo, SpeedServo
from ..scene.joint import Joint
from ..scene.joints import Coordinate
from ..scene.measure import start_value
from ..scene.scene import Scene

EFFORTS_SHOWN = 8  # a scene without drives lets the operator push at most this many coordinates


class InputSpec(msgspec.Struct, frozen=True):
    """What an operator can set: a number within a range, with its unit and where it starts."""

    name: str
    unit: str
    low: float
    high: float
    initial: float = 0.0
    kind: str = "real"  # "real", "int" or "bool"


class Target(msgspec.Struct, frozen=True):
    """Where an input goes: an array of the controls and a place in it."""

    array: str
    place: int


class DirectControl:
    """Inputs that act on drives and joints themselves. It has the ways of a diagram's controller."""

    def __init__(self, scene: Scene, simulation: Any) -> None:
        self._control = simulation.control
        self.specs, self._targets = _inputs_of(scene)
        self.inputs = {spec.name: spec.initial for spec in self.specs}
        self.values: dict[str, float] = {}

    def tick(self) -> None:
        """Write the inputs to the controls."""
        for name, target in self._targets.items():
            write_row(getattr(self._control, target.array), target.place, self.inputs[name])

    def release(self) -> None:
        """Every input back to where it started."""
        self.inputs.update({spec.name: spec.initial for spec in self.specs})

    def take_over(self, held: dict[int, float]) -> None:
        """Go on from what the drives were held at, by place, so that nothing jumps."""
        for name, target in self._targets.items():
            if target.array == "drive_input" and target.place in held:
                self.inputs[name] = held[target.place]

    def snapshot(self) -> dict[str, float]:
        """All that changes."""
        return dict(self.inputs)

    def restore(self, kept: dict[str, float]) -> None:
        """Go on from a snapshot."""
        self.inputs.update(kept)


def _inputs_of(scene: Scene) -> tuple[list[InputSpec], dict[str, Target]]:
    rows = [(place, row) for place, row in enumerate(softs_of(scene)) if row.drive is not None]
    if rows:
        found = [(drive_input(row), Target("drive_input", place)) for place, row in rows]
    else:
        places = layout_of(scene).coordinates
        found = [
            (_effort_input(scene, label, joint, axis), Target("effort", places.index(label)))
            for label, joint, axis in coordinates_of(scene)[:EFFORTS_SHOWN]
        ]
    return [spec for spec, _ in found], {spec.name: target for spec, target in found}


def drive_input(row: SoftRow) -> InputSpec:
    """The input of a drive: its voltage, or its servo's target within what the joint and the motor allow."""
    drive, name = row.drive, row.joint.name if len(row.joint.drives) == 1 else row.label
    if isinstance(drive, PositionServo):
        free = 1.0 if row.linear else math.pi
        low, high = row.joint.ranges.get(row.name, (None, None))
        start = start_value(row.joint, next(c for c in row.joint.type.coordinates if c.name == row.name))
        return InputSpec(
            name,
            "m" if row.linear else "rad",
            start - free if low is None else low,
            start + free if high is None else high,
            start,
        )
    if isinstance(drive, SpeedServo):
        fastest = abs(drive.drive.idle_speed / drive.drive.ratio)
        return InputSpec(name, "m/s" if row.linear else "rad/s", -fastest, fastest)
    assert isinstance(drive, DcDrive)
    return InputSpec(name, "1", -1.0, 1.0)


def _effort_input(scene: Scene, label: str, joint: Joint, axis: Coordinate) -> InputSpec:
    """A push by hand, a good part of what the moved body weighs."""
    moved = joint.b if joint.b.properties is not None else joint.a
    properties = moved.properties
    assert properties is not None
    weight = properties.mass * 9.81
    frame = joint.world_frames()[1]
    reach = float(np.linalg.norm(moved.pose.point(properties.center) - frame.position))
    most = round_up(0.5 * weight * (1.0 if axis.kind.is_linear else max(reach, 0.05)))
    name = joint.name if len(joint.type.coordinates) == 1 else label
    return InputSpec(name, "N" if axis.kind.is_linear else "N m", -most, most)


def round_up(value: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(max(value, 1e-9)))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= value * (1 - 1e-9))
