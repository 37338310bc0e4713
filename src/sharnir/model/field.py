"""What an array of a simulation is; every part of a model declares its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Field:
    """One array: what it runs over (None: one value per world), its element type and what it holds."""

    name: str
    items: str | None
    type: str
    note: str
    per_world: bool = True


Columns = dict[str, Any]  # the numbers of arrays by name: lists or numpy arrays, [item] or [item, world]
Fields = dict[str, tuple[Field, ...]]  # by the table that they belong to


def shared(name: str, items: str, type_: str, note: str) -> Field:
    """An array of the model that no world may change, indexed [item]."""
    return Field(name, items, type_, note, per_world=False)
