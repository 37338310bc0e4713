"""Exceptions: a scene that cannot be simulated, a simulation or a diagram that cannot go on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any


class SceneError(ValueError):
    """A scene that cannot be simulated. The message names the object, the value and the remedy."""


class SimulationFault(RuntimeError):
    """One or more worlds stopped: a number became NaN, a body ran away or a winch ran out of rope.

    The other worlds go on. ``file`` holds the last good states, ``run`` what was recorded until then.
    """

    def __init__(
        self,
        message: str,
        *,
        world: int,
        step: int,
        body: str,
        joint: str | None,
        worlds: tuple[int, ...],
        file: Path | None,
        run: Any,
    ) -> None:
        super().__init__(message)
        self.world = world
        self.step = step
        self.body = body
        self.joint = joint
        self.worlds = worlds
        self.file = file
        self.run = run


class ControlFault(RuntimeError):
    """A diagram that cannot go on: a division by zero, a value that is no number. ``block`` names where."""

    def __init__(self, message: str, *, block: str, time: float) -> None:
        super().__init__(message)
        self.block = block
        self.time = time


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint naming the known word nearest to a mistyped one: ``; did you mean 'mass'?``, or the whole list."""
    known = list(known)
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; known: {', '.join(known)}" if known else ""
