"""What can be driven, and how a run of it begins: robots, examples, scene files, scenarios and past runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import SceneError, nearest
from ..experiment import Experiment, examples_folder, list_examples, load_example
from ..runtime.journal import SCENARIO, Run, create_run
from ..runtime.scenario import FOLDER, load_scenario
from ..scene.scene import Scene
from ..scene.values import Plain
from .robots import ROBOTS

Find = Callable[[str], Experiment]  # an experiment by what the user named
NOT_OF_A_RUN = ("worlds", "fault_folder")


@dataclass(frozen=True)
class Choice:
    """A scene to be driven: with its step (s), its settings, the Python file of its functions, and its scenario's."""

    scene: Scene
    dt: float
    settings: Plain = field(default_factory=dict)
    source: str | None = None
    scenario: Path | None = None

    def begin(self, runs: Path) -> Run:
        """A new run of it, in a folder of its own."""
        settings = {name: value for name, value in self.settings.items() if name not in NOT_OF_A_RUN}
        run = create_run(self.scene, self.dt, settings, runs)
        if self.scenario is not None:
            (run.folder / SCENARIO).write_bytes(self.scenario.read_bytes())
        return run


def chosen(what: str, find: Find = load_example, scenario: Path | None = None) -> Choice:
    """A robot, an example or a file by what the user named."""
    experiment = ROBOTS[what]() if what in ROBOTS else _found(what, find)
    diagram = experiment.scene.diagram
    source = _source(what) if diagram is not None and diagram.functions else None
    return Choice(experiment.scene, experiment.dt, experiment.settings, source, scenario)


def with_scenario(what: str, find: Find = load_example, scene: str | None = None) -> Choice:
    """The scene that a scenario names, or another ``scene``, with the scenario."""
    file = Path(what) if Path(what).suffix else FOLDER / f"{what}.yaml"
    return chosen(scene or load_scenario(what).scene, find, file)


def of_run(folder: Path, source: str | None = None) -> Choice:
    """The scene of a run, once more."""
    run = Run(folder)
    scenario = folder / SCENARIO
    scene = run.scene(source)
    return Choice(scene, run.header.dt, run.header.settings, source, scenario if scenario.is_file() else None)


def _found(name: str, find: Find) -> Experiment:
    """An example or a file; a name that is neither is told with the robots and examples that are like it."""
    known = (*ROBOTS, *list_examples())
    if Path(name).suffix or name.replace("-", "_") in known:
        return find(name)
    raise SceneError(f"there is no robot or example '{name}'{nearest(name, known)}; see 'sharnir list'")


def _source(what: str) -> str:
    """The Python file of an experiment or an example."""
    return what if what.endswith(".py") else str(examples_folder() / f"{what.replace('-', '_')}.py")
