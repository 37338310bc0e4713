"""A scene moves alike in a kernel of its own and in the general one: they are made of the same functions.

Where a special kernel does with fewer operations (a lock of all three axes, a rope that touches nothing) the two round
differently, and the solver ends where no impulse changes by more than epsilon: each step may turn a rod of 0.01 kg m^2
by epsilon over that more or less.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sharnir as sh

STEPS = 50
ROUNDED = STEPS * 1e-10 / 0.01  # rad/s: epsilon is 1e-10 N m s by default
ROD = sh.Capsule(radius=0.02, length=0.3, mass=1.0)


def chain(joint: Callable[..., Any], **carried: Any) -> sh.Scene:
    """Three rods on joints of one type along x, let go level."""
    scene = sh.Scene("chain")
    last = scene.world
    for i in range(3):
        rod = scene.body(f"rod{i}", ROD, position=(0.4 * i + 0.2, 0, 0), rotation=(0, 0.5**0.5, 0, 0.5**0.5))
        scene.joint(f"joint{i}", joint(anchor=(0.4 * i, 0, 0)), last, rod, **carried)
        last = rod
    return scene


def hinge(anchor: Any) -> sh.Revolute:
    """A hinge about y."""
    return sh.Revolute(axis=(0, 1, 0), anchor=anchor)


def rope() -> sh.Scene:
    """A rope let go level."""
    scene = sh.Scene("rope")
    made = {"radius": 0.01, "density": 1000.0, "bending": 1e-3, "twisting": 1e-3, "damping": 0.0}
    scene.rope("rope", [(0, 0, 0), (1, 0, 0)], elements=10, start=sh.Tie(body="world"), **made)
    return scene


def rolling_ball() -> sh.Scene:
    """A ball that slides on the ground and then rolls."""
    scene = sh.Scene("ball")
    scene.ground()
    scene.body("ball", sh.Sphere(0.1, mass=1.0), position=(0, 0, 0.1), velocity=(1, 0, 0))
    return scene


SCENES = {
    "balls": (lambda: chain(sh.Spherical), {"solver": "sequential-impulses"}),
    "balls that rub": (lambda: chain(sh.Spherical, friction=sh.Coulomb(0.05)), {}),
    "hinges": (lambda: chain(hinge), {"integrator": "leapfrog"}),
    "springs": (lambda: chain(hinge, spring=sh.Spring(5.0, 0.1)), {"integrator": "rk4"}),
    "rope": (rope, {}),
    "rope, second order": (rope, {"integrator": "leapfrog"}),
    "ball on the ground": (rolling_ball, {}),
}


@pytest.mark.parametrize("name", SCENES)
def test_special_and_general_kernels_move_a_scene_alike(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, settings = SCENES[name]
    end: dict[str, Any] = {}
    for kernels in ("special", "general"):
        monkeypatch.setenv("SHARNIR_KERNELS", kernels)
        sim = sh.Simulation(make(), dt=0.002, **settings)
        start = state_of(sim)
        sim.step(STEPS)
        end[kernels] = state_of(sim)
        assert np.abs(end[kernels] - start).max() > 0.1  # it has moved
    assert np.abs(end["special"] - end["general"]).max() < ROUNDED


def state_of(sim: sh.Simulation) -> Any:
    """Poses and velocities of bodies and ropes, as one row of numbers."""
    state = sim.snapshot().arrays["state"]
    return np.concatenate([np.ravel(values) for key, values in state.items() if key != "twist"])


def test_kernels_of_an_unknown_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARNIR_KERNELS", "generic")
    with pytest.raises(sh.SceneError, match="did you mean 'general'"):
        sh.Simulation(chain(hinge), dt=0.01)
