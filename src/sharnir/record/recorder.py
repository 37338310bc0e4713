"""Recorder: copies the state of a simulation into frames, one row per recorded instant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..device import Table
from ..model.layout import Layout
from ..quantities.frames import KNOWN_LATER, RAW, Frames, Raw, item_count
from ..scene.scene import Scene
from ..spatial import Array


class Recorder:
    """Buffers for a known number of frames."""

    def __init__(
        self,
        tables: dict[str, Table],
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
        self._used = 0
        arrays = {name: getattr(tables[raw.table], raw.array) for name, raw in RAW.items()}
        self._parameters = {name: array for name, array in arrays.items() if RAW[name].table == "model"}
        self._changes: dict[str, list[tuple[int, Array]]] = {name: [] for name in self._parameters}  # since which frame
        self._sources = {name: array for name, array in arrays.items() if RAW[name].table != "model"}
        self._buffers = {
            name: np.zeros((capacity, *array.numpy().shape), array.numpy().dtype)
            for name, array in self._sources.items()
        }

    def capture(self, time: float, out_of_budget: bool = False) -> None:
        """Copy what the simulation holds now."""
        self._sense()
        k = self._used
        self._time[k], self._out_of_budget[k] = time, out_of_budget
        for name, array in self._sources.items():
            self._buffers[name][k] = array.numpy()
        if self.learns_later:
            self._expect_kicks(k)
        for name, array in self._parameters.items():
            kept, now = self._changes[name], array.numpy()
            if not kept or not np.array_equal(kept[-1][1], now):
                kept.append((k, np.array(now)))
        self._used += 1

    def _expect_kicks(self, k: int) -> None:
        """The kick to come, by which the state's velocities were brought from the middle of the last step."""
        memory = self._tables["memory"]
        kick = memory.kick.numpy()  # below 0: a velocity was set since
        for name, velocity, middle in (
            ("kick", "center_velocity", memory.mid_velocity),
            ("kick_spin", "angular_velocity", memory.mid_spin),
        ):
            ahead = kick > 0.0
            expected = 2.0 * (self._buffers[velocity][k] - middle.numpy())
            self._buffers[name][k][:, ahead] = expected[:, ahead]
            self._buffers[name][k][:, self._is_unknown(kick)] = np.nan

    def _is_unknown(self, kick: Array) -> Array:
        """The worlds without a kick: before the first step, and in fourth-order steps, which make none."""
        smooth = self._tables["work"].first_pull.shape[0] > 0
        return np.asarray((kick == 0.0) | (smooth & (kick < 0.0)))

    @property
    def learns_later(self) -> bool:
        """Whether the step after a frame knows its velocities and reactions better."""
        return self._tables["memory"].start_velocity.shape[0] > 0

    def complete(self) -> None:
        """Put right the last frame, one step after it was captured."""
        if not self.learns_later:
            return
        made = self._tables["report"].fault.numpy() == 0  # a world that stopped made no step
        for name, array in KNOWN_LATER.items():
            self._buffers[name][self._used - 1][:, made] = getattr(self._tables["memory"], array).numpy()[:, made]
        unknown = self._is_unknown(self._tables["memory"].kick.numpy())
        for name in ("kick", "kick_spin"):
            self._buffers[name][self._used - 1][:, unknown] = np.nan

    def frames(self) -> Frames:
        """What was captured so far."""
        used = self._used
        worlds = self._buffers["residual"].shape[1]
        copied = {name: buffer[:used] for name, buffer in self._buffers.items()}
        copied |= {name: self._over_time(kept) for name, kept in self._changes.items()}
        raw = {name: self._as_declared(RAW[name], values, worlds) for name, values in copied.items()}
        over = np.repeat(self._out_of_budget[:used, None], worlds, axis=1)
        return Frames(self._time[:used], self._dt, self._twists, over, raw, self.learns_later, self._scenes)

    def _over_time(self, kept: list[tuple[int, Array]]) -> Array:
        """A parameter at every frame: one copy, or one for each stretch between changes."""
        since = [*(k for k, _ in kept), self._used]
        if len(kept) == 1:
            return np.broadcast_to(kept[0][1], (self._used, *kept[0][1].shape))
        return np.repeat(np.stack([values for _, values in kept]), np.diff(since), axis=0)

    def _as_declared(self, raw: Raw, values: Array, worlds: int) -> Array:
        """Items in the order of the layout; zeros where the kernel was made without what an array is for."""
        if raw.items is None:
            return values
        count = len(self._twists) if raw.items == "twist" else item_count(self._layout, raw.items)
        if values.shape[1] < count:
            return np.zeros((self._used, count, worlds, *raw.shape))
        if raw.items == "body":
            values = values[:, 1:]
        if values.ndim == 2 + len(raw.shape):  # the same in all worlds
            values = np.repeat(values[:, :, None], worlds, axis=2)
        return values
