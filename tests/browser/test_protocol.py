"""The server from outside, without a browser: who is let in, and what is done with messages that are not right."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from consoles import CLOCK, HELD, PATIENCE, STOPPED, TICK, Console, Socket, admitted, get, wait_for
from patient import TIMES
from tests.driven import EXPERIMENT

from sharnir.runtime.journal import SCENE


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    running = Console("door", tmp_path_factory.mktemp("runs"))
    yield running
    running.end()


@pytest.fixture(scope="module")
def cookie(console: Console) -> str:
    """The operator's."""
    return admitted(console, "operator")


@pytest.fixture(scope="module")
def driver(console: Console, cookie: str) -> Iterator[Socket]:
    """The first to come is in control, and stays."""
    made = Socket(console, cookie)
    yield made
    made.close()


@pytest.fixture
def socket(driver: Socket) -> Socket:
    driver.catch_up()
    driver.events.clear()
    return driver


def test_without_the_token_nothing_is_served(console: Console, cookie: str) -> None:
    for path in ("/", "/view/world.json", "/view/console.js", "/link", "/_nicegui_ws/socket.io/", "/openapi.json"):
        assert get(console, path)[0] == 401, path
    used = console.links["operator"].removeprefix(console.address)
    assert get(console, used)[0] == 401
    assert get(console, "/view/world.json", Cookie=cookie)[0] == 200


def test_files_outside_the_folder_are_not_served(console: Console, cookie: str) -> None:
    for path in (
        "/view/../server.py",
        "/view/%2e%2e/server.py",
        "/view/..%2f..%2fcli.py",
        "/run/run.jsonl",
        "/run/..%2f..%2fetc%2fpasswd",
        "/run/report.html",
    ):
        assert get(console, path, Cookie=cookie)[0] in (404, 405), path


def test_another_site_gets_nothing(console: Console, cookie: str) -> None:
    from websockets.exceptions import InvalidStatus

    assert get(console, "/view/world.json", Cookie=cookie, Origin="https://evil.example")[0] == 403
    assert get(console, "/view/world.json", Cookie=cookie, Host="evil.example")[0] == 403
    for headers in ({"Origin": "https://evil.example"}, {"Cookie": "sharnir=guess"}, {"Host": "evil.example"}):
        with pytest.raises(InvalidStatus):
            Socket(console, cookie, **headers)


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
    socket.send({"do": "pause"}, number=101, seen=float(socket.header[CLOCK]) - TIMES["OLDEST"] - 1.0)
    assert "s old" in socket.refusals()[0]
    socket.send({"do": "stop"}, number=7, seen=0.0)  # an emergency stop is never too old, nor out of order
    socket.number = 101
    assert socket.refusals() == []
    socket.until(HELD, STOPPED)
    socket.set_free()


def test_an_emergency_stop_does_not_wait_for_many_steps(socket: Socket) -> None:
    """Commands are taken one after the other: none that a browser gives takes long."""
    socket.send({"do": "step", "n": 51})
    assert "ask for 50 at most" in socket.refusals()[0]
    socket.send({"do": "step", "n": 50})
    assert socket.refusals() == []


def test_too_long_and_too_many_messages_end_the_connection(socket: Socket, console: Console, cookie: str) -> None:
    from websockets.exceptions import ConnectionClosed

    for flood in (["x" * 5000], ["x" * 100_000], ["{}"] * 400, ["{"] * 30):
        other = Socket(console, cookie)
        with pytest.raises(ConnectionClosed):
            for text in flood:
                other.socket.send(text)
            for _ in range(1000):
                other.socket.recv(timeout=PATIENCE)


def test_unknown_inputs_are_refused_in_words(socket: Socket, console: Console) -> None:
    socket.send({"do": "set", "values": {"push hinge angel": 1.0}})
    socket.read_until(lambda: "did you mean 'push hinge angle'" in str(socket.told("refused")), "the refusal")


def test_every_command_is_in_the_log_with_its_step_its_author_and_its_time(socket: Socket, console: Console) -> None:
    before = time.time() - 1e-3
    socket.send({"do": "set", "values": {"push hinge angle": 12.5}})
    wanted = {"push hinge angle": 12.5}
    wait_for(lambda: any(entry["command"]["values"] == wanted for entry in console.commands("set")))
    assert console.commands()[0]["by"] == "server"  # the physics was set going when the operator came
    given = console.commands("set")[-1]
    assert given["tick"] > 0
    assert given["by"] == "operator 1"
    assert before <= given["at"] <= time.time()


