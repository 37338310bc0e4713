"""How long a user waits: import, a run with warm kernels, the first compilation, and the first motion out of a wheel.

Each in a process of its own. The wheel is the newest in ``dist/`` (``make wheel``); it is unpacked into a folder that
hides the checkout, and every measurement has an empty kernel cache. In the background the special kernel is compiled
meanwhile, as for a user. The processor time of a program, without that, is given beside: other load on the machine adds
to the wait, not to it.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from sharnir.experiment import list_examples

from .newcomer_tasks import TASKS
from .report import Bar, Section

IMPORT_LIMIT, WARM_LIMIT, COMPILE_LIMIT = 0.5, 2.5, 15.0  # s
DOOR_LIMIT, MOTION_LIMIT, PICTURE_LIMIT, TASK_LIMIT = 3.0, 3.0, 6.0, 2.0  # s, out of a wheel with an empty cache
NOT_ASKED_FOR = ("dask", "distributed", "numba")  # an installation has none of them; here xarray would load them
LONGEST = 60.0  # s; a picture that does not move by then is a failure
_MOVE = """
import sys
from sharnir.experiment import load_example
from sharnir.simulation.simulation import Simulation
example = load_example(sys.argv[1])
Simulation(example.scene, dt=example.dt, **example.settings).step()
"""
_TIMED_IMPORT = "import time; begin = time.perf_counter(); import sharnir; print(time.perf_counter() - begin)"
_MOVING = "() => window.sharnir?.view?.drawn > 1 && sharnir.link.frame?.tick > 0"
_DOOR = [sys.executable, "-m", "sharnir", "run", "door", "--json"]


def run(quick: bool) -> list[Section]:
    """The waits in a checkout, and those of an installation if a wheel was made."""
    wheels = sorted(Path("dist").glob("*.whl"), key=lambda file: file.stat().st_mtime)
    return _in_a_checkout(quick) + (_out_of_a_wheel(wheels[-1]) if wheels else [])


def _in_a_checkout(quick: bool) -> list[Section]:
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
        cold = _waited(_DOOR, environment).seconds
        return cold, statistics.median(_waited(_DOOR, environment).seconds for _ in range(repeats))


class Wait(NamedTuple):
    """Of one program: s from the command to its end, and s of processor time."""

    seconds: float
    worked: float


def _waited(command: Sequence[str], environment: dict[str, str]) -> Wait:
    begin, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    after = os.times()
    worked = after.children_user + after.children_system - before.children_user - before.children_system
    return Wait(time.perf_counter() - begin, worked)


# --- out of a wheel ---------------------------------------------------------------------------------------------------


def _out_of_a_wheel(wheel: Path) -> list[Section]:
    """The first motion of an installation, and what a newcomer waits for."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder)
        Path(folder, "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({NOT_ASKED_FOR}))\n")
        return [_first_motion(wheel, folder), _newcomer(folder)]


def _first_motion(wheel: Path, installed: str) -> Section:
    """The door, every example up to its first step, and the first moving picture."""
    alone = [sys.executable, "-P"]
    with _fresh(installed) as environment:
        door = _waited([*alone, *_DOOR[1:]], environment)
    moved = {}
    for name in list_examples():
        with _fresh(installed) as environment:
            moved[name] = _waited([*alone, "-c", _MOVE, name], environment)
    with _fresh(installed) as environment:
        picture = _picture_time("krt100", environment)
    slowest = max(moved, key=lambda name: moved[name].seconds)
    bars = [
        Bar("sharnir run door, out of a wheel, empty cache", door.seconds, DOOR_LIMIT, "s"),
        Bar(f"until an example moves, slowest of {len(moved)} ({slowest})", moved[slowest].seconds, MOTION_LIMIT, "s"),
        Bar("until sharnir drive krt100 shows a moving picture", picture, PICTURE_LIMIT, "s"),
    ]
    worked = [f"{door.worked:.3f}", f"{max(wait.worked for wait in moved.values()):.3f}", ""]
    return Section(
        title="First motion out of a wheel, on an empty kernel cache",
        columns=["", "s", "s of processor time"],
        rows=[[bar.what, f"{bar.value:.3f}", own] for bar, own in zip(bars, worked, strict=True)],
        bars=bars,
        notes=[f"The wheel has {wheel.stat().st_size / 1e6:.1f} MB."],
        data={"door_s": door, "picture_s": picture, "moved_s": moved},
    )


def _newcomer(installed: str) -> Section:
    """The tasks of someone new, each from the command to its result."""
    program = str(Path(__file__).with_name("newcomer_tasks.py"))
    waits = {}
    for name in TASKS:
        with _fresh(installed) as environment:
            waits[name] = _waited([sys.executable, "-P", program, name], environment)
    middle = Wait(*(statistics.median(column) for column in zip(*waits.values(), strict=True)))
    rows = [[(TASKS[name].__doc__ or name).strip(), wait] for name, wait in waits.items()]
    return Section(
        title=f"{len(waits)} tasks of a newcomer: from the command to the result, on an empty kernel cache",
        columns=["", "s", "s of processor time"],
        rows=[[told, f"{wait.seconds:.2f}", f"{wait.worked:.2f}"] for told, wait in [*rows, ["median", middle]]],
        bars=[Bar("median wait of a newcomer's tasks", middle.seconds, TASK_LIMIT, "s")],
        data={"waits": waits},
    )


@contextmanager
def _fresh(installed: str) -> Iterator[dict[str, str]]:
    """The environment of somebody who has just installed it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        others = {name: value for name, value in os.environ.items() if name != "SHARNIR_KERNELS"}
        yield others | {"PYTHONPATH": installed, "WARP_CACHE_PATH": cache}
        _end_compilers(cache)


def _end_compilers(cache: str) -> None:
    """End what compiles in the background for this cache: a user has one at a time, and here they would pile up."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if cache.encode() in (process / "cmdline").read_bytes():
                os.kill(int(process.name), signal.SIGTERM)


def _picture_time(robot: str, environment: dict[str, str]) -> float:
    """Seconds from the command until an open browser has drawn two pictures of different instants."""
    from playwright.sync_api import sync_playwright

    from sharnir.view.pictures import ARGUMENTS, chromium

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as runs:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        begun = time.perf_counter()
        command = [sys.executable, "-P", "-m", "sharnir", "drive", robot, "--no-browser", "--runs", runs]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        try:
            assert server.stdout is not None
            page.goto(server.stdout.readline().rpartition(" ")[2].strip(), wait_until="commit")
            page.wait_for_function(_MOVING, timeout=1000 * LONGEST)
            return time.perf_counter() - begun
        finally:
            server.terminate()
            server.wait()
            browser.close()
