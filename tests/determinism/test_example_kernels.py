"""Every example moves alike in the kernels that users get and in the general ones that tests share.

A special kernel is compiled for each kind of example, minutes in all: ``make kernels`` asks for it.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from sharnir.experiment import list_examples, load_example

STEPS = 100
ALIKE = 1e-6  # of the largest number of a quantity: rounding, and what the solver leaves at every step


@pytest.mark.skipif("SHARNIR_COMPARE" not in os.environ, reason="compiles a kernel per example: make kernels")
@pytest.mark.parametrize("name", list_examples())
def test_an_example_moves_alike_in_both_kernels(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    for kernels in ("special", "general"):
        monkeypatch.setenv("SHARNIR_KERNELS", kernels)
        experiment = load_example(name)
        runs.append(replace(experiment, time=min(experiment.time, STEPS * experiment.dt)).run())
    moved = 0.0
    for variable in ("position", "velocity", "node_position"):
        if variable in runs[0].data:
            special, general = (run.data[variable].values for run in runs)
            moved = max(moved, float(np.ptp(special, axis=0).max(initial=0.0)))
            assert np.abs(special - general).max(initial=0.0) < ALIKE * max(1.0, np.abs(general).max()), variable
    assert moved > 1e-4  # m or m/s
