"""The constructor in a real browser: tree, inspector, palette, gizmos, joints, wheels, trying it, two windows."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from audit import audit, needs_axe
from builders import WINDOW, Builder, Person
from consoles import wait_for

from sharnir.constructor.patch import apply_all, same
from sharnir.files.text import parse_yaml
from sharnir.view.texts import catalogue

CHASSIS = "{shapes: [{type: box, x: 0.8, y: 0.3, z: 0.2, mass: 40}], position: [0, 0, 0.3]}"
SCENE = f"""\
# A cart, by hand.
sharnir: 1
name: cart   # spaces stay
terrain:
  ground: {{surface: {{type: plane}}}}
bodies:
  cart_chassis: {CHASSIS}
  block:   # stands beside it
    shapes: [{{type: box, x: 0.3, y: 0.3, z: 0.4, mass: 5}}]
    position: [0, 1, 0.2]
"""


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Builder, Path]]:
    file = tmp_path_factory.mktemp("build") / "cart.yaml"
    file.write_text(SCENE)
    made = Builder(file)
    yield made, file
    made.end()


@pytest.fixture(scope="module")
def opened(chromium: Any, builder: tuple[Builder, Path]) -> Iterator[Person]:
    context = chromium.new_context(viewport=WINDOW)
    person = Person(context, builder[0].link)
    person.until_drawn("block")
    yield person
    assert person.errors == []
    context.close()


@pytest.fixture
def person(opened: Person) -> Iterator[Person]:
    """The document as the file has it, before and after."""
    yield opened
    opened.page.keyboard.press("Escape")
    opened.until_told()  # what the server has not heard of cannot be undone
    while opened.page.evaluate("() => sharnir.document.state.undo !== null"):
        before = opened.page.evaluate("() => sharnir.document.revision")
        opened.page.evaluate("() => sharnir.document.undo()")
        opened.until("(before) => sharnir.document.revision > before || !sharnir.document.state.undo", before)
    opened.page.evaluate("() => sharnir.context.selection.clear()")
    opened.until_told()


def test_a_body_from_the_palette_is_selected_and_undone(person):
    person.add("sphere")
    person.until_told()
    assert person.selected == ["/bodies/sphere"]
    assert person.page.locator(".problems-summary").text_content() == "No problems"
    person.key("Control+z")
    person.until("() => !sharnir.document.data.bodies.sphere")
    person.key("Control+y")
    person.until("() => sharnir.document.data.bodies.sphere")


def test_the_tree_finds_and_selects_several(person):
    person.page.get_by_label("Search the scene").fill("block")
    assert person.page.locator(".tree-list .row").count() == 2
    person.page.get_by_label("Search the scene").fill("")
    person.click(person.row("cart_chassis"))
    person.click(person.row("block"), modifiers=["Control"])
    assert person.selected == ["/bodies/cart_chassis", "/bodies/block"]
    person.page.locator(".tree-list").focus()
    person.key("Delete")
    person.until("() => Object.keys(sharnir.document.data.bodies).length === 0")


def test_what_is_deleted_or_renamed_is_seen_so_before_the_server_says(person):
    low = """(name) => {
        const { view, index } = sharnir.context.stage;
        return view.bodies.matrix[index.get(name)].elements[14] < -1000;
    }"""
    person.click(person.row("block"))
    rename = """() => {
        const { document, context } = sharnir;
        document.edit("Rename", [{ op: "move", from: "/bodies/block", path: "/bodies/load" }]);
        return [...context.stage.index.keys()];
    }"""
    assert person.page.evaluate(rename) == ["cart_chassis", "load"]
    assert not person.page.evaluate(low, "load")
    person.until_told()
    delete = "() => sharnir.document.edit('Delete', [{ op: 'remove', path: '/bodies/load' }])"
    assert person.page.evaluate(f"() => {{ ({delete})(); return ({low})('load'); }}")
    person.until("() => !sharnir.context.stage.index.has('load')")


def test_arrows_walk_the_tree(person):
    person.click(person.row("cart_chassis"))
    person.page.locator(".tree-list").focus()
    person.key("ArrowDown")
    assert person.selected == ["/bodies/block"]


def test_a_wrong_number_is_told_at_its_field_while_it_is_typed(person):
    person.click(person.row("block"))
    field = person.field("/bodies/block/shapes/0/x")
    field.fill("-3")  # without Enter
    wrong = person.page.locator(".pane-inspector .field.is-wrong .wrong")
    wrong.wait_for(state="visible")
    assert "must be above zero" in wrong.text_content() and field.get_attribute("aria-invalid") == "true"
    field.fill("250 mm")
    person.until("() => sharnir.document.data.bodies.block.shapes[0].x === 0.25")
    wrong.wait_for(state="hidden")
    person.key("Control+z")  # what was typed is one step
    person.until("() => sharnir.document.data.bodies.block.shapes[0].x === 0.3")


def test_an_edit_of_several_is_one_of_all(person):
    person.click(person.row("cart_chassis"))
    person.click(person.row("block"), modifiers=["Control"])
    person.type(person.field("/bodies/block/position#2"), "2")
    person.until("() => Object.values(sharnir.document.data.bodies).every((body) => body.position[2] === 2)")


def test_a_thing_is_renamed_with_all_that_refers_to_it(person):
    person.click(person.row("cart_chassis"))
    person.click(person.row("block"), modifiers=["Control"])
    person.add("revolute")
    person.until("() => sharnir.document.data.joints?.revolute")
    person.click(person.row("block"))
    person.type(person.page.get_by_label("Name", exact=True), "load")
    person.until("() => sharnir.document.data.bodies.load")
    person.until_told()
    assert person.document["joints"]["revolute"]["between"] == ["cart_chassis", "load"]
    assert list(person.document["bodies"]) == ["cart_chassis", "load"]


def test_an_arrow_of_the_gizmo_moves_by_steps(person):
    person.click(person.row("block"))
    person.until("() => sharnir.context.stage.gizmo.controls.object")
    start, end = person.seen("block", (0.25, 0.0, 0.0)), person.seen("block", (0.75, 0.0, 0.0))
    person.drag(start, end)
    person.until("() => sharnir.document.data.bodies.block.position[0] > 0.2")
    x, y, z = person.document["bodies"]["block"]["position"]
    assert (y, z) == (1, 0.2)
    assert abs(x / 0.05 - round(x / 0.05)) < 1e-6, x


def test_keys_move_turn_and_copy(person):
    person.click(person.row("block"))
    person.page.locator("#pane-stage canvas").first.focus()
    person.key("ArrowRight")
    person.key("PageUp")
    person.key("[")
    person.until("() => sharnir.document.data.bodies.block.rotation")
    block = person.document["bodies"]["block"]
    assert block["position"] == [0.05, 1, 0.25] and abs(block["rotation"][2] - 0.130526192220) < 1e-9
    person.key("Control+d")
    person.until("() => sharnir.document.data.bodies.block_2")
    assert person.document["bodies"]["block_2"]["position"] == [0.05, 1.5, 0.25]


def test_a_body_is_carried_over_faces(person):
    person.click(person.row("block"))
    person.click(person.page.locator("summary.tool", has_text="Snap"))
    person.click(person.page.get_by_role("button", name="Faces: "))
    person.key("Escape")
    person.page.mouse.click(*person.seen(None, (0.0, -2.0, 0.0)))  # the menu folds
    person.click(person.row("block"))
    grip, top = person.seen("block", (-0.1, -0.1, 0.2)), person.seen("cart_chassis", (-0.25, 0.0, 0.1))
    person.drag(grip, top)
    person.until(
        "() => Math.abs(sharnir.document.data.bodies.block.position[2] - 0.6) < 1e-6"
    )  # 0.4 + 0.2: on top of it
    person.click(person.page.locator("summary.tool", has_text="Snap"))
    person.click(person.page.get_by_role("button", name="Faces: "))
    person.page.mouse.click(*person.seen(None, (0.0, -2.0, 0.0)))


def test_a_joint_is_placed_by_pointing_at_two_bodies(person):
    person.page.keyboard.press("Escape")
    person.add("revolute")
    person.click_at(person.seen("cart_chassis", (0.0, 0.0, 0.1)))  # the middle of its top
    person.click_at(person.seen("block", (0.0, 0.0, 0.2)))
    person.until("() => sharnir.document.data.joints?.revolute")
    joint = person.document["joints"]["revolute"]
    assert joint["between"] == ["cart_chassis", "block"]
    assert joint["joint"] == {"type": "revolute", "axis": [0, 0, 1], "anchor": [0, 0, 0.4]}
    assert person.selected == ["/joints/revolute"]
    person.add("dc drive")
    person.until("() => sharnir.document.data.joints.revolute.drive")
    person.until_told()
    assert person.page.locator(".problems-summary").text_content() == "No problems"


def test_two_places_are_measured(person):
    person.button("Measure between two places")
    person.click_at(person.seen("cart_chassis", (0.0, 0.0, 0.1)))
    person.click_at(person.seen("block", (0.0, 0.0, 0.2)))
    told = "1.0000 m apart: x 0.0000, y 1.0000, z 0.0000"
    person.page.locator(".stage-hint", has_text=told).wait_for()


def test_wheels_are_built_by_a_form(person):
    person.click(person.row("cart_chassis"))
    person.add("Wheels")
    person.type(person.field("/stiffness"), "4 kN/m")
    person.type(person.field("/damping"), "200")
    person.choose(person.field("/drive#kind"), "dc drive")
    person.button("Build")
    person.until("() => sharnir.document.data.bodies.cart_front_right_wheel")
    person.until_told()
    assert person.document["joints"]["cart_front_left_spin"]["drive"]["stall_torque"] == 1.5
    assert person.page.locator(".problems-summary").text_content() == "No problems"
    assert person.page.locator("dialog").count() == 0


def test_a_form_says_what_cannot_be_built(person):
    person.click(person.row("cart_chassis"))
    person.add("Wheels")
    person.type(person.field("/track"), "-1")
    person.button("Build")
    wrong = person.page.locator("dialog .wrong").last
    person.until(
        "() => [...document.querySelectorAll('dialog .wrong')].some((one) => one.textContent.includes('track'))"
    )
    assert "above zero" in wrong.text_content()
    person.button("Cancel")


def test_a_mirror_image_of_a_mirror_image_is_the_first(person):
    person.click(person.row("cart_chassis"))
    person.add("Wheels")
    person.choose(person.field("/side"), "left")
    person.button("Build")
    person.until("() => sharnir.document.data.bodies.cart_front_left_wheel")
    twice = """async () => {
        const { mirroring } = await import("/build/moving.js");
        const { applyAll } = await import("/build/document.js");
        const data = structuredClone(sharnir.document.data);
        const paths = Object.keys(data.bodies).filter((name) => name.includes("left")).map((name) => `/bodies/${name}`);
        const one = mirroring(data, paths, 1);
        applyAll(data, one.operations);
        const copy = structuredClone(data);
        for (const name of Object.keys(copy.bodies)) if (name.includes("left")) delete copy.bodies[name];
        for (const name of Object.keys(copy.joints)) if (name.includes("left")) delete copy.joints[name];
        for (const name of Object.keys(copy.rulers)) if (name.includes("left")) delete copy.rulers[name];
        const back = mirroring(copy, one.chosen.filter((path) => path.startsWith("/bodies")), 1);
        applyAll(copy, back.operations);
        return [sharnir.document.data, data, copy];
    }"""
    first, once, again = person.page.evaluate(twice)
    for section in ("bodies", "joints"):
        for name in first[section]:
            if "left" in name:
                assert close(first[section][name], again[section][name]), name
    left, right = (once["bodies"][f"cart_front_{side}_wheel"]["position"] for side in ("left", "right"))
    assert [left[0], -left[1], left[2]] == right


def close(a: Any, b: Any) -> bool:
    """The same to rounding; what is left out is nothing."""
    if isinstance(a, dict) and isinstance(b, dict):
        default = {"position": [0, 0, 0], "anchor": [0, 0, 0], "axis": [0, 0, 1]}
        return all(close(a.get(key, default.get(key)), b.get(key, default.get(key))) for key in {*a, *b})
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) < 1e-9
    return bool(a == b)


def test_trying_it_leaves_the_document_alone(person):
    before = person.document
    person.button("▶ Try it")
    person.until("() => sharnir.context.trial.link?.frame?.time > 0.5")
    height = "() => sharnir.context.trial.link.frame.poses[7 + 2]"
    assert abs(person.page.evaluate(height) - 0.2) < 0.01  # the block stands on the ground
    person.page.evaluate("() => sharnir.context.stage.view.renderer.setAnimationLoop(null)")  # it may be slow here
    wait_for(lambda: lifted(person), "the block, pulled up")
    person.button("■ Back")
    person.until("() => !sharnir.context.trial.running")
    assert person.document == before and person.page.evaluate("() => sharnir.document.state.undo") is None


def lifted(person: Person) -> bool:
    """Drag the block up by its top; the server lets go where the page was too slow."""
    x, y = person.aimed("block", (0.0, 0.0, 0.15))
    person.page.mouse.move(x, y)
    person.page.mouse.down()
    for i in range(30):
        person.page.mouse.move(x, y - 6 * i)
        person.page.wait_for_timeout(20)
    high = person.page.evaluate("() => sharnir.context.trial.link.frame.poses[7 + 2]")
    person.page.mouse.up()
    return bool(high > 0.25)


def test_the_page_and_the_server_make_the_same_of_an_edit(person):
    chance = random.Random(1)
    runs = []
    for _ in range(300):
        data: dict[str, Any] = {"a": {"x": 1, "y": [1, 2]}, "b": [{"c": 1}, 2, 3], "d": "e"}
        start, made = json.loads(json.dumps(data)), []
        for _ in range(chance.randint(1, 5)):
            operation = random_operation(chance, data)
            apply_all(data, [operation])
            made.append(operation)
        runs.append((start, made, data))
    script = """async (runs) => {
        const { applyAll } = await import("/build/document.js");
        return runs.map(([start, operations]) => {
            const data = structuredClone(start);
            const inverse = applyAll(data, operations);
            const after = structuredClone(data);
            applyAll(data, inverse);
            return [after, data];
        });
    }"""
    for (start, made, wanted), (after, back) in zip(runs, person.page.evaluate(script, runs), strict=True):
        assert same(after, wanted) and same(back, start), made


def random_operation(chance: random.Random, data: dict[str, Any]) -> dict[str, Any]:
    path, holder = "", data
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        deeper = [key for key in keys if isinstance(holder[key], (dict, list))]
        if not deeper or chance.random() < 0.5:
            break
        key = chance.choice(deeper)
        path, holder = f"{path}/{key}", holder[key]
    value = chance.choice([7, "t", [1], {"k": None}, True])
    kind = chance.choice(["add", "replace", "remove", "move"]) if keys else "add"
    if kind == "add":
        if isinstance(holder, list):
            return {"op": "add", "path": f"{path}/{chance.randint(0, len(holder))}", "value": value}
        before = {"before": chance.choice(keys)} if keys else {}
        return {"op": "add", "path": f"{path}/n{chance.randint(0, 9)}", "value": value, **before}
    key = chance.choice(keys)
    if kind == "move":
        if isinstance(holder, dict):
            return {"op": "move", "from": f"{path}/{key}", "path": f"{path}/m{chance.randint(0, 10**6)}"}
        kind = "remove"
    return {"op": kind, "path": f"{path}/{key}", **({"value": value} if kind == "replace" else {})}


def test_an_edit_keeps_what_was_written_by_hand(person, builder):
    file = builder[1]
    person.click(person.row("block"))
    person.type(person.field("/bodies/block/shapes/0/z"), "0.5")
    person.key("Control+s")
    wait_for(lambda: "z: 0.5" in file.read_text(), "the file")
    assert file.read_text() == SCENE.replace("z: 0.4", "z: 0.5")
    person.key("Control+z")
    person.until("() => sharnir.document.data.bodies.block.shapes[0].z === 0.4")
    person.key("Control+s")
    wait_for(lambda: file.read_text() == SCENE, "the file as it was")


def test_no_request_leaves_the_machine(opened, builder):
    assert opened.requests
    assert all(url.startswith((builder[0].address, "data:", "blob:")) for url in opened.requests)


@needs_axe
def test_the_builder_passes_the_audit(person):
    person.click(person.row("block"))
    person.until_told()
    audit(person.page)
    person.page.set_viewport_size(WINDOW)


@needs_axe
def test_its_dialog_passes_the_audit(person):
    person.click(person.row("cart_chassis"))
    person.add("Wheels")
    audit(person.page)
    person.page.set_viewport_size(WINDOW)
    person.button("Cancel")


def test_it_speaks_russian(chromium, tmp_path):
    builder = Builder(tmp_path / "new.yaml")
    context = chromium.new_context(viewport=WINDOW, locale="ru-RU")
    try:
        person = Person(context, builder.link)
        assert catalogue("ru")["Try it"] in person.page.locator("#try-tools").text_content()
        assert person.page.locator(".palette-group summary").first.text_content() == catalogue("ru")["Bodies"]
    finally:
        context.close()
        builder.end()


def test_what_was_not_saved_is_offered_after_a_crash(chromium, tmp_path):
    file = tmp_path / "cart.yaml"
    file.write_text(SCENE)
    builder, context = Builder(file), chromium.new_context(viewport=WINDOW)
    person = Person(context, builder.link)
    person.add("sphere")
    wait_for(lambda: list(tmp_path.glob(".cart.yaml.unsaved")), "what is kept")
    builder.crash()
    context.close()
    assert file.read_text() == SCENE
    builder, context = Builder(file), chromium.new_context(viewport=WINDOW)
    person = Person(context, builder.link)
    person.button("Recover them")
    person.until("() => sharnir.document.data.bodies.sphere")
    person.key("Control+s")
    wait_for(lambda: "sphere" in file.read_text(), "the file")
    assert parse_yaml(file.read_text())["bodies"]["sphere"]
    context.close()
    builder.end()
