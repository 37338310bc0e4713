"""The final drive of an axle: a propeller shaft along the vehicle, and a differential between its two wheels.

With a gearbox an input shaft comes before it, which the motor turns.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.body import Body
from ..scene.couplings import Coupling, Differential, Gearbox
from ..scene.elements.drive import AnyDrive
from ..scene.joint import Joint
from ..scene.joints import Revolute
from ..scene.scene import Scene
from ..scene.shapes import Cylinder
from ..scene.values import Description, Vec3, as_vec3, number, units
from .suspensions import Corner

LYING = tuple(spatial.about((0.0, 1.0, 0.0), math.pi / 2).tolist())  # a cylinder along x


class Driven(NamedTuple):
    """What a final drive puts into a scene: the hinge of the propeller ``shaft``, the ``differential``, and, with a
    ``gearbox``, the hinge of its ``input`` shaft."""

    shaft: Joint
    differential: Coupling
    input: Joint | None = None
    gearbox: Coupling | None = None


class FinalDrive(Description, frozen=True):
    """A propeller shaft that drives both wheels of an axle through a differential, at ``ratio`` times their mean speed.

    Both wheels get the same torque, half of the ratio times the shaft's, whatever their speeds. The shaft is a round
    bar of ``mass`` (kg), ``radius`` and ``length`` (m) along the chassis; ``drive`` is its motor, if it has one, and
    ``efficiency`` the share of power that the gear passes on. Forward is positive. The torque of the wheels is held by
    their hubs, as that of motors in them would be. With a ``gearbox`` the motor turns an input shaft, of the same size,
    whose speed is that of the propeller shaft times the ratio of the gear in use.
    """

    above_zero = units(mass="kg", radius="m", length="m")

    ratio: float = 4.0
    drive: AnyDrive | None = None
    gearbox: Gearbox | None = None
    efficiency: float = 1.0
    mass: float = 2.0
    radius: float = 0.03
    length: float = 0.4

    def __post_init__(self) -> None:
        super().__post_init__()
        if number(self.ratio, "FinalDrive ratio") <= 0.0:
            raise SceneError(f"FinalDrive ratio is {self.ratio:g}; give turns of the shaft per turn of the wheels")

    @property
    def whole_mass(self) -> float:
        """Of all shafts, kg."""
        return self.mass if self.gearbox is None else 2.0 * self.mass

    @property
    def inertia(self) -> float:
        """Of the shaft about its axis, kg m^2."""
        return 0.5 * self.mass * self.radius**2

    def connect(
        self, scene: Scene, chassis: Body, name: str, place: Vec3, corners: tuple[Corner, Corner], pace: float
    ) -> Driven:
        """Put shafts and gears into a ``scene``, at a ``place`` on the ``chassis`` (m), named after ``name``.

        ``pace`` (rad/s) is that of the wheels of the ``corners`` at the start.
        """
        turning = self._shaft(scene, chassis, f"{name}_shaft", place, self.ratio * pace, self.gearbox is None)
        gear = Differential(self.ratio, efficiency=self.efficiency)
        halves = scene.couple(f"{name}_differential", gear, turning, corners[0].spin, corners[1].spin)
        if self.gearbox is None:
            return Driven(turning, halves)
        fast = self.ratio * pace * (self.gearbox.ratio(self.gearbox.gear) if self.gearbox.gear else 1.0)
        given = self._shaft(scene, chassis, f"{name}_input", place, fast, True)
        return Driven(turning, halves, given, scene.couple(f"{name}_gearbox", self.gearbox, given, turning))

    def _shaft(self, scene: Scene, chassis: Body, name: str, place: Vec3, speed: float, is_driven: bool) -> Joint:
        """A shaft that turns along the chassis at a speed (rad/s), with the motor or without."""
        pose = chassis.pose
        forward = spatial.rotate(pose.rotation, (1.0, 0.0, 0.0))
        shaft = scene.body(
            name,
            Cylinder(self.radius, self.length, mass=self.mass, rotation=LYING),
            position=pose.point(np.array(place)),
            rotation=pose.rotation,
            velocity=chassis.spec.velocity,
            angular_velocity=speed * forward,
            contact=False,
        )
        hinge = Revolute(axis=as_vec3(forward), anchor=as_vec3(pose.point(np.array(place))))
        return scene.joint(name, hinge, chassis, shaft, drive=self.drive if is_driven else None)
