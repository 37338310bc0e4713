"""The direct solver: a heavy load on light links, many arms and loops on one chassis, and a thousand worlds at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np

import sharnir as sh
from sharnir.device import core_count
from sharnir.spatial import Array

from . import scenes
from .contender import NotInstalled, start_states, worst_gap, worst_slip
from .ours import SharnirRun
from .peers.mujoco_peer import MujocoRun
from .peers.pybullet_peer import PybulletRun
from .report import AS_IT_COMES, TUNED, Bar, Section, compared
from .timing import interleaved, ratio
from .vehicles import OurVehicle

DT = 0.005  # s
LINKS = 32
LOADS = {1e3: 0.05e-3, 1e6: 1e-3}  # kg at the tip: the gap (m) that is allowed
ARMS = (4, 8, 16, 32, 64)
FOUR_BARS = 8
WORLDS = 1000
FINE_DT = 0.002  # s, for the residuals
FINE = 1e-4  # s, of the reference
FEWER = 10  # iterations of PyBullet
DIRECT: dict[str, Any] = {"solver": "direct", "iterations": 1}
SEQUENTIAL: dict[str, Any] = {"solver": "sequential-impulses", "iterations": 10, "epsilon": 0.0}  # 0: all ten are made
RK4: dict[str, Any] = {"solver": "direct", "integrator": "rk4"}


def run(quick: bool) -> list[Section]:
    """The five sections."""
    return [_heavy_tip(quick), _star(quick), _integrators(quick), _residuals(quick), _batch(quick)]


def _heavy_tip(quick: bool) -> Section:
    heavy, heaviest = LOADS
    section = Section(
        title=f"A load on {LINKS} links of 1 kg and 1 m, dt {DT * 1000:g} ms, from 0.1 rad",
        columns=["", "µs/step", "load off the reference, mm", "worst joint gap in 5 s, mm"],
        rows=[],
        notes=["Off the reference: the load in the first second, against the leapfrog step at 0.1 ms. Processor time."],
    )
    tip = {load: scenes.chain(LINKS, friction=None, tip_mass=load, start_angle=0.1) for load in LOADS}
    fine = {load: SharnirRun(scene, FINE).path(round(1 / FINE), 20) for load, scene in tip.items()}
    contenders: dict[str, Any] = {}
    gaps: dict[str, float] = {}
    errors: dict[str, float] = {}
    for name, load, build in _carriers(heavy, heaviest):
        try:
            contender = build(tip[load], DT)
        except NotInstalled as error:
            section.notes.append(str(error))
            continue
        contenders[name] = contender
        errors[name], gaps[name] = _watched(tip[load], contender, fine[load])
        if isinstance(contender, SharnirRun):
            contender.restart()  # sequential impulses let the chain fly apart later on
    steps = {name: contender.step for name, contender in contenders.items()}
    times = interleaved(steps, steps=40, blocks=10 if quick else 21, clock=time.process_time_ns)
    for name in contenders:
        cells = [f"{median(times[name]):.1f}", f"{errors[name] * 1000:.3g}", f"{gaps[name] * 1000:.3g}"]
        section.rows.append([name, *cells])
        found = {"us_per_step": median(times[name]), "error_m": errors[name], "worst_gap_m": gaps[name]}
        section.data[name] = found
    direct, sequential, heaviest_direct = list(contenders)[:3]
    contenders[direct].tell_pass(section, f"{heavy:g} kg on {LINKS} links", median(times[direct]))
    low, middle, high = ratio(times[direct], times[sequential])
    section.bars = [
        Bar(f"gap, {direct}", gaps[direct] * 1000, LOADS[heavy] * 1000, "mm"),
        Bar(f"gap, {heaviest_direct}", gaps[heaviest_direct] * 1000, LOADS[heaviest] * 1000, "mm"),
        Bar("time of direct against 10 sequential iterations", middle, 1.5, "×"),
    ]
    section.notes.append(f"Time against time, round by round: half of the rounds from {low:.2f} to {high:.2f}")
    peers = [name for name in contenders if not name.startswith(SharnirRun.name)]
    coming = [name for name in peers if not name.startswith(f"{PybulletRun.name} {FEWER}")]
    said = {name: f"{1000 * errors[name]:.3g} mm off, gap {1000 * gaps[name]:.2g} mm" for name in contenders}
    for quantity, unit, values, enough in (
        ("a step", "µs", {name: median(times[name]) for name in contenders}, 0.0),
        ("load off the reference", "m", errors, 0.0),
        ("joint gap", "m", gaps, 1e-6),
    ):
        # one setting of ours for all figures: when tuned the one that is right
        for settings, chosen in ((AS_IT_COMES, [_as_it_comes(heavy), *coming]), (TUNED, [direct, *peers])):
            taken = {name: values[name] for name in chosen}
            beside = said if quantity == "a step" else None
            section.comparisons += compared(
                f"{heavy:g} kg on {LINKS} links", quantity, unit, taken, enough, settings, beside
            )
    return section


def _as_it_comes(load: float) -> str:
    return f"{SharnirRun.name} as it comes, {load:g} kg"


def _carriers(heavy: float, heaviest: float) -> list[tuple[str, float, Callable[[sh.Scene, float], Any]]]:
    """Who carries which load: a name, the load (kg) and how it is made."""
    ours = [
        (f"Sharnir {options['solver']}, {options['iterations']} iterations, {load:g} kg", load, options)
        for load, options in ((heavy, DIRECT), (heavy, SEQUENTIAL), (heaviest, DIRECT))
    ]
    made: list[tuple[str, float, Callable[[sh.Scene, float], Any]]] = [
        (name, load, partial(SharnirRun, **options)) for name, load, options in ours
    ]
    made.append((_as_it_comes(heavy), heavy, SharnirRun))
    made.append((f"{MujocoRun.name}, {heavy:g} kg", heavy, MujocoRun))
    iterations = (FEWER, 50)  # 50 are PyBullet's default
    made += [(f"{PybulletRun.name} {n}, {heavy:g} kg", heavy, partial(PybulletRun, iterations=n)) for n in iterations]
    return made


def _watched(scene: sh.Scene, contender: Any, reference: Array) -> tuple[float, float]:
    """The load's largest distance from the reference in the first second, and the worst gap in five (m)."""
    gap = error = 0.0
    for i in range(round(5.0 / DT / 10)):
        contender.step(10)
        states = contender.states()
        gap = max(gap, worst_gap(scene, states))
        if i < len(reference):
            error = max(error, float(np.linalg.norm(states.center[-1] - reference[i, -1])))
    return error, gap


