"""A spatial arm follows a path by computed torque: inverse dynamics make every joint a double integrator.

With the efforts e = M (p'' + 2 w x' + w^2 x) + h, where x = p - q is the error to the path p, every joint obeys
x'' + 2 w x' + w^2 x = 0 whatever the arm weighs and however its joints push each other: from a start 0.1 rad off the
path x = 0.1 rad (1 + w t) exp(-w t). What is left is that efforts are held for a step.
"""

import numpy as np

import sharnir as sh

STIFF = 10.0  # 1/s, w
OFF = 0.1  # rad, how far from the path the arm starts
REACH = np.array([0.8, 0.5, 0.9])  # rad
PACE = np.array([2.0, 3.0, 4.0])  # rad/s


def path(time: float | np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles of the joints (rad), their rates and accelerations."""
    wave = np.multiply.outer(time, PACE)
    return OFF + REACH * (1 - np.cos(wave)), REACH * PACE * np.sin(wave), REACH * PACE**2 * np.cos(wave)


def experiment() -> sh.Experiment:
    """The scene, its control law and its figures."""
    scene = sh.Scene("computed torque")
    post = scene.body("post", sh.Cylinder(0.08, 0.4, mass=8.0), position=(0, 0, 0.2))
    upper = scene.body("upper arm", sh.Box(0.6, 0.08, 0.08, mass=4.0), position=(0.3, 0, 0.4))
    lower = scene.body("lower arm", sh.Box(0.5, 0.06, 0.06, mass=2.5), position=(0.85, 0, 0.4))
    waist = scene.joint("waist", sh.Revolute(axis=(0, 0, 1)), scene.world, post)
    shoulder = scene.joint("shoulder", sh.Revolute(axis=(0, 1, 0), anchor=(0, 0, 0.4)), post, upper)
    elbow = scene.joint("elbow", sh.Revolute(axis=(0, 1, 0), anchor=(0.6, 0, 0.4)), upper, lower)
    arm = (waist, shoulder, elbow)

    def control(sim: sh.Simulation) -> None:
        angle, speed, bend = path(sim.time)
        error = angle - [sim.get(joint.angle) for joint in arm]
        error_rate = speed - [sim.get(joint.speed) for joint in arm]
        efforts = sim.inverse_dynamics(bend + 2 * STIFF * error_rate + STIFF**2 * error)
        for joint, effort in zip(arm, efforts.values, strict=True):
            sim.set(joint.effort(), effort)

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        errors = path(run.time)[0] - np.stack([run[joint.angle].values for joint in arm], axis=1)
        law = OFF * (1 + STIFF * run.time) * np.exp(-STIFF * run.time)
        apart = np.abs(errors - law[:, None]).max(axis=0)
        return [
            *(sh.Figure(f"{joint.name} off the law", apart[i], "rad", at_most=2e-3) for i, joint in enumerate(arm)),
            sh.Figure("elbow torque, largest", np.abs(run[elbow.effort()].values).max(), "N m", at_least=5.0),
        ]

    plots = [(waist.angle, shoulder.angle, elbow.angle), (waist.effort(), shoulder.effort(), elbow.effort())]
    return sh.Experiment(scene, time=1.0, dt=0.002, before_step=control, plots=plots, figures=figures)


if __name__ == "__main__":
    experiment().show()
