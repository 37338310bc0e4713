"""Matrices of loops and free bodies, linearisation and inverse kinematics: closed forms and the exact twin."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from random_mechanisms import passive_mechanism

import sharnir as sh
from sharnir.reference.solve import ExactRun
from sharnir.scene.assemble import postured

CRANK, ROD = 0.1, 0.3  # m
MASSES = (1.2, 0.7, 2.0)  # kg, of crank, rod and slider
Y = (0.0, 1.0, 0.0)


def slider_crank(angle: float) -> tuple[sh.Scene, dict[str, sh.Joint]]:
    """In the x-z plane; the crank turns about the origin, the slider runs along x. Angles turn from x towards -z."""
    scene = sh.Scene("slider-crank")
    pin = CRANK * np.array([np.cos(angle), 0.0, -np.sin(angle)])
    reach = pin[0] + np.sqrt(ROD**2 - pin[2] ** 2)
    end = np.array([reach, 0.0, 0.0])
    lean = np.arctan2(pin[2], reach - pin[0])  # about y, of the rod
    crank = scene.body("crank", mass=MASSES[0], inertia=(0.002,) * 3, position=0.5 * pin, rotation=turn(angle))
    rod = scene.body("rod", mass=MASSES[1], inertia=(0.005,) * 3, position=0.5 * (pin + end), rotation=turn(lean))
    slider = scene.body("slider", mass=MASSES[2], inertia=(0.001,) * 3, position=end)
    joints = {
        "shaft": scene.joint("shaft", sh.Revolute(axis=Y, drawn_at=angle), scene.world, crank),
        "pin": scene.joint("pin", sh.Revolute(axis=Y, anchor=pin), crank, rod),
        "wrist": scene.joint("wrist", sh.Revolute(axis=Y, anchor=end), rod, slider),
        "guide": scene.joint("guide", sh.Prismatic(axis=(1, 0, 0), anchor=end), scene.world, slider),
    }
    return scene, joints


def turn(angle: float) -> tuple[float, ...]:
    return (0.0, np.sin(angle / 2), 0.0, np.cos(angle / 2))


def _places(q: complex) -> list[complex]:
    """Centres of crank and rod (x, z), lean of the rod, slider's x."""
    x, z = CRANK * np.cos(q), -CRANK * np.sin(q)
    along = np.sqrt(ROD**2 - z**2)
    return [x / 2, z / 2, x + along / 2, z / 2, np.arcsin(z / ROD), x + along]


def test_the_matrices_of_a_slider_crank_are_those_of_its_energies():
    """M q'' + M' q'^2/2 + V' = e (Lagrange), with one freedom and two redundant planes' rows."""
    q, speed = 0.7, 3.0
    scene, joints = slider_crank(q)
    freedoms = scene.freedoms([joints["shaft"]])
    assert (freedoms.mobility, freedoms.labels, len(freedoms.redundant)) == (1, ("shaft.angle",), 3)
    assert all(name.startswith(("wrist", "guide", "pin", "shaft")) for name in freedoms.redundant)
    sim = sh.Simulation(scene)
    h = 1e-4

    def inertia(at: float) -> float:
        p = [(a - b) / (2e-6) for a, b in zip(_places(at + 1e-6), _places(at - 1e-6), strict=True)]
        return (
            MASSES[0] * (p[0] ** 2 + p[1] ** 2) + 0.002 + MASSES[1] * (p[2] ** 2 + p[3] ** 2) + 0.005 * p[4] ** 2
            + MASSES[2] * p[5] ** 2
        )  # fmt: skip

    slope = (inertia(q + h) - inertia(q - h)) / (2 * h)
    lift = 9.81 * (MASSES[0] + MASSES[1]) * (-CRANK * np.cos(q) / 2)
    jacobian = sim.jacobian(joints["guide"].b, freedoms=[joints["shaft"]])
    assert sim.mass_matrix([joints["shaft"]]).item() == pytest.approx(inertia(q), rel=1e-8)
    assert jacobian.sel(motion="velocity.x").item() == pytest.approx(
        (_places(q + h)[5] - _places(q - h)[5]) / 2 / h, rel=1e-7
    )
    spin = {name: jacobian_of(sim, body, joints["shaft"]) * speed for name, body in scene.bodies.items()}
    for name, body in scene.bodies.items():
        sim.set(body.angular_velocity, spin[name][3:])
        sim.set(body.velocity, spin[name][:3])
    assert sim.bias([joints["shaft"]]).item() == pytest.approx(0.5 * slope * speed**2 + lift, rel=1e-6)
    force = sim.inverse_dynamics({joints["shaft"]: 5.0}, [joints["shaft"]])
    assert force.item() == pytest.approx(5.0 * inertia(q) + 0.5 * slope * speed**2 + lift, rel=1e-6)


