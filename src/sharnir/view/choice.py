"""What can be driven, and how a run of it begins: robots, examples, scene files, scenarios and past runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..control.scenario import Scenario
from ..errors import SceneError, nearest
from ..experiment import Experiment, examples_folder, list_examples, load_example
from ..runtime.journal import SCENARIO, LoggedRun, create_run
from ..runtime.referee import bring_to_start, keep_scenario, load_scenario
from ..runtime.runtime import Runtime
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
    scenario: Scenario | None = None

    def begin(self, runs: Path) -> LoggedRun:
        """A new run of it, in a folder of its own; it starts in the state that the scenario gives."""
        if self.scenario is not None and self.scenario.start is not None:
            bring_to_start(self.scene, self.scenario.start)
        settings = {name: value for name, value in self.settings.items() if name not in NOT_OF_A_RUN}
        run = create_run(self.scene, self.dt, settings, runs)
        if self.scenario is not None:
            keep_scenario(self.scenario, run)
        return run

    def physics(self, runs: Path) -> Runtime:
        """The physics of a new run, on its way; it waits for the first operator."""
        return Runtime(self.begin(runs), paused=True, source=self.source, wait=False)


def chosen(what: str, find: Find = load_example, scenario: Scenario | None = None) -> Choice:
    """A robot, an example or a file by what the user named."""
    experiment = ROBOTS[what]() if what in ROBOTS else _found(what, find)
    diagram = experiment.scene.diagram
    source = _source(what) if diagram is not None and diagram.functions else None
    return Choice(experiment.scene, experiment.dt, experiment.settings, source, scenario)


def with_scenario(what: str, find: Find = load_example, scene: str | None = None) -> Choice:
    """A scenario with the scene that it names, or with another ``scene``, whose own scenarios come first."""
    if scene is not None:
        made = chosen(scene, find)
        own = made.scene.scenarios.get(what)
        return replace(made, scenario=load_scenario(what) if own is None else own)
    scenario = load_scenario(what)
    if not scenario.scene:
        raise SceneError(f"scenario '{what}' names no scene; give one: sharnir drive SCENE --scenario {what}")
    is_file = bool(Path(scenario.scene).suffix)
    if Path(scenario.scene).suffix == ".py":  # a scenario comes from outside: it is read, and nothing of it is run
        raise SceneError(
            f"scenario '{what}' names the program '{scenario.scene}'; name a scene's file, or give it: "
            f"sharnir drive {scenario.scene} --scenario {what}"
        )
    return chosen(str(Path(what).parent / scenario.scene) if is_file else scenario.scene, find, scenario)


def of_run(folder: Path, source: str | None = None) -> Choice:
    """The scene of a run, once more."""
    run = LoggedRun(folder)
    file = folder / SCENARIO
    scenario = load_scenario(file) if file.is_file() else None
    return Choice(run.scene(source), run.header.dt, run.header.settings, source, scenario)


def _found(name: str, find: Find) -> Experiment:
    """An example or a file; a name that is neither is told with the robots and examples that are like it."""
    known = (*ROBOTS, *list_examples())
    if Path(name).suffix or name.replace("-", "_") in known:
        return find(name)
    raise SceneError(f"there is no robot or example '{name}'{nearest(name, known)}; see 'sharnir list'")


def _source(what: str) -> str:
    """The Python file of an experiment or an example."""
    return what if what.endswith(".py") else str(examples_folder() / f"{what.replace('-', '_')}.py")
