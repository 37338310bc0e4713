"""Servos that feed their target's rate forward, friction with a viscous part, motions prescribed by their rates."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest

import sharnir as sh

MOTOR = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)


def axle(**carried) -> tuple[sh.Scene, sh.Joint]:
    scene = sh.Scene("axle", gravity=(0, 0, 0))
    load = scene.body("load", mass=1.0, inertia=(0.5,) * 3)
    return scene, scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, load, **carried)


@pytest.mark.parametrize("integrator", ["leapfrog", "semi-implicit-euler"])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_servo_lags_a_moving_target_by_what_it_is_not_fed_forward(integrator, share):
    """At a steady speed v without load U = r v/w_idle, so gain e = (damping + r/w_idle - feed) v."""
    gain, damping, speed = 10.0, 0.3, 2.0
    whole = damping + 50.0 / 300.0
    servo = sh.PositionServo(MOTOR, gain, damping, feed_forward=share * whole)
    scene, joint = axle(drive=servo)
    sim = sh.Simulation(scene, dt=0.005, integrator=integrator)
    run = sim.run(2.0, target={joint: lambda t: speed * t})
    # inputs are taken in the middle of a step; a step of implicit Euler holds that one, half a step ahead of its start
    ahead = 0.0 if integrator == "leapfrog" else 0.5 * sim.dt * speed
    lag = speed * run.time[-1] - float(run[joint.angle][-1])
    assert lag == pytest.approx((1 - share) * whole * speed / gain - ahead, abs=1e-6)


def test_coulomb_friction_with_a_viscous_part_stops_when_the_closed_form_says():
    """I u' = -level - c u: u = (u_0 + level/c) exp(-c t/I) - level/c, at rest after (I/c) ln(1 + c u_0/level)."""
    level, viscous, inertia, start = 0.5, 0.25, 0.5, 4.0
    scene, joint = axle(friction=sh.Coulomb(level, viscous=viscous))
    sim = sh.Simulation(scene, dt=0.002)
    sim.set(joint.speed, start)
    run = sim.run(3.0)
    stop = inertia / viscous * np.log(1 + viscous * start / level)
    fade = (start + level / viscous) * np.exp(-viscous * run.time / inertia) - level / viscous
    np.testing.assert_allclose(run[joint.speed], np.where(run.time < stop, fade, 0.0), atol=2e-3)
    moving = run.time < stop - 0.01
    np.testing.assert_allclose(run[joint.speed].values[moving], fade[moving], atol=1e-5)
    exact = sh.reference.solve(scene, 1.0, dt=0.5)
    assert np.isfinite(exact[joint.speed]).all()


def prescribed() -> tuple[sh.Scene, sh.Joint, sh.Coupling]:
    scene, joint = axle()
    return scene, joint, scene.couple("lead", sh.Prescribed(), joint)


def test_a_motion_prescribed_by_its_rate_goes_by_the_integral_of_it_with_the_torque_it_takes():
    scene, joint, lead = prescribed()
    sim = sh.Simulation(scene, dt=0.002)
    run = sim.run(1.0, motion={joint.speed: lambda t: 3.0 * np.cos(5.0 * t)})
    np.testing.assert_allclose(run[joint.angle], 0.6 * np.sin(5.0 * run.time), atol=0.6 * (5 * 0.002) ** 2)
    np.testing.assert_allclose(run[lead.effort()][2:-1], -7.5 * np.sin(5.0 * run.time[2:-1]), atol=2e-3)
    before = sim.get(joint.angle)
    steady = sim.run(0.5, motion={joint.speed: 2.0}, every=10)
    assert float(steady[joint.angle][-1]) == pytest.approx(before + 1.0, rel=1e-9)


