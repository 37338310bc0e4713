"""Wheels, tyres and tracks on the ground: driving, braking, parking, turning."""

from __future__ import annotations

import carts
import mechanisms as mech
import numpy as np
import pytest
import touching

import sharnir as sh

G = mech.GRAVITY
SOLVED = 1e-6  # share: what is left when impulses change by less than epsilon


def forward(run: sh.Trajectory, cart: carts.Cart) -> np.ndarray:
    return mech.values(run, cart.chassis.velocity)[:, 0]


def test_driven_wheels_reach_their_speed(euler: dict[str, str]) -> None:
    """v = R w_idle U/r (1 - exp(-t/T)), T = t_m + J w_idle/(r^2 M_s), J = I + m R^2/4 of each wheel."""
    cart = carts.cart(friction=1.0, drive=carts.DRIVE)
    dt, voltage = 0.002, 0.5
    run = sh.Simulation(cart.scene, dt=dt, **euler).run(
        1.5, voltage={axle.voltage(): voltage for axle in cart.axles.values()}
    )
    load = carts.WHEEL_INERTIA + carts.TOTAL * carts.RADIUS**2 / 4
    drive = carts.DRIVE
    lag = drive.time_constant + load * drive.idle_speed / (drive.ratio**2 * drive.stall_torque)
    top = carts.RADIUS * drive.idle_speed * voltage / drive.ratio
    t = mech.times(run)
    np.testing.assert_allclose(forward(run, cart), top * (1 - np.exp(-t / lag)), atol=top * dt / lag)
    np.testing.assert_allclose(mech.values(run, cart.chassis.position)[:, 2], carts.RADIUS, atol=1e-6)


def test_traction_ends_at_the_friction(euler: dict[str, str]) -> None:
    """More torque than the ground bears: a = mu g with all four wheels spinning, whatever load each of them has."""
    mu, torque = 0.3, 20.0
    cart = carts.cart(friction=mu)
    run = sh.Simulation(cart.scene, dt=0.005, iterations=200, **euler).run(
        0.5, torque={axle.effort(): torque for axle in cart.axles.values()}
    )
    t = mech.times(run)
    np.testing.assert_allclose(forward(run, cart), mu * G * t, atol=SOLVED * mu * G)
    # each wheel: I w' = T - mu N R, and the loads add up to the weight
    spins = np.mean([mech.values(run, axle.speed) for axle in cart.axles.values()], axis=0)
    growth = (torque - mu * carts.TOTAL * G / 4 * carts.RADIUS) / carts.WHEEL_INERTIA
    np.testing.assert_allclose(spins, growth * t, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("brake", "locked"), [(3.0, False), (100.0, True)], ids=["rolling", "locked"])
def test_braking_distance(euler: dict[str, str], brake: float, locked: bool) -> None:
    """v0^2/(2 a): a = 4 T/R/(m + 4 I/R^2) while the wheels roll, a = mu g when the brakes lock them."""
    mu, speed, dt = 0.5, 2.0, 0.005
    cart = carts.cart(friction=mu, speed=speed, brake=brake)
    turning = carts.TOTAL + 4 * carts.WHEEL_INERTIA / carts.RADIUS**2
    braked = mu * G if locked else 4 * brake / carts.RADIUS / turning
    run = sh.Simulation(cart.scene, dt=dt, **euler).run(1.5)
    v = forward(run, cart)
    sliding = mech.times(run) < 0.9 * speed / braked
    np.testing.assert_allclose(np.diff(v[sliding])[5:], -braked * dt, rtol=1e-3)  # the wheels lock in the first steps
    distance = mech.values(run, cart.chassis.position)[-1, 0]
    assert distance == pytest.approx(speed**2 / (2 * braked), abs=speed * dt)
    assert abs(v[-1]) < 1e-9


def test_parked_on_a_slope_for_ten_minutes(euler: dict[str, str]) -> None:
    """20 % with the brakes on: not a micrometre after the first second."""
    cart = carts.cart(angle=np.arctan(0.2), brake=30.0)
    sim = sh.Simulation(cart.scene, dt=0.02, **euler)
    sim.step(50)
    start = sim.get(cart.chassis.position)
    assert np.linalg.norm(start - cart.chassis.spec.position) < 1e-4
    sim.step(30_000)
    assert np.linalg.norm(sim.get(cart.chassis.position) - start) < 1e-6


def test_parked_on_tyres_for_ten_minutes() -> None:
    """The same on tyres, whose bristles hold like springs."""
    cart = carts.cart(angle=np.arctan(0.2), brake=30.0, tyre=sh.Tyre())
    sim = sh.Simulation(cart.scene, dt=0.01, **mech.DIRECT)
    sim.step(200)
    start = sim.get(cart.chassis.position)
    sim.step(60_000)
    assert np.linalg.norm(sim.get(cart.chassis.position) - start) < 1e-6


