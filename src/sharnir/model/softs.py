"""Soft rows of a scene: everything linear in the rate that one axis of a joint carries, gathered."""

from __future__ import annotations

from dataclasses import dataclass

from ..scene.elements.actuators import AnyActuator
from ..scene.elements.drive import AnyDrive, DcDrive, PositionServo, SpeedServo
from ..scene.elements.friction_laws import AnyFriction, Viscous
from ..scene.elements.spring import Spring
from ..scene.joint import Joint
from ..scene.joints import CoordinateKind, FreeAxes
from ..scene.scene import Scene
from .field import Field, Fields, shared

# Where a coordinate lies in its joint's basis: (linear, column).
PLACES = {
    CoordinateKind.SLIDE_X: (True, 0),
    CoordinateKind.SLIDE_Y: (True, 1),
    CoordinateKind.SLIDE_Z: (True, 2),
    CoordinateKind.RADIAL: (True, 2),
    CoordinateKind.CARDAN_X: (False, 0),
    CoordinateKind.CARDAN_Y: (False, 1),
    CoordinateKind.TWIST: (False, 2),
}

# The arrays of soft rows: springs, viscous friction and drives, see dynamics/rows/soft.py.
FIELDS: Fields = {
    "model": (
        shared("soft_start", "joint", "int", "first of the joint's soft rows"),
        shared("soft_end", "joint", "int", "one past the last"),
        shared("soft_joint", "soft", "int", "joint of the soft row"),
        shared("soft_share", "soft", "real", "of its inverse mass, in the whole mechanism, see carried.py"),
        shared(
            "soft_kind",
            "soft",
            "int",
            "scene.joints.CoordinateKind of its coordinate, or -1: an axis of the angular basis",
        ),
        shared("soft_linear", "soft", "int", "1: a length, 0: an angle"),
        shared("soft_column", "soft", "int", "its column in the joint's basis"),
        shared("soft_twist", "soft", "int", "its place among the twists, or -1"),
        Field("viscous", "soft", "real", "N s/m or N m s/rad"),
        Field("viscous_load", "soft", "real", "the same per N of the joint's reaction"),
        shared("has_spring", "soft", "int", "1: it has one"),
        Field("spring_k", "soft", "real", "N/m or N m/rad"),
        Field("spring_c", "soft", "real", "N s/m or N m s/rad"),
        Field("spring_rest", "soft", "real", "m or rad"),
        Field("spring_preload", "soft", "real", "N or N m"),
        shared("spring_side", "soft", "int", "0 both, 1 push, 2 pull"),
        shared("table_start", "soft", "int", "first point of the spring's table"),
        shared("table_end", "soft", "int", "one past the last"),
        shared("table_x", "table", "real", "deflection, m or rad"),
        shared("table_f", "table", "real", "force, N or N m"),
        shared("drive_kind", "soft", "int", "0 none, 1 plain, 2 speed servo, 3 position servo"),
        Field("drive_stall", "soft", "real", "N m of the motor"),
        Field("drive_idle", "soft", "real", "rad/s of the motor"),
        Field("drive_inertia", "soft", "real", "kg m^2 of the motor"),
        Field("drive_ratio", "soft", "real", "motor speed over the coordinate's rate"),
        Field("drive_efficiency", "soft", "real", "of the gear"),
        shared("drive_locks", "soft", "int", "1: the load cannot turn the motor"),
        Field("servo_gain", "soft", "real", "voltage per error"),
        Field("servo_damping", "soft", "real", "voltage per rate"),
        Field("servo_integral", "soft", "real", "voltage per error and second"),
        Field("servo_feed", "soft", "real", "voltage per rate of the target"),
    ),
    "control": (Field("drive_input", "soft", "real", "voltage of a drive, -1 to 1, or target of a servo"),),
    "memory": (
        Field("soft_impulse", "soft", "real", "N s or N m s of springs, dampers and drives on the coordinate"),
        Field("soft_rate", "soft", "real", "m/s or rad/s, over the last drift"),
        Field("servo_sum", "soft", "real", "integral of a servo's error"),
        Field("last_input", "soft", "real", "of a drive, input of the last step"),
    ),
    "work": (
        Field("soft_axis", "soft", "vec3", "world direction of the coordinate; prepare"),
        Field("soft_inverse_mass", "soft", "real", "1/kg or 1/(kg m^2) along it; prepare"),
        Field("soft_y", "soft", "real", "impulse per rate, kg or kg m^2; prepare"),
        Field("soft_source", "soft", "real", "impulse at rate zero; prepare"),
        Field("gear_rate", "soft", "real", "rate of the joint at which the motor runs by itself; prepare"),
        Field("gear_loss", "soft", "real", "impulse per rate that the gear adds, see gear.py; prepare"),
        Field("voltage", "soft", "real", "what the drive was given; prepare"),
    ),
}


@dataclass
class SoftRow:
    """One axis of a joint: its coordinate, if it is one, and what acts on it."""

    label: str
    joint: Joint
    linear: bool
    column: int
    kind: int  # scene.joints.CoordinateKind, or -1 for an axis that is no coordinate
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
