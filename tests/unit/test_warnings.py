"""Every warning of a run fires where something is wrong, names it, and is silent beside a sound neighbour."""

from __future__ import annotations

import json
import math
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from warned import MOTOR, UPRIGHT, four_bar, names, pendulum, stand, text_of

import sharnir as sh
from sharnir.cli.command import main
from sharnir.errors import WARNINGS
from sharnir.quantities.springs import spring_energy, spring_force
from sharnir.runtime.plant import Plant
from sharnir.simulation.settings import INTEGRATORS
from sharnir.spatial import about

pytestmark = pytest.mark.filterwarnings("ignore::sharnir.SimulationWarning")

DOCS = Path(__file__).resolve().parents[2] / "docs" / "warnings.md"


# --- runs -------------------------------------------------------------------------------------------------------------


def test_a_duration_that_is_no_multiple_of_the_step():
    sim = sh.Simulation(pendulum(), dt=0.005)
    run = sim.run(0.0123)
    assert "0.0123 s is no multiple of dt = 0.005 s; 0.01 s are simulated" in text_of(run, "uneven-duration")
    assert run.time[-1] == pytest.approx(0.01)


@pytest.mark.parametrize(("duration", "dt"), [(1.0, 0.005), (0.3, 0.1), (10.0, 1 / 3), (1.0, 1e-3), (0.7, 0.007)])
def test_a_duration_that_is_a_multiple_but_for_rounding(duration, dt):
    assert names(sh.Simulation(pendulum(), dt=dt, ignored_warnings=["long-step"]).run(duration)) == []


def test_gravity_changed_after_the_scene_was_compiled():
    scene = pendulum()
    sim = sh.Simulation(scene)
    scene.gravity = (0.0, 0.0, -9.81)
    assert names(sim.run(0.1)) == []
    scene.gravity = (0.0, 0.0, -1.62)
    said = text_of(sim.run(0.1), "scene-changed")
    assert "gravity was changed in" in said and "sim.set(scene.gravity_vector" in said


def test_what_is_added_after_compiling_is_told_and_left_out():
    scene = pendulum()
    sim = sh.Simulation(scene)
    late = scene.body("late", sh.Sphere(0.1, mass=1.0))
    scene.joint("hook", sh.Fixed(), scene.world, late)
    run = sim.run(0.1)
    assert sorted(warning.about for warning in run.warnings) == ["body 'late'", "joint 'hook'"]
    assert all("was added to" in str(warning) and "new Simulation" in str(warning) for warning in run.warnings)
    assert list(run.data["body"].values) == ["bob"]
    sim.get(scene.bodies["bob"].position)
    with pytest.raises(sh.SceneError, match="late"):
        sim.get(late.position)
    with pytest.raises(sh.SceneError, match="late"):
        sim.run(0.1, force={late: (0, 0, 1.0)})
    assert names(sh.Simulation(scene).run(0.1)) == []


# --- steps ------------------------------------------------------------------------------------------------------------


def test_a_step_that_is_too_long():
    sim = sh.Simulation(pendulum(), dt=0.2)
    said = text_of(sim.run(2.0), "long-step")
    assert "body 'bob' turned by" in said and "dt below" in said
    assert sim.report.largest_turn[0] > 0.5
    dt = float(re.search(r"dt below (\S+) s", said)[1])
    assert names(sh.Simulation(pendulum(), dt=0.5 * dt).run(2.0)) == []


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_step_that_is_too_long_is_seen_by_every_integrator(integrator):
    scene = sh.Scene("rotor", gravity=(0, 0, 0))
    rotor = scene.body("rotor", sh.Box(1.0, 0.1, 0.1, mass=1.0), angular_velocity=(0, 0, 110.0))
    scene.joint("axle", sh.Revolute(), scene.world, rotor)
    assert names(sh.Simulation(scene, dt=0.005, integrator=integrator).run(0.1)) == ["long-step"]
    assert names(sh.Simulation(scene, dt=0.002, integrator=integrator).run(0.1)) == []


