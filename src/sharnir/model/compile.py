"""From a scene to flat arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..device import Table
from ..scene.check import check_scene
from ..scene.elements.drive import DcDrive, PositionServo, SpeedServo
from ..scene.elements.friction_laws import AnyFriction, Coulomb, Dahl, LuGre, Viscous
from ..scene.elements.spring import Spring
from ..scene.joint import Joint
from ..scene.joint_coordinates import counts_turns, start_value
from ..scene.joints import FreeAxes
from ..scene.scene import Scene
from ..spatial import Array
from .actuator_numbers import actuator_arrays
from .bound_ranges import bound_ranges
from .carried import carried_shares
from .catch_rows import catch_arrays, catches_of, kind_of
from .contacts import ContactArrays, contact_arrays, optional_counts
from .coupling_rows import coupling_arrays
from .direct_program import DIRECT_COUNTS, direct_arrays, knows_all, reach_counts, solves_friction
from .features import Features
from .field import Columns
from .fields import PARAMETERS, TABLES, allocate, write
from .grounds import Heights, Triangles, search_meshes
from .integrator import INTEGRATORS
from .layout import Layout, coordinates_of, dry_friction_of, friction_rows_of, layout_of
from .precision import Precision
from .rope_arrays import optional_rope_counts, rope_arrays
from .sensors import ray_arrays
from .softs import softs_of
from .spins import felt_spins

# Numbers that are written down once here, and that every world has of its own
OF_EVERY_WORLD = (
    *("pair_friction", "pair_restitution", "pair_rolling", "pair_spinning", "pair_stiffness", "pair_damping"),
    *(
        "pair_threshold",
        "drive_ratio",
        "drive_efficiency",
        "servo_gain",
        "servo_damping",
        "servo_integral",
        "servo_feed",
    ),
    *("viscous_load", "friction_radius", "friction_preload"),
    *("rope_line", "rope_radius", "rope_stiffness", "rope_damping"),
)


@dataclass(frozen=True)
class Compiled:
    """A scene as numbers on the host: what ``allocate`` needs to know, and what goes into the arrays."""

    scene: Scene
    layout: Layout
    features: Features
    counts: dict[str, int]
    twists: tuple[int, ...]  # the coordinates whose turns are counted
    model: Columns  # field -> values [item] or [item, 1]
    state: Columns
    grounds: tuple[Heights | Triangles | None, ...]  # terrain, shape by shape
    has: Features  # what the scene itself has, whatever its kernels know


def compile_scene(scene: Scene, solver: str, integrator: str, general: bool = False, device: str = "cpu") -> Compiled:
    """Check a scene and write it down as arrays, for kernels of its own or for general ones."""
    check_scene(scene)
    layout = layout_of(scene)
    coordinates = coordinates_of(scene)
    tracked = tuple(
        place for place, (_, joint, coordinate) in enumerate(coordinates) if counts_turns(joint, coordinate)
    )
    touching = contact_arrays(scene)
    rope_model, rope_state, rope_counts = rope_arrays(scene)
    has = _features(scene, layout, tracked, touching, rope_model)
    scheme = INTEGRATORS[integrator]
    smooth = scheme.fourth_order and _is_smooth(scene, layout, touching.kinds)
    scheme = replace(scheme, fourth_order=smooth)
    features = has = replace(has, direct=solver == "direct", integrator=scheme, fourth_order=smooth)
    if general:
        features = features.generalised()
    model = _bodies(scene) | _joints(scene) | _coordinates(scene, tracked) | _limits(scene, tracked)
    model |= _frictions(scene) | _softs(scene, tracked) | coupling_arrays(scene, tracked)
    model |= actuator_arrays(scene) | _movers(scene) | catch_arrays(scene, tracked) | bound_ranges(scene)
    model |= direct_arrays(scene, features) | touching.model | ray_arrays(scene) | rope_model
    model |= {name: [[value] for value in model[name]] for name in OF_EVERY_WORLD}
    reach = knows_all(features, model)
    features = replace(features, reach=reach, together=reach and features.contacts and device == "cpu")
    if device == "cpu" and solves_friction(scene, features, model):
        features = replace(features, held=True, angular_rows=features.angular_rows or not all(model["friction_linear"]))
        model |= direct_arrays(scene, features)
    counts = _counts(layout, model) | touching.counts | rope_counts | optional_rope_counts(features, rope_counts)
    _count_by_features(counts, features, model)
    counts |= optional_counts(features, counts["contact"], counts["body"])
    state = _state(scene, tracked) | rope_state
    return Compiled(scene, layout, features, counts, tracked, model, state, touching.grounds, has)


def _features(
    scene: Scene, layout: Layout, tracked: tuple[int, ...], touching: ContactArrays, ropes: Columns
) -> Features:
    """What a scene has, whatever moves it."""
    joints = list(scene.joints.values())
    softs = softs_of(scene)
    couplings = list(scene.couplings.values())
    laws = [law for joint in joints for law in joint.friction.values() if not isinstance(law, Viscous)]
    locks_rotation = any(any(joint.type.locked_rotations) for joint in joints)
    pairs, touches = touching.model, bool(touching.kinds)
    return Features(
        angular_locks=locks_rotation,
        angular_rows=locks_rotation or not all(row.linear for row in softs),
        partial_locks=any(not all(joint.type.locked_translations) for joint in joints),
        limits=bool(layout.limits),
        friction=bool(layout.frictions),
        friction_laws=any(coupling.loses_power for coupling in couplings)
        or any(not isinstance(law, Coulomb) or law.load is not None for law in laws),
        bristles=any(isinstance(law, (LuGre, Dahl)) for law in laws),
        gears=any(row.motor is not None and row.motor.loses_power for row in softs),
        soft=bool(softs),
        twists=bool(tracked),
        contact_kinds=touching.kinds,
        restitution=touches and any(pairs["pair_restitution"]),
        compliance=touches and not all(np.isinf(pairs["pair_stiffness"])),
        rolling=touches and any(pairs["pair_rolling"] + pairs["pair_spinning"] + pairs["tyre_rolling"]),
        tyres=bool(pairs["tyre_rolling"]),
        belts=bool(pairs["belt_joint"]),
        ropes=bool(scene.ropes),
        rope_ports=len(ropes["port_kind"]) > 0,
        rope_slides=len(ropes["slide_rope"]) > 0,
        rope_touch=any(ropes["rope_touches"]) or any(ropes["rope_tangles"]),
        rope_tangles=any(ropes["rope_tangles"]),
        couplings=bool(couplings),
        actuators=bool(layout.actuators),
        losses=any(coupling.loses_power for coupling in couplings),
        movers=bool(layout.movers),
        backlash=any(coupling.has_play for coupling in couplings),
        catches=frozenset(kind_of(type(row.catch)) for row in catches_of(scene)),
    )


def _counts(layout: Layout, model: Columns) -> dict[str, int]:
    """How many items there are of what a scene has, whatever moves it."""
    return {
        "body": len(layout.bodies) + 1,
        "joint": len(layout.joints),
        "coordinate": len(layout.coordinates),
        "twist": len(model["twist_joint"]),
        "limit": len(layout.limits),
        "friction": len(layout.frictions),
        "soft": len(layout.softs),
        "coupling": len(layout.couplings),
        "term": len(layout.terms),
        "actuator": len(layout.actuators),
        "actuator_number": len(model["actuator_number"]),
        "mover": len(layout.movers),
        "catch": len(layout.catches),
        "bound_range": len(model["bound_start"]),
        "ray": len(layout.rays),
        "table": len(model["table_x"]),
    }


def _count_by_features(counts: dict[str, int], features: Features, model: Columns) -> None:
    """Add the items of what only some kernels need."""
    counts["angular"] = counts["joint"] if features.angular_locks else 0
    counts["held_friction"] = counts["friction"] if features.held else 0
    counts |= {items: len(model[field]) for items, field in DIRECT_COUNTS.items()}
    counts |= reach_counts(features, model)
    for items in ("body", "coordinate", "actuator", "rope_node"):
        counts[f"leap_{items}"] = counts[items] if features.integrator.staggered else 0
    for items in ("body", "joint"):
        counts[f"led_{items}"] = counts[items] if features.integrator.leads else 0
    counts["led_angular"] = counts["led_joint"] if features.angular_rows else 0
    for items in ("body", "joint", "angular"):
        counts[f"rk4_{items}"] = counts[items] if features.fourth_order else 0
    counts["friction_law"] = counts["friction"] if features.friction_laws else 0
    rows = counts["joint"] if features.direct or features.integrator.leads else 0
    counts["row_angular"] = rows if features.angular_rows else 0
    counts["row_partial"] = rows if features.partial_locks else 0
    counts["redundant"] = sum(model["is_redundant"]) + counts["coupling"]
    counts["block"] = len(model["edge_node"])
    counts["recorded_chunk"] = counts["tape_chunk"] = 0  # those come with a simulation, see recorded_block.py
    counts["node"] = max(counts["node_end"] - 1, 0)
    counts["touch_body"] = counts["body"] if features.contacts else 0


def parameters_of(scene: Scene) -> Columns:
    """The model's arrays that can be set in a running simulation, as the scene describes them."""
    found = _bodies(scene) | _limits(scene, ()) | _frictions(scene) | _softs(scene, ()) | rope_arrays(scene)[0]
    found |= coupling_arrays(scene, ()) | actuator_arrays(scene) | catch_arrays(scene, ())
    return {name: found[name] for name in PARAMETERS if name in found}


