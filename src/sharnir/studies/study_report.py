"""A report in one HTML file that loads nothing else: tables and plots of a study."""

from __future__ import annotations

import base64
import html
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..scene.values import Plain
from .results import Results
from .summary import summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:1rem 0}td,th{border-bottom:1px solid #ddd;padding:.25rem .8rem;text-align:right}
td:first-child,th:first-child{text-align:left}img{max-width:100%}h2{margin-top:2rem}pre{overflow:auto;color:#555}
@media(prefers-color-scheme:dark){body{background:#16181b;color:#ddd}td,th{border-color:#444}
img{background:#fff;border-radius:4px}}"""


def page(title: str, parts: Iterable[str]) -> str:
    """A whole HTML page."""
    name = html.escape(title)
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title><style>{STYLE}</style>'
    return f"{head}<h1>{name}</h1>{''.join(parts)}</html>\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table."""
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def picture(figure: Figure, words: str) -> str:
    """A figure inside the page."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=120)
    data = base64.b64encode(file.getvalue()).decode()
    return f'<img alt="{html.escape(words)}" src="data:image/png;base64,{data}">'


def text(*words: object) -> str:
    """A paragraph."""
    return f"<p>{html.escape(' '.join(map(str, words)))}</p>"


def heading(words: str) -> str:
    """A heading."""
    return f"<h2>{html.escape(words)}</h2>"


def facts(given: Plain) -> str:
    """Plain data, to be read or copied."""
    return f"<pre>{html.escape(json.dumps(given, indent=2))}</pre>"


def write(path: Path, title: str, parts: Iterable[str]) -> Path:
    """Write a page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(title, parts), encoding="utf-8")
    return path


def write_report(results: Results, path: Path) -> Path:
    """The report of a study."""
    from .study_plots import all_pictures

    done, total = results.finished
    keys = ("mean", "deviation", "low", "median", "high", "least", "most")
    rows = [
        (r["measure"], r["unit"], r["points"], *(f"{r[k]:.5g}" if k in r else "" for k in keys))
        for r in summary(results)
    ]
    heads = ("measure", "unit", "points", "mean", "deviation", "5 %", "median", "95 %", "min", "max")
    vary = results.about["study"]["vary"]
    parts = [
        text(f"{done} of {total} points."),
        heading("What varies"),
        table(("number", "unit", "spread"), [(n, results.about["units"].get(n, ""), s) for n, s in vary.items()]),
        heading("What came out"),
        table(heads, rows),
    ]
    if faults := results.faults():
        parts += [
            heading(f"{len(faults)} points without a result"),
            table(("point", "reason"), list(faults.items())[:20]),
        ]
    for measure, kind, figure in all_pictures(results):
        parts += [heading(f"{measure}: {kind}"), picture(figure, f"{measure}: {kind}")]
    parts += [heading("How it was made"), facts({"study": results.about["study"], **results.about["environment"]})]
    return write(path, f"Study {Path(results.about.get('title', path.stem)).name}", parts)
