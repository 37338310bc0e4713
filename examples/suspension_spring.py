"""A mass drops onto its spring and damper: the soft-constraint line of [003].

A block of 25 kg is let go at the free length of a spring of 4000 N/m with a damper of 200 N s/m, once on a vertical
guide that carries the spring, once hung from a coil between two points. The step is implicit Euler, stable at any
stiffness, and both blocks follow its recursion to the digit:

    v' = (v - dt (g + k x/m)) / (1 + dt (c + dt k)/m)     x' = x + dt v'     rest at x = -m g/k
"""

import numpy as np

import sharnir as sh

MASS, STIFFNESS, DAMPING = 25.0, 4000.0, 200.0  # kg, N/m, N s/m
DROP = {0.1: -0.033642, 0.2: -0.071494, 0.3: -0.077651, 0.4: -0.065705, 0.5: -0.057055}  # m at s, dt 10 ms
HANGER = 0.5  # m, free length of the coil
SAG = MASS * 9.81 / STIFFNESS  # m


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("suspension spring")
    block = scene.body("block", sh.Box(0.2, 0.2, 0.1, mass=MASS))
    guide = scene.joint("guide", sh.Prismatic(axis=(0, 0, 1)), scene.world, block, spring=sh.Spring(STIFFNESS, DAMPING))
    hung = scene.body("hung", sh.Box(0.2, 0.2, 0.1, mass=MASS), position=(1, 0, 0))
    coil = scene.spring(
        "coil", scene.world, hung, (1, 0, HANGER), (1, 0, 0), sh.Spring(STIFFNESS, DAMPING, rest=HANGER)
    )

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        x, length = run[guide.displacement].values, run[coil.coordinate("length")].values
        found = [
            sh.Figure(f"drop at {time:g} s", float(x[np.argmin(np.abs(run.time - time))]), "m", expected, 1e-6)
            for time, expected in DROP.items()
        ]
        return [
            *found,
            sh.Figure("rest", x[-1], "m", expected=-SAG, tolerance=1e-9),
            sh.Figure("length of the coil at rest", length[-1], "m", expected=HANGER + SAG, tolerance=1e-9),
            sh.Figure("coil against guide", np.abs(length - HANGER + x).max(), "m", expected=0.0, tolerance=1e-9),
            sh.Figure("force at rest", run[guide.spring_force()].values[-1], "N", MASS * 9.81, tolerance=1e-5),
        ]

    return sh.Experiment(
        scene,
        time=4.0,
        dt=0.01,
        plots=[(guide.displacement, coil.coordinate("length"), guide.speed, guide.spring_force(), coil.spring_force())],
        figures=figures,
        settings={"integrator": "semi-implicit-euler"},  # the paper's step, whose figures these are
    )


if __name__ == "__main__":
    experiment().show()
