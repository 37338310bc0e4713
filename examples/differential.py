"""A driven axle with a differential: one wheel on ice spins, and both get the same torque.

The cage turns at the mean of the two wheels, and each wheel gets half of the final drive's torque whatever its speed:

    w_in = r (w_l + w_r)/2,   t_l = t_r = (r/2) (T - I_in w_in')

The left wheel has the inertia of the whole car behind it, the right one its own alone: the light one runs away with
the power.
"""

import sharnir as sh

RATIO, TORQUE = 4.0, 20.0  # of the final drive; N m at the propeller shaft
INERTIAS = {"propeller": 0.02, "left": 40.0, "right": 0.8}  # kg m^2


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("differential", gravity=(0, 0, 0))
    sizes = {"propeller": (0.03, 1.0, (0, 0, 0)), "left": (0.3, 0.2, (-1, 1, 0)), "right": (0.3, 0.2, (1, 1, 0))}
    shafts = {}
    for name, (radius, length, place) in sizes.items():
        inertia = INERTIAS[name]
        turned = (0.0, 0.7071067811865476, 0.0, 0.7071067811865476) if name != "propeller" else (0.0, 0.0, 0.0, 1.0)
        shape = sh.Cylinder(radius, length, mass=2.0 * inertia / radius**2)
        body = scene.body(name, shape, position=place, rotation=turned)
        axis = (0, 0, 1) if name == "propeller" else (1, 0, 0)
        shafts[name] = scene.joint(f"{name} shaft", sh.Revolute(axis=axis, anchor=place), scene.world, body)
    propeller, left, right = shafts.values()
    gear = scene.couple("differential", sh.Differential(RATIO), propeller, left, right)

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        give = RATIO**2 / 4 * (1 / INERTIAS["left"] + 1 / INERTIAS["right"])
        half = RATIO / 2 * TORQUE / (1 + INERTIAS["propeller"] * give)
        time = run.time[-1]
        speeds = [run[shaft.speed].values[-1] for shaft in shafts.values()]
        return [
            sh.Figure("left wheel", speeds[1], "rad/s", half / INERTIAS["left"] * time, 1e-6),
            sh.Figure("right wheel", speeds[2], "rad/s", half / INERTIAS["right"] * time, 1e-5),
            sh.Figure("cage off the mean", speeds[0] - RATIO * (speeds[1] + speeds[2]) / 2, "rad/s", 0.0, 1e-9),
            sh.Figure("torque on the left", run[gear.effort(1)].values[-2], "N m", half, 1e-6),
            sh.Figure("torque on the right", run[gear.effort(2)].values[-2], "N m", half, 1e-6),
        ]

    plots = [(propeller.speed, left.speed, right.speed), (gear.effort(1), gear.effort(2))]
    return sh.Experiment(scene, time=1.0, dt=0.005, torque={propeller: TORQUE}, plots=plots, figures=figures)


if __name__ == "__main__":
    experiment().show()
