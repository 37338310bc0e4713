"""Scene files spoilt at random are read or refused in words; nothing else comes out of them, and nothing hangs."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from spoiling import spoilt

import sharnir as sh
from sharnir.files.scene_file import load_scene
from sharnir.model.compile import compile_scene
from sharnir.view.robots import ROBOTS

LONGEST_MESSAGE = 700  # characters: an error is read by people


def read_or_refused(path: Path) -> None:
    """Load a file and compile what it holds; whatever is refused is refused in one line that names the file."""
    try:
        scene = load_scene(path)
    except sh.SceneError as error:
        assert str(path) in str(error), error
        assert_readable(error)
        return
    try:
        compiled = compile_scene(scene, "direct", "semi-implicit-euler")
    except sh.SceneError as error:
        assert_readable(error)
        return
    for name, values in compiled.state.items():
        assert np.isfinite(np.asarray(values, float)).all(), name


def assert_readable(error: Exception) -> None:
    text = str(error)
    assert 10 < len(text) < LONGEST_MESSAGE, text
    assert "\n" not in text, text
    assert "object at 0x" not in text, text


@cache
def seed(name: str) -> Any:
    """A good scene as plain data: a robot with its diagram and its console, or a bit of everything else."""
    from tempfile import TemporaryDirectory

    scene = ROBOTS["krt100"]().scene if name == "robot" else everything_else()
    with TemporaryDirectory() as folder:
        return json.loads(scene.save(Path(folder) / "seed.json").read_text(encoding="utf-8"))


def everything_else() -> sh.Scene:
    """Ropes, rays, terrain, meshes, every friction law: what the robot does not have."""
    scene = sh.Scene("seed")
    scene.material("ice", sh.Material(friction=0.1, restitution=0.5, stiffness=1e5, damping=10.0))
    scene.material_pair("ice", "default", sh.Material(friction=0.05))
    scene.ground(material="ice")
    relief = sh.Stairs(rise=0.1, count=3) + sh.Roughness(rms=0.01) + sh.Sine(amplitude=0.1, wavelength=1.0)
    scene.terrain("relief", sh.HeightField(relief=relief, size=(2, 1), spacing=0.25))
    scene.terrain("field", sh.HeightField(heights=((0, 1, 0), (0, 2, 3)), spacing=0.5), position=(9, 0, 0))
    corners, sides = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    scene.body("rock", sh.Mesh(vertices=corners, triangles=sides, mass=1.0), contact=False, position=(0, 5, 1))
    scene.body("hull", sh.ConvexHull(points=corners, density=5.0), position=(0, 0, 2))
    crane = scene.body("crane", sh.Box(1, 1, 1, mass=100.0), sh.Capsule(0.1, 1.0, mass=1.0), position=(3, 0, 1))
    drum = scene.body("drum", sh.Cylinder(0.2, 0.2, mass=5.0), position=(3, 0, 3))
    load = scene.body("load", sh.Sphere(0.1, mass=2.0), position=(5, 0, 1))
    motor = sh.DcDrive(1.5, 300.0, 0.02, 50.0, self_locking=True)
    hub = sh.Revolute(axis=(0, 1, 0), anchor=(3, 0, 3))
    scene.joint("hub", hub, crane, drum, drive=sh.SpeedServo(motor, 1.0), friction=sh.LuGre(1, 2, 0.01, 1e4))
    ball = sh.Spherical(anchor=(3, 0, 0.5))
    scene.joint("ball", ball, "world", crane, limits=sh.Cone(0.5), friction=sh.Coulomb(5.0, load=sh.Load(radius=0.1)))
    table = ((-1.0, -2.0), (0.0, 0.0), (1.0, 3.0))
    scene.joint(
        "coil", sh.Strut(anchor_a=(0, 0, 5), anchor_b=(0, 0, 2)), "world", "hull", spring=sh.Spring(table=table)
    )
    scene.joint("slide", sh.Prismatic(anchor=(0, 5, 1)), "world", "rock", limits=(-1, 1), friction=sh.Dahl(1.0, 1e3))
    scene.rope(
        "hoist",
        ((3.2, 0, 3), (5, 0, 1)),
        radius=0.01,
        density=1000.0,
        winch=sh.Winch(joint="hub", radius=0.2, stored=1.0),
        end=sh.Tie(body="load"),
        eyelets=(sh.Eyelet(body="crane", at=1.0, friction=0.1),),
        breaking_load=1e4,
    )
    clamp = sh.Tie(body="world", clamped=True)
    scene.rope("stay", ((0, -3, 3), (0, -5, 3)), radius=0.01, density=1000.0, bending=0.1, twisting=0.1, start=clamp)
    scene.ray("eye", load, direction=(0, 0, -1))
    return scene


@pytest.mark.parametrize("name", ["robot", "everything"])
def test_the_seeds_are_good(name: str, tmp_path: Path) -> None:
    path = tmp_path / "seed.json"
    path.write_text(json.dumps(seed(name)), encoding="utf-8")
    compile_scene(load_scene(path), "direct", "semi-implicit-euler")


@pytest.mark.parametrize(("name", "endings"), [("robot", ("json",)), ("everything", ("json", "yaml"))])
def test_spoilt_structure(name: str, endings: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> None:
    """The robot is large, and reading so much YAML takes long; the same reader is tried with everything else."""
    folder = tmp_path_factory.mktemp("spoilt")

    @given(spoilt(seed(name)), st.sampled_from(endings))
    def check(data: Any, ending: str) -> None:
        path = folder / f"scene.{ending}"
        text = json.dumps(data) if ending == "json" else yaml.safe_dump(data, allow_unicode=False)
        path.write_text(text, encoding="utf-8")
        read_or_refused(path)

    check()
