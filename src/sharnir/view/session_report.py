"""The report of a session: one HTML file with what the operator did, what went wrong, and how the machine moved."""

from __future__ import annotations

import base64
import html
import io
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..runtime import commands as c
from ..runtime.referee import Standing
from ..spatial import Array
from .export_data import block
from .export_html import translation
from .recording import DrivenRecording, faults_of, told, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = """
body { font: 14px/1.5 system-ui, "Segoe UI", Roboto, sans-serif; color: #1c2226; max-width: 900px; margin: 32px auto; padding: 0 16px; }
h1 { font-size: 22px; margin: 0; } h2 { font-size: 16px; margin: 28px 0 6px; } .muted { color: #53616b; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; } td, th { text-align: left; padding: 3px 10px 3px 0; border-bottom: 1px solid #dde3e7; vertical-align: top; overflow-wrap: anywhere; }
th { font-weight: 600; } td.n { text-align: right; white-space: nowrap; } img { max-width: 100%; }
.warning td:nth-child(2) { color: #8a5a08; } .alarm td:nth-child(2) { color: #b92d23; font-weight: 600; }
"""  # noqa: E501 (a style sheet)
# What is said in the reader's language: cells and headings, and numbers with their units.
SAYS = """for (const element of document.querySelectorAll("h2, th, td, p.muted, b")) {
    const number = /^(-?[0-9.]+) ([A-Za-z/]+)$/.exec(element.textContent);
    element.textContent = number ? `${number[1]} ${unitText(number[2])}` : translated(element.textContent);
}"""
PLOTTED = 6
TABLE_ROWS = 400


