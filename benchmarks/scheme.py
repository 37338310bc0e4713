"""How long an edit takes to show on a sheet of 300 blocks, and what the page takes: ``python -m benchmarks.scheme``.

The browser draws in software. Every edit is made by keys or mouse; the time runs from the event in the page until the
frame after the document and the sheet have changed.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import sharnir as sh

BLOCKS = 300
EDITS = 15
TIMED = """(selector) => new Promise((done) => {
    const shown = () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun), 0));
    let begun = null;
    const start = (event) => { begun = event.timeStamp; };
    addEventListener("keydown", start, { capture: true, once: true });
    const revision = JSON.stringify(sharnir.document.at("/diagram"));
    const watch = () => {
        const changed = JSON.stringify(sharnir.document.at("/diagram")) !== revision;
        if (begun !== null && changed) shown();
        else requestAnimationFrame(watch);
    };
    watch();
})"""


def scene_of(blocks: int) -> sh.Scene:
    """A drive, and a diagram of so many blocks in rows of ten."""
    scene = sh.Scene("large")
    load = scene.body("load", sh.Box(0.5, 0.5, 0.5, mass=10.0))
    motor = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    axle = scene.joint("axle", sh.Revolute(), scene.world, load, drive=motor)
    d = scene.diagram = sh.Diagram("large", period=0.01)
    throttle = d.input("throttle", range=(-1, 1))
    rows = []
    for row in range(blocks // 10):
        signal = throttle
        for column in range(10):
            name = f"b{row}_{column}"
            signal = d.gain(signal, 0.9, name=name) if column % 2 else d.limit(-1.0, signal, 1.0, name=name)
        rows.append(signal)
    d.drive(axle, rows[0])
    for i, signal in enumerate(rows[1:8]):
        d.gauge(f"g{i}", signal)
    return scene


def renderers(parent: int) -> list[Path]:
    """The browser's processes that have pages, in /proc."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                line = (folder / "cmdline").read_bytes()
                if b"--type=renderer" in line and _descends(int(folder.name), parent):
                    found.append(folder)
            except OSError:
                continue
    return found


def memory_of(folder: Path) -> float:
    """The memory of a process of the browser (MB)."""
    own = re.search(r"RssAnon:\s+(\d+)", (folder / "status").read_text())
    return int(own[1]) / 1024 if own else 0.0


def busy(folder: Path) -> float:
    """Time (ms) that the main thread of a process has had a processor, whatever else runs on the machine."""
    return int((folder / "task" / folder.name / "schedstat").read_text().split()[0]) / 1e6


def _descends(process: int, parent: int) -> bool:
    while process > 1:
        if process == parent:
            return True
        status = Path(f"/proc/{process}/status").read_text()
        match = re.search(r"PPid:\s+(\d+)", status)
        process = int(match[1]) if match else 0
    return False


def measured(page: Any, folder: Path) -> dict[str, list[tuple[float, float]]]:
    """Times and processor times (ms) of edits: a box moved by a key, a value typed, a box deleted, and that undone."""
    times: dict[str, list[tuple[float, float]]] = {"move": [], "value": [], "delete": [], "undo": []}

    def timed(kind: str, act: Any) -> None:
        handle = page.evaluate_handle("(source) => { window.timing = eval(source)(); }", TIMED)
        begun = busy(folder)
        act()
        took = float(page.evaluate("() => window.timing"))
        times[kind].append((took, busy(folder) - begun))
        handle.dispose()

    for i in range(EDITS):
        box = page.locator(f".vue-flow__node[data-id='blocks/b{i}_5']")
        box.focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(150)
        timed("move", lambda: page.keyboard.press("ArrowDown"))
        field = page.locator(".scheme-form [data-field='port k']")
        field.fill(str(0.5 + 0.01 * i))
        timed("value", lambda field=field: field.press("Enter"))
        box.focus()
        timed("delete", lambda: page.keyboard.press("Delete"))
        timed("undo", lambda: page.keyboard.press("Control+z"))
        page.wait_for_timeout(150)
    return times


def main() -> None:
    """Serve the scene, open it, edit it, and print what it took."""
    from playwright.sync_api import sync_playwright

    from sharnir.view.pictures import ARGUMENTS

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = scene_of(BLOCKS).save(Path(folder) / "large.yaml")
        command = [sys.executable, "-m", "sharnir", "build", str(file), "--no-browser"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        link = re.search(r"http\S+", server.stdout.readline())
        assert link is not None
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(link[0])
            page.wait_for_function("() => window.sharnir?.started", timeout=60_000)
            page.locator("[data-side=scheme]").click()
            page.wait_for_function(
                f"() => document.querySelectorAll('.vue-flow__node').length > {BLOCKS}", timeout=60_000
            )
            page.wait_for_timeout(2000)
            own = max(renderers(os.getpid()), key=memory_of)
            for kind, times in measured(page, own).items():
                took, used = zip(*times, strict=True)
                shown = f"{kind:7s} median {statistics.median(took):6.1f} ms, largest {max(took):6.1f} ms"
                print(f"{shown}; processor {statistics.median(used):5.1f} ms, at most {max(used):5.1f} ms")
            print(f"page {memory_of(own):.0f} MB")
        finally:
            browser.close()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
