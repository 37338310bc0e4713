"""A door with dry friction in its hinge is pushed, let go, and stops.

The first experiment of paper 000: 20 N m of Coulomb friction, a push for 0.33 s, rest at 0.87 s after 37.62°. The paper
leaves mass and push open; these values reproduce its numbers exactly in continuous time:

    I = 7.155119 kg m^2     w(0.33) = (52.727273 - 20) 0.33 / I = 1.509409 rad/s
    angle = 14.2697° while pushed + 23.3503° while braked = 37.62°
"""

import numpy as np

import sharnir as sh

PUSH = 52.727272727  # N m
PUSH_ENDS = 0.33  # s


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("door")
    door = scene.body("door", sh.Box(0.9, 0.04, 2.0, mass=26.487360107), position=(0.45, 0, 1))
    hinge = scene.joint(
        "hinge",
        sh.Revolute(axis=(0, 0, 1), anchor=(0, 0, 1)),
        scene.world,
        door,
        friction=sh.Coulomb(20.0),
        limits=(-2.0, 2.0),
    )

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        angle, speed = run[hinge.angle].values, np.abs(run[hinge.speed].values)
        last_moving = np.flatnonzero(speed > 1e-9)[-1]
        stop = run.time[min(last_moving + 1, len(run) - 1)]
        return [
            sh.Figure("angle at rest", np.degrees(angle[-1]), "°", expected=37.62, tolerance=0.15),
            sh.Figure("time of the stop", stop, "s", expected=0.87, tolerance=0.0101),
            sh.Figure("speed after the stop", speed[run.time > 0.885].max(), "rad/s", expected=0.0, tolerance=1e-9),
        ]

    return sh.Experiment(
        scene,
        time=2.0,
        dt=0.01,
        torque={hinge: lambda t: PUSH if t < PUSH_ENDS else 0.0},
        plots=[(hinge.angle, hinge.speed, hinge.effort())],
        figures=figures,
    )


if __name__ == "__main__":
    experiment().show()
