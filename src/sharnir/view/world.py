"""The world as the browser draws it: the scene's bodies, joints, ropes and terrain as plain data.

One small function per kind of shape or surface; each returns a dictionary that ``static/shapes.js`` knows how to draw.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .. import spatial
from ..model.softs import PLACES, softs_of
from ..scene.body import Body
from ..scene.camera import CameraSpec
from ..scene.elements.drive import DcDrive
from ..scene.joint import Joint
from ..scene.joints import Coordinate, CoordinateKind
from ..scene.machines import machines_of
from ..scene.meshes import ConvexHull, Mesh
from ..scene.ray import RaySpec
from ..scene.rope import Rope, Skin
from ..scene.scene import Scene
from ..scene.shapes import AnyShape
from ..scene.sky import Sky
from ..scene.surfaces import HeightField, Plane, Terrain
from ..scene.values import Plain
from ..spatial import Array
from .belts import belt_of, sprocket_shapes, sprockets_of, track_shapes
from .console_panel import tight_at
from .gears import gears_of
from .linkage import rods_of, springs_of
from .painting import Looks

UNSEEN = 1e-3  # kg
DEEPEST = 4.0  # radii of a scene without ground, in which the grid is laid below what moves


def world_of(scene: Scene) -> Plain:
    """Everything the view needs to know of a scene before the first frame."""
    sprockets = sprockets_of(scene)
    looks = Looks()
    bodies = [body_of(body, sprockets.get(name), looks) for name, body in scene.bodies.items()]
    for name, gears in gears_of(scene).items():
        bodies[list(scene.bodies).index(name)]["shapes"] += gears
    loose = _loose(scene)
    followed = _followed(scene, loose)
    movable = [name for name, body in scene.bodies.items() if not body.spec.fixed]
    gravity = float(np.linalg.norm(scene.gravity)) or 9.81
    mass = sum(body.properties.mass for body in scene.bodies.values() if body.properties is not None)
    return {
        "name": scene.name,
        "bodies": bodies,
        "surfaces": looks.surfaces,
        "textures": looks.textures,
        "told": looks.told,
        "joints": _joints(scene),
        "springs": springs_of(scene),
        "rods": rods_of(scene),
        "ropes": [_rope(scene, name, rope, looks) for name, rope in scene.ropes.items()],
        "terrain": [_terrain(terrain) for terrain in scene.terrains.values()],
        "extent": _extent(scene, bodies, list(scene.bodies)),
        "focus": _extent(scene, bodies, (loose if followed >= 0 else movable) or list(scene.bodies)),
        "followed": followed,
        "cameras": [_camera(scene, name, camera.spec) for name, camera in scene.cameras.items()],
        "rays": [_ray(scene, name, ray.spec) for name, ray in scene.rays.items()],
        "machines": [max(machine, key=lambda i: bodies[i]["mass"]) for machine in _machines(scene)],
        "weight": max(mass * gravity, 1e-6),
        "sky": _sky(scene),
    }


# --- bodies and shapes ------------------------------------------------------------------------------------------------


def body_of(body: Body, sprocket: float | None, looks: Looks) -> Plain:
    """A body with what is drawn of it; a ``sprocket`` has a radius (m)."""
    shapes = _shapes(body, sprocket, looks)
    box = np.array([bounds_of(shape) for shape in shapes] or [np.zeros((2, 3))])
    front, top = float(box[:, 1, 0].max()), float(box[:, 1, 2].max())
    properties = body.properties
    return {
        "name": body.name,
        "fixed": body.spec.fixed,
        "position": body.pose.position.tolist(),
        "rotation": body.pose.rotation.tolist(),
        "mass": 0.0 if properties is None else properties.mass,
        "center": [0.0, 0.0, 0.0] if properties is None else properties.center.tolist(),
        "seat": [front, 0.0, top + 0.35 * max(top, 0.3)],  # before what stands on the body
        "radius": float(np.abs(box).max()),
        "shapes": shapes,
    }


def _shapes(body: Body, sprocket: float | None, looks: Looks) -> list[Plain]:
    """What is drawn of a body, which may be a ``sprocket`` of a radius (m)."""
    shapes = [drawn for shape in body.spec.shapes if shape.visible for drawn in drawn_of(shape, looks)]
    if sprocket is not None and [shape["kind"] for shape in shapes] == ["cylinder"]:
        return sprocket_shapes(shapes, sprocket)
    belt = belt_of(body)
    track = [] if belt is None else track_shapes(body, belt, shapes[0]["color"] if shapes else None)
    return track or shapes or ([] if _is_light(body) else [_ghost(body)])


def _is_light(body: Body) -> bool:
    """A body that stands between two joints of one place and weighs next to nothing is not drawn."""
    return body.properties is not None and body.properties.mass < UNSEEN


def drawn_of(shape: AnyShape, looks: Looks) -> list[Plain]:
    """What is drawn of a shape: itself, or the parts of the file of a mesh."""
    if not isinstance(shape, Mesh) or shape.file is None:
        texture = None if shape.texture is None else looks.texture(shape.texture)
        painted = {} if texture is None else {"texture": texture, "color": shape.color or "#ffffff"}
        return [shape_of(shape) | painted]
    place = {"position": shape.position, "rotation": shape.rotation} | finish_of(shape)
    return [{"kind": "mesh", **part, **place} for part in looks.parts(shape)]


def finish_of(shape: AnyShape) -> Plain:
    """What a shape says of its surface beside its colour; what it does not say, ``static/materials.js`` chooses."""
    said = {"roughness": shape.roughness, "metalness": shape.metalness, "glow": shape.glow or None}
    said |= {"only_seen": None if shape.collides else True}
    return {name: value for name, value in said.items() if value is not None}


def shape_of(shape: AnyShape) -> Plain:
    """A shape of a body."""
    place = {"position": shape.position, "rotation": shape.rotation, "color": shape.color} | finish_of(shape)
    if not isinstance(shape, (Mesh, ConvexHull)):
        kind, size = shape.drawn()
        return {"kind": kind, "size": size, **place}
    own: Plain = {"flat": True} if isinstance(shape, ConvexHull) else {}  # plates have edges
    if isinstance(shape, Mesh) and shape.uv is not None:
        surface, own = shape.surface(merged=False), {"uv": _base64(shape.uv, "<f4")}
    else:
        surface = shape.surface()
    return {"kind": "mesh", **packed(surface.vertices, surface.faces), **place, **own}


def packed(vertices: Array, triangles: Array) -> Plain:
    """A triangle surface as base64 of float32 and uint32, with its bounds."""
    vertices = np.asarray(vertices).reshape(-1, 3)
    return {
        "vertices": _base64(vertices, "<f4"),
        "triangles": _base64(triangles, "<u4"),
        "bounds": [vertices.min(axis=0).tolist(), vertices.max(axis=0).tolist()],
    }


def _base64(values: ArrayLike, type_: str) -> str:
    return base64.b64encode(np.asarray(values, type_).tobytes()).decode()


def _ghost(body: Body) -> Plain:
    """A body without shapes is shown as the box that has its inertia."""
    size, center = np.full(3, 0.1), np.zeros(3)
    rotation = [0.0, 0.0, 0.0, 1.0]
    if body.properties is not None:
        moments = np.diag(body.properties.inertia)
        size = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / body.properties.mass, 1e-6))
        center = body.properties.center
    return {
        "kind": "box", "size": size.tolist(), "position": center.tolist(), "rotation": rotation, "color": None,
        "ghost": True,
    }  # fmt: skip


def bounds_of(shape: Plain) -> Array:
    """A box about a shape, in the body's axes."""
    size, low, high = shape.get("size", ()), np.zeros(3), np.zeros(3)
    if shape["kind"] == "mesh":
        low, high = np.array(shape["bounds"])
    elif shape["kind"] == "belt":
        high = np.array([size[0] + size[1], 0.5 * size[2], size[1]])
        low = -high
    elif shape["kind"] in ("box", "sphere"):
        high = np.array(size) * (0.5 if shape["kind"] == "box" else 1.0)
        low = -high
    elif shape["kind"] == "gear":
        high = np.array([size[0], size[0], 0.5 * size[1]])
        low = -high
    else:
        half_length = 0.5 * size[-1] + (size[0] if shape["kind"] == "capsule" else 0.0)
        high = np.array([size[0], size[0], half_length])
        low = -high
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    turned = spatial.rotate(np.array(shape["rotation"]), corners)
    return np.array([turned.min(axis=0), turned.max(axis=0)]) + np.array(shape["position"])


