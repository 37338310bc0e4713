"""The results of a study on disk: a zarr group whose chunks are written data first, then the marker.

A chunk without its marker was never finished, whatever its arrays hold; it is made again. Only the process that runs
the study writes, so a study may be killed at any time.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import SceneError
from ..scene.values import Plain
from ..spatial import Array
from .batch import Outcome
from .design import SAMPLE, Points
from .measures import SERIES, Measure
from .plan import Plan

if TYPE_CHECKING:
    pass

MARK, FORMAT, PREPARED = "sharnir_study", 1, "prepared"
REASON_BYTES = 240  # of UTF-8, the longest reason of a fault that is kept
POINT, INSTANT = "point", "time"


def variable_names(plan: Plan) -> dict[str, str]:
    """The names of the arrays that hold the measures; a slash would make a folder."""
    return {measure.name: measure.name.replace("/", " per ") for measure in plan.measures}


class Store:
    """A study's results in a zarr group."""

    def __init__(self, group: Any, where: str) -> None:
        self.group, self.where = group, where

    @classmethod
    def create(cls, path: Path | None, plan: Plan, points: Points, chunk: int, about: Mapping[str, object]) -> Store:
        """A new store with the points of a study, in memory where no path is given."""
        zarr = _zarr()
        count = len(points.values)
        target = zarr.storage.MemoryStore() if path is None else str(path)
        with writing(str(path)):
            again = path is not None and is_only_prepared(path)
            group = zarr.open_group(target, mode="w" if again else "w-", attributes={MARK: PREPARED})
            store = cls(group, str(path))
            for k, name in enumerate(points.names):
                store._array(f"parameter {name}", points.values[:, k], (POINT,), (count,))
            for measure in plan.measures:
                is_series = measure.reduction == SERIES
                shape = (count, len(plan.instants)) if is_series else (count,)
                dims = (POINT, INSTANT) if is_series else (POINT,)
                group.create_array(
                    variable_names(plan)[measure.name],
                    shape=shape,
                    chunks=(chunk, *shape[1:]),
                    dtype="float64",
                    fill_value=np.nan,
                    dimension_names=dims,
                )
            store._array(INSTANT, plan.instants, (INSTANT,), (len(plan.instants),))
            reason = {"shape": (count, REASON_BYTES), "chunks": (chunk, REASON_BYTES), "dtype": "uint8"}
            group.create_array("reason", **reason, fill_value=0, dimension_names=(POINT, "byte"))
            pieces = -(-count // chunk)
            group.create_array(
                "done", shape=(pieces,), chunks=(1,), dtype="uint8", fill_value=0, dimension_names=("chunk",)
            )
            axes = [[name, None if name == SAMPLE else values.tolist(), len(values)] for name, values in points.axes]
            group.update_attributes(  # last, and in one piece: a store without it was never begun
                {
                    MARK: FORMAT,
                    "plan": plan.as_text(),
                    "axes": axes,
                    "chunk": chunk,
                    "names": list(points.names),
                    **about,
                }
            )
        return store

    @classmethod
    def open(cls, path: Path) -> Store:
        """An existing store."""
        zarr = _zarr()
        try:
            group = zarr.open_group(str(path), mode="r+")
        except Exception as error:
            if not path.exists():
                raise SceneError(f"there is no study '{path}'; check the path") from None
            raise SceneError(
                f"'{path}' is not a study ({' '.join(str(error).split())[:120]}); give a .zarr folder "
                "that a study wrote"
            ) from None
        if group.attrs.get(MARK) != FORMAT:
            raise SceneError(f"'{path}' holds no study that was begun; delete it, or give another --out")
        return cls(group, str(path))

    def _array(self, name: str, values: Array, dims: tuple[str, ...], chunks: tuple[int, ...]) -> None:
        made = self.group.create_array(name, shape=values.shape, chunks=chunks, dtype="float64", dimension_names=dims)
        made[...] = values

    @property
    def about(self) -> Plain:
        """What the store says of the study."""
        return dict(self.group.attrs)

    @property
    def points(self) -> Array:
        """The points [point, name]."""
        return np.stack([self.group[f"parameter {name}"][...] for name in self.about["names"]], axis=1)

    @property
    def chunk(self) -> int:
        """How many points a chunk has."""
        return int(self.group.attrs["chunk"])

    def missing(self) -> list[int]:
        """The chunks that are not done."""
        return np.flatnonzero(self.group["done"][...] == 0).tolist()

    def rows(self, piece: int) -> slice:
        """The points of a chunk."""
        return slice(piece * self.chunk, (piece + 1) * self.chunk)

    def write(self, piece: int, outcome: Outcome, names: Mapping[str, str]) -> None:
        """Write a finished chunk: its data, and only then its marker."""
        with writing(self.where):
            for name, values in outcome.values.items():
                self.group[names[name]][self.rows(piece)] = values
            self.group["reason"][self.rows(piece)] = _encoded(outcome.reasons)
            self.group["done"][piece] = 1

    def reasons(self) -> Array:
        """Why a point has no result, [point]; empty where it has one."""
        raw = self.group["reason"][...]
        used = np.flatnonzero(raw.any(axis=1))
        found = np.full(len(raw), "", dtype=f"<U{REASON_BYTES}")
        for row in used:
            found[row] = bytes(raw[row]).rstrip(b"\0").decode(errors="ignore")
        return found


def is_only_prepared(path: Path) -> bool:
    """Whether a study at a path was killed, or ran out of disk, before it began: there is nothing in it to lose."""
    try:
        about = json.loads((path / "zarr.json").read_bytes())
    except (OSError, ValueError):
        return path.is_dir() and not any(path.iterdir())
    return bool(about.get("attributes", {}).get(MARK) == PREPARED)


def _encoded(reasons: list[str]) -> Array:
    raw = np.zeros((len(reasons), REASON_BYTES), np.uint8)
    for row, reason in enumerate(reasons):
        if reason:
            text = reason.encode()[:REASON_BYTES]
            raw[row, : len(text)] = np.frombuffer(text, np.uint8)
    return raw


@contextmanager
def writing(where: str) -> Iterator[None]:
    """What the disk refuses, in words; what was finished stays."""
    try:
        yield
    except FileExistsError:
        raise SceneError(f"'{where}' is there already, and is no study to go on with; give another --out") from None
    except OSError as error:
        why = "the disk is full" if error.errno == errno.ENOSPC else error.strerror
        raise SceneError(
            f"'{where}' cannot be written: {why}; what was finished is kept: make room and start the same study again"
        ) from None


def check_same(store: Store, plan: Plan) -> None:
    """Refuse to go on with another study than the one that was begun."""
    there, here = json.loads(store.about["plan"]), json.loads(plan.as_text())
    for name in here:
        if here[name] != there.get(name):
            shown = [_brief(value) for value in (there.get(name), here[name])]
            between = f" ({shown[0]}, now {shown[1]})" if shown[0] != shown[1] else ""
            raise SceneError(
                f"'{store.where}' was begun with other {name}{between}; give another --out, or the same study"
            )


def _brief(value: object) -> str:
    """A part of a plan in a few words; measures as they are written."""
    if isinstance(value, list) and value and isinstance(value[0], dict) and "reduction" in value[0]:
        return ", ".join(f"'{Measure(**one).name}'" for one in value)
    text = str(value)
    return text if len(text) < 60 else f"{text[:57]}..."


def _zarr() -> ModuleType:
    try:
        import zarr
    except ImportError:
        raise SceneError("studies need the package zarr; install it with: pip install 'sharnir[studies]'") from None
    return zarr
