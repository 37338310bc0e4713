"""Sensors against closed forms: to the order of the step what they measure, to chance what they add."""

from __future__ import annotations

import math
from typing import Any

import mechanisms as mech
import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import sharnir as sh
from sharnir import spatial

G = np.array([0.0, 0.0, -9.81])
ORDER = 3.6  # half of the step makes an error of second order four times smaller


def read(run: Any, sensor: sh.Sensor, name: str | int | None = None) -> np.ndarray:
    return np.asarray(run[sensor.reading(name)].values)


# --- what they measure ------------------------------------------------------------------------------------------------


def test_imu_on_a_spinning_and_falling_body() -> None:
    """A symmetric top, thrown: its momentum L stays, w' = (L/I_x) x w, and every point goes round the centre."""
    ix, iz, start = 0.02, 0.035, np.array([1.5, 0.4, 6.0])
    precession = np.array([ix, ix, iz]) * start / ix
    place, tilt = np.array([0.2, 0.1, -0.1]), spatial.about((1, 2, -1), 0.7)

    def errors(dt: float) -> np.ndarray:
        scene = sh.Scene("top")
        top = scene.body("top", mass=2.0, inertia=(ix, ix, iz), center_of_mass=(0.05, 0, 0), angular_velocity=start)
        imu = scene.sensor("imu", sh.Imu(place, tilt), top)
        run = sh.Simulation(scene, dt=dt).run(0.5)
        worst = np.zeros(2)
        for k, t in list(enumerate(run.time.tolist()))[round(0.05 / dt) :]:
            spin = spatial.rotate(spatial.from_vector(precession * t), start)
            own = spatial.about((0, 0, 1), -(iz - ix) / ix * start[2] * t)
            turn = spatial.multiply(spatial.from_vector(precession * t), own)
            arm = spatial.rotate(turn, place - (0.05, 0, 0))
            felt = np.cross(np.cross(precession, spin), arm) + np.cross(spin, np.cross(spin, arm))  # a - g: it falls
            back = spatial.conjugate(spatial.multiply(turn, tilt))
            worst[0] = max(worst[0], np.abs(read(run, imu)[k] - spatial.rotate(back, felt)).max())
            gyro = read(run, imu, "angular_velocity")[k]
            worst[1] = max(worst[1], np.abs(gyro - spatial.rotate(back, spin)).max())
        return worst

    whole, half = errors(0.004), errors(0.002)
    assert (whole > 1e-7).all() and (whole / half > ORDER).all()


def test_imu_on_a_pendulum() -> None:
    """At the tip of a rod of 1 m let go level: L q'' - g sin q across, L q'^2 + g cos q along; q by Jacobi's sn."""
    frequency, k = np.sqrt(1.5 * 9.81), np.sin(np.pi / 4)

    def error(dt: float) -> float:
        scene, _ = mech.pinned_rod(np.pi / 2, gravity=tuple(G))
        imu = scene.sensor("imu", sh.Imu((0, 0, -0.5)), "rod")
        run = sh.Simulation(scene, dt=dt, ignored_warnings=["odd-units"]).run(1.0)
        sn, cn, _, _ = ellipj(ellipk(k**2) - frequency * run.time, k**2)
        q = 2 * np.arcsin(k * sn)
        rate = -2 * k * frequency * cn  # of q, from d(sin(q/2))/dt
        across = -(frequency**2) * np.sin(q) + 9.81 * np.sin(q)
        along = rate**2 + 9.81 * np.cos(q)
        felt, settled = read(run, imu), slice(round(0.05 / dt), None)
        return float(max(np.abs(felt[:, 0] + across)[settled].max(), np.abs(felt[:, 2] - along)[settled].max()))

    assert error(0.005) / error(0.0025) > ORDER


def test_imu_at_rest_and_in_free_fall() -> None:
    scene = sh.Scene("fall")
    falling = scene.body("falling", sh.Sphere(0.1, mass=1.0), position=(0, 0, 100))
    fall = scene.sensor("fall", sh.Imu(), falling)
    rest = scene.sensor("rest", sh.Imu(rotation=(math.sqrt(0.5), 0, 0, math.sqrt(0.5))), scene.world)
    run = sh.Simulation(scene, dt=0.01).run(1.0)
    np.testing.assert_allclose(read(run, fall)[1:], 0.0, atol=1e-10)
    np.testing.assert_allclose(read(run, rest), [[0, 9.81, 0]] * len(run), atol=1e-12)


