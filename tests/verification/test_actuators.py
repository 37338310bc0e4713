"""Actuators beside the electric drives: hydraulics, motors that warm up, gas, muscles and maps against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sh
from sharnir.record.balance import Balance

AREA, RATIO, FLOW, SUPPLY, BULK, DEAD = 1e-3, 0.5, 1e-3, 1e7, 1.4e9, 1e-4
CYLINDER = {"area": AREA, "stroke": 1.0, "supply": SUPPLY, "flow": FLOW, "area_ratio": RATIO, "retracted": -0.5}
CYLINDER |= {"dead_volume": DEAD, "bulk_modulus": BULK}
VALVE = FLOW / np.sqrt(SUPPLY)
V_A, V_B = DEAD + AREA * 0.5, DEAD + AREA * RATIO * 0.5  # in the middle of the stroke, m^3


def slide(actuator, mass=100.0, gravity=0.0, joint=None, limits=None) -> tuple[sh.Scene, sh.Joint]:
    scene = sh.Scene("slide", gravity=(0, 0, -gravity))
    body = scene.body("mass", mass=mass, inertia=(1.0,) * 3)
    joint = joint or sh.Prismatic(axis=(0, 0, 1))
    return scene, scene.joint("slide", joint, scene.world, body, actuator=actuator, limits=limits)


def test_the_pressure_of_a_locked_cylinder_rises_as_a_parabola():
    """p' = (B/V) c sqrt(p_s - p): sqrt(p_s - p) falls on a straight line, to zero after 2 V sqrt(p_s)/(B c).

    The mean of the flows before and after is exact for it; the last step, which would pass the supply, ends on it.
    """
    scene, piston = slide(sh.HydraulicCylinder(**CYLINDER), limits=(-1e-12, 1e-12))
    opening = 0.05
    run = sh.Simulation(scene, dt=0.001).run(0.4, command={piston: opening})
    root = np.maximum(np.sqrt(SUPPLY) - BULK * opening * VALVE / (2 * V_A) * run.time, 0.0)
    expected = SUPPLY - root**2
    full = 2 * V_A * np.sqrt(SUPPLY) / (BULK * opening * VALVE)
    assert 0.05 < full < 0.3
    found = run[piston.pressure("a")].values
    rising = run.time < full
    np.testing.assert_allclose(found[rising], expected[rising], rtol=1e-6, atol=0.1)
    np.testing.assert_allclose(found[~rising], SUPPLY, rtol=1e-4)
    assert np.abs(run[piston.pressure("b")]).max() < 1e-3
    np.testing.assert_allclose(run[piston.actuator_effort()].values[1:-1], AREA * found[1:-1], rtol=1e-4)


@pytest.mark.parametrize("dt", [0.001, 0.005])
def test_a_cylinder_runs_at_the_speed_of_its_valve_and_stalls_where_the_supply_ends(dt):
    """A_a v = c s sqrt(p_s - p_a), A_b v = c s sqrt(p_b), p_a A_a - p_b A_b = F; oil of 2 MN/m and steps of 5 ms."""
    opening, load = 0.3, 2000.0
    scene, piston = slide(sh.HydraulicCylinder(**CYLINDER))
    run = sh.Simulation(scene, dt=dt).run(0.5, force={piston: -load}, command={piston: opening})
    edge, rod = opening * VALVE, RATIO * AREA
    speed = edge * np.sqrt((SUPPLY * AREA - load) / (AREA**3 + rod**3))
    assert float(run[piston.speed][-1]) == pytest.approx(speed, rel=1e-5)
    assert float(run[piston.pressure("a")][-1]) == pytest.approx(SUPPLY - (speed * AREA / edge) ** 2, rel=1e-4)
    assert float(run[piston.pressure("b")][-1]) == pytest.approx((speed * rod / edge) ** 2, rel=1e-4)
    assert float(run[piston.actuator_effort()][-2]) == pytest.approx(load, rel=1e-4)
    scene, piston = slide(sh.HydraulicCylinder(**CYLINDER, pressures=(SUPPLY, 0.0)))
    stalled = sh.Simulation(scene, dt=dt).run(0.5, force={piston: -SUPPLY * AREA}, command={piston: 1.0})
    assert float(np.abs(stalled[piston.displacement]).max()) < 1e-9  # its whole force, and no way to go


def test_closed_oil_is_a_spring_and_its_relief_a_constant_force():
    """k = B (A_a^2/V_a + A_b^2/V_b); pushed beyond the relief pressure p_r it goes back with F = p_r A_a throughout."""
    scene, piston = slide(sh.HydraulicCylinder(**CYLINDER, pressures=(4e6, 8e6)))
    errors = []
    for dt in (0.002, 0.001):
        sim = sh.Simulation(scene, dt=dt)
        sim.set(piston.speed, 0.001)
        run = sim.run(0.1)
        pace = np.sqrt(BULK * (AREA**2 / V_A + (RATIO * AREA) ** 2 / V_B) / 100.0)
        wave = 0.001 / pace * np.sin(pace * run.time)
        errors.append(float(np.abs(run[piston.displacement] - wave).max()) * pace / 0.001)
        work = Balance(run)
        assert np.abs(work.left[:-1]).max() < 5e-3 * np.abs(work.work["actuators"]).max()
    # a leapfrog that starts with a velocity has an amplitude too large by (w h)^2/6, and its frequency to fourth order
    assert errors[1] < 1.1 * (0.001 * pace) ** 2 / 6 and errors[1] < 0.3 * errors[0]
    scene, piston = slide(sh.HydraulicCylinder(**CYLINDER, relief=5e6, pressures=(5e6, 0.0)))
    run = sh.Simulation(scene, dt=0.001).run(0.3, force={piston: -6000.0})
    np.testing.assert_allclose(run[piston.displacement], -0.5 * (6000 - 5000) / 100 * run.time**2, atol=1e-6)


def test_a_motor_keeps_to_its_current_and_derates_as_it_warms_up():
    """T = R_th R i^2 (1 - exp(-t/t_th)) at first; then R_th R i^2 = T with i = i_max (T_1 - T)/(T_1 - T_0)."""
    motor = sh.TorqueMotor(
        0.1, current_limit=10.0, ratio=-5.0, inertia=0.002, resistance=0.5, thermal_resistance=4.0,
        thermal_time=0.5, derate_from=100.0, derate_to=120.0,
    )  # fmt: skip
    scene = sh.Scene("motor", gravity=(0, 0, 0))
    wheel = scene.body("wheel", mass=1.0, inertia=(0.5,) * 3)
    axle = scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, wheel, actuator=motor)
    sim = sh.Simulation(scene, dt=0.002)
    run = sim.run(4.0, command={axle: lambda t: 2.0 if t < 0.2 else 50.0})
    time, heat = run.time, run[axle.winding_temperature()].values
    first = time <= 0.2
    np.testing.assert_allclose(heat[first], 2.0 * 4.0**2 * (1 - np.exp(-time[first] / 0.5)), rtol=1e-9)
    assert float(run[axle.speed].sel(time=0.19, method="nearest")) == pytest.approx(2.0 * 0.19 / 0.55, rel=1e-6)
    assert float(run[axle.actuator_effort()].sel(time=0.3, method="nearest")) == pytest.approx(5.0, rel=1e-9)
    current = np.max(np.roots([2.0, 20.0 / 10.0, -120.0]))  # 2 i^2 + 2 i - 120 = 0
    assert float(run[axle.actuator_effort()][-2]) == pytest.approx(0.5 * current, rel=1e-5)
    assert heat[-1] == pytest.approx(2.0 * current**2, rel=1e-5)
    balance = Balance(run)
    assert np.abs(balance.left[:-1]).max() < 1e-3 * balance.change[-1]
    sim.set(axle.command(), -1.0)
    assert sim.get(axle.command()) == -1.0


def test_an_ideal_actuator_ends_at_its_limit_also_on_a_strut():
    scene, strut = slide(
        sh.IdealActuator(limit=30.0), mass=2.0, joint=sh.Strut(anchor_a=(0, 0, -1.0), anchor_b=(0, 0, 0))
    )
    run = sh.Simulation(scene, dt=0.005).run(0.5, command={strut: lambda t: 10.0 if t < 0.25 else 100.0})
    assert float(run[strut.speed][-1]) == pytest.approx(0.25 * (10 + 30) / 2.0, rel=1e-9)


def test_gas_carries_by_its_pressure_and_swings_by_its_exponent():
    """A (p_0 - p_amb) = m g holds the load; small swings about it have w^2 = n A^2 p_0/(V_0 m)."""
    area, volume, mass = 0.01, 0.002, 50.0
    pressure = 101325.0 + mass * 9.81 / area
    scene, leg = slide(sh.PneumaticSpring(area, volume, pressure, exponent=1.3), mass, 9.81)
    sim = sh.Simulation(scene, dt=0.002)
    still = sim.run(0.2)
    assert float(np.abs(still[leg.displacement]).max()) < 1e-12
    sim.set(leg.speed, 0.001)
    run = sim.run(1.0)
    pace = np.sqrt(1.3 * area**2 * pressure / (volume * mass))
    assert np.abs(run[leg.displacement] - 0.001 / pace * np.sin(pace * (run.time - 0.2))).max() < 1e-3 * 0.001 / pace
    deep = run[leg.displacement].values
    law = pressure * (volume / (volume + area * deep)) ** 1.3
    np.testing.assert_allclose(run[leg.pressure()], law, rtol=1e-12)


def test_a_muscle_only_pulls_and_shortens_at_the_speed_of_hill():
    """Against a steady load F: F/F_0 = (1 - v)/(1 + v/k), so v = (1 - f)/(1 + f/k) of its fastest."""
    muscle = sh.Muscle(force=1000.0, length=1.0, fastest=2.0, width=1e6, hill=0.25, activation_time=0.05)
    scene, slider = slide(muscle, mass=1.0)  # so wide that its length does not matter
    run = sh.Simulation(scene, dt=0.001).run(0.6, force={slider: 400.0}, command={slider: 1.0})
    np.testing.assert_allclose(run[slider.activation()], 1 - np.exp(-run.time / 0.05), rtol=1e-9, atol=1e-12)
    share = 0.4 / (1 - np.exp(-0.6 / 0.05))
    assert float(run[slider.speed][-1]) == pytest.approx(-2.0 * (1 - share) / (1 + share / 0.25), rel=1e-4)
    idle = sh.Simulation(scene, dt=0.001).run(0.2, force={slider: -1.0}, command={slider: -1.0})
    assert float(idle[slider.speed][-1]) == pytest.approx(-0.2, rel=1e-9)  # it never pushes


def test_a_map_over_coordinate_and_speed_is_the_spring_and_damper_it_was_made_of():
    grid, rates = np.linspace(-0.5, 0.5, 5), np.linspace(-2.0, 2.0, 4)
    forces = tuple(tuple(-100.0 * x - 4.0 * u for u in rates) for x in grid)
    scene, slider = slide(sh.ForceMap(tuple(grid), tuple(rates), forces), mass=1.0)
    sim = sh.Simulation(scene, dt=0.002)
    sim.set(slider.speed, 1.0)
    run = sim.run(2.0)
    pace = np.sqrt(100.0 - 2.0**2)
    wave = np.exp(-2.0 * run.time) * np.sin(pace * run.time) / pace
    np.testing.assert_allclose(run[slider.displacement], wave, atol=1e-5)
    balance = Balance(run)
    assert np.abs(balance.left[:-1]).max() < 1e-4


def test_actuators_are_saved_and_wrong_ones_refused_by_name(tmp_path):
    scene, slider = slide(sh.HydraulicCylinder(**CYLINDER))
    loaded = sh.Scene.load(scene.save(tmp_path / "cylinder.yaml"))
    assert loaded.joints["slide"].actuators == slider.actuators
    with pytest.raises(sh.SceneError, match="works along a length, and this is an angle"):
        slide(sh.Muscle(1.0, 1.0), joint=sh.Revolute(axis=(0, 0, 1)))
    with pytest.raises(sh.SceneError, match="has no actuator that takes a command"):
        slide(sh.PneumaticSpring(0.01, 0.001, 2e5))[1].command()
    with pytest.raises(sh.SceneError, match="sort them, each once"):
        sh.ForceMap((0.0, 0.0), (0.0, 1.0), ((0.0, 0.0), (0.0, 0.0)))
    with pytest.raises(sh.SceneError, match="between 0 and the relief"):
        sh.HydraulicCylinder(**CYLINDER, pressures=(2e7, 0.0))
    with pytest.raises(sh.SceneError, match=r"the HydraulicCylinder of 'slide\.displacement' has states of its own"):
        sh.Simulation(scene).linearise()
