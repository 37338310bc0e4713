"""A tracked robot with a manipulator arm, like the MF-4 that pushes the door of [000].

The paper shows the robot and gives no data. A machine of its class, tEODor of Telerob, weighs 375 kg, drives at 3 km/h
and lifts 20 to 30 kg (as its users state in public); the other figures are assumptions:

| quantity | value |
|---|---|
| chassis | 1.0 × 0.42 × 0.3 m, 240 kg |
| tracks | 0.56 m apart, 0.9 m between the end wheels; radius 0.12 m, width 0.14 m; frame 20 kg, belt 6 kg |
| track drives | stall 6 N m, idle 350 rad/s, 0.02 s, gear 50: 300 N m and 0.84 m/s per side; brakes |
| arm | turret, shoulder, elbow and wrist; links of 0.15, 0.6, 0.55 and 0.25 m; 15, 14, 8 and 4 kg |
| arm drives | stall 1.2 N m, idle 400 rad/s, worm gears of 400: 480 N m and 1 rad/s |
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...scene.elements.drive import DcDrive, PositionServo
from ...scene.scene import Scene
from ...scene.shapes import AnyShape, Box
from ...scene.values import Vec3
from ..arm import Arm, ArmLink, BuiltArm
from ..track import Tracks
from ..vehicle import BuiltVehicle, Vehicle
from . import mf4_looks as looks

TRACKS = Tracks(
    gauge=0.56,
    length=0.9,
    radius=0.12,
    width=0.14,
    mass=20.0,
    belt_mass=6.0,
    drive=DcDrive(stall_torque=6.0, idle_speed=350.0, time_constant=0.02, ratio=50.0),
    brake=True,
)
ARM_SERVO = PositionServo(DcDrive(1.2, 400.0, 0.02, 400.0, self_locking=True), gain=10.0, damping=0.5)

UP, LEFT = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
Shapes = tuple[AnyShape, ...]


def _link(name: str, along: Vec3, mass: float, axis: Vec3, limits: tuple[float, float], seen: Shapes) -> ArmLink:
    return ArmLink(
        name=name, along=along, mass=mass, axis=axis, limits=limits, drive=ARM_SERVO, seen=seen, contact=name == "wrist"
    )


ARM = Arm(
    base=(0.15, 0.0, 0.42),
    links=(
        _link("turret", (0.0, 0.0, 0.15), 15.0, UP, (-math.pi, math.pi), looks.turret()),
        _link("upper", (0.42, 0.0, 0.42), 14.0, LEFT, (-1.5, 1.0), looks.upper()),
        _link("fore", (0.55, 0.0, 0.0), 8.0, LEFT, (-2.0, 2.0), looks.fore()),
        _link("wrist", (0.25, 0.0, 0.0), 4.0, LEFT, (-1.5, 1.5), looks.wrist()),
    ),
)


@dataclass(frozen=True)
class Mf4:
    """The robot in a scene: the ``vehicle`` takes a voltage for each track's sprocket, the ``arm`` targets."""

    vehicle: BuiltVehicle
    arm: BuiltArm


def vehicle() -> Vehicle:
    """The chassis on its tracks."""
    return Vehicle(
        shapes=(Box(1.0, 0.42, 0.3, mass=240.0, position=(-0.1, 0.0, 0.26), visible=False), *looks.chassis()),
        tracks=TRACKS,
        mounted=ARM.masses(),
    )


def mf4(scene: Scene, name: str = "mf4", position: Vec3 = (0.0, 0.0, 0.0), heading: float = 0.0) -> Mf4:
    """Put the robot into a scene as ``name``: ``position`` (m, on the ground), ``heading`` (rad), its arm forward."""
    built = vehicle().build(scene, name, position, heading)
    return Mf4(built, ARM.build(scene, built.chassis, f"{name}_arm"))