def test_encoder_and_tachometer() -> None:
    """A rotor that speeds up, w = 100 (1 - exp(-t/T)) at the motor; the last mark passed.

    T = I/(ratio^2 M/w_idle) is 83 ms; the state's rates are extrapolated: off by the order (dt/T)^2 of the step.
    """
    motor = sh.DcDrive(1.0, 100.0, 0.0, 20.0)
    scene, axle = mech.rotor(0.0, drive=motor)
    marks = scene.sensor("marks", sh.Encoder(resolution=2 * np.pi / 100), axle)
    fine = scene.sensor("fine", sh.Encoder(side="motor"), axle)
    tacho = scene.sensor("tacho", sh.Tachometer(side="motor"), axle)
    run = sh.Simulation(scene, dt=0.002).run(2.0, voltage={axle: 1.0})
    angle, rate = run[axle.angle].values, run[axle.speed].values
    np.testing.assert_allclose(read(run, marks), np.floor(angle / (2 * np.pi / 100)) * 2 * np.pi / 100, atol=1e-12)
    assert len(np.unique(read(run, marks))) > 100  # several turns
    np.testing.assert_allclose(read(run, fine), 20 * angle, rtol=1e-12)
    assert read(run, tacho)[-1] == pytest.approx(20 * rate[-1], rel=1e-12)
    np.testing.assert_allclose(read(run, tacho), 100 * (1 - np.exp(-12 * run.time)), atol=100 * (12 * 0.002) ** 2 / 4)
    assert marks.reading().unit == "rad" and tacho.reading().unit == "rad/s"


def test_force_and_torque_of_a_cantilever() -> None:
    """A bracket that holds 2 kg at 0.3 m: m g and m g l at the weld, in the axes of the weld."""
    scene = sh.Scene("bracket")
    bracket = scene.body("bracket", sh.Box(0.1, 0.1, 0.1, mass=2.0), position=(0.3, 0, 0))
    sideways: dict[str, Any] = {"reference": (0, 1, 0)}
    weld = sh.Fixed(frame_a=sh.Frame(**sideways), frame_b=sh.Frame((-0.3, 0, 0), **sideways))
    cell = scene.sensor("cell", sh.ForceTorque(), scene.joint("weld", weld, scene.world, bracket))
    sim = sh.Simulation(scene, dt=0.01)
    sim.step(50)
    np.testing.assert_allclose(sim.get(cell.reading("force")), [0, 0, 2 * 9.81], atol=1e-9)
    # about world y: -m g l holds it up; the weld's x axis is world y
    np.testing.assert_allclose(sim.get(cell.reading("torque")), [-2 * 9.81 * 0.3, 0, 0], atol=1e-9)


def test_pads_under_a_box_on_the_ground() -> None:
    """Its four corners carry a quarter of the weight each."""
    scene = sh.Scene("box")
    scene.ground()
    box = scene.body("box", sh.Box(0.4, 0.4, 0.2, mass=4.0), position=(0, 0, 0.1))
    whole = scene.sensor("whole", sh.PressurePad(), box)
    corner = scene.sensor("corner", sh.PressurePad((0.2, 0.2, -0.1), radius=0.1), box)
    sim = sh.Simulation(scene, dt=0.005)
    sim.step(100)
    np.testing.assert_allclose(sim.get(whole.reading()), [0, 0, 4 * 9.81], atol=1e-3)
    assert sim.get(corner.reading())[2] == pytest.approx(9.81, rel=1e-3)  # friction may push corners together
    assert sim.get(corner.reading("pressure")) == pytest.approx(9.81 / (np.pi * 0.01), rel=1e-3)


def test_lidar_and_range_finder_in_a_room() -> None:
    """Between four walls 4 m apart, 0.5 m off the middle: (2 +- 0.5)/cos; nothing within reach above."""
    scene = sh.Scene("room")
    for i in range(4):
        turn = spatial.about((0, 0, 1), i * np.pi / 2)
        way = spatial.rotate(turn, (2.1, 0, 0))
        scene.body(f"wall {i}", sh.Box(0.2, 6, 2, mass=1), position=way, rotation=turn, fixed=True, contact=True)
    cart = scene.body("cart", sh.Box(0.2, 0.2, 0.2, mass=1), position=(0.5, 0, 0), contact=True)
    scene.joint("guide", sh.Prismatic(axis=(1, 0, 0), anchor=(0.5, 0, 0)), scene.world, cart)
    lidar = scene.sensor("lidar", sh.Lidar(16, reach=20.0), cart)
    up = scene.sensor("up", sh.RangeFinder(direction=(0, 0, 1), reach=7.0, noise=sh.Noise(density=1.0)), cart)
    ahead = scene.sensor("ahead", sh.RangeFinder(position=(0.1, 0, 0)), cart)
    sim = sh.Simulation(scene, dt=0.01)
    angles = np.arange(16) * 2 * np.pi / 16 - np.pi
    along = np.where(np.cos(angles) > 0, 1.5, 2.5) / np.maximum(np.abs(np.cos(angles)), 1e-9)
    wanted = np.minimum(along, 2.0 / np.maximum(np.abs(np.sin(angles)), 1e-9))
    np.testing.assert_allclose([sim.get(lidar.reading(i)) for i in range(16)], wanted, atol=1e-9)
    assert sim.get(up.reading()) == 7.0 and sim.get(ahead.reading()) == pytest.approx(1.4, abs=1e-12)


