"""Springs, dampers and drives ([003]): discrete formulas and closed forms."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest

import sharnir as sh

K, C, M, G = 4000.0, 200.0, 25.0, 9.81


def dropped(spring: sh.Spring, mass: float = M) -> tuple[sh.Scene, sh.Joint]:
    """A mass on a vertical guide, let go at the undeformed length of its spring."""
    scene = sh.Scene("dropped")
    block = scene.body("block", sh.Box(0.1, 0.1, 0.1, mass=mass))
    guide = scene.joint("guide", sh.Prismatic(axis=(0, 0, 1)), scene.world, block, spring=spring)
    return scene, guide


def test_soft_constraint_line(euler: dict[str, str]) -> None:
    """v' = (v + dt (g - (k x)/m))/(1 + dt (c + dt k)/m), x' = x + dt v', to the printed digits at dt = 10 ms."""
    scene, guide = dropped(sh.Spring(K, C))
    run = sh.Simulation(scene, dt=0.01, **euler).run(0.5)
    x = mech.values(run, guide.displacement)
    expected = [-0.033642, -0.071494, -0.077651, -0.065705, -0.057055]
    np.testing.assert_allclose(x[[10, 20, 30, 40, 50]], expected, atol=1e-6)
    position, speed = 0.0, 0.0
    for k in range(1, 51):
        speed = (speed + 0.01 * (-G - K * position / M)) / (1 + 0.01 * (C + 0.01 * K) / M)
        position += 0.01 * speed
        assert x[k] == pytest.approx(position, abs=1e-9)


def test_spring_converges_to_the_exact_solution(scheme: dict[str, str]) -> None:
    """The exact damped oscillation, -0.080597 at 0.3 s; dt = 10 ms is 2.9e-3 off, so 0.1 ms about a hundredth of it."""
    scene, guide = dropped(sh.Spring(K, C))
    run = sh.Simulation(scene, dt=1e-4, **scheme).run(0.3, every=1000)
    assert mech.values(run, guide.displacement)[-1] == pytest.approx(-0.080597, abs=4e-5)


def test_slow_spring_is_fourth_order_with_leapfrog() -> None:
    """An undamped spring with (w dt)^2 < 1/4, x = -(m g/k)(1 - cos w t): the error falls by 16 when dt is halved."""
    w = np.sqrt(K / M)
    exact = -M * G / K * (1 - np.cos(w * 0.4))
    errors = []
    for dt in (0.01, 0.005, 0.0025):
        scene, guide = dropped(sh.Spring(K))
        run = sh.Simulation(scene, dt=dt, **mech.LEAPFROG).run(0.4)
        errors.append(mech.values(run, guide.displacement)[-1] - exact)
    assert errors[0] / errors[1] == pytest.approx(16, abs=3.2)
    assert errors[1] / errors[2] == pytest.approx(16, abs=3.2)


def test_damper_is_second_order_with_leapfrog() -> None:
    """m = 1, k = 100, c = 4 from x = 0.1: x = e^(-2t) 0.1 (cos w t + (2/w) sin w t), w^2 = 96."""
    w = np.sqrt(96.0)
    exact = 0.1 * np.exp(-2 * 0.5) * (np.cos(w * 0.5) + 2 / w * np.sin(w * 0.5))
    errors = []
    for dt in (0.01, 0.005, 0.0025):
        scene, guide = mech.slider(1.0, gravity=0.0, spring=sh.Spring(100.0, 4.0, rest=-0.1))
        run = sh.Simulation(scene, dt=dt, **mech.LEAPFROG).run(0.5)
        errors.append(mech.values(run, guide.displacement)[-1] + 0.1 - exact)
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.8)
    assert errors[1] / errors[2] == pytest.approx(4, abs=0.8)


