"""Pictures of a study: what suits its axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SceneError
from ..record.plots import COLORS, drawing
from ..scene.values import Plain
from ..spatial import Array
from .design import SAMPLE
from .measures import SERIES
from .results import Results
from .sensitivity import Index, sobol_indices

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 7.0, 3.6  # inches
QUANTILES = (0.05, 0.5, 0.95)
MOST_DOTS = 20_000
BEHIND: Plain = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0}  # of text on lines
MOST_LINES = 400  # of parallel coordinates


@contextmanager
def styled(columns: int = 1, rows: int = 1) -> Iterator[Figure]:
    """An empty figure in the project's style."""
    with drawing(WIDTH if columns == 1 else 4.2 * columns, HEIGHT * rows) as figure:
        yield figure


def pictures(results: Results, measure: str) -> dict[str, Callable[[], Figure]]:
    """The pictures that suit a measure of a study, by name, each drawn when it is called."""
    grids = [name for name, values, count in results.about["axes"] if name != SAMPLE and count > 1]
    drawn = any(name == SAMPLE for name, _, _ in results.about["axes"])
    found: dict[str, Callable[[], Figure]] = {}
    if grids:
        found["curves"] = lambda: curves(results, measure)
    if len(grids) >= 2:
        found["map"] = lambda: heat_map(results, measure)
    if drawn:
        found["histogram"] = lambda: histogram(results, measure)
        found["scatter"] = lambda: scatter(results, measure)
    if len(results.about["names"]) >= 3:
        found["parallel"] = lambda: parallel(results, measure)
    if results.about["study"]["design"] == "saltelli":
        found["sensitivity"] = lambda: bars(sobol_indices(results, measure), measure)
    return found


def draw(results: Results, measure: str, kind: str, file: Path) -> Path:
    """Draw one picture of a measure into a file (PNG, SVG, PDF)."""
    known = pictures(results, measure)
    if kind not in known:
        raise SceneError(f"there is no picture '{kind}' of this study; it can have {', '.join(known)}")
    file.parent.mkdir(parents=True, exist_ok=True)
    known[kind]().savefig(file, dpi=150)
    return file


def label(results: Results, name: str) -> str:
    """A name with its unit, for an axis."""
    unit = results.about["units"].get(name, "")
    return f"{name}, {unit}" if unit and unit != "1" else name


def curves(results: Results, measure: str) -> Figure:
    """The measure over the longest grid; a line per value of the second one, a band where there are draws."""
    data = results.data[measure].load()
    grids = sorted((dim for dim in data.dims if dim != SAMPLE), key=lambda dim: -data.sizes[dim])
    x = grids[0]
    others = grids[1:]
    lines = data.stack(line=others) if others else data.expand_dims("line", axis=-1)
    with styled() as figure:
        axes = figure.subplots()
        count = min(lines.sizes["line"], len(COLORS))
        for k in np.unique(np.linspace(0, lines.sizes["line"] - 1, count).astype(int)):
            line = lines.isel(line=int(k))
            name = ", ".join(f"{dim} = {float(line[dim]):.4g}" for dim in others)
            if SAMPLE in line.dims:
                low, middle, high = (line.quantile(share, SAMPLE).values for share in QUANTILES)
                (drawn,) = axes.plot(line[x], middle, label=name or "median")
                axes.fill_between(line[x], low, high, alpha=0.2, color=drawn.get_color(), linewidth=0)
            else:
                axes.plot(line[x], line.values, ".-", label=name)
        axes.set(xlabel=label(results, str(x)), ylabel=label(results, measure))
        if SAMPLE in data.dims:
            axes.set_title("median, 5 % to 95 % shaded", loc="left")
        if others:
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.4)
    return figure


def heat_map(results: Results, measure: str) -> Figure:
    """The measure over the two longest grids, the mean over everything else."""
    data = results.data[measure].load()
    x, y = sorted((dim for dim in data.dims if dim != SAMPLE), key=lambda dim: -data.sizes[dim])[:2]
    mean = data.mean([dim for dim in data.dims if dim not in (x, y)]).transpose(y, x)
    with styled() as figure:
        axes = figure.subplots()
        drawn = axes.pcolormesh(mean[x], mean[y], mean.values, shading="nearest", cmap="viridis")
        axes.grid(visible=False)
        axes.set(xlabel=label(results, str(x)), ylabel=label(results, str(y)))
        figure.colorbar(drawn, ax=axes, label=label(results, measure))
    return figure


