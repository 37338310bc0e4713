"""The warnings of one simulation: told once each through Python's ``warnings``, and kept."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import WARNINGS, SceneError, SimulationWarning, nearest
from ..scene.values import shown

PACKAGE = str(Path(__file__).resolve().parents[1])


def check_names(what: str, names: Any) -> tuple[str, ...]:
    """The names of warnings that are not wanted, or a refusal of what is no such name."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise SceneError(f"{what} is {shown(names)}; give a list of names such as ['open-joint']")
    given = tuple(names)
    for name in given:
        if name not in WARNINGS:
            raise SceneError(f"{what} names a warning {shown(name)} that there is not{nearest(str(name), WARNINGS)}")
    return given


class Collected:
    """What was warned of so far. A thing is told once: the same name of warning about the same object."""

    def __init__(self, ignored: Iterable[str]) -> None:
        self._ignored = frozenset(ignored)
        self._told: dict[tuple[str, str], SimulationWarning] = {}

    def wants(self, name: str) -> bool:
        """Whether warnings of a name are to be told."""
        return name not in self._ignored

    def tell(self, found: Iterable[SimulationWarning]) -> None:
        """Keep what is new, and hand it to Python's ``warnings``, at the line of the user's that led to it."""
        for warning in found:
            key = (warning.name, warning.about)
            if self.wants(warning.name) and key not in self._told:
                self._told[key] = warning
                warnings.warn(warning, stacklevel=_level_of_user())

    @property
    def all(self) -> tuple[SimulationWarning, ...]:
        """In the order in which they were told."""
        return tuple(self._told.values())


def _level_of_user() -> int:
    """How many calls up, seen from ``tell``, the package was called."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
