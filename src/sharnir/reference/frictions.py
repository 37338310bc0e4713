"""Friction laws for many states at once, as one vector s per set of free axes.

    bristles   s = s0 z + s1 z' + s2 u,  z' = u - s0 |u| z/g(|u|)        (LuGre, Dahl)
    sliding    s = g(|u|) n + s2 u,      n the direction of motion        (Coulomb, Stribeck)
    viscous    s = s2 u
    sticking   s = 0: the axes are locked instead, while their force stays below static

with g(v) = level + (static - level) exp(-(v/speed)^2). The force on the axes is -s; with a load it is -N s, u being the
speed of the surfaces (radius times spin), and the torque radius times that. N is the preload plus the normal force: the
reaction F across a sliding axis, and F/sqrt(1 + s^2) of a pin or ball, since friction is part of its reaction.

Several axes that share a bound slide along n = (u + c)/|u + c| with c = 1e-10 along the direction in which the sliding
began; the direction is then defined at rest too, and wrong by no more than 1e-10/|u|.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..scene.elements.friction_laws import AnyFriction, Coulomb, Dahl, LuGre, Stribeck, Viscous
from ..spatial import Array
from .mechanism import Mechanism, Motion

SMEARED = 1e-10  # m/s and rad/s


@dataclass
class Slip:
    """The friction of a batch of states."""

    u: Array  # [k, pair] speeds of the surfaces, m/s or rad/s
    s: Array  # [k, pair]
    z_rate: Array  # [k, pair]
    factor: Array  # [k, pair] forces by unit of the joint's reaction
    direct: Array  # [k, pair] forces that do not depend on the reaction
    bound: Array  # [k, element] static level of the torque or force, by unit of reaction and ...
    bound_direct: Array  # ... without it


class Frictions:
    """The frictions of a scene. An element is one law on one or more axes; a pair is one axis of one element."""

    def __init__(self, mechanism: Mechanism) -> None:
        found = [
            (f"{joint.name}.{axes.name}", joint, axes)
            for joint in mechanism.joints
            for axes in joint.type.free_axes
            if axes.name in joint.friction
        ]
        self.labels = [label for label, _, _ in found]
        self.laws: list[AnyFriction] = [joint.friction[axes.name] for _, joint, axes in found]
        joints = [mechanism.joints.index(joint) for _, joint, _ in found]
        pairs = [
            (e, axis, mechanism.free_axis_row(joints[e], axes.is_linear, axis))
            for e, (_, _, axes) in enumerate(found)
            for axis in axes.axes
        ]
        self.element = np.array([e for e, _, _ in pairs], int)
        self.axis = np.array([axis for _, axis, _ in pairs], int)
        self.row = np.array([row for _, _, row in pairs], int)
        self.count = len(found)
        self.joint = np.array(joints, int)
        self.sums = (self.element[:, None] == np.arange(self.count)).astype(float)  # [pair, element]
        self.several = self.sums.sum(axis=0) > 1
        self._read_laws()
        loads = [getattr(law, "load", None) for law in self.laws]
        self.radius = np.array([1.0 if load is None or load.radius is None else load.radius for load in loads])
        self.preload = np.array([1.0 if load is None else load.preload for load in loads])
        self.loaded = np.array([load is not None for load in loads], bool)
        self.pinned = np.array([load is not None and load.radius is not None for load in loads], bool)
        self.clamped = np.array([isinstance(law, Coulomb) and law.law == "impulse-clamp" for law in self.laws], bool)
        self.sticking = np.zeros(self.count, bool)
        self.heading = np.zeros(len(pairs))  # the direction of motion of those that slide
        self._reactions(mechanism)

    def _read_laws(self) -> None:
        self.level, self.static, self.speed = np.zeros(self.count), np.zeros(self.count), np.full(self.count, np.inf)
        self.s0, self.s1, self.s2 = np.zeros(self.count), np.zeros(self.count), np.zeros(self.count)
        self.hold = np.zeros(self.count)  # the level at rest
        for e, law in enumerate(self.laws):
            if isinstance(law, Viscous):
                self.s2[e] = law.coefficient
                continue
            self.level[e] = self.static[e] = self.hold[e] = law.level
            if isinstance(law, Coulomb):
                self.hold[e] = law.level if law.static is None else law.static
                self.s2[e] = law.viscous
            if isinstance(law, (Stribeck, LuGre)):
                self.static[e] = self.hold[e] = law.static
                self.speed[e], self.s2[e] = law.speed, law.viscous
            if isinstance(law, (LuGre, Dahl)):
                self.s0[e] = law.stiffness
            if isinstance(law, LuGre):
                self.s1[e] = law.damping
        self.bristled = np.array([isinstance(law, (LuGre, Dahl)) for law in self.laws], bool)
        self.set_valued = np.array([isinstance(law, (Coulomb, Stribeck)) for law in self.laws], bool) & (
            self.hold > 0.0
        )
        self.z_pairs = np.flatnonzero(self.bristled[self.element]) if self.count else np.zeros(0, int)

    def _reactions(self, mechanism: Mechanism) -> None:
        """Which locked rows make the reaction that loads an element, and along which axis it does not count."""
        self.load_pairs = np.flatnonzero(self.loaded[self.element]) if self.count else np.zeros(0, int)
        self._load_rows = np.zeros((self.count, 3), int)
        self._load_used = np.zeros((self.count, 3, 1))
        self._single = np.zeros((self.count, 1, 1))
        self._single_row = np.zeros(self.count, int)
        for e in np.flatnonzero(self.loaded):
            rows = [
                i
                for i, row in enumerate(mechanism.rows[: mechanism.locked])
                if row.joint == self.joint[e] and row.direction in (0, 4)  # SLIDE, RADIAL
            ]
            self._load_rows[e, : len(rows)] = rows
            self._load_used[e, : len(rows)] = 1.0
            self._single[e] = 0.0 if self.several[e] else 1.0
            self._single_row[e] = self.row[self.element == e][0]

    @property
    def z_scale(self) -> Array:
        """The largest deflection of each bristle state, m or rad."""
        return np.asarray((self.hold / np.maximum(self.s0, 1e-300))[self.element[self.z_pairs]])

    def at(self, m: Motion, z: Array) -> Slip:
        """Friction of states with bristle deflections z [k, bristle]."""
        e = self.element
        u, speed, g = self._sliding(m)
        s = self.s2[e] * u
        z_rate = np.zeros_like(u)
        if len(self.z_pairs):
            p = self.z_pairs
            b = e[p]
            z_rate[:, p] = u[:, p] - self.s0[b] * speed[:, b] * z / g[:, b]
            s[:, p] += self.s0[b] * z + self.s1[b] * z_rate[:, p]
        sliding = self.set_valued & ~self.sticking
        if sliding.any():
            s += np.where(sliding[e], g[:, e] * self._along(m, u), 0.0)
        if self.sticking.any():
            s[:, self.sticking[e]] = 0.0
        forces = -self.radius[e] * s
        bound = self.radius * self.hold
        root = np.where(self.pinned, 1.0 / np.sqrt(1.0 + (s * s) @ self.sums), 1.0)
        factor = forces * np.where(self.loaded, root, 0.0)[:, e]
        held = np.where(self.pinned, bound / np.sqrt(1.0 + self.hold**2), bound) * self.loaded
        return Slip(u, s, z_rate, factor, forces * self.preload[e], held, bound * self.preload)

    def bristles(self, m: Motion, start: Array, inverse: Array) -> Array:
        """Stages [s, bristle] of the deflections from ``start``, exact for the speeds of the stages.

        Given u, z' = u - k z with k = s0 |u|/g is linear: (A^-1/h + k) Z = u - k z0.
        """
        e = self.element
        u, speed, g = self._sliding(m)
        b = e[self.z_pairs]
        k = self.s0[b] * speed[:, b] / g[:, b]
        matrices = inverse + k.T[:, :, None] * np.eye(len(inverse))
        return np.asarray(np.linalg.solve(matrices, (u[:, self.z_pairs] - k * start).T[..., None])[..., 0].T)

    def _sliding(self, m: Motion) -> tuple[Array, Array, Array]:
        """The slip along each axis, its size over the axes of an element, and the level g(v) at it."""
        u = m.rate[:, self.row] * self.radius[self.element]
        speed = np.sqrt((u * u) @ self.sums)
        return u, speed, self.level + (self.static - self.level) * np.exp(-np.square(speed / self.speed))

    def _along(self, m: Motion, u: Array) -> Array:
        """Unit vectors along the motion, per element."""
        if not self.several.any():
            return np.broadcast_to(self.heading, u.shape)
        n = u + SMEARED * self.heading
        for e in np.flatnonzero(self.clamped & self.several):
            mine = np.flatnonzero(self.element == e)
            rows = m.jacobian[:, self.row[mine]]
            mass = np.einsum("krbi,kbij,ksbj->krs", rows[..., 3:], m.inverse_inertia, rows[..., 3:])
            n[:, mine] = np.linalg.solve(mass, n[:, mine][..., None])[..., 0]
        length = np.sqrt((n * n) @ self.sums)[:, self.element]
        return np.where(self.several[self.element], n / np.maximum(length, 1e-300), self.heading)

    def place_loads(self, places: dict[int, int]) -> None:
        """Where the multipliers of locked rows are, by row; those of redundant rows are missing, and zero."""
        self._places = np.array([[places.get(row, 0) for row in rows] for rows in self._load_rows.tolist()], int)
        self._places = self._places.reshape(self.count, 3)
        there = [[row in places for row in rows] for rows in self._load_rows.tolist()]
        self._counts = self._load_used * np.array(there, float).reshape(self.count, 3, 1)

    def reaction_rows(self, m: Motion) -> Array:
        """The parts of the locked directions that count as load, [k, element, 3 rows, 3]."""
        d = m.direction[:, self._load_rows] * self._counts
        n = m.direction[:, self._single_row][:, :, None, :]
        return np.asarray(d - self._single * np.einsum("kelx,kesx->kel", d, n)[..., None] * n)

    def reaction(self, parts: Array, multipliers: Array) -> tuple[Array, Array]:
        """The loading reaction of each element (N) [k, element] and its slope by the locked rows' multipliers."""
        force = np.einsum("kelx,kel->kex", parts, multipliers[:, self._places])
        size = np.sqrt(np.einsum("kex,kex->ke", force, force) + 1e-24)
        slope = np.zeros((*size.shape, multipliers.shape[1]))
        local = np.einsum("kelx,kex->kel", parts, force / size[..., None])
        for j in range(3):
            slope[:, np.arange(self.count), self._places[:, j]] += local[..., j]
        return size, slope
