"""What couplings lose and where they have play: closed forms of screws, worms and lossy gears, in both solvers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sh
from sharnir.record.balance import Balance

Z = (0.0, 0.0, 1.0)
LEAD, RADIUS = 0.02, 0.01  # m
SLOPE = LEAD / (2 * math.pi * RADIUS)  # tan of the lead angle
LOAD, ROTOR = 50.0, 0.02  # kg, kg m^2
SOLVERS = ("direct", "sequential-impulses")


def jack(friction: float) -> tuple[sh.Scene, sh.Joint, sh.Joint, sh.Coupling]:
    scene = sh.Scene("jack")
    turn = scene.joint("turn", sh.Revolute(axis=Z), scene.world, scene.body("screw", mass=2.0, inertia=(ROTOR,) * 3))
    lift = scene.joint("lift", sh.Prismatic(axis=Z), scene.world, scene.body("load", mass=LOAD, inertia=(1.0,) * 3))
    return scene, turn, lift, scene.couple("thread", sh.Screw(LEAD, friction, RADIUS), turn, lift)


def turning(friction: float, torque: float) -> float:
    """I a = T - F r tan(angle +- friction angle), F = m (g + a lead/(2 pi)): the acceleration of the screw, rad/s^2."""
    found = 0.0
    for up, arm in (
        (1, (SLOPE + friction) / (1 - friction * SLOPE)),
        (-1, (SLOPE - friction) / (1 + friction * SLOPE)),
    ):
        lever = RADIUS * arm
        a = (torque - LOAD * 9.81 * lever) / (ROTOR + LOAD * LEAD / (2 * math.pi) * lever)
        found = a if up * a > 0 else found
    return found


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_screw_jack_locks_itself_exactly_where_friction_exceeds_the_tangent_of_its_lead_angle(solver):
    for share in (0.999, 1.001, 1.1):
        for torque in (0.0, -2.0, 3.0, 6.0):  # left alone, screwed down, held by too weak a torque, or raised
            if solver != "direct" and share != 1.001:
                continue
            scene, turn, _, thread = jack(share * SLOPE)
            sim = sh.Simulation(scene, dt=0.002, solver=solver, iterations=200, epsilon=1e-13)
            run = sim.run(0.2, torque={turn: torque})
            expected = turning(share * SLOPE, torque)
            assert (expected == 0.0) == (torque == 3.0 or (torque == 0.0 and share > 1.0))
            assert float(run[turn.speed][-1]) == pytest.approx(0.2 * expected, rel=1e-7, abs=1e-10)
            # both sides: what the nut carries, and the torque that is left for the screw's own inertia
            force = LOAD * (9.81 + expected * LEAD / (2 * math.pi))
            assert float(run[thread.effort(1)][-2]) == pytest.approx(force, rel=1e-7)
            assert float(run[thread.effort(0)][-2]) == pytest.approx(ROTOR * expected - torque, abs=1e-6)


def pair(gear: sh.Gear) -> tuple[sh.Scene, list[sh.Joint], sh.Coupling]:
    scene = sh.Scene("pair", gravity=(0, 0, 0))
    joints = [
        scene.joint(f"s{i}", sh.Revolute(axis=Z), scene.world, scene.body(f"w{i}", mass=1.0, inertia=(inertia,) * 3))
        for i, inertia in enumerate((0.01, 0.04))
    ]
    return scene, joints, scene.couple("pair", gear, *joints)


@pytest.mark.parametrize("driver", [0, 1])
def test_a_gear_passes_on_the_share_of_power_that_its_efficiency_says_either_way(driver):
    """By the equations of the two shafts, with e the torque that the driver puts into the mesh and r the ratio.

    Shaft 0 drives: I_0 a_0 = T - e, I_1 a_1 = -eta r e. Shaft 1 drives: I_1 a_1 = T - e, I_0 a_0 = -eta e/r.
    """
    eta, ratio, torque = 0.8, -2.0, 0.3
    scene, joints, gear = pair(sh.Gear(ratio, efficiency=eta))
    run = sh.Simulation(scene, dt=0.005).run(1.0, torque={joints[driver]: torque})
    inertias = (0.01, 0.04)
    step = 1 / ratio if driver == 0 else ratio  # of the driven shaft's rate over the driver's
    effort = torque / (1 + inertias[driver] * eta / (inertias[1 - driver] * step**2))  # by the driver into the mesh
    speed = (torque - effort) / inertias[driver]
    assert float(run[joints[driver].speed][-1]) == pytest.approx(speed, rel=1e-7)
    assert float(run[joints[1 - driver].speed][-1]) == pytest.approx(step * speed, rel=1e-7)
    assert float(run[gear.effort(driver)][-2]) == pytest.approx(-effort, rel=1e-7)
    assert float(run[gear.effort(1 - driver)][-2]) == pytest.approx(eta * effort / step, rel=1e-7)
    balance = Balance(run)
    lost = (1 - eta) * effort * speed / 2  # J in the second, at a steady acceleration
    assert balance.work["couplings"][-1] == pytest.approx(-lost, rel=1e-6)
    assert np.abs(balance.left).max() < 1e-6 * lost


def test_a_worm_holds_its_load_and_lets_it_down_only_as_it_is_turned():
    """Self-locking: driven back it loses all of the power, so the worm feels nothing of a load that helps."""
    scene, (worm, wheel), gear = pair(sh.Gear(30.0, efficiency=0.6, self_locking=True))
    sim = sh.Simulation(scene, dt=0.005)
    held = sim.run(0.5, torque={wheel: 20.0})
    assert float(np.abs(held[worm.angle]).max()) < 1e-9
    assert float(held[gear.effort(1)][-2]) == pytest.approx(-20.0, rel=1e-9)
    down = sim.run(0.5, torque={wheel: 20.0, worm: 0.05})
    assert float(down[worm.speed][-1]) == pytest.approx(0.05 / 0.01 * 0.5, rel=1e-6)  # by its own inertia alone


@pytest.mark.parametrize("solver", SOLVERS)
def test_backlash_is_met_and_not_passed_and_flanks_only_push(solver):
    """The driver crosses half the gap, the shafts meet without bouncing, and go on as one; likewise on the way back."""
    gap, torque = 0.1, 0.02
    scene, (a, b), gear = pair(sh.Gear(-2.0, backlash=gap))
    sim = sh.Simulation(scene, dt=0.005, solver=solver, iterations=100, epsilon=1e-14)
    assert scene.freedoms().mobility == 2
    run = sim.run(2.0, torque={a: lambda t: torque if t < 0.5 else (-torque if t < 1.5 else 0.0)})
    play, efforts, time = (run[a.angle] + 2 * run[b.angle]).values, run[gear.effort(1)].values, run.time
    assert np.abs(play).max() == pytest.approx(gap / 2, rel=1e-9)
    free = time < 0.22  # half the gap at 2 rad/s^2 takes sqrt(0.05) = 0.2236 s
    np.testing.assert_allclose(play[free], time[free] ** 2, atol=1e-12)
    assert not efforts[free].any()
    # by the momentum of the driver: t T = (I_0 + I_1/4) w, whenever both flanks have met
    assert float(run[a.speed].sel(time=0.45, method="nearest")) == pytest.approx(0.45 * torque / 0.02, rel=1e-9)
    assert float(run[a.speed][-1]) == pytest.approx(-0.5 * torque / 0.02, rel=1e-9)
    # a flank that will be met within the step pushes already: 0.5 rad/s over 5 ms away from it
    pushed = np.abs(efforts) > 1e-9
    np.testing.assert_allclose(play[1:-1][pushed[1:-1]], -gap / 2 * np.sign(efforts[1:-1][pushed[1:-1]]), atol=0.0025)
    steady = (time > 0.3) & (time < 0.48)
    np.testing.assert_allclose(efforts[steady], -torque, rtol=1e-9)  # I_1 a_1 of the common acceleration
    assert not np.abs(efforts[time > 1.51]).max() > 1e-12  # at rest against a flank, or inside the gap, nothing pushes


def test_wrong_losses_and_play_are_refused_by_name():
    scene, turn, lift, _ = jack(0.1)
    for coupling, words in (
        (sh.Screw(0.02, 0.1), "without a radius"),
        (sh.Screw(0.2, 0.9, 0.01), "nothing can turn it"),
        (sh.Screw(0.02, 0.1, 0.01, efficiency=0.5), "friction tells them"),
        (sh.Screw(0.02, efficiency=0.0), "efficiency is 0; it must be above 0"),
        (sh.Screw(0.02, backlash=-1.0), "backlash"),
    ):
        with pytest.raises(sh.SceneError, match=words):
            scene.couple("wrong", coupling, turn, lift)


def test_an_epicyclic_gear_with_losses_has_the_efficiency_of_its_rolling_power():
    """The teeth lose power by how fast they roll, seen from the carrier. With k = z_r/z_s, the ring held, a torque T on
    the sun and a load L on the arm, e the torque into the mesh: I_s a_s = T - e, I_a a_a = e + eta k e - L,
    a_s = (1 + k) a_a. Of slow power (1 + eta k)/(1 + k) comes out at the arm, more than eta."""
    k, eta, torque, load, sun_inertia, arm_inertia = 3.0, 0.9, 2.0, 3.0, 0.01, 0.5
    scene = sh.Scene("epicyclic", gravity=(0, 0, 0))
    carrier = scene.body("carrier", mass=1.0, inertia=(arm_inertia,) * 3)
    wheel = scene.body("wheel", mass=1.0, inertia=(sun_inertia,) * 3)
    arm = scene.joint("arm", sh.Revolute(axis=Z), scene.world, carrier)
    sun = scene.joint("sun", sh.Revolute(axis=Z), carrier, wheel)
    scene.couple("mesh", sh.Gear(ratio=k, efficiency=eta), sun, arm)  # the ring turns at minus the arm's rate
    run = sh.Simulation(scene, dt=0.002).run(1.0, torque={wheel: (0, 0, torque), carrier: (0, 0, -load)})
    out = 1 + eta * k
    speed = (out * torque - load) / (arm_inertia + sun_inertia * (1 + k) * out)
    assert float(run[arm.speed][-1]) == pytest.approx(speed, rel=1e-6)
    np.testing.assert_allclose(run[sun.speed], k * run[arm.speed], atol=1e-6)
    into = torque - sun_inertia * (1 + k) * speed
    lost = Balance(run).work["couplings"][-1]
    assert lost == pytest.approx(-(1 - eta) * k * into * speed / 2, rel=1e-5)  # J at a steady acceleration in 1 s
    through = into * (1 + k) * speed / 2
    assert 1 + lost / through == pytest.approx(out / (1 + k), rel=1e-5)
