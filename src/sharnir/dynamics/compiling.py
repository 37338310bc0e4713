"""A process that compiles one kernel for the CPU: ``python -m sharnir.dynamics.compiling KERNEL CACHE``.

Of several that want the same kernel the first compiles it, and the others wait for it. In the background it runs at
the lowest priority, one at a time, and says nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .compiled import Wanted, meta_file


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Wait until no other process holds this lock."""
    try:
        import fcntl
    except ImportError:  # Windows: two processes may compile the same
        yield
        return
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def build(wanted: Wanted, folder: Path) -> None:
    """Compile a kernel into a folder.

    Its name is all that tells it from others: Warp's hash of a module overlooks functions that are called from unrolled
    loops, so kernels of different scenes may have the same.
    """
    from ..device import load_warp

    wp = load_warp()
    wp.config.use_precompiled_headers = False  # each process would make its own: 0.6 s for one kernel
    module = wanted.made(f"sharnir_{wanted.name}").module
    with tempfile.TemporaryDirectory() as scratch:
        wp.compile_aot_module(module, device="cpu", module_dir=scratch)
        files = [file for file in Path(scratch).iterdir() if file.suffix != ".cpp"]  # megabytes that nobody reads
        put_files(files, folder, wanted)


def put_files(files: Iterable[Path], folder: Path, wanted: Wanted) -> None:
    """Copy the files of an object to where a kernel is looked for; what says that all are there comes last."""
    for file in sorted(files, key=lambda file: file.suffix == ".meta"):
        rest = file.name.partition(".")[2]  # after the name that it was first compiled for
        _put(file, meta_file(folder, wanted.name).with_suffix(f".{rest}"))


def _put(source: Path, target: Path) -> None:
    """Copy a file so that it is there as a whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.copyfile(source, part)
    part.replace(target)


def main() -> None:
    """Compile what the command line says, unless it is there by now."""
    parser = argparse.ArgumentParser(description="Compile one kernel")
    parser.add_argument("kernel", help="what to compile, as JSON")
    parser.add_argument("cache", type=Path, help="where compiled kernels are kept")
    parser.add_argument("--into", type=Path, help="the folder to put it in, if not there")
    parser.add_argument("--background", action="store_true", help="at low priority, one at a time")
    options = parser.parse_args()
    if options.background and hasattr(os, "nice"):
        os.nice(19)
    folder = options.into or options.cache
    with alone(options.cache / "background.lock") if options.background else contextlib.nullcontext():
        wanted = Wanted.from_text(options.kernel)
        lock = options.cache / f"{wanted.name}.lock"
        with alone(lock):
            if not meta_file(folder, wanted.name).is_file():
                build(wanted, folder)
        lock.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
