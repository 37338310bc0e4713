"""Quantities of joints: coordinates, reactions, and what the free axes carry."""

from __future__ import annotations

import numpy as np

from ..scene.couplings import Gearbox
from ..scene.elements.actuators import HydraulicCylinder, Muscle, PneumaticSpring, TorqueMotor
from ..scene.quantity import XYZ
from ..spatial import Array, conjugate, rotate
from . import setting, springs
from .readings import Readings
from .registry import ACCELERATION, COORDINATE, EFFORT, IMPULSE, RATE, quantity

DRIVE = ("control", "drive_input")
COMMAND = ("control", "command")


@quantity("axis", COORDINATE, live=("reading", "coordinate"), set=setting.coordinate, channel=("joints", ""))
def coordinate(r: Readings, i: int) -> Array:
    """Joint coordinate, turns counted."""
    return r.coordinate(i)


@quantity("axis", RATE, live=("reading", "rate"), set=setting.rate, channel=("rates", "rate"))
def rate(r: Readings, i: int) -> Array:
    """Rate of a joint coordinate."""
    return r.rate(i)


@quantity("axis", ACCELERATION)
def coordinate_acceleration(r: Readings, i: int) -> Array:
    """Second derivative of a joint coordinate."""
    return r.coordinate_acceleration(i)


@quantity("axis", EFFORT, live=("control", "effort"), sent=("control", "effort"), set=setting.plain, held=True)
def effort(r: Readings, i: int) -> Array:
    """Force or torque on a coordinate from outside."""
    return r.frames["effort"][:, i]


@quantity("joint", "m", is_error=True)
def gap(r: Readings, i: int) -> Array:
    """Distance by which locked axes are off."""
    return np.linalg.norm(r.lock_error(i)[0], axis=-1)


@quantity("joint", "rad", is_error=True)
def tilt(r: Readings, i: int) -> Array:
    """Angle by which locked rotations are off."""
    return np.linalg.norm(r.lock_error(i)[1], axis=-1)


@quantity("joint", "N", XYZ, live=("memory", "reaction_now"), channel=("reactions", "reaction"))
def reaction_force(r: Readings, i: int) -> Array:
    """Force of the joint on body b, world axes."""
    return r.frames["reaction"][:, i]


@quantity("joint", "N m", XYZ, live=("memory", "reaction_torque_now"), channel=("reactions", "reaction torque"))
def reaction_torque(r: Readings, i: int) -> Array:
    """Torque of the joint on body b, world axes."""
    return r.frames["reaction_torque"][:, i]


@quantity("limit", COORDINATE, set=setting.limit)
def lower(r: Readings, i: int) -> Array:
    """Lower limit of a coordinate."""
    return r.frames["lower"][:, i]


@quantity("limit", COORDINATE, set=setting.limit)
def upper(r: Readings, i: int) -> Array:
    """Upper limit of a coordinate."""
    return r.frames["upper"][:, i]


@quantity("limit", IMPULSE, held=True)
def limit_impulse(r: Readings, i: int) -> Array:
    """Impulse of the limits of a coordinate over the step, positive towards larger values."""
    return r.frames["low_impulse"][:, i] - r.frames["high_impulse"][:, i]


@quantity("catch", EFFORT, held=True)
def catch_effort(r: Readings, i: int) -> Array:
    """Mean effort of a catch on its coordinate over the step, positive towards larger values."""
    return r.frames["catch_impulse"][:, i] / r.frames.dt


@quantity(
    "friction",
    EFFORT,
    live=("model", "dynamic_level"),
    sent=("model", "dynamic_level"),
    set=setting.friction_level,
)
def friction_level(r: Readings, i: int) -> Array:
    """Dynamic friction level; with a load a coefficient."""
    return r.frames["dynamic_level"][:, i]


@quantity("friction", IMPULSE, XYZ, held=True)
def friction_impulse(r: Readings, i: int) -> Array:
    """Friction impulse of the step on body b, in the joint's frame on a."""
    turn = r.joint_frames(r.frictions[i].joint)[0].rotation
    return rotate(conjugate(turn), r.frames["friction_impulse"][:, i])


@quantity("friction", "1", live=("memory", "sticking"), held=True)
def stuck(r: Readings, i: int) -> Array:
    """Whether the friction holds."""
    return r.frames["stuck"][:, i] != 0


@quantity("term", EFFORT)
def coupling_effort(r: Readings, i: int) -> Array:
    """Effort of a gear or its like on one of its coordinates."""
    coupling, place, _ = r.terms[i]
    effort = r.frames["term_factor"][:, i] * r.frames["coupling_effort"][:, coupling]
    return effort + r.frames["coupling_loss"][:, coupling] if place == 0 else effort