def _extent(scene: Scene, bodies: list[Plain], names: list[str]) -> Plain:
    """A ball about the named bodies and all ropes, and where the floor lies."""
    lows, highs = [], []
    for body, described in zip(scene.bodies.values(), bodies, strict=True):
        if body.name not in names or not described["shapes"]:
            continue
        corners = np.concatenate([bounds_of(shape) for shape in described["shapes"]])
        low, high = corners.min(axis=0), corners.max(axis=0)
        grid = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        placed = body.pose.point(grid)
        lows.append(placed.min(axis=0))
        highs.append(placed.max(axis=0))
    low, high = (np.min(lows, axis=0), np.max(highs, axis=0)) if lows else (-np.ones(3), np.ones(3))
    for rope in scene.ropes.values():
        low, high = np.minimum(low, rope.nodes.min(axis=0)), np.maximum(high, rope.nodes.max(axis=0))
    center = 0.5 * (low + high)
    radius = max(0.5 * float(np.linalg.norm(high - low)), 0.05)
    planes = _planes(scene)
    floor = planes[0] if planes else min(0.0, float(low[2]))
    return {"center": center.tolist(), "radius": radius, "floor": floor}


def _planes(scene: Scene) -> list[float]:
    """The heights (m) of level ground."""
    return [t.spec.position[2] for t in scene.terrains.values() if isinstance(t.spec.surface, Plane)]


