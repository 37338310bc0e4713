"""What a camera of a running simulation sees: colour, depth and which body each pixel shows, by a headless Chromium.

The browser is started with the first picture of a simulation and closed with it, or at the end of the program.
"""

from __future__ import annotations

import base64
import io
import tempfile
import weakref
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SceneError, nearest
from ..record.trajectory import Trajectory
from ..scene.values import whole
from ..spatial import Array
from .browser_thread import BrowserThread
from .export_html import write_html
from .pictures import open_page
from .recording import Recording, recording_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from ..simulation.simulation import Simulation

LARGEST = 4096  # pixels along a side
SHOW = """([frame, camera]) => {
  const bytes = Uint8Array.from(atob(frame), (c) => c.charCodeAt(0));
  const { view } = sharnir;
  view.camera(camera);
  view.show(view.reader.read(bytes.buffer));
  view.fresh = true;
  view.render();
  return view.canvas.toDataURL("image/png");
}"""
SENSE = """([camera, width, height]) => {
  const bytes = new Uint8Array(sharnir.view.sense(camera, width, height).buffer);
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}"""


@dataclass(frozen=True)
class CameraPicture:
    """A picture of a camera, rows from the top.

    ``color`` [row, column, 3] is of bytes; ``depth`` [row, column] is in m along the camera's direction, inf where
    there is nothing; ``shown`` [row, column] has numbers of ``names``, 0 for nothing.
    """

    color: Array
    depth: Array
    shown: Array
    names: dict[int, str]

    def mask(self, name: str) -> Array:
        """Where the body, the rope or the "ground" of a ``name`` is seen."""
        if name not in self.names.values():
            raise SceneError(f"a picture shows no '{name}'{nearest(name, self.names.values())}")
        return np.isin(self.shown, [number for number, known in self.names.items() if known == name])


class Darkroom:
    """A browser that takes pictures of one simulation, of one size at a time."""

    def __init__(self) -> None:
        self._thread = BrowserThread()
        self._open = ExitStack()
        self._page: Page | None = None
        self._size = (0, 0)

    def close(self) -> None:
        """End the browser."""
        self._thread.call(self._open.close)
        self._thread.end()

    def take(self, recording: Recording, camera: str, size: tuple[int, int]) -> CameraPicture:
        """The picture of the only frame of a recording."""
        return self._thread.call(lambda: self._take(recording, camera, size))

    def _take(self, recording: Recording, camera: str, size: tuple[int, int]) -> CameraPicture:
        page = self._page_of(recording, size)
        frame = base64.b64encode(recording.frames[-1].tobytes()).decode()
        color = _pixels(page.evaluate(SHOW, [frame, camera]))
        sensed = base64.b64decode(page.evaluate(SENSE, [camera, *size]))
        values = np.frombuffer(sensed, "<f4").reshape(size[1], size[0], 2)
        shown = np.rint(values[..., 1]).astype(int)
        depth = np.where(shown == 0, np.inf, values[..., 0].astype(float))
        bodies = {i: body["name"] for i, body in enumerate(recording.world["bodies"], start=1)}
        ropes = {-2 - i: rope["name"] for i, rope in enumerate(recording.world["ropes"])}
        return CameraPicture(color, depth, shown, bodies | ropes | {-1: "ground"})

    def _page_of(self, recording: Recording, size: tuple[int, int]) -> Page:
        if self._page is None:
            folder = self._open.enter_context(tempfile.TemporaryDirectory())
            file = write_html(recording, Path(folder) / "run.html")
            self._page = self._open.enter_context(open_page(f"{file.as_uri()}#exact&bare", size))
            self._page.evaluate(
                "() => { for (const name in sharnir.view.overlays.shown) sharnir.view.overlay(name, false) }"
            )
        elif size != self._size:
            self._page.set_viewport_size({"width": size[0], "height": size[1]})
            self._page.wait_for_function(
                "([w, h]) => sharnir.view.canvas.width === w && sharnir.view.canvas.height === h", arg=list(size)
            )
        self._size = size
        return self._page


_rooms: weakref.WeakKeyDictionary[Simulation, Darkroom] = weakref.WeakKeyDictionary()


def picture_of(simulation: Simulation, camera: str, size: tuple[int, int], world: int) -> CameraPicture:
    """What a camera of a simulation sees now, in one of its worlds."""
    scene = simulation.scene
    if camera not in scene.cameras:
        raise SceneError(f"picture: there is no camera '{camera}'{nearest(camera, scene.cameras)}")
    for side in size:
        if whole(side, "picture: size (pixels)", 2) > LARGEST:
            raise SceneError(f"picture: size is {size} pixels; give at most {LARGEST} along a side")
    recorder = simulation.recorder(1)
    recorder.capture(simulation.time)
    now = Trajectory.from_frames(scene, recorder.frames()).world(world)
    if simulation not in _rooms:
        _rooms[simulation] = Darkroom()
        weakref.finalize(simulation, _rooms[simulation].close)
    return _rooms[simulation].take(recording_of(scene, now), camera, size)


def _pixels(url: str) -> Array:
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) as image:
        return np.asarray(image.convert("RGB"))
