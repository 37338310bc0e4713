"""All benchmarks, or one: ``python -m benchmarks --only chain --quick``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rich.console import Console

from . import accuracy, chain, contacts, control, elements, ropes, solvers, startup, vehicles
from .report import machine

BENCHMARKS = {
    "chain": chain.run,
    "solvers": solvers.run,
    "elements": elements.run,
    "contacts": contacts.run,
    "ropes": ropes.run,
    "control": control.run,
    "vehicles": vehicles.run,
    "accuracy": accuracy.run,
    "startup": startup.run,
}


def main() -> int:
    """Run, print, and write the numbers; a bar that is not met is shown, and is no failure of the run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", choices=BENCHMARKS, help="run this benchmark alone")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter blocks: seconds instead of a minute")
    parser.add_argument("--out", type=Path, default=Path("out/bench.json"), help="where the numbers go")
    arguments = parser.parse_args()
    chosen = [arguments.only] if arguments.only else list(BENCHMARKS)
    here = machine()
    Console().print(f"{here['cpu']}, {here['cores']} cores, Python {here['python']}\n")
    result: dict[str, object] = {"machine": here, "quick": arguments.quick}
    for name in chosen:
        sections = BENCHMARKS[name](arguments.quick)
        for section in sections:
            section.show()
        result[name] = [section.as_dict() for section in sections]
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    Console().print(f"written to {arguments.out}")
    return 0
