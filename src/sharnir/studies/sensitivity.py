"""Sobol' indices: which share of the variance of a measure each number that varies accounts for."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from ..errors import SceneError
from ..spatial import Array
from .results import Results

RESAMPLES = 200  # of the bootstrap
LEVEL = 0.95


@dataclass(frozen=True)
class Index:
    """The indices of one number ``name``: shares of the variance, with 95 % intervals by bootstrap.

    ``first`` is the share that it accounts for alone, ``total`` the share that goes away when it is fixed; their
    intervals are ``first_range`` and ``total_range`` (shares).
    """

    name: str
    first: float
    first_range: tuple[float, float]
    total: float
    total_range: tuple[float, float]


def sobol_indices(results: Results, measure: str) -> list[Index]:
    """The indices of a ``measure`` for all numbers that vary; ``results`` are of a study with ``design="saltelli"``."""
    if results.about["study"]["design"] != "saltelli":
        raise SceneError("Sobol' indices need a study with the design 'saltelli'; run it with --design saltelli")
    values = results.values(measure)[1]
    if not np.isfinite(values).all():
        raise SceneError(
            f"'{measure}' is no number at {np.sum(~np.isfinite(values))} of {len(values)} points; "
            "indices need all of them: see results.faults()"
        )
    return indices_of(values, results.about["names"], results.about["study"]["seed"])


def indices_of(values: Array, names: list[str], seed: int = 0) -> list[Index]:
    """The indices from the ``values`` at the points A, B and A with one column of B after another, by ``names``.

    The estimators are those of Saltelli and others (2010) as scipy has them. ``seed`` is of the bootstrap.
    """
    from scipy.stats import sobol_indices as estimate

    count = len(values) // (len(names) + 2)
    a, b, *mixed = values.reshape(len(names) + 2, 1, count)
    if np.ptp(values) == 0.0:
        raise SceneError("the measure is the same at all points, so nothing has a share in its variance")
    found = estimate(func={"f_A": a, "f_B": b, "f_AB": np.array(mixed)}, n=count, rng=np.random.default_rng(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a number without any effect, whose share is zero for sure
        ranges = found.bootstrap(confidence_level=LEVEL, n_resamples=RESAMPLES)

    def interval(part: str, k: int) -> tuple[float, float]:
        bounds = getattr(ranges, part).confidence_interval
        low, high = float(np.ravel(bounds.low)[k]), float(np.ravel(bounds.high)[k])
        return (low, high) if np.isfinite(low + high) else (0.0, 0.0)

    first, total = np.ravel(found.first_order), np.ravel(found.total_order)
    return [
        Index(name, float(first[k]), interval("first_order", k), float(total[k]), interval("total_order", k))
        for k, name in enumerate(names)
    ]
