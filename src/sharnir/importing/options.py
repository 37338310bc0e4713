"""How a robot comes into a scene."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import SceneError
from ..scene.values import file_path, shown

BASES = ("fixed", "free")


@dataclass(frozen=True)
class Options:
    """How a robot comes into a scene.

    ``base`` is "fixed" or "free"; ``motors`` gives servos to joints whose file tells an effort; with
    ``self_collision`` links of the robot touch each other unless they share a joint; ``search`` are folders with its
    packages; ``strict`` refuses what cannot be taken over.
    """

    base: str = "fixed"
    motors: bool = True
    self_collision: bool = False
    search: tuple[Path, ...] = ()
    strict: bool = False

    @staticmethod
    def checked(base: Any, motors: Any, self_collision: Any, search: Any, strict: Any) -> Options:
        """The options, or a refusal of one of ``base``, ``motors``, ``self_collision``, ``search``, ``strict``."""
        if base not in BASES:
            raise SceneError(f"base is {shown(base)}; give 'fixed' or 'free'")
        for name, value in (("motors", motors), ("self_collision", self_collision), ("strict", strict)):
            if not isinstance(value, bool):
                raise SceneError(f"{name} is {shown(value)}; give True or False")
        if isinstance(search, (str, Path)) or not isinstance(search, Iterable):
            raise SceneError(f"search is {shown(search)}; give a list of folders")
        return Options(base, motors, self_collision, tuple(file_path(folder, "search") for folder in search), strict)
