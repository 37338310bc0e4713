"""What a benchmark hands back, how it is printed, and the machine it ran on."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from math import inf, isfinite, isinf
from typing import Any

from rich.console import Console
from rich.text import Text

from sharnir.cli.terminal import print_table
from sharnir.studies.environment import cpu_name

PACKAGES = ("sharnir", "numpy", "warp-lang", "mujoco", "pybullet", "exudyn", "pyelastica")
ALIKE = 1.02  # times that differ by less are the same
AS_IT_COMES, TUNED = "as it comes", "tuned"  # settings: what most users run, and the best that one may look for


@dataclass(frozen=True)
class Bar:
    """A figure and the limit it must not exceed."""

    what: str
    value: float
    limit: float
    unit: str

    @property
    def met(self) -> bool:
        """Whether the figure keeps to its limit; one that is not a number does not."""
        return self.value <= self.limit


@dataclass(frozen=True)
class Comparison:
    """Sharnir beside a peer in one quantity of one scene, of which less is better; infinite: it does not get there.

    Below ``enough`` less is no better: MuJoCo's joint coordinates leave no gap at all, and a micrometre is none either.
    ``our_error`` and ``their_error`` say in words how exact that was: a time alone says little.
    """

    scene: str
    quantity: str
    unit: str
    ours: float
    peer: str
    theirs: float
    enough: float = 0.0
    settings: str = TUNED
    our_error: str = ""
    their_error: str = ""

    @property
    def ratio(self) -> float:
        """Ours over theirs."""
        if isinf(self.theirs):
            return 1.0 if isinf(self.ours) else 0.0
        return self.ours / self.theirs if self.theirs > 0 else inf

    @property
    def lost(self) -> bool:
        """Whether the peer is ahead."""
        return self.ratio > ALIKE and self.ours > self.enough


@dataclass
class Section:
    """The outcome of one benchmark: a table, its bars, remarks, and everything again as plain numbers."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    bars: list[Bar] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)

    def show(self) -> None:
        """Print the table, then the bars, then the notes."""
        print_table(self.title, self.columns, self.rows, numbers=len(self.columns) - 1)
        if self.bars:
            print_table("", ("bar", "measured", "limit", "unit", "met"), [_bar_row(bar) for bar in self.bars])
        for note in self.notes:
            Console().print(Text(f"  {note}", "dim"))
        Console().print()

    def as_dict(self) -> dict[str, Any]:
        """The section for ``bench.json``."""
        return finite(
            {
                "title": self.title,
                "columns": self.columns,
                "rows": self.rows,
                "bars": [asdict(bar) | {"met": bar.met} for bar in self.bars],
                "comparisons": [asdict(found) | {"lost": found.lost} for found in self.comparisons],
                "notes": self.notes,
                "data": self.data,
            }
        )


def compared(
    scene: str,
    quantity: str,
    unit: str,
    values: dict[str, float],
    enough: float = 0.0,
    settings: str = TUNED,
    errors: dict[str, str] | None = None,
) -> list[Comparison]:
    """Our best of several settings against each peer's best; the names of settings begin with the engine's.

    ``errors`` has by the same names how exact each was.
    """
    best: dict[str, str] = {}
    for name in values:
        engine = name.split()[0].rstrip(",")
        if engine not in best or values[name] < values[best[engine]]:
            best[engine] = name
    own, said = best.pop("Sharnir"), errors or {}
    return [
        Comparison(
            scene,
            quantity,
            unit,
            values[own],
            peer,
            values[peer],
            enough,
            settings,
            said.get(own, ""),
            said.get(peer, ""),
        )
        for peer in best.values()
    ]


def finite(content: Any) -> Any:
    """Plain data with None for what is not finite: JSON has no infinity."""
    if isinstance(content, dict):
        return {str(name): finite(value) for name, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [finite(value) for value in content]
    if isinstance(content, float) and not isfinite(content):
        return None
    return content


def _bar_row(bar: Bar) -> list[str | Text]:
    met = Text("yes", "green") if bar.met else Text("NO", "bold red")
    return [bar.what, f"{bar.value:.3g}", f"{bar.limit:.3g}", bar.unit, met]


def machine() -> dict[str, Any]:
    """The machine and the versions that made the numbers."""
    return {
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
