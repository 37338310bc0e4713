"""Compiled kernels are found by what they are made of, and ``auto`` chooses among those that are there."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sharnir as sh
from sharnir.dynamics import ahead, compiled
from sharnir.dynamics.compiled import Wanted, cache_folder, folder_of, meta_file
from sharnir.experiment import list_examples, load_example
from sharnir.model.compile import compile_scene
from sharnir.simulation import kernel_choice
from sharnir.simulation.settings import INTEGRATORS, SOLVERS


def swing(**carried: Any) -> sh.Scene:
    """A rod on a hinge."""
    scene = sh.Scene("swing")
    rod = scene.body("rod", sh.Box(1, 0.1, 0.1, mass=1.0), position=(0.5, 0, 0))
    scene.joint("hinge", sh.Revolute(axis=(0, 1, 0)), scene.world, rod, **carried)
    return scene


def general_of(scene: sh.Scene, solver: str = "direct", integrator: str = "leapfrog") -> Wanted:
    return Wanted.of("step", "float64", compile_scene(scene, solver, integrator, general=True).features)


def test_the_wheel_has_the_kernel_of_every_example() -> None:
    there = set(ahead.all_kernels())
    for name in list_examples():
        example = load_example(name)
        solver = example.settings.get("solver", "direct")
        assert general_of(example.scene, solver, example.settings.get("integrator", "leapfrog")) in there, name


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_wheel_has_the_kernel_of_every_kind_of_scene(solver: str, integrator: str) -> None:
    on_the_ground = swing()
    on_the_ground.ground()
    on_a_rope = swing()
    made = {"radius": 0.01, "density": 1000.0, "bending": 1e-3, "twisting": 1e-3, "damping": 0.0}
    on_a_rope.rope("rope", [(0, 0, 1), (1, 0, 1)], elements=4, start=sh.Tie(body="world"), **made)
    there = set(ahead.all_kernels())
    scenes = {"free": swing(), "rubs": swing(friction=sh.Coulomb(1.0)), "ground": on_the_ground}
    if integrator != "position-verlet":
        scenes["rope"] = on_a_rope
    if not (integrator == "rk4" and solver != "direct"):  # which is refused
        for name, scene in scenes.items():
            assert general_of(scene, solver, integrator) in there, name


def test_a_kernel_is_read_back_from_the_command_line() -> None:
    for wanted in ahead.all_kernels():
        assert Wanted.from_text(wanted.as_text()) == wanted


def test_an_object_of_another_source_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = general_of(swing())
    sh.Simulation(swing(), dt=0.01, kernels="general").step()  # it is there from now on
    assert folder_of(wanted) is not None
    compiled._name_of.cache_clear()
    monkeypatch.setattr(compiled, "source_digest", lambda: b"another")
    assert folder_of(wanted) is None
    compiled._name_of.cache_clear()


def test_an_object_of_other_features_is_not_found() -> None:
    names = {wanted.name for wanted in ahead.all_kernels()}
    assert len(names) == len(ahead.all_kernels())


def test_what_is_there_is_loaded_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    sh.Simulation(swing(), dt=0.01, kernels="general").step()
    monkeypatch.setattr(compiled, "_asked", {})  # as in a new process

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a compiler was started")

    monkeypatch.setattr(compiled, "compile_apart", refuse)
    simulation = sh.Simulation(swing(), dt=0.01, kernels="general")
    simulation.step(10)
    assert abs(simulation.get(simulation.scene.joints["hinge"].angle)) > 0.01


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Wanted]:
    """As if the general kernel of mechanisms were in the wheel, and no special one were there; what is asked for."""
    wanted = general_of(swing())
    sh.Simulation(swing(), dt=0.01, kernels="general").step()
    found = folder_of(wanted)
    assert found is not None
    for file in found.glob(f"{meta_file(found, wanted.name).stem}.*"):
        shutil.copy(file, tmp_path)
    asked: list[Wanted] = []
    monkeypatch.setattr(compiled, "PACKAGED", tmp_path)
    monkeypatch.setattr(kernel_choice, "PACKAGED", tmp_path)
    monkeypatch.setattr(kernel_choice, "compile_in_background", asked.append)
    monkeypatch.setattr(kernel_choice, "_decided", {})
    monkeypatch.setenv("SHARNIR_KERNELS", "auto")
    monkeypatch.setattr(kernel_choice, "folder_of", lambda wanted: None if not wanted.portable else folder_of(wanted))
    return asked


def test_auto_takes_the_general_kernel_of_the_wheel_at_once(wheel: list[Wanted]) -> None:
    simulation = sh.Simulation(swing(), dt=0.01)
    run = simulation.run(0.1)
    assert simulation.kernels == run.data.attrs["kernels"] == "general"
    assert [wanted.features for wanted in wheel] == [compile_scene(swing(), "direct", "leapfrog").features]


def test_a_process_stays_with_the_kernels_it_began_with(wheel: list[Wanted], monkeypatch: pytest.MonkeyPatch) -> None:
    first = sh.Simulation(swing(), dt=0.01)
    monkeypatch.setattr(kernel_choice, "folder_of", lambda _: cache_folder())  # the special one is there by now
    second = sh.Simulation(swing(), dt=0.01)
    assert first.kernels == second.kernels == "general"
    ends = []
    for simulation in (first, second):
        simulation.step(50)
        ends.append(simulation.snapshot().arrays["state"]["position"])
    assert np.array_equal(*ends)
    monkeypatch.setattr(kernel_choice, "_decided", {})  # the next program
    assert kernel_choice.kernels_for(swing(), {}) == "special"


def test_auto_without_kernels_in_the_wheel_is_special(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kernel_choice, "PACKAGED", tmp_path / "none")
    monkeypatch.setenv("SHARNIR_KERNELS", "auto")
    assert kernel_choice.kernels_for(swing(), {}) == "special"
    assert kernel_choice.kernels_for(swing(), {"kernels": "general"}) == "general"


def test_a_log_keeps_the_kernels_for_its_replay(wheel: list[Wanted], tmp_path: Path) -> None:
    from sharnir.runtime.journal import create_run

    run = create_run(swing(), 0.01, {}, tmp_path / "runs")
    assert run.settings["kernels"] == "general"


def test_a_wrong_diagram_is_refused_before_a_compiler_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Wanted] = []
    monkeypatch.setattr(compiled, "_asked", {})
    monkeypatch.setattr(compiled, "folder_of", lambda _: None)
    monkeypatch.setattr(compiled, "compile_apart", started.append)
    scene = swing()
    scene.diagram = sh.Diagram()
    scene.diagram.gauge("g", "throttle")
    with pytest.raises(sh.SceneError, match="'throttle', which is not there"):
        sh.Simulation(scene, dt=0.01)
    assert not started


def test_a_compilation_in_the_background_leaves_no_zombie(monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[subprocess.Popen[bytes]] = []

    def start(*_: Any, **__: Any) -> subprocess.Popen[bytes]:
        children.append(subprocess.Popen([sys.executable, "-c", "pass"]))
        return children[-1]

    monkeypatch.setattr(compiled, "compile_apart", start)
    monkeypatch.setattr(compiled, "_started", set())
    for _ in range(2):
        compiled.compile_in_background(general_of(swing()))
    deadline = time.monotonic() + 60
    while children[0].returncode is None and time.monotonic() < deadline:  # set by who waits for it
        time.sleep(0.01)
    assert [child.returncode for child in children] == [0]  # and only one was started


def test_long_compilation_is_announced(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(compiled, "NOTICE_AFTER", 0.01)
    with compiled.announced(general_of(swing())):
        time.sleep(0.2)
    assert capsys.readouterr().err.count("Compiling the general step: mechanisms, direct") == 1


def test_loading_from_the_cache_is_silent(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(compiled, "NOTICE_AFTER", 0.2)
    with compiled.announced(general_of(swing())):
        pass
    time.sleep(0.3)
    assert capsys.readouterr().err == ""


def test_an_error_of_the_compiler_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = [sys.executable, "-c", "import sys; sys.exit('out of memory')"]
    monkeypatch.setattr(compiled, "compile_apart", lambda _: subprocess.Popen(failing, stderr=subprocess.PIPE))
    monkeypatch.setattr(compiled, "folder_of", lambda _: None)
    monkeypatch.setattr(compiled, "_asked", {})
    simulation = sh.Simulation(swing(), dt=0.01)
    with pytest.raises(RuntimeError, match=r"general step: mechanisms.*could not be compiled:\n.*out of memory"):
        simulation.step()


def test_kernels_that_are_not_one_piece_take_their_tables_by_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """By value every call that is not inlined would copy 20 kB of them."""
    on_the_ground = swing()
    on_the_ground.ground()
    taken: list[bool] = []
    real = compiled.precision_of

    def watched(name: str, by_reference: bool = False) -> Any:
        taken.append(by_reference)
        return real(name, by_reference)

    monkeypatch.setattr(compiled, "precision_of", watched)
    for scene in (swing(), on_the_ground):
        Wanted.of("step", "float64", compile_scene(scene, "direct", "leapfrog").features).made("tables")
    assert taken == [False, True]
