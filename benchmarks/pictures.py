"""The pictures of ``docs/benchmarks.md``: error against time, and time against size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from .accuracy import ENOUGH, SINGULAR, STIFF, TARGET

COLORS = {
    "Sharnir": "#1f5fa8",
    "MuJoCo": "#d1592b",
    "Exudyn": "#2f8f5b",
    "PyBullet": "#8253a8",
    "PyElastica": "#b8860b",
}
MARKERS = {
    "direct, leapfrog": "D",
    "direct, RK4": "^",
    "direct, Euler": "o",
    "sequential, leapfrog": "d",
    "sequential, Euler": "x",
    "Euler": "o",
    "implicitfast": "s",
    "RK4": "^",
    "generalized-alpha": "v",
    "trapezoidal": "P",
}
NEXT_TO_TUNED = 0.45  # opacity of a peer's lines as it comes
Draw = Callable[[Any], None]


def draw_accuracy(problems: dict[str, Any], file: Path) -> None:
    """Work and precision: one panel per problem, the legend in the last place."""

    def draw(figure: Any) -> None:
        panels = figure.subplots(2, 4).flat
        labels: dict[str, Any] = {}
        for panel, (problem, ladders) in zip(panels, problems.items(), strict=False):
            for name, ladder in ladders.items():
                if ladder:
                    labels.setdefault(name, _ladder(panel, name, ladder))
            panel.axhline(TARGET, color="#888888", linewidth=0.8, linestyle=":")
            panel.set(title=problem, xscale="log", yscale="log", xlabel="processor time, ms")
            panel.set_ylim(ENOUGH / 3, 1.0)
        for panel in list(figure.axes)[::4]:
            panel.set_ylabel("relative error")
        last = figure.axes[-1]
        last.axis("off")
        last.legend(labels.values(), labels, loc="center", fontsize=7.5)

    _save(draw, (13.0, 6.2), file)


def _ladder(panel: Any, name: str, ladder: list[dict[str, float]]) -> Any:
    """Engines by colour, schemes by marker; dashed: settings that a user must know to look for."""
    engine, _, scheme = name.partition(" ")
    tuned = STIFF in name or SINGULAR in name
    (line,) = panel.plot(
        [1000 * step["s"] for step in ladder],
        [step["error"] for step in ladder],
        color=COLORS[engine],
        marker=next(marker for key, marker in MARKERS.items() if scheme.startswith(key)),
        linestyle="--" if tuned else "-",
        linewidth=2.0 if name.startswith("Sharnir direct, R") else None,
        alpha=1.0 if tuned or engine == "Sharnir" else NEXT_TO_TUNED,
    )
    return line


def draw_sizes(engines: dict[str, dict[str, float]], file: Path) -> None:
    """Microseconds of a step against the number of links."""

    def draw(figure: Any) -> None:
        panel = figure.subplots()
        for name, times in engines.items():
            panel.plot([int(size) for size in times], list(times.values()), marker="o", color=COLORS[name], label=name)
        panel.set(xscale="log", yscale="log", xlabel="links of the chain", ylabel="µs per step")
        panel.legend()

    _save(draw, (6.0, 3.8), file)


def draw_ropes(ropes: dict[str, Any], file: Path) -> None:
    """Each engine's time for one second of a rope's swing; the names are "soft 20 Sharnir" and the like."""
    kinds: dict[str, dict[str, float]] = {}
    for name, found in ropes.items():
        rope, elements, engine = name.split(" ", 2)
        kinds.setdefault(f"{rope} rope, {elements} elements", {})[engine.split(",")[0]] = 1e3 * found["seconds"]

    def draw(figure: Any) -> None:
        panels = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
        for panel, (title, times) in zip(panels, kinds.items(), strict=True):
            panel.bar(list(times), list(times.values()), color=[COLORS[engine] for engine in times])
            panel.set(title=title, yscale="log")
            panel.tick_params(axis="x", rotation=30)
        panels[0].set_ylabel("ms for one second")

    _save(draw, (3.0 * max(len(kinds), 2), 3.2), file)


def _save(draw: Draw, size: tuple[float, float], file: Path) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    from sharnir.record.plots import STYLE

    style: Any = STYLE | {"lines.linewidth": 1.1, "lines.markersize": 3.5}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file, dpi=110)