def lower_floor(scene: Scene, world: Plain, poses: Array, ropes: Sequence[Array]) -> None:
    """Without level ground what is shown floats above a grid: put that below all of a run, ``poses`` [instant, body, 7]
    and nodes of ``ropes`` [instant, node, 3]. What falls away falls through it."""
    if _planes(scene):
        return
    extent = world["extent"]
    low = min((float(nodes[..., 2].min()) for nodes in ropes), default=math.inf)
    for i, body in enumerate(world["bodies"]):
        if not body["shapes"]:
            continue
        corners = np.concatenate([bounds_of(shape) for shape in body["shapes"]])
        middle, half = 0.5 * (corners.max(axis=0) + corners.min(axis=0)), 0.5 * np.ptp(corners, axis=0)
        up = spatial.rotate(spatial.conjugate(poses[:, i, 3:]), np.array([0.0, 0.0, 1.0]))  # in the body's axes
        low = min(low, float((poses[:, i, 2] + up @ middle - np.abs(up) @ half).min()))
    deepest = extent["floor"] - DEEPEST * extent["radius"]
    extent["floor"] = min(extent["floor"], max(low, deepest))


def _loose(scene: Scene) -> list[str]:
    """The bodies that no joints tie to the world."""
    tied, joints = {scene.world.name, *(name for name, body in scene.bodies.items() if body.spec.fixed)}, scene.joints
    while (
        reached := {
            end.name for joint in joints.values() for end in (joint.a, joint.b) if {joint.a.name, joint.b.name} & tied
        }
        - tied
    ):
        tied |= reached
    return [name for name in scene.bodies if name not in tied]


def _machines(scene: Scene) -> list[list[int]]:
    """The machines, their bodies by number."""
    places = {name: i for i, name in enumerate(scene.bodies)}
    return [[places[name] for name in machine] for machine in machines_of(scene)]


def _followed(scene: Scene, loose: list[str]) -> int:
    """The heaviest loose body, which the camera follows; -1 where all are tied, or where something is driven that is:
    there the load that hangs on a winch is not what is to be seen."""
    if any(row.drive is not None and row.joint.b.name not in loose for row in softs_of(scene)):
        return -1
    masses = {name: p.mass for name in loose if (p := scene.bodies[name].properties) is not None}
    return list(scene.bodies).index(max(masses, key=masses.__getitem__)) if masses else -1


# --- ropes and terrain ------------------------------------------------------------------------------------------------


def _rope(scene: Scene, name: str, rope: Rope, looks: Looks) -> Plain:
    eyes = [(_place(scene, eye.body), rope.node_at(eye.at, name)) for eye in rope.spec.eyelets]
    poses = [
        scene.bodies[eye.body].pose if body >= 0 else scene.world.pose
        for eye, (body, _) in zip(rope.spec.eyelets, eyes, strict=True)
    ]
    places = [pose.inverse().point(rope.nodes[node]).tolist() for pose, (_, node) in zip(poses, eyes, strict=True)]
    return {
        "knots": [tied.node for tied in rope.tied],
        "eyelets": [{"body": body, "at": at} for (body, _), at in zip(eyes, places, strict=True)],
        "name": name,
        "nodes": rope.elements + 1,
        "radius": rope.spec.radius,
        "strength": tight_at(rope),
        "skin": None if rope.spec.skin is None else _skin(rope.spec.skin, rope, looks),
    }


