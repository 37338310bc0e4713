"""The scenarios that ship, driven by scripted operators: a good one passes, a bad one fails for the right reasons, and
the run has the same score again from its log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.scripted import Driver, along, drive

import sharnir as sh
from sharnir.cli.command import main
from sharnir.runtime import commands as c
from sharnir.runtime.plant import Plant
from sharnir.runtime.scenario import Referee, load_scenario, score_of


def through_the_gates() -> Driver:
    return along([(2.5, 0.2), (5.0, 1.0), (7.5, 1.6), (12.0, 2.0)], "krt100_chassis", 0.6)


def straight_on(plant: Plant) -> dict[str, float]:
    return {"forward": 1.0}


def gently(plant: Plant) -> dict[str, float]:
    """Pushes while the door is slow."""
    return {"forward": 0.25 if plant.simulation.get(plant.scene.joints["hinge"].speed) < 0.5 else 0.0}


@pytest.mark.parametrize(
    ("name", "driver", "failed"),
    [
        ("krt100_course", through_the_gates(), set()),
        ("krt100_course", straight_on, {"gate 2", "gate 3", "trailer parked", "speed", "no touch"}),
        ("mf4_door", gently, set()),
        ("mf4_door", straight_on, {"door not flung"}),
    ],
    ids=["course, well", "course, badly", "door, well", "door, badly"],
)
def test_a_scenario(
    name: str, driver: Driver, failed: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, score = drive(name, driver, tmp_path, 61.0)
    assert {goal.name for goal in score.goals if goal.state == "failed"} == failed
    if not failed:
        assert score.finished and score.passed and score.total == 1.0
    else:
        assert not score.passed
    assert score_of(run) == score  # to the bit
    assert main(["score", str(run.folder), "--json"]) == (1 if failed else 0)
    assert json.loads(capsys.readouterr().out)["total"] == score.total
    faults = [entry for entry in run.entries() if isinstance(entry.command, c.Inject)]
    assert [entry.by for entry in faults] == ["scenario"]


def machine() -> sh.Scene:
    scene = sh.Scene("machine")
    load = scene.body("load", mass=1.0, inertia=(0.4, 0.4, 0.5))
    motor = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    scene.joint("axle", sh.Revolute(), scene.world, load, drive=motor)
    return scene


SCENARIO = """
name: spin
scene: machine
time: 3
goals:
  - {type: attain, name: turned, signal: axle.angle, value: 1.0, before: 2}
  - {type: stay, name: slow, signal: axle.angle rate, limit: 4.0, allowed: 1.0, weight: 3}
events:
  - {after: turned, delay: 0.1, name: loss, inject: {type: drive_loss, joint: axle}}
"""


def test_goals_events_and_weights(tmp_path: Path) -> None:
    file = tmp_path / "spin.yaml"
    file.write_text(SCENARIO)
    plant = Plant(machine(), 0.01, {})
    referee = Referee(load_scenario(file), plant)
    plant.apply(c.Set({"axle voltage": 1.0}))  # 6 rad/s: too fast
    due: list[tuple[float, object]] = []
    while not referee.finished:
        plant.step()
        due += [(plant.simulation.time, command) for command in referee.look()]
    turned, slow = referee.score.goals
    assert turned.state == "reached" and turned.at == pytest.approx(1.0 / 6.0, abs=0.15)
    assert 0.0 < slow.score < 1.0
    assert referee.score.total == pytest.approx((1.0 + 3.0 * slow.score) / 4.0)
    for _ in range(20):
        plant.step()
        due += [(plant.simulation.time, command) for command in referee.look()]
    ((at, command),) = due
    assert isinstance(command, c.Inject) and turned.at is not None and at >= turned.at + 0.1
    plant.apply(c.Reset())
    for _ in range(10):
        plant.step()
        referee.look()
    assert referee.score.goals[0].state == "open"  # a reset begins it anew


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("signal: axle.angle,", "there is no signal 'axle.angel'; did you mean 'axle.angle'"),
        ("after: turned,", "an event is after 'trned'"),
        ("type: attain", "Invalid value 'atain'"),
        ("time: 3", "Object missing required field `time`"),
    ],
)
def test_what_is_wrong_with_a_scenario_is_said(tmp_path: Path, wrong: str, said: str) -> None:
    spoilt = {"signal: axle.angle,": "signal: axle.angel,", "after: turned,": "after: trned,"}
    spoilt |= {"type: attain": "type: atain", "time: 3": ""}
    file = tmp_path / "spin.yaml"
    file.write_text(SCENARIO.replace(wrong, spoilt[wrong]))
    with pytest.raises(sh.SceneError, match=said):
        Referee(load_scenario(file), Plant(machine(), 0.01, {}))
    with pytest.raises(sh.SceneError, match="did you mean 'mf4_door'"):
        load_scenario("mf4_dor")
