"""The robots are what their files say."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import sharnir as sh
from sharnir.assemblies.robots import four_wheel_car, krt100, mf4, six_wheel_rover
from sharnir.control.sinks import Drive, Servo
from sharnir.view.robots import ROBOTS as CONSOLES

ROBOTS: dict[str, tuple[Any, float, int]] = {  # kg as the files say, wheels
    "krt100": (krt100, 245.0, 10),
    "mf4": (mf4, 333.0, 0),
    "four_wheel_car": (four_wheel_car, 1164.0, 4),
    "six_wheel_rover": (six_wheel_rover, 174.8, 6),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_mass_and_wheels(name: str) -> None:
    make, mass, wheels = ROBOTS[name]
    scene = sh.Scene(name)
    robot = make(scene)
    found = robot.vehicle.corners + (robot.vehicle.trailer.corners if robot.vehicle.trailer else [])
    assert len(found) == wheels
    assert sum(body.properties.mass for body in scene.bodies.values()) == pytest.approx(mass, abs=0.1)


def test_krt100_is_that_of_the_papers() -> None:
    """[003]: torsion bars in the robot's wishbones, coils on the trailer's pillars; 001: 18, 18 and 15 degrees."""
    scene = sh.Scene("krt100")
    robot = krt100(scene)
    assert len(scene.bodies) == 36
    assert len(scene.joints) == 45
    for corner in robot.vehicle.corners:
        assert corner.coil is None and "angle" in corner.guide.springs and "angle" in corner.spin.drives
    trailer, hitch = robot.vehicle.trailer, robot.vehicle.hitch
    assert trailer is not None and hitch is not None
    for corner in trailer.corners:
        assert corner.coil is not None and isinstance(corner.guide.type, sh.Prismatic)
    wide, narrow = math.radians(18.0), math.radians(15.0)
    assert hitch.ranges == {"swing_x": (-wide, wide), "swing_y": (-wide, wide), "twist": (-narrow, narrow)}


def test_two_robots_in_one_scene() -> None:
    scene = sh.Scene("two")
    krt100(scene, "first", towing=False)
    krt100(scene, "second", position=(0.0, 3.0, 0.0), heading=1.0, suspension=sh.TrailingArm().scaled(0.6))
    assert {"first_chassis", "second_chassis", "second_trailer_chassis"} <= set(scene.bodies)
    sh.Simulation(scene, dt=0.005).step(2)


@pytest.mark.parametrize("name", CONSOLES)
def test_every_console_reaches_its_robot(name: str, tmp_path: Path) -> None:
    """What ``sharnir drive`` offers: each widget, key and stick has its input, each gauge its value, as in a file."""
    experiment = CONSOLES[name]()
    scene = experiment.scene
    assert scene.diagram is not None and scene.panel is not None
    scene.panel.check(scene.diagram, scene)
    offered = {key.input for key in scene.panel.keys}
    for _, widget in scene.panel.widgets():
        offered.update(widget.inputs())
    assert offered == set(scene.diagram.inputs)
    reached = {sink.joint for sink in scene.diagram.outputs.values() if isinstance(sink, (Drive, Servo))}
    moved = {joint.name for joint in scene.joints.values() if joint.drives}
    assert moved - reached == {joint for joint in moved if "rover" in joint and "kingpin" in joint}  # it skids
    loaded = sh.Scene.load(scene.save(tmp_path / "robot.json"))
    assert loaded.panel == scene.panel
    assert loaded.diagram is not None and loaded.diagram.spec == scene.diagram.spec
