"""The end of runs that are driven by queued commands."""

from __future__ import annotations

import time

import numpy as np

from sharnir.runtime.frame_bytes import HEADER
from sharnir.runtime.runtime import Runtime

PATIENCE = 180.0  # s, as long as a busy machine may take


def finish(runtime: Runtime, ticks: int) -> None:
    """Close a run once its physics has made so many steps: what is still queued when it is closed may be lost."""
    until = time.monotonic() + PATIENCE
    while (frame := runtime.frame()) is None or np.frombuffer(frame, "<f8", len(HEADER))[HEADER.index("tick")] < ticks:
        assert time.monotonic() < until, f"the physics has not made {ticks} steps"
        time.sleep(0.02)
    runtime.close()
