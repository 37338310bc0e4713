"""Pictures and videos of a run, taken by a headless Chromium that plays its HTML file."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SceneError
from .browser_thread import BrowserThread
from .camera_path import CameraPath
from .export_html import write_html
from .recording import Recording

if TYPE_CHECKING:
    from playwright.sync_api import Page

ARGUMENTS = ("--enable-unsafe-swiftshader",)  # draws in three dimensions also without a graphics card
DRAWN = "() => window.sharnir?.started && sharnir.view.drawn > 0"
SHOW = """async (t) => {
  sharnir.seek(t);
  sharnir.filmed?.show(t);
  sharnir.view.draw();
  sharnir.view.draw();
}"""
ANIMATED = (".gif", ".webp")  # written by Pillow; anything else by ffmpeg


def chromium() -> str:
    """The browser's program."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    found = found or shutil.which("google-chrome")
    if not found:
        raise SceneError("pictures need Chromium; install it (apt-get install chromium) or set CHROMIUM to its program")
    return found


def check(film: Path | None = None) -> None:
    """Say what is missing for pictures, or for a film of this name, before a run is made again for them."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        raise SceneError("pictures need the package playwright: pip install 'sharnir[pictures]'") from None
    if film is not None and film.suffix not in ANIMATED and shutil.which("ffmpeg") is None:
        raise SceneError(f"'{film.name}' needs ffmpeg, which is not installed; give a name that ends in .webp or .gif")
    chromium()


@contextmanager
def player(recording: Recording, size: tuple[int, int], theme: str, bare: bool) -> Iterator[Page]:
    """A page that shows the run, or the view alone."""
    check()
    with tempfile.TemporaryDirectory() as folder:
        file = write_html(recording, Path(folder) / "run.html")
        with open_page(f"{file.as_uri()}#fine&theme={theme}{'&bare' * bare}", size) as page:
            yield page


@contextmanager
def open_page(address: str, size: tuple[int, int]) -> Iterator[Page]:
    """A page of a run in a browser of its own, once it has drawn; within a `BrowserThread`."""
    check()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.goto(address)
        page.wait_for_function(DRAWN, timeout=60_000)
        yield page
        browser.close()


def save_picture(recording: Recording, path: Path, time: float, size: tuple[int, int], theme: str, bare: bool) -> Path:
    """A PNG of the run at a time (s): the whole page, or the view alone."""
    path.parent.mkdir(parents=True, exist_ok=True)

    def take() -> None:
        with player(recording, size, theme, bare) as page:
            path.write_bytes(_shot(page, time))

    with BrowserThread() as thread:
        thread.call(take)
    return path


def save_video(
    recording: Recording,
    path: Path,
    rate: float,
    size: tuple[int, int],
    theme: str,
    bare: bool,
    camera: CameraPath | None = None,
) -> Path:
    """The run as a video at its own speed: .gif and .webp by Pillow, .mp4 and .webm by ffmpeg.

    The camera stands or follows as in the page; with a path it goes its own way.
    """
    check(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    length = (len(recording.frames) - 1) * recording.every
    count = max(1, int(length * rate) + 1)

    def take() -> None:
        with player(recording, size, theme, bare) as page:
            if camera is not None:
                page.evaluate("(rows) => { sharnir.film(rows) }", camera.rows)
            shots = (_shot(page, k / rate) for k in range(count))
            if path.suffix in ANIMATED:
                _save_animation(shots, path, rate)
            else:
                _save_film(shots, path, rate, str(shutil.which("ffmpeg")))

    with BrowserThread() as thread:
        thread.call(take)
    return path


def _shot(page: Page, time: float) -> bytes:
    page.evaluate(SHOW, time)
    return bytes(page.screenshot())


def _save_animation(shots: Iterator[bytes], path: Path, rate: float) -> None:
    from PIL import Image

    first, *rest = [Image.open(io.BytesIO(shot)).convert("RGB") for shot in shots]
    first.save(path, save_all=True, append_images=rest, duration=round(1000 / rate), loop=0)


def _save_film(shots: Iterator[bytes], path: Path, rate: float, ffmpeg: str) -> None:
    command = [ffmpeg, "-y", "-loglevel", "error", "-f", "image2pipe", "-framerate", f"{rate:g}", "-i", "-"]
    command += ["-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        for shot in shots:
            process.stdin.write(shot)
        process.stdin.close()
        if process.wait() != 0:
            raise SceneError(f"ffmpeg could not write '{path}'")
