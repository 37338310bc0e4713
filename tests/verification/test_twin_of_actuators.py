"""Actuators of the exact twin against closed forms, and the simulation's difference from it, of second order."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sh
from sharnir.reference import solve
from sharnir.reference.compare import compare

Z = (0.0, 0.0, 1.0)
AREA, VOLUME, EXPONENT, MASS, AIR = 0.01, 0.002, 1.3, 50.0, 101325.0


def slide(actuator, mass=1.0, gravity=0.0, start=0.0) -> tuple[sh.Scene, sh.Joint]:
    scene = sh.Scene("slide", gravity=(0, 0, -gravity))
    body = scene.body("mass", mass=mass, inertia=(1.0,) * 3)
    joint = scene.joint("slide", sh.Prismatic(axis=Z), scene.world, body, actuator=actuator)
    scene.pose({}, {joint: start})
    return scene, joint


def spinning(motor: sh.TorqueMotor) -> tuple[sh.Scene, sh.Joint]:
    scene = sh.Scene("motor", gravity=(0, 0, 0))
    wheel = scene.body("wheel", mass=1.0, inertia=(0.5,) * 3)
    return scene, scene.joint("axle", sh.Revolute(axis=Z), scene.world, wheel, actuator=motor)


MOTOR = sh.TorqueMotor(
    0.1, current_limit=10.0, ratio=-5.0, inertia=0.002, resistance=0.5, thermal_resistance=4.0, thermal_time=0.5,
    derate_from=100.0, derate_to=120.0,
)  # fmt: skip


def test_a_motor_of_the_twin_warms_up_and_derates_by_the_closed_form():
    """T = R_th R i^2 (1 - exp(-t/t_th)) at i = 10 A up to 100 K, after 0.5 ln 2 s; in the end R_th R i^2 = T with
    i = i_max (T_1 - T)/(T_1 - T_0). The rotor adds 25 times its inertia."""
    scene, axle = spinning(MOTOR)
    run = solve(scene, 5.0, dt=0.01, command={axle: 50.0})
    warming = run.time < 0.5 * np.log(2.0)
    heat = run[axle.winding_temperature()].values
    np.testing.assert_allclose(heat[warming], 200.0 * (1 - np.exp(-run.time[warming] / 0.5)), rtol=1e-6, atol=1e-9)
    assert float(run[axle.speed].sel(time=0.3, method="nearest")) == pytest.approx(5.0 * 0.3 / 0.55, rel=1e-7)
    current = np.max(np.roots([2.0, 2.0, -120.0]))
    assert heat[-1] == pytest.approx(2.0 * current**2, rel=1e-6)
    assert float(run[axle.actuator_effort()][-1]) == pytest.approx(0.5 * current, rel=1e-6)


def test_gas_of_the_twin_keeps_the_energy_of_its_law():
    """m v^2/2 + m g x + A p_amb x + p_0 V_0/(n - 1) ((V_0/V)^(n-1) - 1) stays, V = V_0 + A x, however far it swings."""
    pressure = AIR + MASS * 9.81 / AREA
    scene, leg = slide(sh.PneumaticSpring(AREA, VOLUME, pressure, exponent=EXPONENT), MASS, 9.81, start=1.2)
    run = solve(scene, 1.0)
    x, v = run[leg.displacement].values, run[leg.speed].values
    assert np.ptp(x) > 0.1  # of the 0.2 m that the gas fills
    gas = pressure * VOLUME / (EXPONENT - 1) * ((VOLUME / (VOLUME + AREA * x)) ** (EXPONENT - 1) - 1)
    energy = MASS * v**2 / 2 + MASS * 9.81 * x + AREA * AIR * x + gas
    np.testing.assert_allclose(energy, energy[0], rtol=1e-7)


def test_a_muscle_of_the_twin_shortens_at_the_speed_of_hill_and_its_pull_follows_its_length():
    """A steady load f F_0 is pulled at (1 - f)/(1 + f/k) of the fastest; held it pulls a F_0 (1 - (x/l - 1)^2/w^2)."""
    muscle = sh.Muscle(force=1000.0, length=1.0, fastest=2.0, width=1e6, hill=0.25, activation_time=0.05)
    scene, slider = slide(muscle)
    run = solve(scene, 0.6, force={slider: 400.0}, command={slider: 1.0})
    np.testing.assert_allclose(run[slider.activation()], 1 - np.exp(-run.time / 0.05), rtol=1e-6, atol=1e-9)
    share = 0.4 / (1 - np.exp(-0.6 / 0.05))
    assert float(run[slider.speed][-1]) == pytest.approx(-2.0 * (1 - share) / (1 + share / 0.25), rel=1e-4)
    narrow = sh.Muscle(force=1000.0, length=1.0, fastest=1e9, width=0.5, activation_time=0.0)
    scene, slider = slide(narrow, mass=1e9)
    scene.pose({slider: 1.2})
    held = solve(scene, 0.01, command={slider: 0.5})
    assert float(held[slider.actuator_effort()][-1]) == pytest.approx(-500.0 * (1 - (0.2 / 0.5) ** 2), rel=1e-6)


def test_a_map_of_the_twin_is_the_spring_and_damper_it_was_made_of():
    scene, slider = slide(_map(), start=1.0)
    run = solve(scene, 2.0)
    pace = np.sqrt(100.0 - 2.0**2)
    np.testing.assert_allclose(
        run[slider.displacement], np.exp(-2.0 * run.time) * np.sin(pace * run.time) / pace, atol=1e-8
    )


def _map() -> sh.ForceMap:
    grid, rates = np.linspace(-0.5, 0.5, 5), np.linspace(-2.0, 2.0, 4)
    return sh.ForceMap(tuple(grid), tuple(rates), tuple(tuple(-100.0 * x - 4.0 * u for u in rates) for x in grid))


GAS = sh.PneumaticSpring(AREA, VOLUME, AIR + MASS * 9.81 / AREA, exponent=EXPONENT)
MUSCLE = sh.Muscle(force=100.0, length=1.0, fastest=2.0, width=2.0, hill=0.25, activation_time=0.05)
MOVED = {
    "gas": lambda: (*slide(GAS, MASS, 9.81, start=0.6), {}),
    "map": lambda: (*slide(_map(), start=1.0), {}),
    "motor": lambda: (*(made := spinning(MOTOR)), {"command": {made[1]: lambda t: 4.0 * np.sin(9.0 * t)}}),
    "muscle": lambda: (*(made := slide(MUSCLE)), {"command": {made[1]: 0.7}, "force": {made[1]: 30.0}}),
}


@pytest.mark.parametrize("name", MOVED)
def test_actuators_differ_from_the_twin_in_second_order(name):
    """Halving the step takes more than two thirds of the difference away."""
    worst = []
    for dt in (0.01, 0.005):
        scene, joint, inputs = MOVED[name]()
        found = compare(scene, 0.5, dt=dt, inputs=inputs, rtol=1e-8)
        exact = found.exact[joint.coordinate()].values
        worst.append(np.abs(found.simulated[joint.coordinate()].values - exact).max() / np.ptp(exact))
    assert worst[0] < 0.05 and worst[1] < 0.35 * worst[0]
