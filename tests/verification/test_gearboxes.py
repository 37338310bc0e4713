"""Gearboxes: what a change of gear does to positions, speeds and energy, neutral, worlds, diagrams, the vehicle."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sh

RATIOS = (4.0, 1.5, -3.0)  # the last one is reverse
I_IN, I_OUT, DT = 0.02, 0.5, 0.002


def box(gear: int = 1, **losses: float) -> tuple[sh.Scene, sh.Joint, sh.Joint, sh.Coupling]:
    scene = sh.Scene("gearbox", gravity=(0, 0, 0))
    shafts = [
        scene.joint(
            name, sh.Revolute(), scene.world, scene.body(f"{name} shaft", mass=1.0, inertia=(inertia,) * 3, **spun)
        )
        for name, inertia, spun in (("in", I_IN, {}), ("out", I_OUT, {}))
    ]
    return scene, *shafts, scene.couple("box", sh.Gearbox(RATIOS, gear=gear, **losses), *shafts)


@pytest.mark.parametrize("solver", ["direct", "sequential-impulses"])
def test_a_change_of_gear_moves_nothing_and_brings_the_speeds_together_as_an_impact_does(solver):
    """With the new ratio r, w_in' = r w_out' after the impulse p = (w_in - r w_out)/(1/I_in + r^2/I_out) on both:
    w_in - p/I_in and w_out + r p/I_out; p (w_in - r w_out)/2 of energy is lost. In neutral both coast."""
    scene, fast, slow, coupling = box()
    sim = sh.Simulation(scene, DT, solver=solver, iterations=400, epsilon=1e-15)
    run = sim.run(0.2, torque={fast: 1.0})
    inertia = I_IN + I_OUT / RATIOS[0] ** 2
    assert float(run[fast.speed][-1]) == pytest.approx(0.2 / inertia, rel=1e-9)
    sim.step(2)  # nothing drives it any more
    for gear in (2, 3, 1):
        before = {joint: (sim.get(joint.angle), sim.get(joint.speed)) for joint in (fast, slow)}
        energy = sim.get(scene.kinetic_energy)
        sim.set(coupling.gear, gear)
        assert sim.get(fast.angle) == before[fast][0]
        ratio = RATIOS[gear - 1]
        apart = before[fast][1] - ratio * before[slow][1]
        impulse = apart / (1 / I_IN + ratio**2 / I_OUT)
        sim.step(3)
        fast_now, slow_now = sim.get(fast.speed), sim.get(slow.speed)
        assert fast_now == pytest.approx(before[fast][1] - impulse / I_IN, rel=1e-9)
        assert slow_now == pytest.approx(before[slow][1] + ratio * impulse / I_OUT, rel=1e-9)
        lost = energy - sim.get(scene.kinetic_energy)
        assert lost == pytest.approx(0.5 * impulse * apart, rel=1e-9) and lost > 0.0
        # from where they meshed the angles go on by the ratio
        assert sim.get(fast.angle) - before[fast][0] == pytest.approx(
            ratio * (sim.get(slow.angle) - before[slow][0]), abs=1e-12
        )
    sim.set(coupling.gear, 0)
    coasting, turning = sim.get(slow.speed), sim.get(fast.speed)
    run = sim.run(0.1, torque={fast: 1.0})
    assert float(run[slow.speed][-1]) == pytest.approx(coasting, rel=1e-12)
    np.testing.assert_array_equal(run[coupling.gear], 0.0)
    assert float(run[fast.speed][-1]) - turning == pytest.approx(0.1 / I_IN, rel=1e-9)


def test_every_gear_passes_on_its_torque_in_every_world_and_resets_bring_the_first_one_back():
    """a_out = r t/(I_out + r^2 I_in), and what the box does to the output is I_out a_out."""
    scene, fast, slow, coupling = box(gear=0)
    sim = sh.Simulation(scene, DT, worlds=3)
    sim.set(coupling.gear, [1, 2, 3])
    np.testing.assert_array_equal(sim.get(coupling.gear), [1, 2, 3])
    kept = sim.snapshot()
    run = sim.run(0.1, torque={fast: 1.0})
    ratios = np.array(RATIOS)
    expected = ratios / (I_OUT + ratios**2 * I_IN)
    np.testing.assert_allclose(run[slow.speed][-1], 0.1 * expected, rtol=1e-9)
    np.testing.assert_allclose(run[coupling.effort(1)][-2], I_OUT * expected, rtol=1e-9)
    np.testing.assert_allclose(run[coupling.effort(0)][-2], -I_OUT * expected / ratios, rtol=1e-9)
    ended = sim.get(slow.angle).copy()
    sim.restore(kept)
    sim.run(0.1, torque={fast: 1.0})
    np.testing.assert_array_equal(sim.get(slow.angle), ended)
    sim.reset(worlds=[2])
    np.testing.assert_array_equal(sim.get(coupling.gear), [1, 2, 0])
    with pytest.raises(sh.SceneError, match="gearbox 'box' is in another gear than it starts in"):
        sim.mass_matrix()
    with pytest.raises(sh.SceneError, match=r"the gear of 'box' is 4\.0; give 0 for neutral, or 1 to 3"):
        sim.set(coupling.gear, 4)
    with pytest.raises(sh.SceneError, match="Gearbox gear is 5; give 0 for neutral, or 1 to 3"):
        box(gear=5)


def test_a_diagram_shifts_and_stays_in_gear():
    scene, fast, slow, coupling = box(gear=0)
    diagram = sh.Diagram()
    diagram.gear(coupling, diagram.input("lever", unit="1", initial=2.0))
    sim = sh.Simulation(scene, DT)
    run = sim.run(0.1, torque={fast: 1.0}, control=diagram)
    assert float(run[fast.speed][-1]) == pytest.approx(RATIOS[1] * float(run[slow.speed][-1]), rel=1e-9)
    assert sim.get(coupling.gear) == 2
    with pytest.raises(sh.SceneError, match="there is no coupling 'bax'; did you mean 'box'"):
        other = sh.Diagram()
        other.gear("bax", 1.0)
        other.start(sim)


def test_a_vehicle_drives_through_its_gearbox():
    """Held wheels get ratio times final ratio over two of the motor's torque each, in every gear."""
    drive = sh.FinalDrive(ratio=4.0, gearbox=sh.Gearbox((3.0, 1.2), gear=1))
    scene = sh.Scene("axle", gravity=(0, 0, 0))
    chassis = scene.body("chassis", sh.Box(1, 1, 1), fixed=True)
    axle = sh.BeamAxle(x=0.0, track=0.9, final_drive=drive, leaf=sh.Leaf(stiffness=2e4, damping=500.0))
    built = axle.build(scene, chassis, "rear", (0.0, 0.0), None, 0.0)
    assert built.gearbox is not None and built.input is not None
    sim = sh.Simulation(scene, dt=0.002)
    spins, shaft = 0.5 * axle.wheel.mass * axle.wheel.radius**2, drive.inertia
    for gear, ratio in ((1, 3.0), (2, 1.2)):
        sim.reset()
        sim.set(built.gearbox.gear, gear)
        run = sim.run(0.02, torque={built.input: 1.0})
        whole = ratio * 4.0
        wheel = float(scene.bodies["rear_left_wheel"].properties.inertia.max())
        expected = whole / (2 * wheel + 4.0**2 * shaft + whole**2 * shaft)
        assert float(run[built.left.spin.speed][-1]) == pytest.approx(0.02 * expected, rel=1e-3), spins
