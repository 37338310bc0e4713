"""Least squares over simulations: a search in batches, a polish, the covariance, and what a log cannot tell."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import SceneError
from ..spatial import Array

DIFFERENCE = 1e-3  # of the range, of central differences
WIDTHS = (1.0, 2.0, 3.0)  # deviations of a number over which its slope is taken in the end
MOST_DEVIATION = 0.02  # of the range, for this purpose
LEVEL = 0.95
WIDEST = 1.0  # an interval as wide as the range says nothing
NAMED = 0.1  # a number takes part in a combination with at least this share
Residuals = Callable[[Array], Array]  # points [point, number] in units of their ranges -> [point, residual]


@dataclass(frozen=True)
class Range:
    """Where a number ``name`` may lie: ``low`` to ``high``, in the unit of its name; by its logarithm if ``log``."""

    name: str
    low: float
    high: float
    log: bool = False

    def value(self, share: Any) -> Any:
        """The number at a share from 0 to 1 of its range."""
        if self.log:
            return self.low * (self.high / self.low) ** share
        return self.low + (self.high - self.low) * share

    def share(self, value: float) -> float:
        """Where a ``value``, in the unit of the number, lies in its range, from 0 to 1."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def slope(self, share: float) -> float:
        """The change of the number per share, 0 to 1, of its range."""
        return float(self.value(share)) * math.log(self.high / self.low) if self.log else self.high - self.low


@dataclass(frozen=True)
class Estimate:
    """What was found for a number by its ``name``.

    Its ``value``, its standard ``deviation`` and the 95 % interval from ``low`` to ``high`` are all in its own unit;
    the interval is endless where the log does not tell.
    """

    name: str
    value: float
    deviation: float
    low: float
    high: float


@dataclass(frozen=True)
class Fitted:
    """The end of a fit: ``shares`` of the ranges, residuals in units of their noise, their Jacobian per share.

    ``evaluations`` counts simulations.
    """

    shares: Array
    residuals: Array
    jacobian: Array
    evaluations: int

    @property
    def cost(self) -> float:
        """The mean square of the residuals."""
        return float(np.mean(self.residuals**2))


def strategy_of(count: int, seed: int, most: int, tolerance: float, start: Array | None = None) -> Any:
    """A CMA-ES search over the unit cube; it has no single dimension, so one number gets a second without effect."""
    try:
        import cma
    except ImportError:
        raise SceneError("searches need the package cma; install it with: pip install 'sharnir[studies]'") from None
    options = {
        "bounds": [0.0, 1.0],
        "seed": seed + 1,  # 0 means the clock to cma
        "verbose": -9,
        "popsize": 8 + int(4 * math.log(count + 1)),
        "tolx": tolerance,
        "maxfevals": most,
    }
    middle = np.full(max(count, 2), 0.5)
    if start is not None:
        middle[:count] = np.clip(start, 0.02, 0.98)
    return cma.CMAEvolutionStrategy(middle, 0.3, options)


def find_best(
    residuals: Residuals, count: int, seed: int, start: Array | None = None, most: int = 1500
) -> tuple[Array, int]:
    """The best point of a CMA-ES search over the whole range, a batch per generation, and how many were tried."""
    strategy = strategy_of(count, seed, most, 5e-3, start)
    tried = 0
    while not strategy.stop():
        asked = np.array(strategy.ask())
        # the logarithm: a valley of a thousandth of the cost is still worth walking along
        costs = np.log(np.mean(residuals(asked[:, :count]) ** 2, axis=1) + 1e-12)
        strategy.tell(list(asked), costs.tolist())
        tried += len(asked)
    return np.clip(strategy.result.xbest[:count], 0.0, 1.0), tried


def polish(residuals: Residuals, start: Array, tolerance: float = 1e-5) -> Fitted:
    """Least squares from a start, the Jacobian by central differences as one batch."""
    from scipy.optimize import least_squares

    tried = 0

    def at(shares: Array) -> Array:
        nonlocal tried
        tried += 1
        return residuals(shares[None])[0]

    def jacobian(shares: Array) -> Array:
        nonlocal tried
        tried += 2 * len(shares)
        return jacobian_of(residuals, shares)

    inside = np.clip(start, 1e-6, 1.0 - 1e-6)
    found = least_squares(
        at, inside, jac=jacobian, bounds=(0.0, 1.0), xtol=tolerance, ftol=1e-9, gtol=1e-12, max_nfev=40
    )
    end = Fitted(found.x, found.fun, found.jac, tried)
    return replace(end, jacobian=slopes(residuals, end), evaluations=tried + 2 * len(WIDTHS) * len(start))


