"""Tables for the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..experiment import Figure

FINEST = 0.01  # of the tolerance: what is less is nothing to a reader


def print_table(title: str, columns: Iterable[str], rows: Iterable[Iterable[str | Text]], numbers: int = 0) -> None:
    """Print a table; the last ``numbers`` columns are set flush right."""
    columns = list(columns)
    table = Table(header_style="dim", box=None, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i >= len(columns) - numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))  # no markup: [dev] is a text
    console = Console()
    console.print(Text(title, "bold"))
    console.print(table)


def print_figures(title: str, figures: list[Figure]) -> None:
    """Print the figures of a run, with what was expected where that is known."""
    if all(figure.ok is None for figure in figures):
        print_table(title, ("figure", "value", "unit"), [(f.name, number(f.value), f.unit) for f in figures])
        return
    columns = ("figure", "unit", "value", "expected", "difference", "tolerance", "ok")
    rows = [
        (
            figure.name,
            figure.unit,
            rounded(figure.value, figure.tolerance),
            aim(figure),
            rounded(figure.difference, figure.tolerance),
            allowed(figure.tolerance),
            verdict(figure),
        )
        for figure in figures
    ]
    print_table(title, columns, rows, numbers=5)


def rounded(value: float | None, tolerance: float | None, written: str = ".6g") -> str:
    """A number for people: 0 where it is nothing beside its tolerance, and within that two digits."""
    if value is None:
        return ""
    if tolerance and abs(value) < FINEST * tolerance:
        return "0"
    return f"{value:{written}}" if not tolerance or abs(value) >= tolerance else coarse(value, written)


def coarse(value: float, written: str = ".6g") -> str:
    """A number of which two digits say all; whole ones have all of theirs."""
    return f"{value:{written if abs(value) >= 10 else written.partition('.')[0] + '.2g'}}"


def allowed(tolerance: float | None) -> str:
    """A tolerance as a table shows it."""
    return "" if tolerance is None else coarse(tolerance)


def number(value: float | None) -> str:
    """A number as a table shows it."""
    return "" if value is None else f"{value:.6g}"


def aim(figure: Figure, written: Callable[[float | None], str] = number) -> str:
    """What a figure should be, as a table shows it."""
    low, high = figure.at_least, figure.at_most
    if low is not None and high is not None:
        return f"{written(low)}…{written(high)}"
    if low is not None or high is not None:
        return f"≥ {written(low)}" if high is None else f"≤ {written(high)}"
    return written(figure.expected)


def verdict(figure: Figure) -> Text:
    """Whether a figure is what it should be, in colour."""
    return {True: Text("yes", "green"), False: Text("NO", "bold red"), None: Text("")}[figure.ok]


def write_figures(results: dict[str, list[Figure]], folder: Path) -> None:
    """Write the figures of several experiments to ``figures.md`` and ``figures.json``."""
    lines = ["| experiment | figure | value | unit | expected | tolerance | ok |", "|---|---|---|---|---|---|---|"]
    for name, figures in results.items():
        for f in figures:
            cells = (name, f.name, rounded(f.value, f.tolerance), f.unit, aim(f), allowed(f.tolerance), str(verdict(f)))
            lines.append(f"| {' | '.join(cells)} |")
    (folder / "figures.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    plain = {name: [figure.as_dict() for figure in figures] for name, figures in results.items()}
    (folder / "figures.json").write_text(json.dumps(plain, indent=2) + "\n", encoding="utf-8")
