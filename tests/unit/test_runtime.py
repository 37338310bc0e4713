"""The runtime: pacing by a clock of our own, frames through shared memory, the plant's rules, replay to the bit."""

from __future__ import annotations

import time
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.driven import EXPERIMENT

import sharnir as sh
from sharnir.control import default_diagram
from sharnir.experiment import load_experiment
from sharnir.runtime import commands as c
from sharnir.runtime.channels import Channels
from sharnir.runtime.frame_bytes import HEADER, FrameWriter, clock_of
from sharnir.runtime.journal import LoggedRun, create_run
from sharnir.runtime.pacing import PATIENCE, Pacer
from sharnir.runtime.plant import Plant
from sharnir.runtime.process import AHEAD, FEWEST_FRAMES, Loop, Told
from sharnir.runtime.replay import check
from sharnir.runtime.ring import SLOTS, Ring
from sharnir.runtime.rope_frames import rope_shapes, write_ropes
from sharnir.runtime.runtime import Runtime

MOTOR = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)


def machine() -> sh.Scene:
    """A motor on an axle, an arm in a servo, and a hinge with limits and friction."""
    scene = sh.Scene("machine")
    load = scene.body("load", mass=1.0, inertia=(0.4, 0.4, 0.5))
    scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, load, drive=MOTOR)
    arm = scene.body("arm", sh.Box(0.05, 0.05, 0.8, mass=2.0), position=(1, 0, -0.4))
    servo = sh.PositionServo(MOTOR, gain=6.0, damping=0.4)
    hinge = sh.Revolute(axis=(0, -1, 0), anchor=(1, 0, 0))
    scene.joint("shoulder", hinge, scene.world, arm, drive=servo, friction=sh.Coulomb(0.5), limits=(-1.0, 2.0))
    return scene


@pytest.fixture
def plant() -> Plant:
    return Plant(machine(), 0.005, {})


# --- pacing -----------------------------------------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_steps_are_due_a_period_apart_and_lateness_does_not_add_up() -> None:
    clock = Clock()
    pacer = Pacer(0.01, clock=clock)
    for k in range(1, 50):
        begun = pacer.begin()
        clock.now += 0.002
        pacer.end(begun)
        assert pacer.wait == pytest.approx(100.0 + 0.01 * k - clock.now, abs=1e-9)
        clock.now = 100.0 + 0.01 * k + 0.001  # we always wake a millisecond late
    assert pacer.misses == 0
    assert pacer.statistics().jitter == pytest.approx(0.001, abs=1e-9)
    assert pacer.statistics().worst == pytest.approx(0.002)


def test_a_machine_that_is_too_slow_slows_simulated_time_and_says_so() -> None:
    clock = Clock()
    pacer = Pacer(0.01, clock=clock)
    for _ in range(200):  # each step takes twice its period
        begun = pacer.begin()
        clock.now += 0.02
        pacer.end(begun)
        assert pacer.wait >= -PATIENCE - 1e-9  # never more than this to make up for
    assert pacer.misses == 200
    assert pacer.statistics().factor == pytest.approx(0.5, rel=0.03)


def test_working_ahead_makes_up_for_a_machine_that_stands_still() -> None:
    clock = Clock()
    pacer = Pacer(0.01, ahead=0.02, clock=clock)

    def step(takes: float) -> None:
        clock.now += max(pacer.wait, 0.0)
        begun = pacer.begin()
        clock.now += takes
        pacer.end(begun)

    for _ in range(10):
        step(0.001)
    assert pacer.lead == pytest.approx(0.02 + 0.01 - 0.001)
    assert pacer.statistics().jitter == pytest.approx(0.0, abs=1e-9)
    step(0.0299)  # it may stand still for what it is ahead and a period,
    assert pacer.misses == 0
    for _ in range(4):
        step(0.001)
    assert pacer.lead == pytest.approx(0.02 + 0.01 - 0.001)  # which is made up for,
    step(0.0301)  # and not for longer
    assert pacer.misses == 1


def test_a_time_scale_changes_the_period() -> None:
    pacer = Pacer(0.01, clock=Clock())
    pacer.rescale(0.25)
    assert pacer.period == pytest.approx(0.04)


