"""What the browser is told of a scene: every shape and surface, the panel, and what the camera follows."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import sharnir as sh
from sharnir.runtime.frame_bytes import FrameWriter, tick_of
from sharnir.runtime.plant import Plant
from sharnir.view.console_panel import described, panel_of
from sharnir.view.past import Past
from sharnir.view.robots import ROBOTS
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
        "egg": sh.Ellipsoid(0.3, 0.2, 0.1, mass=1),
        "mesh": sh.Mesh(vertices=TETRAHEDRON, triangles=FACES, mass=1),
        "hull": sh.ConvexHull(points=TETRAHEDRON, mass=1),
    }
    for name, shape in shapes.items():
        scene.body(name, shape)
    scene.body("nothing", mass=2.0, inertia=(0.1, 0.1, 0.1))
    world = world_of(scene)
    kinds = {body["name"]: body["shapes"][0]["kind"] for body in world["bodies"]}
    assert kinds == {name: name for name in shapes} | {"hull": "mesh", "egg": "sphere", "nothing": "box"}
    assert world["bodies"][-1]["shapes"][0]["ghost"]
    # the box that has the inertia of the body: I = m a^2/6
    assert world["bodies"][-1]["shapes"][0]["size"] == pytest.approx([np.sqrt(0.3)] * 3)
    vertices = np.frombuffer(base64.b64decode(world["bodies"][6]["shapes"][0]["vertices"]), "<f4")
    assert vertices.reshape(-1, 3) == pytest.approx(np.array(TETRAHEDRON))
    msgspec.json.encode(world)


def test_the_colours_of_a_files_vertices_are_kept(tmp_path: Path) -> None:
    """Finding 18; vertices in the same place may have colours of their own."""
    import trimesh

    box = trimesh.creation.box((1.0, 2.0, 3.0))
    box.unmerge_vertices()
    colors = np.random.default_rng(0).integers(0, 256, (len(box.vertices), 3), np.uint8)
    box.visual = trimesh.visual.ColorVisuals(box, vertex_colors=colors)
    file = str(tmp_path / "box.glb")
    box.export(file)
    scene = sh.Scene("coloured")
    scene.body("own", sh.Mesh(file=file, mass=1.0))
    scene.body("painted", sh.Mesh(file=file, mass=1.0, color="#ff0000"))
    scene.body("plain", sh.Mesh(vertices=TETRAHEDRON, triangles=FACES, mass=1))
    world = world_of(scene)
    own, painted, plain = (body["shapes"][0] for body in world["bodies"])
    sent = np.frombuffer(base64.b64decode(world["surfaces"][own["surface"]]["colors"]), np.uint8).reshape(-1, 3)
    assert np.array_equal(sent, colors) and own["color"] == "#ffffff"
    assert "colors" not in world["surfaces"][painted["surface"]] and painted["color"] == "#ff0000"
    assert "colors" not in plain


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


def test_the_camera_shows_a_machine_that_is_driven_where_it_stands() -> None:
    """Not the load that hangs on its rope: the drum would be out of sight."""
    from sharnir.experiment import load_example

    scene = load_example("winch").scene
    world = world_of(scene)
    assert world["followed"] == -1
    for body in scene.bodies.values():  # all that moves is within the ball that is looked at
        if not body.spec.fixed:
            off = np.linalg.norm(body.pose.position - np.array(world["focus"]["center"]))
            assert off <= world["focus"]["radius"]


def test_the_seat_is_before_what_stands_on_the_body_and_machines_are_told_apart() -> None:
    scene = sh.Scene("two")
    chassis = scene.body("chassis", sh.Box(2, 1, 0.4, mass=20))
    mast = scene.body("mast", sh.Box(0.1, 0.1, 1.0, mass=1), position=(0.5, 0, 0.7))
    scene.joint("foot", sh.Revolute(anchor=(0.5, 0, 0.2)), chassis, mast)
    scene.body("ball", sh.Sphere(0.1, mass=1), position=(5, 0, 0))
    scene.body("wall", sh.Box(1, 1, 1), position=(9, 0, 0), fixed=True)
    world = world_of(scene)
    assert world["bodies"][0]["seat"][0] == 1.0  # the mast is at 0.5
    assert world["machines"] == [0, 2]  # by their heaviest bodies


def test_every_setting_of_a_panel_reaches_the_page() -> None:
    """What a scene file may say is not ignored."""
    from sharnir.control import Group, Panel
    from sharnir.control.panel import ButtonWidget, PlotWidget, SliderWidget

    scene = sh.Scene("desk")
    load = scene.body("load", sh.Box(1, 1, 1, mass=1))
    axle = scene.joint("axle", sh.Revolute(), scene.world, load, friction=sh.Coulomb(0.1))
    d = scene.diagram = sh.Diagram("desk")
    names = [f"s{i}" for i in range(5)]
    for name in names:
        d.gauge(name, d.signal(axle.speed, name=f"{name} measured"))
    d.effort(axle.effort(), d.input("push", range=(-1, 1), unit="N m"))
    d.lamp("on", d.input("horn", momentary=True))
    widgets = (
        SliderWidget(input="push", vertical=True),
        ButtonWidget(input="horn", color="#ff8800"),
        PlotWidget(signals=tuple(names[:4]), seconds=25.0),
        PlotWidget(signals=tuple(names[3:]), seconds=15.0),
    )
    scene.panel = Panel(title="The desk", groups=(Group(title="All", widgets=widgets),))
    plant = Plant(scene, 0.01, {})
    layout = FrameWriter(scene, plant.channels, tuple(plant.inputs)).layout
    told = described(scene, panel_of(scene), list(plant.inputs.values()), layout)
    slider, button = told["groups"][0]["widgets"]
    assert slider["vertical"] == "" and button["color"] == "#ff8800"
    assert (told["title"], told["seconds"], told["plotted"]) == ("The desk", 25.0, names)


def test_the_past_of_a_long_run_stays_small_and_reaches_back_to_its_beginning() -> None:
    past = Past(every=0.1, most=50)
    for i in range(5000):
        past.add(np.array([i, i, 0.1 * i, 0.11 * i]).tobytes())  # tick, step, time, clock
    ticks = [tick_of(frame) for frame in past.frames]
    assert len(ticks) <= 100 and ticks[0] == 0 and ticks[-50:] == list(range(4950, 5000))
    assert max(np.diff(ticks)) <= 5000 / 25  # evenly: at least half of the places are in use
    past.add(np.array([4999, 4999, 500.0, 900.0]).tobytes())  # paused: nothing has moved
    assert [tick_of(frame) for frame in past.frames] == ticks


def test_a_track_is_drawn_as_a_belt_and_its_sprocket_as_large_as_it_is() -> None:
    """The physics has a ring of 1.4 radii on the sprocket, for the inertia of the belt."""
    bodies = {body["name"]: body["shapes"] for body in world_of(ROBOTS["mf4"]().scene)["bodies"]}
    belt, *within = bodies["mf4_left_track"]
    assert belt["kind"] == "belt" and belt["joint"] == "mf4_left_sprocket_hinge.angle"
    (sprocket,) = bodies["mf4_left_sprocket"]
    assert all(shape["size"][0] < belt["size"][1] for shape in (sprocket, *within) if shape["kind"] == "wheel")


def test_sensors_are_channels_and_bars_on_the_console() -> None:
    """A distance sensor 0.7 m above the ground, and a rope that hangs: at its top it carries all of itself but the half
    of an element that the world does."""
    scene = sh.Scene("sensors")
    scene.ground()
    scene.body("post", sh.Box(0.1, 0.1, 0.1), position=(3, 0, 0.7), fixed=True)
    scene.ray("down", "post", direction=(0, 0, -1), reach=5.0)
    made: dict[str, Any] = {"radius": 0.01, "density": 1000.0, "elements": 10, "damping": 0.5, "breaking_load": 40.0}
    line = scene.rope("line", [(0, 0, 3), (0, 0, 2)], start=sh.Tie(body="world"), **made)
    plant = Plant(scene, 0.002, {})
    for _ in range(1000):
        plant.step()
    values = np.zeros(len(plant.channels.list))
    plant.channels.read(values)
    named = dict(zip((channel.name for channel in plant.channels.list), values, strict=True))
    assert named["down distance"] == pytest.approx(0.7, abs=1e-6)
    weight = 9.81 * line.mass_per_metre * line.length
    assert named["line tension"] == pytest.approx(weight * (1 - 1 / 20), rel=1e-3)
    writer = FrameWriter(scene, plant.channels, tuple(plant.inputs))
    groups = described(scene, panel_of(scene), list(plant.inputs.values()), writer.layout)["groups"]
    (bars,) = [group["widgets"] for group in groups if group["title"] == "Sensors"]
    assert [(bar["name"], bar["high"], bar.get("warns")) for bar in bars] == [
        ("down distance", 5.0, None),
        ("line tension", 40.0, 32.0),
    ]


def test_no_two_wheels_share_a_surface() -> None:
    """Finding 16: where two have the same axis and radius, what is seen of them flickers."""
    bodies = world_of(ROBOTS["mf4"]().scene)["bodies"]
    wheels = [
        (np.add(body["position"], shape["position"]), shape["size"][0])
        for body in bodies
        for shape in body["shapes"]
        if shape["kind"] == "wheel"
    ]
    assert len(wheels) == 6
    for i, (at, radius) in enumerate(wheels):
        for other, its_radius in wheels[:i]:
            assert np.linalg.norm(at - other) > 1e-3 or abs(radius - its_radius) > 2e-3


def test_the_arms_of_the_rover_are_on_its_body() -> None:
    """Finding 16: each arm begins within the chassis, as it is drawn."""
    scene = ROBOTS["rover"]().scene
    bodies = {body["name"]: body for body in world_of(scene)["bodies"]}
    boxes = [
        (np.array(box["position"]), np.array(box["size"]))
        for box in bodies["rover_chassis"]["shapes"]
        if box["kind"] == "box"
    ]
    arms = [joint for name, joint in scene.joints.items() if joint.b.name.endswith("_arm")]
    assert len(arms) == 6
    for joint in arms:
        hinge = np.array(joint.type.anchor) - np.array(bodies["rover_chassis"]["position"])
        radius = bodies[joint.b.name]["shapes"][0]["size"][0]
        assert any((np.abs(hinge - at) <= 0.5 * size + radius).all() for at, size in boxes), joint.name
