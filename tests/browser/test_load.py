"""The shortened form of ``make soak``: what holds at any load of the machine.

Whether the physics keeps time, and what the server costs, depends on what else the machine does: ``make bench``
measures it, and says where it is beyond its bars.
"""

from __future__ import annotations

import pytest
from benchmarks.console import BARS, beyond, measure

from sharnir.runtime.pacing import FACTOR_OVER, PATIENCE

SECONDS, RATE = 6.0, 30.0


def test_fifty_bodies_at_500_hertz_before_two_browsers() -> None:
    figures = measure(SECONDS, RATE, repeats=1)  # made again from its log, it must be the same bit for bit
    assert figures["steps"] > 0
    assert 0 < figures["frames a second to each browser"] <= RATE + 1
    assert 0 < figures["real-time factor"] < 1.01 + PATIENCE / FACTOR_OVER  # what is made up for when it was late
    assert figures["server, memory grown, MB"] < 4
    assert figures["physics, memory grown, MB"] < 1
    in_a_browser = {name for name in BARS if name.startswith(("safe state", "pictures"))}
    assert set(BARS) - in_a_browser <= set(figures)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("steps begin late by, 99th percentile, ms", 0.9, 1.7),
        ("real-time factor", 0.99, 0.97),
        ("real-time factor", 1.01, 1.03),
        ("server, share of a core, %", 4.9, 5.1),
    ],
)
def test_the_benchmark_tells_what_is_beyond_its_bar(name: str, good: float, bad: float) -> None:
    assert not beyond(name, good)
    assert beyond(name, bad)
    assert not beyond("steps", 1e9)