def _skin(skin: Skin, rope: Rope, looks: Looks) -> Plain | None:
    """The parts of a mesh that a rope wears, where they begin and end along z, and the lengths of its bones (m)."""
    parts = [{"kind": "mesh", **part} for part in looks.parts(skin.mesh())]
    bounds = np.array([part["bounds"] for part in parts]).reshape(-1, 2, 3)
    low, high = (float(bounds[:, 0, 2].min()), float(bounds[:, 1, 2].max())) if parts else (0.0, 0.0)
    if high <= low:
        looks.told.append(f"the skin of rope '{rope.name}' has no length along z, and is left out")
        return None
    return {"parts": parts, "span": [low, high], "lengths": rope.lengths.tolist()}


def _terrain(terrain: Terrain) -> Plain:
    surface = terrain.spec.surface
    kind = str(surface.__struct_config__.tag)
    spec = terrain.spec
    place = {"name": terrain.name, "position": spec.position, "rotation": spec.rotation}
    return {"kind": kind} | SURFACES[kind](surface) | place | {"look": spec.look, "color": spec.color}


def _plane(_: Plane) -> Plain:
    return {}


def _mesh(surface: Mesh) -> Plain:
    triangles = surface.surface()
    return packed(triangles.vertices, triangles.faces)


def _heights(surface: HeightField) -> Plain:
    """A height field as its rows of heights (m), its middle at the origin of its frame."""
    heights, spacing = surface.sample("terrain")
    return {"heights": _base64(heights, "<f4"), "rows": heights.shape[0], "spacing": list(spacing)}


SURFACES: dict[str, Callable[..., Plain]] = {"plane": _plane, "mesh": _mesh, "heights": _heights}


def _sky(scene: Scene) -> Plain:
    """The light to begin with: day where there is ground to stand on, and else none but the page's own."""
    sky = scene.sky or Sky(light="day" if scene.terrains else "studio")
    return {"light": sky.light, "azimuth": sky.azimuth, "elevation": sky.elevation, "fog": sky.fog}


# --- cameras and sensors ----------------------------------------------------------------------------------------------


def _place(scene: Scene, body: str) -> int:
    """The number of a body; -1 is the world."""
    return -1 if body == scene.world.name else list(scene.bodies).index(body)


def _camera(scene: Scene, name: str, spec: CameraSpec) -> Plain:
    given = {"position": spec.position, "direction": spec.direction, "up": spec.up}
    lens = {"distortion": spec.distortion} if any(spec.distortion) else {}
    return {"name": name, "body": _place(scene, spec.body), **given, "field_of_view": spec.field_of_view, **lens}


def _ray(scene: Scene, name: str, spec: RaySpec) -> Plain:
    given = {"position": spec.position, "direction": spec.direction, "reach": spec.reach}
    return {"name": name, "body": _place(scene, spec.body), **given}


# --- joints -----------------------------------------------------------------------------------------------------------


def _joints(scene: Scene) -> list[Plain]:
    places = {"world": -1} | {name: i for i, name in enumerate(scene.bodies)}
    motors = {row.label: row.motor for row in softs_of(scene) if row.motor is not None}
    return [_joint(joint, places, motors) for joint in scene.joints.values()]


def _joint(joint: Joint, places: dict[str, int], motors: dict[str, DcDrive]) -> Plain:
    return {
        "name": joint.name,
        "type": type(joint.type).__name__.lower(),
        "a": places[joint.a.name],
        "b": places[joint.b.name],
        "frame_a": [*joint.frame_a.position.tolist(), *joint.frame_a.rotation.tolist()],
        "frame_b": [*joint.frame_b.position.tolist(), *joint.frame_b.rotation.tolist()],
        "coordinates": [_coordinate(joint, found, motors) for found in joint.type.coordinates],
    }


def _coordinate(joint: Joint, found: Coordinate, motors: dict[str, DcDrive]) -> Plain:
    low, high = joint.ranges.get(found.name, (None, None))
    label = f"{joint.name}.{found.name}"
    motor = motors.get(label)
    kind = (
        "twist" if found.kind == CoordinateKind.TWIST else "slide" if found.kind <= CoordinateKind.SLIDE_Z else "other"
    )
    bounded = low is not None and high is not None
    return {
        "label": label,
        "unit": found.unit,
        "kind": kind,
        "column": PLACES.get(found.kind, (False, 0))[1],
        "low": low if bounded else None,
        "high": high if bounded else None,
        "driven": motor is not None,
        "strongest": 1.0 if motor is None else abs(motor.stall_torque * motor.ratio),
    }
