"""The ropes of a scene as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .. import spatial
from ..scene.body import Body
from ..scene.materials import Contact
from ..scene.rope import Eyelet, Rope, TiedNode, Winch
from ..scene.scene import WORLD, Scene
from ..spatial import Array
from .contacts import collides, contact_of, group_numbers
from .features import Features
from .field import Columns

BODY_POINT, CLAMP, OTHER_ROPE, FEED, RUB = 0, 1, 2, 3, 4  # kinds of ports; those that rub come last
TANGLES = 4  # pairs with elements further on that an element can be in
TOUCHES = 4  # places where an element, with the node it starts from, can touch things
LEAST_TWIST = 1e-6  # of the bending stiffness: what a clamp of a rope without twisting stiffness holds it with


# a port's columns, as they are unless told otherwise
PORT: Columns = {
    "kind": BODY_POINT,
    "rope": 0,
    "node": 0,
    "body": 0,
    "anchor": np.zeros(3),
    "drum": 0,
    "slide": -1,
    "other": -1,
    "other_rope": -1,
}


@dataclass
class _Rows:
    """Clamps, ports and slides while they are gathered."""

    clamps: list[Columns] = field(default_factory=list)
    ports: list[Columns] = field(default_factory=list)
    slides: list[Columns] = field(default_factory=list)


def rope_arrays(scene: Scene) -> tuple[Columns, Columns, dict[str, int]]:
    """Model fields, state fields and counts of a scene's ropes."""
    ropes = list(scene.ropes.values())
    starts = np.cumsum([0] + [rope.elements + 1 for rope in ropes])
    first_node = places_of(scene)
    rows = _Rows()
    pinned = np.zeros(starts[-1], int)
    for place, rope in enumerate(ropes):
        for tied in rope.tied:
            _add_tie(scene, rows, pinned, first_node, place, rope, tied)
        for eyelet in rope.spec.eyelets:
            _add_eyelet(scene, rows, first_node, place, rope, eyelet)
        if rope.spec.winch is not None:
            _add_winch(scene, rows, first_node, place, rope, rope.spec.winch)
    rubs = [
        PORT | {"kind": RUB, "rope": slide["rope"], "node": slide["node"], "slide": i}
        for i, slide in enumerate(rows.slides)
        if slide["friction"] > 0.0
    ]
    rows.ports += rubs
    model: Columns = {
        "rope_start": starts[:-1],
        "rope_end": starts[1:],
        "rope_line": [rope.mass_per_metre for rope in ropes],
        "rope_radius": [rope.spec.radius for rope in ropes],
        "rope_stiffness": [_stiffness(rope) for rope in ropes],
        "rope_damping": [rope.spec.damping for rope in ropes],
        "rope_strength": [np.inf if rope.spec.breaking_load is None else rope.spec.breaking_load for rope in ropes],
        "rope_rest": _joined([_padded(rest_curvature(rope)) for rope in ropes], 3),
        "rope_pinned": pinned,
    }
    model |= touch_arrays(scene, ropes)
    model |= _columns("clamp", rows.clamps, ("rope", "element", "body", "turn", "rest", "port"))
    model |= _columns("port", rows.ports, tuple(PORT))
    model |= _columns("slide", rows.slides, ("rope", "winch", "fixed", "friction", "length"))
    state = {
        "rope_position": _joined([rope.nodes for rope in ropes], 3),
        "rope_velocity": _joined([_velocities(rope) for rope in ropes], 3),
        "rope_rotation": _joined([_padded(rope.rotations) for rope in ropes], 4),
        "rope_spin": np.zeros((starts[-1], 3)),
        "rope_length": np.concatenate([[], *(_padded(rope.lengths) for rope in ropes)]),
        "rope_first": [start + rope.stored for start, rope in zip(starts, ropes, strict=False)],
        "rope_parted": np.zeros(starts[-1], int),
        "rope_slack": np.zeros(starts[-1]),
        "slide_node": [row["node"] for row in rows.slides],
        "slide_speed": np.zeros(len(rows.slides)),
    }
    counts = {
        "rope": len(ropes),
        "rope_node": int(starts[-1]),
        "clamp": len(rows.clamps),
        "port": len(rows.ports),
        "rub": len(rubs),
        "slide": len(rows.slides),
        "skip": len(model["skip_rope"]),
    }
    return model, {name: np.asarray(values)[:, None] for name, values in state.items()}, counts


