"""The accuracy of a simulation: compared with the exact twin of the same scene."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..record.plots import COLORS, MARGIN, PANEL_HEIGHT, PANEL_WIDTH, UNIT_NAMES, drawing
from ..record.trajectory import Trajectory
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..scene.values import Plain
from ..simulation.inputs import InputsOf
from ..simulation.simulation import Simulation
from ..spatial import Array, conjugate, multiply
from .solve import solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Difference:
    """How far a simulation is from the exact twin in one quantity."""

    name: str
    unit: str
    largest: float
    when: float  # s, the time of the largest one
    at_end: float
    span: float  # how far the quantity itself moves, for scale


@dataclass
class Comparison:
    """A simulation and the exact twin over the same time, recorded at the same instants."""

    scene: Scene
    simulated: Trajectory
    exact: Trajectory
    simulated_seconds: float  # of wall-clock time
    exact_seconds: float

    def differences(self) -> list[Difference]:
        """The differences of every joint coordinate, and of the place and turn of every moving body."""
        found = [self._of_coordinate(quantity) for quantity in self.coordinates()]
        for body in self.scene.bodies.values():
            if not body.spec.fixed:
                found += [self._of_place(body.name, body.position), self._of_turn(body.name, body.rotation)]
        return found

    def coordinates(self) -> list[Quantity]:
        """The free coordinates of all joints."""
        return [j.coordinate(c.name) for j in self.scene.joints.values() for c in j.type.coordinates]

    def _values(self, quantity: Quantity) -> tuple[Array, Array]:
        return np.asarray(self.simulated[quantity].values), np.asarray(self.exact[quantity].values)

    def _of_coordinate(self, quantity: Quantity) -> Difference:
        simulated, exact = self._values(quantity)
        return self._difference(quantity.label, quantity.unit, np.abs(simulated - exact), np.ptp(exact))

    def _of_place(self, name: str, quantity: Quantity) -> Difference:
        simulated, exact = self._values(quantity)
        distance = np.linalg.norm(simulated - exact, axis=-1)
        return self._difference(f"{name} position", "m", distance, float(np.linalg.norm(np.ptp(exact, axis=0))))

    def _of_turn(self, name: str, quantity: Quantity) -> Difference:
        simulated, exact = self._values(quantity)
        return self._difference(f"{name} rotation", "rad", _turn(exact, simulated), _turn(exact[:1], exact).max())

    def _difference(self, name: str, unit: str, values: Array, span: float) -> Difference:
        worst = int(np.argmax(values))
        when = float(self.exact.time[worst])
        return Difference(name, unit, float(values[worst]), when, float(values[-1]), float(span))

    def as_dict(self) -> Plain:
        """The comparison for a JSON file."""
        return {
            "time": float(self.exact.time[-1]),
            "dt": float(self.simulated.data.attrs["dt"]),
            "simulated_seconds": round(self.simulated_seconds, 3),
            "exact_seconds": round(self.exact_seconds, 3),
            "differences": [asdict(difference) for difference in self.differences()],
        }

    def plot(self, file: Path, quantities: Sequence[Quantity] = ()) -> Path:
        """Draw quantities (the joint coordinates by default) of both, and their differences, into a picture."""
        panels: dict[str, list[Quantity]] = {}
        for quantity in quantities or self.coordinates() or [b.position for b in self.scene.bodies.values()]:
            panels.setdefault(quantity.unit, []).append(quantity)
        with drawing(PANEL_WIDTH, MARGIN + 2 * PANEL_HEIGHT * len(panels), file) as figure:
            axes = figure.subplots(2 * len(panels), 1, sharex=True, squeeze=False)[:, 0]
            for i, (unit, shown) in enumerate(panels.items()):
                self._draw(axes[2 * i], axes[2 * i + 1], unit, shown)
            axes[0].set_title(f"{self.scene.name}: simulation (lines) and exact twin (dashes)", loc="left")
            axes[-1].set_xlabel("time, s")
        return file

    def _draw(self, both: Axes, difference: Axes, unit: str, quantities: list[Quantity]) -> None:
        for quantity, color in zip(quantities, COLORS * len(quantities), strict=False):
            simulated, exact = self._values(quantity)
            both.plot(self.exact.time, simulated, color=color, label=quantity.label)
            both.plot(self.exact.time, exact, color=color, linestyle="--", alpha=0.6)
            difference.plot(self.exact.time, simulated - exact, color=color)
        both.set_ylabel(f"{UNIT_NAMES.get(unit, '')}, {unit}")
        difference.set_ylabel(f"difference, {unit}")
        both.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.4)


def compare(
    scene: Scene,
    duration: float,
    *,
    dt: float = 0.005,
    inputs: dict[str, InputsOf] | None = None,
    rtol: float = 1e-9,
    settings: Plain | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run the simulation (with ``settings`` of ``Simulation``) and the exact twin of a scene for ``duration`` s.

    ``inputs`` are those of ``Simulation.run`` by their words: torque, force, voltage, target, motion, command.
    """
    driven: Plain = dict(inputs or {})
    begun = time.perf_counter()
    exact = solve(scene, duration, dt=dt, rtol=rtol, progress=progress, **driven)
    between = time.perf_counter()
    simulated = Simulation(scene, dt=dt, **(settings or {})).run(duration, **driven).world(0)
    ended = time.perf_counter()
    common = slice(0, min(len(exact), len(simulated)))  # Ctrl-C ends either one early
    exact, simulated = (Trajectory(run.data.isel(time=common)) for run in (exact, simulated))
    return Comparison(scene, simulated, exact, ended - between, between - begun)


def _turn(first: Array, second: Array) -> Array:
    """The angle between rotations, rad."""
    relative = multiply(conjugate(first), second)
    return np.asarray(2.0 * np.arctan2(np.linalg.norm(relative[..., :3], axis=-1), np.abs(relative[..., 3])))
