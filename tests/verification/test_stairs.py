"""A tracked robot climbs: a single step, and a stair of five, with nothing but its belts."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sh
from sharnir.assemblies.robots import mf4

RISE, TREAD, START, LANDING = 0.12, 0.30, 1.2, 1.5  # m


def stair(steps: int) -> tuple[sh.Scene, sh.Body, list[sh.Joint]]:
    """The robot before a stair that ends in a landing."""
    scene = sh.Scene("stair")
    scene.material("rubber", sh.Material(friction=1.0))
    scene.ground(material="rubber")
    for i in range(steps):
        length = (steps - i) * TREAD + LANDING
        place = (START + i * TREAD + length / 2, 0, RISE * (i + 0.5))
        contact = sh.Contact(material="rubber")
        scene.body(f"step{i}", sh.Box(length, 3.0, RISE), position=place, fixed=True, contact=contact)
    robot = mf4(scene)
    hinges = [joint for joint in scene.joints.values() if "sprocket" in joint.name]
    return scene, robot.vehicle.chassis, hinges


@pytest.mark.parametrize("steps", [1, 5], ids=["a step", "a stair"])
def test_a_tracked_robot_climbs(steps: int) -> None:
    scene, chassis, hinges = stair(steps)
    sim = sh.Simulation(scene, dt=0.005)
    for hinge in hinges:
        sim.set(hinge.voltage(), 0.7)
    top = RISE * steps
    for _ in range(90):  # s/10, until the robot is on the landing
        sim.step(20)
        if sim.get(chassis.position)[0] > START + steps * TREAD + 0.4:
            break
    sim_position, up = sim.get(chassis.position), sim.get(chassis.rotation)
    assert sim_position[2] == pytest.approx(top, abs=1e-3)  # the chassis' frame lies on the ground under its tracks
    assert abs(2.0 * np.arcsin(np.hypot(up[0], up[1]))) < 0.01  # level again
    assert max(-touch.gap for touch in sim.contacts()) < 1e-3  # and not sunk into the stone
