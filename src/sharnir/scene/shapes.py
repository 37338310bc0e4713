"""Shapes: what a body looks like, what it touches with, and where its mass and inertia come from.

A shape has its own frame, placed in the body by ``position`` and ``rotation``. Its mass is given as ``mass`` (kg) or
``density`` (kg/m^3); a shape without either adds none. A body of several shapes is a compound: each of them collides,
unless its ``collides`` is False.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import spatial
from ..errors import SceneError
from .tyre import Tyre
from .values import ORIGIN, UPRIGHT, Description, Quat, Vec3, not_negative, positive, quaternion, shown, vector


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
    """What all shapes share: mass or density, the place in the body, a colour, and whether it touches others."""

    mass: float | None = None
    density: float | None = None
    position: Vec3 = ORIGIN
    rotation: Quat = UPRIGHT
    color: str | None = None
    collides: bool = True

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
        for name, size in self.sizes().items():
            positive(size, f"{what} {name} (m)")
        return self

    def sizes(self) -> dict[str, float]:
        """The lengths that must be above zero, by name."""
        return {}

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


class Box(Shape, frozen=True, tag="box"):
    """A box of edge lengths x, y, z (m), centred on its frame."""

    x: float
    y: float
    z: float

    def sizes(self) -> dict[str, float]:
        return {"x": self.x, "y": self.y, "z": self.z}

    def unit_properties(self) -> MassProperties:
        x, y, z = self.x, self.y, self.z
        inertia = np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) / 12.0
        return MassProperties(x * y * z, np.zeros(3), x * y * z * inertia)


class Sphere(Shape, frozen=True, tag="sphere"):
    """A ball of a radius (m)."""

    radius: float

    def sizes(self) -> dict[str, float]:
        return {"radius": self.radius}

    def unit_properties(self) -> MassProperties:
        volume = 4.0 / 3.0 * math.pi * self.radius**3
        return MassProperties(volume, np.zeros(3), 0.4 * volume * self.radius**2 * np.eye(3))


class Cylinder(Shape, frozen=True, tag="cylinder"):
    """A cylinder along its z axis: radius and length (m)."""

    radius: float
    length: float

    def sizes(self) -> dict[str, float]:
        return {"radius": self.radius, "length": self.length}

    def unit_properties(self) -> MassProperties:
        volume = math.pi * self.radius**2 * self.length
        across = self.radius**2 / 4.0 + self.length**2 / 12.0
        return MassProperties(volume, np.zeros(3), volume * np.diag([across, across, self.radius**2 / 2.0]))


class Capsule(Shape, frozen=True, tag="capsule"):
    """A cylinder along z with half balls at its ends: radius, and length of the cylinder without them (m)."""

    radius: float
    length: float

    def sizes(self) -> dict[str, float]:
        return {"radius": self.radius, "length": self.length}

    def unit_properties(self) -> MassProperties:
        r, h = self.radius, self.length
        tube, ball = math.pi * r * r * h, 4.0 / 3.0 * math.pi * r**3
        # the two half balls together: 2/5 m r^2 along the axis; across it, Steiner with their centroids 3r/8 beyond h/2
        across = tube * (r * r / 4 + h * h / 12) + ball * (0.4 * r * r + h * h / 4 + 3.0 / 8.0 * h * r)
        along = tube * r * r / 2 + ball * 0.4 * r * r
        return MassProperties(tube + ball, np.zeros(3), np.diag([across, across, along]))


class Wheel(Shape, frozen=True, tag="wheel"):
    """A wheel about its z axis that touches anything in one point: radius and width (m), and the rounding of its edges.

    It is a disc swept by a ball of the radius ``rounding`` (m), half of the width when not given; with less, the tread
    is flat between the rounded edges. Without a ``tyre`` it is rigid and rubs like any other shape.
    """

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


class Mesh(Shape, frozen=True, tag="mesh"):
    """A closed triangle mesh from a file (STL, OBJ, PLY, GLB, ...) or from vertices (m) and triangles.

    The file is read relative to the scene file, or to the working folder when the scene is written in Python.
    """

    file: str | None = None
    vertices: tuple[Vec3, ...] | None = None
    triangles: tuple[tuple[int, int, int], ...] | None = None
    scale: float = 1.0

    def sizes(self) -> dict[str, float]:
        return {"scale": self.scale}

    def checked(self, owner: str) -> Shape:
        if (self.file is None) == (self.vertices is None or self.triangles is None):
            raise SceneError(f"{owner}: Mesh: give either file, or vertices and triangles")
        if self.file is not None and not Path(self.file).is_file():
            raise SceneError(f"{owner}: Mesh: there is no file '{self.file}'; check the path")
        return super().checked(owner)

    @property
    def label(self) -> str:
        """The mesh as an error names it."""
        return f"Mesh '{self.file or 'of vertices'}'"

    def surface(self) -> Any:
        """The triangles as a ``trimesh.Trimesh``, scaled, vertices in the same place merged."""
        import trimesh

        if self.file is None:
            count = len(self.vertices or ())
            for corner in (corner for triangle in self.triangles or () for corner in triangle):
                if not 0 <= corner < count:
                    raise SceneError(f"Mesh: a triangle names vertex {shown(corner)} of {count}; count from 0")
            vertices, triangles = np.array(self.vertices).reshape(-1, 3), np.array(self.triangles).reshape(-1, 3)
            surface = trimesh.Trimesh(vertices, triangles, process=False)
        else:
            try:
                surface = trimesh.load_mesh(self.file, process=False)
            except Exception as error:
                raise SceneError(
                    f"Mesh: '{self.file}' cannot be read ({error}); give an STL, OBJ, PLY or GLB"
                ) from error
        if not np.isfinite(surface.vertices).all():
            raise SceneError(f"{self.label} has a vertex that is not finite; mend the mesh")
        surface.merge_vertices(merge_tex=True, merge_norm=True)
        surface.vertices = surface.vertices * self.scale
        return surface

    def triangulated(self, owner: str) -> Any:
        """The surface for contact: triangles without area dropped, holes left as they are."""
        try:
            surface = self.surface()
        except SceneError as error:
            raise SceneError(f"{owner}: {error}") from None
        size = float(np.ptp(surface.vertices, axis=0).max()) if len(surface.vertices) else 0.0
        surface.update_faces(surface.area_faces > 1e-14 * size * size)
        if not len(surface.faces):
            raise SceneError(f"{owner}: {self.label} has no triangle with an area; mend the mesh")
        return surface

    def unit_properties(self) -> MassProperties:
        surface = self.surface()
        if not surface.is_watertight or surface.volume <= 0.0:
            raise SceneError(
                f"{self.label} is not closed (volume {surface.volume:g} m^3), "
                "so it has no mass; mend the mesh, or give the body its mass and inertia"
            )
        return _solid(surface)


class ConvexHull(Shape, frozen=True, tag="hull"):
    """The convex hull of points (m), or of the vertices of a mesh file (STL, OBJ, PLY, GLB, ...).

    The file is read relative to the scene file, or to the working folder when the scene is written in Python.
    """

    points: tuple[Vec3, ...] | None = None
    file: str | None = None
    scale: float = 1.0

    def sizes(self) -> dict[str, float]:
        return {"scale": self.scale}

    def checked(self, owner: str) -> Shape:
        if (self.file is None) == (self.points is None):
            raise SceneError(f"{owner}: ConvexHull: give either points or file")
        if self.file is not None and not Path(self.file).is_file():
            raise SceneError(f"{owner}: ConvexHull: there is no file '{self.file}'; check the path")
        super().checked(owner)
        try:
            self.surface()
        except SceneError as error:
            raise SceneError(f"{owner}: {error}") from None
        return self

    def surface(self) -> Any:
        """The hull's triangles as a ``trimesh.Trimesh``, scaled."""
        if self.file is not None:
            points = Mesh(file=self.file).surface().vertices
        else:
            points = np.array(
                [vector(point, f"ConvexHull points (m)[{i}]") for i, point in enumerate(self.points or ())]
            )
        return convex_hull(points.reshape(-1, 3) * self.scale)

    def unit_properties(self) -> MassProperties:
        return _solid(self.surface())


def convex_hull(points: spatial.Array) -> Any:
    """The convex hull of points [n, 3] as a ``trimesh.Trimesh``."""
    import trimesh
    from scipy.spatial import ConvexHull as Qhull
    from scipy.spatial import QhullError

    if not np.isfinite(points).all():
        raise SceneError("ConvexHull: a point is not finite; mend the points")
    try:
        hull = Qhull(points)
    except (QhullError, ValueError):
        raise SceneError(
            f"ConvexHull: its {len(points)} points lie in one plane, or are too few; give four or more that do not"
        ) from None
    corners = points[hull.simplices]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = (across * hull.equations[:, :3]).sum(axis=1) < 0.0
    faces = np.where(inward[:, None], hull.simplices[:, ::-1], hull.simplices)
    surface = trimesh.Trimesh(points, faces, process=False)
    surface.remove_unreferenced_vertices()
    return surface


def _solid(surface: Any) -> MassProperties:
    volume = not_negative(surface.volume, "volume")
    return MassProperties(volume, np.array(surface.center_mass), np.array(surface.moment_inertia))


AnyShape = Box | Sphere | Cylinder | Capsule | Wheel | Mesh | ConvexHull
