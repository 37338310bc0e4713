"""Twelve tasks that a new user set himself, as short as they are written from the documentation.

A program of its own that needs nothing but Sharnir, so that it runs in an installation: ``newcomer_tasks.py NAME``
builds a scene, runs it and prints a number that only a scene in motion has. ``startup.py`` measures how long that takes
on an empty kernel cache.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sh
from sharnir.assemblies.robots import four_wheel_car, mf4

GEARED = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
DT = 0.005  # s


def _door(**carried: object) -> tuple[sh.Scene, sh.Joint]:
    scene = sh.Scene("door")
    leaf = scene.body("leaf", sh.Box(0.9, 0.04, 2.0, mass=26.0), position=(0.45, 0, 1))
    return scene, scene.joint("hinge", sh.Revolute(axis=(0, 0, 1)), scene.world, leaf, **carried)


def door() -> float:
    """A door with dry friction is pushed and let go."""
    scene, hinge = _door(friction=sh.Coulomb(20.0))
    run = sh.Simulation(scene, dt=DT).run(1.5, torque={hinge: lambda t: 60.0 if t < 0.33 else 0.0})
    return float(run[hinge.angle][-1])


def many_doors() -> float:
    """Ten thousand doors whose friction varies."""
    scene, hinge = _door(friction=sh.Coulomb(20.0))
    sim = sh.Simulation(scene, dt=DT, worlds=10_000)
    sim.set(hinge.friction_level(), np.random.default_rng(0).normal(20.0, 1.0, 10_000))
    sim.set(hinge.effort(), 60.0)
    sim.step(100)
    return float(np.mean(sim.get(hinge.angle)))


def arm() -> float:
    """A six-axis arm holds its pose with servos."""
    scene, before = sh.Scene("arm"), None
    servo = sh.PositionServo(GEARED, gain=20.0, damping=1.0)
    for i in range(6):
        link = scene.body(f"link{i}", sh.Box(0.4, 0.08, 0.08, mass=2.0), position=(0.4 * i + 0.2, 0, 0))
        hinge = sh.Revolute(axis=(0, 1, 0) if i % 2 else (0, 0, 1), anchor=(0.4 * i, 0, 0))
        scene.joint(f"axis{i}", hinge, before or scene.world, link, drive=servo, limits=(-2.0, 2.0))
        before = link
    sim = sh.Simulation(scene, dt=DT)
    sim.step(200)
    return float(np.abs(sim.get(scene.joints["axis1"].angle)))


def stewart() -> float:
    """A platform on six legs, each with a slide between two balls."""
    scene = sh.Scene("Stewart platform")
    plate = scene.body("plate", sh.Cylinder(0.4, 0.05, mass=40.0), position=(0, 0, 1.0))
    for i in range(6):
        angle = math.pi / 3 * i
        low = np.array([0.8 * math.cos(angle + 0.2 * (-1) ** i), 0.8 * math.sin(angle + 0.2 * (-1) ** i), 0.0])
        high = np.array([0.4 * math.cos(angle - 0.2 * (-1) ** i), 0.4 * math.sin(angle - 0.2 * (-1) ** i), 1.0])
        along = (high - low) / np.linalg.norm(high - low)
        halves = [
            scene.body(f"{end}{i}", sh.Box(0.05, 0.05, 0.05, mass=2.0), position=tuple(low + share * (high - low)))
            for end, share in (("lower", 0.25), ("upper", 0.75))
        ]
        scene.joint(f"foot{i}", sh.Universal(anchor=tuple(low)), scene.world, halves[0])
        slide = sh.Prismatic(axis=tuple(along), anchor=tuple((low + high) / 2))
        scene.joint(f"leg{i}", slide, *halves, spring=sh.Spring(2e4, 200.0))
        scene.joint(f"head{i}", sh.Spherical(anchor=tuple(high)), halves[1], plate)
    sim = sh.Simulation(scene, dt=0.002)
    sim.step(200)
    return 1.0 - float(sim.get(plate.position)[2])


def four_bar() -> float:
    """A four-bar linkage turned by a torque."""
    scene = sh.Scene("four-bar")
    crank = scene.body("crank", sh.Box(0.02, 0.02, 0.4, mass=1.0), position=(0, 0, 0.2))
    coupler = scene.body("coupler", sh.Box(1.0, 0.02, 0.02, mass=1.0), position=(0.5, 0, 0.4))
    rocker = scene.body("rocker", sh.Box(0.02, 0.02, 0.4, mass=1.0), position=(1.0, 0, 0.2))
    pins = [
        scene.joint(f"pin{i}", sh.Revolute(axis=(0, 1, 0), anchor=at), a, b)
        for i, (at, a, b) in enumerate(
            [
                ((0, 0, 0), scene.world, crank),
                ((0, 0, 0.4), crank, coupler),
                ((1, 0, 0.4), coupler, rocker),
                ((1, 0, 0), rocker, scene.world),
            ]
        )
    ]
    run = sh.Simulation(scene, dt=0.001).run(0.5, torque={pins[0]: 2.0})
    return float(run[pins[0].angle][-1])


def car() -> float:
    """A car on springs crosses a bump beside which it did not stand before."""
    scene = sh.Scene("car")
    scene.ground()
    scene.body("bump", sh.Box(0.3, 2.0, 0.06), position=(2.0, 0.6, 0.0), fixed=True)
    built = four_wheel_car(scene, speed=3.0).vehicle
    sim = sh.Simulation(scene, dt=DT)
    sim.step(100)
    return float(sim.get(built.chassis.position)[0])


def tracks() -> float:
    """A tracked robot turns on the spot on uneven ground."""
    scene = sh.Scene("tracks")
    bumps = sh.Roughness(rms=0.005, shortest=0.5, longest=4.0, seed=1)
    scene.terrain("field", sh.HeightField(relief=bumps, size=(8.0, 8.0), spacing=(0.1, 0.1)))
    tracked = mf4(scene, position=(0.0, 0.0, 0.03)).vehicle
    sim = sh.Simulation(scene, dt=DT)
    for side, turns in ((tracked.tracks.left, -0.5), (tracked.tracks.right, 0.5)):
        sim.set(side.spin.voltage(), turns)
    sim.step(100)
    return float(np.linalg.norm(sim.get(tracked.chassis.angular_velocity)))


def crane() -> float:
    """A load swings from a crane's jib by a rope."""
    scene = sh.Scene("crane")
    load = scene.body("load", sh.Box(0.3, 0.3, 0.3, mass=100.0), position=(0.5, 0, 0.85), velocity=(1, 0, 0))
    ends = {"start": sh.Tie(body="world"), "end": sh.Tie(body=load)}
    scene.rope("rope", [(0.5, 0, 4), (0.5, 0, 1)], elements=20, radius=0.01, density=7800.0, **ends)
    sim = sh.Simulation(scene, dt=DT)
    sim.step(200)
    return float(np.abs(sim.get(load.position)[0] - 0.5))


