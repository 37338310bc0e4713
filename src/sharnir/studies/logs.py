"""Logs of real machines: columns over time, with units, from CSV, netCDF and MCAP files, which are only parsed."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ..errors import SceneError, nearest
from ..scene.values import file_path
from ..spatial import Array

TIME = ("time", "t", "timestamp", "stamp")
# Units that logs come in, as multiples of those that Sharnir uses.
UNITS = {
    "s": ("s", 1.0), "ms": ("s", 1e-3), "us": ("s", 1e-6), "ns": ("s", 1e-9), "min": ("s", 60.0),
    "rad": ("rad", 1.0), "deg": ("rad", math.pi / 180), "°": ("rad", math.pi / 180), "rev": ("rad", 2 * math.pi),
    "rad/s": ("rad/s", 1.0), "deg/s": ("rad/s", math.pi / 180), "°/s": ("rad/s", math.pi / 180),
    "rpm": ("rad/s", math.pi / 30), "rev/s": ("rad/s", 2 * math.pi),
    "m": ("m", 1.0), "mm": ("m", 1e-3), "cm": ("m", 1e-2), "km": ("m", 1e3),
    "m/s": ("m/s", 1.0), "mm/s": ("m/s", 1e-3), "km/h": ("m/s", 1 / 3.6),
    "N": ("N", 1.0), "kN": ("N", 1e3), "N m": ("N m", 1.0), "Nm": ("N m", 1.0), "N mm": ("N m", 1e-3),
    "mN m": ("N m", 1e-3), "1": ("1", 1.0), "%": ("1", 0.01), "": ("", 1.0), "J": ("J", 1.0),
}  # fmt: skip
_HEAD = re.compile(r"\s*(.*?)\s*(?:\[\s*(.*?)\s*\]|\(\s*(.*?)\s*\))?\s*\Z")
LEAST_ROWS = 10
LARGEST_FILE = 1 << 30  # bytes


@dataclass(frozen=True)
class Log:
    """Columns over ``time`` (s, ascending, starting at 0) by their names, in the ``units`` that stand beside them.

    ``columns`` are already in SI units where their unit is known; an empty unit is one that the file does not tell.
    """

    time: Array
    columns: dict[str, Array]
    units: dict[str, str]

    def column(self, name: str, unit: str) -> Array:
        """A column by ``name`` that must be in a ``unit``; one without a unit is taken to be."""
        if name not in self.columns:
            raise SceneError(f"the log has no column '{name}'{nearest(name, self.columns)}")
        if self.units[name] not in ("", unit):
            raise SceneError(
                f"the column '{name}' of the log is in {self.units[name]}, but it is used as {unit}; check "
                "which is meant"
            )
        return self.columns[name]

    def between(self, start: float, end: float) -> Log:
        """The part of the log from ``start`` to ``end`` (s); its time starts at 0 again."""
        chosen = (self.time >= start) & (self.time <= end)
        if chosen.sum() < LEAST_ROWS:
            raise SceneError(f"the log has {chosen.sum()} rows between {start:g} and {end:g} s; give a longer part")
        time = self.time[chosen]
        return Log(time - time[0], {name: values[chosen] for name, values in self.columns.items()}, self.units)


def make_log(time: ArrayLike, columns: Mapping[str, ArrayLike], units: dict[str, str] | None = None) -> Log:
    """A log from arrays: ``time`` in s, and ``columns`` in the ``units`` given for them, or in those of Sharnir.

    Rows out of order are refused, rows with missing numbers left out.
    """
    stamps = np.asarray(time, float)
    given = {name: np.asarray(values, float) for name, values in columns.items()}
    for name, values in given.items():
        if values.shape != stamps.shape:
            raise SceneError(f"the column '{name}' of the log has {values.shape} numbers, its time has {stamps.shape}")
    good = np.isfinite(stamps) & np.all([np.isfinite(values) for values in given.values()] or [[True]], axis=0)
    stamps = stamps[good]
    if len(stamps) < LEAST_ROWS:
        raise SceneError(f"the log has {len(stamps)} whole rows; give {LEAST_ROWS} or more")
    if (np.diff(stamps) <= 0).any():
        at = int(np.argmax(np.diff(stamps) <= 0))
        raise SceneError(
            f"the time of the log does not rise after row {at + 1} ({stamps[at]:g} s); sort it, or cut it there"
        )
    found, told = {}, {}
    for name, values in given.items():
        told[name], factor = known_unit((units or {}).get(name, ""))
        found[name] = values[good] * factor
    return Log(stamps - stamps[0], found, told)


def known_unit(unit: str) -> tuple[str, float]:
    """The unit of Sharnir for one of a log, and the factor to it; one that is not known stays, to be refused in use."""
    plain = unit.replace("·", " ").strip()
    return UNITS.get(plain, (plain, 1.0))


def read_log(path: str | Path) -> Log:
    """A log from the file ``path``: .csv with names and units (``angle [deg]``), .nc, or .mcap with JSON messages."""
    path = file_path(path, "the log")
    readers = {".csv": _read_csv, ".txt": _read_csv, ".nc": _read_netcdf, ".mcap": _read_mcap}
    if not path.is_file():
        raise SceneError(f"there is no log '{path}'; check the path")
    if path.suffix.lower() not in readers:
        raise SceneError(f"the log '{path}' ends in '{path.suffix}'; give one of {', '.join(readers)}")
    if path.stat().st_size > LARGEST_FILE:
        raise SceneError(f"the log '{path}' is larger than 1 GiB; cut out the part that is to be fitted")
    try:
        return readers[path.suffix.lower()](path)
    except SceneError as error:
        raise SceneError(f"{path}: {error}") from None


def _head(text: str) -> tuple[str, str]:
    """A name and the unit in brackets after it."""
    found = _HEAD.match(text)
    assert found is not None
    return found[1], found[2] or found[3] or ""


def _with_time(columns: dict[str, Array], units: dict[str, str]) -> Log:
    named = next((name for name in columns if name.lower() in TIME), None)
    if named is None:
        raise SceneError(f"it has no column of time; name one of {', '.join(columns)} 'time [s]'")
    unit, factor = known_unit(units.get(named) or "s")
    if unit != "s":
        raise SceneError(f"its time is in {units[named]}; give s, ms, us or ns")
    rest = {name: values for name, values in columns.items() if name != named}
    return make_log(columns[named] * factor, rest, units)


def _read_csv(path: Path) -> Log:
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if row and not row[0].startswith("#")]
    if len(rows) < 2:
        raise SceneError("it has no rows below its names")
    heads = [_head(cell) for cell in rows[0]]
    if all(_is_number(name) for name, _ in heads):
        raise SceneError(
            "its first line holds numbers; put the names of the columns there, such as 'time [s], angle [deg]'"
        )
    table = np.full((len(rows) - 1, len(heads)), np.nan)
    for i, row in enumerate(rows[1:]):
        if len(row) != len(heads):
            raise SceneError(f"line {i + 2} has {len(row)} cells, the first has {len(heads)}")
        for k, cell in enumerate(row):
            if cell.strip():
                if not _is_number(cell):
                    raise SceneError(f"line {i + 2}, column '{heads[k][0]}': {cell!r} is no number")
                table[i, k] = float(cell)
    return _with_time({name: table[:, k] for k, (name, _) in enumerate(heads)}, dict(heads))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_netcdf(path: Path) -> Log:
    """Variables along the one axis of time; those of a trajectory are named as its labels: ``hinge.angle``."""
    import xarray as xr

    try:
        data = xr.load_dataset(path, engine="h5netcdf", decode_times=False)
    except Exception as error:
        raise SceneError(f"it is not a netCDF file ({' '.join(str(error).split())[:100]})") from None
    named = next((str(name) for name in data.coords if str(name).lower() in TIME), None)
    if named is None:
        raise SceneError("it has no coordinate 'time'")
    columns, units = {named: np.asarray(data[named].values, float)}, {named: data[named].attrs.get("units", "s")}
    for name, variable in data.data_vars.items():
        if variable.dims == (named,) and variable.dtype.kind in "fiu":
            columns[str(name)] = np.asarray(variable.values, float)
            units[str(name)] = str(variable.attrs.get("units", ""))
    for signal, suffix in (("coordinate", ""), ("rate", " rate"), ("effort", " effort")):
        if signal in data and data[signal].dims == (named, "axis"):
            for label, unit in zip(data["axis"].values, data["axis_unit"].values, strict=True):
                columns[f"{label}{suffix}"] = np.asarray(data[signal].sel(axis=label).values)
                units[f"{label}{suffix}"] = {"": unit, " rate": f"{unit}/s"}.get(suffix, "N" if unit == "m" else "N m")
    return _with_time(columns, units)


def _read_mcap(path: Path) -> Log:
    """Numbers of JSON messages; each topic is interpolated to the times of the one with the most messages."""
    try:
        from mcap.reader import make_reader
    except ImportError:
        raise SceneError("MCAP files need the package mcap; install it with: pip install 'sharnir[view]'") from None
    topics: dict[str, list[tuple[float, dict[str, float]]]] = {}
    try:
        with path.open("rb") as file:
            for _, channel, message in make_reader(file).iter_messages():
                if channel.message_encoding == "json":
                    content = json.loads(message.data)
                    numbers = (
                        {k: float(v) for k, v in content.items() if isinstance(v, (int, float))}
                        if isinstance(content, dict)
                        else {}
                    )
                    if numbers:
                        topics.setdefault(channel.topic, []).append((message.log_time * 1e-9, numbers))
    except SceneError:
        raise
    except Exception as error:
        raise SceneError(f"it is not an MCAP file ({' '.join(str(error).split())[:100]})") from None
    if not topics:
        raise SceneError("it has no JSON messages with numbers")
    longest = max(topics.values(), key=len)
    time = np.array([stamp for stamp, _ in longest])
    columns: dict[str, Array] = {}
    for messages in topics.values():
        stamps = np.array([stamp for stamp, _ in messages])
        for name in messages[0][1]:
            values = np.array([numbers.get(name, np.nan) for _, numbers in messages])
            columns[name] = values if messages is longest else np.interp(time, stamps, values)
    heads = {name: _head(name) for name in columns}
    return make_log(time, {heads[n][0]: v for n, v in columns.items()}, {heads[n][0]: heads[n][1] for n in columns})


def resolution_of(values: Array) -> float:
    """The step of an encoder: what all differences are whole multiples of; 0 where there is none."""
    differences = np.abs(np.diff(np.unique(values)))
    differences = differences[differences > 1e-12 * max(1e-300, np.abs(values).max())]
    if len(differences) < 3 or len(np.unique(values)) > 0.5 * len(values):
        return 0.0
    step = float(differences.min())
    off = np.abs(differences / step - np.round(differences / step))
    return step if off.max() < 0.01 else 0.0


def noise_of(values: Array) -> float:
    """The standard deviation of white noise on a smooth course, from its third differences."""
    if len(values) < 8:
        return 0.0
    return float(np.median(np.abs(np.diff(values, 3))) / 0.6745 / math.sqrt(20.0))
