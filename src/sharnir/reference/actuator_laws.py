"""Actuators of the exact twin: the effort on a coordinate, and how fast what is inside changes.

cylinder   V p' = B (Q -+ A x'),  F = p_a A_a - p_b A_b;  Q = c s root(p_t - p), p_t the supply or the tank
motor      t T' = R_th R i^2 - T, the current i within a limit that falls with T
muscle     t a' = s - a

What is inside is counted from its start, pressures in bar. A root has no slope at zero, so that it is rounded off over
SMOOTH of the supply there; suction and relief are valves through which the whole flow drops SMOOTH of the supply.
"""

from __future__ import annotations

from dataclasses import dataclass

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
from ..spatial import Array

BAR = 1e5  # Pa
SMOOTH = 1e-4
LEAST = 1e-3  # of its dead volume, or of a gas volume, to which a chamber is squeezed at most
MOST_HELD = 0.4  # of a muscle that is pulled out: what it holds beyond its force


@dataclass(frozen=True)
class ActuatorLaw:
    """An actuator, and the place of the first of its states among those of the scene."""

    actuator: AnyActuator
    first: int

    @property
    def states(self) -> int:
        """How many numbers are inside."""
        if isinstance(self.actuator, Muscle):
            return int(self.actuator.activation_time > 0.0)
        return {HydraulicCylinder: 2, TorqueMotor: 1}.get(type(self.actuator), 0)

    @property
    def inertia(self) -> float:
        """Of the rotor at the joint, kg m^2 or kg."""
        motor = self.actuator
        return motor.ratio**2 * motor.inertia if isinstance(motor, TorqueMotor) else 0.0

    @property
    def unit(self) -> float:
        """What is inside in its own unit (Pa, K, 1), for 1 of a state."""
        return BAR if isinstance(self.actuator, HydraulicCylinder) else 1.0

    def at(self, command: Array, value: Array, rate: Array, inside: Array) -> tuple[Array, Array]:
        """Efforts [k] and rates of what is inside [k, state], at commands, coordinates and rates [k]."""
        one, none = self.actuator, np.zeros((len(value), 0))
        if isinstance(one, IdealActuator):
            most = np.inf if one.limit is None else one.limit
            return np.clip(command, -most, most), none
        if isinstance(one, TorqueMotor):
            return _motor(one, command, inside)
        if isinstance(one, HydraulicCylinder):
            return _cylinder(one, command, value, rate, inside)
        if isinstance(one, PneumaticSpring):
            return _gas(one, value), none
        if isinstance(one, Muscle):
            return _muscle(one, command, value, rate, inside)
        return _looked_up(one, value, rate), none


def _motor(motor: TorqueMotor, command: Array, inside: Array) -> tuple[Array, Array]:
    warm, torque = inside[:, 0], motor.ratio * motor.torque_constant
    share = np.clip((motor.derate_to - warm) / (motor.derate_to - motor.derate_from), 0.0, 1.0)
    most = share * motor.current_limit * abs(torque)
    effort = np.clip(command, -most, most)
    heat = motor.thermal_resistance * motor.resistance * (effort / torque) ** 2
    return effort, ((heat - warm) / motor.thermal_time)[:, None]


def _cylinder(
    cylinder: HydraulicCylinder, command: Array, value: Array, rate: Array, inside: Array
) -> tuple[Array, Array]:
    opening = np.clip(command, -1.0, 1.0)
    areas = cylinder.area * np.array([1.0, cylinder.area_ratio])
    pressure = BAR * inside + np.array(cylinder.pressures)
    goals = np.where(opening[:, None] >= 0.0, [cylinder.supply, 0.0], [0.0, cylinder.supply])
    edge = cylinder.flow / np.sqrt(cylinder.supply) * np.abs(opening)[:, None]
    ways = np.stack([value - cylinder.retracted, cylinder.stroke - value + cylinder.retracted], axis=1)
    volumes = np.maximum(cylinder.dead_volume + areas * ways, LEAST * cylinder.dead_volume)
    drawn = areas * np.stack([rate, -rate], axis=1)
    valve = cylinder.flow / (SMOOTH * cylinder.supply)
    relieved = valve * (np.maximum(-pressure, 0.0) - np.maximum(pressure - cylinder.most, 0.0))
    flows = edge * _root(goals - pressure, SMOOTH * cylinder.supply) + relieved
    return (pressure * areas) @ [1.0, -1.0], cylinder.bulk_modulus * (flows - drawn) / volumes / BAR


def _root(drop: Array, small: float) -> Array:
    """The root of a drop with its sign, on a straight line near zero."""
    return np.asarray(drop / (drop**2 + small**2) ** 0.25)


def _gas(spring: PneumaticSpring, value: Array) -> Array:
    volume = np.maximum(spring.volume + spring.area * (value - (spring.rest or 0.0)), LEAST * spring.volume)
    return np.asarray(spring.area * (spring.pressure * (spring.volume / volume) ** spring.exponent - spring.ambient))


def _muscle(muscle: Muscle, command: Array, value: Array, rate: Array, inside: Array) -> tuple[Array, Array]:
    excited = np.clip(command, 0.0, 1.0)
    active, rates = excited, np.zeros((len(value), 0))
    if muscle.activation_time > 0.0:
        active, rates = inside[:, 0], ((excited - inside[:, 0]) / muscle.activation_time)[:, None]
    reach = np.maximum(1.0 - ((value / muscle.length - 1.0) / muscle.width) ** 2, 0.0)
    pace = -rate / (muscle.fastest * muscle.length)
    bend = MOST_HELD * muscle.hill / (1.0 + muscle.hill)
    shortening = (1.0 - np.minimum(pace, 1.0)) / (1.0 + np.maximum(pace, 0.0) / muscle.hill)
    pulled = 1.0 - MOST_HELD * pace / (bend - np.minimum(pace, 0.0))
    return -muscle.force * active * reach * np.where(pace >= 0.0, shortening, pulled), rates


def _looked_up(table: ForceMap, value: Array, rate: Array) -> Array:
    forces = np.array(table.forces)
    i, s = _between(np.array(table.coordinates), value)
    j, r = _between(np.array(table.speeds), rate)
    low = forces[i, j] * (1.0 - r) + forces[i, j + 1] * r
    high = forces[i + 1, j] * (1.0 - r) + forces[i + 1, j + 1] * r
    return np.asarray(low * (1.0 - s) + high * s)


def _between(grid: Array, value: Array) -> tuple[Array, Array]:
    """The intervals of a rising row that hold values, and how far within them these are, from 0 to 1."""
    i = np.clip(np.searchsorted(grid, value, side="left") - 1, 0, len(grid) - 2)
    return i, np.clip((value - grid[i]) / (grid[i + 1] - grid[i]), 0.0, 1.0)
