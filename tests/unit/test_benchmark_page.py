"""The page of the benchmarks says what the numbers say, above all where a peer is ahead."""

from __future__ import annotations

import json
import math

from benchmarks.page import write_page
from benchmarks.report import Bar, Comparison, Section, compared

MACHINE = {"cpu": "a processor", "cores": 2, "load_average": 0.1, "system": "Linux 6", "python": "3.11", "packages": {}}


def page_of(tmp_path, *sections: Section) -> str:
    result = {"machine": MACHINE, "quick": False, "minutes": 1.0, "sections": {"x": [s.as_dict() for s in sections]}}
    numbers = tmp_path / "bench.json"
    numbers.write_text(json.dumps(result, allow_nan=False))
    return write_page(numbers, tmp_path).read_text()


def test_each_engine_is_taken_at_its_best():
    values = {"Sharnir a": 3.0, "Sharnir b": 2.0, "MuJoCo, x": 5.0, "MuJoCo, y": 4.0, "PyBullet 10": 1.0}
    found = compared("scene", "a step", "µs", values)
    assert [(c.ours, c.peer, c.theirs, c.lost) for c in found] == [
        (2.0, "MuJoCo, y", 4.0, False),
        (2.0, "PyBullet 10", 1.0, True),
    ]


def test_who_does_not_get_there_loses():
    assert Comparison("s", "time", "ms", math.inf, "peer", 1.0).lost
    assert not Comparison("s", "time", "ms", 1.0, "peer", math.inf).lost
    assert not Comparison("s", "time", "ms", math.inf, "peer", math.inf).lost
    assert not Comparison("s", "time", "ms", 1.01, "peer", 1.0).lost  # alike
    assert not Comparison("s", "gap", "m", 4e-7, "peer", 1e-15, enough=1e-6).lost


def test_the_page_tells_where_we_lose_the_worst_first(tmp_path):
    section = Section("A section", ["", "µs"], [["row", "1.0"]], notes=["a note"])
    section.comparisons = [
        Comparison("won", "a step", "µs", 1.0, "MuJoCo", 5.0),
        Comparison("lost", "a step", "µs", 3.0, "PyBullet", 1.0),
        Comparison("lost badly", "time", "ms", math.inf, "Exudyn", 1.0),
    ]
    section.bars = [Bar("kept", 1.0, 2.0, "×"), Bar("broken", 3.0, 2.0, "×")]
    text = page_of(tmp_path, section)
    lost = text.split("## Where we lose")[1].split("##")[0]
    assert "In 2 of 3 comparisons" in lost
    assert lost.index("lost badly") < lost.index("| lost |")
    assert "does not get there" in lost
    assert "won" not in lost
    limits = text.split("## Limits")[1].split("##")[0]
    assert "Of 2 limits" in limits
    assert "broken" in limits
    assert "kept |" not in limits
    assert "| row | 1.0 |" in text
    assert "- a note" in text


def test_a_page_without_losses_says_so(tmp_path):
    section = Section("A section", ["", "µs"], [["row", "1.0"]])
    section.comparisons = [Comparison("won", "a step", "µs", 1.0, "MuJoCo", 5.0)]
    assert "In none of the 1 comparisons is a peer ahead." in page_of(tmp_path, section)


def test_the_gpu_has_its_section_when_it_was_measured(tmp_path):
    gpu = {
        "device": "a GPU",
        "worlds": 1000,
        "world-steps per second": {"direct float32, block 128": 2e6},
        "robots": [
            {"robots": 10, "bodies": 3, "joints": 2, "robot-steps per second": 1e5, "stopped": 0, "iterations": 9}
        ],
        "ropes": [{"ropes": 7, "on the ground": True, "rope-steps per second": 3e6, "from double precision, m": 2e-6}],
        "peer": {"missing": "not installed"},
        "batches": {"same bits": True},
    }
    section = Section("A section", ["", "µs"], [["row", "1.0"]])
    assert "## On a GPU" not in page_of(tmp_path, section)
    (tmp_path / "gpu.json").write_text(json.dumps(gpu))
    text = page_of(tmp_path, section)
    assert "| direct float32, block 128 | 2.00 |" in text
    assert "| falls on the ground and on itself | 7 | 3.00 | 2.0 |" in text
    assert "same bits alone and in a batch: yes" in text