# --- frames -----------------------------------------------------------------------------------------------------------


def test_the_ring_hands_over_the_newest_frame() -> None:
    ring = Ring(16)
    other = Ring(16, ring.name)
    assert other.newest() is None
    for k in range(3 * SLOTS):
        ring.write(np.full(16, k, np.uint8))
        assert other.newest() == bytes([k]) * 16
    assert other.written == 3 * SLOTS
    assert other.newest(before=2) == bytes([3 * SLOTS - 3]) * 16
    other.close()
    ring.close()


def test_channels_are_the_signals_of_a_trajectory(plant: Plant) -> None:
    plant.apply(c.Set({"axle voltage": 0.7, "shoulder target": 0.9}))
    for _ in range(40):
        plant.step()
    values = np.zeros(len(plant.channels.list))
    plant.channels.read(values)
    named = dict(zip((channel.name for channel in plant.channels.list), values, strict=True))
    sim, joints = plant.simulation, plant.scene.joints
    for name, joint in joints.items():
        assert named[f"{name}.angle"] == pytest.approx(sim.get(joint.angle), abs=1e-12)
        assert named[f"{name}.angle rate"] == pytest.approx(sim.get(joint.speed), abs=1e-12)
        assert named[f"{name}.angle voltage"] == pytest.approx(sim.get(joint.voltage()), abs=1e-12)
        assert named[f"{name}.angle effort"] == pytest.approx(50 * sim.get(joint.motor_torque()), abs=1e-9)
        assert named[f"{name} reaction"] == pytest.approx(np.linalg.norm(sim.get(joint.reaction_force)), abs=1e-9)
        torque = np.linalg.norm(sim.get(joint.reaction_torque))
        assert named[f"{name} reaction torque"] == pytest.approx(torque, abs=1e-9)
    assert named["arm speed"] == pytest.approx(np.linalg.norm(sim.get(plant.scene.bodies["arm"].velocity)), abs=1e-12)


def test_channels_of_every_kind_of_coordinate() -> None:
    scene = sh.Scene("kinds")
    shape = sh.Box(0.2, 0.3, 0.4, mass=2.0)
    types = {
        "prismatic": sh.Prismatic(axis=(1, 0, 0)),
        "cylindrical": sh.Cylindrical(axis=(0, 1, 0)),
        "universal": sh.Universal(axis_a=(1, 0, 0), axis_b=(0, 1, 0)),
        "spherical": sh.Spherical(),
        "planar": sh.Planar(),
        "strut": sh.Strut(anchor_a=(0, 0, 1), anchor_b=(0, 0, 0)),
    }
    for i, (name, kind) in enumerate(types.items()):
        spin, velocity = (0.3, -0.2, 0.5), (0.1, 0.2, -0.1)
        body = scene.body(name, shape, velocity=velocity, angular_velocity=spin, position=(0.1 * i, 0, 0))
        scene.joint(f"j {name}", kind, scene.world, body)
    sim = sh.Simulation(scene, dt=0.005)
    sim.step(20)
    channels = Channels(scene, sim, default_diagram(scene).start(sim))
    values = np.zeros(len(channels.list))
    channels.read(values)
    named = dict(zip((channel.name for channel in channels.list), values, strict=True))
    for joint in scene.joints.values():
        for found in joint.type.coordinates:
            label = f"{joint.name}.{found.name}"
            assert named[label] == pytest.approx(sim.get(joint.coordinate(found.name)), abs=1e-12), label
            assert named[f"{label} rate"] == pytest.approx(sim.get(joint.rate(found.name)), abs=1e-12), label


def test_a_frame_holds_what_its_layout_says(plant: Plant) -> None:
    writer = FrameWriter(plant.scene, plant.channels, tuple(plant.inputs))
    plant.apply(c.Set({"axle voltage": 0.5}))
    plant.step()
    raw = writer.write(plant, 12.5, "running", 1.0, Pacer(0.01).statistics()).tobytes()
    assert len(raw) == writer.layout.size
    header = dict(zip(HEADER, np.frombuffer(raw, "<f8", len(HEADER)), strict=True))
    assert (header["tick"], header["time"], header["clock"], header["mode"]) == (1, 0.005, 12.5, 1)
    block = writer.layout.blocks["poses"]
    poses = np.frombuffer(raw, "<f4", 14, block.offset).reshape(block.shape)
    arm = plant.scene.bodies["arm"]
    assert poses[1, :3] == pytest.approx(plant.simulation.get(arm.position), abs=1e-6)
    assert poses[1, 3:] == pytest.approx(plant.simulation.get(arm.rotation), abs=1e-6)
    assert np.frombuffer(raw, "<f4", 2, writer.layout.blocks["inputs"].offset).tolist() == [0.5, 0.0]


