"""Which set-valued laws hold and which slide, which limits are closed: events and what follows from them.

Sticking friction is locked until the force that it needs passes the static level; sliding friction slides until its
speed is zero. A limit is open until its gap is zero, and closed, without rebound, until it would have to pull. At each
event all that could hold is first held; then what holds more than it can is let go, one after the other, until forces
and accelerations agree.
"""

from __future__ import annotations

import numpy as np

from ..errors import SceneError
from ..spatial import Array
from .system import Evaluation, System

AT_REST = 1e-9  # m/s and rad/s: slower friction may stick
TOUCHING = 1e-9  # m and rad: a limit this near may be closed ...
CLOSING = 1e-7  # m/s and rad/s: ... if it opens no faster; in a corner the bounces get ever smaller without end
TOLERANCE = 1e-11  # of forces and accelerations, by their own size
CARRIED = 1e-6  # m/s^2 and rad/s^2: what a row that follows from others may accelerate and still be at rest
ROUNDS = 60


class Modes:
    """The modes of a system; it changes them in the system itself."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.impulses: dict[int, float] = {}  # of limits hit since they were last read

    # --- events -----------------------------------------------------------------------------------------------------

    def guards(self, e: Evaluation) -> Array:
        """Functions [k, guard] that stay above zero while the modes hold."""
        system, frictions = self.system, self.system.frictions
        values: list[Array] = []
        for i in np.flatnonzero(frictions.set_valued).tolist():
            mine = frictions.element == i
            if frictions.sticking[i]:
                force = np.linalg.norm(e.friction_force[:, mine], axis=1)
                values.append(self._bound(e, i) * (1.0 + TOLERANCE) - force)
            elif not frictions.several[i]:
                values.append(e.slip.u[:, mine][:, 0] * frictions.heading[mine][0])
        closed = dict(system.closed)
        for i, limit in enumerate(system.efforts.limits):
            if i in closed:
                force = system.force_of(e, ("limit", i)) * closed[i]
                values.append(force + TOLERANCE * (1.0 + np.abs(e.row_force).max()))
            else:
                for side, bound in ((1, limit.lower), (-1, limit.upper)):
                    if np.isfinite(bound):
                        values.append(side * limit.excess(e.motion, side))
        return np.stack(values, axis=1) if values else np.zeros((len(e.multipliers), 0))

    def kinks(self, e: Evaluation) -> Array:
        """Functions [k, kink] whose zeros are corners of continuous laws: bristle speeds, springs, voltages."""
        system, frictions = self.system, self.system.frictions
        values = [e.slip.u[:, p] for p in frictions.z_pairs if not frictions.several[frictions.element[p]]]
        values += [kink for spring in system.efforts.springs for kink in spring.kinks(e.motion)]
        values += [np.abs(e.wanted[:, d]) - 1.0 for d in range(e.wanted.shape[1])]
        return np.stack(values, axis=1) if values else np.zeros((len(e.rates), 0))

    def reversal_time(self, e: Evaluation) -> float:
        """How soon bristles would turn back if they went on as they do now, s."""
        frictions = self.system.frictions
        shortest = np.inf
        for p in frictions.z_pairs:
            u = e.slip.u[0, p]
            change = self._row_acceleration(e, frictions.row[[p]])[0] * frictions.radius[frictions.element[p]]
            if u * change < 0.0:
                shortest = min(shortest, -u / change)
        return float(shortest)

    def stopping_time(self, e: Evaluation) -> float:
        """How soon the slowest vector of sliding friction could stop, s: its direction is not defined beyond."""
        frictions = self.system.frictions
        shortest = np.inf
        for i in np.flatnonzero(frictions.set_valued & frictions.several & ~frictions.sticking).tolist():
            mine = frictions.element == i
            u = e.slip.u[0, mine]
            change = self._row_acceleration(e, frictions.row[mine]) * frictions.radius[i]
            closing = -float(u @ change)
            if closing > 0.0:
                shortest = min(shortest, float(u @ u) / closing)
        return shortest

    # --- changes ----------------------------------------------------------------------------------------------------

    def settle(self, t: float, y: Array) -> Array:
        """Choose the modes at a state, with velocity jumps where limits are hit; the state that follows."""
        system = self.system
        y = self._hit_limits(t, y)
        self._hold_all(t, y)
        history: set[tuple[object, ...]] = set()
        for _ in range(ROUNDS):
            system.activate()
            system.examine(y)
            y = system.together(t, y)
            e = system.evaluate(np.array([t]), y[None])
            system.keep(e.multipliers[0])
            if not (self._carried_on(e) or self._let_go(e) or self._catch(e, history)):
                return y
        raise SceneError(
            f"scene '{system.scene.name}': at t = {t:g} s the exact twin finds no set of sticking frictions and closed "
            "limits that agrees with the forces; try LuGre friction, or a slightly different start"
        )

    def _hit_limits(self, t: float, y: Array) -> Array:
        system = self.system
        m = system.motion(y[None])
        hits = []
        for i, limit in enumerate(system.efforts.limits):
            for side in (1, -1):
                touching = side * limit.excess(m, side)[0] < TOUCHING
                if touching and side * m.rate[0, limit.row] < CLOSING:
                    hits.append((i, side))
        system.closed = []
        if hits and any(side * m.rate[0, system.limit_rows[i]] < -CLOSING for i, side in hits):
            system.activate()
            y, impulses = system.struck(t, y, hits)
            for i, impulse in impulses.items():
                self.impulses[i] = self.impulses.get(i, 0.0) + impulse
            m = system.motion(y[None])
        system.closed = [(i, side) for i, side in hits if abs(m.rate[0, system.limit_rows[i]]) < CLOSING]
        return y

    def _hold_all(self, t: float, y: Array) -> None:
        """Let everything stick that does not move, and head the rest where it goes."""
        system, frictions = self.system, self.system.frictions
        if not frictions.count:
            return
        m = system.motion(y[None])
        u = m.rate[0, frictions.row] * frictions.radius[frictions.element]
        for i in np.flatnonzero(frictions.set_valued).tolist():
            mine = frictions.element == i
            speed = float(np.linalg.norm(u[mine]))
            frictions.sticking[i] = speed < AT_REST
            if speed >= AT_REST:
                frictions.heading[mine] = u[mine] / speed

    def _carried_on(self, e: Evaluation) -> bool:
        """Release what the rest of the mechanism moves whatever it holds: at a dead centre its speed is zero too."""
        system, frictions = self.system, self.system.frictions
        for i in np.flatnonzero(frictions.sticking).tolist():
            mine = np.flatnonzero(frictions.element == i)
            change = self._row_acceleration(e, frictions.row[mine])
            size = float(np.linalg.norm(change))
            if any(("stick", p) not in system.keys for p in mine.tolist()) and size > CARRIED:
                frictions.sticking[i] = False
                frictions.heading[mine] = change / size
                return True
        for i, side in system.closed:
            away = side * self._row_acceleration(e, np.array([system.limit_rows[i]]))[0]
            if ("limit", i) not in system.keys and away > CARRIED:
                system.closed.remove((i, side))
                return True
        return False

    def _let_go(self, e: Evaluation) -> bool:
        """Release what holds more than it can, the worst first; whether there was any."""
        system, frictions = self.system, self.system.frictions
        worst, release = 0.0, ("", 0)
        for i in np.flatnonzero(frictions.sticking).tolist():
            bound = float(self._bound(e, i)[0])
            force = float(np.linalg.norm(e.friction_force[0, frictions.element == i]))
            over = (force - bound) / max(bound, 1e-12)
            if force > bound * (1.0 + TOLERANCE / 2) + 1e-14 and over > worst:
                worst, release = over, ("friction", i)
        for i, side in system.closed:
            force = float(system.force_of(e, ("limit", i))[0]) * side
            if force < -TOLERANCE * (1.0 + np.abs(e.row_force).max()) and (release[0] != "friction"):
                release = ("limit", i)
                break
        if release[0] == "friction":
            mine = frictions.element == release[1]
            force = e.friction_force[0, mine]
            frictions.sticking[release[1]] = False
            frictions.heading[mine] = -force / np.linalg.norm(force)
        elif release[0] == "limit":
            system.closed = [pair for pair in system.closed if pair[0] != release[1]]
        return bool(release[0])

    def _catch(self, e: Evaluation, history: set[tuple[object, ...]]) -> bool:
        """Hold again what would at once move against its own direction; whether there was any."""
        system, frictions = self.system, self.system.frictions
        state: tuple[object, ...] = (*frictions.sticking.tolist(), *system.closed)
        seen = state in history
        history.add(state)
        closed = dict(system.closed)
        for i, limit in enumerate(system.efforts.limits):
            if i in closed:
                continue
            for side in (1, -1):
                near = side * limit.excess(e.motion, side)[0] < TOUCHING
                still = abs(e.motion.rate[0, limit.row]) < CLOSING
                if near and still and side * self._row_acceleration(e, np.array([limit.row]))[0] < -1e-9 and not seen:
                    system.closed.append((i, side))
                    return True
        for i in np.flatnonzero(frictions.set_valued & ~frictions.sticking).tolist():
            mine = frictions.element == i
            if np.linalg.norm(e.slip.u[0, mine]) > AT_REST:
                continue
            change = self._row_acceleration(e, frictions.row[mine])
            along = float(frictions.heading[mine] @ change)
            if along < -1e-9 * (1.0 + float(np.linalg.norm(change))) and not seen:
                frictions.sticking[i] = True
                return True
        return False

    def _bound(self, e: Evaluation, i: int) -> Array:
        return np.asarray(e.slip.bound_direct[i] + e.slip.bound[i] * e.reaction[:, i])

    def _row_acceleration(self, e: Evaluation, rows: Array) -> Array:
        flat = e.motion.jacobian[0, rows].reshape(len(rows), -1)
        return np.asarray(flat @ e.acceleration[0].ravel() + e.motion.bias[0, rows])
