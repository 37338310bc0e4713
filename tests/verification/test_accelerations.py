"""Accelerations of bodies and coordinates: closed forms, second order of the default step, and the matrices."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
from oracles import random_tree
from scipy.special import ellipj, ellipk

import sharnir as sh
from sharnir import spatial

SECOND_ORDER = (3.6, 4.4)  # by how much half of the step makes the error smaller


def ratio(error_at: object, dt: float) -> float:
    whole, half = error_at(dt), error_at(dt / 2)  # type: ignore[operator]
    assert whole > 1e-9, "nothing is measured"
    return float(whole / half)


def tumbling(dt: float, moments: tuple[float, float, float]) -> tuple[sh.Trajectory, sh.Body]:
    """A body off its centre of mass, thrown with a spin that is along none of its axes."""
    scene = sh.Scene("top")
    spin = np.array([1.5, 0.4, 6.0])
    top = scene.body("top", mass=2.0, inertia=moments, center_of_mass=(0.1, -0.2, 0.3), angular_velocity=spin)
    return sh.Simulation(scene, dt=dt).run(0.5), top


def test_a_spinning_and_falling_body() -> None:
    """A symmetric top precesses about its momentum: w' = (L/I_x) x w; its frame's origin goes round the centre.

    In body axes w is (a, b, c) turned about z by (I_z - I_x)/I_x c t; in world axes w(t) = w(0) turned about L.
    """
    ix, iz = 0.02, 0.035
    start = np.array([1.5, 0.4, 6.0])
    precession = np.array([ix, ix, iz]) * start / ix

    def errors(dt: float) -> tuple[float, float]:
        run, top = tumbling(dt, (ix, ix, iz))
        worst = [0.0, 0.0]
        for k, t in enumerate(run.time[:-1].tolist()):
            spin = spatial.rotate(spatial.from_vector(precession * t), start)
            own = spatial.about((0, 0, 1), -(iz - ix) / ix * start[2] * t)  # about its own axis, on top
            turn = spatial.multiply(spatial.from_vector(precession * t), own)
            alpha, arm = np.cross(precession, spin), spatial.rotate(turn, (-0.1, 0.2, -0.3))
            origin = np.array([0, 0, -9.81]) + np.cross(alpha, arm) + np.cross(spin, np.cross(spin, arm))
            worst[0] = max(worst[0], np.abs(run[top.angular_acceleration].values[k] - alpha).max())
            worst[1] = max(worst[1], np.abs(run[top.acceleration].values[k] - origin).max())
        return worst[0], worst[1]

    for which in (0, 1):
        assert SECOND_ORDER[0] < ratio(lambda dt, i=which: errors(dt)[i], 0.004) < SECOND_ORDER[1]


def test_a_pendulum_from_level() -> None:
    """q'' = -(3 g/2 L) sin q, q by Jacobi's sn: sin(q/2) = k sn(K - w t, k), let go at 90 degrees."""
    frequency, k = np.sqrt(1.5 * 9.81), np.sin(np.pi / 4)

    def error(dt: float) -> float:
        scene, pin = mech.pinned_rod(np.pi / 2, gravity=(0, 0, -9.81))
        run = sh.Simulation(scene, dt=dt).run(1.0)
        sn = ellipj(ellipk(k**2) - frequency * run.time, k**2)[0]
        wanted = -(frequency**2) * np.sin(2 * np.arcsin(k * sn))
        found = run[pin.acceleration()].values
        assert found[0] == pytest.approx(wanted[0], rel=1e-6)
        return float(np.abs(found - wanted)[:-1].max())

    assert SECOND_ORDER[0] < ratio(error, 0.005) < SECOND_ORDER[1]


def test_coordinates_of_all_kinds_accelerate_as_the_matrices_say() -> None:
    """Forward dynamics at the same state; what a run says of an instant, and what is said before the step after it.

    Both are off by the order dt^2 of the steps before; the difference is that of the half steps around the instant.
    """
    tree = random_tree(12, 6)

    def errors(dt: float) -> tuple[float, float]:
        sim = sh.Simulation(tree.scene, dt=dt, ignored_warnings=["odd-units"])
        sim.step(round(0.1 / dt))
        wanted = sim.forward_dynamics()
        now = [float(sim.get(_acceleration(tree, str(label)))) for label in wanted.freedom.values]
        run = sim.run(2 * dt)
        then = [float(run[_acceleration(tree, str(label))].values[0]) for label in wanted.freedom.values]
        scale = np.abs(wanted.values).max()
        return np.abs(np.array(now) - wanted.values).max() / scale, np.abs(np.array(then) - wanted.values).max() / scale

    (now, then), (now_half, then_half) = errors(0.002), errors(0.001)
    assert now > 1e-9 and then > 1e-9
    assert now / now_half > SECOND_ORDER[0] and then / then_half > SECOND_ORDER[0]


def _acceleration(tree: object, label: str) -> sh.Quantity:
    joint, _, name = label.partition(".")
    return tree.scene.joints[joint].acceleration(name)  # type: ignore[attr-defined]


def test_what_is_not_known_is_not_a_number() -> None:
    """Before the first step, and with integrators that have no kick."""
    scene, pin = mech.pinned_rod(1.0, gravity=(0, 0, -9.81))
    sim = sh.Simulation(scene, dt=0.01)
    assert np.isnan(sim.get(pin.acceleration()))
    sim.step()
    assert sim.get(pin.acceleration()) == pytest.approx(-1.5 * 9.81 * np.sin(sim.get(pin.angle)), rel=0.01)
    for scheme in (mech.DIRECT, mech.RK4):
        run = sh.Simulation(scene, dt=0.01, **scheme).run(0.05)
        assert np.isnan(run[pin.acceleration()]).all()