def _star(quick: bool) -> Section:
    arms = ARMS[::4] if quick else ARMS
    runs = {count: SharnirRun(scenes.star(count), DT, **DIRECT) for count in arms}
    times = interleaved(
        {str(count): contender.step for count, contender in runs.items()},
        steps={str(count): 6400 // count for count in arms},
        blocks=7 if quick else 21,
    )
    per_step = {count: median(times[str(count)]) for count in arms}
    per_arm = {count: per_step[count] / count for count in arms}
    growth = max(per_arm.values()) / per_arm[arms[0]]
    return Section(
        title="Arms on revolute joints around one chassis of 200 kg, direct",
        columns=["arms", "µs/step", "µs/step and arm"],
        rows=[[str(count), f"{per_step[count]:.1f}", f"{per_arm[count]:.3f}"] for count in arms],
        bars=[Bar(f"cost per arm, worst of {arms[0]} to {arms[-1]} arms against {arms[0]}", growth, 1.3, "×")],
        data={"us_per_step": per_step},
    )


def _integrators(quick: bool) -> Section:
    """The default step against the papers', from the same start in every round."""
    section = Section(
        title=f"The default step against the papers', direct, dt {DT * 1000:g} ms",
        columns=["", "semi-implicit-euler, µs/step", "leapfrog, µs/step", "ratio"],
        rows=[],
        notes=["Processor time, from the same start in every round. KRT-100 drives on rough ground, 10 iterations."],
    )
    links = partial(SharnirRun, scenes.double_pendulum(), DT)
    chain = partial(SharnirRun, scenes.chain(LINKS, friction=0.1), DT, iterations=10)
    for name, build, steps, most in (
        ("two hinged links", links, 4000, 1.3),
        (f"chain of {LINKS} with friction", chain, 200, 1.2),
        ("KRT-100", partial(OurVehicle, iterations=10), 100, 1.1),
    ):
        runs: dict[str, Any] = {kind: build(integrator=kind) for kind in ("semi-implicit-euler", "leapfrog")}
        times = interleaved(
            {kind: partial(_anew, contender) for kind, contender in runs.items()},
            steps=steps,
            blocks=7 if quick else 21,
            clock=time.process_time_ns,
        )
        _, cost, _ = ratio(times["leapfrog"], times["semi-implicit-euler"])
        section.rows.append([name, *(f"{median(times[kind]):.2f}" for kind in runs), f"{cost:.2f}"])
        section.bars.append(Bar(f"cost of the default step, {name}", cost, most, "×"))
        section.data[name] = {"us_per_step": {kind: median(times[kind]) for kind in runs}}
    return section


def _anew(contender: SharnirRun | OurVehicle, steps: int) -> None:
    """Steps from the start of the scene."""
    contender.restart()
    contender.step(steps)


def _residuals(quick: bool) -> Section:
    """What the fourth-order step, which ends on the joints, leaves open: the error of the solver."""
    section = Section(
        title=f"What the direct solver leaves of the joints, rk4, dt {FINE_DT * 1000:g} ms, 1 s",
        columns=["", "worst gap, m", "worst slip, m/s"],
        rows=[],
    )
    for name, scene in (
        ("chassis with 16 arms", scenes.star(16)),
        (f"{FOUR_BARS} four-bars on a chassis, {3 * FOUR_BARS} redundant rows", scenes.four_bars(FOUR_BARS)),
    ):
        contender = SharnirRun(scene, FINE_DT, **RK4)
        gap, slip = worst_gap(scene, start_states(scene)), 0.0
        for _ in range(20 if quick else 100):
            contender.step(25 if quick else 5)
            states = contender.states()
            gap, slip = max(gap, worst_gap(scene, states)), max(slip, worst_slip(scene, states))
        section.rows.append([name, f"{gap:.1e}", f"{slip:.1e}"])
        section.bars += [Bar(f"gap, {name}", gap, 1e-8, "m"), Bar(f"slip, {name}", slip, 1e-7, "m/s")]
        section.data[name] = {"worst_gap_m": gap, "worst_slip_m_per_s": slip}
    return section


def _batch(quick: bool) -> Section:
    """Processor time of a world-step: in a batch on all cores, and of a world alone."""
    scene = scenes.chain(LINKS, friction=0.1)
    cores = core_count()
    section = Section(
        title=f"{WORLDS} worlds on {cores} cores: chain of {LINKS} ball joints with friction, dt {DT * 1000:g} ms",
        columns=["solver", "µs, one world", "µs/world-step, batch"],
        rows=[],
        notes=[
            "Processor time, summed over the cores, of calls of ten steps of the same motion: other load on the "
            "machine does not count, as it would in the wall-clock time of all cores together."
        ],
    )
    for name, options in (("direct, 2 iterations", DIRECT | {"iterations": 2}), ("sequential, 10", SEQUENTIAL)):
        one = sh.Simulation(scene, DT, **options)
        many = sh.Simulation(scene, DT, worlds=WORLDS, **options)
        alone, batch = _same_motion(one, many, blocks=5 if quick else 21)
        low, middle, high = ratio(batch, alone)
        section.rows.append([name, f"{median(alone):.1f}", f"{median(batch):.1f}"])
        section.bars.append(Bar(f"a world-step of the batch against one alone, {name}", middle, 1.0, "×"))
        section.notes.append(f"{name}, round by round: half of the rounds from {low:.2f} to {high:.2f}")
        section.data[name] = {"us_one": median(alone), "us_batch": median(batch), "cores": cores}
    return section


def _same_motion(one: sh.Simulation, many: sh.Simulation, blocks: int) -> tuple[list[float], list[float]]:
    """Microseconds of a world-step, of a world alone and in a batch, in blocks of calls of ten steps taken in turns.

    The world alone makes every call a hundred times over, from the state in which the batch makes it.
    """
    steps, again = 10, 100
    alone, batch = [], []
    for block in range(blocks + 1):
        start, spent = one.snapshot(), 0
        for _ in range(again):
            one.restore(start)
            begin = time.process_time_ns()
            one.step(steps)
            spent += time.process_time_ns() - begin
        begin = time.process_time_ns()
        many.step(steps)
        elapsed = time.process_time_ns() - begin
        if block > 0:
            alone.append(spent / 1000.0 / (steps * again))
            batch.append(elapsed / 1000.0 / (steps * WORLDS))
    return alone, batch
