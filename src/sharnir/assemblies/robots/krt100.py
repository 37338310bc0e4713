"""KRT-100 with its trailer, the robot of [001], [002] and [003].

What the papers say: the robot's wheels hang on double wishbones with torsion springs, the trailer's on sliding pillars
with coils (003); the trailer hangs on a ball joint that turns by 18° about X and Z and by 15° about Y, the way ahead
(001). They give neither dimensions nor masses. The rest are assumptions:

| quantity | value |
|---|---|
| wheels | 6 on the robot, 4 on the trailer; radius 0.15 m, width 0.10 m, 3 kg |
| track, axles | 0.6 m; robot at 0.4, 0, −0.4 m, trailer at ±0.25 m |
| chassis | 1.1 × 0.3 × 0.22 m, 130 kg; trailer 0.8 × 0.3 × 0.2 m, 60 kg |
| mast with camera | 8 kg and 3 kg, pan and tilt by worm gears |
| springs at the wheel | 4000 N/m, 200 N s/m: a quarter of 25 kg at 2 Hz |
| travel | ±50 mm |
| wheel drives | stall 1.5 N m, idle 300 rad/s, 0.02 s, gear 50: 75 N m and 0.9 m/s |
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...scene.elements.drive import DcDrive, PositionServo
from ...scene.scene import Scene
from ...scene.shapes import Box
from ...scene.values import Vec3
from ..arm import Arm, ArmLink, BuiltArm
from ..axle import Axle
from ..hitch import AnyHitch, BallHitch
from ..springing import Coil, Torsion
from ..suspensions import AnySuspension, DoubleWishbone, SlidingPillar
from ..vehicle import BuiltVehicle, Towing, Vehicle
from ..wheel import RoadWheel
from . import krt100_looks as looks

TRACK = 0.6  # m
WHEEL = RoadWheel(radius=0.15, width=0.10, mass=3.0)
WHEEL_DRIVE = DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
STIFFNESS, DAMPING = 4000.0, 200.0  # N/m, N s/m at the wheel
TRAVEL = (-0.05, 0.05)  # m
HITCH_HEIGHT = 0.20  # m

CAMERA_SERVO = PositionServo(DcDrive(0.05, 600.0, 0.02, 600.0, self_locking=True), gain=8.0, damping=0.2)
MAST = Arm(
    base=(0.25, 0.0, 0.36),
    links=(
        ArmLink(
            name="mast",
            along=(0.0, 0.0, 0.5),
            mass=8.0,
            axis=(0.0, 0.0, 1.0),
            limits=(-math.pi, math.pi),
            drive=CAMERA_SERVO,
            seen=looks.mast(),
        ),
        ArmLink(
            name="camera",
            along=(0.15, 0.0, 0.0),
            mass=3.0,
            axis=(0.0, 1.0, 0.0),
            limits=(-1.0, 1.0),
            drive=CAMERA_SERVO,
            seen=looks.camera(),
        ),
    ),
)


@dataclass(frozen=True)
class Krt100:
    """The robot in a scene: the ``vehicle``, driven by the voltages of its wheels' hinges, and the ``mast`` on it."""

    vehicle: BuiltVehicle
    mast: BuiltArm


def wishbones() -> DoubleWishbone:
    """The robot's own suspension: lower arms of 0.18 m, torsion bars in them."""
    torsion = Torsion(STIFFNESS, DAMPING, at_wheel=True)
    return DoubleWishbone().scaled(0.6, travel=TRAVEL, spring=torsion, arm_mass=0.5, upright_mass=0.8)


def trailer() -> Vehicle:
    """The trailer on its own."""
    pillar = SlidingPillar(travel=TRAVEL, spring=Coil(STIFFNESS, DAMPING), upright_mass=0.8)
    return Vehicle(
        shapes=(Box(0.8, 0.3, 0.2, mass=60.0, position=(0.0, 0.0, 0.28), visible=False), *looks.trailer()),
        axles={
            name: Axle(x=x, track=TRACK, wheel=WHEEL, suspension=pillar)
            for name, x in (("front", 0.25), ("rear", -0.25))
        },
        coupling_point=(0.65, 0.0, HITCH_HEIGHT),
    )


def vehicle(suspension: AnySuspension | None = None, hitch: AnyHitch | None = None, towing: bool = True) -> Vehicle:
    """The robot, with its trailer or without; ``suspension`` and ``hitch`` replace its own."""
    own = suspension or wishbones()
    return Vehicle(
        shapes=(Box(1.1, 0.3, 0.22, mass=130.0, position=(0.0, 0.0, 0.25), visible=False), *looks.chassis()),
        axles={
            name: Axle(x=x, track=TRACK, wheel=WHEEL, suspension=own, drive=WHEEL_DRIVE)
            for name, x in (("front", 0.4), ("middle", 0.0), ("rear", -0.4))
        },
        mounted=MAST.masses(),
        hitch_point=(-0.7, 0.0, HITCH_HEIGHT),
        towing=Towing(trailer=trailer(), hitch=hitch or BallHitch()) if towing else None,
    )


def krt100(
    scene: Scene,
    name: str = "krt100",
    position: Vec3 = (0.0, 0.0, 0.0),
    heading: float = 0.0,
    *,
    suspension: AnySuspension | None = None,
    hitch: AnyHitch | None = None,
    towing: bool = True,
) -> Krt100:
    """Put the robot into a scene as ``name``, standing at ``position`` (m, on the ground), ``heading`` (rad) left of x.

    ``suspension`` and ``hitch`` replace its own; without ``towing`` it has no trailer.
    """
    built = vehicle(suspension, hitch, towing).build(scene, name, position, heading)
    return Krt100(built, MAST.build(scene, built.chassis, f"{name}_mast"))
