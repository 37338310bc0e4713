"""A hunt on all cores through random passive scenes: ``python tests/robustness/hunt.py --scenes 300 --out hunt.json``.

Every integrator with every solver steps scenes of two generators: mechanisms straight from a seed
(``tests/verification/random_mechanisms.py``), and the sweep of this folder, whose scenes also have springs, motors and
bristles, touch the ground, or hold anything at all. Of each is asked

* that states stay finite, or the simulation stops with a fault;
* that the energy of what is passive rises by no more than is derived (``tests/verification/energy_bound.py``, for the
  papers' step of the sweep step by step in ``bounds.py``), or a warning tells;
* that no joint is open by more than 0.1 m or 0.1 rad, and by twice what turns leave, without a warning.

What is broken in silence is printed, written to ``--out`` with the scene, and repeated by ``--repeat NAME``. It needs
no test runner. It stops by itself after ``--seconds``; then all kinds of scenes have come equally far.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "verification"))
os.environ.setdefault("SHARNIR_KERNELS", "general")

import numpy as np
from bounds import ERP, joint_excess, slip_excess, work_of_solver
from energy_bound import energy_gain
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.internal.conjecture.providers import HypothesisProvider
from random_mechanisms import started
from random_scenes import Case, Kind, cases
from watching import watch

import sharnir as sh

HypothesisProvider._maybe_draw_constant = lambda *_, **__: None  # type: ignore[method-assign]  # see conftest.py
FROM_SEEDS = {  # powers of ten of the masses, and whether there is a loop
    "trees": ((-1, 1), False),
    "loops": ((-1, 1), True),
    "uneven trees": ((-2, 4), False),
    "uneven loops": ((-2, 4), True),
}
MASSES = (1e-2, 1e4)  # kg, of the sweep
SWEEP = {
    "sweep of trees": Kind("trees", loops=0, passive=True, masses=MASSES),
    "sweep of loops": Kind("loops", bodies=(2, 5), passive=True, masses=MASSES),
    "sweep that touches": Kind("touching", bodies=(1, 3), passive=True, touching=True, masses=MASSES),
    "sweep of anything": Kind("anything", bodies=(1, 3), touching=True, roped=True, masses=MASSES),
}
DIRECT, SEQUENTIAL = "direct", "sequential-impulses"
PAPERS = "semi-implicit-euler"
SCHEMES = (
    *((integrator, DIRECT) for integrator in ("leapfrog", PAPERS, "position-verlet", "rk4")),
    *((integrator, SEQUENTIAL) for integrator in ("leapfrog", PAPERS, "position-verlet")),
)
STEPS = {"seeds": 400, "sweep": 1000}
CHUNK = 10  # scenes of a task
FAR_OPEN, FAR_TILTED = 0.1, 0.1  # m, rad
TELL_OF_STEPS = {"energy-gain", "open-joint", "long-step"}  # warnings that a step has not gone well
KEPT = 40  # of those broken, with their scenes


@dataclass(frozen=True)
class Task:
    """Scenes of a kind that one process steps with one scheme."""

    kind: str
    integrator: str
    solver: str
    chunk: int

    @property
    def settings(self) -> dict[str, Any]:
        return {"integrator": self.integrator, "solver": self.solver}

    def name(self, i: int) -> str:
        """Of its i-th scene: what repeats it."""
        return f"{self.kind}/{self.integrator}/{self.solver}/{self.chunk}/{i}"


@dataclass
class Outcome:
    """What became of a scene."""

    case: str
    fault: str = ""
    warnings: tuple[str, ...] = ()
    gained: float = 0.0  # J
    allowed: float = 0.0  # J
    broken: str = ""
    scene: str = ""


def all_tasks(scenes: int, only: str = "") -> Iterator[Task]:
    """All kinds whose names have ``only`` in them, by turns, so that they come equally far."""
    for chunk in range(-(-scenes // CHUNK)):
        for kind in (*FROM_SEEDS, *SWEEP):
            for integrator, solver in SCHEMES:
                if kind == "sweep of anything" and integrator == "position-verlet":
                    continue  # which moves no ropes
                if only in f"{kind}/{integrator}/{solver}":
                    yield Task(kind, integrator, solver, chunk)


def hunted(task: Task, only: int | None = None) -> list[Outcome]:
    """Step the scenes of a task, or one of them."""
    warnings.simplefilter("ignore", sh.SimulationWarning)  # a simulation keeps them
    drawn = [] if task.kind in FROM_SEEDS else list(drawn_cases(SWEEP[task.kind], task.chunk))
    found = []
    for i in range(CHUNK if task.kind in FROM_SEEDS else len(drawn)):
        if only in (None, i):
            outcome = Outcome(task.name(i))
            if task.kind in FROM_SEEDS:
                judge_mechanism(task, task.chunk * CHUNK + i, outcome)
            else:
                judge_case(task, drawn[i], outcome)
            found.append(outcome)
    return found


def drawn_cases(kind: Kind, chunk: int) -> list[Case]:
    """The scenes of a chunk of the sweep; all but the first, which is always the simplest."""
    drawn: list[Case] = []

    @seed(chunk)
    @settings(
        max_examples=CHUNK + 1,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(kind))
    def collect(case: Case) -> None:
        drawn.append(case)

    collect()
    return drawn[1:]


def judge_mechanism(task: Task, number: int, outcome: Outcome) -> None:
    """Step a mechanism straight from a seed."""
    masses, loop = FROM_SEEDS[task.kind]
    with tempfile.TemporaryDirectory() as folder:
        try:
            sim, scene = started(number, masses, loop, fault_folder=folder, **task.settings)
            run_and_judge(sim, scene, STEPS["seeds"], task, True, outcome)
        except sh.SimulationFault as fault:
            outcome.fault = why(fault)


def judge_case(task: Task, case: Case, outcome: Outcome) -> None:
    """Step a scene of the sweep."""
    kind = SWEEP[task.kind]
    if kind.passive and (task.integrator, task.solver) == (PAPERS, DIRECT):
        judge_step_by_step(case, task, outcome)
        return
    with tempfile.TemporaryDirectory() as folder:
        sim = sh.Simulation(case.scene, case.dt, threads=1, fault_folder=folder, **task.settings)
        try:
            sim.step(8)  # from here on velocities agree with the joints
            run_and_judge(sim, case.scene, STEPS["sweep"], task, kind.passive and not kind.touching, outcome)
        except sh.SimulationFault as fault:
            outcome.fault = why(fault)
            outcome.warnings = names(sim)
    if outcome.broken:
        outcome.scene = text_of(case.scene)


def judge_step_by_step(case: Case, task: Task, outcome: Outcome) -> None:
    """By what a step of the papers' may do at most, see ``bounds.py``."""
    seen = watch(case.scene, case.dt, STEPS["sweep"], **task.settings)
    outcome.warnings = names(seen.sim)
    if seen.fault is not None:
        outcome.fault = why(seen.fault)
        return
    gained, allowed = work_of_solver(seen)
    worst = int((gained - allowed).argmax())
    outcome.gained, outcome.allowed = float(gained[worst]), float(allowed[worst])
    excess = {"slips": max(slip_excess(seen).values()), "opens": max(joint_excess(seen).values(), default=0.0)}
    broken = []
    if gained[worst] > allowed[worst]:
        broken.append(f"step {worst} gives {gained[worst]:.3g} J, not {allowed[worst]:.3g}")
    broken += [f"a joint {what} by {size:.3g} too much" for what, size in excess.items() if size > 0.0]
    if broken:
        outcome.broken, outcome.scene = "; ".join(broken), text_of(case.scene)


