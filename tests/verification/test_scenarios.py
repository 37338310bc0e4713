"""The scenarios that ship, driven by scripted operators: a good one passes, a bad one fails for the right reasons, and
the run has the same score again from its log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.scripted import Driver, along, drive

import sharnir as sh
from sharnir.cli.command import _experiment, main
from sharnir.control.scenario import Attain, Place, Scenario, Start
from sharnir.experiment import Experiment
from sharnir.runtime import commands as c
from sharnir.runtime.plant import Plant
from sharnir.runtime.referee import Referee, bring_to_start, load_scenario, referee_of, score_of
from sharnir.view.choice import of_run, with_scenario


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
        ("type: attain", "line 6: goals.0.: .*'atain'.*did you mean 'attain'"),
        ("time: 3", "missing key 'time'; give a number"),
        ("delay: 0.1,", "needs a time 'at', a goal 'after' which, or a 'signal'"),
        ("joint: axle}", "no joint 'axel'.*did you mean 'axle'"),
    ],
)
def test_what_is_wrong_with_a_scenario_is_said(tmp_path: Path, wrong: str, said: str) -> None:
    spoilt = {"signal: axle.angle,": "signal: axle.angel,", "after: turned,": "after: trned,"}
    spoilt |= {"type: attain": "type: atain", "time: 3": "", "delay: 0.1,": "delay: 0.1, at: 3,"}
    spoilt |= {"joint: axle}": "joint: axel}"}
    file = tmp_path / "spin.yaml"
    file.write_text(SCENARIO.replace(wrong, spoilt[wrong]))
    with pytest.raises(sh.SceneError, match=said):
        Referee(load_scenario(file), Plant(machine(), 0.01, {}))
    with pytest.raises(sh.SceneError, match="did you mean 'mf4_door'"):
        load_scenario("mf4_dor")


def scenario(text: str, folder: Path) -> Scenario:
    file = folder / "task.yaml"
    file.write_text(text)
    return load_scenario(file)


def looked_at(referee: Referee, plant: Plant, steps: int) -> list[tuple[float, object]]:
    """What was due in so many steps, and when (s)."""
    due: list[tuple[float, object]] = []
    for _ in range(steps):
        plant.step()
        due += [(plant.simulation.time, what) for what in referee.look()]
    return due


@pytest.mark.parametrize("steps", [10, 400], ids=["given up at once", "stood still to the end"])
def test_whoever_does_nothing_earns_nothing(steps: int, tmp_path: Path) -> None:
    """He has not been too fast either; what is to be kept counts as far as the rest was reached."""
    plant = Plant(machine(), 0.01, {})
    referee = Referee(scenario(SCENARIO, tmp_path), plant)
    looked_at(referee, plant, steps)
    assert referee.finished is (steps == 400)
    assert referee.score.total == 0.0 and not referee.score.passed
    assert [goal.score for goal in referee.score.goals] == [0.0, 0.0]


def test_half_of_the_way_counts_half_of_what_was_kept(tmp_path: Path) -> None:
    more = "  - {type: attain, name: twice, signal: axle.angle, value: 1000.0}\nevents:"
    plant = Plant(machine(), 0.01, {})
    referee = Referee(scenario(SCENARIO.replace("events:", more), tmp_path), plant)
    plant.apply(c.Set({"axle voltage": 0.5}))  # 3 rad/s: slow enough
    looked_at(referee, plant, 100)
    assert [goal.score for goal in referee.score.goals] == [1.0, 0.5, 0.0]
    assert referee.score.total == pytest.approx((1.0 + 3.0 * 0.5) / 5.0)


def test_what_is_only_to_be_kept_counts_as_time_goes_by(tmp_path: Path) -> None:
    text = "name: hold\ntime: 2\ngoals: [{type: stay, name: slow, signal: axle.angle rate, limit: 4.0}]"
    plant = Plant(machine(), 0.01, {})
    referee = Referee(scenario(text, tmp_path), plant)
    looked_at(referee, plant, 50)
    assert referee.score.total == pytest.approx(0.25)
    looked_at(referee, plant, 150)
    assert referee.score.passed and referee.score.total == 1.0


def test_an_event_on_a_condition_happens_once(tmp_path: Path) -> None:
    fast = "events:\n  - {signal: axle.angle rate, above: 3.0, delay: 0.2, message: too fast}"
    slow = "\n  - {signal: axle.angle rate, below: -3.0, message: the wrong way}"
    plant = Plant(machine(), 0.01, {})
    referee = Referee(scenario(SCENARIO.partition("events:")[0] + fast + slow, tmp_path), plant)
    assert looked_at(referee, plant, 20) == []
    plant.apply(c.Set({"axle voltage": 1.0}))
    ((at, said),) = looked_at(referee, plant, 100)
    assert said == "too fast" and 0.4 <= at <= 0.9
    plant.apply(c.Set({"axle voltage": 0.0}))
    looked_at(referee, plant, 100)
    plant.apply(c.Set({"axle voltage": 1.0}))
    assert looked_at(referee, plant, 100) == []


STARTED = """
start:
  coordinates: {shoulder.angle: 0.5}
  speeds: {shoulder.angle: -0.25}
  inputs: {shoulder target: 0.5}
  places: {cart: {position: [3.0, 1.0, 0.5], heading: 1.5707963267948966}}
