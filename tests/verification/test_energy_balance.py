"""E(t) - E(0) is the work of all sources and sinks, to the order of the step; each store of energy is whole."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sharnir as sh
from sharnir.record.balance import Balance

DT = 0.004
Made = tuple[sh.Scene, dict[str, Any]]


def swinging(joint: Any, **carried: Any) -> tuple[sh.Scene, sh.Joint]:
    """2 kg on an arm of 1 m, let go level."""
    scene = sh.Scene("arm")
    bob = scene.body("bob", sh.Sphere(0.1, mass=2.0), position=(1, 0, 0))
    return scene, scene.joint("pivot", joint, scene.world, bob, **carried)


def pushed_into_its_limit() -> Made:
    hinge, spring = sh.Revolute(axis=(0, 1, 0)), sh.Spring(5.0, 0.1)
    scene, joint = swinging(hinge, spring=spring, friction=sh.Coulomb(0.5), limits=(-1, 1))
    return scene, {"torque": {joint: math.sin}}


def driven(efficiency: float = 1.0) -> Made:
    drive = sh.DcDrive(0.5, 300.0, 0.05, 100.0, efficiency=efficiency)
    scene, joint = swinging(sh.Revolute(axis=(0, 1, 0)), drive=drive, friction=sh.Viscous(0.3))
    return scene, {"voltage": {joint: lambda t: math.sin(3 * t)}}


def pushed_on_bristles() -> Made:
    law = sh.LuGre(0.5, static=0.7, speed=0.01, stiffness=1000.0, damping=5.0, viscous=0.1)
    scene, _ = swinging(sh.Spherical(), friction=law)
    return scene, {"force": {scene.bodies["bob"]: lambda t: (0, 3 * math.sin(t), 5.0)}}


# scene, its order in the default step, and which sources act
CASES: dict[str, tuple[Callable[[], Made], int, set[str]]] = {
    "limit": (pushed_into_its_limit, 1, {"efforts", "dampers", "friction", "limits"}),
    "drive": (driven, 2, {"drives", "dampers"}),
    "gear": (lambda: driven(0.7), 1, {"drives", "gears", "dampers"}),
    "bristles": (pushed_on_bristles, 1, {"forces", "dampers", "friction"}),
}


def balance_of(make: Callable[[], Made], dt: float, **settings: Any) -> Balance:
    scene, inputs = make()
    return Balance(sh.Simulation(scene, dt, **settings).run(2.0, **inputs))


@pytest.mark.parametrize("name", CASES)
def test_the_energy_of_a_run_is_balanced_by_its_sources(name: str) -> None:
    make, order, acting = CASES[name]
    coarse, fine = balance_of(make, DT), balance_of(make, DT / 2)
    assert {source for source, done in fine.work.items() if np.abs(done).max() > 0.1} == acting
    exchanged = max(np.abs(done).max() for done in fine.work.values())
    assert np.abs(fine.left).max() < 0.02 * exchanged
    assert np.abs(fine.left[-1]) < 1.2 * 0.5**order * np.abs(coarse.left[-1])


def test_the_papers_step_is_balanced_to_first_order() -> None:
    coarse, fine = (balance_of(driven, dt, integrator="semi-implicit-euler") for dt in (DT, DT / 2))
    assert np.abs(coarse.left).max() < 0.02 * np.ptp(coarse.change)
    assert np.abs(fine.left).max() == pytest.approx(0.5 * np.abs(coarse.left).max(), rel=0.05)


def test_the_energy_of_an_oscillator_is_that_of_its_spring() -> None:
    """k x^2/2 at the start, all of it left after ten periods but (w dt)^2/24 of the step."""
    scene = sh.Scene("oscillator", gravity=(0, 0, 0))
    block = scene.body("block", sh.Box(0.1, 0.1, 0.1, mass=1.0))
    scene.joint("slide", sh.Prismatic(axis=(1, 0, 0)), scene.world, block, spring=sh.Spring(100.0, rest=-0.1))
    run = sh.Simulation(scene, 0.005).run(6.285)
    assert float(run[scene.energy][0]) == pytest.approx(0.5, rel=1e-12)
    assert run[scene.energy].values == pytest.approx(0.5, rel=(10 * 0.005) ** 2)
    assert run[scene.elastic_energy].values.min() < 1e-3  # it does go to and fro


def test_a_rope_with_clamped_ends_holds_the_energy_of_all_of_its_length() -> None:
    """Laid straight, curved at rest: K c^2/2 per metre."""
    scene = sh.Scene("rope", gravity=(0, 0, 0))
    ends = {"start": sh.Tie(body="world", clamped=True), "end": sh.Tie(body="world", clamped=True)}
    made = {"radius": 0.01, "density": 1000.0, "bending": 0.5, "twisting": 0.3, "curvature": (0.2, 0.0, 0.1)}
    rope = scene.rope("rope", [(0, 0, 0), (2, 0, 0)], elements=10, **made, **ends)
    sim = sh.Simulation(scene, 0.001)
    held = 0.5 * 2.0 * (0.5 * 0.2**2 + 0.3 * 0.1**2)
    assert sim.get(rope.elastic_energy) == pytest.approx(held, rel=1e-9)
    assert sim.get(scene.energy) == pytest.approx(held, rel=1e-9)


def test_a_mass_set_in_mid_run_leaves_the_frames_before_as_they_were() -> None:
    scene = sh.Scene("thrown", gravity=(0, 0, 0))
    body = scene.body("body", sh.Sphere(0.1, mass=2.0), velocity=(3, 0, 0))
    post = scene.body("post", fixed=True)
    sim = sh.Simulation(scene, 0.01)

    def change(now: sh.Simulation) -> None:
        if now.steps == 10:
            now.set(body.mass, 4.0)

    run = sim.run(0.2, before_step=change)
    assert run[body.mass].values.tolist() == [2.0] * 11 + [4.0] * 10
    assert run[body.kinetic_energy].values == pytest.approx([9.0] * 11 + [18.0] * 10)
    assert sim.get(post.mass) == 0.0  # what is fixed has no part in weight, momentum and energy
    assert run[post.mass].values.tolist() == [0.0] * 21
