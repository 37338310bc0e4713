"""The constructor's editors on one machine, by mouse and keyboard: sheet, console, plots, snapping, tabs, the disk."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from audit import audit, needs_axe
from builders import WINDOW, Builder, Person
from consoles import wait_for

from sharnir.experiment import list_examples, load_example

SCENE = """\
# A yard, by hand.
sharnir: 1
name: yard
terrain:
  ground: {surface: {type: plane}}
bodies:
  cart: {shapes: [{type: box, x: 0.8, y: 0.3, z: 0.2, mass: 40}], position: [0, 0, 0.1]}   # heavy
  block: {shapes: [{type: box, x: 0.3, y: 0.3, z: 0.4, mass: 5}], position: [0.37, 1, 0.2]}
cameras:
  eye: {body: block, position: [0.4, 0, 0.2]}
diagram:
  inputs:
    throttle: {range: [-1, 1]}
  blocks:
    half: {type: gain, input: throttle, k: 0.5}
    twice: {type: gain, input: half, k: 2}
  outputs:
    speed: {type: gauge, value: twice}
panel:
  groups:
    - title: Drive
      widgets:
        - {type: slider, input: throttle, place: [0, 0, 6, 2]}
"""
ZOOM = "() => sharnir.context.scheme.flow.store.viewport.value.zoom"
# The radius (m) of the ring that turns about the vertical.
RING = """() => {
    const { gizmo, view } = sharnir.context.stage;
    const { camera } = view.cameras;
    const far = camera.position.distanceTo(gizmo.pivot.position);
    return 0.125 * far * 1.9 * Math.tan((Math.PI * camera.fov) / 360) * gizmo.controls.size;
}"""
NAMES = list(list_examples())
EXAMPLES = NAMES if os.environ.get("SHARNIR_SLOW") else NAMES[:2]


@pytest.fixture(scope="module")
def opened(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Person, Builder, Path]]:
    file = tmp_path_factory.mktemp("yard") / "yard.yaml"
    file.write_text(SCENE)
    builder, context = Builder(file), chromium.new_context(viewport=WINDOW)
    person = Person(context, builder.link)
    person.until_drawn("block")
    yield person, builder, file
    assert person.errors == []
    assert all(url.startswith((builder.address, "data:", "blob:")) for url in person.requests)
    context.close()
    builder.end()


@pytest.fixture
def person(opened: tuple[Person, Builder, Path]) -> Iterator[Person]:
    """The page with the document of the file, before and after."""
    found = opened[0]
    yield found
    found.until("() => sharnir.document.pending.length === 0")
    found.page.locator(".tree-list").focus()
    while found.page.evaluate("() => sharnir.document.state.undo !== null"):
        before = found.page.evaluate("() => sharnir.document.revision")
        found.page.keyboard.press("Control+z")
        found.until("(before) => sharnir.document.revision > before", before)
    if side := found.page.evaluate("() => sharnir.context.sides.open"):
        found.page.locator(f"[data-side={side}]").click()
    found.until_told()


def middle(found: Any) -> tuple[float, float]:
    box = found.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_body_that_is_moved_near_the_axis_of_another_is_caught_by_it(person):
    person.click(person.row("cart"))
    person.until("() => sharnir.context.stage.gizmo.controls.object")
    start, end = person.seen("cart", (0.13, 0.0, 0.0)), person.seen("cart", (0.47, 0.0, 0.0))
    person.drag(start, end)
    person.until("() => sharnir.document.data.bodies.cart.position[0] > 0.2")
    assert person.document["bodies"]["cart"]["position"][0] == 0.37  # of the block, and of no step


def test_a_ring_of_the_gizmo_turns_by_steps(person):
    person.click(person.row("block"))
    person.page.locator("#pane-stage canvas").first.focus()
    person.key("r")
    radius = person.page.evaluate(RING)
    start, end = ([radius * math.cos(turn), radius * math.sin(turn), 0.0] for turn in (-1.0, -0.3))
    person.drag(person.seen("block", tuple(start)), person.seen("block", tuple(end)))
    person.until("() => sharnir.document.data.bodies.block.rotation")
    x, y, z, w = person.document["bodies"]["block"]["rotation"]
    steps = math.degrees(2 * math.atan2(z, w)) / 15
    assert (x, y) == (0, 0) and steps > 0.5 and abs(steps - round(steps)) < 1e-6
    person.page.locator("#pane-stage canvas").first.focus()
    person.key("g")


def test_a_sheet_is_zoomed_searched_and_laid_out_by_hand(person, opened):
    person.button("Scheme")
    person.until("() => sharnir.context.scheme?.settled && document.querySelectorAll('.vue-flow__node').length === 4")
    before = person.page.evaluate(ZOOM)
    person.button("Zoom in")
    person.until(f"(before) => ({ZOOM})() > before", before)
    person.page.mouse.move(*middle(person.page.locator(".scheme-canvas")))
    person.page.mouse.wheel(0, 600)
    person.until(f"(before) => ({ZOOM})() < before", before)
    person.type(person.page.get_by_label("Find on this sheet"), "twi")
    person.until("() => document.querySelector('.vue-flow__node.selected')?.dataset.id === 'blocks/twice'")
    person.button("Fit the sheet to the window")
    person.until("() => sharnir.context.scheme.settled")
    box = person.page.locator(
        ".vue-flow__node[data-id='blocks/half'] .box-title, .vue-flow__node[data-id='blocks/half']"
    )
    x, y = middle(box.first)
    person.drag((x, y), (x + 30, y + 60))
    person.until("() => sharnir.document.data.diagram.sheet?.at?.half")
    place = person.document["diagram"]["sheet"]["at"]["half"]
    person.button("Scheme")
    person.button("Scheme")
    person.until("() => sharnir.context.scheme.settled")
    assert person.page.evaluate("() => sharnir.context.scheme.flow.place('blocks/half')") == {
        "x": place[0],
        "y": place[1],
    }


def test_a_wire_is_clicked_into_the_plots_and_has_its_past_there(person):
    person.button("Scheme")
    person.until("() => sharnir.context.scheme?.settled && document.querySelectorAll('.vue-flow__edge').length === 3")
    person.key("F5")
    person.until("() => sharnir.context.trial.link?.frame?.time > 0.5")
    wire = person.page.locator(".vue-flow__edge").nth(1)
    person.page.mouse.click(*middle(wire.locator("path").first))
    person.page.locator(".scheme-plots .chip", has_text="half").wait_for()
    person.page.locator(".scheme-plot svg, .scheme-plot canvas").first.wait_for()
    person.page.locator(".scheme-plots .chip").first.click()
    person.key("F5")
    person.until("() => !sharnir.context.trial.running")


def test_a_console_has_a_look_texts_and_camera_pictures_that_move(person):
    person.button("Console")
    person.page.locator(".panel-frame").first.wait_for()
    person.key("Escape")
    person.choose(person.page.locator('.panel-form [data-field="theme"]'), "Steel")
    person.button("Add: Text")
    person.type(person.page.locator(".panel-form").get_by_label("text", exact=True), "Mind the gap")
    person.page.locator(".panel-frame", has_text="Mind the gap").wait_for()
    person.button("Add: Camera picture")
    person.until("() => sharnir.document.data.panel.groups[0].widgets.length === 3")
    assert person.document["panel"]["theme"] == "steel"
    assert person.page.locator(".panel-sheet").get_attribute("data-look") == "steel"
    person.key("F5")
    person.until("() => sharnir.context.trial.link?.frame?.time > 0.2")
    drawn = """() => {
        const canvas = document.querySelector(".panel-sheet canvas");
        if (!canvas?.width) return false;
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return new Set(data).size > 8;
    }"""
    person.until(drawn)
    lever = person.page.locator(".panel-sheet sh-slider input")
    lever.focus()
    person.page.keyboard.press("End")
    person.until("() => sharnir.document.live.twice === 1")
    person.key("F5")
    person.until("() => !sharnir.context.trial.running")


def test_two_tabs_and_the_disk_meet_in_one_document(person, opened):
    _, builder, file = opened
    tab = person.context.new_page()
    tab.goto(builder.address + "/")  # the browser is known
    tab.wait_for_function("() => window.sharnir?.started")
    person.click(person.row("block"))
    person.type(person.field("/bodies/block/shapes/0/mass"), "7")
    tab.wait_for_function("() => sharnir.document.data.bodies.block.shapes[0].mass === 7")
    file.write_text(SCENE.replace("mass: 40", "mass: 41").replace("# A yard", "# The yard"))
    person.until("() => sharnir.document.data.bodies.cart.shapes[0].mass === 41")
    person.page.locator(".build-toast", has_text="changed on disk").wait_for()
    tab.keyboard.press("Control+s")
    wait_for(lambda: "mass: 7" in file.read_text(), "both in the file")
    text = file.read_text()
    assert text == SCENE.replace("mass: 40", "mass: 41").replace("# A yard", "# The yard").replace("mass: 5", "mass: 7")
    tab.close()
    file.write_text(SCENE)
    person.until("() => sharnir.document.data.bodies.cart.shapes[0].mass === 40")


def test_undo_has_no_end(person):
    before = person.document
    person.click(person.row("block"))
    person.page.locator("#pane-stage canvas").first.focus()
    for key in ("ArrowRight", "PageUp", "]") * 40:
        person.page.keyboard.press(key)
    person.until("() => sharnir.document.pending.length === 0 && sharnir.document.revision >= 120")
    for _ in range(120):
        person.page.keyboard.press("Control+z")
    person.until(
        "(before) => JSON.stringify(sharnir.document.data.bodies) === JSON.stringify(before)", before["bodies"]
    )


@needs_axe
def test_problems_blocks_and_menus_pass_the_audit(person):
    person.click(person.row("cart"))
    person.page.locator("summary.tool", has_text="Edit").click()
    person.type(person.field("/bodies/cart/shapes/0/mass"), "-3")
    person.page.locator(".problems-summary", has_text="1 problem").click()
    person.button("Scheme")
    person.until("() => sharnir.context.scheme?.settled")
    person.button("Add a block")
    audit(person.page)
    person.page.set_viewport_size(WINDOW)
    person.key("Escape")
    person.page.locator(".problems-summary").click()


@needs_axe
def test_a_tried_scene_with_its_console_passes_the_audit(person):
    person.button("Console")
    person.key("F5")
    person.until("() => sharnir.context.trial.link?.frame?.time > 0.2")
    audit(person.page)
    person.page.set_viewport_size(WINDOW)
    person.key("F5")
    person.until("() => !sharnir.context.trial.running")


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_looked_at_and_saved_byte_for_byte(chromium, tmp_path, name):
    file = load_example(name).scene.save(tmp_path / "scene.yaml")
    before = file.read_bytes()
    builder, context = Builder(file), chromium.new_context(viewport=WINDOW)
    try:
        person = Person(context, builder.link)
        person.until_told()
        assert person.page.locator(".problems-summary").text_content() == "No problems"
        for side in ("scheme", "console", "text"):
            person.page.locator(f"[data-side={side}]").click()
            person.until_told()
        person.until("() => sharnir.context.textEditor?.text.length > 0")
        written = file.stat().st_mtime_ns
        person.key("Control+s")
        wait_for(lambda: file.stat().st_mtime_ns > written, "the file, written again")
        assert file.read_bytes() == before
        assert person.errors == []
    finally:
        context.close()
        builder.end()
