"""The websocket: frames to every browser, commands from those who may give them.

Every message carries a number that must grow, and the clock of the newest frame its sender had seen: a message that
was held up on its way is older than ``OLDEST`` and is refused. A worker in the operator's browser speaks 25 times a
second, whatever the page is doing, and tells how long the page has been silent: a page that is slow is told apart from
a connection that is lost.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal

import msgspec
from fastapi import WebSocket, WebSocketDisconnect

from ..errors import SceneError
from ..runtime import commands as c
from ..runtime.journal import Alarm
from ..runtime.process import Chain, Kept, Refused, Scored, Told
from ..runtime.runtime import Runtime
from ..runtime.safety_chain import State
from ..scene.values import Plain
from .grip import Grip
from .guard import Identity
from .past import Past
from .protocol import (
    REASONS,
    Again,
    Alive,
    Beat,
    Give,
    Home,
    LetGo,
    Message,
    Take,
    Unlatch,
    decode,
    decode_beat,
    refusal,
)
from .seat import DEAD_MAN, FROZEN, LOST, SLOW, Client, Seat

OLDEST = 0.5  # s between the frame that a message answers to and its arrival
LONGEST_MESSAGE = 4096  # bytes
MOST_MISTAKES = 20  # malformed messages before a browser is cut off
ALARMS_KEPT = 500
SERVER = "server"  # the author of what nobody asked for
REPLACED = 4001  # a websocket's code: the controls have gone to another
STALLED = 0.75  # s without a frame after which browsers are told that the physics does not answer
MOST_STEPS = 50  # at once, from a browser: an emergency stop is taken between commands, not between their steps
GONE = (RuntimeError, WebSocketDisconnect)
FREE = Chain(State.FREE, "")


class Hub:
    """All browsers of one run, and who of them drives."""

    def __init__(self, runtime: Runtime, rate: float, *, paused: bool = False) -> None:
        self.runtime, self._rate, self._waits = runtime, rate, not paused
        self.clients: list[Client] = []
        self.seat = Seat()
        self._grip = Grip()
        self.alarms: deque[Alarm] = deque(maxlen=ALARMS_KEPT)
        self.kept, self.chain = Kept([], []), FREE
        self.score: Plain = {}  # of the scenario, where there is one
        self.on_kept: Callable[[], object] = lambda: None
        self.worded: Callable[[str], str] = str  # how alarms are put
        self.next: Literal["again", "home"] | None = None  # what somebody wants after this run has ended
        self.ending: Plain = {}  # what browsers are told of the end, once there is one
        self._starts = {given.name: given.initial for given in runtime.ready.inputs}
        self._fresh = asyncio.Condition()
        self._frame: bytes | None = None
        self.past = Past()

    # --- background -------------------------------------------------------------------------------------------------

    async def pump(self) -> None:
        """Pass on new frames and events, and watch the operator, until the physics ends."""
        written, before, without = -1, time.monotonic(), 0.0
        try:
            while True:
                await asyncio.sleep(1.0 / self._rate)
                if self.runtime.frames_written != written:
                    written, without = self.runtime.frames_written, 0.0
                    async with self._fresh:
                        self._frame = self.runtime.frame()
                        self._fresh.notify_all()
                    if self._frame is not None:
                        self.past.add(self._frame)
                for event in self.runtime.events():
                    await self._pass_on(event)
                now = time.monotonic()
                # when this process stood still itself, messages have come that it has not read yet
                passed, before = min(now - before, 2.0 / self._rate), now
                await self._watch_operator(passed)
                without += passed
                if without > STALLED:
                    without = 0.5 * STALLED
                    await self.broadcast("stalled")
        except (EOFError, SceneError):
            return

    async def _pass_on(self, event: object) -> None:
        if isinstance(event, Told):
            await self._add(event.alarm)
        elif isinstance(event, Refused):
            await self._tell_those(lambda client: client.name == event.by, "refused", reason=event.reason)
        elif isinstance(event, Scored):
            self.score = msgspec.to_builtins(event.score)
            await self._tell_those(_is_instructor, "score", score=self.score)
        elif isinstance(event, Chain):
            self.chain = event
            if event.state != State.FREE:
                self._grip.let_go()  # the physics has
            await self.broadcast("chain", state=event.state, why=event.why)
        elif isinstance(event, Kept):
            self.kept = event
            self.on_kept()
            await self.broadcast("kept", snapshots=event.snapshots)

    async def _watch_operator(self, passed: float) -> None:
        client = self.seat.client
        if self._grip.is_lost(passed):
            lost = self._loosen()
            await self._tell_those(lambda one: one is lost, "slow")
        if client is not None and client.heard:
            client.silent += passed
            if client.silent > DEAD_MAN:
                self._hold("the operator's connection is lost")
            elif client.page > FROZEN:
                self._hold("the operator's page does not respond")
            elif max(client.page, client.silent) > SLOW and client.holding:
                self._neutral(client)
                await self._tell_those(lambda one: one is client, "slow")
            if client.silent > LOST:
                await self._close(client, 1001)
        if self.seat.expire():
            await self._tell_who_drives()

    def _hold(self, reason: str, by: str = SERVER) -> None:
        """Hold the drives, unless they are held. The physics lets go of what is pulled."""
        self._grip.let_go()
        if self.seat.client is not None:
            self.seat.client.holding = ()
        if self.chain.state == State.FREE:
            self.chain = Chain(State.HELD, reason)  # until the physics says so itself
            self.runtime.send(c.Hold(reason), by)

    def _neutral(self, client: Client) -> None:
        """What the operator's hand held goes back to its start value."""
        released, client.holding = client.holding, ()
        if released and self.chain.state == State.FREE:
            self.runtime.send(c.Set({name: self._starts[name] for name in released if name in self._starts}), SERVER)

    def _loosen(self) -> Client | None:
        """Whoever pulls is too slow, or gone; returns who that was."""
        client = self._grip.let_go()
        if client is not None:
            self.runtime.send(c.Loosen(), SERVER)
        return client

    # --- telling ----------------------------------------------------------------------------------------------------

    async def broadcast(self, event: str, **what: object) -> None:
        """Tell every browser."""
        await self._tell_those(lambda _: True, event, **what)

    async def _tell_those(self, which: Callable[[Client], bool], event: str, **what: object) -> None:
        """Tell some browsers; one that is just leaving does not matter."""
        for client in list(self.clients):
            if which(client):
                with suppress(*GONE):
                    await client.tell(event, **what)

    async def alarm(self, level: str, text: str) -> None:
        """An alarm of the server's own."""
        await self._add(Alarm(level, text))

    async def _add(self, alarm: Alarm) -> None:
        alarm = msgspec.structs.replace(alarm, text=self.worded(alarm.text))
        self.alarms.append(alarm)
        await self._tell_those(lambda client: _may_know(alarm, client), "alarm", alarm=msgspec.to_builtins(alarm))

    async def _tell_who_drives(self) -> None:
        for client in list(self.clients):
            with suppress(*GONE):
                await client.tell("control", **self._control(client))

    def _control(self, client: Client) -> Plain:
        holder = self.seat.holder
        may_take = client is not self.seat.client and "take" in _powers(client) and not self.seat.may_take(client)
        return {
            "driving": client is self.seat.client,
            "operator": None if holder is None else holder.name,
            "may_take": may_take,
        }

    async def end(self, reason: str, **more: object) -> None:
        """Tell every browser that the run has ended, why, and what there is of it."""
        self.ending = {"reason": reason, **more}
        await self.broadcast("ended", **self.ending)

    # --- one browser ------------------------------------------------------------------------------------------------

    async def serve(self, socket: WebSocket) -> None:
        """A browser from its connection to its end."""
        await socket.accept()
        client = Client(socket, socket.scope["sharnir"])
        self.clients.append(client)
        replaced = self.seat.arrive(client, socket.query_params.get("resume", ""))
        if replaced is not None:  # what its page held before the break is held no longer
            self._hold("the operator's connection is lost")
            await self._close(replaced, REPLACED)
        await client.tell(
            "hello",
            you=client.name,
            role=client.identity.role,
            key=client.key,
            silent=DEAD_MAN,
            lost=LOST,
            alarms=[msgspec.to_builtins(alarm) for alarm in self.alarms if _may_know(alarm, client)],
            snapshots=self.kept.snapshots,
            chain={"state": self.chain.state, "why": self.chain.why},
            ending=self.ending,
            score=self.score if _is_instructor(client) else {},
            **self._control(client),
        )
        await self._tell_who_drives()
        sender = asyncio.create_task(self._send_frames(client))
        try:
            while await self._receive(client):
                pass
        except GONE:
            pass
        finally:
            sender.cancel()
            await self._leave(client)

    async def serve_beat(self, socket: WebSocket) -> None:
        """The worker of a browser that has a connection already: its key tells which."""
        key, identity = socket.query_params.get("key", ""), socket.scope["sharnir"]
        await socket.accept()
        try:
            while client := self._connected(identity, key):
                beat: Beat = decode_beat(await socket.receive_text())
                client.spoke(beat.page)
                self._first_beat(client)
        except (msgspec.MsgspecError, KeyError, *GONE):
            pass
        with suppress(*GONE):
            await socket.close(1008)

    def _connected(self, identity: Identity, key: str) -> Client | None:
        given = key.encode()
        mine = (client for client in self.clients if client.identity == identity)
        return next((client for client in mine if secrets.compare_digest(client.key.encode(), given)), None)

    def _first_beat(self, client: Client) -> None:
        """Physics has waited for the first operator."""
        if self._waits and client is self.seat.client:
            self._waits = False
            self.runtime.send(c.Run(), SERVER)

    async def _close(self, client: Client, code: int) -> None:
        """End a connection from our side."""
        self._forget(client)
        with suppress(*GONE):
            await client.socket.close(code)

    def _forget(self, client: Client) -> bool:
        """Returns whether it was in control."""
        if client not in self.clients:
            return False
        self.clients.remove(client)
        if client is self._grip.client:
            with suppress(SceneError):
                self._loosen()
        return self.seat.leave(client)

    async def _leave(self, client: Client) -> None:
        if self._forget(client):
            with suppress(SceneError):
                self._hold("the operator's connection is lost")
            await self._tell_who_drives()

    async def _send_frames(self, client: Client) -> None:
        """The newest frame whenever there is one; a slow browser gets fewer."""
        sent: bytes | None = None
        try:
            while True:
                async with self._fresh:
                    while self._frame is sent or self._frame is None:
                        await self._fresh.wait()
                    sent = self._frame
                await client.socket.send_bytes(sent)
                client.frames += 1
        except GONE:
            pass

    async def _receive(self, client: Client) -> bool:
        """One message. Returns whether to go on listening."""
        raw = await client.socket.receive()
        if raw["type"] != "websocket.receive" or client not in self.clients:
            return False
        data = raw.get("bytes") or (raw.get("text") or "").encode()
        now = time.monotonic()
        too_many = len(client.arrivals) == client.arrivals.maxlen and now - client.arrivals[0] < 1.0
        client.arrivals.append(now)
        if len(data) > LONGEST_MESSAGE or too_many:
            await client.socket.close(1009 if len(data) > LONGEST_MESSAGE else 1008)
            await self.alarm("warning", f"{client.name} sent too much and was cut off")
            return False
        try:
            await self._obey(client, decode(data))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            client.mistakes += 1
            await client.tell("refused", reason=f"not a command: {error}")
            if client.mistakes > MOST_MISTAKES:
                await client.socket.close(1008)
                return False
        except SceneError as error:
            await client.tell("refused", reason=str(error))
        return True

    # --- commands ---------------------------------------------------------------------------------------------------

    async def _obey(self, client: Client, message: Message) -> None:
        command = message.command
        if isinstance(command, c.Stop):  # taken whatever its number and age, and whoever sends it
            for one in self.clients:
                one.forget_release()
            self.runtime.send(command, client.name)
            return
        if message.number <= client.number:
            raise SceneError(f"message {message.number} came after {client.number}; it is not taken")
        client.number = message.number
        in_control = client is self.seat.client
        if why := refusal(client.identity.role, in_control, command):
            raise SceneError(why)
        age = time.time() - message.seen
        if age > OLDEST and not isinstance(command, (Again, Home, LetGo, c.Loosen)):
            blind = bool(client.holding)  # he drives by what he saw so long ago
            self._neutral(client)
            if client is self._grip.client:
                self._loosen()
            if isinstance(command, Alive):  # it says that the operator was there, not that he is
                if blind:
                    await client.tell("slow")
                return
            raise SceneError(f"a command was {age:.1f} s old; it is not taken")
        if in_control:
            client.spoke(client.page)
            client.holding = message.holding
            self._first_beat(client)
        await self._do(client, command)

    async def _do(self, client: Client, command: c.Command) -> None:
        if isinstance(command, Take):
            await self._take(client)
        elif isinstance(command, Give):
            self._hold(f"{client.name} has handed over")
            self.seat.give()
            await self._close(client, REPLACED)
            await self._tell_who_drives()
        elif isinstance(command, LetGo):
            self._hold(REASONS[command.why], client.name)
        elif isinstance(command, Unlatch):
            client.unlatch()
        elif isinstance(command, (Again, Home)):
            self._go_on(command)
        elif isinstance(command, c.Pull):
            self._pull(client, command)
        elif isinstance(command, c.Loosen):
            if client is self._grip.client:
                self._grip.let_go()
                self.runtime.send(command, client.name)
        elif isinstance(command, c.Step) and command.n > MOST_STEPS:
            raise SceneError(f"{command.n} steps at once; ask for {MOST_STEPS} at most")
        elif isinstance(command, c.Release) and not client.may_release():
            raise SceneError("the release of the emergency stop has to be pressed for a second")
        elif not isinstance(command, Alive):
            client.forget_release()
            self.runtime.send(command, client.name)

    def _pull(self, client: Client, command: c.Pull) -> None:
        if self.chain.state != State.FREE or self._grip.takes(client, command):  # the physics says why not
            self.runtime.send(command, client.name)

    def _go_on(self, command: Again | Home) -> None:
        if not self.ending:
            raise SceneError("the run has not ended; reset it to start over")
        self.next = "again" if isinstance(command, Again) else "home"

    async def _take(self, client: Client) -> None:
        if why := self.seat.may_take(client):
            raise SceneError(why)
        before = self.seat.take(client)
        client.spoke()
        self._hold(f"{client.name} has taken the controls")
        if before is not None:
            await self._close(before, REPLACED)
        await self._tell_who_drives()


def socket_of(
    present: Callable[[], Hub | None], serves: Callable[[Hub, WebSocket], Awaitable[None]]
) -> Callable[[WebSocket], Awaitable[None]]:
    """A websocket of the hub that is there at present; where there is none it is closed at once."""

    async def serve(socket: WebSocket) -> None:
        hub = present()
        if hub is None:
            await socket.close(1001)
        else:
            await serves(hub, socket)

    return serve


def _may_know(alarm: Alarm, client: Client) -> bool:
    """What is injected is for instructors."""
    return alarm.level != "fault" or _is_instructor(client)


def _is_instructor(client: Client) -> bool:
    return client.identity.role == "instructor"


def _powers(client: Client) -> tuple[str, ...]:
    return ("take",) if client.identity.role in ("operator", "instructor") else ()
