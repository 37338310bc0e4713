"""A rod turning about its end keeps its energy with the second-order step, and loses it with the papers'.

A rod of 1 kg and 1 m turns at one revolution a second about a frictionless pin, steps of 10 ms. Semi-implicit Euler
moves it along the tangent and projects it back, and so loses energy; the leapfrog step does not:

    semi-implicit:  T(t)/T(0) = 1/(1 + s w^2 dt t),  s = m r^2/(I + m r^2) = 3/4        leapfrog:  T(t) = T(0)

Beside it a chain of four links is let go level. With the leapfrog step its energy wanders, but does not drift; the
second plot shows the energy of rod and chain together.
"""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import xarray as xr

import sharnir as sh

SPIN = 2 * math.pi  # rad/s
DT = 0.01  # s
LINKS = 4
INTEGRATORS = ("leapfrog", "semi-implicit-euler")


class BothIntegrators(sh.Experiment):
    """The same scene run by each integrator; the runs lie side by side along the axis ``world``."""

    def run(self, progress: Callable[[int, int], None] | None = None) -> sh.Trajectory:
        """Run the scene once with each integrator."""
        runs = []
        for name in INTEGRATORS:
            simulation = sh.Simulation(self.scene, dt=self.dt, **(self.settings | {"integrator": name}))
            runs.append(simulation.run(self.time, progress=progress).data)
        return sh.Trajectory(xr.concat(runs, pd.Index(INTEGRATORS, name="world")))

    def report(self, run: sh.Trajectory) -> list[sh.Figure]:
        """Figures of both runs."""
        leapfrog, euler = run.world(0), run.world(1)
        rod = self.scene.bodies["rod"].kinetic_energy
        kept, left = (found[rod].values / found[rod].values[0] for found in (leapfrog, euler))
        expected = 1 / (1 + 0.75 * SPIN**2 * DT * 1.0)
        after = int(np.argmin(np.abs(run.time - 1.0)))
        chain = (leapfrog[self.scene.energy] - leapfrog[rod]).values
        exchanged = (leapfrog[self.scene.kinetic_energy] - leapfrog[rod]).values.max()
        first, second = (half.mean() for half in np.array_split(chain, 2))
        return [
            sh.Figure("rod after 1 s, semi-implicit", left[after], "", expected, tolerance=0.01),
            sh.Figure("rod's loss, leapfrog", np.abs(kept - 1).max(), "", expected=0.0, tolerance=1e-3),
            sh.Figure("chain's wandering, leapfrog", np.ptp(chain) / exchanged, "", expected=0.0, tolerance=0.05),
            sh.Figure("chain's drift, leapfrog", (second - first) / exchanged, "", expected=0.0, tolerance=0.005),
        ]


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("energy")
    rod = scene.body(
        "rod",
        sh.Box(1.0, 1e-3, 1e-3, mass=1.0),
        position=(0.5, 0, 0),
        velocity=(0, 0.5 * SPIN, 0),
        angular_velocity=(0, 0, SPIN),
    )
    scene.joint("pin", sh.Revolute(axis=(0, 0, 1)), scene.world, rod)
    before = scene.world
    for i in range(LINKS):
        link = scene.body(f"link{i}", sh.Box(1.0, 0.05, 0.05, mass=1.0), position=(5.5 + i, 0, 0))
        scene.joint(f"ball{i}", sh.Spherical(anchor=(5.0 + i, 0, 0)), before, link)
        before = link
    return BothIntegrators(scene, time=10.0, dt=DT, plots=[(rod.kinetic_energy,), (scene.energy,)])


if __name__ == "__main__":
    experiment().show()
