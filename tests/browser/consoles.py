"""Consoles served by ``sharnir drive``, and browsers that look at them.

Nothing here looks once: a condition is waited for, as long as a busy machine may take (``PATIENCE``).
"""

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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.runtime.frame_bytes import HEADER

PATIENCE = 180.0  # s, for anything at all
PATIENT = str(Path(__file__).parent / "patient.py")
READY = "() => window.sharnir?.started && sharnir.link.frame && sharnir.view.drawn > 1"
CLOCK, HELD, MODE, TICK = (HEADER.index(name) for name in ("clock", "held", "mode", "tick"))
FREE, STOPPED, HOLDING = 0, 1, 2  # values of held
WINDOW = {"width": 1000, "height": 620}
SIZES = ((390, 844), (820, 1180), (1440, 900))  # windows of a phone, a tablet and a desktop
# Remembers what toasts have said: one is gone after some seconds.
LISTEN = """window.said = [];
    new MutationObserver((changes) => {
        const added = changes.flatMap((change) => [...change.addedNodes]);
        window.said.push(...added.filter((node) => node.className === "toast").map((node) => node.textContent));
    }).observe(document, { childList: true, subtree: true });"""

# No two words of the controls lie over each other, and none is cut off.
WORDS_APART = """() => {
    const all = [...document.querySelectorAll(".widgets .w-label, .widgets .w-value")];
    const words = all.filter((word) => word.offsetParent);
    const boxes = words.filter((word) => word.textContent.trim()).map((word) => word.getBoundingClientRect());
    const hides = (word) => getComputedStyle(word).overflow !== "visible";
    const cut = words.some((word) => hides(word) && word.scrollWidth > word.clientWidth + 1);
    const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    return boxes.length > 0 && !cut && boxes.every((a, i) => boxes.every((b, k) => i === k || !over(a, b)));
}"""


