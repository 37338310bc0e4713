"""A tracked robot pushes a door open with its arm: the experiment of [000], figures 6 and 7, by contact.

The door of the example ``door`` (26.5 kg, 20 N m of dry friction in its hinge) is not given a torque here: a robot of
340 kg on tracks, like the paper's MF-4, stands before it with its wrist at the door's leaf, drives for 0.33 s and then
brakes. There are three phases, as in the paper: the robot pushes the door; the door moves on by itself, slowed by the
friction alone, so its speed falls along a straight line of slope T/I; it stands still. How fast the door is when the
robot leaves it depends on the robot's drives, which the paper does not give; with those assumed here it is close to the
paper's 0.33 s, 0.87 s and 37.6°. From that speed w on the rest follows: it stands after w I/T more seconds and
w^2 I/(2 T) further.
"""

import numpy as np

import sharnir as sh
from sharnir.assemblies.robots import mf4

MASS, WIDTH, FRICTION = 26.487360107, 0.9, 20.0  # kg, m, N m
INERTIA = MASS * (WIDTH**2 / 3 + 0.04**2 / 12)  # kg m^2 about the hinge
DRIVE, DT = 0.33, 0.005  # s
LEVER = 0.53  # m from the hinge to where the robot pushes
REACH = 1.37 + 0.02  # m from the robot's middle to the end of its wrist


def push_then_brake(t: float) -> float:
    """The voltage of both tracks at a time (s): forward, then back until the robot stands."""
    return 1.0 if t < DRIVE else (-1.0 if t < DRIVE + 0.25 else 0.0)


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("robot and door")
    scene.ground()
    robot = mf4(scene, position=(0.0, LEVER, 0.0))
    leaf = REACH + 0.02 + 1e-3  # m: its near face is 1 mm away
    door = scene.body("door", sh.Box(0.04, WIDTH, 2.0, mass=MASS), position=(leaf, WIDTH / 2, 1.02), contact=True)
    axis = sh.Revolute(axis=(0, 0, -1), anchor=(leaf, 0.0, 1.02))
    hinge = scene.joint("hinge", axis, scene.world, door, friction=sh.Coulomb(FRICTION))
    tracks = robot.vehicle.tracks

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        angle, speed, t = run[hinge.angle].values, run[hinge.speed].values, run.time
        slope, alone = np.diff(speed) / np.diff(t), FRICTION / INERTIA
        fastest = int(np.argmax(speed))
        left = fastest + int(np.argmax(np.abs(slope[fastest:] + alone) < 0.01 * alone))
        rest = left + int(np.argmax(np.abs(speed[left:]) < 1e-9))
        moving = slice(left, rest - 1)  # it stops within the last step
        loss = 0.5 * 0.75 * speed[left] ** 3 * DT  # rad/s^2, what a first-order step would lose
        way = speed[left] ** 2 / (2 * alone)  # rad
        off = loss * (speed[left] / alone) ** 2 / 4
        torque = np.abs(run[hinge.friction_impulse()].values[1:, 2]) / np.diff(t)
        return [
            sh.Figure("robot leaves the door after", t[left], "s", expected=DRIVE, tolerance=0.03),
            sh.Figure("door stands so long after that", t[rest] - t[left], "s", speed[left] / alone, tolerance=DT),
            sh.Figure("and so far on", np.degrees(angle[-1] - angle[left]), "°", np.degrees(way), np.degrees(off)),
            sh.Figure("slope of the speed alone", -slope[moving].mean(), "rad/s²", expected=alone, tolerance=loss),
            sh.Figure("its largest departure", np.abs(slope[moving] + alone).max(), "rad/s²", 0.0, tolerance=2 * loss),
            sh.Figure("friction while moving", torque[moving].mean(), "N m", expected=FRICTION, tolerance=1e-6),
            sh.Figure("speed at rest", np.abs(speed[rest:]).max(), "rad/s", expected=0.0, tolerance=1e-9),
        ]

    return sh.Experiment(
        scene,
        time=2.0,
        dt=DT,
        voltage={tracks.left.spin: push_then_brake, tracks.right.spin: push_then_brake},
        plots=[(hinge.angle, hinge.speed, robot.vehicle.chassis.velocity, hinge.stuck())],
        figures=figures,
    )


if __name__ == "__main__":
    experiment().show()
