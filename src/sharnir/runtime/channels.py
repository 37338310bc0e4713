"""Channels: the numbers of a running simulation that consoles and plots show, read all at once.

A trajectory derives its signals item by item after the run; here they are tapped from the running simulation, which
costs a fraction of a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from ..control import Controller, Kind
from ..model.layout import coordinates_of
from ..model.softs import SoftRow, softs_of
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


class Channels:
    """All channels of a scene: joints, drives, reactions, bodies, and what its diagram computes."""

    def __init__(self, scene: Scene, simulation: Any, controller: Controller) -> None:
        self._simulation = simulation
        self.bodies = Bodies(scene)
        axes = coordinates_of(scene)
        driven = [row for row in softs_of(scene) if row.motor is not None]
        self.list = [
            *(Channel(label, found.unit, "joints") for label, _, found in axes),
            *(Channel(f"{label} rate", f"{found.unit}/s", "rates") for label, _, found in axes),
            *(Channel(f"{row.label} voltage", "1", "drives") for row in driven),
            *(Channel(f"{row.label} effort", "N" if row.linear else "N m", "drives") for row in driven),
        ]
        taps = simulation.taps
        self._read = [
            *(taps.reader(joint.coordinate(found.name)) for _, joint, found in axes),
            *(taps.reader(joint.rate(found.name)) for _, joint, found in axes),
            *(taps.reader(row.joint.voltage(row.name)) for row in driven),
            *(_effort(taps.reader(row.joint.motor_torque(row.name)), row) for row in driven),
        ]
        self.list += [Channel(f"{name} reaction", "N", "reactions") for name in scene.joints]
        self.list += [Channel(f"{name} speed", "m/s", "bodies") for name in scene.bodies]
        taken = {channel.name for channel in self.list}
        self._values = [name for name in controller.values if name not in taken]
        self._controller = controller
        self.list += [Channel(name, _unit(controller.kind(name)), "diagram") for name in self._values]
        self.now: tuple[Pose, Array, Array] = self.bodies.read(simulation.state)

    def read(self, out: Array) -> None:
        """Write the channels' present values."""
        sim, values = self._simulation, self._controller.values
        sim.taps.refresh()
        self.now = self.bodies.read(sim.state)
        first = len(self._read)
        reactions = sim.memory.reaction_now.numpy()[:, 0]
        speeds = first + len(reactions)
        last = speeds + len(self.now[1]) - 1
        out[:first] = [read() for read in self._read]
        out[first:speeds] = np.linalg.norm(reactions, axis=-1)
        out[speeds:last] = np.linalg.norm(self.now[1][1:], axis=-1)
        out[last:] = [values[name] for name in self._values]


def _effort(torque: Callable[[], float], row: SoftRow) -> Callable[[], float]:
    """What a motor's torque makes behind its gear, losses left out."""
    ratio = row.motor.ratio if row.motor is not None else 1.0
    return lambda: ratio * torque()


def _unit(kind: Kind) -> str:
    """The unit of a signal; a truth value has none at all, a bare number has 1."""
    return "" if kind.type == "bool" else kind.unit or "1"
