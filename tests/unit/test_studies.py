"""Studies: points, measures, batches, results; against closed forms of the door."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sharnir as sh
from sharnir.cli.command import main
from sharnir.experiment import load_example
from sharnir.studies import Study, open_study, sobol_indices
from sharnir.studies.design import draw, make_points
from sharnir.studies.measures import Follower, parse_measure
from sharnir.studies.sensitivity import indices_of
from sharnir.studies.spread import parse_spread

PUSH, PUSH_ENDS, WIDTH, THICKNESS = 52.727272727, 0.33, 0.9, 0.04  # of the example


def door() -> sh.Experiment:
    return load_example("door")


def rest_angle(friction, mass):
    """Pushed for t: w = (M - F) t/I, angle = w t/2 + w^2 I/(2 F); it stands for good where it stops."""
    inertia = mass * (WIDTH**2 / 3 + THICKNESS**2 / 12)
    speed = (PUSH - friction) * PUSH_ENDS / inertia
    return speed * PUSH_ENDS / 2 + speed**2 * inertia / (2 * friction)


# --- what varies ------------------------------------------------------------------------------------------------------


def test_grids_lists_and_draws():
    assert parse_spread("a", "10:30:5").values == (10.0, 15.0, 20.0, 25.0, 30.0)
    assert parse_spread("a", "1, 2, 5").values == (1.0, 2.0, 5.0)
    np.testing.assert_allclose(parse_spread("a", "log(1, 100, 3)").values, (1, 10, 100))
    assert parse_spread("a", "2:4").bounds == (2.0, 4.0)
    shares = (np.arange(100000) + 0.5) / 100000  # moments of the distributions, by the midpoint rule
    moments = {
        "normal(26, 2)": (26.0, 2.0),
        "uniform(2, 4)": (3.0, 2 / np.sqrt(12)),
        "triangular(0, 1, 4)": (5 / 3, np.sqrt((16 + 1 - 4) / 18)),
        "normal(0, 1, -100, 0)": (-np.sqrt(2 / np.pi), np.sqrt(1 - 2 / np.pi)),  # half of one
    }
    for text, (mean, deviation) in moments.items():
        values = parse_spread("a", text).quantile(shares)
        assert values.mean() == pytest.approx(mean, abs=1e-3), text
        assert values.std() == pytest.approx(deviation, rel=1e-3), text
    logs = np.log(parse_spread("a", "lognormal(3, 2)").quantile(shares))
    assert (logs.mean(), logs.std()) == (pytest.approx(np.log(3)), pytest.approx(np.log(2), rel=1e-3))


def test_every_grid_point_has_the_same_draws():
    vary = {"a": parse_spread("a", "1,2"), "b": parse_spread("b", "normal(0,1)"), "c": parse_spread("c", "5,6,7")}
    points = make_points(vary, 4, "random", seed=7)
    assert points.shape == (2, 3, 4)
    a, b, c = points.values.T.reshape(3, 2, 3, 4)
    assert (a[0] == 1).all() and (c[:, 1] == 6).all()
    assert (b == b[0, 0]).all() and len(set(b[0, 0])) == 4
    again = make_points(vary, 4, "random", seed=7)
    assert (again.values == points.values).all()
    assert (make_points(vary, 4, "random", seed=8).values != points.values).any()


@pytest.mark.parametrize("design", ["latin-hypercube", "sobol"])
def test_even_designs_fill_every_slice_once(design):
    vary = {name: parse_spread(name, "0:1") for name in "ab"}
    points = make_points(vary, 16, design, seed=1).values
    for column in points.T:
        assert sorted((column * 16).astype(int)) == list(range(16))


# --- what is measured -------------------------------------------------------------------------------------------------


def test_reductions_of_a_known_course():
    """x = sin t in one world and twice that in another, over a whole turn in small steps."""
    scene = door().scene
    times = np.linspace(0, 2 * np.pi, 6001)
    expected = {
        "final": (0, 0), "initial": (0, 0), "max": (1, 2), "min": (-1, -2), "peak": (1, 2), "span": (2, 4),
        "mean": (0, 0), "rms": (np.sqrt(0.5), np.sqrt(2)), "time of max": (np.pi / 2,) * 2,
        "time of min": (3 * np.pi / 2,) * 2, "first above 0.5": (np.pi / 6, np.arcsin(0.25)),
        "last above 0.5": (5 * np.pi / 6, np.pi - np.arcsin(0.25)),
        "first below -1.5": (np.nan, np.pi + np.arcsin(0.75)),
        "at 1": (np.sin(1), 2 * np.sin(1)), "quantile 0.5": (0, 0),
    }  # fmt: skip
    for text, value in expected.items():
        follower = Follower(parse_measure(f"hinge.angle {text}", scene), 2)
        for time in times:
            follower.update(time, np.array([1.0, 2.0]) * np.sin(time))
        np.testing.assert_allclose(follower.result(), value, atol=1.1e-3, err_msg=text)


def test_a_study_of_the_door_is_the_closed_form(tmp_path):
    study = Study(
        door(),
        {"hinge.friction": "15:30:4", "door.mass": "normal(26, 2)"},
        ["hinge.angle final", "hinge.angle first above 100", "hinge.angle series"],
        samples=6,
        seed=3,
    )
    results = study.run(tmp_path / "s.zarr")
    data = results.data
    angle = data["hinge.angle final"]
    assert angle.dims == ("hinge.friction", "sample")
    assert (angle.attrs["units"], data["door.mass"].attrs["units"]) == ("rad", "kg")
    exact = rest_angle(data["hinge.friction"].values[:, None], data["door.mass"].values)
    np.testing.assert_allclose(angle.values, exact, rtol=2e-4)  # (w dt)^2 of the default step
    assert data["hinge.angle series"].dims == ("hinge.friction", "sample", "time")
    assert results.never() == ["hinge.angle first above 100"]
    number = results.nearest_point({"hinge.friction": 19, "sample": 2})
    assert number == 6 + 2
    run = results.open(number)
    hinge = door().scene.joints["hinge"]
    assert run[hinge.angle].values[-1] == angle.values[1, 2]  # the same bits
    assert (run[hinge.angle].values == data["hinge.angle series"].values[1, 2]).all()
    saved = results.scene_at(number)
    assert saved.joints["hinge"].friction["angle"].level == 20.0
    assert saved.bodies["door"].properties.mass == data["door.mass"].values[2]


def test_what_no_world_can_have_of_its_own_makes_batches(tmp_path):
    """The width changes the shape; it is given last and varies slowest. Wider doors are heavier to turn: I ~ x^2."""
    study = Study(door(), {"hinge.friction": "20, 30", "door.shapes.0.x": "0.6:0.9:3"}, ["hinge.speed max"], time=0.5)
    assert study.plan.names == ("door.shapes.0.x", "hinge.friction")
    speed = study.run().data["hinge.speed max"]
    assert speed.dims == ("door.shapes.0.x", "hinge.friction")
    # the anchor stays at x = 0 and the frame at 0.45 m: I = m ((x^2 + y^2)/12 + 0.45^2)
    inertia = 26.487360107 * ((speed["door.shapes.0.x"] ** 2 + THICKNESS**2) / 12 + 0.45**2)
    exact = (PUSH - speed["hinge.friction"]) * PUSH_ENDS / inertia
    np.testing.assert_allclose(speed.values, exact.T.values, rtol=2e-4)


def test_a_function_may_make_the_scene():
    def made(push: float = 50.0, angle: float = 0.0) -> sh.Experiment:
        experiment = door()
        hinge = experiment.scene.joints["hinge"]
        return sh.Experiment(experiment.scene, time=0.2, dt=0.01, torque={hinge: lambda t: push if t < 0.1 else 0.0})

    study = Study(made, {"push": "30, 60", "hinge.friction": "0, 10"}, ["hinge.speed max"])
    inertia = 26.487360107 * (WIDTH**2 / 3 + THICKNESS**2 / 12)
    exact = [[(push - friction) * 0.1 / inertia for friction in (0, 10)] for push in (30, 60)]
    np.testing.assert_allclose(study.run().data["hinge.speed max"].values, exact, rtol=1e-4)


def test_an_input_may_vary_and_a_world_may_fail():
    scene = door().scene
    vary = {"torque.hinge": "10, 30", "door.mass": "-1, 20"}
    results = Study(scene, vary, ["hinge.speed final"], time=0.1, dt=0.01).run()
    speed = results.data["hinge.speed final"].sel({"door.mass": 20.0}).values
    assert abs(speed[0]) < 1e-12  # it sticks
    assert speed[1] == pytest.approx((30 - 20) * 0.1 / (20 * (WIDTH**2 / 3 + THICKNESS**2 / 12)), rel=1e-4)
    assert sorted(results.faults()) == [0, 2]
    assert "mass of body 'door' is set to [-1.]" in results.faults()[0]


def test_commands_and_motions_drive_a_study_as_they_drive_a_run():
    """Of an experiment and of the study itself; bit for bit, a motion where it is by the end of a step."""
    scene = sh.Scene("press", gravity=(0, 0, 0))
    actuated, moved = (scene.body(name, mass=2.0, inertia=(1.0,) * 3) for name in ("ram", "table"))
    guide = scene.joint("guide", sh.Prismatic(), scene.world, actuated, actuator=sh.IdealActuator(limit=50.0))
    rail = scene.joint("rail", sh.Prismatic(axis=(0, 1, 0)), scene.world, moved)
    scene.couple("shaker", sh.Prescribed(), rail)
    wave = {"command": {guide: lambda t: 9.0 * np.sin(8 * t)}, "motion": {rail: lambda t: 0.1 * np.sin(7 * t)}}
    measures = ["guide.displacement final", "rail.displacement final", "rail.speed max"]
    plain = sh.Simulation(scene, dt=0.01).run(0.3, **wave)
    for study in (
        Study(sh.Experiment(scene, time=0.3, dt=0.01, **wave), {"ram.mass": "2, 4"}, measures),
        Study(scene, {"ram.mass": "2, 4"}, measures, time=0.3, dt=0.01, **wave),
    ):
        data = study.run().data
        assert float(data[measures[0]][0]) == float(plain[guide.displacement][-1])
        assert float(data[measures[1]][1]) == float(plain[rail.displacement][-1])
        assert float(data[measures[0]][1]) == pytest.approx(0.5 * float(data[measures[0]][0]), rel=1e-9)
    pushed = Study(scene, {"command.guide": "1, 3"}, measures[:1], time=0.3, dt=0.01).run().data[measures[0]]
    np.testing.assert_allclose(pushed, [0.3**2 / 4, 3 * 0.3**2 / 4], rtol=1e-9)  # F t^2/2m
    with pytest.raises(sh.SceneError, match=r"motion: .* is no input of a study; prescribe where a joint's coordinate"):
        Study(scene, {"ram.mass": "2, 4"}, measures, time=0.3, motion={rail.speed: lambda t: 1.0})
    with pytest.raises(sh.SceneError, match=r"command of .*'guide'.* is a function of time and the simulation"):
        Study(scene, {"ram.mass": "2, 4"}, measures, time=0.3, command={guide: lambda t, sim: 1.0})


def test_a_runaway_is_a_row_with_its_reason():
    results = Study(door().scene, {"torque.hinge": "0, 1e30"}, ["hinge.angle max"], time=0.1, dt=0.01).run()
    reason = results.faults()[1]
    assert "body 'door', held by joint 'hinge'," in reason and "stopped at step" in reason
    assert np.isfinite(results.data["hinge.angle max"].values).tolist() == [True, False]


# --- files and commands -----------------------------------------------------------------------------------------------

STUDY = """study: 1
scene: door
vary:
  hinge.friction: 15:30:4
