"""The ball of a trailer hitch is driven against each of its limits.

The towed trailer of paper 001: the ball joint may turn 18° about X and Z and 15° about Y, the direction of travel.
Three trailers hang on one fixed robot; each is pushed about one axis, to the upper limit and then to the lower one.
Limits are swing-twist: Y is the twist axis, X and Z are components of the swing. There is no gravity, so that each
moves about its own axis only.
"""

import math
from collections.abc import Callable

import numpy as np

import sharnir as sh

LIMITS = {"swing_x": 18.0, "swing_y": 18.0, "twist": 15.0}  # degrees; swing_y turns about -Z
TORQUE = 20.0  # N m
REVERSAL = 1.0  # s


def push_there_and_back(t: float) -> float:
    """The torque (N m) at time t (s)."""
    return TORQUE if t < REVERSAL else -TORQUE


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("trailer hitch", gravity=(0, 0, 0))
    swing, twist = math.radians(18.0), math.radians(15.0)
    limits = sh.SwingTwist(x=(-swing, swing), y=(-swing, swing), twist=(-twist, twist))
    hitches: dict[str, sh.Joint] = {}
    for place, coordinate in enumerate(LIMITS):
        x = 2.0 * place
        trailer = scene.body(f"trailer_{coordinate}", sh.Box(0.6, 0.8, 0.4, mass=50.0), position=(x, -0.7, 0.3))
        ball = sh.Spherical(anchor=(x, 0, 0.3), axis=(0, 1, 0), reference=(1, 0, 0))
        hitches[coordinate] = scene.joint(f"hitch_{coordinate}", ball, scene.world, trailer, limits=limits)

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        found = []
        for name, limit in LIMITS.items():
            angle = np.degrees(run[hitches[name].coordinate(name)].values)
            found.append(sh.Figure(f"largest {name}", angle.max(), "°", expected=limit, tolerance=0.02))
            found.append(sh.Figure(f"smallest {name}", angle.min(), "°", expected=-limit, tolerance=0.02))
        return found

    torque: dict[sh.Joint | sh.Quantity, float | Callable[[float], float]] = {
        hitch.effort(name): push_there_and_back for name, hitch in hitches.items()
    }
    return sh.Experiment(
        scene,
        time=3.0,
        dt=0.001,
        torque=torque,
        plots=[tuple(hitch.coordinate(name) for name, hitch in hitches.items())],
        figures=figures,
    )


if __name__ == "__main__":
    experiment().show()
