"""Quantities: every named number of a scene, declared once; see ``registry.py``."""

from __future__ import annotations

import numpy as np

from ..model.layout import layout_of
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..spatial import Array
from . import bodies, energy, joints, ropes, solver  # noqa: F401, each declares its quantities
from .frames import Frames
from .readings import Readings
from .registry import QUANTITIES, Definition, definition_of

__all__ = ["QUANTITIES", "Definition", "Frames", "Readings", "Worlds", "definition_of", "evaluate"]


def evaluate(scene: Scene, frames: Frames, quantity: Quantity) -> Array:
    """One quantity of the frames: [frame, world], or [frame, world, component] for vectors."""
    definition = definition_of(quantity)
    worlds = Worlds(scene, frames)
    return worlds.derive(definition, definition.place(worlds.layout, quantity.item))


class Worlds:
    """The frames of all worlds, those together that are of the same scene: worlds may differ in numbers."""

    def __init__(self, scene: Scene, frames: Frames) -> None:
        self.layout = layout_of(scene)
        self._all = list(range(frames.shape[1]))
        self.parts = [(Readings(scene, frames), self._all)]
        if frames.scenes:
            alike: dict[int, list[int]] = {}
            for world in self._all:
                alike.setdefault(id(frames.scenes[world]), []).append(world)
            self.parts = [
                (Readings(frames.scenes[worlds[0]], frames.of_worlds(worlds)), worlds) for worlds in alike.values()
            ]

    def derive(self, definition: Definition, place: int) -> Array:
        """A quantity of the item at a place: [frame, world] or [frame, world, component]."""
        found = [(definition.derive(readings, place), worlds) for readings, worlds in self.parts]
        if len(found) == 1:
            return found[0][0]
        first = found[0][0]
        whole = np.zeros((first.shape[0], len(self._all), *first.shape[2:]), first.dtype)
        for values, worlds in found:
            whole[:, worlds] = values
        return whole
