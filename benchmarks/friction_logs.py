"""Logs of a pendulum and of a two-joint arm with friction, made by scipy and not by us: to measure identification by.

    M(q) q'' + c(q, q') = torque(t) - friction      rods that hang from each other, q relative angles

The equations are written down by hand for two rods; the pendulum is the first of them alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

import sharnir as sh
from sharnir.studies.logs import Log, make_log

GRAVITY = 9.81  # m/s^2
RATE, NOISE, DELAY = 500.0, 1e-2, 1e-3  # rows a second, rad, s
STILL = 1e-9  # rad/s
Sines = tuple[tuple[float, float, float], ...]  # N m, Hz, rad


@dataclass(frozen=True)
class Machine:
    """One or two rods in series, driven at their joints by sums of sines."""

    joints: tuple[str, ...]
    masses: tuple[float, ...]  # kg
    lengths: tuple[float, ...]  # m
    sines: tuple[Sines, ...]

    def torque(self, t: np.ndarray | float) -> np.ndarray:
        """The torques, N m, [joint] or [joint, time]."""
        turns = 2 * np.pi * np.asarray(t)
        return np.array([sum(a * np.sin(f * turns + phase) for a, f, phase in part) for part in self.sines])

    def mass(self, angle: np.ndarray) -> np.ndarray:
        """The mass matrix M, kg m^2."""
        (m1, *m2), (l1, *l2) = self.masses, self.lengths
        first = m1 * l1**2 / 3
        if not m2:
            return np.array([[first]])
        second, across = m2[0] * l2[0] ** 2 / 3, m2[0] * l1 * l2[0] / 2 * np.cos(angle[1])
        return np.array([[first + second + m2[0] * l1**2 + 2 * across, second + across], [second + across, second]])

    def load(self, angle: np.ndarray, speed: np.ndarray) -> np.ndarray:
        """Gravity and Coriolis torques c, N m."""
        (m1, *m2), (l1, *l2) = self.masses, self.lengths
        first = m1 * GRAVITY * l1 / 2 * np.sin(angle[0])
        if not m2:
            return np.array([first])
        hung = m2[0] * GRAVITY * l2[0] / 2 * np.sin(angle[0] + angle[1])
        turning = m2[0] * l1 * l2[0] / 2 * np.sin(angle[1])
        shoulder = first + m2[0] * GRAVITY * l1 * np.sin(angle[0]) + hung
        shoulder -= turning * (2 * speed[0] * speed[1] + speed[1] ** 2)
        return np.array([shoulder, hung + turning * speed[0] ** 2])

    def scene(self, frictions: Sequence[object]) -> sh.Scene:
        """The rods in Sharnir, with a friction law in each joint."""
        scene = sh.Scene("arm" if len(self.joints) > 1 else "pendulum")
        parent, top = scene.world, 0.0
        for name, mass, length, friction in zip(self.joints, self.masses, self.lengths, frictions, strict=True):
            moments = (mass * length**2 / 12, mass * length**2 / 12, 1e-3 * mass)
            place = (0, 0, top - length / 2)
            rod = scene.body(f"{name} rod", sh.Box(0.03, 0.03, length), position=place, mass=mass, inertia=moments)
            kind = sh.Revolute(axis=(0, 1, 0), anchor=(0, 0, top))
            scene.joint(name, kind, parent, rod, friction=friction)  # type: ignore[arg-type]
            parent, top = rod, top - length
        return scene

    @property
    def columns(self) -> dict[str, dict[str, str]]:
        """Which columns of a log are the outputs and the inputs of the scene."""
        return {
            "outputs": {f"{name}.angle": f"{name} angle" for name in self.joints},
            "inputs": {f"torque.{name}": f"{name} torque" for name in self.joints},
        }


PENDULUM = Machine(("pivot",), (1.0,), (1.0,), (((2.5, 0.7, 0.0), (1.5, 1.9, 1.0), (0.5, 0.2, 0.0)),))
ARM = Machine(
    ("shoulder", "elbow"),
    (1.2, 0.8),
    (0.6, 0.5),
    (
        ((3.5, 0.6, 0.0), (2.0, 1.7, 1.0), (0.8, 0.2, 0.5)),
        ((1.2, 0.9, 0.5), (0.8, 2.3, 0.0), (0.3, 0.3, 1.0)),
    ),
)


def pendulum(friction: object) -> sh.Scene:
    """A rod of 1 m and 1 kg that hangs from its pivot, with a friction law."""
    return PENDULUM.scene((friction,))


@dataclass(frozen=True)
class Course:
    """The exact angles of a machine, piece by piece between the instants at which friction begins or ceases to hold."""

    joints: int
    pieces: list[tuple[float, float, Callable[[np.ndarray], np.ndarray]]]

    def angles(self, times: np.ndarray) -> np.ndarray:
        """The angles (rad), [joint, time], at times (s)."""
        found = np.zeros((self.joints, len(times)))
        for start, end, solution in self.pieces:
            inside = (times >= start) & (times <= end)
            if inside.any():
                found[:, inside] = solution(times[inside])[: self.joints]
        return found


# --- Coulomb and viscous friction -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dry:
    """A machine with Coulomb (N m) and viscous (N m s) friction; signs of the joints' slip are 0 while they stick."""

    machine: Machine
    levels: np.ndarray
    viscous: np.ndarray

    def motion(self, t: float, y: np.ndarray, signs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The accelerations, and the torques that friction has to hold in joints that stick."""
        angle, speed = y.reshape(2, -1)
        slides = signs != 0
        rest = self.machine.torque(t) - self.machine.load(angle, speed)
        rest -= np.where(slides, signs * self.levels + self.viscous * speed, 0.0)
        mass, acceleration = self.machine.mass(angle), np.zeros(len(speed))
        if slides.any():
            acceleration[slides] = np.linalg.solve(mass[np.ix_(slides, slides)], rest[slides])
        return acceleration, rest - mass @ acceleration

    def signs(self, t: float, y: np.ndarray) -> np.ndarray:
        """Which joints slip, and which way. One at rest sticks if friction can hold it, else it starts as it slips.

        Whether it can depends on what the other joints do, so the choices of all that rest are tried together.
        """
        speed = y.reshape(2, -1)[1]
        rests = np.abs(speed) <= STILL
        for choice in itertools.product((0.0, 1.0, -1.0), repeat=int(rests.sum())):
            found = np.sign(speed)
            found[rests] = choice
            acceleration, held = self.motion(t, y, found)
            sticks = rests & (found == 0.0)
            starts = rests & ~sticks
            holds = np.abs(held[sticks]) <= self.levels[sticks] * (1 - 1e-9)
            leaves = acceleration[starts] * found[starts] > -1e-7  # just about to
            if holds.all() and leaves.all():
                return found
        raise RuntimeError(f"no way to slip or stick at {t} s")

    def event(self, joint: int, signs: np.ndarray) -> Callable[[float, np.ndarray], float]:
        """Falls through zero where a joint comes to rest, rises where its friction no longer holds it."""

        def of(t: float, y: np.ndarray) -> float:
            if signs[joint] == 0.0:
                return float(abs(self.motion(t, y, signs)[1][joint]) - self.levels[joint])
            return float(y.reshape(2, -1)[1, joint] * signs[joint])

        of.terminal, of.direction = True, 1.0 if signs[joint] == 0.0 else -1.0  # type: ignore[attr-defined]
        return of


def dry(machine: Machine, levels: Sequence[float], viscous: Sequence[float], duration: float) -> Course:
    """The machine from rest with Coulomb and viscous friction, sticking where the levels hold; to 1e-10."""
    law, joints = Dry(machine, np.array(levels), np.array(viscous)), len(machine.joints)
    time, state, pieces = 0.0, np.zeros(2 * joints), []
    while time < duration - 1e-12:
        signs = law.signs(time, state)

        def slope(t: float, y: np.ndarray, signs: np.ndarray = signs) -> np.ndarray:
            return np.concatenate([y[joints:], law.motion(t, y, signs)[0]])

        events = [law.event(joint, signs) for joint in range(joints)]
        options = {"rtol": 1e-10, "atol": 1e-12, "max_step": 0.02, "dense_output": True}
        solved = solve_ivp(slope, (time, duration), state, "DOP853", events=events, **options)
        pieces.append((time, float(solved.t[-1]), solved.sol))
        time, state = float(solved.t[-1]), solved.y[:, -1].copy()
        for joint, met in enumerate(solved.t_events):
            if len(met) and signs[joint] != 0.0:
                state[joints + joint] = 0.0
    return Course(joints, pieces)


# --- LuGre friction ---------------------------------------------------------------------------------------------------


def bristles(machine: Machine, laws: Sequence[sh.LuGre], duration: float) -> Course:
    """The machine from rest with LuGre friction: three equations for every joint, stiff; to 1e-9."""
    names = ("level", "static", "speed", "stiffness", "damping", "viscous")
    level, static, slow, stiffness, damping, viscous = (np.array([getattr(one, n) for one in laws]) for n in names)

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        angle, speed, bend = y.reshape(3, -1)
        bound = level + (static - level) * np.exp(-((speed / slow) ** 2))
        rate = speed - stiffness * np.abs(speed) * bend / bound
        friction = stiffness * bend + damping * rate + viscous * speed
        rest = machine.torque(t) - machine.load(angle, speed) - friction
        return np.concatenate([speed, np.linalg.solve(machine.mass(angle), rest), rate])

    joints = len(machine.joints)
    options = {"rtol": 1e-9, "atol": 1e-11, "max_step": 0.02, "dense_output": True}
    solved = solve_ivp(slope, (0.0, duration), np.zeros(3 * joints), "LSODA", **options)
    return Course(joints, [(0.0, duration, solved.sol)])


def log_of(
    machine: Machine, course: Course, duration: float, seed: int, noise: float = NOISE, delay: float = DELAY
) -> Log:
    """What encoders with noise (rad) and a delay (s) would have logged."""
    time = np.arange(0.0, duration, 1.0 / RATE)
    angles = course.angles(np.maximum(time - delay, 0.0))
    angles = angles + np.random.default_rng(seed).normal(0.0, noise, angles.shape)
    columns = {f"{name} torque": part for name, part in zip(machine.joints, machine.torque(time), strict=True)}
    columns |= {f"{name} angle": part for name, part in zip(machine.joints, angles, strict=True)}
    return make_log(time, columns, {name: "rad" if name.endswith("angle") else "N m" for name in columns})
