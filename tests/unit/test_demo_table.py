"""The demo's table: what a paper prints is called so, the rest derived, and numbers are for people."""

from __future__ import annotations

from pathlib import Path

import sharnir as sh
from sharnir.cli.demo.demo_page import write_page
from sharnir.cli.demo.run import Made
from sharnir.cli.demo.table import COLUMNS, row


def test_only_what_is_printed_is_the_papers_figure() -> None:
    printed = sh.Figure("angle", 37.6181, "°", 37.62, tolerance=0.005, paper="000", printed=True)
    derived = sh.Figure("speed after the stop", 1.0408e-17, "rad/s", 0.0, tolerance=1e-9, paper="000")
    rows = [dict(zip(COLUMNS, row(figure), strict=True)) for figure in (printed, derived)]
    assert [each["which is"] for each in rows] == ["the paper's figure", "derived"]
    assert (rows[0]["Sharnir"], rows[0]["difference"]) == ("37.618", "-0.0019")
    assert (rows[1]["Sharnir"], rows[1]["difference"]) == ("0", "0")
    small = sh.Figure("bend", 1.63247e-05, "rad/s", 0.0, tolerance=0.00033148, paper="000")
    large = sh.Figure("way", 1234.5, "m", 1230.0, tolerance=150.0, paper="000")
    rows = [dict(zip(COLUMNS, row(figure), strict=True)) for figure in (small, large)]
    assert [(each["Sharnir"], each["tolerance"]) for each in rows] == [("1.6e-05", "0.00033"), ("1234.5", "150")]


def test_figures_on_the_page_are_for_people_too(tmp_path: Path) -> None:
    """What is nothing beside its tolerance is 0 in the tables of the examples as well."""
    still = sh.Figure("speed after the stop", 1.0408e-17, "rad/s", 0.0, tolerance=1e-9, paper="000")
    moving = sh.Figure("way", 2.5e-11, "m", 0.0, tolerance=1e-9)
    page = write_page([Made("door", "A door", [still, moving])], tmp_path).read_text()
    assert "e-17" not in page and "2.5e-11" in page
