"""Radau IIA collocation: the implicit Runge-Kutta steps of the exact twin.

    Z_i = h sum_j a_ij f(t + c_j h, y + Z_j),     y_new = y + Z_s                  (s stages, order 2 s - 1)

It is stiffly accurate and L-stable, so bristle friction with its rates of 1e6 1/s does not bound the step, and of high
order, so a step is long where nothing happens. The stages are evaluated together, as one batch. They come from
simplified Newton steps, split by the eigenvectors of A^-1 into small complex systems (Hairer and Wanner, Solving
Ordinary Differential Equations II, section IV.8). The error is that of the embedded formula of order s, filtered:

    err = (E - h g J)^-1 (h g f(t, y) + sum_i e_i Z_i)                              g the real eigenvalue of A

The collocation polynomial gives the solution inside a step to order s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from ..spatial import Array

NEWTON_STEPS = 9
NEWTON_TOLERANCE = 1e-2  # of the error allowed in a step

Function = Callable[[Array, Array], Array]  # times [k], states [k, n] -> rates [k, n]
# times [s], state at the start [n], stages Z [s, n], A^-1/h [s, s] -> stages, corrected where that is cheap, and rates
StageFunction = Callable[[Array, Array, Array, Array], tuple[Array, Array]]


@dataclass(frozen=True)
class Tableau:
    """The coefficients of the method."""

    nodes: Array  # [s] c, the last one 1
    inverse: Array  # [s, s] A^-1
    weights: Array  # [s, s] A
    rates: Array  # [m] eigenvalues of A^-1, the real one first, then one of each conjugate pair
    split: Array  # [m, s] rows: left eigenvectors
    join: Array  # [s, m] columns: right eigenvectors; pairs count twice
    error: Array  # [s] e
    filter: float  # g


@cache
def tableau(stages: int) -> Tableau:
    """The Radau IIA method with an odd number of stages."""
    roots = np.sort(legendre.legroots([0.0] * (stages - 1) + [-1.0, 1.0]).real)
    nodes = (1.0 + roots) / 2.0
    nodes[-1] = 1.0
    weights = _integrals(nodes) @ np.linalg.inv(legendre.legvander(2.0 * nodes - 1.0, stages - 1))
    inverse = np.linalg.inv(weights)
    values, vectors = np.linalg.eig(inverse)
    kept = [int(np.argmin(np.abs(values.imag))), *np.flatnonzero(values.imag > 1e-9).tolist()]
    gamma = 1.0 / float(values[kept[0]].real)
    # the embedded quadrature on 0 and the nodes, with the weight gamma at 0, exact for polynomials of degree s - 1
    moments = 1.0 / np.arange(1, stages + 1)
    moments[0] -= gamma
    embedded = np.linalg.solve(np.vander(nodes, stages, increasing=True).T, moments)
    twice = np.array([1.0] + [2.0] * (len(kept) - 1))
    return Tableau(
        nodes=nodes,
        inverse=inverse,
        weights=weights,
        rates=values[kept],
        split=np.linalg.inv(vectors)[kept],
        join=vectors[:, kept] * twice,
        error=(embedded - weights[-1]) @ inverse,
        filter=gamma,
    )


def _integrals(nodes: Array) -> Array:
    """The integrals of the shifted Legendre polynomials from 0 to each node, [node, polynomial]."""
    columns = []
    for k in range(len(nodes)):
        primitive = legendre.legint([0.0] * k + [1.0], lbnd=-1.0)
        columns.append(legendre.legval(2.0 * nodes - 1.0, primitive) / 2.0)
    return np.stack(columns, axis=1)


def lagrange(nodes: Array, at: Array) -> Array:
    """The weights [point, node] that interpolate values at the nodes to other places."""
    difference = nodes[:, None] - nodes[None, :]
    np.fill_diagonal(difference, 1.0)
    steps = np.asarray(at)[:, None] - nodes[None, :]
    weights = np.ones((len(steps), len(nodes)))
    for k in range(len(nodes)):
        others = np.arange(len(nodes)) != k
        weights[:, k] = np.prod(steps[:, others], axis=1) / np.prod(difference[k, others])
    return weights


@dataclass
class CollocationStep:
    """One step from (t, y) over h, not yet judged."""

    method: Tableau
    t: float
    h: float
    start: Array  # [n]
    stages: Array  # [s, n] Z
    rates: Array  # [s, n] f at the stages
    iterations: int
    error: float = 0.0  # in units of the tolerance
    seen: Any = None  # what the system knows of the stages

    @property
    def end(self) -> Array:
        """The state at the end."""
        return self.start + self.stages[-1]

    def at(self, fractions: Array) -> Array:
        """The states [k, n] at fractions of the step."""
        nodes = np.append(0.0, self.method.nodes)
        values = np.vstack([np.zeros_like(self.start), self.stages])
        return np.asarray(self.start + lagrange(nodes, np.asarray(fractions)) @ values)

    def guess_next(self, h: float) -> Array:
        """Stages of a following step of length h, by extending the rates of this one."""
        weights = lagrange(self.method.nodes, 1.0 + self.method.nodes * (h / self.h))
        return np.asarray(h * (self.method.weights @ (weights @ self.rates)))

    def guess_shorter(self, h: float) -> Array:
        """Stages of a shorter step from the same start."""
        return self.at(self.method.nodes * (h / self.h)) - self.start


class CollocationStepper:
    """Tries steps of one system; keeps the factors of the Newton matrices while h and the Jacobian stay."""

    def __init__(self, stages: int) -> None:
        self.method = tableau(stages)
        self._jacobian: Array | None = None
        self._h = 0.0
        self._inverses: Array = np.zeros((0, 0, 0))
        self._filter: Array = np.zeros((0, 0))

    def _factor(self, h: float, jacobian: Array) -> None:
        if self._jacobian is jacobian and self._h == h:
            return
        identity = np.eye(len(jacobian))
        self._inverses = np.linalg.inv(self.method.rates[:, None, None] / h * identity - jacobian)
        self._filter = self._inverses[0].real / (h * self.method.filter)
        self._jacobian, self._h = jacobian, h

    def attempt(
        self, f: StageFunction, t: float, y: Array, h: float, jacobian: Array, guess: Array, scale: Array
    ) -> CollocationStep | None:
        """A step of length h whose Newton iteration converged, or None."""
        method = self.method
        self._factor(h, jacobian)
        times = t + h * method.nodes
        inverse = method.inverse / h
        z = guess
        size, contraction = 0.0, 0.0
        for iteration in range(NEWTON_STEPS):
            z, rates = f(times, y, z, inverse)
            if not np.isfinite(rates).all():
                return None
            residual = method.split @ (rates - inverse @ z)
            # einsum, not @: BLAS would start threads for products this small, and wait for them on a busy machine
            change = (method.join @ np.einsum("mij,mj->mi", self._inverses, residual)).real
            z = z + change
            before, size = size, _norm(change / scale)
            if iteration > 0:
                contraction = size / max(before, 1e-300)
                if contraction > 0.9:
                    return None
            ahead = contraction / (1.0 - contraction) if iteration > 0 else 1.0
            if ahead * size < NEWTON_TOLERANCE or size == 0.0:
                return CollocationStep(method, t, h, y, z, rates, iteration + 1)
        return None

    def judge(self, f: Function, step: CollocationStep, start_rate: Array, scale: Array) -> None:
        """Set the error of a step, in units of the tolerance."""
        stages = self.method.error @ step.stages
        lead = step.h * self.method.filter
        error = self._filter @ (lead * start_rate + stages)
        size = _norm(error / scale)
        if size > 1.0:  # a stiff transient that has died out already shows in the rate at the start only
            rate = f(np.array([step.t]), (step.start + error)[None])[0]
            size = min(size, _norm(self._filter @ (lead * rate + stages) / scale))
        step.error = size if np.isfinite(size) else 1e9


def _norm(scaled: Array) -> float:
    return float(np.sqrt(np.mean(scaled * scaled, axis=-1)).max())
