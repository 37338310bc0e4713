"""``sharnir build`` and a person who works in it, by mouse and keyboard alone; gestures are counted."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from consoles import PATIENCE, PATIENT
from PIL import Image, ImageDraw

Place = tuple[float, float]  # pixels
WINDOW = {"width": 1440, "height": 900}
STARTED = "() => window.sharnir?.started"
DRAWN = "() => !sharnir.context.stage.view.stale && !sharnir.context.stage.view.fresh"
# Where a point of the world, in the frame of a body, is seen on the page.
SEEN = """([body, point]) => {
    const { view, index } = sharnir.context.stage;
    const at = sharnir.context.stage.gizmo.pivot.position.clone().set(...point);
    if (body) at.applyMatrix4(view.bodies.matrix[index.get(body)]);
    at.project(view.cameras.camera);
    const box = view.canvas.getBoundingClientRect();
    return [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height];
}"""


def write_film(pictures: list[tuple[bytes, Place | None]], file: Path, width: int = 960, each: int = 450) -> None:
    """Pictures as an animated WebP, ``each`` of them shown for some milliseconds; a ring tells where a hand was."""
    frames = []
    for picture, place in pictures:
        frame = Image.open(io.BytesIO(picture)).convert("RGB")
        if place is not None:
            ring = [place[0] - 14, place[1] - 14, place[0] + 14, place[1] + 14]
            ImageDraw.Draw(frame).ellipse(ring, outline="#e0a53b", width=4)
        size = (width, round(width * frame.height / frame.width))
        frames.append(frame.resize(size, Image.Resampling.LANCZOS))
    times = [each] * (len(frames) - 1) + [4 * each]
    frames[0].save(file, save_all=True, append_images=frames[1:], duration=times, loop=0, quality=55, method=6)


class Builder:
    """A running ``sharnir build``, and the link it printed."""

    def __init__(self, file: Path) -> None:
        command = [sys.executable, PATIENT, "build", str(file), "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http\S+", line)
        assert found, f"sharnir build said: {line!r}"
        self.link = found[0]
        self.address = self.link.partition("/?")[0]

    def end(self) -> None:
        """Ctrl-C."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE)

    def crash(self) -> None:
        """The machine loses power."""
        self.process.kill()
        self.process.wait(PATIENCE)


class Person:
    """Somebody at the page. What is done is a gesture: a click, a drag, a key, a text typed into a field."""

    def __init__(self, context: Any, link: str) -> None:
        self.context = context
        context.set_default_timeout(1000 * PATIENCE)
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.gestures: list[str] = []
        self.film: list[tuple[bytes, Place | None]] | None = None  # a picture after every gesture, where it is wanted
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(link)
        self.page.wait_for_function(STARTED)

    # --- looking ----------------------------------------------------------------------------------------------------

    @property
    def document(self) -> dict[str, Any]:
        """What the page has of the document."""
        found: dict[str, Any] = self.page.evaluate("() => sharnir.document.data")
        return found

    @property
    def selected(self) -> list[str]:
        """The paths that are selected."""
        found: list[str] = self.page.evaluate("() => sharnir.context.selection.list")
        return found

    def until(self, condition: str, given: Any = None) -> None:
        """Wait for a condition on the page."""
        self.page.wait_for_function(condition, arg=given, polling=30)

    def until_told(self) -> None:
        """Wait until the server has answered, checked the scene, and the view has drawn it."""
        self.until("() => sharnir.document.pending.length === 0")
        self.until("() => sharnir.document.checked === sharnir.document.revision")

    def until_drawn(self, body: str) -> None:
        """Wait until the view knows a body."""
        self.until("(body) => sharnir.context.stage.index.has(body)", body)

    def seen(self, body: str | None, point: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> tuple[float, float]:
        """Where a place of a body, or of the world, is on the page (pixels), once all is drawn that has changed."""
        self.until(DRAWN)
        return self.aimed(body, point)

    def aimed(self, body: str | None, point: tuple[float, float, float]) -> tuple[float, float]:
        """Where it is now, drawn or not."""
        x, y = self.page.evaluate(SEEN, [body, point])
        return x, y

    # --- doing ------------------------------------------------------------------------------------------------------

    def _did(self, what: str, place: Place | None = None) -> None:
        self.gestures.append(what)
        self.look(place)

    def look(self, place: Place | None = None) -> None:
        """A picture for the film, if there is one."""
        if self.film is not None:
            self.page.wait_for_timeout(400)  # until it is drawn
            self.film.append((self.page.screenshot(), place))

    def _middle(self, found: Any) -> Place | None:
        """Where something is that a hand goes to; only a film asks."""
        if self.film is None:
            return None
        found.scroll_into_view_if_needed()
        box = found.bounding_box()
        return (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) if box else None

    def click(self, found: Any, **how: Any) -> None:
        """Click something on the page."""
        place = self._middle(found)
        found.click(**how)
        self._did(f"click {found}", place)

    def button(self, name: str) -> None:
        """Click a button by its name."""
        self.click(self.page.get_by_role("button", name=name, exact=True).locator("visible=true").first)

    def click_at(self, place: tuple[float, float]) -> None:
        """Click a place of the picture."""
        self.page.mouse.click(*place)
        self._did(f"click at {place}", place)

    def drag(self, start: tuple[float, float], end: tuple[float, float], until: str | None = None) -> None:
        """Drag from place to place; half way, wait for what is to be seen there before it is dropped."""
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=4)
        if until:
            self.until(until)
        self.page.mouse.move(*end, steps=4)
        self.page.mouse.up()
        self._did(f"drag from {start} to {end}", end)

    def key(self, key: str) -> None:
        """Press a key."""
        self.page.keyboard.press(key)
        self._did(f"key {key}")

    def type(self, found: Any, text: str) -> None:
        """Type into a field, in place of what is there, and leave it by Enter."""
        place = self._middle(found)
        found.fill(text)
        found.press("Enter")
        self._did(f"type {text}", place)

    def choose(self, found: Any, text: str) -> None:
        """Choose from a list."""
        place = self._middle(found)
        found.select_option(label=text)
        self._did(f"choose {text}", place)

    def add(self, what: str) -> None:
        """Add the first of the palette that is found by a text."""
        self.type(self.page.get_by_label("Search the palette"), what)

    def field(self, path: str) -> Any:
        """The field of a path in the inspector, or in an open dialog."""
        return self.page.locator(f'[data-path="{path}"]').locator("visible=true").last

    def row(self, name: str) -> Any:
        """The row of a thing in the tree."""
        return self.page.get_by_role("treeitem", name=name, exact=True).first
