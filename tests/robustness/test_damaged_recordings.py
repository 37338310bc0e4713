"""Logs and trajectories that were damaged on disk are read or refused in words; a replay always comes to an end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spoiling import spoilt
from tests.driven import machine

import sharnir as sh
from sharnir.runtime import commands as c
from sharnir.runtime.journal import Journal, LogEntry, LoggedRun, create_run
from sharnir.runtime.plant import Plant
from sharnir.runtime.replay import check

DT = 0.01


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> LoggedRun:
    """A good run: a voltage, a snapshot, a reset, digests."""
    made = create_run(machine(), DT, {"iterations": 10}, tmp_path_factory.mktemp("runs"))
    plant, journal = Plant(made.scene(), DT, made.settings), Journal(made.folder)
    stopped = (c.Stop(), c.Release(), c.Enable())
    for command in (c.Set({"axle voltage": 0.5}), c.Save("a"), *stopped, c.Restore("a"), c.Note("fine")):
        plant.apply(command) if isinstance(command, (c.Set, c.Save, c.Stop, c.Release, c.Enable, c.Restore)) else None
        journal.write(LogEntry(plant.tick, plant.tick * DT, command=command))
        for _ in range(5):
            plant.step()
        journal.write(LogEntry(plant.tick, plant.tick * DT, digest=plant.digest()))
    journal.close()
    return LoggedRun(made.folder)


def replayed_or_refused(folder: Path) -> None:
    try:
        check(LoggedRun(folder))
    except sh.SceneError as error:
        assert 10 < len(str(error)) < 1500, error


def test_the_run_is_good(run: LoggedRun) -> None:
    replay = check(run)
    assert (replay.ticks, replay.digests, replay.differs_at) == (35, 7, None)


def test_damaged_logs(run: LoggedRun) -> None:
    log = run.folder / "run.jsonl"
    good = log.read_bytes()
    lines = [json.loads(line) for line in good.splitlines()]

    @given(spoilt(lines))
    def structure(data: Any) -> None:
        log.write_text("\n".join(json.dumps(line) for line in data), encoding="utf-8")
        replayed_or_refused(run.folder)

    @given(st.integers(0, len(good) - 1), st.integers(0, 20), st.binary(max_size=4))
    def cut(at: int, length: int, bytes_there: bytes) -> None:
        log.write_bytes(good[:at] + bytes_there + good[at + length :])
        replayed_or_refused(run.folder)

    try:
        structure()
        cut()
        for settings in ({"fault_folder": "/somewhere"}, {"no such": 1}, {"worlds": 10**9}, {"iterations": "many"}):
            header = json.dumps(lines[0] | {"settings": settings})
            log.write_bytes(header.encode() + b"\n" + b"\n".join(good.splitlines()[1:]))
            with pytest.raises(sh.SceneError, match=next(iter(settings))):
                check(LoggedRun(run.folder))
        far = json.dumps(lines[1] | {"tick": 10**15})
        log.write_bytes(good + far.encode() + b"\n")
        with pytest.raises(sh.SceneError, match="tick"):
            check(LoggedRun(run.folder))
    finally:
        log.write_bytes(good)


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_damaged_trajectories(tmp_path: Path) -> None:
    scene = machine()
    file = sh.Simulation(scene, DT).run(0.1).save(tmp_path / "run.nc")
    good = file.read_bytes()

    @given(st.integers(0, len(good) - 1), st.integers(0, 200), st.binary(max_size=8))
    def cut(at: int, length: int, bytes_there: bytes) -> None:
        file.write_bytes(good[:at] + bytes_there + good[at + length :])
        try:
            repr(sh.Trajectory.load(file))
        except sh.SceneError as error:
            assert str(file) in str(error)

    cut()
    other = tmp_path / "other.nc"
    import xarray as xr

    xr.Dataset({"a": ("x", [1.0])}).to_netcdf(other, engine="h5netcdf")
    with pytest.raises(sh.SceneError, match="written by Trajectory"):
        sh.Trajectory.load(other)