def test_motor_is_second_order_with_leapfrog() -> None:
    """The motor above under full voltage: w = w_ss (1 - e^(-t/T)), T = t_m + J w_idle/(r^2 M_s)."""
    drive = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    constant = 0.02 + 0.5 * 300.0 / (50.0**2 * 1.5)
    exact = 6.0 * (1 - np.exp(-0.06 / constant))
    errors = []
    for dt in (0.01, 0.005, 0.0025):
        scene = sh.Scene("motor", gravity=(0, 0, 0))
        load = scene.body("load", mass=1.0, inertia=(0.5, 0.5, 0.5))
        axle = scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, load, drive=drive)
        run = sh.Simulation(scene, dt=dt, **mech.LEAPFROG).run(0.07, voltage={axle: 1.0})
        errors.append(mech.values(run, axle.speed)[round(0.06 / dt)] - exact)
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.8)
    assert errors[1] / errors[2] == pytest.approx(4, abs=0.8)


@pytest.mark.parametrize("stiffness", [1e4, 1e6, 1e8])
def test_any_stiffness_is_stable(scheme: dict[str, str], stiffness: float) -> None:
    """k up to 1e8 N/m at dt = 10 ms: settles at -m g/k, to 1e-9 relative for the implicit scheme."""
    scene, guide = dropped(sh.Spring(stiffness, 2 * np.sqrt(stiffness * M)))
    run = sh.Simulation(scene, dt=0.01, **scheme).run(5.0, every=10)
    x = mech.values(run, guide.displacement)
    assert np.abs(x).max() < 0.2
    assert x[-1] == pytest.approx(-M * G / stiffness, rel=1e-9)


def test_torsion_spring_in_a_hinge(scheme: dict[str, str]) -> None:
    """I q'' = -k (q - q0): period 2 pi sqrt(I/k) about the rest angle."""
    scene, axle = mech.rotor(spring=sh.Spring(12.0, rest=0.5))
    run = sh.Simulation(scene, dt=0.001, **scheme).run(2.0)
    angle, t = mech.values(run, axle.angle), mech.times(run)
    w = np.sqrt(12.0 * 3)
    # implicit Euler damps with w dt/2
    bound = 0.5 * (1 - np.exp(-w * w * 0.001 / 2 * 2.0)) + 0.02
    assert np.abs(angle - 0.5 * (1 - np.cos(w * t))).max() < bound


def test_torsion_spring_neither_gains_nor_loses_with_leapfrog() -> None:
    """I q'' = -k q on a rod that turns about its end, I = 1/3: after 50 swings the amplitude is that of the start."""
    scene, pin = mech.pinned_rod(0.2, spring=sh.Spring(1200.0))
    run = sh.Simulation(scene, dt=0.001, **mech.LEAPFROG).run(50 * 2 * np.pi / 60.0)
    angle = mech.values(run, pin.angle)
    assert np.abs(angle[-200:]).max() == pytest.approx(0.2, rel=1e-3)


def test_coil_between_two_bodies(scheme: dict[str, str]) -> None:
    """Two free masses and a spring: the stretch oscillates with w^2 = k (1/m1 + 1/m2), the centre stays."""
    scene = sh.Scene("pair", gravity=mech.FREE)
    left = scene.body("left", sh.Sphere(0.1, mass=1.0))
    right = scene.body("right", sh.Sphere(0.1, mass=3.0), position=(1.1, 0, 0))
    coil = scene.spring("coil", left, right, (0, 0, 0), (1.1, 0, 0), sh.Spring(30.0, rest=1.0))
    run = sh.Simulation(scene, dt=0.001, **scheme).run(1.0)
    t = mech.times(run)
    w = np.sqrt(30.0 * (1 + 1 / 3))
    expected = 1 + 0.1 * np.cos(w * t)
    np.testing.assert_allclose(
        mech.values(run, coil.coordinate("length")), expected, atol=0.1 * w * w * 0.001 / 2 + 1e-3
    )
    np.testing.assert_allclose(mech.values(run, scene.momentum), 0.0, atol=1e-9)


