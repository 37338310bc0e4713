"""The numbers and the picture of ``docs/accuracy.md``, measured anew: ``python -m benchmarks.page``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from rich.console import Console

from . import accuracy
from .accuracy import Entry, Ladder
from .problems import PROBLEMS, Problem
from .report import Section, machine

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE, PICTURE = DOCS / "accuracy.md", DOCS / "pictures" / "accuracy.png"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
COLORS = {"Sharnir": "#1f5fa8", "MuJoCo": "#d1592b", "Exudyn": "#2f8f5b"}
MARKERS = {
    "direct, RATTLE": "D",
    "direct, RK4": "^",
    "direct, Euler": "o",
    "sequential, Euler": "x",
    "Euler": "o",
    "implicitfast": "s",
    "RK4": "^",
    "generalized-alpha": "v",
    "trapezoidal": "P",
}
NEXT_TO_TUNED = 0.45  # opacity of a peer's lines as it comes


def main() -> None:
    """Measure, draw, and put the tables between the page's two marks."""
    results = {}
    for problem in PROBLEMS:
        Console().print(problem.name)
        results[problem] = accuracy.measure(problem, quick=False)
    PICTURE.parent.mkdir(exist_ok=True)
    draw(results).savefig(PICTURE, dpi=110)
    times, loops = accuracy.report(results)
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    measured = "\n\n".join([_machine(), _markdown(times), _bars(times), _markdown(loops)])
    PAGE.write_text(f"{before}{BEGIN}\n\n{measured}\n\n{END}{after}", encoding="utf-8")
    for section in (times, loops):
        section.show()


def draw(results: dict[Problem, dict[Entry, Ladder]]) -> Any:
    """One panel per problem, the legend in the last place."""
    import matplotlib
    from matplotlib.figure import Figure

    from sharnir.record.plots import STYLE

    style: Any = STYLE | {"lines.linewidth": 1.1, "lines.markersize": 3.5}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(13.0, 6.2), layout="constrained")
        panels = figure.subplots(2, 4).flat
        labels: dict[str, Any] = {}
        for panel, (problem, ladders) in zip(panels, results.items(), strict=False):
            for entry, ladder in ladders.items():
                labels.setdefault(entry.name, _line(panel, entry, ladder))
            panel.axhline(accuracy.TARGET, color="#888888", linewidth=0.8, linestyle=":")
            panel.set(title=problem.name, xscale="log", yscale="log", xlabel="processor time, ms")
            panel.set_ylim(accuracy.ENOUGH / 3, 1.0)
        for panel in list(figure.axes)[::4]:
            panel.set_ylabel("relative error")
        last = figure.axes[-1]
        last.axis("off")
        last.legend(labels.values(), labels, loc="center", fontsize=7.5)
    return figure


def _line(panel: Any, entry: Entry, ladder: Ladder) -> Any:
    """Engines by colour, schemes by marker; dashed: settings that a user must know to look for."""
    scheme = entry.name.removeprefix(entry.engine).strip()
    marker = next(marker for key, marker in MARKERS.items() if scheme.startswith(key))
    good = [run for run in ladder if math.isfinite(run.error)]
    (line,) = panel.plot(
        [1000 * run.time for run in good],
        [run.error for run in good],
        color=COLORS[entry.engine],
        marker=marker,
        linestyle="--" if entry.tuned else "-",
        linewidth=2.0 if entry.name.startswith("Sharnir direct, R") else None,
        alpha=1.0 if entry.tuned or entry.engine == "Sharnir" else NEXT_TO_TUNED,
    )
    return line


def _machine() -> str:
    here = machine()
    packages = ", ".join(f"{name} {version}" for name, version in here["packages"].items() if version)
    return (
        f"Measured on {here['cpu']}, {here['cores']} cores, of which one is used; {here['system'].split()[0]}, "
        f"Python {here['python']}; {packages}."
    )


def _markdown(section: Section) -> str:
    rows = [section.columns, ["---"] * len(section.columns), *section.rows]
    return f"**{section.title}**\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _bars(section: Section) -> str:
    rows = [["Sharnir's best", "×"], ["---", "---"]]
    rows += [[bar.what, f"{bar.value:.2f}" if bar.value > 0 else "–"] for bar in section.bars]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    main()
