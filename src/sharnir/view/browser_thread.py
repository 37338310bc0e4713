"""A thread that drives a browser, so that pictures can be taken from anywhere, also within a running asyncio loop.

Playwright's plain interface refuses to work in a thread whose loop runs, as it does in Jupyter, and everything of it
has to be called in the thread that started it.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread, current_thread
from typing import Any, TypeVar

Result = TypeVar("Result")


class BrowserThread:
    """Makes one call after another in a thread of its own, until it is ended.

    The thread is a daemon of ours, not one of a pool: those are gone when the last finalizers of a program close their
    browsers.
    """

    def __init__(self) -> None:
        self._asked: SimpleQueue[tuple[Callable[[], Any], SimpleQueue[Any]] | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name="sharnir browser", daemon=True)
        self._thread.start()

    def __enter__(self) -> BrowserThread:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def call(self, work: Callable[[], Result]) -> Result:
        """What ``work`` gives, or raises, in the browser's thread."""
        if current_thread() is self._thread:  # a finalizer may run in any thread
            return work()
        answer: SimpleQueue[tuple[Result | None, BaseException | None]] = SimpleQueue()
        self._asked.put((work, answer))
        result, error = answer.get()
        if error is not None:
            raise error
        return result  # type: ignore[return-value]

    def end(self) -> None:
        """No calls after this one."""
        self._asked.put(None)

    def _work(self) -> None:
        while (asked := self._asked.get()) is not None:
            work, answer = asked
            try:
                answer.put((work(), None))
            except BaseException as error:  # told to the thread that asked
                answer.put((None, error))
