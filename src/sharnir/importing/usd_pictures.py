"""What a USD stage looks like: UsdPreviewSurface, with a UsdUVTexture that a primvar of a mesh lays on."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import SceneError
from ..scene.meshes import Mesh
from ..scene.values import Plain
from ..spatial import Array
from .looks import Paint, corners

if TYPE_CHECKING:
    from pxr.Usd import Prim
    from pxr.UsdShade import Material, Shader

    from .usd_prims import Prims

READ = (".png", ".jpg", ".jpeg")
USUAL = "st"  # the primvar that lays a picture on where none is named
FINISH = ("roughness", "metallic")


class Picture(NamedTuple):
    """A picture's file, the primvar that lays it on, and what becomes of its numbers: turned, then moved."""

    file: Path
    primvar: str
    turn: Array
    move: Array


class Surface(NamedTuple):
    """What a prim is painted with."""

    paint: Paint
    picture: Picture | None = None


class Looks:
    """The looks of prims; ``used`` are the paths of the properties that were read for them."""

    def __init__(self, prims: Prims) -> None:
        self.prims, self.used = prims, set[str]()
        self._by_material: dict[str, Surface | None] = {}

    def of(self, prim: Prim) -> Surface:
        """The diffuse colour or picture of the bound material, or the display colour."""
        from pxr import UsdShade

        bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
        if bound:
            path = str(bound.GetPath())
            if path not in self._by_material:
                self._by_material[path] = self._of_material(bound)
            found = self._by_material[path]
            if found is not None:
                return found
        colors = self.prims.value(prim, "primvars:displayColor", None)
        if colors is None or not len(colors):
            return Surface(Paint())
        opacity = self.prims.value(prim, "primvars:displayOpacity", None)
        return Surface(Paint.of((*(float(part) for part in colors[0]), float(opacity[0]) if opacity else 1.0)))

    def meshes(self, prim: Prim, points: Array, places: Array, given: Plain) -> list[Mesh]:
        """A mesh to be seen; parts of its faces with a material of their own are meshes by themselves.

        ``places`` [n, 3] are those of the triangles' corners in faceVertexIndices.
        """
        from pxr import UsdShade

        counts = np.asarray(self.prims.value(prim, "faceVertexCounts", []), int)
        face = np.repeat(np.arange(len(counts)), np.maximum(counts - 2, 0))  # of each of the triangles
        left = np.full(len(places), True)
        meshes = []
        for subset in UsdShade.MaterialBindingAPI(prim).GetMaterialBindSubsets():
            inside = left & np.isin(face, np.asarray(subset.GetIndicesAttr().Get() or [], int))
            left &= ~inside
            self.used |= {str(found.GetPath()) for found in subset.GetPrim().GetAuthoredAttributes()}
            if inside.any():
                meshes.append(self._mesh(prim, subset.GetPrim(), points, places[inside], given))
        return [*meshes, self._mesh(prim, prim, points, places[left], given)] if left.any() else meshes

    def _mesh(self, prim: Prim, painted: Prim, points: Array, places: Array, given: Plain) -> Mesh:
        surface = self.of(painted)
        faces = np.asarray(prim.GetAttribute("faceVertexIndices").Get(), int)[places]
        given = given | surface.paint.fields()
        if surface.picture is not None:
            try:
                points, faces, uv = self._laid_on(prim, surface.picture, points, places)
                given |= {"texture": str(surface.picture.file), "uv": tuple((float(u), float(v)) for u, v in uv)}
            except SceneError as error:
                picture = f"picture '{surface.picture.file.name}'"
                self.prims.report.ignore(str(prim.GetPath()), picture, str(error), "looks")
        kept, index = np.unique(faces, return_inverse=True)  # a part of a mesh needs few of its vertices
        if "uv" in given:
            given |= {"uv": tuple(given["uv"][k] for k in kept)}
        shown = tuple((int(a), int(b), int(c)) for a, b, c in index.reshape(-1, 3))
        return Mesh(vertices=corners(points[kept]), triangles=shown, collides=False, **given)

    # --- materials --------------------------------------------------------------------------------------------------

    def _of_material(self, material: Material) -> Surface | None:
        """The paint of a material, with its picture; one that cannot be read is told."""
        from pxr import UsdShade

        shaders = [UsdShade.Shader(child) for child in material.GetPrim().GetChildren()]
        beside = next((shader for shader in shaders if shader and shader.GetInput("diffuseColor")), None)
        surface = material.ComputeSurfaceSource()[0] or beside
        if not surface:
            return None
        self.used.add(str(material.GetSurfaceOutput().GetAttr().GetPath()))
        self._reads(surface)
        rough, metal = (float(self._value(surface, name, -1.0)) for name in FINISH)
        texture = self._source(surface, "diffuseColor")
        picture = self._picture(texture) if texture else None
        if picture is not None:
            return Surface(Paint().finished(rough, metal), picture)
        color = None if texture else self._value(surface, "diffuseColor", None)
        if color is None:
            return None
        return Surface(Paint.of((*(float(part) for part in color), 1.0)).finished(rough, metal))

    def _picture(self, texture: Shader) -> Picture | None:
        """The picture of a shader; outside of the robot's folders it is refused."""
        attribute = self._producing(texture, "file")
        asset = None if attribute is None else attribute.Get()
        if str(texture.GetIdAttr().Get()) != "UsdUVTexture" or asset is None or not asset.path:
            return None
        self._reads(texture)
        prims, where = self.prims, str(texture.GetPath())
        folder = Path(attribute.GetPropertyStack()[0].layer.realPath).parent
        try:
            file = prims.places.picture(asset.path, f"{prims.places.robot}, {where}", folder)
        except FileNotFoundError:
            prims.report.ignore(where, f"picture '{asset.path}'", "there is no such file", "looks")
            return None
        if file.suffix.lower() not in READ:
            prims.report.ignore(where, f"picture '{asset.path}'", "is no PNG or JPEG", "looks")
            return None
        return self._lying(texture, file)

    def _lying(self, texture: Shader, file: Path) -> Picture:
        """How a picture lies on its mesh."""
        turn, move = np.eye(2), np.zeros(2)
        reader = self._source(texture, "st")
        if reader is not None and str(reader.GetIdAttr().Get()) == "UsdTransform2d":
            self._reads(reader)
            angle = math.radians(float(self._value(reader, "rotation", 0.0)))
            turned = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
            turn = turned @ np.diag(np.array(self._value(reader, "scale", (1.0, 1.0)), float))
            move = np.array(self._value(reader, "translation", (0.0, 0.0)), float)
            reader = self._source(reader, "in")
        if reader is None:
            return Picture(file, USUAL, turn, move)
        self._reads(reader)
        return Picture(file, str(self._value(reader, "varname", USUAL)), turn, move)

    def _laid_on(self, prim: Prim, picture: Picture, points: Array, places: Array) -> tuple[Array, Array, Array]:
        """Vertices, triangles and uv of a mesh, whose vertices are doubled where its picture has a seam."""
        from pxr import UsdGeom

        indices = np.asarray(prim.GetAttribute("faceVertexIndices").Get(), int)
        primvar = UsdGeom.PrimvarsAPI(prim).FindPrimvarWithInheritance(picture.primvar)
        values = primvar.ComputeFlattened() if primvar and primvar.HasValue() else None
        uv = np.array([] if values is None else values, float)
        counts = {"faceVarying": len(indices), "vertex": len(points), "varying": len(points)}
        way = str(primvar.GetInterpolation()) if values is not None else ""
        if uv.shape != (counts.get(way), 2) or not np.isfinite(uv).all():
            raise SceneError(f"has no primvar '{picture.primvar}' of two finite numbers for each vertex or corner")
        self.used |= {f"{primvar.GetAttr().GetPath()}{end}" for end in ("", ":indices")}
        uv = uv @ picture.turn.T + picture.move
        if way != "faceVarying":
            return points, indices[places], uv
        rows = np.column_stack([indices, uv])
        _, first, index = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return points[indices[first]], np.ravel(index)[places], uv[first]

    # --- shaders ----------------------------------------------------------------------------------------------------

    def _reads(self, shader: Shader) -> None:
        """What a shader is and gives is read."""
        self.used |= {str(output.GetAttr().GetPath()) for output in shader.GetOutputs()}
        self.used.add(str(shader.GetIdAttr().GetPath()))

    def _producing(self, shader: Shader, name: str) -> Any:
        """The attribute that has the value of an input, its own or that of the material's interface."""
        from pxr import UsdShade

        given = shader.GetInput(name)
        found = UsdShade.Utils.GetValueProducingAttributes(given) if given else []
        if found:
            self.used |= {str(given.GetAttr().GetPath()), str(found[0].GetPath())}
        return found[0] if found else None

    def _value(self, shader: Shader, name: str, default: Any) -> Any:
        attribute = self._producing(shader, name)
        found = None if attribute is None else attribute.Get()
        return default if found is None else found

    def _source(self, shader: Shader, name: str) -> Shader | None:
        """The shader that an input is connected to, also through the material's interface."""
        from pxr import UsdShade

        attribute = self._producing(shader, name)
        found = None if attribute is None else UsdShade.Shader(attribute.GetPrim())
        return found if found and found.GetPath() != shader.GetPath() else None
