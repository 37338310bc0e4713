"""Many identifications at once: the simulations that they ask for at the same time make one batch.

Each fit runs in a thread of its own, unchanged; where all of them wait for simulations, the last one to ask simulates
for all. A world gives the same bits whatever batch it is in, so every fit ends as it would have ended alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.studies.batch import Outcome, Runner
from sharnir.studies.identify import Found, Identification
from sharnir.studies.plan import Plan


@dataclass
class Asked:
    """Points that a fit waits for, and their outcome."""

    runner: Runner
    points: np.ndarray
    outcome: Outcome | None = None
    error: BaseException | None = None


class Gathering:
    """Where several fits meet; the plans and runners of each step size are made once."""

    def __init__(self, count: int) -> None:
        self._changed = threading.Condition()
        self._running, self._asked = count, list[Asked]()
        self._made: dict[float, tuple[Plan, Runner]] = {}

    def made(self, one: Identification) -> tuple[Plan, Runner]:
        """The plan and the runner for the step of an identification."""
        with self._changed:
            if one.dt not in self._made:
                plan = Identification.plan.func(one)
                self._made[one.dt] = plan, Runner(plan)
            return self._made[one.dt]

    def run(self, runner: Runner, points: np.ndarray) -> Outcome:
        """The outcome of points, simulated with those of all other fits."""
        asked = Asked(runner, points)
        with self._changed:
            self._asked.append(asked)
            self._simulate()
            self._changed.wait_for(lambda: asked.outcome or asked.error)
        if asked.error is not None:
            raise asked.error
        assert asked.outcome is not None
        return asked.outcome

    def leave(self) -> None:
        """A fit has ended."""
        with self._changed:
            self._running -= 1
            self._simulate()

    def _simulate(self) -> None:
        """Once all wait: one batch for each step size."""
        if not self._asked or len(self._asked) < self._running:
            return
        for runner in {id(one.runner): one.runner for one in self._asked}.values():
            part = [one for one in self._asked if one.runner is runner]
            try:
                self._share(part, runner.run(np.concatenate([one.points for one in part])))
            except BaseException as error:
                for one in part:
                    one.error = error
        self._asked.clear()
        self._changed.notify_all()

    def _share(self, part: list[Asked], outcome: Outcome) -> None:
        first = 0
        for one in part:
            rows = slice(first, first + len(one.points))
            values = {name: found[rows] for name, found in outcome.values.items()}
            one.outcome = Outcome(values, outcome.reasons[rows], outcome.warnings)
            first = rows.stop


@dataclass
class Part:
    """A runner as one fit sees it."""

    gathering: Gathering
    runner: Runner

    def run(self, points: np.ndarray) -> Outcome:
        """The outcome of points [point, name]."""
        return self.gathering.run(self.runner, points)


class Joined(Identification):
    """An identification that simulates together with others of the same scene and inputs."""

    gathering: Gathering

    @property  # type: ignore[override]
    def plan(self) -> Plan:
        """The plan that all share."""
        return self.gathering.made(self)[0]

    @property  # type: ignore[override]
    def _runner(self) -> Part:
        return Part(self.gathering, self.gathering.made(self)[1])


def fit_together(made: Sequence[Joined], fits: Sequence[Callable[[Joined], Found]]) -> list[Found]:
    """What each of the fits finds."""
    gathering = Gathering(len(made))

    def fit(pair: tuple[Joined, Callable[[Joined], Found]]) -> Any:
        one, how = pair
        one.gathering = gathering
        try:
            return how(one)
        finally:
            gathering.leave()

    with ThreadPoolExecutor(len(made)) as pool:
        return list(pool.map(fit, zip(made, fits, strict=True)))
