"""Sharnir as a contender."""

from __future__ import annotations

from typing import Any

import sharnir as sh
from sharnir.spatial import Array

from .contender import BodyStates, moving_bodies, path_by_blocks
from .limits import tell_pass
from .report import Section


class SharnirRun:
    """A scene in Sharnir; ``efforts`` (N m) by joint, and ``options`` for :class:`sharnir.Simulation` as they are."""

    name = "Sharnir"

    def __init__(self, scene: sh.Scene, dt: float, efforts: dict[str, float] | None = None, **options: Any) -> None:
        names = list(scene.bodies)
        self._places = [1 + names.index(body.name) for body in moving_bodies(scene)]  # 0 is the world
        self._simulation = sh.Simulation(scene, dt=dt, **options)
        for joint, torque in (efforts or {}).items():
            self._simulation.set(scene.joints[joint].effort(), torque)
        self.settings = ", ".join(f"{key} {value}" for key, value in options.items())

    def step(self, count: int) -> None:
        """Make ``count`` steps in one call."""
        self._simulation.step(count)

    def step_one_by_one(self, count: int) -> None:
        """Make ``count`` steps, one call each."""
        step = self._simulation.step
        for _ in range(count):
            step(1)

    def states(self) -> BodyStates:
        """Where the bodies are now, from one snapshot: asking body by body would capture the whole scene each time."""
        state = self._simulation.snapshot().arrays["state"]
        return BodyStates(*(state[name][self._places, 0] for name in ("position", "rotation", "velocity", "spin")))

    def tell_pass(self, section: Section, scene: str, step: float) -> None:
        """Write down what one pass over the direct solver's factors takes on this machine, beside a step (us)."""
        tell_pass(section, scene, self._simulation, step)

    def restart(self) -> None:
        """Back to the start of the scene."""
        self._simulation.reset()

    def path(self, steps: int, samples: int) -> Array:
        """The centres of mass at evenly spaced instants."""
        return path_by_blocks(self, steps, samples)
