"""Inverse kinematics: coordinates within their limits that bring frames to targets.

Each step is a linear least-squares problem with bounds (scipy's ``lsq_linear``): the change of the coordinates within
their limits that brings the linearised frames nearest to the targets, damped (Levenberg-Marquardt). Loops stay closed,
since bodies are moved by ``posing.postured``. Where a start leads nowhere, others are tried, drawn from a fixed seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import lsq_linear

from ..errors import SceneError, nearest
from ..scene.body import Body
from ..scene.joint import Joint
from ..scene.values import quaternion, shown, vector
from ..spatial import Array, matrix
from .machine import Bodies, Machine
from .passive import coordinates_at
from .posing import postured, rotation_vector

STEPS = 60
STARTS = 12
LARGEST = 0.5  # rad or m that a coordinate goes in a step
SLACK = 1e-9  # rad or m beyond a limit that rounding may leave


@dataclass(frozen=True)
class Target:
    """Where a point of a moving body is to be (m) and how it is to be turned; None where it does not matter."""

    name: str
    body: int
    local: Array
    turn: Array  # of the frame in the body
    position: Array | None
    rotation: Array | None


@dataclass(frozen=True)
class Bounds:
    """Limits of all coordinates, rad or m, infinite where open."""

    lower: Array
    upper: Array


def targets_of(machine: Machine, given: object, world: int, worlds: int) -> list[Target]:
    """Targets as the user gives them: by body, by joint (its frame on b), or by (body, point)."""
    if not isinstance(given, Mapping) or not given:
        raise SceneError(
            f"inverse_kinematics: targets are {shown(given)}; give a dictionary such as {{hand: (x, y, z)}}"
        )
    return [_target(machine, key, value, world, worlds) for key, value in given.items()]


def _target(machine: Machine, key: object, value: Any, world: int, worlds: int) -> Target:
    local, turn = np.zeros(3), np.eye(3)
    body = key
    if isinstance(key, tuple) and len(key) == 2:
        body, local = key[0], np.array(vector(tuple(key[1]), "inverse_kinematics: point (m)"))
    elif isinstance(key, Joint):
        body, local, turn = key.b, key.frame_b.position, matrix(key.frame_b.rotation)
    if not isinstance(body, Body) or body.name not in machine.mechanism.place:
        hint = nearest(body.name, machine.mechanism.place) if isinstance(body, Body) else ""
        raise SceneError(
            f"inverse_kinematics: {shown(key)} is no moving frame{hint}; give a body, a joint, or a body and a point "
            "of it: scene.bodies['hand']"
        )
    what = f"inverse_kinematics: target of '{body.name}'"
    position, rotation = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
    goal = None if position is None else _row(position, 3, world, worlds, what)
    facing = None
    if rotation is not None:
        x, y, z, w = _row(rotation, 4, world, worlds, what).tolist()
        facing = matrix(np.array(quaternion((x, y, z, w), what)))
    return Target(body.name, machine.mechanism.place[body.name], local, turn, goal, facing)


def _row(value: ArrayLike, size: int, world: int, worlds: int, what: str) -> Array:
    given = np.asarray(value, float)
    if given.shape == (worlds, size) and worlds > 1:
        given = given[world]
    if given.shape != (size,) or not np.isfinite(given).all():
        raise SceneError(f"{what} is {shown(value)}; give {size} numbers, or a row of them for each world")
    return given


def solved(
    machine: Machine, bodies: Bodies, turns: Array, targets: list[Target], bounds: Bounds, tolerance: float
) -> Bodies:
    """One world's bodies [1, ...] with the targets met to a tolerance (m, rad), or an error that tells how near."""
    problem = _Problem(machine, turns, targets, bounds)
    best, least = bodies, np.inf
    draw = np.random.default_rng(0)
    for attempt in range(STARTS):
        start = bodies if attempt == 0 else problem.shaken(bodies, draw)
        if start is None:
            continue
        found, error = problem.descended(start, tolerance)
        if error < least:
            best, least = found, error
        if least <= tolerance:
            return best
    worst, error = problem.worst(best)
    raise SceneError(
        f"inverse_kinematics: '{worst}' stays {error:.4g} m or rad off its target within the limits of the joints; "
        "take a target within reach, or start from another posture"
    )


