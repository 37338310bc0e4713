"""Motors for joints of which a file says no more than the largest effort and speed: servos that hold and follow.

The motor has the effort as its stall torque and the speed as its idle speed, without a gear. A position servo reaches
its full effort at an error of ``FULL_AT``; its damping is critical for all that hangs on the joint. Servos are sampled,
so both are lowered until the loop is stable at the default step with the least inertia the joint can have, that of the
next body alone or, where its parent gives way, less (``felt.py``).
"""

from __future__ import annotations

import math

import numpy as np

from ..scene.elements.drive import DcDrive, PositionServo, SpeedServo

FULL_AT = {False: 0.1, True: 0.02}  # rad and m: the error at which a servo gives all it has
SPEEDS = {False: 10.0, True: 1.0}  # rad/s and m/s, where a file gives an effort but no speed
UNBOUND = 1e6  # rad/s or m/s: the idle speed of a motor whose torque does not fall with its speed
IDLE = 1e-10  # N m or N: what a motor gives that is there for its rotor alone
SLOW = 0.1  # of the idle speed: the error at which a speed servo gives all it has
STEP = 0.005  # s, the default step
HALVINGS = 34  # of the stiffness, at most: to a milliardth of the effort
STABLE = 0.98  # by what deviations may grow in a step, at most


def position_servo(
    effort: float, velocity: float, linear: bool, own: float, all_: float, armature: float
) -> PositionServo:
    """A servo of an effort (N m or N) and a speed (rad/s or m/s), for the inertia of the next body and of all (kg m^2
    or kg)."""
    motor = rotor(effort, velocity, armature)
    resistance = effort / velocity
    stiffness = effort / FULL_AT[linear]
    least = own + armature
    for _ in range(HALVINGS):
        damping = max(2.0 * math.sqrt(stiffness * max(all_ + armature, 0.0)) - resistance, 0.0)
        damping = min(damping, 0.8 * resistance + 0.5 * least / STEP)
        if _growth(stiffness, damping, resistance, least) <= STABLE:
            break
        stiffness *= 0.5
    return PositionServo(drive=motor, gain=stiffness / effort, damping=damping / effort)


def _growth(stiffness: float, damping: float, resistance: float, inertia: float) -> float:
    """By how much a deviation grows in a step: v' = (A v - h K x - h D v)/(A + h R), x' = x + h v'."""
    h, yielding = STEP, inertia + STEP * resistance
    speed = np.array([-h * stiffness, inertia - h * damping]) / yielding
    return float(np.max(np.abs(np.linalg.eigvals(np.array([np.array([1.0, 0.0]) + h * speed, speed])))))


def speed_servo(effort: float, velocity: float, own: float, armature: float) -> SpeedServo:
    """A servo that keeps a speed, for joints without limits."""
    gain = min(1.0 / (SLOW * velocity), (own + armature) / STEP / effort + 0.5 / velocity)
    return SpeedServo(drive=rotor(effort, velocity, armature), gain=gain)


def rotor(effort: float, velocity: float, armature: float) -> DcDrive:
    """A motor by its effort (N m or N), speed (rad/s or m/s) and inertia at the joint: I = M_s t_m/w_idle."""
    return DcDrive(stall_torque=effort, idle_speed=velocity, time_constant=armature * velocity / effort, ratio=1.0)


def geared(motor: DcDrive, ratio: float) -> DcDrive:
    """The same motor at the joint, but behind a gear: it is faster and weaker by the ratio."""
    if ratio == 1.0:
        return motor
    return DcDrive(motor.stall_torque / ratio, motor.idle_speed * ratio, motor.time_constant, ratio)
