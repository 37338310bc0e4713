"""Scenes with contact that several verification tests share.

All of them have the same kinds of shapes and of materials, wanted or not: kernels are specialised on these, and one
that serves every test is compiled once.
"""

from __future__ import annotations

from typing import Any

import mechanisms as mech
import numpy as np

import sharnir as sh

RESTITUTION = 0.8
STIFFNESS = 1000.0  # N/m

SMOOTH = sh.Contact(material="smooth")
BOUNCY = sh.Contact(material="bouncy")
ELASTIC = sh.Contact(material="elastic")
SOFT = sh.Contact(material="soft")


def playground(
    gravity: float = mech.GRAVITY,
    friction: float = 0.6,
    damping: float = 0.0,
    rolling: float = 0.01,
    spinning: float = 0.0,
) -> sh.Scene:
    """An empty scene that knows all materials.

    ``friction`` is that of the default, ``damping`` that of the soft, ``rolling`` and ``spinning`` (m) of the clinging.
    """
    scene = sh.Scene("playground", gravity=(0, 0, -gravity))
    scene.material("default", sh.Material(friction=friction))
    scene.material("smooth", sh.Material(friction=0.0))
    scene.material("bouncy", sh.Material(friction=0.0, restitution=RESTITUTION))
    scene.material("elastic", sh.Material(friction=0.0, restitution=1.0))
    scene.material("soft", sh.Material(friction=0.0, stiffness=STIFFNESS, damping=damping))
    clinging = sh.Material(friction=friction, rolling_friction=rolling, spinning_friction=spinning)
    scene.material("clinging", clinging)
    scene.body("post", sh.Cylinder(0.1, 0.2), sh.Box(0.1, 0.1, 0.1), position=(0, 0, -1e3), fixed=True, contact=True)
    return scene


def slope(angle: float, friction: float) -> sh.Scene:
    """A plane that falls towards x at an angle (rad)."""
    scene = playground(friction=friction)
    scene.terrain("slope", sh.Plane(), rotation=tilt(angle))
    return scene


def tilt(angle: float) -> tuple[float, float, float, float]:
    """Turned about y, so that x points down."""
    return (0.0, float(np.sin(angle / 2)), 0.0, float(np.cos(angle / 2)))


def on_slope(angle: float, height: float) -> tuple[float, float, float]:
    """The point at a height (m) above the slope, square to it."""
    return (height * float(np.sin(angle)), 0.0, height * float(np.cos(angle)))


def downhill(angle: float) -> Any:
    """The unit vector down the slope."""
    return np.array([np.cos(angle), 0.0, -np.sin(angle)])


def peaks(height: Any) -> Any:
    """The tops of the parabolas through the highest samples of each flight."""
    i = np.flatnonzero((height[1:-1] >= height[:-2]) & (height[1:-1] > height[2:])) + 1
    before, top, after = height[i - 1], height[i], height[i + 1]
    return top + (after - before) ** 2 / (8 * (2 * top - before - after))
