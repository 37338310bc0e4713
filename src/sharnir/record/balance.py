"""The energy balance of a run: what its energy has changed by, beside the work of everything that changes it."""

from __future__ import annotations

import numpy as np

from ..spatial import Array
from .charts import Chart
from .trajectory import Trajectory

NEGLIGIBLE = 1e-9  # of the largest change of energy: a source that did less is not drawn


class Balance:
    """Energies (J) over the instants of a run of one world, or of the first of several, recorded at every step.

    ``change`` is that of ``scene.energy`` since the start, ``work`` what each source has done, ``left`` what none of
    them explains: the error of the step, and what sources do that are not followed.
    """

    def __init__(self, run: Trajectory) -> None:
        first = run.world(0)
        self.time = first.time
        energy = first.data["total_energy"].values
        self.change: Array = energy - energy[0]
        interval = np.diff(self.time, prepend=self.time[0])
        power = first.data["power"]
        self.work: dict[str, Array] = {
            str(source): np.cumsum(interval * power.sel(source=source).values) for source in power["source"].values
        }
        self.left: Array = self.change - np.sum(list(self.work.values()), axis=0)

    def chart(self, name: str, title: str) -> Chart:
        """The balance as a picture: the change of energy, the work of each source that did any, and the rest."""
        largest = max(float(np.abs(values).max()) for values in (self.change, *self.work.values()))
        did = {source: done for source, done in self.work.items() if np.abs(done).max() > NEGLIGIBLE * largest}
        curves = {"change of energy": self.change} | {f"work of {source}": done for source, done in did.items()}
        curves |= {"not explained": self.left}
        return Chart(name, title, "energy, J", {label: (self.time, values) for label, values in curves.items()})

    def told(self) -> str:
        """The balance at the end in a sentence."""
        work = sum(float(done[-1]) for done in self.work.values())
        change, left = self.change[-1], self.left[-1]
        return f"energy changed by {change:.4g} J, sources and sinks did {work:.4g} J, {left:.2g} J is left"