def test_bump_stop_pushes_only(scheme: dict[str, str]) -> None:
    """A one-sided spring below x = 0: the block flies free above it and never sticks to it."""
    scene = sh.Scene("bump")
    block = scene.body("block", sh.Box(0.1, 0.1, 0.1, mass=1.0), position=(0, 0, 0.2))
    guide = scene.joint(
        "guide", sh.Prismatic(axis=(0, 0, 1), drawn_at=0.2), scene.world, block, spring=sh.Spring(1000.0, side="push")
    )
    run = sh.Simulation(scene, dt=0.001, **scheme).run(0.6)
    x, v, t = mech.values(run, guide.displacement), mech.values(run, guide.speed), mech.times(run)
    fall = np.sqrt(2 * 0.2 / G)
    free = t < fall - 0.002
    np.testing.assert_allclose(v[free], -G * t[free], atol=1e-9)
    # m g (h + d) = k d^2/2
    depth = (G + np.sqrt(G * G + 2 * 1000 * G * 0.2)) / 1000
    assert x.min() == pytest.approx(-depth, rel=0.03)
    rising = (x > 0.005) & (v > 0)
    np.testing.assert_allclose(np.diff(v)[rising[:-1] & rising[1:]], -G * 0.001, rtol=1e-6)


def test_progressive_table(scheme: dict[str, str]) -> None:
    """Piecewise-linear: 100 N/m to 0.1 m, then 1000 N/m; under 60 N it rests at 0.1 + 50/1000 m."""
    table = ((-0.1, -10.0), (0.0, 0.0), (0.1, 10.0), (0.2, 110.0))
    scene, guide = mech.slider(2.0, gravity=0.0, spring=sh.Spring(damping=100.0, table=table))
    run = sh.Simulation(scene, dt=0.01, **scheme).run(20.0, force={guide: 60.0}, every=100)
    assert mech.values(run, guide.displacement)[-1] == pytest.approx(0.15, rel=1e-9)


DRIVE = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)


def driven(drive: object, inertia: float = 0.5, **joint: object) -> tuple[sh.Scene, sh.Joint]:
    scene = sh.Scene("driven", gravity=mech.FREE)
    load = scene.body("load", mass=1.0, inertia=(0.4, 0.4, inertia))
    return scene, scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, load, drive=drive, **joint)


def test_drive_line(euler: dict[str, str]) -> None:
    """J 0.5, U 1: w(0.01), w(0.06), w(0.3) of the implicit impulse at dt = 10 ms, to the printed digits."""
    scene, axle = driven(DRIVE)
    sim = sh.Simulation(scene, dt=0.01, **euler)
    sim.set(axle.voltage(), 1.0)
    w = mech.values(sim.run(2.0), axle.speed)
    np.testing.assert_allclose(w[[1, 6, 30]], [0.857143, 3.620583, 5.941150], atol=1e-6)
    assert w[-1] == pytest.approx(6.0, rel=1e-9)  # w_idle/r


def test_drive_against_a_torque(scheme: dict[str, str]) -> None:
    """w = (w_idle/r)(U + T/(r M_s)); T = -30 N m, U = 0.8: 6 (0.8 - 0.4) = 2.4 rad/s; stall at U r M_s."""
    scene, axle = driven(DRIVE)
    sim = sh.Simulation(scene, dt=0.01, **scheme)
    sim.set(axle.voltage(), 0.8)
    run = sim.run(3.0, torque={axle: -30.0}, every=10)
    assert mech.values(run, axle.speed)[-1] == pytest.approx(2.4, rel=1e-9)
    sim.reset()
    sim.set(axle.voltage(), 0.8)
    run = sim.run(3.0, torque={axle: -60.0}, every=10)
    assert mech.values(run, axle.speed)[-1] == pytest.approx(0.0, abs=1e-9)


