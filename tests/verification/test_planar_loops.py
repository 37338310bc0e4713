"""Planar loops: rows that the geometry implies are left out, so that the others are independent, and exact."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
from scipy.special import ellipk

import sharnir as sh
from sharnir import spatial
from sharnir.scene.mobility import redundant_joints
from sharnir.scene.planar_loops import Locks, locks_of, needed_locks

CRANK, BASE = 0.5, 0.8  # m
HEAVY, LIGHT = 10.0, 0.01  # kg
OBLIQUE = spatial.from_vector((0.3, -0.5, 0.4))  # how the whole linkage stands; gravity stands likewise
IN_PLANE = (True, True, False)
NONE = (False, False, False)


def parallelogram(angle: float, load: float = HEAVY, crank: float = LIGHT, turn: np.ndarray = OBLIQUE) -> sh.Scene:
    """A load hung level from two light cranks by four hinges; the cranks are at an angle from the plumb line."""
    scene = sh.Scene("parallelogram", gravity=spatial.rotate(turn, (0, 0, -mech.GRAVITY)).tolist())
    axis = tuple(spatial.rotate(turn, (0, 1, 0)))
    swing = spatial.multiply(turn, spatial.from_vector((0, -angle, 0)))
    arm = np.array([np.sin(angle), 0, -np.cos(angle)]) * CRANK

    def placed(x: np.ndarray) -> tuple[float, ...]:
        return tuple(spatial.rotate(turn, x))

    middle = np.array([BASE / 2, 0, 0]) + arm
    beam = scene.body("load", sh.Box(BASE, 0.1, 0.1, mass=load), position=placed(middle), rotation=tuple(turn))
    for side, x in (("left", 0.0), ("right", BASE)):
        top = np.array([x, 0, 0])
        across = crank * CRANK**2 / 12
        link = scene.body(
            side,
            mass=crank,
            inertia=(across, across, 1e-3 * across),
            position=placed(top + arm / 2),
            rotation=tuple(swing),
        )
        scene.joint(f"{side} top", sh.Revolute(axis=axis, anchor=placed(top), drawn_at=-angle), "world", link)
        scene.joint(f"{side} end", sh.Revolute(axis=axis, anchor=placed(top + arm)), link, beam)
    return scene


@pytest.mark.parametrize("ratio", [1e-2, 1e-4])
def test_a_load_on_two_light_cranks_swings_as_a_pendulum(ratio: float) -> None:
    """The beam keeps level, so that (M + 2 m/3) L^2 a'' = -(M + m) g L sin a with cranks of m each: from rest at a0

        T = 4 K(sin(a0/2))/w,   w^2 = (M + m) g/((M + 2 m/3) L)

    The step is second order: its period is within (w h)^2 of itself. To the inertia of light cranks under a heavy load
    geometric stiffness adds up to h^2 M g L/2 each, (w h)^2 of the load's: the energy is within four times that of what
    swings. The spins that lead onto the joints are foreseen to h^2 w^3: what stays open is of the order (w h)^4 L.
    """
    start, light, dt = 1.0, ratio * HEAVY, 0.002
    scene = parallelogram(start, crank=light)
    rate = np.sqrt((HEAVY + light) * mech.GRAVITY / ((HEAVY + 2 * light / 3) * CRANK))
    period = 4 * ellipk(np.sin(start / 2) ** 2) / rate
    run = sh.Simulation(scene, dt=dt).run(round(2.5 * period / dt) * dt)
    angle, t = mech.values(run, scene.joints["left top"].angle), mech.times(run)
    falls = np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0))
    crossings = t[falls] - angle[falls] * dt / (angle[falls + 1] - angle[falls])
    assert len(crossings) > 1
    np.testing.assert_allclose(np.diff(crossings), period, rtol=(rate * dt) ** 2)
    for joint in scene.joints.values():
        assert float(run[joint.gap].max()) < 2 * (rate * dt) ** 4 * CRANK
    energy = mech.values(run, scene.energy)
    swings = HEAVY * mech.GRAVITY * CRANK * (1 - np.cos(start))
    assert np.abs(energy - energy[0]).max() < 4 * (rate * dt) ** 2 * swings


def test_a_planar_four_bar_has_no_redundant_rows_left() -> None:
    """Of four hinges one locks the two translations in the plane; 3 * 5 + 2 = 17 rows leave one freedom of 18."""
    scene = parallelogram(0.7)
    assert redundant_joints(scene) == set(scene.joints)
    locks = needed_locks(scene, ["left end"])
    assert locks.pop("left end") == Locks(IN_PLANE, NONE)
    assert all(rows == locks_of(scene.joints[name]) for name, rows in locks.items())
    assert redundant_joints(scene, locks | {"left end": Locks(IN_PLANE, NONE)}) == set()
    assert sh.Simulation(scene, dt=0.01)._compiled.counts["redundant"] == 0


def slider_crank(guide: sh.JointType, wrist: sh.JointType, spin: float = 0.0) -> sh.Scene:
    """A crank (turning at ``spin``) and a rod, in line along the x axis, that push a block; hinges turn about y."""
    scene = sh.Scene("slider-crank", gravity=mech.FREE)
    half = (0, 0, -0.15 * spin)  # m/s, of the middles of both; the rod's far end stands still
    scene.body(
        "crank", sh.Box(0.3, 0.02, 0.02, mass=1.0), position=(0.15, 0, 0), velocity=half, angular_velocity=(0, spin, 0)
    )
    scene.body(
        "rod",
        sh.Box(0.8, 0.02, 0.02, mass=1.0),
        position=(0.7, 0, 0),
        velocity=half,
        angular_velocity=(0, -0.3 / 0.8 * spin, 0),
    )
    scene.body("block", sh.Box(0.1, 0.1, 0.1, mass=2.0), position=(1.1, 0, 0))
    scene.joint("main", sh.Revolute(axis=(0, 1, 0)), "world", "crank")
    scene.joint("pin", sh.Revolute(axis=(0, 1, 0), anchor=(0.3, 0, 0)), "crank", "rod")
    scene.joint("wrist", wrist, "rod", "block")
    scene.joint("guide", guide, "world", "block")
    return scene


WRIST = sh.Revolute(axis=(0, 1, 0), anchor=(1.1, 0, 0))
GUIDE = sh.Prismatic(axis=(1, 0, 0), anchor=(1.1, 0, 0))


@pytest.mark.parametrize("closing", ["main", "pin", "wrist", "guide"])
def test_a_slider_crank_keeps_two_rows(closing: str) -> None:
    """Whichever joint closes it: two translations of a hinge; one of the guide, and its tilt in the plane."""
    scene = slider_crank(GUIDE, WRIST)
    left = Locks(IN_PLANE, NONE)
    if closing == "guide":
        frame = scene.joints["guide"].frame_a.rotation
        across = np.abs(spatial.rotate(spatial.conjugate(frame), [(0, 1, 0), (0, 0, 1)])) > 0.5
        left = Locks(*(tuple(row.tolist()) for row in across[::-1]))
    locks = needed_locks(scene, [closing])
    assert locks[closing] == left
    assert redundant_joints(scene, locks) == set()


def test_a_ball_that_closes_a_planar_loop_keeps_two_rows() -> None:
    """Its frame's axes are those of the world; the one along the hinges is left out."""
    scene = slider_crank(GUIDE, sh.Spherical(anchor=(1.1, 0, 0)))
    assert needed_locks(scene, ["wrist"])["wrist"] == Locks((True, False, True), NONE)


