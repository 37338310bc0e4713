"""A first hinge: a wheel with dry friction in its bearing runs out.

The friction T takes the speed down along a straight line: with inertia I it rests after I w/T, turned by I w²/(2 T).
"""

import sharnir as sh


def experiment() -> sh.Experiment:
    """A wheel of I = 10 kg (0.2 m)²/2 = 0.2 kg m² at 6 rad/s, with 0.4 N m of friction."""
    scene = sh.Scene("run-out")
    wheel = scene.body("wheel", sh.Cylinder(0.2, 0.05, mass=10.0), angular_velocity=(0, 0, 6.0))
    bearing = scene.joint("bearing", sh.Revolute(axis=(0, 0, 1)), scene.world, wheel, friction=sh.Coulomb(0.4))

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        angle, speed = float(run[bearing.angle][-1]), float(run[bearing.speed][-1])
        return [
            sh.Figure("angle at rest", angle, "rad", expected=0.2 * 6**2 / (2 * 0.4), tolerance=6 * 0.005 / 2 + 1e-6),
            sh.Figure("speed at the end", speed, "rad/s", expected=0.0, tolerance=1e-9),
        ]

    return sh.Experiment(scene, time=4.0, dt=0.005, plots=[(bearing.angle, bearing.speed)], figures=figures)


if __name__ == "__main__":
    experiment().show()
