"""Andrews' squeezing mechanism of the IVP test set, as numbers: seven bodies that move in the x-y plane, one crank.

Its coordinates are the angles q = (beta, theta, gamma, phi, delta, omega, epsilon). A point of it is a fixed point plus
a few arms, each turned by a sum of these angles; that is all a scene or an equation of motion needs to know.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sharnir.spatial import Array

BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON = range(7)
START = np.array(
    [
        -0.0617138900142764496,
        0.0,
        0.4552798191630703803,
        0.2226683901658858847,
        0.4873649795438425502,
        -0.2226683901658858847,
        1.2305474445498211925,
    ]
)
AT_30_MS = np.array(  # the test set's solution at 0.03 s
    [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ]
)
TORQUE = 0.033  # N m on the crank
SPRING, REST = 4530.0, 0.07785  # N/m, m

ORIGIN, A, B, C = (0.0, 0.0), (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)  # m, on the ground
CRANK, COUPLER = 0.007, 0.028
ROCKER = 0.035
E, ZT, U, ZF = 0.02, 0.04, 0.04, 0.02  # the two arms on the left: e on zt, zf on u


class Arm(NamedTuple):
    """A vector (m) that turns with a sum of angles."""

    x: float
    y: float
    angles: tuple[int, ...]


class Point(NamedTuple):
    """A point of the mechanism."""

    ground: tuple[float, float]
    arms: tuple[Arm, ...]


class Body(NamedTuple):
    """One of the seven bodies: kg, kg m^2 about its centre of mass, and the sum of angles that it turns with."""

    mass: float
    inertia: float
    center: Point
    angles: tuple[int, ...]


_CRANK_END = Arm(CRANK, 0.0, (BETA,))
_ON_5 = Arm(ZT, 0.0, (DELTA,))
_ON_7 = Arm(0.0, -U, (EPSILON,))
BODIES = (
    Body(0.04325, 2.194e-6, Point(ORIGIN, (Arm(0.00092, 0.0, (BETA,)),)), (BETA,)),
    Body(0.00365, 4.410e-7, Point(ORIGIN, (_CRANK_END, Arm(-0.0115, 0.0, (BETA, THETA)))), (BETA, THETA)),
    Body(0.02373, 5.255e-6, Point(B, (Arm(0.01043, -0.01874, (GAMMA,)),)), (GAMMA,)),
    Body(0.00706, 5.667e-7, Point(A, (_ON_5, Arm(0.0, -(E - 0.01421), (PHI, DELTA)))), (PHI, DELTA)),
    Body(0.07050, 1.169e-5, Point(A, (Arm(0.02308, 0.00916, (DELTA,)),)), (DELTA,)),
    Body(0.00706, 5.667e-7, Point(A, (_ON_7, Arm(ZF - 0.01421, 0.0, (OMEGA, EPSILON)))), (OMEGA, EPSILON)),
    Body(0.05498, 1.912e-5, Point(A, (Arm(-0.00449, -0.01228, (EPSILON,)),)), (EPSILON,)),
)
CRANK_PIN = Point(ORIGIN, (_CRANK_END,))
PIN_5 = Point(A, (_ON_5,))  # where body 4 sits on body 5
PIN_7 = Point(A, (_ON_7,))  # where body 6 sits on body 7
SPRING_EYE = Point(B, (Arm(0.02, -0.018, (GAMMA,)),))
# four bodies meet in one point: the coupler, the rocker that the spring pulls, and the two arms
MEETING = (
    Point(ORIGIN, (_CRANK_END, Arm(-COUPLER, 0.0, (BETA, THETA)))),
    Point(B, (Arm(0.0, -ROCKER, (GAMMA,)),)),
    Point(A, (_ON_5, Arm(0.0, -E, (PHI, DELTA)))),
    Point(A, (_ON_7, Arm(ZF, 0.0, (OMEGA, EPSILON)))),
)


def place(point: Point, q: Array) -> Array:
    """Where a point is (x, y); complex angles are welcome."""
    total: Any = np.array(point.ground)
    for x, y, angles in point.arms:
        cosine, sine = np.cos(sum(q[i] for i in angles)), np.sin(sum(q[i] for i in angles))
        total = total + np.array([x * cosine - y * sine, x * sine + y * cosine])
    return np.asarray(total)


def velocity(point: Point, q: Array, rate: Array) -> Array:
    """How fast a point moves for given rates of the angles."""
    total: Any = np.zeros(2)
    for x, y, angles in point.arms:
        cosine, sine = np.cos(sum(q[i] for i in angles)), np.sin(sum(q[i] for i in angles))
        turn = sum(rate[i] for i in angles)
        total = total + turn * np.array([-x * sine - y * cosine, x * cosine - y * sine])
    return np.asarray(total)
