"""Random passive mechanisms: energy does not come from nowhere, whatever the integrator and the solver.

How much it may seem to come is derived in ``energy_bound.py``. ``SHARNIR_SLOW=1`` makes the sample a hunt through 300
mechanisms of each kind; ``tests/robustness/hunt.py`` hunts on all cores.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import pytest
from energy_bound import energy_gain
from random_mechanisms import started

import sharnir as sh

COUNT = 300 if os.environ.get("SHARNIR_SLOW") else 12
STEPS = 400
TELL_OF_STEPS = {"energy-gain", "open-joint", "long-step"}
FOUND = (108, 120)  # hunts found these to need the terms of gravity and of light links


def energy_gain_of(seed: int, masses: tuple[float, float], loop: bool, settings: dict[str, Any]) -> tuple[float, float]:
    """By how much the energy of a random mechanism rose above that of the start, and by how much it may have, J."""
    sim, scene = started(seed, masses, loop, **settings)
    order = 1 if settings.get("integrator") == "semi-implicit-euler" else 2
    return energy_gain(sim.run(STEPS * sim.dt), scene, sim.dt, order)


def is_of_steps(told: warnings.WarningMessage) -> bool:
    """Whether a warning tells that steps have not gone well; that rk4 fell back is none."""
    return isinstance(told.message, sh.SimulationWarning) and told.message.name in TELL_OF_STEPS


@pytest.mark.parametrize("loop", [False, True], ids=["trees", "loops"])
@pytest.mark.parametrize("masses", [(-1, 1), (-2, 4)], ids=["even", "uneven"])
@pytest.mark.parametrize("integrator", ["leapfrog", "semi-implicit-euler", "rk4"])
def test_no_energy_from_nowhere(integrator: str, masses: tuple[float, float], loop: bool) -> None:
    for seed in {*range(COUNT), *FOUND}:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", sh.SimulationWarning)
            try:
                gained, allowed = energy_gain_of(seed, masses, loop, {"integrator": integrator})
            except sh.SimulationFault:
                continue
        assert gained <= allowed or any(is_of_steps(warning) for warning in told), (seed, gained)


def test_sequential_impulses_that_do_not_converge_say_so() -> None:
    """At uneven masses they may gain energy or leave joints open, but then a warning or a fault says so."""
    for seed in range(COUNT):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", sh.SimulationWarning)
            try:
                gained, allowed = energy_gain_of(seed, (-1, 1), True, {"solver": "sequential-impulses"})
            except sh.SimulationFault:
                continue
        assert gained <= allowed or any(is_of_steps(warning) for warning in told), (seed, gained)
