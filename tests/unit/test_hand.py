"""The spring that an operator pulls a body with: closed forms, its bounds, and that nothing of it stays behind."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from finishing import finish

import sharnir as sh
from sharnir.runtime import commands as c
from sharnir.runtime.hand import MOST, OMEGA, spring_for
from sharnir.runtime.journal import LoggedRun, create_run
from sharnir.runtime.plant import Plant
from sharnir.runtime.replay import check
from sharnir.runtime.runtime import Runtime

MASS = 3.0  # kg
ORIGIN = (0.0, 0.0, 0.0)


def loose(gravity: tuple[float, float, float] = ORIGIN) -> sh.Scene:
    """A box by itself."""
    scene = sh.Scene("box", gravity=gravity)
    scene.body("box", sh.Box(0.4, 0.3, 0.2, mass=MASS))
    return scene


def pulled(scene: sh.Scene, dt: float, time: float, target: tuple[float, float, float]) -> Plant:
    """The box, pulled at its middle for a time (s)."""
    plant = Plant(scene, dt, {})
    plant.apply(c.Pull("box", ORIGIN, target))
    for _ in range(round(time / dt)):
        plant.step()
    return plant


def place(plant: Plant) -> np.ndarray:
    return np.array(plant.simulation.state.position.numpy()[1, 0])


def test_a_free_body_comes_to_the_target_without_overshoot() -> None:
    """x = d (1 - (1 + w t) exp(-w t)); the force is a step old, so the error is of first order in the step."""
    reach, time = 0.2, 0.15
    exact = reach * (1.0 - (1.0 + OMEGA * time) * math.exp(-OMEGA * time))
    errors = [place(pulled(loose(), dt, time, (reach, 0.0, 0.0)))[0] - exact for dt in (0.002, 0.001)]
    assert abs(errors[1]) < 2.0 * OMEGA * 0.001 * exact
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)


def test_a_weight_hangs_below_the_hand() -> None:
    """k d = m g."""
    plant = pulled(loose((0.0, 0.0, -9.81)), 0.002, 3.0, (0.0, 0.0, 1.0))
    assert place(plant)[2] == pytest.approx(1.0 - 9.81 / OMEGA**2, abs=1e-6)


def test_it_pulls_with_twice_the_weight_at_most() -> None:
    """From far away the force is constant: x = 1/2 (F/m) t^2, F = 2 m g."""
    plant = pulled(loose(), 0.002, 0.5, (1e6, 0.0, 0.0))
    assert np.linalg.norm(plant.hand.force) == pytest.approx(MOST * MASS * 9.81)
    assert place(plant)[0] == pytest.approx(0.5 * MOST * 9.81 * 0.5**2, rel=0.01)


def test_it_pulls_where_it_has_hold() -> None:
    """A rod in a hinge is held level by its tip: F L = m g L/2, with F = k d."""
    scene = sh.Scene("rod")
    rod = scene.body("rod", sh.Box(1.0, 0.05, 0.05, mass=2.0), position=(0.5, 0.0, 0.0))
    hinge = scene.joint("hinge", sh.Revolute(axis=(0, 1, 0)), scene.world, rod)
    tip = np.array([0.5, 0.0, 0.0])
    spring = spring_for(scene, "rod", tip, 0.002)
    plant = Plant(scene, 0.002, {})
    plant.apply(c.Pull("rod", tuple(tip), (1.0, 0.0, 9.81 / spring.stiffness)))
    for _ in range(300):
        plant.step()
    assert abs(plant.simulation.get(hinge.angle)) < 1e-9


def test_a_light_wheel_of_a_heavy_machine_is_pulled_at_its_rim() -> None:
    """The spring of the machine would be too stiff and too thick for the wheel alone, at this step."""
    scene = sh.Scene("cart", gravity=ORIGIN)
    cart = scene.body("cart", sh.Box(1.0, 0.5, 0.3, mass=200.0))
    wheel = scene.body("wheel", sh.Cylinder(0.1, 0.05, mass=0.5), position=(0.0, 0.4, 0.0))
    scene.joint("axle", sh.Revolute(anchor=(0.0, 0.4, 0.0)), cart, wheel)
    plant = Plant(scene, 0.005, {})
    plant.apply(c.Pull("wheel", (0.1, 0.0, 0.0), (0.0, 0.7, 0.0)))
    for _ in range(400):
        plant.step()
    speed = np.abs(plant.simulation.state.spin.numpy()[:, 0]).max()
    assert speed < 0.5 and np.linalg.norm(plant.hand.force) < 200.0  # at rest again, turned towards the hand


def test_nothing_of_it_stays_behind() -> None:
    """Beside a gust that is cleared meanwhile, through a snapshot, and through every way of letting go."""
    plant = Plant(loose(), 0.002, {})
    force = plant.simulation.control.force.numpy
    pull = c.Pull("box", (0.1, 0.1, 0.0), (1.0, 2.0, 3.0))

    def some_steps() -> None:
        for _ in range(5):
            plant.step()

    plant.apply(c.Inject("wind", {"type": "gust", "body": "box", "force": [9.0, 0.0, 0.0], "duration": 9.0}))
    plant.apply(pull)
    some_steps()
    assert np.any(force() != 0.0)
    plant.apply(c.Save("pulled"))
    plant.apply(c.Clear("wind"))
    some_steps()
    plant.apply(c.Loosen())
    assert not np.any(force()) and not np.any(plant.simulation.control.torque.numpy())
    for letting_go in (c.Stop(), c.Reset(), c.Restore("pulled"), c.Hold("gone")):
        plant.apply(c.Release()) if plant.chain == "stopped" else None
        plant.apply(c.Enable()) if plant.chain == "held" else None
        plant.apply(pull)
        some_steps()
        plant.apply(letting_go)
        assert plant.hand.pulled is None
        plant.apply(c.Clear("wind")) if plant.board.active else None
        plant.step()
        assert not np.any(force()), letting_go


def test_what_cannot_be_pulled_is_told() -> None:
    scene = loose()
    scene.body("wall", sh.Box(1.0, 1.0, 1.0), position=(5.0, 0.0, 0.0), fixed=True)
    plant = Plant(scene, 0.002, {})
    with pytest.raises(sh.SceneError, match=r"no body 'bocks'.*'box'"):
        plant.apply(c.Pull("bocks", ORIGIN, ORIGIN))
    with pytest.raises(sh.SceneError, match="'wall' is fixed"):
        plant.apply(c.Pull("wall", ORIGIN, ORIGIN))
    with pytest.raises(sh.SceneError, match=r"target of the pull on 'box' is .*inf"):
        plant.apply(c.Pull("box", ORIGIN, (math.inf, 0.0, 0.0)))


def test_a_run_with_a_pull_is_repeated_bit_for_bit(tmp_path: Path) -> None:
    run = create_run(loose((0.0, 0.0, -9.81)), 0.002, {}, tmp_path)
    runtime = Runtime(run, paused=True)
    for k in range(10):
        runtime.send(c.Pull("box", (0.2, 0.1, 0.0), (0.1 * k, 0.0, 0.5)), "operator 1")
        runtime.send(c.Step(37), "operator 1")
    runtime.send(c.Loosen(), "operator 1")
    runtime.send(c.Step(100), "operator 1")
    finish(runtime, 470)
    made = LoggedRun(run.folder)
    pulls = [entry for entry in made.entries() if isinstance(entry.command, c.Pull)]
    assert len(pulls) == 10 and {entry.by for entry in pulls} == {"operator 1"}
    replay = check(made)
    assert (replay.ticks, replay.differs_at) == (470, None) and replay.digests > 0
