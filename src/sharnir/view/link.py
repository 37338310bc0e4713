"""The websocket: frames to every browser, commands from those who may give them.

Every message carries a number that must grow, and the clock of the newest frame its sender had seen: a message that
was held up on its way is older than ``OLDEST`` and is refused. The operator's browser speaks ten times a second; when
it has been silent for ``DEAD_MAN`` the drives go to their safe state.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
from fastapi import WebSocket, WebSocketDisconnect

from ..errors import SceneError
from ..runtime import commands as c
from ..runtime.journal import Alarm
from ..runtime.process import Kept, Told
from ..runtime.runtime import Runtime

DEAD_MAN = 0.5  # s of silence after which the operator counts as gone
OLDEST = 0.5  # s between the frame that a message answers to and its arrival
GRACE = 5.0  # s for which a lost operator's place is kept
LONGEST_MESSAGE = 4096  # bytes
MOST_MESSAGES = 300  # a second, from one browser
MOST_MISTAKES = 20  # malformed messages before a browser is cut off
ALARMS_KEPT = 500
CLIENT_NAME = 64  # characters at most


class Alive(c.Command, frozen=True, tag="alive"):
    """The operator is there."""


class Take(c.Command, frozen=True, tag="take"):
    """Ask for the operator's place."""


class Give(c.Command, frozen=True, tag="give"):
    """Leave the operator's place."""


