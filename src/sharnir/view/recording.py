"""A recording: a run made again from its log, with the frames that the view shows, to be played and scrubbed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from ..runtime.frames import FrameWriter
from ..runtime.journal import Run
from ..runtime.pacing import Statistics
from ..runtime.replay import Replay
from ..spatial import Array
from .panel import described, panel_of
from .world import Plain, world_of

RATE = 60.0  # frames per simulated second
MOST_FRAMES = 18_000  # five minutes at that rate; longer runs are coarser
NO_STATISTICS = Statistics(0.0, 0, 0.0, 0.0, 0.0)


@dataclass
class Recording:
    """The frames of a run, one row of bytes each, and what is needed to show them."""

    world: Plain
    frames: Array
    every: float  # s of the run between two frames
    replay: Replay

    @property
    def events(self) -> list[Plain]:
        """Alarms, notes and commands with the time of the run (s) at which they happened."""
        dt = self.replay.run.header.dt
        found = []
        for entry in self.replay.entries:
            if entry.alarm is not None:
                found.append({"time": entry.tick * dt, "level": entry.alarm.level, "text": entry.alarm.text})
            elif entry.command is not None:
                plain = msgspec.to_builtins(entry.command)
                found.append({"time": entry.tick * dt, "level": plain["do"], "text": _words(plain)})
        return found


def record(run: Run, progress: Callable[[int, int], Any] | None = None, source: str | None = None) -> Recording:
    """Make a run again and keep its frames."""
    replay = Replay(run, source)
    plant = replay.plant
    writer = FrameWriter(plant.scene, plant.channels, tuple(plant.inputs))
    stride = max(1, round(1.0 / (RATE * run.header.dt)), math.ceil(replay.ticks / MOST_FRAMES))
    frames = np.zeros((replay.ticks // stride + 1, writer.layout.size), np.uint8)
    for _ in replay:
        if plant.tick % stride == 0:
            written = writer.write(plant, plant.tick * run.header.dt, "replay", 1.0, NO_STATISTICS)
            frames[plant.tick // stride] = written
            if progress is not None:
                progress(plant.tick, max(replay.ticks, 1))
    world = world_of(plant.scene) | {
        "layout": msgspec.to_builtins(writer.layout),
        "inputs": msgspec.to_builtins(list(plant.inputs.values())),
        "panel": described(plant.scene, panel_of(plant.scene), list(plant.inputs.values()), writer.layout),
    }
    return Recording(world, frames, stride * run.header.dt, replay)


def _words(command: Plain) -> str:
    """A command in a few words."""
    if command["do"] == "set":
        return ", ".join(f"{name} = {value:.4g}" for name, value in command["values"].items())
    rest = [str(value) for name, value in command.items() if name not in ("do", "fault")]
    return " ".join([command["do"], *rest])
