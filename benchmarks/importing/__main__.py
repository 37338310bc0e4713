"""``python -m benchmarks.importing``: the tables of the page on importing."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from . import __doc__ as about
from .beside import MEASURES
from .elsewhere import RIVALS
from .trying import PARTS, RAN, STILL, Tried, tried
from .wheels import version, wheels

Results = dict[str, dict[str, Tried]]  # by wheel and file
BARS = {what: 1e-8 if what == "forward dynamics" else 1e-9 for what in (*MEASURES, "inertia", "loops")}


def kept(path: Path) -> Results:
    """What earlier calls have done."""
    if not path.is_file():
        return {}
    saved = json.loads(path.read_text())
    return {wheel: {one["file"]: Tried(**one) for one in found} for wheel, found in saved.items()}


def keep(results: Results, path: Path) -> None:
    """Write all that is done."""
    path.parent.mkdir(parents=True, exist_ok=True)
    saved = {wheel: [asdict(one) for one in found.values()] for wheel, found in results.items()}
    path.write_text(json.dumps(saved, indent=1))


def counts(results: Results) -> str:
    """Loading and running as a table of the documentation."""
    lines = [f"| wheel | files | its own engine loads | of these Sharnir | Sharnir in all | {' | '.join(RIVALS)} "]
    lines[0] += "| moving, run for 2 s | nothing moves | same after YAML | same after URDF |"
    lines.append("|" + "---|" * 12)
    for wheel, by_file in results.items():
        found = list(by_file.values())
        theirs = [one for one in found if one.theirs]
        loaded = [one for one in found if one.loads]
        cells = [f"{wheel.replace(',', f' {version(wheel)},')}", len(found), len(theirs)]
        cells += [sum(one.loads for one in theirs), len(loaded)]
        cells += [sum(one.rivals.get(name, False) for one in found) if _all(found, "rivals") else "" for name in RIVALS]
        moving = [one for one in loaded if one.run and one.run != STILL]
        ran = sum(one.run == RAN for one in moving)
        cells += (
            [f"{ran} of {len(moving)}", sum(one.run == STILL for one in loaded)] if _all(loaded, "run") else [""] * 2
        )
        cells += [_same(loaded, "YAML"), _same(loaded, "URDF")] if _all(loaded, "trips") else [""] * 2
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def _same(loaded: list[Tried], way: str) -> str:
    tripped = [one.trips[way] for one in loaded if way in one.trips]
    return f"{tripped.count('')} of {len(tripped)}" if tripped else ""


def agreement(results: Results) -> str:
    """The comparisons as a table of the documentation."""
    shown = (*MEASURES, "loops")
    lines = [f"| wheel | compared | within the bars | {' | '.join(f'worst {what}' for what in shown)} |"]
    lines.append("|" + "---|" * (3 + len(shown)))
    for wheel, by_file in results.items():
        compared = [one for one in by_file.values() if one.differences]
        if not compared:
            continue
        near = [one for one in compared if all(value <= BARS[what] for what, value in one.differences.items())]
        cells = [wheel, f"{len(compared)}", f"{len(near)}"]
        cells += [f"{max(one.differences.get(what, 0.0) for one in compared):.0e}" for what in shown]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _all(found: list[Tried], part: str) -> bool:
    return bool(found) and all(part in one.done for one in found)


def exceptions(results: Results) -> str:
    """All that is not as it should be, line by line."""
    lines = []
    for wheel, by_file in results.items():
        for one in by_file.values():
            if one.theirs and not one.loads:
                lines.append(f"refused: {wheel}: {one.file}: {one.why}")
            if one.run not in ("", RAN, STILL):
                lines.append(f"fault: {wheel}: {one.file}: {one.run}")
            if one.loads and "compare" in one.done and one.skipped not in ("", STILL):
                lines.append(f"not compared: {wheel}: {one.file}: {one.skipped}")
            lines += [f"after {way}: {wheel}: {one.file}: {what}" for way, what in one.trips.items() if what]
            far = {what: f"{value:.1e}" for what, value in one.differences.items() if value > BARS[what]}
            if far:
                lines.append(f"differs: {wheel}: {one.file}: {far}")
    return "\n".join(lines)


def main() -> None:
    """Try what is asked for and not yet done, and print the tables of all that is."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.importing", description=about, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS, help="what to do with each robot")
    parser.add_argument("--only", default="", help="a part of the path of the robots to try")
    parser.add_argument("--again", action="store_true", help="also what was done before")
    parser.add_argument("--seconds", type=int, default=180, help="processor time of a robot")
    parser.add_argument("--most", type=int, default=10**6, help="robots to try in this call")
    parser.add_argument("--out", type=Path, default=Path("out/importing.json"))
    given = parser.parse_args()
    results, left = kept(given.out), given.most
    for wheel, (folder, files) in wheels().items():
        found = results.setdefault(wheel, {})
        for file in files:
            name = str(file.relative_to(folder))
            before = found.get(name)
            if given.only not in str(file) or left <= 0:
                continue
            if before is not None and given.again:
                before.done = [part for part in before.done if part not in given.parts]
            if before is not None and all(part in before.done for part in given.parts):
                continue
            left -= 1
            found[name] = tried(file, folder, given.parts, given.seconds, before)
            keep(results, given.out)
            print(found[name], flush=True)
    print(counts(results), agreement(results), exceptions(results), sep="\n\n")


if __name__ == "__main__":
    main()
