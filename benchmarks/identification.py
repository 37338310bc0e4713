"""Identification on logs that scipy made: honest intervals, starts that find the truth, MuJoCo's sysid beside it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import sharnir as sh
from sharnir.studies.identify import Found, Identification

from .contender import NotInstalled
from .friction_logs import ARM, DELAY, PENDULUM, Course, Machine, bristles, dry, log_of
from .peers import mujoco_sysid
from .report import Bar, Comparison, Section
from .together import Joined, fit_together

LOGS, STARTS, PEER_LOGS = 100, 20, 10
LEVEL = 0.95
CHANCE = 1e-3  # how often an honest count would be outside its bar


@dataclass(frozen=True)
class Case:
    """A machine with a friction law: what is true, what may be, and how it is simulated."""

    name: str
    machine: Machine
    truth: dict[str, float]
    free: dict[str, str]
    scene: Callable[[], Any]
    solve: Callable[[], Course]
    duration: float  # s
    noise: float  # rad
    dt: float  # s

    @cached_property
    def course(self) -> Course:
        """The exact motion."""
        return self.solve()

    def identification(self, seed: int) -> Joined:
        """The identification of one log."""
        log = log_of(self.machine, self.course, self.duration, seed, self.noise)
        return Joined(self.scene(), log, self.free, delay="0:0.01", dt=self.dt, **self.machine.columns)

    def starts(self, count: int, seed: int) -> list[dict[str, float]]:
        """Points of the ranges, drawn with a seed."""
        ranges = self.identification(0).ranges
        shares = np.random.default_rng(seed).uniform(0.0, 1.0, (count, len(ranges)))
        return [{one.name: float(one.value(s)) for one, s in zip(ranges, row, strict=True)} for row in shares]

    def is_found(self, found: Found) -> bool:
        """Whether all numbers lie within five deviations of the truth, which chance alone hardly ever exceeds."""
        return all(abs(found[name].value - value) <= 5.0 * found[name].deviation for name, value in self.truth.items())


# --- the cases --------------------------------------------------------------------------------------------------------

DRY = {"pivot": (0.4, 0.08), "shoulder": (0.5, 0.1), "elbow": (0.2, 0.04)}  # Coulomb N m, viscous N m s
# level and static above it N m, speed rad/s, viscous N m s, stiffness N m/rad, damping N m s
BRISTLES = {
    "pivot": (0.4, 0.3, 0.5, 0.08, 30.0, 0.6),
    "shoulder": (0.5, 0.3, 0.6, 0.1, 30.0, 0.6),
    "elbow": (0.2, 0.12, 0.8, 0.04, 10.0, 0.2),
}
# gentler torques, under which the bristles bend and the joints creep
SLOW_PENDULUM = replace(PENDULUM, sines=(((1.2, 0.7, 0.0), (0.9, 1.9, 1.0), (0.6, 0.3, 0.0)),))
SLOW_ARM = replace(
    ARM,
    sines=(((2.0, 0.6, 0.0), (1.4, 1.7, 1.0), (0.8, 0.3, 0.5)), ((0.8, 0.9, 0.5), (0.6, 2.3, 0.0), (0.3, 0.3, 1.0))),
)
NUMBERS = ("level", "excess", "speed", "viscous", "stiffness", "damping")


def dry_case(name: str, machine: Machine, duration: float, noise: float, dt: float) -> Case:
    """Coulomb and viscous friction in every joint."""
    truth, free = {}, {}
    for joint in machine.joints:
        for number, value in zip(("friction", "viscous"), DRY[joint], strict=True):
            truth[f"{joint}.{number}"], free[f"{joint}.{number}"] = value, f"{value / 8}:{value * 8}"
    levels, viscous = zip(*(DRY[joint] for joint in machine.joints), strict=True)
    laws = [sh.Stribeck(level, level, 1.0, viscous) for level, viscous in (DRY[joint] for joint in machine.joints)]
    return Case(
        name, machine, truth | {"delay": DELAY}, free, lambda: machine.scene(laws),
        lambda: dry(machine, levels, viscous, duration), duration, noise, dt,
    )  # fmt: skip


def bristle_case(name: str, machine: Machine, duration: float, noise: float, dt: float) -> Case:
    """LuGre friction in every joint, all of its numbers free."""
    truth = {f"{joint}_{n}": v for joint in machine.joints for n, v in zip(NUMBERS, BRISTLES[joint], strict=True)}
    free = {name: f"{value / 6}:{value * 6}" for name, value in truth.items()}
    return Case(
        name, machine, truth | {"delay": DELAY}, free, lambda: factory(machine, truth),
        lambda: bristles(machine, _laws(machine, truth), duration), duration, noise, dt,
    )  # fmt: skip


def _laws(machine: Machine, numbers: dict[str, float]) -> list[sh.LuGre]:
    """The laws from their numbers; the static level by what it exceeds the dynamic one, as it must not be below."""
    found = []
    for joint in machine.joints:
        level, excess, speed, viscous, stiffness, damping = (numbers[f"{joint}_{n}"] for n in NUMBERS)
        found.append(sh.LuGre(level, level + excess, speed, stiffness, damping, viscous))
    return found


def factory(machine: Machine, defaults: dict[str, float]) -> Callable[..., sh.Scene]:
    """A function of all numbers that makes the scene."""
    import inspect

    def made(**numbers: float) -> sh.Scene:
        return machine.scene(_laws(machine, defaults | numbers))

    parts = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=v) for n, v in defaults.items()]
    made.__signature__ = inspect.Signature(parts)  # type: ignore[attr-defined]
    return made


CASES = (
    dry_case("pendulum, Coulomb and viscous", PENDULUM, 2.0, 1e-2, 0.002),
    dry_case("two-joint arm, Coulomb and viscous", ARM, 2.0, 1e-2, 0.002),
    bristle_case("pendulum, LuGre", SLOW_PENDULUM, 4.0, 1e-3, 0.002),
    bristle_case("two-joint arm, LuGre", SLOW_ARM, 4.0, 1e-3, 0.002),
)


# --- sections ---------------------------------------------------------------------------------------------------------


def run(quick: bool) -> list[Section]:
    """How often the truth lies in the intervals, from where it is found, and how fast."""
    return [
        coverage(8 if quick else LOGS),
        starts(4 if quick else STARTS),
        beside_mujoco(2 if quick else PEER_LOGS),
    ]


def coverage(logs: int, cases: tuple[Case, ...] = CASES) -> Section:
    """How many of many logs have the truth inside their 95 % intervals; noise and an unknown delay of 1 ms."""
    rows, bars, seconds = [], [], {}
    low, high = expected(logs)
    for case in cases:
        begun = time.perf_counter()
        made = [case.identification(seed) for seed in range(logs)]
        found = fit_together(made, [lambda one, case=case: one.fit(start=case.truth, twin=False)] * logs)  # type: ignore[misc]
        seconds[case.name] = (time.perf_counter() - begun) / logs
        inside = {n: sum(one[n].low <= v <= one[n].high for one in found) for n, v in case.truth.items()}
        for name, count in inside.items():
            off = np.mean([(one[name].value - case.truth[name]) / one[name].deviation for one in found])
            rows.append([case.name, name, f"{count} of {logs}", f"{off:+.2f}"])
        share = sum(inside.values()) / (logs * len(inside))
        worst = max(inside.values(), key=lambda count: abs(count / logs - LEVEL))
        bars.append(Bar(f"{case.name}: share of all intervals off 95 %", abs(share - LEVEL), 0.02, ""))
        bars.append(
            Bar(f"{case.name}: worst number, intervals off 95", abs(worst - LEVEL * logs), LEVEL * logs - low, "")
        )
    notes = [
        f"Of {logs} honest 95 % intervals {LEVEL * logs:.0f} are expected to hold the truth, and "
        f"{low} to {high} in all but one of {1 / CHANCE:.0f} such counts; 93 to 97 of 100 in three of four.",
        "Mean error: of the estimates, in their standard deviations; chance alone makes it "
        f"{1 / math.sqrt(logs):.2f} either way.",
    ]
    columns = ["machine and law", "number", "truth in the interval", "mean error"]
    return Section(
        "Identification: truth in the 95 % interval",
        columns,
        rows,
        bars,
        notes=notes,
        data={"seconds_per_log": seconds},
    )


def expected(logs: int) -> tuple[int, int]:
    """Between which counts all but one of a thousand honest counts lie."""
    from scipy.stats import binom

    return int(binom.ppf(CHANCE / 2, logs, LEVEL)), int(binom.ppf(1 - CHANCE / 2, logs, LEVEL))


def starts(count: int, cases: tuple[Case, ...] = CASES) -> Section:
    """Random points of the ranges, each the start of a search; one log."""
    rows, bars = [], []
    for case in cases:
        begun = time.perf_counter()
        fits = [
            lambda one, start=start, seed=seed: one.fit(start=start, search=True, seed=seed, check=False, twin=False)  # type: ignore[misc]
            for seed, start in enumerate(case.starts(count, seed=1))
        ]
        found = fit_together([case.identification(seed=0) for _ in range(count)], fits)
        good = sum(map(case.is_found, found))
        evaluations = float(np.mean([one.evaluations for one in found]))
        seconds = (time.perf_counter() - begun) / count
        rows.append([case.name, f"{good} of {count}", f"{evaluations:.0f}", f"{seconds:.1f}"])
        bars.append(Bar(f"{case.name}: starts that do not find it", float(count - good), 0.0, ""))
    columns = ["machine and law", "starts that find it", "simulations of each", "s of each"]
    return Section("Identification: random starts", columns, rows, bars)


def beside_mujoco(logs: int) -> Section:
    """The same logs, ranges, starts and steps in MuJoCo's sysid: seconds, errors, and how often its intervals hold."""
    rows, comparisons, notes = [], [], []
    for case in CASES[:2]:
        first = case.starts(1, seed=2)[0]
        engines = {"Sharnir": _ours(case, first)}
        try:
            mujoco_sysid.identify(*_asked(case, 0, first))
            engines["MuJoCo"] = lambda seed, case=case, first=first: mujoco_sysid.identify(*_asked(case, seed, first))
        except NotInstalled as error:
            notes.append(str(error))
        errors, seconds = {}, {}
        for name, identify in engines.items():
            begun = time.perf_counter()
            answers = [identify(seed) for seed in range(logs)]
            seconds[name] = (time.perf_counter() - begun) / logs
            friction = {n: v for n, v in case.truth.items() if n != "delay"}
            off = np.array([[a.values[n] / v - 1 for n, v in friction.items()] for a in answers])
            inside = np.array([[abs(a.values[n] - v) <= a.widths[n] for n, v in friction.items()] for a in answers])
            errors[name] = float(np.sqrt(np.mean(off**2)))
            rows.append([case.name, name, f"{seconds[name]:.2f}", f"{errors[name]:.2%}", f"{inside.mean():.0%}"])
        for name in engines.keys() - {"Sharnir"}:
            comparisons.append(
                Comparison(case.name, "time of an identification", "s", seconds["Sharnir"], name, seconds[name])
            )
            comparisons.append(
                Comparison(case.name, "error of the friction", "1", errors["Sharnir"], name, errors[name])
            )
    notes.append("Error: root mean square over the friction numbers of all logs. MuJoCo has no LuGre friction.")
    columns = ["machine and law", "engine", "s of a log", "error of the friction", "truth in the interval"]
    return Section("Identification beside MuJoCo's sysid", columns, rows, comparisons=comparisons, notes=notes)


def _asked(case: Case, seed: int, start: dict[str, float]) -> tuple[Any, ...]:
    """What MuJoCo's sysid is asked."""
    one = case.identification(seed)
    ranges = {part.name: (part.low, part.high) for part in one.ranges} | {"delay": (-0.01, 0.01)}
    return case.machine, one.log, ranges, start, case.dt, dict.fromkeys(case.machine.joints, 1.0 / case.noise)


def _ours(case: Case, start: dict[str, float]) -> Callable[[int], mujoco_sysid.Answer]:
    """The same by us: from the same start, without a search."""

    def identify(seed: int) -> mujoco_sysid.Answer:
        log = case.identification(seed).log
        details: dict[str, Any] = {"delay": "0:0.01", "dt": case.dt} | case.machine.columns
        found = Identification(case.scene(), log, case.free, **details).fit(start=start, twin=False)
        values = {one.name: one.value for one in found.estimates}
        return mujoco_sysid.Answer(values, {one.name: (one.high - one.low) / 2 for one in found.estimates})

    return identify
