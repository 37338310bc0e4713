"""Gears and their like: closed-form speeds and torques, redundant rows, moving carriers, both solvers."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sh
from sharnir.record.balance import Balance

Z = (0.0, 0.0, 1.0)
SUN, PLANET, RING = 20.0, 16.0, 52.0  # teeth
TURNS = {"carrier": 0.3, "sun": 0.02, "planet": 0.01}  # kg m^2


def wheel(scene: sh.Scene, name: str, inertia: float, place=(0.0, 0.0, 0.0)) -> sh.Body:
    return scene.body(name, mass=100 * inertia, inertia=(inertia,) * 3, position=place)


def epicyclic(planets: int = 3) -> tuple[sh.Scene, sh.Joint, sh.Joint]:
    """A sun and its planets on a carrier, in a ring that stands: both meshes of every planet seen from the carrier."""
    scene = sh.Scene("epicyclic", gravity=(0, 0, 0))
    carrier = wheel(scene, "carrier", TURNS["carrier"])
    arm = scene.joint("arm", sh.Revolute(axis=Z), scene.world, carrier)
    sun = scene.joint("sun", sh.Revolute(axis=Z), carrier, wheel(scene, "sun", TURNS["sun"]))
    for i in range(planets):
        angle = 2 * np.pi * i / planets
        at = (0.1 * np.cos(angle), 0.1 * np.sin(angle), 0.0)
        body = wheel(scene, f"planet{i}", TURNS["planet"], at)
        planet = scene.joint(f"planet{i}", sh.Revolute(axis=Z, anchor=at), carrier, body)
        scene.couple(f"mesh{i}", sh.Gear(ratio=-SUN / PLANET), planet, sun)
        scene.couple(f"rim{i}", sh.Gear(ratio=-RING / PLANET), planet, arm)  # the ring turns at minus the arm's rate
    return scene, arm, sun


def test_an_epicyclic_gear_has_the_speeds_and_torques_of_willis():
    """w_sun = (1 + z_r/z_s) w_arm; the inertia at the arm is the sum of I (w/w_arm)^2, the torque on the sun its lever.

    Six meshes tie five turns to one: two rows are redundant, and the load is shared evenly by the planets.
    """
    scene, arm, sun = epicyclic()
    found = scene.freedoms()
    assert (found.mobility, len(found.redundant)) == (1, 2)
    assert all(": Gear" in name for name in found.redundant)
    gain, planet = 1 + RING / SUN, 1 - RING / PLANET
    around = 3 * 100 * TURNS["planet"] * 0.1**2  # the planets' masses on their way
    inertia = TURNS["carrier"] + around + TURNS["sun"] * gain**2 + 3 * TURNS["planet"] * planet**2
    near = 1e-5  # second order in the 0.014 rad that the carrier turns in a step; gears that share a load are elastic
    sim = sh.Simulation(scene, dt=0.002)
    assert sim.mass_matrix([arm]).item() == pytest.approx(inertia, rel=1e-8)
    run = sim.run(1.0, torque={sun: 2.0})  # on the sun, against the carrier
    expected = 2.0 * (gain - 1.0) / inertia
    assert float(run[arm.speed][-1]) == pytest.approx(expected, rel=near)
    np.testing.assert_allclose(run[sun.speed], (gain - 1.0) * run[arm.speed], atol=near)
    meshes = [float(run[scene.couplings[f"mesh{i}"].effort(1)][-2]) for i in range(3)]
    # the sun's own inertia takes I w', the rest goes through three meshes
    assert sum(meshes) == pytest.approx(TURNS["sun"] * gain * expected - 2.0, rel=10 * near)
    np.testing.assert_allclose(meshes, np.mean(meshes), rtol=1e-3)
    assert max(abs(c.start - c.offset) for c in scene.couplings.values()) < 1e-12


@pytest.mark.parametrize("solver", ["direct", "sequential-impulses"])
def test_a_differential_shares_its_torque_evenly_and_its_speed_as_it_may(solver):
    """input = ratio (left + right)/2; each output gets ratio/2 times the torque that the input does not keep."""
    scene = sh.Scene("axle", gravity=(0, 0, 0))
    shafts = {}
    for name, inertia in (("input", 0.01), ("left", 0.5), ("right", 2.0)):
        shafts[name] = scene.joint(name, sh.Revolute(axis=Z), scene.world, wheel(scene, f"{name} shaft", inertia))
    ratio = 4.0
    gear = scene.couple("differential", sh.Differential(ratio), shafts["input"], shafts["left"], shafts["right"])
    sim = sh.Simulation(scene, dt=0.002, solver=solver, iterations=400, epsilon=1e-14)
    run = sim.run(0.5, torque={shafts["input"]: 3.0})
    # t = 3 - I_in a_in; a_l = (r/2) t/I_l, a_r likewise, a_in = r (a_l + a_r)/2
    give = ratio**2 / 4 * (1 / 0.5 + 1 / 2.0)
    passed = 3.0 / (1 + 0.01 * give)
    for name, inertia in (("left", 0.5), ("right", 2.0)):
        expected = ratio / 2 * passed / inertia * 0.5
        assert float(run[shafts[name].speed][-1]) == pytest.approx(expected, rel=1e-6)
    assert float(run[gear.effort(0)][-2]) == pytest.approx(-passed, rel=1e-6)
    assert float(run[gear.effort(1)][-2]) == pytest.approx(ratio / 2 * passed, rel=1e-6)
    assert float(run[gear.effort(2)][-2]) == pytest.approx(ratio / 2 * passed, rel=1e-6)


def on_a_turning_carrier() -> tuple[sh.Scene, list[sh.Joint]]:
    """Two wheels with crossed axes on a body that tumbles freely, geared to each other and to a slider."""
    scene = sh.Scene("tumbling", gravity=(0, 0, 0))
    frame = scene.body("frame", mass=2.0, inertia=(0.2, 0.3, 0.4), angular_velocity=(1.0, 2.0, 0.5))
    first = scene.body("first", mass=0.5, inertia=(0.02, 0.01, 0.01), position=(0.3, 0, 0))
    second = scene.body("second", mass=0.4, inertia=(0.01, 0.02, 0.01), position=(0, 0.3, 0))
    block = scene.body("block", mass=0.7, inertia=(0.01,) * 3, position=(0, 0, 0.4))
    joints = [
        scene.joint("a", sh.Revolute(axis=(1, 0, 0), anchor=(0.3, 0, 0)), frame, first),
        scene.joint("b", sh.Revolute(axis=(0, 1, 0), anchor=(0, 0.3, 0)), frame, second),
        scene.joint("c", sh.Prismatic(axis=(1, 0, 1), anchor=(0, 0, 0.4)), frame, block, spring=sh.Spring(20.0)),
    ]
    scene.couple("bevel", sh.Gear(ratio=-1.5), joints[0], joints[1])
    scene.couple("screw", sh.Screw(lead=0.5), joints[1], joints[2])
    scene.pose({}, {joints[1]: 6.0})
    return scene, joints


def test_gears_on_a_tumbling_carrier_stay_in_mesh_and_keep_energy_and_momentum():
    drifts = []
    for dt in (0.01, 0.005):
        scene, (a, b, c) = on_a_turning_carrier()
        run = sh.Simulation(scene, dt=dt).run(2.0)
        off = (
            np.abs(run[a.angle] + 1.5 * run[b.angle]).max(),
            np.abs(run[b.angle] * 0.5 / (2 * np.pi) - run[c.displacement]).max(),
        )
        assert max(map(float, off)) < 20.0 * dt**3  # the first step foresees no spins: third order, then far less
        energy = run[scene.energy].values
        drifts.append(float(np.abs(energy - energy[0]).max()) / energy[0])
        momentum = run[scene.angular_momentum].values
        np.testing.assert_allclose(
            momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-5 * np.linalg.norm(momentum[0])
        )
        balance = Balance(run)
        assert np.abs(balance.work["couplings"]).max() < 1e-3 * energy[0]  # what one side gives the other gets
    assert drifts[0] < 2e-3 and drifts[1] < 0.3 * drifts[0]


def test_a_belt_a_rack_and_a_mimic_move_as_they_are_drawn():
    scene = sh.Scene("shop", gravity=(0, 0, 0))
    joints = [
        scene.joint(
            f"shaft{i}", sh.Revolute(axis=Z, anchor=(i, 0, 0)), scene.world, wheel(scene, f"w{i}", 0.1, (i, 0, 0))
        )
        for i in range(4)
    ]
    rack = scene.body("rack", mass=3.0, inertia=(0.1,) * 3)
    slide = scene.joint("slide", sh.Prismatic(axis=(1, 0, 0)), scene.world, rack)
    scene.couple("belt", sh.BeltDrive(0.1, 0.2), joints[0], joints[1])
    scene.couple("crossed", sh.BeltDrive(0.1, 0.2, crossed=True), joints[0], joints[2])
    scene.couple("rack", sh.RackAndPinion(0.05), joints[0], slide)
    scene.couple("mimic", sh.Mimic(0.5, 0.0), joints[3], slide)
    sim = sh.Simulation(scene, dt=0.01)
    run = sim.run(1.0, torque={joints[0]: 1.0})
    turned = run[joints[0].angle].values
    inertia = 0.1 + 2 * 0.1 / 4 + 3.0 * 0.05**2 + 0.1 * (0.5 * 0.05) ** 2
    assert turned[-1] == pytest.approx(0.5 / inertia, rel=1e-9)
    for joint, factor in ((joints[1], 0.5), (joints[2], -0.5), (slide, 0.05), (joints[3], 0.025)):
        np.testing.assert_allclose(run[joint.coordinate()], factor * turned, atol=1e-10)
    sim.set(joints[0].angle, 40.0)  # more than six turns; all others follow, with their turns counted
    assert sim.get(joints[1].angle) == pytest.approx(20.0, abs=1e-9)
    before = sim.get(joints[0].speed)
    sim.step(10)
    assert sim.get(joints[2].angle) == pytest.approx(-0.5 * sim.get(joints[0].angle), abs=1e-9)
    assert sim.get(joints[0].speed) == pytest.approx(before, rel=1e-6)


def test_couplings_are_saved_and_what_makes_no_sense_is_refused_by_name(tmp_path):
    scene, arm, sun = epicyclic()
    loaded = sh.Scene.load(scene.save(tmp_path / "gears.yaml"))
    assert [c.spec for c in loaded.couplings.values()] == [c.spec for c in scene.couplings.values()]
    refused = (
        (sh.Gear(0.0), (arm, sun), "factor 0"),
        (sh.Screw(0.1), (arm, sun), "'sun.angle' is in rad; a Screw takes a length there"),
        (sh.Gear(2.0), (arm,), "takes 2 coordinates, 1 were given"),
        (sh.Gear(2.0), (arm, arm), "names a coordinate twice"),
        (sh.Gear(2.0), (arm, "sun.angel"), "did you mean 'sun.angle'"),
        ("gear", (arm, sun), "is not a coupling"),
        (sh.Gear(1e300), (arm, sun), "too far apart to compute; give a ratio between 1e-09 and 1e[+]09"),
        (sh.Gear(1e-12), (arm, sun), "factors of 1 and 1e-12, too far apart"),
    )
    for coupling, coordinates, words in refused:
        with pytest.raises(sh.SceneError, match=words):
            scene.couple("wrong", coupling, *coordinates)
    scene.couple("off", sh.Mimic(1.0, 0.5), arm, sun)
    with pytest.raises(sh.SceneError, match=r"coupling 'off': at the start its coordinates .* are off by -0.5"):
        sh.Simulation(scene)


def kapitza(speed: float) -> tuple[sh.Scene, sh.Joint, sh.Joint]:
    """A pendulum of 0.2 m, 0.1 rad off upright, whose pivot shakes up and down by 0.01 m at a speed (rad/s)."""
    scene = sh.Scene("Kapitza")
    slider = scene.body("slider", mass=1.0, inertia=(0.01,) * 3)
    bob = scene.body("bob", mass=1.0, inertia=(1e-7,) * 3, position=(0, 0, 0.2))
    guide = scene.joint("guide", sh.Prismatic(axis=Z), scene.world, slider)
    pivot = scene.joint("pivot", sh.Revolute(axis=(0, 1, 0)), slider, bob, initial=0.1)
    scene.couple("shaker", sh.Prescribed(), guide)
    return scene, guide, pivot


@pytest.mark.parametrize(("share", "stands"), [(1.3, True), (0.7, False)])
def test_kapitzas_pendulum_stands_above_its_threshold_and_falls_below(share, stands):
    """Upright is stable for a w > sqrt(2 g l); above, it swings slowly about it at sqrt((a w/l)^2/2 - g/l)."""
    amplitude, length = 0.01, 0.2
    speed = share * np.sqrt(2 * 9.81 * length) / amplitude
    scene, guide, pivot = kapitza(speed)
    dt = 2 * np.pi / speed / 40
    run = sh.Simulation(scene, dt).run(round(3.0 / dt) * dt, motion={guide: lambda t: amplitude * np.sin(speed * t)})
    np.testing.assert_allclose(run[guide.displacement], amplitude * np.sin(speed * run.time), atol=1e-9)
    angle = np.abs(run[pivot.angle].values)
    assert (angle.max() < 0.3) if stands else (angle.max() > 2.0)


def test_the_force_of_a_prescribed_motion_is_that_of_newton():
    """F = m (g + z'') at every instant, to the order of the step; held still, F = m g, in every world by itself."""
    scene, guide, _ = kapitza(10.0)
    shaker, dt = scene.couplings["shaker"], 0.001
    scene.pose({"pivot.angle": 0.0})
    sim = sh.Simulation(scene, dt=dt, worlds=2)
    wave = np.array([0.0, 0.01])
    run = sim.run(0.5, motion={guide: lambda t: wave * np.sin(20.0 * t)})
    force, time = run[shaker.effort()].values[1:-1], run.time[1:-1]
    np.testing.assert_allclose(force[:, 0], 2.0 * 9.81, rtol=1e-9)
    np.testing.assert_allclose(force[:, 1], 2.0 * (9.81 - 4.0 * np.sin(20.0 * time)), atol=2e-3)
    with pytest.raises(sh.SceneError, match="is not prescribed; first let it be"):
        sim.run(0.1, motion={scene.joints["pivot"]: 1.0})
    sim.set(shaker.motion, 0.02)  # there by the end of the next step
    sim.step(1)
    np.testing.assert_allclose(sim.get(guide.displacement), 0.02, atol=1e-9)


def test_a_prescribed_crank_drives_a_slider_by_newton():
    """x = r cos a + sqrt(l^2 - r^2 sin^2 a), a = w t; the pin of the piston pulls with m x''. Hinges in a plane, so
    that rows are redundant. Errors of second order: of x h^2, of the force the share (w h)^2."""
    speed, r, rod = 10.0, 0.2, 0.5
    scene = sh.Scene("slider-crank", gravity=(0, 0, 0))
    thrown = {"angular_velocity": (0, -speed, 0), "velocity": (0, 0, speed * r / 2)}
    crank = scene.body("crank", mass=1.0, inertia=(r * r / 12,) * 3, position=(r / 2, 0, 0), **thrown)
    swung = {"angular_velocity": (0, speed * r / rod, 0), "velocity": (0, 0, speed * r / 2)}
    link = scene.body("rod", mass=1.0, inertia=(rod * rod / 12,) * 3, position=(r + rod / 2, 0, 0), **swung)
    piston = scene.body("piston", mass=1.0, inertia=(0.01,) * 3, position=(r + rod, 0, 0))
    axis = {"axis": (0, -1, 0)}
    hinge = scene.joint("hinge", sh.Revolute(**axis), scene.world, crank)
    scene.joint("big end", sh.Revolute(**axis, anchor=(r, 0, 0)), crank, link)
    pin = scene.joint("pin", sh.Revolute(**axis, anchor=(r + rod, 0, 0)), link, piston)
    guide = scene.joint("guide", sh.Prismatic(axis=(1, 0, 0), anchor=(r + rod, 0, 0)), scene.world, piston)
    scene.couple("motor", sh.Prescribed(), hinge)
    dt = 0.005
    run = sh.Simulation(scene, dt).run(1.0, motion={hinge: lambda t: speed * t})
    angle = speed * run.time
    reach = np.sqrt(rod**2 - (r * np.sin(angle)) ** 2)
    place = r * np.cos(angle) + reach - r - rod
    np.testing.assert_allclose(run[guide.displacement], place, atol=dt**2)
    curve = r * np.cos(2 * angle) / reach + (r * np.sin(angle) * np.cos(angle)) ** 2 * r / reach**3
    force = -(speed**2) * r * (np.cos(angle) + curve)
    pull = run[pin.reaction_force].values[:, 0]
    np.testing.assert_allclose(pull[2:-1], force[2:-1], atol=(speed * dt) ** 2 * speed**2 * r)


def test_turns_of_more_than_half_a_one_in_a_step_are_counted():
    """4 rad a step: the angle of a free wheel is w t and of what it drives by a gear of 10 a tenth of it."""
    scene = sh.Scene("fast", gravity=(0, 0, 0))
    spin = {"angular_velocity": (0, 0, 400.0)}
    shaft = scene.body("shaft", mass=1.0, inertia=(0.01,) * 3, **spin)
    wheel = scene.body("wheel", mass=1.0, inertia=(1.0,) * 3, position=(1, 0, 0), angular_velocity=(0, 0, 40.0))
    fast = scene.joint("fast", sh.Revolute(axis=(0, 0, 1)), scene.world, shaft)
    slow = scene.joint("slow", sh.Revolute(axis=(0, 0, 1), anchor=(1, 0, 0)), scene.world, wheel)
    scene.couple("gear", sh.Gear(10.0), fast, slow)
    run = sh.Simulation(scene, dt=0.01).run(0.5)
    np.testing.assert_allclose(run[fast.angle], 400.0 * run.time, atol=1e-9)
    np.testing.assert_allclose(run[slow.angle], 40.0 * run.time, atol=1e-9)


def test_couplings_that_lock_each_other_are_told_and_motions_that_contradict_are_refused():
    """Two ratios between two shafts leave them nowhere to go; a gear passes a motion on, so that both are one too many.

    A redundant gear of the same ratio locks nothing."""
    scene = sh.Scene("pair", gravity=(0, 0, 0))
    a, b = (scene.joint(name, sh.Revolute(axis=Z), scene.world, wheel(scene, f"{name} shaft", 0.1)) for name in "ab")
    scene.couple("first", sh.Gear(2.0), a, b)
    scene.couple("again", sh.Gear(2.0), a, b)
    assert scene.freedoms().locked == () and scene.freedoms().mobility == 1
    scene.couple("other", sh.Gear(3.0), a, b)
    assert scene.freedoms().locked == ("a", "b") and scene.freedoms().mobility == 0
    with pytest.warns(
        sh.SimulationWarning, match=r"'a.angle', 'b.angle' cannot move: the couplings 'first', .*'other'"
    ):
        sh.Simulation(scene)
    led = sh.Scene("led", gravity=(0, 0, 0))
    a, b = (led.joint(name, sh.Revolute(axis=Z), led.world, wheel(led, f"{name} shaft", 0.1)) for name in "ab")
    led.couple("pair", sh.Gear(2.0), a, b)
    led.couple("motor", sh.Prescribed(), a)
    sim = sh.Simulation(led, dt=0.01)
    with pytest.raises(sh.SceneError, match=r"motion of 'a.angle' is given twice; give where it is to be, or its rate"):
        sim.run(0.1, motion={a: lambda t: t, a.speed: lambda t: 1.0})
    run = sim.run(0.1, motion={a: lambda t: t})
    np.testing.assert_allclose(run[b.angle], run.time / 2, atol=1e-6)
    led.couple("second", sh.Prescribed(), b)
    with pytest.raises(sh.SceneError, match=r"'motor' prescribes 'a.angle', .* determined by 'pair', 'second' already"):
        sh.Simulation(led)
