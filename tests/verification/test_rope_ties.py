"""Ropes tied to bodies and to each other ([002]): towing, loads, moments, instabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ropes
from ropes import ELEMENTS, FREE, LENGTH, MASS, PAPER

import sharnir as sh

G = 9.81


def train(gap: float, mass: float = 50.0, leader: float = 200.0, **details: Any) -> tuple[sh.Scene, Any, Any, Any]:
    """A trailer and what pulls it along x, and the paper's rope between them, with ``gap`` m of air."""
    scene = sh.Scene("train", gravity=FREE)
    trailer = scene.body("trailer", sh.Box(1, 1, 1, mass=mass))
    robot = scene.body("robot", sh.Box(1, 1, 1, mass=leader), position=(1 + gap, 0, 0))
    for body in (trailer, robot):
        scene.joint(f"{body.name} rail", sh.Cylindrical(axis=(1, 0, 0), anchor=body.spec.position), scene.world, body)
    ends = {"start": sh.Tie(body=trailer), "end": sh.Tie(body=robot), "length": LENGTH}
    rope = scene.rope("rope", [(0.5, 0, 0), (0.5 + gap, 0, 0)], **(PAPER | ends | details))
    return scene, trailer, robot, rope


def test_towing(scheme: dict[str, str], dt: float) -> None:
    """A trailer of 50 kg with 20 N of resistance at a = 0.5 m/s^2: 45 N there, 45 + 2.37504 a = 46.1875 N in front.

    The tension of an element is that at its middle, half an element's mass further.
    """
    scene, trailer, robot, rope = train(LENGTH)
    pull = (50 + 200 + MASS) * 0.5 + 20
    run = sh.Simulation(scene, dt=dt, **scheme).run(2.0, force={trailer: (-20, 0, 0), robot: (pull, 0, 0)})
    half = MASS / ELEMENTS / 2 * 0.5
    assert run[rope.tension("start")].values[-1] - half == pytest.approx(45.0, rel=1e-6)
    assert run[rope.tension("end")].values[-1] + half == pytest.approx(46.1875, rel=1e-5)
    assert run[trailer.velocity].values[-1, 0] == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("radius", [0.0015, 0.0005])
def test_slack_taken_up(scheme: dict[str, str], radius: float) -> None:
    """0.2 m of slack at 0.5 m/s: taut after 0.4 s, then 50 kg take over 0.5 m/s, 25 N s, when the rope is light.

    Within a step the straightening of a light rope cannot be followed, and the blow is plastic. A rope heavy enough
    that its sideways swing is followed throws the load forward instead: without damping up to 50 N s (next test).
    """
    dt = 0.01
    scene, trailer, robot, _ = train(LENGTH - 0.2, leader=2e6, radius=radius)
    sim = sh.Simulation(scene, dt=dt, **scheme)
    sim.set(robot.velocity, (0.5, 0, 0))
    run = sim.run(0.8)
    impulse = 50 * run[trailer.velocity].values[:, 0]
    assert impulse[-1] == pytest.approx(25.0, rel=0.02)
    taut = run.time[np.argmax(impulse > 12.5)]
    assert taut == pytest.approx(0.4, abs=1.5 * dt)


def test_heavy_rope_throws_its_load() -> None:
    """The paper's own rope (2.4 kg) takes up the energy of the blow as a sideways swing, and gives it back.

    Energy of load and rope in the frame of the puller is kept up to what the method loses, so the load ends between
    the plastic 25 and the elastic 50 N s, nearer to the latter as dt falls.
    """
    impulses = []
    for dt in (0.005, 0.001):
        scene, trailer, robot, _ = train(LENGTH - 0.2, leader=2e6)
        sim = sh.Simulation(scene, dt=dt)
        sim.set(robot.velocity, (0.5, 0, 0))
        impulses.append(50 * sim.run(0.8)[trailer.velocity].values[-1, 0])
    assert 25 < impulses[0] < impulses[1] < 50
    assert impulses[1] > 45


