"""Imports follow the arrow of the data, and the package is light to import."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import sharnir

SOURCE = Path(sharnir.__file__).parent
BASE = {"errors", "spatial", "__version__"}

# What each room may import from: itself, and these.
MAY_IMPORT = {
    "errors": set(),
    "spatial": set(),
    "device": {"errors"},
    "scene": BASE | {"control"},  # the scene file holds diagrams, panels and faults
    "control": BASE | {"scene"},
    "assemblies": BASE | {"scene", "record"},
    "model": BASE | {"scene", "device"},
    "dynamics": BASE | {"scene", "model", "device"},
    "record": BASE | {"scene", "model"},
    "inputs": BASE | {"scene", "model"},
    "parameters": BASE | {"scene", "model"},
    "rays": BASE | {"scene", "model", "dynamics", "device"},
    "taps": BASE | {"scene", "model", "dynamics", "device", "simulation"},
    "simulation": BASE
    | {"scene", "model", "dynamics", "record", "device", "inputs", "parameters", "rays", "taps", "control"},
    "reference": BASE | {"scene", "model", "record", "simulation"},
    "runtime": BASE | {"scene", "model", "control", "record", "simulation", "experiment"},
    "view": BASE
    | {
        "assemblies",
        "scene",
        "model",
        "control",
        "record",
        "simulation",
        "experiment",
        "runtime",
        "progress",
        "tables",
    },
    "experiment": BASE | {"scene", "record", "simulation", "progress", "tables"},
    "progress": set(),
    "tables": {"experiment"},
    "demo": BASE | {"experiment", "record", "tables", "view"},
    "doctor": BASE | {"device", "tables"},
    "cli": BASE
    | {"assemblies", "scene", "record", "reference", "experiment", "progress", "tables", "doctor", "view"}
    | {"demo"},
    "__main__": {"cli"},
}


def rooms_imported(file: Path) -> set[str]:
    """The rooms of the package that a file imports, at its top or inside its functions."""
    inside = file.relative_to(SOURCE).parts
    package = list(inside[:-1])
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            path = package[: len(package) - node.level + 1] + (node.module or "").split(".")
            path = [part for part in path if part]
            found |= {path[0]} if path else {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sharnir"):
            found.add((node.module or "").removeprefix("sharnir.").split(".")[0])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("sharnir.")}
    return found


FILES = [file for file in sorted(SOURCE.rglob("*.py")) if file.name != "__init__.py" or file.parent != SOURCE]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_imports_follow_the_arrow(file):
    room = file.relative_to(SOURCE).parts[0].removesuffix(".py")
    if room == "examples":
        pytest.skip("examples import the package from outside")
    assert rooms_imported(file) <= MAY_IMPORT[room] | {room}


def test_the_package_is_light_to_import():
    heavy = ["warp", "xarray", "pandas", "matplotlib", "scipy", "trimesh", "rich", "h5netcdf"]
    code = f"import sharnir, sys; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_every_public_name_can_be_imported():
    for name in sharnir.__all__:
        assert getattr(sharnir, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Robot'"):
        _ = sharnir.Robot
