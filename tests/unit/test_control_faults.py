"""Faults injected while running: what they do, alone and on top of a diagram, and that they repeat."""

from __future__ import annotations

import math
from array import array
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from axles import DT, MOTOR, axle_scene, speed_control

import sharnir as sh
from sharnir.control import (
    BrakeFailure,
    DriveLoss,
    ExtraFriction,
    FaultBoard,
    Gust,
    RopeBreak,
)


def test_a_motor_without_power_leaves_its_rotor_and_gear():
    """No friction, no power: the speed stays. A motor at zero volts would brake it with T = 0.06 s."""
    scene = sh.Scene("free", gravity=(0, 0, 0))
    load = scene.body("load", mass=2.0, inertia=(0.4, 0.4, 0.5), angular_velocity=(0, 0, 3.0))
    axle = scene.joint("axle", sh.Revolute(), scene.world, load, drive=MOTOR)
    sim = sh.Simulation(scene, dt=DT)
    board = FaultBoard(sim, {"dead": DriveLoss("axle"), "weak": DriveLoss("axle", remaining=0.5)})
    board.inject("dead")
    sim.step(200)
    assert sim.get(axle.speed) == pytest.approx(3.0, abs=1e-6)
    board.clear("dead")
    assert board.active == ()
    sim.step(12)
    assert sim.get(axle.speed) == pytest.approx(3.0 / math.e, rel=0.05)
    board.inject("weak")
    sim.set(axle.voltage(), 1.0)
    sim.step(400)
    assert sim.get(axle.speed) == pytest.approx(6.0, abs=1e-4)  # half the torque, the same idle speed


def test_a_motor_fails_in_one_world_alone():
    scene, axle = axle_scene()
    sim = sh.Simulation(scene, dt=DT, worlds=2)
    sim.set(axle.voltage(), 0.5)
    FaultBoard(sim, {"dead": DriveLoss("axle")}, world=1).inject("dead")
    run = sim.run(200 * DT)
    alone = sh.Simulation(scene, dt=DT)
    alone.set(axle.voltage(), 0.5)
    alone.step(200)
    assert sim.get(axle.speed).tolist() == [alone.get(axle.speed), 0.0]
    assert sim.taps.reader(axle.motor_torque(), None, 1)() == pytest.approx(0.0, abs=1e-8)
    torque = run[axle.motor_torque()].isel(time=1).values
    assert torque[0] > 0.4 and torque[1] == pytest.approx(0.0, abs=1e-8)
    sim.reset()
    assert sim.get(axle.voltage()).tolist() == [0.0, 0.0]


def test_brakes_fail_and_joints_stiffen_on_top_of_what_the_diagram_sets():
    scene, axle = axle_scene()
    scene.diagram = speed_control(axle)
    scene.faults |= {"no brake": BrakeFailure("axle", remaining=0.1), "stiff": ExtraFriction("axle", 2.0)}
    sim = sh.Simulation(scene, dt=DT)
    board = FaultBoard(sim)

    def level() -> float:
        sim.step(2)
        return float(sim.model.dynamic_level.numpy()[0, 0])

    assert level() == 0.5
    board.inject("stiff")
    assert level() == 2.5
    sim.controller.inputs["stop"] = True
    assert level() == 32.5
    board.inject("no brake")
    assert level() == pytest.approx(0.5 + 0.1 * (32.5 - 0.5))  # the brake comes after: it takes all that is extra
    snapshot = sim.snapshot()
    board.clear("stiff")
    assert level() == pytest.approx(3.5)
    sim.controller.inputs["stop"] = False
    assert level() == 0.5
    sim.restore(snapshot)
    assert board.active == ("stiff", "no brake")
    assert level() == pytest.approx(3.7)
    sim.reset()
    assert board.active == ()
    assert level() == 0.5


def test_a_gust_gives_its_impulse_and_is_over():
    """(1 - cos)/2 of F over T is an impulse F T/2, exactly so at the middles of the steps; other forces stay."""
    scene = sh.Scene("gust", gravity=(0, 0, 0))
    ball = scene.body("ball", sh.Sphere(0.1, mass=2.0))
    sim = sh.Simulation(scene, dt=DT)
    board = FaultBoard(sim, {"gust": Gust("ball", (8.0, 0, -4.0), duration=0.5)})
    sim.control.force.numpy()[1, 0] = (0, 1.0, 1.0)
    sim.step(20)
    board.inject("gust")
    sim.step(180)
    assert sim.get(ball.velocity) == pytest.approx([8 * 0.5 / 2 / 2, 0.5, -4 * 0.5 / 2 / 2 + 0.5], abs=1e-12)
    assert sim.control.force.numpy()[1, 0].tolist() == [0, 1.0, 1.0]


