"""Energy that comes from nowhere or goes nowhere, found in what a run has recorded.

Kinetic energy, that of weights and that of springs change into each other; friction, dampers, limits and impacts only
take away. What is given is known where it goes through joints: efforts, on the way of their coordinates, and motors,
which never give more than stall torque times voltage times speed. What the sum has gained since its lowest value beyond
all that came from the step. Where bodies have nothing but joints between them, so did what it has lost for good.

Four things look like a gain and are none. Velocities and poses of a step belong to instants up to a step apart, so
that the sum is off by what changes from one form into the other within a step, to and fro. Closing the gap of a joint
lifts what hangs on it. Bristles of friction hold a little that is given back, as do joints that close loops. And where
an effort jumps from step to step so does the velocity, and half of each kick lies on either side of an instant.
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
from ..spatial import Array, conjugate, rotate

SHARE = 0.05  # of the largest kinetic energy: less is a matter of accuracy, not a mistake
ROUNDING = 1e-9  # of all energies
STILL = 1e-12  # J/kg: what moves by a micrometre a second is at rest


def unexplained(scene: Scene, frames: Frames) -> Iterator[SimulationWarning]:
    """A gain or loss of energy in a run whose every source goes through a joint."""
    if len(frames.time) >= 5:
        for readings, _ in Worlds(scene, frames).parts:
            yield from _unexplained(readings)


def _unexplained(readings: Readings) -> Iterator[SimulationWarning]:
    scene, frames = readings.scene, readings.frames
    moving = total_kinetic_energy(readings)
    if frames.is_leapfrog and np.any(frames["effort"]):
        moving = moving + readings.over_items(len(readings.layout.bodies), _in_a_kick)
    stored = total_potential_energy(readings) + elastic_energy(readings)
    given = _given(readings)
    own = (moving + stored - given)[:-1]  # the last frame is an estimate
    gain = np.zeros_like(own)  # the first kick is half of one
    gain[1:] = own[1:] - np.minimum.accumulate(own[1:], axis=0)
    loss = _lost(own) if frames.is_leapfrog and _keeps_energy(scene) else np.zeros_like(own)
    swapped = np.max(np.minimum(np.abs(np.diff(moving, axis=0)), np.abs(np.diff(stored, axis=0))), axis=0)
    largest = np.max(moving, axis=0)
    allowed = SHARE * largest + swapped + ROUNDING * np.max(np.abs(stored) + moving + given, axis=0)
    allowed += STILL * sum(body.properties.mass for body in scene.bodies.values() if body.properties is not None)
    if np.all(np.maximum(gain, loss) <= allowed):  # what else there is only allows more, and a run would wait for it
        return
    allowed = allowed + _lifted(readings) + _bristles(scene) + np.max(closing_energy(readings), axis=0)
    for name, amount, verb, cause in (
        ("energy-gain", gain, "gained", "gave it"),
        ("energy-loss", loss, "lost", "took from it"),
    ):
        beyond = np.max(amount, axis=0) - allowed
        world = int(np.argmax(beyond))
        if beyond[world] > 0.0:
            at = int(np.argmax(amount[:, world]))
            when = frames.time[at]
            remedy = f"give a smaller dt than {frames.dt:g} s, or more iterations"
            if name == "energy-loss" and own[0, world] - own[1, world] > 0.5 * amount[at, world]:
                remedy = _misfit(readings, world)
            yield SimulationWarning(
                name,
                f"scene '{scene.name}'",
                f"has {verb} {amount[at, world]:.3g} J by t = {when:.4g} s that nothing {cause} (its "
                f"kinetic energy is at most {largest[world]:.3g} J); {remedy}",
            )


def _misfit(readings: Readings, world: int) -> str:
    """The remedy where the first step takes the velocities that a joint does not allow."""
    slips = {
        joint.name: float(np.linalg.norm(readings.slip(joint)[0, world]))
        for joint in readings.scene.joints.values()
        if all(joint.type.locked_translations)
    }
    if not any(slips.values()):
        return "it began with velocities that its joints do not allow: give rates of joints, scene.pose(speeds=...)"
    worst = max(slips, key=lambda name: slips[name])
    return (
        f"it began with velocities that its joints do not allow, {slips[worst]:.3g} m/s apart in joint '{worst}': "
        "give rates of joints, scene.pose(speeds=...)"
    )


def _in_a_kick(readings: Readings, i: int) -> Array:
    """What the mean of a body's kinetic energy before and after a kick has more than that of its mean velocity, J."""
    frames = readings.frames
    turn = rotate(conjugate(frames["rotation"][:, i]), frames["kick_spin"][:, i])
    energy = readings.mass(i) * np.sum(frames["kick"][:, i] ** 2, axis=-1)
    return np.asarray(0.125 * (energy + np.einsum("fwi,fwij,fwj->fw", turn, frames["inertia"][:, i], turn)))


def _lost(own: Array) -> Array:
    """By how much the energy stays below its highest value so far, J, [frame, world]; dips that pass do not count.

    The last tenth of a run is too short to tell.
    """
    after = np.maximum.accumulate(own[::-1], axis=0)[::-1]
    loss = np.maximum.accumulate(own, axis=0) - after
    loss[len(own) - len(own) // 10 - 1 :] = 0.0
    return loss


def _keeps_energy(scene: Scene) -> bool:
    """Whether nothing in a scene takes energy: no stops and catches, springs, friction, drives or couplings."""
    joints = scene.joints.values()
    taking = (joint.ranges or joint.friction or joint.springs or joint.drives or joint.catches for joint in joints)
    return not any(taking) and not scene.couplings


def _given(readings: Readings) -> Array:
    """The most that efforts and motors can have given until each instant, J, [frame, world]."""
    frames = readings.frames
    work = readings.zeros()
    interval = np.diff(frames.time)[:, None]
    for i, (_, found) in enumerate(readings.coordinates):
        effort = frames["effort"][:, i]
        if np.any(effort):
            if frames.is_leapfrog:
                kick = frames.dt * 0.5 * (effort + np.vstack([effort[1:], effort[-1:]]))
                power = kick * readings.rate(i)
                work[1:] += 0.5 * (power[1:] + power[:-1])
            else:
                way = readings.coordinate(i)
                work[1:] += effort[1:] * np.diff(np.unwrap(way, axis=0) if found.kind.is_turn else way, axis=0)
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
