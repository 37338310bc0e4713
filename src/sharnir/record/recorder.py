"""Recorder: copies the state of a simulation into frames, one row per recorded instant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import ropes
from .frames import Frames

# Frames field -> (table, array); the rest is worked out when the recording ends.
COPIED = {
    "center": ("state", "position"),
    "rotation": ("state", "rotation"),
    "center_velocity": ("state", "velocity"),
    "angular_velocity": ("state", "spin"),
    "twist": ("state", "twist"),
    "effort": ("control", "effort"),
    "reaction": ("memory", "reaction_now"),
    "reaction_torque": ("memory", "reaction_torque_now"),
    "low_impulse": ("memory", "low_impulse"),
    "high_impulse": ("memory", "high_impulse"),
    "friction_impulse": ("memory", "friction_impulse"),
    "stuck": ("memory", "sticking"),
    "voltage": ("work", "voltage"),
    "stall_torque": ("model", "drive_stall"),
    "contact_force": ("work", "touch_force"),
    "contacts": ("work", "contact_count"),
    "rays": ("work", "ray_distance"),
    "iterations": ("report", "iterations"),
    "residual": ("report", "residual"),
    **{f"rope {name}": source for name, source in ropes.COPIED.items()},
}


# Frames field -> array of the memory: what a leapfrog step knows of the instant at which it began
KNOWN_LATER = {
    "center_velocity": "start_velocity",
    "angular_velocity": "start_spin",
    "reaction": "reaction",
    "reaction_torque": "reaction_torque",
    "rope velocity": "rope_start_velocity",
    "rope spin": "rope_start_spin",
}


class Recorder:
    """Buffers for a known number of frames."""

    def __init__(
        self,
        tables: dict[str, Any],
        twists: tuple[int, ...],
        dt: float,
        capacity: int,
        sense: Callable[[], None] = lambda: None,
    ) -> None:
        """``sense`` is called before every capture, to measure what is not a part of the state."""
        self._tables, self._twists, self._dt, self._sense = tables, twists, dt, sense
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
        self._sense()
        k = self._used
        self._time[k], self._out_of_budget[k] = time, out_of_budget
        for name, array in self._sources.items():
            self._buffers[name][k] = array.numpy()
        self._used += 1

    @property
    def learns_later(self) -> bool:
        """Whether the step after a frame knows its velocities and reactions better."""
        return self._tables["memory"].start_velocity.shape[0] > 0

    def complete(self) -> None:
        """Put right the last frame, one step after it was captured."""
        if not self.learns_later:
            return
        made = self._tables["report"].fault.numpy() == 0  # a world that stopped made no step
        for name, array in KNOWN_LATER.items():
            self._buffers[name][self._used - 1][:, made] = getattr(self._tables["memory"], array).numpy()[:, made]

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
        touch = raw["contact_force"][:, 1:]
        if touch.shape[1] == 0:
            touch = np.zeros_like(body["center"])
        torque = raw["reaction_torque"]
        if torque.shape[1] == 0:
            torque = np.zeros_like(raw["reaction"])
        return Frames(
            time=self._time[:used],
            **body,
            counted=self._twists,
            twist=raw["twist"],
            effort=raw["effort"],
            reaction=raw["reaction"],
            reaction_torque=torque,
            limit_impulse=raw["low_impulse"] - raw["high_impulse"],
            friction_impulse=raw["friction_impulse"],
            stuck=raw["stuck"].astype(bool),
            voltage=raw["voltage"],
            stall_torque=raw["stall_torque"],
            contact_force=touch,
            contacts=raw["contacts"],
            rays=raw["rays"],
            iterations=raw["iterations"],
            residual=raw["residual"],
            out_of_budget=np.repeat(self._out_of_budget[:used, None], worlds, axis=1),
            mass=mass,
            inertia=np.array(model.inertia.numpy()[1:]),
            gravity=np.array(model.gravity.numpy()),
            dt=self._dt,
            ropes={name: raw[f"rope {name}"] for name in ropes.COPIED},
        )
