"""Sensors as things of a scene: files, diagrams, seeds, resets and snapshots to the bit, refusals; no cost without."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import warp as wp

import sharnir as sh
from sharnir.dynamics.philox import make_philox
from sharnir.model.precision import precision_of

NOISY = sh.Noise(density=0.01, walk=0.1, bias=0.2, spread=0.3)


def pendulum(sensors: bool = True) -> sh.Scene:
    scene = sh.Scene("pendulum")
    rod = scene.body("rod", sh.Box(0.1, 0.1, 1.0, mass=1.0), position=(0.3, 0, -0.4), rotation=(0, -0.3162, 0, 0.9487))
    pin = scene.joint("pin", sh.Revolute(axis=(0, 1, 0), anchor=(0, 0, 0)), scene.world, rod)
    if sensors:
        scene.sensor("imu", sh.Imu((0, 0, -0.5), accelerometer=NOISY, gyro=NOISY, rate=50, delay=0.03, seed=3), rod)
        scene.sensor("encoder", sh.Encoder(resolution=0.01, noise=NOISY), pin)
    return scene


def test_philox_gives_the_published_numbers() -> None:
    """The known answers that come with Random123 (Salmon and others, 2011)."""
    made = make_philox(precision_of("float64", by_reference=False))
    philox, Words = made.philox, made.Words

    @wp.kernel(enable_backward=False, module="unique")
    def ask(counter: wp.array(dtype=Words), key: wp.array(dtype=wp.uint32), out: wp.array(dtype=Words)):
        out[0] = philox(counter[0], key[0], key[1])

    answers = {
        ((0,) * 4, (0, 0)): (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8),
        ((2**32 - 1,) * 4, (2**32 - 1,) * 2): (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
        ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0)): (
            0xD16CFE09,
            0x94FDCCEB,
            0x5001E420,
            0x24126EA1,
        ),
    }
    for (counter, key), wanted in answers.items():
        given = wp.array(np.array([counter], np.uint32), dtype=Words, device="cpu")
        out = wp.zeros(1, dtype=Words, device="cpu")
        wp.launch(ask, 1, [given, wp.array(np.array(key, np.uint32), dtype=wp.uint32, device="cpu"), out], device="cpu")
        assert tuple(out.numpy()[0].tolist()) == wanted


def readings(sim: sh.Simulation, steps: int) -> np.ndarray:
    """What all sensors of all worlds read, [step, world, number]."""
    found = []
    for _ in range(steps):
        sim.step()
        rows = [np.reshape(sim.get(sim.scene.reading(label)), (sim.worlds, -1)) for label in LABELS]
        found.append(np.concatenate(rows, axis=1))
    return np.array(found)


LABELS = ("imu.acceleration", "imu.angular_velocity", "encoder.position")


def test_every_world_has_its_own_noise_and_the_same_again() -> None:
    """World 2 of a batch is a world alone with that seed; a world that is reset reads the same bits again."""
    batch = sh.Simulation(pendulum(), dt=0.01, worlds=3, seed=5)
    first = readings(batch, 20)
    assert (first[-1, 0] != first[-1, 1]).all()
    np.testing.assert_array_equal(readings(sh.Simulation(pendulum(), dt=0.01, seed=7), 20)[:, 0], first[:, 2])
    other = readings(sh.Simulation(pendulum(), dt=0.01, seed=8), 20)[:, 0]
    assert (other[-1] != first[-1, 2]).all()
    went_on = sh.Simulation(pendulum(), dt=0.01, worlds=3, seed=5)
    whole = readings(went_on, 40)
    batch.reset(worlds=[1])
    again = readings(batch, 20)
    np.testing.assert_array_equal(again[:, 1], first[:, 1])
    np.testing.assert_array_equal(again[:, [0, 2]], whole[20:, [0, 2]])
    batch.reset()
    np.testing.assert_array_equal(readings(batch, 20), first)


def test_snapshots_and_long_launches_continue_to_the_bit() -> None:
    sim = sh.Simulation(pendulum(), dt=0.01)
    sim.step(17)
    kept = sim.snapshot()
    wanted = readings(sim, 10)
    other = sh.Simulation(pendulum(), dt=0.01, seed=99)
    other.restore(kept)
    np.testing.assert_array_equal(readings(other, 10), wanted)
    slow = sh.Scene("slow")
    body = slow.body("body", sh.Sphere(0.1, mass=1), velocity=(1, 0, 0))
    gps = slow.sensor("gps", sh.PoseSensor(rate=25, delay=0.06, position_noise=NOISY), body)
    at_once, one_by_one = sh.Simulation(slow, dt=0.01), sh.Simulation(slow, dt=0.01)
    at_once.step(33)
    for _ in range(33):
        one_by_one.step()
    np.testing.assert_array_equal(at_once.get(gps.reading()), one_by_one.get(gps.reading()))


def test_scenes_run_the_same_kernel_to_the_bit_with_and_without_sensors() -> None:
    with_them, without = (sh.Simulation(pendulum(given), dt=0.01) for given in (True, False))
    assert with_them._compiled.features == without._compiled.features  # all that a kernel is made by
    for sim in (with_them, without):
        sim.step(50)
    for name, values in without.snapshot().arrays["state"].items():
        np.testing.assert_array_equal(with_them.snapshot().arrays["state"][name], values)
    assert without._sensing.steps_until(0) is None  # nothing is launched


def test_they_are_saved_read_recorded_and_shown(tmp_path: Path) -> None:
    scene = pendulum()
    again = sh.Scene.load(scene.save(tmp_path / "scene.yaml"))
    assert {name: sensor.spec for name, sensor in again.sensors.items()} == {
        name: sensor.spec for name, sensor in scene.sensors.items()
    }
    run = sh.Simulation(again, dt=0.01).run(0.2)
    file = sh.Trajectory.load(run.save(tmp_path / "run.nc"))
    acceleration = file[again.sensors["imu"].reading()]
    assert acceleration.attrs["units"] == "m/s^2" and acceleration.name == "imu.acceleration"
    assert acceleration.sizes["xyz"] == 3
    assert list(file.data["sensor_unit"].values) == ["rad"]
    two = sh.Scene("two")
    part = two.add(scene, name="left")
    assert two.sensors["left/imu"].spec.on == "left/rod" and part.bodies["rod"].name == "left/rod"


def test_a_diagram_reads_a_sensor() -> None:
    scene = pendulum()
    diagram = sh.Diagram("follow")
    diagram.gauge("seen", diagram.signal(scene.sensors["encoder"].reading()))
    diagram.gauge("felt", diagram.signal(scene.sensors["imu"].reading(), "z"))
    sim = sh.Simulation(scene, dt=0.01)
    controller = diagram.start(sim)
    sim.step(21)
    seen, felt = controller.values["seen"], controller.values["felt"]
    sim.reset()
    sim.step(20)  # a tick is made before its step
    assert seen == sim.get(scene.reading("encoder.position")) and felt == sim.get(scene.reading("imu.acceleration"))[2]


def put(sensor: Any, on: Any = "pin", dt: float = 0.01, **settings: Any) -> sh.Simulation:
    scene = pendulum()
    scene.sensor("x", sensor, on)
    return sh.Simulation(scene, dt=dt, **settings)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: put(sh.Imu(rate=30), "rod"), r"'x': its 1/rate is 0.0333333 s and the step 0.01 s; .* 0.03 s, a rate"),
        (lambda: put(sh.Imu(delay=0.013), "rod"), r"'x': its delay is 0.013 s .* such as 0.01 s"),
        (lambda: put(sh.Imu(rate=-1), "rod"), r"sensor 'x' rate \(Hz\) is -1; it must be above zero"),
        (lambda: put(sh.Imu(gyro=sh.Noise(density=-1)), "rod"), "sensor 'x' gyro density is -1; it must not be negat"),
        (lambda: put(sh.Imu(), "rood"), "sensor 'x' sits on a body 'rood' that is not in the scene.*'rod'"),
        (lambda: put(sh.Encoder(side="motor"), "pin.angle"), "sensor 'x': .*pin.* has no drive on 'angle'"),
        (lambda: put(sh.Encoder(), "pin"), "sits on a coordinate 'pin' .* did you mean 'pin.angle'"),
        (lambda: put(sh.Lidar(1), "rod"), "sensor 'x' beams is 1; give a whole number of at least 2"),
        (lambda: put(sh.Lidar(4, direction=(0, 0, 1)), "rod"), "sensor 'x' looks along .* give another up"),
        (lambda: put("imu", "rod"), "sensor 'x': 'imu' is not a sensor; give Imu"),
        (lambda: put(sh.Imu(), "rod", integrator="semi-implicit-euler"), "'imu' measures acceleration, which only the"),
        (lambda: pendulum().sensors["imu"].reading("speed"), "gives no 'speed'; known: acceleration"),
        (lambda: pendulum().reading("gps.position"), "there is no sensor 'gps'"),
        (lambda: sh.Simulation(pendulum(), dt=0.01, seed=-1), "seed is -1; give a whole number of at least 0"),
    ],
)
def test_what_cannot_be_is_refused_by_name(make: Any, message: str) -> None:
    with pytest.raises(sh.SceneError, match=message):
        make()
