"""KRT-100 with its trailer drives its right wheels onto a step, with each of the six suspensions ([003], figure 6).

Six robots in one scene; one has its own double wishbones with torsion bars, the others coils of the same rate. At
0.54 m/s the right wheels climb a step of H = 5 cm, one after the other. As in the paper's figure the right wheels are
pushed up into the body, the left ones drop out of it, and the body leans. In the end the line through the wheels of an
axle, track b = 0.6 m, is tilted by atan(H/b) = 4.764°. The body leans at least as far, because its weight then rests
more on the left springs, and at most by the moment of all weights about the ground over the springs of n axles more:

    asin(H/b) < roll < asin(H/b) + sum m_i h_i g sin(roll) / (n k b^2/2)

Where it stops in between is a matter of the roll centres and of the friction that holds the wheels sideways.
"""

import math

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.assemblies.robots import krt100
from sharnir.assemblies.robots.krt100 import DAMPING, STIFFNESS, TRACK, TRAVEL, WHEEL
from sharnir.assemblies.suspensions import SUSPENSIONS, Corner
from sharnir.assemblies.vehicle import BuiltVehicle

STEP, BEGIN, LENGTH, LANE = 0.05, 0.8, 5.0, 1.6  # m: height and place of the step, its length, robots side by side
VOLTAGE, G = 0.6, 9.81  # of the rated one, m/s^2
TILT = math.asin(STEP / TRACK)  # rad


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("krt100 step")
    scene.ground()
    robots: dict[str, BuiltVehicle] = {}
    for i, (kind, suspension) in enumerate(SUSPENSIONS.items()):
        y, name = LANE * i, kind.replace("_", " ")
        scene.body(f"step{i}", sh.Box(LENGTH, 0.8, 2 * STEP), position=(BEGIN + LENGTH / 2, y - 0.5, 0), fixed=True)
        coils = suspension().scaled(0.6, travel=TRAVEL, spring=sh.Coil(STIFFNESS, DAMPING, at_wheel=True))
        own = None if kind == "double_wishbone" else coils
        robots[name] = krt100(scene, name, (0.0, y, 0.0), suspension=own).vehicle

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        rolls = {name: math.degrees(lean(run, robot)[-1]) for name, robot in robots.items()}
        highest = {name: math.degrees(largest_roll(scene, name, len(robot.axles))) for name, robot in robots.items()}
        axles = [robot.axles["middle"].corners for robot in robots.values()]
        lines = np.array([wheel_line(run, *corners) for corners in axles])
        line = math.degrees(math.atan(STEP / TRACK))
        worst = np.argmax(np.abs(lines - line))
        stands = max(max(abs(height(run, left)), abs(height(run, right) - STEP)) for left, right in axles)
        fronts = [(robot, robot.axles["front"].corners) for robot in robots.values()]
        up = min(1e3 * rise(run, robot, corners[1]).max() for robot, corners in fronts)
        down = min(-1e3 * rise(run, robot, corners[0]).min() for robot, corners in fronts)
        about = "the paper shows a picture of the pose; its angles are those of a step of 5 cm and a track of 0.6 m"
        paper = {"paper": "003", "note": about}
        return [
            *(
                sh.Figure(f"roll, {name}", roll, "°", at_least=math.degrees(TILT), at_most=highest[name], **paper)
                for name, roll in rolls.items()
            ),
            sh.Figure("line through wheels, farthest of six", lines[worst], "°", line, tolerance=0.1, **paper),
            sh.Figure("right wheels rise by, least of six", up, "mm", at_least=10.0, **paper),
            sh.Figure("left wheels drop by, least of six", down, "mm", at_least=10.0, **paper),
            sh.Figure("wheels above or below what they stand on", 1e3 * stands, "mm", at_most=0.2),
            sh.Figure("widest gap of a joint", 1e3 * float(run.data["gap"].max()), "mm", at_most=0.2),
        ]

    def charts(run: sh.Trajectory) -> list[sh.Chart]:
        rolls = {name: (run.time, np.degrees(lean(run, robot))) for name, robot in robots.items()}
        made = [sh.Chart("roll", "roll of the body", "roll, °", rolls, {"asin(H/b)": math.degrees(TILT)})]
        for side in ("left", "right"):
            fronts = {name: (robot, getattr(robot.axles["front"], side)) for name, robot in robots.items()}
            rises = {name: (run.time, 1e3 * rise(run, *front)) for name, front in fronts.items()}
            made.append(sh.Chart(f"{side}-wheels", f"{side} front wheel in the body", "rise, mm", rises))
        return made

    drives = [corner.spin.voltage() for robot in robots.values() for corner in robot.corners]
    voltage = dict.fromkeys(drives, VOLTAGE)
    settings = {"iterations": 20}
    return sh.Experiment(scene, 6.5, 0.005, voltage=voltage, settings=settings, charts=charts, figures=figures)


def largest_roll(scene: sh.Scene, name: str, axles: int) -> float:
    """The largest roll (rad) of a robot at rest on the step; its trailer leans by itself."""
    own = [body for key, body in scene.bodies.items() if key.startswith(name) and "trailer" not in key]
    moment = sum(body.properties.mass * body.pose.point(body.properties.center)[2] for body in own)
    roll = TILT
    for _ in range(20):
        roll = TILT + moment * G * math.sin(roll) / (axles * STIFFNESS * TRACK**2 / 2)
    return roll


def lean(run: sh.Trajectory, robot: BuiltVehicle) -> np.ndarray:
    """How far the body leans to the left over time, rad."""
    return -np.arcsin(spatial.rotate(run[robot.chassis.rotation].values, (0.0, 1.0, 0.0))[:, 2])


def rise(run: sh.Trajectory, robot: BuiltVehicle, corner: Corner) -> np.ndarray:
    """How far a wheel is above its neutral place in the chassis over time, m."""
    pose = spatial.Pose(run[robot.chassis.position].values, run[robot.chassis.rotation].values)
    heights = pose.inverse().point(run[corner.wheel.position].values)[:, 2]
    return heights - heights[0]


def wheel_line(run: sh.Trajectory, left: Corner, right: Corner) -> float:
    """The tilt of the line through two wheels at the end, degrees."""
    apart = run[right.wheel.position].values[-1] - run[left.wheel.position].values[-1]
    return math.degrees(math.atan2(apart[2], math.hypot(apart[0], apart[1])))


def height(run: sh.Trajectory, corner: Corner) -> float:
    """The height of a wheel's lowest point at the end, m: of a ring of tubes, r below the ring's lowest point."""
    tube = WHEEL.width / 2
    sine = spatial.rotate(run[corner.wheel.rotation].values[-1], (0.0, 1.0, 0.0))[2]
    return run[corner.wheel.position].values[-1, 2] - tube - (WHEEL.radius - tube) * math.sqrt(1 - sine**2)


if __name__ == "__main__":
    experiment().show()