def test_drive_speeds_up_with_its_time_constant(scheme: dict[str, str]) -> None:
    """w = 6 (1 - exp(-t/T)), T = t_m + J w_idle/(r^2 M_s) = 0.06 s: 0.921110, 3.792723 at 0.01, 0.06 s."""
    scene, axle = driven(DRIVE)
    sim = sh.Simulation(scene, dt=1e-4, **scheme)
    sim.set(axle.voltage(), 1.0)
    w = mech.values(sim.run(0.06), axle.speed)
    np.testing.assert_allclose(w[[100, 600]], [0.921110, 3.792723], rtol=2e-3)


def test_worm_gear_holds_the_load(scheme: dict[str, str]) -> None:
    """A self-locking gear without voltage does not let the load turn the motor; a plain one does."""
    for locks, turned in ((True, 1e-3), (False, None)):
        drive = sh.DcDrive(1.5, 300.0, 0.02, 50.0, self_locking=locks)
        scene, axle = driven(drive)
        run = sh.Simulation(scene, dt=0.01, **scheme).run(2.0, torque={axle: 20.0})
        end = mech.values(run, axle.angle)[-1]
        assert abs(end) < turned if turned else abs(end) > 1.0


def test_worm_gear_of_a_light_mast_in_single_precision() -> None:
    """Gears of 600 in a light mast and its camera, on a base that floats: what is at rest stays so in float32, too."""
    gear = sh.DcDrive(0.05, 600.0, 0.02, 600.0, self_locking=True)
    scene = sh.Scene("mast", gravity=mech.FREE)
    base = scene.body("base", sh.Box(1.0, 0.3, 0.2, mass=130.0))
    mast = scene.body("mast", sh.Box(0.05, 0.05, 0.5, mass=8.0), position=(0.2, 0, 0.35))
    camera = scene.body("camera", sh.Box(0.15, 0.05, 0.05, mass=3.0), position=(0.275, 0, 0.6))
    servo = sh.PositionServo(gear, gain=8.0, damping=0.2)
    scene.joint("pan", sh.Revolute(axis=(0, 0, 1), anchor=(0.2, 0, 0.1)), base, mast, drive=servo, limits=(-3.0, 3.0))
    scene.joint(
        "tilt", sh.Revolute(axis=(0, 1, 0), anchor=(0.2, 0, 0.6)), mast, camera, drive=servo, limits=(-1.0, 1.0)
    )
    run = sh.Simulation(scene, dt=0.005, precision="float32", **mech.DIRECT).run(1.0, every=20)
    assert np.abs(mech.values(run, base.position)).max() < 1e-6


def test_efficiency_lowers_the_driving_torque(scheme: dict[str, str]) -> None:
    """At stall the joint feels eta r M_s U: with eta = 0.5 it is held by 37.5 N m instead of 75."""
    scene, axle = driven(sh.DcDrive(1.5, 300.0, 0.02, 50.0, efficiency=0.5))
    sim = sh.Simulation(scene, dt=0.01, **scheme)
    sim.set(axle.voltage(), 1.0)
    run = sim.run(3.0, torque={axle: -30.0}, every=10)
    # eta r M_s (1 - w r/w_idle) = 30: w = 6 (1 - 30/37.5) = 1.2 rad/s
    assert mech.values(run, axle.speed)[-1] == pytest.approx(1.2, rel=1e-6)


def test_a_load_that_drives_a_lossy_gear(scheme: dict[str, str]) -> None:
    """It turns the motor through 1/eta: (J + r^2 I_m/eta) w' = B - r^2 M_s/(eta w_idle) w, that is w' = 20 - 25 w."""
    scene, axle = driven(sh.DcDrive(1.5, 300.0, 0.02, 50.0, efficiency=0.5))
    run = sh.Simulation(scene, dt=1e-4, **scheme).run(0.1, torque={axle: 20.0})
    expected = 0.8 * (1 - np.exp(-25 * mech.times(run)))
    np.testing.assert_allclose(mech.values(run, axle.speed), expected, atol=20 * 25 * 0.04 * 1e-4)


