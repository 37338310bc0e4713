"""The table that the demo ends with: what the papers print, or what follows from them, beside our figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from ...experiment import Figure
from ..terminal import aim, allowed, print_table, rounded, verdict
from .run import Made

PAPERS = {
    "000": "joint friction",
    "001": "joint limits",
    "002": "elastic rope",
    "003": "suspensions",
    "004": "LuGre friction",
}
COLUMNS = ("paper", "quantity", "expected", "which is", "Sharnir", "difference", "tolerance", "ok")


def papers_figures(made: Sequence[Made]) -> list[Figure]:
    """The figures that belong to a paper, in the papers' order."""
    found = [figure for one in made for figure in one.figures if figure.paper]
    return sorted(found, key=lambda figure: figure.paper)


def row(figure: Figure) -> tuple[str, ...]:
    """A figure as a row of the table; the quantity carries its unit."""
    quantity = f"{figure.name}, {figure.unit}" if figure.unit else figure.name
    given = figure.difference if figure.expected is not None else None
    differs = rounded(given, figure.tolerance, "+.2g")
    source = "the paper's figure" if figure.printed else "derived"
    value, tolerance = rounded(figure.value, figure.tolerance, ".5g"), allowed(figure.tolerance)
    return figure.paper, quantity, aim(figure, short), source, value, differs, tolerance, str(verdict(figure))


def short(value: float | None) -> str:
    """A number with five digits, which is what the papers give."""
    return "" if value is None else f"{value:.5g}"


def notes(figures: Sequence[Figure]) -> list[str]:
    """What the table's readers should know, one line each."""
    return list(dict.fromkeys(f"{figure.paper}: {figure.note}" for figure in figures if figure.note))


def print_papers(figures: Sequence[Figure]) -> None:
    """Print the table and its notes."""
    rows: list[list[str | Text]] = [[*row(figure)[:-1], verdict(figure)] for figure in figures]
    print_table("The papers and Sharnir", COLUMNS, rows, numbers=6)
    for note in notes(figures):
        print(f"  {note}")


def write_papers(figures: Sequence[Figure], file: Path) -> Path:
    """Write the table as Markdown."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    lines += [f"| {' | '.join(row(figure))} |" for figure in figures]
    lines += ["", *(f"- {note}" for note in notes(figures))]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file
