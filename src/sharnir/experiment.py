"""Experiments: a scene, how it is driven, and the figures that come out; each file in ``examples/`` holds one."""

from __future__ import annotations

import ast
import importlib.util
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import SceneError, nearest
from .scene.joint import Joint
from .scene.quantity import Quantity
from .scene.scene import Scene
from .scene.values import Plain

if TYPE_CHECKING:
    from .record.charts import Chart
    from .record.trajectory import Trajectory
    from .simulation.simulation import Simulation

Inputs = Mapping[Joint | Quantity, float | Callable[[float], float]]
Progress = Callable[[int, int], None]

JOINTS_SHOWN = 8  # a scene without figures of its own shows this many


@dataclass(frozen=True)
class Figure:
    """A number that a run is about: ``name``, ``value`` in a ``unit`` and, where it is known, what it should be.

    What it should be, in the same unit, is ``expected`` within ``tolerance``, or a bound ``at_least``, ``at_most``.
    ``paper`` is the number of the paper that the figure reproduces; where ``printed``, what it should be stands in
    print there, and else it is derived. ``note`` is what a reader of it should know.
    """

    name: str
    value: float
    unit: str = ""
    expected: float | None = None
    tolerance: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    paper: str = ""
    note: str = ""
    printed: bool = False

    @property
    def difference(self) -> float | None:
        """How far the value is from the expected one, or from the nearer bound, in the figure's unit."""
        aims = [aim for aim in (self.expected, self.at_least, self.at_most) if aim is not None]
        return min((self.value - aim for aim in aims), key=abs) if aims else None

    @property
    def ok(self) -> bool | None:
        """Whether the value is as expected; None where nothing is expected."""
        judged = []
        if self.expected is not None and self.tolerance is not None:
            judged.append(abs(self.value - self.expected) <= self.tolerance)
        if self.at_least is not None:
            judged.append(self.value >= self.at_least)
        if self.at_most is not None:
            judged.append(self.value <= self.at_most)
        return all(map(bool, judged)) if judged else None

    def as_dict(self) -> Plain:
        """The figure for a JSON file; a value that is not finite becomes None."""
        value = float(self.value) if math.isfinite(self.value) else None
        given = {name: getattr(self, name) for name in ("expected", "tolerance", "at_least", "at_most")}
        stated: Plain = {name: float(number) for name, number in given.items() if number is not None}
        if stated:
            stated["ok"] = self.ok
        words = {name: text for name, text in (("paper", self.paper), ("note", self.note)) if text}
        return {"name": self.name, "value": value, "unit": self.unit} | stated | words


@dataclass
class Experiment:
    """A ``scene``, the ``time`` (s) and the step ``dt`` (s) it runs with, what drives it, and what to show of the run.

    ``torque``, ``force``, ``voltage``, ``target``, ``motion`` and ``command`` are the inputs of ``Simulation.run``,
    ``before_step`` a function that it calls with the simulation before every step; ``settings`` are further arguments
    of ``Simulation``.
    Each entry of ``plots`` is one picture; ``charts`` makes further ones from the run, such as a paper's figures.
    ``figures`` reads the numbers of interest from the run of one world.
    """

    scene: Scene
    time: float
    dt: float = 0.005
    torque: Inputs = field(default_factory=dict)
    force: Inputs = field(default_factory=dict)
    voltage: Inputs = field(default_factory=dict)
    target: Inputs = field(default_factory=dict)
    motion: Inputs = field(default_factory=dict)
    command: Inputs = field(default_factory=dict)
    before_step: Callable[[Simulation], None] | None = None
    settings: Plain = field(default_factory=dict)
    plots: Sequence[tuple[Quantity, ...]] = ()
    charts: Callable[[Trajectory], list[Chart]] | None = None
    figures: Callable[[Trajectory], list[Figure]] | None = None

    def run(self, progress: Progress | None = None) -> Trajectory:
        """Simulate, and return the trajectory; ``progress`` is called with the steps done and the steps in all."""
        from .simulation.simulation import Simulation

        simulation = Simulation(self.scene, dt=self.dt, **self.settings)
        return simulation.run(self.time, **self.inputs, before_step=self.before_step, progress=progress)

    @property
    def inputs(self) -> Plain:
        """What drives the run, by the words of ``Simulation.run``."""
        given = {"torque": self.torque, "force": self.force, "voltage": self.voltage, "target": self.target}
        others = {"motion": self.motion, "command": self.command}
        return given | {word: inputs for word, inputs in others.items() if inputs}

    def report(self, run: Trajectory) -> list[Figure]:
        """The figures of a run; of several worlds, those of the first."""
        first = run.world(0)
        if self.figures is None:
            return general_figures(self.scene, first)
        try:
            return self.figures(first)
        except (IndexError, ValueError) as error:  # what they look for did not happen yet
            raise SceneError(
                f"the figures of '{self.scene.name}' cannot be read from a run of {run.time[-1]:g} s ({error}); "
                f"the experiment takes {self.time:g} s or more"
            ) from error

    def save_plots(self, run: Trajectory, stem: Path) -> list[Path]:
        """Draw the plots of a ``run`` into ``stem.png``, or ``stem-1.png`` and so on; charts have their own names."""
        charts = [] if self.charts is None else self.charts(run.world(0))
        plots = self.plots or ([] if charts else general_plots(self.scene))
        names = [f"{stem.name}.png"] if len(plots) == 1 else [f"{stem.name}-{i}.png" for i in range(1, len(plots) + 1)]
        files = [stem.with_name(name) for name in names]
        for quantities, file in zip(plots, files, strict=True):
            run.plot(*quantities, file=file)
        return files + [chart.save(stem.with_name(f"{stem.name}-{chart.name}.png")) for chart in charts]

    def show(self) -> None:
        """Simulate and print the table of figures."""
        from .cli.progress import progress_bar
        from .cli.terminal import print_figures

        with progress_bar(self.scene.name) as progress:
            run = self.run(progress)
        print_figures(self.scene.name, self.report(run))


