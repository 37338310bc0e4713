"""How long a user waits: import, a run with warm kernels, and the first compilation. Each in a process of its own."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

from .report import Bar, Section

IMPORT_LIMIT, WARM_LIMIT, COMPILE_LIMIT = 0.5, 2.5, 15.0  # s
_TIMED_IMPORT = "import time; begin = time.perf_counter(); import sharnir; print(time.perf_counter() - begin)"
_DOOR = [sys.executable, "-m", "sharnir", "run", "door", "--json"]


def run(quick: bool) -> list[Section]:
    """One section with the three waits."""
    repeats = 3 if quick else 7
    cold, warm = _cold_and_warm(repeats)
    imported = statistics.median(_import_time() for _ in range(repeats))
    bars = [
        Bar("import sharnir", imported, IMPORT_LIMIT, "s"),
        Bar("sharnir run door, kernels in the cache", warm, WARM_LIMIT, "s"),
        Bar("first compilation of the door's kernels", cold - warm, COMPILE_LIMIT, "s"),
    ]
    return [
        Section(
            title="Waiting times",
            columns=["", "s"],
            rows=[[bar.what, f"{bar.value:.3f}"] for bar in bars],
            bars=bars,
            notes=["First compilation: the door's first run with an empty kernel cache, less a warm run."],
            data={"import_s": imported, "door_warm_s": warm, "door_cold_s": cold},
        )
    ]


def _import_time() -> float:
    done = subprocess.run([sys.executable, "-c", _TIMED_IMPORT], check=True, capture_output=True, text=True)
    return float(done.stdout)


def _cold_and_warm(repeats: int) -> tuple[float, float]:
    """Seconds of the first run with an empty kernel cache, and the median of the runs after it."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"WARP_CACHE_PATH": cache}
        cold = _door_time(environment)
        return cold, statistics.median(_door_time(environment) for _ in range(repeats))


def _door_time(environment: dict[str, str]) -> float:
    begin = time.perf_counter()
    subprocess.run(_DOOR, check=True, capture_output=True, env=environment)
    return time.perf_counter() - begin
