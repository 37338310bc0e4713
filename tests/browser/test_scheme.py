"""The scheme, the console and the text of the constructor, by mouse and keyboard, as a person works them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from audit import audit, needs_axe
from consoles import PATIENCE, wait_for

import sharnir as sh
from sharnir.constructor.document import SceneDocument
from sharnir.constructor.patch import same
from sharnir.files.text import parse_yaml

AXLE = """\
# An axle with a motor.
sharnir: 1
name: axle
bodies:
  load:
    shapes: [{type: box, x: 0.5, y: 0.5, z: 0.5, mass: 10}]  # heavy
joints:
  axle:
    joint: {type: revolute}
    between: [world, load]
    drive: {type: dc_drive, stall_torque: 1.5, idle_speed: 300, time_constant: 0.02, ratio: 50}
"""
SCHEME = """\
diagram:
  inputs:
    throttle: {range: [-1, 1]}
    light: {type: bool}
  blocks:
    half: {type: gain, input: throttle, k: 0.5}
  outputs:
    motor: {type: drive, joint: axle, value: half}
    lit: {type: lamp, value: light}
panel:
  groups:
    - title: Drive
      widgets:
        - {type: slider, input: throttle, place: [0, 0, 6, 2]}
        - {type: switch, input: light, place: [0, 2, 3, 1]}
        - {type: lamp, value: lit, place: [3, 2, 3, 1]}
  plate: {position: [0, -0.3, 0.2], faces: [1, -2, 0.8], size: [0.6, 0.4]}
