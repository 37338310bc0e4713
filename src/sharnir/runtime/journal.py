"""A run on disk: a folder with the scene, and a log of everything the operator did, with the step at which he did it.

    scene.json    the scene as it was simulated
    scenario.yaml what the operator has to do in it, where there is a scenario
    run.jsonl     one JSON object per line: first the header, then entries in order

An entry is a command, an alarm, or a digest of the state; a replay repeats the commands and compares the digests.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ..control.defaults import default_panel
from ..errors import SceneError, nearest
from ..scene.scene import Scene
from ..scene.values import Plain
from .commands import AnyCommand, End
from .control import diagram_of

FORMAT = 2
SCENE, LOG, SCENARIO = "scene.json", "run.jsonl", "scenario.yaml"
NOT_JSON = (msgspec.MsgspecError, UnicodeDecodeError)
MOST_TICKS = 10**8  # days of any machine; a log that says more is damaged
# What a log may set. Not where files go, and not how many worlds: a log comes from outside.
SETTINGS = (
    *("solver", "integrator", "iterations", "epsilon", "erp", "stabilisation_iterations", "warm_start", "budget"),
    *("precision", "device", "threads", "top_speed", "seed", "ignored_warnings", "kernels"),
)


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What a run was made with."""

    sharnir_run: int = FORMAT
    version: str
    name: str
    started: str  # local time, ISO 8601
    dt: float  # s
    settings: Plain = {}


class Alarm(msgspec.Struct, frozen=True):
    """Something to be told. ``level`` is "info", "warning", "alarm", or "fault" for what only an instructor is told."""

    level: str
    text: str
    tick: int = 0
    time: float = 0.0  # s, simulated


class LogEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the log: at which tick and simulated time (s), and one of the things that can happen.

    A command has its author, ``by``, and the time of day, ``at`` (s since 1970).
    """

    tick: int
    time: float
    command: AnyCommand | None = None
    alarm: Alarm | None = None
    digest: str | None = None
    by: str = ""
    at: float = 0.0


class Journal:
    """Writes the log of a run; every entry is on disk at once, so that a crash loses nothing."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / LOG).open("ab", buffering=0)

    def write(self, entry: LogEntry) -> None:
        """Append an entry."""
        self._file.write(msgspec.json.encode(entry) + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class LoggedRun:
    """A run read back: its folder, its header and its entries."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / LOG
        if not path.is_file():
            raise SceneError(f"'{folder}' is not a run: it has no {LOG}; give a folder that 'sharnir drive' has left")
        self._lines = path.read_bytes().splitlines()
        try:
            self.header = msgspec.json.decode(self._lines[0], type=Header)
        except (*NOT_JSON, IndexError) as error:
            raise SceneError(f"{path}, line 1: is not the header of a run ({error})") from None
        if self.header.sharnir_run != FORMAT:
            raise SceneError(f"{path}: format {self.header.sharnir_run}; this version of Sharnir reads {FORMAT}")
        for name in self.header.settings:
            if name not in SETTINGS:
                raise SceneError(f"{path}, line 1: unknown setting '{name}'{nearest(name, SETTINGS)}")

    def scene(self, source: str | None = None) -> Scene:
        """The scene as it was simulated.

        Python functions in its diagram are not in its file. They come from ``source``, the experiment that was driven;
        it is named by whoever runs it and never taken from the log, because it is executed.
        """
        scene = Scene.load(self.folder / SCENE)
        if source is not None and scene.diagram is not None:
            from ..experiment import load_experiment

            driven = load_experiment(Path(source)).scene.diagram
            scene.diagram.functions.update({} if driven is None else driven.functions)
        return scene

    @property
    def settings(self) -> Plain:
        """The settings of its simulation, whose fault files stay with the run."""
        return self.header.settings | {"fault_folder": self.folder}

    @property
    def ended_by(self) -> str | None:
        """Who has ended it; None where nobody has, because the program was closed or died."""
        return next((entry.by for entry in self.entries() if isinstance(entry.command, End)), None)

    def entries(self) -> Iterator[LogEntry]:
        """The entries in order; a last line that was cut off is left out."""
        decoder, before = msgspec.json.Decoder(LogEntry), 0
        for number, line in enumerate(self._lines[1:], start=2):
            try:
                entry = decoder.decode(line)
                if not before <= entry.tick <= MOST_TICKS:
                    raise SceneError(f"{self.folder / LOG}, line {number}: tick {entry.tick} cannot follow {before}")
                before = entry.tick
                yield entry
            except NOT_JSON as error:
                if number == len(self._lines):
                    return
                raise SceneError(f"{self.folder / LOG}, line {number}: {error}") from None


def create_run(scene: Scene, dt: float, settings: Plain, parent: Path) -> LoggedRun:
    """A new folder in ``parent``, named after scene and time, for a run with steps of ``dt`` (s) and ``settings``."""
    from .. import __version__
    from ..simulation.kernel_choice import kernels_for

    stem = "".join(c if c.isalnum() or c in "-_" else "_" for c in scene.name)
    started = time.strftime("%Y%m%d-%H%M%S")
    folder, number = parent / f"{stem}-{started}", 2
    while folder.exists():
        folder, number = parent / f"{stem}-{started}-{number}", number + 1
    folder.mkdir(parents=True)
    scene.diagram = diagram_of(scene)
    if scene.panel is None and scene.report is not None:  # the file does not tell that the robot was imported
        scene.panel = default_panel(scene.diagram, scene)
    scene.save(folder / SCENE)
    settings = settings | {"kernels": kernels_for(scene, settings)}  # a replay takes the same, for the same bits
    when = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    header = Header(version=__version__, name=scene.name, started=when, dt=dt, settings=settings)
    (folder / LOG).write_bytes(msgspec.json.encode(header) + b"\n")
    return LoggedRun(folder)
