"""The sensors of a running simulation: sampled after steps, where there are any."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ..device import Launch, Table, load_warp
from ..dynamics.compiled import ask
from ..errors import SceneError
from ..model.compile import Compiled
from ..model.field import Columns
from ..model.fields import SENSED, allocate, write, write_worlds
from ..model.precision import Precision
from ..model.sensors import sensor_arrays
from ..scene.sensors import ReadingKind
from ..spatial import Array
from .world_parts import WorldPart


def kinds_of(arrays: Columns, counts: dict[str, int]) -> list[str]:
    """Which kernels the sensors of a scene need, by their arrays."""
    return (["beams"] if ReadingKind.BEAM in arrays["kind"] else []) + (["sensors"] if counts["sense"] else [])


class Sensing:
    """The sensors of one simulation in all its worlds; the random numbers of world w are those of ``seed`` + w."""

    def __init__(
        self, compiled: Compiled, precision: Precision, tables: dict[str, Table], device: str, dt: float, seed: int
    ) -> None:
        arrays, counts = sensor_arrays(compiled.scene, dt, compiled.twists)
        _check_integrator(compiled)
        worlds = tables["report"].step.shape[0]
        self.table = allocate("sensing", precision, counts, worlds, device)
        for name, values in arrays.items():
            write(getattr(self.table, name), np.array(values))
        write(self.table.seed, (seed + np.arange(worlds)) % 2**31)
        always = ReadingKind.ACCELERATION in arrays["kind"]  # it follows how forces change from step to step
        self.steps = 1 if always else math.gcd(*arrays["every"], *arrays["delay"])
        self._tables, self._dt, self._device, self._precision = tables, dt, device, precision
        self._readings, self._compiled = counts["sense"], compiled
        kinds = kinds_of(arrays, counts)
        self._kernels = {kind: ask(kind, precision, compiled.features, device) for kind in kinds}
        self._parts: tuple[WorldPart, ...] = ()
        self._launches: list[Launch] | None = None  # recorded when the first samples are taken

    def use(self, parts: tuple[WorldPart, ...]) -> None:
        """Sense with the models, sizes and sensors of these parts of the worlds from now on; none: one for all."""
        self._parts, self._launches = parts, None

    def _recorded(self) -> list[Launch]:
        worlds = self._tables["report"].step.shape[0]
        whole = worlds, self._tables | {"sensing": self.table}
        cuts = [(part.count, self._cut(part)) for part in self._parts] or [whole]
        return [launch for count, tables in cuts for launch in self._launches_of(count, tables)]

    def _cut(self, part: WorldPart) -> dict[str, Table]:
        """The tables of some worlds, with the numbers of their own sensors."""
        names = ("state", "memory", "work", "report")
        cut = {name: part.cut(name, self._tables[name], self._precision) for name in names}
        sensing = part.cut("sensing", self.table, self._precision)
        arrays, _ = sensor_arrays(part.scene, self._dt, self._compiled.twists)
        for name, values in arrays.items():
            own = load_warp().zeros_like(getattr(sensing, name))
            write(own, np.array(values))
            setattr(sensing, name, own)
        return cut | {"model": part.own_model(self._precision), "sensing": sensing}

    def _launches_of(self, worlds: int, tables: dict[str, Table]) -> list[Launch]:
        m, s, r, sensing = (tables[name] for name in ("model", "state", "report", "sensing"))
        inputs = {
            "beams": [m, s, r, sensing, self._compiled.counts["shape"]],
            "sensors": [m, s, tables["memory"], tables["work"], r, sensing, self._dt],
        }
        record = partial(load_warp().launch, dim=(self._readings, worlds), device=self._device, record_cmd=True)
        return [record(asked.get(), inputs=inputs[kind]) for kind, asked in self._kernels.items()]

    def steps_until(self, step: int) -> int | None:
        """How many steps may be made in one go after ``step`` of them; None without sensors."""
        return self.steps - step % self.steps if self._kernels else None

    def sense(self) -> None:
        """Take and hand over the samples that are due now, each once."""
        if self._launches is None:
            self._launches = self._recorded()
        for launch in self._launches:
            launch.launch()

    def reset(self, worlds: Array) -> None:
        """Start over in the worlds of a mask, with the same random numbers."""
        if self._kernels:
            for name in SENSED:
                if name != "seed":
                    write_worlds(getattr(self.table, name), worlds, 0)
            self.sense()


def _check_integrator(compiled: Compiled) -> None:
    """Refuse accelerometers where no step tells accelerations."""
    if compiled.features.integrator.staggered and not compiled.features.fourth_order:
        return
    for sensor in compiled.scene.sensors.values():
        if any(reading.kind == ReadingKind.ACCELERATION for reading in sensor.readings.values()):
            raise SceneError(
                f"sensor '{sensor.name}' measures acceleration, which only the leapfrog step tells; "
                "leave integrator out, or take the sensor out"
            )
