"""What the sweep has found, shrunk to its core, so that it stays fixed."""

from __future__ import annotations

import numpy as np
import pytest
from bounds import EPS, locked_slip, lost, work_of_solver
from random_scenes import Kind, add_kit
from watching import watch

import sharnir as sh
from sharnir.dynamics.pipeline import MOST_PUSHED

BALL = sh.Sphere(0.5, mass=1.0)


def with_kit(scene: sh.Scene) -> sh.Scene:
    """The scene with one of everything far away, which gives it the kernel of the other random scenes."""
    add_kit(scene, Kind("found"))
    return scene


def test_friction_whose_load_vanishes() -> None:
    """Its bound falls to 1e-65 N s within a few steps; the rule for sliding divided by it and by its square."""
    scene = sh.Scene("unloaded", gravity=(0, 0, 0))
    scene.body("spun", BALL, position=(0, 0, 1), angular_velocity=(0, 0, 1))
    plane = sh.Planar(normal=(0, 1, 0))
    scene.joint("plane", plane, "world", "spun", friction={"angle": sh.Coulomb(1.0, load=sh.Load(radius=0.125))})
    assert watch(with_kit(scene), 0.01, 200).fault is None


def test_viscous_friction_whose_load_vanishes() -> None:
    """Its conductance falls to 1e-156, the inverse of which was on the diagonal of the direct solver."""
    scene = sh.Scene("unloaded", gravity=(0, 0, 0))
    scene.body("thrown", BALL, position=(0, 0, 1), velocity=(0, 0, 1))
    law = sh.Stribeck(1.0, 1.0, 1.0, viscous=1.0, load=sh.Load(radius=0.125))
    scene.joint("ball", sh.Spherical(), "world", "thrown", friction=law, limits={"twist": (0.0, 0.0)})
    assert watch(with_kit(scene), 0.01, 200).fault is None


def test_a_body_that_whips_round_its_rod_does_not_explode() -> None:
    """A rod fixed 1 m beside a disc of 0.33 m that turns by 0.17 rad in a step.

    Where the two line up the disc is turned round within a step, which no step of this length resolves: 9.9 kJ became
    33 kJ. Impulses that lead onto the rod are cut there; what is left is within twice the energy of the start.
    """
    scene = sh.Scene("whip", gravity=(0, 0, 0))
    scene.body(
        "disc",
        sh.Cylinder(0.333, 0.0913, mass=2950.0),
        position=(1.0, -0.734, 0.0),
        rotation=(-0.4990464470287236, -0.8665752383422961, 0.0, 0.0),
        velocity=(0.598, 0.0, 1.77),
        angular_velocity=(-6.53, 0.0, 6.04),
    )
    rod = sh.Distance(anchor_a=(0.821, -0.602614, 0.0), anchor_b=(1.821, -1.336614, 0.0))
    scene.joint("rod", rod, "world", "disc")
    seen = watch(with_kit(scene), 0.0186, 2000)
    energy = seen.kinetic()
    assert seen.fault is None
    assert energy.max() <= 2 * energy[0]


def test_a_light_link_between_heavy_bodies_holds() -> None:
    """Gamma was 1e-10 of the link's own inverse mass in every joint, a tenth of the bodies': it slipped by 14 mm/s."""
    scene = sh.Scene("light link")
    scene.body("top", sh.Sphere(0.3, mass=1e4), position=(1, 0, 0))
    scene.body("link", sh.Sphere(0.02, mass=1e-2), position=(1.5, 0, 0))
    scene.body("load", sh.Sphere(0.3, mass=1e4), position=(2, 0, 0), velocity=(0, 0, 3))
    scene.joint("pivot", sh.Spherical(), "world", "top")
    scene.joint("upper", sh.Spherical(anchor=(1.2, 0, 0)), "top", "link")
    scene.joint("lower", sh.Spherical(anchor=(1.8, 0, 0)), "link", "load")
    seen = watch(with_kit(scene), 0.01, 500, integrator="semi-implicit-euler")
    fastest = np.linalg.norm(seen.velocity, axis=-1).max()
    assert max(locked_slip(seen, joint)[0].max() for joint in scene.joints.values()) < lost(seen) * fastest


def test_a_spring_in_a_universal_joint_counts_its_turns() -> None:
    """Its angle jumped by a whole turn at pi, and the spring pushed on instead of pulling back."""
    scene = sh.Scene("turned", gravity=(0, 0, 0))
    scene.body("fork", BALL, angular_velocity=(12, 0, 0))
    cross = scene.joint("cross", sh.Universal(), "world", "fork", spring={"angle_a": sh.Spring(1.0)})
    seen = watch(with_kit(scene), 0.01, 300, integrator="semi-implicit-euler")
    gained, allowed = work_of_solver(seen)
    assert (gained <= allowed).all()
    angle = sh.Simulation(scene, 0.01).run(1.0)[cross.coordinate("angle_a")]
    assert np.pi < float(angle.max()) < 12 * 0.1**0.5 * (1 + 0.1**2 / 8)  # w sqrt(I/k), w dt = 0.1


def test_one_bound_at_a_time_holds_a_coordinate() -> None:
    """Between two bounds with no room the impulses of both grew together, and the one that had no part did work."""
    scene = sh.Scene("clamped")
    scene.body(
        "arm", sh.Box(0.4, 0.1, 0.1, mass=5.0), position=(0.5, 0, 0), velocity=(0, 0, 1), angular_velocity=(3, 1, 2)
    )
    scene.body("tip", sh.Box(0.3, 0.1, 0.05, mass=1.0), position=(1, 0, 0))
    scene.joint("shoulder", sh.Spherical(), "world", "arm", limits={"twist": (0.0, 0.0)})
    scene.joint("wrist", sh.Planar(anchor=(1, 0, 0)), "arm", "tip", limits={"angle": (0.0, 0.0), "x": (0.0, 0.1)})
    seen = watch(with_kit(scene), 0.01, 500, integrator="semi-implicit-euler")
    gained, allowed = work_of_solver(seen)
    assert (gained <= allowed).all()
    assert (seen.impulses["low_impulse"] * seen.impulses["high_impulse"] == 0.0).all()


