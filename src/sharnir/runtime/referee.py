"""The referee of a scenario (:mod:`sharnir.control.scenario`): he looks at the plant and keeps the score.

He looks every ``EVERY`` steps; what he sees depends on the steps alone, so a run that is made again from its log has
the same score to the bit. What he injects goes into the log like any other command, with the author ``scenario``.

What is to be kept (a speed, a distance from posts) counts as far as the rest has been reached: whoever gives up at once
has touched nothing, and has earned nothing by it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np

from ..control.scenario import AnyGoal, Attain, Avoid, Event, Reach, Scenario, Start, Stay
from ..errors import SceneError, nearest
from ..files.scene_file import read_typed
from ..files.text import write_yaml
from ..files.typed import to_plain, to_typed
from ..scene.placing import put_machine
from ..scene.scene import Scene
from . import commands as c
from .control import diagram_of
from .journal import SCENARIO, LoggedRun
from .plant import Plant
from .replay import Replay

EVERY = 10  # steps between two looks
AUTHOR = "scenario"
FOLDER = Path(__file__).parents[1] / "scenarios"
PENALTY = 0.5  # of a goal's score, for every touch beyond those allowed
PRESSES = 1.0  # N from which on a contact counts as a touch
FILES = (".yaml", ".yml", ".json")


class Standing(msgspec.Struct, kw_only=True):
    """How far a goal has come. ``state`` is "open", "reached" or "failed"."""

    name: str
    kind: str
    weight: float
    score: float
    state: str
    at: float | None = None  # s, simulated
    tick: int | None = None  # of the run, at that time
    note: str = ""


class Score(msgspec.Struct, frozen=True):
    """All goals, the share of the score reached, and whether that passes."""

    scenario: str
    goals: list[Standing]
    total: float
    finished: bool
    passed: bool


def load_scenario(what: str | Path) -> Scenario:
    """A scenario from a file, or one that ships by its name."""
    path = Path(what)
    if path.suffix not in FILES:
        known = sorted(file.stem for file in FOLDER.glob("*.yaml"))
        if str(what) not in known:
            raise SceneError(f"there is no scenario '{what}'{nearest(str(what), known)}; give a name or a .yaml file")
        path = FOLDER / f"{what}.yaml"
    made: Scenario = read_typed(path, lambda data: to_typed(Scenario, data))
    return made


def keep_scenario(scenario: Scenario, run: LoggedRun) -> None:
    """Write a scenario beside the log of a run."""
    (run.folder / SCENARIO).write_text(write_yaml(to_plain(scenario)), encoding="utf-8")


def bring_to_start(scene: Scene, start: Start) -> None:
    """Let a scene start in the state that a scenario gives. It is the same when it is done again."""
    scene.pose(dict(start.coordinates.items()), dict(start.speeds.items()))
    for name, place in start.places.items():
        put_machine(scene, name, place.position, place.heading)
    diagram = diagram_of(scene)
    for name, value in start.inputs.items():
        if name not in diagram.inputs:
            raise SceneError(f"start: there is no input '{name}'{nearest(name, diagram.inputs)}")
        try:
            diagram.inputs[name] = msgspec.structs.replace(diagram.inputs[name], initial=value)
        except SceneError as error:
            raise SceneError(f"start: '{name}': {error}") from None
    scene.diagram = diagram


def referee_of(run: LoggedRun, plant: Plant) -> Referee | None:
    """The referee of a run; None where it has no scenario."""
    file = run.folder / SCENARIO
    return Referee(load_scenario(file), plant) if file.is_file() else None


def score_of(run: LoggedRun, progress: Callable[[int, int], object] | None = None, source: str | None = None) -> Score:
    """The score of a run, from its log."""
    replay = Replay(run, source)
    referee = referee_of(run, replay.plant)
    if referee is None:
        raise SceneError(f"'{run.folder}' was driven without a scenario; there is nothing to score")
    replay.after_step = referee.look
    for plant in replay:
        if progress is not None and plant.tick % 100 == 0:
            progress(plant.tick, max(replay.ticks, 1))
    return referee.score


class Referee:
    """Looks at a plant and keeps the score of a scenario."""

    def __init__(self, scenario: Scenario, plant: Plant) -> None:
        self.scenario, self._plant = scenario, plant
        self._bodies = {name: i + 1 for i, name in enumerate(plant.scene.bodies)}  # the world is the first
        self._signals = {channel.name: i for i, channel in enumerate(plant.channels.list)}
        self._values = np.zeros(len(plant.channels.list))
        self._dt = plant.simulation.dt
        scenario.check(plant.scene)
        named = {f"goal '{goal.name}'": goal.signal for goal in scenario.goals if isinstance(goal, (Attain, Stay))}
        named |= {f"event {i + 1}": event.signal for i, event in enumerate(scenario.events) if event.signal is not None}
        for what, signal in named.items():
            if signal not in self._signals:
                raise SceneError(f"{what}: there is no signal '{signal}'{nearest(signal, self._signals)}")
        self._begin()

    def _begin(self) -> None:
        self._standings = {
            goal.name: Standing(
                name=goal.name,
                kind=str(goal.__struct_config__.tag),
                weight=goal.weight,
                score=0.0,
                state="open",
            )
            for goal in self.scenario.goals
        }
        self._wanted = [self._standings[goal.name] for goal in self.scenario.goals if isinstance(goal, (Reach, Attain))]
        self._kept = {goal.name: 1.0 for goal in self.scenario.goals if isinstance(goal, (Stay, Avoid))}
        self._above = dict.fromkeys(self._standings, 0.0)  # s over a limit
        self._touches = dict.fromkeys(self._standings, 0)
        self._touching = dict.fromkeys(self._standings, False)
        self._happened: set[int] = set()
        self._met: dict[int, float] = {}  # when the condition of an event was first met (s)
        self._last, self.finished = -1.0, False

    def look(self) -> list[c.Command | str]:
        """After a step: keep the score; returns the commands and messages that are due."""
        plant = self._plant
        if plant.tick % EVERY:
            return []
        now = plant.simulation.time
        if now < self._last:  # reset, or an earlier snapshot restored
            self._begin()
        self._last = now
        if not self.finished:
            plant.channels.read(self._values)
            touched = self._touched()
            for goal in self.scenario.goals:
                self._judge(goal, self._standings[goal.name], now, touched)
            self._finish(now)
            self._count_kept(now)
        return self._due(now)

    # --- goals ------------------------------------------------------------------------------------------------------

    def _judge(self, goal: AnyGoal, standing: Standing, now: float, touched: set[str]) -> None:
        if isinstance(goal, (Reach, Attain)):
            if standing.state == "open" and self._is_there(goal):
                standing.state, standing.score = "reached", 1.0
                self._mark(standing, now)
            elif standing.state == "open" and goal.before is not None and now > goal.before:
                standing.state, standing.note = "failed", f"not within {goal.before:g} s"
                standing.tick = self._plant.tick
        elif isinstance(goal, Stay):
            value = float(self._values[self._signals[goal.signal]])
            if value > goal.limit:
                self._above[goal.name] += EVERY * self._dt
                self._kept[goal.name] = max(0.0, 1.0 - self._above[goal.name] / goal.allowed)
                standing.note = f"above {goal.limit:g} for {self._above[goal.name]:.2f} s"
                standing.state = "failed" if self._kept[goal.name] == 0.0 else "open"
                if standing.at is None:
                    self._mark(standing, now)
        else:
            self._count_touches(goal, standing, now, touched)

    def _mark(self, standing: Standing, now: float) -> None:
        standing.at, standing.tick = now, self._plant.tick

    def _is_there(self, goal: Reach | Attain) -> bool:
        if isinstance(goal, Attain):
            return float(self._values[self._signals[goal.signal]]) >= goal.value
        position = self._plant.channels.now[0].position[self._bodies[goal.body]]
        return float(np.hypot(*(position[:2] - np.asarray(goal.at)))) <= goal.radius

    def _touched(self) -> set[str]:
        """The bodies that something presses against."""
        if not any(isinstance(goal, Avoid) for goal in self.scenario.goals):
            return set()
        pressing = [t for t in self._plant.simulation.contacts() if np.linalg.norm(t.force) > PRESSES]
        return {name for touch in pressing for name in (touch.a, touch.b)}

    def _count_touches(self, goal: Avoid, standing: Standing, now: float, touched: set[str]) -> None:
        hit = sorted(touched.intersection(goal.bodies))
        if hit and not self._touching[goal.name]:
            self._touches[goal.name] += 1
            beyond = self._touches[goal.name] - goal.allowed
            self._kept[goal.name] = min(1.0, max(0.0, 1.0 - PENALTY * beyond))
            standing.state = "failed" if beyond > 0 else "open"
            standing.note = f"touched {self._touches[goal.name]} times, last: {hit[0]}"
            self._mark(standing, now)
        self._touching[goal.name] = bool(hit)

    def _count_kept(self, now: float) -> None:
        """What is to be kept counts as far as the rest has been reached; where there is no rest, as time goes by."""
        whole = sum(standing.weight for standing in self._wanted)
        reached = sum(standing.weight * standing.score for standing in self._wanted)
        done = reached / whole if whole else min(now / self.scenario.time, 1.0)
        for name, share in self._kept.items():
            self._standings[name].score = done * share

    def _finish(self, now: float) -> None:
        wanted = self._wanted
        if now >= self.scenario.time or (wanted and all(standing.state != "open" for standing in wanted)):
            self.finished = True
            for standing in self._standings.values():
                if standing.state == "open":
                    kept = standing.kind in ("stay", "avoid")
                    standing.state = "reached" if kept else "failed"
                    standing.note = standing.note or ("" if kept else "not reached")

    # --- events and score -------------------------------------------------------------------------------------------

    def _due(self, now: float) -> list[c.Command | str]:
        found: list[c.Command | str] = []
        for i, event in enumerate(self.scenario.events):
            begun = self._begun(i, event, now)
            if i in self._happened or begun is None or now < begun + event.delay:
                continue
            self._happened.add(i)
            if event.message is not None:
                found.append(event.message)
            if event.inject is not None:
                found.append(c.Inject(event.name or f"event {i + 1}", to_plain(event.inject)))
            if event.clear is not None:
                found.append(c.Clear(event.clear))
        return found

    def _begun(self, i: int, event: Event, now: float) -> float | None:
        """When the condition of an event was met (s); None before that."""
        if event.after is not None:
            return self._standings[event.after].at
        if event.signal is None:
            return event.at
        value = float(self._values[self._signals[event.signal]])
        above, below = event.above, event.below
        if (above is not None and value > above) or (below is not None and value < below):
            self._met.setdefault(i, now)
        return self._met.get(i)

    @property
    def score(self) -> Score:
        """As it stands."""
        standings = list(self._standings.values())
        whole = sum(standing.weight for standing in standings)
        total = sum(standing.weight * standing.score for standing in standings) / whole if whole else 0.0
        required = [self._standings[goal.name].score > 0 for goal in self.scenario.goals if goal.required]
        passed = self.finished and total >= self.scenario.pass_at and all(required)
        return Score(self.scenario.name, [msgspec.structs.replace(s) for s in standings], total, self.finished, passed)
