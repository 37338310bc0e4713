"""Shapes made of triangles: meshes and convex hulls, from files or from numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import spatial
from ..errors import SceneError
from .shape import MassProperties, Shape
from .values import Vec3, existing_file, not_negative, shown, vector


class Mesh(Shape, frozen=True, tag="mesh"):
    """A closed triangle mesh from a ``file`` (STL, OBJ, PLY, GLB, ...) or from ``vertices`` (m) and ``triangles``.

    ``scale`` (m per unit of the file) makes metres of its numbers; triangles name three vertices each, counted from 0.
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
        if self.file is not None:
            existing_file(self.file, f"{owner}: Mesh")
        return super().checked(owner)

    @property
    def label(self) -> str:
        """The mesh as an error names it."""
        return f"Mesh '{self.file or 'of vertices'}'"

    def surface(self, merged: bool = True) -> Any:
        """The triangles as a ``trimesh.Trimesh``, scaled; vertices in the same place merged, which costs them their
        colours, unless ``merged`` is false."""
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
            raise SceneError(f"{self.label} has a vertex that is not finite; repair the mesh")
        if merged:
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
            raise SceneError(f"{owner}: {self.label} has no triangle with an area; repair the mesh")
        return surface

    def unit_properties(self) -> MassProperties:
        surface = self.surface()
        if not surface.is_watertight or surface.volume <= 0.0:
            raise SceneError(
                f"{self.label} is not closed (volume {surface.volume:g} m^3), "
                "so it has no mass; repair the mesh, or give the body its mass and inertia"
            )
        return _solid(surface)


class ConvexHull(Shape, frozen=True, tag="hull"):
    """The convex hull of ``points`` (m), or of the vertices of a mesh ``file`` (STL, OBJ, PLY, GLB, ...).

    ``scale`` (m per unit of the file) makes metres of its numbers. The file is read relative to the scene file, or to
    the working folder when the scene is written in Python.
    """

    points: tuple[Vec3, ...] | None = None
    file: str | None = None
    scale: float = 1.0

    def sizes(self) -> dict[str, float]:
        return {"scale": self.scale}

    def checked(self, owner: str) -> Shape:
        if (self.file is None) == (self.points is None):
            raise SceneError(f"{owner}: ConvexHull: give either points or file")
        if self.file is not None:
            existing_file(self.file, f"{owner}: ConvexHull")
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
        with np.errstate(over="ignore"):  # what is not finite is refused in words
            return convex_hull(points.reshape(-1, 3) * self.scale)

    def unit_properties(self) -> MassProperties:
        return _solid(self.surface())


def convex_hull(points: spatial.Array) -> Any:
    """The convex hull of points [n, 3] as a ``trimesh.Trimesh``."""
    import trimesh
    from scipy.spatial import ConvexHull as Qhull
    from scipy.spatial import QhullError

    if not np.isfinite(points).all():
        raise SceneError("ConvexHull: a point is not finite; give finite numbers")
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
