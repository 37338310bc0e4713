"""Ropes alone or tied to things that do not move ([002])."""

from __future__ import annotations

from itertools import pairwise

import mechanisms as mech
import numpy as np
import pytest
import ropes
import scipy.linalg
from ropes import ELEMENTS, FREE, LENGTH, MASS, PAPER, WORLD
from scipy.optimize import brentq

import sharnir as sh
from sharnir import spatial

G = mech.GRAVITY
SEGMENT = LENGTH / ELEMENTS
BENDING = PAPER["youngs_modulus"] * np.pi * PAPER["radius"] ** 4 / 4  # N m^2
TWISTING = 1e5 * np.pi * 0.015**4 / 2  # G pi r^4/2
BENDING = 5e4 * np.pi * 0.015**4 / 4  # E pi r^4/4


def test_the_papers_rope() -> None:
    """2.37504 kg, K11 = E pi r^4/4 = 1.988e-3 N m^2, K33 = G pi r^4/2 = 7.952e-3 N m^2."""
    _, rope = ropes.hanging()
    assert rope.mass_per_metre * rope.length == pytest.approx(2.37504, rel=1e-5)
    assert rope.stiffness == pytest.approx((1.988e-3, 7.952e-3), rel=1e-3)


def test_catenary() -> None:
    """Hung between two points 2 m apart: the chain of 20 rigid links sags by 0.877075 m, the continuum by 0.875767.

    The reaction of a support: horizontally H = 5.6648 N, vertically half the weight, together 12.954 N. The bending
    stiffness lifts the chain by less than 0.01 %.
    """
    scene = sh.Scene("catenary")
    rope = scene.rope("rope", [(0, 0, 0), (2, 0, 0)], length=LENGTH, start=WORLD, end=WORLD, **(PAPER | {"damping": 2}))
    sim = sh.Simulation(scene, dt=0.01)
    run = sim.run(60.0, every=6000)
    z = np.array([run[rope.node(i)].values[-1, 2] for i in range(ELEMENTS + 1)])
    assert -z.min() == pytest.approx(0.877075, rel=3e-3)
    pull = sim.memory.rope_pull.numpy()[0, 0] / 0.01  # of the first element on its node, N; mostly tension
    horizontal, vertical = pull[0], -pull[2] + MASS / ELEMENTS / 2 * G
    assert horizontal == pytest.approx(5.6648, rel=1e-2)
    assert np.hypot(horizontal, vertical) == pytest.approx(12.954, rel=1e-2)
    assert vertical == pytest.approx(MASS * G / 2, rel=1e-6)
    assert run[rope.tension("start")].values[-1] == pytest.approx(np.linalg.norm(pull), rel=1e-4)
    assert np.abs(run[rope.node_velocity(10)].values[-1]).max() < 1e-6


def test_a_rope_that_is_bent_as_laid_stays_so() -> None:
    """Without load the rest curvature is that of the path: a quarter circle stays, which a straight rope would not."""
    arc = [(np.sin(a), 0.0, -1.0 + np.cos(a)) for a in np.linspace(0.0, np.pi / 2, 11)]
    moved = {}
    for as_laid in (True, False):
        scene = sh.Scene("arc", gravity=FREE)
        rope = scene.rope("rope", arc, start=WORLD, as_laid=as_laid, **PAPER)
        run = sh.Simulation(scene, dt=0.01).run(1.0, every=100)
        moved[as_laid] = np.abs(run[rope.node("end")].values[-1] - arc[-1]).max()
        along = np.diff([run[rope.node(i)].values[-1] for i in (4, 5)], axis=0)[0]
        bone = spatial.rotate(run[rope.bone(4)].values[-1], [0.0, 0.0, 1.0])
        np.testing.assert_allclose(bone, along / np.linalg.norm(along), atol=1e-9)
    assert moved[True] < 1e-12
    assert moved[False] > 0.01


