"""Another run of the same machine, drawn through the one that is shown: yesterday's, the exact twin's, a variant's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import SceneError
from ..record.trajectory import Trajectory
from ..runtime.journal import LoggedRun
from ..scene.scene import Scene
from ..scene.values import Plain
from .packed_frames import codings_of, packed_frames, thinned
from .recording import Recording, record, recording_of

TRAJECTORY = ".nc"


@dataclass(frozen=True)
class Ghost:
    """What a page is told of the other run (``about``), and its packed frames."""

    about: Plain
    frames: bytes


def other_run(path: Path, scene: Scene, progress: Callable[[int, int], object] | None = None) -> Recording:
    """The run in a folder, made again from its log, or a trajectory of ``scene`` that was saved as netCDF."""
    if path.suffix == TRAJECTORY:
        return recording_of(scene, Trajectory.load(path))
    return record(LoggedRun(path), progress)


def ghost_of(other: Recording, world: Plain) -> Ghost:
    """Another run for a page that shows a ``world``; its signals and ropes may be other ones."""
    names, others = ([body["name"] for body in each["bodies"]] for each in (world, other.world))
    if names != others:
        first = next((b or a for a, b in zip([*names, ""], [*others, ""], strict=False) if a != b), "")
        raise SceneError(f"a ghost is another run of the same machine; this one differs in '{first}'")
    other = thinned(other)
    about = {"layout": other.world["layout"], "every": other.every, "count": len(other.frames)}
    return Ghost(about | {"codings": codings_of(other)}, packed_frames(other))