def slopes(residuals: Residuals, fitted: Fitted) -> Array:
    """The Jacobian over the distance that noise moves the numbers, by least squares.

    Dry friction begins to hold in one step or in the next, so residuals ripple; what the slope is within a ripple says
    little about how far noise moves the estimate, which is what the Jacobian is for.
    """
    deviations = np.clip(np.sqrt(np.diagonal(covariance(fitted)[0])), DIFFERENCE, MOST_DEVIATION)
    parts = [jacobian_of(residuals, fitted.shares, width * deviations) for width in WIDTHS]
    return np.asarray(np.average(parts, axis=0, weights=np.square(WIDTHS)))


def jacobian_of(residuals: Residuals, shares: Array, widths: Array | float = DIFFERENCE) -> Array:
    """The Jacobian [residual, number] per share of the ranges, by central differences of some widths."""
    steps = np.eye(len(shares)) * widths
    above, below = np.minimum(shares + steps, 1.0), np.maximum(shares - steps, 0.0)
    values = residuals(np.concatenate([above, below]))
    width = np.diagonal(above - below)
    return ((values[: len(shares)] - values[len(shares) :]) / width[:, None]).T


def covariance(fitted: Fitted) -> tuple[Array, list[Array]]:
    """The covariance of the shares, and the directions of them that the residuals do not determine."""
    count, numbers = fitted.jacobian.shape
    variance = float(np.sum(fitted.residuals**2)) / max(count - numbers, 1)
    _, sizes, directions = np.linalg.svd(fitted.jacobian, full_matrices=False)
    deviations = np.divide(math.sqrt(variance), sizes, out=np.full_like(sizes, np.inf), where=sizes > 1e-12)
    blind = [
        direction
        for direction, d in zip(directions, deviations, strict=True)
        if 2 * quantile(count - numbers) * d > WIDEST
    ]
    finite = np.where(np.isfinite(deviations), deviations, 1e6)
    return (directions.T * finite**2) @ directions, blind


def quantile(freedom: int) -> float:
    """Student's t for the 95 % interval."""
    from scipy.stats import t

    return float(t.ppf(0.5 + LEVEL / 2, max(freedom, 1)))


def estimates(fitted: Fitted, ranges: list[Range]) -> list[Estimate]:
    """What was found for every number, with its interval."""
    spread, _ = covariance(fitted)
    width = quantile(len(fitted.residuals) - len(ranges))
    found = []
    for k, (one, share) in enumerate(zip(ranges, fitted.shares, strict=True)):
        deviation = math.sqrt(max(spread[k, k], 0.0))
        told = 2 * width * deviation <= WIDEST
        low, high = (one.value(share + sign * width * deviation) if told else sign * math.inf for sign in (-1.0, 1.0))
        scale = deviation * abs(one.slope(share)) if told else math.inf
        found.append(Estimate(one.name, float(one.value(share)), scale, float(low), float(high)))
    return found


def untold(fitted: Fitted, ranges: list[Range]) -> list[str]:
    """The numbers, or combinations of them, that the log cannot tell, in words."""
    texts = []
    for direction in covariance(fitted)[1]:
        part = [k for k in np.argsort(-np.abs(direction)) if abs(direction[k]) >= NAMED]
        if len(part) == 1:
            texts.append(f"'{ranges[part[0]].name}': the log looks the same whatever it is")
            continue
        changes = [
            (
                ranges[k],
                direction[k] * ranges[k].slope(fitted.shares[k]) / (abs(ranges[k].value(fitted.shares[k])) or 1.0),
            )
            for k in part
        ]
        first = changes[0][1] or 1.0
        words = " with ".join(f"'{one.name}' {change / abs(first):+.2g} %" for one, change in changes)
        names = ", ".join(f"'{one.name}'" for one, _ in changes)
        texts.append(f"{names} apart: {words} looks the same")
    return texts
