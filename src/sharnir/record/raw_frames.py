"""The raw arrays of frames, each made of the recorded rows when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ..quantities.frames import KICK, KNOWN_LATER, RAW
from ..spatial import Array
from .rows import Rows

UNKNOWN = -1  # the row after an instant that no step followed
# Kicks, the velocities that they change, and those in the middle of the last step.
KICKS = {"kick": ("velocity", "mid_velocity"), "kick_spin": ("spin", "mid_spin")}


class Instants(NamedTuple):
    """The rows of instants, and those of one step later."""

    at: Array
    after: Array


class RawFrames(Mapping[str, Array]):
    """Arrays [frame, item, world, ...] by the names of ``RAW``.

    ``changes`` are parameters with the frames since which they hold; ``smooth`` tells of steps of fourth order,
    ``count`` how many items there are of a kind. Where the step after a frame knows it better, it ``learns_later``.
    """

    def __init__(
        self,
        rows: Rows,
        instants: Instants,
        changes: dict[str, list[tuple[int, Array]]],
        learns_later: bool,
        smooth: bool,
        count: Callable[[str], int],
    ) -> None:
        self._rows, self._at, self._after, self._changes = rows, instants.at, instants.after, changes
        self._learns_later, self._smooth, self._count = learns_later, smooth, count
        self._made: dict[str, Array] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(RAW)

    def __len__(self) -> int:
        return len(RAW)

    def __getitem__(self, name: str) -> Array:
        if name not in self._made:
            self._made[name] = self._as_declared(
                name, self._parameter(name) if name in self._changes else self._copied(name)
            )
        return self._made[name]

    def _copied(self, name: str) -> Array:
        """What was copied at the instants, put right by what is known one step later."""
        raw = RAW[name]
        values = self._rows.values((raw.table, raw.array), self._at)
        if not self._learns_later or name not in KNOWN_LATER:
            return values
        if name in KICKS:
            values = self._expected_kick(name, values)
        known = self._after != UNKNOWN
        after = self._after[known]
        later = self._rows.values(("memory", KNOWN_LATER[name]), after)
        if later.shape[1]:
            made = self._rows.values(("report", "fault"), after) == 0  # a world that stopped made no step
            values[known] = np.where(_over(made, values), later, values[known])
        if name in KICKS:
            unknown = self._is_unknown(self._rows.values(KICK, after))
            values[known] = np.where(_over(unknown, values), np.nan, values[known])
        return values

    def _expected_kick(self, name: str, values: Array) -> Array:
        """The kick to come, by which the velocity of the state was brought from the middle of the last step."""
        kick = self._rows.values(KICK, self._at)  # below 0: a velocity was set since
        velocity, middle = KICKS[name]
        now, before = (self._rows.values(key, self._at) for key in (("state", velocity), ("memory", middle)))
        expected = np.where(_over(kick > 0.0, values), 2.0 * (now - before), values)
        return np.where(_over(self._is_unknown(kick), values), np.nan, expected)

    def _is_unknown(self, kick: Array) -> Array:
        """The worlds without a kick: before the first step, and in fourth-order steps, which make none."""
        return np.asarray((kick == 0.0) | (self._smooth & (kick < 0.0)))

    def _parameter(self, name: str) -> Array:
        """A parameter at every frame: one copy, or one for each stretch between changes."""
        kept, used = self._changes[name], len(self._at)
        if len(kept) == 1:
            return np.broadcast_to(kept[0][1], (used, *kept[0][1].shape))
        return np.repeat(np.stack([values for _, values in kept]), np.diff([*(k for k, _ in kept), used]), axis=0)

    def _as_declared(self, name: str, values: Array) -> Array:
        """Items in the order of the layout; zeros where the kernel was made without what an array is for."""
        raw, worlds = RAW[name], self._rows.block.worlds
        if raw.items is None:
            return values
        count = self._count(raw.items)
        if values.shape[1] < count:
            return np.zeros((len(self._at), count, worlds, *raw.shape))
        if raw.items == "body":
            values = values[:, 1:]
        if values.ndim == 2 + len(raw.shape):  # the same in all worlds
            values = np.repeat(values[:, :, None], worlds, axis=2)
        return values


def _over(mask: Array, values: Array) -> Array:
    """A mask [frame, world] over values [frame, item, world, ...]."""
    return mask.reshape(mask.shape[0], 1, mask.shape[1], *(1,) * (values.ndim - 3))
