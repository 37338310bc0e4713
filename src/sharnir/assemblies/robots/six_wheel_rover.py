"""A six-wheel rover: every wheel driven, the four corner wheels steered each by a motor of its own.

The mass is that of the Mars Exploration Rovers (NASA: 185 kg, wheels of 0.25 m); the rest are assumptions, among them
trailing arms with torsion bars in place of their rocker and bogie:

| quantity | value |
|---|---|
| body | 1.0 × 0.6 × 0.3 m, 150 kg |
| wheels | radius 0.125 m, width 0.16 m, 3 kg; track 1.0 m, axles at ±0.7 and 0 m |
| springs | 2 Hz, damping ratio 0.4; travel ±60 mm |
| wheel drives | stall 0.2 N m, idle 400 rad/s, 0.02 s, gear 200: 40 N m and 0.25 m/s |
| steering drives | stall 0.2 N m, idle 400 rad/s, gear 400: 80 N m and 1 rad/s; ±60° |
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...scene.elements.drive import DcDrive, PositionServo
from ...scene.scene import Scene
from ...scene.shapes import Box
from ...scene.values import Vec3
from ..axle import Axle
from ..springing import Torsion
from ..steering import WheelSteering
from ..suspensions import TrailingArm
from ..vehicle import BuiltVehicle, Vehicle
from ..wheel import RoadWheel
from . import six_wheel_rover_looks as looks

WHEEL = RoadWheel(radius=0.125, width=0.16, mass=3.0)
WHEEL_DRIVE = DcDrive(stall_torque=0.2, idle_speed=400.0, time_constant=0.02, ratio=200.0)
STEERING = WheelSteering(
    limits=(-math.radians(60.0), math.radians(60.0)),
    drive=PositionServo(DcDrive(0.2, 400.0, 0.02, 400.0), gain=10.0, damping=0.5),
)
# What the arms are hinged to, 0.3 m before their wheels; only seen.
RAILS = tuple(
    Box(1.5, 0.12, 0.08, position=(0.3, side * 0.34, 0.19), color="#8f9498", metalness=0.6, collides=False)
    for side in (1.0, -1.0)
)


@dataclass(frozen=True)
class Rover:
    """The rover, a ``vehicle`` in a scene: drive it by the voltages of its wheels' hinges."""

    vehicle: BuiltVehicle


def vehicle() -> Vehicle:
    """The rover."""
    arm = TrailingArm(spring=Torsion(frequency=2.0, damping_ratio=0.4))
    places = {"front": 0.7, "middle": 0.0, "rear": -0.7}  # m
    return Vehicle(
        shapes=(Box(1.0, 0.6, 0.3, mass=150.0, position=(0.0, 0.0, 0.4), visible=False), *RAILS, *looks.chassis()),
        axles={
            name: Axle(
                x=x,
                track=1.0,
                wheel=WHEEL,
                suspension=arm,
                drive=WHEEL_DRIVE,
                steering=None if name == "middle" else STEERING,
            )
            for name, x in places.items()
        },
    )


def six_wheel_rover(scene: Scene, name: str = "rover", position: Vec3 = (0.0, 0.0, 0.0), heading: float = 0.0) -> Rover:
    """Put the rover into a scene as ``name``, standing at ``position`` (m, on the ground), ``heading`` in rad."""
    return Rover(vehicle().build(scene, name, position, heading))
