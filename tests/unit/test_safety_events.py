"""The safety chain from the server's side: everything that can happen to its browsers, in every state of the chain.

Commands by themselves are in test_safety_chain.py. Here a table has what operators, watchers, instructors, their pages
and their connections do: the state that follows, and what becomes of an input that the operator holds.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("nicegui")

from fastapi import WebSocketDisconnect

from sharnir.errors import SceneError
from sharnir.runtime import commands as c
from sharnir.runtime.process import Chain
from sharnir.runtime.safety_chain import State, after
from sharnir.view import seat
from sharnir.view.guard import Identity
from sharnir.view.link import OLDEST, Hub
from sharnir.view.protocol import Alive, Give, LetGo, Message, Take, Unlatch

FREE, HELD, STOPPED = State.FREE, State.HELD, State.STOPPED
WAYS = {FREE: (), HELD: (c.Hold("gone"),), STOPPED: (c.Stop(),)}
PRESSED = seat.RELEASE_TAKES + 0.1  # s
LOOK = 1.0 / 60.0  # s between two looks at the operator


class Physics:
    """The chain of the plant, and one input, which is neutral whenever the chain is not free."""

    def __init__(self) -> None:
        self.ready = SimpleNamespace(inputs=[SimpleNamespace(name="forward", initial=0.0)])
        self.chain, self.forward = FREE, 0.0

    def send(self, command: c.Command, by: str) -> None:
        try:
            self.chain = after(self.chain, command)
        except SceneError:
            return  # told to its author, by another way
        if isinstance(command, c.Set):
            self.forward = command.values["forward"]
        if self.chain is not FREE:
            self.forward = 0.0


class Socket:
    """A connection that hears, and breaks when it is listened to."""

    def __init__(self, identity: Identity, resume: str = "") -> None:
        self.scope, self.query_params = {"sharnir": identity}, {"resume": resume}

    async def accept(self) -> None: ...

    async def send_text(self, text: str) -> None: ...

    async def close(self, code: int) -> None: ...

    async def receive(self) -> dict[str, Any]:
        raise WebSocketDisconnect


class Room:
    """An operator in control who holds a stick, another operator, an instructor and a watcher."""

    def __init__(self, state: State) -> None:
        self.clock = 100.0
        self.physics = Physics()
        self.hub = Hub(self.physics, 60.0, paused=True)  # type: ignore[arg-type]
        self.driver = self.client("operator 1", "operator")
        self.other = self.client("operator 2", "operator")
        self.instructor = self.client("instructor 1", "instructor")
        self.watcher = self.client("watcher 1", "watcher")
        self.hub.seat.take(self.driver)
        self.driver.spoke()
        self.physics.send(c.Set({"forward": 1.0}), "operator 1")
        self.driver.holding = ("forward",)
        for command in WAYS[state]:
            self.physics.send(command, "")

    def client(self, name: str, role: Any) -> seat.Client:
        made = seat.Client(Socket(Identity(name, role)), Identity(name, role), lambda: self.clock)  # type: ignore[arg-type]
        self.hub.clients.append(made)
        return made

    async def knows(self) -> None:
        """The server hears of the chain's state, as the physics tells it."""
        await self.hub._pass_on(Chain(self.physics.chain, ""))

    async def says(self, client: seat.Client, command: c.Command, age: float = 0.0, number: int = 0) -> None:
        """A browser sends something; what is refused is told to it alone."""
        message = Message(number or client.number + 1, time.time() - age, command, client.holding)
        with contextlib.suppress(SceneError):
            await self.hub._obey(client, message)
        await self.knows()

    async def presses_release(self, client: seat.Client, seconds: float) -> None:
        await self.says(client, Unlatch())
        self.clock += seconds
        await self.says(client, c.Release())

    async def watches(self, seconds: float, speaks: bool = False) -> None:
        """Time passes without a word of the worker, or with its word that the page is silent."""
        for k in range(round(seconds / LOOK)):
            if speaks:
                self.driver.spoke(k * LOOK)
            await self.hub._watch_operator(LOOK)

    async def comes(self, identity: Identity, key: str = "") -> None:
        """A connection is made; it breaks at once."""
        await self.hub.serve(Socket(identity, key))  # type: ignore[arg-type]


Event = Callable[[Room], Awaitable[None]]


def said(name: str, command: c.Command) -> Event:
    """Somebody in the room sends a command."""
    return lambda room: room.says(getattr(room, name), command)


