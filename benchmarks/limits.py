"""The limit that a step of the direct solver approaches: the memory traffic of one pass over the matrix's factors.

However few operations a step had, it would have to bring the factors from memory once. How fast that is on the machine
is measured beside the steps, by copying as many bytes as the factors have: small chains lie in the cache, long ones do
not.
"""

from __future__ import annotations

import time

import numpy as np

import sharnir as sh

from .report import Section

PASS = "one pass over the factors"  # key of a section's data, by scene
FACTORS = ("pivot", "block")  # of the work tables: what the factorisation leaves, and every solve reads
COPIES, ROUNDS = 200, 15


def factor_bytes(simulation: sh.Simulation) -> int:
    """Bytes of the factors of one world."""
    arrays = (getattr(simulation.work, name).numpy() for name in FACTORS)
    return sum(int(array.nbytes) for array in arrays) // simulation.worlds


def microseconds_of_a_pass(size: int) -> float:
    """The least time in which as many bytes were copied, of several rounds."""
    source = np.ones(max(size // 8, 1))
    target = np.empty_like(source)
    rounds = []
    for _ in range(ROUNDS):
        begin = time.process_time_ns()
        for _ in range(COPIES):
            np.copyto(target, source)
        rounds.append((time.process_time_ns() - begin) / COPIES / 1000.0)
    return min(rounds)


def tell_pass(section: Section, scene: str, simulation: sh.Simulation, step: float) -> None:
    """Write down beside a step (us) what one pass over its factors takes; the page gathers it."""
    size = factor_bytes(simulation)
    told = {"bytes": size, "us": microseconds_of_a_pass(size), "us_per_step": step}
    section.data.setdefault(PASS, {})[scene] = told
