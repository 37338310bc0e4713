"""The equations of motion over the freedoms, for many states at once.

The matrix K = [L; C] of locked rows and freedoms (``freedoms.py``) makes the velocities of all bodies from the rates u
of the freedoms, and their accelerations from u':

    v = S u,   a = S u' + a0,   S = K^-1 [0; 1],   a0 = -K^-1 (K' v)

With the bodies' inertia I and f the forces on them, gravity and -w x I w among them, d'Alembert's principle
S^T (I a - f) = e gives

    M u' + h = e,   M = S^T I S,   h = S^T (I a0 - f)

for trees and loops alike: no joint reaction appears, since they do no work on S. Motors add their inertia behind the
gear, r^2 I_m, on their own coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ..errors import SceneError
from ..reference.mechanism import Motion, turned
from ..scene.scene import Scene
from ..spatial import Array, cross
from .freedoms import Chosen, FreedomRows

if TYPE_CHECKING:
    from .passive import Controls

Arrays = TypeVar("Arrays", "Bodies", "Controls")  # dataclasses of arrays [world, ...]
FAR = 1e9  # m or rad of a body for each rad or m of a freedom: the freedoms do not determine the motion here
OPEN = 1e-5  # rates that dropped rows are left with, when they turn out not to be redundant


@dataclass(frozen=True)
class Bodies:
    """States of the moving bodies of worlds, [world, body, ...], and the numbers that may differ between worlds."""

    x: Array  # m, centres of mass
    rotation: Array  # [world, body, 3, 3]
    v: Array  # m/s
    w: Array  # rad/s, world axes
    mass: Array  # [world, body] kg
    inertia: Array  # [world, body, 3, 3] kg m^2, body axes
    gravity: Array  # [world, 3] m/s^2


@dataclass(frozen=True)
class Standing:
    """All that follows from states: kinematics, S and a0, M and h."""

    bodies: Bodies
    motion: Motion
    span: Array  # [k, body * 6, freedom] S
    drift: Array  # [k, body * 6] a0
    rates: Array  # [k, freedom] u
    mass_matrix: Array  # [k, freedom, freedom]
    bias: Array  # [k, freedom] h
    inverse: Array  # [k, body * 6, row] K^-1

    def along(self, rows: Array) -> Array:
        """Rows over the bodies' velocities [k, n, body * 6] as rows over the freedoms [k, n, freedom]."""
        return np.asarray(rows @ self.span)


