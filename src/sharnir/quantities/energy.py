"""Energy and momentum of a whole scene, and the power of all that changes its energy.

    E(t) - E(0) = integral of the powers of all sources and sinks         to the order of the step

A source or sink has the power F u of its force F and the rate u it acts on. An impulse p does the work
p (u_before + u_after)/2, which is what it changes the kinetic energy by, also at an impact. The leapfrog step has the
impulse of a frame at the poses of the frame before, and half of it acts on either side of them: over the time between
two frames the mean of the forces at both acts on the mean of the rates. A run that leaves out steps leaves out their
impulses, too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..model.layout import SOURCES
from ..scene.elements.actuators import TorqueMotor
from ..scene.elements.friction_laws import Dahl, LuGre
from ..scene.quantity import XYZ
from ..spatial import Array, rotate
from . import ropes, setting
from .bodies import kinetic_energy, velocity
from .joints import coupling_effort, limit_impulse
from .readings import Readings
from .registry import quantity
from .springs import acts, spring_energy


@quantity(None, "J")
def total_kinetic_energy(r: Readings, _: int = 0) -> Array:
    """Kinetic energy of bodies, ropes and the rotors of drives."""
    bodies = r.over_items(len(r.layout.bodies), kinetic_energy)
    return bodies + r.over_items(len(r.layout.ropes), ropes.rope_kinetic_energy) + _rotors(r)


def _rotors(r: Readings) -> Array:
    """J of all motors, which turn with their joints."""
    total = r.zeros()
    for row, place in r.softs:
        if row.motor is not None:
            total += 0.5 * row.motor.inertia * (row.motor.ratio * r.rate(place)) ** 2
        if isinstance(row.actuator, TorqueMotor):
            total += 0.5 * row.actuator.inertia * (row.actuator.ratio * r.rate(place)) ** 2
    return total


@quantity(None, "J")
def total_potential_energy(r: Readings, _: int = 0) -> Array:
    """Energy in gravity, zero at the world's origin."""
    total = r.zeros() + ropes.ropes_gravity_energy(r)
    for i in range(len(r.layout.bodies)):
        total -= r.mass(i) * np.einsum("fwi,fwi->fw", r.frames["center"][:, i], r.frames["gravity"])
    return total


@quantity(None, "J")
def elastic_energy(r: Readings, _: int = 0) -> Array:
    """Energy of springs, ropes, bristles and what gives way in contacts and loops."""
    total = _bristles(r) + closing_energy(r) + r.over_items(len(r.layout.ropes), ropes.rope_elastic_energy)
    for row, place in r.softs:
        if row.spring is not None:
            total += spring_energy(row.spring, r.coordinate(place))
    return total


def _bristles(r: Readings) -> Array:
    """N s0 z^2/2 of LuGre's and Dahl's bristles, N the load that presses, 1 without: J."""
    total = r.zeros()
    for i, row in enumerate(r.frictions):
        law = row.joint.friction.get(row.axes.name)
        if row.kind == "friction" and isinstance(law, (LuGre, Dahl)):
            bend = np.sum(r.frames["bristle"][:, i] ** 2, axis=-1)
            total += 0.5 * law.stiffness * _load(r, row.joint.name, law.load) * bend
    return total


def _load(r: Readings, joint: str, load: object) -> Array | float:
    """What presses the surfaces of a joint together, N; 1 where friction does not depend on it."""
    if load is None:
        return 1.0
    reaction = r.frames["reaction"][:, r.layout.joints.index(joint)]
    return np.linalg.norm(reaction, axis=-1) + float(getattr(load, "preload", 0.0))


def closing_energy(r: Readings) -> Array:
    """In the joints that close loops, which the direct solver makes a little elastic: J."""
    return np.sum(r.frames["closing_energy"], axis=1)


@quantity(None, "J")
def total_energy(r: Readings, _: int = 0) -> Array:
    """Kinetic, potential and elastic energy."""
    return total_kinetic_energy(r) + total_potential_energy(r) + elastic_energy(r)