def run_and_judge(sim: sh.Simulation, scene: sh.Scene, steps: int, task: Task, passive: bool, outcome: Outcome) -> None:
    """Run on, and look for what is wrong in silence."""
    run = sim.run(steps * sim.dt)
    outcome.warnings = names(sim)
    broken = []
    for name, values in sim.snapshot().arrays["state"].items():
        if not np.isfinite(values).all():
            broken.append(f"{name} is no number")
    if passive:
        outcome.gained, outcome.allowed = energy_gain(run, scene, sim.dt, 1 if task.integrator == PAPERS else 2)
        if outcome.gained > outcome.allowed and not TELL_OF_STEPS & set(outcome.warnings):
            broken.append(f"has gained {outcome.gained:.3g} J, not {outcome.allowed:.3g}")
    if not TELL_OF_STEPS & set(outcome.warnings):
        broken += opened(run, scene, sim.dt)
    outcome.broken = "; ".join(broken)


def opened(run: sh.Trajectory, scene: sh.Scene, dt: float) -> list[str]:
    """Joints that are far open, and further than the steps explain: q^2 r/2 and q^2/2 for turns by q, over ERP."""
    found = []
    for i, (name, joint) in enumerate(scene.joints.items()):
        gap, tilt = (float(run.data[what].values[:, i].max()) for what in ("gap", "tilt"))
        left = reached = 0.0
        for body, frame in ((joint.a, joint.frame_a), (joint.b, joint.frame_b)):
            if body is not scene.world:
                left += dt * float(np.linalg.norm(run[body.angular_velocity].values, axis=-1).max())
                reached += float(np.linalg.norm(frame.position))
        left = left**2 / (2.0 * ERP)
        if gap > max(FAR_OPEN, 2.0 * left * reached) or tilt > max(FAR_TILTED, 2.0 * left):
            found.append(f"joint '{name}' is open by {gap:.3g} m, {tilt:.3g} rad")
    return found


