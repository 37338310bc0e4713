"""Numbers that no quantity of a running simulation sets, but that lie in arrays which every world has of its own.

The scene is compiled at three values of such a number. Where only arrays of single worlds change, and on a straight
line, the number can differ from world to world: its line is written into the arrays. Otherwise it belongs to the
structure, and worlds with other values are batches of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SceneError
from ..model.compile import Compiled
from ..model.fields import TABLES
from ..scene.scene import Scene
from ..scene.values import Plain
from ..spatial import Array

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation

PROBES = (1.0, 1.25, 1.5)  # times the value of the scene, or 1 where that is 0
STRAIGHT = 1e-9  # relative
SET_BY_QUANTITIES = {"dynamic_level", "static_level", "lower", "upper"}  # a line must not be laid over what they set
OF_WORLDS = frozenset(
    field.name for field in TABLES["model"] if field.per_world and field.items is not None and field.type == "real"
)


@dataclass(frozen=True)
class Line:
    """A number that is ``at`` a value in the compiled scene, and what every unit of it adds to arrays by place."""

    at: float
    slopes: tuple[tuple[str, int, float], ...]  # array, item, slope

    @property
    def fields(self) -> set[str]:
        """The arrays that it writes to."""
        return {field for field, _, _ in self.slopes}


def line_of(scene_at: Callable[[float], Scene], start: float, compiled: Callable[[Scene], Compiled]) -> Line | None:
    """The line of a number from the scenes that it makes; None where it belongs to the structure."""
    values = [probe * (start or 1.0) for probe in PROBES]
    try:
        made = [compiled(scene_at(value)) for value in values]
    except SceneError:
        return None
    first = made[0]
    for other in made[1:]:
        if other.features != first.features or other.counts != first.counts or other.layout != first.layout:
            return None
        if not all(same(first.state[name], other.state[name]) for name in first.state):
            return None
    slopes = []
    for name, base in first.model.items():
        if all(same(base, other.model[name]) for other in made[1:]):
            continue
        if name not in OF_WORLDS:
            return None
        a, b, c = (np.asarray(one.model[name], float)[:, 0] for one in made)
        slope = (b - a) / (values[1] - values[0])
        if not np.allclose(c, a + slope * (values[2] - values[0]), rtol=STRAIGHT, atol=0.0):
            return None
        slopes += [(name, int(item), float(slope[item])) for item in np.flatnonzero(slope)]
    return Line(values[0], tuple(slopes)) if slopes else None


def add_up(lines: dict[int, Line], compiled_with: Callable[[dict[int, float]], Compiled]) -> bool:
    """Whether several lines hold at once, and where the rest of the structure is another: arrays must be their sum."""
    try:
        first = compiled_with({k: line.at for k, line in lines.items()})
        moved = compiled_with({k: PROBES[1] * line.at for k, line in lines.items()})
    except SceneError:
        return False
    if (moved.features, moved.counts, moved.layout) != (first.features, first.counts, first.layout):
        return False
    wanted: dict[str, Array] = {}
    for line in lines.values():
        for field, item, slope in line.slopes:
            wanted.setdefault(field, np.array(first.model[field], float))[item] += slope * (PROBES[1] - 1.0) * line.at
    return all(
        np.allclose(np.asarray(moved.model[name], float), wanted[name], rtol=STRAIGHT, atol=0.0)
        if name in wanted
        else same(first.model[name], moved.model[name])
        for name in first.model
    )


def same(a: object, b: object) -> bool:
    """Whether two columns of models hold the same, numbers or not."""
    try:
        return np.array_equal(np.array(a, float), np.array(b, float), equal_nan=True)
    except (TypeError, ValueError):
        return bool(a is b or a == b)


def compiler(settings: Plain) -> Callable[[Scene], Compiled]:
    """How a simulation with these settings compiles its scene."""
    from ..simulation.kernel_choice import compile_for

    solver, integrator = settings.get("solver", "direct"), settings.get("integrator", "leapfrog")
    precision, device = settings.get("precision", "float64"), settings.get("device", "cpu")

    def compiled(scene: Scene) -> Compiled:
        scene.take_initial()
        return compile_for(scene, solver, integrator, precision, device, settings.get("kernels"))

    return compiled


def write_lines(simulation: Simulation, lines: list[tuple[Line, Array]]) -> None:
    """Give every world its numbers [world], each on its line."""
    from ..model.fields import read, write_row

    changes: dict[tuple[str, int], Array] = {}
    for line, values in lines:
        for field, item, slope in line.slopes:
            changes[field, item] = changes.get((field, item), 0.0) + slope * (values - line.at)
    for (field, item), change in changes.items():
        array = getattr(simulation.model, field)
        write_row(array, item, read(array)[item] + change)
