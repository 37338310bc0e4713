"""Scenes that are sound, and what is read of warnings, for the tests of warnings."""

from __future__ import annotations

import numpy as np

import sharnir as sh

UPRIGHT = (0, 1, 0)
MOTOR = sh.DcDrive(2.0, 400.0, 0.02, 60.0)


def names(run) -> list[str]:
    """The names of what a simulation or a run has warned of."""
    return [warning.name for warning in run.warnings]


def text_of(run, name: str) -> str:
    """The one warning of a name."""
    (found,) = [str(warning) for warning in run.warnings if warning.name == name]
    return found


def pendulum(radius: float = 0.05, **of_body) -> sh.Scene:
    """A bob of 1 kg, 1 m beside its pivot."""
    scene = sh.Scene("pendulum")
    bob = scene.body("bob", sh.Sphere(radius, mass=1.0), position=(1, 0, 0), **of_body)
    scene.joint("pivot", sh.Revolute(axis=(0, 1, 0)), scene.world, bob)
    return scene


def four_bar(*axes: tuple[float, float, float]) -> sh.Scene:
    """Three links of 1 kg between two pins; the axes of its four hinges, (0, 1, 0) where not given."""
    scene = sh.Scene("four-bar")
    points = np.array([(0, 0, 0), (0.3, 0, 0.4), (1.2, 0, 0.9), (1.1, 0, 0)])
    links = [
        scene.body(f"link {i}", sh.Sphere(0.05, mass=1.0), position=points[i : i + 2].mean(axis=0)) for i in range(3)
    ]
    pairs = zip([scene.world, *links], [*links, scene.world], strict=True)
    for i, (a, b) in enumerate(pairs):
        axis = axes[i] if i < len(axes) else (0, 1, 0)
        scene.joint("ABCD"[i], sh.Revolute(axis=axis, anchor=points[i]), a, b)
    return scene


def stand(drive, inertia: float = 0.01, limits=None) -> sh.Scene:
    """A load on an axle."""
    scene = sh.Scene("stand")
    load = scene.body("load", mass=1.0, inertia=(inertia,) * 3)
    scene.joint("axle", sh.Revolute(), scene.world, load, drive=drive, limits=limits)
    return scene
