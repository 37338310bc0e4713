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
    normals: list[spatial.Array] = []
    for normal, area in sorted(zip(surface.face_normals, surface.area_faces, strict=True), key=lambda pair: -pair[1]):
        if area > 0.0 and all(np.linalg.norm(normal - known) > FLAT for known in normals):
            normals.append(np.asarray(normal, float))
    faces = [_loop(vertices, normal, FLAT * size) for normal in normals]
    kept = [i for i, face in enumerate(faces) if len(face) >= 3]
    return Hull(vertices, np.array([normals[i] for i in kept]), [faces[i] for i in kept])


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
