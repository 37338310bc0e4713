"""Verification: closed forms and conservation laws only, the equation beside each, tolerances tied to dt."""

from __future__ import annotations

import pytest

SOLVERS = ("sequential-impulses", "direct")


@pytest.fixture(params=SOLVERS)
def solver(request: pytest.FixtureRequest) -> str:
    """Every test that takes a solver runs with all of them."""
    return str(request.param)


@pytest.fixture(params=[0.01, 0.001], ids=["dt=10ms", "dt=1ms"])
def dt(request: pytest.FixtureRequest) -> float:
    """The two time steps for which the reference tables give tolerances."""
    return float(request.param)
