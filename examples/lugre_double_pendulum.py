"""A double pendulum with LuGre friction in its pins: swinging out, and driven into a limit cycle (paper 004).

Two rods of 2 m (2 and 1 kg) on pins of 0.2 m radius. The friction follows the pin's own normal force, which depends on
the friction: coefficients 0.3 sliding and 0.4 at rest, bristles of 1e6 1/m. There are two such pendulums:

    free     case 1: let go level, it swings out in about 24.5 s and rests near the vertical
    driven   case 2: couples of 6 sin(2 pi t) N m on both rods; after about 70 s the motion has period 1 s. It starts
             there, in the state to which the exact twin comes back after 1 s. The normal force jumps whenever a pin
             reverses.

The pictures are the paper's figures 4 to 9: angle and speed of rod 1 and the normal force of pin 2, for the free
pendulum and for four periods of the driven one.
"""

import math
from pathlib import Path

import numpy as np

import sharnir as sh

LENGTH, RADIUS = 2.0, 0.2  # m
MASSES = (2.0, 1.0)  # kg
LAW = sh.LuGre(0.3, 0.4, speed=1e-3, stiffness=1e6, damping=100.0, load=sh.Load(radius=RADIUS))
COUPLE = 6.0  # N m
LEVEL = ((math.pi / 2, 0.0), (0.0, 0.0))  # joint angles (rad) and speeds (rad/s) at the start
CYCLE = ((0.0366370713, -0.1182646647), (0.1450774490, -1.2263834301))


def add_pendulum(scene: sh.Scene, name: str, y: float, start: tuple[tuple[float, ...], ...]) -> list[sh.Joint]:
    """Two rods hung at height 0; angles count from straight down, and for rod 2 from rod 1."""
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


def normal_force(run: sh.Trajectory, pin: sh.Joint) -> np.ndarray:
    """N of a pin: the whole pin force F is normal force and friction F_f at right angles, N^2 = F^2 - F_f^2."""
    force = np.linalg.norm(run[pin.reaction_force].values, axis=-1)
    torque = np.linalg.norm(run[pin.friction_impulse()].values, axis=-1) / run.data.attrs["dt"]
    return np.sqrt(force**2 - (torque / RADIUS) ** 2)


class PaperFigures(sh.Experiment):
    """An experiment that draws the paper's figures 4 to 9."""

    def save_plots(self, run: sh.Trajectory, stem: Path) -> list[Path]:
        """Angle, speed and normal force of the free and of the driven pendulum, one picture each."""
        from matplotlib.figure import Figure

        files = []
        for name, begin, number in (("free", run.time[1], 4), ("driven", run.time[-1] - 4.0, 7)):
            shown = sh.Trajectory(run.data.sel(time=slice(begin, None)))
            first, second = (self.scene.joints[f"{name}_pin{i}"] for i in (1, 2))
            curves = {
                "angle of rod 1, rad": shown[first.angle].values,
                "speed of rod 1, rad/s": shown[first.speed].values,
                "normal force of pin 2, N": normal_force(shown, second),
            }
            for i, (label, values) in enumerate(curves.items()):
                files.append(stem.with_name(f"{stem.name}-figure{number + i}.png"))
                figure = Figure(figsize=(9.0, 2.7), layout="constrained")
                axes = figure.subplots()
                axes.plot(shown.time, values, linewidth=1.2)
                axes.set(xlabel="time, s", ylabel=label, xlim=(shown.time[0], shown.time[-1]))
                axes.set_title(f"{name} double pendulum with LuGre friction", loc="left", fontsize=10)
                axes.grid(color="#e4e4e4")
                files[-1].parent.mkdir(parents=True, exist_ok=True)
                figure.savefig(files[-1], dpi=150)
        return files


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("double pendulum with LuGre friction")
    free = add_pendulum(scene, "free", 0.0, LEVEL)
    driven = add_pendulum(scene, "driven", 1.0, CYCLE)

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        angle = run[free[0].angle].values
        hang = angle + run[free[1].angle].values
        speed = run[free[0].speed].values
        second = round(1.0 / (run.time[1] - run.time[0]))
        cycle = run[driven[0].angle].values
        drift = np.abs(cycle[-second:] - cycle[-2 * second : -second]).max()
        swing = np.ptp(cycle[-second:]) / 2
        return [
            sh.Figure("free angle 1 at 1 s", angle[second], "rad", expected=-0.08314, tolerance=0.002),
            sh.Figure("free angle 1 at 2 s", angle[2 * second], "rad", expected=-1.09235, tolerance=0.01),
            sh.Figure("free angle 1 at rest", math.degrees(angle[-1]), "°", expected=0.0, tolerance=2.55),
            sh.Figure("free angle 2 at rest", math.degrees(hang[-1]), "°", expected=0.0, tolerance=4.26),
            sh.Figure("free speed 1 at the end", abs(speed[-1]), "rad/s", expected=0.0, tolerance=1e-6),
            sh.Figure("driven angle 1, change from period to period", drift, "rad", expected=0.0, tolerance=1e-3),
            sh.Figure("driven angle 1, amplitude", swing, "rad", expected=0.04226, tolerance=1e-3),
        ]

    rods = [scene.bodies[f"driven_rod{i}"] for i in (1, 2)]
    return PaperFigures(scene, time=26.0, dt=0.001, torque=dict.fromkeys(rods, couple), figures=figures)


if __name__ == "__main__":
    experiment().show()
