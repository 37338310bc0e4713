"""Meshes that are not convex, as convex pieces that bodies touch with: an approximate decomposition by CoACD.

Wei et al. 2022, "Approximate convex decomposition for 3D meshes with collision-aware concavity and tree search".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import SceneError
from ..scene.meshes import convex_hull
from ..spatial import Array

if TYPE_CHECKING:
    from trimesh import Trimesh

CONCAVITY = 0.05  # of the mesh's size: how deep a hollow may be that a piece fills
MOST_PIECES = 32
SEED = 1  # the same pieces every time


def convex_pieces(surface: Trimesh) -> list[Array]:
    """The corners of the convex pieces of a ``trimesh.Trimesh``."""
    try:
        import coacd
    except ImportError:
        raise SceneError("decompose needs CoACD; install it with: pip install 'sharnir[import]'") from None
    coacd.set_log_level("off")
    mesh = coacd.Mesh(np.asarray(surface.vertices, float), np.asarray(surface.faces, np.int32))
    found = []
    for points, _ in coacd.run_coacd(mesh, threshold=CONCAVITY, max_convex_hull=MOST_PIECES, seed=SEED):
        try:
            found.append(np.asarray(convex_hull(np.asarray(points, float)).vertices))
        except SceneError:  # a piece without a volume
            continue
    return found
