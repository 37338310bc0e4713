"""Takes the pictures of the console for docs/console.md: drives for a while in headless Chromium, and saves them small.

``python docs/_site/take_console.py`` takes all of them, names take these anew. It needs Chromium.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from take_pictures import shrink

from sharnir.view.pictures import ARGUMENTS, chromium

FOLDER = Path(__file__).resolve().parents[1] / "pictures"
DESKTOP, TABLET, PHONE = (1440, 900), (820, 1180), (390, 844)  # pixels
READY = "() => window.sharnir?.started && sharnir.link.frame && sharnir.view.drawn > 1"
WAIT = 120_000  # ms
ROLES = ("operator", "instructor", "watcher")


@contextmanager
def console(*what: str) -> Iterator[dict[str, str]]:
    """A running ``sharnir drive``: its links by role."""
    with tempfile.TemporaryDirectory() as runs:
        command = [sys.executable, "-m", "sharnir", "drive", *what, "--no-browser", "--runs", runs]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            found = [re.search(r"http\S+", process.stdout.readline()) for _ in ROLES]
            yield {role: link[0] for role, link in zip(ROLES, found, strict=True) if link}
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def opened(browser: Any, link: str, size: tuple[int, int], theme: str) -> Any:
    """The console in a window of its own."""
    page = browser.new_page(viewport=dict(zip(("width", "height"), size, strict=True)), color_scheme=theme)
    page.set_default_timeout(WAIT)
    page.goto(link)
    page.wait_for_function(READY)
    page.evaluate("(dark) => Quasar.Dark.set(dark)", theme == "dark")
    return page


def until(page: Any, time: float) -> None:
    """Wait for a simulated time (s), and for the picture of it."""
    page.wait_for_function("(time) => sharnir.link.frame.time > time && sharnir.view.frame.time > time", arg=time)


def drive(page: Any, **values: float) -> None:
    """Set inputs; no key is held, which a machine without a graphics card would be too slow for."""
    page.evaluate(
        "(values) => Object.entries(values).forEach(([name, value]) => sharnir.link.set(name, value))", values
    )


def save(page: Any, name: str) -> None:
    """A picture of the page, as wide as it is."""
    page.evaluate("() => document.getElementById('toasts').replaceChildren()")
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        page.screenshot(path=shot)
        shrink(shot, FOLDER / f"{name}.webp", page.viewport_size["width"])


def dark(browser: Any) -> None:
    """KRT-100 on the training ground, driven, with two cameras of its own."""
    with console("krt100") as links:
        page = opened(browser, links["operator"], DESKTOP, "dark")
        for name in ("mast camera", "rear camera"):
            page.evaluate("(name) => sharnir.view.pictures.toggle(name)", name)
        drive(page, forward=0.8)
        until(page, 3.0)
        drive(page, turn=-0.4)
        until(page, 6.0)
        save(page, "console-dark")
        page.close()


def light(browser: Any) -> None:
    """A door that can be pushed: no drives, no panel of its own."""
    with console("door") as links:
        page = opened(browser, links["operator"], DESKTOP, "light")
        drive(page, **{"push hinge angle": 25.0})
        until(page, 2.0)
        save(page, "console-light")
        page.close()


def phone(browser: Any) -> None:
    """A stop on a phone."""
    with console("mf4") as links:
        page = opened(browser, links["operator"], PHONE, "light")
        until(page, 1.0)
        page.locator("#stop").click()
        page.locator("#release").wait_for()
        until(page, 1.5)
        save(page, "console-phone")
        page.close()


def instructor(browser: Any) -> None:
    """The instructor's page while a scenario is driven, on a tablet."""
    with console("--scenario", "krt100_course") as links:
        driver = opened(browser, links["operator"], PHONE, "light")
        page = opened(browser, links["instructor"], TABLET, "light")
        driver.evaluate("() => sharnir.view.renderer.setAnimationLoop(null)")  # one page draws
        drive(driver, forward=0.8)
        until(page, 4.0)
        page.get_by_role("button", name=re.compile("^inject")).first.click()
        page.get_by_role("button", name=re.compile("^clear")).first.wait_for()
        until(page, 5.0)
        save(page, "console-instructor")
        driver.close()
        page.close()


PICTURES: dict[str, Callable[[Any], None]] = {
    "dark": dark,
    "light": light,
    "phone": phone,
    "instructor": instructor,
}


def main(names: list[str]) -> None:
    """Take the pictures named, or all."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        for name in names or PICTURES:
            PICTURES[name](browser)
            print(name, flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
