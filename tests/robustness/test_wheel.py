"""A wheel moves every example on an empty cache without a compiler; the special kernel comes from the background.

The wheel is built from a copy of the checkout with its kernels (`make wheel` does the same in place) and unpacked into
a folder of its own, which hides the checkout; other packages are those of the tests. It holds the kernels that the
examples need, which `make test` has compiled ahead; SHARNIR_SLOW=1 puts all of them in, minutes of processor time.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from sharnir.cli.compile_ahead import kernels_of_examples
from sharnir.dynamics.ahead import all_kernels, compile_all
from sharnir.dynamics.compiled import meta_file

pytest.importorskip("hatchling")
KERNELS = all_kernels() if os.environ.get("SHARNIR_SLOW") else kernels_of_examples()
ROOT = Path(__file__).parent.parent.parent
TRAVEL = ("src", "examples", "packaging", "pyproject.toml", "README.md", "LICENSE")
LONGEST = 1200.0  # s that the background may take: it has the lowest priority, and the machine may be busy

MOVE_ALL = """
import json, subprocess, sys
import numpy as np
import sharnir
from sharnir.dynamics import compiled
from sharnir.experiment import list_examples, load_example
from sharnir.simulation.simulation import Simulation

asked = []
def refuse(wanted, into=None, background=False):  # no compiler may run while somebody waits
    assert background, wanted.described
    asked.append(wanted.described)
    return subprocess.Popen([sys.executable, "-c", ""])
compiled.compile_apart = refuse

moved, kernels = {}, set()
for name in list_examples():
    example = load_example(name)
    simulation = Simulation(example.scene, dt=example.dt, **example.settings)
    kernels.add(simulation.kernels)
    before = simulation.snapshot().arrays["state"]
    moved[name] = 0.0
    while moved[name] == 0.0 and simulation.time < example.time:  # some wait for a while
        simulation.run(20 * example.dt, **example.inputs)
        after = simulation.snapshot().arrays["state"]
        moved[name] = max(float(np.abs(after[key] - before[key]).max(initial=0.0)) for key in after)
json.dump({"from": sharnir.__file__, "moved": moved, "kernels": sorted(kernels), "asked": asked}, sys.stdout)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of this checkout, with kernels in it."""
    tree = tmp_path_factory.mktemp("tree")
    for name in TRAVEL:
        source = ROOT / name
        ignored = shutil.ignore_patterns("__pycache__", "kernels")
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=ignored)
        else:
            shutil.copy(source, tree / name)
    folder = tree / "src/sharnir/kernels"
    for _ in compile_all(KERNELS, folder, os.cpu_count() or 1):
        pass
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "made"], cwd=tree, check=True)
    return next((tree / "made").glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to import it from."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    return folder


def call(installed: Path, cache: Path, kernels: str, *arguments: str) -> str:
    """What a program prints that finds Sharnir there, and a cache of its own."""
    environment = os.environ | {
        "PYTHONPATH": str(installed),
        "WARP_CACHE_PATH": str(cache),
        "SHARNIR_KERNELS": kernels,
    }
    return subprocess.run(
        [sys.executable, "-P", *arguments], env=environment, check=True, capture_output=True, text=True, cwd=installed
    ).stdout


def test_the_wheel_holds_every_kernel_and_says_for_which_machine(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = [Path(name).name for name in packed.namelist()]
    for wanted in KERNELS:
        assert meta_file(Path(), wanted.name).name in names, wanted.described
    assert len([name for name in names if name.endswith(".o")]) == len(KERNELS)
    assert not wheel.name.endswith("-none-any.whl")


@pytest.mark.parametrize("kernels", ["general", "auto"])
def test_every_example_moves_without_a_compiler(installed: Path, tmp_path: Path, kernels: str) -> None:
    made = json.loads(call(installed, tmp_path, kernels, "-c", MOVE_ALL))
    assert Path(made["from"]).is_relative_to(installed)
    assert len(made["moved"]) > 20
    assert not [name for name, change in made["moved"].items() if not change > 0.0]
    assert not list(tmp_path.rglob("*.o"))  # nothing was compiled
    assert made["kernels"] == ["general"]
    assert bool(made["asked"]) == (kernels == "auto")  # the special ones, once each, for the next program


@pytest.mark.skipif(not os.environ.get("SHARNIR_SLOW"), reason="waits for a compilation: SHARNIR_SLOW=1")
def test_the_special_kernel_comes_from_the_background(installed: Path, tmp_path: Path) -> None:
    command = ("-m", "sharnir", "run", "door", "--json", "--out", str(tmp_path / "out"))
    cache = tmp_path / "cache"
    assert json.loads(call(installed, cache, "auto", *command))["kernels"] == "general"
    deadline = time.monotonic() + LONGEST
    while not list(cache.glob("*/sharnir/wp_sharnir_step_*.meta")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert json.loads(call(installed, cache, "auto", *command))["kernels"] == "special"