def test_limits_and_friction_on_what_a_loop_holds_already() -> None:
    """A slide keeps the ball from turning: the inverse mass of its limits is rounding, and came out negative."""
    scene = sh.Scene("held", gravity=(0, 0, 0))
    turned = (-0.3761782150568541, 0, 0.9265473277262416, 0)
    scene.body("held", sh.Sphere(0.02, mass=1.58), position=(0.977, 0, -0.612), rotation=turned)
    slide = sh.Prismatic(axis=(0, -0.0613, 0.94))
    scene.joint("slide", slide, "world", "held", friction=sh.Viscous(4370.0))
    ball = sh.Spherical(anchor=(0.5, 0, -0.3), axis=(0.3, 0.2, 0.9))
    spring = {"twist": sh.Spring(15500.0, 0.00389, rest=-0.0245, side="pull")}
    limits = {"swing_y": (-0.165, 0.0), "swing": (None, 3.0)}
    law = sh.Coulomb(0.405, law="impulse-clamp", load=sh.Load(radius=0.0779, preload=37.8))
    scene.joint("ball", ball, "held", "world", friction=law, spring=spring, limits=limits)
    assert watch(with_kit(scene), 0.00107, 500).fault is None


@pytest.mark.parametrize("what", ["overlap", "limit"])
def test_what_cannot_move_is_not_pushed_without_end(what: str) -> None:
    """A plate bolted to the world in the ground, and a bound that a bolt keeps passed, were pushed by 10^12 N s.

    Pseudo-impulses end at ERP G/(dt give), G the overlap or how far the bound is passed and give 10^-8 of an inverse
    mass. Of the motion that they would cause alone, ERP G/give, the joint leaves the rounded share; ERP of it closes.
    """
    scene = sh.Scene("bolted", gravity=(0, 0, 0))
    depth, lever = 0.05, 1.0  # m or rad, m
    scene.body("plate", sh.Box(0.4, 0.9, 0.1, mass=1.0), position=(0.1, 1.0, -1.0), rotation=(0.6, 0.0, 0.0, 0.8))
    scene.joint("bolt", sh.Fixed(), "world", "plate")
    hinge = scene.joint("hinge", sh.Revolute(anchor=(0.1, 1.0, -1.0)), "world", "plate", limits=(-1.0, 1.0))
    if what == "overlap":
        scene.ground(height=-1.0 - 0.45 * 0.96 - 0.05 * 0.28 + depth)  # the plate leans by 2 atan(3/4), sine 0.96
    sim = sh.Simulation(with_kit(scene), 0.01)
    if what == "limit":
        sim.set(hinge.lower(), depth)
    before = [sim.state.position.numpy().copy(), sim.state.rotation.numpy().copy()]
    sim.step(500)
    moved = max(
        np.abs(sim.state.position.numpy() - before[0]).max(), np.abs(sim.state.rotation.numpy() - before[1]).max()
    )
    inertia = 1.0 * (0.4**2 + 0.1**2) / 12.0  # the plate's least, kg m^2; EPS is rounding's, see bounds.py
    assert moved < EPS * (1.0 + lever**2 / inertia) * depth / 1e-8
    assert sim.report_arrays.residual.numpy().max() < 1e-3


def test_bodies_that_cannot_part_do_not_run_away() -> None:
    """Two capsules start inside each other in hinges that leave them no way out.

    Where a contact's normal meets the hinge, any pseudo-velocity along it takes an endless turn: the world stopped.
    """
    scene = sh.Scene("stuck")
    scene.ground(height=-1.0)
    capsule = (0.412, 0.931)
    scene.body("left", sh.Capsule(*capsule, mass=2.48), position=(-0.369, 0, 0.554), rotation=(0, 0, -1, 0))
    turned = (0.6517848230942738, 0, 0, 0.7584039453905592)
    scene.body("right", sh.Capsule(*capsule, mass=1.0), position=(0, 0, 0.169), rotation=turned)
    scene.joint("skew", sh.Revolute(axis=(0.936, 0.336, 0.572)), "world", "left")
    scene.joint("level", sh.Revolute(axis=(1, 0, 0)), "world", "right")
    seen = watch(with_kit(scene), 1e-4, 1000)
    assert seen.fault is None
    assert (seen.dt * np.linalg.norm(seen.push_spin, axis=-1)).max() <= MOST_PUSHED * (1.0 + EPS)


@pytest.mark.parametrize("values", [(-50.0, "upper"), (50.0, "lower")])
def test_a_bound_that_is_refused_is_not_set(values: tuple[float, str]) -> None:
    scene = sh.Scene("bounds")
    scene.body("spun", BALL)
    pin = scene.joint("pin", sh.Revolute(), "world", "spun", limits=(-1.0, 1.0))
    sim = sh.Simulation(with_kit(scene), 0.01)
    value, side = values
    with pytest.raises(sh.SceneError, match="above the upper"):
        sim.set(getattr(pin, side)(), value)
    assert (sim.model.lower.numpy()[0, 0], sim.model.upper.numpy()[0, 0]) == (-1.0, 1.0)