def jacobian_of(sim, body, freedom):
    return sim.jacobian(body, freedoms=[freedom]).values[:, 0]


@pytest.mark.parametrize("seed", range(6))
def test_forward_dynamics_of_loops_agree_with_the_exact_twin(seed):
    scene, _ = passive_mechanism(seed + 40, loop=True)
    for joint in scene.joints.values():  # what is smooth of them
        joint.describe(msgspec.structs.replace(joint.spec, friction=None, limits=None))
    sim = sh.Simulation(scene, ignored_warnings=["locked-loop"])
    found = sim.forward_dynamics()
    accelerations = twin_accelerations(scene)
    for freedom, value in zip(found.freedom.values, found.values, strict=True):
        assert value == pytest.approx(accelerations[str(freedom)], rel=1e-9, abs=1e-9)


def twin_accelerations(scene: sh.Scene, torque: dict | None = None) -> dict[str, float]:
    """Accelerations of coordinates by the twin's own equations, at the start."""
    run = ExactRun(scene, {"torque": torque or {}}, {}, [1.0], 0.1, 1e-10)
    e = run.system.evaluate(np.zeros(1), run.y[None])
    mechanism = sh.Simulation(scene, ignored_warnings=["locked-loop"])._matrices(()).parts[0].machine.rows
    m = mechanism.mechanism.motion(
        e.motion.x[:, :-1], e.motion.rotation[:, :-1], e.motion.v[:, :-1], e.motion.w[:, :-1]
    )
    rows = m.jacobian.reshape(len(m.jacobian[0]), -1)[mechanism.coordinate_rows]
    values = rows @ e.acceleration.ravel() + m.bias[0, mechanism.coordinate_rows]
    return dict(zip(mechanism.labels, values.tolist(), strict=True))


