"""Bad ropes, terrain, vehicles, runs and parameters are refused with their name, the value and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.refusal import refused

import sharnir as sh
from sharnir.assemblies.arm import Arm
from sharnir.assemblies.rig import sweep
from sharnir.assemblies.springing import BumpStops
from sharnir.experiment import load_experiment
from sharnir.reference import solve
from sharnir.runtime.journal import create_run

PATH = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
LINE: dict[str, Any] = {"radius": 0.01, "density": 1000.0, "elements": 4}


def swing() -> sh.Scene:
    """A hinge with limits and friction, a weld, and a rope."""
    scene = sh.Scene("swing")
    arm = scene.body("arm", sh.Box(1, 0.1, 0.1, mass=1.0), position=(0.5, 0, 0))
    scene.body("tip", sh.Sphere(0.1, mass=1.0), position=(1, 0, 0))
    hinge = sh.Revolute(axis=(0, 1, 0), anchor=(0, 0, 0))
    scene.joint("hinge", hinge, "world", arm, limits=(-1, 1), friction=sh.Coulomb(0.1))
    scene.joint("weld", sh.Fixed(), "arm", "tip")
    scene.rope("line", PATH, **LINE)
    return scene


# --- ropes ------------------------------------------------------------------------------------------------------------

ROPES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "a length and a path": (
        {"path": (*PATH, (1, 1, 0)), "length": 3.0},
        ("length is 3 m, its path 2 m", "leave length out"),
    ),
    "a full drum": (
        {"winch": sh.Winch(joint="hinge", radius=0.1, stored=1e6)},
        ("its winch stores", "make them longer"),
    ),
    "a winch and a tie": (
        {"winch": sh.Winch(joint="hinge", radius=0.1, stored=1.0), "start": sh.Tie(body="world")},
        ("a winch and a tie at its start", "leave one of them out"),
    ),
    "a weld for a winch": (
        {"winch": sh.Winch(joint="weld", radius=0.1, stored=1.0)},
        ("joint 'weld' cannot turn a drum", "give a Revolute"),
    ),
    "two curvatures": (
        {"bending": 0.1, "curvature": (1, 0, 0), "as_laid": True},
        ("has a curvature and is as_laid", "give one of them"),
    ),
    "a tie to a rope that is elsewhere": (
        {"path": ((0, 3, 0), (1, 3, 0)), "start": sh.Tie(rope="line", along=0.5)},
        ("'second' and rope 'line' are tied but 3041.38 mm apart", "node 2 of 'line' is at (0.5, 0.0, 0.0)"),
    ),
}


@pytest.mark.parametrize("what", ROPES)
def test_ropes(what: str) -> None:
    given, parts = ROPES[what]
    scene = swing()
    refused("rope 'second'", *parts, action=lambda: scene.rope("second", **{"path": PATH, **LINE, **given}))


# --- terrain, bodies, joints ------------------------------------------------------------------------------------------


def test_terrain_and_materials() -> None:
    scene = sh.Scene()
    flat = lambda **given: sh.HeightField(relief=(sh.Roughness(rms=0.01),), **given)  # noqa: E731
    refused("two numbers", "along x and y", action=lambda: scene.terrain("t", flat(size=(1, 1, 1), spacing=0.1)))
    refused("'t'", "widen the spacing", action=lambda: scene.terrain("t", flat(size=(9e3, 9e3), spacing=0.01)))
    refused("a material is named ''", "give a text", action=lambda: scene.material("", sh.Material()))
    huge = sh.ConvexHull(points=((0, 0, 0), (10, 0, 0), (0, 1, 0), (0, 0, 1)), scale=1e308, mass=1.0)
    refused("a point is not finite", action=lambda: scene.body("b", huge))


def test_quantities_of_joints() -> None:
    joints = swing().joints
    hinge, weld = joints["hinge"], joints["weld"]
    refused("'weld'", "no free coordinate", action=lambda: weld.angle)
    refused("'hinge'", "no coordinate 'angel'", "did you mean 'angle'", action=lambda: hinge.coordinate("angel"))
    refused("'weld'", "no friction", "friction=Coulomb(level)", action=weld.friction_level)
    refused("'hinge'", "no friction on 'angel'", "'angle'", action=lambda: hinge.friction_level("angel"))


@pytest.mark.parametrize(("sprocket", "parts"), [("hnige", ("no joint", "'hinge'")), ("weld", ("not a hinge",))])
def test_belts(sprocket: str, parts: tuple[str, ...]) -> None:
    scene = swing()
    scene.ground()
    belt = sh.Contact(belt=sh.Belt(sprocket=sprocket, radius=0.1))
    scene.body("track", sh.Box(1, 1, 1, mass=1.0), position=(0, 0, 5), contact=belt)
    refused("'track'", f"'{sprocket}'", *parts, action=lambda: sh.Simulation(scene))


# --- assemblies -------------------------------------------------------------------------------------------------------


def test_assemblies() -> None:
    refused("Arm has no links", "ArmLink", action=lambda: Arm(base=(0, 0, 0), links=()))
    refused("BumpStops stiffness (N/m)", "-1", action=lambda: BumpStops(stiffness=-1.0))
    refused("rig steps is 2", "at least 3", action=lambda: sweep(sh.DoubleWishbone(), steps=2))


# --- simulations ------------------------------------------------------------------------------------------------------


def test_simulations() -> None:
    bad = lambda: sh.Simulation(swing(), integrator="rk4", solver="sequential-impulses")  # noqa: E731
    refused("'rk4'", "direct solver", "'sequential-impulses'", action=bad)
    scene, stranger = sh.Scene(), sh.Scene()
    body = scene.body("b", sh.Sphere(0.1, mass=1.0))
    other = stranger.body("b", sh.Sphere(0.1, mass=1.0))
    sim = sh.Simulation(scene)
    refused("body 'b' is not in this scene", action=lambda: sim.run(0.1, force={other: (0, 0, 1)}))
    refused("no upper of 'pin.angle'", action=lambda: sim.set(sh.Quantity("upper", "pin.angle", "rad"), 1.0))
    refused("no motor_speed of 'pin'", action=lambda: sim.taps.reader(sh.Quantity("motor_speed", "pin", "rad/s"), None))
    snapshot = sh.Simulation(scene, worlds=2).snapshot()
    refused("the snapshot's model.", "shape", action=lambda: sim.restore(snapshot))
    for name, value in {"dt": 0.001, "worlds": 2, "iterations": 9, "device": "cuda", "kernels": "special"}.items():
        refused(f"sim.{name} is", "cannot be set", f"{name}=...", action=lambda n=name, v=value: setattr(sim, n, v))
    assert repr(sim) == f"<simulation of {scene!r}, dt 0.005 s, 1 world(s) on cpu>"
    assert repr(body) == "<body 'b'>"


def test_the_exact_twin_drives_what_is_there() -> None:
    scene = sh.Scene()
    scene.body("b", sh.Sphere(0.1, mass=1.0))
    voltage = sh.Quantity("voltage", "axle.angle", "1")
    refused("cannot be driven in this scene", action=lambda: solve(scene, 0.1, voltage={voltage: 1.0}))


def test_runs_and_experiments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.strftime", lambda *_: "20260101-120000")
    folders: list[str] = [create_run(swing(), 0.01, {}, tmp_path).folder.name for _ in range(3)]
    assert folders == [f"swing-20260101-120000{end}" for end in ("", "-2", "-3")]
    log = tmp_path / folders[0] / "run.jsonl"
    log.write_text(log.read_text().replace('"sharnir_run":2', '"sharnir_run":9'))
    read: Callable[[], object] = lambda: sh.runtime.journal.LoggedRun(log.parent)  # noqa: E731
    refused("format 9", "reads 2", action=read)
    (tmp_path / "notes.txt").write_text("hello")
    refused("notes.txt' is not a Python file", action=lambda: load_experiment(tmp_path / "notes.txt"))
