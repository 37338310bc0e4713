"""What springs, dampers and drives do to the coordinates of a simulation as it stands.

spring    preload - k (c - rest) - damping c'
viscous   -s c'
drive     r M_s (U - r c'/w_idle), and the inertia r^2 I_m with I_m = M_s t_m/w_idle
actuator  by its command and what is inside it now, see reference/actuator_laws.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..model.fields import read
from ..model.softs import SoftRow, softs_of
from ..quantities.springs import spring_force
from ..reference.actuator_laws import ActuatorLaw
from ..reference.mechanism import Motion
from ..scene.elements.actuators import TorqueMotor
from ..scene.elements.drive import PositionServo, SpeedServo
from ..spatial import Array, matrix
from .freedoms import FreedomRows
from .machine import Bodies, Machine, Standing

if TYPE_CHECKING:
    from ..device import WarpArray
    from ..simulation.simulation import Simulation

TURN = 2.0 * np.pi


@dataclass(frozen=True)
class Controls:
    """What a simulation is given from outside, one row per world."""

    effort: Array  # [world, coordinate] N or N m
    bodies: Array  # [world, body, 6] N and N m
    drive: Array  # [world, soft] voltages and targets
    integral: Array  # [world, soft] of servos
    stall: Array  # [world, soft] N m
    command: Array  # [world, actuator]
    inside: Array  # [world, actuator, 2] pressures beside the start, Pa; heat, K; activation
    turns: Array  # [world, coordinate] coordinates with their turns counted, near the present ones


def controls_of(sim: Simulation, rows: FreedomRows) -> Controls:
    """The controls of a simulation as they are now."""
    layout, twists = sim._layout, sim._compiled.twists
    places = [layout.bodies.index(body.name) + 1 for body in rows.mechanism.bodies]
    turns = np.full((sim.worlds, len(rows.labels)), np.nan)
    turns[:, list(twists)] = read(sim.state.twist)[: len(twists)].T
    control, count, told = sim.control, len(layout.softs), len(layout.actuators)
    return Controls(
        effort=read(control.effort)[: len(layout.coordinates)].T,
        bodies=np.concatenate([read(control.force)[places], read(control.torque)[places]], axis=-1).swapaxes(0, 1),
        drive=read(control.drive_input)[:count].T,
        integral=read(sim.memory.servo_sum)[:count].T,
        stall=read(sim.model.drive_stall)[:count].T,
        command=read(control.command)[:told].T,
        inside=np.stack([read(side)[:told].T for side in (sim.memory.actuator_a, sim.memory.actuator_b)], axis=-1),
        turns=turns,
    )


def coordinates_at(rows: FreedomRows, motion: Motion, turns: Array) -> Array:
    """All coordinates [k, coordinate] of states, turns counted from values nearby."""
    if not rows.kinds:
        return np.zeros((len(motion.x), 0))
    values = np.stack([rows.mechanism.coordinate(motion, *kind) for kind in rows.kinds], axis=1)
    counted = values + TURN * np.round((np.nan_to_num(turns) - values) / TURN)
    return np.where(np.isnan(turns), values, counted)


def motor_inertias(machine: Machine, worlds: int) -> Array:
    """Inertias of motors behind their gears (kg m^2 or kg), [world, coordinate]."""
    inertias = np.zeros((worlds, len(machine.rows.labels)))
    for soft in softs_of(machine.scene):
        if soft.motor is not None:
            drive = soft.motor
            inertias[:, machine.rows.labels.index(soft.label)] = (
                drive.ratio**2 * drive.stall_torque * drive.time_constant / drive.idle_speed
            )
        if isinstance(soft.actuator, TorqueMotor):
            inertias[:, machine.rows.labels.index(soft.label)] += soft.actuator.ratio**2 * soft.actuator.inertia
    return inertias


def applied(machine: Machine, s: Standing, controls: Controls, with_efforts: bool = True) -> Array:
    """Efforts on the freedoms [k, freedom] of springs, dampers, drives and what acts from outside."""
    rows, m = machine.rows, s.motion
    forces = np.zeros((len(m.x), len(machine.mechanism.rows)))
    if with_efforts:
        for i, row in enumerate(rows.coordinate_rows[: controls.effort.shape[1]].tolist()):
            forces[:, row] += controls.effort[:, i]
    softs = softs_of(machine.scene)
    values = coordinates_at(rows, m, controls.turns)
    actuators = iter(range(controls.command.shape[1]))
    for place, soft in enumerate(softs):
        row = _row_of(rows, soft)
        rate = m.rate[:, row]
        forces[:, row] -= soft.viscous * rate
        if soft.label in rows.labels:
            value = values[:, rows.labels.index(soft.label)]
            if soft.spring is not None:
                forces[:, row] += spring_force(soft.spring, value, rate)
            if soft.motor is not None:
                forces[:, row] += _drive_force(soft, place, value, rate, controls)
            if soft.actuator is not None:
                law, one = ActuatorLaw(soft.actuator, 0), next(actuators)
                inside = controls.inside[:, one, : law.states] / law.unit
                forces[:, row] += law.at(controls.command[:, one], value, rate, inside)[0]
    return machine.row_efforts(s, forces) + machine.body_efforts(s, controls.bodies)


def _row_of(rows: FreedomRows, soft: SoftRow) -> int:
    if soft.label in rows.labels:
        return int(rows.coordinate_rows[rows.labels.index(soft.label)])
    return rows.axis_rows[rows.mechanism.joints.index(soft.joint), soft.linear, soft.column]


def _drive_force(soft: SoftRow, place: int, value: Array, rate: Array, controls: Controls) -> Array:
    drive, voltage = soft.motor, controls.drive[:, place]
    assert drive is not None  # of a soft row with a motor
    if isinstance(soft.drive, (SpeedServo, PositionServo)):
        voltage = soft.drive.gain * servo_error(soft, place, value, rate, controls)
        voltage = voltage + soft.drive.integral * controls.integral[:, place]
        if isinstance(soft.drive, PositionServo):
            voltage = voltage - soft.drive.damping * rate
        voltage = voltage * np.sign(drive.ratio)
    stall = controls.stall[:, place]
    return np.asarray(drive.ratio * stall * (np.clip(voltage, -1.0, 1.0) - drive.ratio * rate / drive.idle_speed))


def servo_error(soft: SoftRow, place: int, value: Array, rate: Array, controls: Controls) -> Array:
    """What a servo's integral grows with: the target less the coordinate or its rate, [k]."""
    return np.asarray(controls.drive[:, place] - (value if isinstance(soft.drive, PositionServo) else rate))


def bodies_of(sim: Simulation, rows: FreedomRows) -> Bodies:
    """The moving bodies of a simulation as they are now, with the masses of each world."""
    places = [sim._layout.bodies.index(body.name) + 1 for body in rows.mechanism.bodies]

    def of(array: WarpArray) -> Array:
        return np.asarray(np.swapaxes(np.asarray(read(array)[places], float), 0, 1))

    state, model = sim.state, sim.model
    rotation = matrix(of(state.rotation))
    gravity = np.broadcast_to(np.asarray(read(model.gravity), float), (sim.worlds, 3))
    mass = 1.0 / of(model.inv_mass) if places else np.zeros((sim.worlds, 0))
    return Bodies(of(state.position), rotation, of(state.velocity), of(state.spin), mass, of(model.inertia), gravity)
