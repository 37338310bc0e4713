"""The contacts of a mechanism are solved together (dynamics/contacts/together.py): few iterations, exact impulses."""

from __future__ import annotations

import carts
import mechanisms as mech
import numpy as np
import pytest

import sharnir as sh
from sharnir import spatial
from sharnir.assemblies.robots import krt100

DT = 0.005  # s
FRICTION = 0.6


def rough_krt100() -> sh.Simulation:
    """The robot before round bars half sunk into the ground, in two heights and angles."""
    scene = sh.Scene("krt100 before bars")
    scene.ground()
    for i in range(8):
        turn = spatial.multiply(spatial.about((0, 0, 1), 0.2 * (-1) ** i), spatial.about((1, 0, 0), np.pi / 2))
        place = (0.8 + 0.15 * i, 0.1 * (-1) ** i, 0.0)
        scene.body(f"bar{i}", sh.Capsule(0.02 + 0.01 * (i % 2), 0.6), position=place, rotation=turn, fixed=True)
    robot = krt100(scene)
    sim = sh.Simulation(scene, dt=DT)
    for corner in robot.vehicle.corners:
        sim.set(corner.spin.voltage(), 0.6)
    return sim


def outside_the_cone(sim: sh.Simulation) -> float:
    """By how much friction is beyond its cone, worst contact, of the largest force."""
    touches = sim.contacts()
    normal = np.array([touch.force @ touch.normal for touch in touches])
    along = np.array([np.linalg.norm(touch.force - (touch.force @ touch.normal) * touch.normal) for touch in touches])
    return float((along - FRICTION * normal).max() / normal.max())


def test_ten_wheels_on_rough_ground_need_a_handful_of_iterations() -> None:
    """Visits alone take all fifty in every other step, and end at 1e-2 N s; a contact that does not press rubs not."""
    sim = rough_krt100()
    taken, left, beyond = [], [], []
    for _ in range(240):
        sim.step()
        taken.append(int(sim.report.iterations[0]))
        left.append(float(sim.report.residual[0]))
        beyond.append(outside_the_cone(sim))
    assert np.median(taken) <= 3
    assert np.mean(taken) < 6
    assert np.median(left) < 1e-9
    assert max(beyond) < 1e-9


@pytest.mark.parametrize("angle", [0.0, 0.2, 0.4])
def test_a_braked_cart_stands_by_the_forces_of_statics(angle: float) -> None:
    """On four rigid wheels with locked axles: the sum by the weight, and the load of each axle by its moment.

    How the wheels push against each other across the slope is not a matter of statics; it adds up to nothing.
    """
    cart = carts.cart(friction=0.7, angle=angle, brake=1e3)
    sim = sh.Simulation(cart.scene, dt=DT)
    sim.step(100)
    forces = {t.b: t.force for t in sim.contacts()} | {t.a: -t.force for t in sim.contacts()}
    forces = {name: force for name, force in forces.items() if name in cart.wheels}
    assert set(forces) == set(cart.wheels)
    weight = carts.TOTAL * mech.GRAVITY
    up = np.array([np.sin(angle), 0.0, np.cos(angle)])
    push = {name: float(force @ up) for name, force in forces.items()}
    assert sum(forces.values()) == pytest.approx(np.array([0.0, 0.0, weight]), abs=1e-6 * weight)
    front = push["front left"] + push["front right"]
    moved = weight * np.sin(angle) * carts.RADIUS / 0.8  # all centres of mass are at the height of the axles
    assert front == pytest.approx(weight * np.cos(angle) / 2 + moved, rel=1e-5)
    assert push["front left"] == pytest.approx(push["front right"], rel=1e-6)
    assert sim.report.iterations[0] <= 3


def test_a_cart_that_slides_is_braked_by_friction_alone() -> None:
    """All wheels locked on the level: speed falls by mu g, in every step, though every contact slides."""
    cart = carts.cart(friction=0.5, speed=2.0, brake=1e3)
    sim = sh.Simulation(cart.scene, dt=DT)
    sim.step(20)
    before = np.array(sim.get(cart.chassis.velocity))
    sim.step(20)
    after = np.array(sim.get(cart.chassis.velocity))
    assert before[0] - after[0] == pytest.approx(0.5 * mech.GRAVITY * 20 * DT, rel=1e-6)
    assert abs(after[1]) < 1e-9
    assert sim.report.iterations[0] <= 4
