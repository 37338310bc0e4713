"""Replay: a run made again from its log, step by step, and compared with itself by the digests it left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from ..errors import ControlFault, SceneError, SimulationFault
from .commands import MOVING
from .journal import LogEntry, LoggedRun
from .plant import Plant


class Replay:
    """A plant that does what a log says. Iterating yields after every step; ``differs_at`` is a tick, or None."""

    def __init__(self, run: LoggedRun, source: str | None = None) -> None:
        self.run = run
        self.plant = Plant(run.scene(source), run.header.dt, run.settings)
        self.entries = list(run.entries())
        self.ticks = max((entry.tick for entry in self.entries), default=0)
        self.differs_at: int | None = None
        self.digests = 0
        self.after_step: Callable[[], object] = lambda: None  # before the commands that follow the step

    def __iter__(self) -> Iterator[Plant]:
        """Yields the plant at the start and after every step."""
        queue = iter(self.entries)
        entry = next(queue, None)
        while True:
            while entry is not None and entry.tick <= self.plant.tick:
                self._take(entry)
                entry = next(queue, None)
            yield self.plant
            if self.plant.tick >= self.ticks:
                return
            with suppress(SimulationFault, ControlFault):  # they stopped the live run just so
                self.plant.step()
                self.after_step()

    def _take(self, entry: LogEntry) -> None:
        if isinstance(entry.command, MOVING):
            with suppress(SceneError):  # refused then, refused now
                self.plant.apply(entry.command, entry.by)
            self.plant.alarms.clear()
        elif entry.digest is not None:
            self.digests += 1
            if self.differs_at is None and entry.digest != self.plant.digest():
                self.differs_at = entry.tick


def check(run: LoggedRun, progress: Callable[[int, int], object] | None = None, source: str | None = None) -> Replay:
    """Replay a whole run. ``differs_at`` of the result tells whether it was the same."""
    replay = Replay(run, source)
    for plant in replay:
        if progress is not None and plant.tick % 100 == 0:
            progress(plant.tick, max(replay.ticks, 1))
    return replay
