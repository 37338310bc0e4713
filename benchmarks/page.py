"""The page ``docs/benchmarks.md`` from measured numbers: ``python -m benchmarks.page`` writes it again.

Everything in it comes from ``out/bench.json`` and, where it lies beside it, ``out/gpu.json``; nothing is by hand.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .limits import PASS
from .pictures import draw_accuracy, draw_ropes, draw_sizes
from .report import AS_IT_COMES, TUNED

DOCS = Path(__file__).resolve().parent.parent / "docs"
INTRODUCTION = """# Benchmarks

Sharnir beside MuJoCo, PyBullet, Exudyn and PyElastica: whichever has a counterpart for the scene, all built from the
same description, measured in one run, taking turns. Made by `make bench`; nothing on this page is written by hand.

Absolute times belong to one machine; ratios carry over. How errors are measured and what closed loops ask of each
engine's user is on the page [accuracy](accuracy.md).

```sh
make bench                                            # everything, this page included
.venv/bin/python -m benchmarks --quick --only chain   # one of them, roughly; its page goes to out/
.venv/bin/python -m benchmarks.gpu --out out/gpu.json # on a machine with a GPU; `make bench` takes it in
.venv/bin/python -m benchmarks.gpu_sweep              # a study on a GPU; numpy, Warp, msgspec and PyYAML suffice
.venv/bin/python -m benchmarks.page                   # this page again from out/bench.json and out/gpu.json
```
"""


def write_page(numbers: Path, folder: Path) -> Path:
    """Write the page and its pictures into a folder."""
    result = json.loads(numbers.read_text(encoding="utf-8"))
    sections = result["sections"]
    found = [comparison for group in sections.values() for section in group for comparison in section["comparisons"]]
    parts = [INTRODUCTION, _machine(result), _standing(found), _lost(found), _limits(sections), _approached(sections)]
    parts += _pictures(sections, folder)
    for group in sections.values():
        parts += [section_text(section) for section in group]
    gpu = numbers.with_name("gpu.json")
    parts.append(_gpu(json.loads(gpu.read_text(encoding="utf-8"))) if gpu.is_file() else "")
    file = folder / "benchmarks.md"
    file.write_text("\n\n".join(part.strip() for part in parts if part) + "\n", encoding="utf-8")
    return file


# --- the parts --------------------------------------------------------------------------------------------------------


def _machine(result: dict[str, Any]) -> str:
    here = result["machine"]
    packages = ", ".join(f"{name} {version}" for name, version in here["packages"].items() if version)
    quick = " **A quick run: the numbers are rough.**" if result["quick"] else ""
    return (
        f"Measured on {here['cpu']}, {here['cores']} cores, in {result['minutes']:.0f} minutes; "
        f"{here['system'].split()[0]}, Python {here['python']}; {packages}. Load of the machine at the start: "
        f"{here['load_average']:.1f}.{quick}"
    )


def _standing(found: list[dict[str, Any]]) -> str:
    """Every comparison in one row: as the engines come, and tuned beside it, each with its error."""
    rows: dict[tuple[str, str, str], dict[str, dict[str, Any]]] = {}
    for c in found:
        rows.setdefault((c["scene"], c["quantity"], _engine(c["peer"])), {})[c["settings"]] = c
    table = [
        [scene, quantity, engine, *_pair(pair.get(AS_IT_COMES), ""), *_pair(pair.get(TUNED), engine)]
        for (scene, quantity, engine), pair in rows.items()
    ]
    columns = ["scene", "what", "peer", "**as they come:** Sharnir", "peer", "Sharnir / peer"]
    columns += ["**tuned:** Sharnir", "peer", "Sharnir / peer"]
    rule = (
        "Less is better everywhere. As they come: each engine with its default settings but for the step. Tuned: each "
        "engine's best of several settings, which its user must know to look for. In brackets: how exact it was. "
        "Figures within 2 % count as level, and a joint gap below a micrometre as none: joint coordinates, as MuJoCo "
        "has them, leave no gap at all."
    )
    return f"## All comparisons\n\n{rule}\n\n{_table(columns, table)}" if table else ""


def _engine(peer: str) -> str:
    return peer.split()[0].rstrip(",")


def _pair(c: dict[str, Any] | None, engine: str) -> list[str]:
    """Ours, theirs and the ratio in one kind of settings; the settings that won beside the peer's figure."""
    if c is None:
        return ["–"] * 3
    which = c["peer"].removeprefix(engine).strip(" ,") if engine else ""
    ours = _value(c["ours"], c["unit"]) + _in_brackets(c["our_error"])
    theirs = _value(c["theirs"], c["unit"]) + _in_brackets(", ".join(filter(None, (which, c["their_error"]))))
    return [ours, theirs, _ratio(c)]


def _in_brackets(said: str) -> str:
    return f" ({said})" if said else ""


def _lost(found: list[dict[str, Any]]) -> str:
    """What a peer does better, the worst first."""
    lost = sorted((c for c in found if c["lost"]), key=_share, reverse=True)
    title = "## Where we lose"
    if not lost:
        return f"{title}\n\nIn none of the {len(found)} comparisons is a peer ahead."
    rows = [
        [
            c["scene"],
            c["quantity"],
            c["settings"],
            c["peer"],
            _value(c["ours"], c["unit"]) + _in_brackets(c["our_error"]),
            _value(c["theirs"], c["unit"]) + _in_brackets(c["their_error"]),
            _ratio(c),
        ]
        for c in lost
    ]
    columns = ("scene", "what", "settings", "who is ahead", "Sharnir", "peer", "Sharnir / peer")
    return f"{title}\n\nIn {len(lost)} of {len(found)} comparisons a peer is ahead:\n\n{_table(columns, rows)}"


