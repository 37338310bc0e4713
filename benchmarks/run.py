"""All benchmarks, or single ones: python -m benchmarks --only chain --only startup --quick

What is made by --only or --quick goes to out/, with a page of its own. 'startup' measures an installation where
'make wheel' has left one in dist/.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from rich.console import Console

from . import (
    accuracy,
    cassie,
    chain,
    contacts,
    control,
    elements,
    identification,
    ropes,
    solvers,
    startup,
    studies,
    vehicles,
)
from .page import DOCS, write_page
from .report import machine

BENCHMARKS = {
    "chain": chain.run,
    "solvers": solvers.run,
    "elements": elements.run,
    "contacts": contacts.run,
    "ropes": ropes.run,
    "cassie": cassie.run,
    "control": control.run,
    "vehicles": vehicles.run,
    "accuracy": accuracy.run,
    "startup": startup.run,
    "studies": studies.run,
    "identification": identification.run,
}


def main() -> int:
    """Run, print, write the numbers and the page; a bar that is not met is shown, and is no failure of the run."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", choices=BENCHMARKS, action="append", help="run this benchmark alone (may be repeated)"
    )
    parser.add_argument("--quick", action="store_true", help="fewer and shorter blocks, for trying")
    parser.add_argument("--out", type=Path, default=Path("out/bench.json"), help="where the numbers go")
    parser.add_argument("--page", type=Path, help="where the page goes (docs; out with --quick or --only)")
    arguments = parser.parse_args()
    chosen = arguments.only or list(BENCHMARKS)
    partial = arguments.quick or arguments.only
    begun, here = time.perf_counter(), machine()
    Console().print(f"{here['cpu']}, {here['cores']} cores, Python {here['python']}\n")
    sections: dict[str, object] = {}
    for name in chosen:
        found = BENCHMARKS[name](arguments.quick)
        for section in found:
            section.show()
        sections[name] = [section.as_dict() for section in found]
    minutes = (time.perf_counter() - begun) / 60
    result = {"machine": here, "quick": arguments.quick, "minutes": minutes, "sections": sections}
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    written = write_page(arguments.out, arguments.page or (arguments.out.parent if partial else DOCS))
    Console().print(f"{minutes:.1f} minutes; numbers in {arguments.out}, page in {written}")
    return 0
