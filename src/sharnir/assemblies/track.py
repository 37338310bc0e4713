"""Tracks: two frames whose surfaces run as belts, each moved by its sprocket.

A belt is not a chain of links: the outline of its frame touches the ground, and its surface moves at the speed of the
sprocket (``Contact.belt``). That pushes, brakes, turns on the spot and climbs like a track that does not sag.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..scene.body import Body
from ..scene.elements.drive import AnyDrive
from ..scene.elements.friction_laws import Coulomb
from ..scene.joint import Joint
from ..scene.joints import Fixed, Revolute
from ..scene.materials import DEFAULT, Contact
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..scene.shapes import Box, Cylinder, Wheel
from ..scene.tyres import Belt
from ..scene.values import Description, units
from ..spatial import Array
from .mount import LATERAL, Mount, Side


@dataclass(frozen=True)
class BuiltTrack:
    """One track in a scene: its ``frame``, its ``sprocket``, and the hinge ``spin`` of it (forward is positive)."""

    frame: Body
    sprocket: Body
    spin: Joint

    @property
    def brake(self) -> Quantity:
        """The brake's torque, N m: set it while running."""
        return self.spin.friction_level("angle")


@dataclass(frozen=True)
class BuiltTracks:
    """Both tracks of a vehicle, ``left`` and ``right``."""

    left: BuiltTrack
    right: BuiltTrack


class Tracks(Description, frozen=True):
    """Two tracks, ``gauge`` (m) from middle to middle, whose end wheels of ``radius`` (m) are ``length`` (m) apart.

    They are ``width`` (m) wide, their middle ``x`` (m) along the chassis. ``mass`` (kg) is that of one frame with its
    rollers, ``belt_mass`` (kg) that of one belt, which turns with the sprocket at the rear end. ``drive`` is a motor
    for each side, ``brake`` gives each a friction brake, ``material`` is that of the belts.
    """

    above_zero = units(gauge="m", length="m", radius="m", width="m", mass="kg", belt_mass="kg")
    finite = units(x="m")

    gauge: float
    length: float
    radius: float
    width: float
    mass: float
    belt_mass: float = 5.0
    x: float = 0.0
    drive: AnyDrive | None = None
    brake: bool = False
    material: str = DEFAULT

    def ends(self) -> list[Array]:
        """Where the tracks carry, in the chassis' frame: the four ends, m."""
        return [
            np.array([self.x + way * self.length / 2, side * self.gauge / 2, self.radius])
            for side in (1.0, -1.0)
            for way in (1.0, -1.0)
        ]

    def masses(self) -> list[tuple[float, Array]]:
        """Masses (kg) and their places in the chassis' frame."""
        front, rear = self.ends()[:2]
        mirror = np.array([1.0, -1.0, 1.0])
        own = [(self.mass, (front + rear) / 2), (self.belt_mass, rear)]
        return own + [(mass, place * mirror) for mass, place in own]

    def build(self, scene: Scene, chassis: Body, name: str) -> BuiltTracks:
        """Emit both tracks into a ``scene``, welded to the chassis, their parts named after ``name``."""
        return BuiltTracks(self._side(scene, chassis, name, "left"), self._side(scene, chassis, name, "right"))

    def _side(self, scene: Scene, chassis: Body, name: str, side: Side) -> BuiltTrack:
        y = self.gauge / 2 if side == "left" else -self.gauge / 2
        half = self.length / 2
        mount = Mount(scene, chassis, f"{name}_{side}", (self.x, y, self.radius), side)
        ends = [
            Wheel(self.radius, self.width, 0.2 * self.width, position=(way, 0.0, 0.0), rotation=LATERAL)
            for way in (half, -half)
        ]
        own = (chassis.name,)
        contact = Contact(
            material=self.material,
            groups=(DEFAULT, *own),
            ignores=own,
            belt=Belt(sprocket=f"{name}_{side}_sprocket_hinge", radius=self.radius),
        )
        plate = Box(self.length, self.width, 2 * self.radius, mass=self.mass, color="#3b4349")
        frame = mount.body("track", [plate, *ends], np.array(mount.center), contact=contact)
        mount.joint("track_weld", Fixed(), chassis, frame)
        # all of the belt's mass moves at the rim: a thin ring has twice the inertia of a disc
        ring = Cylinder(self.radius * 2**0.5, self.width, mass=self.belt_mass, rotation=LATERAL)
        sprocket = mount.body("sprocket", [ring], mount.on_chassis((-half, 0.0, 0.0)))
        hinge = Revolute(
            axis=mount.direction((0.0, 1.0 if side == "left" else -1.0, 0.0)), anchor=mount.point((-half, 0.0, 0.0))
        )
        friction = Coulomb(0.0) if self.brake else None
        spin = mount.joint("sprocket_hinge", hinge, frame, sprocket, drive=self.drive, friction=friction)
        return BuiltTrack(frame, sprocket, spin)
