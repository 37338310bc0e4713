"""An axle: a wheel on each side, and what joins them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..scene.body import Body
from ..scene.couplings import Coupling
from ..scene.elements.drive import AnyDrive
from ..scene.joint import Joint
from ..scene.scene import Scene
from ..scene.shapes import AnyShape
from ..scene.values import Description, Vec3, as_vec3, units
from ..spatial import Array
from .anti_roll_bar import AntiRollBar
from .dressing import bar
from .final_drive import FinalDrive
from .kinematics import kinematics_of
from .mount import Mount, Side
from .steering import AckermannLinkage, AnySteering, Rack
from .suspensions import AnySuspension, Corner, DoubleWishbone
from .wheel import RoadWheel


@dataclass(frozen=True)
class BuiltAxle:
    """The wheels of an axle in a scene, ``left`` and ``right``.

    ``steer`` is the joint that steers it, ``anti_roll_bar`` the bar's twist, ``shaft`` the hinge of the propeller shaft
    and ``differential`` the gear between it and the wheels; a ``gearbox`` drives the shaft by its ``input``.
    """

    left: Corner
    right: Corner
    steer: Joint | None = None
    anti_roll_bar: Joint | None = None
    shaft: Joint | None = None
    differential: Coupling | None = None
    input: Joint | None = None
    gearbox: Coupling | None = None

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Left and right."""
        return self.left, self.right

    def on(self, side: Side) -> tuple[Corner, ...]:
        """The wheels of a side."""
        return (self.left if side == "left" else self.right,)


class Axle(Description, frozen=True, tag_field="type", tag="independent"):
    """Two wheels, ``track`` (m) apart, at ``x`` (m) along the chassis, their centres ``height`` (m) above its frame.

    Without a height it is the wheel's radius, less what a tyre gives under its static load: the chassis' frame lies on
    the ground. Each ``wheel`` hangs on a ``suspension``; an axle may have ``steering`` and an ``anti_roll_bar``.
    ``drive`` is a motor for each wheel, ``final_drive`` a shaft with a differential between them; ``brake`` gives each
    a friction brake, whose torque is set while running.
    """

    above_zero = units(track="m")
    finite = units(x="m")

    x: float
    track: float
    wheel: RoadWheel = RoadWheel()
    suspension: AnySuspension = DoubleWishbone()
    steering: AnySteering | None = None
    anti_roll_bar: AntiRollBar | None = None
    drive: AnyDrive | None = None
    final_drive: FinalDrive | None = None
    brake: bool = False
    height: float | None = None

    def centers(self, loads: tuple[float, float] = (0.0, 0.0)) -> tuple[Vec3, Vec3]:
        """The centres of the left and the right wheel in the chassis' frame, under static loads (N)."""
        left, right = (
            self.wheel.radius - self.wheel.sag(load) if self.height is None else self.height for load in loads
        )
        return (self.x, self.track / 2, left), (self.x, -self.track / 2, right)

    def brackets(self) -> list[AnyShape]:
        """What the chassis carries for the suspensions and is only seen, in its frame."""
        sides = zip(self.centers(), ((1.0, 1.0, 1.0), (1.0, -1.0, 1.0)), strict=True)
        return [
            bar(np.array(center) + np.array(a) * mirror, np.array(center) + np.array(b) * mirror, radius)
            for center, mirror in sides
            for a, b, radius in self.suspension.brackets()
        ]

    def masses(self) -> list[tuple[float, Array]]:
        """Masses (kg) and their places in the chassis' frame, for the static loads."""
        motion = kinematics_of(self.suspension, self.wheel, self.steering is not None)
        left, right = self.centers()
        own = motion.centroid
        found = [(motion.mass, np.array(left) + own), (motion.mass, np.array(right) + own * [1.0, -1.0, 1.0])]
        middle = (np.array(left) + right) / 2
        if isinstance(self.steering, Rack):
            rod, _ = self.steering.tie_rod(self.suspension, self.wheel, self.track / 2, None)
            found.append((self.steering.mass, middle + np.array([rod[0], 0.0, 0.0])))
        if self.anti_roll_bar is not None:
            # two halves, each of a lever and of a bar behind it, by their lengths
            bar, half = self.anti_roll_bar, self.track / 2 + self.suspension.spring_foot[1]
            x = self.suspension.spring_foot[0] - bar.lever + 0.5 * bar.lever**2 / (bar.lever + half)
            found.append((bar.mass, middle + np.array([x, 0.0, 0.0])))
        if self.final_drive is not None:
            found.append((self.final_drive.whole_mass, middle))
        return found

    def build(
        self, scene: Scene, chassis: Body, name: str, loads: tuple[float, float], wheelbase: float | None, speed: float
    ) -> BuiltAxle:
        """Emit both wheels into a ``scene``, and what joins them, their parts named after ``name``.

        ``loads`` (N) are the static ones, left and right; ``wheelbase`` (m) is what a steering linkage aims at;
        ``speed`` (m/s) lets the wheels roll with the ``chassis``.
        """
        pins = (None, None) if self.steering is None else self.steering.kingpins()
        centers = self.centers(loads)
        mounts = (
            Mount(scene, chassis, f"{name}_left", centers[0], "left"),
            Mount(scene, chassis, f"{name}_right", centers[1], "right"),
        )
        bar = self.anti_roll_bar
        hung = 0.0 if bar is None else bar.hung(self.track / 2 + self.suspension.spring_foot[1])
        left, right = (
            self.suspension.attach(
                scene,
                chassis,
                mount.name,
                mount.center,
                mount.side,
                self.wheel,
                load=load,
                hung=hung,
                drive=self.drive,
                brake=self.brake,
                kingpin=pin,
                speed=speed,
                driven=self.final_drive is not None,
            )
            for mount, load, pin in zip(mounts, loads, pins, strict=True)
        )
        steer = self._steer(mounts, (left, right), name, wheelbase)
        twist = None if bar is None else bar.connect(mounts, (left, right), self.suspension, name)
        if self.final_drive is None:
            return BuiltAxle(left, right, steer, twist)
        place = as_vec3((np.array(centers[0]) + centers[1]) / 2)
        driven = self.final_drive.connect(scene, chassis, name, place, (left, right), speed / self.wheel.radius)
        return BuiltAxle(left, right, steer, twist, *driven)

    def _steer(
        self, mounts: tuple[Mount, Mount], corners: tuple[Corner, Corner], name: str, wheelbase: float | None
    ) -> Joint | None:
        half = self.track / 2
        if isinstance(self.steering, Rack):
            rod = self.steering.tie_rod(self.suspension, self.wheel, half, wheelbase)
            return self.steering.connect(mounts, corners, rod, name)
        if isinstance(self.steering, AckermannLinkage):
            return self.steering.connect(mounts, corners, self.steering.arm_end(self.suspension, half, wheelbase), name)
        return corners[0].kingpin
