"""A rope pulls and does not push: what presses it together feels no more than its bending stiffness can hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sharnir as sh

G = 9.81
STEEL: dict[str, Any] = {"radius": 0.008, "density": 6000.0, "bending": 1.0, "twisting": 1.0}  # 1.2 kg/m
ZIGZAG = 4 * 1.0 / 0.25**2  # N, 4 K/l^2: what elements of 0.25 m can hold


def tensions(run: sh.Trajectory, rope: sh.Rope) -> np.ndarray:
    """Of all elements, N."""
    return np.array([run[rope.tension(i)].values for i in range(rope.elements)])


@pytest.mark.parametrize("solver", ["direct", "sequential-impulses"])
@pytest.mark.parametrize("dt", [0.005, 0.001])
@pytest.mark.parametrize("aside", [0.0, 0.05])
def test_a_load_pushed_up_on_a_straight_rope_rises_as_if_free(aside: float, dt: float, solver: str) -> None:
    """500 kg below 5 m of rope, pushed up with 2 m g: g t^2/2 = 1.23 m in half a second, but for the steps' g h t/2 and
    the 0.3 % that the rope takes which heaps up on it. The straight rope held it with 4.9 kN."""
    scene = sh.Scene("push")
    load = scene.body("load", sh.Box(0.8, 0.8, 0.8, mass=500.0), position=(aside, 0, -5.4))
    ends = {"start": sh.Tie(body="world"), "end": sh.Tie(body=load)}
    rope = scene.rope("rope", [(0, 0, 0), (aside, 0, -5.0)], elements=20, **ends, **STEEL)
    sim = sh.Simulation(scene, dt=dt, solver=solver)
    sim.step(round(0.5 / dt))
    start = sim.get(load.position)[2]
    run = sim.run(0.5, force={load: (0, 0, 2 * 500 * G)})
    height = run[load.position].values[:, 2] - start
    assert height[-1] == pytest.approx(G * 0.5**2 / 2, abs=G * dt * 0.5 / 2 + 0.01)
    early = run.time - run.time[0] <= 0.2  # before the nodes of the lowest element meet
    assert tensions(run, rope)[:, early].min() > -1.01 * ZIGZAG
    assert run[rope.stretch].values.max() < 1e-5


def test_a_slack_rope_catches_its_load_again() -> None:
    """Pushed up by 196 N net, less than 4 K/l^2 = 256 N but more than Euler's 2.5 N, the rope buckles within a quarter
    of a second. Let go, the load falls back and bounces on its rope, a bent spring, which reaches nearly all its length
    again; nothing is gained by that."""
    scene = sh.Scene("caught")
    load = scene.body("load", sh.Box(0.2, 0.2, 0.2, mass=20.0), position=(0, 0, -2.1))
    ends = {"start": sh.Tie(body="world"), "end": sh.Tie(body=load)}
    rope = scene.rope("rope", [(0, 0, 0), (0, 0, -2.0)], elements=16, **ends, **STEEL)
    sim = sh.Simulation(scene, dt=0.005)
    sim.step(10)
    sim.run(0.5, force={load: (0, 0, 2 * 20 * G)})
    assert sim.get(load.position)[2] > -2.1 + G * 0.25**2 / 2
    run = sim.run(2.0)
    energy = run[scene.energy].values[1:]  # the push acts for half a step more
    assert run[load.position].values[:, 2].min() < -2.0
    assert energy.max() < energy[0] + 1e-4 * 20 * G
    assert sim.state.rope_slack.numpy().max() == 0.0
    assert sim.get(rope.stretch) < 1e-5


def test_a_winch_that_stops_does_not_push() -> None:
    """100 kg hoisted at 1.95 m/s go on by v^2/(2 g) when the drum is stopped at once; the rope pushed with 8.4 kN."""
    scene = sh.Scene("winch")
    drum = scene.body("drum", mass=60.0, inertia=(1, 0.7, 1), position=(-0.15, 0, 8))
    motor = sh.DcDrive(60.0, 300.0, 0.05, ratio=15.0, self_locking=True)
    axle = sh.Revolute(axis=(0, 1, 0), anchor=(-0.15, 0, 8))
    hoist = scene.joint("hoist", axle, scene.world, drum, drive=sh.SpeedServo(motor, gain=1.0, integral=5.0))
    load = scene.body("load", sh.Box(0.8, 0.8, 0.8, mass=100.0), position=(0, 0, -0.4))
    winch = sh.Winch(joint=hoist, radius=0.15, stored=3.0)
    rope = scene.rope("rope", [(0, 0, 8), (0, 0, 0)], elements=32, winch=winch, end=sh.Tie(body=load), **STEEL)
    run = sh.Simulation(scene, dt=0.005).run(2.3, target={hoist: lambda t: -13.0 if t < 1.5 else 0.0})
    height, speed = run[load.position].values[:, 2], run[load.velocity].values[:, 2]
    stop = int(np.searchsorted(run.time, 1.5)) - 1  # at 1.5 s itself half of the stop has acted
    assert speed[stop] == pytest.approx(1.95, rel=1e-3)
    assert height.max() - height[stop] == pytest.approx(speed[stop] ** 2 / (2 * G), abs=2 * 1.95 * 0.005)
    assert np.nanmin(tensions(run, rope)) > -ZIGZAG


def test_a_stiff_rod_carries_what_euler_allows() -> None:
    """50 kg on 0.5 m of rod clamped below: half of Euler's load pi^2 K/(4 L^2) = 987 N. It stands, pressed by m g."""
    scene = sh.Scene("column")
    top = scene.body("top", sh.Sphere(0.05, mass=50.0), position=(0, 0, 0.5))
    made = {"radius": 0.01, "density": 1000.0, "bending": 100.0, "twisting": 100.0}
    ends = {"start": sh.Tie(body="world", clamped=True), "end": sh.Tie(body=top)}
    rod = scene.rope("rod", [(0, 0, 0), (0, 0, 0.5)], elements=10, **ends, **made)
    run = sh.Simulation(scene, dt=0.005).run(1.0)
    assert run[rod.tension("end")].values[-1] == pytest.approx(-50 * G, rel=0.01)
    assert run[top.position].values[-1] == pytest.approx((0, 0, 0.5), abs=1e-6)
