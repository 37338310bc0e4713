"""Servos: gains that a sampled loop cannot have, and targets that limits exclude.

A servo sees its coordinate x and rate v when a kick of h seconds begins; motor, dampers and springs are implicit. With
A = r^2 I_m + J, the inertia of rotor and load at the joint, c and k of a damper and a spring beside it:

    v' = (A v + h r M_s U - h k x)/(A + h r^2 M_s/w_idle + h c + h^2 k),    x' = x + h v',    S' = S + h e
    U  = gain e + integral S - damping v,    e = -x (position) or -v (speed), for a target of zero

The loop is unstable where a value of this map grows: with a gain alone, for h gain M_s r > 2 A + h r^2 M_s/w_idle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from ..errors import SimulationWarning
from ..model.layout import Layout
from ..model.softs import SoftRow, softs_of
from ..scene.assemble import Held, Poses, Problem
from ..scene.check import LIMIT_TOLERANCE
from ..scene.elements.drive import DcDrive, PositionServo
from ..scene.machines import mechanisms_of, moved_by, root_of_inverse_mass
from ..scene.scene import Scene
from ..spatial import Array

STABLE = 1.0 + 1e-6  # growth in a kick that is rounding
HALVINGS = 40


def unstable(scene: Scene, dt: float) -> Iterator[SimulationWarning]:
    """Servos that are unstable with their load at the start; ``dt`` is the step, s."""
    for row in softs_of(scene):
        if row.drive is None or isinstance(row.drive, DcDrive):
            continue
        slow = isinstance(row.drive, PositionServo) and row.drive.integral > 0.0
        if growth(row, dt, 0.0) <= STABLE and not slow:
            continue  # without a load it is at its worst, unless a heavy load lags behind the integral
        load = inertia_at(scene, row)
        if math.isfinite(load) and (found := growth(row, dt, load)) > STABLE:
            share = _largest(partial(growth, row, dt, load))
            step = dt * _largest(partial(_growth_at, row, dt, load))
            sooner = f", or dt below {step:.2g} s" if step > 0.0 else ""
            gains = ", ".join(f"{name} {value:g}" for name, value in _gains(row).items() if value)
            yield SimulationWarning(
                "unstable-servo",
                f"the servo of '{row.label}'",
                f"({gains}) is unstable at dt = {dt:g} s: deviations grow by {found:.3g} in a step; "
                f"give gains below {share:.2g} of these{sooner}",
            )


def growth(row: SoftRow, kick: float, load: float, share: float = 1.0) -> float:
    """By how much deviations grow in a kick (s), with an inertia of the load and with a share of all gains."""
    motor, gains, h = row.motor, _gains(row), kick
    assert motor is not None
    ratio, pull = abs(motor.ratio), motor.stall_torque
    inertia = ratio**2 * pull * motor.time_constant / motor.idle_speed + load
    spring = row.spring
    k, c = (0.0, row.viscous) if spring is None else (spring.stiffness, row.viscous + spring.damping)
    yielding = inertia + h * ratio**2 * pull / motor.idle_speed + h * c + h * h * k
    error = np.array([-1.0, 0.0, 0.0] if isinstance(row.drive, PositionServo) else [0.0, -1.0, 0.0])
    voltage = share * (gains["gain"] * error + np.array([0.0, -gains["damping"], gains["integral"]]))
    speed = (np.array([-h * k, inertia, 0.0]) + h * ratio * pull * voltage) / yielding
    steps = np.array([np.array([1.0, 0.0, 0.0]) + h * speed, speed, np.array([0.0, 0.0, 1.0]) + h * error])
    used = [0, 1] if gains["integral"] == 0.0 else [0, 1, 2]
    return float(np.max(np.abs(np.linalg.eigvals(steps[np.ix_(used, used)]))))


def _growth_at(row: SoftRow, dt: float, load: float, share: float) -> float:
    return growth(row, share * dt, load)


def _gains(row: SoftRow) -> dict[str, float]:
    return {name: getattr(row.drive, name, 0.0) for name in ("gain", "damping", "integral")}


def _largest(growth_at: Callable[[float], float]) -> float:
    """The largest share of 1 at which nothing grows, to a hundredth; 0 where there is none."""
    share = 1.0
    for _ in range(HALVINGS):
        share *= 0.5
        if growth_at(share) <= STABLE:
            break
    else:
        return 0.0
    low, high = share, 2.0 * share
    while high - low > 0.01 * low:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if growth_at(middle) <= STABLE else (low, middle)
    return low


def inertia_at(scene: Scene, row: SoftRow) -> float:
    """The inertia (kg or kg m^2) that a drive feels at its joint at the start, of all that moves with it."""
    joints = next(found for found in mechanisms_of(scene.joints.values()) if row.joint in found)
    moving = moved_by(*joints)
    held = [Held.of(joints, row.joint.coordinate(row.name), 0.0)]
    rows = Problem.of(scene, joints, moving, held).jacobian(Poses.of(moving, joints))
    weighted = rows @ root_of_inverse_mass(moving)
    locked, free = weighted[:-1], weighted[-1]
    if len(locked):
        free = free - locked.T @ (np.linalg.pinv(locked @ locked.T, rcond=1e-10, hermitian=True) @ (locked @ free))
    inverse_mass = float(free @ free)
    return 1.0 / inverse_mass if inverse_mass > 1e-12 * float(weighted[-1] @ weighted[-1]) else math.inf


class Bounded(NamedTuple):
    """A position servo that may not go everywhere: its label and unit, its places among drives and limits (None: it
    has none), and its own reach (rad or m)."""

    label: str
    unit: str
    soft: int
    limit: int | None
    reach: tuple[float, float]


def bounded_servos(scene: Scene, layout: Layout) -> list[Bounded]:
    """Every position servo whose target its limits or its reach can exclude."""
    found = []
    for i, row in enumerate(softs_of(scene)):
        if isinstance(row.drive, PositionServo) and (row.label in layout.limits or row.drive.reach is not None):
            limit = layout.limits.index(row.label) if row.label in layout.limits else None
            reach = row.drive.reach or (-np.inf, np.inf)
            found.append(Bounded(row.label, row.joint.target(row.name).unit, i, limit, reach))
    return found


def beyond_limits(servos: list[Bounded], targets: Array, lower: Array, upper: Array) -> Iterator[SimulationWarning]:
    """Targets [soft, world] that are outside of the limits [limit, world] now, or of the reach of their servo."""
    for label, unit, soft, limit, reach in servos:
        low, high = (np.full_like(targets[soft], end) for end in reach)
        if limit is not None:
            low, high = np.maximum(low, lower[limit]), np.minimum(high, upper[limit])
        beyond = np.maximum(low - targets[soft], targets[soft] - high)
        if np.max(beyond) > LIMIT_TOLERANCE:
            world = int(np.argmax(beyond))
            yield SimulationWarning(
                "target-beyond-limit",
                f"the target of '{label}'",
                f"is {targets[soft, world]:.6g} {unit}, outside its limits ({low[world]:.6g}, {high[world]:.6g}); "
                "keep it within, or widen the limits",
            )
