"""A first vehicle: a car rolls over a bump, and its springs keep the body calm.

The wheels have to rise by the height of the bump, 5 cm; the body rises by less than half of that.
"""

import sharnir as sh
from sharnir.assemblies.robots import four_wheel_car


def experiment() -> sh.Experiment:
    """The car at 5 m/s, and a round bar of 5 cm radius across the road, half sunk into it."""
    scene = sh.Scene("bump")
    scene.ground()
    scene.body("bump", sh.Capsule(0.05, 3.0), position=(5, 0, 0), rotation=(0.5**0.5, 0, 0, 0.5**0.5), fixed=True)
    car = four_wheel_car(scene, speed=5.0).vehicle
    wheel = car.axles["front"].left.wheel

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        heights = {body: run[body.position].values[:, 2] for body in (wheel, car.chassis)}
        rise = {body: 1e3 * float(height.max() - height[0]) for body, height in heights.items()}
        return [
            sh.Figure("front wheel rises by", rise[wheel], "mm", expected=50.0, tolerance=2.0),
            sh.Figure("body rises by", rise[car.chassis], "mm", at_least=1.0, at_most=25.0),
        ]

    return sh.Experiment(scene, time=3.0, plots=[(wheel.position, car.chassis.position)], figures=figures)


if __name__ == "__main__":
    experiment().show()
