"""Ropes in a frame: a block of four numbers per node, its position (m) and the tension (N) of the element after it.

Nodes that are wound on a drum lie at the first one that is not; a negative tension marks an element that has parted.
A rope that wears a skin has a second block, the quaternions of its elements.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..scene.scene import Scene
from ..spatial import Array

if TYPE_CHECKING:
    from xarray import Dataset

    from ..simulation.simulation import Simulation

PARTED = -1.0


def block_name(rope: str) -> str:
    """What a rope's block is called."""
    return f"rope {rope}"


def bones_name(rope: str) -> str:
    """What the block of the bones of a rope with a skin is called."""
    return f"bones {rope}"


def rope_shapes(scene: Scene) -> dict[str, tuple[int, int]]:
    """The blocks that the ropes of a scene need."""
    worn = {bones_name(name): (rope.elements, 4) for name, rope in scene.ropes.items() if rope.spec.skin is not None}
    return {block_name(name): (rope.elements + 1, 4) for name, rope in scene.ropes.items()} | worn


def write_ropes(scene: Scene, simulation: Simulation, blocks: dict[str, Array]) -> None:
    """Fill the blocks of all ropes."""
    if not scene.ropes:
        return
    state = simulation.state
    position, first = state.rope_position.numpy()[:, 0], state.rope_first.numpy()[:, 0]
    parted, tension = state.rope_parted.numpy()[:, 0], simulation.memory.rope_tension.numpy()[:, 0]
    start = 0
    for place, (name, rope) in enumerate(scene.ropes.items()):
        end = start + rope.elements + 1
        block, free = blocks[block_name(name)], int(first[place])
        block[:, :3] = position[start:end]
        block[: free - start, :3] = position[free]
        block[:, 3] = np.where(parted[start:end] > 0, PARTED, np.maximum(tension[start:end], 0.0))
        if rope.spec.skin is not None:
            blocks[bones_name(name)][:] = state.rope_rotation.numpy()[start : end - 1, 0]
        start = end


def tension_readers(scene: Scene, simulation: Simulation) -> dict[str, Callable[[], float]]:
    """What reads the highest tension of each rope (N); elements that have parted do not pull."""
    ends = np.cumsum([0, *(rope.elements + 1 for rope in scene.ropes.values())]).tolist()

    def reader(start: int, end: int) -> Callable[[], float]:
        def read() -> float:
            parted = simulation.state.rope_parted.numpy()[start:end, 0] > 0
            tension = simulation.memory.rope_tension.numpy()[start:end, 0]
            return float(np.where(parted, 0.0, np.maximum(tension, 0.0)).max())

        return read

    return {name: reader(*places) for name, places in zip(scene.ropes, pairwise(ends), strict=True)}


def record_ropes(scene: Scene, data: Dataset, blocks: dict[str, Array]) -> None:
    """Fill the blocks [instant, ...] of all ropes from a trajectory's dataset."""
    node = element = 0
    for name, rope in scene.ropes.items():
        block, count = blocks[block_name(name)], rope.elements
        block[..., :3] = data["node_position"].values[:, node : node + count + 1]
        block[..., :-1, 3] = np.maximum(data["tension"].values[:, element : element + count], 0.0)
        if rope.spec.skin is not None:
            blocks[bones_name(name)][:] = data["bone"].values[:, element : element + count]
        node, element = node + count + 1, element + count
