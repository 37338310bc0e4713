"""Contacts between bodies that turn: they stick, roll and press to second order in the step, as joints do."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
import touching

import sharnir as sh

G = mech.GRAVITY


def turntable(rate: float, friction: float) -> tuple[sh.Scene, sh.Body]:
    """A heavy table that turns about z, its top at z = 0."""
    scene = touching.playground(friction=friction)
    disc = sh.Cylinder(3.0, 0.1, mass=1e6)
    table = scene.body("table", disc, position=(0, 0, -0.05), angular_velocity=(0, 0, rate), contact=True)
    scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), "world", table)
    return scene, table


@pytest.mark.parametrize("dt", [0.01, 0.005])
def test_a_box_stays_on_a_turntable(dt: float) -> None:
    """It needs w^2 r = 2 m/s^2, 41 % of what friction can do: it stays where it is, to (w dt)^2 of its radius.

    Held by J V = 0 alone it was thrown outwards by w^2 r dt/2, 10 mm/s at 10 ms.
    """
    rate, radius = 2.0, 0.5
    scene, _ = turntable(rate, friction=0.5)
    box = scene.body(
        "box",
        sh.Box(0.1, 0.1, 0.02, mass=0.1),
        position=(radius, 0, 0.01),
        velocity=(0, radius * rate, 0),
        angular_velocity=(0, 0, rate),
        contact=True,
    )
    place = mech.values(sh.Simulation(scene, dt=dt).run(3.0), box.position)
    assert np.abs(np.hypot(place[:, 0], place[:, 1]) - radius).max() < (rate * dt) ** 2 * radius
    np.testing.assert_allclose(place[:, 2], 0.01, atol=1e-6)


def test_a_ball_rolls_in_a_circle_on_a_turntable() -> None:
    """Its centre goes round in a circle with 2/7 of the table's rate: m v' = f, 2/5 m R^2 w' = R x f, no slip."""
    rate, radius, R, dt = 3.0, 1.0, 0.1, 0.01
    scene, _ = turntable(rate, friction=1.0)
    own = 2 / 7 * rate
    ball = scene.body(
        "ball",
        sh.Sphere(R, mass=0.1),
        position=(radius, 0, R),
        velocity=(0, own * radius, 0),
        angular_velocity=((rate - own) * radius / R, 0, 0),
        contact=True,
    )
    run = sh.Simulation(scene, dt=dt).run(5.0)
    place = mech.values(run, ball.position)
    angle = np.unwrap(np.arctan2(place[:, 1], place[:, 0]))
    assert np.abs(np.hypot(place[:, 0], place[:, 1]) - radius).max() < (rate * dt) ** 2 * radius
    np.testing.assert_allclose(angle, own * mech.times(run), atol=5.0 * own * (rate * dt) ** 2)


def test_a_loaded_ball_keeps_its_energy() -> None:
    """A ball with its centre of mass off its middle rolls without slipping: nothing takes energy from it."""
    energies = []
    for dt in (0.01, 0.005):
        scene = touching.playground(friction=2.0)
        scene.ground()
        scene.body(
            "ball",
            sh.Sphere(0.3),
            mass=1.0,
            inertia=(0.03, 0.03, 0.03),
            center_of_mass=(0.1, 0, -0.05),
            position=(0, 0, 0.3),
            velocity=(1.2, 0, 0),
            angular_velocity=(0, 4, 0),
        )
        energy = mech.values(sh.Simulation(scene, dt=dt).run(5.0), scene.energy)[1:-1]
        energies.append(np.abs(energy / energy[0] - 1).max())
    assert energies[0] < 0.02
    assert energies[1] < energies[0] / 3
