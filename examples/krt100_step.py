"""KRT-100 with its trailer drives its right wheels onto a step: paper 003, figure 6.

The robot's six wheels hang on double wishbones with torsion bars, the trailer's four on sliding pillars with coils. At
0.54 m/s the right wheels climb a step of 5 cm, one after the other. As in the paper's figure the right wheels are
pushed up into the body, the left ones drop out of it, and the body leans. With all right wheels on the step, track
0.6 m, the line through the wheels of an axle is tilted by asin(0.05/0.6) = 4.78°; the body leans a little more, because
its weight then rests more on the left springs.

The same with another suspension: ``experiment("macpherson")``.
"""

import math

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.assemblies.robots import krt100
from sharnir.assemblies.robots.krt100 import DAMPING, STIFFNESS, TRACK, TRAVEL
from sharnir.assemblies.suspensions import SUSPENSIONS, Corner

STEP, BEGIN, LENGTH = 0.05, 0.8, 5.0  # m: height of the step, where it begins, how long it is
VOLTAGE = 0.6


def experiment(suspension: str = "") -> sh.Experiment:
    """The scene, its inputs and its figures; ``suspension`` is one of the six types instead of the robot's own."""
    scene = sh.Scene("krt100 step")
    scene.ground()
    scene.body("step", sh.Box(LENGTH, 0.8, 2 * STEP), position=(BEGIN + LENGTH / 2, -0.5, 0.0), fixed=True)
    own = None
    if suspension:
        spring = sh.Coil(STIFFNESS, DAMPING, at_wheel=True)
        own = SUSPENSIONS[suspension]().scaled(0.6, travel=TRAVEL, spring=spring)
    robot = krt100(scene, suspension=own)
    vehicle = robot.vehicle
    front = vehicle.axles["front"]

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        left, right = (1e3 * rise(run, vehicle.chassis, corner.wheel) for corner in front.corners)
        line, half = wheel_line(run, vehicle.axles["middle"].corners), 500 * STEP
        expected = math.degrees(math.asin(STEP / TRACK))
        return [
            # somewhere between nothing and the whole step
            sh.Figure("right front wheel is pushed up by", right.max(), "mm", expected=half, tolerance=half - 5),
            sh.Figure("left front wheel drops by", -left.min(), "mm", expected=half, tolerance=half - 5),
            sh.Figure("line through the wheels at the end", line, "°", expected=expected, tolerance=0.1),
            # more than the line through the wheels, by less than a degree
            sh.Figure("body leans at the end", lean(run, vehicle.chassis), "°", expected=line + 0.5, tolerance=0.5),
        ]

    drives = [corner.spin.voltage() for corner in vehicle.corners]
    travels = (front.left.travel, front.right.travel)
    return sh.Experiment(
        scene,
        time=6.5,
        dt=0.005,
        voltage=dict.fromkeys(drives, VOLTAGE),
        settings={"iterations": 20},
        plots=[(*travels, vehicle.chassis.angular_velocity, vehicle.chassis.position)],
        figures=figures,
    )


def rise(run: sh.Trajectory, chassis: sh.Body, wheel: sh.Body) -> np.ndarray:
    """How far a wheel is above its neutral place in the chassis over time, m."""
    pose = spatial.Pose(run[chassis.position].values, run[chassis.rotation].values)
    height = pose.inverse().point(run[wheel.position].values)[:, 2]
    return height - height[0]


def wheel_line(run: sh.Trajectory, corners: tuple[Corner, Corner]) -> float:
    """The tilt of the line from the left to the right wheel at the end, degrees."""
    left, right = (run[corner.wheel.position].values[-1] for corner in corners)
    return math.degrees(math.atan2(right[2] - left[2], np.hypot(*(right - left)[:2])))


def lean(run: sh.Trajectory, body: sh.Body) -> float:
    """How far a body leans to the left at the end, degrees."""
    left = spatial.rotate(run[body.rotation].values[-1], (0.0, 1.0, 0.0))
    return -math.degrees(math.asin(left[2]))


if __name__ == "__main__":
    experiment().show()
