"""Sharnir as a contender."""

from __future__ import annotations

from typing import Any

import numpy as np

import sharnir as sh
from sharnir import spatial

from .contender import BodyStates, moving_bodies


class SharnirRun:
    """A scene in Sharnir; ``options`` go to :class:`sharnir.Simulation` as they are."""

    name = "Sharnir"

    def __init__(self, scene: sh.Scene, dt: float, **options: Any) -> None:
        self._bodies = moving_bodies(scene)
        self._simulation = sh.Simulation(scene, dt=dt, **options)
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
        """Where the bodies are now."""
        rows = [self._body_state(body) for body in self._bodies]
        return BodyStates(*(np.array(column) for column in zip(*rows, strict=True)))

    def _body_state(self, body: sh.Body) -> tuple[Any, Any, Any, Any]:
        assert body.properties is not None
        get = self._simulation.get
        rotation, spin = get(body.rotation), get(body.angular_velocity)
        arm = spatial.rotate(rotation, body.properties.center)
        return get(body.position) + arm, rotation, get(body.velocity) + np.cross(spin, arm), spin
