"""A simulation watched step by step: every state is kept, and energies and joint errors are derived from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import sharnir as sh
from sharnir.model.softs import softs_of
from sharnir.scene.elements.spring import Spring
from sharnir.scene.joint_coordinates import coordinate, coordinate_axis, lock_error
from sharnir.spatial import Pose, conjugate, rotate

STATES = ("position", "rotation", "velocity", "spin", "twist")
TOUCHES = (
    *("contact_body_a", "contact_body_b", "contact_arm_a", "contact_arm_b"),
    *("contact_force", "contact_step", "contact_push"),
)
IMPULSES = ("lock_impulse", "lock_angular", "low_impulse", "high_impulse", "friction_impulse", "soft_impulse")


@dataclass(eq=False)
class Watched:
    """The states of a run, [step, body, ...] with the world's own body first, and the fault that ended it, if any.

    ``impulses`` are those of the step that led to a state, [step, item, ...], by their names in the engine's memory;
    ``touches`` are its contacts, [contact, ...] by step.
    """

    scene: sh.Scene
    dt: float
    position: Any
    rotation: Any
    velocity: Any
    spin: Any
    twist: Any
    residual: Any
    push_spin: Any
    bristle: Any
    low_push: Any
    high_push: Any
    impulses: dict[str, Any]
    touches: list[dict[str, Any]]
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
    live = [getattr(sim.state, name).numpy()[:, 0] for name in STATES]
    live += [sim.report_arrays.residual.numpy()[:1], sim.work.push_spin.numpy()[:, 0], sim.memory.bristle.numpy()[:, 0]]
    live += [sim.work.low_push.numpy()[:, 0], sim.work.high_push.numpy()[:, 0]]
    live += [getattr(sim.memory, name).numpy()[:, 0] for name in IMPULSES]
    kept = [np.empty((steps + 1, *array.shape)) for array in live]
    count, contacts = sim.work.contact_count.numpy(), {name: getattr(sim.work, name).numpy()[:, 0] for name in TOUCHES}
    touches: list[dict[str, Any]] = [{name: array[:0] for name, array in contacts.items()}]
    fault, done = None, 0
    for array, now in zip(kept, live, strict=True):
        array[0] = now
    try:
        for done in range(1, steps + 1):
            sim.step()
            for array, now in zip(kept, live, strict=True):
                array[done] = now
            touches.append({name: array[: count[0]].copy() for name, array in contacts.items()})
    except sh.SimulationFault as error:
        fault, done = error, done - 1
    kept = [array[: done + 1] for array in kept]
    states, impulses = kept[: -len(IMPULSES)], dict(zip(IMPULSES, kept[-len(IMPULSES) :], strict=True))
    return Watched(scene, dt, *states, impulses, touches, fault, sim)


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
