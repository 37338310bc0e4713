"""The debriefing of a run: one HTML file with the score by goal, the way on a map, the faults and all that was done,
beside a replay that goes to each of them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from ..control.scenario import AnyGoal, Attain, Avoid, Reach, Scenario, Stay
from ..errors import SceneError
from ..runtime.journal import SCENARIO
from ..runtime.referee import load_scenario
from ..scene.values import Plain
from .export_data import block
from .export_html import write_page
from .recording import DrivenRecording, faults_of

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