def optional_rope_counts(features: Features, counts: dict[str, int]) -> dict[str, int]:
    """Sizes of what only ropes with ports, slides or contacts have."""
    nodes = counts["rope_node"]
    return {
        "port_pair": counts["port"] ** 2,
        "port_rope_node": nodes if features.rope_ports else 0,
        "slide_rope_node": nodes if features.rope_slides else 0,
        "touch_node": nodes if features.rope_touch else 0,
        "touch": TOUCHES * nodes if features.rope_touch else 0,
        "tangle_node": nodes if features.rope_tangles else 0,
        "tangle": TANGLES * nodes if features.rope_tangles else 0,
        "bucket": 2 * nodes + 1 if features.rope_tangles else 0,
    }


def touch_arrays(scene: Scene, ropes: list[Rope]) -> Columns:
    """What ropes touch, and with which material."""
    contacts = [contact_of(scene, rope) for rope in ropes]
    said = [contact or Contact() for contact in contacts]
    groups = (*group_numbers(scene), *Contact().groups)
    skips = [
        (i, _device_body(scene, _body(scene, str(tied.tie.body))))
        for i, rope in enumerate(ropes)
        for tied in rope.tied
        if tied.tie.body is not None and tied.tie.body != WORLD
    ]
    tangles = [
        int(contact is not None and rope.spec.self_contact) for rope, contact in zip(ropes, contacts, strict=True)
    ]
    return {
        "rope_material": [scene.materials.names.index(contact.material) for contact in said],
        "rope_groups": [sum(1 << groups.index(name) for name in contact.groups) for contact in said],
        "rope_ignores": [sum(1 << groups.index(name) for name in contact.ignores) for contact in said],
        "rope_touches": [int(contact is not None and collides(scene)) for contact in contacts],
        "rope_tangles": tangles,
        "rope_apart": [1 + int(np.ceil(6 * rope.spec.radius / rope.lengths.mean())) for rope in ropes],
        "skip_rope": [rope for rope, _ in skips],
        "skip_body": [body for _, body in skips],
        "node_rope": [i for i, rope in enumerate(ropes) for _ in range(rope.elements + 1)],
    }


def places_of(scene: Scene) -> dict[str, int]:
    """The place of each rope's first node in the arrays of nodes and elements."""
    places, start = {}, 0
    for rope in scene.ropes.values():
        places[rope.name] = start
        start += rope.elements + 1
    return places


def rest_curvature(rope: Rope) -> spatial.Array:
    """Curvature without load between each element and the next, 1/m: u = (2/l) Im(q_j^-1 q_j+1)."""
    if not rope.spec.as_laid:
        return np.tile(np.array(rope.spec.curvature), (rope.elements, 1))
    return curvature(rope.rotations, rope.lengths)


def curvature(rotations: spatial.Array, lengths: spatial.Array) -> spatial.Array:
    """Curvature (1/m) between each element and the next, along the first axis; zero after the last."""
    relative = spatial.multiply(spatial.conjugate(rotations[:-1]), rotations[1:])
    relative = relative * np.where(relative[..., 3:] < 0, -1.0, 1.0)
    mean = 0.5 * (lengths[:-1] + lengths[1:])
    bent = 2.0 * relative[..., :3] / mean[..., None]
    return np.concatenate([bent, np.zeros_like(rotations[:1, ..., :3])])


def _stiffness(rope: Rope) -> tuple[float, float, float]:
    bending, twisting = rope.stiffness
    return bending, bending, twisting


def _velocities(rope: Rope) -> spatial.Array:
    moving = np.tile(np.array(rope.spec.velocity), (rope.elements + 1, 1))
    for tied in rope.tied:
        if tied.tie.body == WORLD:
            moving[tied.node] = 0.0
    return moving


def _padded(values: spatial.Array) -> spatial.Array:
    """One more row for the empty place after the last element."""
    return np.concatenate([values, values[-1:]])


def _joined(parts: list[spatial.Array], width: int) -> spatial.Array:
    return np.concatenate([np.zeros((0, width)), *parts])


def _columns(prefix: str, rows: list[Columns], names: tuple[str, ...]) -> Columns:
    return {f"{prefix}_{name}": [row[name] for row in rows] for name in names}


