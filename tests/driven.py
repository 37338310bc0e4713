"""A load on a driven axle, and an experiment in a file, for the tests of runs."""

from __future__ import annotations

import sharnir as sh

# An experiment whose diagram has a function in Python, as the file that it comes from.
EXPERIMENT = """\
import sharnir as sh


def half(x):
    return 0.5 * x


def experiment():
    scene = sh.Scene("driven")
    load = scene.body("load", mass=1.0, inertia=(0.4, 0.4, 0.5))
    motor = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    axle = scene.joint("axle", sh.Revolute(), scene.world, load, drive=motor)
    d = scene.diagram = sh.Diagram("driven")
    d.drive(axle, d.function(half, d.input("stick", range=(-1, 1)), name="halved"))
    return sh.Experiment(scene, time=1.0)
"""


def machine() -> sh.Scene:
    """A load that a motor turns."""
    scene = sh.Scene("machine")
    load = scene.body("load", mass=1.0, inertia=(0.4, 0.4, 0.5))
    motor = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    scene.joint("axle", sh.Revolute(), scene.world, load, drive=motor)
    return scene
