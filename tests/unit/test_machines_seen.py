"""What is only seen of machines: the physics knows nothing of it, and it is drawn where the physics has its parts."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

import sharnir as sh
from sharnir.assemblies.axle import Axle
from sharnir.assemblies.final_drive import FinalDrive
from sharnir.assemblies.suspensions import DoubleWishbone
from sharnir.assemblies.vehicle import Vehicle
from sharnir.files.scene_file import scene_content, scene_of
from sharnir.view.robots import ROBOTS
from sharnir.view.world import world_of


def undressed(scene: sh.Scene) -> tuple[sh.Scene, int]:
    """The same scene without the shapes that neither weigh nor touch, and how many those were."""
    content, count, bodies = scene_content(scene), 0, {}
    for name, spec in content.bodies.items():
        kept = tuple(shape for shape in spec.shapes if shape.collides or shape.mass or shape.density)
        count += len(spec.shapes) - len(kept)
        bodies[name] = msgspec.structs.replace(spec, shapes=kept)
    return scene_of(msgspec.structs.replace(content, bodies=bodies, sky=None)), count


@pytest.mark.parametrize("name", ["krt100", "mf4", "rover", "car"])
def test_the_physics_knows_nothing_of_what_is_only_seen(name: str) -> None:
    """The same bits with and without everything that does not weigh and does not touch."""
    experiment = ROBOTS[name]()
    bare, count = undressed(experiment.scene)
    assert count >= 20
    runs = [sh.Simulation(scene, dt=0.005, iterations=20).run(0.1) for scene in (experiment.scene, bare)]
    for quantity in ("position", "rotation", "velocity"):
        seen, unseen = (run.data[quantity].values for run in runs)
        assert np.array_equal(seen, unseen), quantity


def test_springs_and_rods_are_told_with_their_ends() -> None:
    scene = sh.Scene("springs")
    load = scene.body("load", sh.Box(0.2, 0.2, 0.2, mass=1.0), position=(0, 0, 1.0))
    strut = sh.Strut(anchor_a=(0, 0, 0), anchor_b=(0, 0, 0.9))
    scene.joint("coil", strut, scene.world, load, spring=sh.Spring(100.0, 5.0))
    arm = scene.body("arm", sh.Box(0.4, 0.1, 0.1, mass=1.0), position=(1.0, 0, 0))
    hinge = sh.Revolute(axis=(0, 1, 0), anchor=(0.8, 0, 0))
    scene.joint("bar", hinge, scene.world, arm, spring=sh.Spring(10.0))
    scene.joint("rod", sh.Distance(anchor_a=(1.2, 0, 0), anchor_b=(0, 0, 1.0)), arm, load)
    world = world_of(scene)
    coil, bar = world["springs"]
    assert (coil["kind"], coil["damped"], coil["a"], coil["b"]) == ("coil", True, -1, 0)
    assert coil["length"] == pytest.approx(0.9) and coil["frame_b"][:3] == pytest.approx([0.0, 0.0, -0.1])
    assert (bar["kind"], bar["angle"]) == ("torsion", "bar.angle")
    (rod,) = world["rods"]
    assert (rod["a"], rod["b"]) == (1, 0) and rod["length"] == pytest.approx(np.hypot(1.2, 1.0))


def test_knots_and_eyelets_of_a_rope_are_told() -> None:
    scene = sh.Scene("rope")
    post = scene.body("post", sh.Box(0.1, 0.1, 0.1, mass=1.0), position=(1.0, 0.0, 2.0), fixed=True)
    eye = sh.Eyelet(body=post, at=1.0)
    scene.rope(
        "line",
        path=((0, 0, 2), (2, 0, 2)),
        radius=0.01,
        density=1000.0,
        bending=0.0,
        twisting=0.0,
        start=sh.Tie(body="world"),
        eyelets=(eye,),
    )
    (rope,) = world_of(scene)["ropes"]
    assert rope["knots"] == [0]
    (ring,) = rope["eyelets"]
    assert ring["body"] == 0 and ring["at"] == pytest.approx([0.0, 0.0, 0.0], abs=0.2)


def test_a_turned_shape_is_no_larger_than_it_is() -> None:
    """A long bar across: a ball about it would put the camera far away."""
    scene = sh.Scene("bar")
    half = 0.5**0.5
    scene.body("bar", sh.Cylinder(0.01, 2.0, mass=1.0, rotation=(half, 0.0, 0.0, half)))
    focus = world_of(scene)["focus"]
    assert focus["radius"] == pytest.approx(np.linalg.norm([0.01, 1.0, 0.01]))


def shaft_of(body: sh.Body) -> float:
    """How far the longest cylinder that is only seen reaches from the middle of a wheel (m), 0 without one."""
    pipes = [shape for shape in body.spec.shapes if isinstance(shape, sh.Cylinder) and not shape.collides]
    ends = [np.linalg.norm(pipe.position) + 0.5 * pipe.length for pipe in pipes]
    return float(max(ends, default=0.0))


def test_driven_wheels_between_arms_have_drive_shafts_to_where_the_arms_are_hinged() -> None:
    suspension = DoubleWishbone()
    final = FinalDrive(ratio=4.0)
    axles = {
        "motors": Axle(x=1.0, track=1.2, suspension=suspension, drive=sh.DcDrive(1.0, 100.0, 0.02, 20.0)),
        "final": Axle(x=0.0, track=1.2, suspension=suspension, final_drive=final),
        "rolling": Axle(x=-1.0, track=1.2, suspension=suspension, brake=True),
    }
    scene = sh.Scene("shafts")
    built = Vehicle(shapes=(sh.Box(2.5, 0.4, 0.3, mass=200.0),), axles=axles).build(scene, "cart")
    for name, axle in built.axles.items():
        for corner in (axle.left, axle.right):
            reach = -suspension.lower_pivot[1] if name != "rolling" else 0.58 * axles[name].wheel.width
            assert shaft_of(corner.wheel) == pytest.approx(reach, abs=1e-6)
