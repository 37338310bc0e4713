"""Channels: the numbers of a running simulation that consoles and plots show, read all at once.

A quantity is a channel if its declaration names a group of the console. They are tapped from the running simulation,
which costs a fraction of a millisecond.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ..control import Controller, SignalKind
from ..model.layout import coordinates_of
from ..model.softs import softs_of
from ..quantities import QUANTITIES
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..spatial import Array, Pose, rotate
from .rope_frames import tension_readers

if TYPE_CHECKING:
    from ..device import Table
    from ..simulation.live_access import Taps
    from ..simulation.simulation import Simulation

Reader = Callable[[], float]

GROUPS = (
    "joints",
    "rates",
    "drives",
    "reactions",
    "bodies",
    "rays",
    "sensors",
)  # in the order in which the console lists them


class Channel(msgspec.Struct, frozen=True):
    """One number: its name, its unit and the group it is listed under."""

    name: str
    unit: str
    group: str


class Bodies:
    """Poses and velocities of the bodies' own frames, world first, of the first world of a simulation."""

    def __init__(self, scene: Scene) -> None:
        self._arm = -np.array([body.center for body in (scene.world, *scene.bodies.values())])

    def read(self, state: Table) -> tuple[Pose, Array, Array]:
        """Poses [body], velocities and angular velocities [body, 3]."""
        turn, spin = state.rotation.numpy()[:, 0], state.spin.numpy()[:, 0]
        arm = rotate(turn, self._arm)
        return Pose(state.position.numpy()[:, 0] + arm, turn), state.velocity.numpy()[:, 0] + np.cross(spin, arm), spin


class Channels:
    """All channels of a scene: quantities that name a group of the console, and what its diagram computes."""

    def __init__(self, scene: Scene, simulation: Simulation, controller: Controller) -> None:
        self._simulation = simulation
        self.bodies = Bodies(scene)
        made = [channel for group in GROUPS for channel in _of_group(scene, simulation, group)]
        ropes = tension_readers(scene, simulation)  # a quantity for which a recorded frame would be too slow
        made += [(Channel(f"{name} tension", "N", "ropes"), read) for name, read in ropes.items()]
        self.list = [channel for channel, _ in made]
        self._read = [read for _, read in made]
        taken = {channel.name for channel in self.list}
        self._values = [name for name in controller.values if name not in taken]
        self._controller = controller
        self.list += [Channel(name, _unit(controller.kind(name)), "diagram") for name in self._values]
        self.now: tuple[Pose, Array, Array] = self.bodies.read(simulation.state)

    def read(self, out: Array) -> None:
        """Write the channels' present values."""
        values, last = self._controller.values, len(self._read)
        self._simulation.taps.refresh()
        self.now = self.bodies.read(self._simulation.state)
        out[:last] = [read() for read in self._read]
        out[last:] = [values[name] for name in self._values]


def _of_group(scene: Scene, simulation: Simulation, group: str) -> Iterator[tuple[Channel, Reader]]:
    """The channels of a group, with what reads them."""
    layout = simulation._layout
    linear = {label: found.kind.is_linear for label, _, found in coordinates_of(scene)}
    driven = {row.label for row in softs_of(scene) if row.motor is not None}
    for definition in QUANTITIES.values():
        if definition.channel is not None and definition.channel[0] == group:
            for item in definition.names(layout):
                if (definition.owner != "soft" or item in driven) and not (
                    definition.name == "reaction_torque" and not any(scene.joints[item].type.locked_rotations)
                ):
                    if definition.owner in ("sensor", "vector_sensor"):
                        quantity = scene.reading(item)
                    else:
                        quantity = definition.address(item, linear.get(item, False))
                    name = f"{item} {definition.channel[1]}".strip()
                    yield Channel(name, quantity.unit, group), _reader(simulation.taps, quantity)


def _reader(taps: Taps, quantity: Quantity) -> Reader:
    """What reads a quantity; of a vector its length."""
    if not quantity.components:
        return taps.reader(quantity)
    parts = [taps.reader(quantity, component) for component in quantity.components]
    return lambda: math.hypot(*(part() for part in parts))


def _unit(kind: SignalKind) -> str:
    """The unit of a signal; a truth value has none at all, a bare number has 1."""
    return "" if kind.type == "bool" else kind.unit or "1"