def test_a_wheel_may_turn_about_its_own_axle_as_fast_as_it_likes():
    scene = sh.Scene("wheel", gravity=(0, 0, 0))
    wheel = scene.body("wheel", sh.Cylinder(0.3, 0.1, mass=5.0), angular_velocity=(0, 0, 200.0))
    scene.joint("axle", sh.Revolute(), scene.world, wheel)
    scene.body("ball", sh.Sphere(0.1, mass=1.0), position=(2, 0, 0), angular_velocity=(300.0, 0, 0))
    assert names(sh.Simulation(scene, dt=0.005).run(0.1)) == []
    scene.body("brick", sh.Box(0.3, 0.2, 0.1, mass=1.0), position=(4, 0, 0), angular_velocity=(0, 0, 200.0))
    assert names(sh.Simulation(scene, dt=0.005).run(0.1)) == ["long-step"]


def test_steps_are_watched_without_a_run():
    sim = sh.Simulation(pendulum(), dt=0.2)
    with pytest.warns(sh.SimulationWarning, match="long-step"):
        for _ in range(10):
            sim.step()
    assert names(sim) == ["long-step"]


def chain(heavy: float) -> sh.Scene:
    """Eight links of 0.1 kg with a mass (kg) at their end, swinging."""
    scene = sh.Scene("chain")
    last = scene.world
    for i in range(8):
        link = scene.body(f"link {i}", sh.Capsule(0.02, 0.2, mass=0.1), position=(0.25 * i + 0.125, 0, 0),
                          rotation=about((0, 1, 0), math.pi / 2))  # fmt: skip
        scene.joint(f"hinge {i}", sh.Revolute(axis=(0, 1, 0), anchor=(0.25 * i, 0, 0)), last, link)
        last = link
    load = scene.body("load", sh.Sphere(0.1, mass=heavy), position=(2.0, 0, 0))
    scene.joint("hook", sh.Revolute(axis=(0, 1, 0), anchor=(2.0, 0, 0)), last, load)
    return scene


def test_joints_that_few_iterations_leave_open():
    few = {"solver": "sequential-impulses", "iterations": 4}
    said = text_of(sh.Simulation(chain(1000.0), dt=0.005, **few).run(0.5), "open-joint")
    assert re.search(r"joint '(hinge \d|hook)' was open by", said) and "solver='direct'" in said


def test_joints_that_the_direct_solver_holds():
    assert names(sh.Simulation(chain(1000.0), dt=0.005).run(0.5)) == []


@pytest.mark.parametrize("erp", [0.1, 0.2, 1.0])
def test_what_a_step_leaves_of_a_steady_turn_is_no_open_joint(erp):
    """A rod at 1.2 rev/s and 10 ms: the papers' step leaves l (w h)^2/(2 ERP), and the bound allows hardly more."""
    scene = sh.Scene("rod", gravity=(0, 0, 0))
    spin = 7.5
    rod = scene.body("rod", sh.Box(1.0, 0.05, 0.05, mass=1.0), position=(0.5, 0, 0), velocity=(0, 0.5 * spin, 0),
                     angular_velocity=(0, 0, spin))  # fmt: skip
    pin = scene.joint("pin", sh.Revolute(), scene.world, rod)
    sim = sh.Simulation(scene, dt=0.01, erp=erp, integrator="semi-implicit-euler")
    run = sim.run(0.5)
    assert names(run) == []
    left = float(sim.memory.opening_left.numpy()[0, 0, 0])
    assert 0.5 * left < float(run[pin.gap][-1]) <= left


def test_bodies_pulled_apart_by_hand_leave_a_joint_open():
    scene = pendulum()
    sim = sh.Simulation(scene)
    sim.step(10)
    assert names(sim) == []
    sim.set(scene.bodies["bob"].position, (1.1, 0, 0))
    sim.step(2)
    assert names(sim) == ["open-joint"]


def test_the_fourth_order_step_tells_the_share_that_it_could_not_make():
    scene = sh.Scene("stop")
    bob = scene.body("bob", sh.Sphere(0.05, mass=1.0), position=(1, 0, 0))
    scene.joint("pivot", sh.Revolute(axis=(0, 1, 0)), scene.world, bob, limits=(-3.0, 0.5))
    sim = sh.Simulation(scene, dt=0.005, integrator="rk4")
    said = text_of(sim.run(1.0), "fall-back")
    made, of, share = re.search(r"made (\d+) of (\d+) steps; (\S+) % fell back", said).groups()
    assert int(of) == 200 and 0 < int(made) < 200
    assert float(share) == pytest.approx(100 * (1 - int(made) / 200), rel=1e-2)
    assert sim.report.fall_backs[0] == 200 - int(made)