def test_jerk_start_at_15_ms(euler: dict[str, str]) -> None:
    """200 kg jerk 1000 kg on the paper's rope of 2.4 kg, dt 15 ms, 60 s: length to 0.1 %, no growth of energy."""
    scene, trailer, robot, rope = train(LENGTH - 0.2, mass=1000.0)
    run = sh.Simulation(scene, dt=0.015, **euler).run(60.0, force={robot: lambda t: (400.0 if t < 1 else 0.0, 0, 0)})
    assert run[rope.stretch].values.max() < 1e-3
    apart = run[robot.position].values[:, 0] - run[trailer.position].values[:, 0] - 1
    assert apart.max() < LENGTH * 1.001
    energy = run[scene.energy].values[run.time > 1.01]
    assert energy.max() < energy[0] * (1 + 1e-6)
    momentum = run[scene.momentum].values[:, 0]
    assert momentum[-1] == pytest.approx(400.0 * 67 * 0.015, rel=1e-9)  # 400 N for 67 steps, whatever came after


def test_trailer_in_a_mechanism() -> None:
    """2 kg of rope turn a flywheel of 1000 kg on a crank: the tension follows from both, m r^2 a/2 = T r."""
    scene = sh.Scene("flywheel", gravity=FREE)
    wheel = scene.body("wheel", mass=1000.0, inertia=(125.0, 125.0, 125.0))
    axle = scene.joint("axle", sh.Revolute(axis=(0, 1, 0)), scene.world, wheel)
    puller = scene.body("puller", sh.Box(0.5, 0.5, 0.5, mass=100.0), position=(LENGTH, 0, 0.5))
    scene.joint("rail", sh.Cylindrical(axis=(1, 0, 0), anchor=(LENGTH, 0, 0.5)), scene.world, puller)
    rope = scene.rope(
        "rope", [(0, 0, 0.5), (LENGTH, 0, 0.5)], start=sh.Tie(body=wheel), end=sh.Tie(body=puller), **PAPER
    )
    run = sh.Simulation(scene, dt=0.001).run(0.02, force={puller: (300.0, 0, 0)})
    acceleration = 300.0 / (100 + MASS + 125 / 0.5**2)
    assert run[axle.speed].values[-1] == pytest.approx(acceleration * 0.02 / 0.5, rel=1e-4)
    assert run[rope.tension("start")].values[-1] == pytest.approx((500 + MASS / 40) * acceleration, rel=1e-3)


@pytest.mark.parametrize(("elements", "tolerance"), [(20, 0.02), (50, 0.005)])
@pytest.mark.parametrize(
    ("load", "deflection"), [(1.0, 0.30172), (2.0, 0.49346), (5.0, 0.71379), (10.0, 0.81061)], ids=lambda x: str(x)
)
def test_cantilever(elements: int, tolerance: float, load: float, deflection: float) -> None:
    """The elastica with a tip load P L^2/K = 1, 2, 5, 10 (Bisshopp and Drucker 1945)."""
    scene = sh.Scene("cantilever", gravity=FREE)
    weight = scene.body("weight", mass=1e-3, inertia=(1e-6, 1e-6, 1e-6), position=(1, 0, 0))
    scene.joint("plane", sh.Planar(normal=(0, 1, 0), anchor=(1, 0, 0)), scene.world, weight)
    clamp = sh.Tie(body="world", clamped=True)
    made = {"radius": 0.01, "density": 100.0, "bending": 1.0, "twisting": 1.0, "damping": 0.3}
    rope = scene.rope("rod", [(0, 0, 0), (1, 0, 0)], elements=elements, start=clamp, end=sh.Tie(body=weight), **made)
    run = sh.Simulation(scene, dt=0.01).run(10.0, force={weight: (0, 0, -load)}, every=1000)
    assert -run[rope.node("end")].values[-1, 2] == pytest.approx(deflection, rel=tolerance)