def test_a_rotor_that_drives_a_braked_load(scheme: dict[str, str]) -> None:
    """A motor without voltage runs down, yet its rotor drives the load, which a brake stops much quicker: power goes
    from the motor to the load, so (J + eta r^2 I_m) w' = -B - eta r^2 M_s/w_idle w, w = 70 exp(-10 t) - 64."""
    scene, axle = driven(sh.DcDrive(1.5, 300.0, 0.02, 50.0, efficiency=0.5))
    sim = sh.Simulation(scene, dt=1e-5, **scheme)
    sim.set(scene.bodies["load"].angular_velocity, (0, 0, 6.0))
    run = sim.run(0.005, torque={axle: -400.0}, every=10)
    np.testing.assert_allclose(mech.values(run, axle.speed), 70 * np.exp(-10 * mech.times(run)) - 64, atol=1e-3)


@pytest.mark.parametrize("voltage, torque, rate", [(1.0, -30.0, 3.6), (0.5, 60.0, 3.0), (0.5, -60.0, 0.0), (0, 60, 0)])
def test_worm_gear_lets_power_through_one_way(
    scheme: dict[str, str], voltage: float, torque: float, rate: float
) -> None:
    """Against a load it runs as any drive, w = (w_idle/r)(U - B/(r M_s)), or stands where the motor cannot lift it;
    with one that helps the joint follows the motor by itself, w = U w_idle/r, as if there were no load."""
    scene, axle = driven(sh.DcDrive(1.5, 300.0, 0.02, 50.0, self_locking=True))
    sim = sh.Simulation(scene, dt=0.005, **scheme)
    sim.set(axle.voltage(), voltage)
    run = sim.run(2.0, torque={axle: torque})
    assert mech.values(run, axle.speed)[-1] == pytest.approx(rate, abs=1e-6)


@pytest.mark.parametrize("held_by", ["gear", "servo"])
def test_worm_gear_holds_a_swinging_load(held_by: str) -> None:
    """500 kg swing by 5.7 degrees below a drum that does not turn: the pull m (g cos a + l a'^2) varies by 160 N within
    a second, less than 2 N within a step. It jumped by 1.7 kN when last step's impulse decided on the gear."""
    scene = sh.Scene("hoist")
    drum = scene.body("drum", mass=60.0, inertia=(1, 0.7, 1), position=(-0.15, 0, 8))
    motor = sh.DcDrive(60.0, 300.0, 0.05, ratio=60.0, self_locking=True)
    drive = motor if held_by == "gear" else sh.SpeedServo(motor, gain=1.0, integral=5.0)
    axle = sh.Revolute(axis=(0, 1, 0), anchor=(-0.15, 0, 8))
    hoist = scene.joint("hoist", axle, scene.world, drum, drive=drive)
    load = scene.body("load", sh.Box(0.8, 0.8, 0.8, mass=500.0), position=(0.5, 0, 2.6))
    rope = scene.rope(
        "rope",
        [(0, 0, 8), (0.5, 0, 3.0)],
        radius=0.008,
        density=6000.0,
        bending=1.0,
        twisting=1.0,
        elements=20,
        winch=sh.Winch(joint=hoist, radius=0.15, stored=3.0),
        end=sh.Tie(body=load),
    )
    run = sh.Simulation(scene, dt=0.005).run(4.0)
    calm = mech.times(run) > 2.0
    pull = mech.values(run, rope.tension("start"))[calm]
    assert np.abs(np.diff(pull)).max() < 10.0
    assert 4700 < pull.min() < pull.max() < 5200
    assert np.abs(mech.values(run, hoist.speed)[calm]).max() < 1e-9


def test_speed_servo_reaches_its_target(scheme: dict[str, str]) -> None:
    scene, axle = driven(sh.SpeedServo(DRIVE, gain=2.0, integral=20.0))
    sim = sh.Simulation(scene, dt=0.005, **scheme)
    sim.set(axle.target(), 3.0)
    run = sim.run(3.0, torque={axle: -10.0}, every=10)
    assert mech.values(run, axle.speed)[-1] == pytest.approx(3.0, rel=1e-4)


