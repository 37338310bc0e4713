"""A double pendulum with LuGre friction in its pins: swinging out, and driven into a limit cycle ([004]).

Two rods of 2 m (2 and 1 kg) on pins of 0.2 m radius. The friction follows the pin's own normal force, which depends on
the friction: coefficients 0.3 sliding and 0.4 at rest, bristles of 1e6 1/m. There are two such pendulums:

    free     case 1: let go level, it swings out and rests near the vertical
    driven   case 2: couples of 6 sin(2 pi t) N m on both rods; after about 70 s the motion has period 1 s. It starts
             there, where the exact twin comes back to. The normal force jumps whenever a pin reverses.

The charts are the paper's figures 4 to 9: angle and speed of rod 1 and the normal force of pin 2, with the exact twin.
"""

from functools import cache

import numpy as np

import sharnir as sh
from sharnir.reference import solve

LENGTH, RADIUS, MASSES = 2.0, 0.2, (2.0, 1.0)  # m, m, kg
LAW = sh.LuGre(0.3, 0.4, speed=1e-3, stiffness=1e6, damping=100.0, load=sh.Load(radius=RADIUS))
STARTS = {  # joint angles (rad) and speeds (rad/s)
    "free": ((np.pi / 2, 0.0), (0.0, 0.0)),
    "driven": ((0.0366370713, -0.1182646647), (0.1450774490, -1.2263834301)),
}
DT, SECOND = 0.001, 1000  # s, steps in one
NOTE = "expected is the exact twin, solved beside it; the paper draws curves, and misprints (9): Q for Φᵀ, once 2β²"
PAPER = {"paper": "004", "note": NOTE}


def add_pendulum(scene: sh.Scene, name: str, y: float) -> list[sh.Joint]:
    """Two rods hung at height 0; angles count from straight down, and for rod 2 from rod 1."""
    angles, speeds = np.cumsum(STARTS[name], axis=1)
    pin, velocity, holder, joints = np.array([0.0, y, 0.0]), np.zeros(3), scene.world, []
    for i, mass in enumerate(MASSES):
        along = LENGTH * np.array([np.sin(angles[i]), 0.0, -np.cos(angles[i])])
        moving = LENGTH * speeds[i] * np.array([np.cos(angles[i]), 0.0, np.sin(angles[i])])
        turn = np.pi / 2 - angles[i]  # about y, from level
        rod = scene.body(
            f"{name}_rod{i + 1}",
            sh.Box(LENGTH, 0.04, 0.04),
            position=pin + along / 2,
            rotation=(0, np.sin(turn / 2), 0, np.cos(turn / 2)),
            velocity=velocity + moving / 2,
            angular_velocity=(0, -speeds[i], 0),
            mass=mass,
            inertia=(1e-3 * mass, mass * LENGTH**2 / 12, mass * LENGTH**2 / 12),
        )
        hinge = sh.Revolute(axis=(0, -1, 0), anchor=pin, drawn_at=STARTS[name][0][i])
        joints.append(scene.joint(f"{name}_pin{i + 1}", hinge, holder, rod, friction=LAW))
        pin, velocity, holder = pin + along, velocity + moving, rod
    return joints


def couple(t: float) -> tuple[float, float, float]:
    """The couple on each driven rod, N m; angles count about -y."""
    return (0.0, -6.0 * np.sin(2.0 * np.pi * t), 0.0)


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
    counts = slice(0 if name == "free" else -SECOND, None)
    return run.time[counts], {label: values[counts] for label, values in curves(run, pins).items()}


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("double pendulum with LuGre friction")
    pins = {name: add_pendulum(scene, name, y) for name, y in (("free", 0.0), ("driven", 1.0))}

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        angle, speed, _ = curves(run, pins["free"]).values()
        turned, _, pressed = (values[-SECOND:] for values in curves(run, pins["driven"]).values())  # the last period
        (twin, _, _), (cycle, _, strength) = (exact(name)[1].values() for name in pins)
        stands = run.time[np.flatnonzero(np.abs(speed) > 1e-3)[-1]]
        hang = np.degrees(angle[-1] + run[pins["free"][1].angle].values[-1])
        return [
            sh.Figure("case 1: angle 1 at 1 s", angle[SECOND], "rad", twin[SECOND], tolerance=0.002, **PAPER),
            sh.Figure("angle 1 at 2 s", angle[2 * SECOND], "rad", twin[2 * SECOND], tolerance=0.01, **PAPER),
            sh.Figure("slower than 1 mrad/s after", stands, "s", expected=24.695, tolerance=0.05, **PAPER),
            sh.Figure("angle 1 at rest, in its dead zone", np.degrees(angle[-1]), "°", 0.0, tolerance=2.55, **PAPER),
            sh.Figure("angle 2 at rest, in its dead zone", hang, "°", 0.0, tolerance=4.26, **PAPER),
            sh.Figure("case 2: amplitude of angle 1", np.ptp(turned) / 2, "rad", np.ptp(cycle) / 2, 5e-4, **PAPER),
            sh.Figure("largest error of angle 1", np.abs(turned - cycle).max(), "rad", 0.0, tolerance=5e-4, **PAPER),
            sh.Figure("mean error of N 2", np.abs(pressed - strength).mean(), "N", 0.0, tolerance=0.05, **PAPER),
            sh.Figure("the exact twin itself, angle 1 at 5 s", twin[-1], "rad", -0.88967, tolerance=6e-6, **PAPER),
        ]

    def charts(run: sh.Trajectory) -> list[sh.Chart]:
        made = []
        for number, name, last, later in ((4, "free", 26 * SECOND, 0.0), (7, "driven", 4 * SECOND, 24.0)):
            times, twin = exact(name)
            for i, (label, values) in enumerate(curves(run, pins[name]).items()):
                true = (times[1:] + later, twin[label][1:])  # a driven one's period is laid over the last one shown
                lines = {"Sharnir": (run.time[-last:], values[-last:]), "exact twin": true}
                made.append(sh.Chart(f"figure{number + i}", f"{name} {scene.name}", label, lines))
        return made

    torque = {scene.bodies[f"driven_rod{i}"]: couple for i in (1, 2)}
    return sh.Experiment(scene, 26.0, DT, torque=torque, charts=charts, figures=figures)


if __name__ == "__main__":
    experiment().show()
