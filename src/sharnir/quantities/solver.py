"""What the solver reports of a step."""

from __future__ import annotations

from ..spatial import Array
from .readings import Readings
from .registry import quantity


@quantity(None, "1", held=True)
def contacts(r: Readings, _: int) -> Array:
    """Points where shapes touch or are about to."""
    return r.frames["contacts"]


@quantity(None, "1", held=True)
def iterations(r: Readings, _: int) -> Array:
    """Iterations of the solver."""
    return r.frames["iterations"]


@quantity(None, "N s", is_error=True)
def residual(r: Readings, _: int) -> Array:
    """Largest change of an impulse in the last iteration."""
    return r.frames["residual"]


@quantity(None, "1", held=True)
def out_of_budget(r: Readings, _: int) -> Array:
    """Whether the time budget ended the iterations."""
    return r.frames.out_of_budget
