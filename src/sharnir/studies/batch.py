"""Points of a study, simulated: those that differ only in what every world can have of its own make one batch."""

from __future__ import annotations

import inspect
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..errors import WARNINGS, ControlFault, SceneError, SimulationWarning
from ..scene.body import Body
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..scene.values import Plain
from ..simulation.inputs import Input, Inputs
from ..spatial import Array
from .address import Address, quantity_named, value_of, with_numbers
from .measures import ONLY_AT_THE_END, SERIES, Signals
from .plan import Drive, Plan, address_of, driven, scene_and_drives
from .slopes import PROBES, SET_BY_QUANTITIES, Line, add_up, compiler, line_of, write_lines

if TYPE_CHECKING:
    from ..record.trajectory import Trajectory
    from ..simulation.simulation import Simulation

# A batch of many worlds gives each warning once for all of them; a study asks for none of those of a single step.
QUIET = tuple(name for name in WARNINGS if name in ("uneven-duration", "scene-changed"))
# Signals that follow from how bodies move; others, such as the force of a spring, are derived from the description.
OF_MOTION = ("coordinate", "rate", "position", "rotation", "velocity", "angular_velocity")
WORTH_THREADS = 512  # worlds of a batch that is looked at after every step: fewer take less time than to wake threads
CHECKED_ONE_BY_ONE = 64  # points of a batch with several numbers on lines, which may exclude each other


@dataclass
class Outcome:
    """What came out of some points: ``values`` by measure, [point] or [point, instant], and why a point has none.

    ``warnings`` are what simulations have warned of, each once.
    """

    values: dict[str, Array]
    reasons: list[str]
    warnings: list[str] = field(default_factory=list)


