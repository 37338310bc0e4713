"""The final drive of an axle: a propeller shaft along the vehicle, and a differential between its two wheels."""

from __future__ import annotations

import math

import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.body import Body
from ..scene.couplings import Coupling, Differential
from ..scene.elements.drive import AnyDrive
from ..scene.joint import Joint
from ..scene.joints import Revolute
from ..scene.scene import Scene
from ..scene.shapes import Cylinder
from ..scene.values import Description, Vec3, number, positive
from .mount import as_vec3
from .suspensions import Corner

LYING = tuple(spatial.about((0.0, 1.0, 0.0), math.pi / 2).tolist())  # a cylinder along x


class FinalDrive(Description, frozen=True):
    """A propeller shaft that drives both wheels of an axle through a differential, at ``ratio`` times their mean speed.

    Both wheels get the same torque, half of the ratio times the shaft's, whatever their speeds. The shaft is a round
    bar of ``mass`` (kg), ``radius`` and ``length`` (m) along the chassis; ``drive`` is its motor, if it has one, and
    ``efficiency`` the share of power that the gear passes on. Forward is positive. The torque of the wheels is held by
    their hubs, as that of motors in them would be.
    """

    ratio: float = 4.0
    drive: AnyDrive | None = None
    efficiency: float = 1.0
    mass: float = 2.0
    radius: float = 0.03
    length: float = 0.4

    def __post_init__(self) -> None:
        super().__post_init__()
        if number(self.ratio, "FinalDrive ratio") <= 0.0:
            raise SceneError(f"FinalDrive ratio is {self.ratio:g}; give turns of the shaft per turn of the wheels")
        positive(self.mass, "FinalDrive mass (kg)")
        positive(self.radius, "FinalDrive radius (m)")
        positive(self.length, "FinalDrive length (m)")

    @property
    def inertia(self) -> float:
        """Of the shaft about its axis, kg m^2."""
        return 0.5 * self.mass * self.radius**2

    def connect(
        self, scene: Scene, chassis: Body, name: str, place: Vec3, corners: tuple[Corner, Corner], pace: float
    ) -> tuple[Joint, Coupling]:
        """Put shaft and differential into a ``scene``, at a ``place`` on the ``chassis`` (m), named after ``name``.

        ``pace`` (rad/s) is that of the wheels of the ``corners`` at the start. Returns the shaft's hinge and the gear.
        """
        pose = chassis.pose
        forward = spatial.rotate(pose.rotation, (1.0, 0.0, 0.0))
        shaft = scene.body(
            f"{name}_shaft",
            Cylinder(self.radius, self.length, mass=self.mass, rotation=LYING),
            position=pose.point(np.array(place)),
            rotation=pose.rotation,
            velocity=chassis.spec.velocity,
            angular_velocity=self.ratio * pace * forward,
            contact=False,
        )
        hinge = Revolute(axis=as_vec3(forward), anchor=as_vec3(pose.point(np.array(place))))
        turning = scene.joint(f"{name}_shaft", hinge, chassis, shaft, drive=self.drive)
        gear = Differential(self.ratio, efficiency=self.efficiency)
        return turning, scene.couple(f"{name}_differential", gear, turning, corners[0].spin, corners[1].spin)
