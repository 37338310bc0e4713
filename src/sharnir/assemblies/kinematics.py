"""How a suspension moves: where the wheel and the spring are over the travel, found by closing the linkage's joints.

With q the coordinate of the guiding joint (the lower arm's angle), z the rise of the wheel's centre and s the spring's
coordinate. A vertical force N at the wheel's lowest point c, the weights m_j of the parts and the spring's force F
balance by virtual work:

    N dc_z/dq - g sum m_j dz_j/dq + F ds/dq = 0
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.assemble import postured
from ..scene.joint_coordinates import coordinate
from ..scene.joints import Distance
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..scene.shapes import Box
from ..scene.values import Vec3
from ..spatial import Array, Pose
from .mount import CENTER, Mount
from .wheel import RoadWheel

if TYPE_CHECKING:
    from .suspensions.suspension import Suspension

STEP = 1e-5  # of the guiding coordinate (rad, m), for slopes
CLOSE = 1e-12  # m: a travel found
TieRod = tuple[Vec3, Vec3]  # hardpoints: the end on the chassis or rack, and the one on the wheel carrier


@dataclass(frozen=True)
class Posture:
    """A left wheel at one position of its travel; lengths (m) in corner axes, angles in rad."""

    guide: float  # the guiding coordinate
    center: Array  # of the wheel
    axis: Array  # of the wheel, unit, pointing left
    contact: Array  # the lowest point of the wheel
    spring: float  # the spring's coordinate: length of the coil, angle of the torsion bar
    moment: float  # sum of mass times height of all parts, kg m
    foot: float  # height of the hardpoint spring_foot
    poses: dict[str, Pose]  # of all parts

    @property
    def camber(self) -> float:
        """How far the top of the wheel leans outward."""
        return -float(np.arcsin(self.axis[2]))

    @property
    def toe(self) -> float:
        """How far the front of the wheel points inward."""
        return float(np.arctan2(self.axis[0], self.axis[1]))


class Slopes(NamedTuple):
    """Changes per unit of the guiding coordinate."""

    center: float  # height of the wheel's centre
    contact: float  # height of its lowest point
    spring: float
    moment: float  # kg m
    foot: float


class Kinematics:
    """The motion of a suspension with its wheel over the travel, on a chassis that does not move."""

    def __init__(
        self, suspension: Suspension, wheel: RoadWheel, steered: bool = False, tie_rod: TieRod | None = None
    ) -> None:
        from .suspensions.suspension import Carried, Kingpin

        self.suspension = suspension
        self.wheel = wheel
        self.scene = Scene(f"{type(suspension).__name__} on a rig")
        chassis = self.scene.body("chassis", Box(0.1, 0.1, 0.1), fixed=True)
        mount = Mount(self.scene, chassis, "corner", CENTER, "left")
        self.parts = suspension.emit(mount, wheel, Carried(kingpin=Kingpin() if steered else None))
        self._held: dict[Quantity, float] = {self.parts.spin.angle: 0.0}
        if tie_rod is not None:
            inner, outer = (mount.point(end) for end in tie_rod)
            mount.joint("tie_rod", Distance(anchor_a=inner, anchor_b=outer), chassis, self.parts.carrier)
        elif self.parts.kingpin is not None:
            self._held[self.parts.kingpin.angle] = 0.0
        coil = self.parts.coil
        self._spring = (coil, "length") if coil is not None else (self.parts.guide, self.parts.coordinate)
        self._foot = self.parts.sprung.pose.inverse().point(mount.point(suspension.spring_foot))
        self._slopes: dict[float, Slopes] = {}
        self._travels: dict[float, Posture] = {}
        self.neutral = self.at(0.0)

    def at(self, guide: float, near: Posture | None = None) -> Posture:
        """The posture at a value of the guiding coordinate (rad or m), sought from another one, or the neutral one."""
        for steps in (1, 4, 16):  # at once, or by ever smaller steps
            poses = None if near is None else near.poses
            begin = 0.0 if near is None else near.guide
            try:
                for share in np.arange(1, steps + 1) / steps:
                    value = begin + share * (guide - begin)
                    held = self._held | {self.parts.guide.coordinate(self.parts.coordinate): value}
                    poses = postured(self.scene, held, poses)
            except SceneError:
                continue
            if poses is not None:
                return self._read(guide, poses)
        raise SceneError(f"{self.scene.name}: the linkage cannot be closed with its guide at {guide:.6g}")

    def _read(self, guide: float, poses: dict[str, Pose]) -> Posture:
        wheel = poses[self.parts.wheel.name]
        frame = wheel @ self.parts.spin.frame_b
        axis = spatial.rotate(frame.rotation, (0.0, 0.0, 1.0))
        down = np.array([0.0, 0.0, -1.0]) - axis * -axis[2]
        edge = self.wheel.shape().round
        contact = wheel.position + (self.wheel.radius - edge) * down / np.linalg.norm(down) - [0.0, 0.0, edge]
        foot = poses[self.parts.sprung.name].point(self._foot)[2]
        spring, moment = self._spring_at(poses), self._moment(poses)
        return Posture(guide, wheel.position, axis, contact, spring, moment, float(foot), poses)

    def _spring_at(self, poses: dict[str, Pose]) -> float:
        joint, name = self._spring
        kind = next(free.kind for free in joint.type.coordinates if free.name == name)
        places = [poses.get(body.name, body.pose) for body in (joint.a, joint.b)]
        return float(coordinate(kind, places[0] @ joint.frame_a, places[1] @ joint.frame_b))

    def _moment(self, poses: dict[str, Pose]) -> float:
        parts = [(body.properties, poses[name]) for name, body in self.scene.bodies.items() if body.properties]
        return sum(properties.mass * float(pose.point(properties.center)[2]) for properties, pose in parts)

    @property
    def mass(self) -> float:
        """The mass of all parts, wheel included, kg."""
        return sum(body.properties.mass for body in self.scene.bodies.values() if body.properties)

    @property
    def centroid(self) -> Array:
        """The centre of mass of all parts in the neutral position, corner axes, m."""
        bodies = [(body.properties, body.pose) for body in self.scene.bodies.values() if body.properties]
        return sum((p.mass * pose.point(p.center) for p, pose in bodies), np.zeros(3)) / self.mass

    def carried_point(self, z: float, hardpoint: Array) -> Array:
        """Where a point of the wheel carrier (a hardpoint in the neutral position) is at a travel z (m)."""
        carrier = self.parts.carrier
        pose = self.at_travel(z).poses[carrier.name]
        return pose.point(carrier.pose.inverse().point(hardpoint))

    # --- over the travel ----------------------------------------------------------------------------------------------

    def at_travel(self, z: float) -> Posture:
        """The posture with the wheel's centre at a height z (m) over its neutral position."""
        if z not in self._travels:
            self._travels[z] = self._risen(z)
        return self._travels[z]

    def _risen(self, z: float) -> Posture:
        """By secant steps."""
        slope = self.slopes(self.neutral).center
        last, guide = self.neutral, self.suspension.first_guess(z, slope)
        for _ in range(40):
            try:
                found = self.at(guide, near=last)
            except SceneError:
                break
            error = float(found.center[2]) - z
            if abs(error) < CLOSE:
                return found
            rise = float(found.center[2] - last.center[2])
            slope = rise / (found.guide - last.guide) if abs(rise) > 1e-15 else slope
            last, guide = found, found.guide - error / slope
        raise SceneError(
            f"{type(self.suspension).__name__}: its linkage does not lift the wheel by {z:.6g} m; shorten the travel "
            f"{self.suspension.travel}, or move the hardpoints"
        )

    @property
    def limits(self) -> tuple[float, float]:
        """The guiding coordinate at both ends of the travel, where the wheel truly stops."""
        low, high = (self.at_travel(end).guide for end in self.suspension.travel)
        return (min(low, high), max(low, high))

    def slopes(self, posture: Posture) -> Slopes:
        """How things change with the guiding coordinate at a posture, by central differences."""
        if posture.guide not in self._slopes:
            above, below = (self.at(posture.guide + step, near=posture) for step in (STEP, -STEP))
            rises = [
                float(above.center[2] - below.center[2]),
                float(above.contact[2] - below.contact[2]),
                above.spring - below.spring,
                above.moment - below.moment,
                above.foot - below.foot,
            ]
            self._slopes[posture.guide] = Slopes(*(rise / (2.0 * STEP) for rise in rises))
        return self._slopes[posture.guide]

    def motion_ratio(self, z: float) -> float:
        """ds/dz: how far the spring moves (m or rad) per metre of the wheel's lowest point, at a travel z (m)."""
        slopes = self.slopes(self.at_travel(z))
        return slopes.spring / slopes.contact

    def spring_force(self, load: float, gravity: float, hung: float = 0.0) -> float:
        """The spring's force (N) or torque (N m) in the neutral position that balances a vertical ``load`` (N).

        ``hung`` (kg) is what hangs on the hardpoint ``spring_foot`` besides.
        """
        slopes = self.slopes(self.neutral)
        weight = gravity * (slopes.moment + hung * slopes.foot)
        return -(load * slopes.contact - weight) / slopes.spring

    def wheel_force(self, force: float, gravity: float, z: float) -> float:
        """The vertical force (N) at the wheel's lowest point that balances a spring's force (N, N m) at a travel z."""
        slopes = self.slopes(self.at_travel(z))
        return -(force * slopes.spring - gravity * slopes.moment) / slopes.contact


@cache
def kinematics_of(suspension: Suspension, wheel: RoadWheel, steered: bool = False) -> Kinematics:
    """The kinematics of a suspension; worked out once for each description."""
    return Kinematics(suspension, wheel, steered)
