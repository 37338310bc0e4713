"""Scenes as they stand, drawn by the player without a simulation: what a picture shows, asked by places of a scene."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import sharnir as sh
from sharnir.runtime.channels import Channel
from sharnir.runtime.frame_bytes import HEADER, MODES, layout_of, views
from sharnir.spatial import Array
from sharnir.view.export_html import write_html
from sharnir.view.pictures import DRAWN
from sharnir.view.recording import Recording
from sharnir.view.world import world_of

EVERY = 0.1  # s between two frames
SEEK = "(t) => { sharnir.seek(t); sharnir.view.fresh = sharnir.view.stale = true; sharnir.view.render() }"
PRESS = """(text) => {
    const found = [...document.querySelectorAll("#show-menu button")].find((one) => one.textContent === text);
    found.click();
    return found.ariaPressed;
}"""
PROJECT = """(point) => {
    const { view } = sharnir;
    const { camera } = view.cameras;
    const at = camera.position.clone().set(...point).project(camera);
    const { width, height } = view.canvas.getBoundingClientRect();
    return [(0.5 + 0.5 * at.x) * width, (0.5 - 0.5 * at.y) * height];
}"""


def recording(scene: sh.Scene, moved: Sequence[dict[str, Any]] = ({},), channels: Sequence[str] = ()) -> Recording:
    """Frames in which bodies stand as the scene has them, or where ``moved`` puts them; channels by name.

    ``contacts``, ``velocities`` by body and the tension of a rope (``NAME tension``) are those that ``moved`` gives.
    """
    layout = layout_of(scene, [Channel(name, "rad", "joints") for name in channels], ())
    frames = np.zeros((len(moved), layout.size), np.uint8)
    header, blocks = views(frames, layout)
    header[:, HEADER.index("time")] = EVERY * np.arange(len(moved))
    header[:, HEADER.index("mode")] = MODES.index("replay")
    for i, (name, body) in enumerate(scene.bodies.items()):
        blocks["poses"][:, i, 3:] = body.pose.rotation
        blocks["poses"][:, i, :3] = [change.get(name, body.pose.position) for change in moved]
    for i, name in enumerate(channels):
        blocks["channels"][:, i] = [change.get(name, 0.0) for change in moved]
    for k, change in enumerate(moved):
        for i, row in enumerate(change.get("contacts", ())):
            blocks["contacts"][k, i] = row
        header[k, HEADER.index("contacts_used")] = len(change.get("contacts", ()))
        for name, velocity in change.get("velocities", {}).items():
            blocks["velocities"][k, list(scene.bodies).index(name)] = velocity
    for name, rope in scene.ropes.items():
        blocks[f"rope {name}"][:, :, :3] = rope.nodes
        blocks[f"rope {name}"][:, :, 3] = np.reshape([change.get(f"{name} tension", 0.0) for change in moved], (-1, 1))
        if rope.spec.skin is not None:
            blocks[f"bones {name}"][:] = rope.rotations
    panel = {"groups": [], "keys": [], "axes": [], "diagram": "", "plotted": [], "title": scene.name, "seconds": 10}
    world = world_of(scene) | {"layout": msgspec.to_builtins(layout), "inputs": [], "panel": panel}
    return Recording(world, frames, EVERY, "", "still", [])


class Still:
    """A page that shows a scene, without anything about it."""

    def __init__(
        self,
        browser: Any,
        folder: Path,
        shown: Recording,
        *,
        quality: str = "",
        size: tuple[int, int] = (480, 320),
        before: str = "",
        ghost: Recording | None = None,
    ) -> None:
        file = write_html(shown, folder / "still.html", ghost)
        self.page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        self.errors: list[str] = []
        self.page.add_init_script(before)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(f"{file.as_uri()}#bare{quality}")
        self.page.wait_for_function(DRAWN, timeout=120_000)

    def do(self, script: str, argument: Any = None) -> Any:
        """Run a function in the page."""
        return self.page.evaluate(script, argument)

    def look(self, eye: Sequence[float], at: Sequence[float]) -> None:
        """Put the large picture's camera somewhere."""
        self.do(
            """([eye, at]) => {
                const { view } = sharnir;
                view.camera("orbit");
                view.cameras.camera.position.set(...eye);
                view.cameras.controls.target.set(...at);
                view.cameras.controls.update();
            }""",
            [list(eye), list(at)],
        )

    def shot(self, time: float = 0.0) -> Array:
        """The picture at a time, [row, column, 3]."""
        from PIL import Image

        self.do(SEEK, time)
        with Image.open(io.BytesIO(self.page.screenshot())) as image:
            return np.asarray(image.convert("RGB")).astype(float)

    def around(self, picture: Array, point: Sequence[float], reach: int = 2) -> Array:
        """The mean colour about the place where a point of the scene is seen."""
        x, y = self.do(PROJECT, list(point))
        column, row = round(x), round(y)
        return picture[row - reach : row + reach + 1, column - reach : column + reach + 1].reshape(-1, 3).mean(axis=0)
