"""Is a step dearer than it was? Examples stepped by two trees in one run, in the kernels that users get.

    python -m benchmarks.beside 5583956             this tree against a commit
    python -m benchmarks.beside ../old chain door   against another checkout, some rows only

Each tree has a process of its own, and they take turns: a block of steps from the same state here, then there. Figures
are processor time, and the ratio is the median over the rounds. Only what is public is used, as older trees have it; a
row that the other tree does not know is left out.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .timing import ratio

HERE = Path(__file__).resolve().parents[1]
ROUNDS, SECONDS = 21, 0.05  # of processor time a block takes
LEAD = 0.5  # s of simulated time before the first block
SEQUENTIAL = {"solver": "sequential-impulses", "iterations": 20, "integrator": "semi-implicit-euler"}
EULER = {"integrator": "semi-implicit-euler"}

# name -> example, further settings of its simulation; the papers' step is the same in every tree, the default is not
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "door": ("door", EULER),
    "door, sequential": ("door", SEQUENTIAL),
    "bristles": ("lugre_double_pendulum", EULER),
    "limit": ("limit_stop", EULER),
    "loop": ("four_bar", EULER),
    "loop, fourth order": ("four_bar", {"integrator": "rk4"}),
    "heavy chain": ("heavy_tip", EULER),
    "heavy chain, sequential": ("heavy_tip", SEQUENTIAL),
    "drive": ("dc_drive", EULER),
    "robot at a door": ("robot_door", EULER),
    "tyres": ("lane_change", EULER),
    "tracks on steps": ("krt100_step", EULER),
    "tracks on steps, sequential": ("krt100_step", SEQUENTIAL),
    "trailer": ("trailer_hitch", EULER),
    "rope": ("rope_catenary", EULER),
    "rope on the ground": ("rope_on_ground", EULER),
    "tow": ("rope_tow", EULER),
    "door, default step": ("door", {}),
    "tracks on steps, default step": ("krt100_step", {}),
}


def serve(row: str) -> None:
    """Answer each number of steps on standard input with the processor time (us) of one of them.

    Every block begins in the same state.
    """
    from sharnir import Simulation
    from sharnir.experiment import load_example

    example, settings = ROWS[row]
    experiment = load_example(example)
    sim = Simulation(experiment.scene, dt=experiment.dt, **(experiment.settings | settings))
    sim.run(LEAD, **experiment.inputs, before_step=experiment.before_step)
    begin = sim.snapshot()
    for line in sys.stdin:
        steps = int(line)
        sim.restore(begin)
        begun = time.process_time_ns()
        sim.step(steps)
        print((time.process_time_ns() - begun) / 1000.0 / steps, flush=True)


class Tree:
    """A row in the process of a tree."""

    def __init__(self, tree: Path, row: str) -> None:
        paths = {"PYTHONPATH": os.pathsep.join([str(tree / "src"), str(HERE)]), "SHARNIR_KERNELS": "special"}
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.beside", "--serve", row]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self._process = subprocess.Popen(command, env=os.environ | paths, cwd=HERE, text=True, **pipes)

    def block(self, steps: int) -> float:
        """Microseconds of a step; LookupError where the tree does not know the row."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended already
            self._process.stdin.write(f"{steps}\n")
            self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            assert self._process.stderr is not None
            raise LookupError(self._process.stderr.read().strip().splitlines()[-1])
        return float(answer)

    def close(self) -> None:
        """End its process."""
        self._process.kill()
        self._process.wait()


def compare(row: str, other: Path, rounds: int) -> str:
    """A line: microseconds here and there, and the ratio with its quartiles."""
    trees = (Tree(HERE, row), Tree(other, row))
    try:
        steps = max(10, round(SECONDS * 1e6 / max(tree.block(50) for tree in trees)))
        for tree in trees:
            tree.block(steps)
        pairs = [[tree.block(steps) for tree in trees] for _ in range(rounds)]
    except LookupError as refused:
        return f"{row:32} left out: {refused}"
    finally:
        for tree in trees:
            tree.close()
    here, there = ([pair[i] for pair in pairs] for i in range(2))
    low, middle, high = ratio(here, there)
    times = f"{statistics.median(here):9.2f} {statistics.median(there):9.2f} us"
    return f"{row:32} {times}   {middle:.3f} ({low:.3f} to {high:.3f})"


@contextmanager
def checkout(given: str) -> Iterator[Path]:
    """A folder as it is, or a commit in a folder of its own for a while."""
    if Path(given).is_dir():
        yield Path(given).resolve()
        return
    with tempfile.TemporaryDirectory() as folder:
        git = ["git", "-C", str(HERE), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", "--force", folder, given], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run([*git, "remove", "--force", folder], check=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", nargs="?", help="a commit, or the folder of another checkout")
    parser.add_argument("rows", nargs="*", help="names of rows; all by default")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--serve", metavar="ROW", help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    if given.serve:
        serve(given.serve)
        return 0
    if given.other is None:
        parser.error("name a commit, or a folder")
    with checkout(given.other) as other:
        print(f"{'':32} {'here':>9} {'there':>9}      ratio (quartiles)")
        for row in given.rows or ROWS:
            print(compare(row, other, given.rounds), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
