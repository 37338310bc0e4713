"""Study: a scene, what varies in it, how long it runs and what is measured."""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..device import core_count
from ..errors import SceneError, SimulationWarning
from ..experiment import Experiment
from ..scene.scene import Scene
from ..scene.values import Plain, file_path, whole
from ..simulation.inputs import InputsOf
from ..simulation.kernel_choice import kernels_asked_for, kernels_for
from .address import Address
from .batch import Outcome, Runner
from .design import Points, make_points
from .environment import check_alike, environment
from .measures import Measure
from .plan import Factory, Plan, Settings, address_of, make_plan, scene_and_drives
from .spread import Spread, parse_spread
from .store import Store, check_same, is_only_prepared, variable_names
from .workers import Task, clients_quiet, connect, in_process, in_processes, on_cluster

if TYPE_CHECKING:
    from .results import Results

Progress = Callable[[int, int], object]
LARGEST_CHUNK = {"cpu": 2048, "cuda": 65536}  # worlds
LEAST_CHUNK = 128  # worlds of one batch; points that are batches of their own may be fewer
PIECES = 64  # a study is cut into about so many chunks, so that little is lost when it is killed
WORTH_PROCESSES = 10.0  # s of work left, below which processes of their own cost more than they bring


class Study:
    """Many simulations of one scene: what ``vary`` says varies, what ``measure`` says is measured.

    >>> scene = Scene("door")
    >>> door = scene.body("door", Box(0.9, 0.04, 2.0, mass=26.5), position=(0.45, 0, 1))
    >>> hinge = scene.joint("hinge", Revolute(axis=(0, 0, 1)), scene.world, door, friction=Coulomb(20.0))
    >>> study = Study(scene, {"hinge.friction": "10:30:21"}, ["hinge.angle final"], time=2.0, torque={hinge: 52.7})
    >>> len(study)
    21
    """

    def __init__(
        self,
        scene: Scene | Experiment | Factory,
        vary: Mapping[str, object],
        measure: Sequence[str | Measure],
        *,
        samples: int | None = None,
        design: str = "random",
        seed: int = 0,
        time: float | None = None,
        dt: float | None = None,
        every: int = 1,
        torque: InputsOf | None = None,
        force: InputsOf | None = None,
        voltage: InputsOf | None = None,
        target: InputsOf | None = None,
        command: InputsOf | None = None,
        motion: InputsOf | None = None,
        settings: Settings | None = None,
    ) -> None:
        """Describe a study.

        Args:
            scene: a scene, an experiment, or a function that makes one of them from arguments that vary.
            vary: numbers of the scene by name (``door.mass``, ``hinge.friction``, ``strut.spring.stiffness``,
                ``gravity.z``), constant inputs (``torque.hinge``) and arguments of the function, each with its
                spread: ``"10:30:21"``, ``"1, 2, 5"``, ``"normal(26, 2)"``, ``"uniform(1, 2)"``, ...
            measure: signals and how they become one number: ``"hinge.angle final"``, ``"door.velocity.x max"``.
            samples: how many times what is random is drawn, at every point of the grids.
            design: how it is drawn: random, latin-hypercube, sobol, or saltelli (for sensitivity indices).
            seed: of the draws.
            time: how long to simulate, s; that of an experiment unless given.
            dt: time step, s; likewise.
            every: measures look at every so many steps.
            torque: inputs, N m, as ``Simulation.run`` takes them, by joint, body or name.
            force: likewise, N.
            voltage: likewise, -1 to 1 of the rated one.
            target: likewise, rad or m, rad/s or m/s.
            command: likewise, of actuators, each in its own unit.
            motion: likewise, of prescribed coordinates, rad or m.
            settings: of ``Simulation``.
        """
        if not isinstance(vary, Mapping) or not vary:
            raise SceneError(
                "the study varies nothing; give a number of the scene and its spread, such as "
                "{'door.mass': 'normal(26, 2)'}"
            )
        spreads = {name: parse_spread(name, text) for name, text in vary.items()}
        given = {"torque": torque, "force": force, "voltage": voltage, "target": target}
        inputs = {word: part or {} for word, part in (given | {"command": command, "motion": motion}).items()}
        measures = (measure,) if isinstance(measure, str) else tuple(measure)
        details: Plain = {
            "time": time,
            "dt": dt,
            "every": whole(every, "every", 1),
            "inputs": inputs,
            "settings": settings,
        }
        names = _structure_first(make_plan(scene, tuple(spreads), measures, **details), spreads)
        self.plan: Plan = make_plan(scene, names, measures, **details)
        self.points: Points = make_points({name: spreads[name] for name in names}, samples, design, seed)
        self._described = {
            "vary": {name: spreads[name].text for name in names},
            "samples": samples,
            "design": design,
            "seed": seed,
        }

    def __len__(self) -> int:
        return len(self.points.values)

    def run(
        self,
        out: str | Path | None = None,
        *,
        workers: int | None = None,
        device: str = "cpu",
        cluster: object = None,
        chunk: int | None = None,
        progress: Progress | None = None,
    ) -> Results:
        """Simulate all points and return what was measured; a study that was interrupted goes on.

        Args:
            out: the .zarr folder that the results go to as they are finished; in memory if not given.
            workers: processes on this machine; chosen by the work to do if not given.
            device: "cpu" or "cuda".
            cluster: a Dask cluster or its address, tcp://host:8786, instead of this machine.
            chunk: how many points make a piece of work.
            progress: called with the points done and the points in all.
        """
        from .results import Results

        path = None if out is None else file_path(out, "out")
        kernels = self._kernels(path, device)
        store = self._store(path, environment(device) | {"kernels": kernels}, chunk, device)
        plan = replace(self.plan, settings=self.plan.settings | {"kernels": kernels})
        names = variable_names(self.plan)
        missing = store.missing()
        tasks = [(piece, self.points.values[store.rows(piece)]) for piece in missing]
        done = len(self) - sum(len(points) for _, points in tasks)
        warned: set[str] = set()
        for piece, outcome in _outcomes(plan, tasks, workers, device, cluster):
            store.write(piece, outcome, names)
            done += len(outcome.reasons)
            for text in set(outcome.warnings) - warned:
                _warn(text)
            warned |= set(outcome.warnings)
            if progress is not None:
                progress(done, len(self))
        return Results(store)

    def _kernels(self, path: Path | None, device: str) -> str:
        """The kind of kernels that all points are simulated with: what it was begun with, if that is left open."""
        if path is not None and path.exists() and not is_only_prepared(path) and kernels_asked_for() == "auto":
            return str(Store.open(path).about["environment"]["kernels"])
        return kernels_for(scene_and_drives(self.plan, {})[0], self.plan.settings | {"device": device})

    def _store(self, path: Path | None, here: dict[str, str], chunk: int | None, device: str) -> Store:
        if path is not None and path.exists() and not is_only_prepared(path):
            store = Store.open(path)
            check_same(store, self.plan)
            if not np.array_equal(store.points, self.points.values):
                raise SceneError(
                    f"'{path}' was begun with other points; give another --out, or the same spreads and seed"
                )
            check_alike(
                here,
                store.about["environment"],
                f"that '{path}' was begun with",
                "go on where it was begun, or give another --out",
            )
            return store
        largest = LARGEST_CHUNK["cpu" if device == "cpu" else "cuda"]
        least = 1 if Runner(self.plan).structural else LEAST_CHUNK
        size = whole(chunk, "chunk", 1) if chunk is not None else min(max(len(self) // PIECES, least), largest)
        return Store.create(
            path, self.plan, self.points, size, {"environment": here, "study": self._described, "units": self._units()}
        )

    def _units(self) -> dict[str, str]:
        scene = scene_and_drives(self.plan, {})[0]
        units = {measure.name: measure.unit(scene) for measure in self.plan.measures}
        for name in self.plan.names:
            found = None if name in self.plan.arguments else address_of(self.plan, scene, name)
            units[name] = found.unit(scene) if isinstance(found, Address) else ""
        return units


def _outcomes(
    plan: Plan, tasks: list[Task], workers: int | None, device: str, cluster: object
) -> Iterator[tuple[int, Outcome]]:
    if cluster is not None:
        with clients_quiet():
            client = connect(cluster)
            try:
                yield from on_cluster(tasks, plan, client)
            finally:
                if client is not cluster:
                    client.close()
        return
    if workers is not None and whole(workers, "workers", 1) > 1:
        if device != "cpu":
            raise SceneError(
                f"workers is {workers} on {device}; a GPU takes whole batches from one process: leave it out"
            )
        yield from _compiled_once(tasks, plan, workers)
        return
    runner = Runner(plan, 1 if workers == 1 else None, device)
    waiting = iter(tasks)
    for count in range(len(tasks)):
        begun = clock.perf_counter()
        yield from in_process([next(waiting)], runner)
        left = (clock.perf_counter() - begun) * (len(tasks) - count - 1)
        several = workers is None and device == "cpu" and core_count() > 1
        if count > 0 and several and runner.structural and left > WORTH_PROCESSES:  # the first one may have compiled
            yield from in_processes(waiting, plan, core_count())
            return


def _compiled_once(tasks: Iterable[Task], plan: Plan, workers: int) -> Iterator[tuple[int, Outcome]]:
    """The first chunk here, so that the kernels are in the cache before the workers look for them."""
    waiting = iter(tasks)
    first = next(waiting, None)
    if first is not None:
        yield from in_process([first], Runner(plan))
        yield from in_processes(waiting, plan, workers)


def _structure_first(plan: Plan, spreads: Mapping[str, Spread]) -> tuple[str, ...]:
    """The names with those first that no world can have of its own: chunks then hold few structures."""
    columns = Runner(plan).structural
    own = [name for k, name in enumerate(plan.names) if k not in columns]
    return (*(plan.names[k] for k in columns), *own)


def _warn(text: str) -> None:
    name, _, rest = text.partition(": ")
    warnings.warn(SimulationWarning(name, "the study:", rest), stacklevel=4)
