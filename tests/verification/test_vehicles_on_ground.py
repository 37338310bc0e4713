"""Vehicles in contact with the ground: standing, driving, braking, climbing; closed forms beside each."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
from scipy import optimize

import sharnir as sh
from sharnir.assemblies.robots import krt100, mf4
from sharnir.assemblies.vehicle import BuiltVehicle

G = 9.81


def test_a_robot_with_trailer_stands_still() -> None:
    """On level ground KRT-100 and its trailer stay where they were put: every spring carries its share."""
    scene = sh.Scene("standing")
    scene.ground()
    robot = krt100(scene, heading=0.7)
    run = sh.Simulation(scene, dt=0.005).run(0.5, every=10)
    moved = mech.values(run, robot.vehicle.chassis.position) - robot.vehicle.chassis.spec.position
    assert np.abs(moved).max() < 1e-6
    for corner in robot.vehicle.corners:
        assert np.ptp(mech.values(run, corner.wheel.position)[:, 2]) < 1e-6


def test_driving_speed() -> None:
    """Without resistance v = R U w_idle/r: 0.15 * 0.5 * 300/50 = 0.45 m/s; it starts with T = t_m + m_eff R^2 w_idle/(n
    r^2 M_s) of all that the motors move."""
    scene = sh.Scene("driving")
    scene.ground()
    robot = krt100(scene)
    drives = {corner.spin.voltage(): 0.5 for corner in robot.vehicle.corners}
    run = sh.Simulation(scene, dt=0.005, iterations=20).run(3.0, voltage=drives, every=10)
    assert mech.values(run, robot.vehicle.chassis.velocity)[-1, 0] == pytest.approx(0.45, rel=2e-3)
    assert abs(mech.values(run, robot.vehicle.chassis.position)[-1, 1]) < 1e-3


def test_a_car_on_tyres_stands_still() -> None:
    """A tyre gives N/k = 20 mm under its static load, and the wheels' centres start that much lower; the first steps,
    from no impulses, move it by 0.04 mm."""
    scene = sh.Scene("tyres")
    scene.ground()
    wheel = sh.RoadWheel(0.3, 0.2, mass=15.0, tyre=sh.Tyre(stiffness=1e5, rolling_resistance=0.01))
    axle = {"track": 1.4, "wheel": wheel, "suspension": sh.DoubleWishbone().scaled(1.3), "brake": True}
    axles = {"front": sh.Axle(x=1.2, **axle), "rear": sh.Axle(x=-1.2, **axle)}
    vehicle = sh.Vehicle(shapes=(sh.Box(3.0, 1.0, 0.4, mass=800.0, position=(0.2, 0.0, 0.5)),), axles=axles)
    built = vehicle.build(scene, "car")
    loads, _ = vehicle.static_loads("car")
    for corner, load in zip(built.corners, loads, strict=True):
        assert corner.wheel.spec.position[2] == pytest.approx(0.3 - load * G / 1e5, rel=1e-12)
    run = sh.Simulation(scene, dt=0.005).run(0.5, every=10)
    assert np.abs(mech.values(run, built.chassis.position)[:, 2]).max() < 1e-4


def test_tracks_drive_turn_and_brake() -> None:
    """Without resistance the belts run at v = R U w_idle/r = 0.12 * 0.5 * 350/50 = 0.42 m/s; locked, they stop the
    robot by a = -mu g within v^2/(2 mu g); driven against each other they turn it on the spot."""
    scene = sh.Scene("tracks")
    scene.ground()
    built = mf4(scene).vehicle
    assert built.tracks is not None
    left, right = built.tracks.left, built.tracks.right
    sim = sh.Simulation(scene, dt=0.005, iterations=30)
    run = sim.run(2.0, voltage={left.spin: 0.5, right.spin: 0.5}, every=10)
    assert mech.values(run, built.chassis.velocity)[-1, 0] == pytest.approx(0.42, rel=2e-3)
    begin = mech.values(run, built.chassis.position)[-1, 0]
    for track in (left, right):
        sim.set(track.brake, 1000.0)
    run = sim.run(0.5, every=10)
    stopped = mech.values(run, built.chassis.position)[-1]
    assert stopped[0] - begin == pytest.approx(0.42**2 / (2 * 0.6 * G), rel=0.1)
    for track in (left, right):
        sim.set(track.brake, 0.0)
    run = sim.run(1.5, voltage={left.spin: -1.0, right.spin: 1.0}, every=10)
    assert mech.values(run, built.chassis.angular_velocity)[-1, 2] > 0.3
    assert np.linalg.norm((mech.values(run, built.chassis.position)[-1] - stopped)[:2]) < 0.1


def rolling(friction: float) -> tuple[sh.Scene, BuiltVehicle, float, float]:
    """Four braked wheels at 2 m/s on ground of a friction; the mass, and the mass with what turns."""
    scene = sh.Scene("braking")
    for name in ("ground", "tread"):
        scene.material(name, sh.Material(friction=friction))
    scene.ground("ground")
    wheel = sh.RoadWheel(0.15, 0.10, mass=3.0, material="tread")
    suspension = sh.TrailingArm(spring=sh.Coil(frequency=8.0))
    axle = {"track": 0.6, "wheel": wheel, "suspension": suspension, "brake": True}
    vehicle = sh.Vehicle(
        shapes=(sh.Box(0.8, 0.3, 0.1, mass=40.0, position=(0.0, 0.0, 0.15)),),
        axles={"front": sh.Axle(x=0.5, **axle), "rear": sh.Axle(x=-0.5, **axle)},
    )
    built = vehicle.build(scene, "robot", speed=2.0)
    mass = sum(body.properties.mass for body in scene.bodies.values())
    turning = sum(corner.wheel.properties.inertia[1, 1] for corner in built.corners) / 0.15**2
    return scene, built, mass, mass + turning


LENGTH, GAUGE, BELT = 0.75, 0.55, 3.0  # m, m, kg of a tracked robot


def spot_turn(ground: str, shift: float) -> tuple[np.ndarray, float]:
    """Where a tracked robot is after six seconds of turning on the spot, and by which angle it has turned.

    Its box of 40 kg is shifted forward; the two sprockets of 3 kg are at the rear, everything else is symmetrical.
    """
    scene = sh.Scene("spot")
    if ground == "plane":
        scene.ground()
    else:
        scene.terrain("field", sh.HeightField(heights=np.zeros((41, 41)), spacing=0.1))
    motor = sh.DcDrive(stall_torque=2.0, idle_speed=400.0, time_constant=0.02, ratio=60.0)
    servo = sh.SpeedServo(motor, gain=0.5, integral=2.0)
    tracks = sh.Tracks(GAUGE, LENGTH, 0.11, 0.12, mass=8.0, belt_mass=BELT, drive=servo)
    box = sh.Box(0.8, 0.4, 0.2, mass=40.0, position=(shift, 0, 0.2))
    built = sh.Vehicle(shapes=(box,), tracks=tracks).build(scene, "robot")
    sim = sh.Simulation(scene, dt=0.005)
    sim.set(built.tracks.left.spin.target(), -2.0)
    sim.set(built.tracks.right.spin.target(), 2.0)
    sim.step(1200)
    turn = sim.get(built.chassis.rotation)
    return sim.get(built.chassis.position)[:2], 2 * float(np.arctan2(turn[2], turn[3]))


@pytest.mark.parametrize("ground", ["plane", "field"])
def test_a_balanced_robot_turns_on_the_spot(ground: str) -> None:
    """Turned by half a turn it is the same robot, so nothing can push it anywhere. The loads of its twelve points ended
    on two opposite corners, by the order of the visits, and it went 29 mm on the plane, 0.66 m on the flat field."""
    moved, turned = spot_turn(ground, 2 * BELT * LENGTH / 2 / 40.0)
    assert turned > 1.5
    assert np.linalg.norm(moved) < 0.005


@pytest.mark.parametrize("ground", ["plane", "field"])
def test_a_robot_heavy_at_the_rear_turns_about_a_point_behind_its_middle(ground: str) -> None:
    """Statics gives the loads of the four ends; Coulomb's friction against their slip and the balance of lateral force
    and moment the point x about which a robot without inertia turns, 56 mm behind. It goes on a circle about it."""
    mass, radius_speed = 62.0, 0.11 * 2.0
    center = -2 * BELT * LENGTH / 2 / mass
    ends = LENGTH / 2 * np.array([1.0, -1.0])
    loads = 0.5 + np.array([1.0, -1.0]) * center / LENGTH  # shares of the front and the rear

    def balance(unknown: np.ndarray) -> tuple[float, float]:
        x, rate = unknown
        sideways = rate * (ends - x)  # slip of the ends, and along the belts:
        along = radius_speed - rate * GAUGE / 2
        pull = loads / np.hypot(sideways, along)
        return float((pull * sideways).sum()), float((pull * (sideways * (ends - x) - along * GAUGE / 2)).sum())

    pivot, _ = optimize.fsolve(balance, (0.0, 0.3))
    moved, turned = spot_turn(ground, 0.0)
    assert moved == pytest.approx((pivot * (1 - np.cos(turned)), -pivot * np.sin(turned)), abs=0.005)


def test_brake_torque_set_while_running() -> None:
    """I w' = -T: a wheel in the air at 20 rad/s stops within I w/T after its brake is set to T."""
    scene = sh.Scene("brake", gravity=mech.FREE)
    scene.ground(height=-1.0)
    chassis = scene.body("chassis", sh.Box(0.5, 0.2, 0.2), fixed=True)
    wheel = sh.RoadWheel(0.15, 0.10, mass=3.0)
    suspension = sh.SwingAxle(spring=sh.Coil(1e5, 1e3))
    corner = suspension.attach(scene, chassis, "corner", (0, 1, 0), "left", wheel, brake=True, speed=3.0)
    sim = sh.Simulation(scene, dt=0.001)
    assert mech.values(sim.run(0.1), corner.spin.speed)[-1] == pytest.approx(20.0, abs=1e-6)
    sim.set(corner.brake, 2.5)
    run = sim.run(0.5)
    inertia = corner.wheel.properties.inertia[1, 1]
    t, speed = mech.times(run) - 0.1, mech.values(run, corner.spin.speed)
    np.testing.assert_allclose(speed, np.maximum(20.0 - 2.5 * t / inertia, 0.0), atol=2.5 / inertia * 0.001 + 1e-6)


