"""What optimisations and identifications found, as tables and as reports in one HTML file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..record.plots import COLORS
from ..studies import study_report as report
from ..studies.identify import Found
from ..studies.laws import Ranked
from ..studies.optimise import Optimisation, Optimised
from ..studies.study_plots import styled
from .terminal import print_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def number(value: float) -> str:
    """A number of a table; nothing where there is none."""
    return f"{value:.5g}" if math.isfinite(value) else "–"


# --- identification ---------------------------------------------------------------------------------------------------


def found_rows(found: Found) -> list[tuple[str, ...]]:
    """A row per number: its value, its 95 % interval and how far the step's error moves it."""
    return [
        (e.name, number(e.value), number(e.low), number(e.high), number(found.twin.get(e.name, math.nan)))
        for e in found.estimates
    ]


HEADS = ("number", "value", "95 % from", "to", "step's error / half width")


def print_found(found: Found, ranked: list[Ranked]) -> None:
    """Print what a log says."""
    if ranked:
        rows = [(one.name, number(one.held_out), number(one.fitted)) for one in ranked]
        print_table(
            "friction laws, the best first", ("law", "held-out error / noise", "fitted error / noise"), rows, numbers=2
        )
        print()
    print_table("found", HEADS, found_rows(found), numbers=4)
    for name, noise in found.noise.items():
        print(f"\n{name}: noise {noise:.3g}, {found.explained[name]:.2%} of the variance explained")


def write_found(found: Found, ranked: list[Ranked], path: Path) -> Path:
    """The report of an identification."""
    parts = [report.table(HEADS, found_rows(found))]
    parts += [report.text(f"Cannot tell {text}.") for text in found.untold]
    parts += [report.text(f"Warning: {text}.") for text in found.warnings]
    if ranked:
        rows = [(one.name, number(one.held_out), number(one.fitted)) for one in ranked]
        parts += [report.heading("Friction laws"), report.table(("law", "held-out error / noise", "fitted"), rows)]
    for name in found.measured:
        parts += [
            report.heading(name),
            report.picture(residual_plot(found, name), f"{name}: log, simulation, residuals"),
        ]
    return report.write(path, f"Identification of {found.scene.name}", parts)


def residual_plot(found: Found, name: str) -> Figure:
    """The log and the simulation, what is left between them, and how that is spread."""
    with styled(rows=2) as figure:
        grid = figure.add_gridspec(2, 2, width_ratios=(3, 1))
        both, left, spread = (figure.add_subplot(cell) for cell in (grid[0, :], grid[1, 0], grid[1, 1]))
        both.plot(found.times, found.measured[name], label="log", color=COLORS[0], linewidth=1.0)
        both.plot(found.times, found.simulated[name], "--", label="simulation", color=COLORS[1], linewidth=1.0)
        both.legend(loc="upper right")
        both.set(xlabel="time, s", ylabel=name)
        residuals = found.residuals[name]
        left.plot(found.times, residuals, ".", markersize=2, color=COLORS[3])
        left.set(xlabel="time, s", ylabel="log − simulation")
        spread.hist(residuals, bins=40, orientation="horizontal", color=COLORS[3], alpha=0.7, density=True)
        if (sigma := found.noise[name]) > 0:
            at = np.linspace(residuals.min(), residuals.max(), 200)
            spread.plot(np.exp(-0.5 * (at / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi)), at, color="#333333")
        spread.set(xlabel="density", ylim=left.get_ylim())
        spread.tick_params(labelleft=False)
    return figure


# --- optimisation -----------------------------------------------------------------------------------------------------


def print_optimised(made: Optimisation, found: Optimised) -> None:
    """Print the best point, and the front."""
    rows = [(name, number(value), "") for name, value in found.best.items()]
    rows += [
        (name, number(value), made.units[name])
        for name, value in (found.objectives | found.constraints).items()
        if name in made.units
    ]
    rows += [(limit.text, number(found.constraints[limit.text]), made.units[limit.name]) for limit in made.limits]
    title = "best" if found.feasible else "nearest to the constraints, which no point keeps"
    print_table(f"{title}, of {found.evaluations} simulations", ("", "value", "unit"), rows)
    if found.front:
        names = list(found.front[0])
        print()
        print_table(
            "front", names, [[number(point[name]) for name in names] for point in found.front], numbers=len(names)
        )


def write_optimised(made: Optimisation, found: Optimised, path: Path) -> Path:
    """The report of an optimisation."""
    rows = [(name, number(value)) for name, value in (found.best | found.objectives | found.constraints).items()]
    parts = [report.table(("", "value"), rows), report.picture(progress_plot(made, found), "how the search went")]
    if found.front:
        names = list(found.front[0])
        parts += [report.heading("Front"), report.picture(front_plot(made, found), "front")]
        parts.append(report.table(names, [[number(point[name]) for name in names] for point in found.front]))
    return report.write(path, "Optimisation", parts)


def progress_plot(made: Optimisation, found: Optimised) -> Figure:
    """Every simulation's first objective, and the best within the constraints so far."""
    name, sign = next(iter(made.signs.items()))
    values = sign * found.tried.objectives[:, 0]
    inside = (found.tried.excess == 0.0) & np.isfinite(values)
    with styled() as figure:
        axes = figure.subplots()
        places = np.arange(len(values))
        axes.plot(places[~inside], values[~inside], ".", color="#bbbbbb", markersize=3, label="beyond a constraint")
        axes.plot(places[inside], values[inside], ".", markersize=3, label="within")
        if inside.any():
            best = np.minimum.accumulate(np.where(inside, sign * values, np.inf))
            axes.plot(places, sign * np.where(np.isfinite(best), best, np.nan), color="#333333", label="best so far")
            low, high = np.quantile(values[inside], (0.0, 0.95))
            axes.set_ylim(low - 0.1 * (high - low), high + 0.3 * (high - low) + 1e-12)
        axes.set(xlabel="simulation", ylabel=f"{name}, {made.units[name]}")
        axes.legend()
    return figure


def front_plot(made: Optimisation, found: Optimised) -> Figure:
    """The first two objectives: all simulations, and the front."""
    (x, sx), (y, sy) = list(made.signs.items())[:2]
    inside = (found.tried.excess == 0.0) & np.isfinite(found.tried.objectives).all(axis=1)
    tried = found.tried.objectives[inside]
    with styled() as figure:
        axes = figure.subplots()
        axes.plot(sx * tried[:, 0], sy * tried[:, 1], ".", color="#cccccc", markersize=3, label="tried")
        axes.plot([p[x] for p in found.front], [p[y] for p in found.front], ".-", label="front")
        axes.set(xlabel=f"{x}, {made.units[x]}", ylabel=f"{y}, {made.units[y]}")
        axes.legend()
    return figure