def _is_smooth(scene: Scene, layout: Layout, kinds: frozenset[str]) -> bool:
    """Whether a fourth-order step can ever be made: nothing rubs, touches, is driven or moved; no gears, no ropes."""
    driven = any(row.drive or row.actuator for row in softs_of(scene))
    rubs = layout.frictions or layout.catches
    return not (rubs or driven or kinds or scene.ropes or scene.couplings or layout.movers)


def _bodies(scene: Scene) -> Columns:
    mass, inertia = [0.0], [np.zeros((3, 3))]
    for body in scene.bodies.values():
        mass.append(0.0 if body.properties is None else body.properties.mass)
        inertia.append(np.zeros((3, 3)) if body.properties is None else body.properties.inertia)
    tensor = np.array(inertia)
    others = {"gravity": np.array([scene.gravity]), "felt_spin": felt_spins(scene)}
    return mass_fields(np.array(mass)[:, None], tensor[:, None]) | others


def mass_fields(mass: Array, inertia: Array) -> Columns:
    """The model's mass fields from mass [body, world] and inertia [body, world, 3, 3]; zero mass means fixed."""
    moving = mass > 0.0
    inv_inertia = np.zeros_like(inertia)
    inv_inertia[moving] = np.linalg.inv(inertia[moving])
    inv_mass = np.divide(1.0, mass, out=np.zeros_like(mass), where=moving)
    return {"inv_mass": inv_mass, "inertia": inertia, "inv_inertia": inv_inertia}


