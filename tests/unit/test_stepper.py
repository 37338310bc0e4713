"""The line that is shown while kernels compile, and only then."""

from __future__ import annotations

import time

import pytest

from sharnir.dynamics import stepper


def test_long_compilation_is_announced(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(stepper, "NOTICE_AFTER", 0.01)
    with stepper.announced():
        time.sleep(0.2)
    assert capsys.readouterr().err.count("Compiling the kernels") == 1


def test_loading_from_the_cache_is_silent(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(stepper, "NOTICE_AFTER", 0.2)
    with stepper.announced():
        pass
    time.sleep(0.3)
    assert capsys.readouterr().err == ""
