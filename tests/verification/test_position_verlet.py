"""Position Verlet against the closed form of a pendulum: velocities where the steps end are of second order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import sharnir as sh

ARM, RADIUS, GRAVITY = 1.0, 0.1, 9.80665
LENGTH = ARM + 0.4 * RADIUS**2 / ARM  # m, of the simple pendulum with the same motion
QUARTER = np.sqrt(LENGTH / GRAVITY) * ellipk(0.5)  # s, from rest at 90 degrees to the lowest point
FASTEST = np.sqrt(2.0 * GRAVITY / LENGTH)  # rad/s there


def swung(steps: int) -> tuple[float, float, float]:
    """Angle (rad) and rate (rad/s) after five quarters of a swing in steps, and the widest gap of the joint (m)."""
    scene = sh.Scene("pendulum", gravity=(0, 0, -GRAVITY))
    bob = scene.body("bob", sh.Sphere(RADIUS, mass=1.0), position=(ARM, 0, 0))
    pivot = scene.joint("pivot", sh.Revolute(axis=(0, 1, 0)), scene.world, bob)
    sim = sh.Simulation(scene, dt=QUARTER / steps, integrator="position-verlet")
    run = sim.run(5.0 * QUARTER)
    angle, rate = (float(run[q][-1]) for q in (pivot.angle, pivot.rate()))
    radius = np.linalg.norm(np.asarray(run[bob.position]), axis=-1)
    return angle - 0.5 * np.pi, rate, float(abs(radius - ARM).max())


def test_angle_and_rate_of_a_pendulum_are_of_second_order() -> None:
    coarse, fine = swung(100), swung(200)
    assert abs(fine[0]) < 1e-3 and abs(fine[1] - FASTEST) < 1e-3 * FASTEST
    assert coarse[0] / fine[0] == pytest.approx(4.0, rel=0.1)
    assert (coarse[1] - FASTEST) / (fine[1] - FASTEST) == pytest.approx(4.0, rel=0.1)


def test_joints_are_open_by_the_bow_of_half_a_step_where_steps_end() -> None:
    steps = 100
    bow = 0.5 * (0.5 * QUARTER / steps * FASTEST) ** 2 * ARM
    assert swung(steps)[2] == pytest.approx(bow, rel=0.05)


def test_a_scene_with_ropes_is_refused_by_name() -> None:
    scene = sh.Scene("rope")
    scene.rope("line", [(0, 0, 0), (1, 0, 0)], radius=0.01, density=1000.0)
    with pytest.raises(sh.SceneError, match="'position-verlet' moves no ropes"):
        sh.Simulation(scene, integrator="position-verlet")
