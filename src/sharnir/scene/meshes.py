"""Shapes made of triangles: meshes and convex hulls, from files or from numbers."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import spatial
from ..errors import SceneError
from .collada import mended
from .shape import MassProperties, Shape
from .values import Vec3, existing_file, not_negative, number, positive, shown, vector

if TYPE_CHECKING:
    from trimesh import Trimesh

Part = Any  # a part of a mesh file, as trimesh has it
Picture = Any  # an image, the path of one, or None
READABLE = (".stl", ".obj", ".ply", ".glb", ".gltf", ".dae", ".off", ".3mf")
MOST_PIXELS = 2**26  # of a picture
LARGEST_FILE = 512 * 2**20  # bytes
NO_COLOR = (102, 102, 102, 255)  # what trimesh takes where a file has no colour


class Mesh(Shape, frozen=True, tag="mesh"):
    """A closed triangle mesh from a ``file`` (STL, OBJ, PLY, GLB, ...) or from ``vertices`` (m) and ``triangles``.

    ``scale`` (m per unit of the file, one for all or one for each of x, y and z, where a negative one mirrors) makes
    metres of its numbers; triangles name three vertices each, counted from 0. ``uv`` (shares of its
    width and height) is where each of the vertices lies in the ``texture``: from 0 at its left to 1 at its right, and
    from 0 below to 1 above; a file has its own.
    The file is read relative to the scene file, or to the working folder when the scene is written in Python.
    """

    file: str | None = None
    vertices: tuple[Vec3, ...] | None = None
    triangles: tuple[tuple[int, int, int], ...] | None = None
    scale: float | Vec3 = 1.0
    uv: tuple[tuple[float, float], ...] | None = None

    def checked(self, owner: str) -> Shape:
        _check_scale(self.scale, f"{owner}: Mesh scale (m)")
        self._check_uv(owner)
        if (self.file is None) == (self.vertices is None or self.triangles is None):
            raise SceneError(f"{owner}: Mesh: give either file, or vertices and triangles")
        if self.file is not None:
            existing_file(self.file, f"{owner}: Mesh")
        return super().checked(owner)

    def _check_uv(self, owner: str) -> None:
        if self.uv is None:
            return
        if self.vertices is None or len(self.uv) != len(self.vertices):
            there = "from a file" if self.vertices is None else f"of {len(self.vertices)} vertices"
            raise SceneError(f"{owner}: Mesh {there} has {len(self.uv)} uv; give one for each of its vertices")
        for i, point in enumerate(self.uv):
            for part in point:
                number(part, f"{owner}: Mesh uv[{i}]")

    @property
    def label(self) -> str:
        """The mesh as an error names it."""
        return f"Mesh '{self.file or 'of vertices'}'"

    def surface(self, merged: bool = True) -> Trimesh:
        """The triangles as a ``trimesh.Trimesh``, scaled; vertices in the same place are ``merged``, or as given."""
        surface = self._given_surface(merged) if self.file is None else read_surface(self.file).copy()
        surface.vertices = surface.vertices * np.asarray(self.scale)
        if np.prod(np.broadcast_to(self.scale, 3)) < 0.0:  # a mirror turns the triangles inside out
            surface.invert()
        return surface

    def _given_surface(self, merged: bool) -> Trimesh:
        import trimesh

        count = len(self.vertices or ())
        for corner in (corner for triangle in self.triangles or () for corner in triangle):
            if not 0 <= corner < count:
                raise SceneError(f"Mesh: a triangle names vertex {shown(corner)} of {count}; count from 0")
        vertices, triangles = np.array(self.vertices).reshape(-1, 3), np.array(self.triangles).reshape(-1, 3)
        surface = trimesh.Trimesh(vertices, triangles, process=False)
        if not np.isfinite(surface.vertices).all():
            raise SceneError(f"{self.label} has a vertex that is not finite; repair the mesh")
        if merged:
            surface.merge_vertices()
        return surface

    def triangulated(self, owner: str) -> Trimesh:
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

    ``scale`` (m per unit of the file, one for all or one for each of x, y and z) makes metres of its numbers. The file
    is read relative to the scene file, or to the working folder when the scene is written in Python.
    """

    points: tuple[Vec3, ...] | None = None
    file: str | None = None
    scale: float | Vec3 = 1.0

    def checked(self, owner: str) -> Shape:
        _check_scale(self.scale, f"{owner}: ConvexHull scale (m)")
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

    def surface(self) -> Trimesh:
        """The hull's triangles as a ``trimesh.Trimesh``, scaled."""
        if self.file is not None:
            points = np.asarray(read_surface(self.file).vertices)
        else:
            points = np.array(
                [vector(point, f"ConvexHull points (m)[{i}]") for i, point in enumerate(self.points or ())]
            )
        with np.errstate(over="ignore"):  # what is not finite is refused in words
            return convex_hull(points.reshape(-1, 3) * np.asarray(self.scale))

    def unit_properties(self) -> MassProperties:
        return _solid(self.surface())


