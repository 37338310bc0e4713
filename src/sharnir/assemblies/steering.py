"""Steering of an axle: a rack with tie rods, one tie rod across (Ackermann's trapezoid), or a drive in each kingpin.

Steering arms are hardpoints of the wheel carriers. With a wheelbase L between steered and fixed axles, and kingpins B
apart, the lines from the kingpins through the ends of the arms meet on the fixed axle: tan(beta) = B/(2 L). The wheels
then nearly follow cot(outer) - cot(inner) = B/L, by which all of them roll about one point.
"""

from __future__ import annotations

import math

import numpy as np

from ..scene.elements.drive import AnyDrive, DcDrive, PositionServo
from ..scene.joint import Joint
from ..scene.joints import Distance, Prismatic
from ..scene.values import Description, Range, Vec3, as_vec3, number, positive
from ..spatial import Array
from .kinematics import Kinematics, TieRod, kinematics_of
from .mount import Mount
from .suspensions.suspension import Corner, Kingpin, Suspension
from .wheel import RoadWheel

KINGPIN_SERVO = PositionServo(DcDrive(0.5, 400.0, 0.02, 200.0), gain=20.0, damping=0.5)
RACK_SERVO = PositionServo(DcDrive(0.5, 400.0, 0.02, 4000.0), gain=200.0, damping=5.0)
NEAREST = 0.1  # share of the half track: a tie rod's inner end comes no closer to the middle of the vehicle


class WheelSteering(Description, frozen=True, tag_field="type", tag="wheel_steering"):
    """Each wheel has a ``drive`` of its own in its kingpin; ``limits`` in rad, left positive."""

    limits: Range = (-0.6, 0.6)
    drive: AnyDrive = KINGPIN_SERVO

    def kingpins(self) -> tuple[Kingpin, Kingpin]:
        """The left and the right one."""
        return Kingpin(limits=self.limits, drive=self.drive), Kingpin(limits=self.limits, drive=self.drive)


class ArmSteering(Description, frozen=True, tag_field="type"):
    """What rack and linkage share: steering arms, ``arm`` (m) long, behind the kingpins, or before them if negative.

    ``height`` (m) is that of the tie rods over the wheel's centre, None for the kingpin's lower end. ``wheelbase`` (m)
    aims the arms, see the module; None is that of the vehicle.
    """

    arm: float = 0.08
    height: float | None = None
    wheelbase: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(abs(number(self.arm, f"{type(self).__name__} arm (m)")), f"{type(self).__name__} arm (m)")

    def arm_end(self, suspension: Suspension, half_track: float, wheelbase: float | None) -> Vec3:
        """The end of the steering arm, a hardpoint."""
        low, high = np.array(suspension.kingpin_low), np.array(suspension.kingpin_high)
        height = low[2] if self.height is None else self.height
        pin = low + (high - low) * (height - low[2]) / (high[2] - low[2])
        base = self.wheelbase if self.wheelbase is not None else wheelbase
        beta = 0.0 if base is None else math.atan2(half_track + pin[1], base)
        return as_vec3(pin + self.arm * np.array([-math.cos(beta), -math.sin(beta), 0.0]))


class Rack(ArmSteering, frozen=True, tag="rack"):
    """A bar that slides across the chassis by ``travel`` (m) to each side; tie rods lead from it to the wheels.

    The inner ends of the tie rods lie where the outer ends circle about as the wheels rise and sink, so that the travel
    steers little. ``drive`` moves the rack, of ``mass`` (kg); its coordinate is positive to the left.
    """

    travel: float = 0.035
    mass: float = 1.5
    drive: AnyDrive | None = RACK_SERVO

    def kingpins(self) -> tuple[Kingpin, Kingpin]:
        """Both turn freely."""
        return Kingpin(), Kingpin()

    def tie_rod(self, suspension: Suspension, wheel: RoadWheel, half_track: float, wheelbase: float | None) -> TieRod:
        """The tie rod's ends, hardpoints."""
        outer = self.arm_end(suspension, half_track, wheelbase)
        return as_vec3(_center_of_path(kinematics_of(suspension, wheel, True), np.array(outer), half_track)), outer

    def connect(self, mounts: tuple[Mount, Mount], corners: tuple[Corner, Corner], tie_rod: TieRod, name: str) -> Joint:
        """The rack and its tie rods."""
        inner, outer = tie_rod
        left, right = mounts
        rack = left.across("rack", [left.on_chassis(inner), right.on_chassis(inner)], self.mass, name)
        to_left = (0.0, -1.0, 0.0) if self.arm > 0 else (0.0, 1.0, 0.0)  # arms behind the kingpins reverse
        slider = Prismatic(axis=left.direction(to_left), anchor=as_vec3(rack.pose.position))
        limits = (-self.travel, self.travel)
        joint = left.scene.joint(f"{name}_rack", slider, left.chassis, rack, limits=limits, drive=self.drive)
        for mount, corner in zip(mounts, corners, strict=True):
            rod = Distance(anchor_a=mount.point(inner), anchor_b=mount.point(outer))
            mount.joint("tie_rod", rod, rack, corner.carrier)
        return joint


class AckermannLinkage(ArmSteering, frozen=True, tag="ackermann"):
    """One tie rod across the vehicle joins both steering arms; ``drive`` turns the left kingpin, ``limits`` in rad."""

    limits: Range = (-0.6, 0.6)
    drive: AnyDrive | None = KINGPIN_SERVO

    def kingpins(self) -> tuple[Kingpin, Kingpin]:
        """The left one leads."""
        return Kingpin(limits=self.limits, drive=self.drive), Kingpin(limits=(-1.2, 1.2))

    def connect(self, mounts: tuple[Mount, Mount], corners: tuple[Corner, Corner], end: Vec3, name: str) -> Joint:
        """The tie rod between the carriers; ``end`` is its hardpoint (m)."""
        left, right = mounts
        rod = Distance(anchor_a=left.point(end), anchor_b=right.point(end))
        left.scene.joint(f"{name}_tie_rod", rod, corners[0].carrier, corners[1].carrier)
        assert corners[0].kingpin is not None  # steered corners have one
        return corners[0].kingpin


AnySteering = Rack | AckermannLinkage | WheelSteering


def _center_of_path(motion: Kinematics, outer: Array, half_track: float) -> Array:
    """Where the carrier's point ``outer`` circles about across the vehicle: through three points of its path."""
    low, high = motion.suspension.travel
    a, b, c = (motion.carried_point(z, outer)[1:] for z in (low, 0.0, high))
    # |p - a| = |p - b| = |p - c|: two linear equations for the centre p
    sides = 2.0 * np.array([b - a, c - b])
    straight = abs(np.linalg.det(sides)) < 1e-9
    center = b - [1.0, 0.0] if straight else np.linalg.solve(sides, np.array([b @ b - a @ a, c @ c - b @ b]))
    longest = half_track * (1.0 - NEAREST) + b[0]  # the rod that there is room for
    along = center - b if center[0] < b[0] else b - center
    share = longest / -along[0] if straight or -along[0] > longest or center[0] > b[0] else 1.0
    return np.array([outer[0], *(b + share * along)])
