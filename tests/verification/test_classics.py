"""Classics with closed forms, at default settings: a linkage that draws a straight line, and a book that flips."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
from scipy.special import ellipk

import sharnir as sh
from sharnir import spatial


def rod(scene: sh.Scene, name: str, start: np.ndarray, end: np.ndarray, mass: float) -> sh.Body:
    """A rod between two points of the plane y = 0."""
    span = end - start
    tilt = -np.arctan2(span[2], span[0])
    shape = sh.Box(float(np.linalg.norm(span)), 0.02, 0.02, mass=mass)
    turn = (0, np.sin(tilt / 2), 0, np.cos(tilt / 2))
    return scene.body(name, shape, position=(start + end) / 2, rotation=turn)


def inversor() -> tuple[sh.Scene, dict[str, sh.Body]]:
    """Peaucellier's linkage: rods 1 m, 0.5 m and a crank of 0.35 m on whose circle its pole lies; three loops."""
    scene = sh.Scene("inversor")
    pole, crank = np.zeros(3), np.array([0.35, 0, 0])
    along = np.array([np.cos(0.35), 0, np.sin(0.35)])
    near = 2 * 0.35 * np.cos(0.35) * along
    far = along * 0.75 / np.linalg.norm(near)
    across = np.array([-along[2], 0, along[0]]) * np.sqrt(0.25 - np.linalg.norm(far - near) ** 2 / 4)
    upper, lower = (near + far) / 2 + across, (near + far) / 2 - across
    ends = {
        "pole-upper": (pole, upper, 1.0),
        "pole-lower": (pole, lower, 1.0),
        "near-upper": (near, upper, 0.5),
        "near-lower": (near, lower, 0.5),
        "far-upper": (far, upper, 0.5),
        "far-lower": (far, lower, 0.5),
        "crank-near": (crank, near, 0.4),
    }
    rods = {name: rod(scene, name, start, end, mass) for name, (start, end, mass) in ends.items()}
    hinges = [("", "pole-upper", pole), ("", "pole-lower", pole), ("", "crank-near", crank)]
    hinges += [("crank-near", "near-upper", near), ("crank-near", "near-lower", near)]
    hinges += [
        (f"pole-{side}", f"{end}-{side}", at)
        for side, at in (("upper", upper), ("lower", lower))
        for end in ("near", "far")
    ]
    hinges.append(("far-upper", "far-lower", far))
    for i, (a, b, place) in enumerate(hinges):
        scene.joint(f"hinge{i}", sh.Revolute(axis=(0, 1, 0), anchor=place), rods.get(a, scene.world), rods[b])
    return scene, rods


def test_peaucelliers_linkage_draws_a_straight_line() -> None:
    """The far corner keeps x = (1 - 1/4)/(2 * 0.35), falling under gravity: to 10 um at 10 ms, a quarter at 5 ms."""
    off = []
    for dt in (0.01, 0.005):
        scene, rods = inversor()
        run = sh.Simulation(scene, dt=dt).run(0.33)
        body = rods["far-upper"]
        middle, turn = mech.values(run, body.position), mech.values(run, body.rotation)
        tip = middle + spatial.rotate(turn, np.array([-0.25, 0, 0]))
        assert np.ptp(tip[:, 2]) > 0.6
        off.append(np.abs(tip[:, 0] - 0.75 / 0.7).max())
    assert off[0] < 1e-5
    assert off[1] < off[0] / 2


@pytest.mark.parametrize("dt", [0.01, 0.005])
def test_peaucelliers_linkage_gains_nothing_where_its_rods_lie_in_a_line(dt: float) -> None:
    """At 0.5 s, and again and again: turns by q in a step move the energy by q^2/4 of the kinetic energy at most.

    What leads onto the joints is huge there, and stores no energy in the compliance of joints that close loops.
    """
    scene, rods = inversor()
    run = sh.Simulation(scene, dt=dt).run(5.0)
    energy, kinetic = mech.values(run, scene.energy), mech.values(run, scene.kinetic_energy)
    turn = dt * max(np.abs(mech.values(run, body.angular_velocity)).max() for body in rods.values())
    assert turn < 0.2
    assert energy.max() - energy[0] < turn**2 / 4 * kinetic.max()


def test_a_book_flips_about_its_middle_axis_in_time() -> None:
    """Moments 1, 2, 3, spun at 4 rad/s about the middle one with 1e-3 about the least: half turns 2 K(k)/rate apart.

    With w = (e, 4, 0), 2T = e^2 + 32 and L^2 = e^2 + 64: Euler's equations by Jacobi's functions; second order in dt.
    """
    least = 1e-3
    twice, square = least**2 + 2 * 16.0, least**2 + 4 * 16.0
    rate = np.sqrt((3 - 2) * (square - 1 * twice) / (1 * 2 * 3))
    modulus = (2 - 1) * (3 * twice - square) / ((3 - 2) * (square - 1 * twice))
    if modulus > 1:
        rate, modulus = rate * np.sqrt(modulus), 1 / modulus
    period = 2 * ellipk(modulus) / rate
    off = []
    for dt in (0.01, 0.005):
        scene = sh.Scene("book", gravity=mech.FREE)
        book = scene.body("book", mass=1.0, inertia=(1, 2, 3), angular_velocity=(least, 4, 0))
        run = sh.Simulation(scene, dt=dt).run(20.0)
        turn = mech.values(run, book.rotation)
        spin = spatial.rotate(spatial.conjugate(turn), mech.values(run, book.angular_velocity))[:, 1]
        at = np.flatnonzero(np.diff(np.sign(spin)) != 0)
        times = mech.times(run)[at] + dt * spin[at] / (spin[at] - spin[at + 1])
        off.append(float(np.abs(np.diff(times) - period).max()))
    assert off[0] < 0.002
    assert off[0] / off[1] == pytest.approx(4, abs=0.8)
