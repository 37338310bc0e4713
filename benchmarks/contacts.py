"""Bodies that touch: a pile of 500 boxes beside MuJoCo and PyBullet, and a robot on terrain of 100,000 triangles."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np

import sharnir as sh
from sharnir.spatial import Array

from .contender import BodyStates, Contender, NotInstalled
from .ours import SharnirRun
from .peers.mujoco_peer import MujocoRun
from .peers.pybullet_peer import PybulletRun
from .report import AS_IT_COMES, TUNED, Bar, Comparison, Section, compared
from .scenes import as_mesh
from .timing import interleaved, ratio

BOXES = 500
EDGE = 0.16  # m
BIN = 1.2  # m, inner width of the bin
DT = 0.005  # s
FALL = 1.5  # s, until the heap lies
PEER_ITERATIONS = (10, 50)
OUR_ITERATIONS = 6
AS_THEY_COME = 0.8  # of each peer's time, at most
BULLETS_THRESHOLD = 1e-7  # PyBullet's own
COMING = ", as it comes"
PATIENCE = 60.0  # s of processor time; who needs more for the fall is not watched while the heap lies
CELLS = (250, 200)  # of the terrain, two triangles each
CELL = 0.08  # m
WHEELS = 4
GROWING = (500, 2000, 8000)  # boxes, in bins as much wider
MOST_GROWTH = 1.5  # of what a box costs, from the fewest to the most


def run(quick: bool) -> list[Section]:
    """The pile with default settings and tuned, larger ones, and the robot."""
    piles = [_pile_beside_peers(quick, settings) for settings in (AS_IT_COMES, TUNED)]
    return [*piles, _growing_piles(quick), _robot_on_triangles(quick)]


def pile(boxes: int = BOXES) -> sh.Scene:
    """Boxes of 1 kg, each turned at random, let go in layers above a bin; friction 0.6. More go into a wider bin."""
    scene = sh.Scene("pile")
    scene.ground()
    wall, height = 0.1, 8.0
    in_row, apart = round(4 * math.sqrt(boxes / BOXES)), 0.29
    inner = BIN * in_row / 4
    for i, (x, y) in enumerate([(1, 0), (-1, 0), (0, 1), (0, -1)]):
        size = (wall, inner + 2 * wall) if x else (inner, wall)
        place = (inner + wall) / 2 * np.array([x, y])
        scene.body(f"wall{i}", sh.Box(*size, height), position=(*place, height / 2), fixed=True)
    generator = np.random.default_rng(1)
    middle = (in_row - 1) / 2
    for k in range(boxes):
        layer, i, j = k // in_row**2, k // in_row % in_row, k % in_row
        place = (apart * (i - middle), apart * (j - middle), 0.16 + 0.2 * layer)
        turn = generator.normal(size=4)
        turn /= np.linalg.norm(turn)
        scene.body(f"box{k}", sh.Box(EDGE, EDGE, EDGE, mass=1.0), position=place, rotation=turn)
    return scene


class Gauge:
    """How deep the boxes of any engine overlap: their poses laid into a simulation of our own, and its gaps read."""

    def __init__(self, scene: sh.Scene) -> None:
        self._simulation = sh.Simulation(scene, dt=DT, solver="sequential-impulses", iterations=1)
        names = list(scene.bodies)
        self._places = [1 + i for i, name in enumerate(names) if scene.bodies[name].properties is not None]

    def depths(self, states: BodyStates) -> Array:
        """The overlap (m) in every point that touches."""
        sim = self._simulation
        snapshot = sim.snapshot()
        for name, values in zip(("position", "rotation", "velocity", "spin"), states, strict=True):
            snapshot.arrays["state"][name][self._places, 0] = values if name in ("position", "rotation") else 0.0
        sim.restore(snapshot)
        sim.step()
        count = int(sim.work.contact_count.numpy()[0])
        gaps = sim.work.contact_gap.numpy()[:count, 0]
        return np.maximum(-gaps[gaps < 0.0], 0.0)


Factories = dict[str, Callable[[], Contender]]


def _as_they_come(scene: sh.Scene) -> Factories:
    """Every engine with its default settings but for dt, one thread."""
    return {
        SharnirRun.name + COMING: partial(SharnirRun, scene, DT, threads=1),
        PybulletRun.name + COMING: partial(PybulletRun, scene, DT, threshold=BULLETS_THRESHOLD),
        MujocoRun.name + COMING: partial(MujocoRun, scene, DT, cone="pyramidal"),
    }


def _tuned(scene: sh.Scene) -> Factories:
    """Settings for a heap that may be a little wrong."""
    ours = partial(SharnirRun, scene, DT, solver="sequential-impulses", iterations=OUR_ITERATIONS, epsilon=0.0)
    factories: Factories = {SharnirRun.name: ours}
    for iterations in PEER_ITERATIONS:
        factories[f"{PybulletRun.name} {iterations}"] = partial(PybulletRun, scene, DT, iterations)
        # its default solver, Newton, takes many times as long on this heap
        factories[f"{MujocoRun.name} {iterations}"] = partial(
            MujocoRun, scene, DT, iterations, solver="CG", jacobian="sparse"
        )
    return factories


def _pile_beside_peers(quick: bool, settings: str) -> Section:
    scene = pile()
    fall = FALL / 3 if quick else FALL
    section = Section(
        title=f"A pile of {BOXES} boxes in a bin, dt {DT * 1000:g} ms, one thread, {settings}",
        columns=["", "µs/step falling", "µs/step lying", "overlap, mean, µm", "overlap, worst, µm"],
        rows=[],
        notes=[
            f"Falling: the first {fall:g} s. Overlap: of all points that do, in 20 instants over {2 * fall:g} s, from "
            "the poses of each engine by one and the same measure; in the first 10 where the fall alone takes "
            f"{PATIENCE:g} s. Processor time of one thread."
        ],
    )
    gauge = Gauge(scene)
    contenders: dict[str, Contender] = {}
    falls: dict[str, float] = {}
    depths: dict[str, Array] = {}
    for name, factory in (_as_they_come if settings == AS_IT_COMES else _tuned)(scene).items():
        try:
            contenders[name] = factory()
        except NotInstalled as error:
            section.notes.append(str(error))
            continue
        falls[name], depths[name] = _let_fall(contenders[name], gauge, fall)
    times = interleaved(
        {name: contender.step for name, contender in contenders.items()},
        steps=5 if quick else 10,
        blocks=5 if quick or settings == AS_IT_COMES else 15,
        clock=time.process_time_ns,
    )
    for name, contender in contenders.items():
        lying, mean, worst = median(times[name]), float(depths[name].mean()), float(depths[name].max())
        section.rows.append([name, f"{falls[name]:.0f}", f"{lying:.0f}", f"{mean * 1e6:.0f}", f"{worst * 1e6:.0f}"])
        section.data[name] = {
            "us_per_step_falling": falls[name],
            "us_per_step_lying": lying,
            "overlap_mean_m": mean,
            "overlap_max_m": worst,
            "settings": contender.settings,
        }
        section.notes.append(f"{name}: {contender.settings or 'nothing was set'}")
    _add_pile_bars(section, times, depths, AS_THEY_COME if settings == AS_IT_COMES else 1.0)
    section.comparisons += _pile_comparisons(falls, times, depths, settings)
    return section


def _pile_comparisons(
    falls: dict[str, float], times: dict[str, list[float]], depths: dict[str, Array], settings: str
) -> list[Comparison]:
    """Both times, with the overlap beside them, and the overlap itself."""
    overlaps = {name: float(found.mean()) for name, found in depths.items()}
    said = {name: f"overlap {1000 * overlap:.2g} mm" for name, overlap in overlaps.items()}
    lying = {name: median(found) for name, found in times.items()}
    found = []
    for quantity, unit, values, errors in (
        ("a step, falling", "µs", falls, said),
        ("a step, lying", "µs", lying, said),
        ("overlap", "m", overlaps, None),
    ):
        found += compared(f"pile of {BOXES} boxes", quantity, unit, values, settings=settings, errors=errors)
    return found


def _let_fall(contender: Contender, gauge: Gauge, duration: float) -> tuple[float, Array]:
    """Microseconds per step of the fall, and the overlaps seen in it and after."""
    steps = round(duration / DT / 10)
    contender.step(1)
    spent = 0
    depths = []
    for block in range(20):
        if block >= 10 and spent > 1e9 * PATIENCE:
            break
        begin = time.process_time_ns()
        contender.step(steps)
        spent += time.process_time_ns() - begin if block < 10 else 0
        depths.append(gauge.depths(contender.states()))
    return spent / 1000.0 / (10 * steps), np.concatenate(depths)


def _add_pile_bars(section: Section, times: dict[str, list[float]], depths: dict[str, Array], allowed: float) -> None:
    """Time against the fastest setting of each peer, overlap against its most exact one."""
    ours = next(name for name in times if name.startswith(SharnirRun.name))
    for peer in (MujocoRun.name, PybulletRun.name):
        settings = [name for name in times if name.startswith(peer)]
        if not settings:
            continue
        fastest = min(settings, key=lambda name: median(times[name]))
        exact = min(settings, key=lambda name: float(depths[name].mean()))
        section.bars.append(Bar(f"time lying against {fastest}", ratio(times[ours], times[fastest])[1], allowed, "×"))
        overlap = float(depths[ours].mean()) / max(float(depths[exact].mean()), math.ulp(0.0))
        section.bars.append(Bar(f"mean overlap against {exact}", overlap, 1.0, "×"))


def _growing_piles(quick: bool) -> Section:
    """What a box costs when there are more of them; MuJoCo by its fastest setting, as its default takes minutes."""
    section = Section(
        title=f"Piles in bins as wide as they need, dt {DT * 1000:g} ms, one thread, as they come",
        columns=["", *(f"{boxes} boxes, µs/step each" for boxes in GROWING), "last over first"],
        rows=[],
        notes=[
            f"Processor time of a step over the number of boxes, mean of the first {FALL:g} s, in which they fall and "
            f"come to lie. MuJoCo with CG and {PEER_ITERATIONS[0]} iterations: its default takes minutes for a second."
        ],
    )
    kinds: dict[str, Callable[[sh.Scene], Contender]] = {
        SharnirRun.name: lambda scene: SharnirRun(scene, DT, threads=1),
        PybulletRun.name: lambda scene: PybulletRun(scene, DT, threshold=BULLETS_THRESHOLD),
        MujocoRun.name: lambda scene: MujocoRun(scene, DT, PEER_ITERATIONS[0], solver="CG", jacobian="sparse"),
    }
    for name, make in kinds.items():
        try:
            costs = [_cost_of_a_box(make(pile(boxes)), boxes, quick) for boxes in GROWING]
        except NotInstalled as error:
            section.notes.append(str(error))
            continue
        growth = costs[-1] / costs[0]
        section.rows.append([name, *(f"{cost:.1f}" for cost in costs), f"{growth:.2f}"])
        section.data[name] = {"us_per_box": dict(zip(map(str, GROWING), costs, strict=True)), "growth": growth}
        if name == SharnirRun.name:
            section.bars.append(Bar(f"cost of a box, {GROWING[-1]} over {GROWING[0]}", growth, MOST_GROWTH, "×"))
    return section


def _cost_of_a_box(contender: Contender, boxes: int, quick: bool) -> float:
    """Microseconds of processor time of a step over the number of boxes."""
    contender.step(1)
    steps = round(FALL / DT / (10 if quick else 1))
    begin = time.process_time_ns()
    for _ in range(steps // 10):
        contender.step(10)
    return (time.process_time_ns() - begin) / 1000.0 / (steps // 10 * 10) / boxes


def robot(surface: sh.Plane | sh.HeightField | sh.Mesh) -> sh.Scene:
    """Four driven wheels (radius 0.15 m) on hinges at a chassis of 40 kg, going at 1 m/s on a surface."""
    scene = sh.Scene("robot")
    scene.terrain("ground", surface)
    height, radius = 0.3, 0.15
    chassis = scene.body("chassis", sh.Box(0.8, 0.4, 0.1, mass=40.0, collides=False), position=(-8, 0, height))
    drive = sh.DcDrive(stall_torque=1.0, idle_speed=1.0 / radius * 30.0, time_constant=0.02, ratio=30.0)
    for i, (x, y) in enumerate([(0.4, 0.3), (0.4, -0.3), (-0.4, 0.3), (-0.4, -0.3)]):
        place = (x - 8, y, height)
        on_axle = (-math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
        wheel = scene.body(f"wheel{i}", sh.Wheel(radius, 0.08, mass=2.0), position=place, rotation=on_axle)
        scene.joint(f"axle{i}", sh.Revolute(axis=(0, 1, 0), anchor=place), chassis, wheel, drive=drive)
    return scene


def rolling_ground() -> sh.HeightField:
    """Gentle hills and roughness, 20 m by 16 m in a grid of 250 by 200: 100,000 triangles."""
    size = (CELLS[0] * CELL, CELLS[1] * CELL)
    return sh.HeightField(
        relief=sh.Roughness(rms=0.03, shortest=0.5, longest=5.0, seed=3), size=size, spacing=(CELL, CELL)
    )


class DrivenRobot(SharnirRun):
    """The robot with its drives at full voltage; it starts again before it reaches the edge."""

    def __init__(self, surface: sh.Plane | sh.HeightField | sh.Mesh) -> None:
        super().__init__(robot(surface), DT)
        self._simulation.control.drive_input.numpy()[...] = 1.0
        self._made = 0

    def step(self, count: int) -> None:
        """Steps in one call."""
        if (self._made + count) * DT > 12.0:
            self.restart()
            self._made = 0
        self._made += count
        super().step(count)


def _robot_on_triangles(quick: bool) -> Section:
    field = rolling_ground()
    grounds = {"plane": sh.Plane(), "height field": field, "mesh": as_mesh(field)}
    runs = {name: DrivenRobot(surface) for name, surface in grounds.items()}
    times = interleaved(
        {name: contender.step for name, contender in runs.items()},
        steps=100,
        blocks=20 if quick else 60,
        clock=time.process_time_ns,
    )
    section = Section(
        title=f"A robot on {WHEELS} wheels, dt {DT * 1000:g} ms, direct solver, default accuracy",
        columns=["ground", "µs/step", "more than on the plane, µs per wheel"],
        rows=[],
        notes=[f"Height field and mesh: {2 * CELLS[0] * CELLS[1]} triangles. Processor time of one thread."],
    )
    flat = median(times["plane"])
    for name in grounds:
        more = (median(times[name]) - flat) / WHEELS
        section.rows.append([name, f"{median(times[name]):.1f}", f"{more:.1f}"])
        section.data[name] = {"us_per_step": median(times[name]), "us_more_per_wheel": more}
        if name != "plane":
            section.bars.append(Bar(f"a wheel on a {name} of 100,000 triangles", more, 15.0, "µs more"))
    return section
