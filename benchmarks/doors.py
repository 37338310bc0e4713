"""The door of the examples in closed form."""

from __future__ import annotations

import numpy as np

PUSH, PUSH_ENDS, SHAPE = 52.727272727, 0.33, 0.9**2 / 3 + 0.04**2 / 12  # N m, s, m^2: of the example


def rest_angle(friction: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """w t/2 + w^2 I/(2 F), with w = (M - F) t/I."""
    inertia = mass * SHAPE
    speed = (PUSH - friction) * PUSH_ENDS / inertia
    return speed * PUSH_ENDS / 2 + speed**2 * inertia / (2 * friction)
