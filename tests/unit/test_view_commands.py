"""The commands ``sharnir drive``, ``replay`` and ``export`` without a browser: what they leave, and their errors."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.driven import machine

import sharnir as sh
from sharnir.cli.command import main
from sharnir.runtime import commands as c
from sharnir.runtime.journal import Journal, LogEntry, create_run
from sharnir.runtime.plant import Plant
from sharnir.view import pictures
from sharnir.view.server import Ending, First, Interrupted, Links, Opened, Terminated

DT, STEPS = 0.01, 40
PAGE = b"\x89PNG a picture of the page"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a voltage, as a console leaves it."""
    made = create_run(machine(), DT, {"iterations": 10}, tmp_path_factory.mktemp("runs"))
    plant, journal = Plant(made.scene(), DT, made.settings), Journal(made.folder)
    command = c.Set({"axle voltage": 0.5})
    plant.apply(command)
    journal.write(LogEntry(0, 0.0, command=command))
    for _ in range(STEPS):
        plant.step()
    journal.write(LogEntry(plant.tick, plant.tick * DT, digest=plant.digest()))
    journal.close()
    return made.folder


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was sent to."""
    addresses: list[str] = []
    monkeypatch.setattr("webbrowser.open", addresses.append)
    return addresses


# --- replay -----------------------------------------------------------------------------------------------------------


def test_a_replay_is_written_and_opened(folder: Path, opened: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(folder)]) == 0
    assert f"{STEPS} steps repeated bit for bit (1 digests compared)" in capsys.readouterr().out
    assert opened == [(folder / "replay.html").absolute().as_uri()]
    assert "machine" in (folder / "replay.html").read_text()


def test_a_replay_that_differs_has_an_exit_code(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = (folder / "run.jsonl").read_text()
    (tmp_path / "run.jsonl").write_text(log.replace('"axle voltage":0.5', '"axle voltage":0.6'))
    (tmp_path / "scene.json").write_bytes((folder / "scene.json").read_bytes())
    assert main(["replay", str(tmp_path), "--check"]) == 1
    assert capsys.readouterr().out == f"the replay differs from the run at step {STEPS}\n"


# --- export -----------------------------------------------------------------------------------------------------------


def test_the_trajectory_alone(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(folder), "--nc", str(tmp_path / "run.nc")]) == 0
    assert capsys.readouterr().out == f"wrote {tmp_path / 'run.nc'}\n"
    assert len(sh.Trajectory.load(tmp_path / "run.nc")) == STEPS + 1


def test_another_run_is_a_ghost_in_the_file(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From a folder, and from a trajectory; of the same machine."""
    trajectory, other = tmp_path / "run.nc", tmp_path / "other.json"
    assert main(["export", str(folder), "--nc", str(trajectory), "--html", str(tmp_path / "alone.html")]) == 0
    assert '"ghost":{' not in (tmp_path / "alone.html").read_text()
    for ghost in (folder, trajectory):
        file = tmp_path / f"{ghost.stem}.html"
        assert main(["export", str(folder), "--html", str(file), "--ghost", str(ghost)]) == 0
        assert '"ghost":{' in file.read_text()
    assert main(["drive", "--ghost", str(folder), "--no-browser"]) == 2
    assert "name what is driven" in capsys.readouterr().err
    assert main(["export", str(folder), "--html", str(other), "--ghost", str(tmp_path / "none")]) == 2
    assert "none' is not a run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("package", "options", "remedy"),
    [
        ("nicegui", ["--html", "x.html"], "pip install 'sharnir[view]'"),
        ("mcap.writer", ["--mcap", "x.mcap"], "pip install 'sharnir[view]'"),
        ("playwright.sync_api", ["--png", "x.png"], "pip install 'sharnir[pictures]'"),
    ],
)
def test_a_package_that_is_missing_is_named_with_its_remedy(
    folder: Path, tmp_path: Path, package: str, options: list[str], remedy: str, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    for name in ("server", "page"):  # that have found it before
        monkeypatch.delitem(sys.modules, f"sharnir.view.{name}", raising=False)
        monkeypatch.delattr(f"sharnir.view.{name}", raising=False)
    assert main(["export", str(folder), *options]) == 2
    said = capsys.readouterr().err
    assert package.partition(".")[0] in said and remedy in said


def test_pictures_need_programs_that_are_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sharnir.view.recording.record", None)  # told before the run is made again
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)
    assert main(["export", str(folder), "--png", "x.png"]) == 2
    assert "apt-get install chromium" in capsys.readouterr().err
    assert main(["export", str(folder), "--video", "x.mp4"]) == 2
    assert "'x.mp4' needs ffmpeg, which is not installed; give a name that ends in .webp" in capsys.readouterr().err


