"""A rope hung between two points comes to rest as a catenary.

The rope of [002]: 2.8 m long, 1.5 cm in radius, 2.375 kg, in 20 elements, between two points 2 m apart. It starts
as a circular arc. At rest a chain of 20 links sags by 0.877075 m (the continuum by 0.875767 m), pulls with 5.6648 N at
its lowest point, and each support carries half its weight. Its damping is raised so that it settles within seconds.
"""

import numpy as np

import sharnir as sh

SPAN, LENGTH, ELEMENTS = 2.0, 2.8, 20


def experiment() -> sh.Experiment:
    """The scene and its figures."""
    scene = sh.Scene("rope catenary")
    support = sh.Tie(body="world")
    rope = scene.rope(
        "rope",
        [(0, 0, 0), (SPAN, 0, 0)],
        length=LENGTH,
        elements=ELEMENTS,
        radius=0.015,
        density=1200.0,
        youngs_modulus=5e4,
        shear_modulus=1e5,
        damping=2.0,
        start=support,
        end=support,
    )
    middle = ELEMENTS // 2

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        lowest = run[rope.node(middle)].values[-1]
        step = run[rope.node(middle + 1)].values[-1] - lowest
        pull = run[rope.tension(middle)].values[-1] * step[0] / np.linalg.norm(step)
        return [
            sh.Figure("sag", -lowest[2], "m", expected=0.877075, tolerance=0.0027),
            sh.Figure("pull at the lowest point", pull, "N", expected=5.6648, tolerance=0.057),
            sh.Figure("error of length", run[rope.stretch].values.max(), "", expected=0.0, tolerance=1e-4),
        ]

    return sh.Experiment(
        scene,
        time=20.0,
        dt=0.01,
        plots=[(rope.node(middle), rope.tension(middle), rope.tension("start"))],
        figures=figures,
    )


if __name__ == "__main__":
    experiment().show()
