"""Device functions are short in arguments and say what they do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import sharnir

SOURCE = Path(sharnir.__file__).parent
MOST_ARGUMENTS = 8


def device_functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function that is compiled for the device, with where it stands."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
                if any(name.startswith(("wp.func", "wp.kernel", "func", "entry")) for name in decorators):
                    yield f"{path.relative_to(SOURCE)}: {node.name}", node


def test_no_device_function_takes_more_than_eight_arguments() -> None:
    found = {where: len(node.args.args) for where, node in device_functions()}
    assert len(found) > 700
    assert not {where: count for where, count in found.items() if count > MOST_ARGUMENTS}


def test_every_device_function_says_what_it_does() -> None:
    assert not [where for where, node in device_functions() if not ast.get_docstring(node)]


def test_pipeline_and_solvers_name_no_kind_of_row() -> None:
    """What they know of rows comes from ``rows/groups.py`` and ``rows/bounds.py``."""
    kinds = {path.stem for path in (SOURCE / "dynamics" / "rows").glob("*.py")}
    kinds -= {"__init__", "groups", "bounds", "joint_rows"}
    for path in [SOURCE / "dynamics" / "pipeline.py", *(SOURCE / "dynamics" / "solvers").glob("*.py")]:
        imported = {
            node.module.rsplit(".", 1)[-1]
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ImportFrom) and node.module and "rows." in node.module
        }
        assert not imported & kinds, path.name


def test_no_device_code_knows_an_integrator_by_name() -> None:
    from sharnir.model.integrator import INTEGRATORS

    for path in (SOURCE / "dynamics").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert node.value not in INTEGRATORS, path.name