def test_where_something_rubs_no_step_is_of_fourth_order_which_is_told_beforehand():
    scene = stand(None)
    assert names(sh.Simulation(scene, integrator="rk4").run(0.1)) == []
    scene = sh.Scene("stand")
    load = scene.body("load", mass=1.0, inertia=(0.01,) * 3)
    scene.joint("axle", sh.Revolute(), scene.world, load, friction=sh.Coulomb(1.0))
    assert "100 % fell back" in text_of(sh.Simulation(scene, integrator="rk4"), "fall-back")
    assert names(sh.Simulation(scene)) == []


# --- energy -----------------------------------------------------------------------------------------------------------


def test_energy_from_nothing():
    """A pendulum that somebody kicks while nobody looks has gained 1/2 m v^2."""
    scene = pendulum()
    bob, sim = scene.bodies["bob"], sh.Simulation(scene, dt=0.005)

    def kick(done: int, _: int) -> None:
        if done == 100:
            sim.set(bob.angular_velocity, (0, 2.0 + sim.get(bob.angular_velocity)[1], 0))
            sim.set(bob.velocity, 1.3 * sim.get(bob.velocity))

    said = text_of(sim.run(1.0, every=2, progress=kick), "energy-gain")
    assert "scene 'pendulum' has gained" in said


def test_energy_is_not_gained_by_a_pendulum_and_a_function_may_do_as_it_likes():
    scene = pendulum()
    bob, sim = scene.bodies["bob"], sh.Simulation(scene, dt=0.005)
    assert names(sim.run(2.0)) == []

    def kick(sim: sh.Simulation) -> None:
        sim.set(bob.velocity, 1.001 * sim.get(bob.velocity))

    assert "energy-gain" not in names(sim.run(0.5, before_step=kick))
    assert names(sim.run(0.5, force={bob: (0, 0, 20.0)})) == []


@pytest.mark.parametrize("spring", [sh.Spring(40.0, 0.0), sh.Spring(table=((-1, -5), (0, 0), (1, 30)), preload=2.0)])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_energy_that_goes_to_and_fro_is_no_gain(spring, integrator):
    scene = sh.Scene("spring")
    mass = scene.body("mass", sh.Sphere(0.1, mass=1.0), velocity=(0, 0, 1.0))
    scene.joint("rail", sh.Prismatic(axis=(0, 0, 1)), scene.world, mass, spring=spring)
    assert names(sh.Simulation(scene, dt=0.01, integrator=integrator).run(3.0)) == []


def test_motors_and_efforts_explain_the_energy_they_give():
    scene = stand(MOTOR)
    axle = scene.joints["axle"]
    assert names(sh.Simulation(scene).run(1.0, voltage={axle: lambda t: math.sin(20.0 * t)})) == []
    bare = stand(None)
    run = sh.Simulation(bare).run(1.0, torque={bare.joints["axle"]: lambda t: 0.1 * math.sin(20.0 * t)})
    assert names(run) == []


def test_the_energy_of_a_spring_is_the_integral_of_its_force():
    for spring in (
        sh.Spring(30.0, rest=0.1, preload=2.0),
        sh.Spring(30.0, side="push"),
        sh.Spring(table=((-0.5, -3.0), (0.2, 1.0), (0.4, 7.0)), rest=0.05),
    ):
        x = np.linspace(-1.0, 1.0, 20001)
        force = spring_force(spring, x, np.zeros_like(x))
        work = -np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(x))])
        energy = spring_energy(spring, x)
        assert energy - energy[0] == pytest.approx(work, abs=1e-3)


# --- how they are told ------------------------------------------------------------------------------------------------


