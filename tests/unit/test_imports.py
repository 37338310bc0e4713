"""Imports follow the arrow of the data, and the package is light to import."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import sharnir

SOURCE = Path(sharnir.__file__).parent
BASE = {"errors", "spatial", "__version__"}

# What each package may import from as it is loaded: itself, and these. No two packages may import each other.
MAY_IMPORT = {
    "errors": set(),
    "spatial": set(),
    "__version__": set(),
    "device": BASE,
    "scene": BASE,
    "control": BASE | {"scene"},
    "files": BASE | {"scene", "control"},
    "importing": BASE | {"scene"},
    "model": BASE | {"scene", "device"},
    "dynamics": BASE | {"scene", "model", "device"},
    "quantities": BASE | {"scene", "model", "device"},
    "record": BASE | {"scene", "model", "files", "quantities", "device"},
    "assemblies": BASE | {"scene", "record"},
    "watching": BASE | {"scene", "model", "dynamics", "quantities", "device"},
    "simulation": BASE | {"scene", "model", "dynamics", "record", "device", "quantities", "watching"},
    "experiment": BASE | {"scene", "record"},
    "reference": BASE | {"scene", "model", "quantities", "record", "simulation"},
    "analysis": BASE | {"scene", "model", "quantities", "reference"},
    "runtime": BASE | {"scene", "model", "control", "files", "quantities", "record", "simulation", "experiment"},
    "view": BASE | {"assemblies", "scene", "model", "control", "record", "experiment", "runtime"},
    "studies": BASE
    | {"scene", "device", "dynamics", "files", "record", "simulation", "experiment", "model", "reference"},
    "constructor": BASE | {"assemblies", "scene", "control", "files", "importing", "quantities", "runtime", "view"},
    "cli": BASE
    | {
        "assemblies",
        "constructor",
        "dynamics",
        "model",
        "device",
        "scene",
        "files",
        "importing",
        "simulation",
        "record",
        "reference",
        "experiment",
        "runtime",
        "studies",
        "view",
    },
    "__main__": {"cli"},
}

# What a package may import besides, inside a function or for types alone: conveniences that lead up the layers.
LATE = {
    "errors": {"record"},  # a type
    "scene": {"analysis", "control", "importing", "quantities"},  # types; freedoms, save, load, declarations
    "importing": {"files"},  # Scene.load and save of a scene file
    "quantities": {"simulation"},  # a type
    # sim.mass_matrix and its like; sim.controller, scene.diagram; sim.vary; sim.picture
    "simulation": {"analysis", "control", "studies", "view"},
    "analysis": {"device", "simulation"},  # types
    "runtime": {"device"},  # a type
    "view": {"simulation"},  # a type
    "experiment": {"simulation", "cli"},  # experiment.run and show
}


@cache
def packages_imported(file: Path) -> tuple[set[str], set[str]]:
    """The packages that a file imports as it is loaded, and those it imports later or for types alone."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    late = {id(node) for part in ast.walk(tree) if _is_late(part) for node in ast.walk(part)}
    found: tuple[set[str], set[str]] = (set(), set())
    for node in ast.walk(tree):
        found[id(node) in late].update(_packages(node, list(file.relative_to(SOURCE).parts[:-1])))
    return found


def _is_late(node: ast.AST) -> bool:
    """A function, or what is only read by type checkers."""
    is_for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    return is_for_types or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))


def _packages(node: ast.AST, package: list[str]) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom) and node.level:
        path = package[: len(package) - node.level + 1] + (node.module or "").split(".")
        path = [part for part in path if part]
        yield from path[:1] or (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sharnir"):
        yield (node.module or "").removeprefix("sharnir.").split(".")[0]
    elif isinstance(node, ast.Import):
        yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("sharnir."))


FILES = [file for file in sorted(SOURCE.rglob("*.py")) if file.name != "__init__.py" or file.parent != SOURCE]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_imports_follow_the_arrow(file):
    package = file.relative_to(SOURCE).parts[0].removesuffix(".py")
    if package == "examples":
        pytest.skip("examples import the package from outside")
    at_once, later = packages_imported(file)
    assert at_once <= MAY_IMPORT[package] | {package}
    assert later <= MAY_IMPORT[package] | {package} | LATE.get(package, set())


def test_no_two_packages_lead_to_each_other():
    order = list(TopologicalSorter(MAY_IMPORT).static_order())  # raises CycleError with the packages in a cycle
    assert set(order) == set(MAY_IMPORT)


def test_no_module_name_is_used_twice():
    names = [file.name for file in FILES if file.name != "__init__.py"]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_every_arrow_is_used():
    used = {package: set() for package in MAY_IMPORT}
    for file in FILES:
        package = file.relative_to(SOURCE).parts[0].removesuffix(".py")
        if package != "examples":
            used[package] |= set.union(*packages_imported(file))
    unused = {package: (may | LATE.get(package, set())) - used[package] - BASE for package, may in MAY_IMPORT.items()}
    assert {package: packages for package, packages in unused.items() if packages} == {}


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
