"""Attacks on a console on 127.0.0.1: who is not entitled gets nothing done, whatever he sends and in whose name.

Every attempt that is refused is counted; the count stands in docs/console.md.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from consoles import FREE, HELD, HOLDING, MODE, STOPPED, Console, Socket, admitted, get

from sharnir.view.protocol import FromBrowser

PUSH = "push hinge angle"
GUST = {"type": "gust", "body": "leaf", "force": [1.0, 0.0, 0.0]}
COMMANDS: dict[str, dict[str, object]] = {
    "run": {}, "pause": {}, "step": {"n": 3}, "reset": {}, "scale": {"factor": 0.1}, "save": {"name": "x"},
    "restore": {"name": "x"}, "set": {"values": {PUSH: 40.0}}, "release": {}, "unlatch": {}, "enable": {},
    "inject": {"name": "g", "fault": GUST}, "clear": {"name": "g"}, "note": {"text": "x"}, "end": {},
    "again": {}, "home": {},
    "alive": {}, "give": {}, "take": {}, "let_go": {"why": "hidden"}, "loosen": {},
    "pull": {"body": "door", "point": [0.0, 0.0, 0.0], "target": [1.0, 1.0, 1.0]},
}  # fmt: skip
refused: list[str] = []


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    running = Console("door", tmp_path_factory.mktemp("runs"))
    yield running
    running.end()


@pytest.fixture(scope="module")
def cookies(console: Console) -> dict[str, str]:
    return {role: admitted(console, role) for role in console.links}


@pytest.fixture(scope="module")
def driver(console: Console, cookies: dict[str, str]) -> Iterator[Socket]:
    made = Socket(console, cookies["operator"])
    yield made
    made.close()


@pytest.fixture
def operator(driver: Socket) -> Socket:
    driver.set_free()
    driver.events.clear()
    return driver


@pytest.fixture
def watcher(console: Console, cookies: dict[str, str], operator: Socket) -> Iterator[Socket]:
    made = Socket(console, cookies["watcher"])
    yield made
    made.close()


@pytest.fixture
def instructor(console: Console, cookies: dict[str, str], operator: Socket) -> Iterator[Socket]:
    made = Socket(console, cookies["instructor"], "/instructor/link")
    yield made
    made.close()


def logged(console: Console) -> int:
    return len(console.commands())


def refuses_all(sender: Socket, names: tuple[str, ...], console: Console) -> None:
    """All commands are refused, and none of them reaches the physics."""
    before = logged(console)
    for name in names:
        sender.catch_up()
        sender.send({"do": name} | COMMANDS[name])
        reasons = sender.refusals()
        assert len(reasons) == 1, (name, reasons)
        refused.append(f"{sender.hello['you']}: {name}")
    assert logged(console) == before


def is_shut_out(console: Console, cookie: str, path: str = "/link", query: str = "") -> None:
    from websockets.exceptions import InvalidStatus

    with pytest.raises(InvalidStatus):
        Socket(console, cookie, path, query)
    refused.append(f"socket {path}")


def secret_of(cookie: str) -> str:
    return cookie.partition("=")[2]


def named_like(cookie: str, role: str) -> str:
    """The name of another role's cookie of this run, as anyone can guess it who has one."""
    return re.sub(r"-\w+$", f"-{role}", cookie.partition("=")[0])


def test_the_table_has_every_command_of_a_browser() -> None:
    known = {kind.__struct_config__.tag for kind in get_args(FromBrowser)}
    assert set(COMMANDS) == known - {"stop"}  # which is everybody's


def test_a_watcher_commands_nothing_but_the_stop(watcher: Socket, operator: Socket, console: Console) -> None:
    assert watcher.hello["role"] == "watcher" and not watcher.hello["driving"]
    refuses_all(watcher, tuple(COMMANDS), console)
    watcher.send({"do": "stop"})
    watcher.until(HELD, STOPPED)
    refuses_all(watcher, ("release", "unlatch", "enable"), console)
    operator.until(HELD, STOPPED)
    assert console.commands("stop")[-1]["by"] == "watcher 1"


def test_an_operator_does_not_instruct(operator: Socket, console: Console) -> None:
    refuses_all(operator, ("inject", "clear", "note", "end", "again", "home"), console)


def test_the_servers_own_commands_are_nobodys(
    operator: Socket, watcher: Socket, instructor: Socket, console: Console
) -> None:
    before = logged(console)
    for sender in (operator, watcher, instructor):
        for command in (
            {"do": "hold"}, {"do": "hold", "reason": "x"}, {"do": "set", "values": {}, "by": "server"},
            {"do": "tune", "block": "gain1", "port": "gain", "value": 1e9},
        ):  # fmt: skip
            sender.catch_up()
            sender.send(command)
            assert "not a command" in sender.refusals()[0]
            refused.append("server's own")
        sender.catch_up()
        sender.send({"do": "pause"}, by="instructor 1")  # beside the command
        assert "not a command" in sender.refusals()[0]
        refused.append("forged author")
    assert logged(console) == before


