"""The geometry of SDF: visuals and collisions as shapes, surfaces as materials."""

from __future__ import annotations

import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.materials import Material
from ..scene.shapes import AnyShape, Box, Capsule, Cylinder, Ellipsoid, Sphere
from ..scene.values import Plain, Vec3
from ..spatial import Array, Pose
from .looks import Paint, mesh_shape, touched_shapes
from .report import ImportReport
from .robot_files import Places
from .xml import Node


class Geometry:
    """Reads the geometry of one file."""

    def __init__(self, places: Places, report: ImportReport, decompose: bool) -> None:
        self.places, self.report, self.decompose = places, report, decompose

    def shapes(self, node: Node, pose: Pose, seen: bool) -> list[AnyShape]:
        """The shapes of a visual or a collision on its link; what cannot be shown or touched with is named."""
        geometry = node.child("geometry")
        matters = "looks" if seen else "contact"
        if geometry is None:
            self.report.ignore(node.where, f"<{node.tag}>", "has no geometry", matters)  # type: ignore[arg-type]
            return []
        given: dict[str, object] = {"position": put(pose.position), "rotation": tuple(pose.rotation.tolist())}
        given |= {"collides": not seen, "visible": seen} | (self._paint(node).fields() if seen else {})
        try:
            return [shape.checked(node.where) for shape in self._shapes(geometry, seen, given)]  # type: ignore[misc]
        except (SceneError, FileNotFoundError) as error:
            if isinstance(error, SceneError) and "outside of the robot's folder" in str(error):
                raise
            why = f"there is no file '{error}'" if isinstance(error, FileNotFoundError) else str(error)
            self.report.ignore(node.where, f"<{node.tag}>", why, matters)  # type: ignore[arg-type]
            return []

    def _shapes(self, geometry: Node, seen: bool, given: Plain) -> list[AnyShape]:
        if (box := geometry.child("box")) is not None:
            x, y, z = _numbers(box, "size", 3)
            return [Box(x=x, y=y, z=z, **given)]
        if (ball := geometry.child("sphere")) is not None:
            return [Sphere(radius=_numbers(ball, "radius", 1)[0], **given)]
        for tag, kind in (("cylinder", Cylinder), ("capsule", Capsule)):
            if (round_ := geometry.child(tag)) is not None:
                radius, length = _numbers(round_, "radius", 1)[0], _numbers(round_, "length", 1)[0]
                return [kind(radius=radius, length=length, **given)]
        if (ellipsoid := geometry.child("ellipsoid")) is not None:
            x, y, z = _numbers(ellipsoid, "radii", 3)
            return [Ellipsoid(x=x, y=y, z=z, **given)]
        if (mesh := geometry.child("mesh")) is not None:
            uri, scale = mesh.child("uri"), mesh.child("scale")
            if uri is None:
                raise SceneError("its mesh has no uri")
            size = (1.0, 1.0, 1.0) if scale is None else vector(scale)
            file = self.places.find(uri.content(), f"{mesh.file}, {mesh.where}", mesh.file.parent)
            if seen:
                return [mesh_shape(file, size, given)]
            return [*touched_shapes(file, size, given, self.report, mesh.where, self.decompose)]
        word = next((child.tag for child in geometry.children), "nothing")
        geometry.take()
        if word == "empty":
            return []
        raise SceneError(f"its geometry is <{word[:40]}>, which is not read")

    def plane(self, node: Node, pose: Pose) -> Pose | None:
        """Where the plane of a collision lies on its link, its z axis along the normal; None for other geometry.

        The ``pose`` is the collision's.
        """
        geometry = node.child("geometry")
        plane = None if geometry is None else geometry.child("plane")
        if plane is None:
            return None
        normal, size = plane.child("normal"), plane.child("size")
        if size is not None:
            size.content()
            self.report.ignore(size.where, "size", "a plane has no end here", "contact")
        turn = spatial.IDENTITY if normal is None else spatial.frame_rotation(vector(normal))
        return pose @ Pose(np.zeros(3), np.array(turn))

    def surface(self, node: Node) -> Material | None:
        """The material of a collision: ODE's mu, and how it bounces."""
        found = node.child("surface")
        given: dict[str, float] = {}
        for path, name in (("friction ode mu", "friction"), ("bounce restitution_coefficient", "restitution")):
            at: Node | None = found
            for tag in path.split():
                at = None if at is None else at.child(tag)
            if at is not None:
                given[name] = max(0.0, at.parsed(at.content(), name))
        if "restitution" in given:
            given["restitution"] = min(given["restitution"], 1.0)
        return Material(**given) if given else None

    def _paint(self, node: Node) -> Paint:
        material, faded = node.child("material"), node.child("transparency")
        paint = Paint() if material is None else self._material(node, material)
        if faded is None or not (share := faded.parsed(faded.content(), "transparency")):
            return paint
        if paint.texture is not None:
            faded.leave(self.report, "pictures are solid", "looks")
            return paint
        return paint.faded(share)

    def _material(self, node: Node, material: Node) -> Paint:
        diffuse, texture = material.child("diffuse"), None
        pbr = material.child("pbr")
        metal = pbr and pbr.child("metal")
        albedo = metal and metal.child("albedo_map")
        if albedo is not None:
            try:
                texture = str(self.places.picture(albedo.content(), f"{node.file}, {node.where}", node.file.parent))
            except FileNotFoundError as error:
                self.report.ignore(node.where, "<albedo_map>", f"there is no file '{error}'", "looks")
        paint = Paint(None, texture)
        if diffuse is not None:
            rgba = [diffuse.parsed(part, "diffuse") for part in diffuse.content().split()]
            paint = Paint.of(tuple([*rgba, 1.0][:4] if len(rgba) >= 3 else (0.8, 0.8, 0.8, 1.0)))
            paint = paint._replace(texture=texture)
        rough, shiny = (metal and metal.child(tag) for tag in ("roughness", "metalness"))
        given = [None if one is None else one.parsed(one.content(), one.tag) for one in (rough, shiny)]
        return paint.finished(given[0], given[1])


def _numbers(node: Node, tag: str, count: int) -> tuple[float, ...]:
    child = node.child(tag)
    if child is None:
        raise node.fail(f"has no <{tag}>; give one")
    return child.split(child.content(), tag, count)


def vector(node: Node) -> Vec3:
    """The three numbers in an element."""
    x, y, z = node.split(node.content(), node.tag, 3)
    return (x, y, z)


def put(values: Array) -> Vec3:
    """A vector as a scene takes it."""
    x, y, z = (float(value) for value in values)
    return (x, y, z)
