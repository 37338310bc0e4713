"""Random passive mechanisms: energy does not come from nowhere, whatever the integrator and the solver.

The leapfrog step keeps an energy that differs from the true one by the order h^2: that of a body which turns by q in a
step by about q^2/4 of its kinetic energy (the papers' step, of first order: by about q). Limits and friction only take.
So the energy may rise above that of the start by no more than the largest q^2 (or q) of a run times its largest kinetic
energy; a joint that opens or closes under load exchanges its reaction times its gap (and torque times tilt), and it may
do both. Steps in which a body turns by more than half a radian are warned of instead.

``SHARNIR_SLOW=1`` makes the sample a hunt through 300 mechanisms of each kind.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import mechanisms as mech
import numpy as np
import pytest
from random_mechanisms import passive_mechanism

import sharnir as sh

COUNT = 300 if os.environ.get("SHARNIR_SLOW") else 12
STEPS = 400


def energy_gain(seed: int, masses: tuple[float, float], loop: bool, settings: dict[str, Any]) -> tuple[float, float]:
    """By how much the energy rose above that of the start, and by how much it may have, J."""
    scene, spins = passive_mechanism(seed, masses, loop)
    dt = (0.002, 0.005, 0.01)[seed % 3]
    sim = sh.Simulation(scene, dt, threads=1, **settings)
    for body, spin in spins.items():
        sim.set(scene.bodies[body].angular_velocity, spin)
    sim.step(8)  # from here on velocities agree with the joints, and redundant ones hold nothing back of that impact
    run = sim.run(STEPS * dt)
    kinetic = mech.values(run, scene.kinetic_energy)
    energy = kinetic + mech.values(run, scene.potential_energy)
    spin = max(np.abs(mech.values(run, body.angular_velocity)).max() for body in scene.bodies.values())
    order = 1 if settings.get("integrator") == "semi-implicit-euler" else 2
    allowed = min(spin * dt, 0.5) ** order * float(kinetic.max()) + 2.0 * work_of_gaps(run)
    return float(energy[:-1].max() - energy[0]), allowed


def work_of_gaps(run: Any) -> float:
    """|F| |G| + |T| |tilt| of all joints, at its largest, J."""
    force, torque = (np.linalg.norm(run.data[name], axis=-1) for name in ("reaction_force", "reaction_torque"))
    exchanged = force * run.data["gap"].values + torque * run.data["tilt"].values
    return float(exchanged.sum(axis=1).max())


@pytest.mark.parametrize("loop", [False, True], ids=["trees", "loops"])
@pytest.mark.parametrize("masses", [(-1, 1), (-2, 4)], ids=["even", "uneven"])
@pytest.mark.parametrize("integrator", ["leapfrog", "semi-implicit-euler", "rk4"])
def test_no_energy_from_nowhere(integrator: str, masses: tuple[float, float], loop: bool) -> None:
    for seed in range(COUNT):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", sh.SimulationWarning)
            try:
                gained, allowed = energy_gain(seed, masses, loop, {"integrator": integrator})
            except sh.SimulationFault:
                continue
        assert gained <= allowed or any(warning.category is sh.SimulationWarning for warning in told), (seed, gained)


def test_sequential_impulses_that_do_not_converge_say_so() -> None:
    """At uneven masses they may gain energy or leave joints open, but then a warning or a fault says so."""
    for seed in range(COUNT):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", sh.SimulationWarning)
            try:
                gained, allowed = energy_gain(seed, (-1, 1), True, {"solver": "sequential-impulses"})
            except sh.SimulationFault:
                continue
        assert gained <= allowed or any(warning.category is sh.SimulationWarning for warning in told), (seed, gained)
