"""KRT-100 tows its trailer on the rope of paper 002 instead of its ball joint.

The rope is 2.8 m long, 3 cm thick and weighs 2.4 kg; robot and trailer start with 2 cm of slack. The ground resists
rolling by an arm of 2 cm, as soft soil does. The robot drives off, takes up the slack, and from then on the trailer
follows. Both end up at the speed at which the motors carry the resistance of all wheels,

    v = R (w_idle/r)(U - M g a/(n r M_s))

and the rope pulls with H = m g a/R, the resistance of the trailer and its half of the rope. A rope of the weight W hung
between ends at one height is shorter from end to end than along by the share (W/H)^2/24.
"""

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.assemblies.robots import krt100
from sharnir.assemblies.robots.krt100 import WHEEL, WHEEL_DRIVE

VOLTAGE, ROLLING, G = 0.5, 0.02, 9.81  # of the rated one, m, m/s^2
ROPE = sh.RopeHitch()


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("krt100 rope")
    soil = scene.material("soil", sh.Material(rolling_friction=ROLLING))
    scene.ground(soil)
    robot = krt100(scene, hitch=ROPE).vehicle
    trailer = robot.trailer

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
        late = run.time > 2.5  # robot and trailer surge on the rope's sag; over some swings it is the mean that counts
        leading, following = (run[body.velocity].values[late, 0].mean() for body in (robot.chassis, trailer.chassis))
        return [
            sh.Figure("robot's speed", leading, "m/s", expected=speed, tolerance=0.01),
            sh.Figure("trailer's speed", following, "m/s", expected=speed, tolerance=0.01),
            sh.Figure("hitch and coupling apart", apart[late].mean(), "m", expected=ROPE.length - sag, tolerance=1e-3),
            sh.Figure("at most", apart.max(), "m", expected=ROPE.length, tolerance=5e-3),
        ]

    drives = [corner.spin.voltage() for corner in robot.corners]
    return sh.Experiment(
        scene,
        time=5.0,
        dt=0.005,
        voltage=dict.fromkeys(drives, VOLTAGE),
        settings={"iterations": 20},
        plots=[(robot.chassis.velocity, trailer.chassis.velocity)],
        figures=figures,
    )


if __name__ == "__main__":
    experiment().show()
