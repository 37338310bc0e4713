"""A process that compiles one kernel for the CPU: ``python -m sharnir.dynamics.compiling KERNEL CACHE``.

Of several that want the same kernel the first compiles it, and the others wait for it. In the background it runs at
the lowest priority, one at a time, and says nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
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


def build(wanted: Wanted, folder: Path, kept: Path) -> None:
    """Compile a kernel into a folder, or take it from those kept by content.

    Made of the same functions by the same compiler it has the same code, even if a comment was changed since.
    """
    from ..device import load_warp

    wp = load_warp()
    wp.config.use_precompiled_headers = False  # each process would make its own: 0.6 s for one kernel
    module = wanted.made(f"sharnir_{wanted.name}").module
    target = wp.get_cpu_kernel_cache_key(cpu_compiler_flags=wanted.flags)
    text = f"{module.get_module_hash(1).hex()} {wanted.flags} {target}"
    content = kept / "by_content" / hashlib.sha256(text.encode()).hexdigest()[:20]
    if not content.is_dir():
        content.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=content.parent))
        wp.compile_aot_module(module, device="cpu", module_dir=scratch)
        for source in scratch.glob("*.cpp"):  # megabytes that nobody reads
            source.unlink()
        with contextlib.suppress(OSError):  # another process was first
            scratch.rename(content)
    put_files(content.iterdir(), folder, wanted)


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
                build(wanted, folder, options.cache)
        lock.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
