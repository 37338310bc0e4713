"""Mass properties that no body can have, and the nearest valid ones."""

from __future__ import annotations

import numpy as np

from ..scene.shape import MassProperties
from ..spatial import Array

TOLERANCE = 1e-9  # relative, of the triangle inequality of principal moments; what a scene accepts
THINNEST = 1e-4  # m: the least radius of gyration of a repaired body
POINT = 1e-2  # m: the radius of gyration of a mass that was given no inertia at all
LIGHT = 1e-6  # of the robot's mass: what a moving link without mass is given
LIGHT_RADIUS = 0.1  # m: its radius of gyration


def physical(inertia: Array) -> bool:
    """Whether principal moments are positive and none exceeds the sum of the others."""
    small, middle, large = np.linalg.eigvalsh(inertia)
    return bool(small > TOLERANCE * large and large <= (small + middle) * (1.0 + TOLERANCE))


def moments(inertia: Array) -> str:
    """Principal moments as a report shows them."""
    if not np.isfinite(inertia).all():
        return "that are not finite"
    return "({:.4g}, {:.4g}, {:.4g}) kg m^2".format(*np.linalg.eigvalsh(inertia))


def nearest_inertia(mass: float, inertia: Array) -> Array:
    """The nearest inertia that a body of a mass (kg) can have.

    A body is a distribution of positive mass, so that the second moment S = tr(I)/2 - I has no negative eigenvalue
    (Wensing, Kim, Slotine 2018, "Linear matrix inequalities for physically consistent inertial parameter
    identification"). Those that are negative, or are those of a body thinner than a tenth of a millimetre, are raised;
    I = tr(S) - S leads back.
    """
    if not np.any(inertia):
        return np.eye(3) * mass * POINT**2
    values, axes = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    raised = np.maximum(values, mass * THINNEST**2)
    second = axes @ np.diag(raised) @ axes.T
    return np.trace(second) * np.eye(3) - second


def light(total: float) -> MassProperties:
    """What a link that has no mass, but must move, is given in a robot of a total mass (kg)."""
    mass = LIGHT * (total if total > 0.0 else 1.0)
    return MassProperties(mass, np.zeros(3), mass * LIGHT_RADIUS**2 * np.eye(3))
