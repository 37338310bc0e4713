"""Machines built from the palette: what fits comes by itself, a console on a plate, a run that speaks, random ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import WINDOW, Builder, Person

import sharnir as sh
from sharnir.constructor.checking import Checker
from sharnir.constructor.document import SceneDocument

BOX = """\
# A box on the ground.
sharnir: 1
name: box
terrain:
  ground: {surface: {type: plane}}
bodies:
  box: {shapes: [{type: box, x: 0.3, y: 0.2, z: 0.2, mass: 1}], position: [0, 0, 0.1]}
"""
DRIVE = "{type: dc_drive, stall_torque: 1.5, idle_speed: 300, time_constant: 0.02, ratio: 50}"
CRANE = f"""\
sharnir: 1
name: crane
bodies:
  mast: {{shapes: [{{type: box, x: 0.2, y: 0.2, z: 2, mass: 50}}], position: [0, 0, 1], fixed: true}}
  drum: {{shapes: [{{type: cylinder, radius: 0.1, length: 0.2, mass: 4}}], position: [0, 0.3, 1]}}
  boom: {{shapes: [{{type: box, x: 1.6, y: 0.1, z: 0.1, mass: 8}}], position: [0.6, 0, 2.1]}}
  hook: {{shapes: [{{type: sphere, radius: 0.08, mass: 10}}], position: [1.3, 0, 0.5]}}
joints:
  weld: {{joint: {{type: fixed, anchor: [0, 0, 2.1]}}, between: [mast, boom]}}
  hoist:
    joint: {{type: revolute, axis: [0, 1, 0], anchor: [0, 0.3, 1]}}
    between: [mast, drum]
    drive: {{type: speed_servo, gain: 10, drive: {DRIVE}}}
