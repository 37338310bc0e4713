"""Random scenes, 2000 steps each: no number goes bad in silence, joints hold, no energy comes from nowhere.

Three promises, each with the domain in which it is kept:

* Of **any** scene (masses from a gram to a thousand tonnes, stiffness up to 10^9, steps of 0.1 to 20 ms, loops, drives,
  bodies that touch the ground and each other, a rope) the states stay finite, or the simulation stops with a fault that
  names a body or a rope and leaves the last good state. Those that stop are few, most of them light between heavy:
  semi-implicit 6 of 400 trees, 1 of 400 with loops, 1 of 100 that touch, 6 of 150 of rk4's, 4 of 200 of leapfrog's.
* Of a **tree, a mechanism with loops, or one that touches** the ground and itself, of the same masses, stiffnesses and
  steps, the solver's impulses do no positive work in any step (:func:`bounds.work_of_solver`), and the locked axes of
  every joint stand still, or yield by the elasticity of a joint that closes a loop (:func:`bounds.slip_excess`). There
  are all springs, limits and friction laws in it, and motors without voltage. What can be a source is not in it:
  voltage, self-locking gears, gears that lose power (their rotor weighs more when it is driven), bristles that have a
  damping or a load that may grow; nor are ropes, whose energy the engine does not report step by step.
  A joint of a tree opens by no more than a step's second order, and closes by ERP: G' <= (1 - ERP) G + drift
  (:func:`bounds.joint_excess`). This bounds the gap by 5 drift where a step resolves the motion. It bounds nothing
  useful where a body turns by radians in a step: a light one at a long arm r under a load f, h^2 f r > 4 I, whose joint
  can open by metres. For a joint that closes a loop there is no bound of the gap: where the other joints leave it no
  way to close (a loop of more rows than freedoms) its gap stays. Up to a mass ratio of 1000 nothing stops; beyond, the
  promise is for those that do not.
* With **sequential impulses** a joint sags when its iterations do not converge, without bound at high mass ratios, so
  only the first promise is made for them.

Scenes of the second promise keep within some 30 m, because all rounding grows with distance, and a ball whose twist
carries a spring or a limit does not turn over, because upside down it has no twist.

``SHARNIR_SLOW=1`` makes the short fixed sample a long hunt.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bounds import joint_excess, slip_excess, work_of_solver
from hypothesis import given
from random_scenes import Case, Kind, cases
from watching import watch

import sharnir as sh

STEPS = 2000
EVEN = 1e3  # mass ratio up to which nothing stops
ANYTHING = (
    Kind("direct", {"solver": "direct"}),
    Kind("sequential", {"solver": "sequential-impulses", "iterations": 10}),
    Kind("semi-implicit", {"integrator": "semi-implicit-euler"}),
    Kind("rk4", {"integrator": "rk4"}, rubs=False, driven=False),  # of friction and drives it makes leapfrog's steps
    Kind("touching", {"solver": "direct"}, bodies=(1, 3), touching=True, roped=True),
)
EULER = {"integrator": "semi-implicit-euler"}  # for which the bounds are derived
PASSIVE = (
    Kind("trees", EULER, loops=0, passive=True),
    Kind("loops", EULER, bodies=(2, 5), passive=True),
    Kind("touching", EULER, bodies=(1, 3), passive=True, touching=True),
)


@pytest.mark.parametrize("kind", ANYTHING, ids=lambda kind: kind.name)
def test_no_number_goes_bad_in_silence(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("faults")

    @given(cases(kind))
    def check(case: Case) -> None:
        sim = sh.Simulation(case.scene, case.dt, threads=1, fault_folder=folder, **kind.settings)
        try:
            sim.step(STEPS)
        except sh.SimulationFault as fault:
            assert fault.body in case.scene.bodies or fault.body in case.scene.ropes
            assert fault.file is not None and fault.file.is_file()
            fault.file.unlink()
        for name, values in sim.snapshot().arrays["state"].items():
            assert np.isfinite(values).all(), name

    check()


@pytest.mark.parametrize("kind", PASSIVE, ids=lambda kind: kind.name)
def test_joints_hold_and_no_energy_comes_from_nowhere(kind: Kind) -> None:
    @given(cases(kind))
    def check(case: Case) -> None:
        seen = watch(case.scene, case.dt, STEPS, **kind.settings)
        if seen.fault is not None:
            assert mass_ratio(case.scene) > EVEN, seen.fault
            return
        gained, allowed = work_of_solver(seen)
        assert (gained <= allowed).all(), (gained.max(), int((gained - allowed).argmax()))
        slip = slip_excess(seen)
        assert max(slip.values()) <= 0.0, slip
        gaps = joint_excess(seen)
        assert max(gaps.values()) <= 0.0, gaps

    check()


def mass_ratio(scene: sh.Scene) -> float:
    masses = [body.properties.mass for body in scene.bodies.values() if body.properties is not None]
    return max(masses) / min(masses)


def test_a_number_that_goes_bad_is_seen(tmp_path: Path) -> None:
    """The sweep's own eyes: a scene that is pushed beyond all bounds stops with a fault."""
    scene = sh.Scene("pushed")
    ball = scene.body("ball", sh.Sphere(0.1, mass=1.0))
    sim = sh.Simulation(scene, 0.01, fault_folder=tmp_path)
    with pytest.raises(sh.SimulationFault, match="ball"):
        sim.run(1.0, force={ball: (1e9, 0.0, 0.0)})
