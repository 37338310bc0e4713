"""A simulation watched step by step: every state is kept, and energies and joint errors are derived from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import sharnir as sh
from sharnir.model.softs import softs_of
from sharnir.scene.elements.spring import Spring
from sharnir.scene.measure import coordinate, coordinate_axis, lock_error
from sharnir.spatial import Pose, conjugate, multiply, rotate

ROUNDING = 1e-9  # of the energies that a step moves about
UNSETTLED = 100.0  # rows and iterations to come, for the impulse that the last iteration still changed


@dataclass
class Watched:
    """The states of a run, [step, body, ...] with the world's own body first, and the fault that ended it, if any."""

    scene: sh.Scene
    dt: float
    position: Any
    rotation: Any
    velocity: Any
    spin: Any
    twist: Any
    residual: Any
    fault: sh.SimulationFault | None
    sim: sh.Simulation

    # --- energies, [step] -------------------------------------------------------------------------------------------

    def kinetic(self) -> Any:
        """Kinetic energy of the bodies, J."""
        total = np.zeros(len(self.position))
        for i, body in enumerate(self.scene.bodies.values(), start=1):
            if body.properties is not None:
                total += kinetic_of(body.properties, self.rotation[:, i], self.velocity[:, i], self.spin[:, i])
        return total

    def weight(self) -> Any:
        """Potential energy in gravity, J."""
        masses = [0.0] + [0.0 if b.properties is None else b.properties.mass for b in self.scene.bodies.values()]
        return -np.einsum("tbi,b,i->t", self.position, masses, np.array(self.scene.gravity))

    def elastic(self) -> Any:
        """Energy in springs, J."""
        total = np.zeros(len(self.position))
        for row in softs_of(self.scene):
            if row.spring is not None:
                total += stored(row.spring, self.coordinate(row) - (row.spring.rest or 0.0))
        return total

    # --- joints -----------------------------------------------------------------------------------------------------

    def frames(self, joint: sh.Joint) -> tuple[Pose, Pose]:
        """The two frames of a joint in the world."""
        names = ["world", *self.scene.bodies]
        frames = []
        for body, frame in ((joint.a, joint.frame_a), (joint.b, joint.frame_b)):
            i = names.index(body.name)
            center = np.zeros(3) if body.properties is None else body.properties.center
            pose = Pose(self.position[:, i] - rotate(self.rotation[:, i], center), self.rotation[:, i])
            frames.append(pose @ frame)
        return frames[0], frames[1]

    def coordinate(self, row: Any) -> Any:
        """The coordinate of a soft row, turns counted."""
        labels = [
            f"{joint.name}.{free.name}" for joint in self.scene.joints.values() for free in joint.type.coordinates
        ]
        place = labels.index(row.label)
        counted = self.sim._compiled.twists
        if place in counted:
            return self.twist[:, counted.index(place)]
        return coordinate(row.kind, *self.frames(row.joint))

    def rate(self, row: Any, later: int) -> Any:
        """The rate of a soft row's coordinate at the poses of each step's start, with the velocities then or after."""
        frame_a, frame_b = (Pose(frame.position[:-1], frame.rotation[:-1]) for frame in self.frames(row.joint))
        axis = coordinate_axis(row.kind, frame_a, frame_b)
        names = ["world", *self.scene.bodies]
        total = np.zeros(len(self.position) - 1)
        when = slice(later, len(self.position) - 1 + later)
        for body, sign in ((row.joint.b, 1.0), (row.joint.a, -1.0)):
            i = names.index(body.name)
            motion = self.spin[when, i]
            if row.linear:
                motion = self.velocity[when, i] + np.cross(motion, frame_b.position - self.position[:-1, i])
            total += sign * np.sum(axis * motion, axis=-1)
        return total

    def joint_error(self, joint: sh.Joint) -> tuple[Any, Any]:
        """Gap (m) and tilt (rad) of a joint."""
        gap, tilt = lock_error(joint.type, joint.length, *self.frames(joint))
        return np.linalg.norm(gap, axis=-1), np.linalg.norm(tilt, axis=-1)


def watch(scene: sh.Scene, dt: float, steps: int, **settings: Any) -> Watched:
    """Simulate and keep every state, up to a fault."""
    sim = sh.Simulation(scene, dt, threads=1, **settings)
    live = [getattr(sim.state, name).numpy()[:, 0] for name in ("position", "rotation", "velocity", "spin", "twist")]
    live.append(sim.report_arrays.residual.numpy()[:1])
    kept = [np.empty((steps + 1, *array.shape)) for array in live]
    fault, done = None, 0
    for array, now in zip(kept, live, strict=True):
        array[0] = now
    try:
        for done in range(1, steps + 1):
            sim.step()
            for array, now in zip(kept, live, strict=True):
                array[done] = now
    except sh.SimulationFault as error:
        fault, done = error, done - 1
    return Watched(scene, dt, *(array[: done + 1] for array in kept), fault, sim)


def kinetic_of(properties: Any, rotation: Any, velocity: Any, spin: Any) -> Any:
    """Kinetic energy of a body, J."""
    local = rotate(conjugate(rotation), spin)
    turning = np.einsum("...i,ij,...j->...", local, properties.inertia, local)
    return 0.5 * (properties.mass * np.sum(velocity * velocity, axis=-1) + turning)


def stored(spring: Spring, x: Any) -> Any:
    """Energy (J) in a spring that is deflected by x: the integral of its force."""
    energy = 0.5 * spring.stiffness * x * x if spring.table is None else _table_energy(spring.table, x)
    energy = energy - spring.preload * x
    return np.where({"both": x == x, "push": x < 0.0, "pull": x > 0.0}[spring.side], energy, 0.0)