@pytest.mark.parametrize(
    ("wrist", "guide"),
    [
        (sh.Universal(axis_a=(0, 1, 0), axis_b=(0, 0, 1), anchor=(1.1, 0, 0)), GUIDE),
        (sh.Revolute(axis=(0, 1, 1e-3), anchor=(1.1, 0, 0)), GUIDE),
        (WRIST, sh.Prismatic(axis=(1, 1e-3, 0), anchor=(1.1, 0, 0))),
        (WRIST, sh.Cylindrical(axis=(1, 0, 0), anchor=(1.1, 0, 0))),
    ],
)
def test_what_is_not_planar_keeps_all_rows(wrist: sh.JointType, guide: sh.JointType) -> None:
    """A chain with a joint that leaves the plane implies nothing."""
    scene = slider_crank(guide, wrist)
    assert needed_locks(scene, ["pin"])["pin"] == locks_of(scene.joints["pin"])


def test_a_slider_crank_turns_without_a_gap() -> None:
    """The block of a crank r and a rod l stands at r cos q + sqrt(l^2 - r^2 sin^2 q); the energy keeps its value.

    A step may leave 1e-5 of an arm open (docs/how-a-step-works.md).
    """
    scene, dt, left_open = slider_crank(GUIDE, WRIST, spin=20.0), 0.001, 1e-5 * 0.8
    run = sh.Simulation(scene, dt=dt).run(1.0)
    angle = mech.values(run, scene.joints["main"].angle)
    place = 0.3 * np.cos(angle) + np.sqrt(0.8**2 - (0.3 * np.sin(angle)) ** 2)
    np.testing.assert_allclose(mech.values(run, scene.bodies["block"].position)[:, 0], place, rtol=0, atol=left_open)
    assert np.ptp(angle) > 2 * np.pi
    energy = mech.values(run, scene.kinetic_energy)
    assert np.abs(energy - energy[0]).max() < (20.0 * dt) ** 2 * energy[0]
    for joint in scene.joints.values():
        assert float(run[joint.gap].max()) < left_open