def _movers(scene: Scene) -> Columns:
    moved = [(i + 1, body.pose) for i, body in enumerate(scene.bodies.values()) if body.spec.moved]
    return {
        "mover_body": [place for place, _ in moved],
        "mover_position": [pose.position for _, pose in moved],
        "mover_rotation": [pose.rotation for _, pose in moved],
    }


def _bits(mask: tuple[bool, ...]) -> int:
    return sum(1 << place for place, on in enumerate(mask) if on)


def _anchor(joint: Joint, side: str) -> Array:
    body, frame = (joint.a, joint.frame_a) if side == "a" else (joint.b, joint.frame_b)
    return frame.position - body.center


def _joints(scene: Scene) -> Columns:
    joints = list(scene.joints.values())
    place = {name: i for i, name in enumerate(["world", *scene.bodies])}
    soft_owners = [row.joint.name for row in softs_of(scene)]
    softs = np.cumsum([0] + [soft_owners.count(joint.name) for joint in joints])
    return {
        "joint_a": [place[joint.a.name] for joint in joints],
        "joint_b": [place[joint.b.name] for joint in joints],
        "anchor_a": [_anchor(joint, "a") for joint in joints],
        "anchor_b": [_anchor(joint, "b") for joint in joints],
        "turn_a": [joint.frame_a.rotation for joint in joints],
        "turn_b": [joint.frame_b.rotation for joint in joints],
        "linear_lock": [_bits(joint.type.locked_translations) for joint in joints],
        "angular_lock": [_bits(joint.type.locked_rotations) for joint in joints],
        "basis": [int(joint.type.basis) for joint in joints],
        "length": [joint.length for joint in joints],
        "soft_start": softs[:-1],
        "soft_end": softs[1:],
    }


