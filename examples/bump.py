"""A car runs over a half-round bump: front axle, then rear axle, at 18 km/h.

The bump is half of a round bar of 10 cm across, laid over the whole road. Each axle jumps it: the wheels rise by its
5 cm, the suspension takes most of that up, and the body rises far less. The two axles pass one wheelbase apart in time.
"""

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.assemblies.robots import four_wheel_car
from sharnir.assemblies.robots.four_wheel_car import WHEELBASE

SPEED, HEIGHT, BUMP = 5.0, 0.05, 5.0  # m/s, m, m along the road
IDLE = 30.0  # m/s at full voltage


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("bump")
    scene.material("asphalt", sh.Material(friction=0.9))
    scene.ground("asphalt")
    across = spatial.about((1.0, 0.0, 0.0), np.pi / 2)
    scene.body("bump", sh.Capsule(HEIGHT, 3.0), position=(BUMP, 0, 0), rotation=across, fixed=True)
    car = four_wheel_car(scene, speed=SPEED).vehicle
    front, rear = car.axles["front"].left, car.axles["rear"].left

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        t = run.time
        heights = [run[corner.wheel.position].values[:, 2] for corner in (front, rear)]
        wheels = [height - height[0] for height in heights]
        body = run[car.chassis.position].values[:, 2]
        passed = [t[np.argmax(wheel > 0.5 * HEIGHT)] for wheel in wheels]
        sideways = np.abs(run[car.chassis.position].values[:, 1]).max()
        return [
            sh.Figure("front wheel rises by", 1e3 * wheels[0].max(), "mm", expected=1e3 * HEIGHT, tolerance=2.0),
            sh.Figure("rear wheel rises by", 1e3 * wheels[1].max(), "mm", expected=1e3 * HEIGHT, tolerance=2.0),
            sh.Figure("time between the axles", passed[1] - passed[0], "s", WHEELBASE / SPEED, tolerance=0.03),
            # less than half of what the wheels do
            sh.Figure("body rises by", 1e3 * body.max(), "mm", at_least=1.0, at_most=500 * HEIGHT),
            sh.Figure("body is still at the end", 1e3 * np.ptp(body[-100:]), "mm", expected=0.0, tolerance=2.0),
            sh.Figure("it leaves its line by", 1e3 * sideways, "mm", expected=0.0, tolerance=5.0),
        ]

    drives = [corner.spin.voltage() for corner in car.axles["rear"].corners]
    return sh.Experiment(
        scene,
        time=4.0,
        dt=0.005,
        voltage=dict.fromkeys(drives, SPEED / IDLE),
        settings={"iterations": 30},
        plots=[(front.travel, rear.travel, car.chassis.velocity, car.chassis.angular_velocity)],
        figures=figures,
    )


if __name__ == "__main__":
    experiment().show()
