"""Reference trajectories in minimal coordinates, independent of the engine: no constraints, scipy at 1e-12.

A mechanism with one degree of freedom moves along a curve q(s) in its joint angles. With the tangent t(q) = dq/ds,
the kinetic energy is m(q) v^2 / 2, v = ds/dt, and from the conservation of energy

    q' = t(q) v,    v' = -(m_s v^2 / 2 + V_s) / m,

where m_s and V_s are derivatives along the curve, taken by a complex step and so exact to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from sharnir.spatial import Array

from . import scenes

GRAVITY = 9.81
_TOLERANCE = 1e-12
_COMPLEX_STEP = 1e-40


def integrate(rate: Callable[[float, Array], Array], start: Array, times: Array) -> Array:
    """The solution [time, coordinate] of an ordinary differential equation at the given times (the first is 0)."""
    end = float(times[-1])
    result = solve_ivp(rate, (0.0, end), start, "DOP853", times, rtol=_TOLERANCE, atol=_TOLERANCE, max_step=0.05)
    if not result.success:
        raise RuntimeError(f"reference integration failed: {result.message}")
    return np.asarray(result.y.T)


def one_degree(
    tangent: Callable[[Array], Array],
    mass: Callable[[Array, Array], Any],
    potential: Callable[[Array], Any],
    start: Array,
    speed: float,
    times: Array,
) -> Array:
    """Coordinates [time, coordinate] of a mechanism with one degree of freedom; the last column is ds/dt.

    ``mass(q, t)`` is twice the kinetic energy at the rates t. All three functions must take complex numbers.
    """

    def rate(_: float, state: Array) -> Array:
        q, v = state[:-1], state[-1]
        t = tangent(q)
        ahead = q + 1j * _COMPLEX_STEP * t
        m = mass(q, t)
        m_s = np.imag(mass(ahead, tangent(ahead))) / _COMPLEX_STEP
        v_s = np.imag(potential(ahead)) / _COMPLEX_STEP
        return np.append(t * v, -(0.5 * m_s * v * v + v_s) / m)

    return integrate(rate, np.append(start, speed), times)


def four_bar(times: Array) -> Array:
    """Crank, coupler and rocker angles (rad, from +x towards +z) [time, 3] of :func:`scenes.four_bar`."""
    lengths = np.array([scenes.CRANK, scenes.COUPLER, scenes.ROCKER])
    masses = lengths  # 1 kg/m
    signs = np.array([1.0, 1.0, -1.0])  # crank + coupler - rocker = ground

    def tangent(q: Array) -> Array:
        t = np.cross(-signs * lengths * np.sin(q), signs * lengths * np.cos(q))
        return np.asarray(t / np.sqrt(np.sum(t * t)))

    def mass(q: Array, t: Array) -> Any:
        crank, coupler, rocker = lengths
        # twice the kinetic energy: rods about their fixed ends; the coupler by its centre and its spin
        pinned = (masses[0] * (crank * t[0]) ** 2 + masses[2] * (rocker * t[2]) ** 2) / 3.0
        across = (crank * t[0]) ** 2 + crank * coupler * t[0] * t[1] * np.cos(q[0] - q[1]) + (coupler * t[1]) ** 2 / 4.0
        return pinned + masses[1] * (across + (coupler * t[1]) ** 2 / 12.0)

    def potential(q: Array) -> Any:
        crank, coupler, rocker = lengths * np.sin(q)
        return GRAVITY * (masses[0] * crank / 2 + masses[1] * (crank + coupler / 2) + masses[2] * rocker / 2)

    start = np.array(scenes.four_bar_angles())
    return one_degree(tangent, mass, potential, start, 0.0, times)[:, :3]


def n_four_bar(windows: int, times: Array) -> Array:
    """Angle of the cranks (rad, from upright towards +x) [time] of :func:`scenes.n_four_bar`.

    The cranks stay parallel and the couplers only translate: ((n + 1)/3 + n) a'' = g ((n + 1)/2 + n) sin a. This
    motion is also the one through the singular poses.
    """
    inertia = (windows + 1) / 3.0 + windows
    weight = GRAVITY * ((windows + 1) / 2.0 + windows)

    def rate(_: float, state: Array) -> Array:
        return np.array([state[1], weight / inertia * np.sin(state[0])])

    return integrate(rate, np.array([0.0, 1.0]), times)[:, 0]


def double_pendulum(angles: tuple[float, float], times: Array) -> Array:
    """The two rods' angles (rad, from hanging towards +x) [time, 2] of :func:`scenes.double_pendulum`."""

    def rate(_: float, state: Array) -> Array:
        a, b, u, w = state
        # Lagrange's equations of two thin rods, m = l = 1
        coupling = 0.5 * np.cos(a - b)
        matrix = np.array([[4.0 / 3.0, coupling], [coupling, 1.0 / 3.0]])
        bend = 0.5 * np.sin(a - b)
        force = np.array([-bend * w * w - 1.5 * GRAVITY * np.sin(a), bend * u * u - 0.5 * GRAVITY * np.sin(b)])
        return np.concatenate([[u, w], np.linalg.solve(matrix, force)])

    return integrate(rate, np.array([*angles, 0.0, 0.0]), times)[:, :2]


