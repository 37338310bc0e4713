"""Quantities: every named number of a scene, declared once; see ``registry.py``."""

from __future__ import annotations

from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..spatial import Array
from . import bodies, energy, joints, ropes, solver  # noqa: F401, each declares its quantities
from .frames import Frames
from .readings import Readings
from .registry import QUANTITIES, Definition, definition_of

__all__ = ["QUANTITIES", "Definition", "Frames", "Readings", "definition_of", "evaluate"]


def evaluate(scene: Scene, frames: Frames, quantity: Quantity) -> Array:
    """One quantity of the frames: [frame, world], or [frame, world, component] for vectors."""
    definition = definition_of(quantity)
    readings = Readings(scene, frames)
    return definition.derive(readings, definition.place(readings.layout, quantity.item))