def hoist() -> float:
    """A hoist with a self-locking gear lifts a load by its servo."""
    scene = sh.Scene("hoist")
    drum = scene.body("drum", sh.Sphere(0.1, mass=10.0), position=(0, 0, 3))
    gear = sh.DcDrive(stall_torque=2.0, idle_speed=300.0, time_constant=0.02, ratio=60.0, self_locking=True)
    servo = sh.SpeedServo(gear, gain=0.5, integral=2.0)
    hinge = scene.joint("hinge", sh.Revolute(axis=(0, 1, 0), anchor=(0, 0, 3)), scene.world, drum, drive=servo)
    load = scene.body("load", sh.Box(0.2, 0.2, 0.2, mass=20.0), position=(0.1, 0, 1.0))
    winch = sh.Winch(joint=hinge, radius=0.1, stored=1.0)
    path = [(0.1, 0, 3), (0.1, 0, 1.1)]
    scene.rope("rope", path, elements=15, radius=0.004, density=7800.0, winch=winch, end=sh.Tie(body=load))
    sim = sh.Simulation(scene, dt=DT)
    sim.set(hinge.target(), 1.0)
    sim.step(200)
    return float(np.abs(sim.get(hinge.angle)))


def speed_servo() -> float:
    """A motor is held at a speed by a sampled servo."""
    scene = sh.Scene("servo")
    wheel = scene.body("wheel", sh.Cylinder(0.2, 0.05, mass=5.0), position=(0, 0, 0))
    servo = sh.SpeedServo(GEARED, gain=0.5, integral=5.0)
    axle = scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, wheel, drive=servo)
    run = sh.Simulation(scene, dt=DT).run(1.0, target={axle: 2.0})
    return float(run[axle.speed][-1])


def pendulum_friction() -> float:
    """A pendulum with viscous and dry friction runs down, for a fit of both."""
    scene = sh.Scene("pendulum")
    rod = scene.body("rod", sh.Box(1.0, 0.03, 0.03, mass=1.0), position=(0.5, 0, 0))
    law = sh.Stribeck(0.05, 0.05, 0.01, viscous=0.02)
    pivot = scene.joint("pivot", sh.Revolute(axis=(0, 1, 0)), scene.world, rod, friction=law)
    run = sh.Simulation(scene, dt=0.001).run(1.0)
    return float(np.abs(run[pivot.angle][-1]))


URDF = """<robot name="two links">
  <link name="base"/>
  <link name="one"><inertial><origin xyz="0.25 0 0"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="two"><inertial><origin xyz="0.25 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="0" velocity="10"/><dynamics friction="0.1"/></joint>
  <joint name="elbow" type="revolute"><parent link="one"/><child link="two"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="0" velocity="10"/></joint>
</robot>
"""


def imported() -> float:
    """A robot comes from a URDF and falls."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "robot.urdf"
        file.write_text(URDF, encoding="utf-8")
        scene = sh.Scene.load(file, motors=False)
    sim = sh.Simulation(scene, dt=DT)
    sim.step(50)
    return float(np.abs(sim.get(scene.joints["shoulder"].angle)))


TASKS = {
    task.__name__: task
    for task in (
        door,
        many_doors,
        arm,
        stewart,
        four_bar,
        car,
        tracks,
        crane,
        hoist,
        speed_servo,
        pendulum_friction,
        imported,
    )
}


if __name__ == "__main__":
    print(TASKS[sys.argv[1]]())
