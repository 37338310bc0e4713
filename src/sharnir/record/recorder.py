"""Recorder: copies the state of a simulation into frames, one row per recorded instant."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.layout import coordinates_of, frictions_of
from ..scene.body import Body
from ..scene.joints import Kind
from ..scene.measure import coordinate
from ..scene.scene import Scene
from ..spatial import Array, Pose, conjugate, rotate
from .frames import Frames

# Frames field -> (table, array); the rest is worked out when the recording ends.
COPIED = {
    "center": ("state", "position"),
    "rotation": ("state", "rotation"),
    "center_velocity": ("state", "velocity"),
    "angular_velocity": ("state", "spin"),
    "twist": ("state", "twist"),
    "effort": ("control", "effort"),
    "lock_impulse": ("memory", "lock_impulse"),
    "lock_angular_impulse": ("memory", "lock_angular"),
    "low_impulse": ("memory", "low_impulse"),
    "high_impulse": ("memory", "high_impulse"),
    "friction_impulse": ("memory", "friction_impulse"),
    "stuck": ("memory", "sticking"),
    "iterations": ("report", "iterations"),
    "residual": ("report", "residual"),
}


class Recorder:
    """Buffers for a known number of frames."""

    def __init__(self, scene: Scene, tables: dict[str, Any], twists: tuple[int, ...], dt: float, capacity: int) -> None:
        self._scene, self._tables, self._twists, self._dt = scene, tables, twists, dt
        self._time = np.zeros(capacity)
        self._out_of_budget = np.zeros(capacity, bool)
        self._used = 0
        self._sources = {name: getattr(tables[table], array) for name, (table, array) in COPIED.items()}
        self._buffers = {
            name: np.zeros((capacity, *array.numpy().shape), array.numpy().dtype)
            for name, array in self._sources.items()
        }

    def capture(self, time: float, out_of_budget: bool = False) -> None:
        """Copy what the simulation holds now."""
        k = self._used
        self._time[k], self._out_of_budget[k] = time, out_of_budget
        for name, array in self._sources.items():
            self._buffers[name][k] = array.numpy()
        self._used += 1

    def frames(self) -> Frames:
        """What was captured so far."""
        used = self._used
        raw = {name: buffer[:used] for name, buffer in self._buffers.items()}
        model = self._tables["model"]
        inv_mass = np.array(model.inv_mass.numpy()[1:])
        moving = inv_mass > 0
        mass = np.divide(1.0, inv_mass, out=np.zeros_like(inv_mass), where=moving)
        body = {name: raw[name][:, 1:] for name in ("center", "rotation", "center_velocity", "angular_velocity")}
        worlds = mass.shape[1]
        angular = raw["lock_angular_impulse"]
        if angular.shape[1] == 0:
            angular = np.zeros_like(raw["lock_impulse"])
        return Frames(
            time=self._time[:used],
            **body,
            twist=self._all_twists(raw["twist"], body["center"], body["rotation"]),
            effort=raw["effort"],
            lock_impulse=raw["lock_impulse"],
            lock_angular_impulse=angular,
            limit_impulse=raw["low_impulse"] - raw["high_impulse"],
            friction_impulse=self._in_joint_axes(raw["friction_impulse"], body["center"], body["rotation"]),
            stuck=raw["stuck"].astype(bool),
            iterations=raw["iterations"],
            residual=raw["residual"],
            out_of_budget=np.repeat(self._out_of_budget[:used, None], worlds, axis=1),
            mass=mass,
            inertia=np.array(model.inertia.numpy()[1:]),
            gravity=np.array(model.gravity.numpy()),
            dt=self._dt,
        )

    def _pose(self, body: Body, center: Array, rotation: Array) -> Pose:
        """A body's frame [frame, world] from the arrays of all bodies."""
        if body is self._scene.world:
            return Pose(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))
        i = list(self._scene.bodies).index(body.name)
        arm = np.zeros(3) if body.properties is None else body.properties.center
        return Pose(center[:, i] - rotate(rotation[:, i], arm), rotation[:, i])

    def _all_twists(self, counted: Array, center: Array, rotation: Array) -> Array:
        """The twists of all coordinates: counted by the simulation, or read off the poses where it does not count."""
        rows = coordinates_of(self._scene)
        result = np.zeros((len(counted), len(rows), center.shape[2]), counted.dtype)
        for i, (_, joint, found) in enumerate(rows):
            if i in self._twists:
                result[:, i] = counted[:, self._twists.index(i)]
            elif found.kind == Kind.TWIST:
                a, b = (self._pose(body, center, rotation) for body in (joint.a, joint.b))
                result[:, i] = coordinate(Kind.TWIST, a @ joint.frame_a, b @ joint.frame_b)
        return result

    def _in_joint_axes(self, impulse: Array, center: Array, rotation: Array) -> Array:
        """Friction impulses turned from world axes into the axes of the joint's frame on body a."""
        result = np.zeros_like(impulse)
        for i, (_, joint, _) in enumerate(frictions_of(self._scene)):
            frame = self._pose(joint.a, center, rotation) @ joint.frame_a
            result[:, i] = rotate(conjugate(frame.rotation), impulse[:, i])
        return result
