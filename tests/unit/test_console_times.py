"""The times after which an operator counts as gone: browser tests are more patient than what ships, so it is here."""

from __future__ import annotations

import time
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

pytest.importorskip("nicegui")

from sharnir.runtime import commands as c
from sharnir.runtime.safety_chain import State
from sharnir.view import link, seat
from sharnir.view.guard import Identity
from sharnir.view.link import FREE, Hub
from sharnir.view.protocol import Alive, Message

EVERY = 1.0 / 60.0  # s between two looks at the operator


def done(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run what waits for nothing; another loop may be running."""
    with pytest.raises(StopIteration):
        coroutine.send(None)


class Physics:
    """Takes commands and does nothing."""

    def __init__(self) -> None:
        self.ready = SimpleNamespace(inputs=[])
        self.taken: list[tuple[c.Command, str]] = []

    def send(self, command: c.Command, by: str) -> None:
        self.taken.append((command, by))


class Browser:
    """Hears what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def send_text(self, text: str) -> None:
        self.told.append(text)

    async def close(self, code: int) -> None:
        self.told.append(f"closed {code}")


def seated() -> tuple[Hub, Any, Any]:
    """An operator who holds a stick."""
    hub = Hub(Physics(), 60.0)  # type: ignore[arg-type]
    hub._starts = {"forward": 0.0}
    client = seat.Client(Browser(), Identity("operator 1", "operator"))  # type: ignore[arg-type]
    hub.clients.append(client)
    hub.seat.take(client)
    client.spoke()
    client.holding = ("forward",)
    return hub, client, hub.runtime


def watched(hub: Hub, seconds: float, before: Any = lambda: None) -> list[c.Command]:
    """What the server does in a time, looking at its operator."""
    given = len(hub.runtime.taken)  # type: ignore[attr-defined]
    for _ in range(round(seconds / EVERY)):
        before()
        done(hub._watch_operator(EVERY))
    return [command for command, _ in hub.runtime.taken[given:]]  # type: ignore[attr-defined]


def test_the_times_are_those_that_the_documentation_gives() -> None:
    assert (seat.SLOW, seat.DEAD_MAN, seat.FROZEN, link.OLDEST, seat.RELEASE_TAKES) == (0.2, 0.75, 2.0, 0.5, 1.0)
    assert seat.SLOW + 3 * EVERY + 0.04 < 0.3  # s: with the worker's rhythm and the server's, what is held goes back


def test_silence_brings_back_what_is_held_and_then_holds_the_drives() -> None:
    hub, client, _ = seated()
    assert watched(hub, 0.19) == []
    assert watched(hub, 0.1) == [c.Set({"forward": 0.0})]
    assert any('"slow"' in text for text in client.socket.told)
    assert watched(hub, 0.4) == []
    assert watched(hub, 0.1) == [c.Hold("the operator's connection is lost")]
    hub.chain = FREE  # as if he had enabled them: he is gone all the same
    assert watched(hub, 0.1) == [c.Hold("the operator's connection is lost")]


def test_a_slow_page_is_not_a_lost_one() -> None:
    """Its worker speaks, and says that the page does not."""
    hub, client, _ = seated()
    silent = iter(range(10_000))
    assert watched(hub, 1.9, lambda: client.spoke(EVERY * next(silent))) == [c.Set({"forward": 0.0})]
    assert hub.chain.state == State.FREE
    assert watched(hub, 0.2, lambda: client.spoke(EVERY * next(silent))) == [
        c.Hold("the operator's page does not respond")
    ]


def test_a_server_that_stood_still_itself_takes_nobody_for_lost() -> None:
    """The time that it did not look does not count: messages have come that it has not read yet (``pump``)."""
    hub, client, _ = seated()
    done(hub._watch_operator(min(5.0, 2.0 / hub._rate)))
    assert client.silent < seat.SLOW and hub.chain.state == State.FREE


def test_whoever_holds_a_control_and_sees_nothing_new_drives_no_further() -> None:
    """His worker and his page speak all the time, but the newest frame they have is old: the picture stands still."""
    hub, client, physics = seated()
    hold = Message(1, time.time(), Alive(), ("forward",))
    done(hub._obey(client, hold))
    assert physics.taken == [(c.Run(), "server")]  # the first operator is there
    done(hub._obey(client, msgspec.structs.replace(hold, number=2, seen=time.time() - link.OLDEST - 0.1)))
    assert physics.taken[1:] == [(c.Set({"forward": 0.0}), "server")]
    assert any('"slow"' in text for text in client.socket.told)