def hanging_modes() -> tuple[np.ndarray, np.ndarray]:
    """Frequencies and shapes of small swings of the hanging rope: K y = w^2 M y.

    With the slopes a_j = (y_{j+1} - y_j)/l of the elements: 2 V = sum T_j l a_j^2 + (K11/l) sum (a_{j+1} - a_j)^2 and
    2 T = sum m_i y_i'^2 + (m r^2/4) sum a_j'^2.
    """
    masses = np.full(ELEMENTS, MASS / ELEMENTS)
    masses[-1] /= 2
    tension = G * np.cumsum(masses[::-1])[::-1]
    slopes = (np.eye(ELEMENTS) - np.eye(ELEMENTS, k=-1)) / SEGMENT
    bends = np.diff(slopes, axis=0)
    stiffness = SEGMENT * slopes.T @ np.diag(tension) @ slopes + BENDING / SEGMENT * bends.T @ bends
    turning = MASS / ELEMENTS * PAPER["radius"] ** 2 / 4
    squares, shapes = scipy.linalg.eigh(stiffness, np.diag(masses) + turning * slopes.T @ slopes)
    return np.sqrt(squares), shapes


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_small_swings(scheme: dict[str, str], dt: float, mode: int) -> None:
    """w1, w2, w3 = 2.24898, 5.12039, 7.86157 rad/s at 20 elements.

    In the continuum J0(2 w sqrt(L/g)) = 0: 2.25066, 5.16619, 8.09895.
    """
    if mode > 0 and scheme != mech.DIRECT:
        pytest.skip("one scheme is enough for the higher modes")
    expected = (2.24898, 5.12039, 7.86157)[mode]
    frequencies, shapes = hanging_modes()
    assert frequencies[mode] == pytest.approx(expected, rel=1e-6)
    scene, rope = ropes.hanging(damping=0.0)
    sim = sh.Simulation(scene, dt=dt, **scheme)
    sim.state.rope_velocity.numpy()[1:, 0, 0] = 0.01 * shapes[:, mode] / np.abs(shapes[:, mode]).max()
    run = sim.run(6.0)
    times = ropes.zero_crossings(run.time[1:], run[rope.node("end")].values[1:, 0])
    measured = np.pi / np.diff(times).mean()
    assert measured == pytest.approx(expected, rel={0.01: 1e-2, 0.001: 2e-3}[dt])


def test_released_horizontally(scheme: dict[str, str], dt: float) -> None:
    """The free end of a level rope falls freely, y = -g t^2/2, until the wave from the pin reaches it."""
    scene = sh.Scene("released")
    rope = scene.rope("rope", [(0, 0, 0), (LENGTH, 0, 0)], start=WORLD, **PAPER)
    run = sh.Simulation(scene, dt=dt, **scheme).run(0.5)
    t, z = run.time, run[rope.node("end")].values[:, 2]
    assert np.abs(z + G * t**2 / 2).max() < 4 * dt
    assert run[rope.stretch].values.max() < 1e-4


@pytest.mark.parametrize("gravity", [0.0, G])
def test_straight_between_fixed_ends(scheme: dict[str, str], gravity: float) -> None:
    """The length rows are dependent. Without gravity nothing moves; with it the rope, which has no slack, may sag by no
    more than its error of length e allows: y = L sqrt(3 e/8), a flat parabola."""
    scene = sh.Scene("straight", gravity=(0, 0, -gravity))
    rope = scene.rope("rope", [(0, 0, 0), (LENGTH, 0, 0)], start=WORLD, end=WORLD, **PAPER)
    run = sh.Simulation(scene, dt=0.01, **scheme).run(1.0)
    z = np.array([run[rope.node(i)].values[:, 2] for i in range(ELEMENTS + 1)])
    allowed = 1e-5  # what closing the gaps may leave of an element's length
    assert run[rope.stretch].values.max() < allowed
    assert np.abs(z).max() <= (1e-6 if gravity == 0.0 else LENGTH * np.sqrt(3 / 8 * allowed))


def test_torque_of_a_twist() -> None:
    """Twisted by 3 rad over its 19 joints: the end elements feel (K33/l) sin(3/19), the others nothing."""
    scene = sh.Scene("twisted", gravity=FREE)
    rope = scene.rope("rope", [(0, 0, 0), (LENGTH, 0, 0)], **(PAPER | {"damping": 0.0}))
    dt = 1e-6
    sim = sh.Simulation(scene, dt=dt, **mech.DIRECT)
    ropes.set_twist(sim, rope, np.linspace(0.0, 3.0, ELEMENTS))
    sim.step()
    inertia = MASS / ELEMENTS * 0.015**2 / 2
    torque = sim.state.rope_spin.numpy()[:ELEMENTS, 0, 0] * inertia / dt
    assert torque[0] == pytest.approx(TWISTING / SEGMENT * np.sin(3 / 19), rel=1e-6)
    assert torque[-1] == pytest.approx(-TWISTING / SEGMENT * np.sin(3 / 19), rel=1e-6)
    assert np.abs(torque[1:-1]).max() < 1e-9