def write_report(recording: DrivenRecording, path: Path) -> Path:
    """Write the report."""
    replay = recording.replay
    header, dt = replay.run.header, replay.run.header.dt
    length = replay.ticks * dt
    same = "was repeated bit for bit from its log" if replay.differs_at is None else "could not be repeated bit for bit"
    parts = [
        f"<h1>{html.escape(header.name)}</h1>",
        f"<p class='muted'>Session of {html.escape(header.started)} · {length:.1f} s simulated, "
        f"dt = {dt * 1000:g} ms · Sharnir {html.escape(header.version)} · the run {same}.</p>",
        *_debriefing(recording),
        _section("Summary", _table(("what", "how often or how much"), _summary(recording))),
        _section("Faults", _table(("fault", "injected", "by", "first alarm after it", "cleared"), _faults(recording))),
        _section("Notes", _table(("time", "note"), _notes(recording))),
        _section("Alarms", _table(("time", "level", "text"), _alarms(recording), classes=True)),
        _section("Inputs", _picture(_plot_inputs(recording), "inputs over time")),
        _section("Motion", _picture(_plot_motion(recording), "coordinates of joints over time")),
        _section("Path seen from above", _picture(_plot_paths(recording), "paths of the machines in x and y")),
        _section("What was done, and by whom", _table(("time", "time of day", "who", "command"), _commands(recording))),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    page = (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{}</title><style>{}</style>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'></head><body><main>{}"
    )
    text = page.format(html.escape(header.name), STYLE, "".join(parts))
    path.write_text(f"{text}</main>{translation(SAYS)}</body></html>", encoding="utf-8")
    return path


def _debriefing(recording: DrivenRecording) -> list[str]:
    """The score by goal, where there was a scenario."""
    score = recording.score
    if score is None:
        return []
    verdict = f"<p><b>{100 * score.total:.1f} %: {'passed' if score.passed else 'not passed'}</b></p>"
    table = _table(("goal", "score", "weight", "state", "at", "note"), list(map(standing_words, score.goals)))
    return [_section(f"Debriefing: {html.escape(score.scenario)}", verdict + table)]


def standing_words(goal: Standing) -> tuple[str, ...]:
    """A goal as a row of a table."""
    at = "" if goal.at is None else f"{goal.at:.2f} s"
    return (goal.name, f"{100 * goal.score:.0f} %", f"{goal.weight:g}", goal.state, at, goal.note)


def _faults(recording: DrivenRecording) -> list[tuple[str, str, str, str, str]]:
    """Every fault with its injection, what the operator was told first after it, and its end."""

    def seconds(time: float | None) -> str:
        return "" if time is None else f"{time:.2f} s"

    rows = []
    for fault in faults_of(recording):
        noticed = fault["noticed"]
        alarm = f"{seconds(noticed['time'])}: {noticed['text']}" if noticed else ""
        rows.append((fault["name"], seconds(fault["injected"]), fault["by"], alarm, seconds(fault["cleared"])))
    return rows


# --- tables -----------------------------------------------------------------------------------------------------------


def _summary(recording: DrivenRecording) -> list[tuple[str, str]]:
    commands = [entry.command for entry in recording.replay.entries if entry.command is not None]
    alarms = [entry.alarm for entry in recording.replay.entries if entry.alarm is not None]

    def count(*kinds: type) -> str:
        return str(sum(isinstance(command, kinds) for command in commands))

    world = recording.world
    poses = block(recording, "poses").reshape(len(recording.frames), -1, 7)
    paths = np.linalg.norm(np.diff(poses[:, :, :3], axis=0), axis=-1).sum(axis=0)
    moved = [(float(paths[i]), world["bodies"][i]["name"]) for i in world["machines"]]
    return [
        ("inputs given", count(c.Set)),
        ("emergency stops", count(c.Stop)),
        ("drives held", count(c.Hold)),
        ("resets and restored snapshots", count(c.Reset, c.Restore)),
        ("faults injected", count(c.Inject)),
        ("limits hit", str(sum("is at its" in alarm.text for alarm in alarms))),
        ("values out of range", str(sum("clamped" in alarm.text for alarm in alarms))),
        ("alarms in all", str(sum(alarm.level != "info" for alarm in alarms))),
        *((f"path of {name}", f"{length:.2f} m") for length, name in moved if length > 1e-3),
    ]


def _notes(recording: DrivenRecording) -> list[tuple[str, str]]:
    dt = recording.replay.run.header.dt
    entries = recording.replay.entries
    return [(f"{e.tick * dt:.2f} s", e.command.text) for e in entries if isinstance(e.command, c.Note)]


def _alarms(recording: DrivenRecording) -> list[tuple[str, str, str]]:
    dt = recording.replay.run.header.dt
    found = [(e.tick * dt, e.alarm) for e in recording.replay.entries if e.alarm is not None]
    return [(f"{at:.2f} s", alarm.level, alarm.text) for at, alarm in found]


def _commands(recording: DrivenRecording) -> list[tuple[str, str, str, str]]:
    dt = recording.replay.run.header.dt

    def of_day(at: float) -> str:
        return time.strftime("%H:%M:%S", time.localtime(at)) if at else ""

    return [
        (f"{e.tick * dt:.2f} s", of_day(e.at), e.by, words(e.command))
        for e in told(recording.replay.entries)
        if e.command is not None and not isinstance(e.command, c.Note)
    ]


def _table(heads: tuple[str, ...], rows: Sequence[Sequence[str]], classes: bool = False) -> str:
    if not rows:
        return "<p class='muted'>none</p>"
    shown, left = rows[:TABLE_ROWS], len(rows) - TABLE_ROWS
    body = "".join(
        f"<tr{f' class={row[1]}' if classes else ''}>"
        + "".join(f"<td>{html.escape(cell)}</td>" for cell in row)
        + "</tr>"
        for row in shown
    )
    more = f"<p class='muted'>and {left} more, in the log</p>" if left > 0 else ""
    return f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{body}</table>{more}"


def _section(title: str, content: str) -> str:
    return f"<h2>{title}</h2>{content}"


# --- pictures ---------------------------------------------------------------------------------------------------------


def _plot_inputs(recording: DrivenRecording) -> Figure | None:
    names = [f"{given['name']} [{given['unit']}]" for given in recording.world["inputs"]]
    return _stacked(recording, block(recording, "inputs"), names)


def _plot_motion(recording: DrivenRecording) -> Figure | None:
    channels = recording.world["layout"]["channels"]
    chosen = [i for i, channel in enumerate(channels) if channel["group"] == "joints"][:PLOTTED]
    values = block(recording, "channels")[:, chosen]
    return _stacked(recording, values, [f"{channels[i]['name']} [{channels[i]['unit']}]" for i in chosen])


def _stacked(recording: DrivenRecording, values: Array, names: list[str]) -> Figure | None:
    from matplotlib.figure import Figure

    moving = [i for i in range(values.shape[1]) if np.ptp(values[:, i]) > 0] or list(range(min(1, len(names))))
    moving = moving[:PLOTTED]
    if not moving:
        return None
    figure = Figure(figsize=(9, 0.5 + 1.3 * len(moving)), layout="constrained")
    axes = figure.subplots(len(moving), 1, sharex=True, squeeze=False)[:, 0]
    times = np.arange(len(values)) * recording.every
    for axis, i in zip(axes, moving, strict=True):
        axis.plot(times, values[:, i], linewidth=1.2)
        axis.set_title(names[i], fontsize=9, loc="left")
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel("time of the run, s")
    return figure


def _plot_paths(recording: DrivenRecording) -> Figure | None:
    from matplotlib.figure import Figure

    poses = block(recording, "poses").reshape(len(recording.frames), -1, 7)
    travel = np.ptp(poses[:, :, :2], axis=0).max(axis=-1) if poses.shape[1] else np.zeros(0)
    chosen = [i for i in recording.world["machines"] if travel[i] > 1e-3][:PLOTTED]
    if not chosen:
        return None
    figure = Figure(figsize=(6, 5), layout="constrained")
    axis = figure.subplots()
    for i in chosen:
        axis.plot(poses[:, i, 0], poses[:, i, 1], linewidth=1.2, label=recording.world["bodies"][i]["name"])
    axis.set_aspect("equal", "datalim")
    axis.set_xlabel("x, m")
    axis.set_ylabel("y, m")
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)
    return figure


def _picture(figure: Figure | None, what: str) -> str:
    if figure is None:
        return "<p class='muted'>nothing moved</p>"
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return f"<img alt='{what}' src='data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}'>"
