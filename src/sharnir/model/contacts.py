"""The shapes of a scene that can touch, as flat arrays: sizes, places, materials, and who never touches whom."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.body import Body
from ..scene.joints import Fixed
from ..scene.materials import MOST_GROUPS, Contact
from ..scene.meshes import ConvexHull, Mesh, convex_hull
from ..scene.rope import Rope
from ..scene.scene import WORLD, Scene
from ..scene.sensors import ReadingKind
from ..scene.shape import Shape
from ..scene.shapes import AnyShape, Box, Capsule, Cylinder, Ellipsoid, Sphere, Wheel
from ..scene.surfaces import AnySurface, HeightField, Plane
from ..scene.values import ORIGIN, Vec3, quaternion
from .features import Features
from .field import Columns
from .grounds import Heights, Triangles, ground_arrays, triangles_of
from .hulls import Hull, hull_of

if TYPE_CHECKING:
    from trimesh import Trimesh

# What the device tells shapes apart by: those that move, then terrain; of the latter a triangle counts as a solid.
SPHERE, CAPSULE, BOX, CYLINDER, WHEEL, HULL, ELLIPSOID, PLANE, HEIGHTS, MESH, TRIANGLE = range(11)
KINDS = {
    Sphere: SPHERE,
    Capsule: CAPSULE,
    Box: BOX,
    Cylinder: CYLINDER,
    Wheel: WHEEL,
    ConvexHull: HULL,
    Ellipsoid: ELLIPSOID,
    Plane: PLANE,
    HeightField: HEIGHTS,
    Mesh: MESH,
}
# The groups of device code that a kind needs, see Features.contact_kinds.
CODE = {BOX: "box", CYLINDER: "convex", HULL: "convex", ELLIPSOID: "convex", HEIGHTS: "heights", MESH: "mesh"}

PAIRS_PER_SHAPE = 24  # room in the list of shapes that are near each other
MOST_TOGETHER = 24  # contacts of mechanisms that are solved as one dense problem
POINTS_PER_SHAPE = 16  # room in the list of contacts; a box among boxes uses 8 to 12


@dataclass
class _Colliding:
    """A shape that can touch, with what its owner says of contact."""

    owner: str  # as an error names it
    body: str  # "world" for terrain
    kind: int
    shape: AnyShape | AnySurface
    pose: spatial.Pose  # in the frame that the body's state follows: its centre of mass, its axes
    contact: Contact
    hull: Hull | None = None
    ground: Heights | Triangles | None = None


@dataclass(frozen=True)
class ContactArrays:
    """The model's fields of contact, the number of their items, the groups of device code they need, and terrain."""

    model: Columns
    counts: dict[str, int]
    kinds: frozenset[str]
    grounds: tuple[Heights | Triangles | None, ...]


def contact_arrays(scene: Scene) -> ContactArrays:
    """What a scene says of contact, as arrays; all of them empty when nothing can touch."""
    shapes = _colliding(scene)
    hulls = [shape.hull for shape in shapes]
    groups = group_numbers(scene)
    names = scene.materials.names
    place = {name: i for i, name in enumerate([WORLD, *scene.bodies])}
    model: Columns = {
        "shape_body": [place[shape.body] for shape in shapes],
        "shape_kind": [shape.kind for shape in shapes],
        "shape_size": [_size(shape) for shape in shapes],
        "shape_place": [shape.pose.position for shape in shapes],
        "shape_turn": [shape.pose.rotation for shape in shapes],
        "shape_radius": [_radius(shape) for shape in shapes],
        "shape_material": [names.index(shape.contact.material) for shape in shapes],
        "shape_groups": [_bits(groups, shape.contact.groups) for shape in shapes],
        "shape_ignores": [_bits(groups, shape.contact.ignores) for shape in shapes],
        "excluded": _exclusions(scene, shapes),
    }
    grounds = [shape.ground for shape in shapes]
    used = names if shapes or _rope_contacts(scene) else ()
    model |= _pairs(scene, used) | _hulls(hulls) | ground_arrays(grounds)
    model |= _tyres(shapes) | _belts(scene, shapes)
    model["swept"] = [i for i, shape in enumerate(shapes) if shape.kind < PLANE]
    model["terrain"] = [i for i, shape in enumerate(shapes) if shape.kind >= PLANE]
    counts = {items: len(model[field]) for items, field in COUNTS.items()}
    counts["contact"] = POINTS_PER_SHAPE * len(shapes)
    counts["near"] = PAIRS_PER_SHAPE * len(shapes) + counts["terrain"] * counts["swept"]
    kinds = {"round"} | {CODE[shape.kind] for shape in shapes if shape.kind in CODE}
    return ContactArrays(model, counts, frozenset(kinds if shapes else ()), tuple(grounds))


