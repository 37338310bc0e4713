"""Gears and actuators in the exact twin: closed forms, and the simulation's difference from it, of second order."""

from __future__ import annotations

import numpy as np
import pytest
from test_couplings import on_a_turning_carrier

import sharnir as sh
from sharnir.reference import solve
from sharnir.reference.compare import compare

Z = (0.0, 0.0, 1.0)


def test_gears_on_a_tumbling_carrier_differ_from_the_exact_twin_in_second_order():
    """Halving the step quarters the difference of every coordinate; gears of the twin are met to its tolerance."""
    worst = []
    for dt in (0.01, 0.005):
        scene, (a, b, c) = on_a_turning_carrier()
        found = compare(scene, 1.0, dt=dt)
        worst.append(max(one.largest for one in found.differences() if one.unit in ("rad", "m")))
    exact = found.exact
    assert np.abs(exact[a.angle] + 1.5 * exact[b.angle]).max() < 1e-9
    assert np.abs(exact[b.angle] * 0.5 / (2 * np.pi) - exact[c.displacement]).max() < 1e-9
    energy = exact[scene.energy].values
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-8
    assert worst[1] < 0.35 * worst[0] < 0.35 * 0.05
    bevel = scene.couplings["bevel"].effort(0)
    near = 0.05 * np.abs(exact[bevel].values).max()
    np.testing.assert_allclose(found.simulated[bevel].values[2:-2], exact[bevel].values[2:-2], atol=near)


def test_a_differential_and_a_rack_of_the_twin_have_the_closed_form():
    """a_l = (r/2) t/I_l and so on, as in the test of the simulation; a pinion of radius R drives m by F = t/R."""
    scene = sh.Scene("gears", gravity=(0, 0, 0))
    shafts = {}
    for name, inertia in (("input", 0.01), ("left", 0.5), ("right", 2.0), ("pinion", 0.1)):
        body = scene.body(f"{name} shaft", mass=1.0, inertia=(inertia,) * 3)
        shafts[name] = scene.joint(name, sh.Revolute(axis=Z), scene.world, body)
    rack = scene.body("rack", mass=3.0, inertia=(1.0,) * 3)
    slide = scene.joint("slide", sh.Prismatic(axis=(1, 0, 0)), scene.world, rack)
    gear = scene.couple("differential", sh.Differential(4.0), shafts["input"], shafts["left"], shafts["right"])
    scene.couple("mesh", sh.RackAndPinion(0.05), shafts["pinion"], slide)
    run = solve(scene, 0.5, torque={shafts["input"]: 3.0, shafts["pinion"]: 1.0})
    passed = 3.0 / (1 + 0.01 * 4.0**2 / 4 * (1 / 0.5 + 1 / 2.0))
    assert float(run[shafts["left"].speed][-1]) == pytest.approx(2.0 * passed / 0.5 * 0.5, rel=1e-9)
    assert float(run[gear.effort(2)][-1]) == pytest.approx(2.0 * passed, rel=1e-9)
    assert float(run[slide.speed][-1]) == pytest.approx(0.05 * 0.5 / (0.1 + 3.0 * 0.05**2), rel=1e-9)


def test_hydraulics_of_the_twin_have_the_closed_forms_and_those_of_the_simulation():
    """A cylinder drives a load F at v = s c sqrt((p_s A_a - F)/(A_a^3 + A_b^3)), c = q/sqrt(p_s); a weight of m on a
    motor that gives what it can rises by (t - m g) t^2/2m."""
    scene = sh.Scene("press", gravity=(0, 0, 0))
    ram = scene.body("ram", mass=100.0, inertia=(1.0,) * 3)
    cylinder = sh.HydraulicCylinder(area=1e-3, stroke=1.0, supply=1e7, flow=1e-3, area_ratio=0.5)
    guide = scene.joint("guide", sh.Prismatic(axis=Z), scene.world, ram, actuator=cylinder)
    mast = scene.body("mast", mass=2.0, inertia=(0.1,) * 3, position=(1, 0, 0))
    lift = scene.joint("lift", sh.Prismatic(axis=Z), scene.world, mast, actuator=sh.IdealActuator(limit=10.0))
    inputs = {"command": {guide: 0.3, lift: 50.0}, "force": {guide: -2000.0}}
    found = compare(scene, 0.4, dt=0.002, inputs=inputs, rtol=1e-7)
    areas = 1e-3, 5e-4
    speed = 0.3 * 1e-3 / np.sqrt(1e7) * np.sqrt((1e7 * areas[0] - 2000.0) / (areas[0] ** 3 + areas[1] ** 3))
    assert float(found.exact[guide.speed][-1]) == pytest.approx(speed, rel=1e-5)
    assert float(found.exact[lift.displacement][-1]) == pytest.approx(10.0 / 2.0 * 0.4**2 / 2, rel=1e-7)
    apart = np.abs(found.simulated[guide.displacement].values - found.exact[guide.displacement].values).max()
    assert apart < 0.01 * float(found.exact[guide.displacement][-1])
    np.testing.assert_allclose(
        found.simulated[guide.pressure("a")].values[-20:], found.exact[guide.pressure("a")].values[-20:], rtol=1e-3
    )


def test_the_matrices_have_actuators_as_they_are_now():
    """What holds a press still is the load less p_a A_a - p_b A_b, with the pressures of the moment; gas pushes by its
    own. The linear system has no pressures, and is refused by name."""
    scene = sh.Scene("press", gravity=(0, 0, 0))
    ram = scene.body("ram", mass=100.0, inertia=(1.0,) * 3)
    cylinder = sh.HydraulicCylinder(area=1e-3, stroke=1.0, supply=1e7, flow=1e-3, pressures=(2e6, 1e6))
    guide = scene.joint("guide", sh.Prismatic(axis=Z), scene.world, ram, actuator=cylinder)
    sim = sh.Simulation(scene, dt=0.002)
    sim.run(0.1, command={guide: 0.3}, force={guide: -2000.0})
    force = sim.get(guide.pressure("a")) * 1e-3 - sim.get(guide.pressure("b")) * 1e-3
    assert abs(force) > 100.0
    assert float(sim.forward_dynamics()[0]) == pytest.approx(force / 100.0, rel=1e-9)
    assert float(sim.inverse_dynamics({guide: 0.0})[0]) == pytest.approx(-force, rel=1e-9)
    with pytest.raises(sh.SceneError, match=r"linearise: the HydraulicCylinder of 'guide.displacement' has states"):
        sim.linearise()


@pytest.mark.parametrize(
    ("lossy", "hint"),
    [
        (sh.Gear(2.0, efficiency=0.9), "the Gear 'pair' loses power"),
        (sh.Screw(0.02, friction=0.1, radius=0.01), "the Screw 'pair' loses power"),
    ],
)
def test_what_the_twin_does_not_know_is_refused_by_name(lossy, hint):
    scene = sh.Scene("pair")
    joints = [
        scene.joint(name, kind(), scene.world, scene.body(f"{name} shaft", mass=1.0, inertia=(0.1,) * 3))
        for name, kind in (("a", sh.Revolute), ("b", sh.Prismatic))
    ]
    scene.couple("pair", lossy, *joints)
    with pytest.raises(sh.SceneError, match=hint):
        solve(scene, 0.1)
