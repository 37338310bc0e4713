"""The constructor's server: windows that share a document, a file that nothing is lost of, parts and problems."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi import WebSocketDisconnect

from sharnir.constructor import workshop as module
from sharnir.constructor.checking import Checker
from sharnir.constructor.disk import DiskFile, only_builder
from sharnir.constructor.parts import PARTS
from sharnir.constructor.workshop import Workshop
from sharnir.errors import SceneError
from sharnir.view.texts import catalogue, languages

BALL = {"shapes": [{"type": "sphere", "radius": 0.1, "mass": 1}], "position": [0, 0, 1]}
WITHIN = 60.0  # s, on a busy machine
START = "# by hand\nsharnir: 1\nname: test   # spaces stay\n"


class Window:
    """A browser's window, without the browser."""

    def __init__(self, workshop: Workshop) -> None:
        self._inbox: asyncio.Queue[str | None] = asyncio.Queue()
        self.heard: list[dict[str, Any]] = []
        self._fresh = asyncio.Event()
        self._task = asyncio.create_task(workshop.serve_window(self))  # type: ignore[arg-type]

    async def accept(self) -> None:
        """The server has taken the connection."""

    async def receive_text(self) -> str:
        """What the window sends next."""
        text = await self._inbox.get()
        if text is None:
            raise WebSocketDisconnect(1001)
        return text

    async def send_text(self, text: str) -> None:
        """The server says something."""
        self.heard.append(json.loads(text))
        self._fresh.set()

    def say(self, **message: Any) -> None:
        """Send a message of one key."""
        self._inbox.put_nowait(json.dumps(message))

    def edit(self, *operations: dict[str, Any], revision: int | None = None) -> None:
        """Send an edit."""
        now = self.heard[-1].get("revision", 0) if revision is None else revision
        self.say(edit={"label": "test", "operations": list(operations), "revision": now})

    async def until(self, condition: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The first message that fulfils a condition, of those that have come or will."""
        async with asyncio.timeout(WITHIN):
            while True:
                for message in self.heard:
                    if condition(message):
                        return message
                self._fresh.clear()
                await self._fresh.wait()

    async def close(self) -> None:
        """The window is closed."""
        self._inbox.put_nowait(None)
        await self._task


def working(file: Path, do: Callable[[Workshop], Awaitable[None]]) -> None:
    """Serve a file while something is done with it; in a thread, as Playwright has a loop running in the main one."""

    async def run() -> None:
        workshop = Workshop(file)
        tasks = asyncio.create_task(workshop.look_after())
        try:
            await do(workshop)
        finally:
            tasks.cancel()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, run()).result()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KEEP_AFTER", "LOOK_EVERY", "CHECK_AFTER"):
        monkeypatch.setattr(module, name, 0.01)


def added(name: str) -> dict[str, Any]:
    return {"op": "add", "path": f"/bodies/{name}", "value": BALL}


BODIES = {"op": "add", "path": "/bodies", "value": {"one": BALL}}

pytestmark = pytest.mark.usefixtures("quick")


def test_two_windows_see_each_other_and_do_not_overwrite(tmp_path):
    async def do(workshop: Workshop) -> None:
        one, two = Window(workshop), Window(workshop)
        await one.until(lambda said: "document" in said)
        await two.until(lambda said: "document" in said)
        one.edit(BODIES, revision=0)
        news = await two.until(lambda said: said.get("operations"))
        assert news["operations"][0]["path"] == "/bodies" and "own" not in news
        assert (await one.until(lambda said: said.get("operations")))["own"] is True
        two.edit(added("one"), revision=0)  # it has not seen the first yet
        assert "another window" in (await two.until(lambda said: "refused" in said))["refused"]
        assert list(workshop.document.data["bodies"]) == ["one"]
        await one.close()
        await two.close()
        assert workshop.windows == []

    working(tmp_path / "a.yaml", do)


def test_a_window_that_was_closed_while_it_was_told_something_is_gone(tmp_path):
    class Closed(Window):
        async def receive_text(self) -> str:
            raise RuntimeError("WebSocket is not connected")  # as Starlette says it

    async def do(workshop: Workshop) -> None:
        await Closed(workshop)._task
        assert workshop.windows == []

    working(tmp_path / "a.yaml", do)


def test_a_window_that_is_quick_does_not_stand_in_its_own_way(tmp_path):
    async def do(workshop: Workshop) -> None:
        window = Window(workshop)
        await window.until(lambda said: "document" in said)
        window.edit(BODIES, revision=0)
        for height in (2, 3, 4):  # before the first is answered
            window.edit({"op": "replace", "path": "/bodies/one/position/2", "value": height}, revision=0)
        await window.until(lambda said: said.get("revision") == 4)
        assert workshop.document.data["bodies"]["one"]["position"][2] == 4
        assert not any("refused" in said for said in window.heard)

    working(tmp_path / "a.yaml", do)


def test_what_was_not_saved_is_there_after_a_crash(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text(START)

    async def crash(workshop: Workshop) -> None:
        window = Window(workshop)
        await window.until(lambda said: "document" in said)
        window.edit(BODIES, revision=0)
        async with asyncio.timeout(WITHIN):
            while DiskFile(file).kept() is None:
                await asyncio.sleep(0.01)

    async def after(workshop: Workshop) -> None:
        window = Window(workshop)
        told = await window.until(lambda said: "document" in said)
        assert told["recovery"] and "bodies" not in told["document"]
        window.say(recover=True)
        await window.until(lambda said: said.get("operations"))
        window.heard.clear()
        window.say(save=True)
        await window.until(lambda said: said.get("saved"))
        assert file.read_text().startswith(START) and "one:" in file.read_text()
        assert DiskFile(file).kept() is None

    working(file, crash)
    assert file.read_text() == START
    working(file, after)


def test_what_is_not_wanted_after_a_crash_is_dropped(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text(START)
    DiskFile(file).keep(START + "gravity: [0, 0, 0]\n")

    async def do(workshop: Workshop) -> None:
        window = Window(workshop)
        await window.until(lambda said: said.get("recovery"))
        window.say(recover=False)
        await window.until(lambda said: said.get("recovery") is False)
        assert DiskFile(file).kept() is None and workshop.document.text == START

    working(file, do)


def test_a_change_on_disk_is_merged_and_told(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text(START)

    async def do(workshop: Workshop) -> None:
        window = Window(workshop)
        await window.until(lambda said: "document" in said)
        window.edit(BODIES, revision=0)
        await window.until(lambda said: said.get("operations"))
        file.write_text(START.replace("by hand", "by another hand") + "gravity: [0, 0, -1.62]\n")
        note = await window.until(lambda said: "note" in said)
        assert "changed on disk" in note["note"]
        assert workshop.document.data["gravity"][2] == -1.62 and "one" in workshop.document.data["bodies"]
        window.heard.clear()
        window.say(save=True)
        await window.until(lambda said: said.get("saved"))
        assert "by another hand" in file.read_text() and "one:" in file.read_text()

    working(file, do)


def test_a_save_does_not_overwrite_what_was_written_just_before(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOOK_EVERY", 1e9)
    file = tmp_path / "a.yaml"
    file.write_text(START)

    async def do(workshop: Workshop) -> None:
        window = Window(workshop)
        await window.until(lambda said: "document" in said)
        window.edit(BODIES, revision=0)
        await window.until(lambda said: said.get("operations"))
        file.write_text(START + "gravity: [0, 0, -1.62]\n")
        window.heard.clear()
        window.say(save=True)
        await window.until(lambda said: said.get("saved"))
        assert "-1.62" in file.read_text() and "one:" in file.read_text()

    working(file, do)


def test_problems_come_by_themselves_and_the_view_hears_of_one_body(tmp_path):
    async def do(workshop: Workshop) -> None:
        window = Window(workshop)
        await window.until(lambda said: "document" in said)
        window.edit({**BODIES, "value": {"one": BALL, "two": BALL}}, revision=0)
        world = await window.until(lambda said: said.get("world") and said["world"]["bodies"])
        assert [body["name"] for body in world["world"]["bodies"]] == ["one", "two"]
        window.heard.clear()
        window.edit({"op": "replace", "path": "/bodies/two/shapes/0/radius", "value": -1}, revision=1)
        wrong = await window.until(lambda said: said.get("errors"))
        assert wrong["errors"][0]["path"] == "/bodies/two/shapes/0/radius"
        assert "above zero" in wrong["errors"][0]["message"]
        window.heard.clear()
        window.say(undo=True)
        await window.until(lambda said: said.get("checked") and not said["errors"])
        window.heard.clear()
        window.edit({"op": "replace", "path": "/bodies/two/shapes/0/radius", "value": 0.2}, revision=3)
        news = await window.until(lambda said: said.get("world_changes"))
        assert list(news["world_changes"]["bodies"]) == ["1"]

    working(tmp_path / "a.yaml", do)


def test_a_part_is_one_edit_and_a_refused_one_none(tmp_path):
    async def do(workshop: Workshop) -> None:
        window = Window(workshop)
        await window.until(lambda said: "document" in said)
        box = {"shapes": [{"type": "box", "x": 1, "y": 0.3, "z": 0.2, "mass": 50}], "position": [0, 0, 0.3]}
        window.edit({**BODIES, "value": {"car_chassis": box}}, revision=0)
        window.say(part={"kind": "wheels", "values": {"chassis": "car_chassis"}})
        await window.until(lambda said: "added" in said)
        assert "car_front_left_wheel" in workshop.document.data["bodies"]
        window.say(part={"kind": "wheels", "values": {"chassis": "nobody"}})
        assert "nobody" in (await window.until(lambda said: "refused" in said))["refused"]
        window.heard.clear()
        window.say(undo=True)
        await window.until(lambda said: said.get("redo") == "Add wheels")
        assert list(workshop.document.data["bodies"]) == ["car_chassis"]

    working(tmp_path / "a.yaml", do)


def test_what_is_not_known_is_refused(tmp_path):
    async def do(workshop: Workshop) -> None:
        window = Window(workshop)
        await window.until(lambda said: "document" in said)
        for text in ("no json", "[1]", "{}", '{"dance": 1}', '{"edit": {"operations": [{"op": "fly", "path": "/x"}]}}'):
            window.heard.clear()
            window._inbox.put_nowait(text)
            await window.until(lambda said: "refused" in said)

    working(tmp_path / "a.yaml", do)


def test_a_trial_of_a_scene_that_is_wrong_says_what_is(tmp_path):
    async def do(workshop: Workshop) -> None:
        window = Window(workshop)
        await window.until(lambda said: "document" in said)
        window.say(**{"try": True})
        assert "no body that can move" in (await window.until(lambda said: "refused" in said))["refused"]
        window.heard.clear()
        window.edit({**BODIES, "value": {"one": {"shapes": []}}}, revision=0)
        window.say(**{"try": True})
        assert "no mass" in (await window.until(lambda said: "refused" in said))["refused"]
        assert workshop.trial is None

    working(tmp_path / "a.yaml", do)


@pytest.mark.usefixtures("quick")
def test_a_check_that_breaks_is_told_and_edits_go_on_being_checked_and_kept(tmp_path, monkeypatch):
    staged = module.stage_of

    def breaks(scene: Any) -> Any:
        if "odd" in scene.bodies:
            raise KeyError("sprocket")
        return staged(scene)

    monkeypatch.setattr(module, "stage_of", breaks)
    file = tmp_path / "a.yaml"
    file.write_text(START)

    async def do(workshop: Workshop) -> None:
        window = Window(workshop)
        window.edit({"op": "add", "path": "/bodies", "value": {"odd": BALL}}, revision=0)
        said = await window.until(
            lambda one: any("could not be checked" in error["message"] for error in one.get("errors", []))
        )
        assert "KeyError: 'sprocket'" in said["errors"][0]["message"]
        window.edit(
            {"op": "remove", "path": "/bodies/odd"}, {"op": "add", "path": "/bodies/even", "value": BALL}, revision=1
        )
        await window.until(lambda one: one.get("checked") and one["revision"] == 2 and not one["errors"])
        async with asyncio.timeout(WITHIN):
            while "even" not in (workshop.file.recovery.read_text() if workshop.file.recovery.exists() else ""):
                await asyncio.sleep(0.02)

    working(file, do)


def test_a_file_is_open_in_one_builder(tmp_path):
    pytest.importorskip("fcntl")
    file = tmp_path / "a.yaml"
    with only_builder(file) as tell:
        tell("http://127.0.0.1:1234/")
        said = r"open in another 'sharnir build'.*http://127\.0\.0\.1:1234/"
        with pytest.raises(SceneError, match=said), only_builder(file):
            pass
        with only_builder(tmp_path / "b.yaml"):
            pass
    with only_builder(file):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_scenario_that_names_what_is_not_there_is_told_at_its_place(tmp_path):
    goal = {"type": "avoid", "name": "keep off", "bodies": ["post"]}
    data = {"sharnir": 1, "bodies": {"one": BALL}, "scenarios": {"yard": {"name": "yard", "time": 10, "goals": [goal]}}}
    _, (problem,) = Checker(tmp_path).check(data)
    assert problem["path"] == "/scenarios/yard" and "there is no body 'post'" in problem["message"]
    data["bodies"]["post"] = {**BALL, "position": [1, 0, 0]}
    assert Checker(tmp_path).check(data)[1] == []


def test_what_hangs_on_something_wrong_is_not_told_to_be_wrong_as_well(tmp_path):
    drive = {"type": "dc_drive", "stall_torque": 1, "idle_speed": 100, "time_constant": 0.02, "ratio": 50}
    other = {"shapes": [{"type": "sphere", "radius": 0.1, "mass": 1}], "position": [1, 0, 0]}
    data = {
        "sharnir": 1,
        "bodies": {"one": {"shapes": [{"type": "sphere", "radius": 0.1, "mass": -1}]}, "two": other},
        "joints": {"hinge": {"joint": {"type": "revolute"}, "between": ["one", "two"], "drive": drive}},
        "sensors": {"angle": {"sensor": {"type": "encoder"}, "on": "hinge.angle"}},
        "diagram": {"outputs": {"motor": {"type": "drive", "joint": "hinge", "value": 0}}},
    }
    _, (problem,) = Checker(tmp_path).check(data)
    assert problem["path"] == "/bodies/one/shapes/0/mass"
    data["joints"]["loose"] = {"joint": {"type": "revolute"}, "between": ["two", "three"]}
    _, problems = Checker(tmp_path).check(data)
    assert [one["path"] for one in problems] == ["/bodies/one/shapes/0/mass", "/joints/loose"]


def test_every_text_of_the_page_is_in_every_catalogue():
    source = "\n".join(file.read_text(encoding="utf-8") for file in module.STATIC.glob("*.js"))
    used = {match[2] for match in re.finditer(r"""\bt\(\s*(["'])((?:(?!\1).)+)\1""", source)}
    used |= {title for title, _ in PARTS.values()}
    assert len(used) > 80
    for language in languages()[1:]:
        assert sorted(used - set(catalogue(language))) == []