"""


SHOWN = {  # the editors, with all that they have to show
    "scheme": "() => sharnir.context.scheme?.settled && document.querySelectorAll('.vue-flow__edge').length === 3",
    "console": "() => document.querySelectorAll('.panel-frame').length === 3",
    "text": "() => sharnir.context.textEditor?.text.includes('# heavy')",
}


class Builder:
    """A running ``sharnir build`` and a page of it."""

    def __init__(self, file: Path, chromium: Any) -> None:
        command = [sys.executable, "-m", "sharnir", "build", str(file), "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r"http\S+", self.process.stdout.readline())
        assert found
        self.file, self.address = file, found[0].partition("/?")[0]
        self.context = chromium.new_context(viewport={"width": 1300, "height": 860})
        self.context.set_default_timeout(1000 * PATIENCE)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(found[0])
        self.until("() => window.sharnir?.started")

    def until(self, condition: str, given: Any = None) -> None:
        self.page.wait_for_function(condition, arg=given, polling=30)

    def until_data(self, path: str, value: Any) -> None:
        """Wait until the document says something."""
        same = "([path, value]) => JSON.stringify(sharnir.document.at(path)) === JSON.stringify(value)"
        try:
            self.until(same, [path, value])
        except Exception:
            assert self.data(path) == value
            raise

    def data(self, path: str) -> Any:
        return self.page.evaluate("(path) => sharnir.document.at(path)", path)

    def side(self, name: str) -> None:
        self.page.locator(f"[data-side={name}]").click()

    def add_block(self, words: str) -> None:
        self.page.get_by_role("button", name="Add a block").first.click()  # an empty sheet has another
        self.page.keyboard.type(words)
        self.page.keyboard.press("Enter")

    def port(self, box: str, handle: str) -> tuple[float, float]:
        place = f".vue-flow__node[data-id='{box}'] .vue-flow__handle[data-handleid='{handle}']"
        found = self.page.locator(place).bounding_box()
        return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2

    def drag_wire(self, start: tuple[str, str], end: tuple[str, str], fits: bool) -> None:
        """From an output to an input, as soon as it is known what fits."""
        x, y = self.port(*start)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + 12, y + 6, steps=3)
        self.until("() => document.querySelectorAll('.vue-flow__handle.fits').length > 0")
        place = f".vue-flow__node[data-id='{end[0]}'] .vue-flow__handle[data-handleid='{end[1]}']"
        assert self.page.locator(f"{place}.fits").count() == fits
        self.page.mouse.move(*self.port(*end), steps=5)
        self.page.mouse.up()

    def end(self) -> None:
        self.context.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE)


@pytest.fixture
def builder(tmp_path: Path, chromium: Any, request: pytest.FixtureRequest) -> Iterator[Builder]:
    file = tmp_path / "axle.yaml"
    file.write_text(AXLE + (SCHEME if getattr(request, "param", True) else ""))
    made = Builder(file, chromium)
    yield made
    made.end()
    assert made.errors == []
    assert all(url.startswith((made.address, "data:", "blob:")) for url in made.requests)


@pytest.mark.parametrize("builder", [False], indirect=True)
def test_a_scheme_is_drawn_by_hand_saved_and_understood(builder):
    page = builder.page
    builder.side("scheme")
    builder.add_block("a number")
    builder.until("() => document.querySelector('.vue-flow__node.selected[data-id=\"inputs/input1\"]')")
    name = page.locator(".scheme-form [data-field=name]")
    name.fill("throttle")
    name.press("Enter")
    builder.until_data("/diagram/inputs/throttle/range", [-1, 1])
    builder.add_block("a switch")
    builder.add_block("gain")
    builder.add_block("drive")
    page.get_by_role("button", name="Arrange").click()
    builder.until("() => document.querySelectorAll('.vue-flow__node').length === 4")
    page.get_by_role("button", name="Fit the sheet to the window").click()
    builder.until("() => sharnir.context.scheme.settled")
    builder.drag_wire(("inputs/throttle", "out:"), ("blocks/gain1", "in:input"), True)
    builder.until_data("/diagram/blocks/gain1/input", "throttle")
    builder.drag_wire(("blocks/gain1", "out:out"), ("outputs/drive1", "in:value"), True)
    builder.until_data("/diagram/outputs/drive1/value", "gain1")
    # the keyboard: a port is a field, an arrow moves a box, Delete takes a block and its wires away
    page.locator(".vue-flow__node[data-id='blocks/gain1']").focus()
    page.keyboard.press("Enter")
    factor = page.locator(".scheme-form [data-field='port k']")
    factor.fill("0.5")
    factor.press("Enter")
    builder.until_data("/diagram/blocks/gain1/k", 0.5)
    page.locator(".vue-flow__node[data-id='blocks/gain1']").focus()
    page.keyboard.press("Delete")
    builder.until_data("/diagram/outputs/drive1/value", 0)
    page.keyboard.press("Control+z")
    builder.until_data("/diagram/outputs/drive1/value", "gain1")
    page.keyboard.press("Control+s")
    wait_for(lambda: "gain1" in builder.file.read_text())
    text = builder.file.read_text()
    assert "# An axle with a motor." in text and "# heavy" in text
    scene = sh.Scene.load(builder.file)
    assert set(scene.diagram.check(scene).kinds) >= {"throttle", "gain1", "drive1"}


def test_what_does_not_fit_is_not_offered_and_not_taken(builder):
    builder.side("scheme")
    builder.until("() => document.querySelectorAll('.vue-flow__edge').length === 3")
    builder.until("() => sharnir.context.scheme.settled")
    builder.drag_wire(("inputs/light", "out:"), ("outputs/motor", "in:value"), False)
    builder.drag_wire(("inputs/throttle", "out:"), ("outputs/motor", "in:value"), True)
    builder.until_data("/diagram/outputs/motor/value", "throttle")
    builder.until("() => document.querySelector('.file-state').textContent === 'not saved'")
    builder.page.get_by_role("button", name="Undo").click()
    builder.until_data("/diagram/outputs/motor/value", "half")


def test_a_wire_that_is_dropped_before_the_answer_is_connected_when_it_comes(builder):
    builder.side("scheme")
    builder.until(SHOWN["scheme"])
    later = """() => {
        const { scheme } = sharnir.context;
        const ask = scheme.ask.bind(scheme);
        let go;
        const held = new Promise((done) => (go = done));
        scheme.ask = async (question) => (await held, ask(question));
        window.answer = go;
    }"""
    builder.page.evaluate(later)
    for start in (("inputs/light", "out:"), ("inputs/throttle", "out:")):
        builder.page.mouse.move(*builder.port(*start))
        builder.page.mouse.down()
        builder.page.mouse.move(*builder.port("outputs/motor", "in:value"), steps=5)
        builder.page.mouse.up()
    assert builder.data("/diagram/outputs/motor/value") == "half"
    builder.page.evaluate("() => window.answer()")
    builder.until_data("/diagram/outputs/motor/value", "throttle")
    builder.page.locator(".build-toast", has_text="'light' does not fit there").wait_for()


def test_looking_at_all_editors_changes_nothing(builder):
    before = builder.file.read_text()
    for side in ("scheme", "console", "text"):
        builder.side(side)
        builder.until(SHOWN[side])
    assert builder.page.locator(".file-state").inner_text() == "saved"
    written = builder.file.stat().st_mtime_ns
    builder.page.keyboard.press("Control+s")
    wait_for(lambda: builder.file.stat().st_mtime_ns > written, "the file, written again")
    assert builder.file.read_text() == before


def test_a_console_is_laid_out_by_mouse_and_keyboard(builder):
    page = builder.page
    builder.side("console")
    lever = page.locator(".panel-frame[data-path='/panel/groups/0/widgets/0']")
    assert float(lever.locator("input").input_value()) == 0.0  # where the input starts
    lever.focus()
    page.keyboard.press("Shift+ArrowDown")
    builder.until_data("/panel/groups/0/widgets/0/place", [0, 0, 6, 3])
    page.get_by_role("button", name="Add: Gauge").click()
    builder.until("() => sharnir.document.at('/panel/groups/0/widgets/3/type') === 'gauge'")
    page.keyboard.press("ArrowDown")
    x, y, wide, high = builder.data("/panel/groups/0/widgets/3/place")
    box = page.locator(".panel-frame.chosen").bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 10 + 1.1 * box["width"], box["y"] + 12, steps=5)
    page.mouse.up()
    builder.until_data("/panel/groups/0/widgets/3/place", [x + wide, y, wide, high])
    # a binding by pointing at the scheme, a key by pressing it
    page.get_by_role("button", name="Point at it in the scheme").click()
    page.locator(".vue-flow__node[data-id='blocks/half']").click()
    builder.until_data("/panel/groups/0/widgets/3/value", "half")
    lever.click()
    page.get_by_role("button", name="Bind a key").click()
    page.keyboard.press("w")
    builder.until_data("/panel/keys", [{"key": "KeyW", "input": "throttle"}])
    page.keyboard.press("Control+s")
    wait_for(lambda: "KeyW" in builder.file.read_text())
    assert sh.Scene.load(builder.file).panel.keys[0].key == "KeyW"


def test_the_text_completes_shows_errors_and_meets_other_edits(builder):
    page = builder.page
    builder.side("text")
    page.locator(".cm-content").click()
    builder.until("() => sharnir.context.textEditor?.text.includes('# heavy')")
    page.keyboard.press("Control+End")
    page.keyboard.type("gra", delay=30)
    page.locator(".cm-tooltip-autocomplete li", has_text="gravity").wait_for()
    page.wait_for_timeout(300)  # a list that has just come takes no Enter yet
    page.keyboard.press("Enter")
    page.keyboard.type("[0, 0, -1.62]")
    builder.until_data("/gravity", [0, 0, -1.62])
    page.keyboard.type("\nbodys: {}")
    page.locator(".text-note", has_text="bodies").wait_for()
    assert page.locator(".cm-wrong").count() == 1
    for _ in "\nbodys: {}":
        page.keyboard.press("Backspace")
    page.locator(".text-note", has_text="The text says").wait_for()
    builder.side("console")
    page.locator(".panel-frame[data-path='/panel/groups/0/widgets/1']").focus()
    page.keyboard.press("Delete")
    builder.side("text")
    builder.until("() => !sharnir.context.textEditor.text.includes('type: switch')")


def test_a_tried_scene_lights_wires_takes_tuned_values_and_is_driven_on_its_plate(builder):
    page = builder.page
    builder.side("scheme")
    page.keyboard.press("F5")
    builder.until("() => sharnir.context.trial.link?.frame?.doing === 'running'")
    builder.until("() => document.querySelector('.scheme.live')")
    slider = page.locator(".plate sh-slider input")
    slider.focus()
    page.keyboard.press("End")
    builder.until("() => sharnir.document.live.half > 0.49")
    builder.until("() => document.querySelectorAll('.vue-flow__edge.lit').length === 2")
    page.locator(".vue-flow__node[data-id='blocks/half']").focus()
    page.keyboard.press("Enter")
    factor = page.locator(".scheme-form [data-field='port k']")
    factor.fill("0.25")
    factor.press("Enter")
    builder.until("() => sharnir.document.live.half > 0.24 && sharnir.document.live.half < 0.26")
    page.locator(".plate sh-switch button").click()
    builder.until("() => sharnir.document.live.lit === 1")
    page.locator(".vue-flow__edge").first.focus()
    page.keyboard.press("Enter")
    page.locator(".scheme-plots .chip").wait_for()
    page.keyboard.press("F5")
    builder.until("() => !sharnir.context.trial.running")
    assert page.locator(".plate").count() == 0


@needs_axe
@pytest.mark.parametrize("side", ["scheme", "console", "text"])
def test_the_editors_are_accessible(builder, side):
    builder.side(side)
    builder.until(SHOWN[side])
    audit(builder.page)


RANDOM_EDITS = (Path(__file__).parent / "random_edits.js").read_text()


def test_random_edits_of_a_sheet_leave_no_loose_wires_and_undo_to_the_start(builder):
    start = builder.file.read_text()
    for seed in range(60):
        made = builder.page.evaluate(RANDOM_EDITS, [seed, 12])
        document = SceneDocument(start)
        for operations in made["done"]:
            document.edit("edit", operations)
            assert same(parse_yaml(document.text), document.data)
        assert same(document.data, made["data"]), seed
        for _ in made["done"]:
            document.undo()
        assert document.text == start
