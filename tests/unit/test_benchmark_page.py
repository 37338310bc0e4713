"""The page of the benchmarks says what the numbers say, above all where a peer is ahead."""

from __future__ import annotations

import json
import math

from benchmarks.limits import PASS, factor_bytes, microseconds_of_a_pass, tell_pass
from benchmarks.page import write_page
from benchmarks.report import AS_IT_COMES, TUNED, Bar, Comparison, Section, compared
from benchmarks.scenes import chain

import sharnir as sh

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


def test_each_engine_as_it_comes_stands_beside_the_tuned_ones_with_its_error(tmp_path):
    section = Section("A section", ["", "µs"], [["row", "1.0"]])
    said = {"Sharnir": "1 mm off", "MuJoCo": "9 mm off", "MuJoCo CG": "8 mm off"}
    section.comparisons = [
        *compared("chain", "a step", "µs", {"Sharnir": 4.0, "MuJoCo": 8.0}, settings=AS_IT_COMES, errors=said),
        *compared("chain", "a step", "µs", {"Sharnir": 3.0, "MuJoCo": 8.0, "MuJoCo CG": 2.0}, errors=said),
        *compared("pile", "a step", "µs", {"Sharnir": 1.0, "PyBullet": 2.0}, settings=TUNED),
    ]
    text = page_of(tmp_path, section)
    before = "| chain | a step | MuJoCo | 4 µs (1 mm off) | 8 µs (9 mm off) | 0.5 |"
    assert f"{before} 3 µs (1 mm off) | 2 µs (CG, 8 mm off) | 1.5 |" in text
    assert "| pile | a step | PyBullet | – | – | – | 1 µs | 2 µs | 0.5 |" in text
    lost = text.split("## Where we lose")[1].split("##")[0]
    assert "| chain | a step | tuned | MuJoCo CG | 3 µs (1 mm off) | 2 µs (8 mm off) | 1.5 |" in lost


def test_the_limit_of_a_step_is_one_pass_over_the_factors():
    # A link has three nodes, its way, its turn and its joint, of 6 numbers each; of 9 each the blocks of its joint with
    # them, with those of the link before, and one that the elimination fills. The first one hangs on the world.
    for links in (4, 9):
        numbers = links * (3 * 6 + 5 * 9) - 3 * 9
        assert factor_bytes(sh.Simulation(chain(links, friction=None), dt=0.01)) == 8 * numbers
    assert 0.0 < microseconds_of_a_pass(8_000) < microseconds_of_a_pass(8_000_000)


def test_the_page_says_how_many_passes_over_the_factors_a_step_takes(tmp_path):
    section = Section("A section", ["", "µs"], [["row", "1.0"]])
    assert "passes in a step" not in page_of(tmp_path, section)
    simulation = sh.Simulation(chain(4, friction=None), dt=0.01)
    tell_pass(section, "a chain", simulation, step=20.0)
    told = section.data[PASS]["a chain"]
    text = page_of(tmp_path, section).split("## The limit that a step approaches")[1].split("##")[0]
    size, least = factor_bytes(simulation), told["us"]
    assert told["bytes"] == size
    assert f"| a chain | {size / 1000:.0f} | {least:.1f} | 20.0 | {20.0 / least:.0f} |" in text


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