SET = c.Set({"forward": -1.0})
SAME = (FREE, HELD, STOPPED)
SAFE = (HELD, HELD, STOPPED)
STOPS = (STOPPED, STOPPED, STOPPED)
# What happens; the states that follow free, held and stopped; the input afterwards where the chain stays free.
TABLE: dict[str, tuple[Event, tuple[State, State, State], float]] = {
    "a sign of life": (lambda room: room.says(room.driver, Alive()), SAME, 1.0),
    "the page is hidden": (lambda room: room.says(room.driver, LetGo("hidden")), SAFE, 0.0),
    "the window loses the focus": (lambda room: room.says(room.driver, LetGo("blurred")), SAFE, 0.0),
    "the gamepad vanishes": (lambda room: room.says(room.driver, LetGo("gamepad")), SAFE, 0.0),
    "hidden, and what it saw is old": (lambda room: room.says(room.driver, LetGo("hidden"), 9.0), SAFE, 0.0),
    "the worker is silent for a moment": (lambda room: room.watches(seat.SLOW + 0.1), SAME, 0.0),
    "the worker is silent": (lambda room: room.watches(seat.DEAD_MAN + 0.1), SAFE, 0.0),
    "the page is slow": (lambda room: room.watches(1.0, speaks=True), SAME, 0.0),
    "the page is frozen": (lambda room: room.watches(seat.FROZEN + 0.2, speaks=True), SAFE, 0.0),
    "the picture is old while he drives": (lambda room: room.says(room.driver, Alive(), OLDEST + 0.1), SAME, 0.0),
    "the connection breaks": (lambda room: room.hub._leave(room.driver), SAFE, 0.0),
    "a watcher's connection breaks": (lambda room: room.hub._leave(room.watcher), SAME, 1.0),
    "the page comes back beside its old connection": (
        lambda room: room.comes(room.driver.identity, room.driver.key),
        SAFE,
        0.0,
    ),
    "a duplicated tab comes": (lambda room: room.comes(room.driver.identity), SAME, 1.0),
    "a watcher comes with the key": (lambda room: room.comes(room.watcher.identity, room.driver.key), SAME, 1.0),
    "another operator comes": (lambda room: room.comes(Identity("operator 3", "operator")), SAME, 1.0),
    "he hands over": (lambda room: room.says(room.driver, Give()), SAFE, 0.0),
    "an instructor takes over": (lambda room: room.says(room.instructor, Take()), SAFE, 0.0),
    "another operator wants the controls": (lambda room: room.says(room.other, Take()), SAME, 1.0),
    "a watcher wants the controls": (lambda room: room.says(room.watcher, Take()), SAME, 1.0),
    "a watcher hands over": (lambda room: room.says(room.watcher, Give()), SAME, 1.0),
    "a watcher lets go": (lambda room: room.says(room.watcher, LetGo("hidden")), SAME, 1.0),
    **{f"{name} stops": (said(name, c.Stop()), STOPS, 0.0) for name in ("driver", "other", "instructor", "watcher")},
    "a stop from long ago": (lambda room: room.says(room.driver, c.Stop(), 1e6), STOPS, 0.0),
    "a stop out of order": (lambda room: room.says(room.driver, c.Stop(), number=-5), STOPS, 0.0),
    "a release, not pressed": (lambda room: room.says(room.driver, c.Release()), SAME, 1.0),
    "a release pressed too briefly": (lambda room: room.presses_release(room.driver, 0.5), SAME, 1.0),
    "a release pressed and forgotten": (lambda room: room.presses_release(room.driver, 60.0), SAME, 1.0),
    "a release": (lambda room: room.presses_release(room.driver, PRESSED), (FREE, HELD, HELD), 1.0),
    "an instructor's release": (lambda room: room.presses_release(room.instructor, PRESSED), (FREE, HELD, HELD), 1.0),
    "a watcher's release": (lambda room: room.presses_release(room.watcher, PRESSED), SAME, 1.0),
    "the release of an operator not in control": (lambda room: room.presses_release(room.other, PRESSED), SAME, 1.0),
    "enable": (lambda room: room.says(room.driver, c.Enable()), (FREE, FREE, STOPPED), 1.0),
    "enable from long ago": (lambda room: room.says(room.driver, c.Enable(), 9.0), SAME, 0.0),
    **{f"{name} enables": (said(name, c.Enable()), SAME, 1.0) for name in ("other", "instructor", "watcher")},
    "an input": (lambda room: room.says(room.driver, SET), SAME, -1.0),
    "an input from long ago": (lambda room: room.says(room.driver, SET, OLDEST + 0.1), SAME, 0.0),
    "an input out of order": (lambda room: room.says(room.driver, SET, number=-1), SAME, 1.0),
    **{f"{name} gives an input": (said(name, SET), SAME, 1.0) for name in ("other", "instructor", "watcher")},
    **{
        f"the instructor's {type(command).__name__.lower()}": (said("instructor", command), SAME, 1.0)
        for command in (c.Run(), c.Pause(), c.Reset(), c.Save("now"), c.Restore("now"), c.Step(1), c.Note("well"))
    },
}


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("event", TABLE)
def test_every_event_in_every_state(event: str, state: State) -> None:
    happens, follows, forward = TABLE[event]

    async def scene() -> Room:
        room = Room(state)
        await room.knows()
        await happens(room)
        await room.knows()
        return room

    room = asyncio.run(scene())
    expected = follows[[FREE, HELD, STOPPED].index(state)]
    assert room.physics.chain is expected
    driven = forward if state is expected is FREE else 0.0  # what was held before is not there again after an enable
    assert room.physics.forward == driven
    assert room.hub.chain.state is expected
