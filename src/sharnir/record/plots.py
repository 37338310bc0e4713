"""Plots of a trajectory: one panel per unit over a shared time axis, units on the axes, names in the legend.

Errors get a panel of their own with a logarithmic axis, and what has no unit one for each kind.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SceneError
from ..quantities import definition_of
from ..scene.quantity import Quantity
from ..scene.values import Plain, shown

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .trajectory import Trajectory

WORLDS_DRAWN = 5
PANEL_WIDTH, PANEL_HEIGHT, MARGIN = 9.0, 2.0, 0.7  # inches

STYLE: Plain = {
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.labelcolor": "#333333",
    "axes.edgecolor": "#888888",
    "axes.formatter.useoffset": False,
    "axes.titlesize": 10,
    "font.size": 9,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
}
# What each unit measures, for the axes. Quantities that hold for a whole step are drawn as steps.
UNIT_NAMES = {
    "rad": "angle",
    "m": "length",
    "rad/s": "angular velocity",
    "m/s": "velocity",
    "N": "force",
    "N m": "torque",
    "N s": "impulse",
    "N m s": "angular impulse",
    "J": "energy",
    "W": "power",
    "kg": "mass",
}
ROUNDING = 1e-14  # no more of a logarithmic axis is shown below this
COLORS = ["#1f5fa8", "#d1592b", "#2f8f5b", "#8253a8", "#b8860b", "#4a4a4a", "#c23b6b", "#2a9aa8"]


@contextmanager
def drawing(width: float, height: float, file: Path | None = None, shown: bool = False) -> Iterator[Figure]:
    """An empty figure (inches) in the project's style, saved to a ``file`` where one is given.

    What is ``shown`` is a figure of pyplot's where somebody sits at a prompt and expects to see it.
    """
    import matplotlib
    from cycler import cycler

    style: Any = STYLE | {"axes.prop_cycle": cycler(color=COLORS)}
    with matplotlib.rc_context(style):
        figure = _new_figure((width, height), shown and hasattr(sys, "ps1"))
        yield figure
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(file, dpi=150)


def _new_figure(size: tuple[float, float], interactive: bool) -> Figure:
    if interactive:
        import matplotlib.pyplot as plt

        return plt.figure(figsize=size, layout="constrained")
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def plot(run: Trajectory, quantities: Sequence[Quantity], file: str | Path | None = None) -> Figure:
    """Draw the quantities; see ``Trajectory.plot``."""
    if not quantities:
        raise SceneError("nothing to plot; give one or more quantities, such as hinge.angle")
    panels: dict[tuple[str, str], list[Quantity]] = {}
    for quantity in quantities:
        if not isinstance(quantity, Quantity):
            raise SceneError(f"plot: {shown(quantity)} is not a quantity; give one such as hinge.angle")
        panels.setdefault(_panel_of(quantity), []).append(quantity)
    path = None if file is None else Path(file)
    with drawing(PANEL_WIDTH, MARGIN + PANEL_HEIGHT * len(panels), path, shown=True) as figure:
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for panel, ((measured, unit), drawn) in zip(axes, panels.items(), strict=True):
            _draw_panel(panel, run, drawn)
            panel.set_ylabel(measured if unit == "1" else f"{measured}, {unit}")
        figure.align_ylabels()
        axes[0].set_title(str(run.data.attrs["scene_name"]), loc="left")
        axes[-1].set_xlabel("time, s")
        axes[-1].set_xlim(run.time[0], max(run.time[-1], run.time[0] + 1e-9))
    return figure


def _panel_of(quantity: Quantity) -> tuple[str, str]:
    """What a quantity's panel measures, and its unit."""
    if definition_of(quantity).is_error:
        return "error", quantity.unit
    if quantity.unit == "1":
        return quantity.variable.replace("_", " "), "1"
    return UNIT_NAMES.get(quantity.unit, ""), quantity.unit


def _draw_panel(panel: Axes, run: Trajectory, quantities: list[Quantity]) -> None:
    for quantity in quantities:
        style = "steps-pre" if definition_of(quantity).held else "default"
        for label, values in _lines(run[quantity]):
            panel.plot(values["time"].values, values.values.astype(float), label=label, drawstyle=style)
    if all(definition_of(quantity).is_error for quantity in quantities):
        panel.set_yscale("log", nonpositive="mask")
        low, high = panel.get_ylim()
        panel.set_ylim(min(max(low, ROUNDING), high / 10), high)
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.4)


def _lines(signal: xr.DataArray) -> list[tuple[str, xr.DataArray]]:
    """A signal as single lines: one per component and, of several worlds, for the first few."""
    lines = [(str(signal.name), signal)]
    for axis in ("xyz", "xyzw"):
        if axis in signal.dims:
            lines = [(f"{name}.{part}", values.sel({axis: part})) for name, values in lines for part in axis]
    if "world" in signal.dims:
        drawn = range(min(WORLDS_DRAWN, signal.sizes["world"]))
        names = signal["world"].values
        lines = [(f"{name} [{names[world]}]", values.isel(world=world)) for name, values in lines for world in drawn]
    return lines