def test_moment_of_a_clamp() -> None:
    """A torque on a clamped end twists the rope by that angle at which all its joints carry it.

    (K33/l) sin a = M in each of the 19 joints, (2 K33/l) sin b = M in each of the two clamps: 19 a + 2 b in all.
    """
    scene = sh.Scene("twisted", gravity=FREE)
    chuck, guide = ropes.chuck(scene, (LENGTH, 0, 0))
    held = sh.Tie(body="world", clamped=True)
    details = {"start": held, "end": sh.Tie(body=chuck, clamped=True), "damping": 0.5}
    scene.rope("rope", [(0, 0, 0), (LENGTH, 0, 0)], **(PAPER | details))
    twisting, segment, moment = 1e5 * np.pi * 0.015**4 / 2, LENGTH / ELEMENTS, 0.004
    run = sh.Simulation(scene, dt=0.01).run(60.0, torque={guide.effort("angle"): moment}, every=6000)
    expected = 19 * np.arcsin(moment * segment / twisting) + 2 * np.arcsin(moment * segment / (2 * twisting))
    assert run[guide.coordinate("angle")].values[-1] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("share", "buckles"), [(0.9, False), (1.1, True)])
def test_buckling_of_a_twisted_rod(share: float, buckles: bool) -> None:
    """Ends clamped, kept on the axis and free to approach: a moment M L/K11 = 8.9868 buckles the straight rod.

    One that has buckled is looked at 0.6 s after the moment is whole: soon after, nothing holds the chuck, which the
    moment then turns by radians in a step.
    """
    scene = sh.Scene("buckling", gravity=FREE)
    chuck, guide = ropes.chuck(scene, (1.0, 0, 0), inertia=1e-5)
    held = sh.Tie(body="world", clamped=True)
    made = {"radius": 0.005, "density": 100.0, "bending": 1.0, "twisting": 4.0, "damping": 0.001}
    rope = scene.rope("rod", [(0, 0, 0), (1, 0, 0)], start=held, end=sh.Tie(body=chuck, clamped=True), **made)
    sim = sh.Simulation(scene, dt=0.002)
    sim.state.rope_velocity.numpy()[1:-1, 0, 1] = 1e-4 * np.sin(np.pi * np.arange(1, ELEMENTS) / ELEMENTS)
    duration = 1.1 if buckles else 3.0
    run = sim.run(duration, torque={guide.effort("angle"): lambda t: share * 8.9868 * min(t / 0.5, 1.0)})
    away = np.abs([run[rope.node(i)].values[-50:, 1] for i in range(ELEMENTS + 1)]).max()
    assert (away > 0.02) if buckles else (away < 1e-4)


@pytest.mark.parametrize(("share", "buckles"), [(0.95, False), (1.05, True)])
def test_michells_ring(share: float, buckles: bool) -> None:
    """A ring of a naturally straight rod, with a twist wound in, leaves its plane above 2 pi sqrt(3) K11/K33.

    The two ends are clamped to one small body: two half-joints that make a whole one.
    """
    scene = sh.Scene("ring", gravity=FREE)
    elements, radius = 40, 0.2
    angles = 2 * np.pi * np.arange(elements + 1) / elements
    path = [(radius * np.cos(a), radius * np.sin(a), 0.0) for a in angles]
    seam = scene.body("seam", mass=1e-4, inertia=(1e-8, 1e-8, 1e-8), position=path[0])
    tie = sh.Tie(body=seam, clamped=True, direction=(0, 1, 0))
    made = {"radius": 0.003, "density": 1000.0, "bending": 0.05, "twisting": 0.05, "damping": 1e-4}
    twist = share * 2 * np.pi * np.sqrt(3)
    rope = scene.rope("ring", path, start=tie, end=tie, twist=twist, **made)
    sim = sh.Simulation(scene, dt=0.002)
    sim.state.rope_velocity.numpy()[:, 0, 2] = 1e-3 * np.cos(2 * angles)
    run = sim.run(2.0, every=10)
    energy = run[rope.elastic_energy].values
    z = np.array([run[rope.node(i)].values[:, 2] for i in range(elements + 1)])
    if buckles:  # out of the plane, and back into it with two turns less
        assert np.abs(z).max() > 0.1 * radius
        assert energy[-1] < 0.5 * energy[0]
    else:
        assert np.abs(z).max() < 0.01 * radius
        assert energy[-1] == pytest.approx(energy[0], rel=2e-3)