# Items of contact and the model field that has one entry for each.
COUNTS = {
    "shape": "shape_body",
    "tyre": "tyre_stiffness",
    "belt": "belt_joint",
    "swept": "swept",
    "terrain": "terrain",
    "exclusion": "excluded",
    "material_pair": "pair_friction",
    "hull_vertex": "hull_vertex",
    "hull_face": "face_normal",
    "hull_corner": "face_corner",
    "height": "height",
    "triangle_index": "triangle",
    "mesh_vertex": "mesh_vertex",
    "mesh_vertex_end": "ring_start",
    "ring": "ring",
}


def _colliding(scene: Scene) -> list[_Colliding]:
    found = []
    for terrain in scene.terrains.values():
        owner, spec = f"terrain '{terrain.name}'", terrain.spec
        scene.materials.check(spec.material, owner)
        pose = spatial.Pose(np.array(spec.position), np.array(quaternion(spec.rotation, "rotation")))
        kind, said = KINDS[type(spec.surface)], Contact(material=spec.material)
        found.append(_Colliding(owner, WORLD, kind, spec.surface, pose, said, ground=_ground(owner, spec.surface)))
    for body in scene.bodies.values():
        contact = contact_of(scene, body)
        if contact is not None:
            found += [_body_shape(body, shape, contact) for shape in body.spec.shapes if shape.collides]
    return found if _can_meet(scene, found) or _rope_contacts(scene) or _looks(scene) else []


def _looks(scene: Scene) -> bool:
    """Whether rays or beams of sensors look for shapes."""
    beams = (
        reading.kind == ReadingKind.BEAM for sensor in scene.sensors.values() for reading in sensor.readings.values()
    )
    return bool(scene.rays) or any(beams)


def _can_meet(scene: Scene, found: list[_Colliding]) -> bool:
    """Whether any two shapes may touch: of different bodies, one of which moves, in groups that meet."""
    alike: dict[tuple[tuple[str, ...], tuple[str, ...], bool], set[str]] = {}
    for shape in found:
        is_moving = shape.body != WORLD and scene.bodies[shape.body].properties is not None
        alike.setdefault((shape.contact.groups, shape.contact.ignores, is_moving), set()).add(shape.body)
    for (groups, ignores, is_moving), bodies in alike.items():
        for (others, ignored, other_moves), more in alike.items():
            several = bodies is not more or len(bodies) > 1
            passes = set(groups) & set(ignored) or set(others) & set(ignores)
            if several and (is_moving or other_moves) and not passes:
                return True
    return False


def contact_of(scene: Scene, item: Body | Rope) -> Contact | None:
    """What a body or a rope says of contact; when nothing, it touches things as soon as there is terrain."""
    given = item.spec.contact
    if isinstance(given, Contact):
        scene.materials.check(given.material, f"{'rope' if isinstance(item, Rope) else 'body'} '{item.name}'")
        return given
    return Contact() if given or (given is None and scene.terrains) else None


def _rope_contacts(scene: Scene) -> list[Contact]:
    return [found for rope in scene.ropes.values() if (found := contact_of(scene, rope)) is not None]


def collides(scene: Scene) -> bool:
    """Whether the scene has shapes that something can touch."""
    return bool(_colliding(scene))


def group_numbers(scene: Scene) -> tuple[str, ...]:
    """The names of all contact groups; the place of each is its bit."""
    return _groups([shape.contact for shape in _colliding(scene)] + _rope_contacts(scene))


def _ground(owner: str, surface: object) -> Heights | Triangles | None:
    if isinstance(surface, HeightField):
        return Heights(*surface.sample(owner))
    return triangles_of(surface.triangulated(owner)) if isinstance(surface, Mesh) else None


