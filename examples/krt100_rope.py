"""KRT-100 tows its trailer on the rope of [002] instead of its ball joint, at the paper's steps of 15 ms.

The rope is 2.8 m long, 3 cm thick and weighs 2.4 kg; robot and trailer start with 2 cm of slack. The paper asks for
less than 40 ms a frame, which is 25 frames a second with the picture. The ground resists
rolling by an arm of 2 cm, as soft soil does. The robot drives off, takes up the slack, and from then on the trailer
follows. Both end up at the speed at which the motors carry the resistance of all wheels,

    v = R (w_idle/r)(U - M g a/(n r M_s))

and the rope pulls with H = m g a/R, the resistance of the trailer and its half of the rope. A rope of the weight W hung
between ends at one height is shorter from end to end than along by the share (W/H)^2/24.
"""

import time

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.assemblies.robots import krt100
from sharnir.assemblies.robots.krt100 import WHEEL, WHEEL_DRIVE

VOLTAGE, ROLLING, G = 0.5, 0.02, 9.81  # of the rated one, m, m/s^2
ROPE = sh.RopeHitch()
DT = 0.015  # s
SETTINGS = {"iterations": 20}
ABOUT = "the paper prints the rope's stiffness with r² instead of r⁴; with r⁴ its 15 ms is just below l√(ρ/G) = 15.3 ms"


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("krt100 rope")
    soil = scene.material("soil", sh.Material(rolling_friction=ROLLING))
    scene.ground(soil)
    robot = krt100(scene, hitch=ROPE).vehicle
    trailer, tow = robot.trailer, next(iter(scene.ropes.values()))

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        ends = []
        for chassis, place in ((robot.chassis, (-0.7, 0.0, 0.2)), (trailer.chassis, (0.65, 0.0, 0.2))):
            pose = spatial.Pose(run[chassis.position].values, run[chassis.rotation].values)
            ends.append(pose.point(place))
        apart = np.linalg.norm(ends[0] - ends[1], axis=-1)
        rope = ROPE.own_mass
        mass = sum(body.properties.mass for body in scene.bodies.values()) + rope
        towed = sum(body.properties.mass for name, body in scene.bodies.items() if "trailer" in name) + rope / 2
        motors = len(robot.corners) * WHEEL_DRIVE.ratio * WHEEL_DRIVE.stall_torque
        speed = WHEEL.radius * WHEEL_DRIVE.idle_speed / WHEEL_DRIVE.ratio * (VOLTAGE - mass * G * ROLLING / motors)
        pull = towed * G * ROLLING / WHEEL.radius
        sag = ROPE.length * (rope * G / pull) ** 2 / 24
        late = run.time > 3.0  # robot and trailer surge on the rope's sag; over some swings it is the mean that counts
        tension = run[tow.highest_tension].values
        leading, following = (run[body.velocity].values[late, 0].mean() for body in (robot.chassis, trailer.chassis))
        stretch = 1e3 * ROPE.length * run[tow.stretch].values.max()
        paper = {"paper": "002", "note": ABOUT}
        return [
            sh.Figure("step", 1e3 * DT, "ms", 15.0, tolerance=0.0, printed=True, **paper),
            sh.Figure("computing a frame", 1e3 * frame_time(scene), "ms", at_most=40.0, printed=True, **paper),
            sh.Figure("robot and trailer apart, at most", apart.max(), "m", ROPE.length, 1e-3 * ROPE.length, **paper),
            sh.Figure("error of the rope's length", stretch, "mm", 0.0, tolerance=1.0, **paper),
            sh.Figure("apart while towing, mean", apart[late].mean(), "m", ROPE.length - sag, tolerance=1e-3),
            sh.Figure("pull of the rope", tension[late].mean(), "N", expected=pull, tolerance=0.02 * pull),
            sh.Figure("robot's speed", leading, "m/s", expected=speed, tolerance=0.01 * speed),
            sh.Figure("trailer's speed", following, "m/s", expected=speed, tolerance=0.01 * speed),
        ]

    def charts(run: sh.Trajectory) -> list[sh.Chart]:
        speeds = {
            name: (run.time, run[body.velocity].values[:, 0])
            for name, body in (("robot", robot.chassis), ("trailer", trailer.chassis))
        }
        pull = {"": (run.time, run[tow.highest_tension].values)}
        return [
            sh.Chart("speeds", "robot and trailer on the rope", "speed, m/s", speeds),
            sh.Chart("tension", "the rope between them", "highest tension, N", pull),
        ]

    drives = [corner.spin.voltage() for corner in robot.corners]
    voltage = dict.fromkeys(drives, VOLTAGE)
    return sh.Experiment(scene, 7.995, DT, voltage=voltage, settings=SETTINGS, charts=charts, figures=figures)


def frame_time(scene: sh.Scene, frames: int = 100) -> float:
    """Wall-clock time (s) of a step, the median of many."""
    simulation = sh.Simulation(scene, dt=DT, **SETTINGS)
    times = []
    for _ in range(frames):
        begun = time.perf_counter()
        simulation.step()
        times.append(time.perf_counter() - begun)
    return float(np.median(times))


if __name__ == "__main__":
    experiment().show()
