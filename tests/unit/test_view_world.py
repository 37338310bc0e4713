"""What the browser is told of a scene: every shape and surface, the panel, and what the camera follows."""

from __future__ import annotations

import base64

import msgspec
import numpy as np
import pytest

import sharnir as sh
from sharnir.runtime.frames import FrameWriter
from sharnir.runtime.plant import Plant
from sharnir.view.panel import described, panel_of
from sharnir.view.world import world_of

TETRAHEDRON = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def test_every_shape_has_a_picture() -> None:
    scene = sh.Scene("shapes")
    shapes = {
        "box": sh.Box(1, 2, 3, mass=1),
        "sphere": sh.Sphere(0.5, mass=1),
        "cylinder": sh.Cylinder(0.5, 2, mass=1),
        "capsule": sh.Capsule(0.5, 2, mass=1),
        "wheel": sh.Wheel(0.3, 0.1, mass=1),
        "mesh": sh.Mesh(vertices=TETRAHEDRON, triangles=FACES, mass=1),
        "hull": sh.ConvexHull(points=TETRAHEDRON, mass=1),
    }
    for name, shape in shapes.items():
        scene.body(name, shape)
    scene.body("nothing", mass=2.0, inertia=(0.1, 0.1, 0.1))
    world = world_of(scene)
    kinds = {body["name"]: body["shapes"][0]["kind"] for body in world["bodies"]}
    assert kinds == {name: name for name in shapes} | {"hull": "mesh", "nothing": "box"}
    assert world["bodies"][-1]["shapes"][0]["ghost"]
    # the box that has the inertia of the body: I = m a^2/6
    assert world["bodies"][-1]["shapes"][0]["size"] == pytest.approx([np.sqrt(0.3)] * 3)
    vertices = np.frombuffer(base64.b64decode(world["bodies"][5]["shapes"][0]["vertices"]), "<f4")
    assert vertices.reshape(-1, 3) == pytest.approx(np.array(TETRAHEDRON))
    msgspec.json.encode(world)


def test_terrain_is_handed_over() -> None:
    scene = sh.Scene("land")
    scene.ground(height=-0.5)
    scene.terrain("rock", sh.Mesh(vertices=TETRAHEDRON, triangles=FACES), position=(3, 0, 0))
    scene.body("ball", sh.Sphere(0.5, mass=1), position=(0, 0, 0))
    world = world_of(scene)
    assert [surface["kind"] for surface in world["terrain"]] == ["plane", "mesh"]
    assert world["extent"]["floor"] == -0.5
    assert world["terrain"][1]["position"] == (3, 0, 0)


def test_a_height_field_is_sent_as_its_rows_of_heights() -> None:
    scene = sh.Scene("hills")
    heights = ((0.0, 1.0, 2.0), (3.0, 4.0, 5.0))
    scene.terrain("hill", sh.HeightField(heights=heights, spacing=(0.5, 0.25)))
    (packed,) = world_of(scene)["terrain"]
    assert packed["kind"] == "heights"
    assert packed["spacing"] == [0.5, 0.25]
    sent = np.frombuffer(base64.b64decode(packed["heights"]), "<f4").reshape(packed["rows"], -1)
    assert sent.tolist() == [list(row) for row in heights]


def test_the_camera_follows_what_no_joint_ties_to_the_world() -> None:
    scene = sh.Scene("two")
    arm = scene.body("arm", sh.Box(1, 1, 1, mass=100))
    scene.joint("hinge", sh.Revolute(), scene.world, arm)
    assert world_of(scene)["followed"] == -1
    chassis = scene.body("chassis", sh.Box(1, 1, 1, mass=20), position=(5, 0, 0))
    wheel = scene.body("wheel", sh.Wheel(0.3, 0.1, mass=2), position=(5, 0, 0))
    scene.joint("axle", sh.Revolute(anchor=(5, 0, 0)), chassis, wheel)
    assert world_of(scene)["followed"] == 1


def test_a_panel_of_every_widget() -> None:
    from sharnir.experiment import load_example

    scene = load_example("skid_steer").scene
    plant = Plant(scene, 0.005, {})
    layout = FrameWriter(scene, plant.channels, tuple(plant.inputs)).layout
    told = described(scene, panel_of(scene), list(plant.inputs.values()), layout)
    kinds = [widget["kind"] for group in told["groups"] for widget in group["widgets"]]
    assert kinds == ["joystick", "switch", "switch", "gauge", "gauge", "gauge", "lamp", "lamp"]
    assert told["plotted"] == ["speed", "left side", "right side"]
    assert told["keys"][0] == {"key": "ArrowUp", "input": "forward", "action": "hold", "value": 1.0}
    assert told["axes"][0]["invert"] is True
    assert "<svg" in told["diagram"]
    known = {channel.name for channel in layout.channels} | set(plant.inputs)
    named = {widget.get("name") for group in told["groups"] for widget in group["widgets"]} - {None}
    assert named <= known
