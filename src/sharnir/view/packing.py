"""Tables of numbers made small for pages that hold a run: rounded to what can be seen, then stored as differences.

A table [row, column] becomes whole numbers (``whole_numbers``), of which the second differences down the rows are kept,
first all their lowest bytes, then all the next ones. ``static/unpacking.js`` has the way back.
"""

from __future__ import annotations

import base64
import gzip
from typing import TypedDict

import numpy as np

from ..spatial import Array

FINEST_PLACE = 2.0**-15  # m, and of the numbers of a quaternion
FINEST_OF_RADIUS = 2.0**-14  # of the radius of what is looked at, where that is finer
LARGEST = 2.0**30  # whole numbers beyond are not told as such


class Coding(TypedDict, total=False):
    """How numbers became whole ones: in steps of a ``quantum``, or as floats whose last bits are ``dropped``."""

    quantum: float
    dropped: int


def zipped(data: bytes) -> str:
    """Bytes as text that stands in a page."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def place_coding(values: Array, radius: float = 1.0) -> Coding:
    """How places (m) are rounded where what is looked at has a ``radius`` (m); numbers that run away are kept whole."""
    quantum = min(FINEST_PLACE, 2.0 ** np.floor(np.log2(max(radius, 1e-6))) * FINEST_OF_RADIUS)
    if np.all(np.abs(values) < LARGEST * quantum):  # neither infinite nor no number
        return {"quantum": float(quantum)}
    return {"dropped": 0}


def packed(values: Array, coding: Coding) -> bytes:
    """A table of numbers as bytes."""
    whole = whole_numbers(np.ascontiguousarray(values, "<f4"), coding)
    for _ in range(2):
        whole = np.diff(whole, axis=0, prepend=np.zeros_like(whole[:1]))  # modulo 2^32, which loses nothing
    signs_last = (whole << 1) ^ (whole.view("<i4") >> 31).view("<u4")
    by_column = np.ascontiguousarray(signs_last.T)
    return by_column.view(np.uint8).reshape(-1, 4).T.tobytes()


def whole_numbers(values: Array, coding: Coding) -> Array:
    """Numbers as whole ones, negative ones modulo 2^32: near numbers are near each other."""
    if "quantum" in coding:
        return np.round(values.astype(float) / coding["quantum"]).astype("<i4").view("<u4")
    dropped = coding["dropped"]
    bits = values.view("<u4")
    rounded = bits + np.uint32((1 << dropped) >> 1)
    bits = np.where(np.isfinite(values) & np.isfinite(rounded.view("<f4")), rounded, bits)
    size = (bits & np.uint32(0x7FFFFFFF)) >> np.uint32(dropped)
    return np.where(bits >> np.uint32(31), np.uint32(0) - size, size).astype("<u4")
