"""Consoles served by ``sharnir drive``, and browsers that look at them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

READY = "() => window.sharnir?.started && sharnir.link.frame && sharnir.view.drawn > 1"
WINDOW = {"width": 1000, "height": 620}


class Console:
    """A running ``sharnir drive``."""

    def __init__(self, what: str, runs: Path, *options: str) -> None:
        command = [sys.executable, "-m", "sharnir", "drive", what, "--no-browser", "--runs", str(runs), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http\S+", line)
        assert found, f"sharnir drive said: {line!r}"
        self.url = found[0]
        self.address, self.token = self.url.split("/?token=")
        self.host = self.address.removeprefix("http://")
        self.cookie = ""
        (self.folder,) = runs.iterdir()

    def end(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(10)


class Browser:
    """A page of the console, with the few things that all tests do."""

    def __init__(self, context: Any, console: Console, path: str = "/") -> None:
        self.context = context
        self.console = console
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        if console.cookie:
            context.add_cookies([{"name": "sharnir", "value": console.cookie, "url": console.address}])
            self.page.goto(console.address + path)
        else:
            self.page.goto(console.url)
            console.cookie = next(c["value"] for c in context.cookies() if c["name"] == "sharnir")
        self.page.wait_for_function(READY, timeout=60_000)

    def do(self, script: str, given: Any = None) -> Any:
        """Run a script in the page."""
        return self.page.evaluate(script, given)

    def until(self, condition: str, given: Any = None, timeout: float = 15_000) -> None:
        """Wait for a condition on the page, looking at every frame."""
        self.page.wait_for_function(condition, arg=given, timeout=timeout, polling=30)

    def send(self, **command: Any) -> None:
        self.do("(command) => sharnir.link.send(command)", command)

    def frame(self, name: str) -> float:
        return float(self.do("(name) => sharnir.link.frame[name]", name))

    def channel(self, name: str) -> float:
        return float(self.do("(name) => sharnir.link.reader.channel(sharnir.link.frame, name)", name))

    def input(self, name: str) -> float:
        return float(self.do("(name) => sharnir.link.reader.input(sharnir.link.frame, name)", name))

    def press(self, name: str, value: float) -> None:
        """Keep giving an input, as a hand on a stick does: on a busy machine the dead-man may trip meanwhile."""
        self.do(
            "([n, v]) => { clearInterval(window.hand); window.hand = setInterval(() => sharnir.link.set(n, v), 80) }",
            [name, value],
        )

    def let_go(self) -> None:
        self.do("() => clearInterval(window.hand)")

    def pixels(self) -> bytes:
        """The picture of the view."""
        return bytes(self.page.locator("#stage canvas").first.screenshot())

    def stop_drawing(self) -> None:
        """Two pages that draw in software keep a small machine from everything else."""
        self.do("() => sharnir.view.renderer.setAnimationLoop(null)")

    def fresh(self) -> None:
        """Back to the start, running, nothing held."""
        self.let_go()
        for do in ("release", "reset", "run"):
            self.send(do=do)
        self.until("() => sharnir.link.frame.held === 0 && sharnir.link.frame.mode === 1")
