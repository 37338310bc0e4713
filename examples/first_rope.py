"""A first rope: a load swings on it, and pulls hardest where it passes the lowest point.

Let go at the angle a from the vertical, a mass m passes the lowest point with m v² = 2 m g L (1 - cos a). The rope
holds its weight and its centripetal force, m g (3 - 2 cos a) together; its own mass is 0.5 % of the load's.
"""

import math

import sharnir as sh

ANGLE, LENGTH, MASS = math.radians(30.0), 2.0, 5.0  # rad, m, kg


def experiment() -> sh.Experiment:
    """A ball of 5 kg on a rope of 4 mm and 25 g, let go 30° to the side."""
    scene = sh.Scene("swing")
    end = (LENGTH * math.sin(ANGLE), 0.0, -LENGTH * math.cos(ANGLE))
    ball = scene.body("ball", sh.Sphere(0.05, mass=MASS), position=end)
    ties = sh.Tie(body="world"), sh.Tie(body="ball")
    rope = scene.rope("rope", [(0, 0, 0), end], radius=0.002, density=1000.0, start=ties[0], end=ties[1])

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        pull, expected = float(run[rope.tension("start")].max()), MASS * 9.81 * (3 - 2 * math.cos(ANGLE))
        return [sh.Figure("highest pull", pull, "N", expected, tolerance=0.01 * expected)]

    return sh.Experiment(scene, time=3.0, plots=[(ball.position, rope.tension("start"))], figures=figures)


if __name__ == "__main__":
    experiment().show()
