"""A winch pays out and reels in a load of 20 kg over a pulley.

The drum, 10 cm in radius, turns in a hinge with a geared DC motor; the rope leaves it, runs over a pulley with friction
and carries the load. The load is lowered by 0.3 of the rated voltage for 4 s and raised by -0.6 of it for 4 s. The rope
that is out is what was laid plus radius times angle; the pull at the drum is the load's weight divided by the
capstan's factor when it is lowered, and times it when it is raised: exp(mu pi/2) = 1.17 for mu = 0.1.
"""

import math

import numpy as np

import sharnir as sh

MASS, DRUM, FRICTION = 20.0, 0.1, 0.1
FACTOR = math.exp(FRICTION * math.pi / 2)


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("winch")
    side = (math.sqrt(0.5), 0, 0, math.sqrt(0.5))
    drum = scene.body("drum", sh.Cylinder(DRUM, 0.3, mass=5.0, rotation=side), position=(0, 0, -DRUM))
    motor = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    hinge = scene.joint("hinge", sh.Revolute(axis=(0, 1, 0), anchor=(0, 0, -DRUM)), scene.world, drum, drive=motor)
    load = scene.body("load", sh.Box(0.2, 0.2, 0.2, mass=MASS), position=(1.0, 0, -1.6))
    rope = scene.rope(
        "rope",
        [(0, 0, 0), (1, 0, 0), (1, 0, -1.5)],
        elements=25,
        radius=0.002,
        density=1000.0,
        winch=sh.Winch(joint=hinge, radius=DRUM, stored=2.0),
        eyelets=(sh.Eyelet(body="world", at=1.0, friction=FRICTION),),
        end=sh.Tie(body=load),
    )

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        out, angle = run[rope.paid_out].values, run[hinge.angle].values
        pull, weight = run[rope.tension("start")].values, MASS * 9.81
        lowering, raising = (run.time > 2) & (run.time < 3.9), (run.time > 6) & (run.time < 7.9)
        return [
            sh.Figure("rope out - laid - r angle", np.abs(out - out[0] - DRUM * angle).max(), "m", 0.0, 1e-5),
            sh.Figure("pull when lowered", pull[lowering].mean(), "N", weight / FACTOR, 0.03 * weight),
            sh.Figure("pull when raised", pull[raising].mean(), "N", weight * FACTOR, 0.03 * weight),
            sh.Figure("error of length", run[rope.stretch].values.max(), "", expected=0.0, tolerance=1e-4),
        ]

    return sh.Experiment(
        scene,
        time=8.0,
        dt=0.005,
        voltage={hinge: lambda t: 0.3 if t < 4.0 else -0.6},
        plots=[(load.position, hinge.angle, rope.tension("start"), rope.tension("end"))],
        figures=figures,
    )


if __name__ == "__main__":
    experiment().show()
