"""Machines with friction laws to be identified: what is true, what may be, and the log of each seed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

import sharnir as sh
from sharnir.studies.plan import Factory

from .friction_logs import ARM, DELAY, PENDULUM, Course, Machine, bristles, dry, log_of
from .together import Joined


@dataclass(frozen=True)
class Case:
    """A machine with a friction law: what is true, what may be, and how it is simulated."""

    name: str
    machine: Machine
    truth: dict[str, float]
    free: dict[str, str]
    scene: Callable[[], sh.Scene | Factory]
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
        return Joined(
            self.scene(), log, self.free, delay="0:0.01", dt=self.dt, settings={"threads": 1}, **self.machine.columns
        )

    def starts(self, count: int, seed: int) -> list[dict[str, float]]:
        """Points of the ranges, drawn with a seed."""
        ranges = self.identification(0).ranges
        shares = np.random.default_rng(seed).uniform(0.0, 1.0, (count, len(ranges)))
        return [{one.name: float(one.value(s)) for one, s in zip(ranges, row, strict=True)} for row in shares]


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

    def made(**numbers: float) -> sh.Scene:
        return machine.scene(_laws(machine, defaults | numbers))

    parts = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=v) for n, v in defaults.items()]
    made.__signature__ = inspect.Signature(parts)  # type: ignore[attr-defined]
    return made


CASES = {
    "pendulum": dry_case("pendulum, Coulomb and viscous", PENDULUM, 2.0, 1e-2, 0.002),
    "arm": dry_case("two-joint arm, Coulomb and viscous", ARM, 2.0, 1e-2, 0.002),
    "lugre-pendulum": bristle_case("pendulum, LuGre", SLOW_PENDULUM, 4.0, 1e-3, 0.002),
    "lugre-arm": bristle_case("two-joint arm, LuGre", SLOW_ARM, 4.0, 1e-3, 0.002),
}