@quantity(None, "N s", XYZ)
def momentum(r: Readings, _: int = 0) -> Array:
    """Linear momentum."""
    total = r.zeros(3) + ropes.ropes_momentum(r)
    for i in range(len(r.layout.bodies)):
        total += r.mass(i)[..., None] * r.frames["center_velocity"][:, i]
    return total


@quantity(None, "N m s", XYZ)
def angular_momentum(r: Readings, _: int = 0) -> Array:
    """Angular momentum about the world's origin."""
    total = r.zeros(3) + ropes.ropes_angular_momentum(r)
    for i in range(len(r.layout.bodies)):
        orbit = np.cross(r.frames["center"][:, i], r.frames["center_velocity"][:, i])
        total += r.mass(i)[..., None] * orbit + r.spin_momentum(i)
    return total


@quantity(None, "m/s^2", XYZ, set=setting.gravity)
def gravity(r: Readings, _: int = 0) -> Array:
    """Acceleration of gravity."""
    return r.frames["gravity"]


# --- sources and sinks ------------------------------------------------------------------------------------------------


@quantity("source", "W", held=True)
def power(r: Readings, i: int) -> Array:
    """Power of a source (above zero) or sink (below) over the step that led to a frame."""
    return POWERS[SOURCES[i]](r)


@quantity(None, "W", held=True)
def total_power(r: Readings, _: int = 0) -> Array:
    """Power of all sources and sinks."""
    return r.over_items(len(SOURCES), power)


def _acting(r: Readings, forces: Array) -> Array:
    """The mean force over the time since the frame before, of forces or impulses as they were recorded."""
    if not r.frames.is_leapfrog:
        return forces
    return np.concatenate([0.5 * (forces[:-1] + forces[1:]), forces[-1:]])


def _felt(r: Readings, rates: Array) -> Array:
    """The rates by which dampers and motors act: their means, or those at the end of a step of implicit Euler."""
    return _mean(rates) if r.frames.is_leapfrog else rates


def _mean(values: Array) -> Array:
    """The mean over the step that led to each frame; nothing happened before the first."""
    return np.concatenate([np.zeros_like(values[:1]), 0.5 * (values[1:] + values[:-1])])


def _change(r: Readings, values: Array) -> Array:
    """The rate at which something changed over the time since the frame before."""
    change = np.diff(values, axis=0) / np.diff(r.frames.time)[:, None]
    return np.concatenate([np.zeros_like(values[:1]), change])


def _efforts(r: Readings) -> Array:
    total = r.zeros()
    for i in range(len(r.layout.coordinates)):
        if r.frames["effort"][:, i].any():
            total += _acting(r, r.frames["effort"][:, i]) * _mean(r.rate(i))
    return total


def _forces(r: Readings) -> Array:
    """At the centre of mass."""
    moved = _acting(r, r.frames["force"]) * _mean(r.frames["center_velocity"])
    turned = _acting(r, r.frames["torque"]) * _mean(r.frames["angular_velocity"])
    return np.asarray(np.sum(moved + turned, axis=(1, 3)))


def _drive_efforts(r: Readings, i: int) -> Array:
    """What a motor does to its coordinate over each step, N or N m, its rotor and the losses of its gear left out."""
    row, place = r.softs[i]
    assert row.motor is not None
    speed = row.motor.ratio * _felt(r, r.rate(place))
    torque = row.motor.torque_at(r.frames["drive_stall"][:, i], r.frames["voltage"][:, i], speed)
    return np.asarray(row.motor.ratio * torque)


def _drives(r: Readings) -> Array:
    """What the motors' torque does: their electric losses are no part of the mechanism."""
    total = r.zeros()
    for i, (row, place) in enumerate(r.softs):
        if row.motor is not None:
            total += _drive_efforts(r, i) * _mean(r.rate(place))
    return total