"""
BUILDING = (Path(__file__).parent / "random_building.js").read_text()
SEEDS = range(1, 41 if os.environ.get("SHARNIR_SLOW") else 3)
ROUNDS = 25


@pytest.fixture
def person(chromium: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Person]:
    file = tmp_path / "machine.yaml"
    file.write_text(request.param)
    builder, context = Builder(file), chromium.new_context(viewport=WINDOW)
    made = Person(context, builder.link)
    made.until_told()
    yield made
    context.close()
    builder.end()
    assert made.errors == []


def no_problems(person: Person) -> None:
    person.until_told()
    assert person.page.locator(".problems-summary").text_content() == "No problems"


@pytest.mark.parametrize("person", [BOX], indirect=True)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_built_at_random_is_a_scene_that_can_be_saved_loaded_and_undone(person, seed, tmp_path):
    built = person.page.evaluate(BUILDING, [seed, ROUNDS])
    document, checker = SceneDocument(BOX), Checker(tmp_path)
    texts = [document.text]
    for operations in built["done"]:
        document.edit("build", operations)
        texts.append(document.text)
        _, problems = checker.check(document.data)
        if problems:  # it was told, and undone
            continue
        file = tmp_path / "state.yaml"
        file.write_text(document.text, encoding="utf-8")
        scene = sh.Scene.load(file)
        again = sh.Scene.load(scene.save(tmp_path / "again.yaml"))
        assert scene.save(tmp_path / "one.yaml").read_text() == again.save(tmp_path / "two.yaml").read_text()
    assert document.data == built["data"]
    for text in reversed(texts[:-1]):
        document.undo()
        assert document.text == text


@pytest.mark.parametrize("person", [BOX], indirect=True)
def test_a_wheel_stands_and_its_hinge_is_its_axle(person):
    person.add("wheel")
    person.until_told()
    person.click(person.row("wheel"))
    person.click(person.row("box"), modifiers=["Control"])
    person.add("revolute")
    no_problems(person)
    joint = person.document["joints"]["revolute"]["joint"]
    assert joint["axis"] == pytest.approx([0, 1, 0])
    assert joint["anchor"] == person.document["bodies"]["wheel"]["position"]


@pytest.mark.parametrize("person", [BOX], indirect=True)
def test_a_group_of_the_palette_stays_open_after_a_search(person):
    person.click(person.page.locator(".palette-group > summary", has_text="Drives"))
    person.page.get_by_label("Search the palette").fill("sphere")
    assert person.page.get_by_role("button", name="dc drive", exact=True).count() == 0
    person.page.get_by_label("Search the palette").fill("")
    person.page.get_by_role("button", name="dc drive", exact=True).wait_for()


@pytest.mark.parametrize("person", [CRANE], indirect=True)
def test_a_rope_is_wound_on_a_drum_and_runs_over_a_boom(person):
    person.add("rope on a winch")
    person.page.get_by_text("Select the joint of the drum, what the rope runs over, and the load").wait_for()
    person.click(person.row("hoist"))
    for name in ("boom", "hook"):
        person.click(person.row(name), modifiers=["Control"])
    person.add("rope on a winch")
    no_problems(person)
    rope = person.document["ropes"]["rope"]
    assert rope["winch"] == {"joint": "hoist", "radius": 0.1, "stored": 2}
    assert rope["path"] == [[0, 0.3, 1.1], [1.3, 0, 2.1], [1.3, 0, 0.5]]
    assert [eyelet["body"] for eyelet in rope["eyelets"]] == ["boom"] and rope["end"] == {"body": "hook"}


@pytest.mark.parametrize("person", [CRANE], indirect=True)
def test_what_a_run_says_is_kept_until_it_ends(person):
    person.key("F5")
    summary = person.page.locator(".problems-summary")
    summary.get_by_text("the servo of 'hoist.angle' (gain 10) is unstable").wait_for()
    person.click(summary)
    person.page.locator(".problems-list", has_text="While it runs").wait_for()
    person.key("F5")
    person.until("() => !sharnir.context.trial.running")
    assert summary.text_content() == "No problems"


@pytest.mark.parametrize("person", [CRANE], indirect=True)
def test_a_plate_is_put_on_a_face_by_pointing_and_seen_there_with_all_elements(person):
    person.button("Console")
    person.button("Begin with the console it would get")
    person.until("() => sharnir.document.data.panel?.groups")
    person.button("Point at the face that it is to stand on")
    person.click_at(person.seen("mast", (0.1, 0.0, 0.3)))
    person.until("() => sharnir.document.data.panel.plate")
    plate = person.document["panel"]["plate"]
    assert plate["body"] == "mast" and plate["faces"] == pytest.approx([1, 0, 0], abs=1e-3)
    assert plate["position"][0] == pytest.approx(0.11, abs=1e-3)
    no_problems(person)
    seen = person.page.locator(".plate[inert]")
    seen.wait_for(state="attached")
    assert seen.evaluate(
        "(plate) => plate.scrollHeight <= plate.clientHeight && plate.querySelectorAll('.w-control').length"
    )
    person.button("Console")  # the plate is seen while the console is laid out
    seen.wait_for(state="detached")


@pytest.mark.parametrize("person", [CRANE], indirect=True)
def test_a_sheet_stays_in_sight_when_the_window_is_made_narrow(person):
    person.button("Scheme")
    person.button("Begin with the scheme made from the drives")
    person.until("() => sharnir.context.scheme?.settled && document.querySelectorAll('.vue-flow__node').length === 4")
    person.page.set_viewport_size({"width": 390, "height": 844})
    person.until("""() => {
        const sheet = document.querySelector(".scheme-canvas").getBoundingClientRect();
        const boxes = [...document.querySelectorAll(".vue-flow__node")].map((box) => box.getBoundingClientRect());
        return boxes.every(({ left, right }) => left >= sheet.left && right <= sheet.right);
    }""")


@pytest.mark.parametrize("person", [BOX], indirect=True)
def test_a_track_whose_hinge_is_deleted_runs_no_more(person):
    person.click(person.row("box"))
    person.add("tracks")
    person.click(person.page.locator("dialog[open]").get_by_role("button", name="Build"))
    person.until("() => sharnir.document.data.bodies.box_left_track?.contact.belt")
    person.click(person.row("box_left_sprocket_hinge"))
    person.key("Delete")
    person.until("() => !sharnir.document.data.joints.box_left_sprocket_hinge")
    no_problems(person)
    assert "belt" not in person.document["bodies"]["box_left_track"]["contact"]