# --- the plant's rules ------------------------------------------------------------------------------------------------


def test_values_out_of_range_are_clamped_and_told(plant: Plant) -> None:
    plant.apply(c.Set({"axle voltage": 7.0}))
    assert plant.controller.inputs["axle voltage"] == 1.0
    assert any("clamped" in text for _, text in plant.alarms)


def test_unknown_inputs_and_numbers_that_are_none_are_refused(plant: Plant) -> None:
    with pytest.raises(sh.SceneError, match="did you mean 'axle voltage'"):
        plant.apply(c.Set({"axle votage": 0.1}))
    with pytest.raises(sh.SceneError, match="finite"):
        plant.apply(c.Set({"axle voltage": float("nan")}))


def test_an_emergency_stop_takes_the_voltage_and_lets_servos_stay_where_they_are(plant: Plant) -> None:
    plant.apply(c.Set({"axle voltage": 1.0, "shoulder target": 1.0}))
    for _ in range(40):
        plant.step()
    shoulder = plant.scene.joints["shoulder"]
    angle = plant.simulation.get(shoulder.angle)
    plant.apply(c.Stop())
    for _ in range(400):
        plant.step()
    assert plant.simulation.get(plant.scene.joints["axle"].voltage()) == 0.0
    assert abs(plant.simulation.get(plant.scene.joints["axle"].speed)) < 1e-6
    # without an integral part the arm hangs a little below the place it is held at
    assert plant.simulation.get(shoulder.angle) == pytest.approx(angle, abs=0.15)
    with pytest.raises(sh.SceneError, match="emergency"):
        plant.apply(c.Set({"axle voltage": 0.2}))
    plant.apply(c.Release())
    plant.apply(c.Enable())
    plant.apply(c.Set({"axle voltage": 0.2}))
    plant.step()
    assert plant.simulation.get(plant.scene.joints["axle"].voltage()) == pytest.approx(0.2)


def test_a_snapshot_goes_on_to_the_bit(plant: Plant) -> None:
    plant.apply(c.Set({"axle voltage": 0.4, "shoulder target": 0.5}))
    for _ in range(30):
        plant.step()
    plant.apply(c.Save("here"))
    for _ in range(30):
        plant.step()
    first = plant.digest()
    plant.apply(c.Restore("here"))
    for _ in range(30):
        plant.step()
    assert plant.digest() == first
    with pytest.raises(sh.SceneError, match="no snapshot"):
        plant.apply(c.Restore("nowhere"))


def test_a_limit_that_is_reached_is_told_once(plant: Plant) -> None:
    plant.apply(c.Set({"shoulder target": -1.0}))
    plant.simulation.set(plant.scene.joints["shoulder"].lower(), -0.3)
    for _ in range(100):
        plant.step()
        plant.watch()
    told = [text for _, text in plant.alarms]
    assert told.count("shoulder.angle is at its lower limit") == 1
    assert sum("target-beyond-limit: the target of 'shoulder.angle' is -1 rad" in text for text in told) == 1


def test_a_limit_that_a_joint_begins_at_is_told_when_it_is_met_again() -> None:
    """A lid that lies on its stop is no news; thrown up at 3 rad/s it falls on it again, after 0.4 s, and is told."""
    scene = sh.Scene("lid")
    lid = scene.body("lid", sh.Box(1, 1, 0.02, mass=1.0), position=(0.5, 0, 0))
    scene.joint("hinge", sh.Revolute(axis=(0, -1, 0)), scene.world, lid, limits=(0.0, 2.0))
    plant = Plant(scene, 0.005, {})

    def told(steps: int) -> int:
        for _ in range(steps):
            plant.watch()
            plant.step()
        return [text for _, text in plant.alarms].count("hinge.angle is at its lower limit")

    assert told(100) == 0
    assert plant.simulation.memory.low_impulse.numpy().min() > 0.0  # it does lie on it
    plant.simulation.set(lid.angular_velocity, (0.0, -3.0, 0.0))
    plant.simulation.set(lid.velocity, (0.0, 0.0, 1.5))
    assert told(200) == 1


