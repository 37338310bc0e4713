"""The points of a study: all combinations of its grids, each with the same random draws."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import SceneError, nearest
from ..scene.values import whole
from ..spatial import Array
from .spread import Spread

DESIGNS = ("random", "latin-hypercube", "sobol", "saltelli")
SAMPLE = "sample"  # the axis of the random draws
MOST_POINTS = 10**9


@dataclass(frozen=True)
class Points:
    """The points of a study: ``values`` [point, name], and the ``axes`` (name, values) that they are combinations of.

    The last axis runs fastest. Draws have the axis ``sample``, with their number as its values.
    """

    names: tuple[str, ...]
    values: Array
    axes: tuple[tuple[str, Array], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many points there are along each axis."""
        return tuple(len(values) for _, values in self.axes)


def make_points(vary: Mapping[str, Spread], samples: int | None, design: str, seed: int) -> Points:
    """All combinations of grids and lists, each with the same ``samples`` draws of what is random."""
    if design not in DESIGNS:
        raise SceneError(f"design '{design}' is unknown{nearest(design, DESIGNS)}")
    drawn = {name: spread for name, spread in vary.items() if spread.values is None}
    gridded = {name: spread for name, spread in vary.items() if spread.values is not None}
    if drawn and samples is None:
        raise SceneError(f"'{next(iter(drawn))}' is random; say how many samples to draw, such as --samples 1000")
    if samples is not None and not drawn:
        raise SceneError(
            f"samples is {samples}, but nothing is random; leave it out, or vary something over normal(26, 2)"
        )
    if design == "saltelli" and gridded:
        raise SceneError(
            f"the design 'saltelli' draws all numbers, but '{next(iter(gridded))}' has a grid; give its "
            "range as uniform(low, high)"
        )
    axes: list[tuple[str, Array]] = [(name, np.array(spread.values)) for name, spread in gridded.items()]
    shares = np.zeros((1, 0))
    if drawn:
        assert samples is not None
        shares = draw(whole(samples, "samples", 1), len(drawn), design, whole(seed, "seed", 0))
        axes.append((SAMPLE, np.arange(len(shares))))
    count = int(np.prod([float(len(values)) for _, values in axes]))
    if count > MOST_POINTS:
        raise SceneError(f"the study has {count:.3g} points; make the grids coarser")
    columns = {}
    grids = np.meshgrid(*(np.arange(len(values)) for _, values in axes), indexing="ij")
    for (name, values), places in zip(axes, grids, strict=True):
        if name != SAMPLE:
            columns[name] = values[places.ravel()]
    for k, (name, spread) in enumerate(drawn.items()):
        assert spread.quantile is not None
        columns[name] = np.asarray(spread.quantile(shares[:, k]))[grids[-1].ravel()]
    return Points(tuple(vary), np.stack([columns[name] for name in vary], axis=1), tuple(axes))


def draw(samples: int, numbers: int, design: str, seed: int) -> Array:
    """Shares between 0 and 1, [draw, number]; the same for the same seed.

    ``saltelli`` gives A, B and then A with one column of B after another: samples (numbers + 2) draws, those that
    ``scipy.stats.sobol_indices`` needs.
    """
    from scipy.stats import qmc

    random = np.random.default_rng(seed)
    if design == "random":
        return random.random((samples, numbers))
    if design == "latin-hypercube":
        return qmc.LatinHypercube(numbers, rng=random).random(samples)
    if samples & (samples - 1):
        raise SceneError(
            f"samples is {samples}; the design '{design}' is even only for powers of two: give "
            f"{1 << samples.bit_length()}"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        made = qmc.Sobol(2 * numbers if design == "saltelli" else numbers, rng=random).random(samples)
    if design == "sobol":
        return made
    a, b = made[:, :numbers], made[:, numbers:]
    mixed = [np.where(np.arange(numbers) == k, b, a) for k in range(numbers)]
    return np.concatenate([a, b, *mixed])
