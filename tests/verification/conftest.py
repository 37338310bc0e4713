"""Verification: closed forms and conservation laws only, the equation beside each, tolerances tied to dt."""

from __future__ import annotations

import pytest
from mechanisms import DIRECT, LEAPFROG, PAPERS


@pytest.fixture(params=[PAPERS, DIRECT, LEAPFROG], ids=["sequential", "direct", "leapfrog"])
def scheme(request: pytest.FixtureRequest) -> dict[str, str]:
    """Every test that takes a scheme runs with all solvers and integrators."""
    return dict(request.param)


@pytest.fixture(params=[PAPERS, DIRECT], ids=["sequential", "direct"])
def euler(request: pytest.FixtureRequest) -> dict[str, str]:
    """For what is true of the semi-implicit scheme alone: both solvers."""
    return dict(request.param)


@pytest.fixture(params=[0.01, 0.001], ids=["dt=10ms", "dt=1ms"])
def dt(request: pytest.FixtureRequest) -> float:
    """The two time steps for which the reference tables give tolerances."""
    return float(request.param)
