"""A four-bar linkage falls from rest: a closed loop of four hinges.

Crank 0.4 m, coupler 1.2 m, rocker 0.9 m, ground 1.1 m, all rods of 1 kg/m, the crank at 60°. In space the four hinges
of a planar loop lock three axes more than there are to lock; the solver must not mind. Nothing dissipates, so the
energy stays what it was: the potential energy of the start.
"""

import math

import numpy as np

import sharnir as sh

CRANK, COUPLER, ROCKER, GROUND = 0.4, 1.2, 0.9, 1.1  # m
START = math.radians(60.0)
DENSITY = 1.0  # kg/m


def add_rod(scene: sh.Scene, name: str, start: np.ndarray, end: np.ndarray) -> sh.Body:
    """A thin rod between two points of the x-z plane."""
    along = end - start
    length = float(np.linalg.norm(along))
    mass = DENSITY * length
    turn = -math.atan2(along[1], along[0])  # about y, which carries x towards -z
    middle = (start + end) / 2
    return scene.body(
        name,
        sh.Box(length, 0.03, 0.03),
        position=(middle[0], 0, middle[1]),
        rotation=(0, math.sin(turn / 2), 0, math.cos(turn / 2)),
        mass=mass,
        inertia=(1e-4 * mass, mass * length**2 / 12, mass * length**2 / 12),
    )


def corners() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The four pins at the start, x and z; the loop is closed above the line from crank pin to rocker pivot."""
    a, d = np.zeros(2), np.array([GROUND, 0.0])
    b = CRANK * np.array([math.cos(START), math.sin(START)])
    reach = float(np.linalg.norm(d - b))
    along = (COUPLER**2 - ROCKER**2 + reach**2) / (2 * reach)
    ahead = (d - b) / reach
    c = b + along * ahead + math.sqrt(COUPLER**2 - along**2) * np.array([-ahead[1], ahead[0]])
    return a, b, c, d


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("four-bar linkage")
    a, b, c, d = corners()
    crank = add_rod(scene, "crank", a, b)
    coupler = add_rod(scene, "coupler", b, c)
    rocker = add_rod(scene, "rocker", c, d)

    def pin(name: str, at: np.ndarray, first: sh.Body, second: sh.Body, drawn_at: float = 0.0) -> sh.Joint:
        # about -y, so that angles grow from x towards z
        hinge = sh.Revolute(axis=(0, -1, 0), anchor=(at[0], 0, at[1]), drawn_at=drawn_at)
        return scene.joint(name, hinge, first, second)

    drive = pin("crank_pivot", a, scene.world, crank, drawn_at=START)
    pin("crank_pin", b, crank, coupler)
    pin("rocker_pin", c, coupler, rocker)
    pin("rocker_pivot", d, scene.world, rocker)

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        angle, energy = run[drive.angle].values, run[scene.energy].values
        half = int(np.argmin(np.abs(run.time - 0.5)))
        gap = float(run.data["gap"].max())
        return [
            sh.Figure("crank angle at 0.5 s", angle[half], "rad", expected=-0.64769, tolerance=0.006),
            sh.Figure("energy at the start", energy[0], "J", expected=11.81566, tolerance=1e-4),
            sh.Figure("energy at 0.5 s", energy[half], "J", expected=11.81566, tolerance=0.1),
            sh.Figure("largest gap in a joint", gap * 1e3, "mm", expected=0.0, tolerance=0.2),
        ]

    return sh.Experiment(
        scene,
        time=2.0,
        dt=0.001,
        plots=[(drive.angle, drive.speed, scene.kinetic_energy, scene.potential_energy, scene.energy)],
        figures=figures,
    )


if __name__ == "__main__":
    experiment().show()
