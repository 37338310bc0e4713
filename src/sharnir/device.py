"""Warp, loaded quietly: no banner, and no notice about a missing GPU that the user can do nothing about."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Protocol

from .errors import SceneError, nearest
from .spatial import Array

NO_DRIVER = "Could not find or load the NVIDIA CUDA driver"


class WarpDevice(Protocol):
    """Where an array lies."""

    is_cpu: bool


class WarpArray(Protocol):
    """An array on a device, as Warp has it, which comes without types."""

    size: int
    ndim: int
    shape: tuple[int, ...]
    device: WarpDevice

    def numpy(self) -> Array: ...
    def assign(self, src: Array) -> None: ...
    def __getitem__(self, place: int) -> WarpArray: ...


class Table(Protocol):
    """A struct of arrays that kernels take; ``model/fields.py`` says which."""

    def __getattr__(self, name: str) -> WarpArray: ...


class Launch(Protocol):
    """A launch of a kernel, recorded."""

    def launch(self) -> None: ...
    def set_param_at_index(self, index: int, value: int) -> None: ...


@cache
def load_warp() -> Any:
    """The initialised ``warp`` module."""
    import warp as wp

    wp.config.log_level = wp.LOG_ERROR
    with _without_notice(NO_DRIVER):
        wp.init()
    return wp


@contextmanager
def _without_notice(text: str) -> Iterator[None]:
    """Hold back what native code writes to standard error, and pass on every line but those with the text."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as held:
        real = os.dup(2)
        os.dup2(held.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(real, 2)
            os.close(real)
            held.seek(0)
            for line in held.read().decode(errors="replace").splitlines():
                if text not in line:
                    print(line, file=sys.stderr)


def device_names() -> list[str]:
    """The devices a simulation can run on: ``cpu``, and ``cuda:0`` and so on where there are any."""
    return [str(device) for device in load_warp().get_devices()]


def resolve_device(name: str) -> str:
    """The full name of a device; ``cuda`` means the first GPU."""
    known = device_names()
    wanted = "cuda:0" if name == "cuda" else name
    if wanted not in known:
        raise SceneError(f"there is no device '{name}' here{nearest(name, known)} ('sharnir doctor' lists them)")
    return wanted


def core_count() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