"""


def workshop() -> sh.Scene:
    """An arm on the world, and a cart with a wheel, free to be put anywhere; the scene has a scenario of its own."""
    scene = sh.Scene("workshop")
    motor = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    arm = scene.body("arm", sh.Box(0.8, 0.05, 0.05, mass=2.0), position=(0.4, 0, 1))
    servo = sh.PositionServo(motor, gain=6.0, damping=0.4)
    scene.joint("shoulder", sh.Revolute(axis=(0, 0, 1), anchor=(0, 0, 1)), scene.world, arm, drive=servo)
    cart = scene.body("cart", sh.Box(1.0, 0.5, 0.2, mass=5.0), position=(0, 3, 0.5))
    wheel = scene.body("wheel", sh.Sphere(0.1, mass=1.0), position=(0.5, 3, 0.4))
    scene.joint("axle", sh.Revolute(axis=(0, 1, 0), anchor=(0.5, 3, 0.4)), cart, wheel)
    return scene


def test_a_scenario_starts_in_a_state_of_its_own(tmp_path: Path) -> None:
    """In a file beside that of its scene; a run of a run starts in the same state, and so does a reset."""
    workshop().save(tmp_path / "workshop.yaml")
    goal = "goals: [{type: attain, name: turned, signal: shoulder.angle, value: 1.0}]"
    (tmp_path / "task.yaml").write_text(f"name: task\nscene: workshop.yaml\ntime: 5\n{goal}{STARTED}")
    first = with_scenario(str(tmp_path / "task.yaml"), load_experiment_file).begin(tmp_path / "runs")
    again = of_run(first.folder).begin(tmp_path / "runs")
    for run in (first, again):
        plant = Plant(run.scene(), run.header.dt, run.settings)
        for _ in range(2):
            get, scene = plant.simulation.get, plant.scene
            shoulder, cart, wheel = scene.joints["shoulder"], scene.bodies["cart"], scene.bodies["wheel"]
            assert get(shoulder.angle) == pytest.approx(0.5, abs=1e-9)
            assert get(shoulder.speed) == pytest.approx(-0.25, abs=1e-9)
            assert plant.controller.inputs["shoulder target"] == 0.5
            assert get(cart.position) == pytest.approx([3.0, 1.0, 0.5], abs=1e-9)
            assert get(wheel.position) == pytest.approx([3.0, 1.5, 0.4], abs=1e-9)  # ahead of it, as it was
            assert get(scene.joints["axle"].angle) == pytest.approx(0.0, abs=1e-9)
            plant.step()
            plant.apply(c.Reset())


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (Start(places={"arm": Place(position=(0, 0, 0))}), "'shoulder' holds it where it is"),
        (Start(places={"crat": Place(position=(0, 0, 0))}), "no such body; did you mean 'cart'"),
        (Start(coordinates={"shoulder.angel": 1.0}), "no coordinate of a joint; did you mean 'shoulder.angle'"),
        (Start(inputs={"shoulder taget": 1.0}), "no input 'shoulder taget'; did you mean 'shoulder target'"),
    ],
)
def test_a_start_that_cannot_be_is_refused(start: Start, said: str) -> None:
    with pytest.raises(sh.SceneError, match=said):
        bring_to_start(workshop(), start)


def test_a_scene_has_scenarios_of_its_own(tmp_path: Path) -> None:
    """They are in its file, and are asked for by name."""
    scene, file = workshop(), tmp_path / "workshop.yaml"
    goal = Attain(name="turned", signal="shoulder.angle", value=1.0)
    scene.scenarios["turn"] = Scenario(name="Turn it", time=5.0, goals=(goal,), start=Start(inputs={}))
    scene.save(file)
    assert sh.Scene.load(file).scenarios == scene.scenarios
    run = with_scenario("turn", load_experiment_file, str(file)).begin(tmp_path / "runs")
    plant = Plant(run.scene(), run.header.dt, run.settings)
    referee = referee_of(run, plant)
    assert referee is not None and referee.scenario == scene.scenarios["turn"]
    plant.apply(c.Set({"shoulder target": 1.5}))
    looked_at(referee, plant, round(5.0 / run.header.dt))
    assert referee.score.passed
    file.write_text(
        file.read_text()
        .replace("signal: shoulder.angle", "body: crat, at: [0, 0], radius: 1")
        .replace("attain", "reach")
        .replace(", value: 1", "")
    )
    with pytest.raises(sh.SceneError, match=r"scenarios.*no body 'crat'"):
        sh.Scene.load(file)


def test_a_scenario_runs_no_program(tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    (tmp_path / "task.yaml").write_text(SCENARIO.replace("scene: machine", "scene: evil.py"))
    with pytest.raises(sh.SceneError, match=r"names the program 'evil\.py'"):
        with_scenario(str(tmp_path / "task.yaml"), load_experiment_file)
    assert not (tmp_path / "ran").exists()


def test_the_scenario_of_the_documentation_is_one(tmp_path: Path) -> None:
    """Its start, too: the robot with its trailer stands where it is put."""
    text = (Path(__file__).parents[2] / "docs" / "console.md").read_text()
    (tmp_path / "task.yaml").write_text(text[text.index("name: KRT-100 course") :].partition("```")[0])
    run = with_scenario(str(tmp_path / "task.yaml")).begin(tmp_path / "runs")
    plant = Plant(run.scene(), run.header.dt, run.settings)
    assert referee_of(run, plant) is not None
    assert plant.simulation.get(plant.scene.bodies["krt100_chassis"].position)[:2] == pytest.approx([0.0, -1.0])


def load_experiment_file(what: str) -> Experiment:
    """As the command does."""
    return _experiment(what)[1]
