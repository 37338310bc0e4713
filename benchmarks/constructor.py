"""How quickly an edit shows in the constructor, for a scene of many bodies: ``python -m benchmarks.constructor``.

The server's part is processor time. The page's part is from the edit to the picture that shows it, in a Chromium that
draws without a graphics card, and the memory of the page with the picture's own.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sharnir.constructor.checking import Checker
from sharnir.constructor.stage import Told, stage_of
from sharnir.files.text import write_yaml
from sharnir.files.typed import to_typed
from sharnir.scene.body import BodySpec

ROUNDS = 15
PAUSE = 700  # ms between two edits
STARTED = "(count) => window.sharnir?.started && sharnir.context.stage.index.size === count"
# From the edit until the first picture that shows it is drawn, by the process that draws as well.
SHOWN = """([operations, isShown]) => new Promise((done) => {
    const { document, context } = sharnir;
    const { view } = context.stage;
    const shows = new Function("stage", `return ${isShown}`);
    const begun = performance.now();
    const look = () => {
        if (!shows(context.stage)) return;
        view.removeEventListener("drawn", look);
        view.renderer.getContext().readPixels(0, 0, 1, 1, 0x1908, 0x1401, new Uint8Array(4));
        done(performance.now() - begun);
    };
    view.addEventListener("drawn", look);
    document.edit("benchmark", operations);
})"""


def many(count: int) -> dict[str, Any]:
    """A scene of chains of boxes over the ground."""
    places = [[0.5 * (i % 25), 0.5 * (i // 25), 0.5] for i in range(count)]
    box = {"type": "box", "x": 0.2, "y": 0.2, "z": 0.2, "mass": 1}
    hinge = {"type": "revolute", "axis": [0, 1, 0]}
    return {
        "sharnir": 1,
        "name": "many",
        "terrain": {"ground": {"surface": {"type": "plane"}}},
        "bodies": {f"body_{i}": {"shapes": [box], "position": place} for i, place in enumerate(places)},
        "joints": {
            f"joint_{i}": {"joint": {**hinge, "anchor": place}, "between": [f"body_{i - 1}", f"body_{i}"]}
            for i, place in enumerate(places)
            if i % 25
        },
    }


def server(data: dict[str, Any]) -> None:
    """Processor time of what follows an edit of one body."""
    checker, told, at_once, whole = Checker(Path()), Told(), [], []
    scene, _ = checker.check(data)
    assert scene is not None
    told.changes(stage_of(scene))
    for i in range(ROUNDS):
        data["bodies"]["body_7"]["shapes"][0] = {"type": "box", "x": 0.2 + 0.001 * i, "y": 0.2, "z": 0.2, "mass": 1}
        begun = time.process_time()
        told.at_once({"body_7": to_typed(BodySpec, data["bodies"]["body_7"])})
        at_once.append(time.process_time() - begun)
        begun = time.process_time()
        scene, _ = checker.check(data)
        assert scene is not None
        told.changes(stage_of(scene))
        whole.append(time.process_time() - begun)
    body, all_of_it = (1e3 * statistics.median(times) for times in (at_once, whole))
    print(f"server: the body {body:.1f} ms, all checked {all_of_it:.0f} ms")


def page(data: dict[str, Any]) -> None:
    """Times and memory of the page."""
    from playwright.sync_api import sync_playwright

    from sharnir.view.pictures import ARGUMENTS, chromium

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "many.yaml"
        file.write_text(write_yaml(data))
        command = [sys.executable, "-m", "sharnir", "build", str(file), "--no-browser"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        assert found is not None
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*ARGUMENTS, "--no-sandbox"])
        try:
            seen = browser.new_page(viewport={"width": 1280, "height": 800})
            seen.goto(found[0])
            seen.wait_for_function(STARTED, arg=len(data["bodies"]), timeout=120_000)
            seen.wait_for_timeout(3000)
            _show(seen)
        finally:
            browser.close()
            process.terminate()


def _edits(i: int) -> dict[str, tuple[dict[str, Any], str]]:
    """Operations, each with a condition on the stage that holds when it is to be seen."""
    place, size = [0.01 * i + 0.005, 3.0, 0.5], 0.2 + 0.01 * i + 0.005
    own = "/bodies/body_7"
    new = {"shapes": [{"type": "box", "x": 0.2, "y": 0.2, "z": 0.2, "mass": 1}], "position": [0.5, -1.0, 0.5]}
    return {
        "moved": (
            {"op": "replace", "path": f"{own}/position", "value": place},
            f"Math.abs(stage.view.frame.poses[49] - {place[0]}) < 1e-6",
        ),
        "another size": (
            {"op": "replace", "path": f"{own}/shapes/0/x", "value": size},
            f"stage.view.world.bodies[7].shapes[0].size[0] === {size}",
        ),
        "added": ({"op": "add", "path": "/bodies/new", "value": new}, "stage.view.world.bodies.at(-1).name === 'new'"),
        "deleted": ({"op": "remove", "path": "/bodies/new"}, "stage.view.frame.poses.at(-5) < -1e4"),
    }


def _show(seen: Any) -> None:
    times: dict[str, list[float]] = {}
    for i in range(ROUNDS):
        for what, (operation, is_shown) in _edits(i).items():
            times.setdefault(what, []).append(seen.evaluate(SHOWN, [[operation], is_shown]))
            seen.wait_for_timeout(PAUSE)
    for what, took in times.items():
        print(f"page: {what} after {statistics.median(took):.0f} ms (median of {ROUNDS}), at most {max(took):.0f} ms")
    script = seen.evaluate("() => performance.memory.usedJSHeapSize / 2**20")
    whole, pictures = (memory_of(seen, kind) for kind in ("renderer", "GPU"))
    print(f"page: {whole:.0f} MB, {script:.0f} of it the script's; the process that draws: {pictures:.0f} MB")


def memory_of(seen: Any, kind: str) -> float:
    """Memory (MB) of the browser's processes of a kind; what several share is split between them."""
    told = seen.context.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
    numbers = [process["id"] for process in told["processInfo"] if process["type"] == kind]
    texts = [Path(f"/proc/{number}/smaps_rollup").read_text() for number in numbers]
    return sum(int(re.findall(r"^Pss:\s+(\d+) kB", text, re.M)[0]) for text in texts) / 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, default=500, metavar="N")
    count = parser.parse_args().bodies
    server(many(count))
    page(many(count))


if __name__ == "__main__":
    main()
