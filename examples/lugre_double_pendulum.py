"""A double pendulum with LuGre friction in its pins: swinging out, and driven into a limit cycle (paper 004).

Two rods of 2 m (2 and 1 kg) on pins of 0.2 m radius. The friction follows the pin's own normal force, which depends on
the friction: coefficients 0.3 sliding and 0.4 at rest, bristles of 1e6 1/m. There are two such pendulums:

    free     case 1: let go level, it swings out and rests near the vertical
    driven   case 2: couples of 6 sin(2 pi t) N m on both rods; after about 70 s the motion has period 1 s. It starts
             there, where the exact twin comes back to. The normal force jumps whenever a pin reverses.

The charts are the paper's figures 4 to 9: angle and speed of rod 1 and the normal force of pin 2, with the exact twin.
"""

import math
from functools import cache

import numpy as np

import sharnir as sh
from sharnir.reference import solve

LENGTH, RADIUS = 2.0, 0.2  # m
MASSES = (2.0, 1.0)  # kg
LAW = sh.LuGre(0.3, 0.4, speed=1e-3, stiffness=1e6, damping=100.0, load=sh.Load(radius=RADIUS))
COUPLE = 6.0  # N m
STARTS = {  # joint angles (rad) and speeds (rad/s)
    "free": ((math.pi / 2, 0.0), (0.0, 0.0)),
    "driven": ((0.0366370713, -0.1182646647), (0.1450774490, -1.2263834301)),
}
DT, SECOND = 0.001, 1000  # s, steps in one
ABOUT = "expected is the exact twin, solved beside it; the paper draws curves, and misprints (9): Q for Φᵀ, once 2β²"


def add_pendulum(scene: sh.Scene, name: str, y: float) -> list[sh.Joint]:
    """Two rods hung at height 0; angles count from straight down, and for rod 2 from rod 1."""
    start = STARTS[name]
    angles, speeds = np.cumsum(start[0]), np.cumsum(start[1])
    pin, velocity = np.array([0.0, y, 0.0]), np.zeros(3)
    holder, joints = scene.world, []
    for i, mass in enumerate(MASSES):
        along = LENGTH * np.array([math.sin(angles[i]), 0.0, -math.cos(angles[i])])
        moving = LENGTH * speeds[i] * np.array([math.cos(angles[i]), 0.0, math.sin(angles[i])])
        turn = math.pi / 2 - angles[i]  # about y, from level
        rod = scene.body(
            f"{name}_rod{i + 1}",
            sh.Box(LENGTH, 0.04, 0.04),
            position=pin + along / 2,
            rotation=(0, math.sin(turn / 2), 0, math.cos(turn / 2)),
            velocity=velocity + moving / 2,
            angular_velocity=(0, -speeds[i], 0),
            mass=mass,
            inertia=(1e-3 * mass, mass * LENGTH**2 / 12, mass * LENGTH**2 / 12),
        )
        hinge = sh.Revolute(axis=(0, -1, 0), anchor=pin, initial=start[0][i])
        joints.append(scene.joint(f"{name}_pin{i + 1}", hinge, holder, rod, friction=LAW))
        pin, velocity, holder = pin + along, velocity + moving, rod
    return joints


def couple(t: float) -> tuple[float, float, float]:
    """The couple on each driven rod, N m; angles count about -y."""
    return (0.0, -COUPLE * math.sin(2.0 * math.pi * t), 0.0)


def curves(run: sh.Trajectory, pins: list[sh.Joint]) -> dict[str, np.ndarray]:
    """Angle and speed of rod 1, and N of pin 2: the whole pin force F has N and friction F_f at right angles."""
    force = np.linalg.norm(run[pins[1].reaction_force].values, axis=-1)
    friction = np.linalg.norm(run[pins[1].friction_impulse()].values, axis=-1) / run.data.attrs["dt"] / RADIUS
    return {
        "angle of rod 1, rad": run[pins[0].angle].values,
        "speed of rod 1, rad/s": run[pins[0].speed].values,
        "normal force of pin 2, N": np.sqrt(force**2 - friction**2),
    }


@cache
def exact(name: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Times and curves of the exact twin: case 1 for 5 s, case 2 for two periods, of which the second counts."""
    scene = sh.Scene(f"{name} twin")
    pins = add_pendulum(scene, name, 0.0)
    torque = {} if name == "free" else dict.fromkeys(scene.bodies.values(), couple)
    run = solve(scene, 5.0 if name == "free" else 2.0, torque=torque, dt=DT, rtol=1e-8)
    return run.time, curves(run, pins)


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("double pendulum with LuGre friction")
    pins = {name: add_pendulum(scene, name, y) for name, y in (("free", 0.0), ("driven", 1.0))}

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        angle, speed, _ = curves(run, pins["free"]).values()
        twin = exact("free")[1]["angle of rod 1, rad"]
        period = slice(-SECOND, None)  # of the driven one, the last
        turned, _, pressed = (values[period] for values in curves(run, pins["driven"]).values())
        cycle, _, strength = (values[period] for values in exact("driven")[1].values())
        stands = run.time[np.flatnonzero(np.abs(speed) > 1e-3)[-1]]
        hang = math.degrees(angle[-1] + run[pins["free"][1].angle].values[-1])
        paper = {"paper": "004", "note": ABOUT}
        return [
            sh.Figure("case 1: angle 1 at 1 s", angle[SECOND], "rad", twin[SECOND], tolerance=0.002, **paper),
            sh.Figure("angle 1 at 2 s", angle[2 * SECOND], "rad", twin[2 * SECOND], tolerance=0.01, **paper),
            sh.Figure("slower than 1 mrad/s after", stands, "s", expected=24.695, tolerance=0.05, **paper),
            sh.Figure("angle 1 at rest, in its dead zone", math.degrees(angle[-1]), "°", 0.0, tolerance=2.55, **paper),
            sh.Figure("angle 2 at rest, in its dead zone", hang, "°", 0.0, tolerance=4.26, **paper),
            sh.Figure("case 2: amplitude of angle 1", np.ptp(turned) / 2, "rad", np.ptp(cycle) / 2, 5e-4, **paper),
            sh.Figure("largest error of angle 1", np.abs(turned - cycle).max(), "rad", 0.0, tolerance=5e-4, **paper),
            sh.Figure("mean error of N 2", np.abs(pressed - strength).mean(), "N", 0.0, tolerance=0.05, **paper),
            sh.Figure("the exact twin itself, angle 1 at 5 s", twin[-1], "rad", -0.88967, tolerance=6e-6, **paper),
        ]

    def charts(run: sh.Trajectory) -> list[sh.Chart]:
        made = []
        for number, name, shown in ((4, "free", slice(1, None)), (7, "driven", slice(-4 * SECOND, None))):
            times, twin = exact(name)
            title = f"{name} double pendulum with LuGre friction"
            for i, (label, values) in enumerate(curves(run, pins[name]).items()):
                true, after = twin[label][1:], times[1:]
                if name == "driven":  # its last period, laid over the last one shown
                    true, after = true[-SECOND:], run.time[-SECOND:]
                lines = {"Sharnir": (run.time[shown], values[shown]), "exact twin": (after, true)}
                made.append(sh.Chart(f"figure{number + i}", title, label, lines))
        return made

    rods = [scene.bodies[f"driven_rod{i}"] for i in (1, 2)]
    return sh.Experiment(scene, 26.0, DT, torque=dict.fromkeys(rods, couple), charts=charts, figures=figures)


if __name__ == "__main__":
    experiment().show()
