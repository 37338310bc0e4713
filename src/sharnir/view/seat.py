"""The operator's seat: who is in control, and whether a hand is on the controls.

One browser at a time is in control. It is known by the identity that the guard gave it, and among the tabs of one
browser by a key that its page keeps to itself: a tab that was duplicated has the identity and not the key.
"""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Callable

import msgspec
from fastapi import WebSocket

from .guard import Identity

LOADING = 60.0  # s beyond that, where his page is being loaded anew
GRACE = 5.0  # s for which the seat of an operator whose connection broke is kept
SLOW = 0.2  # s without a sign of the page or of its worker, after which what the operator holds counts as released
DEAD_MAN = 0.75  # s of silence of the worker after which the operator counts as gone
FROZEN = 2.0  # s of silence of the page, while its worker is there, after which he does
LOST = 3.0  # s of silence after which a connection counts as broken
RELEASE_TAKES = 1.0  # s that the release of the emergency stop is pressed
RELEASE_WITHIN = 4.0  # s in which that has to be done
MOST_MESSAGES = 300  # a second, from one browser


class Client:
    """One connection of a browser."""

    def __init__(self, socket: WebSocket, identity: Identity, clock: Callable[[], float] = time.monotonic) -> None:
        self.socket, self.identity, self._clock = socket, identity, clock
        self.key = secrets.token_urlsafe(16)  # of this connection: for its worker, and for its page to come back with
        self.number = 0
        self.heard = False  # of its page or its worker: before that it has given no input either
        self.silent = 0.0  # s since then
        self.page = 0.0  # s since its page spoke to its worker
        self.holding: tuple[str, ...] = ()  # inputs that a hand holds
        self.arrivals: deque[float] = deque(maxlen=MOST_MESSAGES)
        self.mistakes = 0
        self.frames = 0
        self._unlatched = -RELEASE_WITHIN

    @property
    def name(self) -> str:
        """Its author in the log."""
        return self.identity.name

    def spoke(self, page: float = 0.0) -> None:
        """It is there; its page spoke so long ago (s)."""
        self.heard, self.silent, self.page = True, 0.0, page

    def unlatch(self) -> None:
        """The release is being pressed."""
        self._unlatched = self._clock()

    def may_release(self) -> bool:
        """Whether the release was pressed for long enough, just now."""
        return RELEASE_TAKES <= self._clock() - self._unlatched <= RELEASE_WITHIN

    def forget_release(self) -> None:
        """The release has to be pressed anew."""
        self._unlatched = -RELEASE_WITHIN

    async def tell(self, event: str, **what: object) -> None:
        """Send an event as JSON."""
        await self.socket.send_text(msgspec.json.encode({"event": event, **what}).decode())


class Seat:
    """Who is in control: the ``holder`` of the seat, and his connection, the ``client``, where he has one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.holder: Identity | None = None
        self.client: Client | None = None
        self._left = 0.0
        self._was_taken = False

    def arrive(self, client: Client, resumes: str) -> Client | None:
        """A browser connects. It gets the seat if it is the first operator, or if it comes back; returns the
        connection that it replaces."""
        if client.identity == self.holder:
            if self.client is None:
                self.client = client
            elif secrets.compare_digest(resumes.encode(), self.client.key.encode()):
                replaced, self.client = self.client, client
                return replaced
        elif client.identity.role == "operator" and not self._was_taken:
            self.take(client)
        return None

    def may_take(self, client: Client) -> str:
        """Why a browser may not take the seat; empty where it may."""
        if client.identity.role == "instructor" or self.holder is None:
            return ""
        if client.identity == self.holder:
            return "" if self.client in (None, client) else "another tab of this browser is in control; hand over there"
        return f"{self.holder.name} is in control; ask for the controls to be handed over"

    def take(self, client: Client) -> Client | None:
        """Give the seat to a browser; returns the connection that had it."""
        before, self.client, self.holder, self._was_taken = self.client, client, client.identity, True
        return None if before is client else before

    def leave(self, client: Client) -> bool:
        """A connection is gone; returns whether it was in control. The seat is kept for a while."""
        if client is not self.client:
            return False
        self.client, self._left = None, self._clock()
        return True

    def give(self) -> None:
        """The seat is free."""
        self.client = self.holder = None

    def keep(self, holder: Identity | None) -> None:
        """The seat is for somebody who is on his way: his page is being loaded."""
        if holder is not None:
            self.holder, self._was_taken, self._left = holder, True, self._clock() + LOADING

    def expire(self) -> bool:
        """Free the seat of an operator who does not come back; returns whether it was freed just now."""
        if self.holder is None or self.client is not None or self._clock() - self._left <= GRACE:
            return False
        self.give()
        return True
