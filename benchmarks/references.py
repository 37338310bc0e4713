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

from . import andrews as squeezer
from . import scenes

GRAVITY = 9.81
_TOLERANCE = 1e-12
_STIFF_TOLERANCE = 1e-10
_COMPLEX_STEP = 1e-40


def integrate(rate: Callable[[float, Array], Array], start: Array, times: Array, stiff: bool = False) -> Array:
    """The solution [time, coordinate] of an ordinary differential equation at the given times (the first is 0).

    The rate of a stiff one must take complex numbers.
    """
    options: dict[str, Any] = {"method": "DOP853", "rtol": _TOLERANCE, "atol": _TOLERANCE}
    if stiff:
        options = {"method": "Radau", "rtol": _STIFF_TOLERANCE, "atol": _STIFF_TOLERANCE, "jac": _derivative(rate)}
    result = solve_ivp(rate, (0.0, float(times[-1])), start, t_eval=times, max_step=0.05, **options)
    if not result.success:
        raise RuntimeError(f"reference integration failed: {result.message}")
    return np.asarray(result.y.T)


def _derivative(rate: Callable[[float, Array], Array]) -> Callable[[float, Array], Array]:
    """The Jacobian of a rate by complex steps."""

    def jacobian(time: float, state: Array) -> Array:
        steps = 1j * _COMPLEX_STEP * np.eye(len(state))
        return np.stack([np.imag(rate(time, state + step)) / _COMPLEX_STEP for step in steps], axis=1)

    return jacobian


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


def pendulum(times: Array) -> Array:
    """Angle (rad, from hanging towards +x) [time] of :func:`scenes.pendulum`: (1 + i) a'' = -g sin a."""
    inertia = 1.0 + scenes.BOB_INERTIA

    def rate(_: float, state: Array) -> Array:
        return np.array([state[1], -GRAVITY / inertia * np.sin(state[0])])

    return integrate(rate, np.array([np.pi / 2, 0.0]), times)[:, 0]


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
    """Centres (m) of the five rods [time, rod, 3] of :func:`scenes.bricard`.

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
    return np.array([[center for center, _, _, _ in _bricard_rods(q, q)] for q in path[:, :2]])


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


def andrews(times: Array) -> Array:
    """The seven angles (rad) [time, 7] of :func:`scenes.andrews`; the crank's angle is the path's coordinate."""
    bodies, meeting = squeezer.BODIES, squeezer.MEETING

    def tangent(q: Array) -> Array:
        closing = np.array(
            [
                np.concatenate(
                    [squeezer.velocity(meeting[0], q, unit) - squeezer.velocity(arm, q, unit) for arm in meeting[1:]]
                )
                for unit in np.eye(7)
            ]
        ).T
        return np.concatenate([[1.0], np.linalg.solve(closing[:, 1:], -closing[:, 0])])

    def mass(q: Array, t: Array) -> Any:
        return sum(
            body.mass * np.sum(squeezer.velocity(body.center, q, t) ** 2)
            + body.inertia * sum(t[i] for i in body.angles) ** 2
            for body in bodies
        )

    def potential(q: Array) -> Any:
        length = np.sqrt(np.sum((squeezer.place(squeezer.SPRING_EYE, q) - np.array(squeezer.C)) ** 2))
        return 0.5 * squeezer.SPRING * (length - squeezer.REST) ** 2 - squeezer.TORQUE * q[squeezer.BETA]

    return one_degree(tangent, mass, potential, squeezer.START, 0.0, times)[:, :7]


def governor(times: Array) -> Array:
    """Shaft angle and rods' angle below level (rad), slider's height (m) [time, 3] of :func:`scenes.governor`.

    The angular momentum J(a) p' about the shaft stays; for the rods and the slider, with l the length of a spring and
    f = k (l - l0) + c l' the pull of each,

        2 I a'' = J_a p'^2 / 2 + 2 W cos a - 2 f l_a,    m s'' = -m g - 2 f l_s.
    """
    inertia, weight = scenes.GOVERNOR_PIN_INERTIA, GRAVITY * scenes.GOVERNOR_PIN_MOMENT
    mass, half = scenes.SLIDER_MASS, scenes.ROD / 2
    momentum = _governor_inertia(scenes.GOVERNOR_START_ANGLE)[0] * scenes.GOVERNOR_START_SPIN

    def rate(_: float, state: Array) -> Array:
        _, a, s, a_rate, s_rate = state
        whole, whole_a = _governor_inertia(a)
        spin = momentum / whole
        across, down = half * np.cos(a), 1.0 - half * np.sin(a) - s
        length = np.sqrt(across**2 + down**2)
        length_a = (-across * half * np.sin(a) - down * half * np.cos(a)) / length
        length_s = -down / length
        stretch = length - scenes.GOVERNOR_REST
        pull = scenes.GOVERNOR_STIFFNESS * stretch + scenes.GOVERNOR_DAMPING * (length_a * a_rate + length_s * s_rate)
        a_accel = (0.25 * whole_a * spin**2 + weight * np.cos(a) - pull * length_a) / inertia
        return np.array([spin, a_rate, s_rate, a_accel, -GRAVITY - 2.0 * pull * length_s / mass])

    start = np.array([0.0, scenes.GOVERNOR_START_ANGLE, scenes.GOVERNOR_START_HEIGHT, 0.0, 0.0])
    return integrate(rate, start, times, stiff=True)[:, :3]


def _governor_inertia(a: Any) -> tuple[Any, Any]:
    """The whole inertia about the shaft, kg m^2, and its derivative by the rods' angle."""
    reach, ball, rod = scenes.GOVERNOR_ARM, scenes.BALL_MASS, scenes.SHAFT_MASS
    c, s = np.cos(a), np.sin(a)
    across, along = scenes.rod_inertia()
    fixed = along + scenes.SLIDER_MASS * scenes.SLIDER_SIZE**2 / 6.0
    one = ball * (reach + c) ** 2 + rod * (reach + c / 2) ** 2 + across * c * c + along * s * s
    one_a = -s * (2 * ball * (reach + c) + rod * (reach + c / 2)) + 2 * (along - across) * s * c
    return fixed + 2.0 * one, 2.0 * one_a


def _rotation(axis: Array, angle: Any) -> Array:
    """Rodrigues' formula, for complex angles too."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross))