@pytest.mark.parametrize("mode", [1, 2, 3])
def test_torsional_waves(mode: int) -> None:
    """Held at one end: w = (k - 1/2) pi c/L with c = sqrt(G/rho) = 9.129 m/s.

    20 elements are a chain of rotors with half a link at the wall, exact by finite differences:
    w = (2 c/l) sin((k - 1/2) pi/(2 n)).
    """
    scene = sh.Scene("torsion", gravity=FREE)
    held = sh.Tie(body="world", clamped=True)
    scene.rope("rope", [(0, 0, 0), (LENGTH, 0, 0)], start=held, **(PAPER | {"damping": 0.0}))
    sim = sh.Simulation(scene, dt=0.0005)
    wave = np.sin((mode - 0.5) * np.pi * (np.arange(ELEMENTS) + 0.5) / ELEMENTS)
    sim.state.rope_spin.numpy()[:ELEMENTS, 0, 0] = 0.1 * wave
    times, spins = [], []
    for _ in range(4000):
        sim.step()
        times.append(sim.time)
        spins.append(sim.state.rope_spin.numpy()[ELEMENTS - 1, 0, 0])
    crossings = ropes.zero_crossings(np.array(times), np.array(spins))
    speed = np.sqrt(1e5 / 1200)
    expected = 2 * speed / SEGMENT * np.sin((mode - 0.5) * np.pi / (2 * ELEMENTS))
    assert np.pi / np.diff(crossings).mean() == pytest.approx(expected, rel=2e-3)
    assert expected == pytest.approx((mode - 0.5) * np.pi * speed / LENGTH, rel=1e-2)


def steel(elements: int, damping: float) -> tuple[sh.Scene, sh.Rope]:
    """2 m of steel cable, r = 5 mm, clamped at one end and level."""
    scene = sh.Scene("steel")
    moduli = {"youngs_modulus": 2e11, "shear_modulus": 8e10}
    clamp = sh.Tie(body="world", clamped=True)
    made = {"radius": 0.005, "density": 7800.0, "elements": elements, "start": clamp, "damping": damping}
    return scene, scene.rope("cable", [(0, 0, 0), (2, 0, 0)], **moduli, **made)


@pytest.mark.parametrize("elements", [5, 50, 500])
def test_no_number_of_elements_bounds_the_step(euler: dict[str, str], elements: int) -> None:
    """Steel at 15 ms in 5 to 500 pieces, 4 mm short: explicit torques would need dt < l sqrt(rho/G) = 1 us there.

    It vibrates about the elastica without damping: no energy is made, the length is kept.
    """
    scene, rope = steel(elements, 0.0)
    run = sh.Simulation(scene, dt=0.015, **euler).run(1.5)
    energy = run[scene.energy].values
    assert energy.max() < 1e-6 * rope.mass_per_metre * G * rope.length**2
    assert run[rope.stretch].values.max() < 1e-5
    assert abs(run[rope.node("end")].values[-1, 2]) < 2.1 * abs(elastica_under_weight(rope))


def test_steel_cable_at_5_ms(scheme: dict[str, str]) -> None:
    """E = 2e11, r = 5 mm, 40 pieces of 50 mm: an explicit torque would need dt < l sqrt(rho/G) = 16 us.

    Clamped at one end and let go level it must come to rest as the elastica under its own weight. Until then energy
    is only lost; the length is kept.
    """
    scene, rope = steel(40, 0.05)
    run = sh.Simulation(scene, dt=0.005, **scheme).run(10.0)
    assert run[rope.stretch].values.max() < 1e-5
    tip = run[rope.node("end")].values[-1]
    assert tip[2] == pytest.approx(elastica_under_weight(rope), rel=2e-3)
    assert np.abs(run[rope.node_velocity("end")].values[-1]).max() < 1e-3


def elastica_under_weight(rope: sh.Rope) -> float:
    """Drop of the tip: K a'' = -q (L - s) cos a, a(0) = 0, a'(L) = 0, by shooting."""
    from scipy.integrate import solve_ivp

    stiffness, load, length = rope.stiffness[0], rope.mass_per_metre * G, rope.length

    def shoot(slope: float) -> tuple[float, float]:
        def rate(s: float, y: np.ndarray) -> list[float]:
            return [y[1], load * (length - s) * np.cos(y[0]) / stiffness, np.sin(y[0])]

        end = solve_ivp(rate, (0, length), [0, slope, 0], rtol=1e-10, atol=1e-12).y[:, -1]
        return end[1], end[2]

    slope = brentq(lambda guess: shoot(guess)[0], -3 * load * length**2 / (2 * stiffness), 0.0)
    return float(shoot(slope)[1])


def test_energy_is_not_made(scheme: dict[str, str]) -> None:
    """A chain swinging from a pin: the energy may fall by the method's loss, and never rises above the start."""
    scene = sh.Scene("swinging")
    scene.rope("rope", [(0, 0, 0), (LENGTH, 0, 0)], start=WORLD, radius=0.015, density=1200)
    run = sh.Simulation(scene, dt=0.005, **scheme).run(5.0)
    energy = run[scene.energy].values
    assert energy.max() < 1e-3 * MASS * G * LENGTH
    assert energy.min() > -MASS * G * LENGTH / 2


