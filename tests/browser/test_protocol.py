"""The server from outside, without a browser: who is let in, and what is done with messages that are not right."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from consoles import Console

from sharnir.runtime.frames import HEADER

CLOCK, HELD = HEADER.index("clock"), HEADER.index("held")


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    running = Console("door", tmp_path_factory.mktemp("runs"))
    headers = get(running, f"/?token={running.token}")[1]
    running.cookie = headers["set-cookie"].split(";")[0]
    yield running
    running.end()


def get(console: Console, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Ask for a page."""
    connection = http.client.HTTPConnection(console.host, timeout=10)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    found = {name.lower(): value for name, value in answer.getheaders()}
    body = answer.read()
    connection.close()
    return answer.status, found, body


class Socket:
    """A websocket to the server that plays a browser."""

    def __init__(self, console: Console, name: str, **headers: str) -> None:
        from websockets.sync.client import connect

        given = {"Cookie": console.cookie, "Origin": console.address} | headers
        url = f"ws://{console.host}/link?client={name}"
        self._open = connect(url, additional_headers=given, max_size=None, close_timeout=1)
        self.socket = self._open.__enter__()
        self.number = 0
        self.header = np.zeros(len(HEADER))
        self.events: list[dict[str, Any]] = []
        self.catch_up()

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

    def send(self, command: dict[str, Any], number: int | None = None, seen: float | None = None) -> None:
        self.number = self.number + 1 if number is None else number
        clock = float(self.header[CLOCK]) if seen is None else seen
        self.socket.send(json.dumps({"number": self.number, "seen": clock, "command": command}))

    def refusals(self, seconds: float = 0.3) -> list[str]:
        self.read(seconds)
        found = [event["reason"] for event in self.events if event["event"] == "refused"]
        self.events.clear()
        return found

    def close(self) -> None:
        self._open.__exit__(None, None, None)


@pytest.fixture(scope="module")
def driver(console: Console) -> Iterator[Socket]:
    """The first to come is in control, and stays."""
    made = Socket(console, "the-one-who-drives")
    yield made
    made.close()


@pytest.fixture
def socket(driver: Socket) -> Socket:
    driver.catch_up()
    driver.events.clear()
    return driver


def test_without_the_token_nothing_is_served(console: Console) -> None:
    for path in ("/", "/view/world.json", "/view/console.js", "/link", "/_nicegui_ws/socket.io/", "/openapi.json"):
        assert get(console, path)[0] == 401, path
    assert get(console, f"/?token={console.token}")[0] == 401  # used already
    assert get(console, "/view/world.json", Cookie=console.cookie)[0] == 200


def test_files_outside_the_folder_are_not_served(console: Console) -> None:
    for path in ("/view/../server.py", "/view/%2e%2e/server.py", "/view/..%2f..%2fcli.py"):
        assert get(console, path, Cookie=console.cookie)[0] in (404, 405), path


def test_another_site_gets_nothing(console: Console) -> None:
    from websockets.exceptions import InvalidStatus

    assert get(console, "/view/world.json", Cookie=console.cookie, Origin="https://evil.example")[0] == 403
    assert get(console, "/view/world.json", Cookie=console.cookie, Host="evil.example")[0] == 403
    for headers in ({"Origin": "https://evil.example"}, {"Cookie": "sharnir=guess"}, {"Host": "evil.example"}):
        with pytest.raises(InvalidStatus):
            Socket(console, "stranger", **headers)


def test_malformed_messages_are_refused_and_change_nothing(socket: Socket) -> None:
    for text in (
        "",
        "no json",
        "[1, 2, 3]",
        '{"number": 1}',
        '{"number": 1, "seen": 0, "command": {"do": "hold"}}',  # the server's own
        '{"number": 1, "seen": 0, "command": {"do": "step", "n": -5}}',
        '{"number": 1, "seen": 0, "command": {"do": "run"}, "more": true}',
        '{"number": 1, "seen": 0, "command": {"do": "set", "values": {"push hinge angle": "1"}}}',
    ):
        socket.socket.send(text)
    assert len(socket.refusals()) == 8
    socket.socket.send(b"\xff\xfe\x00")
    assert len(socket.refusals()) == 1
    socket.send({"do": "pause"})
    assert socket.refusals() == []