def test_faults_repeat_bit_for_bit_from_a_snapshot():
    scene, axle = axle_scene()
    scene.diagram = speed_control(axle)
    sim = sh.Simulation(scene, dt=DT)
    board = FaultBoard(sim, {"gust": Gust("load", (5.0, 0, 0)), "dead": DriveLoss("axle")})
    sim.step(10)
    board.inject("gust")
    board.inject("dead")
    sim.step(10)
    snapshot = sim.snapshot()
    board.clear("dead")
    dead = sim.get(axle.speed)
    sim.step(30)
    assert sim.get(axle.speed) > dead + 0.1  # rad/s: the motor works again
    first = sim.state.spin.numpy().tobytes()
    sim.step(7)
    sim.restore(snapshot)
    assert sim.model.drive_stall.numpy()[0] == pytest.approx(1.5e-9)
    board.clear("dead")
    sim.step(30)
    assert sim.state.spin.numpy().tobytes() == first


def test_a_rope_breaks_once_at_its_top_and_its_load_falls():
    scene = sh.Scene("hanging")
    ball = scene.body("ball", sh.Sphere(0.05, mass=5.0), position=(0, 0, -1))
    scene.rope(
        "cable",
        path=((0, 0, 0), (0, 0, -1)),
        radius=0.005,
        density=1000.0,
        elements=10,
        start=sh.Tie("world"),
        end=sh.Tie("ball"),
    )
    sim = sh.Simulation(scene, dt=DT)
    board = FaultBoard(sim, {"cut": RopeBreak("cable")})
    sim.step(40)
    held = sim.get(ball.position)[2]
    snapshot = sim.snapshot()
    board.inject("cut")
    sim.step(40)
    parted = sim.state.rope_parted.numpy()[:, 0]
    assert parted.sum() == 1
    assert parted[0] == 1  # the top element carries the rope as well
    assert held - sim.get(ball.position)[2] == pytest.approx(9.81 * (39 * DT) ** 2 / 2, rel=0.06)
    board.clear("cut")
    assert np.isinf(sim.model.rope_strength.numpy()[0])
    sim.restore(snapshot)
    sim.step(40)
    assert sim.get(ball.position)[2] == pytest.approx(held, abs=1e-3)


class SinglePrecision:
    """A simulation in float32, as far as a fault board sees one: a number loses digits when it is written."""

    def __init__(self, scene: sh.Scene, level: float) -> None:
        self.scene, self.dt, self.steps, self.taps = scene, DT, 0, self
        self.memory = array("f", [level])

    def steps_of(self, world: int) -> int:
        return self.steps

    def attach(self, part: object) -> None: ...
    def refresh(self) -> None: ...
    def flush(self) -> None: ...

    def reader(self, *_: object) -> object:
        return lambda: self.memory[0]

    def writer(self, *_: object) -> object:
        return partial(self.memory.__setitem__, 0)


def test_a_fault_adds_once_also_where_numbers_are_rounded():
    scene, _ = axle_scene()
    plant = SinglePrecision(scene, 0.1)
    board = FaultBoard(plant, {"stiff": ExtraFriction("axle", 0.2)})
    board.inject("stiff")
    for _ in range(5):
        board.tick()
    assert plant.memory[0] == pytest.approx(0.3, rel=1e-6)
    board.clear("stiff")
    assert plant.memory[0] == pytest.approx(0.1, rel=1e-6)


def test_faults_that_cannot_be_are_refused():
    scene, _ = axle_scene()
    sim = sh.Simulation(scene, dt=DT)
    board = FaultBoard(sim)
    for fault, message in (
        (DriveLoss("axel"), "fault 'f': there is no joint 'axel'; did you mean 'axle'"),
        (Gust("lod", (1, 0, 0)), "no body 'lod'; did you mean 'load'"),
    ):
        with pytest.raises(sh.SceneError, match=message):
            board.add("f", fault)
    with pytest.raises(sh.SceneError, match="no fault 'x'"):
        board.inject("x")
    with pytest.raises(sh.SceneError, match="share from 0 to 1"):
        DriveLoss("axle", remaining=2.0)


def test_faults_are_kept_in_the_scene_file(tmp_path: Path):
    scene, _ = axle_scene()
    scene.faults |= {"gust": Gust("load", (1 / 3, 0, 0)), "dead": DriveLoss("axle"), "hot": ExtraFriction("axle", 2)}
    scene.faults["worn"] = BrakeFailure("axle", remaining=0.25)
    path = scene.save(tmp_path / "s.yaml")
    assert sh.Scene.load(path).faults == scene.faults
    path.write_text(path.read_text().replace("body: load", "body: lod"))
    with pytest.raises(sh.SceneError, match=r"line \d+: fault 'gust': there is no body 'lod'"):
        sh.Scene.load(path)
