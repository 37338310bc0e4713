"""More of the constructor by mouse and keyboard: looks, alignment, robots, comments, sub-diagrams, groups, axes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import WINDOW, Builder, Person
from consoles import wait_for

import sharnir as sh

SCENE = """\
sharnir: 1
name: yard
terrain:
  ground: {surface: {type: plane}}
bodies:
  cart: {shapes: [{type: box, x: 0.8, y: 0.3, z: 0.2, mass: 40}], position: [0, 0, 0.3]}
  block: {shapes: [{type: box, x: 0.3, y: 0.3, z: 0.4, mass: 5}], position: [0, 1, 0.2]}
cameras:
  eye: {body: cart, position: [0.4, 0, 0.2]}
diagram:
  inputs:
    throttle: {range: [-1, 1]}
  blocks:
    half: {type: gain, input: throttle, k: 0.5}
  outputs:
    speed: {type: gauge, value: half}
"""
# A gamepad whose first axis is pushed, as the browser would tell of one.
GAMEPAD = """() => {
    const pad = { axes: [0, 0, 0, 0], buttons: [], connected: true, index: 0, mapping: "standard", id: "pad" };
    navigator.getGamepads = () => [pad];
    window.push = (value) => { pad.axes[0] = value; };
}"""


@pytest.fixture(scope="module")
def opened(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Person, Path]]:
    file = tmp_path_factory.mktemp("yard") / "yard.yaml"
    file.write_text(SCENE)
    builder, context = Builder(file), chromium.new_context(viewport=WINDOW)
    person = Person(context, builder.link)
    person.until_drawn("block")
    yield person, file
    assert person.errors == []
    context.close()
    builder.end()


@pytest.fixture
def person(opened: tuple[Person, Path]) -> Person:
    return opened[0]


def test_a_look_neither_weighs_nor_touches(person):
    person.click(person.row("block"))
    looks = person.page.locator(".palette-group", has=person.page.locator("summary", has_text="Looks")).first
    person.click(looks.locator("summary"))
    person.click(looks.get_by_role("button", name="sphere", exact=True))
    person.until("() => sharnir.document.data.bodies.block.shapes.length === 2")
    shape = person.document["bodies"]["block"]["shapes"][1]
    assert shape["type"] == "sphere" and shape["collides"] is False and "mass" not in shape


def test_several_are_aligned_with_the_last(person):
    person.click(person.row("cart"))
    person.click(person.row("block"), modifiers=["Control"])
    person.click(person.page.locator("summary.tool", has_text="Edit"))
    person.click(person.page.get_by_role("button", name="Align y"))
    person.until("() => sharnir.document.data.bodies.cart.position[1] === 1")
    person.page.locator("#pane-stage canvas").first.focus()
    person.key("Control+z")
    person.until("() => sharnir.document.data.bodies.cart.position[1] === 0")


def test_a_robot_comes_whole_and_is_undone_as_one(person):
    before = person.document
    person.add("robot")
    person.button("Build")
    person.until("() => Object.keys(sharnir.document.data.bodies).length > 5")
    person.until_told()
    person.page.locator("#pane-stage canvas").first.focus()
    person.key("Control+z")
    person.until("() => Object.keys(sharnir.document.data.bodies).length === 2")
    assert person.document == before


def test_a_sheet_has_comments_and_sheets_within(person):
    person.button("Scheme")
    person.until("() => sharnir.context.scheme.settled")
    person.button("Add a comment")
    person.until("() => document.activeElement.matches('.scheme-form textarea')")
    person.page.keyboard.type("what the driver wants")
    person.page.keyboard.press("Tab")
    person.until("() => sharnir.document.data.diagram.sheet.notes[0].text === 'what the driver wants'")
    person.button("Add a block")
    person.type(person.page.get_by_label("Find a block"), "new sub-diagram")
    box = person.page.locator(".vue-flow__node", has_text="sheet1").first
    box.wait_for()
    person.until("() => document.querySelector('.vue-flow__node.selected')?.dataset.id === 'blocks/sheet1'")
    box.dblclick()
    person.page.locator(".scheme-crumbs [aria-current=page]", has_text="sheet1").wait_for()
    person.until("() => document.querySelectorAll('.vue-flow__node').length === 2")
    person.button("Open Scheme")
    person.until("() => document.querySelectorAll('.vue-flow__node').length === 5")
    person.button("Scheme")


def test_a_console_has_groups_camera_pictures_looks_and_gamepad_axes(person, opened):
    person.page.evaluate(GAMEPAD)
    person.button("Console")
    person.button("Add: Lever")
    person.until("() => sharnir.document.data.panel?.groups[0].widgets[0].input === 'throttle'")
    person.click(person.page.get_by_role("button", name="Bind an axis"))
    person.page.evaluate("() => window.push(0.9)")
    person.until("() => sharnir.document.data.panel.axes?.length === 1")
    assert person.document["panel"]["axes"][0]["input"] == "throttle"
    person.button("Add a group")
    person.until("() => sharnir.document.data.panel.groups.length === 2")
    person.button("Add: Camera picture")
    person.until("() => JSON.stringify(sharnir.document.data.panel.groups).includes('eye')")
    person.page.keyboard.press("Escape")
    person.until_told()
    assert person.page.locator(".problems-summary").text_content() == "No problems"
    person.key("Control+s")
    wait_for(lambda: "eye" in opened[1].read_text().partition("panel:")[2], "the file")
    panel = sh.Scene.load(opened[1]).panel
    assert panel.axes[0].input == "throttle" and len(panel.groups) == 2


def test_what_the_palette_begins_with_is_right(person):
    person.click(person.row("cart"))
    person.click(person.row("block"), modifiers=["Control"])
    person.add("revolute")
    person.until_told()
    person.add("force map")
    person.until_told()
    person.add("gear")
    person.page.get_by_text("A gear takes 2 joints; select so many, in their order.").wait_for()
    assert "couplings" not in person.document
    person.add("mesh")
    person.until_told()
    assert person.page.locator(".problems-summary").text_content() == "No problems"
    for _ in range(3):
        before = person.page.evaluate("() => sharnir.document.revision")
        person.page.locator(".tree-list").focus()
        person.key("Control+z")
        person.until("(before) => sharnir.document.revision > before", before)
    assert "joints" not in person.document
