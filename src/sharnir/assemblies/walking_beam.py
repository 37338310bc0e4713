"""Walking beams: on each side two wheels, one behind the other, at the ends of a beam that rocks on the chassis.

The beam balances about its pivot: with equal arms both wheels carry the same load N, whatever the ground under each, as
long as the beam turns slowly:  N_front l = N_rear l. The pivot rises by half of what one wheel does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import SceneError
from ..scene.body import Body
from ..scene.elements.drive import AnyDrive
from ..scene.elements.friction_laws import AnyFriction
from ..scene.joint import Joint
from ..scene.joints import Revolute
from ..scene.scene import Scene
from ..scene.values import Description, Range, Vec3, as_vec3, bounds, units
from ..spatial import Array
from .mount import Mount, Side
from .suspensions import Corner
from .suspensions.suspension import Carried, rolling
from .wheel import RoadWheel

ACROSS: Vec3 = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class BuiltBeams:
    """A walking beam on each side of a vehicle in a scene.

    The wheels are ``left_front``, ``left_rear``, ``right_front`` and ``right_rear``, the pivots of the beams
    ``left_pivot`` and ``right_pivot``; their angle is above zero with the front wheel up.
    """

    left_front: Corner
    left_rear: Corner
    right_front: Corner
    right_rear: Corner
    left_pivot: Joint
    right_pivot: Joint

    @property
    def corners(self) -> tuple[Corner, ...]:
        """All wheels, left before right, front before rear."""
        return (*self.on("left"), *self.on("right"))

    def on(self, side: Side) -> tuple[Corner, ...]:
        """The wheels of a side."""
        return (self.left_front, self.left_rear) if side == "left" else (self.right_front, self.right_rear)


class WalkingBeam(Description, frozen=True, tag_field="type", tag="walking_beam"):
    """A beam on each side, ``track`` (m) apart, pivoted at ``x`` (m) along the chassis, wheels ``wheelbase`` (m) apart.

    Each end carries a ``wheel``. The pivot lies ``pivot_height`` (m) above the wheels' centres; ``swing`` (rad) is how
    far a beam may rock, front up above zero, and ``friction`` rubs in its pivot. Each beam has ``mass`` (kg).
    ``drive`` is a motor for each wheel, ``brake`` gives each a friction brake. The chassis' frame lies on the
    ground.
    """

    above_zero = units(track="m", wheelbase="m", mass="kg")
    finite = units(x="m", pivot_height="m")

    x: float
    track: float
    wheelbase: float
    wheel: RoadWheel = RoadWheel()
    pivot_height: float = 0.0
    swing: Range = (-0.4, 0.4)
    mass: float = 5.0
    friction: AnyFriction | None = None
    drive: AnyDrive | None = None
    brake: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = bounds(self.swing, "WalkingBeam swing (rad)")
        if (low is not None and low >= 0.0) or (high is not None and high <= 0.0):
            raise SceneError(f"WalkingBeam swing is {self.swing} rad; give how far it rocks back (below 0) and forward")

    def centers(self, loads: tuple[float, float] = (0.0, 0.0)) -> tuple[Vec3, Vec3]:
        """The middle between the wheels of the left and of the right beam, under static loads (N) on both together."""
        left, right = (self.wheel.radius - self.wheel.sag(0.5 * load) for load in loads)
        return (self.x, self.track / 2, left), (self.x, -self.track / 2, right)

    def masses(self) -> list[tuple[float, Array]]:
        """Masses (kg) and their places in the chassis' frame, for the static loads."""
        return [(self.mass + 2.0 * self.wheel.mass, np.array(center)) for center in self.centers()]

    def build(
        self, scene: Scene, chassis: Body, name: str, loads: tuple[float, float], wheelbase: float | None, speed: float
    ) -> BuiltBeams:
        """Emit both beams with their wheels into a ``scene``, all parts named after ``name``.

        ``loads`` (N) are the static ones of both wheels of a side; ``speed`` (m/s) lets the wheels roll with the
        ``chassis``. The ``wheelbase`` (m) of a vehicle is of no use to it.
        """
        centers = self.centers(loads)
        left, *_ = on_left = self._side(Mount(scene, chassis, f"{name}_left", centers[0], "left"), speed)
        right, *_ = on_right = self._side(Mount(scene, chassis, f"{name}_right", centers[1], "right"), speed)
        return BuiltBeams(*on_left[1:], *on_right[1:], left, right)

    def _side(self, middle: Mount, speed: float) -> tuple[Joint, Corner, Corner]:
        scene, chassis, half = middle.scene, middle.chassis, 0.5 * self.wheelbase
        ends: list[Vec3] = [(half, 0.0, 0.0), (0.0, 0.0, self.pivot_height), (-half, 0.0, 0.0)]
        beam = middle.link("beam", ends, self.mass)
        across = as_vec3(-np.array(Mount(scene, chassis, middle.name, middle.center, "left").direction(ACROSS)))
        hinge = Revolute(axis=across, anchor=middle.point((0.0, 0.0, self.pivot_height)))
        pivot = middle.joint("pivot", hinge, chassis, beam, limits=self.swing, friction=self.friction)
        carried = Carried(drive=self.drive, brake=self.brake, speed=speed)
        corners = []
        for end, offset in (("front", half), ("rear", -half)):
            x, y, z = middle.center
            mount = Mount(scene, chassis, f"{middle.name}_{end}", (x + offset, y, z), middle.side)
            body, spin, ruler = rolling(mount, self.wheel, beam, ACROSS, carried)
            corners.append(Corner(body, beam, beam, beam, pivot, "angle", spin, ruler))
        return pivot, corners[0], corners[1]
