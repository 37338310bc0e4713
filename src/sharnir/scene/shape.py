"""Shapes: what a body looks like, what it touches with, and where its mass and inertia come from.

A shape has its own frame, placed in the body by ``position`` and ``rotation``. Its mass is given as ``mass`` (kg) or
``density`` (kg/m^3); a shape without either adds none. A body of several shapes is a compound: each of them collides,
unless its ``collides`` is False.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from .. import spatial
from ..errors import SceneError
from .values import ORIGIN, UPRIGHT, Description, Quat, Vec3, existing_file, number, positive, quaternion, vector


class MassProperties(NamedTuple):
    """Mass (kg), centre of mass (m) and inertia about it (kg m^2), in one frame."""

    mass: float
    center: spatial.Array
    inertia: spatial.Array

    def placed(self, pose: spatial.Pose) -> MassProperties:
        """The same mass seen from the frame in which the old frame has this pose."""
        turn = spatial.matrix(pose.rotation)
        return MassProperties(self.mass, pose.point(self.center), turn @ self.inertia @ turn.T)


def combined(parts: list[MassProperties]) -> MassProperties:
    """Several masses rigidly joined: Steiner's theorem about the common centre."""
    mass = sum(part.mass for part in parts)
    center = sum((part.mass * part.center for part in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        arm = part.center - center
        inertia += part.inertia + part.mass * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
    return MassProperties(mass, center, inertia)


class Shape(Description, frozen=True, kw_only=True, tag_field="type"):
    """What all shapes share.

    A shape weighs what its ``mass`` (kg) or its ``density`` (kg/m^3) says, and nothing without either. ``position`` (m)
    and ``rotation`` (quaternion) place its frame in the body. ``color`` is as in CSS, such as ``"#8f948c"``, with two
    more digits for its opacity; ``texture`` is the file of a picture (PNG, JPEG) that lies on it. ``roughness`` and
    ``metalness``, from 0 to 1, are those of physically based materials; what has ``glow`` (0 to 1) gives light of its
    own, and a cylinder that glows shines along its axis at night. One whose ``collides`` is False is only seen, one
    whose ``visible`` is False is not.
    """

    rolls: ClassVar[bool] = False  # whether the point it touches at wanders over it

    mass: float | None = None
    density: float | None = None
    position: Vec3 = ORIGIN
    rotation: Quat = UPRIGHT
    color: str | None = None
    texture: str | None = None
    roughness: float | None = None
    metalness: float | None = None
    glow: float = 0.0
    collides: bool = True
    visible: bool = True

    def checked(self, owner: str) -> Shape:
        """This shape with its common numbers checked; the error names the owner."""
        what = f"{owner}: {type(self).__name__}"
        if self.mass is not None and self.density is not None:
            raise SceneError(f"{what} has mass {self.mass:g} and density {self.density:g}; give one of them")
        if self.mass is not None:
            positive(self.mass, f"{what} mass (kg)")
        if self.density is not None:
            positive(self.density, f"{what} density (kg/m^3)")
        vector(self.position, f"{what} position (m)")
        quaternion(self.rotation, f"{what} rotation")
        if self.texture is not None:
            existing_file(self.texture, f"{what} texture")
        for name in ("roughness", "metalness", "glow"):
            if (given := getattr(self, name)) is not None and not 0.0 <= number(given, f"{what} {name}") <= 1.0:
                raise SceneError(f"{what} {name} is {given:g}; give a number from 0 to 1")
        for name, size in self.sizes().items():
            positive(size, f"{what} {name} (m)")
        return self

    def sizes(self) -> dict[str, float]:
        """The lengths that must be above zero, by name."""
        return {}

    def contact_size(self) -> Vec3:
        """The numbers that contact needs of it, m; ``dynamics/contacts/solids.py`` knows what they mean."""
        return ORIGIN

    def bounding_radius(self) -> float:
        """The radius (m) of a ball about its frame's origin that holds it."""
        raise NotImplementedError

    def drawn(self) -> tuple[str, list[float]]:
        """What it is drawn as: box, sphere, cylinder, capsule or wheel, and its sizes (m)."""
        raise NotImplementedError

    def unit_properties(self) -> MassProperties:
        """Mass properties at a density of 1 kg/m^3, in the shape's frame; the mass is the volume."""
        raise NotImplementedError

    def mass_properties(self) -> MassProperties | None:
        """Mass properties in the body's frame, or None for a shape that adds none."""
        if self.mass is None and self.density is None:
            return None
        unit = self.unit_properties()
        scale = self.density if self.density is not None else (self.mass or 0.0) / unit.mass
        solid = MassProperties(scale * unit.mass, unit.center, scale * unit.inertia)
        return solid.placed(spatial.Pose(np.array(self.position), np.array(quaternion(self.rotation, "rotation"))))
