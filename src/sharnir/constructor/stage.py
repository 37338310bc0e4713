"""The edited scene as the 3D view gets it: the whole world at first, then the changes."""

from __future__ import annotations

import msgspec

from ..scene.body import BodySpec
from ..scene.meshes import ConvexHull, Mesh
from ..scene.scene import Scene
from ..scene.values import Plain
from ..view.painting import Looks
from ..view.world import body_of, world_of
from .patch import Operation, steps_of


def stage_of(scene: Scene) -> Plain:
    """The world as the view draws it, with the places of the ropes' nodes (m)."""
    world = world_of(scene)
    for rope in world["ropes"]:
        rope["at"] = scene.ropes[rope["name"]].nodes.tolist()
    return world


class Told:
    """Remembers what windows have been told of the world, so that an edit of one body sends one body."""

    def __init__(self) -> None:
        self.world: Plain | None = None
        self._texts: dict[str, bytes] = {}

    def changes(self, world: Plain) -> Plain:
        """What is to be told now: parts of the world, bodies among them by number where their names are as before."""
        before, self.world = self.world, world
        texts = {f"bodies/{i}": msgspec.json.encode(body) for i, body in enumerate(world["bodies"])}
        texts |= {name: msgspec.json.encode(value) for name, value in world.items() if name != "bodies"}
        changed = {name for name, text in texts.items() if self._texts.get(name) != text}
        self._texts = texts
        if before is None or names_of(before) != names_of(world):
            return {"world": world}
        some = {i: body for i, body in enumerate(world["bodies"]) if f"bodies/{i}" in changed}
        rest = {name: value for name, value in world.items() if name in changed}
        return {"world_changes": {"bodies": some, "rest": rest}} if some or rest else {}

    def at_once(self, specs: dict[str, BodySpec]) -> Plain:
        """What some bodies look like now, before the whole scene is checked; nothing where that takes the whole.

        New ones come last, until the whole is told.
        """
        if self.world is None:
            return {}
        bodies = self.world["bodies"]
        places = {name: i for i, name in enumerate(names_of(self.world))}
        scratch, drawn = Scene("scratch"), {}
        for name, spec in specs.items():
            heavy = any(isinstance(shape, (Mesh, ConvexHull)) for shape in spec.shapes)
            if heavy or spec.contact not in (None, True, False):
                return {}
            drawn[places.setdefault(name, len(places))] = body_of(scratch.add_body(name, spec), None, Looks())
        for i, body in sorted(drawn.items()):
            bodies[i : i + 1] = [body]
            self._texts[f"bodies/{i}"] = msgspec.json.encode(body)
        return {"world_changes": {"bodies": drawn, "rest": {}}} if drawn else {}


def bodies_of(operations: list[Operation]) -> set[str]:
    """The bodies that operations add or change; none where one has another name, or all of them are others."""
    found = set()
    for operation in operations:
        steps = steps_of(operation["path"])
        if steps[0] != "bodies":
            continue
        if operation["op"] == "move" or len(steps) < 2:
            return set()
        found.add(steps[1])
    return found


def names_of(world: Plain) -> list[str]:
    """The bodies of a world in their order."""
    return [body["name"] for body in world["bodies"]]