@quantity("coupling", "", sent=("control", "coupling_target"), set=setting.motion, held=True)
def motion(r: Readings, i: int) -> Array:
    """What a coupling keeps: of a prescribed motion, where its coordinate is to be."""
    return r.frames["coupling_offset"][:, i] + r.frames["coupling_target"][:, i]


@quantity("coupling", "1", set=setting.gear, held=True)
def gear(r: Readings, i: int) -> Array:
    """Gear that a gearbox is in, 0 in neutral; not a number where a coupling has one ratio."""
    box = list(r.scene.couplings.values())[i].type
    if not isinstance(box, Gearbox):
        return r.nothing()
    second = next(place for place, (coupling, _, _) in enumerate(r.terms) if coupling == i) + 1
    return setting.gears_in_use(box, r.frames["term_factor"][:, second], r.frames["coupling_gap"][:, i])


@quantity("soft", EFFORT)
def spring_force(r: Readings, i: int) -> Array:
    """Force of a spring and damper; not a number where there is none."""
    row, place = r.softs[i]
    return r.nothing() if row.spring is None else springs.spring_force(row.spring, r.coordinate(place), r.rate(place))


@quantity(
    "soft", "1", live=("work", "voltage"), sent=DRIVE, set=setting.drive, held=True, channel=("drives", "voltage")
)
def voltage(r: Readings, i: int) -> Array:
    """Voltage of a drive, of the rated one."""
    return r.nothing() if r.softs[i][0].motor is None else r.frames["voltage"][:, i]


@quantity("soft", "", live=DRIVE, sent=DRIVE, set=setting.drive, held=True)
def target(r: Readings, i: int) -> Array:
    """Target of a servo: a coordinate or a rate."""
    return r.frames["drive_input"][:, i]


@quantity("soft", "rad/s")
def motor_speed(r: Readings, i: int) -> Array:
    """Speed of a drive's motor."""
    row, place = r.softs[i]
    return r.nothing() if row.motor is None else row.motor.ratio * r.rate(place)


@quantity("soft", "N m")
def motor_torque(r: Readings, i: int) -> Array:
    """Electric torque of a drive's motor."""
    motor = r.softs[i][0].motor
    if motor is None:
        return r.nothing()
    stall = r.frames["drive_stall"][:, i]
    return np.asarray(motor.torque_at(stall, r.frames["voltage"][:, i], motor_speed(r, i)))


@quantity("soft", EFFORT, channel=("drives", "effort"))
def drive_effort(r: Readings, i: int) -> Array:
    """What a motor's torque makes behind its gear, losses left out."""
    motor = r.softs[i][0].motor
    return r.nothing() if motor is None else motor.ratio * motor_torque(r, i)


@quantity("soft", "N m", live=("model", "drive_stall"), sent=("model", "drive_stall"))
def stall_torque(r: Readings, i: int) -> Array:
    """Stall torque of a drive's motor."""
    return r.frames["drive_stall"][:, i]


@quantity("actuator", "", live=COMMAND, sent=COMMAND, set=setting.plain, held=True)
def command(r: Readings, i: int) -> Array:
    """What an actuator is told: an effort, the opening of a valve or an excitation."""
    return r.frames["command"][:, i]


@quantity("actuator", EFFORT, live=("memory", "actuator_effort"))
def actuator_effort(r: Readings, i: int) -> Array:
    """Effort of an actuator on its coordinate."""
    return r.frames["actuator_effort"][:, i]


@quantity("actuator", "Pa")
def pressure_a(r: Readings, i: int) -> Array:
    """Pressure on the cap side of a cylinder, or of the gas in a pneumatic spring."""
    actuator, place = r.actuators[i]
    if isinstance(actuator, HydraulicCylinder):
        return actuator.pressures[0] + r.frames["actuator_a"][:, i]
    if isinstance(actuator, PneumaticSpring):
        volume = actuator.volume + actuator.area * (r.coordinate(place) - (actuator.rest or 0.0))
        return np.asarray(actuator.pressure * (actuator.volume / volume) ** actuator.exponent)
    return r.nothing()


@quantity("actuator", "Pa")
def pressure_b(r: Readings, i: int) -> Array:
    """Pressure on the rod side of a cylinder."""
    actuator, _ = r.actuators[i]
    if isinstance(actuator, HydraulicCylinder):
        return actuator.pressures[1] + r.frames["actuator_b"][:, i]
    return r.nothing()


@quantity("actuator", "K")
def winding_temperature(r: Readings, i: int) -> Array:
    """How much warmer than its surroundings the winding of a motor is."""
    return r.frames["actuator_a"][:, i] if isinstance(r.actuators[i][0], TorqueMotor) else r.nothing()


@quantity("actuator", "1")
def activation(r: Readings, i: int) -> Array:
    """Activation of a muscle."""
    return r.frames["actuator_a"][:, i] if isinstance(r.actuators[i][0], Muscle) else r.nothing()