class Console:
    """A running ``sharnir drive``, with the links it printed; each is good for one browser."""

    def __init__(self, what: str | None, runs: Path, *options: str) -> None:
        named = [] if what is None else [what]  # or the start page
        command = [sys.executable, PATIENT, "drive", *named, "--no-browser", "--runs", str(runs), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.links = {role: self._link() for role in ("operator", "instructor", "watcher")}
        self.address = self.links["operator"].partition("/?")[0]
        self.host = self.address.removeprefix("http://")
        self._runs = runs

    @property
    def folder(self) -> Path:
        """Of the newest run."""
        return max(self._runs.iterdir(), key=lambda folder: folder.stat().st_mtime_ns)

    def _link(self) -> str:
        line = self.process.stdout.readline() if self.process.stdout else ""
        found = re.search(r"http\S+", line)
        assert found, f"sharnir drive said: {line!r}"
        return found[0]

    def end(self) -> None:
        """Ctrl-C; whatever has happened before, it leaves without a traceback."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=3 * PATIENCE)
        assert "Traceback" not in errors, errors

    def log(self) -> list[dict[str, Any]]:
        """The entries of the run's log so far."""
        return [json.loads(line) for line in (self.folder / "run.jsonl").read_text().splitlines()[1:]]

    def commands(self, do: str = "") -> list[dict[str, Any]]:
        """The entries of commands, or of those of one kind."""
        return [entry for entry in self.log() if "command" in entry and do in ("", entry["command"]["do"])]

    def physics(self) -> int:
        """The number of the physics process; Python's tracker of shared memory is the other child."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")  # a later run is started by a thread
        children = [child for task in tasks for child in task.read_text().split()]
        named = {int(child): Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
        (found,) = (child for child, command in named.items() if b"spawn_main" in command)
        return found

    def shared_memory(self) -> set[Path]:
        """What its physics keeps its frames in."""
        maps = Path(f"/proc/{self.physics()}/maps").read_text()
        found = {Path(file) for file in re.findall(r"/dev/shm/psm_\w+", maps)}
        assert found
        return found


def wait_for(condition: Callable[[], Any], what: str = "") -> Any:
    """Ask until the answer is yes; returns it."""
    until = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < until, what or "it did not come"
        time.sleep(0.05)
    return found


def get(console: Console, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Ask for a page."""
    connection = http.client.HTTPConnection(console.host, timeout=PATIENCE)
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
        self._open = connect(
            self._url + query, additional_headers=self.given, max_size=None, close_timeout=1, open_timeout=PATIENCE
        )
        self.socket = self._open.__enter__()
        self.number = 0
        self.header = np.zeros(len(HEADER))
        self.events: list[dict[str, Any]] = []
        self.hello = json.loads(self.socket.recv(timeout=PATIENCE))
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
        """Read until there is a frame that was made after this call."""
        begun = time.time()
        self.read_until(lambda: self.header[CLOCK] > begun, "a fresh frame")

    def read(self, seconds: float) -> None:
        """Take in what comes for a while."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                self._take(self.socket.recv(timeout=left))
            except TimeoutError:
                return

    def _take(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            self.header = np.frombuffer(message, "<f8", len(HEADER))
        else:
            self.events.append(json.loads(message))

    def read_until(self, condition: Callable[[], Any], what: str) -> None:
        """Take in what comes until a condition holds."""
        until = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < until, f"{what} did not come"
            with contextlib.suppress(TimeoutError):
                self._take(self.socket.recv(timeout=1.0))

    def until(self, place: int, value: float) -> None:
        """Read until a number of the header has a value."""
        self.read_until(lambda: self.header[place] == value, f"{HEADER[place]} = {value}, not {self.header[place]},")

    def told(self, event: str) -> list[dict[str, Any]]:
        """The events of a kind so far."""
        return [one for one in self.events if one["event"] == event]

    def closed(self) -> None:
        """Read until the server closes the connection."""
        from websockets.exceptions import ConnectionClosed

        with contextlib.suppress(ConnectionClosed):
            self.read_until(lambda: False, "the end of the connection")

    def send(self, command: dict[str, Any], number: int | None = None, seen: float | None = None, **more: Any) -> None:
        self.number = self.number + 1 if number is None else number
        clock = float(self.header[CLOCK]) if seen is None else seen
        self.socket.send(json.dumps({"number": self.number, "seen": clock, "command": command} | more))

    def refusals(self) -> list[str]:
        """What was refused of all that was sent: the last message, numbered 0, always is, and in its turn."""
        self.socket.send(json.dumps({"number": 0, "seen": 0.0, "command": {"do": "alive"}}))
        last = "message 0 came after"
        self.read_until(lambda: any(last in event["reason"] for event in self.told("refused")), "the last refusal")
        found = [event["reason"] for event in self.told("refused")]
        self.events.clear()
        return [reason for reason in found if last not in reason]

    def set_free(self) -> None:
        """Release the emergency stop if it is on, and enable the drives."""
        self.catch_up()
        if self.header[HELD] == STOPPED:
            self.send({"do": "unlatch"})
            while self.header[HELD] == STOPPED:
                self.read(1.1)
                self.send({"do": "release"})
                self.catch_up()
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
        context.set_default_timeout(1000 * PATIENCE)
        context.add_init_script(LISTEN)
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        self.page.goto(link)
        self.page.wait_for_function(READY)

    @classmethod
    def of(cls, page: Any, console: Console) -> Browser:
        """A page that is open already."""
        made = cls.__new__(cls)
        made.page, made.context, made.console = page, page.context, console
        return made

    def resize(self, size: tuple[int, int]) -> None:
        """Give the window a size (pixels), and let what listens to it (media queries) answer before its next frame."""
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.do("() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))")

    def do(self, script: str, given: Any = None) -> Any:
        """Run a script in the page."""
        return self.page.evaluate(script, given)

    def until(self, condition: str, given: Any = None) -> None:
        """Wait for a condition on the page."""
        self.page.wait_for_function(condition, arg=given, polling=30)

    def until_text(self, selector: str, text: str) -> None:
        """Wait until an element says something."""
        found = "([where, text]) => document.querySelector(where)?.textContent.includes(text)"
        self.until(found, [selector, text])

    def chain(self, state: str) -> None:
        """Wait until the page knows that the safety chain is in a state, and the physics shows it."""
        held = {"free": FREE, "stopped": STOPPED, "held": HOLDING}[state]
        given = [state, held]
        self.until("([s, h]) => sharnir.link.chain.state === s && sharnir.link.frame?.held === h", given)

    def toast(self, text: str) -> None:
        """Wait until the page has said something in passing."""
        self.until("(text) => window.said.some((said) => said.includes(text))", text)

    def let_pass(self, seconds: float) -> None:
        """Wait until the physics has shown so much time of the clock: what was sent before it has arrived."""
        clock = self.frame("clock")
        self.until("(clock) => sharnir.link.frame.clock > clock", clock + seconds)

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

    def draw_again(self) -> None:
        self.do("() => sharnir.view.renderer.setAnimationLoop(() => sharnir.view.draw())")

    def release(self) -> None:
        """Press the release of the emergency stop for long enough."""
        button = self.page.locator("#release")
        button.wait_for(state="visible")
        button.hover()
        self.page.mouse.down()
        self.until("() => sharnir.link.chain.state === 'held'")
        self.page.mouse.up()

    def enable(self) -> None:
        """Enable the drives."""
        self.page.locator("#enable").click()
        self.chain("free")

    def set_free(self) -> None:
        """Release the stop and enable the drives, where they are not free."""
        if self.do("() => sharnir.link.chain.state") == "stopped":
            self.release()
        if self.do("() => sharnir.link.chain.state") == "held":
            self.enable()
        self.chain("free")

    def reload(self) -> None:
        """Load the page anew; it comes back to its seat, or takes it again where that took too long."""
        self.page.reload()
        self.take_seat()

    def take_seat(self) -> None:
        """Wait for a page that is being loaded, and be in control."""
        self.until("() => window.sharnir?.started && sharnir.link.frame")
        self.until("() => sharnir.link.driving || !document.getElementById('take').hidden")
        if not self.do("() => sharnir.link.driving"):
            self.page.locator("#take").click()
            self.until("() => sharnir.link.driving")

    def fresh(self) -> None:
        """Back to the start, running, nothing held, nothing said."""
        self.let_go()
        self.until("() => sharnir.link.driving")
        self.set_free()
        self.send(do="pause")
        self.until("() => sharnir.link.frame.mode === 0")
        self.send(do="reset")
        self.until("() => sharnir.link.frame.step === 0")
        self.send(do="run")
        self.until("() => sharnir.link.frame.mode === 1")
        self.set_free()  # where the page has stood still meanwhile, it was held
        self.do("() => { window.said.length = 0 }")
