"""Prescribed motion and play in the exact twin: scipy, closed forms, the simulation's second order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sharnir as sh
from sharnir.reference import solve
from sharnir.reference.compare import compare

Z = (0.0, 0.0, 1.0)
PACE = 60.0  # rad/s


def shaken() -> tuple[sh.Scene, sh.Joint, sh.Joint, sh.Coupling]:
    """A pendulum of l = 0.2 m, upside down on a slider that is shaken along z."""
    scene = sh.Scene("shaken")
    slider = scene.body("slider", mass=1.0, inertia=(0.01,) * 3)
    bob = scene.body("bob", mass=1.0, inertia=(1e-3,) * 3, position=(0, 0, 0.2))
    guide = scene.joint("guide", sh.Prismatic(axis=Z), scene.world, slider)
    pivot = scene.joint("pivot", sh.Revolute(axis=(0, 1, 0)), slider, bob, initial=0.1)
    return scene, guide, pivot, scene.couple("shaker", sh.Prescribed(), guide)


def wave(t: float) -> float:
    return 0.01 * (1.0 - np.cos(PACE * t))


def test_a_shaken_pendulum_is_that_of_scipy() -> None:
    """I p'' = m l (g + z'') sin p, and the shaker holds both: F = 2 m (g + z'') + m l (p'' sin p + p'^2 cos p) down."""
    scene, guide, pivot, shaker = shaken()
    run = solve(scene, 0.3, motion={guide: wave})
    inertia, bent = 1e-3 + 0.04, lambda t: 0.01 * PACE**2 * np.cos(PACE * t)

    def law(t: float, p: np.ndarray) -> list[float]:
        return [p[1], 0.2 * (9.81 + bent(t)) * np.sin(p[0]) / inertia]

    expected = solve_ivp(law, (0, 0.3), [0.1, 0.0], rtol=1e-12, atol=1e-13, t_eval=run.time).y
    np.testing.assert_allclose(run[pivot.angle].values, expected[0], atol=1e-9)
    np.testing.assert_allclose(run[guide.displacement].values, [wave(t) for t in run.time], atol=1e-12)
    angle, speed = expected
    turning = np.array([law(t, p)[1] for t, p in zip(run.time, expected.T, strict=True)])
    force = 2.0 * (9.81 + bent(run.time)) - 0.2 * (turning * np.sin(angle) + speed**2 * np.cos(angle))
    np.testing.assert_allclose(run[shaker.effort()].values, force, atol=1e-6)
    by_rate = solve(scene, 0.3, motion={guide.speed: lambda t: 0.01 * PACE * np.sin(PACE * t)})
    np.testing.assert_allclose(by_rate[pivot.angle].values, expected[0], atol=1e-9)


def test_a_led_body_differs_from_the_exact_twin_in_second_order() -> None:
    """A table is shifted and turned about y, a bob hangs on it; forces and torques that it takes agree, too."""

    def led(t: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
        half = 0.25 * (1 - np.cos(3 * t))
        return (0.05 * (1 - np.cos(4 * t)), 0.1 * (1 - np.cos(2 * t)), 0.0), (0.0, np.sin(half), 0.0, np.cos(half))

    worst = []
    for dt in (0.01, 0.005):
        scene = sh.Scene("table")
        table = scene.body("table", sh.Box(1.0, 1.0, 0.1, mass=20.0))
        bob = scene.body("bob", sh.Sphere(0.05, mass=1.0), position=(0, 0, -1))
        scene.joint("thread", sh.Spherical(anchor=(0, 0, 0.2)), table, bob)
        mover = scene.prescribe("mover", table)
        found = compare(scene, 1.0, dt=dt, inputs={"motion": {table: led}})
        worst.append(max(one.largest for one in found.differences()))
    exact = found.exact
    np.testing.assert_allclose(exact[table.position].values, [led(t)[0] for t in exact.time], atol=1e-12)
    np.testing.assert_allclose(exact[table.rotation].values, [led(t)[1] for t in exact.time], atol=1e-12)
    np.testing.assert_allclose(found.simulated[mover.turn].values, exact[mover.turn].values, atol=1e-12)
    assert worst[1] < 0.3 * worst[0] < 0.3 * 1e-4
    for effort in (mover.force, mover.torque):
        near = 1e-4 * np.abs(exact[effort].values).max()
        np.testing.assert_allclose(found.simulated[effort].values[2:-2], exact[effort].values[2:-2], atol=near)
    rates = {table.velocity: lambda t: (0.2 * np.sin(4 * t), 0.2 * np.sin(2 * t), 0.0)}
    rates |= {table.angular_velocity: lambda t: (0.0, 1.5 * np.sin(3 * t), 0.0)}
    np.testing.assert_allclose(solve(scene, 1.0, dt=0.005, motion=rates)[bob.position], exact[bob.position], atol=1e-9)


def test_play_of_the_twin_is_met_and_not_passed_and_its_blows_keep_momentum() -> None:
    worst = []
    for dt in (0.01, 0.005):
        scene = sh.Scene("play", gravity=(0, 0, 0))
        shafts = [
            scene.joint(name, sh.Revolute(axis=Z), scene.world, scene.body(f"{name} wheel", mass=1.0, inertia=(i,) * 3))
            for name, i in (("input", 0.1), ("output", 0.4))
        ]
        gear = scene.couple("gear", sh.Gear(2.0, backlash=0.2), *shafts)
        found = compare(scene, 2.0, dt=dt, inputs={"torque": {shafts[0]: lambda t: np.sin(8 * t)}})
        worst.append(max(one.largest for one in found.differences()))
    exact = found.exact
    play = exact[shafts[0].angle] - 2.0 * exact[shafts[1].angle]
    assert -0.1 - 1e-12 < float(play.min()) < -0.0999 and 0.0999 < float(play.max()) < 0.1 + 1e-12
    assert worst[1] < 0.4 * worst[0] < 0.4 * 1e-3
    passed = float(exact[gear.effort(1)].sum()) * 0.005
    assert passed == pytest.approx(0.4 * float(exact[shafts[1].speed][-1]), abs=0.01)


def test_a_gearbox_in_neutral_passes_nothing_on() -> None:
    scene = sh.Scene("neutral", gravity=(0, 0, 0))
    shafts = [
        scene.joint(name, sh.Revolute(axis=Z), scene.world, scene.body(f"{name} wheel", mass=1.0, inertia=(0.1,) * 3))
        for name in ("input", "output")
    ]
    scene.couple("box", sh.Gearbox((4.0, 2.0)), *shafts)
    run = solve(scene, 0.5, torque={shafts[0]: 1.0})
    assert float(run[shafts[0].angle][-1]) == pytest.approx(0.5 * 10.0 * 0.5**2, rel=1e-9)
    assert float(run[shafts[1].angle][-1]) == 0.0


@pytest.mark.parametrize(
    ("motion", "told"),
    [
        (lambda t: 0.1 + t, r"motion of 'guide.displacement' begins at 0.1, and the scene has it at 0"),
        (lambda t: abs(t - 0.1) - 0.1, r"motion of 'guide.displacement' is not smooth near t = 0.1"),
        (lambda t: "up", r"motion of 'guide.displacement' is given 'up' at t = 0 s; give one finite number"),
        (lambda t: float("nan"), r"is given nan at t = 0 s; give one finite number"),
        (lambda t, sim: 0.0, r"follows the simulation; the exact twin takes functions of time alone"),
    ],
)
def test_motions_that_the_twin_cannot_follow_are_refused(motion, told) -> None:
    scene, guide, _, _ = shaken()
    with pytest.raises(sh.SceneError, match=told):
        solve(scene, 0.2, motion={guide: motion})


def test_a_corner_that_is_named_is_met_with_the_impulse_it_takes() -> None:
    """From 0.1 s on the slider goes at 1 m/s: the pendulum is struck by l sin p m/I."""
    scene, guide, pivot, _ = shaken()
    run = solve(scene, 0.12, dt=0.001, motion={guide: lambda t: max(t - 0.1, 0.0)}, breaks=[0.1])
    assert float(run[guide.displacement][-1]) == pytest.approx(0.02, abs=1e-10)
    before, after = run[pivot.speed].sel(time=[0.099, 0.101], method="nearest").values
    angle = float(run[pivot.angle].sel(time=0.1, method="nearest"))
    assert after - before == pytest.approx(0.2 * np.sin(angle) / 0.041, rel=0.05)


def test_what_is_not_prescribed_is_refused_by_name() -> None:
    scene, guide, pivot, _ = shaken()
    with pytest.raises(sh.SceneError, match="is not prescribed; first let it be"):
        solve(scene, 0.1, motion={pivot: 0.1})
    with pytest.raises(sh.SceneError, match="body 'bob' is not prescribed"):
        solve(scene, 0.1, motion={scene.bodies["bob"]: (0, 0, 0)})
    with pytest.raises(sh.SceneError, match=r"motion of 'guide.displacement' is given twice"):
        solve(scene, 0.1, motion={guide: 0.0, guide.speed: 0.0})
