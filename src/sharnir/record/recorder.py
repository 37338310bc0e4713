"""Recorder: copies the state of a simulation, one row per recorded instant, and makes frames of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..device import Table
from ..model.layout import Layout
from ..model.recorded_block import RecordedBlock
from ..quantities.frames import RAW, Frames, item_count
from ..scene.scene import Scene
from ..spatial import Array
from .raw_frames import UNKNOWN, Instants, RawFrames
from .rows import Rows


class Recorder:
    """Room for a known number of frames.

    A frame has two rows: that of its instant, and that of one step later, when its velocities and reactions are known
    better. On the tape the later row is that of the next frame.
    """

    def __init__(
        self,
        tables: dict[str, Table],
        block: RecordedBlock,
        layout: Layout,
        twists: tuple[int, ...],
        dt: float,
        capacity: int,
        sense: Callable[[], None] = lambda: None,
        scenes: tuple[Scene, ...] = (),
    ) -> None:
        """``sense`` is called before every capture, to measure what is not a part of the state.

        ``scenes`` are those of the worlds, where their numbers differ.
        """
        self._scenes = scenes
        self._tables, self._layout, self._twists, self._dt, self._sense = tables, layout, twists, dt, sense
        self._time = np.zeros(capacity)
        self._out_of_budget = np.zeros(capacity, bool)
        self._at, self._after = np.zeros(capacity, int), np.full(capacity, UNKNOWN)
        self._used = 0
        self._rows = Rows(tables, block, 2 * capacity)
        self._parameters = {name: getattr(tables["model"], raw.array) for name, raw in RAW.items() if raw.is_parameter}
        # On the CPU numpy sees the arrays themselves; making that view takes longer than comparing a few numbers.
        self._seen = {name: array.numpy() for name, array in self._parameters.items() if array.device.is_cpu}
        self._changes: dict[str, list[tuple[int, Array]]] = {name: [] for name in self._parameters}  # since which frame

    def capture(self, time: float, out_of_budget: bool = False) -> None:
        """Copy what the simulation holds now."""
        self._sense()
        k = self._used
        self._at[k] = self._rows.copy()
        self._time[k], self._out_of_budget[k] = time, out_of_budget
        self._note_parameters(k)
        self._used += 1

    def _note_parameters(self, k: int) -> None:
        """Keep a copy of the parameters that have changed by frame k."""
        for name, array in self._parameters.items():
            kept, now = self._changes[name], self._seen[name] if name in self._seen else array.numpy()
            if not kept or not np.array_equal(kept[-1][1], now):
                kept.append((k, np.array(now)))

    def take(self, written: Array, times: Array) -> None:
        """Take over rows of the tape, the first of them one step after the last frame, as frames of their own."""
        first, k = self._rows.extend(written), self._used
        self._note_parameters(k)
        self._used += len(times)
        self._at[k : self._used] = np.arange(first, first + len(times))
        self._after[k - 1 : self._used - 1] = self._at[k : self._used]
        self._time[k : self._used] = times

    @property
    def learns_later(self) -> bool:
        """Whether the step after a frame knows its velocities and reactions better."""
        return self._tables["memory"].start_velocity.shape[0] > 0

    def complete(self) -> None:
        """Note what is known of the last frame, one step after it was captured."""
        if self.learns_later:
            self._after[self._used - 1] = self._rows.copy()

    def frames(self) -> Frames:
        """What was captured so far."""
        used, worlds = self._used, self._rows.block.worlds
        changes = {name: list(kept) for name, kept in self._changes.items()}
        instants = Instants(self._at[:used].copy(), self._after[:used].copy())
        smooth = self._tables["work"].start_acceleration.shape[0] > 0
        raw = RawFrames(self._rows, instants, changes, self.learns_later, smooth, self._count)
        over = np.repeat(self._out_of_budget[:used, None], worlds, axis=1)
        return Frames(self._time[:used], self._dt, self._twists, over, raw, self.learns_later, self._scenes)

    def _count(self, items: str) -> int:
        """How many there are of what a raw array runs over."""
        return len(self._twists) if items == "twist" else item_count(self._layout, items)
