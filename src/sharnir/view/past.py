"""The past of a run: frames from its beginning to now in bounded memory, for pages that are loaded later."""

from __future__ import annotations

from collections import deque

from ..runtime.frame_bytes import clock_of, tick_of

EVERY = 0.1  # s between two of the last frames
MOST = 500  # of the last frames, and of those before them


class Past:
    """The last frames close together, and some of the time before them, evenly spaced. When those are too many, every
    other one goes, and they are kept half as often from then on."""

    def __init__(self, every: float = EVERY, most: int = MOST) -> None:
        self._recent: deque[bytes] = deque()
        self._older: list[bytes] = []
        self._every, self._most = every, most
        self._stride, self._passed = 1, 0  # one in so many is kept when it is no longer recent

    @property
    def frames(self) -> list[bytes]:
        """All of them, oldest first."""
        return [*self._older, *self._recent]

    def add(self, frame: bytes) -> None:
        """Keep a frame, unless it is too soon after the last one, or nothing has moved."""
        if self._recent:
            last = self._recent[-1]
            if clock_of(frame) - clock_of(last) < self._every or tick_of(frame) == tick_of(last):
                return
        self._recent.append(frame)
        if len(self._recent) <= self._most:
            return
        left = self._recent.popleft()
        if self._passed % self._stride == 0:
            self._older.append(left)
        self._passed += 1
        if len(self._older) > self._most:
            self._older = self._older[::2]
            self._stride *= 2
