"""Exceptions and warnings: scenes that cannot be simulated, simulations and diagrams that cannot go on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .record.trajectory import Trajectory


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
        run: Trajectory,
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


# Every warning by the name that turns it off, with what it says; docs/warnings.md has causes and remedies.
WARNINGS = {
    "locked-loop": "joints of a loop that look free hold each other",
    "repeated-joint": "two joints of the same kind at the same place between the same bodies",
    "odd-units": "a mass, size, inertia or step that looks like a slip of units",
    "unstable-servo": "a sampled servo whose gain is too high for the step",
    "target-beyond-limit": "a servo's target that the limits of its joint exclude",
    "uneven-duration": "a duration that is no multiple of the step",
    "scene-changed": "a scene that was changed after it was compiled",
    "long-step": "a body that turns by more than half a radian in a step",
    "open-joint": "a joint that is open further than the step should leave it",
    "energy-gain": "energy that no source explains",
    "energy-loss": "energy that goes nowhere",
    "fall-back": "steps that another integrator had to make",
}


class SimulationWarning(UserWarning):
    """Something that runs but looks like a mistake. It names the object, the value and the remedy.

    ``name`` is what turns it off, one of those in ``docs/warnings.md``; ``about`` is the object it is about, ``text``
    what it says of it.
    """

    def __init__(self, name: str, about: str, text: str) -> None:
        super().__init__(name, about, text)
        self.name, self.about, self.text = name, about, text

    def __str__(self) -> str:
        return f"{self.name}: {self.about} {self.text}"

    def as_dict(self) -> dict[str, str]:
        """The warning for a JSON file."""
        return {"name": self.name, "about": self.about, "text": str(self)}


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint naming the known word nearest to a mistyped one: ``; did you mean 'mass'?``, or the whole list."""
    known = list(known)
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; known: {', '.join(known)}" if known else ""
