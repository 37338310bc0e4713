"""Runtime: the handle on a running simulation, for the process that serves the browser."""

from __future__ import annotations

import multiprocessing
import signal
import time

import msgspec

from ..errors import SceneError
from . import commands as c
from .frame_bytes import clock_of
from .journal import LoggedRun
from .process import AnyEvent, Failed, Ready, main
from .ring import Ring

MOST_AHEAD = 3  # frames in the ring that may be looked through
END_WITHIN = 5.0  # s for the physics to close its log before it is ended by force


class Runtime:
    """Starts the physics of a run in a process of its own; commands go in, frames and events come out.

    Without ``wait`` it may be used once ``wait()`` has returned; meanwhile there is time for other things.
    """

    def __init__(self, run: LoggedRun, *, paused: bool = False, source: str | None = None, wait: bool = True) -> None:
        self.run = run
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=main, args=(str(run.folder), theirs, paused, source), daemon=True)
        self._process.start()
        theirs.close()
        self._decode = msgspec.json.Decoder(AnyEvent).decode
        self._ring: Ring | None = None
        if wait:
            self.wait()

    def wait(self) -> None:
        """Until the physics can make steps; a scene that it refuses is refused here."""
        if self._ring is None:
            self.ready: Ready = self._first_event()
            self._ring = Ring(self.ready.layout.size, self.ready.ring)

    def _first_event(self) -> Ready:
        try:
            event = self._decode(self._pipe.recv_bytes())
        except EOFError:
            raise SceneError(f"the physics of '{self.run.header.name}' ended before it began") from None
        if isinstance(event, Failed):
            raise SceneError(event.reason)
        assert isinstance(event, Ready)
        return event

    @property
    def alive(self) -> bool:
        """Whether the physics is there."""
        return self._process.is_alive()

    @property
    def died(self) -> str:
        """What ended the physics against its will; empty where it ended as it should, or runs."""
        self._process.join(END_WITHIN)
        code = self._process.exitcode
        if not code:
            return ""
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    @property
    def pid(self) -> int:
        """The number of the physics process."""
        return self._process.pid or 0

    def send(self, command: c.Command, by: str = "") -> None:
        """Hand a command and its author to the physics; it is taken before the next step."""
        try:
            self._pipe.send_bytes(c.encode({"by": by, "command": command}))
        except OSError:
            raise SceneError("the physics has ended; start the run anew") from None

    def events(self) -> list[AnyEvent]:
        """What the physics has told since the last call. Raises ``EOFError`` when it is gone."""
        found = []
        try:
            while self._pipe.poll():
                found.append(self._decode(self._pipe.recv_bytes()))
        except OSError as error:
            raise EOFError from error
        return found

    @property
    def frames_written(self) -> int:
        """How many frames there have been."""
        return self._frames.written

    @property
    def _frames(self) -> Ring:
        assert self._ring is not None, "wait() first"
        return self._ring

    def frame(self) -> bytes | None:
        """The newest frame whose time has come; None before the first."""
        for before in range(MOST_AHEAD):
            frame = self._frames.newest(before)
            if frame is None or clock_of(frame) <= time.time():
                break
        return frame

    def close(self) -> None:
        """Close the run: the physics ends its log when the pipe is closed."""
        self._pipe.close()
        self._process.join(END_WITHIN)
        if self.alive:
            self._process.kill()
            self._process.join()
        if self._ring is not None:
            self._ring.close()
