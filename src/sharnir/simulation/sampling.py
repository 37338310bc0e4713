"""The sensors of a running simulation: sampled after steps, where there are any."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ..device import Launch, Table, load_warp
from ..dynamics.sensing import beam_kernel, sense_kernel
from ..errors import SceneError
from ..model.compile import Compiled
from ..model.fields import SENSED, allocate, write, write_worlds
from ..model.precision import Precision
from ..model.sensors import sensor_arrays
from ..scene.sensors import Kind
from ..spatial import Array


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
        always = Kind.ACCELERATION in arrays["kind"]  # it follows how forces change from step to step
        self.steps = 1 if always else math.gcd(*arrays["every"], *arrays["delay"])
        self._launches: list[Launch] = []
        if counts["sense"]:
            self._record(
                compiled, precision, tables, device, dt, (counts["sense"], worlds), Kind.BEAM in arrays["kind"]
            )

    def _record(
        self,
        compiled: Compiled,
        precision: Precision,
        tables: dict[str, Table],
        device: str,
        dt: float,
        dim: tuple[int, int],
        has_beams: bool,
    ) -> None:
        wp, m, s, r = load_warp(), tables["model"], tables["state"], tables["report"]
        record = partial(wp.launch, dim=dim, device=device, record_cmd=True)
        if has_beams:
            kernel = beam_kernel(precision, compiled.features)
            self._launches.append(record(kernel, inputs=[m, s, r, self.table, compiled.counts["shape"]]))
        inputs = [m, s, tables["memory"], tables["work"], r, self.table, dt]
        self._launches.append(record(sense_kernel(precision), inputs=inputs))

    def steps_until(self, step: int) -> int | None:
        """How many steps may be made in one go after ``step`` of them; None without sensors."""
        return self.steps - step % self.steps if self._launches else None

    def sense(self) -> None:
        """Take and hand over the samples that are due now, each once."""
        for launch in self._launches:
            launch.launch()

    def reset(self, worlds: Array) -> None:
        """Start over in the worlds of a mask, with the same random numbers."""
        if self._launches:
            for name in SENSED:
                if name != "seed":
                    write_worlds(getattr(self.table, name), worlds, 0)
            self.sense()


def _check_integrator(compiled: Compiled) -> None:
    """Refuse accelerometers where no step tells accelerations."""
    if compiled.features.integrator.staggered and not compiled.features.fourth_order:
        return
    for sensor in compiled.scene.sensors.values():
        if any(reading.kind == Kind.ACCELERATION for reading in sensor.readings.values()):
            raise SceneError(
                f"sensor '{sensor.name}' measures acceleration, which only the leapfrog step tells; "
                "leave integrator out, or take the sensor out"
            )