def test_position_servo_reaches_its_target_with_its_real_limits(scheme: dict[str, str]) -> None:
    """It goes to 2 rad, never faster than the drive's idle speed of 6 rad/s."""
    scene, axle = driven(sh.PositionServo(DRIVE, gain=10.0, damping=0.5))
    sim = sh.Simulation(scene, dt=0.005, **scheme)
    sim.set(axle.target(), 2.0)
    run = sim.run(3.0)
    assert mech.values(run, axle.angle)[-1] == pytest.approx(2.0, abs=1e-6)
    assert mech.values(run, axle.speed).max() < 6.0


def test_viscous_friction(scheme: dict[str, str]) -> None:
    """I w' = -c w: w = w0 exp(-c t/I)."""
    scene, axle = mech.rotor(spin=3.0, friction=sh.Viscous(0.5))
    run = sh.Simulation(scene, dt=0.001, **scheme).run(1.0)
    np.testing.assert_allclose(mech.values(run, axle.speed), 3 * np.exp(-1.5 * mech.times(run)), atol=3 * 1.5 * 0.001)


def test_signals_of_springs_and_drives(scheme: dict[str, str]) -> None:
    """At rest the spring carries the load; at the steady speed the motor's torque is the load's over the gear."""
    scene, guide = dropped(sh.Spring(K, C))
    run = sh.Simulation(scene, dt=0.01, **scheme).run(5.0, every=10)
    assert mech.values(run, guide.spring_force())[-1] == pytest.approx(M * G, rel=1e-6)
    scene, axle = driven(DRIVE)
    sim = sh.Simulation(scene, dt=0.01, **scheme)
    sim.set(axle.voltage(), 0.8)
    run = sim.run(3.0, torque={axle: -30.0}, every=10)
    assert mech.values(run, axle.motor_torque())[-1] == pytest.approx(30 / 50, rel=1e-6)
    assert mech.values(run, axle.motor_speed())[-1] == pytest.approx(50 * 2.4, rel=1e-6)
    assert mech.values(run, axle.voltage())[-1] == 0.8


@pytest.mark.parametrize("integrator", ["leapfrog", "rk4"])
@pytest.mark.parametrize("damping", [0.0, 50.0])
def test_a_stiff_coil_over_dead_centre_opens_no_joint(damping: float, integrator: str) -> None:
    """50 kN/m, pressed by 30 mm, throw a rod of 0.12 kg and 0.6 m off its dead centre at 10 ms.

    The rod never has more than the coil held, k x^2/2, and its pin stays closed to the third order of the turns.
    """
    scene, length = sh.Scene("toggle", gravity=mech.FREE), 0.6
    tilt = np.arctan2(0.05, length)
    tip = length * np.array([-np.cos(tilt), np.sin(tilt), 0.0])
    turn = (0, 0, np.sin(-tilt / 2), np.cos(-tilt / 2))
    rod = scene.body("rod", mass=0.12, inertia=(1e-4, 3.6e-3, 3.6e-3), position=tip / 2, rotation=turn)
    pin = scene.joint("pin", sh.Revolute(), scene.world, rod)
    base = np.array([1.4, 0.0, 0.0])
    spring = sh.Spring(5e4, damping, rest=float(np.linalg.norm(tip - base)) + 0.03)
    scene.spring("coil", scene.world, rod, base, tip, spring)
    run = sh.Simulation(scene, dt=0.01, integrator=integrator).run(2.0)
    turned = 0.01 * np.abs(mech.values(run, rod.angular_velocity)).max()
    assert mech.values(run, scene.kinetic_energy).max() < 0.5 * 5e4 * 0.03**2
    assert 0.05 < turned < 0.2
    assert mech.values(run, pin.gap).max() < turned**3 * length / 2
