"""KRT-100 takes its trailer through tight turns, over a hill and over blocks: the ball of its hitch meets its limits.

The towed trailer of [001]: the ball joint may turn by 18° about the vertical and the transverse axis (X and Z in
the paper) and by 15° about the way ahead (Y in the paper). Three robots with trailers drive in one scene. One turns on
the spot, first to the left, then to the right; one crosses a ridge with slopes of 20°; one drives its left wheels over
one row of blocks and its right wheels over another, so that robot and trailer twist against each other. Limits are
swing-twist: the way ahead is the twist axis, yaw and pitch are components of the swing.
"""

import math

import numpy as np

import sharnir as sh
from sharnir.assemblies.robots import krt100

YAW, PITCH, ROLL = 18.0, 18.0, 15.0  # degrees
ABOUT = "a step of 5 ms; the tolerance is the step's order, 0.2° at 10 ms and 0.02° at 1 ms"
REVERSAL = 4.0  # s, when the first robot turns the other way
SLOPE, CREST = math.radians(20.0), 0.35  # rad, m


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("trailer hitch")
    scene.ground()
    turning = krt100(scene, "turning", (0.0, 6.0, 0.0))
    climbing = krt100(scene, "climbing", (0.0, 0.0, 0.0))
    twisting = krt100(scene, "twisting", (0.0, -6.0, 0.0))
    add_ridge(scene, x=2.2, y=0.0)
    for i, (x, side) in enumerate(((1.2, 1.0), (2.55, -1.0))):
        scene.body(f"block{i}", sh.Box(1.2, 0.5, 0.3), position=(x, -6.0 + 0.3 * side, 0.0), fixed=True)

    voltage = {}
    for corner in turning.vehicle.left:
        voltage[corner.spin.voltage()] = lambda t: -0.6 if t < REVERSAL else 0.6
    for corner in turning.vehicle.right:
        voltage[corner.spin.voltage()] = lambda t: 0.6 if t < REVERSAL else -0.6
    for robot in (climbing, twisting):
        voltage |= dict.fromkeys([corner.spin.voltage() for corner in robot.vehicle.corners], 0.6)

    angles = [
        robot.vehicle.hitch.coordinate(name)
        for robot, name in ((turning, "swing_y"), (climbing, "swing_x"), (twisting, "twist"))
    ]

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        yaw, pitch, roll = (np.degrees(run[angle].values) for angle in angles)
        close = {"tolerance": 0.1, "paper": "001", "note": ABOUT, "printed": True}
        return [
            sh.Figure("hitch about Z (yaw), largest", yaw.max(), "°", YAW, **close),
            sh.Figure("hitch about Z, smallest", yaw.min(), "°", -YAW, **close),
            sh.Figure("hitch about X (pitch), largest", pitch.max(), "°", PITCH, **close),
            sh.Figure("hitch about X, smallest", pitch.min(), "°", -PITCH, **close),
            sh.Figure("hitch about Y (roll), largest", np.abs(roll).max(), "°", ROLL, **close),
            sh.Figure("widest gap of a joint", 1e3 * float(run.data["gap"].max()), "mm", at_most=1.0),
        ]

    def charts(run: sh.Trajectory) -> list[sh.Chart]:
        names = ("yaw of the robot that turns", "pitch of the one on the ridge", "roll of the one on blocks")
        curves = {name: (run.time, np.degrees(run[angle].values)) for name, angle in zip(names, angles, strict=True)}
        levels = {f"{level:+g}°": level for level in (YAW, ROLL, -ROLL, -YAW)}
        return [sh.Chart("angles", "the trailer's hitch", "angle, °", curves, levels)]

    return sh.Experiment(
        scene,
        time=8.0,
        dt=0.005,
        voltage=voltage,
        settings={"iterations": 20},
        plots=[tuple(angles)],
        charts=charts,
        figures=figures,
    )


def add_ridge(scene: sh.Scene, x: float, y: float) -> None:
    """A ridge across the way, two planks leaning against each other, its crest at x."""
    length = CREST / math.sin(SLOPE) + 0.5
    for i, sign in enumerate((1.0, -1.0)):
        # a plank whose top edge is the crest, sloping down to the front and to the back
        turn = sign * SLOPE
        along = np.array([sign * math.cos(SLOPE), 0.0, -math.sin(SLOPE)])
        normal = np.array([sign * math.sin(SLOPE), 0.0, math.cos(SLOPE)])
        middle = np.array([x, y, CREST]) + along * length / 2 - 0.05 * normal
        rotation = (0.0, math.sin(turn / 2), 0.0, math.cos(turn / 2))
        scene.body(f"ridge{i}", sh.Box(length, 2.0, 0.1), position=middle, rotation=rotation, fixed=True)


if __name__ == "__main__":
    experiment().show()
