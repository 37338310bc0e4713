"""The safety chain: every command in every state, what it does and what it must not do, and what the drives get."""

from __future__ import annotations

from typing import get_args

import pytest

import sharnir as sh
from sharnir.runtime import commands as c
from sharnir.runtime.plant import Plant
from sharnir.runtime.safety_chain import NEXT, REFUSED, State, after

FREE, HELD, STOPPED, REFUSES = State.FREE, State.HELD, State.STOPPED, None
GUST = {"type": "gust", "body": "load", "force": [1.0, 0.0, 0.0]}
# What each command leads to from free, held and stopped.
TABLE = [
    (c.Stop(), STOPPED, STOPPED, STOPPED),
    (c.Release(), REFUSES, REFUSES, HELD),
    (c.Hold("gone"), HELD, HELD, STOPPED),
    (c.Enable(), FREE, FREE, REFUSES),
    (c.Set({"axle voltage": 1.0}), FREE, REFUSES, REFUSES),
    (c.Pull("load", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), FREE, REFUSES, REFUSES),
    (c.Loosen(), FREE, HELD, STOPPED),
    (c.Reset(), FREE, HELD, STOPPED),
    (c.Save("later"), FREE, HELD, STOPPED),
    (c.Restore("driving"), FREE, HELD, STOPPED),
    (c.Inject("gust", GUST), FREE, HELD, STOPPED),
    (c.Clear("wind"), FREE, HELD, STOPPED),
    (c.Run(), FREE, HELD, STOPPED),
    (c.Pause(), FREE, HELD, STOPPED),
    (c.Step(3), FREE, HELD, STOPPED),
    (c.Scale(2.0), FREE, HELD, STOPPED),
    (c.Note("well"), FREE, HELD, STOPPED),
    (c.End(), FREE, HELD, STOPPED),
]
WAYS = {FREE: (), HELD: (c.Hold(),), STOPPED: (c.Stop(),)}
MOTOR = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)


def machine() -> sh.Scene:
    """A motor on an axle, and an arm in a servo that sinks a little under its weight."""
    scene = sh.Scene("machine")
    load = scene.body("load", mass=1.0, inertia=(0.4, 0.4, 0.5))
    scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, load, drive=MOTOR)
    arm = scene.body("arm", sh.Box(0.05, 0.05, 0.8, mass=2.0), position=(1, 0, -0.4))
    servo = sh.PositionServo(MOTOR, gain=6.0, damping=0.4)
    scene.joint("shoulder", sh.Revolute(axis=(0, -1, 0), anchor=(1, 0, 0)), scene.world, arm, drive=servo)
    return scene


@pytest.fixture(scope="module")
def driven() -> Plant:
    """A plant with a snapshot of it driving, and a fault that can be cleared."""
    plant = Plant(machine(), 0.005, {})
    plant.apply(c.Set({"axle voltage": 1.0}))
    plant.step()
    plant.apply(c.Save("driving"))
    return plant


def brought_to(plant: Plant, state: State) -> Plant:
    """The plant in a state, its motor driven where that is possible."""
    if plant.chain is STOPPED:
        plant.apply(c.Release())
    if plant.chain is HELD:
        plant.apply(c.Enable())
    plant.apply(c.Restore("driving"))
    plant.apply(c.Inject("wind", GUST))
    for command in WAYS[state]:
        plant.apply(command)
    plant.alarms.clear()
    assert plant.chain is state
    return plant


def test_the_table_has_every_command() -> None:
    tuned = {c.Tune}  # a number of the diagram, which no browser may send: test_tuning.py
    assert {type(row[0]) for row in TABLE} == set(get_args(c.AnyCommand)) - tuned
    assert set(NEXT) == set(REFUSED) == set(State)


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("row", TABLE, ids=lambda row: type(row[0]).__name__)
def test_every_command_in_every_state(
    driven: Plant, state: State, row: tuple[c.Command, State | None, State | None, State | None]
) -> None:
    command, expected = row[0], row[1 + [FREE, HELD, STOPPED].index(state)]
    plant = brought_to(driven, state)
    if expected is REFUSES:
        with pytest.raises(sh.SceneError):
            plant.apply(command, "operator 1")
    else:
        assert after(state, command) is expected
        plant.apply(command, "operator 1")
    assert plant.chain is (expected or state)
    plant.step()
    voltage = plant.simulation.get(plant.scene.joints["axle"].voltage())
    assert plant.safety.on is (plant.chain is not FREE)
    if plant.chain is not FREE:  # whatever the command was: the drive has no voltage, and no input waits to act
        assert voltage == 0.0
        assert plant.controller.inputs["axle voltage"] == 0.0
    elif isinstance(command, (c.Set, c.Restore)):
        assert voltage == 1.0


@pytest.mark.parametrize("state", [HELD, STOPPED])
def test_what_follows_the_safe_state_is_neutral(driven: Plant, state: State) -> None:
    plant = brought_to(driven, state)
    if state is STOPPED:
        plant.apply(c.Release())
        plant.step()
        assert plant.simulation.get(plant.scene.joints["axle"].voltage()) == 0.0
    plant.apply(c.Enable())
    plant.step()
    assert plant.simulation.get(plant.scene.joints["axle"].voltage()) == 0.0
    plant.apply(c.Set({"axle voltage": 0.25}))
    plant.step()
    assert plant.simulation.get(plant.scene.joints["axle"].voltage()) == pytest.approx(0.25)


def test_stops_stand_among_the_alarms_with_their_author(driven: Plant) -> None:
    plant = brought_to(driven, FREE)
    plant.apply(c.Stop(), "watcher 2")
    assert ("alarm", "emergency stop by watcher 2") in plant.alarms
    assert plant.why == "emergency stop by watcher 2"
    plant.apply(c.Release(), "instructor 1")
    assert ("info", "the emergency stop was released by instructor 1") in plant.alarms


def test_what_is_injected_is_not_told_to_the_operator(driven: Plant) -> None:
    plant = brought_to(driven, FREE)
    plant.apply(c.Inject("loss", {"type": "drive_loss", "joint": "axle"}))
    plant.apply(c.Clear("loss"))
    assert plant.alarms == [("fault", "fault injected: loss"), ("fault", "fault cleared: loss")]


def test_repeated_stops_do_not_let_a_servo_sink() -> None:
    plant = Plant(machine(), 0.005, {})
    shoulder = plant.scene.joints["shoulder"]
    plant.apply(c.Set({"shoulder target": 1.0}))
    for _ in range(400):
        plant.step()
    targets = []
    for _ in range(4):
        plant.apply(c.Stop())
        plant.apply(c.Stop())
        for _ in range(200):
            plant.step()
        targets.append(plant.simulation.get(shoulder.target()))
        plant.apply(c.Release())
        plant.apply(c.Enable())
        for _ in range(200):
            plant.step()
    assert abs(plant.simulation.get(shoulder.angle) - targets[0]) > 1e-3  # it does hang below its target
    assert targets == [targets[0]] * 4
    plant.apply(c.Set({"shoulder target": 0.5}))
    for _ in range(400):
        plant.step()
    plant.apply(c.Stop())
    assert plant.controller.inputs["shoulder target"] == pytest.approx(plant.simulation.get(shoulder.angle))
