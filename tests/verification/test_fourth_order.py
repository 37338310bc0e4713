"""The fourth-order step: a sixteenth of the error at half the dt, in every joint type; leapfrog where it is rough."""

from __future__ import annotations

from typing import Any

import mechanisms as mech
import numpy as np
import pytest
from mechanisms import LEAPFROG, RK4
from scipy.integrate import solve_ivp
from test_limits_and_loops import crank_angle

import sharnir as sh

HALF = (0.02, 0.01, 0.005, 0.0025)  # s
PLACE = (0.8, 0.1, 0.0)  # m, of the joint under test


def halvings(ends: list[np.ndarray]) -> np.ndarray:
    """Ratios of the differences between successive halvings of dt: 16 for fourth order (Richardson)."""
    steps = np.linalg.norm(np.diff(ends, axis=0), axis=1)
    return steps[:-1] / steps[1:]


def tumbling_pair(joint: Any, **carried: Any) -> tuple[sh.Scene, sh.Body]:
    """A load in the joint under test, on a carrier that tumbles about a ball joint: every term of J' V acts."""
    scene = sh.Scene("tumbling pair")
    spin = np.array([0.7, -1.1, 1.9])
    bodies = []
    for name, size, mass, place in (
        ("carrier", (0.8, 0.3, 0.2), 2.0, (0.4, 0.0, 0.0)),
        ("load", (0.2, 0.3, 0.6), 1.0, (0.9, 0.15, -0.3)),
    ):
        shape = sh.Box(*size, mass=mass)
        bodies.append(scene.body(name, shape, position=place, velocity=np.cross(spin, place), angular_velocity=spin))
    scene.joint("pivot", sh.Spherical(), scene.world, bodies[0])
    scene.joint("joint", joint, *bodies, **carried)
    return scene, bodies[1]


@pytest.mark.parametrize(
    ("joint", "carried"),
    [
        (sh.Revolute(axis=(0, 1, 0.3), anchor=PLACE), {}),
        (sh.Prismatic(axis=(1, 0, 0.2)), {"spring": sh.Spring(60.0, 0.5)}),
        (sh.Cylindrical(axis=(0, 1, 0.2), anchor=PLACE), {}),
        (sh.Universal(axis_a=(0, 1, 0), axis_b=(1, 0, 0), anchor=PLACE), {}),
        (sh.Spherical(anchor=PLACE), {}),
        (sh.Planar(normal=(0, 1, 0.2), anchor=PLACE), {}),
        (sh.Fixed(), {}),
        (sh.Distance(anchor_a=PLACE, anchor_b=(0.9, 0.15, -0.4)), {}),
        (sh.Revolute(axis=(0, 1, 0.3), anchor=PLACE), {"friction": sh.Viscous(0.3)}),
    ],
    ids=[
        "revolute",
        "prismatic-spring",
        "cylindrical",
        "universal",
        "spherical",
        "planar",
        "fixed",
        "distance",
        "damped",
    ],
)
def test_joint_type_is_fourth_order(joint: Any, carried: dict[str, Any]) -> None:
    ends = []
    for dt in HALF:
        scene, load = tumbling_pair(joint, **carried)
        sim = sh.Simulation(scene, dt=dt, **RK4)
        sim.step(round(0.4 / dt))
        ends.append(np.concatenate([sim.get(q) for q in (load.position, load.velocity, load.angular_velocity)]))
    assert halvings(ends)[-1] == pytest.approx(16, abs=3)
    assert float(sim.report.joint_error[0]) < 1e-9


def test_rigid_joints_store_no_energy() -> None:
    """What keeps the equations of accelerations regular was reported as elastic energy, kilojoules in uneven trees."""
    scene, _ = tumbling_pair(sh.Revolute(axis=(0, 1, 0), anchor=PLACE))
    run = sh.Simulation(scene, 0.01, **RK4).run(0.5)
    assert np.all(mech.values(run, scene.elastic_energy) == 0.0)
    energy = mech.values(run, scene.kinetic_energy) + mech.values(run, scene.potential_energy)
    assert np.ptp(energy) < 1e-4 * mech.values(run, scene.kinetic_energy).max()


