"""A car changes lanes and back: the double lane change at 54 km/h, open loop.

The car of 1.2 t (MacPherson struts in front, double wishbones behind, rack steering, anti-roll bars, tyres) is steered
by two sine waves, to the left lane and back. A car without slip follows its front wheels: with the lateral acceleration
a = A sin(2 pi t/T) it moves over by A T^2/(2 pi), which is 3.5 m for T = 2.5 s and A = 3.52 m/s^2, and that takes the
steering angle L a/v^2. Real tyres creep sideways, by a/(g C) = 0.03 rad in front and behind alike, so that the car
follows a little later and lands within a tenth of the lane.
"""

import math

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.assemblies.robots import four_wheel_car
from sharnir.assemblies.robots.four_wheel_car import WHEELBASE

SPEED, LANE = 15.0, 3.5  # m/s, m
PERIOD = 2.5  # s, of one change
BACK = 3.5  # s, when it returns
SIDEWAYS = LANE * 2 * math.pi / PERIOD**2  # m/s^2
ARM = 0.12  # m, of the steering
IDLE, STALL = 30.0, 2 * 360.0  # m/s at full voltage, N m of both driven wheels
DRAG = 0.012 * 1164.0 * 9.81 * 0.3  # N m at the wheels, of the tyres' rolling


def rack(t: float) -> float:
    """How far the rack is to the left at a time (s), m."""
    wave = 0.0
    for start, sign in ((0.5, 1.0), (BACK, -1.0)):
        if start <= t < start + PERIOD:
            wave = sign * math.sin(2 * math.pi * (t - start) / PERIOD)
    return ARM * WHEELBASE * SIDEWAYS * wave / SPEED**2


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("lane change")
    scene.material("asphalt", sh.Material(friction=0.9))
    scene.ground("asphalt")
    car = four_wheel_car(scene, speed=SPEED).vehicle
    steer = car.axles["front"].steer

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        place, t = run[car.chassis.position].values, run.time
        y = place[:, 1]
        left = spatial.rotate(run[car.chassis.rotation].values, (0.0, 1.0, 0.0))
        roll = np.degrees(np.arcsin(left[:, 2]))
        between = (t > 0.5 + PERIOD) & (t < BACK)
        heights = np.array([run[corner.wheel.position].values[:, 2] for corner in car.corners])
        lift = (heights - heights[:, :1]).max()
        return [
            sh.Figure("in the left lane", y[between].mean(), "m", expected=LANE, tolerance=0.1 * LANE),
            sh.Figure("back in its own lane", y[-1], "m", expected=0.0, tolerance=0.1 * LANE),
            # no more than the springs alone would let it, m h a/(sum of k b^2/2) = 3 degrees
            sh.Figure("largest roll", np.abs(roll).max(), "°", at_least=0.2, at_most=3.0),
            sh.Figure("wheels lift by", 1e3 * lift, "mm", expected=0.0, tolerance=5.0),
            sh.Figure("speed at the end", run[car.chassis.velocity].values[-1, 0], "m/s", SPEED, tolerance=0.5),
        ]

    travels = [corner.travel for corner in car.axles["front"].corners]
    drives = [corner.spin.voltage() for corner in car.axles["rear"].corners]
    return sh.Experiment(
        scene,
        time=7.0,
        dt=0.005,
        voltage=dict.fromkeys(drives, SPEED / IDLE + DRAG / STALL),
        target={steer: rack},
        settings={"iterations": 30},
        plots=[(steer.displacement, *travels, car.chassis.velocity, car.chassis.angular_velocity)],
        figures=figures,
    )


if __name__ == "__main__":
    experiment().show()
