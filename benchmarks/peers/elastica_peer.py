"""PyElastica: a pinned rope that swings, by its explicit Cosserat rods."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

GRAVITY = 9.81
LEAST_STRETCH = 500.0  # times the rope's weight: its rods stretch, and 1 % of the tip allows no more


def swinging_rope(
    length: float, radius: float, density: float, bending: float, twisting: float, elements: int, shear: float
) -> Any:
    """A finalised simulator of a level rod pinned at its start, its steppers and its rod.

    ``shear`` is the stiffness against shear (N) as a multiple of that of the rope's own material, G A, up to that
    against stretch. Soft shear lets the steps be long, softer shear makes them short again.
    """
    import elastica as ea

    class Simulator(ea.BaseSystemCollection, ea.Constraints, ea.Forcing):
        pass

    simulator = Simulator()
    rod = ea.CosseratRod.straight_rod(
        elements,
        np.zeros(3),
        np.array([1.0, 0.0, 0.0]),
        np.array([0.0, 1.0, 0.0]),
        length,
        radius,
        density,
        youngs_modulus=1e6,
        shear_modulus=4e5,
    )
    area = np.pi * radius**2
    stretch = max(LEAST_STRETCH * density * area * length * GRAVITY, bending / radius**2)
    across = min(shear * 2 * twisting / radius**2, stretch)
    rod.shear_matrix[...] = np.einsum("ij,k->ijk", np.diag([across, across, stretch]), np.ones(elements))
    rod.bend_matrix[...] = np.einsum("ij,k->ijk", np.diag([bending, bending, twisting]), np.ones(elements - 1))
    simulator.append(rod)
    simulator.constrain(rod).using(
        ea.GeneralConstraint,
        constrained_position_idx=(0,),
        translational_constraint_selector=np.array([True, True, True]),
    )
    simulator.add_forcing_to(rod).using(ea.GravityForces, acc_gravity=np.array([0.0, 0.0, -GRAVITY]))
    simulator.finalize()
    return simulator, ea.PositionVerlet(), rod


def advance(simulator: Any, stepper: Any, steps: int, dt: float) -> float:
    """Make steps; the seconds of processor time they took."""
    begin, at = time.thread_time(), np.float64(0.0)
    for _ in range(steps):
        at = stepper.step(simulator, at, np.float64(dt))
    return time.thread_time() - begin


def swing(steps: int, **rope: Any) -> tuple[Any, float]:
    """The tip after 1 s in that many steps, and the seconds it took."""
    simulator, stepper, rod = swinging_rope(**rope)
    with np.errstate(all="ignore"):
        seconds = advance(simulator, stepper, steps, 1 / steps)
    return rod.position_collection[:, -1].copy(), seconds
