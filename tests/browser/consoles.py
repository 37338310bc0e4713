"""Consoles served by ``sharnir drive``, and browsers that look at them."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.runtime.frames import HEADER

READY = "() => window.sharnir?.started && sharnir.link.frame && sharnir.view.drawn > 1"
CLOCK, HELD, MODE, TICK = (HEADER.index(name) for name in ("clock", "held", "mode", "tick"))
FREE, STOPPED, HOLDING = 0, 1, 2  # values of held
WINDOW = {"width": 1000, "height": 620}


class Console:
    """A running ``sharnir drive``, with the links it printed; each is good for one browser."""

    def __init__(self, what: str, runs: Path, *options: str) -> None:
        command = [sys.executable, "-m", "sharnir", "drive", what, "--no-browser", "--runs", str(runs), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.links = {role: self._link() for role in ("operator", "instructor", "watcher")}
        self.address = self.links["operator"].partition("/?")[0]
        self.host = self.address.removeprefix("http://")
        (self.folder,) = runs.iterdir()

    def _link(self) -> str:
        line = self.process.stdout.readline() if self.process.stdout else ""
        found = re.search(r"http\S+", line)
        assert found, f"sharnir drive said: {line!r}"
        return found[0]

    def end(self) -> None:
        """Ctrl-C."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait(10)

    def log(self) -> list[dict[str, Any]]:
        """The entries of the run's log so far."""
        return [json.loads(line) for line in (self.folder / "run.jsonl").read_text().splitlines()[1:]]


def get(console: Console, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Ask for a page."""
    connection = http.client.HTTPConnection(console.host, timeout=10)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    found = {name.lower(): value for name, value in answer.getheaders()}
    body = answer.read()
    connection.close()
    return answer.status, found, body


def admitted(console: Console, role: str) -> str:
    """The cookie that the link for a role is exchanged for."""
    return get(console, console.links[role].removeprefix(console.address))[1]["set-cookie"].split(";")[0]


class Socket:
    """A websocket to the server that plays a browser, with its worker."""

    def __init__(self, console: Console, cookie: str, path: str = "/link", query: str = "", **headers: str) -> None:
        from websockets.sync.client import connect

        self.given = {"Cookie": cookie, "Origin": console.address} | headers
        self._url = f"ws://{console.host}{path}"
        self._open = connect(self._url + query, additional_headers=self.given, max_size=None, close_timeout=1)
        self.socket = self._open.__enter__()
        self.number = 0
        self.header = np.zeros(len(HEADER))
        self.events: list[dict[str, Any]] = []
        self.hello = json.loads(self.socket.recv(timeout=5))
        self.page = 0.0  # s that its page has been silent
        self.beats = True
        threading.Thread(target=self._beat, daemon=True).start()
        self.catch_up()

    def _beat(self) -> None:
        from websockets.exceptions import ConnectionClosed
        from websockets.sync.client import connect

        url = self._url.replace("/link", "/beat") + f"?key={self.hello['key']}"
        with contextlib.suppress(ConnectionClosed, OSError), connect(url, additional_headers=self.given) as socket:
            while True:
                if self.beats:
                    socket.send(json.dumps({"page": self.page}))
                time.sleep(0.04)

    def catch_up(self) -> None:
        """Read until what is seen is fresh."""
        self.read(0.2)
        while time.time() - self.header[CLOCK] > 0.2:
            self.read(0.1)

    def read(self, seconds: float) -> None:
        """Take in what comes for a while."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                message = self.socket.recv(timeout=left)
            except TimeoutError:
                return
            if isinstance(message, bytes):
                self.header = np.frombuffer(message, "<f8", len(HEADER))
            else:
                self.events.append(json.loads(message))

    def until(self, place: int, value: float, seconds: float = 10.0) -> float:
        """Read until a number of the header has a value; returns how long that took (s)."""
        begun = time.monotonic()
        while self.header[place] != value:
            assert time.monotonic() < begun + seconds, f"{HEADER[place]} is {self.header[place]}, not {value}"
            self.read(0.01)
        return time.monotonic() - begun

    def send(self, command: dict[str, Any], number: int | None = None, seen: float | None = None, **more: Any) -> None:
        self.number = self.number + 1 if number is None else number
        clock = float(self.header[CLOCK]) if seen is None else seen
        self.socket.send(json.dumps({"number": self.number, "seen": clock, "command": command} | more))

    def refusals(self, seconds: float = 0.3) -> list[str]:
        self.read(seconds)
        found = [event["reason"] for event in self.events if event["event"] == "refused"]
        self.events.clear()
        return found

    def set_free(self) -> None:
        """Release the emergency stop if it is on, and enable the drives."""
        self.catch_up()
        if self.header[HELD] == STOPPED:
            self.send({"do": "unlatch"})
            self.read(1.1)
            self.send({"do": "release"})
            self.until(HELD, HOLDING)
        if self.header[HELD] == HOLDING:
            self.send({"do": "enable"})
            self.until(HELD, FREE)

    def close(self) -> None:
        self._open.__exit__(None, None, None)


class Browser:
    """A page of the console, with the few things that all tests do."""

    def __init__(self, context: Any, console: Console, link: str) -> None:
        self.context = context
        self.console = console
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        self.page.goto(link)
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

    def release(self) -> None:
        """Press the release of the emergency stop for long enough."""
        box = self.page.locator("#release").bounding_box()
        assert box is not None
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        self.until("() => sharnir.link.chain.state === 'held'")
        self.page.mouse.up()

    def enable(self) -> None:
        """Enable the drives."""
        self.page.locator("#enable").click()
        self.until("() => sharnir.link.chain.state === 'free' && sharnir.link.frame.held === 0")

    def fresh(self) -> None:
        """Back to the start, running, nothing held."""
        self.let_go()
        self.until("() => sharnir.link.driving")
        if self.do("() => sharnir.link.chain.state") == "stopped":
            self.release()
        if self.do("() => sharnir.link.chain.state") == "held":
            self.enable()
        for do in ("reset", "run"):
            self.send(do=do)
        self.until(
            "() => sharnir.link.frame.held === 0 && sharnir.link.frame.mode === 1 && sharnir.link.frame.time < 2"
        )
