"""A geared DC motor runs up a load; a second one, in a servo, turns an arm to its target and holds it there.

The drive line of [003], from the nameplate alone: stall torque 1.5 N m, idle speed 300 rad/s, time constant 20 ms,
gear 50, load 0.5 kg m^2. At rated voltage w = 6 (1 - exp(-t/T)) rad/s with T = 0.06 s; the implicit step at 10 ms
follows its own line to the digit. The servo drives the same motor through the same limits: its arm of 2 kg and 0.8 m
is sent from hanging to 1 rad at 0.5 s, never turns faster than the motor idles, and rests where

    r M_s U = m g (L/2) sin(angle),   U = gain (target - angle) + integral of the error
"""

import math

import numpy as np

import sharnir as sh

MOTOR = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
RUN_UP = {0.01: 0.857143, 0.06: 3.620583, 0.3: 5.941150}  # rad/s at s, dt 10 ms
TARGET, SENT = 1.0, 0.5  # rad, s
ARM_MASS, ARM_LENGTH = 2.0, 0.8  # kg, m


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("DC drives")
    load = scene.body("load", mass=1.0, inertia=(0.4, 0.4, 0.5))
    axle = scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, load, drive=MOTOR)
    arm = scene.body("arm", sh.Box(0.05, 0.05, ARM_LENGTH, mass=ARM_MASS), position=(1, 0, -ARM_LENGTH / 2))
    servo = sh.PositionServo(MOTOR, gain=6.0, damping=0.4, integral=24.0)
    hinge = sh.Revolute(axis=(0, -1, 0), anchor=(1, 0, 0))
    shoulder = scene.joint("shoulder", hinge, scene.world, arm, drive=servo)

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        speed, angle = run[axle.speed].values, run[shoulder.angle].values
        found = [
            sh.Figure(f"speed at {time:g} s", float(speed[np.argmin(np.abs(run.time - time))]), "rad/s", expected, 1e-6)
            for time, expected in RUN_UP.items()
        ]
        held = ARM_MASS * 9.81 * ARM_LENGTH / 2 * math.sin(TARGET) / MOTOR.ratio
        too_fast = np.abs(run[shoulder.speed].values).max() - MOTOR.idle_speed / MOTOR.ratio
        return [
            *found,
            sh.Figure("idle speed", speed[-1], "rad/s", expected=300 / 50, tolerance=1e-8),
            sh.Figure("arm at the end", angle[-1], "rad", expected=TARGET, tolerance=1e-4),
            sh.Figure("arm above idle speed", max(too_fast, 0.0), "rad/s", expected=0.0, tolerance=0.0),
            sh.Figure("motor torque at the end", run[shoulder.motor_torque()].values[-1], "N m", held, 1e-4),
        ]

    return sh.Experiment(
        scene,
        time=4.0,
        dt=0.01,
        voltage={axle: 1.0},
        target={shoulder: lambda t: TARGET if t > SENT else 0.0},
        plots=[
            (axle.speed, axle.voltage(), axle.motor_torque()),
            (shoulder.angle, shoulder.speed, shoulder.voltage(), shoulder.motor_torque()),
        ],
        figures=figures,
        settings={"integrator": "semi-implicit-euler"},  # the paper's step, whose figures these are
    )


if __name__ == "__main__":
    experiment().show()
