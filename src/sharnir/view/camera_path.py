"""The way of a camera through a video: around the machine, or through places of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ..errors import SceneError
from ..scene.values import number, vector

AROUND = "around"


class Key(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a camera is (``eye``) and what it looks at (``target``), both in m, at a ``time`` (s) of the run."""

    time: float
    eye: tuple[float, float, float]
    target: tuple[float, float, float]


@dataclass(frozen=True)
class CameraPath:
    """``rows`` of time, eye and target, between which the camera goes smoothly; None goes around the machine."""

    rows: list[list[float]] | None = None


def camera_path(told: str | Sequence[Key]) -> CameraPath:
    """A path by the word "around", by the name of a JSON file with a list of keys, or by keys."""
    if told == AROUND:
        return CameraPath()
    keys = _read(Path(told)) if isinstance(told, str) else list(told)
    if len(keys) < 2:
        raise SceneError(f"camera path: there are {len(keys)} places; give at least two, or '{AROUND}'")
    rows: list[list[float]] = []
    for i, key in enumerate(keys):
        time = number(key.time, f"camera path, place {i + 1}: time (s)")
        if rows and time <= rows[-1][0]:
            raise SceneError(f"camera path, place {i + 1}: its time is {time:g} s, not after that of the one before it")
        eye, target = (
            vector(getattr(key, name), f"camera path, place {i + 1}: {name} (m)") for name in ("eye", "target")
        )
        if eye == target:
            raise SceneError(f"camera path, place {i + 1}: eye and target are both {eye}; the camera looks nowhere")
        rows.append([time, *eye, *target])
    return CameraPath(rows)


def _read(file: Path) -> list[Key]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=list[Key])
    except OSError as error:
        raise SceneError(
            f"camera path '{file}' cannot be read ({error.strerror}); give '{AROUND}' or a JSON file"
        ) from None
    except msgspec.MsgspecError as error:
        raise SceneError(
            f"camera path '{file}': {error}; give a list such as "
            '[{"time": 0, "eye": [3, -4, 2], "target": [0, 0, 0.5]}, ...]'
        ) from None