def test_faults_act_and_are_taken_back(plant: Plant) -> None:
    axle = plant.scene.joints["axle"]
    plant.apply(c.Inject("loss", {"type": "drive_loss", "joint": "axle"}))
    plant.apply(c.Set({"axle voltage": 1.0}))
    for _ in range(50):
        plant.step()
    assert abs(plant.simulation.get(axle.speed)) < 1e-6
    plant.apply(c.Clear("loss"))
    for _ in range(100):
        plant.step()
    assert plant.simulation.get(axle.speed) == pytest.approx(6.0, rel=0.01)
    with pytest.raises(sh.SceneError, match="no joint"):
        plant.apply(c.Inject("x", {"type": "drive_loss", "joint": "axel"}))
    with pytest.raises(sh.SceneError, match="fault"):
        plant.apply(c.Inject("x", {"type": "earthquake"}))


def test_a_reset_is_the_start(plant: Plant) -> None:
    start = plant.digest()
    plant.apply(c.Inject("wind", {"type": "gust", "body": "arm", "force": [9.0, 0.0, 0.0]}))
    plant.apply(c.Set({"axle voltage": 1.0}))
    for _ in range(20):
        plant.step()
    assert plant.digest() != start
    plant.apply(c.Reset())
    assert (plant.digest(), plant.board.active, plant.controller.inputs["axle voltage"]) == (start, (), 0.0)


