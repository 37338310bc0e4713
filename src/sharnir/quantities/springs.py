"""Force and energy of springs over their coordinates."""

from __future__ import annotations

import numpy as np

from ..scene.elements.spring import Spring, Table
from ..spatial import Array


def spring_force(spring: Spring, value: Array, rate: Array) -> Array:
    """The force of a spring and damper on its coordinate (N or N m), positive towards larger values."""
    x = value - (spring.rest or 0.0)
    force = spring.stiffness * x if spring.table is None else _interpolated(spring.table, x)
    return np.where(acts(spring, value), spring.preload - force - spring.damping * rate, 0.0)


def _interpolated(table: Table, x: Array) -> Array:
    """A force by its table, continued by its first and its last straight line."""
    xs, fs = np.array(table).T
    first, last = (fs[1] - fs[0]) / (xs[1] - xs[0]), (fs[-1] - fs[-2]) / (xs[-1] - xs[-2])
    return np.interp(x, xs, fs) + first * np.minimum(x - xs[0], 0.0) + last * np.maximum(x - xs[-1], 0.0)


def acts(spring: Spring, value: Array) -> Array:
    """Where a spring acts: everywhere, or on its one side."""
    x = value - (spring.rest or 0.0)
    return np.asarray({"both": np.ones_like(x, bool), "push": x < 0, "pull": x > 0}[spring.side])


def spring_energy(spring: Spring, value: Array) -> Array:
    """The energy of a spring at a coordinate (m or rad), J; none at its rest."""
    x = value - (spring.rest or 0.0)
    energy = 0.5 * spring.stiffness * x * x
    if spring.table is not None:
        xs = np.array(spring.table)[:, 0]
        low, high = min(float(x.min()), 0.0, xs[0]), max(float(x.max()), 0.0, xs[-1])
        grid = np.unique(np.concatenate([[low, 0.0, high], xs]))  # the force is straight between these
        force = _interpolated(spring.table, grid)
        held = np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(grid))])
        at = np.clip(np.searchsorted(grid, x, "right") - 1, 0, len(grid) - 2)
        slope = (force[at + 1] - force[at]) / (grid[at + 1] - grid[at])
        along = x - grid[at]
        energy = held[at] + force[at] * along + 0.5 * slope * along**2 - np.interp(0.0, grid, held)
    return np.where(acts(spring, value), energy - spring.preload * x, 0.0)
