"""The command line: what it prints, and its errors."""

from __future__ import annotations

import json

import pytest

import sharnir as sh
from sharnir.cli import doctor
from sharnir.cli.command import main
from sharnir.cli.terminal import print_figures
from sharnir.device import load_warp
from sharnir.experiment import load_experiment
from sharnir.simulation.settings import INTEGRATORS, SOLVERS


def error_line(capsys) -> str:
    """What went to standard error, which must be one line."""
    text = capsys.readouterr().err
    assert text.endswith("\n")
    assert text.count("\n") == 1
    assert "Traceback" not in text
    return text


def test_list(capsys):
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    assert "door" in out and "KRT-100 with its trailer on the training ground" in out
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert "door" in listed["examples"]
    assert {"krt100", "mf4", "rover", "car"} <= set(listed["robots"])


@pytest.mark.parametrize("command", ["run", "compare", "drive"])
def test_help_lists_every_solver_and_integrator(capsys, command):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    text = " ".join(capsys.readouterr().out.replace("-\n", "-").split()).replace("- ", "-")
    for name in (*SOLVERS, *INTEGRATORS):
        assert name in text


def test_run_prints_a_table(capsys):
    assert main(["run", "door"]) == 0
    out = capsys.readouterr().out
    assert "angle at rest" in out
    assert "37.62" in out


def test_run_as_json_prints_nothing_else(capsys):
    assert main(["run", "door", "--json"]) == 0
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    assert printed.err == ""
    assert summary["name"] == "door"
    assert {figure["name"]: figure["ok"] for figure in summary["figures"]}["time of the stop"] is True


def test_run_saves_plots_and_data(capsys, tmp_path):
    options = ["--plot", str(tmp_path / "door.png"), "--out", str(tmp_path / "door.nc"), "--json"]
    assert main(["run", "door", *options]) == 0
    names = ("door.nc", "door.png", "door-figure6.png", "door-figure7.png")
    assert json.loads(capsys.readouterr().out)["files"] == [str(tmp_path / name) for name in names]
    assert (tmp_path / "door.png").is_file()
    assert sh.Trajectory.load(tmp_path / "door.nc").time[-1] == pytest.approx(2.0)


def test_run_of_a_scene_file(capsys, tmp_path):
    scene = sh.Scene("pendulum")
    bob = scene.body("bob", sh.Sphere(0.1, mass=1.0), position=(1, 0, 0))
    scene.joint("pivot", sh.Revolute(axis=(0, 1, 0)), scene.world, bob)
    file = scene.save(tmp_path / "pendulum.yaml")
    assert main(["run", str(file), "--time", "0.2", "--dt", "0.01", "--worlds", "2", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["time"] == pytest.approx(0.2)
    assert summary["worlds"] == 2
    assert summary["figures"][0]["name"] == "pivot.angle at the end"


FALLING = """import sharnir as sh
def experiment():
    scene = sh.Scene("falling")
    scene.body("stone", sh.Sphere(0.1, mass=1.0))
    return sh.Experiment(scene, time=0.1, dt=0.01)
"""


def test_run_of_a_file_of_ones_own(capsys, tmp_path):
    file = tmp_path / "falling.py"
    file.write_text(FALLING)
    assert main(["run", str(file), "--out", str(tmp_path / "falling.nc"), "--plot", str(tmp_path / "falling.png")]) == 0
    out = capsys.readouterr().out
    assert "energy at the end" in out  # it has no figures of its own
    assert f"wrote {tmp_path / 'falling.nc'}" in out and f"wrote {tmp_path / 'falling.png'}" in out
    load_experiment(file).show()
    assert "falling" in capsys.readouterr().out


def test_figures_with_bounds(capsys):
    bounds = ({"at_least": 1.0}, {"at_most": 4.0}, {"at_least": 1.0, "at_most": 4.0})
    print_figures("bounds", [sh.Figure("speed", 3.0, "m/s", **given) for given in bounds])
    out = capsys.readouterr().out
    assert "≥ 1" in out and "≤ 4" in out and "1…4" in out


def test_what_cannot_be_written_and_what_is_interrupted(capsys, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    assert main(["run", "door", "--out", str(tmp_path / "file" / "door.nc")]) == 2
    assert f"File exists: '{tmp_path / 'file'}'" in capsys.readouterr().err

    def interrupt(self, progress=None):
        raise KeyboardInterrupt

    monkeypatch.setattr(sh.Experiment, "run", interrupt)
    assert main(["run", "door"]) == 130
    assert "interrupted" in error_line(capsys)


def test_a_figure_outside_its_tolerance_shows_in_the_exit_code(capsys):
    assert main(["run", "door", "--dt", "0.05", "--json"]) == 1


def test_a_run_too_short_for_its_figures_is_explained(capsys):
    assert main(["run", "door", "--time", "0.5"]) == 2
    assert "cannot be read from a run of 0.5 s" in error_line(capsys)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["run", "dor"], "did you mean 'door'"),
        (["demo", "dor"], "did you mean 'door'"),
        (["run", "nowhere.yaml"], "there is no file 'nowhere.yaml'"),
        (["run", "door", "--dt", "-1"], "dt"),
        (["run", "door", "--solver", "magic"], "magic"),
        (["run", "door", "--device", "toaster"], "toaster"),
    ],
)
def test_bad_input_is_one_clear_line(capsys, arguments, hint):
    assert main(arguments) == 2
    assert hint in error_line(capsys)