def test_where_a_body_is() -> None:
    scene = sh.Scene("pose", gravity=(0, 0, 0))
    turn = spatial.from_vector([0.3, -0.4, 0.5])
    body = scene.body("body", sh.Sphere(0.1, mass=1), position=(1, 2, 3), rotation=turn, angular_velocity=(0, 0, 2))
    gps = scene.sensor("gps", sh.PoseSensor((0.1, 0, 0)), body)
    sim = sh.Simulation(scene)
    arm = spatial.rotate(turn, (0.1, 0, 0))
    np.testing.assert_allclose(sim.get(gps.reading("position")), np.array([1, 2, 3]) + arm, atol=1e-12)
    np.testing.assert_allclose(sim.get(gps.reading("velocity")), np.cross([0, 0, 2], arm), atol=1e-12)
    np.testing.assert_allclose(sim.get(gps.reading("rotation")), [0.3, -0.4, 0.5], atol=1e-12)


# --- what they add ----------------------------------------------------------------------------------------------------


def allan_variance(samples: np.ndarray, m: int) -> tuple[float, float]:
    """Of averages over m samples, from pairs that share none, and the standard deviation of that estimate, relative."""
    pairs = samples[: len(samples) // (2 * m) * 2 * m].reshape(-1, 2, m, *samples.shape[1:]).mean(axis=2)
    differences = pairs[:, 1] - pairs[:, 0]
    return float(0.5 * np.mean(differences**2)), math.sqrt(2.0 / differences.size)


def test_allan_variance_of_white_noise_and_of_a_bias_that_wanders() -> None:
    """N^2/T, a slope of -1/2 of the deviation, and K^2 T (1 + 1/(2 m^2))/3 for m samples in T, a slope of +1/2.

    The estimates are of n independent normal differences: within five times sqrt(2/n) of the truth.
    """
    density, walk, rate = 0.02, 0.3, 50.0
    scene = sh.Scene("still", gravity=(0, 0, 0))
    body = scene.body("body", sh.Sphere(0.1, mass=1.0))
    given = {"accelerometer": sh.Noise(density=density), "gyro": sh.Noise(walk=walk, bias=0.5)}
    imu = scene.sensor("imu", sh.Imu(rate=rate, **given), body)
    run = sh.Simulation(scene, dt=0.01, worlds=16).run(40.96, every=2)
    white, wandering = read(run, imu)[:2048], read(run, imu, "angular_velocity")[:2048]
    np.testing.assert_array_equal(wandering[0], 0.5)
    for m in (1, 4, 16, 64):
        found, spread = allan_variance(white, m)
        assert found == pytest.approx(density**2 * rate / m, rel=5 * spread)
        found, spread = allan_variance(wandering, m)
        assert found == pytest.approx(walk**2 / rate * (2 * m**2 + 1) / (6 * m), rel=5 * spread)
    values = np.sort(white.ravel() / (density * math.sqrt(rate)))
    from scipy.special import ndtr

    steps = np.arange(len(values) + 1) / len(values)
    away = max(np.abs(ndtr(values) - steps[:-1]).max(), np.abs(ndtr(values) - steps[1:]).max())
    assert away < 1.95 / math.sqrt(len(values))  # Kolmogorov and Smirnov, one in a thousand
    others = np.corrcoef(white[:, :, 0].T)
    assert np.abs(others - np.eye(16)).max() < 5 / math.sqrt(len(white))


def test_bias_that_is_drawn_at_the_start() -> None:
    scene = sh.Scene("still", gravity=(0, 0, 0))
    body = scene.body("body", sh.Sphere(0.1, mass=1.0))
    imu = scene.sensor("imu", sh.Imu(gyro=sh.Noise(spread=0.1, bias=1.0)), body)
    sim = sh.Simulation(scene, dt=0.01, worlds=2000)
    drawn = sim.get(imu.reading("angular_velocity"))
    assert drawn.mean() == pytest.approx(1.0, abs=5 * 0.1 / math.sqrt(drawn.size))
    assert drawn.std() == pytest.approx(0.1, rel=5 / math.sqrt(2 * drawn.size))
    sim.step(10)
    np.testing.assert_array_equal(sim.get(imu.reading("angular_velocity")), drawn)


@pytest.mark.parametrize(("rate", "delay"), [(None, 0.03), (50.0, 0.0), (50.0, 0.03), (20.0, 0.11), (100.0, 0.5)])
def test_delay_and_sample_rate_are_exact(rate: float | None, delay: float) -> None:
    """At step n the reading is the truth of step e floor((n - d)/e); of the first one until that is old enough."""
    scene, pin = mech.pinned_rod(1.0, gravity=tuple(G))
    truth = scene.sensor("truth", sh.Encoder(), pin)
    late = scene.sensor("late", sh.Encoder(rate=rate, delay=delay), pin)
    sim = sh.Simulation(scene, dt=0.01, ignored_warnings=["odd-units"])
    run = sim.run(1.5)
    every, steps = 1 if rate is None else round(100 / rate), round(delay / 0.01)
    taken = np.maximum((np.arange(len(run)) - steps) // every * every, 0)
    np.testing.assert_array_equal(read(run, late), read(run, truth)[taken])
