"""What a robot looks like: colours, textures and meshes of its file as shapes that weigh nothing."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import SceneError
from ..scene.meshes import READABLE, ConvexHull, Mesh, load_parts, paint_of, read_surface
from ..scene.values import Plain, Vec3
from ..spatial import Array
from .pieces import convex_pieces
from .report import ImportReport

if TYPE_CHECKING:
    from trimesh import Trimesh

PLAIN = "#cccccc"  # what has no colour of its own
CONVEX = 0.95  # of the volume of its hull, from which on a mesh counts as convex


class Paint(NamedTuple):
    """A colour as in CSS, a file with a texture, and the numbers of a physically based material, from 0 to 1."""

    color: str | None = None
    texture: str | None = None
    roughness: float | None = None
    metalness: float | None = None
    glow: float | None = None

    @staticmethod
    def of(rgba: tuple[float, ...]) -> Paint:
        """The paint of red, green, blue and opacity, each from 0 to 1."""
        if not all(math.isfinite(part) for part in rgba):
            raise SceneError(f"its colour is {rgba}; give numbers from 0 to 1")
        parts = [round(255 * min(max(part, 0.0), 1.0)) for part in rgba]
        solid = parts[3] == 255
        return Paint("#" + "".join(f"{part:02x}" for part in (parts[:3] if solid else parts)))

    def faded(self, share: float) -> Paint:
        """The same paint with so much less of its opacity, from 0 to 1."""
        digits = (self.color or PLAIN)[1:].ljust(8, "f")
        parts = [int(digits[i : i + 2], 16) / 255.0 for i in range(0, 8, 2)]
        return self._replace(color=Paint.of((parts[0], parts[1], parts[2], parts[3] * (1.0 - share))).color)

    def finished(self, roughness: float | None, metalness: float | None, glow: float = 0.0) -> Paint:
        """The same paint with the numbers of a material; those below 0 and None are not given."""
        rough, metal = (None if one is None or one < 0.0 else min(one, 1.0) for one in (roughness, metalness))
        return self._replace(roughness=rough, metalness=metal, glow=min(glow, 1.0) or None)

    def fields(self) -> Plain:
        """The fields of a shape that it sets."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def mesh_shape(file: Path, scale: tuple[float, ...], given: Plain) -> Mesh:
    """A mesh that is only seen; the colour of the robot's file holds where that of the mesh has none, as in RViz."""
    _check_format(file)
    if any(paint_of(one).has_color for one in _parts(file)):
        given = {name: value for name, value in given.items() if name not in ("color", "texture")}
    shape = Mesh(file=str(file), scale=_scale(scale), **given)
    shape.checked("visual")
    read_surface(str(file))  # what cannot be read is told now, with its place in the robot's file
    return shape


def _parts(file: Path) -> list[Trimesh]:
    """The parts of a file; none of one that cannot be read, which is told when its surface is."""
    try:
        return load_parts(str(file))
    except Exception:
        return []


def touched_shapes(
    file: Path, scale: tuple[float, ...], given: Plain, report: ImportReport, where: str, decompose: bool
) -> list[ConvexHull]:
    """The convex hull of a mesh to touch with, or its convex pieces; what is not convex is told."""
    _check_format(file)
    shape = ConvexHull(file=str(file), scale=_scale(scale), **given)
    shape.checked("collision")
    surface, hull = read_surface(str(file)), shape.surface()
    size = abs(float(_product(shape.scale)))
    share = abs(float(surface.volume)) * size / float(hull.volume)
    concave = not surface.is_watertight or share < CONVEX
    if concave and decompose:
        return [ConvexHull(points=corners(piece * np.asarray(scale)), **given) for piece in convex_pieces(surface)]
    if concave:
        told = f"fills {100 * share:.0f} % of its hull" if surface.is_watertight else "is not closed"
        report.repair(where, f"mesh '{file.name}'", f"{told}; contact is with its convex hull", "contact")
    return [shape]


def corners(points: Array) -> tuple[Vec3, ...]:
    """Points as a shape takes them."""
    return tuple((float(x), float(y), float(z)) for x, y, z in points)


def _product(scale: float | Vec3) -> float:
    if isinstance(scale, (int, float)):
        return scale**3
    return scale[0] * scale[1] * scale[2]


def _scale(scale: tuple[float, ...]) -> float | Vec3:
    x, y, z = scale
    return x if x == y == z and x > 0.0 else (x, y, z)


def _check_format(file: Path) -> None:
    if file.suffix.lower() not in READABLE:
        raise SceneError(f"meshes of the kind '{file.suffix}' are not read; convert '{file.name}' to GLB, OBJ or STL")
