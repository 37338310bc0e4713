"""Logs of a pendulum with friction, made by scipy and not by us: for identification to be measured against."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

import sharnir as sh
from sharnir.studies.logs import Log, make_log

MASS, LENGTH, GRAVITY = 1.0, 1.0, 9.81  # kg, m, m/s^2
INERTIA, WEIGHT = MASS * LENGTH**2 / 3, MASS * GRAVITY * LENGTH / 2  # kg m^2 about the pivot, N m
RATE, NOISE, DELAY = 500.0, 1e-2, 1e-3  # rows a second, rad, s
STILL = 1e-9  # rad/s


def torque(t: np.ndarray | float) -> np.ndarray:
    """Three sines, N m."""
    turns = 2 * np.pi * np.asarray(t)
    return 2.5 * np.sin(0.7 * turns) + 1.5 * np.sin(1.9 * turns + 1) + 0.5 * np.sin(0.2 * turns)


def pendulum(friction: object) -> sh.Scene:
    """A rod of 1 m and 1 kg that hangs from its pivot, with a friction law."""
    scene = sh.Scene("pendulum")
    moments = (MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 12, 1e-3)
    rod = scene.body("rod", sh.Box(0.03, 0.03, 1.0), position=(0, 0, -LENGTH / 2), mass=MASS, inertia=moments)
    scene.joint("pivot", sh.Revolute(axis=(0, 1, 0), anchor=(0, 0, 0)), scene.world, rod, friction=friction)  # type: ignore[arg-type]
    return scene


@dataclass(frozen=True)
class Course:
    """The exact angle of a pendulum, piece by piece between the instants at which friction begins or ceases to hold."""

    pieces: list[tuple[float, float, object]]

    def angle(self, times: np.ndarray) -> np.ndarray:
        """The angle (rad) at times (s); before the start it hangs."""
        found = np.zeros(len(times))
        for start, end, solution in self.pieces:
            inside = (times >= start) & (times <= end)
            if inside.any():
                found[inside] = solution(times[inside])[0]  # type: ignore[operator]
        return found


def dry(level: float, viscous: float, duration: float) -> Course:
    """I q'' = M(t) - m g l sin q - level sgn(q') - viscous q', sticking where the level holds; events to 1e-10."""
    time, state, pieces = 0.0, np.zeros(2), []
    while time < duration - 1e-12:
        drive = float(torque(time)) - WEIGHT * np.sin(state[0])
        sticks = abs(state[1]) < STILL and abs(drive) <= level
        sign = 0.0 if sticks else np.sign(state[1] if abs(state[1]) > STILL else drive)

        def slope(t: float, y: np.ndarray, sign: float = sign) -> list[float]:
            if sign == 0.0:
                return [0.0, 0.0]
            return [y[1], (float(torque(t)) - WEIGHT * np.sin(y[0]) - sign * level - viscous * y[1]) / INERTIA]

        def turns(t: float, y: np.ndarray, sign: float = sign) -> float:
            return abs(float(torque(t)) - WEIGHT * np.sin(y[0])) - level if sign == 0.0 else y[1] * sign

        turns.terminal, turns.direction = True, 1.0 if sticks else -1.0  # type: ignore[attr-defined]
        options = {"rtol": 1e-10, "atol": 1e-12, "max_step": 0.02, "dense_output": True}
        solved = solve_ivp(slope, (time, duration), state, events=turns, **options)
        pieces.append((time, float(solved.t[-1]), solved.sol))
        time, state = float(solved.t[-1]), solved.y[:, -1].copy()
        if solved.status == 1:
            state[1] = 0.0
    return Course(pieces)


def bristles(law: sh.LuGre, duration: float) -> Course:
    """The LuGre law as a system of three equations, stiff."""

    def slope(t: float, y: np.ndarray) -> list[float]:
        angle, speed, bend = y
        level = law.level + (law.static - law.level) * np.exp(-((speed / law.speed) ** 2))
        rate = speed - law.stiffness * abs(speed) * bend / level
        friction = law.stiffness * bend + law.damping * rate + law.viscous * speed
        return [speed, (float(torque(t)) - WEIGHT * np.sin(angle) - friction) / INERTIA, rate]

    solved = solve_ivp(slope, (0.0, duration), np.zeros(3), "Radau", rtol=1e-9, atol=1e-12, dense_output=True)
    return Course([(0.0, duration, solved.sol)])


def log_of(course: Course, duration: float, seed: int, noise: float = NOISE, delay: float = DELAY) -> Log:
    """What an encoder with noise (rad) and a delay (s) would have logged."""
    time = np.arange(0.0, duration, 1.0 / RATE)
    angle = course.angle(np.maximum(time - delay, 0.0)) + np.random.default_rng(seed).normal(0.0, noise, len(time))
    return make_log(time, {"torque": torque(time), "angle": angle}, {"torque": "N m", "angle": "rad"})