def histogram(results: Results, measure: str) -> Figure:
    """How often which value came out, with quantiles."""
    values = _finite(results, measure)[1]
    with styled() as figure:
        axes = figure.subplots()
        axes.hist(values, bins=min(80, max(10, int(np.sqrt(len(values))))), color=COLORS[0], alpha=0.75)
        for share, value in zip(QUANTILES, np.quantile(values, QUANTILES), strict=True):
            axes.axvline(value, color="#444444", linestyle=":", linewidth=1.0)
            axes.annotate(
                f"{share:.0%}: {value:.4g}", (value, 1.0), (3, -2), ("data", "axes fraction"),
                textcoords="offset points", va="top", rotation=90, fontsize=8, color="#444444", bbox=BEHIND,
            )  # fmt: skip
        axes.set(xlabel=label(results, measure), ylabel="points")
    return figure


def scatter(results: Results, measure: str) -> Figure:
    """The measure over every number that varies."""
    points, values = _finite(results, measure)
    names = results.about["names"]
    step = max(1, len(values) // MOST_DOTS)
    with styled(len(names)) as figure:
        for k, axes in enumerate(figure.subplots(1, len(names), sharey=True, squeeze=False)[0]):
            axes.plot(points[::step, k], values[::step], ".", markersize=2, alpha=0.5)
            axes.set_xlabel(label(results, names[k]))
            axes.locator_params(axis="x", nbins=5)
            if k == 0:
                axes.set_ylabel(label(results, measure))
    return figure


def parallel(results: Results, measure: str) -> Figure:
    """A line per point across all numbers that vary, coloured by the measure, which is the last axis."""
    from matplotlib import colormaps

    points, values = _finite(results, measure)
    chosen = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_LINES)).astype(int))
    table = np.column_stack([points, values])[chosen]
    low, span = table.min(axis=0), np.ptp(table, axis=0)
    scaled = (table - low) / np.where(span > 0, span, 1.0)
    names = [*results.about["names"], measure]
    with styled(max(2, len(names) // 2 + 1)) as figure:
        axes = figure.subplots()
        for row in scaled[np.argsort(scaled[:, -1])]:
            axes.plot(range(len(names)), row, color=colormaps["viridis"](row[-1]), alpha=0.5, linewidth=0.8)
        axes.set_xticks(range(len(names)), [label(results, name).replace(", ", ",\n") for name in names])
        axes.set_yticks([])
        for k in range(len(names)):
            axes.axvline(k, color="#666666", linewidth=0.8)
            for height, value in ((-0.04, low[k]), (1.04, low[k] + span[k])):
                axes.text(k, height, f"{value:.4g}", ha="center", va="center", fontsize=8, bbox=BEHIND)
        axes.set_ylim(-0.08, 1.08)
        axes.grid(visible=False)
    return figure


def bars(indices: list[Index], measure: str) -> Figure:
    """Sobol' indices with their intervals."""
    with styled() as figure:
        axes = figure.subplots()
        places = np.arange(len(indices))
        for shift, part, words in ((-0.2, "first", "alone"), (0.2, "total", "with all others")):
            values = np.array([getattr(index, part) for index in indices])
            ranges = np.array([getattr(index, f"{part}_range") for index in indices]).T
            errors = np.abs(ranges - values)
            axes.bar(places + shift, values, 0.38, yerr=errors, label=words, error_kw={"linewidth": 1.0, "capsize": 3})
        axes.set_xticks(places, [index.name for index in indices])
        axes.set(ylabel=f"share of the variance of\n{measure}")
        axes.legend()
    return figure


def series(results: Results, measure: str) -> Figure:
    """Courses over time: the median and where 90 % of them lie."""
    values = results.values(measure)[1]
    times = results.plan.instants
    with styled() as figure:
        axes = figure.subplots()
        low, middle, high = np.nanquantile(values, QUANTILES, axis=0)
        axes.plot(times, middle)
        axes.fill_between(times, low, high, alpha=0.2, linewidth=0)
        axes.set(xlabel="time, s", ylabel=label(results, measure))
        axes.set_title("median, 5 % to 95 % shaded", loc="left")
    return figure


def all_pictures(results: Results) -> Iterator[tuple[str, str, Figure]]:
    """Every picture that suits the study: the measure, the kind and the figure."""
    for measure in results.measures:
        if measure.reduction == SERIES:
            yield measure.name, "courses", series(results, measure.name)
            continue
        if len(_finite(results, measure.name)[1]) == 0:
            continue
        for kind, drawn in pictures(results, measure.name).items():
            yield measure.name, kind, drawn()


def _finite(results: Results, measure: str) -> tuple[Array, Array]:
    points, values = results.values(measure)
    good = np.isfinite(values)
    return points[good], values[good]
