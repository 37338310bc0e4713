"""Rows: copies of all that is recorded of a simulation, one for every instant."""

from __future__ import annotations

import numpy as np

from ..device import Table
from ..model.recorded_block import Key, RecordedBlock
from ..quantities.frames import RECORDED
from ..spatial import Array


class Rows:
    """Room for a known number of rows: what lies in the block as its bytes, the rest array by array."""

    def __init__(self, tables: dict[str, Table], block: RecordedBlock, capacity: int) -> None:
        self.block, self.used = block, 0
        self._now = block.now
        self._bytes = np.empty((capacity, *self._now.shape), np.uint8)
        arrays = {key: getattr(tables[key[0]], key[1]) for key in RECORDED if key not in block.places}
        self._empty = {key: array.shape for key, array in arrays.items() if array.size == 0}
        self._apart = {key: array for key, array in arrays.items() if array.size}
        self._copies = {
            key: np.empty((capacity, *array.numpy().shape), array.numpy().dtype) for key, array in self._apart.items()
        }

    def copy(self) -> int:
        """Copy what the simulation holds now; returns the place of the row."""
        row, self.used = self.used, self.used + 1
        self._bytes[row] = self._now
        for key, array in self._apart.items():
            self._copies[key][row] = array.numpy()
        return row

    def extend(self, written: Array) -> int:
        """Take over rows [row, world, byte] of the tape; returns the place of the first."""
        first, self.used = self.used, self.used + len(written)
        self._bytes[first : self.used] = written
        return first

    def values(self, key: Key, rows: Array) -> Array:
        """The numbers of an array in some rows: [row, item, world, ...] or [row, world, ...]."""
        if key in self.block.places:
            return self.block.values(self._bytes, key)[rows]
        if key in self._apart:
            return self._copies[key][rows]
        return np.zeros((len(rows), *self._empty[key]))
