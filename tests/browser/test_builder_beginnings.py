"""The first steps in the constructor: an empty scene, a console without a scheme, files, couplings of the palette."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from audit import audit, needs_axe
from builders import WINDOW, Builder, Person

TETRAHEDRON = """\
solid t
facet normal 0 0 -1
outer loop
vertex 0 0 0
vertex 0 1 0
vertex 1 0 0
endloop
endfacet
facet normal 0 -1 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 1
endloop
endfacet
facet normal -1 0 0
outer loop
vertex 0 0 0
vertex 0 0 1
vertex 0 1 0
endloop
endfacet
facet normal 1 1 1
outer loop
vertex 1 0 0
vertex 0 1 0
vertex 0 0 1
endloop
endfacet
endsolid t
"""
DRIVE = "drive: {type: dc_drive, stall_torque: 1.5, idle_speed: 300, time_constant: 0.02, ratio: 50}"
TRAIN = """\
sharnir: 1
name: train
bodies:
  one: {shapes: [{type: box, x: 0.2, y: 0.2, z: 0.2, mass: 1}]}
  two: {shapes: [{type: box, x: 0.2, y: 0.2, z: 0.2, mass: 1}], position: [1, 0, 0]}
joints:
  first: {joint: {type: revolute}, between: [world, one], @@}
  second: {joint: {type: revolute, anchor: [1, 0, 0]}, between: [world, two]}
"""


@pytest.fixture
def opened(chromium: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Person]:
    file = tmp_path / "train.yaml"
    if text := getattr(request, "param", TRAIN.replace("@@", DRIVE)):
        file.write_text(text)
    builder, context = Builder(file), chromium.new_context(viewport=WINDOW)
    person = Person(context, builder.link)
    person.until_told()
    yield person
    context.close()
    builder.end()
    assert person.errors == []
    assert all(url.startswith((builder.address, "data:", "blob:")) for url in person.requests)


def no_problems(person: Person) -> None:
    person.until_told()
    assert person.page.locator(".problems-summary").text_content() == "No problems"


@pytest.mark.parametrize("opened", [""], indirect=True)
def test_an_empty_scene_tells_to_take_a_body_from_the_palette(opened):
    said = opened.page.locator(".problems-summary").text_content()
    assert "palette" in said and "scene.body" not in said


def test_a_console_without_a_scheme_is_bound_to_the_drives(opened):
    opened.button("Console")
    opened.until("() => sharnir.document.offered.diagram")
    opened.page.locator(".panel-signals", has_text="no scheme of its own").wait_for()
    opened.button("Add: Lever")
    opened.until("() => sharnir.document.data.panel?.groups[0].widgets[0].input === 'first voltage'")
    assert "first voltage" in opened.document["diagram"]["inputs"]
    no_problems(opened)
    opened.page.keyboard.press("Control+z")
    opened.until("() => !sharnir.document.data.panel && !sharnir.document.data.diagram")


def test_the_console_that_the_scene_would_get_is_a_beginning(opened):
    opened.button("Console")
    opened.button("Begin with the console it would get")
    opened.until("() => sharnir.document.data.panel?.groups.length > 1")
    no_problems(opened)


@pytest.mark.parametrize("opened", [TRAIN.replace(", @@", "")], indirect=True)
def test_a_control_brings_its_input_and_nothing_is_bound_to_nothing(opened):
    opened.button("Console")
    opened.page.locator(".panel-signals", has_text="nothing to drive yet").wait_for()
    for kind in ("Gauge", "Lamp", "Camera picture", "Plot"):
        opened.button(f"Add: {kind}")
    assert "panel" not in opened.document and "diagram" not in opened.document
    for kind in ("Lever", "Joystick", "Switch", "Selector"):
        opened.button(f"Add: {kind}")
    opened.until("() => sharnir.document.data.panel?.groups[0].widgets.length === 4")
    lever, stick, switch, selector = opened.document["panel"]["groups"][0]["widgets"]
    assert lever["input"] == "lever" and {stick["x"], stick["y"]} == {"lever", "steer"}
    assert (switch["input"], selector["input"]) == ("switch", "selector")
    no_problems(opened)


def test_a_mesh_and_a_picture_are_chosen_from_the_files_beside(opened, tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "rock.stl").write_text(TETRAHEDRON)
    opened.add("mesh")
    opened.until("() => sharnir.document.data.bodies.mesh")
    opened.button("Choose a file for file")
    opened.button("meshes/rock.stl")
    opened.until("() => sharnir.document.data.bodies.mesh.shapes[0].file === 'meshes/rock.stl'")
    assert "vertices" not in opened.document["bodies"]["mesh"]["shapes"][0]
    no_problems(opened)
    opened.button("Choose a file for texture")
    opened.page.get_by_text("There is no such file beside the scene").wait_for()
    opened.button("Cancel")


@needs_axe
def test_the_list_of_files_passes_the_audit(opened, tmp_path):
    (tmp_path / "rock.stl").write_text(TETRAHEDRON)
    opened.add("mesh")
    opened.until("() => sharnir.document.data.bodies.mesh")
    opened.button("Choose a file for file")
    opened.page.get_by_role("button", name="rock.stl").wait_for()
    audit(opened.page)


@needs_axe
@pytest.mark.parametrize("opened", [TRAIN.replace(", @@", ""), TRAIN.replace("@@", DRIVE)], indirect=True)
def test_an_empty_console_passes_the_audit(opened):
    opened.button("Console")
    opened.page.locator(".panel-signals p").wait_for()
    audit(opened.page)


@pytest.mark.parametrize("kind", ["gearbox", "weighted sum", "gear"])
def test_a_coupling_of_the_palette_is_right_from_the_beginning(opened, kind):
    opened.click(opened.row("first"))
    opened.click(opened.row("second"), modifiers=["Control"])
    opened.add(kind)
    opened.until("() => sharnir.document.data.couplings")
    (made,) = opened.document["couplings"].values()
    assert [label.partition(".")[0] for label in made["coordinates"]] == ["first", "second"]
    no_problems(opened)


def test_a_sensor_is_put_on_another_thing_by_its_list(opened):
    opened.click(opened.row("first"))
    opened.add("encoder")
    opened.until("() => sharnir.document.data.sensors?.encoder")
    field = opened.field("/sensors/encoder/on")
    assert field.locator("option").all_text_contents() == ["first.angle", "second.angle"]
    opened.choose(field, "second.angle")
    opened.until("() => sharnir.document.data.sensors.encoder.on === 'second.angle'")
    no_problems(opened)
    opened.click(opened.row("one"))
    opened.add("imu")
    opened.until("() => sharnir.document.data.sensors.imu")
    assert opened.field("/sensors/imu/on").locator("option").all_text_contents() == ["one", "two"]
