"""A door with dry friction in its hinge is pushed, let go, and stops.

The first experiment of [000]: 20 N m of Coulomb friction, a push for 0.33 s, rest at 0.87 s after 37.62°. The paper
leaves mass and push open; these values reproduce its numbers exactly in continuous time:

    I = 7.155119 kg m^2     w(0.33) = (52.727273 - 20) 0.33 / I = 1.509409 rad/s
    angle = 14.2697° while pushed + 23.3503° while braked = 37.62°

While the door is braked the speed falls along a straight line, as the paper's figure 6 shows; the default step bends it
by no more than (w dt)^2 of the speed. The papers' semi-implicit step turns a body about a hinge with a loss of
dw/dt = -(s/2) w^3 dt, s = m r^2/I: at 10 ms that makes 37.535°, at 1 ms 37.612°.
"""

import numpy as np

import sharnir as sh

PUSH, FRICTION = 52.727272727, 20.0  # N m
PUSH_ENDS, RESTS = 0.33, 0.87  # s
MASS, WIDTH, THICKNESS = 26.487360107, 0.9, 0.04  # kg, m, m
INERTIA = MASS * (WIDTH**2 / 3 + THICKNESS**2 / 12)  # kg m^2 about the hinge
DT = 0.01  # s


def experiment(dt: float = DT, integrator: str = "leapfrog") -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("door")
    door = scene.body("door", sh.Box(WIDTH, THICKNESS, 2.0, mass=MASS), position=(WIDTH / 2, 0, 1))
    hinge = scene.joint(
        "hinge",
        sh.Revolute(axis=(0, 0, 1), anchor=(0, 0, 1)),
        scene.world,
        door,
        friction=sh.Coulomb(FRICTION),
        limits=(-2.0, 2.0),
    )

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        t, angle, speed = run.time, np.degrees(run[hinge.angle].values), np.abs(run[hinge.speed].values)
        stop = t[np.flatnonzero(speed > 1e-9)[-1] + 1]
        fine, papers = (_angle_at_rest(*settings) for settings in ((DT / 10,), (DT, "semi-implicit-euler")))
        braked = (t > PUSH_ENDS + DT / 2) & (t < RESTS - DT / 2)
        slope, start = np.polyfit(t[braked], speed[braked], 1)
        order = (speed.max() * DT) ** 2
        bend = np.abs(speed[braked] - (start + slope * t[braked])).max()
        about = "the paper's first-order step loses 0.085° at 10 ms"
        paper = {"paper": "000"}
        return [
            sh.Figure("angle at rest, dt 10 ms", angle[-1], "°", 37.62, tolerance=0.005, printed=True, **paper),
            sh.Figure("angle at rest, dt 1 ms", fine, "°", 37.62, tolerance=0.005, printed=True, **paper),
            sh.Figure("time of the stop", stop, "s", RESTS, tolerance=DT + 1e-9, printed=True, **paper),
            sh.Figure("speed falls by", -slope, "rad/s²", FRICTION / INERTIA, FRICTION / INERTIA * order, **paper),
            sh.Figure("bend of the falling speed", bend, "rad/s", 0.0, speed.max() * order, **paper),
            sh.Figure("speed after the stop", speed[t > stop].max(), "rad/s", 0.0, tolerance=1e-9, **paper),
            sh.Figure("angle with the papers' step", papers, "°", expected=37.535, tolerance=0.001, note=about),
        ]

    def charts(run: sh.Trajectory) -> list[sh.Chart]:
        t, marks = run.time, {"the push ends": PUSH_ENDS, "it stands": RESTS}
        speed, angle = run[hinge.speed].values, np.degrees(run[hinge.angle].values)
        return [
            sh.Chart("figure6", "speed of the door", "angular velocity, rad/s", {"": (t, speed)}, marks=marks),
            sh.Chart("figure7", "angle of the door", "angle, °", {"": (t, angle)}, {"37.62°": 37.62}, marks),
        ]

    return sh.Experiment(
        scene,
        time=2.0,
        dt=dt,
        torque={hinge: lambda t: PUSH if t < PUSH_ENDS else 0.0},
        plots=[(hinge.angle, hinge.speed, hinge.effort())],
        charts=charts,
        figures=figures,
        settings={"integrator": integrator},
    )


def _angle_at_rest(dt: float, integrator: str = "leapfrog") -> float:
    """The angle (degrees) at the end of another run of the door."""
    other = experiment(dt, integrator)
    return float(np.degrees(other.run()[other.scene.joints["hinge"].angle].values[-1]))


if __name__ == "__main__":
    experiment().show()
