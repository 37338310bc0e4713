"""The prims of a USD stage: bodies with their places and masses, shapes, materials, and what was read of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.materials import Material
from ..scene.meshes import ConvexHull
from ..scene.scene import WORLD
from ..scene.shape import MassProperties, combined
from ..scene.shapes import AnyShape, Box, Capsule, Cylinder, Ellipsoid, Sphere
from ..scene.surfaces import Plane, TerrainSpec
from ..scene.values import Plain, Vec3, as_vec3
from ..spatial import Array, Pose
from .looks import corners
from .options import Options
from .pieces import convex_pieces
from .report import ImportReport, Matters
from .robot_files import Places
from .stretching import UPRIGHT
from .tree import MOST_LINKS, NOWHERE
from .usd_layers import MOST_PRIMS
from .usd_pictures import Looks

if TYPE_CHECKING:
    from pxr.Usd import Prim, Stage

WATER = 1000.0  # kg/m^3: the density of the schemas where none is given
LARGEST_UNIT = 1e9  # m or kg; the smallest is its inverse
GRAVITY = 9.81  # m/s^2, likewise
TURNS = {
    "X": spatial.about((0.0, 1.0, 0.0), math.pi / 2.0),
    "Y": spatial.about((1.0, 0.0, 0.0), -math.pi / 2.0),
    "Z": np.array(spatial.IDENTITY),
}
READ = re.compile(
    r"xformOp|physics:(body[01]|local(Pos|Rot)[01]|axis|(lower|upper)Limit|mass|density|centerOfMass|diagonalInertia"
    r"|principalAxes|velocity|angularVelocity|collisionEnabled|rigidBodyEnabled|jointEnabled|excludeFromArticulation|gravity|dynamicFriction"
    r"|restitution|(min|max)Distance|approximation)|drive:\w+:physics:(stiffness|damping|maxForce|type)|limit:\w+:physics:(low|high)|kinematicEnabled"
    r"|physxJoint:(jointFriction|armature|maxJointVelocity)|mjc:(frictionloss|armature|damping|stiffness|springref)$"
    r"|physxJointAxis:\w+:(dynamicFrictionEffort|viscousFrictionCoefficient|armature|maxJointVelocity)"
    r"|newton:(friction|armature|damping|velocityLimit|mimicJoint|mimicEnabled|mimicCoef[01])$"
    r"|newton:(torsional|rolling)Friction$|mjc:(torsional|rolling)friction$"
    r"|physxMimicJoint:|(size|radius|height|axis|points|faceVertexCounts|faceVertexIndices|orientation|visibility|purpose)$"
    r"|primvars:display(Color|Opacity)$|material:binding|extent$"
)
SOLVERS = re.compile(
    r"solver|Iteration|physxScene|sleep|stabilization|contactOffset|restOffset|timeStepsPerSecond|mjc:(option|flag|compiler|size)"
    r"|mjc:(geom|group|solref|solimp|margin|gap)|newton:(xpbd|kamino|vbd|mpm|contact|limit|sdf)"
)
LOOKS = re.compile(r"normals|primvars|inputs:|outputs:|info:|subdivisionScheme|doubleSided|intensity|color")


class Prims:
    """A stage in metres, kilograms and z up; ``bodies`` are the names of links by the paths of their prims."""

    def __init__(self, stage: Stage, places: Places, report: ImportReport, options: Options) -> None:
        from pxr import Usd, UsdGeom, UsdPhysics

        self.stage, self.places, self.report, self.decompose = stage, places, report, options.decompose
        self.meters = float(UsdGeom.GetStageMetersPerUnit(stage))
        self.kilograms = float(UsdPhysics.GetStageKilogramsPerUnit(stage))
        for name, unit in (("metersPerUnit", self.meters), ("kilogramsPerUnit", self.kilograms)):
            if not 1.0 / LARGEST_UNIT <= unit <= LARGEST_UNIT:
                bounds = f"from {1 / LARGEST_UNIT:g} to {LARGEST_UNIT:g}"
                raise SceneError(f"{places.robot}: {name} is {unit:g}; give one {bounds}")
        self.up = UPRIGHT[options.up or str(UsdGeom.GetStageUpAxis(stage)).lower()]
        self.cache = UsdGeom.XformCache(Usd.TimeCode.Default())
        self.all = every(stage)
        self.names: dict[str, str] = {}
        self._taken = {WORLD}
        self.looks = Looks(self)
        self._shapes: dict[str, list[AnyShape]] = {}  # by the paths of bodies
        found = [prim for prim in self.all if prim.HasAPI(UsdPhysics.RigidBodyAPI)]
        enabled = [prim for prim in found if self.value(prim, "physics:rigidBodyEnabled", True)]
        if len(enabled) > MOST_LINKS:
            raise SceneError(f"{places.robot} has {len(enabled)} rigid bodies; at most {MOST_LINKS} are read")
        self.bodies = {str(prim.GetPath()): self.name(prim) for prim in enabled}
        self.paths = {name: path for path, name in self.bodies.items()}
        if not self.bodies:
            raise SceneError(f"{places.robot} has no rigid bodies; USD without physics is no robot")

    # --- values -----------------------------------------------------------------------------------------------------

    def name(self, prim: Prim) -> str:
        """A short name of a prim that no other has."""
        path = str(prim.GetPath())
        if path not in self.names:
            name = str(prim.GetName())
            self.names[path] = name if name not in self._taken else path.strip("/")
            self._taken.add(self.names[path])
        return self.names[path]

    def value(self, prim: Prim, name: str, default: Any) -> Any:
        """An attribute, or the default where it has none."""
        attribute = prim.GetAttribute(name)
        found = attribute.Get() if attribute else None
        return default if found is None else found

    def number(self, prim: Prim, name: str, default: float) -> float:
        """An attribute as a number."""
        value = float(self.value(prim, name, default))
        if math.isnan(value):
            raise SceneError(f"{self.places.robot}, {prim.GetPath()}: {name} is not a number; give a finite one")
        return value

    def finite(self, prim: Prim, name: str, default: float) -> float:
        """An attribute as a number that is not infinite either."""
        value = self.number(prim, name, default)
        if math.isinf(value):
            raise SceneError(f"{self.places.robot}, {prim.GetPath()}: {name} is infinite; give a finite number")
        return value

    def first(self, prim: Prim, names: tuple[str, ...], default: float) -> float:
        """The first of several attributes that is there."""
        return next((self.number(prim, name, default) for name in names if prim.GetAttribute(name)), default)

    def has(self, prim: Prim, schema: str) -> bool:
        """Whether a schema is applied to a prim."""
        return schema in prim.GetAppliedSchemas()

    def target(self, prim: Prim, relation: str) -> str:
        """The link that a relation of a joint leads to: that of the nearest body above, or the world."""
        found = prim.GetRelationship(relation)
        targets = found.GetTargets() if found else []
        at = self.stage.GetPrimAtPath(targets[0]) if targets else None
        while at is not None and at and str(at.GetPath()) not in self.bodies and str(at.GetPath()) != "/":
            at = at.GetParent()
        return self.bodies.get(str(at.GetPath()), "world") if at is not None and at else "world"

    def target_name(self, prim: Prim, relation: str) -> str:
        """The name of the joint that a relation leads to."""
        found = prim.GetRelationship(relation)
        targets = found.GetTargets() if found else []
        at = self.stage.GetPrimAtPath(targets[0]) if targets else None
        return self.name(at) if at else str(targets[0]) if targets else ""

    # --- places -----------------------------------------------------------------------------------------------------

    def _transform(self, prim: Prim) -> tuple[Pose, Array]:
        """The pose (m, z up) and the scale of a prim in the world."""
        matrix = np.array(self.cache.GetLocalToWorldTransform(prim)).T  # its vectors are rows
        linear = matrix[:3, :3]
        scale = np.linalg.norm(linear, axis=0)
        if not np.isfinite(matrix).all() or np.any(scale < 1e-12):
            raise SceneError(f"{self.places.robot}, {prim.GetPath()}: has no finite transform; repair it")
        turn = linear / scale
        if np.linalg.det(turn) < 0.0:
            scale, turn = scale * (1.0, 1.0, -1.0), turn * (1.0, 1.0, -1.0)
        left, _, right = np.linalg.svd(turn)  # the nearest rotation, where there is shear
        rotation = spatial.from_matrix(left @ right)
        position = spatial.rotate(self.up, matrix[:3, 3] * self.meters)
        return Pose(position, spatial.multiply(self.up, rotation)), scale

    def pose_of(self, name: str) -> Pose:
        """Where a link stands."""
        return NOWHERE if name == "world" else self._transform(self.stage.GetPrimAtPath(self.paths[name]))[0]

    def local_frame(self, prim: Prim, k: int, link: str) -> Pose:
        """The frame of a joint on its body number ``k``, in the frame of the link."""
        position = np.array(self.value(prim, f"physics:localPos{k}", (0.0, 0.0, 0.0)), float)
        rotation = quaternion(self.value(prim, f"physics:localRot{k}", None))
        relation = prim.GetRelationship(f"physics:body{k}")
        targets = relation.GetTargets() if relation else []
        if not targets:
            return Pose(self._up(position * self.meters), spatial.multiply(self.up, rotation))
        place, scale = self._transform(self.stage.GetPrimAtPath(targets[0]))
        there = place @ Pose(position * scale * self.meters, rotation)
        return self.pose_of(link).inverse() @ there

    def _up(self, vector: Array) -> Array:
        return np.asarray(spatial.rotate(self.up, vector))

    def velocity(self, path: str, center: Array) -> tuple[Vec3, Vec3]:
        """How fast the frame of a body starts (m/s) and turns (rad/s), in world axes.

        The file tells it of the centre of mass, which lies at ``center`` in the frame (m), and in the body's axes.
        """
        prim = self.stage.GetPrimAtPath(path)
        found = []
        for name, unit in (("velocity", self.meters), ("angularVelocity", math.pi / 180.0)):
            value = np.array(self.value(prim, f"physics:{name}", (0.0, 0.0, 0.0)), float)
            if not np.isfinite(value).all():
                raise SceneError(f"{self.places.robot}, {path}: physics:{name} is {value}; give finite numbers")
            found.append(value * unit)
        found[0] -= np.cross(found[1], center)
        turn = self._transform(prim)[0].rotation
        return as_vec3(spatial.rotate(turn, found[0])), as_vec3(spatial.rotate(turn, found[1]))

    def gravity(self) -> Vec3:
        """Of the first physics scene, m/s^2."""
        prim = next((prim for prim in self.all if str(prim.GetTypeName()) == "PhysicsScene"), None)
        size = -math.inf if prim is None else self.number(prim, "physics:gravityMagnitude", -math.inf)
        given = (0.0, 0.0, 0.0) if prim is None else self.value(prim, "physics:gravityDirection", (0.0, 0.0, 0.0))
        direction = self._up(np.array(given, float)) if np.any(given) else np.array([0.0, 0.0, -1.0])
        size = size * self.meters if 0.0 <= size < math.inf else GRAVITY
        x, y, z = (direction / np.linalg.norm(direction) * size).tolist()
        return (x, y, z)

    # --- what there is ----------------------------------------------------------------------------------------------

    def joints(self) -> list[Prim]:
        """The prims of joints."""
        return [prim for prim in self.all if re.fullmatch(r"Physics\w*Joint", str(prim.GetTypeName()))]

    def roots(self) -> list[str]:
        """Links at which articulations begin: bodies with that schema, or the first body below a prim with it."""
        found = []
        for prim in self.all:
            if self.has(prim, "PhysicsArticulationRootAPI"):
                path = str(prim.GetPath())
                found += [name for body, name in self.bodies.items() if _is_below(body, path)][:1]
        return found

    def kinematic(self) -> list[str]:
        """Links that a program moves, and that forces do not."""
        prims = {name: self.stage.GetPrimAtPath(path) for path, name in self.bodies.items()}
        return [name for name, prim in prims.items() if self.value(prim, "physics:kinematicEnabled", False)]

    def mass(self, path: str) -> MassProperties | None:
        """What a body weighs, in its frame: as it is given, or by its shapes and their density."""
        prim = self.stage.GetPrimAtPath(path)
        _, scale = self._transform(prim)
        mass = self.finite(prim, "physics:mass", 0.0) * self.kilograms
        by_shapes = self._by_shapes(path, prim)
        if mass <= 0.0 and by_shapes is None:
            return None
        mass = mass if mass > 0.0 else by_shapes.mass  # type: ignore[union-attr]
        center = np.zeros(3) if by_shapes is None else by_shapes.center
        given = self.value(prim, "physics:centerOfMass", None)
        if given is not None and np.isfinite(np.array(given)).all():
            center = np.array(given, float) * scale * self.meters
        moments = np.array(self.value(prim, "physics:diagonalInertia", (0.0, 0.0, 0.0)), float)
        if not np.isfinite(moments).all():
            raise SceneError(f"{self.places.robot}, {path}: physics:diagonalInertia is not finite; give finite numbers")
        if np.any(moments):
            turn = spatial.matrix(quaternion(self.value(prim, "physics:principalAxes", None)))
            inertia = turn @ np.diag(moments * self.kilograms * self.meters**2) @ turn.T
        elif by_shapes is not None:
            inertia = by_shapes.inertia * mass / by_shapes.mass
        else:
            inertia = np.zeros((3, 3))
        return MassProperties(mass, center, inertia)

    def _by_shapes(self, path: str, prim: Prim) -> MassProperties | None:
        density = self.finite(prim, "physics:density", 0.0) * self.kilograms / self.meters**3
        parts = []
        for shape in self.shapes(path):
            if shape.collides:
                unit = shape.unit_properties()
                if unit.mass > 0.0:
                    place = Pose(np.array(shape.position), np.array(shape.rotation))
                    size = density if density > 0.0 else WATER
                    parts.append(MassProperties(unit.mass * size, unit.center, unit.inertia * size).placed(place))
        return combined(parts) if parts else None

    def shapes(self, path: str) -> list[AnyShape]:
        """What a body is made of: its prims down to the next bodies."""
        if path not in self._shapes:
            owner, _ = self._transform(self.stage.GetPrimAtPath(path))
            self._shapes[path] = [shape for prim in self._below(path) for shape in self._shape(prim, owner)]
        return self._shapes[path]

    def _below(self, path: str) -> list[Prim]:
        from pxr import Usd

        prims, stack = [], [self.stage.GetPrimAtPath(path)]
        while stack:
            prim = stack.pop()
            prims.append(prim)
            children = prim.GetFilteredChildren(Usd.TraverseInstanceProxies())
            stack += [child for child in children if str(child.GetPath()) not in self.bodies]
        return prims

    def static_shapes(self) -> list[AnyShape]:
        """What collides and belongs to no body; what is only seen there is told."""
        from pxr import UsdGeom

        for prim in self.all:
            if prim.IsA(UsdGeom.Gprim) and not self.has(prim, "PhysicsCollisionAPI") and self._is_loose(prim):
                why = "belongs to no body and touches nothing"
                self.report.ignore(str(prim.GetPath()), str(prim.GetTypeName()), why, "looks")
        return [shape for prim in self._static() for shape in self._shape(prim, NOWHERE) if shape.collides]

    def _static(self) -> list[Prim]:
        touched = [prim for prim in self.all if self.has(prim, "PhysicsCollisionAPI")]
        return [prim for prim in touched if self._is_loose(prim)]

    def _is_loose(self, prim: Prim) -> bool:
        """Whether a prim belongs to no body."""
        return not any(_is_below(str(prim.GetPath()), body) for body in self.bodies)

    def terrains(self) -> dict[str, tuple[TerrainSpec, Material]]:
        """Planes that never move."""
        found = {}
        for prim in self._static():
            if str(prim.GetTypeName()) == "Plane":
                pose, _ = self._transform(prim)
                turn = TURNS[str(self.value(prim, "axis", "Z"))]
                place = pose @ Pose(np.zeros(3), turn)
                at: Plain = {"position": as_vec3(place.position), "rotation": tuple(place.rotation.tolist())}
                material = self._physics_material(prim) or Material()
                found[self.name(prim).replace(".", "_")] = (TerrainSpec(surface=Plane(), **at), material)
        return found

    def material(self, path: str) -> Material | None:
        """The surface of a body: that of the first of its shapes that has one."""
        found = (self._physics_material(prim) for prim in self._below(path))
        return next((material for material in found if material is not None), None)

    def _physics_material(self, prim: Prim) -> Material | None:
        from pxr import UsdShade

        bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        if not bound or not self.has(bound.GetPrim(), "PhysicsMaterialAPI"):
            return None
        friction = max(0.0, self.number(bound.GetPrim(), "physics:dynamicFriction", 0.0))
        restitution = min(1.0, max(0.0, self.number(bound.GetPrim(), "physics:restitution", 0.0)))
        arms = {
            f"{way}_friction": max(0.0, self.first(bound.GetPrim(), names, 0.0)) * self.meters
            for way, names in ARMS.items()
        }
        return Material(friction=friction, restitution=restitution, **arms)

    # --- shapes -----------------------------------------------------------------------------------------------------

    def _shape(self, prim: Prim, owner: Pose) -> list[AnyShape]:
        from pxr import UsdGeom

        kind = str(prim.GetTypeName())
        collides = self.has(prim, "PhysicsCollisionAPI") and bool(self.value(prim, "physics:collisionEnabled", True))
        if kind not in SHAPES:
            return []
        image = UsdGeom.Imageable(prim)
        seen = image.ComputeVisibility() != UsdGeom.Tokens.invisible
        seen = seen and image.ComputePurpose() in (UsdGeom.Tokens.default_, UsdGeom.Tokens.render)
        if not seen and not collides:
            return []
        pose, scale = self._transform(prim)
        size = scale * self.meters
        turn = Pose(np.zeros(3), TURNS[str(self.value(prim, "axis", "Z"))] if kind in ROUND else spatial.IDENTITY)
        place = owner.inverse() @ pose @ turn
        given: dict[str, object] = {"position": as_vec3(place.position), "rotation": tuple(place.rotation.tolist())}
        given |= {"collides": collides, "visible": seen}
        try:
            surface = self.looks.of(prim)
            if surface.picture is not None and kind != "Mesh":
                why = f"{kind} has no primvar that lays it on; make a Mesh of it"
                self.report.ignore(str(prim.GetPath()), f"picture '{surface.picture.file.name}'", why, "looks")
            given |= surface.paint.fields()
            return self._made(prim, kind, size, given)
        except SceneError as error:
            if "outside of the robot's folder" in str(error):
                raise
            matters: Matters = "contact" if collides else "looks"
            self.report.ignore(str(prim.GetPath()), kind, str(error), matters)
            return []

    def _made(self, prim: Prim, kind: str, size: Array, given: Plain) -> list[AnyShape]:
        x, y, z = (abs(float(part)) for part in size)
        if kind == "Cube":
            side = self.finite(prim, "size", 2.0)
            return [Box(x=side * x, y=side * y, z=side * z, **given)]
        if kind == "Sphere":
            radius = self.finite(prim, "radius", 1.0)
            if max(x, y, z) > (1.0 + ROUNDING) * min(x, y, z):
                return [Ellipsoid(x=radius * x, y=radius * y, z=radius * z, **given)]
            return [Sphere(radius=radius * max(x, y, z), **given)]
        if kind == "Cone":
            return [ConvexHull(points=corners(self._cone(prim, size)), **given)]
        if kind in ROUND:
            along = "XYZ".index(str(self.value(prim, "axis", "Z")))
            sides = [abs(float(part)) for part in size]
            length = self.finite(prim, "height", 2.0 if kind == "Cylinder" else 1.0) * sides.pop(along)
            radius = self.finite(prim, "radius", 1.0 if kind == "Cylinder" else 0.5) * max(sides)
            return [(Cylinder if kind == "Cylinder" else Capsule)(radius=radius, length=length, **given)]
        return self._mesh(prim, size, given)

    def _cone(self, prim: Prim, size: Array) -> Array:
        """The corners of a cone around its axis: half of its height above and below its middle."""
        radius, height = self.finite(prim, "radius", 1.0), self.finite(prim, "height", 2.0)
        angles = np.linspace(0.0, 2.0 * math.pi, CONE_SIDES, endpoint=False)
        ring = np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(CONE_SIDES, -0.5 * height)], axis=1)
        turn = spatial.matrix(TURNS[str(self.value(prim, "axis", "Z"))])
        around = np.vstack([ring, [0.0, 0.0, 0.5 * height]]) @ turn.T  # along the prim's own axis, to be scaled there
        return np.asarray((around * size) @ turn)

    def _mesh(self, prim: Prim, size: Array, given: Plain) -> list[AnyShape]:
        points = np.array(self.value(prim, "points", []), float).reshape(-1, 3) * size
        indices = np.asarray(self.value(prim, "faceVertexIndices", []), int)
        places = corner_places(self.value(prim, "faceVertexCounts", []), len(indices))
        if (str(self.value(prim, "orientation", "")) == "leftHanded") != bool(np.prod(size) < 0.0):
            places = places[:, ::-1]  # what is mirrored, or told so, is seen from the other side
        faces = indices[places]
        if not len(faces) or faces.max() >= len(points) or faces.min() < 0 or not np.isfinite(points).all():
            raise SceneError("is a mesh without triangles, or with one that names a vertex that is not there")
        found: list[AnyShape] = []
        collides, visible = given.pop("collides"), given.pop("visible")
        if collides:
            place = {name: given[name] for name in ("position", "rotation")}
            hulls = [points]
            if self.decompose:
                import trimesh

                hulls = convex_pieces(trimesh.Trimesh(points, faces, process=False))
            made = [ConvexHull(points=corners(hull), visible=False, **place) for hull in hulls]
            found += [hull.checked(str(prim.GetPath())) for hull in made]  # type: ignore[misc]
        if visible:
            found += self.looks.meshes(prim, points, places, given)
        return found


ARMS = {  # of the normal force, in the schemas of vendors
    "spinning": ("newton:torsionalFriction", "mjc:torsionalfriction"),
    "rolling": ("newton:rollingFriction", "mjc:rollingfriction"),
}
ROUND = ("Cylinder", "Capsule", "Cone")
SHAPES = ("Cube", "Sphere", "Mesh", *ROUND)
CONE_SIDES = 32  # corners of the foot of a cone
ROUNDING = 1e-6  # of single precision: scales that differ by less are the same
DEFAULTS: dict[str, Callable[[Any], bool]] = {  # properties that change nothing where they have these values
    "breakforce": lambda value: value > 1e30,
    "breaktorque": lambda value: value > 1e30,
    "targetposition": lambda value: value == 0.0,
    "targetvelocity": lambda value: value == 0.0,
}


def _is_below(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/")


def corner_places(counts: Any, total: int) -> Array:
    """The places, among all corners, of those of the triangles that fan out in faces of so many corners each."""
    sizes = np.asarray(counts, int).ravel()
    if np.any(sizes < 0) or sizes.sum() != total:
        raise SceneError(f"has {total} faceVertexIndices where its faceVertexCounts need {sizes.sum()}; repair it")
    fans = np.maximum(sizes - 2, 0)
    first = np.repeat(np.cumsum(sizes) - sizes, fans)
    step = np.arange(fans.sum()) - np.repeat(np.cumsum(fans) - fans, fans)
    return np.stack([first, first + step + 1, first + step + 2], axis=1)


def quaternion(value: Any) -> Array:
    """A quaternion of USD as ours; none, or one of zero length, is no turn."""
    if value is None:
        return np.array(spatial.IDENTITY)
    found = np.array([*(float(part) for part in value.GetImaginary()), float(value.GetReal())])
    length = float(np.linalg.norm(found))
    return found / length if length > 1e-9 else np.array(spatial.IDENTITY)


def every(stage: Stage) -> list[Prim]:
    """All prims of a stage, those in instances among them."""
    from pxr import Usd

    proxies = Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies())
    found = [prim for prim in islice(proxies, MOST_PRIMS + 1) if prim.IsActive()]
    if len(found) > MOST_PRIMS:
        raise SceneError(f"the stage holds more than {MOST_PRIMS} prims, with its instances; no robot does")
    return found


def account_for(stage: Stage, report: ImportReport, used: set[str]) -> None:
    """Count what was read of every prim, and name what was not; ``used`` are paths of properties that were."""
    from pxr import UsdGeom

    for prim in every(stage):
        kind = str(prim.GetTypeName())
        if prim.IsA(UsdGeom.Gprim) and kind not in (*SHAPES, "Plane"):
            report.ignore(str(prim.GetPath()), kind, "shapes of this kind have no counterpart", "looks")
        else:
            report.use(kind or "prim")
        for found in prim.GetAuthoredProperties():
            name = str(found.GetName())
            if READ.search(name) or str(found.GetPath()) in used or _says_nothing(prim, name):
                report.use(name)
            elif LOOKS.search(name):
                report.ignore(str(prim.GetPath()), name, "is of the picture", "looks")
            else:
                why, matters = _reason(name)
                report.ignore(str(prim.GetPath()), name, why, matters)


def _says_nothing(prim: Prim, name: str) -> bool:
    attribute = prim.GetAttribute(name)
    value = attribute.Get() if attribute else None
    alike = next((test for end, test in DEFAULTS.items() if name.lower().endswith(end)), None)
    return value is not None and alike is not None and bool(alike(value))


def _reason(name: str) -> tuple[str, Matters]:
    """Why a property is left out, and what it matters to."""
    if name == "physics:staticFriction":
        return "one coefficient holds here, the dynamic one", "contact"
    if "filtered" in name or "SelfCollisions" in name:
        return "links of one robot pass through each other unless self_collision is asked for", "contact"
    if SOLVERS.search(name):
        return "is of another engine's solver", "nothing"
    known = re.search(r"physics|physx|newton:|mjc:", name.lower())
    return "Sharnir does not know this property", "motion" if known else "nothing"