class Runner:
    """Simulates points of one plan; it keeps the scene between calls.

    ``threads`` share the worlds of a batch; on a GPU (``device``) they mean nothing.
    """

    def __init__(self, plan: Plan, threads: int | None = None, device: str = "cpu") -> None:
        self._plan, self._threads, self._device = plan, threads, device
        self._built = lru_cache(maxsize=8)(self._build)

    def run(self, points: Array) -> Outcome:
        """The outcome of points [point, name]."""
        points = np.atleast_2d(np.asarray(points, float))
        outcome = self._empty(len(points))
        for rows in self._batches(points):
            self._run_rows(points, rows, outcome)
        return outcome

    @cached_property
    def structural(self) -> tuple[int, ...]:
        """The columns of the names that no world can have of its own."""
        return tuple(k for k in self._unset if k not in self.lines)

    @cached_property
    def _unset(self) -> tuple[int, ...]:
        """The columns of the names that no quantity of a simulation sets."""
        scene = scene_and_drives(self._plan, {})[0]
        return tuple(
            k
            for k, name in enumerate(self._plan.names)
            if name in self._plan.arguments
            or (isinstance(found := address_of(self._plan, scene, name), Address) and not found.quantities(scene))
        )

    @cached_property
    def lines(self) -> dict[int, Line]:
        """The columns that lie on a line in arrays of single worlds; they may be measured where bodies move only."""
        scene = scene_and_drives(self._plan, {})[0]
        if any(quantity_named(scene, m.signal)[0].variable not in OF_MOTION for m in self._plan.measures):
            return {}
        compiled = compiler(self._plan.settings)
        found = {}
        for k in self._unset:
            start = self._start(k)
            if self._drives(k, PROBES[0] * (start or 1.0)) != self._drives(k, PROBES[1] * (start or 1.0)):
                continue  # an argument that changes the inputs
            line = line_of(lambda value, k=k: self._scene_with({k: value}), start, compiled)  # type: ignore[misc]
            if line is not None and not (line.fields & SET_BY_QUANTITIES and len(self._unset) < len(self._plan.names)):
                found[k] = line
        others = {k: PROBES[1] * (self._start(k) or 1.0) for k in self._unset if k not in found}
        return found if add_up(found, lambda given: compiled(self._scene_with(others | given))) else {}

    def _start(self, column: int) -> float:
        """The value of a number as the scene has it."""
        name = self._plan.names[column]
        if name in self._plan.arguments:
            assert self._plan.factory is not None
            return float(inspect.signature(self._plan.factory).parameters[name].default)
        scene = scene_and_drives(self._plan, {})[0]
        found = address_of(self._plan, scene, name)
        return value_of(scene, found) or 0.0 if isinstance(found, Address) else 0.0

    def _drives(self, column: int, value: float) -> list[bytes]:
        """The inputs with a value of a number, to be compared; none where the scene refuses it."""
        try:
            made = self._made({self._plan.names[column]: value})[1]
        except SceneError:
            return []
        return [np.asarray(drive.values, float).tobytes() for drive in made]

    def _scene_with(self, numbers: Mapping[int, float]) -> Scene:
        """The scene with some of the numbers that no quantity sets."""
        return self._made({self._plan.names[k]: value for k, value in numbers.items()})[0]

    def _empty(self, count: int) -> Outcome:
        instants = len(self._plan.instants)
        shapes = {m.name: (count, instants) if m.reduction == SERIES else (count,) for m in self._plan.measures}
        return Outcome({name: np.full(shape, np.nan) for name, shape in shapes.items()}, [""] * count)

    def _batches(self, points: Array) -> list[Array]:
        """Places of the points that share one structure."""
        columns = list(self.structural)
        if not columns:
            return [np.arange(len(points))]
        _, group = np.unique(points[:, columns], axis=0, return_inverse=True)
        return [np.flatnonzero(group.ravel() == k) for k in range(int(group.max()) + 1)]

    def _run_rows(self, points: Array, rows: Array, outcome: Outcome) -> None:
        """One batch; where a point is refused the others are made without it."""
        try:
            values, reasons, warned = self._simulate(points[rows])
        except (SceneError, ControlFault) as error:
            if len(rows) == 1:
                outcome.reasons[rows[0]] = " ".join(str(error).split())
                return
            for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
                self._run_rows(points, half, outcome)
            return
        for name, found in values.items():
            outcome.values[name][rows] = found
        for row, reason in zip(rows, reasons, strict=True):
            outcome.reasons[row] = reason
        outcome.warnings += [text for text in warned if text not in outcome.warnings]

    def scene(self, point: Array) -> tuple[Scene, tuple[Drive, ...]]:
        """The scene of a point and its inputs, without what is set world by world."""
        return self._built(tuple(float(point[k]) for k in self.structural))

    def _build(self, structure: tuple[float, ...]) -> tuple[Scene, tuple[Drive, ...]]:
        """The scene with what is the same in all worlds of a batch, and what lies on a line at its start."""
        given = {self._plan.names[k]: value for k, value in zip(self.structural, structure, strict=True)}
        return self._made(given | {self._plan.names[k]: line.at for k, line in self.lines.items()})

    def _made(self, given: Mapping[str, float]) -> tuple[Scene, tuple[Drive, ...]]:
        scene, drives = scene_and_drives(
            self._plan, {name: value for name, value in given.items() if name in self._plan.arguments}
        )
        numbers = {name: value for name, value in given.items() if name not in self._plan.arguments}
        addresses = {address_of(self._plan, scene, name): value for name, value in numbers.items()}
        return (with_numbers(scene, addresses) if addresses else scene), drives  # type: ignore[arg-type]

    def _simulate(self, points: Array) -> tuple[dict[str, Array], list[str], list[str]]:
        self._check(points)
        scene, drives = self.scene(points[0])
        own = self.own(points)
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
            warnings.simplefilter("ignore", SimulationWarning)
            simulation = self.simulation(scene, len(points), folder)
            inputs = set_worlds(self._plan, simulation, drives, own)
            write_lines(simulation, [(line, points[:, k]) for k, line in self.lines.items()])
            signals = Signals(simulation, self._plan.measures)
            follow(self._plan, simulation, inputs, drives, signals)
            stopped = simulation.stopped_worlds
            reasons = [simulation.why_stopped(world) if world in stopped else "" for world in range(len(points))]
            warned = [str(warning) for warning in simulation.warnings]
        values = {m.name: f.result() for m, (_, f) in zip(self._plan.measures, signals.followers, strict=True)}
        for found in values.values():
            found[list(stopped)] = np.nan
        return values, reasons, warned

    def own(self, points: Array) -> dict[str, Array]:
        """What is set world by world as a quantity, by name."""
        return {name: points[:, k] for k, name in enumerate(self._plan.names) if k not in self._unset}

    def _check(self, points: Array) -> None:
        """Refuse numbers that a description would: the arrays take anything. All of a batch lie between its corners."""
        if not self.lines:
            return
        columns = {k: points[:, k] for k in (*self.structural, *self.lines)}
        several = len(self.lines) > 1 and len(points) <= CHECKED_ONE_BY_ONE
        rows = (
            range(len(points))
            if several
            else sorted({int(f(v)) for v in columns.values() for f in (np.argmin, np.argmax)})
        )
        for row in rows:
            self._scene_with({k: float(values[row]) for k, values in columns.items()})

    def simulation(self, scene: Scene, worlds: int, folder: str) -> Simulation:
        """A simulation of the plan's settings."""
        from ..simulation.simulation import Simulation

        ignored = (*QUIET, *self._plan.settings.get("ignored_warnings", ()))
        settings: Plain = self._plan.settings | {"ignored_warnings": ignored, "worlds": worlds, "fault_folder": folder}
        looked_at = any(measure.reduction not in ONLY_AT_THE_END for measure in self._plan.measures)
        few = looked_at and worlds < WORTH_THREADS * self._plan.every
        given: Plain = {"device": self._device, "threads": 1 if few else self._threads}
        return Simulation(scene, self._plan.dt, **(given | settings))


