"""WCAG 2.2 AA by axe-core."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from consoles import SIZES

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
AUDIT = """async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await axe.run(document, { runOnly: tags, resultTypes: ["violations"] });
    return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" | ")}`);
}"""
PAINT = "(dark) => window.Quasar ? Quasar.Dark.set(dark) : document.body.classList.toggle('body--dark', dark)"
FIGURE = "() => window.sharnir?.view?.quality?.show(performance.now() + 1000)"  # shown once a second, where it draws
PAINTED = "(dark) => document.body.classList.contains('body--dark') === dark"
STILL = "*, *::before, *::after { transition: none !important; animation: none !important; }"  # no colours in between
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed (npm install)")


def audit(page: Any) -> None:
    """No violations, in light and dark, at all sizes."""
    page.add_script_tag(content=AXE.read_text())
    page.add_style_tag(content=STILL)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for dark in (False, True):
            page.evaluate(PAINT, dark)
            page.wait_for_function(PAINTED, arg=dark)
            page.evaluate(FIGURE)
            found = page.evaluate(AUDIT)
            assert found == [], (width, "dark" if dark else "light", found)
