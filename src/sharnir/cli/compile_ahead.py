"""Compile the general kernels ahead of time: ``python -m sharnir.cli.compile_ahead``.

All of them go into ``kernels/`` of the package and from there into a wheel; with ``--examples`` those that the examples
need go into the cache, so that ``SHARNIR_KERNELS=general`` finds them there, with ``--tests`` what most tests need.
"""

from __future__ import annotations

import argparse
import time

from ..device import core_count
from ..dynamics.ahead import PRECISION, all_kernels, compile_all, remove_others
from ..dynamics.compiled import PACKAGED, Wanted, cache_folder
from ..model.compile import compile_scene
from ..model.features import ALL_SHAPES
from ..model.sensors import sensor_arrays
from ..simulation.sampling import kinds_of


def kernels_of_examples() -> list[Wanted]:
    """What all examples need together, the largest first."""
    from ..experiment import list_examples, load_example

    needed = {Wanted.of("measure", PRECISION, ALL_SHAPES)}
    for name in list_examples():
        experiment = load_example(name)
        solver = experiment.settings.get("solver", "direct")
        integrator = experiment.settings.get("integrator", "leapfrog")
        compiled = compile_scene(experiment.scene, solver, integrator, general=True)
        kinds = ["step", *kinds_of(*sensor_arrays(experiment.scene, experiment.dt, compiled.twists))]
        kinds += ["distances"] if compiled.counts["ray"] else []
        needed |= {Wanted.of(kind, PRECISION, compiled.features) for kind in kinds}
    return [wanted for wanted in all_kernels() if wanted in needed]


def kernels_of_tests() -> list[Wanted]:
    """The steps of the examples, and everything that senses: what else tests need they compile themselves."""
    needed = set(kernels_of_examples())
    return [wanted for wanted in all_kernels() if wanted.kind != "step" or wanted in needed]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compile the general kernels ahead of time.")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--examples", action="store_true", help="only those of the examples, into the cache")
    only.add_argument("--tests", action="store_true", help="only those of most tests, into the cache")
    parser.add_argument("--jobs", type=int, default=core_count(), help="how many at a time; all cores if not given")
    options = parser.parse_args()
    into_wheel = not (options.examples or options.tests)
    folder = PACKAGED if into_wheel else cache_folder()
    kernels = all_kernels() if into_wheel else kernels_of_tests() if options.tests else kernels_of_examples()
    begun = time.monotonic()
    for wanted, left in compile_all(kernels, folder, options.jobs):
        print(f"{time.monotonic() - begun:4.0f} s  compiled {wanted.described}; {left} to go", flush=True)
    if into_wheel:
        remove_others(kernels, folder)
    size = sum(file.stat().st_size for file in folder.glob("*.o"))
    print(f"{len(kernels)} kernels are in {folder} ({size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
