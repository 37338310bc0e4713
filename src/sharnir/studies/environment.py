"""What the last digits of a result depend on: versions, processor, kernels. A mismatch is refused by name."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..errors import SceneError

WORDS = {
    "sharnir": "the version of Sharnir",
    "numpy": "the version of numpy",
    "warp-lang": "the version of Warp",
    "cpu": "the processor",
    "kernels": "the kind of kernels (SHARNIR_KERNELS)",
    "device": "the device",
}


def environment(device: str = "cpu") -> dict[str, str]:
    """This process: versions and processor."""
    from .. import __version__

    return {
        "sharnir": __version__,
        "numpy": _version("numpy"),
        "warp-lang": _version("warp-lang"),
        "cpu": cpu_name(),
        "device": device if device == "cpu" else _gpu(device),
    }


def check_alike(here: Mapping[str, object], there: Mapping[str, object], where: str, remedy: str) -> None:
    """Refuse what would give other digits, by its name and both values."""
    for name, words in WORDS.items():
        if here.get(name) != there.get(name):
            raise SceneError(
                f"{words} {where} is {there.get(name)}, here it is {here.get(name)}, so digits would differ; {remedy}"
            )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _gpu(device: str) -> str:
    from ..device import load_warp, resolve_device

    return str(load_warp().get_device(resolve_device(device)).name)


def cpu_name() -> str:
    """The processor, as the system calls it."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