@pytest.mark.parametrize("share", [0.95, 1.05])
def test_lateral_limit_on_a_circle(share: float) -> None:
    """Steered wheels that roll freely keep to the circle up to v^2/r = mu g, and leave it beyond."""
    mu, radius = 0.5, 8.0
    cart = carts.cart(friction=mu, speed=np.sqrt(share * mu * G * radius), center=radius)
    run = sh.Simulation(cart.scene, dt=0.001, **mech.DIRECT).run(1.5)
    place = mech.values(run, cart.chassis.position)[:, :2] - [0.0, radius]
    away = np.linalg.norm(place, axis=1) - radius
    speed = np.linalg.norm(mech.values(run, cart.chassis.velocity)[:, :2], axis=1)
    if share < 1:
        assert np.abs(away).max() < 0.01 * radius
        np.testing.assert_allclose(speed, speed[0], rtol=0.01)
    else:
        # what the friction cannot hold: at first (v^2/r - mu g) t^2/2
        assert away[-1] > 0.25 * (share - 1) * mu * G * 1.5**2 / 2
    # either way the force across is at most mu m g
    sideways = np.linalg.norm(np.diff(mech.values(run, cart.chassis.velocity)[:, :2], axis=0), axis=1) / 0.001
    assert np.median(sideways) < 1.001 * mu * G


TYRE = sh.Tyre(stiffness=100e3, damping=500.0, longitudinal=12.0, lateral=8.0, relaxation=0.05)


def brush(mu: float, stiffness: float, slip: float) -> float:
    """Force over load of a brush with parabolic pressure: mu (3 q - 3 q^2 + q^3), q = c k/(3 mu), at most mu."""
    q = min(stiffness * abs(slip) / (3 * mu), 1.0)
    return float(np.sign(slip)) * mu * (3 * q - 3 * q**2 + q**3)


@pytest.mark.parametrize("share", [0.2, 0.6, 0.9])
def test_tyre_drives_by_slip(share: float) -> None:
    """A constant torque: each wheel gives the force of the brush at the slip k = (w r - v)/(w R) that sets in.

    An axle at the height h carries k_z (R - h); contact acts midway between the surfaces, at r = (R + h)/2 below it.
    """
    mu, speed, dt = 0.6, 10.0, 0.002
    cart = carts.cart(friction=mu, speed=speed, tyre=TYRE)
    torque = share * mu * carts.TOTAL * G / 4 * carts.RADIUS
    run = sh.Simulation(cart.scene, dt=dt, **mech.DIRECT).run(
        1.0, torque={axle.effort(): torque for axle in cart.axles.values()}
    )
    v = forward(run, cart)
    expected = 0.0
    for name, axle in cart.axles.items():
        height, spin = mech.values(run, cart.wheels[name].position)[-1, 2], mech.values(run, axle.speed)[-1]
        slip = (spin * (carts.RADIUS + height) / 2 - v[-1]) / (spin * carts.RADIUS)
        expected += TYRE.stiffness * (carts.RADIUS - height) * brush(mu, TYRE.longitudinal, slip)
    force = carts.TOTAL * (v[-1] - v[-2]) / dt
    assert force > 0.9 * share * mu * carts.TOTAL * G
    assert force == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("share", [0.2, 0.6, 0.9])
def test_tyre_corners_by_slip_angle(share: float) -> None:
    """A constant force across: it drifts at the slip v_y/v_x at which the brush holds that force."""
    mu, speed = 0.6, 10.0
    cart = carts.cart(friction=mu, speed=speed, tyre=TYRE)
    across = share * mu * carts.TOTAL * G
    run = sh.Simulation(cart.scene, dt=0.005, **mech.DIRECT).run(
        6.0, force={cart.chassis: (0.0, across, 0.0)}, every=10
    )
    v = mech.values(run, cart.chassis.velocity)[-1]
    assert brush(mu, TYRE.lateral, v[1] / v[0]) == pytest.approx(share * mu, rel=0.01)


def test_rolling_resistance_of_tyres() -> None:
    """A cart that coasts slows down by c g m/(m + 4 I/R^2)."""
    share, speed = 0.03, 3.0
    tyre = sh.Tyre(stiffness=100e3, rolling_resistance=share)
    cart = carts.cart(speed=speed, tyre=tyre)
    run = sh.Simulation(cart.scene, dt=0.002, **mech.DIRECT).run(2.0)
    v, t = forward(run, cart), mech.times(run)
    turning = carts.TOTAL + 4 * carts.WHEEL_INERTIA / carts.RADIUS**2
    later = t > 0.5
    slope = np.polyfit(t[later], v[later], 1)[0]
    assert slope == pytest.approx(-share * G * carts.TOTAL / turning, rel=0.02)


