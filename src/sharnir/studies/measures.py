"""What is measured of every world: a signal and how its course becomes one number, followed step by step."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SceneError, nearest
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..spatial import Array
from .address import quantity_named

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation

SERIES = "series"
NUMBER = r"([-+]?[\d.]+(?:[eE][-+]?\d+)?)"
# How a measure is written: those that take a number, and those that do not.
NUMBERED = ("first above", "first below", "last above", "last below", "at", "quantile")
PLAIN = ("final", "initial", "max", "min", "mean", "rms", "peak", "span", "time of max", "time of min", SERIES)
ONLY_AT_THE_END = ("final",)
_WITH_NUMBER = re.compile(rf"(.*\S)\s+{NUMBER}\Z")


@dataclass(frozen=True)
class Measure:
    """A ``signal`` by its name and the ``reduction`` of its course, with the ``number`` that some reductions take.

    ``number`` is in the unit of the signal for ``above`` and ``below``, in s for ``at``, a share from 0 to 1 for
    ``quantile``.
    """

    signal: str
    reduction: str
    number: float | None = None

    @property
    def name(self) -> str:
        """The measure as it is written."""
        number = "" if self.number is None else f" {self.number:.15g}"
        return f"{self.signal} {self.reduction}{number}"

    @property
    def is_event(self) -> bool:
        """Whether it is the time of something that may never happen."""
        return self.reduction.startswith(("first", "last"))

    def unit(self, scene: Scene) -> str:
        """The unit of what comes out, in a ``scene``."""
        if self.is_event or self.reduction.startswith("time of"):
            return "s"
        return quantity_named(scene, self.signal)[0].unit


def parse_measure(text: object, scene: Scene) -> Measure:
    """A measure from its text, such as ``hinge.angle final`` or ``door.velocity.x first above 0.5``."""
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str) or not text.strip():
        raise SceneError(f"a measure is {text!r}; give a signal and a reduction, such as 'hinge.angle final'")
    signal, _, rest = " ".join(text.split()).partition(" ")
    quantity_named(scene, signal)
    reduction, number = rest or "final", None
    if with_number := _WITH_NUMBER.match(reduction):
        reduction, number = with_number[1], float(with_number[2])
    if reduction not in (*PLAIN, *NUMBERED):
        raise SceneError(f"measure '{text}': '{reduction}' is unknown{nearest(reduction, (*PLAIN, *NUMBERED))}")
    if (reduction in NUMBERED) != (number is not None):
        needs = "takes a number, such as 0.5" if reduction in NUMBERED else "takes no number"
        raise SceneError(f"measure '{text}': '{reduction}' {needs}")
    if reduction == "quantile" and not 0.0 <= float(number or 0.0) <= 1.0:
        raise SceneError(f"measure '{text}': a quantile is a share from 0 to 1")
    return Measure(signal, reduction, number)


class Follower:
    """One measure of all worlds of a batch, fed with the values at every instant."""

    def __init__(self, measure: Measure, worlds: int) -> None:
        self._measure, self._kept = measure, np.full(worlds, np.nan)
        self._best, self._sum, self._count = np.full(worlds, np.nan), np.zeros(worlds), 0
        self._series: list[Array] = []
        self._last: tuple[float, Array] | None = None
        self._update: Callable[[float, Array], None] = self._chosen()

    def update(self, time: float, values: Array) -> None:
        """Take the values [world] at a time (s)."""
        self._update(time, values)
        self._count += 1

    def result(self) -> Array:
        """What was measured, [world] or [world, instant]."""
        reduction = self._measure.reduction
        if reduction == SERIES:
            return np.stack(self._series, axis=1)
        if reduction == "quantile":
            return np.quantile(np.stack(self._series, axis=1), self._measure.number or 0.0, axis=1)
        if reduction == "mean":
            return self._sum / self._count
        if reduction == "rms":
            return np.sqrt(self._sum / self._count)
        return self._kept - self._best if reduction == "span" else self._kept

    def _chosen(self) -> Callable[[float, Array], None]:
        reduction = self._measure.reduction
        if reduction in (SERIES, "quantile"):
            return lambda _, x: self._series.append(np.array(x, float))
        if reduction in ("mean", "rms"):
            power = 1 if reduction == "mean" else 2
            return lambda _, x: np.add(self._sum, x**power, out=self._sum)
        if reduction in ("final", "initial"):
            return self._first if reduction == "initial" else self._latest
        if reduction.startswith("time of"):
            return self._extreme
        if self._measure.is_event:
            return self._event
        if reduction == "at":
            return self._at
        if reduction == "span":
            return self._span
        better = np.fmin if reduction == "min" else np.fmax
        return lambda _, x: better(self._kept, np.abs(x) if reduction == "peak" else x, out=self._kept)

    def _first(self, _: float, x: Array) -> None:
        if self._count == 0:
            self._kept[:] = x

    def _latest(self, _: float, x: Array) -> None:
        self._kept[:] = x

    def _span(self, _: float, x: Array) -> None:
        np.fmax(self._kept, x, out=self._kept)
        np.fmin(self._best, x, out=self._best)

    def _extreme(self, time: float, x: Array) -> None:
        better = x > self._best if self._measure.reduction.endswith("max") else x < self._best
        better |= np.isnan(self._best)
        self._best[better], self._kept[better] = x[better], time

    def _event(self, time: float, x: Array) -> None:
        """The time of a crossing, on a straight line between two instants."""
        sign = 1.0 if self._measure.reduction.endswith("above") else -1.0
        over = sign * (x - (self._measure.number or 0.0))
        if self._last is None:
            crossed, when = over > 0.0, np.full_like(over, time)
        else:
            before, then = self._last
            is_last = self._measure.reduction.startswith("last")
            crossed = (then > 0.0) & (over <= 0.0) if is_last else (then <= 0.0) & (over > 0.0)
            share = np.divide(then, then - over, out=np.ones_like(over), where=crossed)
            when = before + share * (time - before)
            if is_last:  # still there
                crossed, when = crossed | (over > 0.0), np.where(over > 0.0, time, when)
        if self._measure.reduction.startswith("first"):
            crossed = crossed & np.isnan(self._kept)
        self._kept[crossed] = when[crossed]
        self._last = time, np.array(over)

    def _at(self, time: float, x: Array) -> None:
        wanted = self._measure.number or 0.0
        before, then = self._last or (time, x)
        if before < wanted <= time or (self._count == 0 and wanted <= time):
            share = 1.0 if time == before else (wanted - before) / (time - before)
            self._kept[:] = then + share * (x - then)
        self._last = time, np.array(x)


class Signals:
    """The signals of several measures, read from a simulation once per instant."""

    def __init__(self, simulation: Simulation, measures: tuple[Measure, ...]) -> None:
        self._simulation = simulation
        found = {m.signal: quantity_named(simulation.scene, m.signal) for m in measures}
        self._readers = {name: self._reader(*wanted) for name, wanted in found.items()}
        self.followers = [(measure.signal, Follower(measure, simulation.worlds)) for measure in measures]

    def _reader(self, quantity: Quantity, component: str | None) -> Callable[[], Array]:
        rows = self._simulation.taps.rows(quantity)
        if component is None:
            return rows
        if component == "norm":
            return lambda: np.linalg.norm(rows(), axis=-1)
        place = quantity.components.index(component)
        return lambda: rows()[:, place]

    def take(self, time: float) -> None:
        """Read all signals now, and let every measure follow."""
        self._simulation.taps.refresh()
        values = {name: np.asarray(read(), float) for name, read in self._readers.items()}
        for signal, follower in self.followers:
            follower.update(time, values[signal])
