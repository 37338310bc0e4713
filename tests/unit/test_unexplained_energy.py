"""Energy that comes from nowhere or goes nowhere is told, and what an effort gives or takes is not."""

from __future__ import annotations

import pytest
from warned import names, pendulum, text_of

import sharnir as sh

pytestmark = pytest.mark.filterwarnings("ignore::sharnir.SimulationWarning")


@pytest.mark.parametrize("gravity", [-9.81, 0.0])
def test_a_torque_that_is_switched_to_and_fro_gives_what_it_gives(gravity):
    """The work of a torque is torque times turn, however it jumps between steps."""
    scene = sh.Scene("switched", gravity=(0, 0, gravity))
    bar = scene.body("bar", sh.Box(1, 0.1, 0.1, mass=1.0), position=(0.5, 0, 0))
    hinge = scene.joint("hinge", sh.Revolute(axis=(0, 1, 0)), scene.world, bar)
    run = sh.Simulation(scene, dt=0.01).run(5.0, torque={hinge: lambda t: 50.0 if int(t * 50) % 2 else -50.0})
    assert names(run) == []


def flywheel(spin: float) -> sh.Scene:
    """A wheel on the arm of a pendulum that hangs on a universal joint."""
    scene = sh.Scene("flywheel")
    arm = scene.body("arm", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(0.15, 0, 0))
    scene.joint("hook", sh.Universal(axis_a=(0, 0, 1), axis_b=(0, 1, 0)), scene.world, arm)
    wheel = scene.body("wheel", mass=1.0, inertia=(0.01, 0.005, 0.005), position=(0.2, 0, 0))
    axle = scene.joint("axle", sh.Revolute(axis=(1, 0, 0), anchor=(0.2, 0, 0)), arm, wheel)
    scene.pose({axle: 0.0}, speeds={axle: spin})
    return scene


def test_a_flywheel_whose_nutation_is_too_fast_for_the_step():
    coarse = sh.Simulation(flywheel(300.0), dt=0.01).run(2.0)
    assert "scene 'flywheel' has lost" in text_of(coarse, "energy-loss")
    assert names(sh.Simulation(flywheel(300.0), dt=0.001).run(2.0)) == []


def test_a_balanced_wheel_may_turn_as_fast_as_it_likes():
    scene = sh.Scene("wheel")
    wheel = scene.body("wheel", mass=1.0, inertia=(0.01, 0.005, 0.005))
    axle = scene.joint("axle", sh.Revolute(axis=(1, 0, 0)), scene.world, wheel)
    scene.pose({axle: 0.0}, speeds={axle: 2000.0})
    assert names(sh.Simulation(scene, dt=0.01).run(2.0)) == []


def test_a_start_velocity_that_a_hinge_does_not_allow():
    """A bar of 1 m about its end, given 10 rad/s and no velocity: I/(I + m l^2/4) = 1/4 of the spin is left."""
    scene = sh.Scene("start", gravity=(0, 0, 0))
    bar = scene.body("bar", sh.Box(1, 0.1, 0.1, mass=1.0), position=(0.5, 0, 0), angular_velocity=(0, 0, 10))
    scene.joint("hinge", sh.Revolute(axis=(0, 0, 1)), scene.world, bar)
    said = text_of(sh.Simulation(scene, dt=0.01).run(1.0), "energy-loss")
    assert "has lost 3.15 J" in said  # three quarters of (0.0842 m^2 * 1 kg) * (10 rad/s)^2/2
    assert "5 m/s apart in joint 'hinge'" in said and "speeds" in said


def test_a_pendulum_that_swings_loses_nothing():
    assert names(sh.Simulation(pendulum(), dt=0.01).run(5.0)) == []