class _Problem:
    def __init__(self, machine: Machine, turns: Array, targets: list[Target], bounds: Bounds) -> None:
        self.machine, self.turns, self.targets, self.bounds = machine, turns, targets, bounds
        rows = machine.rows
        places = {row: i for i, row in enumerate(rows.coordinate_rows.tolist())}
        self._mine = np.array([i for i, f in enumerate(rows.freedoms) if f.component is None], int)
        self._coordinate = np.array([places[rows.free[i]] for i in self._mine], int)
        self._others = np.array([i for i in range(len(rows.labels)) if i not in self._coordinate], int)

    def descended(self, bodies: Bodies, tolerance: float) -> tuple[Bodies, float]:
        """The bodies after the steps that still help, and the error that is left."""
        damping = 1e-6
        residual, jacobian, bounds = self._linear(bodies)
        for _ in range(STEPS):
            if np.max(np.abs(residual), initial=0.0) <= 0.01 * tolerance:
                break
            count = jacobian.shape[1]
            matrix = np.vstack([jacobian, np.sqrt(damping) * np.eye(count)])
            step = lsq_linear(matrix, np.append(-residual, np.zeros(count)), bounds, method="bvls").x
            tried = self._moved(bodies, step)
            after = None if tried is None else self._linear(tried)
            if tried is not None and after is not None and after[0] @ after[0] < residual @ residual:
                stalled = after[0] @ after[0] > (1.0 - 1e-6) * (residual @ residual)
                bodies, (residual, jacobian, bounds), damping = tried, after, max(0.1 * damping, 1e-14)
                if stalled:
                    break
            else:
                damping *= 10.0
                if damping > 1e4:
                    break
        return bodies, float(np.max(np.abs(residual), initial=0.0))

    def _linear(self, bodies: Bodies) -> tuple[Array, Array, tuple[Array, Array]]:
        """Residuals, their slopes by the coordinates that are freedoms, and how far those may go."""
        machine = self.machine
        m = machine.motion(bodies)
        span = machine.span(bodies)[0][:, self._mine]
        values = coordinates_at(machine.rows, m, self.turns)[0]
        residual, slopes = [], []
        for target in self.targets:
            columns = span[6 * target.body : 6 * target.body + 6]
            turn = bodies.rotation[0, target.body]
            arm = turn @ (target.local - machine.mechanism.center[target.body])
            if target.position is not None:
                residual.append(bodies.x[0, target.body] + arm - target.position)
                slopes.append(columns[:3] + np.cross(columns[3:].T, arm).T)
            if target.rotation is not None:
                residual.append(rotation_vector((turn @ target.turn @ target.rotation.T)[None])[0])
                slopes.append(columns[3:])
        lower, upper = self.bounds.lower - values, self.bounds.upper - values
        for i in self._others:  # of a loop: limits that follow from those of the freedoms
            beyond = max(float(lower[i]), 0.0) + min(float(upper[i]), 0.0)
            if abs(beyond) > SLACK:
                residual.append(np.array([-beyond]))
                slopes.append(m.jacobian[0, machine.rows.coordinate_rows[i]].reshape(1, -1) @ span)
        low = np.minimum(np.maximum(lower[self._coordinate], -LARGEST), 0.0)
        high = np.maximum(np.minimum(upper[self._coordinate], LARGEST), 0.0)
        return np.concatenate(residual), np.vstack(slopes), (low - 1e-12, high + 1e-12)

    def _moved(self, bodies: Bodies, step: Array) -> Bodies | None:
        change = np.zeros((1, len(self.machine.labels)))
        change[0, self._mine] = step
        try:
            return postured(self.machine, bodies, change)
        except SceneError:  # a loop does not close there
            return None

    def shaken(self, bodies: Bodies, draw: np.random.Generator) -> Bodies | None:
        """Another start: coordinates drawn within their limits, or within a turn and a metre."""
        values = coordinates_at(self.machine.rows, self.machine.motion(bodies), self.turns)[0]
        lower = np.maximum(self.bounds.lower, values - np.pi)[self._coordinate]
        upper = np.minimum(self.bounds.upper, values + np.pi)[self._coordinate]
        wanted = draw.uniform(lower, np.maximum(upper, lower))
        return self._moved(bodies, wanted - values[self._coordinate])

    def worst(self, bodies: Bodies) -> tuple[str, float]:
        """The target that is farthest off, and how far."""
        alone = [_Problem(self.machine, self.turns, [target], self.bounds) for target in self.targets]
        off = {one.targets[0].name: float(np.linalg.norm(one._linear(bodies)[0])) for one in alone}
        name = max(off, key=lambda one: off[one])
        return name, off[name]