def test_nothing_in_the_address_gives_a_role_or_a_name(
    console: Console, cookies: dict[str, str], operator: Socket
) -> None:
    for query in (
        "?client=operator%201", "?role=instructor", "?role=operator&client=operator%201", "?resume=",
        f"?resume={operator.hello['key']}",
    ):  # fmt: skip
        other = Socket(console, cookies["watcher"], query=query)
        assert (other.hello["role"], other.hello["you"], other.hello["driving"]) == ("watcher", "watcher 1", False)
        refuses_all(other, ("set", "pause", "take"), console)
        other.close()
    operator.catch_up()
    operator.send({"do": "set", "values": {PUSH: 0.0}})
    assert operator.refusals() == []


def test_forged_and_borrowed_cookies(console: Console, cookies: dict[str, str]) -> None:
    for role in ("operator", "watcher", "instructor"):
        name = cookies[role].partition("=")[0]
        for secret in ("", "guess", "A" * 43, secret_of(cookies[role])[:-1], secret_of(cookies[role]) + "A"):
            is_shut_out(console, f"{name}={secret}")
            assert get(console, "/", Cookie=f"{name}={secret}")[0] == 401
            refused.append("page")
    for own, wanted in (("watcher", "operator"), ("watcher", "instructor"), ("operator", "instructor")):
        is_shut_out(console, f"{named_like(cookies[own], wanted)}={secret_of(cookies[own])}")
    for role in ("watcher", "operator"):
        for path in ("/instructor", "/instructor/link", "/instructor/beat", "/instructor/anything"):
            assert get(console, path, Cookie=cookies[role])[0] == 401
            refused.append(path)
        is_shut_out(console, cookies[role], "/instructor/link")
        is_shut_out(console, cookies[role], "/instructor/beat")
    is_shut_out(console, "sharnir=guess")


def test_a_link_is_used_once_and_not_by_those_who_only_look(tmp_path: Path) -> None:
    """Finding 24: HEAD burned the token."""
    console = Console("door", tmp_path, "--paused")
    try:
        path = console.links["watcher"].removeprefix(console.address)
        for _ in range(3):
            assert get(console, path, "HEAD")[0] == 401
            assert get(console, path, "OPTIONS")[0] == 401
            assert get(console, path, "POST")[0] == 401
            assert get(console, path, **{"Sec-Purpose": "prefetch;prerender"})[0] == 401
        status, headers, _ = get(console, path)
        assert status == 303 and headers["location"] == "/"
        assert "HttpOnly" in headers["set-cookie"] and "SameSite=Strict" in headers["set-cookie"]
        assert get(console, path)[0] == 401
        refused.extend(["token"] * 13)
    finally:
        console.end()


def test_messages_are_not_replayed(operator: Socket, watcher: Socket, console: Console) -> None:
    operator.catch_up()
    operator.send({"do": "set", "values": {PUSH: 1.0}})
    message = {"number": operator.number, "seen": float(operator.header[3]), "command": {"do": "pause"}}
    assert operator.refusals() == []
    before = logged(console)
    for sender in (operator, operator, watcher):
        sender.socket.send(json.dumps(message))
        assert len(sender.refusals()) == 1
        refused.append("replayed")
    assert logged(console) == before


def test_a_stolen_key_keeps_no_absent_operator_alive(
    operator: Socket, watcher: Socket, console: Console, cookies: dict[str, str]
) -> None:
    """The key of a connection is of use to the identity that it was made for, and to nobody else."""
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    operator.beats = False
    operator.send({"do": "set", "values": {PUSH: 5.0}})
    headers = {"Cookie": cookies["watcher"], "Origin": console.address}
    address = f"ws://{console.host}/beat?key={operator.hello['key']}"
    with contextlib.suppress(ConnectionClosed), connect(address, additional_headers=headers) as thief:
        while watcher.header[HELD] != HOLDING:
            thief.send(json.dumps({"page": 0.0}))
            watcher.read(0.04)
    refused.append("stolen key")
    watcher.until(HELD, HOLDING)
    operator.beats = True
    assert console.commands("hold")[-1]["command"]["reason"] == "the operator's connection is lost"


def test_a_duplicated_tab_becomes_a_watcher(operator: Socket, console: Console, cookies: dict[str, str]) -> None:
    """Finding 5."""
    copy = Socket(console, cookies["operator"])
    assert copy.hello["you"] == operator.hello["you"] and not copy.hello["driving"]
    refuses_all(copy, ("set", "pause", "take", "enable", "give"), console)
    copy.close()
    operator.catch_up()
    operator.send({"do": "set", "values": {PUSH: 0.0}})
    assert operator.refusals() == []
    assert operator.header[HELD] == FREE


