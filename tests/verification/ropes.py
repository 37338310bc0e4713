"""Ropes that several verification tests share."""

from __future__ import annotations

from typing import Any

import numpy as np

import sharnir as sh
from sharnir import spatial

# The rope of [002]: 2.8 m, 1.5 cm, with independent moduli.
PAPER: dict[str, Any] = {"radius": 0.015, "density": 1200.0, "youngs_modulus": 5e4, "shear_modulus": 1e5}
LENGTH, ELEMENTS = 2.8, 20
MASS = 1200 * np.pi * 0.015**2 * LENGTH
WORLD = sh.Tie(body="world")
FREE = (0.0, 0.0, 0.0)


def hanging(**details: Any) -> tuple[sh.Scene, sh.Rope]:
    """The paper's rope, hanging straight down from a fixed point."""
    scene = sh.Scene("hanging rope")
    rope = scene.rope("rope", [(0, 0, 0), (0, 0, -LENGTH)], start=WORLD, **(PAPER | details))
    return scene, rope


def zero_crossings(t: Any, x: Any) -> Any:
    """The times at which x changes sign, between the samples by a straight line."""
    k = np.flatnonzero(np.sign(x[:-1]) * np.sign(x[1:]) < 0)
    return t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])


def set_twist(sim: sh.Simulation, rope: sh.Rope, angles: Any) -> None:
    """Turn the elements of the only rope about their own axes, from where they were laid."""
    axes = spatial.rotate(rope.rotations, [0.0, 0.0, 1.0])
    turned = [spatial.multiply(spatial.about(z, a), q) for z, a, q in zip(axes, angles, rope.rotations, strict=True)]
    sim.state.rope_rotation.numpy()[: rope.elements, 0] = np.array(turned)


def chuck(scene: sh.Scene, at: tuple[float, float, float], inertia: float = 1e-3) -> tuple[sh.Body, sh.Joint]:
    """A body that may turn about x and slide along it, for twisting and towing."""
    body = scene.body("chuck", mass=1.0, inertia=(inertia, inertia, inertia), position=at)
    return body, scene.joint("guide", sh.Cylindrical(axis=(1, 0, 0), anchor=at), scene.world, body)