def bricard(times: Array, thickness: float = 0.1) -> Array:
    """Position (m) of the point between the third and the fourth rod [time, 3] of :func:`scenes.bricard`.

    The mechanism keeps a threefold symmetry: hinges 0, 2, 4 turn by one angle and 1, 3, 5 by another. With a and b
    the angles from one rod's direction to the next one's (both 90 degrees at the start) the loop closes where
    cos a cos b + cos a + cos b = 0.
    """
    across, along = (1.0 + thickness**2) / 12.0, thickness**2 / 6.0

    def tangent(q: Array) -> Array:
        a, b = q
        t = np.array([-np.sin(b) * (1.0 + np.cos(a)), np.sin(a) * (1.0 + np.cos(b))])
        return np.asarray(t / np.sqrt(np.sum(t * t)))

    def mass(q: Array, t: Array) -> Any:
        total = 0.0
        for _, direction, velocity, spin in _bricard_rods(q, t):
            twist = np.sum(spin * direction)
            total = total + np.sum(velocity**2) + across * (np.sum(spin**2) - twist**2) + along * twist**2
        return total

    def potential(q: Array) -> Any:
        return GRAVITY * sum(center[2] for center, _, _, _ in _bricard_rods(q, np.zeros(2)))

    start = np.array([np.pi / 2, np.pi / 2])
    path = one_degree(tangent, mass, potential, start, 0.0, times)
    return np.array(
        [center + direction / 2 for center, direction, _, _ in (_bricard_rods(q, q)[2] for q in path[:, :2])]
    )


def _bricard_rods(q: Array, rate: Array) -> list[tuple[Array, Array, Array, Array]]:
    """Centre, direction, velocity and spin of each rod for the two hinge angles and their rates."""
    turn, spin = np.eye(3), np.zeros(3)
    foot, foot_velocity = np.zeros(3), np.zeros(3)
    rods = []
    for i in range(5):
        axis = turn @ scenes.bricard_axis(i)
        spin = spin + axis * rate[i % 2]
        turn = turn @ _rotation(scenes.bricard_axis(i), q[i % 2] - np.pi / 2)
        rod = turn @ (scenes.BRICARD_POINTS[i + 1] - scenes.BRICARD_POINTS[i])
        rods.append((foot + rod / 2, rod, foot_velocity + np.cross(spin, rod / 2), spin))
        foot, foot_velocity = foot + rod, foot_velocity + np.cross(spin, rod)
    return rods


def _rotation(axis: Array, angle: Any) -> Array:
    """Rodrigues' formula, for complex angles too."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross))
