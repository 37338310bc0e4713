"""Studies as real processes, and the signal that no process survives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

STUDY = """study: 1
scene: door
vary:
  door.shapes.0.x: 0.6:0.9:8
  hinge.friction: 15:30:3
measure: [hinge.angle final, hinge.speed max]
dt: 0.002
"""
MEASURES = ("hinge.angle final", "hinge.speed max")
LONGEST = 300.0  # s, on a busy machine


def start_study(folder: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    """A study of the door in a process of its own: eight widths, each a batch of three frictions."""
    file = folder / "study.yaml"
    file.write_text(STUDY, encoding="utf-8")
    command = [sys.executable, "-m", "sharnir", "sweep", str(file), "--out", str(out), "--chunk", "1", *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finished(out: Path) -> int:
    """How many chunks have their marker."""
    folder = out / "done" / "c"
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def wait_until(condition: Callable[[], object]) -> None:
    """Look until something holds."""
    end = time.monotonic() + LONGEST
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.002)


def kill(pid: int) -> None:
    """End a process at once."""
    os.kill(pid, signal.SIGKILL)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == pid:
                found.append(int(folder.name))
    return found