def read_surface(file: str) -> Trimesh:
    """The triangles of a mesh file as one ``trimesh.Trimesh``, vertices in the same place merged; not to be changed."""
    try:
        state = Path(file).stat()
    except OSError as error:
        raise SceneError(f"Mesh: '{file}' cannot be read ({error.strerror}); check the path") from None
    return _surface_of(file, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=256)
def _surface_of(file: str, changed: int, size: int) -> Trimesh:
    """Read once for as long as the file stays as it is."""
    if size > LARGEST_FILE:
        raise SceneError(f"Mesh: '{file}' has {size / 2**20:.0f} MiB; at most {LARGEST_FILE / 2**20:.0f} are read")
    try:
        surface = _joined(load_parts(file))
    except SceneError:
        raise
    except Exception as error:
        why = str(error) or type(error).__name__
        raise SceneError(f"Mesh: '{file}' cannot be read ({why}); give an STL, OBJ, PLY or GLB") from error
    if not len(surface.vertices):
        raise SceneError(f"Mesh: '{file}' holds no triangles; give an STL, OBJ, PLY or GLB with a surface")
    if not np.isfinite(surface.vertices).all():
        raise SceneError(f"Mesh '{file}' has a vertex that is not finite; repair the mesh")
    surface.merge_vertices(merge_tex=True, merge_norm=True)
    return surface


def load_parts(file: str) -> list[Trimesh]:
    """The parts of a mesh file, each a ``trimesh.Trimesh`` with its material, all in the frame and the unit of the
    file, not to be changed; COLLADA's unit is taken into account, as robots expect."""
    state = Path(file).stat()
    return _parts_of(file, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)
def _parts_of(file: str, changed: int, size: int) -> list[Part]:
    """Read once for as long as the file stays as it is."""
    import trimesh

    is_collada = Path(file).suffix.lower() == ".dae"
    if is_collada and find_spec("collada") is None:
        raise SceneError(f"Mesh: '{file}' is COLLADA, which needs pycollada; install it: pip install 'sharnir[import]'")
    beside = _beside(file)
    source = BytesIO(mended(Path(file).read_bytes())) if is_collada else file
    loaded = trimesh.load_scene(source, "dae" if is_collada else None, process=False, resolver=beside)
    if beside.refused:
        raise SceneError(f"Mesh: '{file}' names {beside.refused[0]}")
    unit = re.match(r"(\S+) \* meters", str(loaded.units))  # as trimesh tells it of COLLADA
    metres = float(unit[1]) if unit else 1.0
    parts = [part for part in loaded.dump() if isinstance(part, trimesh.Trimesh)]
    for part in parts:
        part.vertices = part.vertices * metres
    return parts