def bolas(dt: float, integrator: str) -> tuple[float, float, float, float]:
    """Two bodies turning about each other on a rope that swings, in free space, for 1 s.

    The largest changes of momentum (N s), angular momentum (share), energy (share), and its highest rise (share).
    """
    scene = sh.Scene("bolas", gravity=FREE)
    turning = {"angular_velocity": (0.0, 0.0, 1.0)}
    one = scene.body("one", sh.Box(0.2, 0.2, 0.2, mass=3.0), velocity=(0, -0.5, 0.0), **turning)
    two = scene.body("two", sh.Box(0.2, 0.2, 0.2, mass=1.0), position=(2, 0, 0), velocity=(0, 1.5, 0), **turning)
    details = PAPER | {"start": sh.Tie(body=one), "end": sh.Tie(body=two), "damping": 0.0}
    rope = scene.rope("rope", [(0.1, 0, 0), (1.9, 0, 0)], **details)
    sim = sh.Simulation(scene, dt=dt, integrator=integrator)
    x = rope.nodes[:, 0]
    sim.state.rope_velocity.numpy()[:, 0, 1] = x - 0.5
    sim.state.rope_velocity.numpy()[:, 0, 2] = 0.2 * np.sin(np.pi * (x - 0.1) / 1.8)
    sim.state.rope_spin.numpy()[:, 0, 2] = 1.0
    run = sim.run(1.0)
    momentum, spin = run[scene.momentum].values[:-1], run[scene.angular_momentum].values[:-1]  # the last are foreseen
    energy = run[scene.energy].values[:-1]
    turned = np.linalg.norm(spin - spin[0], axis=1).max() / np.linalg.norm(spin[0])
    change = energy / energy[0] - 1
    return float(np.abs(momentum - momentum[0]).max()), float(turned), float(np.abs(change).max()), float(change.max())


def test_momentum_and_energy_of_a_free_system() -> None:
    """Linear momentum is kept to rounding, angular momentum and energy to the method's first order: both errors halve
    with the step. Energy is not gained."""
    coarse, fine = bolas(0.002, "semi-implicit-euler"), bolas(0.001, "semi-implicit-euler")
    assert max(coarse[0], fine[0]) < 1e-10
    assert coarse[1] < 0.02
    assert coarse[1] / fine[1] == pytest.approx(2, abs=0.5)
    assert coarse[2] / fine[2] == pytest.approx(2, abs=0.5)
    assert max(coarse[3], fine[3]) < 1e-6


def test_momentum_and_energy_with_leapfrog() -> None:
    """The leapfrog step keeps angular momentum and energy of rope and bodies, up to the gaps of 1e-6 that it leaves and
    its energy error of second order."""
    momentum, turned, change, _ = bolas(0.004, "leapfrog")
    assert momentum < 1e-10
    assert turned < 1e-6
    assert change < 1e-5


def test_a_load_on_a_taut_rope_keeps_its_swing() -> None:
    """500 kg on 5 m of rope of 6 kg, r of the load, 0.3 rad aside: 2 pi sqrt(L/g) (1 + a^2/16 + 11 a^4/3072) (1 - r/12)
    as for a rod. Waves pass 1.3 elements in a step, and yet nothing damps the swing."""
    length, angle, mass = 5.0, 0.3, 500.0
    below = (length * np.sin(angle), 0.0, -length * np.cos(angle))
    scene = sh.Scene("crane")
    load = scene.body("load", sh.Sphere(0.2, mass=mass), position=below)
    ends = {"start": sh.Tie(body="world"), "end": sh.Tie(body=load)}
    made = {"radius": 0.008, "density": 6000.0, "bending": 1.0, "twisting": 1.0, "elements": 20}
    scene.rope("rope", [(0, 0, 0), below], **ends, **made)
    run = sh.Simulation(scene, dt=0.005).run(10.0)
    energy = run[scene.energy].values
    assert np.abs(energy - energy[0]).max() < 1e-4 * mass * G * length * (1 - np.cos(angle))
    times = ropes.zero_crossings(run.time, run[load.position].values[:, 0])
    period = 2 * np.pi * np.sqrt(length / G) * (1 + angle**2 / 16 + 11 * angle**4 / 3072)
    share = 6000.0 * np.pi * 0.008**2 * length / mass
    assert 2 * np.diff(times).mean() == pytest.approx(period * (1 - share / 12), rel=1e-4)


