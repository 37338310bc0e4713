"""The progress bar: nothing where nobody looks, a bar on a terminal once a run takes long."""

from __future__ import annotations

import io
import sys

import pytest

from sharnir.cli import progress
from sharnir.cli.progress import progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("door") as update:
        assert update is None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("after", "shown"), [(60.0, False), (0.0, True)])
def test_a_terminal_shows_a_bar_when_it_takes_long(after: float, shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "SHOWN_AFTER", after)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("door") as update:
        assert update is not None
        update(40, 100)
        update(40, 100)
    assert ("door" in terminal.getvalue() and "40 %" in terminal.getvalue()) == shown