FromBrowser = (
    Alive | Take | Give | c.Run | c.Pause | c.Step | c.Reset | c.Scale | c.Save | c.Restore | c.Set | c.Stop | c.Release
    | c.Inject | c.Withdraw | c.Note | c.End
)  # fmt: skip
ANYONE = (Take, c.Stop)  # an emergency stop is everybody's
INSTRUCTOR = (c.Inject, c.Withdraw, c.Note, c.End)


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a browser sends."""

    number: int
    seen: float
    command: FromBrowser


decode = msgspec.json.Decoder(Message).decode


class Client:
    """One browser."""

    def __init__(self, socket: WebSocket, name: str, role: str) -> None:
        self.socket, self.name, self.role = socket, name, role
        self.number = 0
        self.heard = time.monotonic()
        self.arrivals: deque[float] = deque(maxlen=MOST_MESSAGES)
        self.mistakes = 0
        self.frames = 0

    async def tell(self, event: str, **what: Any) -> None:
        """Send an event as JSON."""
        await self.socket.send_text(msgspec.json.encode({"event": event, **what}).decode())


class Hub:
    """All browsers of one run, and who of them drives."""

    def __init__(self, runtime: Runtime, rate: float) -> None:
        self.runtime, self._rate = runtime, rate
        self.clients: list[Client] = []
        self.operator: str | None = None  # the name of the client that drives
        self.alarms: deque[Alarm] = deque(maxlen=ALARMS_KEPT)
        self.kept = Kept([], [])
        self.on_kept: Callable[[], Any] = lambda: None
        self.ended = asyncio.Event()
        self._armed = False  # inputs have been given since the drives were last made safe
        self._left: float | None = None  # when the operator's connection broke
        self._fresh = asyncio.Condition()
        self._frame: bytes | None = None

    # --- background -------------------------------------------------------------------------------------------------

    async def pump(self) -> None:
        """Pass on new frames and events, and watch the operator, until the physics ends."""
        written = -1
        try:
            while True:
                await asyncio.sleep(1.0 / self._rate)
                if self.runtime.frames_written != written:
                    written = self.runtime.frames_written
                    async with self._fresh:
                        self._frame = self.runtime.frame()
                        self._fresh.notify_all()
                for event in self.runtime.events():
                    await self._pass_on(event)
                await self._watch_operator()
        except (EOFError, SceneError):
            await self.alarm("alarm", "the physics has ended")
            self.ended.set()

    async def _pass_on(self, event: Any) -> None:
        if isinstance(event, Told):
            await self._add(event.alarm)
        elif isinstance(event, Kept):
            self.kept = event
            self.on_kept()
            await self.broadcast("kept", snapshots=event.snapshots, faults=event.faults)

    async def _watch_operator(self) -> None:
        now = time.monotonic()
        present = next((client for client in self.clients if client.name == self.operator), None)
        if self._armed and (present is None or now - present.heard > DEAD_MAN):
            self._armed = False
            self.runtime.send(c.Hold())
        if self._left is not None and now - self._left > GRACE:
            self._left = None
            await self._appoint(None)

    # --- telling ----------------------------------------------------------------------------------------------------

    async def broadcast(self, event: str, **what: Any) -> None:
        """Tell every browser; one that is just leaving does not matter."""
        for client in list(self.clients):
            with suppress(RuntimeError, WebSocketDisconnect):
                await client.tell(event, **what)

    async def alarm(self, level: str, text: str) -> None:
        """An alarm of the server's own."""
        await self._add(Alarm(level, text))

    async def _add(self, alarm: Alarm) -> None:
        self.alarms.append(alarm)
        await self.broadcast("alarm", alarm=msgspec.to_builtins(alarm))

    async def _appoint(self, name: str | None) -> None:
        self.operator = name
        self._armed = False
        await self.broadcast("operator", operator=name)

    # --- one browser ------------------------------------------------------------------------------------------------

    async def serve(self, socket: WebSocket) -> None:
        """A browser from its connection to its end."""
        name = socket.query_params.get("client", "")[:CLIENT_NAME]
        role = "instructor" if socket.query_params.get("role") == "instructor" else "operator"
        await socket.accept()
        client = Client(socket, name, role)
        self.clients = [other for other in self.clients if other.name != name] + [client]
        if name == self.operator:
            self._left = None
        elif self.operator is None and role == "operator":
            self.operator = name
        await client.tell(
            "hello",
            operator=self.operator,
            role=role,
            alarms=[msgspec.to_builtins(alarm) for alarm in self.alarms],
            snapshots=self.kept.snapshots,
            faults=self.kept.faults,
        )
        await self.broadcast("operator", operator=self.operator)
        sender = asyncio.create_task(self._send_frames(client))
        try:
            while await self._receive(client):
                pass
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            sender.cancel()
            await self._leave(client)

    async def _leave(self, client: Client) -> None:
        if client not in self.clients:
            return  # the same browser has connected anew
        self.clients.remove(client)
        if client.name == self.operator:
            self._left = time.monotonic()

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
        except (RuntimeError, WebSocketDisconnect):
            pass

    async def _receive(self, client: Client) -> bool:
        """One message. Returns whether to go on listening."""
        raw = await client.socket.receive()
        if raw["type"] != "websocket.receive":
            return False
        data = raw.get("bytes") or (raw.get("text") or "").encode()
        now = time.monotonic()
        too_many = len(client.arrivals) == MOST_MESSAGES and now - client.arrivals[0] < 1.0
        client.arrivals.append(now)
        if len(data) > LONGEST_MESSAGE or too_many:
            await client.socket.close(1009 if len(data) > LONGEST_MESSAGE else 1008)
            await self.alarm("warning", "a browser sent too much and was cut off")
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

    async def _obey(self, client: Client, message: Message) -> None:
        command = message.command
        if message.number <= client.number:
            raise SceneError(f"message {message.number} came after {client.number}; it is not taken")
        client.number = message.number
        if isinstance(command, c.Stop):  # taken whatever its age and whoever sends it
            self._armed = False
            self.runtime.send(command)
            return
        age = time.time() - message.seen
        if age > OLDEST:
            if isinstance(command, Alive):
                return  # it says that the operator was there, not that he is
            raise SceneError(f"a command was {age:.1f} s old; it is not taken")
        if isinstance(command, INSTRUCTOR):
            if client.role != "instructor":
                raise SceneError("that is the instructor's; open the instructor's page")
            self.runtime.send(command)
        elif isinstance(command, Take):
            await self._take(client)
        elif client.name != self.operator:
            raise SceneError("another browser is in control; you are watching")
        elif isinstance(command, Give):
            if self._armed:
                self.runtime.send(c.Hold("the operator has left his place"))
            await self._appoint(None)
        else:
            client.heard = time.monotonic()
            self._armed = self._armed or isinstance(command, c.Set)
            if not isinstance(command, Alive):
                self.runtime.send(command)

    async def _take(self, client: Client) -> None:
        if client.role != "operator":
            raise SceneError("an instructor does not drive; open the operator's page")
        if self.operator not in (None, client.name):
            raise SceneError("another browser is in control; ask its operator to hand over")
        await self._appoint(client.name)
