"""Numbers of a scene that differ between the worlds of one simulation.

Every world is compiled from the scene with its own numbers; where only arrays differ that each world has of its own,
these are written, so that a world moves to the bit as a scene alone that was built with its numbers. Whatever changes
more than numbers, such as how many rows a joint has, is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..errors import SceneError
from ..model.compile import Compiled
from ..model.fields import TABLES, checked_values, read, write
from ..scene.scene import Scene
from ..simulation.outcomes import Varied
from ..simulation.simulation import Simulation
from ..spatial import Array
from .address import Address, find, with_numbers
from .slopes import compiler, same

OF_WORLDS = frozenset(one.name for one in TABLES["model"] if one.per_world)
FOR_WARNINGS = {"felt_spin"}  # of the scene as it was described, whatever a world's inertias are


def vary(simulation: Simulation, numbers: Mapping[str, ArrayLike]) -> None:
    """Give every world its own numbers, by the names that they have in the scene."""
    scene, worlds, before = simulation._scene, simulation.worlds, simulation._varied
    if not isinstance(numbers, Mapping):
        raise SceneError(f"vary is given a {type(numbers).__name__}; give a dictionary such as {{'door.mass': [1, 2]}}")
    given = {
        find(scene, name): np.broadcast_to(checked_values(f"'{name}'", values, (), worlds), worlds)
        for name, values in numbers.items()
    }
    numbered = before.numbers | given
    compiled = compiler({"solver": simulation._solver, "integrator": simulation._integrator})
    made = _compiled_worlds(scene, numbered, worlds, compiled)
    base = simulation._compiled
    for world, one in enumerate(made):
        if changed := _structure(base, one):
            own = {address: float(values[world]) for address, values in numbered.items()}
            names = [a.name for a, value in own.items() if _structure(base, compiled(with_numbers(scene, {a: value})))]
            told = ", ".join(f"'{name}'" for name in names or [address.name for address in own])
            raise SceneError(
                f"{told} cannot differ between worlds as given: in world {world} it changes what all of them share "
                f"({', '.join(changed)}); make a simulation of its own for it"
            )
    places = before.places | _differing(base, made)
    _write_parameters(simulation, made, places)
    starts = {name: np.concatenate([one.state[name] for one in made], axis=1) for name in base.state}
    simulation._varied = Varied(numbered, tuple(one.scene for one in made), starts, places)


def _compiled_worlds(
    scene: Scene, numbers: dict[Address, Array], worlds: int, compiled: Callable[[Scene], Compiled]
) -> list[Compiled]:
    """The scene of every world, compiled; worlds with the same numbers share one."""
    known: dict[tuple[float, ...], Compiled] = {}
    rows = [tuple(float(values[world]) for values in numbers.values()) for world in range(worlds)]
    for row in rows:
        if row not in known:
            known[row] = compiled(with_numbers(scene, dict(zip(numbers, row, strict=True))))
    return [known[row] for row in rows]


def _structure(base: Compiled, other: Compiled) -> list[str]:
    """What differs between two scenes beside numbers that each world has of its own."""
    parts = ("features", "counts", "layout", "twists")
    found = [part for part in parts if getattr(base, part) != getattr(other, part)]
    shared = [name for name in base.model if name not in OF_WORLDS and name not in FOR_WARNINGS]
    return found or [name for name in shared if not same(base.model[name], other.model[name])]


def _differing(base: Compiled, made: list[Compiled]) -> frozenset[tuple[str, int]]:
    """The arrays and their items that are not as the scene has them in some world."""
    found = set()
    for name in OF_WORLDS:
        first = np.asarray(base.model[name])
        for row in (np.asarray(one.model[name]) for one in made):
            found |= {(name, i) for i in range(len(first)) if not np.array_equal(first[i], row[i])}
    return frozenset(found)


def _write_parameters(simulation: Simulation, made: list[Compiled], places: frozenset[tuple[str, int]]) -> None:
    """What differs anywhere, in all worlds; what else was set in a simulation stays."""
    for name in {name for name, _ in places}:
        array = getattr(simulation.model, name)
        rows = [np.asarray(one.model[name]) for one in made]
        if array.ndim == 1:  # gravity: one per world, without items
            write(array, np.concatenate(rows))
            continue
        items = sorted(item for other, item in places if other == name)
        values = read(array)
        values[items] = np.concatenate(rows, axis=1)[items]
        write(array, values)