def test_free_body_is_fourth_order() -> None:
    def spin(dt: float) -> np.ndarray:
        scene = sh.Scene("free", gravity=mech.FREE)
        body = scene.body("body", mass=1.0, inertia=(1, 2, 3), angular_velocity=(0.1, 3, 0.1))
        sim = sh.Simulation(scene, dt=dt, **RK4)
        sim.step(round(3.2 / dt))
        return np.asarray(sim.get(body.angular_velocity))

    for ratio in halvings([spin(dt) for dt in (0.04, 0.02, 0.01, 0.005)]):
        assert ratio == pytest.approx(16, abs=3)


def test_four_bar_with_redundant_rows() -> None:
    """Energy constant, crank angle -0.6476854 rad at 0.5 s (rounded there): half the dt, a sixteenth of either error.

    What is left of the angle's error at half the dt is then a fifteenth of the change; 12 allows for 13 instead of 16.
    """
    (coarse, energy), (fine, finer_energy), (_, finest_energy) = [crank_angle(RK4, dt) for dt in (0.02, 0.01, 0.005)]
    lost = [np.abs(e - e[0]).max() for e in (energy, finer_energy, finest_energy)]
    assert lost[0] / lost[1] == pytest.approx(16, abs=3)
    assert lost[1] / lost[2] == pytest.approx(16, abs=3)
    assert abs(fine + 0.6476854) < abs(coarse - fine) / 12 + 5e-8


def test_reactions_carry_the_weight() -> None:
    """A rod that hangs still pulls at its pin with m g, and at 4 rad/s with m (g + w^2 L/2)."""
    for spin in (0.0, 4.0):
        scene, pin = mech.pinned_rod(spin=spin, gravity=(0, 0, -mech.GRAVITY))
        run = sh.Simulation(scene, dt=1e-4, **RK4).run(2e-4)
        assert mech.values(run, pin.reaction_force)[-1, 2] == pytest.approx(mech.GRAVITY + spin**2 / 2, rel=1e-5)


def test_limit_is_met_by_leapfrog() -> None:
    """The rod of the limit tests, released at -90 deg with a stop at +30 deg: it never passes 30.1 deg."""
    scene, pin = mech.pinned_rod(angle=-np.pi / 2, gravity=(0, 0, -mech.GRAVITY), limits=(-4.0, np.pi / 6))
    run = sh.Simulation(scene, dt=0.01, **RK4).run(1.5)
    assert np.degrees(mech.values(run, pin.angle).max()) < 30.1
    assert np.degrees(mech.values(run, pin.angle).max()) > 29.9


def test_calls_and_batches_do_not_matter() -> None:
    """Past the stop of the rod above: 80 steps in one call, one by one, and in a batch are the same bits."""
    scene, pin = mech.pinned_rod(angle=-np.pi / 2, gravity=(0, 0, -mech.GRAVITY), limits=(-4.0, np.pi / 6))
    at_once, one_by_one = (sh.Simulation(scene, dt=0.01, **RK4) for _ in range(2))
    batch = sh.Simulation(scene, dt=0.01, worlds=3, threads=2, **RK4)
    at_once.step(80)
    batch.step(80)
    for _ in range(80):
        one_by_one.step()
    assert at_once.get(pin.angle) == one_by_one.get(pin.angle)
    assert np.all(batch.get(pin.angle) == at_once.get(pin.angle))


def test_stiff_spring_is_left_to_leapfrog() -> None:
    """k = 1e8 N/m on 1 kg at 10 ms: the same bits as LEAPFROG, which takes it implicitly."""
    ends = []
    for scheme in (LEAPFROG, RK4):
        scene, guide = mech.slider(1.0, slope=np.pi / 2, spring=sh.Spring(1e8, 10.0))
        sim = sh.Simulation(scene, dt=0.01, **scheme)
        sim.step(50)
        ends.append(sim.get(guide.displacement))
    assert ends[0] == ends[1]


