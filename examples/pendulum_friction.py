"""A rod pendulum with dry friction swings out and rests off the vertical.

A rod of 1 kg and 1 m is let go from the horizontal; its hinge has 0.5 N m of Coulomb friction. Every half swing loses
the work of the friction, so the turning points come closer; it sticks where gravity no longer overcomes the friction,
m g (L/2) sin(angle) < 0.5 N m: anywhere within 5.851° of the vertical.
"""

import math

import numpy as np

import sharnir as sh

FRICTION = 0.5  # N m
TURNING_POINTS = (-1.2763, 1.0190, -0.7841)  # rad, from a high-accuracy solution
DEAD_ZONE = math.degrees(math.asin(FRICTION / (1.0 * 9.81 * 0.5)))


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("pendulum with friction")
    rod = scene.body("rod", sh.Box(1.0, 0.03, 0.03), position=(-0.5, 0, 0), mass=1.0, inertia=(1e-4, 1 / 12, 1 / 12))
    pivot = scene.joint(
        "pivot",
        sh.Revolute(axis=(0, 1, 0), anchor=(0, 0, 0), drawn_at=math.pi / 2),
        scene.world,
        rod,
        friction=sh.Coulomb(FRICTION),
    )

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        angle, speed = run[pivot.angle].values, run[pivot.speed].values
        moving = np.flatnonzero(np.abs(speed) > 1e-9)
        turns = moving[1:][np.diff(np.sign(speed[moving])) != 0]
        found = [
            sh.Figure(f"turning point {i + 1}", angle[turn], "rad", expected=expected, tolerance=0.012)
            for i, (turn, expected) in enumerate(zip(turns, TURNING_POINTS, strict=False))
        ]
        return [
            *found,
            sh.Figure("angle at rest", np.degrees(angle[-1]), "°", expected=0.0, tolerance=DEAD_ZONE),
            sh.Figure("speed at the end", abs(speed[-1]), "rad/s", expected=0.0, tolerance=1e-9),
        ]

    return sh.Experiment(
        scene,
        time=8.0,
        dt=0.001,
        plots=[(pivot.angle, pivot.speed, scene.kinetic_energy, scene.potential_energy, scene.energy)],
        figures=figures,
    )


if __name__ == "__main__":
    experiment().show()
