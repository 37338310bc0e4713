"""Scenarios: what an operator has to do in a scene, what happens to him meanwhile, and how well he does.

A scenario is data, in a YAML file. The referee looks at the plant every ``EVERY`` steps and keeps the score; what he
sees depends on the steps alone, so a run that is made again from its log has the same score to the bit. What he injects
goes into the log like any other command, with the author ``scenario``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import yaml

from ..errors import SceneError, nearest
from ..scene.values import Plain
from . import commands as c
from .journal import SCENARIO, Run
from .plant import Plant
from .replay import Replay

EVERY = 10  # steps between two looks
AUTHOR = "scenario"
FOLDER = Path(__file__).parents[1] / "scenarios"
PENALTY = 0.5  # of a goal's score, for every touch beyond those allowed
PRESSES = 1.0  # N from which on a contact counts as a touch
Pair = tuple[float, float]


class Goal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """Base of all goals: a ``name``, and the ``weight`` of its score. A ``required`` one has to be reached to pass."""

    name: str
    weight: float = 1.0
    required: bool = False


class Reach(Goal, frozen=True, kw_only=True, tag="reach"):
    """The middle of a ``body`` comes within ``radius`` (m) of ``at`` (m, from above), ``before`` a time (s)."""

    body: str
    at: Pair
    radius: float
    before: float | None = None


class Attain(Goal, frozen=True, kw_only=True, tag="attain"):
    """A ``signal`` comes to ``value`` or beyond, ``before`` a time (s)."""

    signal: str
    value: float
    before: float | None = None


class Stay(Goal, frozen=True, kw_only=True, tag="stay"):
    """A ``signal`` stays below ``limit``. Its score falls to nothing over ``allowed`` seconds above it."""

    signal: str
    limit: float
    allowed: float = 2.0


class Avoid(Goal, frozen=True, kw_only=True, tag="avoid"):
    """No touch of ``bodies`` by anything that moves, but for ``allowed`` ones."""

    bodies: tuple[str, ...]
    allowed: int = 0


AnyGoal = Reach | Attain | Stay | Avoid


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that happens ``at`` a time (s), or when a goal was reached (``after`` its name) and ``delay`` s later:
    a fault is injected under a ``name``, one is cleared, a ``message`` is shown."""

    at: float | None = None
    after: str | None = None
    delay: float = 0.0
    name: str = ""
    inject: Plain | None = None
    clear: str | None = None
    message: str | None = None


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``scene`` is a robot or an example by name. It ends after ``time`` (s), or when everything that can be reached
    has been; ``pass_at`` is the share of the score that it takes to pass."""

    name: str
    scene: str
    time: float
    briefing: str = ""
    goals: tuple[AnyGoal, ...]
    events: tuple[Event, ...] = ()
    pass_at: float = 0.8


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
    if path.suffix not in (".yaml", ".yml"):
        known = sorted(file.stem for file in FOLDER.glob("*.yaml"))
        if str(what) not in known:
            raise SceneError(f"there is no scenario '{what}'{nearest(str(what), known)}; give a name or a .yaml file")
        path = FOLDER / f"{what}.yaml"
    try:
        made = msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")), Scenario)
    except OSError as error:
        raise SceneError(f"'{path}' cannot be read ({error.strerror}); give the path of a scenario") from None
    except (yaml.YAMLError, msgspec.MsgspecError) as error:
        raise SceneError(f"{path}: {error}") from None
    names = [goal.name for goal in made.goals]
    for event in made.events:
        if (event.at is None) == (event.after is None):
            raise SceneError(f"{path}: an event needs a time, 'at', or the name of a goal, 'after'; give one of them")
        if event.after is not None and event.after not in names:
            raise SceneError(
                f"{path}: an event is after '{event.after}', which is no goal{nearest(event.after, names)}"
            )
    return made


def referee_of(run: Run, plant: Plant) -> Referee | None:
    """The referee of a run; None where it has no scenario."""
    file = run.folder / SCENARIO
    return Referee(load_scenario(file), plant) if file.is_file() else None


def score_of(run: Run, progress: Callable[[int, int], object] | None = None, source: str | None = None) -> Score:
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
        for goal in scenario.goals:
            self._check(goal)
        self._begin()

    def _check(self, goal: AnyGoal) -> None:
        named = (goal.body,) if isinstance(goal, Reach) else goal.bodies if isinstance(goal, Avoid) else ()
        for body in named:
            if body not in self._bodies:
                raise SceneError(f"goal '{goal.name}': there is no body '{body}'{nearest(body, self._bodies)}")
        signal = getattr(goal, "signal", None)
        if signal is not None and signal not in self._signals:
            raise SceneError(f"goal '{goal.name}': there is no signal '{signal}'{nearest(signal, self._signals)}")

    def _begin(self) -> None:
        self._standings = {
            goal.name: Standing(
                name=goal.name,
                kind=str(goal.__struct_config__.tag),
                weight=goal.weight,
                score=0.0 if isinstance(goal, (Reach, Attain)) else 1.0,
                state="open",
            )
            for goal in self.scenario.goals
        }
        self._above = dict.fromkeys(self._standings, 0.0)  # s over a limit
        self._touches = dict.fromkeys(self._standings, 0)
        self._touching = dict.fromkeys(self._standings, False)
        self._happened: set[int] = set()
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
                standing.score = max(0.0, 1.0 - self._above[goal.name] / goal.allowed)
                standing.note = f"above {goal.limit:g} for {self._above[goal.name]:.2f} s"
                standing.state = "failed" if standing.score == 0.0 else "open"
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
            standing.score = min(1.0, max(0.0, 1.0 - PENALTY * beyond))
            standing.state = "failed" if beyond > 0 else "open"
            standing.note = f"touched {self._touches[goal.name]} times, last: {hit[0]}"
            self._mark(standing, now)
        self._touching[goal.name] = bool(hit)

    def _finish(self, now: float) -> None:
        wanted = [self._standings[goal.name] for goal in self.scenario.goals if isinstance(goal, (Reach, Attain))]
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
            begun = event.at if event.after is None else self._standings[event.after].at
            if i in self._happened or begun is None or now < begun + event.delay:
                continue
            self._happened.add(i)
            if event.message is not None:
                found.append(event.message)
            if event.inject is not None:
                found.append(c.Inject(event.name or f"event {i + 1}", event.inject))
            if event.clear is not None:
                found.append(c.Clear(event.clear))
        return found

    @property
    def score(self) -> Score:
        """As it stands."""
        standings = list(self._standings.values())
        whole = sum(standing.weight for standing in standings)
        total = sum(standing.weight * standing.score for standing in standings) / whole if whole else 0.0
        required = [self._standings[goal.name].score > 0 for goal in self.scenario.goals if goal.required]
        passed = self.finished and total >= self.scenario.pass_at and all(required)
        return Score(self.scenario.name, [msgspec.structs.replace(s) for s in standings], total, self.finished, passed)
