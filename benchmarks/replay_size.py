"""How large the HTML replay of a driven KRT-100 with its trailer on rough ground is.

python -m benchmarks.replay_size             60 s, in curves to both sides
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from sharnir.runtime import commands
from sharnir.runtime.frame_bytes import HEADER
from sharnir.runtime.journal import LoggedRun, create_run
from sharnir.runtime.runtime import Runtime
from sharnir.view.export_html import write_html
from sharnir.view.recording import record
from sharnir.view.robots import ROBOTS

DT = 0.005  # s
LEG = 1000  # steps between two turns of the stick, as many as one command makes
BAR = 5.0  # MB


def driven(seconds: float, folder: Path) -> Path:
    """A run of so many seconds (s), as a replay."""
    made = create_run(ROBOTS["krt100_rough"]().scene, DT, {}, folder)
    runtime = Runtime(made, paused=True)
    try:
        for leg in range(round(seconds / DT / LEG)):
            runtime.send(commands.Set({"forward": 0.7, "turn": 0.5 * (-1) ** leg}), "operator 1")
            runtime.send(commands.Step(LEG))
            while _ticks(runtime) < (leg + 1) * LEG:
                time.sleep(0.05)
    finally:
        runtime.close()
    return write_html(record(LoggedRun(made.folder)), folder / "replay.html")


def _ticks(runtime: Runtime) -> float:
    """The steps so far."""
    frame = runtime.frame()
    return 0.0 if frame is None else float(np.frombuffer(frame, "<f8", len(HEADER))[HEADER.index("tick")])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        size = driven(options.seconds, Path(folder)).stat().st_size / 1e6
    print(f"{options.seconds:g} s: {size:.2f} MB (bar {BAR:g}){'   beyond its bar' if size > BAR else ''}")


if __name__ == "__main__":
    main()