@pytest.mark.parametrize("mass", [1e3, 1e5])
@pytest.mark.parametrize("dt", [0.005, 0.015])
@pytest.mark.parametrize("integrator", ["semi-implicit-euler", "leapfrog"])
def test_a_heavy_load_keeps_its_rope_straight(integrator: str, dt: float, mass: float) -> None:
    """A load M swings at the angle a on a rope of length L and line density q that is light against it.

    The load swings as a pendulum, L a'' = -g sin a. At the distance s from the top the rope needs q s a'' and has
    q g sin a, so it bows away from its chord by M g y'' = -q g sin a (1 - s/L), y(0) = y(L) = 0:

        y = (q sin a/M) (s L/3 - s^2/2 + s^3/(6 L)),   at most 0.0642 q L^2 sin a/M

    In a string of such tension waves pass 35 to 1000 elements in a step: only the geometric stiffness keeps it calm.
    """
    length, speed, line = 2.0, 0.5, 1000.0 * np.pi * 0.005**2
    scene = sh.Scene("pendulum")
    scene.body("load", sh.Sphere(0.1, mass=mass), position=(0, 0, -length), velocity=(speed, 0, 0))
    made = {"radius": 0.005, "density": 1000.0, "bending": 1e-4, "twisting": 1e-4, "damping": 0.0, "elements": 40}
    scene.rope("rope", [(0, 0, 0), (0, 0, -length)], start=sh.Tie(body="world"), end=sh.Tie(body="load"), **made)
    sim = sh.Simulation(scene, dt=dt, integrator=integrator)
    sim.step(round(2.0 / dt))  # the jerk of the start passes
    bows = []
    for _ in range(round(3.0 / dt)):  # more than a period
        sim.step()
        places = sim.state.rope_position.numpy()[:, 0]
        chord = places[-1] / np.linalg.norm(places[-1])
        bows.append(np.abs(places - np.outer(places @ chord, chord)).max())
    widest = speed / np.sqrt(9.81 * length)  # rad, up to 1 - cos a = a^2/2
    assert max(bows) < 1.1 * 0.0642 * line * length**2 * widest / mass


def test_ropes_tied_together() -> None:
    """Three ropes from one knot: two to the ceiling at 45 degrees, one down to 10 kg. The upper two pull with
    (10 + weight below) g/sqrt(2) each."""
    scene = sh.Scene("crown")
    load = scene.body("load", sh.Box(0.2, 0.2, 0.2, mass=10.0), position=(0, 0, -2.1))
    light = {"radius": 0.001, "density": 1000.0, "elements": 10}
    fixed = sh.Tie(body="world")
    scene.rope("left", [(-1, 0, 0), (0, 0, -1)], start=fixed, **light)
    scene.rope("right", [(1, 0, 0), (0, 0, -1)], start=fixed, end=sh.Tie(rope="left", along=np.sqrt(2)), **light)
    scene.rope(
        "down", [(0, 0, -1), (0, 0, -2)], start=sh.Tie(rope="left", along=np.sqrt(2)), end=sh.Tie(body=load), **light
    )
    run = sh.Simulation(scene, dt=0.002).run(1.0)
    down, left, right = (scene.ropes[name] for name in ("down", "left", "right"))
    weight = 10.0 * 9.81
    assert run[down.tension(5)].values[-100:].mean() == pytest.approx(weight, rel=1e-2)
    for rope in (left, right):
        assert run[rope.tension("end")].values[-100:].mean() == pytest.approx(weight / np.sqrt(2), rel=1e-2)
    met = [run[rope.node(place)].values[-1] for rope, place in ((left, "end"), (right, "end"), (down, "start"))]
    np.testing.assert_allclose(met[1], met[0], atol=1e-6)
    np.testing.assert_allclose(met[2], met[0], atol=1e-6)
