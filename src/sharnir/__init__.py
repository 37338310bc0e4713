"""Sharnir: articulated robots in real time. SI units, right-handed, z up, quaternions (x, y, z, w)."""

import re
from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

# Public names are listed once, in the stub beside this file, and each is loaded when it is first used: some bring in
# Warp or xarray, which take longer than all others together.
_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_MODULES = {name: module for module, name in re.findall(r"^from (\.\S+) import (\w+)", _STUB, re.MULTILINE)}
__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'sharnir' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULES[name], __name__), name)
    return found


def __dir__() -> list[str]:
    return __all__