measure: [hinge.angle final]
time: 1.5
inputs:
  torque: {hinge: [[0, 52.727272727], [0.33, 0]]}
"""


def test_a_study_in_a_file_is_the_one_from_the_shell(tmp_path, capsys):
    (tmp_path / "study.yaml").write_text(STUDY)
    assert main(["sweep", str(tmp_path / "study.yaml"), "--out", str(tmp_path / "a.zarr"), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["points"], summary["done"], summary["faults"]) == (4, 4, 0)
    options = ["--vary", "hinge.friction=15:30:4", "--measure", "hinge.angle final", "--time", "1.5"]
    options += ["--input", "torque.hinge=0:52.727272727,0.33:0", "--out", str(tmp_path / "b.zarr")]
    assert main(["sweep", "door", *options]) == 0
    assert "hinge.angle final" in " ".join(capsys.readouterr().out.split())
    first, second = (open_study(tmp_path / name).values("hinge.angle final")[1] for name in ("a.zarr", "b.zarr"))
    assert (first == second).all()
    np.testing.assert_allclose(first, rest_angle(np.linspace(15, 30, 4), 26.487360107), rtol=2e-4)
    shown = ["sweep", "show", str(tmp_path / "a.zarr"), "--at", "hinge.friction=24", "--json"]
    assert main([*shown, "--save", str(tmp_path / "run.nc")]) == 0
    point = json.loads(capsys.readouterr().out)
    assert point["parameters"] == {"hinge.friction": 25.0}
    assert point["measures"]["hinge.angle final"] == first[2]
    assert sh.Trajectory.load(tmp_path / "run.nc").time[-1] == pytest.approx(1.5)


def test_a_measure_that_never_happens_is_said_and_nothing_lost(tmp_path, capsys):
    options = ["--vary", "hinge.friction=20", "--measure", "hinge.angle first above 9", "--measure", "hinge.angle max"]
    assert main(["sweep", "door", *options, "--out", str(tmp_path / "s.zarr"), "--json"]) == 1
    assert "'hinge.angle first above 9' happened at none of the 1 points" in capsys.readouterr().err
    assert np.isfinite(open_study(tmp_path / "s.zarr").values("hinge.angle max")[1]).all()


# --- what comes out ---------------------------------------------------------------------------------------------------


def test_sobol_indices_of_the_ishigami_function():
    """f = sin a + 7 sin^2 b + 0.1 c^4 sin a, a to c uniform over a turn (Ishigami and Homma 1990)."""
    angles = draw(2**12, 3, "saltelli", seed=0) * 2 * np.pi - np.pi
    a, b, c = angles.T
    found = indices_of(np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a), ["a", "b", "c"])
    parts = (0.5 * (1 + 0.1 * np.pi**4 / 5) ** 2, 7**2 / 8, 0.0, 0.1**2 * np.pi**8 * (1 / 18 - 1 / 50))
    whole = sum(parts)
    first = [part / whole for part in parts[:3]]
    total = [(parts[0] + parts[3]) / whole, parts[1] / whole, parts[3] / whole]
    for index, alone, together in zip(found, first, total, strict=True):
        assert index.first == pytest.approx(alone, abs=0.01)
        assert index.total == pytest.approx(together, abs=0.01)
        assert index.first_range[0] < alone < index.first_range[1]
        assert index.total_range[0] < together < index.total_range[1]


def test_a_report_is_one_file_with_its_plots(tmp_path, capsys):
    vary = ["--vary", "hinge.friction=15:30:3", "--vary", "door.mass=normal(26,2)", "--vary", "gravity.z=-10,-9"]
    options = [*vary, "--samples", "4", "--measure", "hinge.angle final", "--measure", "hinge.angle series"]
    report, plots, out = tmp_path / "report.html", tmp_path / "plots", str(tmp_path / "s.zarr")
    assert main(["sweep", "door", *options, "--out", out, "--report", str(report), "--json"]) == 0
    text = report.read_text()
    assert text.count("data:image/png;base64,") == 6
    assert "http" not in text and "hinge.friction" in text and "15:30:3" in text
    assert main(["sweep", "show", out, "--plots", str(plots), "--json"]) == 0
    kinds = ("courses", "curves", "histogram", "map", "parallel", "scatter")
    assert sorted(file.stem.rpartition("-")[2] for file in plots.iterdir()) == sorted(kinds)
    with pytest.raises(sh.SceneError, match="need a study with the design 'saltelli'"):
        sobol_indices(open_study(out), "hinge.angle final")


def test_who_has_a_share_in_the_doors_angle(tmp_path):
    """Gravity along the hinge's axis has none, to the digit."""
    vary = {"hinge.friction": "15:30", "gravity.z": "-10:-9"}
    results = Study(door(), vary, ["hinge.angle final"], samples=32, design="saltelli").run()
    friction, gravity = sobol_indices(results, "hinge.angle final")
    assert (gravity.first, gravity.total) == (0.0, 0.0)
    assert friction.first_range[0] < 1.0 < friction.first_range[1]
