"""Frames: what is shown of one instant, packed into bytes that travel to the browser as they are.

A frame is ``HEADER`` in float64 followed by blocks in float32, little-endian, at fixed places. ``FrameLayout`` tells
the places; it is sent once, as JSON, before the frames.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ..scene.scene import Scene
from ..spatial import Array
from .channels import Channel, Channels
from .pacing import Statistics
from .rope_frames import rope_shapes, write_ropes

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation
    from .hand import Hand
    from .plant import Plant

HEADER = (
    "tick",  # steps made since the run began, over resets and restores
    "step",  # steps of the simulation since its start
    "time",  # s, simulated
    "clock",  # s of the machine when it is to be seen; also for the age of commands
    "mode",  # one of MODES
    "held",  # one of HOLDS
    "scale",  # simulated seconds per second asked for
    "factor",  # and reached
    "misses",  # deadlines missed
    "worst",  # s, the longest step
    "jitter",  # s, 99th percentile of how late steps begin
    "load",  # share of the period that a step takes
    "contacts_used",  # rows of the contact block that are in use
)
MODES = ("paused", "running", "replay", "fault", "ended")
HOLDS = ("free", "stopped", "held")  # states of the safety chain
CONTACTS = 64  # contact points shown at most
PULL = 10  # the number of the body that is pulled, from 1 on; where, and where to (m); with what force (N)

assert sys.byteorder == "little", "frames are written in the machine's order, which browsers expect to be little-endian"


class FrameBlock(msgspec.Struct, frozen=True):
    """An array in a frame: where it begins (bytes) and its shape."""

    offset: int
    shape: tuple[int, ...]


class FrameLayout(msgspec.Struct, frozen=True):
    """Where everything lies in a frame."""

    header: tuple[str, ...]
    blocks: dict[str, FrameBlock]
    size: int
    channels: tuple[Channel, ...]
    inputs: tuple[str, ...]
    modes: tuple[str, ...] = MODES
    holds: tuple[str, ...] = HOLDS


def layout_of(scene: Scene, channels: Sequence[Channel], inputs: tuple[str, ...]) -> FrameLayout:
    """The layout of a scene's frames."""
    shapes = {
        "poses": (len(scene.bodies), 7),
        "velocities": (len(scene.bodies), 6),
        "inputs": (len(inputs),),
        "channels": (len(channels),),
        "contacts": (CONTACTS, 6),
        "pull": (PULL,),
        **rope_shapes(scene),
    }
    offset, blocks = 8 * len(HEADER), {}
    for name, shape in shapes.items():
        blocks[name] = FrameBlock(offset, shape)
        offset += 4 * int(np.prod(shape))
    offset += -offset % 8  # so that the next frame's header is in line too
    return FrameLayout(HEADER, blocks, offset, tuple(channels), inputs)


def views(frames: Array, layout: FrameLayout) -> tuple[Array, dict[str, Array]]:
    """Headers and blocks of frames [..., byte], as views that can be written."""
    before = frames.shape[:-1]
    blocks = {
        name: frames[..., b.offset : b.offset + 4 * int(np.prod(b.shape))].view(np.float32).reshape(*before, *b.shape)
        for name, b in layout.blocks.items()
    }
    return frames[..., : 8 * len(HEADER)].view(np.float64), blocks


def clock_of(frame: bytes) -> float:
    """When a frame is to be seen, s of the machine's clock."""
    return float(np.frombuffer(frame, "<f8", 1, 8 * HEADER.index("clock"))[0])


def tick_of(frame: bytes) -> int:
    """The tick of a frame."""
    return int(np.frombuffer(frame, "<f8", 1, 8 * HEADER.index("tick"))[0])


class FrameWriter:
    """Writes the present state of a plant into one buffer."""

    def __init__(self, scene: Scene, channels: Channels, inputs: tuple[str, ...]) -> None:
        self._scene, self._channels, self._inputs = scene, channels, inputs
        self.layout = layout_of(scene, channels.list, inputs)
        self.bytes: Array = np.zeros(self.layout.size, np.uint8)
        self._header, self._blocks = views(self.bytes, self.layout)

    def write(self, plant: Plant, clock: float, mode: str, scale: float, statistics: Statistics) -> Array:
        """Fill the buffer and return it."""
        blocks = self._blocks
        self._channels.read(blocks["channels"])
        pose, velocity, spin = self._channels.now
        blocks["poses"][:, :3], blocks["poses"][:, 3:] = pose.position[1:], pose.rotation[1:]
        blocks["velocities"][:, :3], blocks["velocities"][:, 3:] = velocity[1:], spin[1:]
        blocks["inputs"][:] = [float(plant.controller.inputs[name]) for name in self._inputs]
        simulation = plant.simulation
        self._header[:] = (
            plant.tick,
            simulation.steps,
            simulation.time,
            clock,
            MODES.index(mode),
            HOLDS.index(plant.chain),
            scale,
            *statistics,
            _write_contacts(simulation, blocks["contacts"]),
        )
        write_ropes(self._scene, simulation, blocks)
        _write_pull(plant.hand, blocks["pull"])
        return self.bytes


def _write_pull(hand: Hand, block: Array) -> None:
    """What the operator pulls; zeros where it is nothing."""
    block[:] = 0.0
    if hand.pulled is not None:
        block[0], (block[1:4], block[4:7]), block[7:] = hand.pulled.place, hand.ends(), hand.force


def _write_contacts(simulation: Simulation, rows: Array) -> int:
    """Points (m) and forces (N, on b) of the contacts that press, as many as there is room for; returns how many."""
    work = simulation.work
    count = int(work.contact_count.numpy()[0])
    if count == 0:
        return 0
    force = work.contact_force.numpy()[:count, 0]
    pressing = np.flatnonzero(np.any(force != 0.0, axis=-1))[: len(rows)]
    used = len(pressing)
    rows[:used, :3], rows[:used, 3:] = work.contact_point.numpy()[pressing, 0], force[pressing]
    return used
