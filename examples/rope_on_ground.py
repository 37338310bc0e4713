"""A coil of rope falls onto the ground and comes to rest in layers, one on the other.

Three turns of a helix, 5.7 m of rope of 1 cm radius in 200 elements, fall from 5 cm and more. Nothing passes through
the ground or through itself; the turns come to rest in layers one diameter apart, and stay.
"""

import numpy as np

import sharnir as sh

RADIUS, ELEMENTS = 0.01, 200


def experiment() -> sh.Experiment:
    """The scene and its figures."""
    scene = sh.Scene("rope on ground")
    scene.ground()
    angles = np.linspace(0, 6 * np.pi, ELEMENTS + 1)
    path = [(0.3 * np.cos(a), 0.3 * np.sin(a), 0.05 + 0.02 * a) for a in angles]
    rope = scene.rope("rope", path, radius=RADIUS, density=1000.0, bending=2e-3, twisting=2e-3)

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        z = run.data["node_position"].values[:, :, 2]
        moved = np.abs(run.data["node_position"].values[-1] - run.data["node_position"].values[-201]).max()
        return [
            sh.Figure("deepest into the ground", max(RADIUS - z.min(), 0.0), "m", expected=0.0, tolerance=RADIUS / 20),
            sh.Figure("top of the third layer", z[-1].max(), "m", expected=5 * RADIUS, tolerance=RADIUS / 2),
            sh.Figure("motion in the last second", moved, "m", expected=0.0, tolerance=5e-5),
            sh.Figure("error of length", run[rope.stretch].values.max(), "", expected=0.0, tolerance=1e-3),
        ]

    return sh.Experiment(
        scene, time=6.0, dt=0.005, plots=[(rope.node("end"), rope.node(0), rope.kinetic_energy)], figures=figures
    )


if __name__ == "__main__":
    experiment().show()