def check_picture(source: str | Path | bytes, name: str) -> None:
    """Refuse a picture with so many pixels that it would take all of the memory; what is no picture is none."""
    import warnings

    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(BytesIO(source) if isinstance(source, bytes) else source) as picture:
                pixels = float(picture.width * picture.height)
    except Image.DecompressionBombError:
        pixels = math.inf
    except (OSError, ValueError, SyntaxError):
        return
    if pixels > MOST_PIXELS:
        raise SceneError(f"the picture '{name}' of more than {MOST_PIXELS / 1e6:.0f} million pixels; make it smaller")


def _beside(file: str) -> Any:
    """What finds the materials and pictures that a mesh names: in its folder, or in one beside that, nowhere else."""
    from trimesh.resolvers import FilePathResolver

    class Beside(FilePathResolver):
        refused: tuple[str, ...] = ()  # pictures that trimesh would leave out in silence

        def get(self, name: str) -> bytes:
            folder = Path(file).resolve().parent
            path = (folder / str(name).strip()).resolve()
            if not path.is_relative_to(folder.parent):
                raise ValueError(f"'{name}' lies outside of the folder of '{file}'")
            if path.stat().st_size > LARGEST_FILE:
                raise ValueError(f"'{name}' is too large")
            data = path.read_bytes()
            try:
                check_picture(data, name)
            except SceneError as error:
                self.refused = (*self.refused, str(error))
                raise
            return data

    return Beside(file)


class Paint(NamedTuple):
    """What a part of a mesh file looks like: a ``color`` as in CSS, or ``colors`` (RGB, 0 to 255) of every vertex, a
    ``picture``, ``roughness`` and ``metalness`` from 0 to 1; each None where the file has none."""

    color: str | None = None
    colors: spatial.Array | None = None
    picture: Picture = None
    roughness: float | None = None
    metalness: float | None = None

    @property
    def has_color(self) -> bool:
        """Whether the file says which colour it is."""
        return self.color is not None or self.colors is not None or self.picture is not None


def paint_of(part: Part) -> Paint:
    """The paint of a part of a mesh file."""
    visual = part.visual
    if visual.kind == "texture":
        material = visual.material
        picture = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
        rgba = getattr(material, "baseColorFactor", None)
        rgba = getattr(material, "diffuse", None) if rgba is None else rgba
        plain = rgba is None or tuple(int(value) for value in rgba) == NO_COLOR
        finish = [_share(getattr(material, name, None)) for name in ("roughnessFactor", "metallicFactor")]
        return Paint(None if plain else _css(rgba), None, picture, *finish)
    if visual.kind is None:
        return Paint()
    colors = np.asarray(visual.vertex_colors, np.uint8)
    if (colors == colors[0]).all():
        return Paint(_css(colors[0]))
    return Paint(None, colors[:, :3])


def _share(value: float | None) -> float | None:
    return None if value is None else min(max(float(value), 0.0), 1.0)


def _css(rgba: Any) -> str:
    values = [int(value) for value in np.asarray(rgba).ravel()[:4]]
    solid = len(values) < 4 or values[3] == 255
    return "#" + "".join(f"{value:02x}" for value in (values[:3] if solid else values))


def _joined(parts: list[Trimesh]) -> Trimesh:
    import trimesh

    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    vertices = [np.asarray(part.vertices) for part in parts]
    faces = [np.asarray(part.faces) + start for part, start in zip(parts, starts, strict=False)]
    if not parts:
        return trimesh.Trimesh()
    return trimesh.Trimesh(np.concatenate(vertices), np.concatenate(faces), process=False)


def _check_scale(scale: object, what: str) -> None:
    if isinstance(scale, tuple):
        for part in vector(scale, what):
            positive(abs(part), what)
    else:
        positive(scale, what)


def convex_hull(points: spatial.Array) -> Trimesh:
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


def _solid(surface: Trimesh) -> MassProperties:
    volume = not_negative(surface.volume, "volume")
    return MassProperties(volume, np.array(surface.center_mass), np.array(surface.moment_inertia))
