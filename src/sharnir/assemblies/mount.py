"""Where a wheel's suspension sits, and the few ways in which it emits bodies and joints.

Hardpoints are in corner axes: the origin at the wheel's centre in its neutral position, x forward, y outward (away from
the vehicle), z up. One set serves both sides; the right one is the mirror image of the left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import msgspec
import numpy as np

from .. import spatial
from ..errors import SceneError, nearest
from ..scene.body import Body
from ..scene.elements.drive import AnyDrive
from ..scene.elements.friction_laws import AnyFriction
from ..scene.elements.spring import Spring
from ..scene.joint import Joint
from ..scene.joints import AnyJoint, Prismatic, Revolute
from ..scene.materials import DEFAULT, Contact
from ..scene.scene import Scene
from ..scene.shapes import AnyShape, Capsule
from ..scene.values import Quat, Range, Vec3, as_vec3
from ..spatial import Array
from .dressing import DARK, STEEL, bar, pipe
from .wheel import RoadWheel

Side = Literal["left", "right"]
Bar = tuple[Vec3, Vec3, float]  # from, to, radius (m)
CENTER: Vec3 = (0.0, 0.0, 0.0)
LATERAL: Quat = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)  # turns a shape's z axis to y
THICKNESS = 0.08  # radius of a link over its length, for looks


@dataclass(frozen=True)
class Mount:
    """A corner of a chassis: ``center`` is the wheel's centre in the chassis' frame (m)."""

    scene: Scene
    chassis: Body
    name: str
    center: Vec3
    side: Side

    def __post_init__(self) -> None:
        if self.side not in get_args(Side):
            raise SceneError(f"wheel '{self.name}': side is {self.side!r}{nearest(str(self.side), get_args(Side))}")

    def on_chassis(self, hardpoint: Vec3) -> Array:
        """A hardpoint in the chassis' frame."""
        return np.array(self.center) + self.mirrored(hardpoint)

    def mirrored(self, vector: Vec3) -> Array:
        """A vector in corner axes, in the chassis' axes."""
        x, y, z = vector
        return np.array([x, y if self.side == "left" else -y, z])

    def point(self, hardpoint: Vec3) -> Vec3:
        """A hardpoint in the world."""
        return as_vec3(self.chassis.pose.point(self.on_chassis(hardpoint)))

    def direction(self, vector: Vec3) -> Vec3:
        """A direction in corner axes, in the world."""
        return as_vec3(spatial.rotate(self.chassis.pose.rotation, self.mirrored(vector)))

    # --- bodies: their frames are parallel to the chassis' and move with it at the start ------------------------------

    def link(self, part: str, points: Sequence[Vec3], mass: float, seen: Sequence[Bar] = ()) -> Body:
        """A link of round bars from point to point (hardpoints), its mass (kg) spread evenly along them.

        More bars, between hardpoints and with a radius (m), are only ``seen``.
        """
        places = [self.on_chassis(point) for point in points]
        middle = np.mean(places, axis=0)
        bars = [bar(self.on_chassis(a) - middle, self.on_chassis(b) - middle, radius) for a, b, radius in seen]
        return self.across(part, places, mass, seen=bars)

    def across(
        self,
        part: str,
        places: Sequence[Array],
        mass: float,
        name: str | None = None,
        contact: Contact | bool = False,
        seen: Sequence[AnyShape] = (),
    ) -> Body:
        """The same from place to place in the chassis' frame; its name may begin with another one's.

        Shapes that are only ``seen`` are placed from the mean of the places.
        """
        bars = [(a, b) for a, b in pairwise(places) if np.linalg.norm(b - a) > 1e-6]
        if not bars:
            raise SceneError(f"wheel '{self.name}': the hardpoints of its {part} coincide; move them apart")
        whole = sum(float(np.linalg.norm(b - a)) for a, b in bars)
        middle = np.mean(places, axis=0)
        shapes: list[AnyShape] = []
        for a, b in bars:
            length = float(np.linalg.norm(b - a))
            shapes.append(
                Capsule(
                    THICKNESS * whole,
                    length,
                    mass=mass * length / whole,
                    position=as_vec3((a + b) / 2 - middle),
                    rotation=_quat(spatial.frame_rotation(b - a)),
                    **STEEL,
                )
            )
        return self.body(part, [*shapes, *seen], middle, name=name, contact=contact)

    def wheel(
        self, wheel: RoadWheel, axis: Vec3, speed: float, brake: bool = False, shaft: float | None = None
    ) -> Body:
        """The wheel at the corner, its axis (chassis) pointing left, rolling forward at a speed (m/s).

        With a ``brake`` its disc is seen, on the inner side, and with a ``shaft`` the shaft that drives it, which ends
        so far outward of the wheel (m), with the boots of its joints.
        """
        turn = spatial.multiply(_between((0.0, 1.0, 0.0), axis), LATERAL)
        shape = msgspec.structs.replace(wheel.shape(), rotation=_quat(turn))
        spin = speed / wheel.radius * spatial.rotate(self.chassis.pose.rotation, axis)
        inward = np.array(axis) * (-wheel.width if self.side == "left" else wheel.width)
        seen = [pipe(0.5 * inward, 0.58 * inward, 0.5 * wheel.radius)] if brake else []
        if shaft is not None and -shaft > 0.5 * wheel.width:
            end, thick = inward * -shaft / wheel.width, 0.06 * wheel.radius
            boots = [pipe(0.5 * inward, 0.75 * inward, 2.0 * thick, DARK), pipe(0.9 * end, end, 2.0 * thick, DARK)]
            seen += [pipe(0.5 * inward, end, thick), *boots]
        return self.body("wheel", [shape, *seen], np.array(self.center), spin, contact=self._contact(wheel))

    def _contact(self, wheel: RoadWheel) -> Contact | None:
        """A wheel touches everything but its own vehicle, whose chassis and wheels share a group."""
        chassis = self.chassis.spec.contact
        own = (self.chassis.name,) if isinstance(chassis, Contact) and self.chassis.name in chassis.groups else ()
        contact = Contact(material=wheel.material, groups=(DEFAULT, *own), ignores=own)
        return contact if own or wheel.material != DEFAULT else None

    def body(
        self,
        part: str,
        shapes: Sequence[AnyShape],
        place: Array,
        spin: Array | None = None,
        name: str | None = None,
        contact: Contact | bool | None = False,
    ) -> Body:
        """A body whose frame is at a place in the chassis' frame (m); ``spin`` (rad/s, world) is its own."""
        chassis = self.chassis.spec
        arm = spatial.rotate(self.chassis.pose.rotation, place)
        turning = np.array(chassis.angular_velocity)
        return self.scene.body(
            f"{name or self.name}_{part}",
            *shapes,
            position=self.chassis.pose.point(place),
            rotation=chassis.rotation,
            velocity=np.array(chassis.velocity) + np.cross(turning, arm),
            angular_velocity=turning if spin is None else turning + spin,
            contact=contact,
        )

    # --- joints -------------------------------------------------------------------------------------------------------

    def joint(
        self,
        part: str,
        joint: AnyJoint,
        a: Body,
        b: Body,
        *,
        limits: Range | None = None,
        spring: Spring | None = None,
        drive: AnyDrive | None = None,
        friction: AnyFriction | None = None,
    ) -> Joint:
        """A joint between two bodies of the corner, and what its free axis carries."""
        name = f"{self.name}_{part}"
        return self.scene.joint(name, joint, a, b, limits=limits, spring=spring, drive=drive, friction=friction)

    def hinge(
        self,
        part: str,
        a: Body,
        b: Body,
        at: Vec3,
        axis: Vec3,
        lifts: Vec3,
        *,
        limits: Range | None = None,
        spring: Spring | None = None,
    ) -> Joint:
        """A hinge about an axis through a hardpoint; its angle grows as the hardpoint ``lifts`` on b rises."""
        rising = np.cross(axis, np.subtract(lifts, at))[2]
        # mirroring turns a right-handed rotation into a left-handed one
        sign = np.sign(rising) * (1.0 if self.side == "left" else -1.0)
        direction = as_vec3((sign or 1.0) * np.array(self.direction(axis)))
        return self.joint(part, Revolute(axis=direction, anchor=self.point(at)), a, b, limits=limits, spring=spring)

    def slide(
        self,
        part: str,
        a: Body,
        b: Body,
        at: Vec3,
        axis: Vec3,
        *,
        limits: Range | None = None,
        spring: Spring | None = None,
    ) -> Joint:
        """A slider along an axis through a hardpoint."""
        slider = Prismatic(axis=self.direction(axis), anchor=self.point(at))
        return self.joint(part, slider, a, b, limits=limits, spring=spring)


def _between(start: Vec3, end: Vec3) -> Array:
    """The smallest rotation that turns one unit vector into another."""
    axis = np.cross(start, end)
    sine, cosine = float(np.linalg.norm(axis)), float(np.dot(start, end))
    return spatial.IDENTITY if sine < 1e-12 else spatial.about(axis, float(np.arctan2(sine, cosine)))


def _quat(values: Array) -> Quat:
    x, y, z, w = values
    return (float(x), float(y), float(z), float(w))
