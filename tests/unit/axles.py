"""An axle with a motor and the diagram that holds its speed, for the tests of running diagrams."""

from __future__ import annotations

import sharnir as sh

MOTOR = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
DT = 0.005


def axle_scene() -> tuple[sh.Scene, sh.Joint]:
    scene = sh.Scene("axle", gravity=(0, 0, 0))
    load = scene.body("load", mass=2.0, inertia=(0.4, 0.4, 0.5))
    axle = scene.joint("axle", sh.Revolute(), scene.world, load, drive=MOTOR, friction=sh.Coulomb(0.5, static=1.0))
    return scene, axle


def speed_control(axle: sh.Joint, period: float | None = None) -> sh.Diagram:
    d = sh.Diagram(period=period)
    want = d.input("want", unit="rad/s", range=(-6, 6), initial=3.0)
    stop = d.input("stop", initial=False)
    speed = d.signal(axle.speed, name="speed")
    d.drive(axle, d.sel(stop, d.pid(want, speed, kp=0.3, ki=2.0, name="pid"), 0.0))
    d.brake(axle, d.to_real(stop), level=30.0)
    d.lamp("still", abs(speed) < 0.01)
    return d
