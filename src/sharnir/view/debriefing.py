"""The debriefing of a run: one HTML file with the score by goal, the way on a map, the faults and all that was done,
beside a replay that goes to each of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..errors import SceneError
from ..runtime import commands as c
from ..runtime.journal import SCENARIO, Entry
from ..runtime.scenario import AnyGoal, Attain, Avoid, Reach, Scenario, Stay, load_scenario
from .export_data import block
from .export_html import write_page
from .recording import DrivenRecording

Plain = dict[str, Any]
SIGNALS = 6  # shown at most
PATHS = 4
MOVED = 0.05  # m from which on a body has a way to be shown


def write_debriefing(recording: DrivenRecording, path: Path) -> Path:
    """Write the file of a run that was driven with a scenario."""
    folder = recording.replay.run.folder
    if recording.score is None:
        raise SceneError(f"'{folder}' was driven without a scenario; there is nothing to debrief")
    scenario = load_scenario(folder / SCENARIO)
    about = {
        "score": _score(recording),
        "faults": faults_of(recording),
        "map": {"bodies": _bodies(recording, scenario), "zones": _zones(recording, scenario)},
        "signals": _signals(recording, scenario),
    }
    return write_page(recording, path, "debriefing", "debrief", about)


def _score(recording: DrivenRecording) -> Plain:
    """The score with the times of the run (s): a reset begins simulated time anew, but not the run."""
    assert recording.score is not None
    plain: Plain = msgspec.to_builtins(recording.score)
    dt = recording.replay.run.header.dt
    for goal in plain["goals"]:
        goal["time"] = None if goal["tick"] is None else goal["tick"] * dt
    return plain


def faults_of(recording: DrivenRecording) -> list[Plain]:
    """Every fault: when it was injected and by whom, the first alarm after it, the first emergency stop after that, and
    when it was cleared; all before the same fault is injected again."""
    entries, dt = recording.replay.entries, recording.replay.run.header.dt
    found = []
    for place, entry in enumerate(entries):
        if not isinstance(entry.command, c.Inject):
            continue
        name, later = entry.command.name, entries[place + 1 :]
        again = (i for i, e in enumerate(later) if isinstance(e.command, c.Inject) and e.command.name == name)
        later = later[: next(again, len(later))]
        alarm = next((e for e in later if e.alarm is not None and e.alarm.level in ("warning", "alarm")), None)
        noticed = None if alarm is None or alarm.alarm is None else {"time": alarm.tick * dt, "text": alarm.alarm.text}
        cleared = (e for e in later if isinstance(e.command, c.Clear) and e.command.name == name)
        found.append(
            {
                "name": name,
                "injected": entry.tick * dt,
                "by": entry.by,
                "noticed": noticed,
                "stopped": _time(next((e for e in later if isinstance(e.command, c.Stop)), None), dt),
                "cleared": _time(next(cleared, None), dt),
            }
        )
    return found


def _time(entry: Entry | None, dt: float) -> float | None:
    return None if entry is None else entry.tick * dt


def _bodies(recording: DrivenRecording, scenario: Scenario) -> list[str]:
    """Whose ways are shown: those that are to reach something, then the machines that have moved."""
    world = recording.world
    names = [body["name"] for body in world["bodies"]]
    poses = block(recording, "poses").reshape(len(recording.frames), -1, 7)
    travel = np.ptp(poses[:, :, :2], axis=0).max(axis=-1)
    wanted = [goal.body for goal in scenario.goals if isinstance(goal, Reach)]
    moved = [names[i] for i in world["machines"] if travel[i] > MOVED]
    return list(dict.fromkeys([*wanted, *moved]))[:PATHS] or [names[world["machines"][0]]]


def _zones(recording: DrivenRecording, scenario: Scenario) -> list[Plain]:
    assert recording.score is not None
    states = {goal.name: goal.state for goal in recording.score.goals}
    return [
        {"name": goal.name, "at": goal.at, "radius": goal.radius, "state": states[goal.name]}
        for goal in scenario.goals
        if isinstance(goal, Reach)
    ]


def _signals(recording: DrivenRecording, scenario: Scenario) -> list[Plain]:
    """What goals look at, with the line they draw; then what the console plots."""
    units = {channel["name"]: channel["unit"] for channel in recording.world["layout"]["channels"]}
    lines = {name: line for goal in scenario.goals for name, line in [_line(goal)] if name}
    names = dict.fromkeys([*lines, *recording.world["panel"]["plotted"]])
    return [{"name": name, "unit": units[name], "limit": lines.get(name)} for name in names if name in units][:SIGNALS]


def _line(goal: AnyGoal) -> tuple[str, float | None]:
    """The signal of a goal, and the value that matters."""
    if isinstance(goal, Stay):
        return goal.signal, goal.limit
    if isinstance(goal, Attain):
        return goal.signal, goal.value
    assert isinstance(goal, (Reach, Avoid))
    return "", None
