"""Channels: the numbers of a running simulation that consoles and plots show, read all at once.

A trajectory derives its signals item by item after the run; here the same definitions (``scene/measure.py``) are
evaluated for all joints of a kind together, which costs a fraction of a millisecond whatever the number of joints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from ..model.layout import coordinates_of
from ..model.softs import softs_of
from ..scene.joints import Kind
from ..scene.measure import coordinate, coordinate_axis
from ..scene.scene import Scene
from ..spatial import Array, Pose, rotate


class Channel(msgspec.Struct, frozen=True):
    """One number: its name, its unit and the group it is listed under."""

    name: str
    unit: str
    group: str


class Bodies:
    """Poses and velocities of the bodies' own frames, world first, of the first world of a simulation."""

    def __init__(self, scene: Scene) -> None:
        centers = [np.zeros(3) if b.properties is None else b.properties.center for b in scene.bodies.values()]
        self._arm = -np.array([np.zeros(3), *centers])

    def read(self, state: Any) -> tuple[Pose, Array, Array]:
        """Poses [body], velocities and angular velocities [body, 3]."""
        turn, spin = state.rotation.numpy()[:, 0], state.spin.numpy()[:, 0]
        arm = rotate(turn, self._arm)
        return Pose(state.position.numpy()[:, 0] + arm, turn), state.velocity.numpy()[:, 0] + np.cross(spin, arm), spin


class Coordinates:
    """Every free coordinate and its rate, in the order of the scene's layout."""

    def __init__(self, scene: Scene, counted: tuple[int, ...]) -> None:
        rows = coordinates_of(scene)
        places = {"world": 0} | {name: i + 1 for i, name in enumerate(scene.bodies)}
        self._a = np.array([places[joint.a.name] for _, joint, _ in rows], int)
        self._b = np.array([places[joint.b.name] for _, joint, _ in rows], int)
        self._frame_a = _stacked([joint.frame_a for _, joint, _ in rows])
        self._frame_b = _stacked([joint.frame_b for _, joint, _ in rows])
        kinds = np.array([int(found.kind) for _, _, found in rows], int)
        self._of_kind = [(Kind(kind), np.flatnonzero(kinds == kind)) for kind in np.unique(kinds)]
        self._counted = list(counted)
        self.value, self.rate = np.zeros(len(rows)), np.zeros(len(rows))

    def read(self, bodies: tuple[Pose, Array, Array], twist: Array) -> None:
        """Fill ``value`` and ``rate``."""
        pose, velocity, spin = bodies
        for kind, rows in self._of_kind:
            a, b = self._a[rows], self._b[rows]
            frame_a = Pose(pose.position[a], pose.rotation[a]) @ _taken(self._frame_a, rows)
            frame_b = Pose(pose.position[b], pose.rotation[b]) @ _taken(self._frame_b, rows)
            self.value[rows] = coordinate(kind, frame_a, frame_b)
            if kind.is_linear:
                point = frame_b.position
                relative = _at(pose, velocity, spin, b, point) - _at(pose, velocity, spin, a, point)
            else:
                relative = spin[b] - spin[a]
            self.rate[rows] = np.sum(coordinate_axis(kind, frame_a, frame_b) * relative, axis=-1)
        self.value[self._counted] = twist


class Channels:
    """All channels of a scene: joints, drives, reactions, bodies, and what a controller computes."""

    def __init__(self, scene: Scene, simulation: Any, controller: Any) -> None:
        self._simulation, self._controller = simulation, controller
        self.bodies = Bodies(scene)
        self.coordinates = Coordinates(scene, simulation.counted)
        rows = coordinates_of(scene)
        labels = [label for label, _, _ in rows]
        driven = [(place, row) for place, row in enumerate(softs_of(scene)) if row.motor is not None]
        self._driven = [place for place, _ in driven]
        self._driven_axis = [labels.index(row.label) for _, row in driven]
        motors = [row.motor for _, row in driven]
        self._stall = np.array([m.stall_torque for m in motors if m])
        self._speed_of_motor = np.array([m.ratio / m.idle_speed for m in motors if m])
        self._ratio = np.array([m.ratio for m in motors if m])
        self._values = [name for name, value in controller.values.items() if isinstance(value, (int, float))]
        self.list = [
            *(Channel(label, found.unit, "joints") for label, _, found in rows),
            *(Channel(f"{label} rate", f"{found.unit}/s", "rates") for label, _, found in rows),
            *(Channel(f"{row.label} voltage", "1", "drives") for _, row in driven),
            *(Channel(f"{row.label} effort", "N" if row.linear else "N m", "drives") for _, row in driven),
            *(Channel(f"{name} reaction", "N", "reactions") for name in scene.joints),
            *(Channel(f"{name} speed", "m/s", "bodies") for name in scene.bodies),
            *(Channel(name, "", "control") for name in self._values),
        ]
        self.now: tuple[Pose, Array, Array] = self.bodies.read(simulation.state)

    def read(self, out: Array) -> None:
        """Write the channels' present values."""
        sim = self._simulation
        self.now = self.bodies.read(sim.state)
        self.coordinates.read(self.now, sim.state.twist.numpy()[:, 0])
        voltage = sim.work.voltage.numpy()[self._driven, 0]
        slip = self._speed_of_motor * self.coordinates.rate[self._driven_axis]
        parts: tuple[Any, ...] = (
            self.coordinates.value,
            self.coordinates.rate,
            voltage,
            self._ratio * self._stall * (voltage - slip),
            np.linalg.norm(sim.memory.lock_impulse.numpy()[:, 0], axis=-1) / sim.dt,
            np.linalg.norm(self.now[1][1:], axis=-1),
            [self._controller.values[name] for name in self._values],
        )
        out[:] = np.concatenate(parts)

    def reader(self, names: list[str]) -> Callable[[Array], list[float]]:
        """A function that picks channels by name out of what ``read`` wrote."""
        known = [channel.name for channel in self.list]
        places = [known.index(name) for name in names]
        return lambda values: values[places].tolist()


def _stacked(frames: list[Pose]) -> Pose:
    if not frames:
        return Pose(np.zeros((0, 3)), np.zeros((0, 4)))
    return Pose(np.array([f.position for f in frames]), np.array([f.rotation for f in frames]))


def _taken(frames: Pose, rows: Array) -> Pose:
    return Pose(frames.position[rows], frames.rotation[rows])


def _at(pose: Pose, velocity: Array, spin: Array, body: Array, point: Array) -> Array:
    """Velocity of the points of bodies that are at ``point`` now."""
    return np.asarray(velocity[body] + np.cross(spin[body], point - pose.position[body]))