def test_friction_is_left_to_leapfrog() -> None:
    ends = []
    for scheme in (LEAPFROG, RK4):
        scene, pin = mech.pinned_rod(angle=1.0, gravity=(0, 0, -mech.GRAVITY), friction=sh.Coulomb(0.5))
        sim = sh.Simulation(scene, dt=0.01, **scheme)
        sim.step(50)
        ends.append(sim.get(pin.angle))
    assert ends[0] == ends[1]


def test_point_mass_on_an_arm() -> None:
    """1 kg of 1 mm radius, 1 m from its hinge, released level: back after the period 2.367842 s of elliptic integrals.

    Its own inertia is 4e-7 kg m^2: a joint may not yield by a share of 1/I.
    """
    scene = sh.Scene("pendulum")
    bob = scene.body("bob", sh.Sphere(1e-3, mass=1.0), position=(1, 0, 0))
    pin = scene.joint("pin", sh.Revolute(axis=(0, 1, 0)), scene.world, bob)
    steps = 200
    sim = sh.Simulation(scene, dt=2.367842 / steps, **RK4)
    sim.step(steps)
    assert sim.get(pin.angle) == pytest.approx(0, abs=1e-5)


def wheel_on_a_parallelogram(arm_inertia: float) -> tuple[sh.Scene, sh.Joint]:
    """Arms of 0.3 m and 1 kg, one above the other, an upright and a wheel of 5 kg; spring, damper, gravity."""
    scene = sh.Scene("parallelogram")
    own = (arm_inertia,) * 3
    arms = [scene.body(f"arm{i}", mass=1.0, inertia=own, position=(0.15, 0, 0.2 * i)) for i in range(2)]
    upright = scene.body("upright", mass=5.0, inertia=(0.05,) * 3, position=(0.3, 0, 0.1))
    joints = []
    for i, arm in enumerate(arms):
        own = {"spring": sh.Spring(200.0, 4.0)} if i == 0 else {}
        inner = sh.Revolute(axis=(0, -1, 0), anchor=(0, 0, 0.2 * i))
        joints.append(scene.joint(f"inner{i}", inner, scene.world, arm, **own))
        outer = sh.Revolute(axis=(0, -1, 0), anchor=(0.3, 0, 0.2 * i))
        scene.joint(f"outer{i}", outer, arm, upright)
    return scene, joints[0]


@pytest.mark.parametrize(("integrator", "ratio", "most"), [("leapfrog", 4, 1e-4), ("rk4", 16, 1e-7)])
def test_a_parallelogram_suspension_keeps_the_order(integrator: str, ratio: float, most: float) -> None:
    """The upright does not turn: (2 I + m_a l^2/2 + m l^2) q'' = -k q - c q' - (m_a + m) g l cos q, on to 0.5 s."""
    inertia, weight = 2 * 0.04 + 0.3**2 / 2 + 5 * 0.3**2, 6 * mech.GRAVITY * 0.3

    def slope(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -(200.0 * y[0] + 4.0 * y[1] + weight * np.cos(y[0])) / inertia]

    exact = solve_ivp(slope, (0, 0.5), (0.0, 0.0), rtol=1e-12, atol=1e-13, dense_output=True).sol
    off = []
    for dt in (0.005, 0.0025):
        scene, hinge = wheel_on_a_parallelogram(0.04)
        run = sh.Simulation(scene, dt=dt, integrator=integrator).run(0.5)
        assert not run.warnings
        off.append(np.abs(mech.values(run, hinge.angle) - exact(mech.times(run))[0]).max())
    assert off[0] < most
    assert off[0] / off[1] == pytest.approx(ratio, rel=0.25)


def test_a_damper_too_fast_for_a_light_arm_is_told() -> None:
    """dt c > I of the arm alone, though not of the wheel on it: no step is of fourth order, and that is said."""
    scene, _ = wheel_on_a_parallelogram(0.0075)
    run = sh.Simulation(scene, dt=0.005, **RK4).run(0.1)
    assert [warning.name for warning in run.warnings] == ["fall-back"]
    assert "100 % fell back" in str(run.warnings[0])