def _limits(sections: dict[str, Any]) -> str:
    """The limits that were set, and whether they were kept."""
    bars = [bar for group in sections.values() for section in group for bar in section["bars"]]
    missed = [bar for bar in bars if not bar["met"]]
    rows = [[bar["what"], _plain(bar["value"]), _plain(bar["limit"]), bar["unit"]] for bar in missed]
    told = f"Of {len(bars)} limits that this project has set itself, {len(bars) - len(missed)} are kept"
    return f"## Limits\n\n{told}" + (f"; not these:\n\n{_table(('', 'is', 'limit', ''), rows)}" if rows else ".")


def _approached(sections: dict[str, Any]) -> str:
    """How far steps of the direct solver are from what no such step can be faster than."""
    told = [section["data"].get(PASS, {}) for group in sections.values() for section in group]
    rows = [
        [
            scene,
            f"{found['bytes'] / 1000:.0f}",
            f"{found['us']:.1f}",
            f"{found['us_per_step']:.1f}",
            f"{found['us_per_step'] / found['us']:.0f}",
        ]
        for passes in told
        for scene, found in passes.items()
    ]
    if not rows:
        return ""
    rule = (
        "However few operations a step of the direct solver had, it would have to bring the factors of its matrix from "
        "memory once. How long a copy of as many bytes takes on this machine:"
    )
    columns = ("scene", "factors, kB", "one pass, µs", "a step, µs", "passes in a step")
    return f"## The limit that a step approaches\n\n{rule}\n\n{_table(columns, rows)}"


def _pictures(sections: dict[str, Any], folder: Path) -> list[str]:
    """Draw what there are numbers for."""
    parts, place = [], folder / "pictures"
    if "accuracy" in sections:
        draw_accuracy(sections["accuracy"][0]["data"], place / "bench-accuracy.png")
        parts.append(
            "## Error against time\n\n![Relative error against processor time, one panel per problem]"
            "(pictures/bench-accuracy.png)\n\nLower left is better. Dashed: settings that a user of that engine must "
            "know to look for."
        )
    if "ropes" in sections:
        draw_ropes(sections["ropes"][0]["data"], place / "bench-ropes.png")
        parts.append("![Time of each engine for one second of a rope's swing](pictures/bench-ropes.png)")
    if "chain" in sections:
        draw_sizes(sections["chain"][-1]["data"]["us_per_step"], place / "bench-sizes.png")
        parts.append("## Time against size\n\n![Time of a step against the links of a chain](pictures/bench-sizes.png)")
    return parts


def section_text(section: dict[str, Any]) -> str:
    """A section's table and notes as Markdown."""
    notes = "\n".join(f"- {note}" for note in section["notes"])
    return f"## {section['title']}\n\n{_table(section['columns'], section['rows'])}\n\n{notes}"


def _gpu(result: dict[str, Any]) -> str:
    speeds = [[name, f"{rate / 1e6:.2f}"] for name, rate in result["world-steps per second"].items()]
    speeds += [
        [f"{name}, its defaults", f"{rate / 1e6:.2f}"] for name, rate in result["peer"].items() if name != "missing"
    ]
    robots, batches = result["robots"], result["batches"]
    one = robots[0]
    rates = [[str(r["iterations"]), f"{r['robot-steps per second'] / 1e6:.2f}", str(r["stopped"])] for r in robots]
    ropes = [
        [
            "falls on the ground and on itself" if r["on the ground"] else "carries a ball",
            str(r["ropes"]),
            f"{r['rope-steps per second'] / 1e6:.2f}",
            f"{1e6 * r['from double precision, m']:.1f}",
        ]
        for r in result["ropes"]
    ]
    columns = ("a rope of 20 elements", "ropes", "million rope-steps per second", "off double precision, µm")
    return (
        f"## On a GPU\n\n{result['device']}, {result['worlds']} worlds, a chain of 32 ball joints with friction:\n\n"
        f"{_table(('', 'million world-steps per second'), speeds)}\n\n"
        f"{one['robots']} of KRT-100 with its trailer ({one['bodies']} bodies, {one['joints']} joints, all loops "
        f"closed) on rough terrain, float32:\n\n"
        f"{_table(('iterations, at most', 'million robot-steps per second', 'stopped by a fault'), rates)}\n\n"
        f"{_table(columns, ropes)}\n\n"
        f"A world gives the same bits alone and in a batch: {'yes' if batches['same bits'] else 'NO'}."
    )


# --- cells ------------------------------------------------------------------------------------------------------------


def _share(c: dict[str, Any]) -> float:
    if c["ours"] is None:
        return float("inf")
    return c["ours"] / c["theirs"] if c["theirs"] else float("inf")


def _ratio(c: dict[str, Any]) -> str:
    if c["ours"] is None or c["theirs"] is None or c["theirs"] == 0:
        return "–"
    return f"{c['ours'] / c['theirs']:.2g}"


def _value(value: float | None, unit: str) -> str:
    if value is None:
        return "does not get there"
    return f"{value:.0f} {unit}" if value >= 1000 else f"{value:.3g} {unit}"


def _plain(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def main() -> None:
    """Write the page again from numbers that were measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("--numbers", type=Path, default=Path("out/bench.json"))
    parser.add_argument("--page", type=Path, default=DOCS, help="the folder it goes to")
    arguments = parser.parse_args()
    print(write_page(arguments.numbers, arguments.page))


if __name__ == "__main__":
    main()
