"""Timing that is fair on a noisy machine: contenders take turns in short blocks, and medians are compared."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

Steps = Callable[[int], None]


def interleaved(
    actions: Mapping[str, Steps],
    steps: int | Mapping[str, int],
    blocks: int,
    clock: Callable[[], int] = time.perf_counter_ns,
) -> dict[str, list[float]]:
    """Microseconds per step of each action in each of ``blocks`` rounds A B C, A B C, ...; one round goes before.

    ``steps`` is the length of a block, for all or by name. ``clock`` counts in ns.
    """
    counts = {name: steps if isinstance(steps, int) else steps[name] for name in actions}
    times: dict[str, list[float]] = {name: [] for name in actions}
    for block in range(blocks + 1):
        for name, action in actions.items():
            begin = clock()
            action(counts[name])
            elapsed = clock() - begin
            if block > 0:
                times[name].append(elapsed / 1000.0 / counts[name])
    return times


def ratio(times: list[float], others: list[float]) -> tuple[float, float, float]:
    """Lower quartile, median and upper quartile of time against time, round by round."""
    low, middle, high = statistics.quantiles([a / b for a, b in zip(times, others, strict=True)], n=4)
    return low, middle, high
