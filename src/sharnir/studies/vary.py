"""Numbers of a scene that differ between the worlds of one simulation.

Every world is compiled from the scene with its own numbers; where only arrays differ that each world has of its own,
these are written, so that a world moves to the bit as a scene alone that was built with its numbers. Where others
differ, such as centres of mass, sizes of shapes and numbers of sensors, runs of neighbouring worlds that agree in them
have a model, and launches, of their own. Whatever changes more than numbers, such as how many rows a joint has, is
refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike

from ..device import Table, load_warp
from ..errors import SceneError
from ..model.compile import Compiled
from ..model.field import Columns
from ..model.fields import TABLES, checked_values, element_type, read, struct_values, write
from ..model.sensors import sensor_arrays
from ..scene.scene import Scene
from ..simulation.outcomes import Varied
from ..simulation.simulation import Simulation
from ..spatial import Array
from .address import Address, find, with_numbers
from .slopes import compiler, same

OF_WORLDS = frozenset(one.name for one in TABLES["model"] if one.per_world)
SCHEDULE = {"kind", "item", "twist", "every", "delay", "slots", "first_slot"}  # of sensors: one for all worlds
FOR_WARNINGS = {"felt_spin"}  # of the scene as it was described, whatever a world's inertias are


def vary(simulation: Simulation, numbers: Mapping[str, ArrayLike]) -> Varied:
    """Give every world its own numbers, by the names that they have in the scene; what differs then."""
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
    base, dt = simulation._compiled, simulation.dt
    for world, one in enumerate(made):
        if changed := _structure(base, one, dt):
            own = {address: float(values[world]) for address, values in numbered.items()}
            alone = {address: compiled(with_numbers(scene, {address: value})) for address, value in own.items()}
            names = [address.name for address, single in alone.items() if _structure(base, single, dt)]
            told = ", ".join(f"'{name}'" for name in names or [address.name for address in own])
            raise SceneError(
                f"{told} cannot differ between worlds as given: in world {world} it changes what all of them share "
                f"({', '.join(changed)}); make a simulation of its own for it"
            )
    places = before.places | _differing(base, made)
    _write_parameters(simulation, made, places)
    starts = {name: np.concatenate([one.state[name] for one in made], axis=1) for name in base.state}
    return Varied(numbered, tuple(one.scene for one in made), starts, places, _models(simulation, made))


def _models(simulation: Simulation, made: list[Compiled]) -> tuple[tuple[int, int, Table], ...]:
    """A model for each run of neighbouring worlds that agree in what a model and sensors hold once; none where all do.

    Of those that agree in the model and have other sensors, it is that of the simulation.
    """
    base, distinct = simulation._compiled, {id(one): one for one in made}
    differing = {key: tuple(_shared(base, one)) for key, one in distinct.items()}
    sensed = _sensed(base, simulation.dt)
    others = any(_apart(sensed, _sensed(one, simulation.dt)) for one in distinct.values())
    if not others and not any(differing.values()):
        return ()
    models = {key: _model(simulation, one, differing[key]) for key, one in distinct.items()}
    runs = [list(group) for _, group in groupby(range(len(made)), key=lambda world: id(made[world]))]
    return tuple((run[0], len(run), models[id(made[run[0]])]) for run in runs)


def _model(simulation: Simulation, one: Compiled, differing: tuple[str, ...]) -> Table:
    """The model of a simulation with the arrays that differ in a scene, and all others shared with it."""
    if not differing:
        return simulation.model
    model = struct_values(simulation._precision).model()
    for field in TABLES["model"]:
        array = getattr(simulation.model, field.name)
        if field.name in differing:
            kind = element_type(simulation._precision, field.type)
            array = load_warp().zeros(array.shape[0], dtype=kind, device=simulation.device)
            write(array, np.asarray(one.model[field.name]))
        setattr(model, field.name, array)
    return model


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


def _structure(base: Compiled, other: Compiled, dt: float) -> list[str]:
    """What differs between two scenes beside numbers."""
    parts = ("features", "counts", "layout", "twists")
    found = [part for part in parts if getattr(base, part) != getattr(other, part)]
    if not found and SCHEDULE & set(_apart(_sensed(base, dt), _sensed(other, dt))):
        found.append("when sensors take samples")
    return found


def _sensed(one: Compiled, dt: float) -> Columns:
    """The arrays of a scene's sensors."""
    return sensor_arrays(one.scene, dt, one.twists)[0]


def _apart(some: Columns, others: Columns) -> list[str]:
    """The arrays in which two scenes differ."""
    return [name for name in some if not same(some[name], others[name])]


def _shared(base: Compiled, other: Compiled) -> list[str]:
    """The arrays that a model holds once for all worlds and that differ between two scenes."""
    names = [field.name for field in TABLES["model"] if not field.per_world and field.name not in FOR_WARNINGS]
    return [name for name in names if not same(base.model[name], other.model[name])]


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
