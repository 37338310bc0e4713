"""Bodies that go where they are told: the forces of Newton and Euler, what hangs on them, energy, worlds, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sh
from sharnir import spatial
from sharnir.record.balance import Balance

G, DT = 9.81, 0.002


def pendulum_on_a_table(
    length: float = 1.0, speed: float = 0.0, rate: float = 0.0
) -> tuple[sh.Scene, sh.Mover, sh.Joint]:
    """A table of 2 kg that is moved, and a bob of 0.5 kg that hangs on it; at a speed (m/s), swinging (rad/s)."""
    scene = sh.Scene("table")
    table = scene.body("table", mass=2.0, inertia=(0.1, 0.2, 0.3), velocity=(speed, 0, 0))
    swung = {"velocity": (speed + length * rate, 0, 0), "angular_velocity": (0, -rate, 0)}
    bob = scene.body("bob", mass=0.5, inertia=(1e-7,) * 3, position=(0, 0, -length), **swung)
    pivot = scene.joint("pivot", sh.Revolute(axis=(0, -1, 0)), table, bob)
    return scene, scene.prescribe("mover", table), pivot


def test_the_force_and_torque_of_a_motion_are_those_of_newton_and_euler():
    """F = m (c'' - g) and T = I w' + r x F about the origin of the frame, with c = p + r the centre of mass, which
    lies 0.3 m off it; p = A sin(s t) x, turned by b = B sin(s t) about z. To the order of the step, (s h)^2."""
    mass, inertia, arm, sway, swing, pace = 2.0, 0.3, 0.3, 0.1, 0.5, 6.0
    scene = sh.Scene("shaker")
    started = {"velocity": (sway * pace, 0, 0), "angular_velocity": (0, 0, swing * pace)}
    body = scene.body("body", mass=mass, inertia=(0.1, 0.25, inertia), center_of_mass=(arm, 0, 0), **started)
    mover = scene.prescribe("mover", body)

    def motion(t: float) -> tuple[tuple[float, float, float], np.ndarray]:
        return (sway * np.sin(pace * t), 0.0, 0.0), spatial.about((0, 0, 1), swing * np.sin(pace * t))

    sim = sh.Simulation(scene, DT)
    run = sim.run(1.0, motion={body: motion})
    t = run.time
    angle, wave = swing * np.sin(pace * t), -(pace**2) * np.sin(pace * t)
    np.testing.assert_allclose(run[mover.shift].values[:, 0], sway * np.sin(pace * t), atol=1e-12)
    np.testing.assert_allclose(run[mover.turn].values[:, 2], angle, atol=1e-12)
    np.testing.assert_allclose(run[body.position].values, run[mover.shift].values, atol=20 * DT**3)  # as joints close
    rate, bend = swing * pace * np.cos(pace * t), swing * wave
    r = arm * np.stack([np.cos(angle), np.sin(angle), 0 * t], axis=1)
    across = np.stack([-r[:, 1], r[:, 0], 0 * t], axis=1)
    away = sway * wave[:, None] * [1.0, 0.0, 0.0] + bend[:, None] * across - rate[:, None] ** 2 * r
    force = mass * (away + G * np.eye(3)[2])
    torque = np.cross(r, force) + inertia * bend[:, None] * [0.0, 0.0, 1.0]
    near = 3.0 * (pace * DT) ** 2
    inner = slice(1, -1)  # the first and the last are known to half a step
    np.testing.assert_allclose(run[mover.force].values[inner], force[inner], atol=near * np.abs(force).max())
    np.testing.assert_allclose(run[mover.torque].values[inner], torque[inner], atol=near * np.abs(torque).max())
    balance = Balance(run)
    assert np.abs(balance.left).max() < near * np.ptp(run[scene.energy].values)


@pytest.mark.parametrize("solver", ["direct", "sequential-impulses"])
def test_a_pendulum_on_a_body_moved_sideways_swings_as_it_is_forced_to(solver):
    """x = a sin(s t): l q'' + g q = a s^2 sin(s t), so q = Q sin(s t) with Q = a s^2/(g - l s^2), small; held up by
    (m + M) g. Off by Q^3 of the sine, and by (s h)^2."""
    a, s, length = 0.01, 2.0, 1.0
    q = a * s**2 / (G - length * s**2)
    scene, mover, pivot = pendulum_on_a_table(length, speed=a * s, rate=q * s)
    sim = sh.Simulation(scene, DT, solver=solver, iterations=400, epsilon=1e-14)
    run = sim.run(3.0, motion={mover.body: lambda t: (a * np.sin(s * t), 0.0, 0.0)})
    np.testing.assert_allclose(run[pivot.angle], q * np.sin(s * run.time), atol=q * (2 * q**2 + 5 * (s * DT) ** 2))
    force = run[mover.force].values[1:-1]
    np.testing.assert_allclose(force[:, 2], 2.5 * G, rtol=2 * q**2)
    waves = -(s**2) * np.sin(s * run.time[1:-1])
    np.testing.assert_allclose(force[:, 0], (2.5 * a + 0.5 * length * q) * waves, atol=1e-3 * abs(a) * 2.5)


def test_rates_move_a_body_on_and_a_shaken_base_holds_a_pendulum_up():
    """Constant rates are met exactly: p = v t, turned by w t. Kapitza's pendulum on a body stands above its threshold
    a s = sqrt(2 g l) and falls below it."""
    scene, mover, _ = pendulum_on_a_table()
    sim = sh.Simulation(scene, DT)
    rates = {mover.body.velocity: (0.1, 0.0, 0.2), mover.body.angular_velocity: (0.0, 0.0, 1.5)}
    run = sim.run(1.0, motion=rates)
    np.testing.assert_allclose(run[mover.shift].values[-1], (0.1, 0.0, 0.2), atol=1e-12)
    np.testing.assert_allclose(run[mover.turn].values[-1], (0.0, 0.0, 1.5), atol=1e-12)
    sim.step(5)  # without a motion it stays where it is
    np.testing.assert_allclose(sim.get(mover.body.position), (0.1, 0.0, 0.2), atol=1e-12)
    amplitude, length = 0.01, 0.2
    for share, stands in ((1.3, True), (0.7, False)):
        speed = share * np.sqrt(2 * G * length) / amplitude
        scene, mover, pivot = pendulum_on_a_table(length)
        scene.pose({pivot: np.pi - 0.1})
        dt = 2 * np.pi / speed / 40
        shaken = sh.Simulation(scene, dt)
        run = shaken.run(
            round(3.0 / dt) * dt, motion={mover.body: lambda t, s=speed: (0.0, 0.0, amplitude * np.sin(s * t))}
        )
        off = np.abs(run[pivot.angle].values - np.pi)
        assert (off.max() < 0.3) if stands else (off.max() > 2.0)


def test_worlds_diagrams_resets_and_snapshots_move_bodies():
    scene, mover, pivot = pendulum_on_a_table()
    table = mover.body
    sim = sh.Simulation(scene, DT, worlds=2)
    wave = np.array([[0.1, 0, 0], [0, 0.2, 0]])
    run = sim.run(0.1, motion={table: lambda t: wave * np.sin(5 * t)})
    np.testing.assert_allclose(run[table.position].values[-1], wave * np.sin(0.5), atol=1e-12)
    kept = sim.snapshot()
    sim.set(mover.turn, (0.0, 0.3, 0.0))
    sim.step(3)
    turned = sim.get(pivot.angle).copy()
    np.testing.assert_allclose(spatial.to_vector(sim.get(table.rotation))[1], (0.0, 0.3, 0.0), atol=1e-9)
    sim.restore(kept)
    sim.set(mover.turn, (0.0, 0.3, 0.0))
    sim.step(3)
    np.testing.assert_array_equal(sim.get(pivot.angle), turned)
    sim.reset(worlds=[1])
    np.testing.assert_allclose(sim.get(table.position)[1], 0.0, atol=1e-12)
    diagram = sh.Diagram()
    far = diagram.input("far", unit="m", initial=0.05)
    diagram.shift(table, y=far)
    diagram.turn(table, z=diagram.input("bend", unit="rad", initial=0.2))
    single = sh.Simulation(scene, DT)
    single.run(0.01, control=diagram)
    np.testing.assert_allclose(single.get(table.position), (0.0, 0.05, 0.0), atol=1e-12)
    np.testing.assert_allclose(spatial.to_vector(single.get(table.rotation)), (0.0, 0.0, 0.2), atol=1e-9)


def test_what_cannot_be_moved_is_refused_by_name_before_the_first_step():
    scene, mover, pivot = pendulum_on_a_table()
    sim = sh.Simulation(scene, DT)
    for key, hint in ((pivot.b, "body 'bob' is not prescribed"), (pivot.b.velocity, "body 'bob' is not prescribed")):
        with pytest.raises(sh.SceneError, match=hint):
            sim.run(0.1, motion={key: (0.0, 0.0, 0.0)})
    with pytest.raises(sh.SceneError, match=r"motion of 'table' is given twice; give where it is to be, or its rate"):
        sim.run(0.1, motion={mover.body: (0.0, 0.0, 0.0), mover.body.velocity: (0.0, 0.0, 0.0)})
    with pytest.raises(sh.SceneError, match=r"mover 'second': body 'table' is moved by 'mover' already"):
        scene.prescribe("second", mover.body)
    with pytest.raises(sh.SceneError, match="give unit quaternions"):
        sim.run(0.1, motion={mover.body: ((0, 0, 0), (0, 0, 0, 2.0))})
    with pytest.raises(sh.SceneError, match=r"the matrices are of machines that nothing moves from outside.*'mover'"):
        sim.mass_matrix()
    with pytest.raises(sh.SceneError, match="integrator 'position-verlet' ends its steps in the middle of a drift"):
        sh.Simulation(scene, DT, integrator="position-verlet")
    with pytest.raises(sh.SceneError, match="'ground' is fixed; leave fixed out"):
        scene.prescribe("second", scene.body("ground", fixed=True))
    scene.joint("loose", sh.Spherical(), scene.bodies["mover"], pivot.b)
    with pytest.raises(sh.SceneError, match="body 'mover' is moved and has the joints 'mover', 'loose'"):
        sh.Simulation(scene, DT)
    with pytest.raises(sh.SceneError, match="is moved, which only a fixed body without shapes can be"):
        sh.Scene().add_body("box", sh.BodySpec(moved=True, mass=1.0, inertia=(1, 1, 1)))
