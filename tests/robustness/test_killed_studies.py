"""Studies whose driver or workers are killed: nothing is done twice, and the bits are those of an undisturbed run."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from benchmarks.killing import MEASURES, children, finished, kill, start_study, wait_until

from sharnir.studies import open_study

CHUNKS = 24


def bits(out):
    results = open_study(out)
    assert results.finished == (CHUNKS, CHUNKS)
    assert np.unique(results.values(MEASURES[0])[1]).size == CHUNKS  # points that are all alike would prove nothing
    return [results.values(name)[1].tobytes() for name in MEASURES]


def complete(process: subprocess.Popen[bytes]) -> None:
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors.decode()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    complete(start_study(folder, folder / "s.zarr", "--workers", "1"))
    return bits(folder / "s.zarr")


def test_the_driver_is_killed_and_started_again(tmp_path, undisturbed):
    out, rolled, before = tmp_path / "s.zarr", random.Random(1), 0
    for _ in range(2):
        process = start_study(tmp_path, out, "--workers", "2")
        at = before + rolled.randint(1, 6)
        wait_until(lambda at=at, process=process: finished(out) >= at or process.poll() is not None)
        workers = children(process.pid)
        kill(process.pid)
        process.communicate()
        wait_until(lambda workers=workers: not any(alive(pid) for pid in workers))  # they end with their driver
        assert before < finished(out) < CHUNKS
        before = finished(out)
    done = {file.name: file.stat().st_mtime_ns for file in (out / "done" / "c").iterdir()}
    complete(start_study(tmp_path, out, "--workers", "2"))
    again = {file.name: file.stat().st_mtime_ns for file in (out / "done" / "c").iterdir()}
    assert {name: again[name] for name in done} == done  # nothing that was finished was written again
    assert bits(out) == undisturbed


def test_a_worker_is_killed_and_replaced(tmp_path, undisturbed):
    out = tmp_path / "s.zarr"
    process = start_study(tmp_path, out, "--workers", "2")
    wait_until(lambda: finished(out) >= 4 or process.poll() is not None)
    kill(children(process.pid)[0])
    complete(process)
    assert bits(out) == undisturbed


@contextmanager
def cluster_of(folder: Path, workers: int) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a Dask scheduler with so many workers, and their processes, the scheduler's first."""
    pytest.importorskip("distributed")
    file = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    scheduler = [*dask, "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    worker = [*dask, "worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    worker += ["--local-directory", str(folder)]
    started = [subprocess.Popen(scheduler, **quiet)]
    elsewhere = quiet | {"env": os.environ | {"WARP_CACHE_PATH": str(folder / "kernels")}}
    try:
        wait_until(file.exists)
        started += [subprocess.Popen(worker, **elsewhere) for _ in range(workers)]
        wait_until(lambda: file.read_text().rstrip().endswith("}"))
        address = json.loads(file.read_text())["address"]
        _wait_for_workers(address, workers)
        yield address, started
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_cluster_of_two_processes_gives_the_bits_of_this_machine(tmp_path, undisturbed):
    """One of its workers is killed half-way. The driver sends them the kernels that it has compiled."""
    with cluster_of(tmp_path, 2) as (address, started):
        out = tmp_path / "s.zarr"
        process = start_study(tmp_path, out, "--cluster", address)
        wait_until(lambda: finished(out) >= 4 or process.poll() is not None)
        kill(started[1].pid)
        complete(process)
        assert bits(out) == undisturbed
        assert list((tmp_path / "kernels").rglob("*.o"))


@pytest.mark.parametrize("gone", [0, 1], ids=["scheduler", "last worker"])
def test_a_cluster_that_goes_away_is_told_and_nothing_is_lost(tmp_path, undisturbed, gone):
    with cluster_of(tmp_path, 1) as (address, started):
        out = tmp_path / "s.zarr"
        process = start_study(tmp_path, out, "--cluster", address)
        wait_until(lambda: finished(out) >= 4 or process.poll() is not None)
        kill(started[gone].pid)
        said = process.communicate(timeout=300)[1].decode()
        assert process.returncode == 2 and "Traceback" not in said, said
        assert f"the Dask cluster at {address} went away, or its last worker did" in said
        assert 4 <= finished(out) < CHUNKS
    complete(start_study(tmp_path, out, "--workers", "1"))
    assert bits(out) == undisturbed


def _wait_for_workers(address: str, workers: int) -> None:
    from distributed import Client

    with Client(address, timeout="60s", set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=120)


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
