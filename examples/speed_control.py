"""An operator's console runs a geared motor: start and stop buttons, a ramp, a speed controller, a brake.

The control scheme of [003] in small: what the operator does becomes the voltage of a drive. A state machine goes
from idle to running with the start button and to braking with the stop button. While it runs, the set speed rises along
a ramp of 4 rad/s^2 and a PI controller follows it; while it brakes, the voltage is zero and a brake adds 20 N m of
friction. At standstill the machine is idle again. Here the buttons are pressed by a clock, at 0.2 s and 2.5 s.

With I = 0.5 kg m^2 + r^2 I_m the load and the rotor, F the friction, c = r^2 M_s/w_idle the drag of the motor at zero
volts:

    holding the speed w     U = r w/w_idle + F/(r M_s)
    braking from w to rest  t = I/c ln(1 + c w/F)
"""

import math

import numpy as np

import sharnir as sh

MOTOR = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
LOAD, BEARING, BRAKE = 0.5, 0.5, 20.0  # kg m^2, N m, N m
SET_SPEED, RAMP = 4.0, 4.0  # rad/s, rad/s^2
START, STOP = 0.2, 2.5  # s
PERIOD, DT = 0.002, 0.001  # s


def console(axle: sh.Joint) -> sh.Diagram:
    """The diagram."""
    d = sh.Diagram("speed control", period=PERIOD)
    clock = d.time()
    wanted = d.input("set speed", unit="rad/s", range=(0.0, 6.0), initial=SET_SPEED)
    start = d.input("start", momentary=True) | (clock >= START) & (clock < START + 0.1)
    stop = d.input("stop", momentary=True) | (clock >= STOP) & (clock < STOP + 0.1)
    speed = d.signal(axle.speed, name="speed")
    still = d.ton(abs(speed) < 1e-3, pt=0.05, name="still")

    states = ("idle", "running", "braking")
    ways = (("idle", start, "running"), ("running", stop, "braking"), ("braking", still.q, "idle"))
    mode = d.machine(states=states, transitions=ways, name="mode")

    target = d.rate_limit(d.sel(mode.running, 0.0, wanted), rise=RAMP, fall=1e6, name="ramp")
    voltage = d.pid(target, speed, kp=1.0, ki=10.0, auto=mode.running, name="controller")
    d.drive(axle, voltage, name="motor")
    d.brake(axle, d.to_real(mode.braking), level=BRAKE, name="brake")
    d.lamp("running", mode.running)
    d.gauge("speed shown", speed, range=(0.0, 6.0))
    return d


def experiment() -> sh.Experiment:
    """The scene with its diagram, and its figures."""
    scene = sh.Scene("speed control")
    load = scene.body("load", mass=1.0, inertia=(0.4, 0.4, LOAD))
    axle = scene.joint("axle", sh.Revolute(), scene.world, load, drive=MOTOR, friction=sh.Coulomb(BEARING))
    scene.diagram = console(axle)

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        time, speed, voltage = run.time, run[axle.speed].values, run[axle.voltage()].values
        holding = int(np.searchsorted(time, STOP)) - 1
        rest = float(time[np.flatnonzero((time > STOP) & (np.abs(speed) < 1e-6))[0]])
        ramp = (time > START + 0.3) & (time < START + SET_SPEED / RAMP)
        held = MOTOR.ratio * SET_SPEED / MOTOR.idle_speed + BEARING / (MOTOR.ratio * MOTOR.stall_torque)
        inertia = LOAD + MOTOR.ratio**2 * MOTOR.stall_torque * MOTOR.time_constant / MOTOR.idle_speed
        drag = MOTOR.ratio**2 * MOTOR.stall_torque / MOTOR.idle_speed
        braking = inertia / drag * math.log(1.0 + drag * SET_SPEED / (BEARING + BRAKE))
        return [
            sh.Figure("speed held", speed[holding], "rad/s", SET_SPEED, 1e-3),
            sh.Figure("voltage to hold it", voltage[holding], "1", held, 1e-4),
            sh.Figure("acceleration on the ramp", float(np.gradient(speed, time)[ramp].mean()), "rad/s^2", RAMP, 0.05),
            sh.Figure("overshoot", float(speed.max()) - SET_SPEED, "rad/s", 0.0, 0.1),
            sh.Figure("time to brake to rest", rest - STOP, "s", braking, 2 * PERIOD),
        ]

    return sh.Experiment(
        scene, time=3.0, dt=DT, plots=[(axle.speed, axle.voltage(), axle.motor_torque())], figures=figures
    )


if __name__ == "__main__":
    experiment().show()