def test_a_console_whose_physics_died_says_so_and_ends(tmp_path: Path) -> None:
    """In the browser and in the terminal, with an exit status of its own, the report written, no memory left behind."""
    console = Console("door", tmp_path)
    watching = Socket(console, admitted(console, "operator"))
    memory = console.shared_memory()
    os.kill(console.physics(), signal.SIGKILL)
    watching.read_until(lambda: watching.told("ended"), "the end")
    ended = watching.told("ended")[0]
    assert ended["wrong"] and "The physics has died (signal SIGKILL)" in ended["reason"]
    watching.close()
    said, errors = console.process.communicate(timeout=3 * PATIENCE)
    assert console.process.returncode == 3
    assert "The physics has died (signal SIGKILL)" in said
    assert (console.folder / "report.html").is_file() and (console.folder / "replay.html").is_file()
    assert "leaked" not in errors
    assert not any(file.exists() for file in memory)


def test_ctrl_c_after_the_physics_died_is_no_success(tmp_path: Path) -> None:
    console = Console("door", tmp_path)
    watching = Socket(console, admitted(console, "watcher"))
    os.kill(console.physics(), signal.SIGKILL)
    watching.read_until(lambda: watching.told("ended"), "the end")
    console.end()
    assert console.process.returncode == 3
    watching.close()


def test_a_run_that_was_ended_has_a_report(tmp_path: Path) -> None:
    """Of an experiment whose diagram has a Python function, which physics and report take from the same file."""
    file = tmp_path / "driven.py"
    file.write_text(EXPERIMENT)
    console = Console(str(file), tmp_path / "runs")
    teacher = Socket(console, admitted(console, "instructor"), "/instructor/link")
    assert teacher.header[TICK] == 0  # it waits for the first operator
    teacher.send({"do": "step", "n": 20})
    teacher.until(TICK, 20)
    teacher.catch_up()
    teacher.send({"do": "end"})
    teacher.read_until(lambda: teacher.told("ended"), "the end")
    assert teacher.told("ended")[0]["reason"] == "The run was ended by instructor 1"
    teacher.close()
    said, _ = console.process.communicate(timeout=3 * PATIENCE)
    assert console.process.returncode == 0
    report = console.folder / "report.html"
    assert "wrote " in said and str(report) in said
    assert "nothing moved" in report.read_text() and "instructor 1" in report.read_text()


def test_a_run_that_cannot_be_started_again_says_so(tmp_path: Path) -> None:
    """What has ended is served on, and another try is possible."""
    console = Console("door", tmp_path)
    cookie = admitted(console, "instructor")
    teacher = Socket(console, cookie, "/instructor/link")
    teacher.send({"do": "end"})
    teacher.read_until(lambda: teacher.told("ended") and teacher.told("ended")[-1]["ready"], "the report")
    run = console.folder
    scene = (run / SCENE).read_text()
    (run / SCENE).unlink()
    teacher.send({"do": "again"})
    teacher.read_until(lambda: teacher.told("ended")[-1]["wrong"], "what went wrong")
    ended = teacher.told("ended")[-1]
    assert "could not be started again" in ended["reason"] and SCENE in ended["reason"]
    assert get(console, "/run/report.html", Cookie=cookie)[0] == 200
    (run / SCENE).write_text(scene)
    teacher.send({"do": "again"})
    teacher.read_until(lambda: teacher.told("restarted"), "another run")
    assert console.folder != run
    other = Socket(console, cookie, "/instructor/link")
    os.kill(console.physics(), signal.SIGKILL)
    other.read_until(lambda: other.told("ended"), "the end of the other run")
    for socket in (teacher, other):
        socket.close()
    said, errors = console.process.communicate(timeout=3 * PATIENCE)
    assert console.process.returncode == 3
    assert "could not be started again" in said and "Traceback" not in errors


def test_sigterm_ends_a_console_in_order(tmp_path: Path) -> None:
    console = Console("door", tmp_path)
    cookie = admitted(console, "operator")
    driver = Socket(console, cookie)
    memory = console.shared_memory()
    console.process.send_signal(signal.SIGTERM)
    driver.read_until(lambda: driver.told("ended") and driver.told("ended")[-1]["closed"], "the end")
    ended = driver.told("ended")[-1]
    assert (ended["reason"], ended["wrong"]) == ("The program was closed", False)
    for name in ended["documents"]:  # the server waits for those who look
        assert get(console, f"/run/{name}", Cookie=cookie)[0] == 200
    assert set(ended["documents"]) == {"report.html", "replay.html"}
    driver.close()
    said, errors = console.process.communicate(timeout=3 * PATIENCE)
    assert console.process.returncode == 128 + signal.SIGTERM
    assert "sharnir replay" in said and "leaked" not in errors
    assert not any(file.exists() for file in memory)
    assert console.log()[-1].get("digest")  # the log was closed, too
