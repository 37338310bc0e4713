"""Light parts that carry heavy loads in the default step: nothing damps them, and hooks turn freely."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
from scipy.special import ellipk

import sharnir as sh

G = 9.81


def hung(link: float, load: float, length: float, angle: float) -> tuple[sh.Scene, sh.Joint]:
    """A load (kg) on a ball at the end of a slender rod of ``link`` kg, turned aside by ``angle``."""
    scene = sh.Scene("hung")
    across = link * length**2 / 12
    rod = scene.body("rod", mass=link, inertia=(across, across, 1e-2 * across), position=(0, 0, -length / 2))
    weight = scene.body("load", mass=load, inertia=(1e-5 * load,) * 3, position=(0, 0, -length))
    pivot = scene.joint("pivot", sh.Revolute(axis=(0, 1, 0)), scene.world, rod, initial=angle)
    scene.joint("ball", sh.Spherical(anchor=(0, 0, -length)), rod, weight)
    return scene, pivot


def period_of(link: float, load: float, length: float, angle: float) -> float:
    """4 K(sin(a/2)) sqrt(I/(m g c)) of the rod with a point mass at its end, s."""
    inertia, moment = (link / 3 + load) * length**2, (link / 2 + load) * G * length
    return float(4 * ellipk(np.sin(angle / 2) ** 2) * np.sqrt(inertia / moment))


@pytest.mark.parametrize("load", [20.0, 50.0, 5e4])
def test_a_heavy_load_on_a_short_light_rod_swings_on(load: float) -> None:
    """A rod of 10 cm and 100 g: h^2 T exceeds l m, the stable range of its own swing, by 5 to 10^4 times at 5 ms.

    What keeps it stable (``stiffen.py``) slows the swing by 3/4 (w h)^2 at most and takes the share (w h)^3 w of its
    energy per second; the energy swings by 2 (w h)^2 besides. Implicit Euler took a quarter to 40 % of the amplitude in
    three seconds.
    """
    length, angle, dt, end = 0.1, 0.5, 0.005, 10.0
    pace = np.sqrt(G / length) * dt
    lost = pace**3 * pace / dt * end
    scene, pivot = hung(0.1, load, length, angle)
    run = sh.Simulation(scene, dt=dt).run(end)
    swing = run[pivot.angle].values
    last = np.abs(swing[run.time > end - 1.0]).max()
    assert (1 - lost) * angle < last < 1.001 * angle
    crossings = run.time[1:][np.diff(np.sign(swing)) != 0]
    period = 2 * (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    assert period == pytest.approx(period_of(0.1, load, length, angle), rel=0.75 * pace**2)
    energy = run[scene.energy].values
    assert np.ptp(energy) < (2 * pace**2 + 2 * lost) * run[scene.kinetic_energy].values.max()


def test_a_hook_turns_freely_under_its_load() -> None:
    """A hook of 5 kg whose centre is 3 cm beside its axis coasts with 3 rad/s under 2 t, which hang on its axis, and
    nothing turns it. Stiffness across its arm, not across its pull, stopped it within a second."""
    scene = sh.Scene("hook")
    turning = {"velocity": (0, 3 * 0.03, 0), "angular_velocity": (0, 0, 3)}
    hook = scene.body("hook", mass=5.0, inertia=(0.02,) * 3, position=(0.03, 0, 0), **turning)
    load = scene.body("load", mass=2000.0, inertia=(100.0,) * 3, position=(0, 0, -0.6))
    pivot = scene.joint("pivot", sh.Revolute(axis=(0, 0, 1), anchor=(0, 0, 0.1)), scene.world, hook)
    scene.joint("ball", sh.Spherical(anchor=(0, 0, -0.1)), hook, load)
    run = sh.Simulation(scene, dt=0.005).run(2.0)
    # the bow of a turning arm at rest in the first kick: (w h)^2/8
    assert run[pivot.speed].values == pytest.approx(3.0, rel=(3 * 0.005) ** 2 / 8)


def test_a_hammer_keeps_its_energy_in_a_circle() -> None:
    """A load of 3 t on a rod of 1 kg and 1 m circles with 3 rad/s without gravity: T = M w^2 l stretches the rod with 7
    times its stable range at 5 ms, and does no work. The rate of the pull is known to (w h)^2 and less, so that what
    follows it takes (w h)^4/h of the energy per second at most."""
    scene = sh.Scene("hammer", gravity=(0, 0, 0))
    spin = {"angular_velocity": (0, 0, 3)}
    rod = scene.body("rod", mass=1.0, inertia=(1 / 12,) * 3, position=(0.5, 0, 0), velocity=(0, 1.5, 0), **spin)
    load = scene.body("load", mass=3000.0, inertia=(3.0,) * 3, position=(1, 0, 0), velocity=(0, 3, 0))
    scene.joint("pivot", sh.Revolute(axis=(0, 0, 1)), scene.world, rod)
    scene.joint("ball", sh.Spherical(anchor=(1, 0, 0)), rod, load)
    run = sh.Simulation(scene, dt=0.005).run(2.0)
    energy = run[scene.energy].values
    assert np.ptp(energy[1:]) < (3 * 0.005) ** 4 / 0.005 * 2.0 * energy[0]


@pytest.mark.parametrize("carriage", [1.0, 1e-3])
def test_a_spring_on_a_light_carriage_swings_its_load(carriage: float) -> None:
    """100 kg on a ball on a carriage with a spring, w = sqrt(k/(m + M)) = 10 rad/s: cos(w t). By itself the carriage of
    1 g would swing with 3 krad/s; the spring acts by the trapezoidal rule, late by w t (w h)^2/12, undamped."""
    scene = sh.Scene("carriage", gravity=(0, 0, 0))
    light = scene.body("carriage", mass=carriage, inertia=(carriage,) * 3)
    load = scene.body("load", mass=100.0, inertia=(1.0,) * 3)
    spring = sh.Spring(stiffness=100.0 * (carriage + 100.0))
    guide = scene.joint("guide", sh.Prismatic(axis=(1, 0, 0)), scene.world, light, spring=spring, initial=0.1)
    scene.joint("ball", sh.Spherical(), light, load)
    run = sh.Simulation(scene, dt=0.005).run(2.0)
    exact = 0.1 * np.cos(10.0 * run.time)
    late = 10.0 * 2.0 * (10.0 * 0.005) ** 2 / 12
    assert np.abs(run[guide.displacement].values - exact).max() < 1.1 * 0.1 * late


@pytest.mark.parametrize("dt", [0.00125, 0.0025, 0.005, 0.01])
def test_a_chain_whips_and_goes_taut_without_opening(dt: float) -> None:
    """A tonne on eight links of 0.1 kg let go level: the links fall ahead of the load until the chain goes taut. No
    energy comes from anywhere, and what is lost stays within the share of third order of many such links."""
    scene = sh.Scene("chain")
    last = scene.world
    for i in range(8):
        across = 0.1 * 0.25**2 / 12
        inertia = (0.1 * across, across, across)
        link = scene.body(f"link {i}", mass=0.1, inertia=inertia, position=(0.25 * i + 0.125, 0, 0))
        scene.joint(f"hinge {i}", sh.Revolute(axis=(0, 1, 0), anchor=(0.25 * i, 0, 0)), last, link)
        last = link
    load = scene.body("load", sh.Sphere(0.1, mass=1000.0), position=(2.0, 0, 0))
    scene.joint("hook", sh.Revolute(axis=(0, 1, 0), anchor=(2.0, 0, 0)), last, load)
    run = sh.Simulation(scene, dt=dt).run(2.0)
    energy, most = run[scene.energy].values[:-1], run[scene.kinetic_energy].values.max()
    assert float(run.data["gap"].max()) < 1e-4
    assert energy.max() - energy[0] < 1e-3 * most
    assert energy[0] - energy.min() < 1e-2 * most


@pytest.mark.parametrize(("links", "integrator"), [(2, "leapfrog"), (3, "leapfrog"), (2, "rk4")])
@pytest.mark.parametrize("dt", [0.01, 0.005, 0.002, 0.001])
def test_a_slack_chain_between_heavy_bodies_goes_taut(dt: float, links: int, integrator: str) -> None:
    """Two bodies of a tonne part at 1 m/s, with links of 1 kg and 0.5 m between them, which turn them round in 1 ms.

    No step here resolves that. It may lose energy, but gains none, and joints stay closed to 2 % of a link. Steps of
    fourth order see it coming, by accelerations that change within a step, and the leapfrog step goes on from there.
    """
    scene, mass, length = sh.Scene("tow", gravity=(0, 0, 0)), 1000.0, 0.5
    before = scene.body("tug", mass=mass, inertia=(100.0,) * 3)
    end = np.zeros(3)
    for i in range(links):
        tilt = 0.6 * (-1) ** i
        along = np.array([np.cos(tilt), np.sin(tilt), 0.0])
        link = scene.body(
            f"link{i}",
            mass=1.0,
            inertia=(1e-3, length**2 / 12, length**2 / 12),
            position=end + along * length / 2,
            rotation=(0, 0, np.sin(tilt / 2), np.cos(tilt / 2)),
        )
        scene.joint(f"pin{i}", sh.Revolute(axis=(0, 0, 1), anchor=end), before, link)
        before, end = link, end + along * length
    towed = scene.body("towed", mass=mass, inertia=(100.0,) * 3, position=end, velocity=(1, 0, 0))
    scene.joint("hitch", sh.Revolute(axis=(0, 0, 1), anchor=end), before, towed)
    run = sh.Simulation(scene, dt=dt, integrator=integrator).run(3.0)
    energy = mech.values(run, scene.energy)
    assert energy[1:-1].max() < 1.03 * energy[1]
    assert float(run.data["gap"].max()) < 0.02 * length
