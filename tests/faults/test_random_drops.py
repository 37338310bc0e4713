"""Everything dropped on rough ground: nothing falls through, nothing stops being a number."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.scenes import as_mesh

import sharnir as sh

HALF = 5.0  # m: half of the width of each of the two pieces of ground
SPACING = 0.16  # m
CLOUD = np.random.default_rng(3).uniform(-0.15, 0.15, (14, 3))
SHAPES = (
    sh.Sphere(0.1, mass=1.0),
    sh.Box(0.3, 0.2, 0.12, mass=2.0),
    sh.Capsule(0.06, 0.2, mass=0.5),
    sh.Cylinder(0.12, 0.15, mass=1.5),
    sh.Wheel(0.15, 0.08, mass=1.0),
    sh.ConvexHull(points=CLOUD, density=300.0),
)
ROUGHNESS = sh.Roughness(rms=0.12, shortest=0.5, longest=3.0, seed=7)


def height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Rough ground in a bowl, so that all stays on it."""
    rim = np.maximum(np.maximum(np.abs(x), np.abs(y)) - 0.5 * HALF, 0.0)
    return ROUGHNESS(x, y) + 1.5 * rim


def scene_of_drops(generator: np.random.Generator, each: int) -> sh.Scene:
    """``each`` of every shape over a height field about the origin, and as many over a mesh 20 m to the side."""
    scene = sh.Scene("drops")
    field = sh.HeightField.sampled(height, (2 * HALF, 2 * HALF), SPACING)
    scene.terrain("field", field)
    scene.terrain("mesh", as_mesh(field), position=(20.0, 0.0, 0.0))
    for k in range(2 * each * len(SHAPES)):
        turn = generator.normal(size=4)
        turn /= np.linalg.norm(turn)
        place = np.append(generator.uniform(-0.4 * HALF, 0.4 * HALF, 2), 1.0 + 0.3 * (k // 2))
        place[0] += 20.0 * (k % 2)
        scene.body(
            f"body{k}",
            SHAPES[k // 2 % len(SHAPES)],
            position=place,
            rotation=turn,
            velocity=generator.normal(size=3),
            angular_velocity=generator.normal(size=3) * 10.0,
        )
    return scene


@pytest.mark.parametrize("seed", [11, 19])
def test_random_drops_on_rough_ground(seed: int) -> None:
    """Ten seconds; the middle of every body stays above the ground under it, and what was dropped comes to rest.

    A wheel touches in one point alone: when it falls flat at 9 m/s its far side dips in for a few steps.
    """
    scene = scene_of_drops(np.random.default_rng(seed), each=3)
    sim = sh.Simulation(scene, dt=0.01)
    for _ in range(100):
        sim.step(10)  # raises if a world stops
        place = sim.snapshot().arrays["state"]["position"][1:, 0]
        x = place[:, 0] - 20.0 * (place[:, 0] > 10.0)
        assert np.abs(np.stack([x, place[:, 1]])).max() < HALF
        above = place[:, 2] - height(x, place[:, 1])
        assert above.min() > -0.01
        assert int(sim.report_arrays.contacts_lost.numpy()[0]) == 0
    assert above.min() > 0.015
    speed = np.linalg.norm(sim.snapshot().arrays["state"]["velocity"][1:, 0], axis=1)
    assert np.median(speed) < 0.01
