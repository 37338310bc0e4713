"""Recordings: the frames that the view shows of a run, to be played and scrubbed.

A driven run is made again from its log (``record``); of a simulated one the trajectory is there (``recording_of``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ..runtime.channels import Channel
from ..runtime.commands import AnyCommand, Clear, Inject, Loosen, Pull, Stop
from ..runtime.frame_bytes import HEADER, MODES, FrameWriter, layout_of, views
from ..runtime.journal import LogEntry, LoggedRun
from ..runtime.pacing import Statistics
from ..runtime.referee import Score, referee_of
from ..runtime.replay import Replay
from ..runtime.rope_frames import block_name, record_ropes
from ..scene.scene import Scene
from ..scene.values import Plain
from ..spatial import Array
from .console_panel import PLOTTED_AT_FIRST, SECONDS, described, panel_of
from .world import lower_floor, world_of

if TYPE_CHECKING:
    from xarray import Dataset

    from ..record.trajectory import Trajectory

RATE = 60.0  # frames per simulated second
TRAJECTORY_RATE = 30.0  # the same, of a trajectory
MOST_FRAMES = 18_000  # five minutes at that rate; longer runs are coarser
NO_STATISTICS = Statistics(0.0, 0, 0.0, 0.0, 0.0)


@dataclass
class Recording:
    """The frames of a run, one row of bytes each, and what is needed to show them."""

    world: Plain
    frames: Array
    every: float  # s of the run between two frames
    started: str  # when the run was made; empty where nobody asked
    note: str  # what the player says of the run
    events: list[Plain]  # what happened: time (s of the run), level, text


@dataclass
class DrivenRecording(Recording):
    """A recording of a driven run, with its log."""

    replay: Replay
    score: Score | None = None  # where there was a scenario


def record(
    run: LoggedRun, progress: Callable[[int, int], object] | None = None, source: str | None = None
) -> DrivenRecording:
    """Make a run again and keep its frames."""
    replay = Replay(run, source)
    plant = replay.plant
    referee = referee_of(run, plant)
    if referee is not None:
        replay.after_step = referee.look
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
    _lay_floor(plant.scene, world, views(frames, writer.layout)[1])
    note = "repeated bit for bit" if replay.differs_at is None else "differs from the run"
    score = None if referee is None else referee.score
    every, started = stride * run.header.dt, run.header.started
    return DrivenRecording(world, frames, every, started, note, _events(replay), replay, score)


def recording_of(scene: Scene, run: Trajectory, plotted: Sequence[str] = (), events: Sequence[Plain] = ()) -> Recording:
    """A trajectory as a recording; ``plotted`` names the channels to show at first. Contact points are not recorded."""
    time, data = run.time, run.data
    stride = max(1, round((len(time) - 1) / max(TRAJECTORY_RATE * (time[-1] - time[0]), 1.0)))
    shown = data.isel(time=slice(None, None, stride))
    channels, values = _channels(scene, shown)
    layout = layout_of(scene, channels, ())
    frames = np.zeros((shown.sizes["time"], layout.size), np.uint8)
    header, blocks = views(frames, layout)
    header[:, HEADER.index("time")] = header[:, HEADER.index("clock")] = shown["time"].values
    header[:, HEADER.index("mode")] = MODES.index("replay")
    header[:, HEADER.index("scale")] = header[:, HEADER.index("factor")] = 1.0
    if scene.bodies:
        blocks["poses"][..., :3], blocks["poses"][..., 3:] = shown["position"].values, shown["rotation"].values
        blocks["velocities"][..., :3] = shown["velocity"].values
        blocks["velocities"][..., 3:] = shown["angular_velocity"].values
    blocks["channels"][:] = values
    record_ropes(scene, shown, blocks)
    known = [channel.name for channel in channels]
    first = [name for name in plotted if name in known] or known
    panel: Plain = {"groups": [], "keys": [], "axes": [], "diagram": "", "plotted": first[:PLOTTED_AT_FIRST]}
    panel |= {"title": scene.name, "seconds": SECONDS}
    world = world_of(scene) | {"layout": msgspec.to_builtins(layout), "inputs": [], "panel": panel}
    _lay_floor(scene, world, blocks)
    every = stride * float(time[1] - time[0]) if len(time) > 1 else 1.0
    return Recording(world, frames, every, "", "simulated", list(events))


def _lay_floor(scene: Scene, world: Plain, blocks: dict[str, Array]) -> None:
    lower_floor(scene, world, blocks["poses"], [blocks[block_name(name)][..., :3] for name in scene.ropes])


def _channels(scene: Scene, data: Dataset) -> tuple[list[Channel], Array]:
    """The channels of a trajectory and their values [instant, channel]."""
    channels: list[Channel] = []
    values: list[Array] = [np.zeros((data.sizes["time"], 0))]
    for variable, group, ending, per in (("coordinate", "joints", "", ""), ("rate", "rates", " rate", "/s")):
        if variable in data:
            units = [f"{unit}{per}" for unit in data["axis_unit"].values]
            names = [f"{label}{ending}" for label in data["axis"].values]
            channels += [Channel(name, unit, group) for name, unit in zip(names, units, strict=True)]
            values.append(data[variable].values)
    if scene.bodies:
        channels += [Channel(f"{name} speed", "m/s", "bodies") for name in scene.bodies]
        values.append(np.linalg.norm(data["velocity"].values, axis=-1))
    if scene.ropes:
        channels += [Channel(f"{name} tension", "N", "ropes") for name in scene.ropes]
        values.append(data["highest_tension"].values)
    return channels, np.concatenate(values, axis=1)


def _events(replay: Replay) -> list[Plain]:
    """Alarms, notes and commands with the time of the run (s) at which they happened."""
    dt = replay.run.header.dt
    found = []
    for entry in told(replay.entries):
        if entry.alarm is not None:
            found.append({"time": entry.tick * dt, "level": entry.alarm.level, "text": entry.alarm.text})
        elif entry.command is not None:
            plain = msgspec.to_builtins(entry.command)
            by = {"by": entry.by} if entry.by else {}
            found.append({"time": entry.tick * dt, "level": plain["do"], "text": words(entry.command), **by})
    return found


def faults_of(recording: DrivenRecording) -> list[Plain]:
    """Every fault: when it was injected and by whom, the first alarm after it, the first emergency stop after that, and
    when it was cleared; all before the same fault is injected again."""
    entries, dt = recording.replay.entries, recording.replay.run.header.dt
    found = []
    for place, entry in enumerate(entries):
        if not isinstance(entry.command, Inject):
            continue
        name, later = entry.command.name, entries[place + 1 :]
        again = (i for i, e in enumerate(later) if isinstance(e.command, Inject) and e.command.name == name)
        later = later[: next(again, len(later))]
        alarm = next((e for e in later if e.alarm is not None and e.alarm.level in ("warning", "alarm")), None)
        noticed = None if alarm is None or alarm.alarm is None else {"time": alarm.tick * dt, "text": alarm.alarm.text}
        cleared = (e for e in later if isinstance(e.command, Clear) and e.command.name == name)
        found.append(
            {
                "name": name,
                "injected": entry.tick * dt,
                "by": entry.by,
                "noticed": noticed,
                "stopped": _time(next((e for e in later if isinstance(e.command, Stop)), None), dt),
                "cleared": _time(next(cleared, None), dt),
            }
        )
    return found


def _time(entry: LogEntry | None, dt: float) -> float | None:
    return None if entry is None else entry.tick * dt


def told(entries: list[LogEntry]) -> list[LogEntry]:
    """The entries without those that only go on with a pull."""
    found: list[LogEntry] = []
    pulled = None
    for entry in entries:
        if isinstance(entry.command, Pull):
            if pulled != (entry.command.body, entry.by):
                found.append(entry)
            pulled = (entry.command.body, entry.by)
        else:
            found.append(entry)
            pulled = None if isinstance(entry.command, Loosen) else pulled
    return found


def words(command: AnyCommand) -> str:
    """A command in a few words."""
    plain = msgspec.to_builtins(command)
    if isinstance(command, Pull):
        return f"pull {command.body}"
    if plain["do"] == "set":
        return ", ".join(f"{name} = {value:.4g}" for name, value in plain["values"].items())
    rest = [str(value) for name, value in plain.items() if name not in ("do", "fault")]
    return " ".join([plain["do"], *rest])