def _coordinates(scene: Scene, tracked: tuple[int, ...]) -> Columns:
    coordinates = coordinates_of(scene)
    place = {name: i for i, name in enumerate(scene.joints)}
    of = [place[joint.name] for _, joint, _ in coordinates]
    return {
        "coordinate_joint": of,
        "coordinate_kind": [int(coordinate.kind) for _, _, coordinate in coordinates],
        "twist_joint": [of[i] for i in tracked],
        "twist_kind": [int(coordinates[i][2].kind) for i in tracked],
    }


def _limits(scene: Scene, tracked: tuple[int, ...]) -> Columns:
    place = {name: i for i, name in enumerate(scene.joints)}
    rows = [
        (place[joint.name], coordinate.kind, joint.ranges[coordinate.name], tracked.index(i) if i in tracked else -1)
        for i, (_, joint, coordinate) in enumerate(coordinates_of(scene))
        if coordinate.name in joint.ranges
    ]
    return {
        "limit_joint": [joint for joint, _, _, _ in rows],
        "limit_kind": [int(kind) for _, kind, _, _ in rows],
        "limit_linear": [int(kind.is_linear) for _, kind, _, _ in rows],
        "limit_twist": [twist for _, _, _, twist in rows],
        "lower": [[-np.inf if low is None else low] for _, _, (low, _), _ in rows],
        "upper": [[np.inf if high is None else high] for _, _, (_, high), _ in rows],
    }


def _frictions(scene: Scene) -> Columns:
    place = {name: i for i, name in enumerate(scene.joints)}
    found = friction_rows_of(scene)
    rows = [
        (row.joint, row.axes, dry_friction_of(row.joint, row.axes) if row.kind == "friction" else Coulomb(0.0))
        for row in found
    ]
    loads = [law.load for _, _, law in rows]
    return {
        "friction_joint": [place[joint.name] for joint, _, _ in rows],
        "friction_linear": [int(axes.is_linear) for _, axes, _ in rows],
        "friction_axes": [sum(1 << axis for axis in axes.axes) for _, axes, _ in rows],
        "friction_single": [int(len(axes.axes) == 1) for _, axes, _ in rows],
        "friction_soft": [row.soft for row in found],
        "friction_coupling": [row.coupling for row in found],
        "friction_law": [_law_of(law) for _, _, law in rows],
        "friction_speed": [[getattr(law, "speed", 0.0)] for _, _, law in rows],
        "friction_stiffness": [[getattr(law, "stiffness", 0.0)] for _, _, law in rows],
        "friction_damping": [[getattr(law, "damping", 0.0)] for _, _, law in rows],
        "friction_load": [NO_LOAD if law.load is None else _pressing(joint, axes) for joint, axes, law in rows],
        "friction_radius": [1.0 if load is None or load.radius is None else load.radius for load in loads],
        "friction_preload": [0.0 if load is None else load.preload for load in loads],
        "dynamic_level": [[law.level] for _, _, law in rows],
        "static_level": [[getattr(law, "static", None) or law.level] for _, _, law in rows],
    }


TRUE_COULOMB, CLAMP, BRISTLE = 0, 1, 2  # friction laws, as the kernels know them
NO_LOAD, ACROSS_PIN, WHOLE_PIN, WHOLE = 0, 1, 2, 3  # which part of the reaction presses; friction is in a pin's


def _law_of(law: AnyFriction) -> int:
    if isinstance(law, (LuGre, Dahl)):
        return BRISTLE
    return CLAMP if getattr(law, "law", "") == "impulse-clamp" else TRUE_COULOMB


def _pressing(joint: Joint, axes: FreeAxes) -> int:
    """Which part of a joint's reaction presses the surfaces of its free axes together."""
    if axes.is_linear or not any(joint.type.locked_translations[:2]):
        return WHOLE
    is_pin = joint.type.locked_rotations == (True, True, False)
    return ACROSS_PIN if is_pin else WHOLE_PIN


