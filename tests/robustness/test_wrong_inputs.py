"""Whatever is handed to a public method is taken or refused in words: the thing, the value, the remedy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sharnir as sh

NONSENSE: tuple[Any, ...] = (
    *(None, "x", b"x", [], [1, 2], [[1]], {}, set(), object(), range(3), (1, 2, 3), 1j, True),
    *(float("nan"), float("inf"), -1, 0, -0.5, 1e400, 2**80, np.float32(1.0), np.int64(3)),
    *(np.zeros((2, 2)), np.zeros(0), np.array("a"), np.array(1.0), np.array([None]), [1, "a"], [[0, 0, 0], [1]]),
)
FUNCTIONS: tuple[Any, ...] = (lambda t: None, lambda t: "x", lambda t: [1, 2], lambda t: float("nan"), lambda t: {})
SETTINGS = (
    *("dt", "worlds", "solver", "integrator", "iterations", "epsilon", "erp", "stabilisation_iterations"),
    *("warm_start", "budget", "precision", "device", "threads", "top_speed", "fault_folder"),
)
ROPE = (
    *("youngs_modulus", "shear_modulus", "bending", "twisting", "length", "elements", "curvature", "as_laid", "twist"),
    *("damping", "velocity", "start", "end", "ties", "eyelets", "winch", "breaking_load", "contact", "self_contact"),
)


class Bench:
    """A pendulum with a drive in two worlds, and a run of it."""

    def __init__(self, folder: Path) -> None:
        self.scene = sh.Scene("bench")
        self.rod = self.scene.body("rod", sh.Box(1, 0.1, 0.1, mass=1.0), position=(0.5, 0, 0))
        drive = sh.DcDrive(1.0, 100.0, 0.01, 10.0)
        hinge = sh.Revolute(axis=(0, 1, 0))
        carried: dict[str, Any] = {"limits": (-1, 1), "friction": sh.Coulomb(0.1), "drive": drive}
        self.pin = self.scene.joint("pin", hinge, self.scene.world, self.rod, **carried)
        self.sim = sh.Simulation(self.scene, 0.01, worlds=2, fault_folder=folder)
        self.run = self.sim.run(0.02)
        self.folder = folder
        self.count = 0

    def new(self) -> str:
        """A name that is not taken."""
        self.count += 1
        return f"new{self.count}"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("bench"))


def swept(try_one: Callable[[Any], object], values: tuple[Any, ...] = NONSENSE) -> None:
    """Each value is taken, or refused by a short line that shows neither a traceback nor an address in memory."""
    for value in values:
        try:
            try_one(value)
        except (sh.SceneError, sh.SimulationFault) as error:
            text = str(error)
            assert len(text) < 400 and "\n" not in text and " at 0x" not in text, text


@pytest.mark.parametrize("word", ["torque", "force", "voltage", "target"])
def test_inputs_of_a_run(bench: Bench, word: str) -> None:
    sim, pin, rod = bench.sim, bench.pin, bench.rod
    swept(lambda x: sim.run(0.01, **{word: x}))
    swept(lambda x: sim.run(0.01, **{word: {rod if word == "force" else pin: x}}), NONSENSE + FUNCTIONS)
    swept(lambda x: sim.run(0.01, **{word: {x: 1.0}}), tuple(x for x in NONSENSE if x.__hash__))
    bench.sim.reset()


def test_arguments_of_a_run(bench: Bench) -> None:
    sim = bench.sim
    swept(lambda x: sim.run(x), tuple(x for x in NONSENSE if not isinstance(x, int) or x < 100))
    for word in ("every", "control", "before_step", "progress"):
        swept(lambda x, word=word: sim.run(0.01, **{word: x}))  # type: ignore[misc]
    swept(lambda x: sim.step(x), tuple(x for x in NONSENSE if not isinstance(x, int) or x < 100))
    swept(lambda x: sim.restore(x))


def test_reading_and_setting(bench: Bench) -> None:
    sim, pin, rod = bench.sim, bench.pin, bench.rod
    places = [rod.mass, rod.position, rod.rotation, rod.velocity, rod.angular_velocity, bench.scene.gravity_vector]
    places += [pin.upper(), pin.lower(), pin.effort(), pin.voltage(), pin.friction_level()]
    for quantity in places:
        swept(lambda x, quantity=quantity: sim.set(quantity, x))  # type: ignore[misc]
    swept(lambda x: sim.set(x, 1.0))
    swept(lambda x: sim.get(x))
    swept(lambda x: sim.contacts(x))
    for given in ({"origin": (0, 0, 0)}, {"direction": (0, 0, 1)}):
        word = "direction" if "origin" in given else "origin"
        swept(lambda x, word=word, given=given: sim.ray(**given, **{word: x}))  # type: ignore[misc]
    swept(lambda x: sim.ray((0, 0, 0), (0, 0, 1), x))
    swept(lambda x: sim.ray((0, 0, 0), (0, 0, 1), 1.0, x))


def test_a_whole_bound_is_kept_when_the_new_one_is_refused(bench: Bench) -> None:
    """What is refused changes nothing."""
    sim, pin = bench.sim, bench.pin
    before = sim.model.upper.numpy().copy()
    with pytest.raises(sh.SceneError, match="above the upper"):
        sim.set(pin.upper(), -50.0)
    np.testing.assert_array_equal(sim.model.upper.numpy(), before)


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings(bench: Bench, setting: str) -> None:
    values = tuple(x for x in NONSENSE if not isinstance(x, int) or x < 100)
    swept(lambda x: sh.Simulation(bench.scene, **{setting: x}), values)


def test_trajectories_and_files(bench: Bench) -> None:
    run, paths = bench.run, tuple(x for x in NONSENSE if not isinstance(x, str))
    swept(lambda x: run[x])
    swept(lambda x: run.plot(x))
    swept(lambda x: run.world(x))
    for method in (run.save, sh.Trajectory.load, sh.Scene.load, bench.scene.save):
        swept(method, paths)
    for file in ("", "x", "\0", str(bench.folder), "x" * 5000):
        for load in (sh.Trajectory.load, sh.Scene.load):
            swept(load, (file, f"{file}.yaml", f"{file}.nc"))


def test_parts_of_a_scene(bench: Bench) -> None:
    scene, rod = sh.Scene("parts"), bench.rod
    scene.body("rod", sh.Sphere(1.0, mass=1.0))
    swept(lambda x: sh.Scene("a", x))
    swept(lambda x: sh.Simulation(x))
    for word in (
        "position",
        "rotation",
        "velocity",
        "angular_velocity",
        "mass",
        "center_of_mass",
        "inertia",
        "contact",
    ):
        swept(lambda x, word=word: scene.body(bench.new(), sh.Sphere(1.0, mass=1.0), **{word: x}))  # type: ignore[misc]
    swept(lambda x: scene.body(x, sh.Sphere(1.0, mass=1.0)))
    swept(lambda x: scene.body(bench.new(), x))
    swept(lambda x: scene.joint(bench.new(), x, "world", "rod"))
    swept(lambda x: scene.joint(bench.new(), sh.Spherical(), x, "rod"))
    swept(lambda x: scene.joint(bench.new(), sh.Spherical(), "world", rod), (rod,))
    for word in ("friction", "limits", "spring", "drive", "initial"):
        for joint in (sh.Revolute(), sh.Spherical()):
            swept(lambda x, w=word, j=joint: scene.joint(bench.new(), j, "world", "rod", **{w: x}))  # type: ignore[misc]
    for word in ("axis", "anchor", "frame_a"):
        swept(lambda x, w=word: scene.joint(bench.new(), sh.Revolute(**{w: x}), "world", "rod"))  # type: ignore[misc]


def test_ropes_rays_and_ground(bench: Bench) -> None:
    path = ((0, 0, 0), (1, 0, 0))
    swept(lambda x: sh.Scene().rope("r", x, radius=0.1, density=1.0))
    swept(lambda x: sh.Scene().rope("r", path, radius=x, density=1.0))
    swept(lambda x: sh.Scene().rope("r", path, radius=0.1, density=x))
    for word in ROPE:
        swept(lambda x, w=word: sh.Scene().rope("r", path, radius=0.1, density=1.0, **{w: x}))  # type: ignore[misc]
    for word in ("position", "direction", "reach"):
        swept(lambda x, w=word: bench.scene.ray(bench.new(), bench.rod, **{w: x}))  # type: ignore[misc]
    swept(lambda x: sh.Scene().ground(height=x))
    swept(lambda x: sh.Scene().ground(material=x))
    swept(lambda x: sh.Scene().terrain("t", x))
    swept(lambda x: sh.Scene().material("m", x))
    swept(lambda x: sh.Scene().material_pair("default", x, sh.Material()))
