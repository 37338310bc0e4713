"""KRT-100 with its trailer on rough ground, all loops closed, beside the nearest equivalent in MuJoCo.

Many of them on a GPU are in ``python -m benchmarks.gpu``.
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.assemblies.robots import krt100

from .contender import NotInstalled
from .limits import tell_pass
from .peers.mujoco_vehicle import MujocoVehicle
from .report import AS_IT_COMES, TUNED, Bar, Section, compared
from .timing import interleaved, ratio

DT = 0.005  # s
VOLTAGE = 0.6  # 0.54 m/s
BARS = 40
SECONDS = 6.0  # of driving, then back to the start
REAL_TIME = 20.0  # times as fast, at least
EASED = "Sharnir, changes below 1e-4 N s"
COMING, THEIRS = "Sharnir, default accuracy", "MuJoCo, loops by connect"
BESIDE_MUJOCO = 0.9  # of its time at our default accuracy, at most


def rough_ground(scene: sh.Scene) -> None:
    """Level ground with round bars half sunk into it, 1 to 4 cm high, across the way at odd angles."""
    scene.ground()
    random = np.random.default_rng(7)
    for i in range(BARS):
        radius, angle = random.uniform(0.01, 0.04), random.uniform(-0.3, 0.3)
        turn = spatial.multiply(spatial.about((0, 0, 1), angle), spatial.about((1, 0, 0), np.pi / 2))
        place = (0.9 + 0.12 * i, random.uniform(-0.4, 0.4), 0.0)
        scene.body(f"bar{i}", sh.Capsule(radius, 0.6), position=place, rotation=turn, fixed=True)


def scene() -> tuple[sh.Scene, Any]:
    """The robot before the rough ground."""
    made = sh.Scene("krt100 on rough ground")
    rough_ground(made)
    return made, krt100(made)


class OurVehicle:
    """The scene in Sharnir, driven, and put back to the start after some seconds."""

    name = "Sharnir"

    def __init__(self, **settings: Any) -> None:
        made, robot = scene()
        self._simulation = sh.Simulation(made, dt=DT, **settings)
        self._drives = [corner.spin.voltage() for corner in robot.vehicle.corners]
        self.restart()

    def restart(self) -> None:
        """Back to the start of the scene, under voltage."""
        self._simulation.reset()
        for drive in self._drives:
            self._simulation.set(drive, VOLTAGE)

    def step(self, count: int) -> None:
        """Make ``count`` steps in one call."""
        if self._simulation.time > SECONDS:
            self.restart()
        self._simulation.step(count)

    def place(self, body: str) -> spatial.Array:
        """Where a body's frame is, m."""
        return np.array(self._simulation.get(self._simulation.scene.bodies[body].position))

    def tell_pass(self, section: Section, scene: str, step: float) -> None:
        """Write down what one pass over the direct solver's factors takes on this machine, beside a step (us)."""
        tell_pass(section, scene, self._simulation, step)

    def gap(self) -> float:
        """The largest opening of a joint (m or rad) as the last step began."""
        return float(self._simulation.report.joint_error[0])


class TheirVehicle(MujocoVehicle):
    """The same in MuJoCo."""

    def __init__(self) -> None:
        made, robot = scene()
        trailer = robot.vehicle.trailer
        corners = robot.vehicle.corners + (trailer.corners if trailer else [])
        super().__init__(made, DT, [corner.wheel for corner in corners])
        self.drive(VOLTAGE)

    def step(self, count: int) -> None:
        """Make ``count`` steps in one call, from the start again after some seconds."""
        if self.data.time > SECONDS:
            self.restart()
            self.drive(VOLTAGE)
        super().step(count)


def run(quick: bool) -> list[Section]:
    """One section."""
    made, _ = scene()
    moving = sum(not body.spec.fixed for body in made.bodies.values())
    what = f"{moving} bodies, {len(made.joints)} joints, rough ground"
    section = Section(
        title=f"KRT-100 with trailer, {what}, dt {DT * 1000:g} ms, one core",
        columns=["", "µs/step", "× real time", "driven in 5 s, m", "largest gap, mm"],
        rows=[],
    )
    contenders: dict[str, Any] = {
        EASED: OurVehicle(threads=1, epsilon=1e-4),
        COMING: OurVehicle(threads=1),
        "Sharnir, 10 iterations at most": OurVehicle(threads=1, iterations=10),
    }
    try:
        contenders[THEIRS] = TheirVehicle()
    except NotInstalled:
        section.notes.append("MuJoCo is not installed: pip install 'sharnir[bench]'")
    driven: dict[str, float] = {}
    gaps: dict[str, float] = {}
    for name, contender in contenders.items():
        gaps[name] = max(_gap_after(contender, 20) for _ in range(50))
        driven[name] = float(contender.place("krt100_chassis")[0])
    steps = {name: contender.step for name, contender in contenders.items()}
    # processor time: all of them work in this thread alone, and a busy machine then matters less
    times = interleaved(steps, steps=50, blocks=24 if quick else 96, clock=time.process_time_ns)
    for name in contenders:
        each = median(times[name])
        cells = [f"{each:.0f}", f"{1e6 * DT / each:.1f}", f"{driven[name]:.2f}", f"{1e3 * gaps[name]:.2g}"]
        section.rows.append([name, *cells])
        section.data[name] = {"us_per_step": each, "driven": driven[name], "gap": gaps[name]}
        if name != EASED:
            low, middle, high = ratio(times[EASED], times[name])
            section.notes.append(f"{EASED} takes {middle:.2f} × the time of {name} ({low:.2f} to {high:.2f})")
    timed = {name: median(times[name]) for name in contenders}
    contenders[COMING].tell_pass(section, "KRT-100 with trailer", timed[COMING])
    said = {name: f"gap {1e3 * gaps[name]:.2g} mm" for name in contenders}
    for settings, chosen in ((AS_IT_COMES, (COMING, THEIRS)), (TUNED, tuple(contenders))):
        for quantity, unit, values, beside in (("a step", "µs", timed, said), ("joint gap", "m", gaps, None)):
            taken = {name: values[name] for name in chosen if name in values}
            section.comparisons += compared(
                "KRT-100 with trailer, closed loops", quantity, unit, taken, settings=settings, errors=beside
            )
    if THEIRS in times:
        middle = ratio(times[COMING], times[THEIRS])[1]
        section.bars.append(Bar("KRT-100's time against MuJoCo's, default accuracy", middle, BESIDE_MUJOCO, "×"))
    section.bars.append(Bar("µs per step for 20 × real time", median(times[EASED]), 1e6 * DT / REAL_TIME, "µs"))
    return [section]


def _gap_after(contender: Any, steps: int) -> float:
    contender.step(steps)
    return float(contender.gap())
