"""Does a change of the code change a bit of what it computes? The same scenes, moved by two trees on one machine.

    python -m benchmarks.golden                      the hashes of this tree
    python -m benchmarks.golden --against ../old     this tree against another checkout

Bits depend on the processor and on what its compiler makes of the kernels, so hashes are compared between two trees on
one machine and are never stored. Each scene is stepped a little, and all arrays of its state are hashed on the way; the
names of the arrays do not matter. Between them the scenes use all solvers, integrators, elements, ropes and contacts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SAMPLES, STEPS = 6, 10  # hashes of a scene, and the steps between two of them
SEQUENTIAL = {"solver": "sequential-impulses", "iterations": 20}
EULER = {"integrator": "semi-implicit-euler"}

# name -> example, further settings of its simulation
SCENES: dict[str, tuple[str, dict[str, Any]]] = {
    "pendulum": ("first_hinge", {}),
    "pendulum, fourth order": ("energy", {"integrator": "rk4"}),
    "pendulum, single precision": ("first_hinge", {"precision": "float32"}),
    "friction": ("door", {}),
    "friction, sequential": ("door", SEQUENTIAL),
    "friction, the papers' step": ("pendulum_friction", EULER),
    "bristles": ("lugre_double_pendulum", {}),
    "limit": ("limit_stop", {}),
    "limit, the papers' method": ("limit_stop", SEQUENTIAL | EULER),
    "loop": ("four_bar", {}),
    "loop, fourth order": ("four_bar", {"integrator": "rk4"}),
    "heavy chain": ("heavy_tip", {}),
    "heavy chain, sequential": ("heavy_tip", SEQUENTIAL),
    "drive": ("dc_drive", {}),
    "spring": ("suspension_spring", {}),
    "robot at a door": ("robot_door", {}),
    "springs on wheels": ("first_vehicle", {}),
    "tyres": ("lane_change", {}),
    "vehicle, the papers' method": ("first_vehicle", SEQUENTIAL | EULER),
    "tracks on steps": ("krt100_step", {}),
    "trailer": ("trailer_hitch", {}),
    "rope": ("rope_catenary", {}),
    "rope, the papers' step": ("first_rope", EULER),
    "rope on the ground": ("rope_on_ground", {}),
    "knot": ("rope_knot", {}),
    "tow": ("rope_tow", {}),
    "winch": ("winch", {}),
}


def hashes(example: str, settings: dict[str, Any]) -> list[str]:
    """The hashes of one scene, driven as its example drives it; by what is public alone, as older trees have it."""
    import sharnir as sh
    from sharnir.experiment import load_example

    experiment = load_example(example)
    sim = sh.Simulation(experiment.scene, dt=experiment.dt, **(experiment.settings | settings))
    found = []
    for _ in range(SAMPLES):
        sim.run(STEPS * sim.dt, **experiment.inputs, before_step=experiment.before_step)
        arrays = sim.snapshot().arrays["state"].values()
        parts = sorted(hashlib.sha256(array.tobytes()).hexdigest() for array in arrays)
        found.append(hashlib.sha256("".join(parts).encode()).hexdigest()[:12])
    assert len(set(found)) == SAMPLES, f"{example} does not move"
    return found


def hashes_of(tree: Path, names: Sequence[str]) -> dict[str, list[str]]:
    """The hashes that another process makes with the sources of a tree."""
    here = Path(__file__).resolve().parents[1]
    paths = {"PYTHONPATH": os.pathsep.join([str(tree / "src"), str(here)]), "SHARNIR_KERNELS": "general"}
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.golden", "--json", *names]
    done = subprocess.run(command, env=os.environ | paths, cwd=here, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(mine: dict[str, list[str]], theirs: dict[str, list[str]]) -> int:
    """Print where two trees differ; returns the number of scenes that do."""
    differing = 0
    for name, found in mine.items():
        same = [a == b for a, b in zip(found, theirs[name], strict=True)]
        differing += not all(same)
        print(f"{name:32} {'same' if all(same) else f'differs within {STEPS * (same.index(False) + 1)} steps'}")
    return differing


def main(argv: Sequence[str] | None = None) -> int:
    """Print the hashes, or where two trees differ; 1 if they do."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", help="names of scenes; all by default")
    parser.add_argument("--against", type=Path, help="another checkout of this repository")
    parser.add_argument("--json", action="store_true", help="print the hashes in one line")
    given = parser.parse_args(argv)
    names = given.scenes or list(SCENES)
    if given.against is not None:
        here = Path(__file__).resolve().parents[1]
        differing = compare(hashes_of(here, names), hashes_of(given.against.resolve(), names))
        print(f"{differing} of {len(names)} scenes differ")
        return int(differing > 0)
    found = {name: hashes(*SCENES[name]) for name in names}
    print(
        json.dumps(found) if given.json else "\n".join(f"{name:32} {' '.join(marks)}" for name, marks in found.items())
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
