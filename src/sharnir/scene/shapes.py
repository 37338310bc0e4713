"""The shapes of a few numbers, and the list of all."""

from __future__ import annotations

import math

import numpy as np

from ..errors import SceneError
from ..spatial import Array
from .meshes import ConvexHull, Mesh
from .shape import MassProperties, Shape
from .tyres import Tyre
from .values import Vec3


class Oblong(Shape, frozen=True):
    """Base of shapes with a size ``x``, ``y``, ``z`` (m) along each axis of their frame."""

    x: float
    y: float
    z: float

    def sizes(self) -> dict[str, float]:
        return {"x": self.x, "y": self.y, "z": self.z}

    def squares(self) -> Array:
        """y^2 + z^2 and so on, on the diagonal: what the moments of inertia go with."""
        x, y, z = self.x, self.y, self.z
        return np.diag([y * y + z * z, x * x + z * z, x * x + y * y])


class Box(Oblong, frozen=True, tag="box"):
    """A box of edge lengths ``x``, ``y``, ``z`` (m), centred on its frame."""

    def contact_size(self) -> Vec3:
        return (self.x / 2.0, self.y / 2.0, self.z / 2.0)

    def bounding_radius(self) -> float:
        return math.hypot(*self.contact_size())

    def drawn(self) -> tuple[str, list[float]]:
        return "box", [self.x, self.y, self.z]

    def unit_properties(self) -> MassProperties:
        volume = self.x * self.y * self.z
        return MassProperties(volume, np.zeros(3), volume * (self.squares() / 12.0))


class Sphere(Shape, frozen=True, tag="sphere"):
    """A ball of a ``radius`` (m)."""

    rolls = True

    radius: float

    def sizes(self) -> dict[str, float]:
        return {"radius": self.radius}

    def contact_size(self) -> Vec3:
        return (self.radius, 0.0, 0.0)

    def bounding_radius(self) -> float:
        return self.radius

    def drawn(self) -> tuple[str, list[float]]:
        return "sphere", [self.radius] * 3

    def unit_properties(self) -> MassProperties:
        volume = 4.0 / 3.0 * math.pi * self.radius**3
        return MassProperties(volume, np.zeros(3), 0.4 * volume * self.radius**2 * np.eye(3))


class Ellipsoid(Oblong, frozen=True, tag="ellipsoid"):
    """An ellipsoid with the half axes ``x``, ``y``, ``z`` (m), centred on its frame."""

    rolls = True

    def contact_size(self) -> Vec3:
        return (self.x, self.y, self.z)

    def bounding_radius(self) -> float:
        return max(self.contact_size())

    def drawn(self) -> tuple[str, list[float]]:
        return "sphere", [self.x, self.y, self.z]

    def unit_properties(self) -> MassProperties:
        volume = 4.0 / 3.0 * math.pi * self.x * self.y * self.z
        return MassProperties(volume, np.zeros(3), volume * (self.squares() / 5.0))


class Round(Shape, frozen=True):
    """Base of shapes that are round about their z axis, with a ``radius`` and a ``length`` (m)."""

    rolls = True

    radius: float
    length: float

    def sizes(self) -> dict[str, float]:
        return {"radius": self.radius, "length": self.length}

    def contact_size(self) -> Vec3:
        return (self.radius, self.length / 2.0, 0.0)

    def drawn(self) -> tuple[str, list[float]]:
        return str(self.__struct_config__.tag), [self.radius, self.length]


class Cylinder(Round, frozen=True, tag="cylinder"):
    """A cylinder along its z axis: ``radius`` and ``length`` (m)."""

    def bounding_radius(self) -> float:
        return math.hypot(self.radius, self.length / 2.0)

    def unit_properties(self) -> MassProperties:
        volume = math.pi * self.radius**2 * self.length
        across = self.radius**2 / 4.0 + self.length**2 / 12.0
        return MassProperties(volume, np.zeros(3), volume * np.diag([across, across, self.radius**2 / 2.0]))


class Capsule(Round, frozen=True, tag="capsule"):
    """A cylinder along z with half balls at its ends: ``radius``, and ``length`` of the cylinder without them (m)."""

    def bounding_radius(self) -> float:
        return self.radius + self.length / 2.0

    def unit_properties(self) -> MassProperties:
        r, h = self.radius, self.length
        tube, ball = math.pi * r * r * h, 4.0 / 3.0 * math.pi * r**3
        # the two half balls together: 2/5 m r^2 along the axis; across it, Steiner with their centroids 3r/8 beyond h/2
        across = tube * (r * r / 4 + h * h / 12) + ball * (0.4 * r * r + h * h / 4 + 3.0 / 8.0 * h * r)
        along = tube * r * r / 2 + ball * 0.4 * r * r
        return MassProperties(tube + ball, np.zeros(3), np.diag([across, across, along]))


class Wheel(Shape, frozen=True, tag="wheel"):
    """A wheel about its z axis that touches anything in one point: ``radius`` and ``width`` (m), rounded edges.

    It is a disc swept by a ball of the radius ``rounding`` (m), half of the width when not given; with less, the tread
    is flat between the rounded edges. Without a ``tyre`` it is rigid and has friction like any other shape.
    """

    rolls = True

    radius: float
    width: float
    rounding: float | None = None
    tyre: Tyre | None = None

    @property
    def round(self) -> float:
        """The rounding, m."""
        return self.width / 2.0 if self.rounding is None else self.rounding

    def sizes(self) -> dict[str, float]:
        return {"radius": self.radius, "width": self.width, "rounding": self.round}

    def contact_size(self) -> Vec3:
        return (self.radius - self.round, self.round, self.width / 2.0 - self.round)

    def bounding_radius(self) -> float:
        return math.hypot(self.radius - self.round, self.width / 2.0 - self.round) + self.round

    def drawn(self) -> tuple[str, list[float]]:
        return "wheel", [self.radius, self.width]

    def checked(self, owner: str) -> Shape:
        super().checked(owner)
        if self.tyre is not None:
            self.tyre.checked(owner)
        largest = min(self.radius, self.width / 2.0)
        if self.round > largest:
            raise SceneError(
                f"{owner}: Wheel rounding is {self.round:g} m; at most half of its width and its radius, {largest:g} m"
            )
        return self

    def unit_properties(self) -> MassProperties:
        # A solid of revolution of radius rho(z): flat for |z| < h, then z = h + r sin(t), rho = R - r + r cos(t).
        r, h = self.round, self.width / 2.0 - self.round
        nodes, weights = np.polynomial.legendre.leggauss(32)
        t = math.pi / 4.0 * (nodes + 1.0)
        rho = np.concatenate([np.full(32, self.radius), self.radius - r + r * np.cos(t)])
        z = np.concatenate([h / 2.0 * (nodes + 1.0), h + r * np.sin(t)])
        dz = np.concatenate([h / 2.0 * weights, math.pi / 4.0 * weights * r * np.cos(t)])
        area = 2.0 * math.pi * rho**2 * dz  # both halves
        across = float(area @ (rho**2 / 4.0 + z**2))
        return MassProperties(float(area.sum()), np.zeros(3), np.diag([across, across, float(area @ rho**2) / 2.0]))


AnyShape = Box | Sphere | Ellipsoid | Cylinder | Capsule | Wheel | Mesh | ConvexHull
