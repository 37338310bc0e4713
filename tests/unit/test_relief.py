"""Shapes of ground: their heights in closed form, and fields made of them, of functions, arrays and pictures."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import sharnir as sh


def heights(field: sh.HeightField) -> np.ndarray:
    return field.sample("test")[0]


def test_a_ramp_rises_and_stays_up() -> None:
    ramp = sh.Ramp(rise=0.5, length=2.0, start=1.0)
    assert ramp([0, 1, 2, 3, 9], 0) == pytest.approx([0, 0, 0.25, 0.5, 0.5])
    across = sh.Ramp(rise=0.5, length=2.0, start=1.0, direction=math.pi / 2)
    assert across(7, [0, 2, 9]) == pytest.approx([0, 0.25, 0.5])


def test_stairs_and_a_kerb() -> None:
    stairs = sh.Stairs(rise=0.15, tread=0.3, count=3, start=1.0)
    assert stairs([0.99, 1.01, 1.29, 1.31, 1.61, 5], 0) == pytest.approx([0, 0.15, 0.15, 0.3, 0.45, 0.45])
    assert sh.Stairs(rise=0.1)([-0.01, 0.01, 30], 0) == pytest.approx([0, 0.1, 0.1])


def test_waves_and_a_half_round_bump() -> None:
    assert sh.Sine(amplitude=0.2, wavelength=4.0)([0, 1, 2, 3], 5) == pytest.approx([0, 0.2, 0, -0.2], abs=1e-12)
    bump = sh.HalfRound(radius=0.5, at=2.0)
    assert bump([1.4, 1.5, 2.0, 2.3], 0) == pytest.approx([0, 0, 0.5, 0.4])


def test_roughness_has_its_size_and_its_seed() -> None:
    """The root mean square over an area of many wavelengths; the same whatever the spacing."""
    rough = sh.Roughness(rms=0.05, shortest=0.5, longest=2.0, seed=4)
    x, y = np.meshgrid(np.linspace(-100, 100, 401), np.linspace(-100, 100, 401))
    assert np.sqrt(np.mean(rough(x, y) ** 2)) == pytest.approx(0.05, rel=0.05)
    assert rough(1.5, 2.5) == rough(np.array([0, 1.5]), 2.5)[1]
    assert rough(1.5, 2.5) != sh.Roughness(rms=0.05, shortest=0.5, longest=2.0, seed=5)(1.5, 2.5)


def test_reliefs_add_up() -> None:
    both = sh.Stairs(rise=0.1) + sh.Sine(amplitude=0.2, wavelength=4.0) + sh.Ramp(rise=1, length=1, start=50)
    field = sh.HeightField(relief=both, size=(4, 2), spacing=1.0)
    assert heights(field).shape == (5, 3)  # rows along x from -2 to 2, columns along y from -1 to 1
    assert heights(field)[:, 1] == pytest.approx([0, -0.2, 0.1, 0.3, 0.1], abs=1e-12)


def test_the_size_of_a_relief_is_kept_and_the_spacing_nearly() -> None:
    values, spacing = sh.HeightField(relief=sh.Stairs(rise=1), size=(1.0, 2.0), spacing=0.3).sample("test")
    assert values.shape == (4, 8)
    assert spacing == pytest.approx((1 / 3, 2 / 7))


def test_a_field_from_a_function() -> None:
    field = sh.HeightField.sampled(lambda x, y: x + 10 * y, size=(2.0, 1.0), spacing=0.5)
    assert heights(field).shape == (5, 3)
    assert heights(field)[0] == pytest.approx([-6, -1, 4])
    assert field.spacing == (0.5, 0.5)


def test_a_field_from_an_array_and_from_a_picture(tmp_path: Path) -> None:
    values = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    np.save(tmp_path / "dunes.npy", values)
    assert heights(sh.HeightField(file=str(tmp_path / "dunes.npy"))) == pytest.approx(values)
    Image.fromarray(np.array([[0, 255], [51, 102]], np.uint8)).save(tmp_path / "dunes.png")
    picture = sh.HeightField(file=str(tmp_path / "dunes.png"), range=(-1.0, 4.0))
    assert heights(picture) == pytest.approx(np.array([[-1, 4], [0, 1]]))


def test_files_of_terrain_are_named_beside_the_scene(tmp_path: Path) -> None:
    np.save(tmp_path / "dunes.npy", np.zeros((3, 3)))
    scene = sh.Scene()
    scene.terrain("dunes", sh.HeightField(file=str(tmp_path / "dunes.npy")))
    text = scene.save(tmp_path / "desert.yaml").read_text()
    assert "file: dunes.npy" in text
    again = sh.Scene.load(tmp_path / "desert.yaml").terrains["dunes"].spec.surface
    assert heights(again).shape == (3, 3)  # type: ignore[arg-type]
