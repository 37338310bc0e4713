"""Bodies brought to where given coordinates have given values, all joints closed; many worlds at once.

A posture is reached along the motion of the mechanism itself: the freedoms go to their values in steps, each predicted
by the span S and closed by Newton's method on the square matrix K of ``freedoms.py``. A loop stays on its branch that
way, and bodies behind a joint move along with it. Coordinates that are not given keep their values as far as the loops
let them; so do the rates of the freedoms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import SceneError
from ..reference.mechanism import Motion, dot
from ..spatial import Array
from .machine import Bodies, Machine, moved

TURN = 2.0 * np.pi
STRIDE = 0.2  # rad or m that a freedom goes at once
CLOSED = 1e-12  # m and rad: no better is asked for
CLOSE_ENOUGH = 1e-9
NEWTON_STEPS = 12
APART = 1e-6  # m and rad: rows that are redundant must follow as well as this


def postured(machine: Machine, bodies: Bodies, change: Array) -> Bodies:
    """Where the bodies are after the freedoms have changed (rad, m), [world, freedom]; velocities go along.

    Components of bodies' velocities change by displacements (m) and rotation vectors (rad) of the body.
    """
    return followed(machine, bodies, change)[0]


def followed(machine: Machine, bodies: Bodies, change: Array) -> tuple[Bodies, Array]:
    """The same, and by how much every coordinate has changed on the way, turns counted, [world, coordinate]."""
    start, m = bodies, machine.motion(bodies)
    rates = machine.rates(bodies)
    before = _Place(machine, m)
    now = before.values(m)
    total = np.zeros_like(now)
    strides = max(1, int(np.ceil(_farthest(machine, m, change) / STRIDE)))
    for k in range(1, strides + 1):
        if np.any(change):
            bodies = moved(bodies, _motion(machine, bodies, change / strides))
        bodies, step = _closed(machine, bodies, before, change * (k / strides), now, total)
        now, total = now + step, total + step
    return with_rates(machine, replace(bodies, v=start.v, w=start.w), rates), total


def _farthest(machine: Machine, m: Motion, change: Array) -> float:
    """How far the freedoms go, or a coordinate that a gear drives."""
    far = float(np.max(np.abs(change), initial=0.0))
    if machine.rows.couplings:
        count, rows = len(m.x), machine.rows.coordinate_rows
        span = machine.inverse(m)[:, :, len(machine.rows.locks) :]
        driven = m.jacobian.reshape(count, len(machine.mechanism.rows), -1)[:, rows] @ (span @ change[..., None])
        far = max(far, 0.3 * float(np.max(np.abs(driven), initial=0.0)))
    return far


def with_rates(machine: Machine, bodies: Bodies, rates: Array) -> Bodies:
    """The velocities that agree with all joints, for rates of the freedoms [world, freedom]."""
    span = machine.span(bodies)
    v = (span @ rates[..., None])[..., 0].reshape(*bodies.x.shape[:2], 6)
    return replace(bodies, v=v[..., :3], w=v[..., 3:])


class _Place:
    """Where the freedoms are, to measure how far others are from there."""

    def __init__(self, machine: Machine, m: Motion) -> None:
        self.machine = machine
        self._coordinates = [self._coordinate(m, row) for row in machine.rows.free.tolist()]

    def _coordinate(self, m: Motion, row: int) -> Any:
        mechanism, rows = self.machine.mechanism, self.machine.rows
        if row < len(mechanism.rows):
            kind = rows.kinds[rows.coordinate_rows.tolist().index(row)]
            return mechanism.coordinate(m, *kind)
        body = (row - len(mechanism.rows)) // 6
        origin = m.x[:, body] - (m.rotation[:, body] @ mechanism.center[body])
        return origin, m.rotation[:, body]

    def values(self, m: Motion) -> Array:
        """All coordinates, angles within a turn, [k, coordinate]."""
        kinds = self.machine.rows.kinds
        found = [self.machine.mechanism.coordinate(m, *kind) for kind in kinds]
        return np.stack(found, axis=1) if found else np.zeros((len(m.x), 0))

    def apart(self, difference: Array) -> Array:
        """A difference of all coordinates, angles within half a turn, [k, coordinate]."""
        turns = np.array([not kind.is_linear for _, kind in self.machine.rows.kinds], bool)
        return np.where(turns, difference - TURN * np.round(difference / TURN), difference)

    def errors(self, m: Motion, change: Array) -> Array:
        """How far the freedoms are beyond these by more than ``change``, [k, freedom]; angles within half a turn."""
        out = np.empty_like(change)
        mechanism, rows = self.machine.mechanism, self.machine.rows
        for i, row in enumerate(rows.free.tolist()):
            now, then = self._coordinate(m, row), self._coordinates[i]
            if row < len(mechanism.rows):
                error = now - then - change[:, i]
                linear = rows.kinds[rows.coordinate_rows.tolist().index(row)][1].is_linear
                out[:, i] = error if linear else np.angle(np.exp(1j * error))
            else:
                out[:, i] = self._body_error(now, then, (row - len(mechanism.rows)) % 6, i, change)
        return out

    def _body_error(
        self, now: tuple[Array, Array], then: tuple[Array, Array], component: int, i: int, change: Array
    ) -> Array:
        if component < 3:
            return np.asarray(now[0][:, component] - then[0][:, component] - change[:, i])
        turn = now[1] @ np.swapaxes(then[1], -1, -2)
        return np.asarray(rotation_vector(turn)[:, component - 3] - change[:, i])


def rotation_vector(turn: Array) -> Array:
    """The rotation vectors of matrices [k, 3, 3] that turn by less than half a turn."""
    axis = 0.5 * np.stack(
        [turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], axis=-1
    )
    sine = np.sqrt(dot(axis, axis))
    angle = np.arctan2(sine, 0.5 * (np.trace(turn, axis1=-2, axis2=-1) - 1.0))
    return np.asarray(axis * np.where(sine < 1e-9, 1.0, angle / np.maximum(sine, 1e-300))[:, None])


def _motion(machine: Machine, bodies: Bodies, change: Array) -> Array:
    return np.asarray((machine.span(bodies) @ change[..., None])[..., 0])


def _closed(
    machine: Machine, bodies: Bodies, before: _Place, change: Array, last: Array, total: Array
) -> tuple[Bodies, Array]:
    """The bodies with all joints closed and the freedoms changed by ``change`` from where they were.

    ``last`` are all coordinates before this stride and ``total`` what they changed until then; returns what they
    changed in it.
    """
    locks = machine.rows.locks
    for step in range(NEWTON_STEPS + 1):
        m = machine.motion(bodies)
        stride = before.apart(before.values(m) - last)
        closing = machine.rows.lock_errors(m, total + stride)
        errors = np.concatenate([closing[:, locks], before.errors(m, change)], axis=1)
        worst = np.max(np.abs(errors), axis=0, initial=0.0)
        if not worst.size or np.max(worst) < CLOSED or (step == NEWTON_STEPS and np.max(worst) < CLOSE_ENOUGH):
            break
        if step == NEWTON_STEPS or not np.isfinite(worst).all():
            raise SceneError(f"scene '{machine.scene.name}' cannot be posed: {machine.wording(int(np.argmax(worst)))}")
        bodies = moved(bodies, -(machine.inverse(m) @ errors[..., None])[..., 0])
    left = np.max(np.abs(closing[:, machine.rows.dropped]), axis=0, initial=0.0)
    if left.size and np.max(left) > APART:
        name = machine.rows.redundant[int(np.argmax(left))]
        raise SceneError(f"scene '{machine.scene.name}' cannot be posed: a loop does not close ({name})")
    return bodies, stride