def test_messages_out_of_order_or_too_old_are_refused(socket: Socket) -> None:
    socket.send({"do": "run"}, number=100)
    socket.send({"do": "pause"}, number=100)
    socket.send({"do": "pause"}, number=3)
    assert len(socket.refusals()) == 2
    socket.send({"do": "pause"}, number=101, seen=float(socket.header[CLOCK]) - 1.0)
    assert "s old" in socket.refusals()[0]
    socket.send({"do": "stop"}, number=102, seen=0.0)  # an emergency stop is never too old
    assert socket.refusals() == []
    assert socket.header[HELD] == 1
    socket.send({"do": "release"}, number=103)
    socket.read(0.3)
    assert socket.header[HELD] == 0


def test_too_long_and_too_many_messages_end_the_connection(socket: Socket, console: Console) -> None:
    from websockets.exceptions import ConnectionClosed

    for name, flood in (
        ("long", ["x" * 5000]),
        ("longer", ["x" * 100_000]),
        ("many", ["{}"] * 400),
        ("wrong", ["{"] * 30),
    ):
        other = Socket(console, name)
        with pytest.raises(ConnectionClosed):
            for text in flood:
                other.socket.send(text)
            for _ in range(1000):
                other.socket.recv(timeout=2)


def test_unknown_inputs_are_refused_in_words(socket: Socket, console: Console) -> None:
    socket.send({"do": "set", "values": {"push hinge angel": 1.0}})
    socket.read(0.5)
    told = [event["alarm"]["text"] for event in socket.events if event["event"] == "alarm"]
    assert any("did you mean 'push hinge angle'" in text for text in told)


def test_one_drives_the_others_watch(socket: Socket, console: Console) -> None:
    second = Socket(console, "second")
    second.send({"do": "pause"})
    assert "watching" in second.refusals()[0]
    second.send({"do": "take"})
    assert "in control" in second.refusals()[0]
    second.send({"do": "note", "text": "hello"})
    assert "instructor" in second.refusals()[0]
    second.send({"do": "stop"})  # anyone may stop the machine
    assert second.refusals() == []
    assert second.header[HELD] == 1
    socket.catch_up()
    socket.send({"do": "release"})
    socket.read(0.3)
    assert socket.header[HELD] == 0
    second.close()


def test_who_leaves_his_place_leaves_the_drives_safe(socket: Socket, console: Console) -> None:
    socket.send({"do": "set", "values": {"push hinge angle": 5.0}})
    socket.send({"do": "give"})
    socket.read(0.5)
    assert socket.header[HELD] == 2
    teacher = Socket(console, "teacher&role=instructor")
    teacher.send({"do": "take"})
    assert "an instructor does not drive; open the operator's page" in teacher.refusals()[0]
    teacher.close()
    socket.catch_up()
    socket.send({"do": "take"})
    socket.send({"do": "set", "values": {"push hinge angle": 0.0}})
    assert socket.refusals(0.5) == []
    assert socket.header[HELD] == 0


def test_every_input_is_in_the_log_with_its_step(socket: Socket, console: Console) -> None:
    socket.send({"do": "set", "values": {"push hinge angle": 12.5}})
    socket.read(0.3)
    lines = [json.loads(line) for line in (Path(console.folder) / "run.jsonl").read_text().splitlines()[1:]]
    given = [line for line in lines if line.get("command", {}).get("do") == "set"]
    assert given[-1]["command"]["values"] == {"push hinge angle": 12.5}
    assert given[-1]["tick"] > 0


def test_a_console_whose_physics_died_says_so_and_ends(tmp_path: Path) -> None:
    from websockets.exceptions import ConnectionClosed

    console = Console("door", tmp_path)
    console.cookie = get(console, f"/?token={console.token}")[1]["set-cookie"].split(";")[0]
    watching = Socket(console, "watching")
    task = Path(f"/proc/{console.process.pid}/task/{console.process.pid}/children")
    for child in task.read_text().split():  # the physics, and Python's tracker of its shared memory
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
            os.kill(int(child), signal.SIGKILL)
    with contextlib.suppress(ConnectionClosed):
        watching.read(5.0)
    told = [event["alarm"]["text"] for event in watching.events if event["event"] == "alarm"]
    assert "the physics has ended" in told
    assert console.process.wait(10) == 0
