"""Numbers of a running diagram are tuned; a text and other edits meet; a console stands on a plate."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import sharnir as sh
from sharnir.constructor.tuning import tuned
from sharnir.constructor.workshop import Workshop
from sharnir.control.panel import Panel, Plate
from sharnir.errors import SceneError
from sharnir.files.typed import to_plain
from sharnir.runtime.commands import Tune


def diagram() -> sh.Diagram:
    inner = sh.Diagram("soft")
    inner.output("y", inner.gain(inner.input("x"), 3.0, name="thrice"))
    d = sh.Diagram("tuned", period=0.01)
    x = d.input("x", initial=1.0)
    d.gain(x, 2.0, name="twice")
    d.add(x, 4.0, name="more")
    d.mux(0, 5, 7, name="choice")
    d.use(inner, "used", x=10.0)
    d.gauge("shown", "used")
    return d


def test_a_tuned_number_counts_from_the_next_tick_on():
    controller = diagram().start()
    controller.tick()
    before = controller.values["twice"]
    controller.tune("twice", "k", 2.5)
    assert controller.values["twice"] == before == 2.0
    controller.tick()
    assert controller.values["twice"] == 2.5
    controller.tune("more", "inputs[1]", -1.0)
    controller.tune("used.x", "input", 2.0)
    controller.tick()
    assert controller.values["more"] == 0.0 and controller.values["used"] == 6.0


def test_what_cannot_be_tuned_is_refused_in_words():
    controller = diagram().start()
    with pytest.raises(SceneError, match="no number at 'input' of block 'twice'"):
        controller.tune("twice", "input", 1.0)
    with pytest.raises(SceneError, match="whole numbers"):
        controller.tune("choice", "k", 0.5)
    with pytest.raises(SceneError, match="cannot become True"):
        controller.tune("twice", "k", True)
    with pytest.raises(SceneError, match="cannot become nan"):
        controller.tune("twice", "k", float("nan"))


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/diagram/blocks/twice/k", [("twice", "k")]),
        ("/diagram/blocks/more/inputs/1", [("more", "inputs[1]")]),
        ("/diagram/blocks/used/inputs/x", [("used.x", "input")]),
        ("/diagram/diagrams/soft/blocks/thrice/k", [("used.thrice", "k")]),
        ("/diagram/sheet/at/more", []),
        ("/diagram/period", []),
        ("/bodies/arm/mass", []),
    ],
)
def test_an_edit_of_a_number_says_which_block_it_tunes(path, found):
    data = {"diagram": to_plain(diagram().spec)}
    commands = tuned(data, [{"op": "replace", "path": path, "value": 2.0}])
    assert [(command.block, command.port) for command in commands] == found
    assert all(isinstance(command, Tune) and command.value == 2.0 for command in commands)
    controller = diagram().start()
    for command in commands:
        controller.tune(command.block, command.port, command.value)
    assert tuned(data, [{"op": "replace", "path": path, "value": "x"}, {"op": "remove", "path": path}]) == []


# --- a text and other edits -------------------------------------------------------------------------------------------

TEXT = "sharnir: 1\nname: arm\nbodies:\n  arm: {mass: 2}  # light\n  leg: {mass: 3}\n"


class Window:
    """A websocket that keeps what it is sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    async def send_text(self, text: str) -> None:
        self.sent.append(json.loads(text))


def written(tmp_path: Path, given: str, edit: dict[str, Any] | None) -> tuple[Workshop, Window]:
    """A window gets the text, another edits the document, the first gives another text."""
    file = tmp_path / "arm.yaml"
    file.write_text(TEXT)
    window = Window()

    async def act() -> Workshop:
        workshop = Workshop(file)
        await workshop._want_text(window, True)  # type: ignore[arg-type]
        if edit is not None:
            workshop.document.edit("Other", [edit])
        await workshop._text(window, {"text": given, "revision": 0})  # type: ignore[arg-type]
        return workshop

    return asyncio.run(act()), window


def test_a_text_leaves_alone_what_another_editor_has_done_meanwhile(tmp_path):
    heavier = {"op": "replace", "path": "/bodies/leg/mass", "value": 5}
    workshop, window = written(tmp_path, TEXT.replace("mass: 2", "mass: 4"), heavier)
    assert workshop.document.data["bodies"] == {"arm": {"mass": 4}, "leg": {"mass": 5}}
    assert window.sent[-1] == {"text_error": None} and "# light" in workshop.document.text
    workshop.document.undo()
    assert workshop.document.data["bodies"] == {"arm": {"mass": 2}, "leg": {"mass": 5}}


def test_where_both_have_changed_one_thing_it_is_told(tmp_path):
    heavier = {"op": "replace", "path": "/bodies/arm/mass", "value": 5}
    workshop, window = written(tmp_path, TEXT.replace("mass: 2", "mass: 4"), heavier)
    assert workshop.document.data["bodies"]["arm"]["mass"] == 5
    assert "/bodies/arm/mass" in window.sent[-1]["note"]


def test_a_text_that_cannot_be_read_changes_nothing_and_names_its_line(tmp_path):
    workshop, window = written(tmp_path, TEXT + "x: [1\n", None)
    assert workshop.document.text == TEXT
    assert window.sent[-1]["text_error"] and window.sent[-1]["line"] >= 6


# --- the plate --------------------------------------------------------------------------------------------------------


def test_a_plate_is_checked_and_goes_through_a_file(tmp_path):
    scene = sh.Scene("cab")
    scene.body("cab", sh.Box(1, 1, 1, mass=10))
    scene.diagram = sh.Diagram("cab")
    scene.diagram.input("x", range=(-1, 1))
    scene.panel = Panel(plate=Plate("cab", (0.5, 0, 0), (-1, 0, 0), (0.4, 0.2)))
    scene.panel.check(scene.diagram, scene)
    assert sh.Scene.load(scene.save(tmp_path / "cab.yaml")).panel == scene.panel
    with pytest.raises(SceneError, match="there is no body 'cap'; did you mean 'cab'"):
        Panel(plate=Plate("cap")).check(scene.diagram, scene)
    with pytest.raises(SceneError, match="direction"):
        Plate(faces=(0.0, 0.0, 0.0))
    with pytest.raises(SceneError, match="above zero"):
        Plate(size=(0.1, 0.0))
