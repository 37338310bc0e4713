"""Ropes as descriptions: what is refused, how they are laid, saved, stepped in batches and named in faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sharnir as sh
from sharnir import reference

MADE: dict[str, Any] = {"radius": 0.01, "density": 1000.0}
LEVEL = [(0, 0, 0), (1, 0, 0)]
WORLD = sh.Tie(body="world")


def refused(match: str, path: Any = LEVEL, **details: Any) -> None:
    scene = sh.Scene()
    scene.body("robot", sh.Sphere(0.1, mass=1.0))
    with pytest.raises(sh.SceneError, match=match):
        scene.rope("cable", path, **(MADE | details))


@pytest.mark.parametrize(
    ("match", "details"),
    [
        (r"path is .*at least two points", {"path": [(0, 0, 0)]}),
        (r"radius \(m\) is 0; it must be above zero", {"radius": 0.0}),
        (r"density .* must be above zero", {"density": -1.0}),
        (r"is 0.8 m long but its ends are 1 m apart, 0.2 m more", {"length": 0.8}),
        (r"tied to a body 'robt' .*did you mean 'robot'", {"end": sh.Tie(body="robt")}),
        (r"tied to a rope 'other' that is not in the scene", {"end": sh.Tie(rope="other", along=1.0)}),
        (r"elements is 0; give a whole number", {"elements": 0}),
        (r"youngs_modulus and a stiffness bending", {"youngs_modulus": 1.0, "bending": 1.0}),
        (r"clamped but does not resist bending", {"start": sh.Tie(body="world", clamped=True)}),
        (r"a tie in the middle needs at", {"ties": (WORLD,)}),
        (r"is 2 m; rope 'cable' is 1 m long", {"ties": (sh.Tie(body="world", at=2.0),)}),
        (r"two ties or eyelets at one node", {"start": WORLD, "ties": (sh.Tie(body="world", at=0.01),)}),
        (r"same point twice", {"path": [(0, 0, 0), (0, 0, 0), (1, 0, 0)]}),
        (r"3 elements on a path of 4 pieces", {"path": [(x, 0, 0) for x in range(5)], "elements": 3}),
        (r"a joint 'hinge' that is not in the scene", {"winch": sh.Winch(joint="hinge", radius=0.1)}),
        (r"runs through a body 'rng'", {"eyelets": (sh.Eyelet(body="rng", at=0.5),)}),
        (r"an eyelet is at the end", {"eyelets": (sh.Eyelet(body="world", at=1.0),)}),
        (r"breaking_load", {"breaking_load": 0.0}),
    ],
)
def test_nonsense_is_refused(match: str, details: dict[str, Any]) -> None:
    refused(match, **details)


def test_bad_ties_are_refused() -> None:
    for wrong in ({}, {"body": "a", "rope": "b", "along": 1.0}, {"rope": "b"}, {"body": "a", "direction": (1, 0, 0)}):
        with pytest.raises(sh.SceneError, match="Tie"):
            sh.Tie(**wrong)
    with pytest.raises(sh.SceneError, match="radius is 0 m"):
        sh.Winch(joint="hinge", radius=0.0)


def test_slack_is_laid_as_an_arc() -> None:
    scene = sh.Scene()
    rope = scene.rope("cable", LEVEL, length=1.5, elements=17, **MADE)
    np.testing.assert_allclose(rope.lengths, 1.5 / 17, rtol=1e-12)
    np.testing.assert_allclose(rope.nodes[[0, -1]], LEVEL, atol=1e-12)
    assert rope.nodes[:, 2].min() == rope.nodes[8, 2] < -0.4
    ring = scene.rope("ring", [(0, 0, 0), (0, 0, 0)], length=1.0, elements=12, **MADE)
    np.testing.assert_allclose(ring.lengths, 1 / 12, rtol=1e-6)


def test_corners_of_a_path_are_nodes() -> None:
    rope = sh.Scene().rope("cable", [(0, 0, 0), (1, 0, 0), (1, 2, 0)], elements=9, **MADE)
    assert rope.elements == 9
    np.testing.assert_allclose(rope.nodes[3], (1, 0, 0))
    np.testing.assert_allclose(rope.lengths, 1 / 3)


def tow() -> tuple[sh.Scene, sh.Rope]:
    scene = sh.Scene("tow")
    load = scene.body("load", sh.Sphere(0.1, mass=5.0), position=(1, 0, 0))
    ends = {"start": sh.Tie(body="world", clamped=True), "end": sh.Tie(body=load)}
    return scene, scene.rope("cable", LEVEL, length=1.1, bending=0.01, twisting=0.01, elements=12, **ends, **MADE)


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_scene_file(tmp_path: Path, ending: str) -> None:
    scene, rope = tow()
    loaded = sh.Scene.load(scene.save(tmp_path / f"tow.{ending}"))
    assert loaded.ropes["cable"].spec == rope.spec
    np.testing.assert_array_equal(loaded.ropes["cable"].nodes, rope.nodes)


def test_a_file_names_the_rope(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("sharnir: 1\nropes:\n  cable:\n    path: [[0, 0, 0], [1, 0, 0]]\n    radius: 0\n    density: 1\n")
    with pytest.raises(sh.SceneError, match=r"line 3: rope 'cable' radius"):
        sh.Scene.load(file)


def test_worlds_of_a_batch_are_the_same_and_a_snapshot_continues() -> None:
    scene, _ = tow()
    alone, batch = sh.Simulation(scene, dt=0.005), sh.Simulation(scene, dt=0.005, worlds=3)
    start = alone.state.rope_position.numpy().copy()
    alone.step(20)
    snapshot = alone.snapshot()
    alone.step(20)
    batch.step(40)
    for world in range(3):
        np.testing.assert_array_equal(
            batch.state.rope_position.numpy()[:, world], alone.state.rope_position.numpy()[:, 0]
        )
    end = alone.state.rope_position.numpy().copy()
    assert np.abs(end - start).max() > 0.01  # m: it has moved
    alone.restore(snapshot)
    alone.step(20)
    np.testing.assert_array_equal(alone.state.rope_position.numpy(), end)
    budgeted = sh.Simulation(scene, dt=0.005, budget=10.0)
    budgeted.step(40)
    np.testing.assert_array_equal(budgeted.state.rope_position.numpy(), end)


def test_steps_of_one_launch_are_those_of_many() -> None:
    """The second-order step keeps its factors within a launch; they are the same as made anew, also after a parting."""
    scene = sh.Scene("whip")
    made = {"radius": 0.015, "density": 1200.0, "youngs_modulus": 5e4, "shear_modulus": 1e5, "breaking_load": 60.0}
    scene.rope("rope", [(0, 0, 0), (2.8, 0, 0)], start=sh.Tie(body="world"), **made)
    together, apart = (sh.Simulation(scene, dt=0.005, integrator="leapfrog") for _ in range(2))
    together.step(200)
    for _ in range(200):
        apart.step()
    assert together.state.rope_parted.numpy().any()
    for name in ("rope_position", "rope_velocity", "rope_rotation", "rope_spin"):
        np.testing.assert_array_equal(getattr(together.state, name).numpy(), getattr(apart.state, name).numpy())


def test_float32() -> None:
    scene, rope = tow()
    run = sh.Simulation(scene, dt=0.005, precision="float32").run(1.0)
    exact = sh.Simulation(scene, dt=0.005).run(1.0)
    assert run[rope.stretch].values.max() < 1e-3
    np.testing.assert_allclose(run[rope.node()].values[-1], exact[rope.node()].values[-1], atol=0.02)


def test_a_fault_names_the_rope(tmp_path: Path) -> None:
    scene, rope = tow()
    sim = sh.Simulation(scene, dt=0.005, fault_folder=tmp_path)
    sim.step(3)
    good = sim.get(rope.node())
    sim.state.rope_position.numpy()[5] = np.nan
    with pytest.raises(sh.SimulationFault, match=r"rope 'cable' is no longer a number|body 'load'"):
        sim.step()
    np.testing.assert_array_equal(sim.get(rope.node()), good)


def test_signals() -> None:
    scene, rope = tow()
    run = sh.Simulation(scene, dt=0.005).run(0.1)
    assert run.data["node_position"].dims == ("time", "node", "xyz")
    assert run.data["bone"].sizes["element"] == 12
    assert run[rope.tension("end")].attrs["units"] == "N"
    with pytest.raises(sh.SceneError, match="rope 'cable' has no place 'middle'"):
        rope.node("middle")
    mass = rope.mass_per_metre * rope.length
    v = run.data["node_velocity"].values[-1]
    moving = run[scene.momentum].values[-1] - 5.0 * run[scene.bodies["load"].velocity].values[-1]
    halves = np.full(13, mass / 12)
    halves[[0, -1]] /= 2
    np.testing.assert_allclose(moving, halves @ v, rtol=1e-9)


def test_the_exact_twin_refuses_ropes() -> None:
    with pytest.raises(sh.SceneError, match=r"no ropes.*'cable'"):
        reference.solve(tow()[0], 0.1)
