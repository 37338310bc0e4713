"""The integrators by name, and what the rest of a step has to know of them.

The device code of an integrator is a file of its own, ``dynamics/integrators/``, and nothing else knows one by name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Integrator:
    """How a step is made of a kick, which changes velocities at fixed poses, and a drift, which changes poses."""

    code: str  # its file in dynamics/integrators/
    leads: bool  # a kick is symmetric in time, and leads onto the joints by the end of a drift of dt, see bias.py
    staggered: bool  # velocities between steps belong to the middle of a step, and inputs act as means of two steps
    moves_ropes: bool = True
    fourth_order: bool = False  # steps of fourth order as long as the motion is smooth


LEAPFROG = Integrator("leapfrog", leads=True, staggered=True)
INTEGRATORS = {
    "leapfrog": LEAPFROG,
    "semi-implicit-euler": Integrator("semi_implicit_euler", leads=False, staggered=False),
    "position-verlet": Integrator("position_verlet", leads=True, staggered=False, moves_ropes=False),
    "rk4": replace(LEAPFROG, fourth_order=True),
}