class Machine:
    """The equations of one scene, with its freedoms chosen."""

    def __init__(self, scene: Scene, chosen: Iterable[Chosen] = (), at: tuple[Array, Array] | None = None) -> None:
        self.scene = scene
        self.rows = FreedomRows(scene, chosen, at)
        self.mechanism = self.rows.mechanism
        self.labels = tuple(freedom.label for freedom in self.rows.freedoms)
        self._square = np.concatenate([self.rows.locks, self.rows.free])

    def motion(self, bodies: Bodies) -> Motion:
        """The kinematics of states."""
        return self.mechanism.motion(bodies.x, bodies.rotation, bodies.v, bodies.w)

    def standing(self, bodies: Bodies, motors: Array | None = None) -> Standing:
        """The equations at states; ``motors`` are inertias (kg m^2 or kg) on coordinate rows, [world, coordinate]."""
        m = self.motion(bodies)
        rows, bias = self.rows.all(m)
        inverse = self._inverted(rows)
        count, width = len(rows), rows.shape[2]
        span = inverse[:, :, len(self.rows.locks) :]
        v = np.concatenate([bodies.v, bodies.w], axis=-1).reshape(count, width)
        drift = -(inverse @ bias[:, self._square, None])[..., 0]
        rates = (rows[:, self.rows.free] @ v[..., None])[..., 0]
        inertia, gyroscopic = _turned_inertia(bodies)
        heavy = _weighed(bodies, inertia, np.swapaxes(span, -1, -2))  # [k, freedom, body * 6]
        matrix = heavy @ span
        forces = -_weighed(bodies, inertia, drift[:, None])[:, 0].reshape(count, -1, 6)
        forces[..., :3] += bodies.mass[..., None] * bodies.gravity[:, None]
        forces[..., 3:] -= gyroscopic
        push = -(np.swapaxes(span, -1, -2) @ forces.reshape(count, width, 1))[..., 0]
        if motors is not None and motors.any():
            coordinates = self.rows.coordinate_rows
            geared = rows[:, coordinates] @ span
            matrix = matrix + np.swapaxes(geared, -1, -2) @ (motors[..., None] * geared)
            along = (rows[:, coordinates] @ drift[..., None])[..., 0] + bias[:, coordinates]
            push = push + (np.swapaxes(geared, -1, -2) @ (motors * along)[..., None])[..., 0]
        return Standing(bodies, m, span, drift, rates, 0.5 * (matrix + np.swapaxes(matrix, -1, -2)), push, inverse)

    def inverse(self, m: Motion) -> Array:
        """K^-1 of states, [k, body * 6, row]."""
        return self._inverted(self.rows.all(m)[0])

    def span(self, bodies: Bodies) -> Array:
        """S of states, [k, body * 6, freedom]."""
        return self.inverse(self.motion(bodies))[:, :, len(self.rows.locks) :]

    def rates(self, bodies: Bodies) -> Array:
        """The rates of the freedoms, [k, freedom]."""
        v = np.concatenate([bodies.v, bodies.w], axis=-1).reshape(len(bodies.x), -1, 1)
        return np.asarray((self.rows.all(self.motion(bodies))[0][:, self.rows.free] @ v)[..., 0])

    def wording(self, place: int) -> str:
        """A row of K in words."""
        if place >= len(self.rows.locks):
            return f"'{self.labels[place - len(self.rows.locks)]}' does not reach its value"
        return f"a row does not close ({self.rows.name_of(int(self.rows.locks[place]))})"

    def row_efforts(self, s: Standing, efforts: Array) -> Array:
        """Efforts on the freedoms [k, freedom] that do what efforts on rows of joints [k, row] do."""
        rows = s.motion.jacobian.reshape(len(efforts), len(self.mechanism.rows), s.span.shape[1])
        return np.asarray(((efforts[:, None] @ rows) @ s.span)[:, 0])

    def body_efforts(self, s: Standing, forces: Array) -> Array:
        """Efforts on the freedoms that do what forces and torques on bodies [k, body, 6] do."""
        return np.asarray((forces.reshape(len(forces), 1, -1) @ s.span)[:, 0])

    def _inverted(self, rows: Array) -> Array:
        """K^-1, refused where the freedoms do not determine the motion, or rows that were redundant no longer are."""
        try:
            inverse = np.linalg.inv(rows[:, self._square])
        except np.linalg.LinAlgError:
            inverse = np.full((len(rows), rows.shape[2], rows.shape[2]), np.inf)
        span = inverse[:, :, len(self.rows.locks) :]
        if not np.isfinite(inverse).all() or (span.size and np.max(np.abs(span)) > FAR):
            raise SceneError(
                f"scene '{self.scene.name}': here its motion is not determined by {', '.join(self.labels)} "
                "(a dead centre of a loop, or a joint at the end of its range); choose other coordinates by freedoms="
            )
        if len(self.rows.dropped) and np.max(np.abs(rows[:, self.rows.dropped] @ span), initial=0.0) > OPEN:
            raise SceneError(
                f"scene '{self.scene.name}': rows that were redundant at its start ({', '.join(self.rows.redundant)}) "
                "no longer are; start it in a posture in which no loop is stretched out"
            )
        return np.asarray(inverse)


def rows_of(what: Arrays, rows: list[int]) -> Arrays:
    """A dataclass of arrays with some rows of each."""
    return replace(what, **{name: array[rows] for name, array in vars(what).items()})


def moved(bodies: Bodies, motion: Array) -> Bodies:
    """States after small displacements and turns [k, body * 6]."""
    parts = motion.reshape(len(motion), -1, 6)
    return replace(bodies, x=bodies.x + parts[..., :3], rotation=turned(parts[..., 3:]) @ bodies.rotation)


def _turned_inertia(bodies: Bodies) -> tuple[Array, Array]:
    """Inertias in world axes [k, body, 3, 3] and w x I w [k, body, 3]."""
    inertia = bodies.rotation @ bodies.inertia @ np.swapaxes(bodies.rotation, -1, -2)
    return inertia, cross(bodies.w, (inertia @ bodies.w[..., None])[..., 0])


def _weighed(bodies: Bodies, inertia: Array, motions: Array) -> Array:
    """Inertia times motions, [k, n, body * 6]."""
    count, many, width = motions.shape
    parts = motions.reshape(count, many, -1, 6)
    out = np.empty_like(parts)
    out[..., :3] = bodies.mass[:, None, :, None] * parts[..., :3]
    out[..., 3:] = (inertia[:, None] @ parts[..., 3:, None])[..., 0]
    return out.reshape(count, many, width)
