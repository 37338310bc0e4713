"""Energy that no source explains, found in what a run has recorded.

Kinetic energy, that of weights and that of springs change into each other; friction, dampers, limits and impacts only
take away. What is given is known where it goes through joints: efforts, and motors, which never give more than stall
torque times voltage times speed. What the sum has gained since its lowest value beyond all that came from the step.

Three things look like a gain and are none. Velocities and poses of a step belong to instants up to a step apart, so
that the sum is off by what changes from one form into the other within a step, to and fro. Closing the gap of a joint
lifts what hangs on it. And bristles of friction hold a little that is given back.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..errors import SimulationWarning
from ..model.softs import SoftRow
from ..record.frames import Frames
from ..record.signals import Readings
from ..scene.elements.friction import Dahl, LuGre
from ..scene.elements.spring import Spring
from ..scene.scene import Scene
from ..spatial import Array

SHARE = 0.05  # of the largest kinetic energy: less is a matter of accuracy, not a mistake
ROUNDING = 1e-9  # of all energies


def gained(scene: Scene, frames: Frames) -> Iterator[SimulationWarning]:
    """A gain of energy in a run whose every source goes through a joint."""
    if len(frames.time) < 3:
        return
    readings = Readings(scene, frames)
    moving = readings.total_kinetic_energy(0) + _rotors(readings)
    stored = readings.total_potential_energy(0) + _springs(readings)
    given = _given(readings)
    own = moving + stored - given
    gain = own - np.minimum.accumulate(own, axis=0)
    swapped = np.max(np.minimum(np.abs(np.diff(moving, axis=0)), np.abs(np.diff(stored, axis=0))), axis=0)
    largest = np.max(moving, axis=0)
    allowed = SHARE * largest + swapped + _lifted(readings) + _bristles(scene)
    allowed += ROUNDING * np.max(np.abs(stored) + moving + given, axis=0)
    beyond = np.max(gain, axis=0) - allowed
    world = int(np.argmax(beyond))
    if not beyond[world] > 0.0:
        return
    end = int(np.argmax(gain[:, world]))
    yield SimulationWarning(
        "energy-gain",
        f"scene '{scene.name}'",
        f"has gained {gain[end, world]:.3g} J by t = {frames.time[end]:.4g} s that nothing gave it (its kinetic energy "
        f"is at most {largest[world]:.3g} J); give a smaller dt than {frames.dt:g} s, or more iterations",
    )


def _rotors(readings: Readings) -> Array:
    """Kinetic energy of all motors, which turn with their joints, J."""
    total = np.zeros(readings.frames.residual.shape)
    for row, place in _coordinates(readings):
        if row.motor is not None:
            inertia = row.motor.stall_torque * row.motor.time_constant / row.motor.idle_speed
            total += 0.5 * inertia * (row.motor.ratio * readings.rate(place)) ** 2
    return total


def _springs(readings: Readings) -> Array:
    """What all springs hold, J."""
    total = np.zeros(readings.frames.residual.shape)
    for row, place in _coordinates(readings):
        if row.spring is not None:
            total += spring_energy(row.spring, readings.coordinate(place))
    return total


def spring_energy(spring: Spring, value: Array) -> Array:
    """The energy of a spring at a coordinate (m or rad), J; none at its rest."""
    x = value - (spring.rest or 0.0)
    energy = 0.5 * spring.stiffness * x * x
    if spring.table is not None:
        xs, fs = np.array(spring.table).T
        ends = (fs[1] - fs[0]) / (xs[1] - xs[0]), (fs[-1] - fs[-2]) / (xs[-1] - xs[-2])
        low, high = min(float(x.min()), 0.0, xs[0]), max(float(x.max()), 0.0, xs[-1])
        grid = np.unique(np.concatenate([[low, 0.0, high], xs]))  # the force is straight between these
        force = np.interp(grid, xs, fs) + ends[0] * np.minimum(grid - xs[0], 0) + ends[1] * np.maximum(grid - xs[-1], 0)
        held = np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(grid))])
        at = np.clip(np.searchsorted(grid, x, "right") - 1, 0, len(grid) - 2)
        slope = (force[at + 1] - force[at]) / (grid[at + 1] - grid[at])
        along = x - grid[at]
        energy = held[at] + force[at] * along + 0.5 * slope * along**2 - np.interp(0.0, grid, held)
    acts = {"both": np.ones_like(x, bool), "push": x < 0, "pull": x > 0}[spring.side]
    return np.where(acts, energy - spring.preload * x, 0.0)


def _given(readings: Readings) -> Array:
    """The most that efforts and motors can have given until each instant, J, [frame, world]."""
    frames = readings.frames
    work = np.zeros(frames.residual.shape)
    interval = np.diff(frames.time)[:, None]
    for i in range(frames.effort.shape[1]):
        if np.any(frames.effort[:, i]):
            rate = readings.rate(i)
            work[1:] += interval * np.maximum(frames.effort[1:, i] * rate[1:], frames.effort[1:, i] * rate[:-1])
    for row, place in _coordinates(readings):
        if row.motor is not None:
            motor, i = row.motor, readings.layout.softs.index(row.label)
            speed = np.abs(motor.ratio * readings.rate(place))
            torque = motor.stall_torque * np.abs(frames.voltage[1:, i])
            work[1:] += interval * torque * np.maximum(speed[1:], speed[:-1]) / motor.efficiency
    return np.cumsum(work, axis=0)


def _lifted(readings: Readings) -> Array:
    """The most that closing the gaps of joints lifts, J, [world]: all weights by the largest gap."""
    frames = readings.frames
    gaps = [np.max(readings.gap(i), axis=0) for i in range(len(readings.layout.joints))]
    weight = np.sum(frames.mass, axis=0) * np.linalg.norm(frames.gravity, axis=-1)
    return weight * np.max(gaps, axis=0) if gaps else np.zeros_like(weight)


def _coordinates(readings: Readings) -> Iterator[tuple[SoftRow, int]]:
    """Soft rows with the places of their coordinates."""
    for i in range(len(readings.layout.softs)):
        row, place = readings._soft(i)
        if place >= 0:
            yield row, place


def _bristles(scene: Scene) -> float:
    """The most that the bristles of friction without a load hold, J: half the level squared over the stiffness."""
    laws = [law for joint in scene.joints.values() for law in joint.friction.values()]
    return sum(
        0.5 * max(law.level, getattr(law, "static", 0.0)) ** 2 / law.stiffness
        for law in laws
        if isinstance(law, (LuGre, Dahl)) and law.load is None
    )
