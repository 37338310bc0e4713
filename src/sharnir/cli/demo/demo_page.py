"""The page that leads to everything the demo left: the papers' table, plots, replays and data."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from pathlib import Path

from ... import __version__
from ..terminal import aim, allowed, rounded, verdict
from .run import Made
from .table import COLUMNS, PAPERS, notes, papers_figures, row

STYLE = """
:root { color-scheme: light dark; --line: light-dark(#dde3e7, #2c343a); --soft: light-dark(#5d6b75, #93a0a9);
  --card: light-dark(#fff, #1a1f23); --back: light-dark(#f4f6f7, #121619); --link: light-dark(#1f5fa8, #7db4e8); }
body { font: 15px/1.5 system-ui, "Segoe UI", Roboto, sans-serif; max-width: 1080px; margin: 32px auto; padding: 0 16px;
  background: var(--back); }
h1 { font-size: 26px; margin: 0; } h2 { font-size: 19px; margin: 36px 0 8px; } h3 { font-size: 16px; margin: 0; }
p { margin: 4px 0 12px; } .soft { color: var(--soft); } a { color: var(--link); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 16px; margin: 12px 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
td, th { text-align: left; padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } .n { text-align: right; white-space: nowrap; } .NO { color: #c4342a; font-weight: 700; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 12px;
  margin-top: 12px; }
.plots img { width: 100%; border-radius: 4px; background: #fff; } .links a { margin-right: 16px; }
"""
NUMBERS_FROM = 2  # the columns from this one on are numbers


def write_page(made: Sequence[Made], folder: Path) -> Path:
    """Write ``index.html``."""
    figures = papers_figures(made)
    parts = [
        "<h1>Sharnir: what the demo made</h1>",
        f"<p class='soft'>Sharnir {__version__}, {len(made)} examples. Plots are pictures, replays open in the browser "
        "from disk, data are netCDF files.</p>",
    ]
    if figures:
        below = "".join(f"<p class='soft'>{html.escape(note)}</p>" for note in notes(figures))
        parts.append(f"<h2>The papers and Sharnir</h2>{_card(_table(COLUMNS, map(row, figures)) + below)}")
    for number_of, subject in PAPERS.items():
        shown = [one for one in made if one.papers[:1] == [number_of]]
        parts += [f"<h2>Paper {number_of}: {subject}</h2>" if shown else "", *map(_example, shown)]
    others = [one for one in made if not one.papers]
    parts += ["<h2>Other examples</h2>" if others else "", *map(_example, others)]
    page = (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Sharnir demo</title>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'><link rel='icon' href='data:,'>"
        f"<style>{STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )
    file = folder / "index.html"
    file.write_text(page, encoding="utf-8")
    return file


def _example(made: Made) -> str:
    """One example: its title, its links, its figures and its plots."""
    links = [f"<a href='{made.replay}'>replay</a>"] if made.replay else []
    links += [f"<a href='{made.name}.nc'>data</a>"] if not made.failure else []
    rows = [
        (
            f"{figure.name}, {figure.unit}" if figure.unit else figure.name,
            "",
            aim(figure),
            rounded(figure.value, figure.tolerance),
            allowed(figure.tolerance),
            str(verdict(figure)),
        )
        for figure in made.figures
    ]
    table = _table(("figure", "", "should be", "is", "tolerance", "ok"), rows) if rows else ""
    failure = f"<p class='NO'>{html.escape(made.failure)}</p>" if made.failure else ""
    pictures = "".join(f"<a href='{file}'><img src='{file}' alt='{file}' loading='lazy'></a>" for file in made.plots)
    return _card(
        f"<h3>{html.escape(made.title)}</h3><p class='links soft'>{made.name} {' '.join(links)}</p>{failure}"
        f"{table}<div class='plots'>{pictures}</div>"
    )


def _card(content: str) -> str:
    return f"<div class='card'>{content}</div>"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(_cell("th", i, text) for i, text in enumerate(columns))
    body = "".join(f"<tr>{''.join(_cell('td', i, text) for i, text in enumerate(cells))}</tr>" for cells in rows)
    return f"<div class='scroll'><table><tr>{head}</tr>{body}</table></div>"


def _cell(tag: str, place: int, text: str) -> str:
    classes = f"{'n ' if place >= NUMBERS_FROM else ''}{'NO' if text == 'NO' else ''}".strip()
    return f"<{tag} class='{classes}'>{html.escape(text)}</{tag}>"