def _body_shape(body: Body, shape: AnyShape, contact: Contact) -> _Colliding:
    turn = np.array(quaternion(shape.rotation, "rotation"))
    pose = spatial.Pose(np.array(shape.position) - body.center, turn)
    found = _Colliding(f"body '{body.name}'", body.name, KINDS[type(shape)], shape, pose, contact)
    if isinstance(shape, ConvexHull) or (isinstance(shape, Mesh) and not body.spec.fixed):
        surface = shape.surface() if isinstance(shape, ConvexHull) else _convex(found.owner, shape)
        middle = surface.bounds.mean(axis=0)
        surface.apply_translation(-middle)  # so that the ball that holds it is about its middle
        found.kind, found.hull, found.pose = HULL, hull_of(surface), spatial.Pose(pose.point(middle), turn)
    elif isinstance(shape, Mesh):
        found.ground = _ground(found.owner, shape)
    return found


def _convex(owner: str, mesh: Mesh) -> Trimesh:
    """The surface of a mesh on a moving body, which must be convex: its hull has no more volume than itself."""
    surface = mesh.surface()
    hull = convex_hull(np.asarray(surface.vertices))
    if not surface.is_watertight or surface.volume < hull.volume * (1.0 - 1e-6):
        raise SceneError(
            f"{owner}: {mesh.label} is not convex, and the body moves; use ConvexHull, or several convex shapes, "
            "or give the mesh collides=False"
        )
    return hull


def _size(found: _Colliding) -> Vec3:
    """The numbers the device needs of a shape, m; see ``shape_size`` in contact_fields.py."""
    if isinstance(found.ground, Heights):
        return (*found.ground.spacing, float(found.ground.values.max()))
    return found.shape.contact_size() if isinstance(found.shape, Shape) else ORIGIN


def _radius(found: _Colliding) -> float:
    """The radius of a ball about the shape's place that holds it, m."""
    if found.hull is not None:
        return float(np.linalg.norm(found.hull.vertices, axis=1).max())
    if found.ground is not None:
        return found.ground.radius
    return found.shape.bounding_radius() if isinstance(found.shape, Shape) else np.inf


def _groups(contacts: list[Contact]) -> tuple[str, ...]:
    """All names of groups in order of appearance; each becomes one bit."""
    names = dict.fromkeys(name for contact in contacts for name in (*contact.groups, *contact.ignores))
    if len(names) > MOST_GROUPS:
        raise SceneError(f"the scene has {len(names)} contact groups; at most {MOST_GROUPS} are possible, merge some")
    return tuple(names)


def _bits(groups: tuple[str, ...], names: tuple[str, ...]) -> int:
    return sum(1 << groups.index(name) for name in set(names))


def _exclusions(scene: Scene, shapes: list[_Colliding]) -> list[int]:
    """Pairs of shapes, as shape_a * shapes + shape_b with a < b, that share a joint and so pass through each other.

    Bodies in Fixed joints with each other count as one. A pair collides after all if either asks for ``neighbours``.
    """
    part = {name: name for name in (WORLD, *scene.bodies)}

    def whole(name: str) -> str:
        while part[name] != name:
            name = part[name]
        return name

    for joint in scene.joints.values():
        if isinstance(joint.type, Fixed):
            part[whole(joint.a.name)] = whole(joint.b.name)
    joined = {frozenset((whole(joint.a.name), whole(joint.b.name))) for joint in scene.joints.values()}
    of: dict[str, list[int]] = {}
    for i, shape in enumerate(shapes):
        of.setdefault(whole(shape.body), []).append(i)
    keys = set()
    for names in joined:
        # what is hinged to the world still meets the ground
        near = sorted(i for name in names for i in of.get(name, []) if shapes[i].body != WORLD)
        for a, b in combinations(near, 2):
            is_asked = shapes[a].contact.neighbours or shapes[b].contact.neighbours
            if shapes[a].body != shapes[b].body and not is_asked:
                keys.add(a * len(shapes) + b)
    return sorted(keys)


