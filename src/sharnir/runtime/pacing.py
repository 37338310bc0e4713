"""Pacing against the wall clock with a fixed step, and its statistics.

Step k leads from ``epoch + k period`` to ``epoch + (k + 1) period`` with ``period = dt/scale``. It has missed its
deadline when it is not done by then. It begins ``ahead`` seconds before its time, so that the machine may stand still
for as long as that and a period before a deadline is missed. When it stays behind by more than ``PATIENCE`` the epoch
is moved: simulated time runs slower than the clock, the real-time factor says so, and nothing is made up for by rushing
later.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

PATIENCE = 0.05  # s behind the clock before simulated time gives way
WINDOW = 2048  # steps that the jitter is taken from
FACTOR_OVER = 1.0  # s over which the real-time factor is averaged


class Statistics(NamedTuple):
    """How well a run keeps time."""

    factor: float  # simulated seconds per second of the wall clock
    misses: int  # steps that were not done when their time was over
    worst: float  # s, the longest step
    jitter: float  # s, how much later than they want to steps begin: 99th percentile of the last WINDOW steps
    load: float  # share of the period spent on the step, averaged


class Pacer:
    """Says when the next step is due, and keeps count of how well that went."""

    def __init__(
        self, dt: float, scale: float = 1.0, ahead: float = 0.0, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._dt, self._ahead, self._clock = dt, ahead, clock
        self.period = dt / scale
        self.misses, self.worst, self._load = 0, 0.0, 0.0
        self._lateness = np.zeros(WINDOW)
        self._count = 0
        self.restart()

    def restart(self) -> None:
        """The next step begins now: after a pause, or with a new scale."""
        now = self._clock()
        self._due = now + self._ahead
        self._factor, self._window_start, self._window_steps = 0.0, now, 0

    def rescale(self, scale: float) -> None:
        """Another number of simulated seconds per second."""
        self.period = self._dt / scale
        self.restart()

    @property
    def wait(self) -> float:
        """Seconds until the next step begins; negative when it is late."""
        return self.lead - self._ahead

    @property
    def lead(self) -> float:
        """Seconds that simulated time is before the wall clock; negative when it is behind."""
        return self._due - self._clock()

    def begin(self) -> float:
        """A step begins. Returns the time, to be handed to ``end``."""
        now = self._clock()
        self._lateness[self._count % WINDOW] = max(now - self._due + self._ahead, 0.0)
        self._count += 1
        return now

    def end(self, begun: float) -> None:
        """The step is done: the time of the next one is a period after that of this one."""
        now = self._clock()
        took = now - begun
        self.worst = max(self.worst, took)
        self._load += 0.01 * (took / self.period - self._load)
        self._due += self.period
        self._window_steps += 1
        if now > self._due:
            self.misses += 1
            if now - self._due > PATIENCE:
                self._due = now + self._ahead
        if now - self._window_start > FACTOR_OVER:
            self._factor = self._window_steps * self._dt / (now - self._window_start)
            self._window_start, self._window_steps = now, 0

    def statistics(self) -> Statistics:
        """The figures so far."""
        seen = self._lateness[: min(self._count, WINDOW)]
        jitter = float(np.percentile(seen, 99)) if len(seen) else 0.0
        passed = self._clock() - self._window_start
        early = self._window_steps * self._dt / passed if passed > 0.2 else 0.0
        return Statistics(self._factor or early, self.misses, self.worst, jitter, self._load)
