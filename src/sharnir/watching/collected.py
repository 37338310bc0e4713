"""The warnings of one simulation: issued once each through Python's ``warnings``, and kept."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

from ..errors import SimulationWarning

PACKAGE = str(Path(__file__).resolve().parents[1])


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
