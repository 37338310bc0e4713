"""What is recorded of a step, in one piece of memory for each world, so that an instant is one copy.

On the CPU the arrays that a run records are views into a block [world, byte], inputs first. A step can then copy the
inputs of its own from a row of the tape [row, world, byte] before it is made, and the whole block into that row after:
many recorded steps are one launch. On a GPU arrays lie by themselves, see ``fields.allocate``, and the tape is empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..device import Table, WarpArray, load_warp
from ..spatial import Array
from .fields import CHUNK, TABLES, element_type
from .precision import Precision

TAPE_BYTES = 4 << 20  # of the tape, or one row of it: what fits the cache of a core
MOST_ROWS = 256  # of the tape: seldom enough to look at faults, Ctrl-C and progress
INPUTS = "control"  # the table that a row of the tape sets
MEASURED = "sensing"  # the table that is filled after steps, and has its arrays by itself

Key = tuple[str, str]  # table and array


class Place(NamedTuple):
    """Where an array lies in the block of a world: bytes before it, its numbers, and how many items it has."""

    offset: int
    dtype: np.dtype
    parts: tuple[int, ...]
    items: int | None

    @property
    def size(self) -> int:
        """Bytes in a world."""
        return self.dtype.itemsize * int(np.prod((1 if self.items is None else self.items, *self.parts)))


class RecordedBlock:
    """The block of recorded arrays, and the tape."""

    def __init__(
        self, recorded: Iterable[Key], precision: Precision, counts: dict[str, int], worlds: int, device: str
    ) -> None:
        wp = load_warp()
        self.worlds = worlds
        self.places: dict[Key, Place] = {}
        end, self.inputs = 0, 0
        kept = [key for key in recorded if key[0] != MEASURED] if device == "cpu" else []
        for key in sorted(kept, key=lambda key: (key[0] != INPUTS, key)):
            if key[0] != INPUTS and not self.inputs:
                end = self.inputs = _padded(end)
            place = _place(key, end, precision, counts)
            if place.size:
                self.places[key] = place
                end += place.size + -place.size % 8
        self.size = _padded(end)  # bytes in a world
        self.rows = max(1, min(MOST_ROWS, TAPE_BYTES // (self.size * worlds))) if self.size else 0
        chunk = element_type(precision, "chunk")
        self.data = wp.zeros(worlds * self.size // CHUNK, dtype=chunk, device=device)
        self.tape = wp.zeros(self.rows * worlds * self.size // CHUNK, dtype=chunk, device=device)

    @property
    def counts(self) -> dict[str, int]:
        """Its share of the numbers of items; the arrays themselves come by ``attach``."""
        return {
            "recorded_chunk": 0,
            "tape_chunk": 0,
            "block_chunk": self.size // CHUNK,
            "input_chunk": self.inputs // CHUNK,
        }

    def attach(self, work: Table) -> None:
        """Let steps find the block and the tape."""
        setattr(work, "recorded", self.data)  # noqa: B010
        setattr(work, "tape", self.tape)  # noqa: B010

    def array(self, key: Key, dtype: object) -> WarpArray:
        """An array of the block [item, world], or [world]."""
        wp, place = load_warp(), self.places[key]
        first = self.data.ptr + place.offset
        if place.items is None:
            array = wp.array(ptr=first, dtype=dtype, shape=(self.worlds,), strides=(self.size,), device="cpu")
        else:
            item = place.size // place.items
            shape, strides = (place.items, self.worlds), (item, self.size)
            array = wp.array(ptr=first, dtype=dtype, shape=shape, strides=strides, device="cpu")
        array.block = self.data  # it must live as long
        return array

    @property
    def now(self) -> Array:
        """The bytes of the block [world, byte], themselves."""
        return np.asarray(self.data.numpy()).reshape(self.worlds, self.size)

    @property
    def written(self) -> Array:
        """The bytes of the tape [row, world, byte], themselves."""
        return np.asarray(self.tape.numpy()).reshape(self.rows, self.worlds, self.size)

    def values(self, rows: Array, key: Key) -> Array:
        """The numbers of an array in rows [row, world, byte]: [row, item, world, ...] or [row, world, ...]."""
        place = self.places[key]
        taken = rows[:, :, place.offset : place.offset + place.size].view(place.dtype)
        if place.items is None:
            return taken.reshape(*taken.shape[:2], *place.parts)
        return np.moveaxis(taken.reshape(*taken.shape[:2], place.items, *place.parts), 2, 1)


def _padded(end: int) -> int:
    return end + -end % CHUNK


def _place(key: Key, offset: int, precision: Precision, counts: dict[str, int]) -> Place:
    wp = load_warp()
    table, name = key
    field = next(field for field in TABLES[table] if field.name == name)
    dtype = element_type(precision, field.type)
    parts = tuple(getattr(dtype, "_shape_", ()))
    scalar = np.dtype(np.int32 if dtype is int else wp.dtype_to_numpy(getattr(dtype, "_wp_scalar_type_", dtype)))
    return Place(offset, scalar, parts, None if field.items is None else counts[field.items])
