"""Quantities of bodies, of the rays that they carry, and of sensors."""

from __future__ import annotations

import numpy as np

from ..scene.quantity import XYZ, XYZW
from ..spatial import Array, conjugate, multiply, to_vector
from . import setting
from .readings import Readings
from .registry import quantity


@quantity("body", "m", XYZ, live=("reading", "origin"), set=setting.position)
def position(r: Readings, i: int) -> Array:
    """Position of the body's frame."""
    return r.frames["center"][:, i] + r.arm(i)


@quantity("body", "m", XYZ, live=("state", "position"))
def center_of_mass(r: Readings, i: int) -> Array:
    """Position of the centre of mass."""
    return r.frames["center"][:, i]


@quantity("body", "1", XYZW, live=("state", "rotation"), set=setting.rotation)
def rotation(r: Readings, i: int) -> Array:
    """Orientation of the body's frame."""
    return r.frames["rotation"][:, i]


@quantity("body", "m/s", XYZ, live=("reading", "origin_velocity"), set=setting.velocity, channel=("bodies", "speed"))
def velocity(r: Readings, i: int) -> Array:
    """Velocity of the origin of the body's frame, world axes."""
    return np.asarray(r.frames["center_velocity"][:, i] + np.cross(r.frames["angular_velocity"][:, i], r.arm(i)))


@quantity("body", "rad/s", XYZ, live=("state", "spin"), set=setting.angular_velocity)
def angular_velocity(r: Readings, i: int) -> Array:
    """Angular velocity, world axes."""
    return r.frames["angular_velocity"][:, i]


@quantity("body", "m/s^2", XYZ)
def acceleration(r: Readings, i: int) -> Array:
    """Acceleration of the origin of the body's frame, world axes."""
    spin, arm = r.frames["angular_velocity"][:, i], r.arm(i)
    turning = np.cross(r.angular_acceleration(i), arm) + np.cross(spin, np.cross(spin, arm))
    return np.asarray(r.center_acceleration(i) + turning)


@quantity("body", "rad/s^2", XYZ)
def angular_acceleration(r: Readings, i: int) -> Array:
    """Angular acceleration, world axes."""
    return r.angular_acceleration(i)


@quantity("body", "kg", set=setting.mass)
def mass(r: Readings, i: int) -> Array:
    """Mass; 0 for a fixed body."""
    return r.mass(i)


@quantity("body", "J")
def kinetic_energy(r: Readings, i: int) -> Array:
    """Kinetic energy of a body."""
    v, omega = r.frames["center_velocity"][:, i], r.frames["angular_velocity"][:, i]
    return np.asarray(0.5 * (r.mass(i) * np.sum(v * v, axis=-1) + np.sum(omega * r.spin_momentum(i), axis=-1)))


@quantity("body", "N", XYZ)
def contact_force(r: Readings, i: int) -> Array:
    """Force of all contacts on a body, world axes."""
    return r.frames["contact_force"][:, i]


@quantity("body", "N", XYZ, live=("control", "force"), sent=("control", "force"), held=True)
def force(r: Readings, i: int) -> Array:
    """Force on a body from outside, at its centre of mass, world axes."""
    return r.frames["force"][:, i]


@quantity("body", "N m", XYZ, live=("control", "torque"), sent=("control", "torque"), held=True)
def torque(r: Readings, i: int) -> Array:
    """Torque on a body from outside, world axes."""
    return r.frames["torque"][:, i]


@quantity("ruler", "m")
def travel(r: Readings, i: int) -> Array:
    """How far a point of a body is from where its ruler on another body reads 0."""
    ruler = r.scene.rulers[r.layout.rulers[i]]
    return ruler.along(r.pose(ruler.a), r.pose(ruler.b)) - ruler.zero


@quantity("mover", "m", XYZ, sent=("control", "mover_shift"), set=setting.shift)
def shift(r: Readings, i: int) -> Array:
    """How far a body that is moved is from where it started, world axes."""
    return r.frames["center"][:, r.mover(i)] - r.movers[i].weld.a.pose.position


@quantity("mover", "rad", XYZ, sent=("control", "mover_turn"), set=setting.turn)
def turn(r: Readings, i: int) -> Array:
    """How a body that is moved is turned from how it started: rotation vector, world axes."""
    return to_vector(multiply(r.frames["rotation"][:, r.mover(i)], conjugate(r.movers[i].weld.a.pose.rotation)))


@quantity("ray", "m", live=("work", "ray_distance"), channel=("rays", "distance"))
def ray_distance(r: Readings, i: int) -> Array:
    """Distance to what a ray meets."""
    return r.frames["rays"][:, i]


@quantity("sensor", "", live=("sensing", "reading"), held=True, channel=("sensors", ""))
def reading(r: Readings, i: int) -> Array:
    """What a sensor reads."""
    return r.frames["reading"][:, i]


@quantity("beam", "m", live=("sensing", "beam"), held=True)
def beam(r: Readings, i: int) -> Array:
    """What a beam of a lidar reads."""
    return r.frames["beam"][:, i]


@quantity("vector_sensor", "", XYZ, live=("sensing", "vector"), held=True, channel=("sensors", ""))
def vector_reading(r: Readings, i: int) -> Array:
    """What a sensor reads, of three components."""
    return r.frames["vector_reading"][:, i]
