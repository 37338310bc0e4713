"""The arrays of actuators: what kind each is, and its numbers in the order in which the kernels know them."""

from __future__ import annotations

import numpy as np

from ..scene.elements.actuators import (
    AnyActuator,
    ForceMap,
    HydraulicCylinder,
    IdealActuator,
    Muscle,
    PneumaticSpring,
    TorqueMotor,
)
from ..scene.scene import Scene
from .field import Columns, Field, Fields, shared
from .softs import softs_of

IDEAL, MOTOR, CYLINDER, GAS, MUSCLE, MAP = range(1, 7)
UNBOUND = 1e30  # N or N m, of an ideal actuator without a limit

# places of the numbers of a TorqueMotor, a HydraulicCylinder, a PneumaticSpring, a Muscle and a ForceMap
TORQUE, CURRENT, ROTOR, HEAT, COOLING, WARM, HOT = range(7)
AREA_A, AREA_B, DEAD, STROKE, RETRACTED, VALVE, SUPPLY, BULK, RELIEF, START_A, START_B = range(11)
AREA, VOLUME, PRESSURE, EXPONENT, REST, AMBIENT = range(6)
FORCE, LENGTH, FASTEST, WIDTH, HILL, RISE = range(6)
COORDINATES, SPEEDS, GRID = range(3)

# The arrays of actuators, see dynamics/rows/actuator.py.
FIELDS: Fields = {
    "model": (
        shared("soft_actuator", "soft", "int", "actuator of the soft row, or -1"),
        shared("actuator_kind", "actuator", "int", "model.actuators: IDEAL and so on"),
        shared("actuator_first", "actuator", "int", "first of its numbers"),
        Field("actuator_number", "actuator_number", "real", "in SI units, by the places in model.actuators"),
    ),
    "control": (Field("command", "actuator", "real", "of an actuator: N, N m, an opening or an excitation"),),
    "memory": (
        Field("actuator_a", "actuator", "real", "Pa beside the start (chamber a), K or activation of an actuator"),
        Field("actuator_b", "actuator", "real", "Pa beside the start, of chamber b"),
        Field("actuator_effort", "actuator", "real", "N or N m, the mean over the last kick"),
        Field("last_command", "leap_actuator", "real", "of an actuator, command of the last step"),
    ),
    "work": (
        Field("command", "actuator", "real", "what the actuator was given; prepare"),
        Field("actuator_y", "actuator", "real", "its part of soft_y, without its rotor; prepare"),
        Field("actuator_source", "actuator", "real", "its part of soft_source, likewise; prepare"),
    ),
}


def kind_of(actuator: AnyActuator) -> int:
    """The kind, as the kernels know it."""
    kinds = {IdealActuator: IDEAL, TorqueMotor: MOTOR, HydraulicCylinder: CYLINDER, PneumaticSpring: GAS}
    return (kinds | {Muscle: MUSCLE, ForceMap: MAP})[type(actuator)]


def numbers_of(actuator: AnyActuator) -> list[float]:
    """Its numbers, in the order of the places above."""
    if isinstance(actuator, IdealActuator):
        return [UNBOUND if actuator.limit is None else actuator.limit]
    if isinstance(actuator, TorqueMotor):
        a = actuator
        heat = a.thermal_resistance * a.resistance  # K/A^2
        torque = a.ratio * a.torque_constant  # at the coordinate, per A
        return [torque, a.current_limit, a.ratio**2 * a.inertia, heat, a.thermal_time, a.derate_from, a.derate_to]
    if isinstance(actuator, HydraulicCylinder):
        c = actuator
        valve = c.flow / np.sqrt(c.supply)  # m^3/s per root of Pa
        volumes = [c.dead_volume, c.stroke, c.retracted]
        return [c.area, c.area * c.area_ratio, *volumes, valve, c.supply, c.bulk_modulus, c.most, *c.pressures]
    if isinstance(actuator, PneumaticSpring):
        g = actuator
        return [g.area, g.volume, g.pressure, g.exponent, g.rest or 0.0, g.ambient]
    if isinstance(actuator, Muscle):
        m = actuator
        return [m.force, m.length, m.fastest, m.width, m.hill, m.activation_time]
    points = [*actuator.coordinates, *actuator.speeds, *(value for row in actuator.forces for value in row)]
    return [float(len(actuator.coordinates)), float(len(actuator.speeds)), *points]


def actuators_of(scene: Scene) -> list[tuple[str, AnyActuator]]:
    """Every actuator of a scene with its label, in the order of the arrays."""
    return [(row.label, row.actuator) for row in softs_of(scene) if row.actuator is not None]


def actuator_arrays(scene: Scene) -> Columns:
    """Actuators as the kernels know them, and which soft row has which."""
    found = [actuator for _, actuator in actuators_of(scene)]
    numbers = [numbers_of(actuator) for actuator in found]
    places = iter(range(len(found)))
    softs = [next(places) if row.actuator is not None else -1 for row in softs_of(scene)]
    return {
        "soft_actuator": softs,
        "actuator_kind": [kind_of(actuator) for actuator in found],
        "actuator_first": np.cumsum([0] + [len(row) for row in numbers])[:-1].tolist(),
        "actuator_number": [[value] for row in numbers for value in row],
    }
