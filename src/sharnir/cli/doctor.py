"""``sharnir doctor``: what this machine has, what is missing, and the command that installs it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from .. import __version__
from ..device import core_count, load_warp
from ..scene.values import Plain

State = Literal["ok", "absent", "missing"]  # absent: not needed for simulating

OLDEST_PYTHON = (3, 11)
NEEDED = ("numpy", "msgspec", "PyYAML", "xarray", "h5netcdf", "h5py", "trimesh", "matplotlib", "rich")
EXTRAS = {
    "dev": ("pytest", "pytest-xdist", "hypothesis", "jsonschema", "ruff", "mypy"),
    "bench": ("mujoco", "pybullet", "exudyn"),
}


@dataclass(frozen=True)
class Finding:
    """One thing looked at: what it is, how it stands, and the remedy where there is one."""

    what: str
    state: State
    found: str
    remedy: str = ""

    def as_dict(self) -> Plain:
        """The finding for JSON."""
        return asdict(self)


def examine() -> list[Finding]:
    """Look at everything a simulation needs or could use."""
    needed = [_package(name, "missing", f"pip install {name}") for name in NEEDED]
    return [_python(), Finding("Sharnir", "ok", __version__), *_warp(), *needed, *_extras()]


def _python() -> Finding:
    found = f"{platform.python_version()} on {platform.system()} {platform.machine()}, {core_count()} cores"
    if sys.version_info < OLDEST_PYTHON:
        return Finding("Python", "missing", found, "install Python 3.11 or newer")
    return Finding("Python", "ok", found)


def _warp() -> list[Finding]:
    try:
        warp = load_warp()
    except Exception as error:  # a broken native library shows itself in many ways
        return [Finding("Warp", "missing", f"cannot be loaded: {error}", "pip install --force-reinstall warp-lang")]
    gpus = [device for device in warp.get_devices() if device.is_cuda]
    processor = platform.processor() or platform.machine()
    findings = [Finding("Warp", "ok", str(warp.__version__)), Finding("device cpu", "ok", processor)]
    for gpu in gpus:
        findings.append(Finding(f"device {gpu.alias}", "ok", f"{gpu.name}, {gpu.total_memory / 2**30:.0f} GiB"))
    if not gpus:
        remedy = "for many worlds on an NVIDIA GPU, install its driver"
        findings.append(Finding("device cuda", "absent", "no NVIDIA GPU with a driver", remedy))
    return [*findings, _kernel_cache(Path(warp.config.kernel_cache_dir))]


def _kernel_cache(folder: Path) -> Finding:
    # not rglob: it stops where a folder has gone that another program, which compiles, has just finished with
    sizes = [_size(Path(at) / name) for at, _, names in os.walk(folder) for name in names]
    found = f"{folder}, {sum(sizes) / 2**20:.1f} MiB"
    if not sizes:
        return Finding("kernel cache", "ok", f"{folder}, empty", "the first run of a scene compiles its kernels, once")
    return Finding("kernel cache", "ok", found)


def _package(name: str, state_if_not: State, remedy: str) -> Finding:
    try:
        return Finding(name, "ok", importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, state_if_not, "not installed", remedy)


def _extras() -> list[Finding]:
    return [
        _package(name, "absent", f"pip install 'sharnir[{extra}]'") for extra, names in EXTRAS.items() for name in names
    ]


def print_findings(findings: list[Finding]) -> None:
    """Print the findings as a table, then one line that sums them up."""
    from rich.text import Text

    from .terminal import print_table

    marks = {"ok": Text("ok", "green"), "absent": Text("absent", "dim"), "missing": Text("MISSING", "bold red")}
    rows = [(finding.what, marks[finding.state], finding.found, finding.remedy) for finding in findings]
    print_table("Sharnir doctor", ("what", "", "found", "remedy"), rows)
    missing = [finding for finding in findings if finding.state == "missing"]
    print()
    if not missing:
        print("Everything a simulation needs is here.")
    for finding in missing:
        print(f"{finding.what} is missing: {finding.remedy}")


def _size(file: Path) -> int:
    """Bytes of a file; 0 if another program that compiles has just moved it away."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0
