"""A plain four-wheel car of the compact class, for manoeuvres.

All figures are assumptions, typical of the class: 1.16 t as it stands, 2.6 m of wheelbase, 1.5 m of track.

| quantity | value |
|---|---|
| body | 3.6 × 1.5 × 0.5 m, 1040 kg, its centre 0.55 m high and 0.1 m ahead of the middle |
| wheels | radius 0.3 m, width 0.2 m, 18 kg |
| tyres | 200 N/mm, slip stiffness 15 and cornering stiffness 12 1/rad of the load, relaxation 0.3 m, rolling 0.012 |
| front | MacPherson struts, rack steering, 1.2 Hz, damping ratio 0.35, anti-roll bar 2500 N m/rad |
| rear | double wishbones, 1.3 Hz, damping ratio 0.35, anti-roll bar 1500 N m/rad |
| travel | ±90 mm |
| motors in the rear wheels | stall 40 N m, idle 900 rad/s, 0.05 s, gear 9: 360 N m a wheel, 30 m/s |
| brakes | on all wheels |
"""

from __future__ import annotations

from dataclasses import dataclass

from ...scene.elements.drive import DcDrive, PositionServo
from ...scene.scene import Scene
from ...scene.shapes import Box
from ...scene.tyres import Tyre
from ...scene.values import Vec3
from ..anti_roll_bar import AntiRollBar
from ..axle import Axle
from ..springing import Coil
from ..steering import Rack
from ..suspensions import DoubleWishbone, MacPherson
from ..vehicle import BuiltVehicle, Vehicle
from ..wheel import RoadWheel
from . import four_wheel_car_looks as looks

TYRE = Tyre(stiffness=200e3, damping=500.0, longitudinal=15.0, lateral=12.0, relaxation=0.3, rolling_resistance=0.012)
WHEEL = RoadWheel(radius=0.30, width=0.20, mass=18.0, rounding=0.05, tyre=TYRE)
TRAVEL = (-0.09, 0.09)  # m
WHEELBASE, TRACK = 2.6, 1.5  # m
WHEEL_DRIVE = DcDrive(stall_torque=40.0, idle_speed=900.0, time_constant=0.05, ratio=9.0)
RACK_SERVO = PositionServo(DcDrive(2.0, 400.0, 0.01, 4000.0), gain=200.0, damping=5.0)


@dataclass(frozen=True)
class Car:
    """The car, a ``vehicle`` in a scene; steer it by the target of its front axle's rack (m, positive to the left)."""

    vehicle: BuiltVehicle


def vehicle() -> Vehicle:
    """The car."""
    front = MacPherson().scaled(1.3, travel=TRAVEL, spring=Coil(frequency=1.2, damping_ratio=0.35), arm_mass=6.0)
    rear = DoubleWishbone().scaled(1.3, travel=TRAVEL, spring=Coil(frequency=1.3, damping_ratio=0.35), arm_mass=5.0)
    return Vehicle(
        shapes=(Box(3.6, 1.5, 0.5, mass=1040.0, position=(0.1, 0.0, 0.55), visible=False), *looks.chassis()),
        axles={
            "front": Axle(
                x=WHEELBASE / 2,
                track=TRACK,
                wheel=WHEEL,
                suspension=front,
                steering=Rack(arm=0.12, travel=0.075, mass=6.0, drive=RACK_SERVO),
                anti_roll_bar=AntiRollBar(stiffness=2500.0, lever=0.25, mass=4.0),
                brake=True,
            ),
            "rear": Axle(
                x=-WHEELBASE / 2,
                track=TRACK,
                wheel=WHEEL,
                suspension=rear,
                anti_roll_bar=AntiRollBar(stiffness=1500.0, lever=0.25, mass=4.0),
                drive=WHEEL_DRIVE,
                brake=True,
            ),
        },
    )


def four_wheel_car(
    scene: Scene,
    name: str = "car",
    position: Vec3 = (0.0, 0.0, 0.0),
    heading: float = 0.0,
    speed: float = 0.0,
) -> Car:
    """Put the car into a scene as ``name``: ``position`` (m, on the ground), ``heading`` (rad), ``speed`` (m/s)."""
    return Car(vehicle().build(scene, name, position, heading, speed))
