"""Height fields and triangle meshes as flat arrays, and the meshes that Warp searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import spatial
from ..device import load_warp
from ..spatial import Array
from .field import Columns
from .precision import WarpType

if TYPE_CHECKING:
    from trimesh import Trimesh


@dataclass(frozen=True)
class Heights:
    """Heights [row, column] (m) and the spacing (m) of rows (x) and columns (y)."""

    values: spatial.Array
    spacing: tuple[float, float]

    @property
    def radius(self) -> float:
        """Of a ball about the middle of the field that holds it, m."""
        half = [0.5 * step * (count - 1) for step, count in zip(self.spacing, self.values.shape, strict=True)]
        return float(np.linalg.norm([*half, np.abs(self.values).max()]))


@dataclass(frozen=True)
class Triangles:
    """Vertices [n, 3] (m); for each triangle its corners and the vertices across its edges ab, bc, ca or -1; all edges.

    An edge is there in both directions, in order of the vertex it starts from.
    """

    vertices: spatial.Array
    corners: Array  # int [triangle, 3]
    across: Array  # int [triangle, 3]
    edges: Array  # int [edge, 2]

    @property
    def radius(self) -> float:
        """Of a ball about the origin that holds it, m."""
        return float(np.linalg.norm(self.vertices, axis=1).max())


def triangles_of(surface: Trimesh) -> Triangles:
    """The triangles of a ``trimesh.Trimesh``.

    Across an edge lies the third vertex of the one triangle that runs along it the other way; none where there is a
    hole, or where more than two triangles meet.
    """
    corners = np.asarray(surface.faces, int)
    starts, ends = corners, np.roll(corners, -1, axis=1)
    count = len(surface.vertices)
    forward, backward = (starts * count + ends).ravel(), (ends * count + starts).ravel()
    order = np.argsort(forward, kind="stable")
    at = np.searchsorted(forward[order], backward)
    found = order[np.minimum(at, len(order) - 1)]
    unique = np.searchsorted(forward[order], backward, side="right") - at == 1
    own = np.searchsorted(forward[order], forward, side="right") - np.searchsorted(forward[order], forward) == 1
    across = np.where(unique & own, corners[found // 3, (found % 3 + 2) % 3], -1).reshape(-1, 3)
    edges = np.unique(np.concatenate([forward, backward]))
    return Triangles(np.asarray(surface.vertices, float), corners, across, np.stack(np.divmod(edges, count), axis=1))


def ground_arrays(grounds: list[Heights | Triangles | None]) -> Columns:
    """The model's fields of terrain, one entry a shape for those that run over shapes."""
    fields = [ground if isinstance(ground, Heights) else None for ground in grounds]
    meshes = [ground if isinstance(ground, Triangles) else None for ground in grounds]
    heights = np.cumsum([0] + [0 if field is None else field.values.size for field in fields])
    vertices = np.cumsum([0] + [0 if mesh is None else len(mesh.vertices) for mesh in meshes])
    triangles = np.cumsum([0] + [0 if mesh is None else len(mesh.corners) for mesh in meshes])
    indices, edges = [], [np.zeros((0, 2), int)]
    for mesh, first in zip(meshes, vertices, strict=False):
        if mesh is not None:
            across = np.where(mesh.across < 0, -1, mesh.across + first)
            indices.append(np.hstack([mesh.corners + first, across]).ravel())
            edges.append(mesh.edges + first)
    starts, ring = np.concatenate(edges).T
    return {
        "height_start": heights[:-1],
        "height_rows": [0 if field is None else field.values.shape[0] for field in fields],
        "height_columns": [0 if field is None else field.values.shape[1] for field in fields],
        "height": np.concatenate([np.zeros(0), *(field.values.ravel() for field in fields if field is not None)]),
        "triangle_start": triangles[:-1],
        "triangle": np.concatenate([np.zeros(0, int), *indices]),
        "mesh_vertex": np.concatenate([np.zeros((0, 3)), *(mesh.vertices for mesh in meshes if mesh is not None)]),
        "ring_start": np.searchsorted(starts, np.arange(vertices[-1] + 1)),
        "ring": ring,
        "shape_mesh": np.zeros(len(grounds), np.uint64),
    }


def search_meshes(grounds: tuple[Heights | Triangles | None, ...], device: str) -> list[WarpType]:
    """A ``wp.Mesh`` for every triangle mesh, None for other shapes; they must live as long as their ids are used."""
    wp = load_warp()
    return [
        wp.Mesh(
            points=wp.array(ground.vertices, dtype=wp.vec3, device=device),
            indices=wp.array(ground.corners.ravel(), dtype=int, device=device),
        )
        if isinstance(ground, Triangles)
        else None
        for ground in grounds
    ]
