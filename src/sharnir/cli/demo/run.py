"""Running the examples, each with its plots, data and replay, in as many processes as there is use for."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import ControlFault, SceneError, SimulationFault
from ...experiment import Experiment, Figure, list_examples, load_example
from ...record.trajectory import Trajectory
from ..terminal import aim, rounded

MOST_PROCESSES = 2  # each compiles and holds kernels of its own


@dataclass
class Made:
    """What a run of one example left: figures and, in the folder, files by their names."""

    name: str
    title: str
    figures: list[Figure] = field(default_factory=list)
    plots: list[str] = field(default_factory=list)
    replay: str = ""
    seconds: float = 0.0
    failure: str = ""

    @property
    def ok(self) -> bool:
        """Whether it ran, and every figure is what it should be."""
        return not self.failure and all(figure.ok is not False for figure in self.figures)

    @property
    def papers(self) -> list[str]:
        """The papers that the example reproduces."""
        return sorted({figure.paper for figure in self.figures if figure.paper})


def make_all(names: Iterable[str], folder: Path) -> Iterator[Made]:
    """Run examples by name and yield what each left, in the order of the names."""
    folder.mkdir(parents=True, exist_ok=True)
    names = list(names)
    processes = min(MOST_PROCESSES, os.cpu_count() or 1, len(names))
    if processes < 2:
        yield from (make(name, folder) for name in names)
        return
    fresh = multiprocessing.get_context("spawn")  # Warp's threads do not survive a fork
    with ProcessPoolExecutor(processes, mp_context=fresh) as pool:
        yield from pool.map(make, names, [folder] * len(names))


def make(name: str, folder: Path) -> Made:
    """Run one example; a failure is told, not raised, so that the others go on."""
    made, begun = Made(name, list_examples()[name]), time.perf_counter()
    try:
        experiment = load_example(name)
        run = experiment.run()
        made.figures = experiment.report(run)
        made.plots = [file.name for file in experiment.save_plots(run, folder / name)]
        run.save(folder / f"{name}.nc")
        made.replay = _write_replay(experiment, run, made, folder)
    except (SceneError, SimulationFault, ControlFault) as error:
        made.failure = str(error)
    made.seconds = time.perf_counter() - begun
    return made


def _write_replay(experiment: Experiment, run: Trajectory, made: Made, folder: Path) -> str:
    """The replay as one HTML file with the figures beside it; nothing where the view is not installed."""
    try:
        from ...view.export_html import write_html
    except ImportError:
        return ""
    from ...view.recording import recording_of

    end = float(run.time[-1])
    told = [{"time": end, "level": "info" if f.ok is not False else "alarm", "text": _words(f)} for f in made.figures]
    plotted = [quantity.label for plot in experiment.plots for quantity in plot]
    recording = recording_of(experiment.scene, run.world(0), plotted, told)
    return write_html(recording, folder / f"{made.name}.html").name


def _words(figure: Figure) -> str:
    """A figure in one line."""
    wanted = f" (should be {aim(figure)})" if figure.ok is not None else ""
    return f"{figure.name}: {rounded(figure.value, figure.tolerance)} {figure.unit}{wanted}"
