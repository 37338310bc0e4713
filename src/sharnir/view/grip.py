"""Which browser pulls a body with the mouse: one at a time, as long as it keeps sending."""

from __future__ import annotations

from ..errors import SceneError
from ..runtime import commands as c
from .seat import SLOW, Client


class Grip:
    """A pull in progress. A page repeats it twenty times a second; what is silent for ``SLOW`` has let go."""

    def __init__(self) -> None:
        self.client: Client | None = None
        self._last: c.Pull | None = None
        self._silent = 0.0  # s

    def takes(self, client: Client, command: c.Pull) -> bool:
        """A browser pulls; whether that is news. ``SceneError`` where another browser does."""
        if self.client is not None and self.client is not client:
            raise SceneError(f"{self.client.name} is pulling; wait until that is over")
        news = command != self._last
        self.client, self._last, self._silent = client, command, 0.0
        return news

    def let_go(self) -> Client | None:
        """The pull is over; returns whose it was."""
        client, self.client, self._last = self.client, None, None
        return client

    def is_lost(self, passed: float) -> bool:
        """Whether the browser has been silent for too long, after so many more seconds."""
        self._silent += passed
        return self.client is not None and self._silent > SLOW
