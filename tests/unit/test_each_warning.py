"""Each warning by itself: it names object, value and remedy, is told once on every way, and can be turned off."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from warned import MOTOR, UPRIGHT, four_bar, pendulum, stand

import sharnir as sh
from sharnir.cli.command import main
from sharnir.errors import WARNINGS

DT = 0.005  # s


@dataclass(frozen=True)
class Case:
    """A scene of which one warning is told, its settings, and what the warning says."""

    scene: Callable[[], sh.Scene]
    about: str
    value: str
    remedy: str
    settings: dict[str, Any] = field(default_factory=dict)
    duration: float = 0.1  # s
    change: Callable[[sh.Scene], None] | None = None  # after it was compiled


def twice() -> sh.Scene:
    scene = pendulum()
    scene.joint("again", sh.Revolute(axis=(0, 1, 0)), scene.world, scene.bodies["bob"])
    return scene


def stopped() -> sh.Scene:
    """A pendulum that falls onto a stop."""
    scene = sh.Scene("stop")
    bob = scene.body("bob", sh.Sphere(0.05, mass=1.0), position=(1, 0, 0))
    scene.joint("pivot", sh.Revolute(axis=(0, 1, 0)), scene.world, bob, limits=(-3.0, 0.5))
    return scene


def loaded_chain() -> sh.Scene:
    """A tonne on a link of 0.1 kg: too much for one sequential impulse."""
    scene = sh.Scene("chain")
    link = scene.body("link", mass=0.1, inertia=(1e-3,) * 3, position=(0.125, 0, 0))
    load = scene.body("load", mass=1000.0, inertia=(4.0,) * 3, position=(0.25, 0, 0))
    scene.joint("hinge", sh.Revolute(axis=(0, 1, 0)), scene.world, link)
    scene.joint("hook", sh.Revolute(axis=(0, 1, 0), anchor=(0.25, 0, 0)), link, load)
    return scene


def toggle() -> sh.Scene:
    """A rod of 0.12 kg near its dead centre against a coil of 50 kN/m, which is too stiff for 10 ms."""
    scene = sh.Scene("toggle", gravity=(0, 0, 0))
    tilt = math.atan2(0.05, 0.6)
    middle = (-0.3 * math.cos(tilt), 0.3 * math.sin(tilt), 0)
    turn = (0, 0, math.sin(-tilt / 2), math.cos(-tilt / 2))
    rod = scene.body("rod", mass=0.12, inertia=(1e-4, 3.6e-3, 3.6e-3), position=middle, rotation=turn)
    scene.joint("pin", sh.Revolute(), scene.world, rod)
    tip = (2 * middle[0], 2 * middle[1], 0)
    spring = sh.Spring(5e4, rest=math.dist(tip, (1.4, 0, 0)) + 0.03)
    scene.spring("coil", scene.world, rod, (1.4, 0, 0), tip, spring)
    return scene


def thrown() -> sh.Scene:
    """A bar on a hinge with a spin and no velocity: most of its energy is gone in the first step."""
    scene = sh.Scene("thrown", gravity=(0, 0, 0))
    bar = scene.body("bar", sh.Box(1, 0.1, 0.1, mass=1.0), position=(0.5, 0, 0), angular_velocity=(0, 0, 10))
    scene.joint("hinge", sh.Revolute(axis=(0, 0, 1)), scene.world, bar)
    return scene


def lighter(scene: sh.Scene) -> None:
    scene.gravity = (0.0, 0.0, -1.62)


CASES = {
    "locked-loop": Case(lambda: four_bar(UPRIGHT, (0.02, 1, 0)), "joints 'A', 'B', 'C', 'D'", "'B'", "make the joint"),
    "repeated-joint": Case(twice, "joints 'pivot' and 'again'", "'bob'", "drop one"),
    "odd-units": Case(lambda: pendulum(radius=50.0), "body 'bob'", "1 kg in 5.24e+05 m^3", "give sizes in m"),
    "unstable-servo": Case(
        lambda: stand(sh.SpeedServo(MOTOR, gain=2.0, integral=10.0)), "'axle.angle'", "gain 2", "give"
    ),
    "target-beyond-limit": Case(
        lambda: stand(sh.PositionServo(MOTOR, gain=5.0, damping=0.1, reach=(0.5, 1.0))), "'axle.angle'", "0 rad", "keep"
    ),
    "uneven-duration": Case(pendulum, "the duration 0.0123 s", "0.01 s", "give", duration=0.0123),
    "scene-changed": Case(pendulum, "gravity", "scene 'pendulum'", "sim.set", change=lighter),
    "long-step": Case(pendulum, "body 'bob'", "rad in one step of 0.2 s", "give dt below", {"dt": 0.2}, 2.0),
    "open-joint": Case(
        loaded_chain, "joint 'hinge'", "was open by", "give", {"solver": "sequential-impulses", "iterations": 1}, 0.1
    ),
    "energy-gain": Case(toggle, "scene 'toggle'", "J by t =", "give a smaller dt", {"dt": 0.01}, 0.5),
    "energy-loss": Case(thrown, "scene 'thrown'", "3.15 J", "speeds", {"dt": 0.01}, 1.0),
    "fall-back": Case(stopped, "integrator 'rk4'", "% fell back", "give a smaller dt", {"integrator": "rk4"}, 1.0),
}


def told(case: Case, **more: Any) -> tuple[list[sh.SimulationWarning], tuple[sh.SimulationWarning, ...]]:
    """What Python's warnings hear of two runs, and what the second run lists."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", sh.SimulationWarning)
        scene = case.scene()
        sim = sh.Simulation(scene, **{"dt": DT, **case.settings, **more})
        if case.change is not None:
            case.change(scene)
        sim.run(case.duration)
        listed = sim.run(case.duration).warnings
    return [one.message for one in heard if isinstance(one.message, sh.SimulationWarning)], listed


def test_there_is_a_case_for_each() -> None:
    assert list(CASES) == list(WARNINGS)


@pytest.mark.parametrize("name", WARNINGS)
def test_it_says_what_where_and_what_to_do_and_says_it_once(name: str) -> None:
    case = CASES[name]
    heard, listed = told(case)
    (one,) = [warning for warning in heard if warning.name == name]
    assert case.about in one.about
    assert case.value in str(one)
    assert case.remedy in one.text
    assert [str(warning) for warning in listed if warning.name == name] == [str(one)]


@pytest.mark.parametrize("name", WARNINGS)
def test_it_can_be_turned_off_by_its_name(name: str) -> None:
    heard, listed = told(CASES[name], ignored_warnings=[name])
    assert name not in {warning.name for warning in (*heard, *listed)}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.change is None])
def test_the_command_line_lists_it(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = CASES[name]
    settings = {"dt": DT, **case.settings, "time": case.duration}
    options = [text for key, value in settings.items() for text in (f"--{key}", str(value))]
    line = ["run", str(case.scene().save(tmp_path / "scene.yaml")), *options, "--json"]
    assert main(line) == 0
    found = [one for one in json.loads(capsys.readouterr().out)["warnings"] if one["name"] == name]
    assert len(found) == 1
    assert case.about in found[0]["about"]
    assert main([*line, "--ignore-warning", name]) == 0
    assert name not in {one["name"] for one in json.loads(capsys.readouterr().out)["warnings"]}
