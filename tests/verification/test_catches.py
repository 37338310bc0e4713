"""Catches hold a coordinate by rows of their own: closed forms of one-way clutches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sharnir as sh

INERTIA, TORQUE, DT = 0.4 * 2.0 * 0.1**2, 0.05, 0.002  # of a ball of 2 kg and 0.1 m
WAYS = [
    {},
    {"solver": "sequential-impulses"},
    {"integrator": "semi-implicit-euler"},
    {"integrator": "position-verlet"},
]


def shaft(clutch: sh.OneWayClutch) -> tuple[sh.Scene, sh.Joint]:
    """A ball on a hinge that is free to go one way."""
    scene = sh.Scene("shaft")
    wheel = scene.body("wheel", sh.Sphere(0.1, mass=2.0))
    return scene, scene.joint("shaft", sh.Revolute(axis=(0, 0, 1)), scene.world, wheel, catch=clutch)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("free", ["up", "down"])
def test_it_turns_one_way_and_holds_the_other(way: dict[str, str], free: str) -> None:
    scene, hinge = shaft(sh.OneWayClutch(free=free))  # type: ignore[arg-type]
    side = 1.0 if free == "up" else -1.0
    run = sh.Simulation(scene, dt=DT, **way).run(1.0, torque={hinge: lambda t: side * TORQUE * (1 if t < 0.5 else -3)})
    speed, held = run[hinge.speed], 0.5 + 0.5 / 3.0
    fastest = side * TORQUE * 0.5 / INERTIA
    assert float(speed.sel(time=0.5, method="nearest")) == pytest.approx(fastest, rel=2 * DT)
    assert abs(speed.sel(time=slice(held + 2 * DT, None))).max() < 1e-9
    angle = run[hinge.angle].sel(time=1.0, method="nearest")
    assert float(angle) == pytest.approx(fastest * held / 2.0, rel=0.01)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_it_slips_above_its_capacity_and_takes_the_power(way: dict[str, str]) -> None:
    scene, hinge = shaft(sh.OneWayClutch(capacity=0.4 * TORQUE))
    run = sh.Simulation(scene, dt=DT, **way).run(0.5, torque={hinge: -TORQUE})
    rate = -0.6 * TORQUE / INERTIA
    effort = run[hinge.quantity("catch_effort")]
    assert hinge.quantity("catch_effort").unit == "N m"
    assert np.asarray(effort)[2:] == pytest.approx(0.4 * TORQUE, rel=1e-9)
    assert float(run[hinge.speed][-1]) == pytest.approx(0.5 * rate, rel=0.01)
    assert float(run[scene.power("catches")][-1]) == pytest.approx(0.4 * TORQUE * float(run[hinge.speed][-1]), rel=0.01)
    gained = run[scene.energy] - run[scene.energy][0]
    work = (run[scene.power()] * DT).cumsum("time")
    assert float(abs(gained - work).max()) < 1e-9 + 3 * DT * float(abs(gained).max())


def test_a_flywheel_overruns_its_drive_and_is_caught_with_its_momentum() -> None:
    """On one axis: the ring runs free ahead of the hub; a hub that overtakes it takes it along, without a rebound."""
    scene = sh.Scene("freewheel", gravity=(0, 0, 0))
    hub = scene.body("hub", sh.Sphere(0.1, mass=2.0))
    ring = scene.body("ring", sh.Sphere(0.1, mass=6.0), angular_velocity=(0, 0, 5.0))
    axle = scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, hub)
    race = scene.joint("race", sh.Revolute(axis=(0, 0, 1)), hub, ring, catch=sh.OneWayClutch())
    sim = sh.Simulation(scene, dt=DT)
    run = sim.run(2.5, torque={axle: lambda t: TORQUE if t < 2.0 else 0.0})
    meets = 5.0 * INERTIA / TORQUE
    before = run[axle.speed].sel(time=0.9 * meets, method="nearest")
    assert float(before) == pytest.approx(0.9 * 5.0, rel=0.01)
    together = (3.0 * INERTIA * 5.0 + 2.0 * TORQUE) / (4.0 * INERTIA)
    assert float(run[axle.speed][-1]) == pytest.approx(together, rel=2e-3)
    assert float(abs(run[race.speed][-1])) < 1e-6
    assert float(run[race.speed].min()) > -1e-6


def test_a_slide_is_held_too_and_worlds_differ() -> None:
    scene = sh.Scene("slide")
    load = scene.body("load", sh.Box(0.1, 0.1, 0.1, mass=2.0))
    rail = scene.joint("rail", sh.Prismatic(axis=(0, 0, 1)), scene.world, load, catch=sh.OneWayClutch(capacity=30.0))
    sim = sh.Simulation(scene, dt=DT, worlds=2)
    sim.run(0.2, force={load: np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -20.0]])})
    falls = -(2.0 * 9.81 + 20.0 - 30.0) / 2.0 * 0.2
    assert np.asarray(sim.get(rail.speed)) == pytest.approx([0.0, falls], rel=0.01, abs=1e-9)


def test_it_is_saved_and_what_cannot_be_is_refused(tmp_path: Path) -> None:
    scene, hinge = shaft(sh.OneWayClutch(free="down", capacity=3.0))
    scene.save(tmp_path / "scene.yaml")
    assert sh.Scene.load(tmp_path / "scene.yaml").joints["shaft"].spec == hinge.spec
    with pytest.raises(sh.SceneError, match="OneWayClutch free is 'left'; give 'up' or 'down'"):
        sh.OneWayClutch(free="left")  # type: ignore[arg-type]
    with pytest.raises(sh.SceneError, match="capacity"):
        sh.OneWayClutch(capacity=-1.0)
    with pytest.raises(sh.SceneError, match="catch is 3; give OneWayClutch"):
        scene.joint("other", sh.Revolute(axis=(0, 0, 1)), scene.world, "wheel", catch=3)  # type: ignore[arg-type]
