"""A serial arm: links one after the other, each in a driven hinge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import SceneError
from ..scene.body import Body
from ..scene.elements.drive import AnyDrive
from ..scene.elements.friction_laws import AnyFriction
from ..scene.joint import Joint
from ..scene.joints import Revolute
from ..scene.materials import Contact
from ..scene.scene import Scene
from ..scene.shapes import AnyShape
from ..scene.values import Description, Range, Vec3, as_vec3, positive
from .mount import Mount


class ArmLink(Description, frozen=True):
    """A link that begins where the last one ended: ``along`` (m, in the chassis' axes at the start), ``mass`` (kg).

    It turns about ``axis`` at its beginning, within ``limits`` (rad), by its ``drive``; ``contact`` lets it touch. What
    is only ``seen`` of it are shapes placed from its middle, in the chassis' axes.
    """

    name: str
    along: Vec3
    mass: float
    axis: Vec3
    limits: Range | None = None
    drive: AnyDrive | None = None
    friction: AnyFriction | None = None
    contact: Contact | bool = False
    seen: tuple[AnyShape, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.mass, f"ArmLink '{self.name}' mass (kg)")


@dataclass(frozen=True)
class BuiltArm:
    """An arm in a scene: bodies and joints by the names of the links."""

    links: dict[str, Body]
    joints: dict[str, Joint]

    @property
    def tip(self) -> Body:
        """The last link."""
        return list(self.links.values())[-1]


class Arm(Description, frozen=True):
    """Links from ``base`` (m, in the chassis' frame) on."""

    base: Vec3
    links: tuple[ArmLink, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.links:
            raise SceneError("Arm has no links; give at least one ArmLink(...)")

    def masses(self) -> tuple[tuple[float, Vec3], ...]:
        """The links' masses with their middles in the chassis' frame, for a vehicle's static loads."""
        starts = np.cumsum([self.base, *(link.along for link in self.links)], axis=0)
        return tuple(
            (link.mass, as_vec3(start + np.array(link.along) / 2))
            for link, start in zip(self.links, starts, strict=False)
        )

    def build(self, scene: Scene, chassis: Body, name: str) -> BuiltArm:
        """Emit the links and their joints, straight as described."""
        mount = Mount(scene, chassis, name, (0.0, 0.0, 0.0), "left")
        bodies: dict[str, Body] = {}
        joints: dict[str, Joint] = {}
        start, before = np.array(self.base), chassis
        for link in self.links:
            end = start + link.along
            body = mount.across(link.name, [start, end], link.mass, contact=link.contact, seen=link.seen)
            hinge = Revolute(axis=mount.direction(link.axis), anchor=mount.point(as_vec3(start)))
            joints[link.name] = mount.joint(
                f"{link.name}_joint",
                hinge,
                before,
                body,
                limits=link.limits,
                drive=link.drive,
                friction=link.friction,
            )
            bodies[link.name], start, before = body, end, body
        return BuiltArm(bodies, joints)
