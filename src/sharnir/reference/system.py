"""A scene as a system of ordinary differential equations: accelerations from an index-reduced DAE.

    M a = f + J^T p + B^T e(p),       J a + J' v = r'(t)

    p   multipliers of the active rows: locked axes, gears, sticking friction, closed limits, and the inertia of motors
    e   forces on free axes: springs, drives, friction; with a load, friction depends on p

r is zero but for what is prescribed (``leading.py``).

p solves (J M^-1 J^T) p + J M^-1 (f + B^T e(p)) + J' v = r', nonlinear with loads, by Newton steps from the last p
([004]). A motor of inertia I_m behind a gear of ratio r is a row with the compliance 1/(r^2 I_m) beside its own
coordinate: J a + J' v + p/(r^2 I_m) = 0.

Of redundant rows (a planar loop in space has three) an independent set is kept, found in the geometry alone, so that
light bodies beside heavy ones do not matter. The accelerations are the same; the multipliers of the others are zero.

State: centres of mass, rotation vectors from the rotations at the start of the step, velocities, spins, bristle
deflections, integrals of servos, what is inside actuators.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import SceneError
from ..scene.scene import Scene
from ..spatial import Array
from .efforts import JUST_BEFORE, ActuatorForce, DriveForce, Efforts
from .frictions import Frictions, Slip
from .leading import STAY, Leading
from .mechanism import Mechanism, Motion, turned, vector_rate

NEWTON_STEPS = 30
SETTLED = 1e-13  # a change of the multipliers, by their own size
CLOSED = 1e-13  # m and rad: joints need not be closer
REDUNDANT = 1e-7  # what is left of a unit row beside the others, when it is no row of its own


@dataclass
class Evaluation:
    """All that is known of a batch of states."""

    motion: Motion
    slip: Slip
    multipliers: Array  # [k, active]
    row_force: Array  # [k, row] efforts on rows other than the active ones
    friction_force: Array  # [k, pair] N or N m, of sticking friction too
    acceleration: Array  # [k, body, 6]
    reaction: Array  # [k, friction] N, the load of each friction
    wanted: Array  # [k, drive] voltages before they are bounded
    actuated: Array  # [k, actuator] N or N m
    inside: Array  # [k, integral] of servos and actuators
    rates: Array  # [k, n]


class System:
    """The equations of a scene."""

    def __init__(
        self, scene: Scene, efforts: Efforts, mechanism: Mechanism, frictions: Frictions, leading: Leading
    ) -> None:
        self.scene, self.mechanism, self.efforts, self.frictions = scene, mechanism, efforts, frictions
        self.leading = leading
        self.bodies = len(mechanism.bodies)
        motion = 12 * self.bodies
        bristles = len(frictions.z_pairs)
        self.size = motion + bristles + efforts.integrals
        self.z = slice(motion, motion + bristles)
        self.integrals = slice(motion + bristles, self.size)
        self.gravity = np.array(scene.gravity)
        self.rotation = np.zeros((self.bodies, 3, 3))  # at the start of the step
        self._onto_rows = (frictions.row[:, None] == np.arange(mechanism.row_count)).astype(float)  # [pair, row]
        self.closed: list[tuple[int, int]] = []  # limits that are closed: (limit, +1 at the lower, -1 at the upper)
        self.limit_rows = [limit.row for limit in efforts.limits]
        self._last: dict[tuple[str, int], float] = {}  # multipliers by what they belong to
        self.activate()

    def parts(self, y: Array) -> tuple[Array, ...]:
        """Centres, rotation vectors, velocities and spins [k, body, 3] of states [k, n]."""
        n = 3 * self.bodies
        return tuple(y[:, i * n : (i + 1) * n].reshape(len(y), self.bodies, 3) for i in range(4))

    def motion(self, y: Array) -> Motion:
        """Kinematics of states."""
        x, turn, v, w = self.parts(y)
        return self.mechanism.motion(x, turned(turn) @ self.rotation, v, w)

    def activate(self) -> None:
        """List the active rows anew, after a change of sticking friction or closed limits."""
        frictions = self.frictions
        motors: list[DriveForce | ActuatorForce] = [*self.efforts.drives, *self.efforts.actuators]
        keys = [("lock", i) for i in range(self.mechanism.locked)]
        rows = list(range(self.mechanism.locked))
        keys += [("gear", g) for g in self.efforts.rigid]
        rows += [len(self.mechanism.rows) + g for g in self.efforts.rigid]
        softness = [0.0] * len(rows)
        for d, drive in enumerate(motors):
            if drive.inertia > 0.0:
                keys.append(("motor", d))
                rows.append(drive.row)
                softness.append(1.0 / drive.inertia)
        if frictions.count:
            for p in np.flatnonzero(frictions.sticking[frictions.element]).tolist():
                keys.append(("stick", p))
                rows.append(int(frictions.row[p]))
                softness.append(0.0)
        for limit, _ in self.closed:
            keys.append(("limit", limit))
            rows.append(self.limit_rows[limit])
            softness.append(0.0)
        self.all_keys, self.all_rows = keys, np.array(rows, int)
        self._all_softness = np.array(softness)
        self._use(list(range(len(keys))))

    def _use(self, which: list[int]) -> None:
        self.keys = [self.all_keys[i] for i in which]
        self.active = self.all_rows[which]
        self._softness = self._all_softness[which]
        self.start = np.array([self._last.get(key, 0.0) for key in self.keys])
        self._guesses: dict[int, Array] = {}
        self.frictions.place_loads({row: i for i, (kind, row) in enumerate(self.keys) if kind == "lock"})

    @property
    def redundant(self) -> bool:
        """Whether some active rows follow from the others."""
        return len(self.keys) < len(self.all_keys)

    def force_of(self, e: Evaluation, key: tuple[str, int]) -> Array:
        """The multiplier [k] of an active row; zero of one that is redundant."""
        return e.multipliers[:, self.keys.index(key)] if key in self.keys else np.zeros(len(e.multipliers))

    def keep(self, multipliers: Array) -> None:
        """Start the next Newton steps from these multipliers [active], or from those of the last batch of a size."""
        self.start = multipliers
        self._last.update(zip(self.keys, multipliers.tolist(), strict=True))

    def examine(self, y: Array) -> None:
        """Keep an independent set of the active rows, as they are at a state; earlier ones are preferred."""
        m = self.motion(y[None])
        rows = m.jacobian[0, self.all_rows].reshape(len(self.all_rows), 6 * self.bodies)
        basis = np.zeros((0, 6 * self.bodies))
        kept = []
        for i, row in enumerate(rows):
            if self._all_softness[i] == 0.0:
                left = row - basis.T @ (basis @ row)
                left = left - basis.T @ (basis @ left)
                size = float(np.linalg.norm(left))
                if size < REDUNDANT * float(np.linalg.norm(row)):
                    continue
                basis = np.vstack([basis, left / size])
            kept.append(i)
        self._use(kept)

    # --- equations --------------------------------------------------------------------------------------------------

    def weighted(self, m: Motion, forces: Array) -> Array:
        """Accelerations [..., body, 6] of forces and torques [k, ..., body, 6]."""
        out = np.empty_like(forces)
        out[..., :3] = forces[..., :3] / self.mechanism.mass[:, None]
        inverse = m.inverse_inertia if forces.ndim == 3 else m.inverse_inertia[:, None]
        out[..., 3:] = (inverse @ forces[..., 3:, None])[..., 0]
        return out

    def _compliance(self, m: Motion) -> tuple[Array, Array, Array]:
        """Active rows of J, their M^-1 J^T, both flat [k, active, body * 6], and J M^-1 J^T + softness."""
        rows = m.jacobian[:, self.active]
        count = len(rows)
        moved = self.weighted(m, rows).reshape(count, len(self.active), 6 * self.bodies)
        flat = rows.reshape(count, len(self.active), 6 * self.bodies)
        return flat, moved, flat @ moved.swapaxes(-1, -2) + np.diag(self._softness)

    def evaluate(self, t: Array, y: Array, m: Motion | None = None) -> Evaluation:
        """Everything at times [k] and states [k, n]; m is their motion, where it is known already."""
        m = self.motion(y) if m is None else m
        _, turn, v, w = self.parts(y)
        count = len(y)
        slip = self.frictions.at(m, y[:, self.z])
        outside = self.efforts.at(t, m, self.mechanism, y[:, self.integrals])
        row_force = outside.rows
        if self.frictions.count:
            row_force += slip.direct @ self._onto_rows
        forces = outside.bodies
        forces[:, :, :3] += self.mechanism.mass[:, None] * self.gravity
        forces[:, :, 3:] -= m.gyroscopic
        every = m.jacobian.reshape(count, self.mechanism.row_count, 6 * self.bodies)
        forces = forces + (row_force[:, None] @ every).reshape(forces.shape)
        free = self.weighted(m, forces)
        multipliers, load, reaction = self._multipliers(m, slip, free, self._led(t)[1])
        acceleration = free
        if len(self.active):
            held = (
                multipliers[:, None] @ m.jacobian[:, self.active].reshape(count, len(self.active), 6 * self.bodies)
            )[:, 0]
            if load.shape[1]:
                pairs = self.frictions.load_pairs
                row_force[:, self.frictions.row[pairs]] += load
                held += (load[:, None] @ every[:, self.frictions.row[pairs]])[:, 0]
            acceleration = free + self.weighted(m, held.reshape(forces.shape))
        rates = np.zeros((count, self.size))
        n = 3 * self.bodies
        rates[:, :n], rates[:, n : 2 * n] = v.reshape(count, -1), vector_rate(turn, w).reshape(count, -1)
        rates[:, 2 * n : 3 * n] = acceleration[:, :, :3].reshape(count, -1)
        rates[:, 3 * n : 4 * n] = acceleration[:, :, 3:].reshape(count, -1)
        rates[:, self.z] = slip.z_rate[:, self.frictions.z_pairs]
        rates[:, self.integrals] = outside.integral_rates
        friction_force = slip.direct.copy()
        friction_force[:, self.frictions.load_pairs] += load
        for i, (kind, place) in enumerate(self.keys):
            if kind == "stick":
                friction_force[:, place] = multipliers[:, i]
        return Evaluation(
            m,
            slip,
            multipliers,
            row_force,
            friction_force,
            acceleration,
            reaction,
            outside.wanted,
            outside.actuated,
            y[:, self.integrals],
            rates,
        )

    def _led(self, t: Array) -> tuple[Array, Array]:
        """Rates and accelerations [k, row] at which rows are led at times [k]; just before a jump where one ends."""
        if not self.leading.some:
            return (np.zeros((1, self.mechanism.row_count)),) * 2
        return self.leading.rows(self.mechanism, np.minimum(t, self.efforts.until - JUST_BEFORE))

    def _multipliers(self, m: Motion, slip: Slip, free: Array, led: Array) -> tuple[Array, Array, Array]:
        """Multipliers [k, active], load-dependent forces [k, loaded pair] and loads [k, friction]."""
        frictions = self.frictions
        count = len(free)
        no_load = np.zeros((count, frictions.count))
        if not len(self.active):
            return np.zeros((count, 0)), np.zeros((count, len(frictions.load_pairs))), no_load
        flat, moved, matrix = self._compliance(m)
        constant = (flat @ free.reshape(count, -1, 1))[..., 0] + (m.bias - led)[:, self.active]
        pairs = frictions.load_pairs
        if not len(pairs):
            return -np.linalg.solve(matrix, constant[..., None])[..., 0], np.zeros((count, 0)), no_load
        p = self._guesses.get(count, np.broadcast_to(self.start, constant.shape))
        parts = frictions.reaction_rows(m)
        rows = m.jacobian[:, frictions.row[pairs]].reshape(count, len(pairs), -1)
        spread = (moved @ rows.swapaxes(-1, -2)) * slip.factor[:, None, pairs]  # [k, active, loaded pair]
        element = frictions.element[pairs]
        for _ in range(NEWTON_STEPS):
            reaction, slope = frictions.reaction(parts, p)
            residual = (matrix @ p[..., None])[..., 0] + constant + (spread @ reaction[:, element, None])[..., 0]
            change = np.linalg.solve(matrix + spread @ slope[:, element], residual[..., None])[..., 0]
            p = p - change
            if np.max(np.abs(change)) <= SETTLED * (1.0 + np.max(np.abs(p))):
                break
        else:
            p = np.full_like(p, np.nan)  # no solution nearby: the step is tried again, shorter
        reaction, _ = frictions.reaction(parts, p)
        self._guesses[count] = p if np.isfinite(p).all() else np.broadcast_to(self.start, p.shape)
        return p, slip.factor[:, pairs] * reaction[:, element], reaction * frictions.loaded

    def rates(self, t: Array, y: Array) -> Array:
        """The rates [k, n] of states."""
        return self.evaluate(t, y).rates

    def stage_rates(self, t: Array, start: Array, stages: Array, inverse: Array) -> tuple[Array, Array]:
        """The rates at the stages of a step, their bristle deflections first made exact for their speeds."""
        m = self.motion(start + stages)
        if len(self.frictions.z_pairs):
            stages = stages.copy()
            stages[:, self.z] = self.frictions.bristles(m, start[self.z], inverse)
        self.stages = self.evaluate(t, start + stages, m)
        return stages, self.stages.rates

    def jacobian(self, t: float, y: Array, scale: Array) -> tuple[Evaluation, Array]:
        """A state (first of the batch) and the derivatives of its rates by the state, by differences."""
        steps = 1e-7 * np.maximum(np.abs(y), scale)
        states = np.vstack([y, y + np.diag(steps)])
        e = self.evaluate(np.full(len(states), t), states)
        return e, ((e.rates[1:] - e.rates[0]) / steps[:, None]).T

    # --- keeping joints together ------------------------------------------------------------------------------------

    def rebased(self, y: Array) -> Array:
        """The same state with its rotations taken into the reference, and the rotation vectors zero."""
        n = 3 * self.bodies
        y = y.copy()
        turns = turned(y[None, n : 2 * n].reshape(1, self.bodies, 3))[0]
        u, _, v = np.linalg.svd(turns @ self.rotation)  # the nearest rotation: rounding does not add up
        self.rotation = u @ v
        y[n : 2 * n] = 0.0
        return y

    def together(self, t: float, y: Array) -> Array:
        """The nearest state in which positions and velocities satisfy all active rows at a time. Rebased."""
        n = 3 * self.bodies
        y = self.rebased(y)
        places = [i for i, (kind, _) in enumerate(self.all_keys) if kind in ("lock", "gear", "limit")]
        m = self.motion(y[None])
        for _ in range(8 if places else 0):
            errors = self._errors(t, m)
            if np.max(np.abs(errors)) < CLOSED:
                break
            shift = self._closing(m, np.array(places), errors)
            y[: 2 * n] += np.concatenate([shift[:, :3].ravel(), shift[:, 3:].ravel()])
            y = self.rebased(y)
            m = self.motion(y[None])
        moving = [i for i, (kind, _) in enumerate(self.all_keys) if kind != "motor"]
        if moving:
            rate = (m.rate[0] - self._led(np.array([t]))[0][0])[self.all_rows[moving]]
            change = self._closing(m, np.array(moving), rate)
            y[2 * n : 4 * n] += np.concatenate([change[:, :3].ravel(), change[:, 3:].ravel()])
        return y

    def _errors(self, t: float, m: Motion) -> Array:
        """How far locks, couplings and closed limits of the first state are off, in the order of the active rows."""
        t = min(t, self.efforts.until - JUST_BEFORE)
        errors = self.mechanism.lock_errors(m)[0]
        for joint, body in self.leading.bodies.items():
            errors[body.rows] = body.errors(m, joint, t)
        geared = []
        for g in self.efforts.rigid:
            mesh, lead = self.efforts.meshings[g], self.leading.coordinates.get(g, STAY)
            place = lead.at(t, np.array([mesh.offset]))[0][0]
            geared.append(0.0 if lead.by_rate else mesh.error(m)[0] - (place - mesh.offset))
        gaps = [self.efforts.limits[i].excess(m, side)[0] for i, side in self.closed]
        return np.array([*errors, *geared, *gaps])

    def _closing(self, m: Motion, which: Array, errors: Array) -> Array:
        """The least motion [body, 6] that takes errors of some active rows away."""
        rows = m.jacobian[0, self.all_rows[which]].reshape(len(which), 6 * self.bodies)
        return np.asarray(np.linalg.lstsq(rows, -errors, rcond=REDUNDANT)[0].reshape(self.bodies, 6))

    # --- velocity jumps ---------------------------------------------------------------------------------------------

    def struck(self, t: float, y: Array, hits: list[tuple[int, int]]) -> tuple[Array, dict[int, float]]:
        """Velocities at a time after limits (limit, side) are hit without rebound, and their impulses by limit.

        Locked joints, gears and motors take part in the impact; bounded friction does not. Without any limit it is what
        joints and prescribed motions make of velocities that they do not allow.
        """
        m = self.motion(y[None])
        led = self._led(np.array([t]))[0][0]
        shared = [i for i, (kind, _) in enumerate(self.keys) if kind in ("lock", "gear", "motor")]
        held = list(hits)
        while True:
            rows = np.concatenate([self.active[shared], [self.limit_rows[i] for i, _ in held]]).astype(int)
            moved = self.weighted(m, m.jacobian[:, rows])[0].reshape(len(rows), 6 * self.bodies)
            matrix = m.jacobian[0, rows].reshape(len(rows), 6 * self.bodies) @ moved.T
            matrix[range(len(shared)), range(len(shared))] += self._softness[shared]
            wanted = (m.rate[0] - led)[rows]
            wanted[[i for i, s in enumerate(shared) if self.keys[s][0] == "motor"]] = 0.0
            size = 1.0 / np.sqrt(np.diag(matrix))
            p = size * np.linalg.lstsq(size[:, None] * matrix * size, -size * wanted, rcond=1e-14)[0]
            wrong = [k for k, (_, side) in enumerate(held) if p[len(shared) + k] * side < -1e-12]
            if not wrong:
                break
            held = [hit for k, hit in enumerate(held) if k not in wrong]
        change = (p @ moved).reshape(self.bodies, 6)
        n = 3 * self.bodies
        y = y.copy()
        y[2 * n : 4 * n] += np.concatenate([change[:, :3].ravel(), change[:, 3:].ravel()])
        return y, {limit: float(p[len(shared) + k]) for k, (limit, _) in enumerate(held)}


def initial_state(system: System) -> Array:
    """The state in which the scene starts; its rotations become the reference."""
    mechanism = system.mechanism
    y = np.zeros(system.size)
    for i, body in enumerate(mechanism.bodies):
        center = body.pose.point(mechanism.center[i])
        arm = center - body.pose.position
        spin = np.array(body.spec.angular_velocity)
        velocity = np.array(body.spec.velocity) + np.cross(spin, arm)
        for place, part in enumerate((center, np.zeros(3), velocity, spin)):
            start = 3 * (place * system.bodies + i)
            y[start : start + 3] = part
    if not np.isfinite(y).all():
        raise SceneError(f"scene '{system.scene.name}' starts with numbers that are not finite; check its bodies")
    return y
