"""A thousand kilograms on a chain of 32 links of one: what the two solvers make of the joints.

Links of 1 kg and 1 m in ball joints, the load at the tip, let go at 0.1 rad from hanging, steps of 5 ms. Sequential
impulses carry the weight up the chain a little further in each iteration and leave gaps that grow to a metre. The
direct solver solves all joints at once: one iteration, gaps below a thousandth of a millimetre, for about the same
time; the load passes below the pin after a quarter of a pendulum's period.
"""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import xarray as xr

import sharnir as sh

LINKS, LOAD, TILT = 32, 1000.0, 0.1  # links of 1 kg and 1 m; kg; rad
SEEN = sh.Capsule(0.12, 0.76, collides=False)  # m: thick enough for a picture of the whole chain
SOLVERS = {
    "direct, 1": {"solver": "direct", "iterations": 1},
    # that its joints come apart is what is shown here
    "sequential, 10": {"solver": "sequential-impulses", "iterations": 10, "ignored_warnings": ["open-joint"]},
}


class BothSolvers(sh.Experiment):
    """The same scene run by each solver; the runs lie side by side along the axis ``world``."""

    def run(self, progress: Callable[[int, int], None] | None = None) -> sh.Trajectory:
        """Run the scene once with each solver."""
        runs = [
            sh.Simulation(self.scene, dt=self.dt, **(self.settings | chosen)).run(self.time, progress=progress).data
            for chosen in SOLVERS.values()
        ]
        return sh.Trajectory(xr.concat(runs, pd.Index(list(SOLVERS), name="world")))

    def report(self, run: sh.Trajectory) -> list[sh.Figure]:
        """Figures of both runs."""
        direct, sequential = (run.data["gap"].isel(world=i).max().item() * 1e3 for i in range(2))
        bob = run.world(0)[self.scene.bodies["load"].position].sel(xyz="x").values
        down = run.time[np.argmax(bob < 0)]
        quarter = math.pi / 2 * math.sqrt(LINKS / 9.81)
        return [
            sh.Figure("widest gap, direct", direct, "mm", expected=0.0, tolerance=0.001),
            sh.Figure("widest gap, sequential", sequential, "mm", at_least=100.0),
            sh.Figure("load below the pin, direct", down, "s", expected=quarter, tolerance=0.02 * quarter),
        ]


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("heavy tip")
    along = np.array([math.sin(TILT), 0, -math.cos(TILT)])
    turn = (0, -math.sin(TILT / 2), 0, math.cos(TILT / 2))
    before = scene.world
    joints = []
    for i in range(LINKS):
        bar = sh.Box(0.05, 0.05, 1.0, mass=1.0, visible=False)
        link = scene.body(f"link{i}", bar, SEEN, position=along * (i + 0.5), rotation=turn)
        joints.append(scene.joint(f"ball{i}", sh.Spherical(anchor=along * i), before, link))
        before = link
    load = scene.body("load", sh.Sphere(0.3, mass=LOAD), position=along * LINKS, rotation=turn)
    scene.joint("hook", sh.Fixed(anchor=along * LINKS), before, load)
    return BothSolvers(
        scene,
        time=3.0,
        dt=0.005,
        plots=[(joints[0].gap, joints[LINKS // 2].gap, scene.energy)],
    )


if __name__ == "__main__":
    experiment().show()