def run_point(plan: Plan, point: Array) -> Trajectory:
    """One point as a run of its own, every step recorded; its bits are those of the study."""
    runner = Runner(plan, threads=1)
    scene, drives = runner.scene(point)
    simulation = runner.simulation(scene, 1, "out")
    inputs = set_worlds(plan, simulation, drives, runner.own(point[None]))
    write_lines(simulation, [(line, point[k : k + 1]) for k, line in runner.lines.items()])
    return simulation.run(
        plan.steps * plan.dt, before_step=lambda now: inputs.apply(now.control, now.time + 0.5 * now.dt)
    )


def scene_of_point(plan: Plan, point: Array) -> Scene:
    """The scene of one point with all of its numbers, to be saved or shown."""
    given = dict(zip(plan.names, map(float, point), strict=True))
    scene, _ = scene_and_drives(plan, {name: value for name, value in given.items() if name in plan.arguments})
    found = {address_of(plan, scene, name): value for name, value in given.items() if name not in plan.arguments}
    return with_numbers(scene, {address: value for address, value in found.items() if isinstance(address, Address)})


def set_worlds(plan: Plan, simulation: Simulation, drives: Iterable[Drive], own: dict[str, Array]) -> Inputs:
    """Give every world its numbers; returns the inputs, with those that vary among them."""
    scene: Scene = simulation.scene
    vectors: dict[Quantity, Array] = {}
    varied: list[Drive] = []
    for name, values in own.items():
        found = address_of(plan, scene, name)
        if isinstance(found, Drive):
            varied.append(Drive(found.word, found.item, found.on_body, values))
            continue
        for quantity, component in found.quantities(scene):
            if component is None:
                simulation.set(quantity, values)
            else:
                rows = vectors.setdefault(
                    quantity, np.array(np.reshape(simulation.get(quantity), (simulation.worlds, -1)))
                )
                rows[:, component] = values
    for quantity, rows in vectors.items():
        simulation.set(quantity, rows)
    given: dict[str, dict[Body | Quantity, Input]] = {}
    for drive in (*drives, *varied):
        key = scene.bodies[drive.item] if drive.on_body else _quantity(drive, scene)
        value = _held(drive, plan.dt) if drive.per_step else drive.values
        given.setdefault(drive.word, {})[key] = value
    return Inputs(simulation, given)


def _held(drive: Drive, dt: float) -> Callable[[float], Array]:
    """The values of a drive at the times for which a run asks: the ends of steps for a motion, else their middles."""
    values, early = drive.values, 0.5 if drive.word == "motion" else 0.0
    return lambda time: values[min(int(time / dt - early), len(values) - 1)]


def _quantity(drive: Drive, scene: Scene) -> Quantity:
    name, _, axis = drive.item.partition(".")
    return driven(scene.joints[name], drive.word, axis)


def follow(plan: Plan, simulation: Simulation, inputs: Inputs, drives: Iterable[Drive], signals: Signals) -> None:
    """Make all steps of a run, as many in one launch as inputs and measures leave alone."""
    total = plan.steps
    only_end = all(measure.reduction in ONLY_AT_THE_END for measure in plan.measures)
    every = total if only_end else plan.every
    changes = _changes(drives, total)
    if not only_end:
        signals.take(0.0)
    done = 0
    while done < total:
        inputs.apply(simulation.control, (done + 0.5) * plan.dt)
        upcoming = changes[np.searchsorted(changes, done, side="right")]
        steps = int(min(upcoming, (done // every + 1) * every, total)) - done
        simulation.advance(steps)
        done += steps
        if done % every == 0 or (only_end and done == total):
            signals.take(done * plan.dt)


def _changes(drives: Iterable[Drive], total: int) -> Array:
    """The steps before which an input changes, and the end."""
    edges = [
        np.flatnonzero(np.diff(d.values, axis=0).reshape(len(d.values) - 1, -1).any(axis=1)) + 1
        for d in drives
        if d.per_step
    ]
    return np.unique(np.concatenate([*edges, [total]])).astype(int)