def _pairs(scene: Scene, names: tuple[str, ...]) -> dict[str, list[float]]:
    """What holds between materials a and b, at a * materials + b; a rigid contact has stiffness inf."""
    pairs = [scene.materials.between(a, b) for a in names for b in names]

    def column(field: str, missing: float = 0.0) -> list[float]:
        return [missing if getattr(pair, field) is None else getattr(pair, field) for pair in pairs]

    return {
        "pair_friction": column("friction"),
        "pair_restitution": column("restitution"),
        "pair_rolling": column("rolling_friction"),
        "pair_spinning": column("spinning_friction"),
        "pair_stiffness": column("stiffness", np.inf),
        "pair_damping": column("damping"),
        "pair_threshold": column("restitution_threshold"),
    }


def _tyres(shapes: list[_Colliding]) -> Columns:
    """The tyres of the wheels that have one."""
    wheels = [shape.shape for shape in shapes if isinstance(shape.shape, Wheel) and shape.shape.tyre is not None]
    tyres = [(wheel.tyre, wheel.radius) for wheel in wheels if wheel.tyre is not None]
    numbers = iter(range(len(tyres)))
    has = [isinstance(shape.shape, Wheel) and shape.shape.tyre is not None for shape in shapes]
    return {
        "shape_tyre": [next(numbers) if wanted else -1 for wanted in has],
        "tyre_stiffness": [tyre.stiffness for tyre, _ in tyres],
        "tyre_damping": [tyre.damping for tyre, _ in tyres],
        "tyre_longitudinal": [tyre.longitudinal for tyre, _ in tyres],
        "tyre_lateral": [tyre.lateral for tyre, _ in tyres],
        "tyre_relaxation": [tyre.relaxation for tyre, _ in tyres],
        "tyre_grip": [tyre.lateral_grip for tyre, _ in tyres],
        "tyre_rolling": [tyre.rolling_resistance * radius for tyre, radius in tyres],
    }


def _belts(scene: Scene, shapes: list[_Colliding]) -> Columns:
    """The belts by their sprockets' hinges."""
    place = {name: i for i, name in enumerate(scene.joints)}
    belts: dict[tuple[int, float], int] = {}
    of = []
    for shape in shapes:
        belt = shape.contact.belt
        if belt is None:
            of.append(-1)
            continue
        of.append(belts.setdefault((place[belt.sprocket], belt.radius), len(belts)))
    return {
        "shape_belt": of,
        "belt_joint": [joint for joint, _ in belts],
        "belt_radius": [radius for _, radius in belts],
    }


def optional_counts(features: Features, contacts: int, bodies: int) -> dict[str, int]:
    """The number of items of what only some scenes need of their contacts."""
    return {
        "contact_blow": contacts if features.restitution else 0,
        "contact_roll": contacts if features.rolling else 0,
        "roll_reach": contacts if features.rolling and features.reach else 0,
        "contact_tyre": contacts if features.tyres else 0,
        "contact_belt": contacts if features.belts else 0,
        "dense": MOST_TOGETHER**2 if features.together else 0,
        "dense_row": MOST_TOGETHER if features.together else 0,
        "heap_contact": contacts if features.together and not features.rope_ports else 0,
        "heap_body": bodies if features.together and not features.rope_ports else 0,
    }


def _hulls(hulls: list[Hull | None]) -> Columns:
    """Vertices and faces of all hulls, one after the other."""
    empty = Hull(np.zeros((0, 3)), np.zeros((0, 3)), [])
    all_of = [hull or empty for hull in hulls]
    vertices = np.cumsum([0] + [len(hull.vertices) for hull in all_of])
    faces = np.cumsum([0] + [len(hull.normals) for hull in all_of])
    corners = [np.array(face) + first for hull, first in zip(all_of, vertices, strict=False) for face in hull.faces]
    ends = np.cumsum([0] + [len(face) for face in corners])
    return {
        "hull_start": vertices[:-1],
        "hull_end": vertices[1:],
        "hull_vertex": np.concatenate([hull.vertices for hull in [empty, *all_of]]),
        "hull_face_start": faces[:-1],
        "hull_face_end": faces[1:],
        "face_normal": np.concatenate([hull.normals for hull in [empty, *all_of]]),
        "face_corner_start": ends[:-1],
        "face_corner_end": ends[1:],
        "face_corner": [corner for face in corners for corner in face.tolist()],
    }