def general_figures(scene: Scene, run: Trajectory) -> list[Figure]:
    """What can be said of any run: where the joints ended, how well they held, what became of the energy."""
    figures = []
    for joint in list(scene.joints.values())[:JOINTS_SHOWN]:
        for coordinate in joint.type.coordinates:
            quantity = joint.coordinate(coordinate.name)
            figures.append(Figure(f"{quantity.label} at the end", float(run[quantity][-1]), quantity.unit))
    if scene.joints:
        figures.append(Figure("largest gap in a joint", float(run.data["gap"].max()), "m"))
    energy = run[scene.energy]
    figures.append(Figure("energy at the start", float(energy[0]), "J"))
    figures.append(Figure("energy at the end", float(energy[-1]), "J"))
    return figures


def general_plots(scene: Scene) -> list[tuple[Quantity, ...]]:
    """What to draw of any scene: joint coordinates and their rates, or bodies where there are no joints."""
    axes = [(j, c.name) for j in scene.joints.values() for c in j.type.coordinates][:JOINTS_SHOWN]
    if axes:
        return [tuple(j.coordinate(name) for j, name in axes) + tuple(j.rate(name) for j, name in axes)]
    bodies = list(scene.bodies.values())[:JOINTS_SHOWN]
    return [tuple(body.position for body in bodies) + tuple(body.velocity for body in bodies)]


# --- the examples -----------------------------------------------------------------------------------------------------


def examples_folder() -> Path:
    """Where the examples lie: inside an installed package, or at the top of a checkout."""
    here = Path(__file__).resolve().parent
    installed = here / "examples"
    return installed if installed.is_dir() else here.parents[1] / "examples"


def list_examples() -> dict[str, str]:
    """The names of the examples with their titles: the first line of each file's docstring."""
    return {file.stem: _title(file) for file in sorted(examples_folder().glob("*.py"))}


def load_example(name: str) -> Experiment:
    """An example by name, ready to run."""
    known = list_examples()
    name = name.replace("-", "_")
    if name not in known:
        raise SceneError(f"there is no example '{name}'{nearest(name, known)} ('sharnir list' shows them)")
    return load_experiment(examples_folder() / f"{name}.py")


def load_experiment(file: Path) -> Experiment:
    """The experiment that a Python file makes in its function ``experiment``."""
    spec = importlib.util.spec_from_file_location(f"sharnir_experiment_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise SceneError(f"'{file}' is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, "experiment"):
        raise SceneError(f"'{file}' has no function experiment() that returns a sharnir.Experiment; add one")
    made = module.experiment()
    if not isinstance(made, Experiment):
        raise SceneError(f"experiment() in '{file}' returned {made!r}; it must return a sharnir.Experiment")
    return made


def _title(file: Path) -> str:
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or file.stem
    return text.splitlines()[0].rstrip(".")
