"""Meshes from files as the browser draws them: parts with colours and textures, each file packed once.

What would make a page too large is drawn as its convex hull instead, and told.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np

from ..errors import SceneError
from ..scene.meshes import Mesh, Paint, Part, Picture, check_picture, convex_hull, load_parts, paint_of
from ..scene.values import Plain
from ..spatial import Array

MOST_BYTES = 48 * 2**20  # of all surfaces and textures together, before they are packed as text
WIDEST_TEXTURE = 1024  # pixels
FLAT = (".stl",)  # formats whose triangles share no normals


class Looks:
    """The surfaces and textures of a world, each of them once, in ``surfaces`` and ``textures``.

    ``told`` says what was left out, for want of room or because it could not be read.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.most = most
        self.bytes = 0
        self.surfaces: list[Plain] = []
        self.textures: list[str] = []
        self.told: list[str] = []
        self._parts: dict[tuple[object, ...], list[Plain]] = {}
        self._drawn: dict[tuple[object, ...], Plain] = {}
        self._pictures: dict[bytes, int] = {}

    def parts(self, mesh: Mesh) -> list[Plain]:
        """The parts of a mesh from a file, in its own frame: which surface, which colour, which texture."""
        assert mesh.file is not None
        key = (mesh.file, mesh.scale, mesh.texture, mesh.color)
        if key not in self._parts:
            self._parts[key] = self._read(mesh)
        return self._parts[key]

    def _read(self, mesh: Mesh) -> list[Plain]:
        assert mesh.file is not None
        try:
            loaded = load_parts(mesh.file)
        except Exception:  # what trimesh cannot read as a scene it may still read as a surface
            loaded = []
        size = sum(part.vertices.nbytes + part.faces.nbytes for part in loaded) // 2
        if not loaded or self.bytes + size > self.most:
            return self._hull(mesh, "does not fit" if loaded else "has no parts")
        return [self._part(part, number, mesh) for number, part in enumerate(loaded) if len(part.faces)]

    def _hull(self, mesh: Mesh, why: str) -> list[Plain]:
        assert mesh.file is not None
        self.told.append(f"'{Path(mesh.file).name}' {why} and is drawn as its hull")
        try:
            hull = convex_hull(np.asarray(mesh.surface().vertices))
        except SceneError:  # flat
            return []
        drawn = self._surface(np.asarray(hull.vertices), np.asarray(hull.faces), None, None, flat=True)
        return [drawn | {"color": mesh.color, "texture": None}]

    def _part(self, part: Part, number: int, mesh: Mesh) -> Plain:
        flat = Path(str(mesh.file)).suffix.lower() in FLAT
        if flat:
            part = part.copy()
            part.merge_vertices(merge_tex=True, merge_norm=True)
        faces = np.asarray(part.faces)
        if np.prod(np.broadcast_to(mesh.scale, 3)) < 0.0:  # a mirror turns the triangles inside out
            faces = faces[:, ::-1]
        own = paint_of(part) if mesh.color is None else Paint(mesh.color)  # a mesh with a colour is painted over
        uv = getattr(part.visual, "uv", None)
        uv = None if uv is None or len(uv) != len(part.vertices) else np.asarray(uv)
        picture = mesh.texture if own.picture is None else own.picture
        texture = None if picture is None or uv is None else self.texture(picture)
        key = (mesh.file, mesh.scale, number, own.colors is None)
        if key not in self._drawn:
            vertices = np.asarray(part.vertices) * np.asarray(mesh.scale)
            self._drawn[key] = self._surface(vertices, faces, uv, own.colors, flat)
        # pictures and vertices have their colours themselves; what a file multiplies them by is an exporter's default
        white = texture is not None or own.colors is not None
        finish = {"roughness": own.roughness, "metalness": own.metalness}
        drawn = self._drawn[key] | {name: value for name, value in finish.items() if value is not None}
        return drawn | {"color": "#ffffff" if white else own.color, "texture": texture}

    def _surface(self, vertices: Array, faces: Array, uv: Array | None, colors: Array | None, flat: bool) -> Plain:
        arrays = {"vertices": (vertices, "<f4"), "triangles": (faces, "<u4")}
        if uv is not None:
            arrays["uv"] = (uv, "<f4")
        if colors is not None:
            arrays["colors"] = (colors, "u1")
        packed = {}
        for name, (values, kind) in arrays.items():
            raw = np.ascontiguousarray(values, kind).tobytes()
            self.bytes += len(raw)
            packed[name] = base64.b64encode(raw).decode()
        self.surfaces.append(packed)
        bounds = [vertices.min(axis=0).tolist(), vertices.max(axis=0).tolist()]
        return {"surface": len(self.surfaces) - 1, "bounds": bounds, "flat": flat}

    def texture(self, picture: Picture) -> int | None:
        """A picture as a data URL, made smaller where it is large."""
        from PIL import Image

        try:
            if isinstance(picture, str):
                check_picture(picture, Path(picture).name)
            image = Image.open(picture) if isinstance(picture, str) else picture
            image = image.convert("RGBA" if "A" in image.getbands() else "RGB")
        except SceneError as error:
            self.told.append(f"{error}; it is left out")
            return None
        except (OSError, ValueError, SyntaxError):
            self.told.append("a texture cannot be read and is left out")
            return None
        image.thumbnail((WIDEST_TEXTURE, WIDEST_TEXTURE))
        stream = io.BytesIO()
        kind = "PNG" if image.mode == "RGBA" else "JPEG"
        image.save(stream, kind, quality=85)
        raw = stream.getvalue()
        if raw not in self._pictures:
            if self.bytes + len(raw) > self.most:
                self.told.append("a texture does not fit and is left out")
                return None
            self.bytes += len(raw)
            self._pictures[raw] = len(self.textures)
            self.textures.append(f"data:image/{kind.lower()};base64,{base64.b64encode(raw).decode()}")
        return self._pictures[raw]
