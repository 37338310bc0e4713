"""What somebody who builds by hand alone would stumble over: forms, views, winches, faults, a server that is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import WINDOW, Builder, Person

CRANE = """\
sharnir: 1
name: crane
bodies:
  mast:
    fixed: true
    position: [0, 0, 1]
    shapes:
      - {type: box, x: 0.2, y: 0.2, z: 2, mass: 50}
      - {type: box, x: 1.2, y: 0.2, z: 0.1, mass: 5, position: [0.5, 0, 1.05]}
  drum: {shapes: [{type: cylinder, radius: 0.1, length: 0.2, mass: 4}], position: [0, 0.3, 0.6]}
  load: {shapes: [{type: sphere, radius: 0.1, mass: 10}], position: [1, 0, 0.5]}
joints:
  hoist:
    joint: {type: revolute, axis: [0, 1, 0], anchor: [0, 0.3, 0.6]}
    between: [mast, drum]
    drive: {type: dc_drive, stall_torque: 1.5, idle_speed: 300, time_constant: 0.02, ratio: 50}
scenarios:
  yard: {name: yard, time: 10, goals: [{type: avoid, name: keep off, bodies: [mast]}]}
"""
IN_SIGHT = """() => {
    const { view, world } = sharnir.context.stage;
    const { camera } = view.cameras;
    const at = sharnir.context.stage.gizmo.pivot.position.clone().set(...world.focus.center).project(camera);
    const far = camera.position.distanceTo(view.cameras.controls.target);
    return Math.abs(at.x) < 0.5 && Math.abs(at.y) < 0.5 && far > 2 * world.focus.radius;
}"""


@pytest.fixture
def person(chromium: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Person]:
    file = tmp_path / "machine.yaml"
    if text := getattr(request, "param", ""):
        file.write_text(text)
    builder, context = Builder(file), chromium.new_context(viewport=WINDOW)
    made = Person(context, builder.link)
    made.builder = builder
    made.until_told()
    yield made
    context.close()
    builder.end()
    assert made.errors == []
    assert all(url.startswith((builder.address, "data:", "blob:")) for url in made.requests)


def no_problems(person: Person) -> None:
    person.until_told()
    assert person.page.locator(".problems-summary").text_content() == "No problems"


def test_an_arm_of_two_joints_with_servos_is_asked_for_and_stays_in_sight(person):
    person.add("box")
    person.page.get_by_label("fixed", exact=True).check()
    person.add("arm")
    first = "/arm/links/0"
    link = person.page.locator('dialog details[data-field="0"] > summary').first
    person.click(link, position={"x": 8, "y": 12})
    assert person.field(f"{first}/mass").input_value() == "2"  # of the arm that it begins with
    person.choose(person.field(f"{first}/drive#kind"), "position servo")
    person.button("Add to links")
    assert person.field("/arm/links/1/name").input_value() == "link_2"
    assert person.field("/arm/links/1/mass").input_value() == "2"
    person.button("Build")
    person.until("() => Object.keys(sharnir.document.data.joints ?? {}).length === 2")
    no_problems(person)
    assert all(joint["drive"]["type"] == "position_servo" for joint in person.document["joints"].values())
    person.until(IN_SIGHT)


def test_wheels_show_the_axles_that_they_begin_with_and_what_fields_are_for(person):
    person.add("box")
    person.add("wheels")
    front = person.field("/axles/front")
    assert front.input_value() == "0.4"
    person.page.locator("dialog .about", has_text="without them the ride is 1.5 Hz").wait_for()
    person.type(person.page.locator('dialog [data-path="/axles#new"]'), "rear")
    person.page.locator('dialog [data-path="/axles/rear"]').wait_for()
    assert person.field("/axles/front").input_value() == "0.4"
    person.button("Remove front")
    person.page.locator('dialog [data-path="/axles/front"]').wait_for(state="detached")
    person.button("Cancel")


@pytest.mark.parametrize("person", [CRANE], indirect=True)
def test_a_rope_runs_over_the_part_of_a_body_that_is_above_the_load(person):
    person.click(person.row("hoist"))
    for name in ("mast", "load"):
        person.click(person.row(name), modifiers=["Control"])
    person.add("rope on a winch")
    no_problems(person)
    assert person.document["ropes"]["rope"]["path"] == [[0, 0.3, 0.7], [1, 0, 2.05], [1, 0, 0.5]]


@pytest.mark.parametrize("person", [CRANE], indirect=True)
def test_faults_and_rulers_come_from_the_palette_and_names_of_scenarios_follow(person):
    person.click(person.row("load"))
    person.add("gust")
    person.click(person.row("hoist"))
    person.add("drive loss")
    person.click(person.row("mast"))
    person.click(person.row("load"), modifiers=["Control"])
    person.add("ruler")
    no_problems(person)
    made = person.document
    assert made["faults"]["gust"]["body"] == "load" and made["faults"]["drive_loss"]["joint"] == "hoist"
    assert made["rulers"]["ruler"]["between"] == ["mast", "load"]
    person.click(person.row("mast"))
    person.type(person.page.get_by_label("Name", exact=True), "post")
    person.until("() => sharnir.document.data.scenarios.yard.goals[0].bodies[0] === 'post'")
    person.click(person.row("hoist"))
    person.page.locator(".tree-list").focus()
    person.key("Delete")
    person.until("() => !sharnir.document.data.joints.hoist")
    assert list(person.document["faults"]) == ["gust"]
    no_problems(person)


def test_nothing_is_edited_that_could_not_be_kept(person):
    person.add("sphere")
    person.until_told()
    person.builder.crash()
    person.page.locator(".file-state", has_text="The connection is lost").wait_for()
    assert person.page.locator("#main").evaluate("(main) => main.inert")
    assert person.page.get_by_role("button", name="Save").is_disabled()
    person.page.evaluate("() => sharnir.document.edit('late', [{ op: 'remove', path: '/bodies/sphere' }])")
    assert list(person.document["bodies"]) == ["sphere"]