def test_a_cart_pole_is_linearised_as_in_the_textbook():
    """x'' = (F - m g p)/M, p'' = ((M + m) g p - F)/(M l) about the upright pole: a mass m at the end of a rod l."""
    scene = sh.Scene("cart pole")
    cart = scene.body("cart", mass=1.0, inertia=(1, 1, 1))
    bob = scene.body("bob", mass=0.1, inertia=(1e-12, 1e-12, 1e-12), position=(0, 0, 0.5))
    rail = scene.joint("rail", sh.Prismatic(axis=(1, 0, 0)), scene.world, cart)
    pin = scene.joint("pin", sh.Revolute(axis=Y), cart, bob)
    sim = sh.Simulation(scene)
    linear = sim.linearise(inputs=[rail], outputs=[pin, bob.position])
    a = np.zeros((4, 4))
    a[0, 2] = a[1, 3] = 1.0
    a[2, 1], a[3, 1] = -0.1 * 9.81, 1.1 * 9.81 / 0.5
    np.testing.assert_allclose(linear.A, a, atol=1e-8)
    np.testing.assert_allclose(linear.B.values[:, 0], (0, 0, 1, -2), atol=1e-8)
    assert list(linear.C.output.values) == ["pin.angle", "bob position x", "bob position y", "bob position z"]
    np.testing.assert_allclose(linear.C, [[0, 1, 0, 0], [1, 0.5, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], atol=1e-8)
    np.testing.assert_allclose(linear.D, 0.0, atol=1e-12)
    np.testing.assert_allclose(linear.rates, 0.0, atol=1e-12)


def test_a_loop_is_linearised_as_differences_of_the_twin_are():
    q, step = 0.7, 1e-3
    scene, joints = slider_crank(q)
    shaft = joints["shaft"]
    linear = sh.Simulation(scene).linearise(inputs=[shaft], freedoms=[shaft])

    def acceleration(change: float, torque: float = 0.0) -> float:
        there, found = slider_crank(q)
        for name, pose in postured(there, {found["shaft"].angle: q + change}).items():
            body = there.bodies[name]
            body.spec = msgspec.structs.replace(
                body.spec, position=tuple(pose.position.tolist()), rotation=tuple(pose.rotation.tolist())
            )
        return twin_accelerations(there, {found["shaft"]: torque})["shaft.angle"]

    slope = (
        (8 * (acceleration(step) - acceleration(-step)) - acceleration(2 * step) + acceleration(-2 * step)) / 12 / step
    )
    assert float(linear.A[1, 0]) == pytest.approx(slope, rel=1e-7)
    assert float(linear.B[1, 0]) == pytest.approx(acceleration(0.0, 1.0) - acceleration(0.0), rel=1e-9)
    assert float(linear.rates[1]) == pytest.approx(acceleration(0.0), rel=1e-9)


def test_a_spinning_top_in_free_fall_is_linearised_by_eulers_equations():
    """About a spin W along the axis of symmetry, where C is the moment of inertia, and I across it."""
    scene = sh.Scene("top")
    scene.body("top", mass=2.0, inertia=(0.3, 0.3, 0.5), angular_velocity=(0, 0, 4.0))
    linear = sh.Simulation(scene).linearise(inputs=[])
    a = linear.A.values
    assert a.shape == (12, 12)
    turns = a[3:6, 3:6]  # of the rotation vector p: p' = w + W x p
    np.testing.assert_allclose(turns, [[0, -4, 0], [4, 0, 0], [0, 0, 0]], atol=1e-10)
    assert np.max(np.linalg.eigvals(a).imag) == pytest.approx(0.5 / 0.3 * 4.0, rel=1e-8)  # nutation at C W/I


def test_inverse_kinematics_finds_what_forward_kinematics_made_and_keeps_limits():
    scene, (shoulder, elbow), hand = planar_arm()
    sim = sh.Simulation(scene)
    goal = np.array([0.5 * np.cos(0.4) + 0.4 * np.cos(1.3), 0.0, -0.5 * np.sin(0.4) - 0.4 * np.sin(1.3)])
    found = sim.inverse_kinematics({(hand, (0.2, 0, 0)): goal})
    np.testing.assert_allclose(found, (0.4, 0.9), atol=1e-7)  # the other elbow is beyond the limits
    assert list(found.freedom.values) == [shoulder.angle.label, elbow.angle.label]
    with pytest.raises(sh.SceneError, match=r"'hand' stays .* off its target"):
        sim.inverse_kinematics({(hand, (0.2, 0, 0)): (0.95, 0, 0)})


def planar_arm():
    scene = sh.Scene("planar arm")
    upper = scene.body("upper", mass=1.0, inertia=(0.02,) * 3, position=(0.25, 0, 0))
    hand = scene.body("hand", mass=1.0, inertia=(0.02,) * 3, position=(0.7, 0, 0))
    shoulder = scene.joint("shoulder", sh.Revolute(axis=Y), scene.world, upper, limits=(-1.5, 1.5))
    elbow = scene.joint("elbow", sh.Revolute(axis=Y, anchor=(0.5, 0, 0)), upper, hand, limits=(0.0, 2.5))
    return scene, (shoulder, elbow), hand


def test_matrices_of_many_worlds_have_each_worlds_masses():
    scene, _, hand = planar_arm()
    sim = sh.Simulation(scene, worlds=3)
    sim.set(hand.mass, np.array([1.0, 2.0, 3.0]))
    matrices = sim.mass_matrix()
    assert matrices.dims == ("world", "freedom", "other")
    about_elbow = 0.02 + 0.04  # I + m d^2 of a kilogram
    np.testing.assert_allclose(matrices[:, 1, 1], about_elbow * np.array([1.0, 2.0, 3.0]), rtol=1e-12)
    efforts = sim.inverse_dynamics(np.zeros((3, 2)))
    np.testing.assert_allclose(efforts[:, 1], -9.81 * 0.2 * np.array([1.0, 2.0, 3.0]), rtol=1e-12)


def test_contacts_that_stick_are_frozen_and_round_ones_are_refused():
    """A box on the ground holds its pole as a fixed base would: p'' = m g l p/(I + m l^2)."""
    scene = sh.Scene("pole on a box")
    scene.ground()
    box = scene.body("box", sh.Box(1.0, 1.0, 0.2, mass=5.0), position=(0, 0, 0.1))
    pole = scene.body("pole", mass=1.0, inertia=(0.03,) * 3, position=(0, 0, 0.7))
    pin = scene.joint("pin", sh.Revolute(axis=Y, anchor=(0, 0, 0.2)), box, pole)
    sim = sh.Simulation(scene, dt=0.001)
    sim.step(2)
    linear = sim.linearise(inputs=[pin])
    assert list(linear.A.state.values) == ["pin.angle", "pin.angle rate"]
    assert float(linear.A[1, 0]) == pytest.approx(9.81 * 0.5 / (0.03 + 0.25), rel=1e-6)
    scene.body("ball", sh.Sphere(0.1, mass=1.0), position=(2, 0, 0.1))
    sim = sh.Simulation(scene, dt=0.001)
    sim.step(2)
    with pytest.raises(sh.SceneError, match=r"'ball' touches 'world' and has a round shape \(Sphere\)"):
        sim.linearise(inputs=[pin])