def test_they_are_a_category_of_pythons_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error", sh.SimulationWarning)
        with pytest.raises(sh.SimulationWarning, match="locked-loop"):
            sh.Simulation(four_bar(UPRIGHT, (0.02, 1, 0)))
        warnings.filterwarnings("ignore", "locked-loop", sh.SimulationWarning)
        assert names(sh.Simulation(four_bar(UPRIGHT, (0.02, 1, 0)))) == ["locked-loop"]


def test_they_point_at_the_line_that_led_to_them():
    with pytest.warns(sh.SimulationWarning) as told:
        sh.Simulation(pendulum(), dt=5.0)
    assert told[0].filename == __file__


def test_each_is_told_once():
    sim = sh.Simulation(pendulum(), dt=0.2)
    with pytest.warns(sh.SimulationWarning) as told:
        sim.run(1.0)
        sim.run(1.0)
        sim.reset()
        sim.run(1.0)
    assert len(told) == 1


def test_each_can_be_turned_off_by_name(tmp_path):
    for name in WARNINGS:
        sh.Simulation(pendulum(), ignored_warnings=[name])
    assert names(sh.Simulation(pendulum(), dt=5.0, ignored_warnings=["odd-units"])) == []
    scene = four_bar(UPRIGHT, (0.02, 1, 0))
    scene.ignored_warnings = ("locked-loop",)
    assert names(sh.Simulation(scene)) == []
    again = sh.Scene.load(scene.save(tmp_path / "scene.yaml"))
    assert again.ignored_warnings == ("locked-loop",)
    assert names(sh.Simulation(again)) == []


def test_a_name_that_is_none_is_refused(tmp_path):
    with pytest.raises(sh.SceneError, match="did you mean 'open-joint'"):
        sh.Simulation(pendulum(), ignored_warnings=["open-joints"])
    with pytest.raises(sh.SceneError, match="a list of names"):
        sh.Simulation(pendulum(), ignored_warnings="open-joint")
    file = tmp_path / "scene.yaml"
    file.write_text(pendulum().save(file).read_text() + "ignored_warnings: [lockd-loop]\n")
    with pytest.raises(sh.SceneError, match=r"line \d+.*did you mean 'locked-loop'"):
        sh.Scene.load(file)


def test_a_run_keeps_them_in_its_file(tmp_path):
    run = sh.Simulation(pendulum(), dt=0.2).run(2.0)
    again = sh.Trajectory.load(run.save(tmp_path / "run.nc"))
    assert names(run) == ["long-step"]
    assert list(map(str, again.warnings)) == list(map(str, run.warnings))
    assert str(pickle.loads(pickle.dumps(run.warnings[0]))) == str(run.warnings[0])


def test_the_command_line_tells_them(capsys, tmp_path):
    file = str(pendulum().save(tmp_path / "pendulum.yaml"))
    with warnings.catch_warnings():
        warnings.simplefilter("default", sh.SimulationWarning)
        assert main(["run", file, "--time", "2", "--dt", "0.2"]) == 0
    assert capsys.readouterr().err.count("sharnir: warning: long-step: body 'bob'") == 1
    assert main(["run", file, "--time", "2", "--dt", "0.2", "--json"]) == 0
    printed = capsys.readouterr()
    (found,) = json.loads(printed.out)["warnings"]
    assert (printed.err, found["name"], found["about"]) == ("", "long-step", "body 'bob'")
    assert main(["run", file, "--time", "2", "--dt", "0.2", "--json", "--ignore-warning", "long-step"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == []
    assert main(["run", file, "--ignore-warning", "long-stp"]) == 2
    assert "did you mean 'long-step'" in capsys.readouterr().err


def test_the_console_tells_them_as_alarms_once():
    plant = Plant(pendulum(), 0.2, {})
    for _ in range(10):
        plant.step()
    plant.watch()
    plant.watch()
    assert [level for level, text in plant.alarms if "long-step: body 'bob'" in text] == ["warning"]
    quiet = Plant(pendulum(), 0.2, {"ignored_warnings": ["long-step"]})
    quiet.step()
    quiet.watch()
    assert quiet.alarms == []


def test_the_page_lists_every_warning():
    assert set(re.findall(r"^### `([\w-]+)`", DOCS.read_text(encoding="utf-8"), re.M)) == set(WARNINGS)