# --- commands ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        b'{"do": "fly"}',
        b'{"do": "step", "n": 0}',
        b'{"do": "step", "n": 1, "more": 2}',
        b'{"do": "scale", "factor": 1000}',
        b'{"do": "set", "values": {"a": "b"}}',
        b'{"do": "set", "values": {"a": NaN}}',
        b"[]",
        b"",
    ],
)
def test_malformed_commands_are_refused(text: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        c.decode(text)


# --- the whole thing, in its process ----------------------------------------------------------------------------------


def tick_of(runtime: Runtime) -> int:
    """The tick of the newest frame."""
    while (frame := runtime.frame()) is None:
        time.sleep(0.01)
    return int(np.frombuffer(frame, "<f8", 1)[0])


def test_a_frame_is_made_before_its_time_and_given_when_it_has_come(tmp_path: Path) -> None:
    runtime = Runtime(create_run(machine(), 0.002, {}, tmp_path))
    while runtime.frames_written < 5:
        time.sleep(0.01)
    leads = [0.0]
    while len(leads) < 50 or (max(leads) <= 0.0 and len(leads) < 5000):  # a busy machine may be late for a while
        time.sleep(0.003)
        newest, given = runtime._ring.newest(), runtime.frame()
        assert newest is not None and given is not None
        leads.append(clock_of(newest) - time.time())
        assert clock_of(given) <= time.time()
    assert 0.0 < max(leads) <= AHEAD
    runtime.close()


def test_a_run_in_its_own_process_is_repeated_bit_for_bit(tmp_path: Path) -> None:
    run = create_run(machine(), 0.002, {}, tmp_path)
    runtime = Runtime(run)
    told = []
    for command in (
        c.Set({"axle voltage": 0.6}),
        c.Set({"shoulder target": 5.0}),
        c.Inject("wind", {"type": "gust", "body": "arm", "force": [5.0, 0.0, 0.0], "duration": 0.1}),
        c.Save("a"),
        c.Stop(),
        c.Release(),
        c.Enable(),
        c.Restore("a"),
        c.Reset(),
        c.Set({"axle voltage": -0.3}),
    ):
        runtime.send(command)
        begun = tick_of(runtime)
        while tick_of(runtime) < begun + 20:
            time.sleep(0.01)
        told += [event.alarm.text for event in runtime.events() if isinstance(event, Told)]
    assert any("clamped" in text for text in told)
    frame = runtime.frame()
    assert frame is not None and len(frame) == runtime.ready.layout.size
    runtime.close()
    replay = check(LoggedRun(run.folder))
    assert replay.ticks > 150
    assert replay.digests >= 1
    assert replay.differs_at is None


def test_a_frame_waits_when_it_would_be_in_the_way_of_a_step(plant: Plant, tmp_path: Path) -> None:
    run = create_run(machine(), 0.005, {}, tmp_path)
    _, pipe = Pipe()
    loop = Loop(run, plant, pipe, paused=False)
    try:
        loop._pacer.restart()
        loop._pacer._due += 0.1  # s until the next step
        written = loop._ring.written
        loop._frame_due, loop._frame_takes = time.perf_counter(), 0.2
        loop._publish_if_due()
        assert loop._ring.written == written  # it would take longer than there is time
        loop._frame_takes = 0.01
        loop._publish_if_due()
        assert loop._ring.written == written + 1
        loop._frame_due, loop._frame_takes = time.perf_counter() - 1.0 / FEWEST_FRAMES, 0.2
        loop._publish_if_due()
        assert loop._ring.written == written + 2  # it has waited long enough
    finally:
        loop.close()


def test_the_loop_starts_warm_and_counts_from_nothing(plant: Plant, tmp_path: Path) -> None:
    run = create_run(machine(), 0.005, {}, tmp_path)
    _, pipe = Pipe()
    loop = Loop(run, plant, pipe, paused=True)
    assert (plant.tick, loop._pacer.misses, loop._pacer.worst) == (0, 0, 0.0)
    assert loop._frame_takes > 0.0
    loop.close()


def test_a_log_that_was_changed_is_found_out(tmp_path: Path) -> None:
    run = create_run(machine(), 0.002, {}, tmp_path)
    runtime = Runtime(run, paused=True)
    runtime.send(c.Set({"axle voltage": 0.6}))
    runtime.send(c.Step(50))
    runtime.close()
    log = run.folder / "run.jsonl"
    log.write_text(log.read_text().replace('"axle voltage":0.6', '"axle voltage":0.6000000001'))
    assert check(LoggedRun(run.folder)).differs_at == 50


def test_a_run_that_stops_keeps_its_last_states(tmp_path: Path) -> None:
    """Not in the folder that the console happened to be started from."""
    scene = machine()
    scene.gravity = (0.0, 0.0, -1e6)
    scene.body("dropped", sh.Sphere(0.1, mass=1.0), position=(0.0, 5.0, 0.0))
    run = create_run(scene, 0.005, {"top_speed": 100.0}, tmp_path)
    plant = Plant(run.scene(), 0.005, run.settings)
    with pytest.raises(sh.SimulationFault, match="dropped"):
        plant.step()
    assert [file.name for file in run.folder.glob("fault-*.nc")]


def test_a_step_command_makes_exactly_that_many_steps(tmp_path: Path) -> None:
    runtime = Runtime(create_run(machine(), 0.002, {}, tmp_path), paused=True)

    def settled() -> int:
        """The tick once three frames in a row have the same."""
        written, tick = runtime.frames_written, tick_of(runtime)
        while runtime.frames_written < written + 3 or tick_of(runtime) != tick:
            if tick_of(runtime) != tick:
                written, tick = runtime.frames_written, tick_of(runtime)
            time.sleep(0.01)
        return tick

    assert settled() == 0
    runtime.send(c.Step(1))
    assert settled() == 1
    runtime.send(c.Step(7))
    assert settled() == 8
    runtime.close()


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sh.SceneError, match=r"run\.jsonl"):
        LoggedRun(tmp_path)


def test_python_functions_of_a_diagram_come_from_the_file_that_is_driven(tmp_path: Path) -> None:
    file = tmp_path / "driven.py"
    file.write_text(EXPERIMENT)
    run = create_run(load_experiment(file).scene, 0.005, {}, tmp_path)
    with pytest.raises(sh.SceneError, match="half"):
        Runtime(run, paused=True)  # the function is not in the scene's file
    runtime = Runtime(run, paused=True, source=str(file))
    runtime.send(c.Set({"stick": 1.0}))
    runtime.send(c.Step(200))
    runtime.send(c.End())
    while runtime.alive:
        time.sleep(0.01)
    runtime.close()
    ended = LoggedRun(run.folder)
    assert ended.ended_by is not None
    replay = check(ended, source=str(file))
    assert (replay.ticks, replay.differs_at) == (200, None)
    assert replay.plant.simulation.get(replay.plant.scene.joints["axle"].speed) == pytest.approx(3.0, rel=1e-3)


