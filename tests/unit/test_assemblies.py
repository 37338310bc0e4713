"""Suspensions and vehicles say what is wrong with them, and what they emit is a plain scene."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import sharnir as sh
from sharnir.assemblies.kinematics import Kinematics
from sharnir.assemblies.suspensions import SUSPENSIONS
from sharnir.cli.command import main
from sharnir.scene.assemble import postured

BODY = sh.Box(0.8, 0.4, 0.2, mass=40.0, position=(0.0, 0.0, 0.3))


def two_axles(**settings: Any) -> dict[str, sh.Axle]:
    return {"front": sh.Axle(x=0.4, track=0.7, **settings), "rear": sh.Axle(x=-0.4, track=0.7)}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: sh.SwingAxle(travel=(0.01, 0.05)),
            r"SwingAxle travel is \(0.01, 0.05\) m; give how far",
        ),
        (lambda: sh.SwingAxle(arm_mass=0.0), r"SwingAxle arm_mass \(kg\) is 0; it must be above zero"),
        (lambda: sh.SwingAxle(pivot=(0.0, float("nan"), 0.0)), r"SwingAxle pivot \(m\)\[1\] is nan; give a finite"),
        (lambda: sh.SlidingPillar(spring=sh.Torsion()), "SlidingPillar has no arm that could carry a torsion bar"),
        (lambda: sh.DoubleWishbone(upper_axis=(1, 0, 0.1)), "5.711° apart.*make them parallel, or give joints='balls'"),
        (lambda: sh.DoubleWishbone(joints="ball"), "DoubleWishbone joints is 'ball'; did you mean 'balls'"),
        (lambda: sh.MacPherson(joints="pins"), "MacPherson joints is 'pins'; did you mean 'hinges'"),
        (lambda: sh.BumpStops(share=1.5), "BumpStops share is 1.5; give a share of the travel between 0 and 1"),
        (lambda: sh.Coil(-1.0), r"Coil stiffness \(N/m or N m/rad\) is -1; it must not be negative"),
        (lambda: sh.RoadWheel(radius=0.0), r"RoadWheel radius \(m\) is 0"),
        (lambda: sh.Axle(x=0.0, track=-1.0), r"Axle track \(m\) is -1"),
        (lambda: sh.Rack(arm=0.0), r"Rack arm \(m\) is 0"),
        (lambda: sh.Vehicle(shapes=(BODY,), axles={}), "Vehicle has no axles; give axles="),
        (lambda: sh.RopeHitch(apart=3.0), "RopeHitch apart is 3 m; it must be above 0 and at most the length"),
        (lambda: sh.Tracks(gauge=0.5, length=0.0, radius=0.1, width=0.1, mass=1.0), r"Tracks length \(m\) is 0"),
    ],
)
def test_bad_descriptions_are_explained(make: Any, message: str) -> None:
    with pytest.raises(sh.SceneError, match=message):
        make()


def test_bad_vehicles_are_explained() -> None:
    scene = sh.Scene()
    one = {"axle": sh.Axle(x=0.0, track=0.7)}
    with pytest.raises(sh.SceneError, match="stand on one line and cannot carry it; give it a second axle or a hitch"):
        sh.Vehicle(shapes=(sh.Box(1, 1, 1, mass=9.0, position=(0.3, 0, 0.5)),), axles=one).build(scene, "a")
    with pytest.raises(sh.SceneError, match="would lift its wheel 'rear left' as it stands"):
        sh.Vehicle(shapes=(sh.Box(1, 1, 1, mass=90.0, position=(0.6, 0, 0.5)),), axles=two_axles()).build(scene, "b")
    with pytest.raises(sh.SceneError, match="none of its shapes has a mass"):
        sh.Vehicle(shapes=(sh.Box(1, 1, 1),), axles=two_axles()).static_loads("c")
    trailer = sh.Vehicle(shapes=(BODY,), axles=one, coupling_point=(0.6, 0.0, 0.25))
    ball = sh.Towing(trailer=trailer, hitch=sh.BallHitch())
    with pytest.raises(sh.SceneError, match="tows a trailer but has no hitch_point"):
        sh.Vehicle(shapes=(BODY,), axles=two_axles(), towing=ball)
    tow = {"shapes": (BODY,), "axles": two_axles(), "hitch_point": (-0.6, 0.0, 0.2)}
    with pytest.raises(sh.SceneError, match=r"coupled 0.25 m above the ground, its hitch is at 0.2 m; make them equal"):
        sh.Vehicle(**tow, towing=ball).build(scene, "d")
    hinged = sh.Towing(trailer=trailer, hitch=sh.Drawbar())
    with pytest.raises(sh.SceneError, match="one axle and a hitch that does not hold it up, so it falls over"):
        sh.Vehicle(**tow, towing=hinged).build(scene, "e")


def test_bad_wheels_are_explained() -> None:
    scene = sh.Scene()
    chassis = scene.body("chassis", sh.Box(1, 1, 1), fixed=True)
    with pytest.raises(sh.SceneError, match="wheel 'a': its spring has no stiffness and carries no load; give one"):
        sh.SwingAxle().attach(scene, chassis, "a", (0, 0, 0), "left")
    with pytest.raises(sh.SceneError, match="wheel 'b': side is 'lefft'; did you mean 'left'"):
        sh.SwingAxle().attach(scene, chassis, "b", (0, 0, 0), "lefft", load=300.0)
    with pytest.raises(sh.SceneError, match=r"does not lift the wheel by -0.5 m; shorten the travel"):
        sh.SwingAxle(travel=(-0.5, 0.1)).attach(scene, chassis, "c", (0, 0, 0), "left", load=300.0)


def test_a_vehicle_is_a_plain_scene(tmp_path: Any) -> None:
    """What is emitted is saved, loaded and simulated like any other scene, to the bit."""
    scene = sh.Scene("robot")
    axles = two_axles(suspension=sh.DoubleWishbone(spring=sh.Torsion()), steering=sh.Rack(), brake=True)
    sh.Vehicle(shapes=(BODY,), axles=axles).build(scene, "robot", position=(1.0, 2.0, 0.0), heading=0.3, speed=1.0)
    again = sh.Scene.load(scene.save(tmp_path / "robot.yaml"))
    runs = [sh.Simulation(one, dt=0.005).run(0.1) for one in (scene, again)]
    np.testing.assert_array_equal(runs[0].data["position"].values, runs[1].data["position"].values)


def test_a_rolling_vehicle_rolls() -> None:
    """All bodies have the vehicle's speed, along its heading, and the wheels turn by speed over radius."""
    scene = sh.Scene("rolling")
    vehicle = sh.Vehicle(shapes=(BODY,), axles=two_axles())
    built = vehicle.build(scene, "robot", heading=np.pi / 2, speed=3.0)
    for body in scene.bodies.values():
        np.testing.assert_allclose(body.spec.velocity, (0.0, 3.0, 0.0), atol=1e-12)
    for corner in built.corners:
        np.testing.assert_allclose(corner.wheel.spec.angular_velocity, (-3.0 / 0.15, 0.0, 0.0), atol=1e-12)


