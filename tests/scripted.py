"""Scripted operators: they drive a scenario without a browser, through the loop that drives it live."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from multiprocessing import Pipe
from pathlib import Path

import numpy as np

from sharnir import spatial
from sharnir.runtime import commands as c
from sharnir.runtime.journal import LoggedRun
from sharnir.runtime.plant import Plant
from sharnir.runtime.process import Loop
from sharnir.runtime.referee import Score
from sharnir.view.choice import with_scenario

STEPS = 20  # between two looks of the operator
Driver = Callable[[Plant], dict[str, float]]


def drive(name: str, driver: Driver, runs: Path, seconds: float) -> tuple[LoggedRun, Score]:
    """Drive a scenario that ships; returns the run and its score as it was kept live."""
    run = with_scenario(name).begin(runs)
    plant = Plant(run.scene(), run.header.dt, run.settings)
    ours, theirs = Pipe()
    threading.Thread(target=_drain, args=(ours,), daemon=True).start()
    loop = Loop(run, plant, theirs, paused=True)
    assert loop._referee is not None
    while plant.simulation.time < seconds and not loop._referee.finished:
        loop._take(c.Order("operator 1", c.Set(driver(plant))))
        loop._take(c.Order("operator 1", c.Step(STEPS)))
    loop.close()
    theirs.close()
    return LoggedRun(run.folder), loop._referee.score


def _drain(pipe: object) -> None:
    try:
        while True:
            pipe.recv_bytes()  # type: ignore[attr-defined]
    except (EOFError, OSError):
        return


def along(points: list[tuple[float, float]], body: str, speed: float, near: float = 0.5) -> Driver:
    """Steers a body from point to point, and stops at the last."""
    left = list(points)

    def driver(plant: Plant) -> dict[str, float]:
        found = plant.scene.bodies[body]
        place, turned = plant.simulation.get(found.position), plant.simulation.get(found.rotation)
        while left and math.hypot(*(np.asarray(left[0]) - place[:2])) < near:
            left.pop(0)
        if not left:
            return {"forward": 0.0, "turn": 0.0}
        ahead = spatial.rotate(turned, (1.0, 0.0, 0.0))
        to = np.asarray(left[0]) - place[:2]
        off = math.remainder(math.atan2(to[1], to[0]) - math.atan2(ahead[1], ahead[0]), 2 * math.pi)
        return {"forward": speed, "turn": max(-0.6, min(0.6, -1.2 * off))}

    return driver