def _table_energy(table: Any, x: Any) -> Any:
    xs, fs = np.array(table).T
    slopes = np.diff(fs) / np.diff(xs)
    at = np.clip(np.searchsorted(xs, x) - 1, 0, len(slopes) - 1)
    before = np.concatenate([[0.0], np.cumsum(0.5 * (fs[1:] + fs[:-1]) * np.diff(xs))])
    d = x - xs[at]
    energy = before[at] + fs[at] * d + 0.5 * slopes[at] * d * d
    zero = int(np.clip(np.searchsorted(xs, 0.0) - 1, 0, len(slopes) - 1))
    return energy - (before[zero] + fs[zero] * -xs[zero] + 0.5 * slopes[zero] * xs[zero] ** 2)


def work_of_solver(seen: Watched) -> tuple[Any, Any]:
    """What all impulses of each semi-implicit step together gave to the scene, J, [step], and what is no wonder.

    The velocity problem of a step is M (v' - v) = h f + J^T p at frozen poses, with the new velocities v' in every law:

        T(v') - T(v) = v'.M (v' - v) - |v' - v|^2/2        in the inertia at the start of the step
                     = h f.v' + p.(J v') - |v' - v|^2/2

    Locked rows have J v' = 0; limits p >= 0, p (J v' + chi/h) = 0; friction p.(J v') <= 0; a spring, which is implicit,
    gives at most what its straight line from x to x + h u' loses. So, with no source,

        T(v') - T(v) + h grad V.v' + sum (f(x) h u' + k (h u')^2/2) <= 0

    whatever dt, masses and stiffnesses: what is above rounding is the solver's fault, not the integrator's. No wonder
    wonder are rounding of the energies moved, and what the last iteration still changed of an impulse times the speeds.
    """
    h = seen.dt
    change, moved = np.zeros(len(seen.position) - 1), np.zeros(len(seen.position) - 1)
    for i, body in enumerate(seen.scene.bodies.values(), start=1):
        if body.properties is not None:
            turn = seen.rotation[:-1, i]
            before = kinetic_of(body.properties, turn, seen.velocity[:-1, i], seen.spin[:-1, i])
            after = kinetic_of(body.properties, turn, seen.velocity[1:, i], seen.spin[1:, i])
            fall = -h * body.properties.mass * seen.velocity[1:, i] @ np.array(seen.scene.gravity)
            change += after - before + fall
            moved += after + before + np.abs(fall)
    for row in softs_of(seen.scene):
        if row.spring is not None:
            gained = spring_line_energy(seen, row)
            change += gained
            moved += np.abs(gained)
    speeds = np.abs(seen.velocity[1:]).max(axis=(1, 2)) + np.abs(seen.spin[1:]).max(axis=(1, 2))
    return change, ROUNDING * moved + UNSETTLED * seen.residual[1:, 0] * speeds


def spring_line_energy(seen: Watched, row: Any) -> Any:
    """What a spring gains along its straight line over each step, J; nothing where it does not act."""
    h, spring = seen.dt, row.spring
    x = (seen.coordinate(row) - (spring.rest or 0.0))[:-1]
    before, after = seen.rate(row, 0), seen.rate(row, 1)
    force, slope = spring.stiffness * x, np.full_like(x, spring.stiffness)
    if spring.table is not None:
        xs, fs = np.array(spring.table).T
        slopes = np.diff(fs) / np.diff(xs)
        at = np.clip(np.searchsorted(xs, x) - 1, 0, len(slopes) - 1)
        force, slope = fs[at] + slopes[at] * (x - xs[at]), slopes[at]
    ahead = x + h * before
    acts = {"both": x == x, "push": np.minimum(x, ahead) < 0.0, "pull": np.maximum(x, ahead) > 0.0}[spring.side]
    return np.where(acts, (force - spring.preload) * h * after + 0.5 * slope * (h * after) ** 2, 0.0)


def joint_drift(seen: Watched, joint: sh.Joint) -> tuple[Any, Any]:
    """The most that a semi-implicit step can open a joint by, m and rad, [step].

    Over a step the new velocities keep the joint's rates at zero in directions that are frozen at its start. What is
    left is of second order: a point at an arm r that turns by t leaves its tangent by at most r t^2/2; directions that
    body a carries turn by t_a while the other point slides by s along them; a rod of length l across which its end
    moves by s grows by at most s^2/(2 l).
    """
    names = ["world", *seen.scene.bodies]
    frame_a, frame_b = seen.frames(joint)
    a, b = names.index(joint.a.name), names.index(joint.b.name)
    turn_a, turn_b = (_turns(seen.rotation[:, i]) for i in (a, b))
    arm_a, arm_b = (
        np.linalg.norm(frame.position - seen.position[:, i], axis=-1)[:-1] for frame, i in ((frame_a, a), (frame_b, b))
    )
    between = frame_b.position - frame_a.position
    offset = np.linalg.norm(between, axis=-1)[:-1]
    slid = np.linalg.norm(np.diff(between, axis=0), axis=-1) + turn_a * offset
    across = slid**2 / (2.0 * joint.length) if joint.length > 0.0 else 0.0
    gap = 0.5 * turn_a**2 * (arm_a + offset) + 0.5 * turn_b**2 * arm_b + turn_a * slid + across
    return gap, (turn_a + turn_b) ** 2


def _turns(rotation: Any) -> Any:
    """The angles (rad) of the rotations from step to step, pseudo-velocities included."""
    change = multiply(rotation[1:], conjugate(rotation[:-1]))
    return 2.0 * np.arcsin(np.minimum(np.linalg.norm(change[:, :3], axis=-1), 1.0))