def test_braking_torque() -> None:
    """(m + sum I/R^2) a = -sum T/R while all wheels roll: brakes of 6 N m against a grip of 0.8 m g R/4 = 17 N m."""
    scene, built, _, effective = rolling(0.8)
    sim = sh.Simulation(scene, dt=0.002)
    for corner in built.corners:
        sim.set(corner.brake, 6.0)
    run = sim.run(0.4)
    speed = mech.values(run, built.chassis.velocity)[:, 0]
    # the body pitches and surges on its springs; over whole swings it slows as the wheels do
    assert (speed[-1] - speed[0]) / 0.4 == pytest.approx(-4 * 6.0 / 0.15 / effective, rel=0.05)


def test_locked_wheels_slide() -> None:
    """Brakes that hold the wheels: a = -mu g, until it stands; then it stays."""
    scene, built, *_ = rolling(0.5)
    sim = sh.Simulation(scene, dt=0.002)
    for corner in built.corners:
        sim.set(corner.brake, 1000.0)
    run = sim.run(0.8)
    place, speed, t = (
        mech.values(run, built.chassis.position)[:, 0],
        mech.values(run, built.chassis.velocity)[:, 0],
        mech.times(run),
    )
    assert place[-1] == pytest.approx(2.0**2 / (2 * 0.5 * G), rel=0.02)
    assert np.abs(speed[t > 0.6]).max() < 0.02
