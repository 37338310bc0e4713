"""The demo's table: what a paper prints is called so, the rest derived, and numbers are for people."""

from __future__ import annotations

import sharnir as sh
from sharnir.cli.demo.table import COLUMNS, row


def test_only_what_is_printed_is_the_papers_figure() -> None:
    printed = sh.Figure("angle", 37.6181, "°", 37.62, tolerance=0.005, paper="000", printed=True)
    derived = sh.Figure("speed after the stop", 1.0408e-17, "rad/s", 0.0, tolerance=1e-9, paper="000")
    rows = [dict(zip(COLUMNS, row(figure), strict=True)) for figure in (printed, derived)]
    assert [each["which is"] for each in rows] == ["the paper's figure", "derived"]
    assert (rows[0]["Sharnir"], rows[0]["difference"]) == ("37.618", "-0.0019")
    assert (rows[1]["Sharnir"], rows[1]["difference"]) == ("0", "0")
