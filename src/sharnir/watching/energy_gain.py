"""Energy that no source explains, found in what a run has recorded.

Kinetic energy, that of weights and that of springs change into each other; friction, dampers, limits and impacts only
take away. What is given is known where it goes through joints: efforts, and motors, which never give more than stall
torque times voltage times speed. What the sum has gained since its lowest value beyond all that came from the step.

Three things look like a gain and are none. Velocities and poses of a step belong to instants up to a step apart, so
that the sum is off by what changes from one form into the other within a step, to and fro. Closing the gap of a joint
lifts what hangs on it. And bristles of friction hold a little that is given back, as do joints that close loops.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..errors import SimulationWarning
from ..quantities import Frames, Readings, Worlds
from ..quantities.energy import closing_energy, elastic_energy, total_kinetic_energy, total_potential_energy
from ..quantities.joints import gap
from ..scene.elements.friction_laws import Dahl, LuGre
from ..scene.scene import Scene
from ..spatial import Array

SHARE = 0.05  # of the largest kinetic energy: less is a matter of accuracy, not a mistake
ROUNDING = 1e-9  # of all energies
STILL = 1e-12  # J/kg: what moves by a micrometre a second is at rest


def gained(scene: Scene, frames: Frames) -> Iterator[SimulationWarning]:
    """A gain of energy in a run whose every source goes through a joint."""
    if len(frames.time) >= 3:
        for readings, _ in Worlds(scene, frames).parts:
            yield from _gained(readings)


def _gained(readings: Readings) -> Iterator[SimulationWarning]:
    scene, frames = readings.scene, readings.frames
    moving = total_kinetic_energy(readings)
    stored = total_potential_energy(readings) + elastic_energy(readings)
    given = _given(readings)
    own = moving + stored - given
    gain = own - np.minimum.accumulate(own, axis=0)
    swapped = np.max(np.minimum(np.abs(np.diff(moving, axis=0)), np.abs(np.diff(stored, axis=0))), axis=0)
    largest = np.max(moving, axis=0)
    allowed = SHARE * largest + swapped + ROUNDING * np.max(np.abs(stored) + moving + given, axis=0)
    allowed += STILL * sum(body.properties.mass for body in scene.bodies.values() if body.properties is not None)
    most = np.max(gain, axis=0)
    if np.all(most <= allowed):  # what else there is only allows more, and a run of a hinge would wait for it
        return
    beyond = most - allowed - _lifted(readings) - _bristles(scene) - np.max(closing_energy(readings), axis=0)
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


def _given(readings: Readings) -> Array:
    """The most that efforts and motors can have given until each instant, J, [frame, world]."""
    frames = readings.frames
    work = readings.zeros()
    interval = np.diff(frames.time)[:, None]
    for i in range(len(readings.layout.coordinates)):
        effort = frames["effort"][1:, i]
        if np.any(effort):
            rate = readings.rate(i)
            work[1:] += interval * np.maximum(effort * rate[1:], effort * rate[:-1])
    for i, (row, place) in enumerate(readings.softs):
        if row.motor is not None:
            motor = row.motor
            speed = np.abs(motor.ratio * readings.rate(place))
            torque = motor.stall_torque * np.abs(frames["voltage"][1:, i])
            work[1:] += interval * torque * np.maximum(speed[1:], speed[:-1]) / motor.efficiency
    return np.cumsum(work, axis=0)


def _lifted(readings: Readings) -> Array:
    """The most that closing the gaps of joints lifts, J, [world]: all weights by the largest gap."""
    gaps = [np.max(gap(readings, i), axis=0) for i in range(len(readings.layout.joints))]
    weight = readings.over_items(len(readings.layout.bodies), Readings.mass)[0]
    weight = weight * np.linalg.norm(readings.frames["gravity"][0], axis=-1)
    return weight * np.max(gaps, axis=0) if gaps else np.zeros_like(weight)


def _bristles(scene: Scene) -> float:
    """The most that the bristles of friction without a load hold, J: half the level squared over the stiffness."""
    laws = [law for joint in scene.joints.values() for law in joint.friction.values()]
    return sum(
        0.5 * max(law.level, getattr(law, "static", 0.0)) ** 2 / law.stiffness
        for law in laws
        if isinstance(law, (LuGre, Dahl)) and law.load is None
    )
