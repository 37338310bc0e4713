"""Soft rows of a scene: everything linear in the rate that one axis of a joint carries, gathered."""

from __future__ import annotations

from dataclasses import dataclass

from ..scene.elements.actuators import AnyActuator
from ..scene.elements.drive import AnyDrive, DcDrive, PositionServo, SpeedServo
from ..scene.elements.friction_laws import AnyFriction, Viscous
from ..scene.elements.spring import Spring
from ..scene.joint import Joint
from ..scene.joints import FreeAxes, Kind
from ..scene.scene import Scene

# Where a coordinate lies in its joint's basis: (linear, column).
PLACES = {
    Kind.SLIDE_X: (True, 0),
    Kind.SLIDE_Y: (True, 1),
    Kind.SLIDE_Z: (True, 2),
    Kind.RADIAL: (True, 2),
    Kind.CARDAN_X: (False, 0),
    Kind.CARDAN_Y: (False, 1),
    Kind.TWIST: (False, 2),
}


@dataclass
class SoftRow:
    """One axis of a joint: its coordinate, if it is one, and what acts on it."""

    label: str
    joint: Joint
    linear: bool
    column: int
    kind: int  # scene.joints.Kind, or -1 for an axis that is no coordinate
    name: str = ""
    spring: Spring | None = None
    drive: AnyDrive | None = None
    actuator: AnyActuator | None = None
    viscous: float = 0.0  # N s/m or N m s/rad
    viscous_load: float = 0.0  # the same per N of the joint's reaction

    @property
    def motor(self) -> DcDrive | None:
        """The drive itself, also inside a servo."""
        return self.drive.drive if isinstance(self.drive, (SpeedServo, PositionServo)) else self.drive


def softs_of(scene: Scene) -> list[SoftRow]:
    """Every soft row of a scene, in the order of the arrays: joint by joint."""
    return [row for joint in scene.joints.values() for row in _rows_of(joint)]


def _rows_of(joint: Joint) -> list[SoftRow]:
    rows: dict[tuple[bool, int], SoftRow] = {}
    for found in joint.type.coordinates:
        if _carries(joint, found.name):
            row = _row(joint, *PLACES[found.kind])
            row.spring, row.drive = joint.springs.get(found.name), joint.drives.get(found.name)
            row.actuator = joint.actuators.get(found.name)
            rows[row.linear, row.column] = row
    for axes in joint.type.free_axes:
        for column in axes.axes:
            constant, per_load = _viscous(joint.friction.get(axes.name), axes)
            if constant or per_load:
                row = rows.setdefault((axes.is_linear, column), _row(joint, axes.is_linear, column))
                row.viscous, row.viscous_load = constant, per_load
    return list(rows.values())


def _carries(joint: Joint, name: str) -> bool:
    return name in joint.springs or name in joint.drives or name in joint.actuators


def _row(joint: Joint, linear: bool, column: int) -> SoftRow:
    """The row of an axis. A ball's axes are no coordinates, except for its twist where that carries something."""
    is_ball = len(joint.type.free_axes) == 1 and len(joint.type.free_axes[0].axes) == 3
    for found in joint.type.coordinates:
        if PLACES.get(found.kind) == (linear, column) and (_carries(joint, found.name) or not is_ball):
            return SoftRow(f"{joint.name}.{found.name}", joint, linear, column, int(found.kind), found.name)
    return SoftRow(f"{joint.name}.{'xyz'[column]}", joint, linear, column, -1)


def _viscous(law: AnyFriction | None, axes: FreeAxes) -> tuple[float, float]:
    """The viscous part of a friction law: constant, and per N of load."""
    if law is None:
        return 0.0, 0.0
    if isinstance(law, Viscous):
        return law.coefficient, 0.0
    coefficient = getattr(law, "viscous", 0.0)
    if law.load is None:
        return coefficient, 0.0
    radius = 1.0 if axes.is_linear else float(law.load.radius or 0.0)
    return coefficient * radius**2 * law.load.preload, coefficient * radius**2
