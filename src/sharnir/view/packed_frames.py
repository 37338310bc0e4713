"""The frames of a run made small for a page: no more a second than it shows, rounded to what is seen, and packed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .export_data import block
from .packing import Coding, packed, place_coding
from .recording import Recording

MOST_RATE = 30.0  # frames a second of a run
DROPPED = {"channels": 5, "inputs": 5}  # bits of what can be read off; 9 of all else but places


def thinned(recording: Recording) -> Recording:
    """A recording with no more frames a second than a page needs."""
    stride = max(1, round(1.0 / (MOST_RATE * recording.every)))
    return (
        replace(recording, frames=recording.frames[::stride], every=stride * recording.every)
        if stride > 1
        else recording
    )


def codings_of(recording: Recording) -> dict[str, Coding]:
    """How the blocks of a recording are rounded: places to what can be seen, all else to so many bits."""
    radius = recording.world["focus"]["radius"]
    return {
        name: place_coding(block(recording, name), radius)
        if name == "poses" or name.startswith("rope ")
        else {"dropped": DROPPED.get(name, 9)}
        for name in recording.world["layout"]["blocks"]
    }


def packed_frames(recording: Recording) -> bytes:
    """The headers of all frames byte by byte, as they are, and their blocks, packed (``static/unpacking.js``)."""
    headers = recording.frames[:, : 8 * len(recording.world["layout"]["header"])]
    blocks = [packed(block(recording, name), coding) for name, coding in codings_of(recording).items()]
    return b"".join([np.ascontiguousarray(headers.T).tobytes(), *blocks])