class Page:
    """A page that is photographed, in place of Chromium's."""

    def evaluate(self, script: str, time: float) -> None:
        assert 0.0 <= time <= STEPS * DT

    def screenshot(self) -> bytes:
        return PAGE


class Player:
    def __enter__(self) -> Page:
        return Page()

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("code", [0, 1])
def test_a_film_is_handed_to_ffmpeg_picture_by_picture(
    folder: Path, tmp_path: Path, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ffmpeg, film = tmp_path / "ffmpeg", tmp_path / "run.mp4"
    ffmpeg.write_text(f'#!/bin/sh\nfor last; do :; done\ncat > "$last"\nexit {code}\n')
    ffmpeg.chmod(ffmpeg.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("CHROMIUM", "chromium")
    monkeypatch.setattr(pictures, "player", lambda *_: Player())
    assert main(["export", str(folder), "--video", str(film), "--rate", "10"]) == (0 if code == 0 else 2)
    assert film.read_bytes() == 5 * PAGE  # 0.4 s, both ends
    if code:
        assert f"ffmpeg could not write '{film}'" in capsys.readouterr().err


# --- drive ------------------------------------------------------------------------------------------------------------


LINKS = Links("http://127.0.0.1:1/?token=x", "http://127.0.0.1:1/instructor?token=y", "http://127.0.0.1:1/?token=z")


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (Ending("The run was ended by instructor 1", False, Path("runs")), 0),
        (Ending("The physics has died (signal SIGKILL)", True, Path("runs")), 3),
        (Interrupted(Path("runs"), wrong=False), 0),
        (Interrupted(Path("runs"), wrong=True), 3),
        (Terminated(), 143),
    ],
)
def test_the_exit_status_of_a_drive(
    end: Any,
    code: int,
    tmp_path: Path,
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def serve(first: First, how: Any, opened: Opened, told: Callable[[str], None]) -> Ending:
        runtime = first[1]
        opened(LINKS, runtime.run.folder)
        runtime.wait()
        runtime.close()
        if isinstance(end, BaseException):
            raise end
        told(end.reason)
        return end

    monkeypatch.setattr("sharnir.view.server.serve", serve)
    assert main(["drive", "dc_drive", "--runs", str(tmp_path / "runs"), "--paused"]) == code
    said = capsys.readouterr().out
    assert all(link in said for link in (LINKS.operator, LINKS.instructor, LINKS.watcher))
    assert opened == [LINKS.operator]
    assert (end.reason if isinstance(end, Ending) else "sharnir replay") in said


def test_without_a_name_there_is_the_start_page(
    tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def serve(first: First | None, how: Any, opened: Opened, told: Callable[[str], None]) -> None:
        assert first is None
        opened(LINKS, None)

    monkeypatch.setattr("sharnir.view.server.serve", serve)
    assert main(["drive", "--runs", str(tmp_path)]) == 0
    assert f"Ctrl-C ends the program; runs are kept in {tmp_path}" in capsys.readouterr().out


def test_a_port_that_is_taken_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["drive", "dc_drive", "--runs", str(tmp_path), "--no-browser", "--port", str(port)]) == 2
    assert f"port {port} of 127.0.0.1 cannot be used" in capsys.readouterr().err


def test_a_name_that_is_nearly_a_robots(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drive", "krt10", "--no-browser"]) == 2
    assert "did you mean 'krt100'" in capsys.readouterr().err
    assert main(["list"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("krt100", "krt100_rough", "mf4", "rover", "car", "winch"))
