"""A console served by ``sharnir drive`` and browsers that look at it. Without Chromium all of it is skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from consoles import PATIENCE, WINDOW, Browser, Console

import sharnir as sh
from sharnir.view.recording import Recording

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


def missing() -> str:
    """Why the browser tests cannot run; empty when they can."""
    for package in ("nicegui", "playwright"):
        try:
            __import__(package)
        except ImportError:
            return f"{package} is not installed (pip install 'sharnir[view,pictures]')"
    return "" if CHROMIUM else "Chromium is not installed (apt-get install chromium)"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = missing()
    here = Path(__file__).parent
    for item in items:
        if reason and here in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if missing():
        terminalreporter.write_line(f"browser tests skipped: {missing()}")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    from sharnir.view.pictures import ARGUMENTS

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS), timeout=1000 * PATIENCE)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    running = Console("dc_drive", tmp_path_factory.mktemp("runs"))
    yield running
    running.end()


@pytest.fixture(scope="module")
def operator(chromium: Any, console: Console, request: pytest.FixtureRequest) -> Iterator[Browser]:
    """The browser that is in control; it draws where that is looked at."""
    context = chromium.new_context(viewport=WINDOW)
    made = Browser(context, console, console.links["operator"])
    if request.module.__name__ != "test_console":
        made.stop_drawing()
    yield made
    context.close()


@pytest.fixture
def driver(operator: Browser) -> Browser:
    """The operator's browser with a fresh run."""
    operator.fresh()
    return operator


@pytest.fixture
def open_still(chromium: Any, tmp_path: Path) -> Any:
    """Opens a scene as it stands, or a recording of it; at the end no page has had an error."""
    from stills import Still, recording

    opened: list[Still] = []

    def opens(scene: sh.Scene | Recording, *more: Any, **options: Any) -> Still:
        shown = recording(scene, *more) if isinstance(scene, sh.Scene) else scene
        opened.append(Still(chromium, tmp_path, shown, **options))
        return opened[-1]

    yield opens
    for still in opened:
        assert still.errors == []
        still.page.close()
