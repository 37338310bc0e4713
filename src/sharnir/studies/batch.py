"""Points of a study, simulated: those that differ only in what every world can have of its own make one batch."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import WARNINGS, ControlFault, SceneError, SimulationWarning
from ..inputs import Inputs
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..spatial import Array
from .address import Address, with_numbers
from .measures import ONLY_AT_THE_END, SERIES, Signals
from .plan import Drive, Plan, address_of, scene_and_drives

if TYPE_CHECKING:
    from ..record.trajectory import Trajectory

# A batch of many worlds gives each warning once for all of them; a study asks for none of those of a single step.
QUIET = tuple(name for name in WARNINGS if name in ("uneven-duration", "scene-changed"))


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
        scene = scene_and_drives(self._plan, {})[0]
        return tuple(
            k
            for k, name in enumerate(self._plan.names)
            if name in self._plan.arguments
            or (isinstance(found := address_of(self._plan, scene, name), Address) and not found.quantities(scene))
        )

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
        """The scene with what is the same in all worlds of a batch."""
        given = {self._plan.names[k]: value for k, value in zip(self.structural, structure, strict=True)}
        scene, drives = scene_and_drives(
            self._plan, {name: value for name, value in given.items() if name in self._plan.arguments}
        )
        numbers = {name: value for name, value in given.items() if name not in self._plan.arguments}
        addresses = {address_of(self._plan, scene, name): value for name, value in numbers.items()}
        return (with_numbers(scene, addresses) if addresses else scene), drives  # type: ignore[arg-type]

    def _simulate(self, points: Array) -> tuple[dict[str, Array], list[str], list[str]]:
        scene, drives = self.scene(points[0])
        own = {name: points[:, k] for k, name in enumerate(self._plan.names) if k not in self.structural}
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
            warnings.simplefilter("ignore", SimulationWarning)
            simulation = self.simulation(scene, len(points), folder)
            inputs = set_worlds(self._plan, simulation, drives, own)
            signals = Signals(simulation, self._plan.measures)
            follow(self._plan, simulation, inputs, drives, signals)
            stopped = simulation.stopped_worlds
            reasons = [simulation.why_stopped(world) if world in stopped else "" for world in range(len(points))]
            warned = [str(warning) for warning in simulation.warnings]
        values = {m.name: f.result() for m, (_, f) in zip(self._plan.measures, signals.followers, strict=True)}
        for found in values.values():
            found[list(stopped)] = np.nan
        return values, reasons, warned

    def simulation(self, scene: Scene, worlds: int, folder: str) -> Any:
        """A simulation of the plan's settings."""
        from ..simulation import Simulation

        ignored = (*QUIET, *self._plan.settings.get("ignored_warnings", ()))
        settings = self._plan.settings | {"ignored_warnings": ignored, "worlds": worlds, "fault_folder": folder}
        settings = {"device": self._device, "threads": self._threads} | settings
        return Simulation(scene, self._plan.dt, **settings)


def run_point(plan: Plan, point: Array) -> Trajectory:
    """One point as a run of its own, every step recorded; its bits are those of the study."""
    runner = Runner(plan, threads=1)
    scene, drives = runner.scene(point)
    own = {name: point[k : k + 1] for k, name in enumerate(plan.names) if k not in runner.structural}
    simulation = runner.simulation(scene, 1, "out")
    inputs = set_worlds(plan, simulation, drives, own)
    return simulation.run(
        plan.steps * plan.dt, before_step=lambda now: inputs.apply(now.control, now.time + 0.5 * now.dt)
    )


def scene_of_point(plan: Plan, point: Array) -> Scene:
    """The scene of one point with all of its numbers, to be saved or shown."""
    runner = Runner(plan)
    scene, _ = runner.scene(point)
    found = {
        address_of(plan, scene, name): float(point[k])
        for k, name in enumerate(plan.names)
        if k not in runner.structural
    }
    return with_numbers(scene, {address: value for address, value in found.items() if isinstance(address, Address)})


def set_worlds(plan: Plan, simulation: Any, drives: Iterable[Drive], own: dict[str, Array]) -> Inputs:
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
    given: dict[str, dict[Any, Any]] = {}
    for drive in (*drives, *varied):
        key = scene.bodies[drive.item] if drive.on_body else _quantity(drive, scene)
        value = _held(drive.values, plan.dt) if drive.per_step else drive.values
        given.setdefault(drive.word, {})[key] = value
    return Inputs(scene, simulation._layout, given)


def _held(values: Array, dt: float) -> Any:
    return lambda time: values[min(int(time / dt), len(values) - 1)]


def _quantity(drive: Drive, scene: Scene) -> Quantity:
    name, _, axis = drive.item.partition(".")
    joint = scene.joints[name]
    return joint.effort(axis) if drive.word in ("torque", "force") else getattr(joint, drive.word)(axis)


def follow(plan: Plan, simulation: Any, inputs: Inputs, drives: Iterable[Drive], signals: Signals) -> None:
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
        simulation._advance(steps)
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