def _add_tie(
    scene: Scene, rows: _Rows, pinned: Array, first_node: dict[str, int], place: int, rope: Rope, tied: TiedNode
) -> None:
    node, tie = first_node[rope.name] + tied.node, tied.tie
    port = PORT | {"kind": BODY_POINT, "rope": place, "node": node}
    if tie.rope is not None:
        other = scene.ropes[tie.rope]
        other_node = first_node[tie.rope] + other.node_at(float(tie.along or 0.0), f"rope '{rope.name}': its tie")
        names = list(scene.ropes)
        rows.ports.append(port | {"kind": OTHER_ROPE, "other": other_node, "other_rope": names.index(tie.rope)})
        return
    body = _body(scene, str(tie.body))
    moves = body.properties is not None
    port["body"] = _device_body(scene, body)
    if moves:
        rows.ports.append(port | {"anchor": _anchor(body, rope.nodes[tied.node])})
    else:
        pinned[node] = 1
    if tie.clamped:
        element = min(tied.node, rope.elements - 1)
        wall = _wall(rope, element, tied)
        turn = spatial.multiply(spatial.conjugate(body.pose.rotation), wall)
        clamp = {"rope": place, "element": first_node[rope.name] + element, "body": port["body"], "turn": turn}
        side = -1.0 if tied.node == rope.elements else 1.0  # the curvature from the wall to the element
        clamp |= {"rest": side * np.array(rope.spec.curvature), "port": len(rows.ports) if moves else -1}
        rows.clamps.append(clamp)
        if moves:
            rows.ports.append(port | {"kind": CLAMP, "node": clamp["element"]})


def _add_eyelet(scene: Scene, rows: _Rows, first_node: dict[str, int], place: int, rope: Rope, eyelet: Eyelet) -> None:
    body = _body(scene, eyelet.body)
    number = rope.node_at(eyelet.at, f"rope '{rope.name}': the place of an eyelet")
    slide = {"rope": place, "winch": 0, "node": first_node[rope.name] + number, "friction": eyelet.friction}
    _add_slide(scene, rows, rope, slide, body, rope.nodes[number])


def _add_winch(scene: Scene, rows: _Rows, first_node: dict[str, int], place: int, rope: Rope, winch: Winch) -> None:
    joint = scene.joints[winch.joint]
    node = first_node[rope.name] + rope.stored
    _add_slide(scene, rows, rope, {"rope": place, "winch": 1, "node": node, "friction": 0.0}, joint.a, rope.nodes[0])
    axis = winch.radius * spatial.rotate(joint.frame_b.rotation, [0.0, 0.0, 1.0])
    feed = {"kind": FEED, "rope": place, "node": node, "slide": len(rows.slides) - 1, "anchor": axis}
    rows.ports.append(PORT | feed | {"body": _device_body(scene, joint.a), "drum": _device_body(scene, joint.b)})


def _add_slide(scene: Scene, rows: _Rows, rope: Rope, slide: Columns, body: Body, point: spatial.Array) -> None:
    """The slide, and where its body moves the port that holds its node there."""
    moves = body.properties is not None
    rows.slides.append(slide | {"fixed": int(not moves), "length": float(np.mean(rope.lengths))})
    if moves:
        port = {"kind": BODY_POINT, "rope": slide["rope"], "node": slide["node"], "slide": len(rows.slides) - 1}
        rows.ports.append(PORT | port | {"body": _device_body(scene, body), "anchor": _anchor(body, point)})


def _body(scene: Scene, name: str) -> Body:
    return scene.world if name == WORLD else scene.bodies[name]


def _device_body(scene: Scene, body: Body) -> int:
    return 0 if body is scene.world else list(scene.bodies).index(body.name) + 1


def _anchor(body: Body, point: spatial.Array) -> spatial.Array:
    assert body.properties is not None
    return body.pose.inverse().point(point) - body.properties.center


def _wall(rope: Rope, element: int, tied: TiedNode) -> spatial.Array:
    """The orientation that a clamp holds an element in, world axes at the start."""
    from ..scene.laying import turned_onto

    half = 0.5 * rope.spec.twist / rope.elements
    axis = spatial.rotate(rope.rotations[element], [0.0, 0.0, 1.0])
    laid = spatial.multiply(spatial.about(axis, half if tied.node == rope.elements else -half), rope.rotations[element])
    if tied.tie.direction is None:
        return laid
    wanted = np.array(tied.tie.direction) / np.linalg.norm(tied.tie.direction)
    return spatial.multiply(turned_onto(axis, wanted), laid)