def names(sim: sh.Simulation) -> tuple[str, ...]:
    return tuple(sorted({warning.name for warning in sim.warnings}))


def why(fault: sh.SimulationFault) -> str:
    """A fault without the names of the scene."""
    return "runaway" if "ran away" in str(fault) else "no number" if "number" in str(fault) else str(fault)


def text_of(scene: sh.Scene) -> str:
    """The scene as a file."""
    with tempfile.TemporaryDirectory() as folder:
        return scene.save(Path(folder) / "scene.yaml").read_text()


# --- all of them ------------------------------------------------------------------------------------------------------


def hunt(scenes: int, seconds: float, processes: int, only: str = "") -> dict[str, Any]:
    """Step scenes of every kind in several processes; see the module."""
    tasks, start = list(all_tasks(scenes, only)), time.monotonic()
    kinds: dict[str, Counter[str]] = {}
    broken: list[Outcome] = []
    done = 0
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        results = pool.imap_unordered(hunted, tasks)
        for done in range(1, len(tasks) + 1):
            try:
                found = results.next(timeout=max(0.0, start + seconds - time.monotonic()))
            except multiprocessing.TimeoutError:
                done -= 1
                break
            for outcome in found:
                count(outcome, kinds.setdefault(outcome.case.rsplit("/", 2)[0], Counter()))
                if outcome.broken:
                    broken.append(outcome)
                    print(f"{outcome.case}: {outcome.broken}", flush=True)
    return {
        "scenes": sum(counts["scenes"] for counts in kinds.values()),
        "tasks": [done, len(tasks)],
        "seconds": round(time.monotonic() - start, 1),
        "kinds": {name: dict(sorted(counts.items())) for name, counts in sorted(kinds.items())},
        "broken": [asdict(outcome if i < KEPT else replace(outcome, scene="")) for i, outcome in enumerate(broken)],
    }


def count(outcome: Outcome, counts: Counter[str]) -> None:
    """Add what became of a scene to what became of its kind."""
    counts["scenes"] += 1
    counts["broken in silence"] += bool(outcome.broken)
    counts.update(f"warning {name}" for name in outcome.warnings)
    if outcome.fault:
        counts[f"fault {outcome.fault}"] += 1


def repeat(case: str) -> Outcome:
    """One scene again, by its name."""
    kind, integrator, solver, chunk, i = case.split("/")
    return hunted(Task(kind, integrator, solver, int(chunk)), int(i))[0]


def main(arguments: list[str] | None = None) -> int:
    """Hunt, and tell what was found; 1 if anything was broken in silence."""
    parser = argparse.ArgumentParser(description="Hunt through random passive scenes on all cores")
    parser.add_argument("--scenes", type=int, default=20, help="of every kind, for every integrator and solver")
    parser.add_argument("--seconds", type=float, default=600.0, help="when to stop in any case")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--only", default="", metavar="KIND", help='a part of KIND/INTEGRATOR/SOLVER, as "trees/leapfrog"'
    )
    parser.add_argument("--out", type=Path, help="a JSON file for everything that was found")
    parser.add_argument("--repeat", metavar="NAME", help="step one scene again, by the name it was printed with")
    options = parser.parse_args(arguments)
    if options.repeat:
        outcome = repeat(options.repeat)
        print(json.dumps(asdict(outcome), indent=1))
        return bool(outcome.broken)
    found = hunt(options.scenes, options.seconds, options.processes, options.only)
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n")
    print(f"{found['scenes']} scenes in {found['seconds']} s, {len(found['broken'])} broken in silence")
    return bool(found["broken"])


if __name__ == "__main__":
    sys.exit(main())
