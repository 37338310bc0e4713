"""The shapes and the terrain of a scene as geoms of MuJoCo, and what touches what."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ..scene.body import Body
from ..scene.materials import DEFAULT, Contact, Material
from ..scene.meshes import ConvexHull, Mesh
from ..scene.scene import Scene
from ..scene.shapes import AnyShape, Box, Capsule, Cylinder, Ellipsoid, Sphere, Wheel
from ..scene.surfaces import HeightField, Plane
from ..spatial import Array
from .left_out import rgba_of
from .report import ImportReport

READABLE = (".stl", ".obj")  # by MuJoCo
MOST_MASKS = 31  # bits of contype
BASE = 0.1  # m below the lowest height of a field to which it is solid
Mask = tuple[tuple[str, ...], tuple[str, ...]]


class Shapes:
    """Adds geoms to bodies, and what they need to the assets."""

    def __init__(self, scene: Scene, assets: Element, report: ImportReport, folder: Path) -> None:
        self.scene, self.assets, self.report, self.folder = scene, assets, report, folder
        self.meshes: dict[tuple[object, ...], str] = {}
        kinds = {mask for body in scene.bodies.values() if (mask := self._mask(body)) is not None}
        self.masks: list[Mask] = sorted({((DEFAULT,), ()), *kinds})
        if len(self.masks) > MOST_MASKS:
            report.ignore(f"scene '{scene.name}'", "contact groups", f"MuJoCo has {MOST_MASKS}", "contact")

    def _mask(self, body: Body) -> Mask | None:
        """The groups of a body and those it ignores; None for one that touches nothing."""
        contact = body.spec.contact
        if contact is False or (contact is None and not self.scene.terrains):
            return None
        return (contact.groups, contact.ignores) if isinstance(contact, Contact) else ((DEFAULT,), ())

    def _bits(self, mask: Mask) -> dict[str, str]:
        """Of the type its own kind, of the affinity all kinds that it meets; both bodies have to agree."""
        place = self.masks.index(mask) % MOST_MASKS
        met = [i for i, other in enumerate(self.masks[:MOST_MASKS]) if _meet(mask, other)]
        return {"contype": str(1 << place), "conaffinity": str(sum(1 << i for i in met))}

    def add(self, element: Element, body: Body) -> None:
        """The shapes of a body as geoms that weigh nothing: its mass is given."""
        mask = self._mask(body)
        for shape in body.spec.shapes:
            geom = self._geom(shape, body)
            if geom is None:
                continue
            geom |= {"pos": text(shape.position), "quat": text(np.roll(shape.rotation, 1)), "mass": "0"}
            if mask is None or not shape.collides:
                geom |= {"contype": "0", "conaffinity": "0"}
            else:
                geom |= self._bits(mask) | _rubs(self._material(body.spec.contact))
            geom["group"] = "0" if shape.visible else "3"
            if shape.color is not None:
                geom["rgba"] = text(rgba_of(shape.color))
            SubElement(element, "geom", geom)
            self.report.use("shape")
        if isinstance(body.spec.contact, Contact) and body.spec.contact.belt is not None:
            self.report.ignore(f"body '{body.name}'", "belt", "has no counterpart", "contact")

    def _material(self, contact: Contact | bool | None) -> Material:
        name = contact.material if isinstance(contact, Contact) else DEFAULT
        return self.scene.materials.named.get(name, Material())

    def _geom(self, shape: AnyShape, body: Body) -> dict[str, str] | None:
        if isinstance(shape, Box):
            return {"type": "box", "size": text((shape.x / 2, shape.y / 2, shape.z / 2))}
        if isinstance(shape, Sphere):
            return {"type": "sphere", "size": text((shape.radius,))}
        if isinstance(shape, Ellipsoid):
            return {"type": "ellipsoid", "size": text((shape.x, shape.y, shape.z))}
        if isinstance(shape, (Cylinder, Capsule)):
            kind = "cylinder" if isinstance(shape, Cylinder) else "capsule"
            return {"type": kind, "size": text((shape.radius, shape.length / 2))}
        if isinstance(shape, Wheel):
            self.report.repair(f"body '{body.name}'", "Wheel", "is a cylinder, without rounding and tyre", "contact")
            return {"type": "cylinder", "size": text((shape.radius, shape.width / 2))}
        if isinstance(shape, (Mesh, ConvexHull)):
            if isinstance(shape, Mesh) and shape.collides:
                self.report.repair(f"body '{body.name}'", "Mesh", "touches by its convex hull in MuJoCo", "contact")
            return {"type": "mesh", "mesh": self._mesh(shape)}
        self.report.ignore(f"body '{body.name}'", type(shape).__name__, "has no counterpart", "contact")
        return None

    def _mesh(self, shape: Mesh | ConvexHull) -> str:
        """The name of a mesh among the assets, which holds its file, or its points where MuJoCo cannot read that."""
        numbers = shape.points if isinstance(shape, ConvexHull) else (shape.vertices, shape.triangles)
        key = (type(shape).__name__, shape.file, shape.scale, None if shape.file else numbers)
        if key in self.meshes:
            return self.meshes[key]
        name = self.meshes[key] = f"mesh {len(self.meshes) + 1}"
        given = {"name": name}
        if shape.file is not None and Path(shape.file).suffix.lower() in READABLE:
            given["file"] = Path(os.path.relpath(shape.file, self.folder)).as_posix()
            given["scale"] = text(np.broadcast_to(np.asarray(shape.scale, float), 3))
        else:
            surface = shape.surface()
            given["vertex"] = text(np.asarray(surface.vertices).ravel())
            given["face"] = " ".join(str(int(corner)) for corner in np.asarray(surface.faces).ravel())
        if isinstance(shape, Mesh):
            given["inertia"] = "shell"  # open and flat ones are seen as well
        SubElement(self.assets, "mesh", given)
        return name

    # --- terrain ----------------------------------------------------------------------------------------------------

    def add_terrains(self, world: Element) -> None:
        """Planes, height fields and meshes that never move."""
        for name, terrain in self.scene.terrains.items():
            surface = terrain.spec.surface
            given = {"name": name, "pos": text(terrain.spec.position)}
            given["quat"] = text(np.roll(terrain.spec.rotation, 1))
            given |= self._bits(((DEFAULT,), ()))
            given |= _rubs(self.scene.materials.named.get(terrain.spec.material, Material()))
            if isinstance(surface, Plane):
                given |= {"type": "plane", "size": "0 0 1"}
            elif isinstance(surface, HeightField):
                given |= {"type": "hfield", "hfield": name}
                self._heights(name, surface, given)
            else:
                self.report.repair(f"terrain '{name}'", "Mesh", "touches by its convex hull in MuJoCo", "contact")
                given |= {"type": "mesh", "mesh": self._mesh(surface)}
            SubElement(world, "geom", given)
            self.report.use("terrain")

    def _heights(self, name: str, surface: HeightField, given: dict[str, str]) -> None:
        """MuJoCo's rows run along y, from the largest, and its heights go from 0 to 1 of the tallest."""
        heights, spacing = surface.sample(f"terrain '{name}'")
        low, high = float(heights.min()), float(heights.max())
        tall = max(high - low, 1e-6)
        rows = ((heights - low) / tall).T[::-1]
        size = (0.5 * spacing[0] * (heights.shape[0] - 1), 0.5 * spacing[1] * (heights.shape[1] - 1), tall, BASE)
        shape = {"nrow": str(rows.shape[0]), "ncol": str(rows.shape[1]), "size": text(size)}
        SubElement(self.assets, "hfield", {"name": name, **shape, "elevation": text(np.asarray(rows).ravel())})
        x, y, z = (float(part) for part in given["pos"].split())
        given["pos"] = text((x, y, z + low))


def _meet(a: Mask, b: Mask) -> bool:
    return not (set(a[0]) & set(b[1]) or set(b[0]) & set(a[1]))


def _rubs(material: Material) -> dict[str, str]:
    values = (material.friction, material.spinning_friction, material.rolling_friction)
    condim = 6 if material.rolling_friction else 4 if material.spinning_friction else 3
    return {"friction": text(values), "condim": str(condim)}


def text(values: Iterable[float] | Array) -> str:
    """Numbers as MJCF has them, to the last digit."""
    return " ".join(repr(float(value)) for value in values)
