"""Vehicles in contact with the ground: standing, driving, braking, climbing; closed forms beside each."""

from __future__ import annotations

import math
import runpy

import mechanisms as mech
import numpy as np
import pytest

import sharnir as sh
from sharnir.assemblies.robots import krt100
from sharnir.assemblies.suspensions import SUSPENSIONS
from sharnir.assemblies.vehicle import BuiltVehicle
from sharnir.experiment import examples_folder

G = 9.81


def test_a_robot_with_trailer_stands_still() -> None:
    """On level ground KRT-100 and its trailer stay where they were put: every spring carries its share."""
    scene = sh.Scene("standing")
    scene.ground()
    robot = krt100(scene, heading=0.7)
    run = sh.Simulation(scene, dt=0.005).run(0.5, every=10)
    moved = mech.values(run, robot.vehicle.chassis.position) - robot.vehicle.chassis.spec.position
    assert np.abs(moved).max() < 1e-6
    for corner in robot.vehicle.corners:
        assert np.abs(mech.values(run, corner.travel)).max() < 1e-6


def test_driving_speed() -> None:
    """Without resistance v = R U w_idle/r: 0.15 * 0.5 * 300/50 = 0.45 m/s; it starts with T = t_m + m_eff R^2 w_idle/(n
    r^2 M_s) of all that the motors move."""
    scene = sh.Scene("driving")
    scene.ground()
    robot = krt100(scene)
    drives = {corner.spin.voltage(): 0.5 for corner in robot.vehicle.corners}
    run = sh.Simulation(scene, dt=0.005, iterations=20).run(3.0, voltage=drives, every=10)
    assert mech.values(run, robot.vehicle.chassis.velocity)[-1, 0] == pytest.approx(0.45, rel=2e-3)
    assert abs(mech.values(run, robot.vehicle.chassis.position)[-1, 1]) < 1e-3


def rolling(friction: float) -> tuple[sh.Scene, BuiltVehicle, float, float]:
    """Four braked wheels at 2 m/s on ground of a friction; the mass, and the mass with what turns."""
    scene = sh.Scene("braking")
    for name in ("ground", "tread"):
        scene.material(name, sh.Material(friction=friction))
    scene.ground("ground")
    wheel = sh.RoadWheel(0.15, 0.10, mass=3.0, material="tread")
    suspension = sh.TrailingArm(spring=sh.Coil(frequency=8.0))
    axle = {"track": 0.6, "wheel": wheel, "suspension": suspension, "brake": True}
    vehicle = sh.Vehicle(
        shapes=(sh.Box(0.8, 0.3, 0.1, mass=40.0, position=(0.0, 0.0, 0.15)),),
        axles={"front": sh.Axle(x=0.5, **axle), "rear": sh.Axle(x=-0.5, **axle)},
    )
    built = vehicle.build(scene, "robot", speed=2.0)
    mass = sum(body.properties.mass for body in scene.bodies.values())
    turning = sum(corner.wheel.properties.inertia[1, 1] for corner in built.corners) / 0.15**2
    return scene, built, mass, mass + turning


def test_braking_torque() -> None:
    """(m + sum I/R^2) a = -sum T/R while all wheels roll: brakes of 6 N m against a grip of 0.8 m g R/4 = 17 N m."""
    scene, built, _, effective = rolling(0.8)
    sim = sh.Simulation(scene, dt=0.002)
    for corner in built.corners:
        sim.set(corner.brake, 6.0)
    run = sim.run(0.4)
    speed = mech.values(run, built.chassis.velocity)[:, 0]
    # the body pitches and surges on its springs; over whole swings it slows as the wheels do
    assert (speed[-1] - speed[0]) / 0.4 == pytest.approx(-4 * 6.0 / 0.15 / effective, rel=0.05)


def test_locked_wheels_slide() -> None:
    """Brakes that hold the wheels: a = -mu g, until it stands; then it stays."""
    scene, built, *_ = rolling(0.5)
    sim = sh.Simulation(scene, dt=0.002)
    for corner in built.corners:
        sim.set(corner.brake, 1000.0)
    run = sim.run(0.8)
    place, speed, t = (
        mech.values(run, built.chassis.position)[:, 0],
        mech.values(run, built.chassis.velocity)[:, 0],
        mech.times(run),
    )
    assert place[-1] == pytest.approx(2.0**2 / (2 * 0.5 * G), rel=0.02)
    assert np.abs(speed[t > 0.6]).max() < 0.02


@pytest.mark.parametrize("name", SUSPENSIONS)
def test_right_wheels_climb_a_step(name: str) -> None:
    """Figure 6 of paper 003 with every type: right wheels are pushed up, left ones drop, the body leans; with all of
    them up the line through an axle's wheels is tilted by asin(0.05/0.6) = 4.78 degrees and the body by at least it."""
    experiment = runpy.run_path(str(examples_folder() / "krt100_step.py"))["experiment"](name)
    run = experiment.run()
    figures = {figure.name: figure for figure in experiment.report(run)}
    assert all(figure.ok for figure in figures.values()), figures
    line = figures["line through the wheels at the end"].value
    assert line == pytest.approx(math.degrees(math.asin(0.05 / 0.6)), abs=0.1)
    # no joint opens on the way
    assert float(run.data["gap"].max()) < 2e-3
