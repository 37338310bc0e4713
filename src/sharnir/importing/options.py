"""How a robot comes into a scene."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import SceneError
from ..scene.values import file_path, positive, shown, truth
from .stretching import UPRIGHT

BASES = ("fixed", "free")


@dataclass(frozen=True)
class Options:
    """How a robot comes into a scene.

    ``base`` is "fixed" or "free"; ``motors`` gives servos to joints whose file tells an effort; with
    ``self_collision`` links of the robot touch each other unless they share a joint; ``search`` are folders with its
    packages; ``strict`` refuses what cannot be taken over; ``keyframe`` is the posture of an MJCF that it starts in;
    ``decompose`` splits meshes that are not convex into convex pieces to touch with; ``arguments`` are those of xacro,
    by name. All lengths are multiplied by ``scale`` (without unit); ``up`` is the axis of the file that points up,
    where it is not the one that the format has.
    """

    base: str = "fixed"
    motors: bool = True
    self_collision: bool = False
    search: tuple[Path, ...] = ()
    strict: bool = False
    keyframe: str = ""
    decompose: bool = False
    arguments: tuple[tuple[str, str], ...] = ()
    scale: float = 1.0
    up: str = ""

    @staticmethod
    def checked(
        base: object,
        motors: object,
        self_collision: object,
        search: object,
        strict: object,
        keyframe: object,
        decompose: object,
        arguments: object,
        scale: object,
        up: object,
    ) -> Options:
        """The options, or a refusal of one of ``base``, ``motors``, ``self_collision``, ``search``, ``strict``,
        ``keyframe``, ``decompose``, ``arguments``, ``scale``, ``up``."""
        if not isinstance(base, str) or base not in BASES:
            raise SceneError(f"base is {shown(base)}; give 'fixed' or 'free'")
        if not isinstance(keyframe, str):
            raise SceneError(f"keyframe is {shown(keyframe)}; give the name of one, or its number as text")
        if not isinstance(up, str) or up not in ("", *UPRIGHT):
            raise SceneError(f"up is {shown(up)}; give 'x', 'y' or 'z'")
        if arguments is not None and not isinstance(arguments, Mapping):
            raise SceneError(f"arguments is {shown(arguments)}; give a dictionary such as {{'prefix': 'left_'}}")
        if isinstance(search, (str, Path)) or not isinstance(search, Iterable):
            raise SceneError(f"search is {shown(search)}; give a list of folders")
        folders = tuple(file_path(folder, "search") for folder in search)
        given = tuple((str(name), str(value)) for name, value in (arguments or {}).items())
        return Options(
            base,
            truth(motors, "motors"),
            truth(self_collision, "self_collision"),
            folders,
            truth(strict, "strict"),
            keyframe,
            truth(decompose, "decompose"),
            given,
            positive(scale, "scale"),
            up,
        )
