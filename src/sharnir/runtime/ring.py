"""A ring of frames in shared memory: one process writes, others read the newest without stopping it.

The first eight bytes count the frames written. A slot is safe to read as long as the writer has not come round to it:
a reader copies the newest frame and then looks at the count again.
"""

from __future__ import annotations

from contextlib import suppress
from multiprocessing.shared_memory import SharedMemory

import numpy as np

from ..spatial import Array

SLOTS = 8
HEAD = 64  # bytes before the slots


class Ring:
    """Frames of one size. The owner creates the memory, the other side attaches by name; whoever closes removes it."""

    def __init__(self, size: int, name: str | None = None) -> None:
        self.size = size
        self._memory = SharedMemory(name, create=name is None, size=HEAD + SLOTS * size)
        self._count: Array = np.ndarray(1, np.int64, self._memory.buf)
        self._slots: Array = np.ndarray((SLOTS, size), np.uint8, self._memory.buf, HEAD)
        if name is None:
            self._count[0] = 0

    @property
    def name(self) -> str:
        """What the other side attaches by."""
        return self._memory.name

    @property
    def written(self) -> int:
        """Frames written so far."""
        return int(self._count[0])

    def write(self, frame: Array) -> None:
        """Put a frame (bytes) into the next slot."""
        count = int(self._count[0])
        self._slots[count % SLOTS] = frame
        self._count[0] = count + 1

    def newest(self, before: int = 0) -> bytes | None:
        """A copy of the last frame written, or of one ``before`` it; None where there was none."""
        while (count := int(self._count[0]) - before) > 0:
            frame = self._slots[(count - 1) % SLOTS].tobytes()
            if int(self._count[0]) - count < SLOTS - 1:
                return frame
        return None

    def close(self) -> None:
        """Let go of the memory; the owner removes it, or whoever is left when the owner was killed."""
        del self._count, self._slots
        self._memory.close()
        with suppress(FileNotFoundError):
            self._memory.unlink()