def test_a_bad_scene_file_is_one_clear_line(capsys, tmp_path):
    file = tmp_path / "scene.yaml"
    file.write_text("sharnir: 1\nbodies:\n  bob:\n    mas: 1.0\n")
    assert main(["run", str(file)]) == 2
    assert "mas" in error_line(capsys)


@pytest.mark.parametrize("arguments", [["run", "door", "--tim", "3"], ["runn"], ["run", "door", "--dt", "fast"], []])
def test_bad_arguments_are_one_clear_line(capsys, arguments):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    error_line(capsys)


def test_a_fault_of_the_simulation_has_its_own_exit_code(capsys, monkeypatch):
    def fail(self, progress=None):
        where = {"world": 0, "step": 3, "body": "door", "joint": None, "worlds": (0,), "file": None, "run": None}
        raise sh.SimulationFault("world 0 stopped", **where)

    monkeypatch.setattr(sh.Experiment, "run", fail)
    assert main(["run", "door"]) == 3
    assert "world 0 stopped" in error_line(capsys)


def test_demo_leaves_table_plots_replay_and_data(capsys, tmp_path):
    """Of two examples, each in a process of its own."""
    assert main(["demo", "door", "limit_stop", "--out", str(tmp_path / "out")]) == 0
    made = {file.name for file in (tmp_path / "out").iterdir()}
    assert made >= {"limit_stop.nc", "limit_stop.html"}
    assert made >= {"door-figure6.png", "door-figure7.png", "door.nc", "door.html", "index.html", "papers.md"}
    assert made >= {"figures.md", "figures.json"}
    out = capsys.readouterr().out
    assert "derived" in out and "37.62" in out
    assert "the paper's figure" in (tmp_path / "out" / "papers.md").read_text()
    page = (tmp_path / "out" / "index.html").read_text()
    assert all(f"'{name}'" in page for name in ("door.html", "door.nc", "door-figure6.png"))


def test_demo_tells_a_figure_that_is_off(capsys, tmp_path, monkeypatch):
    off = sh.Figure("angle", 1.0, "rad", expected=2.0, tolerance=0.1, paper="000", note="a note")
    monkeypatch.setattr(sh.Experiment, "report", lambda self, run: [off])
    assert main(["demo", "door", "--out", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "0 of 1 figures" in out
    assert "000: a note" in out
    assert "class='n NO'" in (tmp_path / "index.html").read_text()


def test_demo_goes_on_after_a_failure(capsys, tmp_path, monkeypatch):
    def fail(self, progress=None):
        raise sh.SceneError("the door is stuck")

    monkeypatch.setattr(sh.Experiment, "run", fail)
    assert main(["demo", "door", "--out", str(tmp_path)]) == 3
    assert "failed: the door is stuck" in capsys.readouterr().out


def test_doctor(capsys):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "kernel cache" in out
    assert "Everything a simulation needs is here." in out
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["what"] == "Python"


def test_doctor_names_the_remedy_for_what_is_missing(capsys, monkeypatch):
    monkeypatch.setattr("sharnir.cli.doctor.NEEDED", ("no-such-package",))
    assert main(["doctor"]) == 2
    assert "pip install no-such-package" in capsys.readouterr().out


def test_doctor_shows_the_extra_in_its_brackets(capsys, monkeypatch):
    monkeypatch.setattr("sharnir.cli.doctor.EXTRAS", {"dev": ("no-such-package",)})
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["doctor"]) == 0
    assert "pip install 'sharnir[dev]'" in capsys.readouterr().out


def test_doctor_finds_an_old_python_a_broken_warp_and_an_empty_cache(monkeypatch, tmp_path):
    def broken():
        raise OSError("libwarp.so: cannot open")

    monkeypatch.setattr(doctor, "OLDEST_PYTHON", (99, 0))
    assert "install Python" in doctor.examine()[0].remedy
    monkeypatch.setattr(load_warp().config, "kernel_cache_dir", str(tmp_path))
    empty = {found.what: found for found in doctor.examine()}["kernel cache"]
    assert empty.found == f"{tmp_path}, empty" and "compiles its kernels" in empty.remedy
    monkeypatch.setattr(doctor, "load_warp", broken)
    warp = {found.what: found for found in doctor.examine()}["Warp"]
    assert (warp.state, warp.found) == ("missing", "cannot be loaded: libwarp.so: cannot open")


def test_schema(capsys):
    assert main(["schema"]) == 0
    assert "$defs" in json.loads(capsys.readouterr().out)


def test_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"sharnir {sh.__version__}\n"
