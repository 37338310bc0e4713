"""The general kernels, compiled before anyone needs them: they travel in the wheel (``make wheel``)."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ..model.features import ALL_SHAPES, CONTACT_KINDS, Features
from ..model.integrator import INTEGRATORS, LEAPFROG, Integrator
from .compiled import KINDS, Wanted, cache_folder, compile_apart, meta_file
from .compiling import put_files

PRECISION = "float64"
LOOK_EVERY = 0.05  # s
NOTHING_YET = replace(ALL_SHAPES, contact_kinds=frozenset(), general=False)


def general_features() -> Iterator[Features]:
    """Of all general kernels, the largest first: every solver, integrator and size that a scene can ask for."""
    schemes = [scheme for scheme in INTEGRATORS.values() if not scheme.fourth_order]
    for size in ("ropes", "contacts", "mechanisms"):
        for integrator in schemes:
            for direct in (True, False):
                if size != "ropes" or integrator.moves_ropes:
                    yield from _of_size(size, integrator, direct)
    yield from _of_size("mechanisms", replace(LEAPFROG, fourth_order=True), direct=True)


def _of_size(size: str, integrator: Integrator, direct: bool) -> Iterator[Features]:
    kinds = frozenset(CONTACT_KINDS if size == "contacts" else ())
    given = replace(NOTHING_YET, ropes=size == "ropes", contact_kinds=kinds, direct=direct)
    made = replace(given, integrator=integrator, fourth_order=integrator.fourth_order).generalised()
    if direct:  # with contacts rows always know the whole mechanism, without them where it is small enough
        yield replace(made, reach=True, together=made.contacts)
    if not (direct and made.contacts):
        yield made
    if direct and made.friction and not made.contacts:  # long trees
        yield replace(made, held=True)


def all_kernels() -> list[Wanted]:
    """All that a scene can need, whatever is in it."""
    steps = [Wanted("step", PRECISION, features) for features in general_features()]
    return steps + [Wanted.of(kind, PRECISION, ALL_SHAPES) for kind in KINDS if kind != "step"]


def compile_all(kernels: Iterable[Wanted], folder: Path, jobs: int) -> Iterator[tuple[Wanted, int]]:
    """Compile what neither a folder nor the cache has, several at a time; yields each and how many are left."""
    missing = [wanted for wanted in kernels if not (_is_in(folder, wanted) or _taken_from_cache(folder, wanted))]
    running: dict[subprocess.Popen[bytes], Wanted] = {}
    while missing or running:
        while missing and len(running) < jobs:
            wanted = missing.pop(0)
            running[compile_apart(wanted, into=folder)] = wanted
        time.sleep(LOOK_EVERY)
        for child in [child for child in running if child.poll() is not None]:
            wanted = running.pop(child)
            if child.returncode != 0:
                raise RuntimeError(f"{wanted.described} could not be compiled:\n{child.communicate()[1].decode()}")
            yield wanted, len(missing) + len(running)


def _is_in(folder: Path, wanted: Wanted) -> bool:
    return meta_file(folder, wanted.name).is_file()


def _taken_from_cache(folder: Path, wanted: Wanted) -> bool:
    """Copy an object that the cache has by this name; returns whether it has."""
    if not _is_in(cache_folder(), wanted):
        return False
    put_files(cache_folder().glob(f"{meta_file(folder, wanted.name).stem}.*"), folder, wanted)
    return True


def remove_others(kernels: Iterable[Wanted], folder: Path) -> None:
    """Remove objects that are not among these: of another source, or another Warp."""
    needed = {meta_file(folder, wanted.name).stem for wanted in kernels}
    for file in folder.glob("wp_sharnir_*"):
        if file.name.partition(".")[0] not in needed:
            file.unlink()