def _softs(scene: Scene, tracked: tuple[int, ...]) -> Columns:
    rows = softs_of(scene)
    place = {name: i for i, name in enumerate(scene.joints)}
    labels = [label for label, _, _ in coordinates_of(scene)]
    twists = {labels[i]: k for k, i in enumerate(tracked)}
    springs = [row.spring or Spring() for row in rows]
    motors = [row.motor or DcDrive(1.0, 1.0, 0.0, 1.0) for row in rows]
    tables = [spring.table or () for spring in springs]
    ends = np.cumsum([0] + [len(table) for table in tables])
    points = [point for table in tables for point in table]
    sides = {"both": 0, "push": 1, "pull": 2}
    kinds = {DcDrive: 1, SpeedServo: 2, PositionServo: 3, type(None): 0}
    return {
        "soft_joint": [place[row.joint.name] for row in rows],
        "soft_share": carried_shares(scene),
        "soft_kind": [row.kind for row in rows],
        "soft_linear": [int(row.linear) for row in rows],
        "soft_column": [row.column for row in rows],
        "soft_twist": [twists.get(row.label, -1) for row in rows],
        "viscous": [[row.viscous] for row in rows],
        "viscous_load": [row.viscous_load for row in rows],
        "has_spring": [int(row.spring is not None) for row in rows],
        "spring_k": [[spring.stiffness] for spring in springs],
        "spring_c": [[spring.damping] for spring in springs],
        "spring_rest": [[spring.rest or 0.0] for spring in springs],
        "spring_preload": [[spring.preload] for spring in springs],
        "spring_side": [sides[spring.side] for spring in springs],
        "table_start": ends[:-1],
        "table_end": ends[1:],
        "table_x": [x for x, _ in points],
        "table_f": [force for _, force in points],
        "drive_kind": [kinds[type(row.drive)] for row in rows],
        "drive_stall": [[motor.stall_torque] for motor in motors],
        "drive_idle": [[motor.idle_speed] for motor in motors],
        "drive_inertia": [[motor.inertia] for motor in motors],
        "drive_ratio": [motor.ratio for motor in motors],
        "drive_efficiency": [motor.efficiency for motor in motors],
        "drive_locks": [int(motor.self_locking) for motor in motors],
        "servo_gain": [getattr(row.drive, "gain", 0.0) for row in rows],
        "servo_damping": [getattr(row.drive, "damping", 0.0) for row in rows],
        "servo_feed": [getattr(row.drive, "feed_forward", 0.0) for row in rows],
        "servo_integral": [getattr(row.drive, "integral", 0.0) for row in rows],
    }


def _state(scene: Scene, tracked: tuple[int, ...]) -> Columns:
    position, rotation, velocity, spin = [np.zeros(3)], [np.array([0, 0, 0, 1.0])], [np.zeros(3)], [np.zeros(3)]
    for body in scene.bodies.values():
        at = body.pose.point(body.center)
        spun = np.array(body.spec.angular_velocity)
        position.append(at)
        rotation.append(body.pose.rotation)
        velocity.append(np.array(body.spec.velocity) + np.cross(spun, at - body.pose.position))
        spin.append(spun)
    rows = coordinates_of(scene)
    twist = [start_value(joint, coordinate) for _, joint, coordinate in (rows[i] for i in tracked)]
    columns = {"position": position, "rotation": rotation, "velocity": velocity, "spin": spin, "twist": twist}
    return {name: np.array(values)[:, None] for name, values in columns.items()}


def build_model(compiled: Compiled, precision: Precision, worlds: int, device: str) -> Table:
    """The model's arrays on a device, the same for every world."""
    model = allocate("model", precision, compiled.counts, worlds, device)
    for field in TABLES["model"]:
        values = np.asarray(compiled.model[field.name])
        write(getattr(model, field.name), values)
    meshes = search_meshes(compiled.grounds, device)
    write(model.shape_mesh, np.array([0 if mesh is None else mesh.id for mesh in meshes], np.uint64))
    setattr(model.shape_mesh, "meshes", meshes)  # noqa: B010, their ids are only good while they live
    return model