def _gears(r: Readings) -> Array:
    """A gear passes on the torque t = M - I_m w' of motor and rotor, less the share 1 - efficiency of its power."""
    total = r.zeros()
    for i, (row, place) in enumerate(r.softs):
        if row.motor is not None and row.motor.loses_power:
            effort = _drive_efforts(r, i) - row.motor.inertia * row.motor.ratio**2 * _change(r, r.rate(place))
            passed = effort * _mean(r.rate(place))
            eta = row.motor.efficiency
            total -= np.where(passed > 0, (1.0 - eta) * passed, (1.0 - 1.0 / eta) * passed)
    return total


def _dampers(r: Readings) -> Array:
    """Dampers of springs, and viscous friction: -c u^2."""
    total = r.zeros()
    for row, place in r.softs:
        if place >= 0:
            rate = r.rate(place)
        else:
            axis = rotate(r.joint_frames(row.joint)[0].rotation, np.eye(3)[row.column])
            rate = np.sum(axis * (r.slip(row.joint) if row.linear else r.spin(row.joint)), axis=-1)
        square = _felt(r, rate) * _mean(rate)
        if row.spring is not None:
            total -= row.spring.damping * np.where(acts(row.spring, r.coordinate(place)), square, 0.0)
        reaction = r.frames["reaction"][:, r.layout.joints.index(row.joint.name)]
        total -= (row.viscous + row.viscous_load * np.linalg.norm(reaction, axis=-1)) * square
    return total


def _friction(r: Readings) -> Array:
    """Dry friction, less what its bristles keep."""
    total = _change(r, _bristles(r))
    for i, row in enumerate(r.frictions):
        if row.kind == "friction":
            relative = r.slip(row.joint) if row.axes.is_linear else r.spin(row.joint)
            total += np.sum(_acting(r, r.frames["friction_impulse"][:, i]) * _mean(relative), axis=-1) / r.frames.dt
    return total


def _limits(r: Readings) -> Array:
    total = r.zeros()
    for i, label in enumerate(r.layout.limits):
        total += _acting(r, limit_impulse(r, i)) * _mean(r.rate(r.layout.coordinates.index(label))) / r.frames.dt
    return total


def _couplings(r: Readings) -> Array:
    """What gears and their like do to their coordinates: nothing if they lose none and are not moved.

    Their efforts are known at the instants of the frames, like velocities.
    """
    total = r.zeros()
    for i, label in enumerate(r.layout.terms):
        coordinate, effort = label.split(".", 1)[1], coupling_effort(r, i)
        total += (_mean(effort) if r.frames.is_leapfrog else effort) * _mean(
            r.rate(r.layout.coordinates.index(coordinate))
        )
    return total


def _actuators(r: Readings) -> Array:
    total = r.zeros()
    for i, (_, place) in enumerate(r.actuators):
        effort = r.frames["actuator_effort"][:, i]
        total += (_mean(effort) if r.frames.is_leapfrog else effort) * _mean(r.rate(place))
    return total


def _catches(r: Readings) -> Array:
    """Nothing, unless they slip."""
    total = r.zeros()
    for i, label in enumerate(r.layout.catches):
        impulse = _acting(r, r.frames["catch_impulse"][:, i])
        total += impulse * _mean(r.rate(r.layout.coordinates.index(label))) / r.frames.dt
    return total


def _movers(r: Readings) -> Array:
    """Forces and torques on bodies that are moved, at the origins of their frames."""
    total = r.zeros()
    for mover in r.movers:
        joint, body = r.layout.joints.index(mover.name), r.layout.bodies.index(mover.body.name)
        rates = {"reaction": velocity(r, body), "reaction_torque": r.frames["angular_velocity"][:, body]}
        for force, rate in rates.items():
            acting = r.frames[force][:, joint]
            total += np.sum((_mean(acting) if r.frames.is_leapfrog else acting) * _mean(rate), axis=-1)
    return total


POWERS: dict[str, Callable[[Readings], Array]] = {
    "efforts": _efforts,
    "forces": _forces,
    "drives": _drives,
    "gears": _gears,
    "dampers": _dampers,
    "friction": _friction,
    "limits": _limits,
    "couplings": _couplings,
    "actuators": _actuators,
    "movers": _movers,
    "catches": _catches,
}
assert tuple(POWERS) == SOURCES