def test_a_page_that_comes_back_replaces_its_old_connection_and_an_old_key_does_not(
    console: Console, cookies: dict[str, str], driver: Socket
) -> None:
    """What the page held before the break is held no longer, though the server never saw the old connection end."""
    driver.set_free()
    driver.send({"do": "set", "values": {PUSH: 5.0}}, holding=[PUSH])
    assert driver.refusals() == []
    key = driver.hello["key"]
    back = Socket(console, cookies["operator"], query=f"?resume={key}")
    assert back.hello["driving"]
    driver.closed()
    back.until(HELD, HOLDING)
    assert console.commands("hold")[-1]["command"]["reason"] == "the operator's connection is lost"
    late = Socket(console, cookies["operator"], query=f"?resume={key}")
    assert not late.hello["driving"]
    refuses_all(late, ("set", "take"), console)
    late.close()
    driver.__dict__.update(back.__dict__)  # for the tests that follow


def test_faults_are_kept_from_the_operator(
    operator: Socket, watcher: Socket, instructor: Socket, console: Console, cookies: dict[str, str]
) -> None:
    """Finding 7."""
    instructor.catch_up()
    gust = GUST | {"body": _bodies(console, cookies)[0]}
    instructor.send({"do": "inject", "name": "secret gust", "fault": gust})
    instructor.read_until(lambda: "secret gust" in json.dumps(instructor.events), "the fault")
    for other in (operator, watcher):  # what is told to all is told at the same time
        other.read_until(lambda told=other: told.told("kept"), "what is kept")
        other.catch_up()
    fresh = Socket(console, cookies["operator"])
    for told in (operator.events, watcher.events, [fresh.hello], fresh.events):
        assert "gust" not in json.dumps(told)
    assert b"gust" not in get(console, "/view/world.json", Cookie=cookies["operator"])[2]
    assert b"gust" not in get(console, "/", Cookie=cookies["operator"])[2]
    assert b"gust" in get(console, "/instructor", Cookie=cookies["instructor"])[2]
    fresh.close()
    for role in ("operator", "watcher"):  # nor by what a run leaves behind, before it has ended
        for document in ("report.html", "replay.html"):
            assert get(console, f"/runs/{console.folder.name}/{document}", Cookie=cookies[role])[0] == 404
            refused.append(document)
    assert console.commands("inject")[-1]["by"] == "instructor 1"


def _bodies(console: Console, cookies: dict[str, str]) -> list[str]:
    world = json.loads(get(console, "/view/world.json", Cookie=cookies["operator"])[2])
    return [body["name"] for body in world["bodies"] if not body["fixed"]]


def test_an_instructor_pauses_resets_restores_and_takes_over(
    operator: Socket, instructor: Socket, console: Console, cookies: dict[str, str]
) -> None:
    """Finding 7."""
    here = {"name": "here"}
    for command in ({"do": "save"} | here, {"do": "reset"}, {"do": "restore"} | here, {"do": "pause"}):
        instructor.catch_up()
        instructor.send(command)
        assert instructor.refusals() == []
    instructor.until(MODE, 0)
    instructor.catch_up()
    instructor.send({"do": "run"})
    instructor.until(MODE, 1)
    refuses_all(instructor, ("set", "enable"), console)  # before he has taken over
    instructor.catch_up()
    instructor.send({"do": "take"})
    operator.closed()
    instructor.until(HELD, HOLDING)
    back = Socket(console, cookies["operator"], query=f"?resume={operator.hello['key']}")
    assert not back.hello["driving"] and back.hello["operator"] == "instructor 1"
    refuses_all(back, ("set", "pause", "take"), console)
    instructor.set_free()
    instructor.send({"do": "set", "values": {PUSH: 2.0}})
    assert instructor.refusals() == []
    instructor.catch_up()
    instructor.send({"do": "give"})
    instructor.closed()
    back.read_until(lambda: back.told("control") and back.told("control")[-1]["may_take"], "the free seat")
    back.send({"do": "take"})
    back.read_until(lambda: back.told("control")[-1]["driving"], "the controls")
    back.set_free()
    operator.__dict__.update(back.__dict__)


def test_two_consoles_in_one_browser_do_not_meet(console: Console, cookies: dict[str, str], tmp_path: Path) -> None:
    """Finding 8."""
    other = Console("door", tmp_path, "--paused")
    try:
        both = f"{admitted(other, 'operator')}; {cookies['operator']}; {cookies['watcher']}"
        assert cookies["operator"].partition("=")[0] not in admitted(other, "watcher")
        for one in (console, other):
            assert get(one, "/view/world.json", Cookie=both)[0] == 200
        assert get(other, "/view/world.json", Cookie=cookies["operator"])[0] == 401
        refused.append("another console's cookie")
    finally:
        other.end()


def test_how_many_attempts_were_refused() -> None:
    """Last: the figure that the documentation gives."""
    text = (Path(__file__).parents[2] / "docs" / "console.md").read_text()
    found = re.search(r"(\d+) attempts, all refused", text)
    assert found is not None and int(found[1]) == len(refused), len(refused)
