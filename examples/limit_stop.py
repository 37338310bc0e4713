"""A rod swings into the stop of its hinge and stays within it.

A rod of 1 kg and 1 m is let go at -90° and meets a stop at +30°, without restitution: the stop takes the whole angular
momentum, and the rod then swings freely between -30° and +30°. The expected numbers follow from

    w^2 = (3 g / L) cos 30° at the stop     impulse = (m L^2 / 3) w     period = 4 K(sin 15°) / sqrt(3 g / (2 L))
"""

import math

import numpy as np

import sharnir as sh

DT = 0.001  # s
STOP = math.radians(30.0)


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("limit stop")
    rod = scene.body("rod", sh.Box(1.0, 0.03, 0.03), position=(0.5, 0, 0), mass=1.0, inertia=(1e-4, 1 / 12, 1 / 12))
    pivot = scene.joint(
        "pivot",
        sh.Revolute(axis=(0, 1, 0), anchor=(0, 0, 0), drawn_at=-math.pi / 2),
        scene.world,
        rod,
        limits=(None, STOP),
    )

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        time, angle, speed = run.time, run[pivot.angle].values, run[pivot.speed].values
        impulse = np.abs(run[pivot.limit_impulse()].values)
        impact = int(np.argmax(impulse))
        first = int(np.flatnonzero(impulse > 0)[0]) - 1  # the stop acts at the instant at which that step began
        blow = impulse[time < time[impact] + 0.05].sum()
        falling = np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0))
        crossings = time[falling] + DT * angle[falling] / (angle[falling] - angle[falling + 1])
        return [
            sh.Figure("time of the impact", time[impact], "s", expected=0.5821689, tolerance=2 * DT),
            sh.Figure("speed before the impact", speed[first - 1], "rad/s", expected=5.0484778, tolerance=0.03),
            sh.Figure("impulse of the stop", blow, "N m s", expected=1.682826, tolerance=0.01),
            sh.Figure("largest angle", np.degrees(angle.max()), "°", expected=30.0, tolerance=0.1),
            sh.Figure("period after it", crossings[1] - crossings[0], "s", expected=1.6664613, tolerance=2 * DT),
        ]

    return sh.Experiment(
        scene,
        time=4.5,
        dt=DT,
        plots=[(pivot.angle, pivot.speed, pivot.limit_impulse(), scene.energy)],
        figures=figures,
    )


if __name__ == "__main__":
    experiment().show()