def tracked(speed: float, length: float, width: float, friction: float) -> tuple[sh.Scene, sh.Body, list[sh.Joint]]:
    """A vehicle on two tracks, each of which touches the ground in two points at the corners of length by width."""
    scene = carts.ground(friction)
    foot = 0.1
    hull = scene.body("hull", sh.Box(0.6, 0.3, 0.2, mass=80.0, collides=False), position=(0, 0, foot))
    drive = sh.DcDrive(stall_torque=1e5, idle_speed=speed / foot, time_constant=0.0, ratio=1.0)
    sprockets = []
    for name, side in (("left", 1.0), ("right", -1.0)):
        y = side * width / 2
        feet = [sh.Sphere(foot, mass=5.0, position=(x, 0, 0)) for x in (length / 2, -length / 2)]
        contact = sh.Contact(belt=sh.Belt(sprocket=f"{name} sprocket", radius=foot))
        track = scene.body(f"{name} track", *feet, position=(0, y, foot), contact=contact)
        scene.joint(f"{name} frame", sh.Fixed(), hull, track)
        wheel = scene.body(
            f"{name} wheel", mass=1.0, inertia=(0.005, 0.005, 0.005), position=(0, y, foot + 0.3), contact=False
        )
        hinge = sh.Revolute(axis=(0, 1, 0), anchor=(0, y, foot + 0.3))
        sprockets.append(scene.joint(f"{name} sprocket", hinge, hull, wheel, friction=sh.Coulomb(0.0), drive=drive))
    carts.know_all(scene, "left sprocket")
    return scene, hull, sprockets


def test_tracked_vehicle_drives_straight() -> None:
    """v = w r of the sprocket, once the friction has brought it up to speed with mu g."""
    mu, speed = 0.6, 1.0
    scene, hull, sprockets = tracked(speed, 0.6, 0.4, mu)
    run = sh.Simulation(scene, dt=0.002, **mech.DIRECT).run(
        0.5, voltage={sprocket.voltage(): 1.0 for sprocket in sprockets}
    )
    v, t = mech.values(run, hull.velocity)[:, 0], mech.times(run)
    early = t < 0.9 * speed / (mu * G)
    np.testing.assert_allclose(v[early], mu * G * t[early], atol=mu * G * 0.002)
    assert v[-1] == pytest.approx(speed, rel=1e-3)


def test_tracked_vehicle_turns_on_the_spot() -> None:
    """Tracks that run against each other at v: the hull turns with W = 2 v b/(b^2 + l^2), b width and l length.

    A corner slides with (v - W b/2, W l/2); friction acts along that, whatever mu is, and its moment about the middle
    vanishes where (v - W b/2) b/2 = W (l/2)^2. It starts with mu m g b/2 over the moment of inertia.
    """
    mu, speed, length, width = 0.6, 1.0, 0.6, 0.4
    scene, hull, (left, right) = tracked(speed, length, width, mu)
    sim = sh.Simulation(scene, dt=0.002, **mech.DIRECT)
    run = sim.run(1.5, voltage={left.voltage(): -1.0, right.voltage(): 1.0})
    turning, t = mech.values(run, hull.angular_velocity)[:, 2], mech.times(run)
    assert turning[-1] == pytest.approx(2 * speed * width / (width**2 + length**2), rel=2e-3)
    assert np.linalg.norm(mech.values(run, hull.position)[-1, :2]) < 1e-3
    inertia = 80.0 * (0.6**2 + 0.3**2) / 12 + 4 * 5.0 * (0.4 * 0.1**2 + (length**2 + width**2) / 4)
    inertia += 2 * (0.005 + 1.0 * width**2 / 4)
    moment = mu * (80.0 + 20.0 + 2.0) * G * width / 2
    # implicit: the slip has turned by W l/(2 v) at the end of the first step
    assert turning[1] / t[1] == pytest.approx(moment / inertia, rel=0.03)


@pytest.mark.parametrize("ground", ["plane", "field", "box"])
def test_a_wheel_comes_to_lie_on_its_side(ground: str) -> None:
    """A wheel that falls over lies on its flat side: its middle half of its width above the ground, at rest."""
    width, lean = 0.04, 0.3
    scene = touching.playground()
    if ground == "plane":
        scene.ground()
    elif ground == "field":
        scene.terrain("field", sh.HeightField(heights=np.zeros((21, 21)), spacing=0.1))
    else:
        scene.body("slab", sh.Box(2.0, 2.0, 0.2), position=(0, 0, -0.1), fixed=True, contact=True)
    disc = sh.Wheel(0.3, width, width / 2, mass=1.0)
    wheel = scene.body(
        "wheel", disc, position=(0, 0, 0.15), rotation=touching.tilt(lean), angular_velocity=(0, 0, 3.0), contact=True
    )
    sim = sh.Simulation(scene, dt=0.01)
    sim.step(400)
    assert sim.get(wheel.position)[2] == pytest.approx(width / 2, abs=1e-4)
    assert np.abs(sim.get(wheel.angular_velocity)).max() < 1e-3