def test_scaled_hardpoints() -> None:
    big = sh.DoubleWishbone().scaled(2.0)
    assert big.lower_pivot == (0.0, -0.70, -0.20)
    assert big.travel == (-0.12, 0.12)
    small, large = (Kinematics(one, sh.RoadWheel()).at(0.1) for one in (sh.DoubleWishbone(), big))
    np.testing.assert_allclose(large.center, 2.0 * small.center, atol=1e-9)


def test_camber_and_toe_of_the_neutral_position() -> None:
    for name, kind in SUSPENSIONS.items():
        posture = Kinematics(kind(camber=-0.02, toe=0.01), sh.RoadWheel()).neutral
        assert (posture.camber, posture.toe) == pytest.approx((-0.02, 0.01), abs=1e-12), name


def test_postures_are_explained() -> None:
    scene = sh.Scene("pendulum")
    bob = scene.body("bob", sh.Sphere(0.1, mass=1.0), position=(1, 0, 0))
    pivot = scene.joint("pivot", sh.Revolute(axis=(0, 1, 0)), scene.world, bob)
    np.testing.assert_allclose(postured(scene, {pivot.angle: np.pi / 2})["bob"].position, (0, 0, -1), atol=1e-9)
    scene.joint("rod", sh.Distance(anchor_a=(3, 0, 0), anchor_b=(1, 0, 0)), scene.world, bob)
    with pytest.raises(sh.SceneError, match=r"has no posture with pivot.angle = 1 rad; take values that the mechanism"):
        postured(scene, {pivot.angle: 1.0})
    with pytest.raises(sh.SceneError, match="'bob position' is not a joint coordinate"):
        postured(scene, {bob.position: 1.0})


def test_rig_command(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path)
    assert main(["rig", "double_wishbone", "--rack", "--json", "--out", folder]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["camber"]["unit"] == "°"
    assert max(found["travel"]["values"]) == pytest.approx(60.0)
    assert (tmp_path / "rig-double_wishbone.png").stat().st_size > 10_000
    assert main(["rig", "swing-axle", "--torsion", "--travel", "-0.03", "0.05", "--out", folder]) == 0
    assert "rad/m" in capsys.readouterr().out
    assert main(["rig", "wishbone", "--out", folder]) == 2
    assert "did you mean 'double_wishbone'" in capsys.readouterr().err
