"""Convex hulls as vertices and flat faces: what the narrow phase clips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import spatial

if TYPE_CHECKING:
    from trimesh import Trimesh

FLAT = 1e-6  # rad: triangles whose normals differ by less are one face
MOST_CORNERS = 8  # a face with more is cut down to these, evenly; it still stands


@dataclass(frozen=True)
class Hull:
    """Vertices [n, 3] and unit normals of the faces [f, 3] in the shape's frame; each face is a loop of vertices."""

    vertices: spatial.Array
    normals: spatial.Array
    faces: list[list[int]]


def hull_of(surface: Trimesh) -> Hull:
    """The hull's vertices, and its triangles gathered into flat faces; ``surface`` is a convex ``trimesh.Trimesh``."""
    vertices = np.asarray(surface.vertices, float)
    size = float(np.abs(vertices - vertices.mean(axis=0)).max())
    areas = np.asarray(surface.area_faces, float)
    largest_first = np.argsort(-areas, kind="stable")[: np.count_nonzero(areas > 0.0)]
    normals = _different(np.asarray(surface.face_normals, float)[largest_first])
    faces = [_loop(vertices, normal, FLAT * size) for normal in normals]
    kept = [i for i, face in enumerate(faces) if len(face) >= 3]
    return Hull(vertices, normals[kept], [faces[i] for i in kept])


def _different(normals: spatial.Array) -> spatial.Array:
    """The normals that differ from all before them; a scanned part may have thousands."""
    from scipy.spatial import cKDTree

    taken = np.zeros(len(normals), bool)
    kept = []
    for i, alike in enumerate(cKDTree(normals).query_ball_point(normals, FLAT)):
        if not taken[i]:
            kept.append(i)
            taken[alike] = True
    return normals[kept]


def _loop(vertices: spatial.Array, normal: spatial.Array, near: float) -> list[int]:
    """The vertices in the plane with the normal that supports the hull, counterclockwise seen from outside."""
    height = vertices @ normal
    members = np.flatnonzero(height > height.max() - near)
    x = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    y = np.cross(normal, x)
    around = vertices[members] - vertices[members].mean(axis=0)
    loop = members[np.argsort(np.arctan2(around @ y, around @ x))]
    if len(loop) > MOST_CORNERS:
        loop = loop[np.linspace(0, len(loop), MOST_CORNERS, endpoint=False).astype(int)]
    return [int(i) for i in loop]