def test_brakes_are_on_in_the_safe_state_and_off_after_it() -> None:
    scene = machine()
    d = scene.diagram = sh.Diagram("braked")
    shoulder = scene.joints["shoulder"]
    d.servo(shoulder, d.input("target", unit="rad", range=(-1, 2)))
    d.brake(shoulder, d.to_real(d.input("brake", initial=False)), level=30.0)
    plant = Plant(scene, 0.005, {})
    level = shoulder.friction_level()
    read = plant.simulation.taps.reader(level)
    plant.apply(c.Set({"target": 1.0}))
    plant.step()
    assert read() == 0.5
    plant.apply(c.Stop())
    plant.step()
    assert read() == 30.5
    plant.apply(c.Release())
    plant.step()
    assert read() == 30.5
    plant.apply(c.Enable())
    plant.step()
    assert read() == 0.5


def test_no_block_can_overrule_the_safe_state() -> None:
    scene = machine()
    axle = scene.joints["axle"]
    d = scene.diagram = sh.Diagram("stubborn")
    d.drive(axle, d.to_real(d.time() >= 0.0))
    plant = Plant(scene, 0.005, {})
    for _ in range(100):
        plant.step()
    assert plant.simulation.get(axle.speed) == pytest.approx(6.0, rel=0.01)
    plant.apply(c.Stop())
    for _ in range(200):
        plant.step()
    assert plant.simulation.get(axle.voltage()) == 0.0
    assert abs(plant.simulation.get(axle.speed)) < 1e-6
    plant.apply(c.Release())
    plant.apply(c.Enable())
    plant.step()
    assert plant.simulation.get(axle.voltage()) == 1.0


def test_ropes_in_a_frame() -> None:
    """Nodes on a drum lie at the first one that is off it; parted elements are marked."""
    rope = SimpleNamespace(elements=3, spec=SimpleNamespace(skin=None))
    scene: Any = SimpleNamespace(ropes={"line": rope})
    array = lambda values: SimpleNamespace(numpy=lambda: np.array(values)[:, None])  # noqa: E731
    state = SimpleNamespace(
        rope_position=array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]),
        rope_first=array([1]),
        rope_parted=array([0, 0, 1, 0]),
    )
    simulation = SimpleNamespace(state=state, memory=SimpleNamespace(rope_tension=array([9.0, 8.0, 7.0, 0.0])))
    blocks = {name: np.zeros(shape, np.float32) for name, shape in rope_shapes(scene).items()}
    write_ropes(scene, simulation, blocks)
    assert blocks["rope line"].tolist() == [[1, 0, 0, 9], [1, 0, 0, 8], [2, 0, 0, -1], [3, 0, 0, 0]]


def test_contacts_in_a_frame_carry_the_weight() -> None:
    scene = sh.Scene("box")
    scene.ground()
    scene.body("box", sh.Box(0.4, 0.4, 0.4, mass=10.0), position=(0, 0, 0.2))
    plant = Plant(scene, 0.005, {})
    for _ in range(50):
        plant.step()
    writer = FrameWriter(scene, plant.channels, tuple(plant.inputs))
    raw = writer.write(plant, 0.0, "running", 1.0, Pacer(0.005).statistics()).tobytes()
    used = int(np.frombuffer(raw, "<f8", len(HEADER))[HEADER.index("contacts_used")])
    block = writer.layout.blocks["contacts"]
    rows = np.frombuffer(raw, "<f4", 6 * used, block.offset).reshape(used, 6)
    assert 3 <= used <= 4
    assert abs(rows[:, 5].sum()) == pytest.approx(10.0 * 9.81, rel=1e-4)
    assert rows[:, 2] == pytest.approx(0.0, abs=1e-3)
