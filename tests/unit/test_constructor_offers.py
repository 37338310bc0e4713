"""What the constructor offers somebody who begins: remedies to follow by hand, a scheme of the drives, files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sharnir as sh
from sharnir.constructor.beside import MOST_FILES, files_beside
from sharnir.constructor.checking import Checker
from sharnir.constructor.offering import offered
from sharnir.constructor.wording import REMEDIES, in_hand_words, in_trial_words
from sharnir.control.diagram import Diagram
from sharnir.control.panel import Panel
from sharnir.control.spec import DiagramSpec
from sharnir.files.typed import to_typed
from sharnir.simulation.simulation import Simulation

PYTHON = re.compile(r"\b(scene|sh|d)\.\w+")


def driven() -> sh.Scene:
    scene = sh.Scene("axle")
    load = scene.body("load", sh.Box(0.5, 0.5, 0.5, mass=10.0))
    motor = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    scene.joint("axle", sh.Revolute(), scene.world, load, drive=motor)
    return scene


def test_an_empty_scene_says_what_to_do_by_hand():
    _, problems = Checker(Path()).check({"sharnir": 1, "name": "new"})
    (message,) = (problem["message"] for problem in problems)
    assert "palette" in message and not PYTHON.search(message)


def test_remedies_in_python_are_those_that_are_raised_and_none_is_left():
    source = "\n".join(
        file.read_text(encoding="utf-8")
        for folder in ("scene", "control")
        for file in (Path(sh.__file__).parent / folder).rglob("*.py")
    )
    joined = re.sub(r'"\s*\n\s*f?"', "", source)
    for pattern, _ in REMEDIES:
        found = re.search(pattern, joined)
        assert found, pattern
        assert not PYTHON.search(in_hand_words(found[0]))


def test_a_trial_that_stops_says_what_to_do_by_hand(tmp_path):
    scene = sh.Scene("kick")
    scene.body("ball", sh.Sphere(0.1, mass=1.0), velocity=(1e9, 0.0, 0.0))
    simulation = Simulation(scene, dt=0.005, fault_folder=tmp_path)
    with pytest.raises(sh.SimulationFault) as stopped:
        simulation.run(0.1)
    said = in_trial_words(f"{stopped.value}. Reset the run, or restore a snapshot")  # as the runtime puts it
    assert "ball" in said and "Press Back" in said
    assert not re.search(r"dt|iterations|snapshot|\.nc|world", said)


def test_a_scene_with_drives_is_offered_a_scheme_and_a_console_that_are_right():
    scene = driven()
    given = offered(scene)
    scene.diagram = Diagram.of(to_typed(DiagramSpec, given["diagram"]), scene.name)
    assert set(given["kinds"]) == set(scene.diagram.check(scene).kinds)
    assert given["kinds"]["axle voltage"][0] == "real"
    to_typed(Panel, given["panel"]).check(scene.diagram, scene)
    assert set(offered(scene)) == {"panel"}
    scene.panel = Panel()
    assert offered(scene) == {}


def test_a_scene_without_drives_is_offered_nothing():
    scene = sh.Scene("ball")
    scene.body("ball", sh.Sphere(0.1, mass=1.0))
    assert offered(scene) == {}


def test_files_beside_the_document_are_told_by_kind(tmp_path):
    for name in (
        "a.stl",
        "parts/B.OBJ",
        ".git/c.stl",
        "node_modules/d.stl",
        "hill.png",
        "hill.npy",
        "arm.urdf",
        "me.yaml",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "around").symlink_to(tmp_path, target_is_directory=True)
    document = tmp_path / "me.yaml"
    assert files_beside(document, "mesh")["files"] == ["a.stl", "parts/B.OBJ"]
    assert files_beside(document, "picture")["files"] == ["hill.png"]
    assert files_beside(document, "heights")["files"] == ["hill.npy", "hill.png"]
    assert files_beside(document, "robot")["files"] == ["arm.urdf"]
    assert files_beside(document, "passwords")["files"] == []


def test_a_large_folder_is_told_in_part(tmp_path):
    for i in range(MOST_FILES + 1):
        (tmp_path / f"{i}.png").touch()
    told = files_beside(tmp_path / "a.yaml", "picture")
    assert len(told["files"]) == MOST_FILES and told["more"]
