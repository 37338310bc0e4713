"""The same scene and inputs give the same bits, alone or in a batch, straight through or by way of a snapshot."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import sharnir as sh
from sharnir.model.fields import TABLES
from sharnir.quantities.registry import those
from sharnir.scene.mover import movers_of
from sharnir.scene.quantity import Quantity

WORLDS = 1000


def mechanism() -> tuple[sh.Scene, sh.Joint]:
    """Every kind of row at once: a turning arm, a ball with limits and friction, a slider, and a closed loop."""
    scene = sh.Scene("mixed")
    arm = scene.body("arm", sh.Box(1, 0.1, 0.1, mass=2.0), position=(0.5, 0, 0))
    hinge = scene.joint("hinge", sh.Revolute(axis=(0, 1, 0)), scene.world, arm, friction=sh.Coulomb(0.5, static=0.8))
    tip = scene.body("tip", sh.Capsule(0.05, 0.4, mass=1.0), position=(1, 0, -0.2), angular_velocity=(1, 2, 3))
    scene.joint(
        "ball",
        sh.Spherical(anchor=(1, 0, 0)),
        arm,
        tip,
        friction=sh.Coulomb(0.05),
        limits=sh.SwingTwist(x=(-0.6, 0.7), y=(-0.5, 0.5), twist=(-1, 1)),
    )
    # the strut stands aslant: upright it would be at its dead point, and nothing would move
    shoe = scene.body("shoe", sh.Box(0.1, 0.1, 0.1, mass=0.5), position=(0.9, 0, -0.8))
    scene.joint("rail", sh.Prismatic(axis=(1, 0, 0), anchor=(0.9, 0, -0.8)), scene.world, shoe, limits=(-0.2, 0.15))
    scene.joint("strut", sh.Distance(anchor_a=(0.5, 0, 0), anchor_b=(0.9, 0, -0.8)), arm, shoe)
    return scene, hinge


def fingerprint(sim: sh.Simulation, world: int = 0) -> str:
    """A hash of all that a world carries from step to step."""
    digest = hashlib.sha256()
    for table, fields in ((sim.state, TABLES["state"]), (sim.memory, TABLES["memory"])):
        for field in fields:
            values = getattr(table, field.name).numpy()
            digest.update(np.ascontiguousarray(values[world] if field.items is None else values[:, world]).tobytes())
    return digest.hexdigest()


def turned(sim: sh.Simulation) -> float:
    """How far the arm has turned in its hinge from level, rad: equal bits prove nothing where nothing moves."""
    return abs(float(sim.get(sim.scene.joints["hinge"].angle)))


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_same_bits_twice(precision: str) -> None:
    prints = []
    for _ in range(2):
        scene, hinge = mechanism()
        sim = sh.Simulation(scene, dt=0.01, precision=precision)
        sim.set(hinge.effort(), 3.0)
        prints.append([])
        for _ in range(50):
            sim.step()
            prints[-1].append(fingerprint(sim))
    assert prints[0] == prints[1]
    assert len(set(prints[0])) == 50
    assert turned(sim) > 0.1


def test_one_launch_equals_many() -> None:
    """Fifty steps in one launch are the same bits as fifty launches of one."""
    one, many = (sh.Simulation(mechanism()[0], dt=0.01) for _ in range(2))
    one.step(50)
    for _ in range(50):
        many.step()
    assert fingerprint(one) == fingerprint(many)
    assert turned(one) > 0.1


def test_world_in_batch_equals_world_alone() -> None:
    scene, hinge = mechanism()
    efforts = np.linspace(-5, 5, WORLDS)
    masses = np.linspace(1.0, 3.0, WORLDS)
    levels = np.linspace(0.0, 1.0, WORLDS)
    batch = sh.Simulation(scene, dt=0.01, worlds=WORLDS, threads=2)
    batch.set(hinge.effort(), efforts)
    batch.set(scene.bodies["arm"].mass, masses)
    batch.set(hinge.friction_level(), levels)
    batch.step(40)
    for world in (0, 1, 499, 500, 999):
        alone = sh.Simulation(scene, dt=0.01)
        alone.set(hinge.effort(), efforts[world])
        alone.set(scene.bodies["arm"].mass, masses[world])
        alone.set(hinge.friction_level(), levels[world])
        alone.step(40)
        assert fingerprint(alone) == fingerprint(batch, world)
    assert np.abs(batch.get(hinge.angle)).min() > 0.1
    assert len({fingerprint(batch, world) for world in range(WORLDS)}) == WORLDS


def test_snapshot_continues_bit_for_bit() -> None:
    sim = sh.Simulation(mechanism()[0], dt=0.01)
    sim.step(10)
    snapshot = sim.snapshot()
    sim.step(30)
    straight = fingerprint(sim)
    sim.restore(snapshot)
    assert sim.time == pytest.approx(0.1)
    sim.step(30)
    assert fingerprint(sim) == straight
    other = sh.Simulation(mechanism()[0], dt=0.01)
    other.restore(snapshot)
    before = turned(other)
    other.step(30)
    assert fingerprint(other) == straight
    assert abs(turned(other) - before) > 0.1


BRISTLES = {
    "lugre": sh.LuGre(0.2, 0.3, speed=0.1, stiffness=1000.0, load=sh.Load(radius=0.02)),
    "dahl": sh.Dahl(0.2, stiffness=1000.0, load=sh.Load(radius=0.02)),
}


@pytest.mark.parametrize("joint", ["hinge", "ball"])
@pytest.mark.parametrize("law", BRISTLES)
def test_snapshot_with_bristles_under_a_load(law: str, joint: str) -> None:
    """The first visit of a step takes the ratio of friction to normal force from the last one: it is remembered."""
    scene = sh.Scene("pendulum")
    bob = scene.body("bob", sh.Box(0.2, 0.2, 1.0, mass=1.0), position=(0.4, 0, -0.3), angular_velocity=(0, 1, 0))
    kind = sh.Revolute(axis=(0, 1, 0)) if joint == "hinge" else sh.Spherical()
    scene.joint("pivot", kind, scene.world, bob, friction=BRISTLES[law])
    sim, other = sh.Simulation(scene), sh.Simulation(scene)
    sim.step(50)
    snapshot = sim.snapshot()
    sim.step(20)
    straight = fingerprint(sim)
    for again in (sim, other):
        again.restore(snapshot)
        again.step(20)
        assert fingerprint(again) == straight


def settable(scene: sh.Scene) -> dict[str, tuple[Quantity, object]]:
    """A quantity of every settable kind, with a value that it does not have."""
    arm, hinge, rail, motor = scene.bodies["arm"], *(scene.joints[name] for name in ("hinge", "rail", "motor"))
    found: list[tuple[Quantity, object]] = [
        (arm.mass, 7.0),
        (arm.position, (0.6, 0.1, 0.2)),
        (arm.rotation, (0.0, 0.6, 0.0, 0.8)),
        (arm.velocity, (1.0, 2.0, 3.0)),
        (arm.angular_velocity, (3.0, 2.0, 1.0)),
        (hinge.friction_level(), 0.0),
        (hinge.effort(), 4.0),
        (rail.lower(), 0.1),
        (rail.upper(), -0.1),
        (motor.voltage(), 0.5),
        (scene.joints["servo"].target(), 0.3),
        (scene.gravity_vector, (0.0, 1.0, -3.0)),
        (motor.coordinate(), 0.7),
        (motor.rate(), 0.9),
    ]
    for coupling in scene.couplings.values():
        found.append((coupling.gear, 2) if isinstance(coupling.type, sh.Gearbox) else (coupling.motion, 0.4))
    for mover in movers_of(scene):
        found += [(mover.shift, (0.1, 0.0, 0.2)), (mover.turn, (0.0, 0.3, 0.0))]
    found += [(joint.command(), 1.0) for joint in scene.joints.values() if joint.actuators]
    return {quantity.variable: (quantity, value) for quantity, value in found}


@pytest.mark.parametrize("variable", those(lambda definition: definition.set))
def test_snapshot_holds_all_that_can_be_set(variable: str) -> None:
    """Set after a snapshot, a quantity is taken back by restoring it, and the simulation goes on as it did."""
    scene, _ = mechanism()
    drive = sh.DcDrive(stall_torque=1.0, idle_speed=100.0, time_constant=0.05, ratio=10.0)
    for name, given in (("motor", drive), ("servo", sh.SpeedServo(drive, gain=0.1))):
        wheel = scene.body(f"{name} wheel", sh.Cylinder(0.1, 0.1, mass=1.0), position=(0, 2, 0))
        scene.joint(name, sh.Revolute(axis=(0, 0, 1), anchor=(0, 2, 0)), scene.world, wheel, drive=given)
    if variable == "motion":
        scene.couple("moved", sh.Prescribed(), "motor.angle")
    if variable == "gear":
        scene.couple("box", sh.Gearbox((2.0, -3.0), gear=1), "motor.angle", "servo.angle")
    if variable in ("shift", "turn"):
        scene.prescribe("mover", scene.body("crate", sh.Box(0.1, 0.1, 0.1, mass=1.0), position=(0, 3, 0)))
    if variable == "command":
        wheel, axle = scene.bodies["motor wheel"], sh.Revolute(axis=(0, 0, 1), anchor=(0, 2, 0))
        scene.joint("pushed", axle, scene.bodies["servo wheel"], wheel, actuator=sh.IdealActuator(limit=5.0))
    sim = sh.Simulation(scene, dt=0.01)
    if variable == "gear":
        sim.set(scene.joints["motor"].voltage(), 1.0)  # nothing turns without
    sim.step(10)
    snapshot, quantity_and_value = sim.snapshot(), settable(scene)[variable]
    before = np.array(sim.get(quantity_and_value[0]))
    sim.step(10)
    straight = fingerprint(sim)
    sim.restore(snapshot)
    sim.set(*quantity_and_value)
    sim.step(10)
    assert fingerprint(sim) != straight
    sim.restore(snapshot)
    assert np.array_equal(sim.get(quantity_and_value[0]), before)
    sim.step(10)
    assert fingerprint(sim) == straight


def test_reset_starts_over() -> None:
    sim = sh.Simulation(mechanism()[0], dt=0.01)
    fresh = fingerprint(sim)
    sim.step(20)
    assert fingerprint(sim) != fresh
    sim.reset()
    assert fingerprint(sim) == fresh
    assert sim.time == 0.0


def test_reset_takes_back_what_was_set_by_hand() -> None:
    """Efforts and forces are zero again, so that the next run is that of a new simulation; parameters stay."""
    scene, hinge = mechanism()
    arm = scene.bodies["arm"]
    new, used = sh.Simulation(scene, dt=0.01), sh.Simulation(scene, dt=0.01)
    for sim in (new, used):
        sim.set(arm.mass, 3.0)
    used.set(hinge.effort(), 50.0)
    used.run(0.1, force={arm: (0, 0, 30.0)})
    used.reset()
    assert used.get(hinge.effort()) == 0.0
    for sim in (new, used):
        sim.step(20)
    assert fingerprint(used) == fingerprint(new)
    assert turned(new) > 0.1
    assert used.get(arm.mass) == 3.0


def test_budget_that_is_never_reached_changes_nothing() -> None:
    """The stages in separate launches make the same bits as the fused step."""
    plain = sh.Simulation(mechanism()[0], dt=0.01)
    timed = sh.Simulation(mechanism()[0], dt=0.01, budget=10.0)
    plain.step(20)
    timed.step(20)
    assert fingerprint(plain) == fingerprint(timed)
    assert turned(timed) > 0.1
    assert not timed.report.out_of_budget


def test_worlds_reset_one_by_one_go_on_as_if_started_alone() -> None:
    worlds, steps = 1024, 32
    scene, hinge = mechanism()
    alone = sh.Simulation(scene, dt=0.01)
    prints = [fingerprint(alone)]
    for _ in range(steps):
        alone.step()
        prints.append(fingerprint(alone))
    sim = sh.Simulation(scene, dt=0.01, worlds=worlds)
    sim.set(hinge.effort(), 5.0)  # zero again after a reset
    random = np.random.default_rng(1)
    when = random.integers(1, steps, worlds)
    for step in range(steps):
        for world in np.flatnonzero(when == step):
            sim.reset(worlds=[world])
        sim.step()
    np.testing.assert_allclose(sim.times, (steps - when) * 0.01)
    assert [fingerprint(sim, world) for world in range(worlds)] == [prints[steps - start] for start in when]


def test_a_world_is_reset_with_its_diagram_its_inputs_and_its_clock() -> None:
    scene, hinge = mechanism()
    d = scene.diagram = sh.Diagram(period=0.02)
    d.effort(hinge, d.gain(d.integral(1.0), 20.0, unit="N m"))
    push = {scene.bodies["shoe"]: lambda t: (3.0 * np.sin(9.0 * t), 0.0, 0.0)}
    alone = sh.Simulation(scene, dt=0.01)
    alone.run(0.15, force=push)
    sim = sh.Simulation(scene, dt=0.01, worlds=3)
    sim.run(0.07, force=push)  # the reset falls between two ticks of the others
    sim.reset(worlds=np.array([False, True, False]))
    sim.run(0.15, force=push)
    assert fingerprint(sim, 1) == fingerprint(alone)
    assert fingerprint(sim, 0) != fingerprint(alone)
    snapshot = sim.snapshot()
    sim.run(0.05, force=push)
    later = fingerprint(sim, 1)
    sim.restore(snapshot)
    sim.run(0.05, force=push)
    assert fingerprint(sim, 1) == later and sim.times[1] < sim.times[0]
