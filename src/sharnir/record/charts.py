"""Charts: curves over time with the axes, units and levels of a figure in a paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..scene.values import Plain
from ..spatial import Array
from .plots import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 8.0, 3.2  # inches
EXACT = "exact"  # curves whose names begin so are dashed and lie on top


@dataclass(frozen=True)
class Chart:
    """One picture with a ``title``: ``curves`` by their names, each a pair of arrays, with axes ``x`` and ``y``.

    The labels of the axes have the units. ``levels`` (in the unit of y) and ``marks`` (in that of x) are dotted lines
    by their names. ``name`` ends the name of the file.
    """

    name: str
    title: str
    y: str
    curves: Mapping[str, tuple[Array, Array]]
    levels: Mapping[str, float] = field(default_factory=dict)  # of y
    marks: Mapping[str, float] = field(default_factory=dict)  # of x
    x: str = "time, s"

    def save(self, file: Path) -> Path:
        """Draw the chart into a file (PNG, SVG, PDF)."""
        with drawing(WIDTH, HEIGHT, file) as figure:
            self._draw(figure.subplots())
        return file

    def _draw(self, axes: Axes) -> None:
        for name, (x, y) in self.curves.items():
            look: Plain = {"linestyle": "--", "color": "#222222", "linewidth": 1.0} if name.startswith(EXACT) else {}
            axes.plot(x, y, label=name, **look)
        line: Plain = {"color": "#888888", "linestyle": ":", "linewidth": 1.0}
        text: Plain = {"textcoords": "offset points", "fontsize": 8, "color": "#555555"}
        for name, level in self.levels.items():
            axes.axhline(level, **line)
            at_end = ("axes fraction", "data")
            axes.annotate(name, (1.0, level), (-2, 2), at_end, ha="right", va="bottom", **text)
        for name, place in self.marks.items():
            axes.axvline(place, **line)
            on_top = ("data", "axes fraction")
            axes.annotate(name, (place, 1.0), (3, -2), on_top, ha="left", va="top", **text)
        axes.set(xlabel=self.x, ylabel=self.y)
        axes.set_title(self.title, loc="left")
        axes.margins(x=0.0)
        if len(self.curves) > 1:
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.4)
