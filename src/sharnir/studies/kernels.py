"""Compiled kernels on their way to workers on other machines: files of Warp's cache, which are found there by name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ..device import load_warp
from ..dynamics.compiled import cache_folder

NEEDED = (".o", ".cubin", ".ptx", ".meta")  # the source beside them is not read again


def compiled_kernels() -> dict[str, bytes]:
    """The files of the kernels that this process has loaded, by their paths in the cache."""
    found: dict[str, bytes] = {}
    for binary in _binaries():
        stem, folder = binary.name.partition(".")[0], binary.parent
        home = folder.name if folder.parent == _cache() else cache_folder().name  # those of the wheel lie elsewhere
        for file in folder.glob(f"{stem}.*"):
            if file.suffix in NEEDED:
                found[f"{home}/{file.name}"] = file.read_bytes()
    return found


def install_kernels(files: Mapping[str, bytes]) -> None:
    """Lay kernels into the cache of this machine; those that are there already stay."""
    cache = _cache()
    for path, content in files.items():
        file = cache / path
        if file.exists():
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_name(f"{file.name}.{os.getpid()}")
        partial.write_bytes(content)
        partial.replace(file)  # another process may be about to load it


def _cache() -> Path:
    return Path(load_warp().config.kernel_cache_dir)


def _binaries() -> set[Path]:
    """What the kernels of this process were loaded from. Warp has no public list of its modules."""
    load_warp()
    from warp._src.context import user_modules

    ours = [module for name, module in user_modules.items() if "sharnir" in name]
    return {Path(loaded.binary_path) for module in ours for loaded in module.execs.values()}
