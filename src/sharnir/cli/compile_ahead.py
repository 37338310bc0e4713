"""Compile the general kernels ahead of time: ``python -m sharnir.cli.compile_ahead``.

All of them go into ``kernels/`` of the package and from there into a wheel; with ``--examples`` those that the examples
need go into the cache, so that ``SHARNIR_KERNELS=general`` finds them there.
"""

from __future__ import annotations

import argparse
import time

from ..device import core_count
from ..dynamics.ahead import PRECISION, all_kernels, compile_all, remove_others
from ..dynamics.compiled import PACKAGED, Wanted, cache_folder
from ..model.compile import compile_scene


def kernels_of_examples() -> list[Wanted]:
    """What all examples need together, the largest first."""
    from ..experiment import list_examples, load_example

    needed = set()
    for name in list_examples():
        experiment = load_example(name)
        solver = experiment.settings.get("solver", "direct")
        integrator = experiment.settings.get("integrator", "leapfrog")
        features = compile_scene(experiment.scene, solver, integrator, general=True).features
        needed.add(Wanted.of("step", PRECISION, features))
    return [wanted for wanted in all_kernels() if wanted.kind != "step" or wanted in needed]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compile the general kernels ahead of time.")
    parser.add_argument("--examples", action="store_true", help="only those of the examples, into the cache")
    parser.add_argument("--jobs", type=int, default=core_count(), help="how many at a time; all cores if not given")
    options = parser.parse_args()
    folder = cache_folder() if options.examples else PACKAGED
    kernels = kernels_of_examples() if options.examples else all_kernels()
    begun = time.monotonic()
    for wanted, left in compile_all(kernels, folder, options.jobs):
        print(f"{time.monotonic() - begun:4.0f} s  compiled {wanted.described}; {left} to go", flush=True)
    if not options.examples:
        remove_others(kernels, folder)
    size = sum(file.stat().st_size for file in folder.glob("*.o"))
    print(f"{len(kernels)} kernels are in {folder} ({size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