@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_second_order_with_leapfrog(damping: float) -> None:
    """The error of the tip after 0.6 s of falling from level falls by four when the step is halved, though the rope
    starts from rest with half a kick. The energy of the swing is kept to 1e-4 of what is exchanged, up to the instant
    that is only foreseen; damping takes a part of what is bent."""
    ends = []
    for dt in (0.004, 0.002, 0.001, 0.0005):
        scene = sh.Scene("order")
        made = PAPER | {"damping": damping}
        rope = scene.rope("rope", [(0, 0, 0), (LENGTH, 0, 0)], start=WORLD, elements=10, **made)
        run = sh.Simulation(scene, dt=dt, **mech.LEAPFROG).run(0.6)
        ends.append(run[rope.node("end")].values[-1])
        energy = run[scene.energy].values
        assert np.abs(energy).max() < 1e-4 * run[scene.kinetic_energy].values.max()
    errors = [np.linalg.norm(b - a) for a, b in pairwise(ends)]
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.8)
    assert errors[1] / errors[2] == pytest.approx(4, abs=0.8)


def test_a_swing_to_1_percent_at_5_ms() -> None:
    """The paper's rope let go level: its tip after 1 s, as a tenth of the step has it, within 1 % of the length."""
    tips = []
    for dt in (0.005, 0.0005):
        scene = sh.Scene("swing")
        made = PAPER | {"damping": 0.0}
        rope = scene.rope("rope", [(0, 0, 0), (LENGTH, 0, 0)], start=WORLD, elements=ELEMENTS, **made)
        tips.append(sh.Simulation(scene, dt=dt).run(1.0, every=round(1.0 / dt))[rope.node("end")].values[-1])
    assert np.linalg.norm(tips[0] - tips[1]) < 0.01 * LENGTH


def test_a_beam_swings_at_its_frequency() -> None:
    """Steel clamped at one end swings about its elastica with w = 1.8751^2 sqrt(K/(q L^4)) = 11.13 rad/s, and 5 ms, 300
    times what its torques would allow if they were explicit, take less than a tenth of the swing in 2.4 s (implicit
    Euler takes half)."""
    scene, rope = steel(40, 0.0)
    run = sh.Simulation(scene, dt=0.005).run(3.0)
    drop = run[rope.node("end")].values[:, 2] - elastica_under_weight(rope)
    crossings = ropes.zero_crossings(run.time, drop)
    expected = 1.8751**2 * np.sqrt(rope.stiffness[0] / rope.mass_per_metre) / rope.length**2
    assert np.pi / np.diff(crossings).mean() == pytest.approx(expected, rel=5e-3)  # higher modes swing along
    first, last = (np.abs(drop[(run.time >= t) & (run.time < t + 0.6)]).max() for t in (0.0, 2.4))
    assert last > 0.9 * first


def test_first_order_with_the_papers_step() -> None:
    """The error of the tip after 0.6 s of falling from level halves with the step."""
    ends = []
    for dt in (0.004, 0.002, 0.001, 0.0005):
        scene = sh.Scene("order")
        rope = scene.rope("rope", [(0, 0, 0), (LENGTH, 0, 0)], start=WORLD, elements=10, **PAPER)
        ends.append(
            sh.Simulation(scene, dt=dt, **mech.DIRECT).run(0.6, every=round(0.6 / dt))[rope.node("end")].values[-1]
        )
    errors = [np.linalg.norm(b - a) for a, b in pairwise(ends)]
    assert errors[0] / errors[1] == pytest.approx(2, abs=0.4)
    assert errors[1] / errors[2] == pytest.approx(2, abs=0.4)


def test_a_bent_rope_let_go_keeps_its_angular_momentum() -> None:
    """All that bends a rope is internal: laid with a corner in empty space it straightens, and does not turn.

    The elements at the corner are pressed beyond Euler's load, which sets buckling off.
    """
    scene = sh.Scene("corner", gravity=(0, 0, 0))
    made = {"radius": 0.01, "density": 1000.0, "youngs_modulus": 1e6, "shear_modulus": 1e5, "elements": 12}
    scene.rope("rope", [(0, 0, 0), (1, 0, 0), (1, 1, 0)], **made)
    run = sh.Simulation(scene, dt=0.005).run(0.5)
    energy = mech.values(run, scene.kinetic_energy).max()
    assert energy > 0.01  # it does move
    scale = 2.0 * np.sqrt(2.0 * energy * np.pi * 1e-4 * 1000.0 * 2.0)  # length times momentum
    momentum = mech.values(run, scene.angular_momentum)[:-1]  # the velocities of the last frame are extrapolated
    np.testing.assert_allclose(momentum, 0.0, atol=1e-9 * scale)
