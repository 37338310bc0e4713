"""The pictures of a MuJoCo model's materials: flat ones, and those of the six sides of a cube about a geom."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..scene.meshes import Mesh
from ..scene.values import Plain
from ..spatial import Array
from .cube_pictures import SIDES, Wrapped, wrapped
from .looks import Paint, corners

if TYPE_CHECKING:
    from mujoco import MjModel
    from trimesh import Trimesh

SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = range(2, 7)  # of mjtGeom
FLAT, CUBE, COLOR_ROLE = 0, 1, 1  # of mjtTexture and mjtTextureRole
READ = (".png", ".jpg", ".jpeg")
ROUND, BALL = 48, 3  # sides of a cylinder, divisions of a ball


class Side(NamedTuple):
    """A side of a cube: a picture, or a part of one (from, to: across and down, from 0 to 1); no file is a colour."""

    file: Path | None
    low: tuple[float, float] = (0.0, 0.0)
    high: tuple[float, float] = (1.0, 1.0)


class Pictures:
    """The pictures of a model; ``find`` gives the file of a name, or None."""

    def __init__(self, model: MjModel, robot: Path, find: Callable[[str], Path | None]) -> None:
        self.model, self.robot, self.find = model, robot, find
        self._textures: list[Any] | None = None

    def flat(self, material: int) -> Path | None:
        """The file of a material's flat picture."""
        texture = self._texture(material)
        if texture < 0 or self.model.tex_type[texture] != FLAT:
            return None
        address = int(self.model.tex_pathadr[texture])
        return None if address < 0 else self._readable(text_at(self.model, address))

    def sides(self, material: int) -> dict[str, Side] | None:
        """The sides of a material's cube; None where it has no files."""
        texture = self._texture(material)
        if texture < 0 or self.model.tex_type[texture] != CUBE:
            return None
        said = self._said(texture)
        six = [str(name) for name in said.cubefiles]
        if any(six):
            found = {side: Side(self._readable(name)) for side, name in zip(SIDES, six, strict=True)}
        elif said.file:
            found = self._of_grid(self._readable(str(said.file)), said)
        else:
            return None
        return found if any(side.file for side in found.values()) else None

    def plain_color(self, material: int) -> str | None:
        """The colour of sides without a picture."""
        return Paint.of((*(float(part) for part in self._said(self._texture(material)).rgb1), 1.0)).color

    def _texture(self, material: int) -> int:
        found = self.model.mat_texid[material]
        return int(np.ravel(found)[COLOR_ROLE % found.size])

    def _said(self, texture: int) -> Any:
        """A texture as its file describes it, which the compiled model does not tell."""
        if self._textures is None:
            import mujoco

            self._textures = list(mujoco.MjSpec.from_file(str(self.robot)).textures)
        return self._textures[texture]

    def _readable(self, name: str) -> Path | None:
        file = self.find(name) if name else None
        return file if file is not None and file.suffix.lower() in READ else None

    def _of_grid(self, file: Path | None, said: Any) -> dict[str, Side]:
        rows, columns = (int(count) for count in said.gridsize)
        if rows * columns == 1:
            return {side: Side(file) for side in SIDES}
        layout = "".join(str(letter) for letter in said.gridlayout)[: rows * columns]
        cells = {letter: divmod(i, columns) for i, letter in enumerate(layout)}
        found = {}
        for side in SIDES:
            row, column = cells.get(side[0].upper(), (-1, -1))
            low, high = (column / columns, row / rows), ((column + 1) / columns, (row + 1) / rows)
            found[side] = Side(None) if row < 0 else Side(file, low, high)
        return found

    # --- cubes about geoms --------------------------------------------------------------------------------------------

    def wrapped(self, g: int, surface: Trimesh | None, sides: dict[str, Side], given: Plain) -> list[Mesh]:
        """What is seen of a geom in the pictures of a cube: a mesh for every side; ``surface`` is that of a mesh."""
        body, rays, smooth = self._surface(g) if surface is None else _of_mesh(surface)
        if self.model.mat_texuniform[self.model.geom_matid[g]]:
            rays = rays * self._size(g)
        plain = self.plain_color(int(self.model.geom_matid[g]))
        vertices, faces = np.asarray(body.vertices), np.asarray(body.faces)
        return [_painted(part, sides[part.side], plain, given) for part in wrapped(vertices, faces, rays, smooth)]

    def _size(self, g: int) -> Array:
        """Half of a geom's size along x, y and z."""
        size, kind = np.array(self.model.geom_size[g]), int(self.model.geom_type[g])
        if kind == SPHERE:
            return np.full(3, size[0])
        return size[[0, 0, 1]] if kind in (CAPSULE, CYLINDER) else size

    def _surface(self, g: int) -> tuple[Trimesh, Array, Array]:
        """A geom's surface, the rays to its corners in the frame of the unit object that it is made of, and its smooth
        parts."""
        import trimesh

        kind, size = int(self.model.geom_type[g]), self._size(g)
        made = trimesh.creation
        if kind == BOX:
            surface = made.box(2.0 * size)
            return surface, surface.triangles / size, _edges(surface)
        if kind == CYLINDER:
            surface = made.cylinder(size[0], 2.0 * size[2], sections=ROUND)
            return surface, surface.triangles / size, _edges(surface, caps_only=True)
        if kind == CAPSULE:
            surface = made.capsule(2.0 * size[2], size[0], count=(ROUND, ROUND))
            surface.apply_translation(-surface.bounds.mean(axis=0))
            return surface, _capsule_rays(surface.triangles, size[0], size[2]), np.zeros(len(surface.faces))
        surface = made.icosphere(BALL)
        surface.vertices = surface.vertices * size
        return surface, surface.triangles / size, np.zeros(len(surface.faces))


def _of_mesh(surface: Trimesh) -> tuple[Trimesh, Array, Array]:
    return surface, surface.triangles, np.zeros(len(surface.faces))


def _edges(surface: Trimesh, caps_only: bool = False) -> Array:
    """A number for every flat side of a surface; with ``caps_only`` one for all that runs along its axis."""
    normals = np.round(surface.face_normals, 3)
    if caps_only:
        return np.where(np.abs(normals[:, 2]) > 0.9, np.sign(normals[:, 2]), 0.0)
    return np.unique(normals, axis=0, return_inverse=True)[1].ravel()


def _capsule_rays(triangles: Array, radius: float, half: float) -> Array:
    """A capsule is made of a cylinder and of half a ball at each of its ends, each about a middle of its own."""
    rays = triangles / radius
    z = triangles[..., 2]
    ends = np.abs(z).max(axis=1, keepdims=True) > half * (1.0 + 1e-6)
    rays[..., 2] = np.where(ends, (z - np.sign(z.sum(axis=1, keepdims=True)) * half) / radius, z / half)
    return np.asarray(rays)


def _painted(part: Wrapped, side: Side, plain: str | None, given: Plain) -> Mesh:
    low, high = np.array(side.low), np.array(side.high)
    across = low + part.uv * (high - low)
    look: Plain = {"color": plain}
    if side.file is not None:
        look = {"texture": str(side.file), "uv": tuple((float(u), 1.0 - float(v)) for u, v in across)}
    triangles = tuple((int(a), int(b), int(c)) for a, b, c in part.triangles)
    return Mesh(vertices=corners(part.vertices), triangles=triangles, collides=False, **given, **look)


def text_at(model: MjModel, address: int) -> str:
    """The path of an asset, by its place in the model."""
    return bytes(model.paths[address:]).split(b"\0", 1)[0].decode(errors="replace")
