"""A robot of 200 kg jerks a trailer of 1000 kg on a slack rope of 2.4 kg, at steps of 15 ms.

The rope of [002] hangs with 0.2 m of slack between two carriages on rails. The robot pulls with 400 N for 1 s; the
rope goes taut, throws the carriages together, sags, and goes taut again. Whatever happens in between, the rope keeps
its length to 0.1 %, momentum is that of the pull, and energy is only lost.
"""

import numpy as np

import sharnir as sh

LENGTH, PULL, DT = 2.8, 400.0, 0.015


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("rope tow")
    trailer = scene.body("trailer", sh.Box(1.0, 0.8, 0.5, mass=1000.0))
    robot = scene.body("robot", sh.Box(1.0, 0.6, 0.4, mass=200.0), position=(LENGTH - 0.2 + 1.0, 0, 0))
    for body in (trailer, robot):
        rail = sh.Prismatic(axis=(1, 0, 0), anchor=body.spec.position)
        scene.joint(f"{body.name} rail", rail, scene.world, body)
    rope = scene.rope(
        "rope",
        [(0.5, 0, 0), (LENGTH - 0.2 + 0.5, 0, 0)],
        length=LENGTH,
        radius=0.015,
        density=1200.0,
        youngs_modulus=5e4,
        shear_modulus=1e5,
        start=sh.Tie(body=trailer),
        end=sh.Tie(body=robot),
    )

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        energy = (run[scene.energy].values + run[rope.elastic_energy].values)[run.time > 1.01]
        apart = run[robot.position].values[:, 0] - run[trailer.position].values[:, 0] - 1.0
        steps = np.sum(np.arange(0.5, 200) * DT < 1.0)
        return [
            sh.Figure("error of length", run[rope.stretch].values.max(), "", expected=0.0, tolerance=1e-3),
            sh.Figure("greatest distance", apart.max(), "m", expected=LENGTH, tolerance=LENGTH * 1e-3),
            sh.Figure(
                "energy gained after the pull", max(np.diff(energy).max(), 0.0), "J", expected=0.0, tolerance=0.01
            ),
            sh.Figure("momentum", run[scene.momentum].values[-1, 0], "N s", PULL * steps * DT, tolerance=1e-6),
        ]

    return sh.Experiment(
        scene,
        time=60.0,
        dt=DT,
        force={robot: lambda t: (PULL if t < 1.0 else 0.0, 0.0, 0.0)},
        plots=[(trailer.velocity, robot.velocity, rope.highest_tension)],
        figures=figures,
        settings={"integrator": "semi-implicit-euler"},  # the paper's step, whose figures these are
    )


if __name__ == "__main__":
    experiment().show()
