"""Bodies and ropes of a recording as entities of foxglove.SceneUpdate, for the MCAP file."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence

import numpy as np

from ..runtime.rope_frames import block_name
from ..scene.values import Plain
from ..spatial import Array

RUBBER, OWN, ROPE = "#2b2f33", "#8a97a3", "#c7a25a"
NO_TIME = {"sec": 0, "nsec": 0}
LINE_STRIP = 0
LISTS = ("arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models", "metadata")
SCHEMA = {
    "type": "object",
    "properties": {
        "deletions": {"type": "array", "items": {"type": "object"}},
        "entities": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "timestamp": {"type": "object"},
                    "frame_id": {"type": "string"},
                    "id": {"type": "string"},
                    "lifetime": {"type": "object"},
                    "frame_locked": {"type": "boolean"},
                }
                | {name: {"type": "array", "items": {"type": "object"}} for name in LISTS},
            },
        },
    },
}


def bodies(world: Plain) -> Plain:
    """The shapes of all bodies, each in the frame of its body: they move with the poses."""
    return _update(
        [_entity(body["name"], body["name"], _shapes(body["shapes"], world["surfaces"])) for body in world["bodies"]]
    )


def ropes(world: Plain, blocks: Callable[[str], Array], frame: int) -> Plain:
    """The ropes in one frame, as lines through their nodes."""
    return _update(
        [
            _entity(f"rope {rope['name']}", "world", {"lines": [_line(rope, blocks(block_name(rope["name"]))[frame])]})
            for rope in world["ropes"]
        ]
    )


def _update(entities: list[Plain]) -> Plain:
    return {"deletions": [], "entities": entities}


def _entity(name: str, frame: str, shapes: Plain) -> Plain:
    own = {"timestamp": NO_TIME, "frame_id": frame, "id": name, "lifetime": NO_TIME, "frame_locked": True}
    return own | {kind: [] for kind in LISTS} | shapes


def _shapes(shapes: list[Plain], surfaces: list[Plain]) -> Plain:
    found: dict[str, list[Plain]] = {}
    for shape in (shape for shape in shapes if shape["kind"] != "belt"):  # its links run; there is the frame
        kind, drawn = _primitive(shape | (surfaces[shape["surface"]] if "surface" in shape else {}))
        color = _color(shape["color"] or (RUBBER if shape["kind"] == "wheel" else OWN))
        place = {"pose": _pose(shape["position"], shape["rotation"]), "color": color}
        found.setdefault(kind, []).append(place | drawn)
        if shape["kind"] == "capsule":
            found.setdefault("spheres", []).extend(_caps(shape, color))
    return found


def _primitive(shape: Plain) -> tuple[str, Plain]:
    """The list that a shape belongs to, and its size."""
    size = shape.get("size", ())
    if shape["kind"] == "mesh":
        points = np.frombuffer(base64.b64decode(shape["vertices"]), "<f4").reshape(-1, 3).tolist()
        indices = np.frombuffer(base64.b64decode(shape["triangles"]), "<u4").tolist()
        return "triangles", {"points": [_xyz(point) for point in points], "indices": indices, "colors": []}
    if shape["kind"] == "box":
        return "cubes", {"size": _xyz(size)}
    if shape["kind"] == "sphere":
        return "spheres", {"size": _xyz([2 * radius for radius in size])}
    return "cylinders", {"size": _xyz([2 * size[0], 2 * size[0], size[1]]), "bottom_scale": 1.0, "top_scale": 1.0}


def _caps(shape: Plain, color: Plain) -> list[Plain]:
    from .. import spatial

    radius, length = shape["size"]
    ends = spatial.rotate(shape["rotation"], [0.0, 0.0, 0.5 * length])
    places = [np.asarray(shape["position"]) + sign * ends for sign in (1.0, -1.0)]
    size = _xyz([2 * radius] * 3)
    return [{"pose": _pose(place.tolist(), shape["rotation"]), "size": size, "color": color} for place in places]


def _line(rope: Plain, nodes: Array) -> Plain:
    points = np.asarray(nodes).reshape(-1, 4)[:, :3].tolist()
    return {
        "type": LINE_STRIP,
        "pose": _pose([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]),
        "thickness": 2 * rope["radius"],
        "scale_invariant": False,
        "points": [_xyz(point) for point in points],
        "color": _color(ROPE),
        "colors": [],
        "indices": [],
    }


def _pose(position: Sequence[float], rotation: Sequence[float]) -> Plain:
    return {"position": _xyz(position), "orientation": dict(zip("xyzw", map(float, rotation), strict=True))}


def _xyz(values: Sequence[float]) -> Plain:
    return dict(zip("xyz", map(float, values), strict=True))


def _color(text: str) -> Plain:
    red, green, blue = (int(text[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return {"r": red, "g": green, "b": blue, "a": 1.0}
