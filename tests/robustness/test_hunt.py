"""The hunt through random scenes, in small."""

from __future__ import annotations

import json
from pathlib import Path

import hunt
import pytest


def test_a_hunt_tells_what_it_has_stepped(tmp_path: Path) -> None:
    out = tmp_path / "hunt.json"
    found = hunt.main(["--only", "/leapfrog/direct", "--scenes", "1", "--processes", "1", "--out", str(out)])
    told = json.loads(out.read_text())
    assert found == 0
    assert told["broken"] == []
    assert told["kinds"].keys() == {f"{kind}/leapfrog/direct" for kind in (*hunt.FROM_SEEDS, *hunt.SWEEP)}
    assert all(counts["scenes"] >= hunt.CHUNK - 1 for counts in told["kinds"].values())


def test_a_hunt_stops_in_time() -> None:
    assert hunt.hunt(1000, 0.1, 1)["tasks"][0] < 5


@pytest.mark.parametrize("case", ["uneven loops/leapfrog/direct/12/0", "sweep of trees/semi-implicit-euler/direct/1/2"])
def test_what_is_broken_in_silence_is_seen_and_repeated_by_its_name(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound that is too tight is broken by the same scene with the same number, and the scene is told."""
    whole = hunt.repeat(case)
    assert not whole.broken
    monkeypatch.setattr(hunt, "energy_gain", lambda *_: (1.0, 0.5))
    monkeypatch.setattr(hunt, "joint_excess", lambda *_: {"pin": 0.25})
    broken = hunt.repeat(case)
    assert broken.broken
    assert broken.warnings == whole.warnings
    assert not case.startswith("sweep") or "joints:" in broken.scene