def test_a_diagram_leads_a_prescribed_coordinate_and_leaves_it_where_it_is():
    scene, joint, _ = prescribed()
    diagram = sh.Diagram("lead", period=0.002)
    diagram.motion(joint, diagram.gain(diagram.time(), 2.0, unit="rad"))
    sim = sh.Simulation(scene, dt=0.002)
    run = sim.run(0.5, control=diagram)
    assert float(run[joint.angle][-1]) == pytest.approx(2.0 * 0.498, abs=1e-9)  # as the last tick said
    sim.run(0.1)
    assert sim.get(joint.angle) == pytest.approx(2.0 * 0.498, abs=1e-9)


def test_a_force_that_depends_on_the_state_slows_down_as_the_closed_form_says():
    """A function with the simulation and its time, before every step: drag -c w |w| on a wheel makes
    w = w_0/(1 + c w_0 t/I). An effort is held from one step to the next and so acts late by half a step: first order,
    halving the step halves the error."""
    drag, start = 0.3, 8.0
    errors = []
    for dt in (0.01, 0.005):
        scene, joint = axle()
        scene.pose({}, {joint: start})

        def slow(sim: sh.Simulation, joint: sh.Joint = joint) -> None:
            speed = sim.get(joint.speed)
            sim.set(joint.effort(), -drag * speed * abs(speed) if sim.time < 1.0 else 0.0)

        run = sh.Simulation(scene, dt).run(1.0, before_step=slow)
        exact = start / (1 + drag * start * run.time / 0.5)
        errors.append(float(np.abs(run[joint.speed].values - exact).max()))
    assert errors[0] < 0.05 * start and errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("dt", [0.01, 0.005])
def test_what_is_set_between_steps_acts_from_then_on(dt: float) -> None:
    """Gravity and friction that are switched off at 0.5 s: m v' = -g m, and -2 N of friction, end with them.

    At the instant itself the recorded velocity is the mean of those half a step before and after it.
    """
    scene = sh.Scene("switched")
    ball = scene.body("ball", sh.Sphere(0.1, mass=1.0))
    slider = scene.body("slider", sh.Sphere(0.1, mass=1.0))
    slide = scene.joint("slide", sh.Prismatic(axis=(1, 0, 0)), "world", slider, friction=sh.Coulomb(2.0))
    scene.pose({slide: 0.0}, speeds={slide: 3.0})
    sim = sh.Simulation(scene, dt=dt)
    sim.step(round(0.5 / dt))
    sim.set(scene.gravity_vector, (0, 0, 0))
    sim.set(slide.friction_level(), 0.0)
    before = sim.snapshot()
    run = sim.run(0.5)
    np.testing.assert_allclose(run[ball.velocity].values[1:-1, 2], -0.5 * mech.GRAVITY, atol=1e-12)
    np.testing.assert_allclose(run[slide.speed].values[1:-1], 2.0, atol=1e-12)
    assert sim.get(ball.position)[2] == pytest.approx(-0.375 * mech.GRAVITY, abs=1e-12)
    sim.restore(before)
    assert (sim.run(0.5).data.position.values == run.data.position.values).all()


def test_gravity_that_is_set_before_every_step() -> None:
    """Gravity that swings, g sin 3t, acts as a force that does, to the bit nearly: both are means of two steps."""
    scene, dt = sh.Scene("ship", gravity=(0, 0, 0)), 0.01
    hung = scene.body("hung", sh.Sphere(0.1, mass=2.0))
    sim = sh.Simulation(scene, dt=dt)
    for i in range(100):
        sim.set(scene.gravity_vector, (mech.GRAVITY * np.sin(3 * (i + 0.5) * dt), 0, 0))
        sim.step()
    forced = sh.Simulation(scene, dt=dt)
    forced.run(1.0, force={hung: lambda t: (2.0 * mech.GRAVITY * np.sin(3 * t), 0, 0)})
    assert sim.get(hung.position)[0] == pytest.approx(forced.get(hung.position)[0], abs=1e-12)
    assert sim.get(hung.position)[0] == pytest.approx(
        mech.GRAVITY / 3 * (1 - np.sin(3) / 3), abs=mech.GRAVITY * (3 * dt) ** 2 / 24
    )
