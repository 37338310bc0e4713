"""Error against time: every solver and integrator beside MuJoCo and Exudyn on problems with known solutions.

The error is the largest distance of any body's centre of mass from the reference at 20 instants of the run, relative to
the size of the mechanism. The time is the processor time of the stepping alone, the whole run in one call.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

import sharnir as sh
from sharnir.spatial import Array

from .contender import NotInstalled, Traceable
from .ours import SharnirRun
from .peers.exudyn_peer import ExudynRun
from .peers.mujoco_peer import MujocoRun
from .problems import PROBLEMS, Problem
from .report import AS_IT_COMES, TUNED, Bar, Section, compared

TARGET = 1e-3
ENOUGH = 1e-5  # finer runs are not made
FINEST = 13  # halvings of the time between two samples
TURN = 0.02  # s; a short run is repeated for so long whenever it is its turn
HOPE = 10.0  # what breaks down may do with smaller steps: its runs may take that much longer, a fault file included
MUJOCO_INTEGRATORS = ("Euler", "implicitfast", "RK4")
EXUDYN_INTEGRATORS = ("generalized-alpha", "trapezoidal")
AS_THEY_COME = ("Sharnir direct, leapfrog", "MuJoCo Euler", "Exudyn generalized-alpha")  # with the default of each
STIFF = "stiff"
SINGULAR = "singular ignored"
_HARD = "0.9999 0.9999 0.001 0.5 2"  # MuJoCo's solimp at its hardest

Build = Callable[[Problem, sh.Scene, float], Traceable]


@dataclass(frozen=True)
class Entry:
    """One engine with one set of settings. A ``tuned`` one has settings that its user must know to look for."""

    name: str
    build: Build
    tuned: bool = False
    coarsest: int = 0  # halvings of the time between two samples
    patience: int = FINEST  # step sizes that may break down in a row before the finer ones are given up
    slowness: float = 1.0  # its runs may take that much longer

    @property
    def engine(self) -> str:
        """The name of the engine."""
        return self.name.split()[0]


@dataclass
class Run:
    """A contender at one step size; ``error`` is infinite where it failed."""

    contender: Traceable
    steps: int
    error: float
    times: list[float] = field(default_factory=list)  # s

    @property
    def time(self) -> float:
        """Seconds of the whole run."""
        return median(self.times)


Ladder = list[Run]  # from coarse to fine


def run(quick: bool) -> list[Section]:
    """The time to the target error, and what closed loops ask of each engine's user."""
    return report({problem: measure(problem, quick) for problem in PROBLEMS})


def report(results: dict[Problem, dict[Entry, Ladder]]) -> list[Section]:
    """The sections for ladders that were measured."""
    return [_times(results), _loops(results)]


def entries(problem: Problem) -> list[Entry]:
    """Who takes part in a problem."""
    found = [
        Entry("Sharnir direct, Euler", _sharnir("direct", "semi-implicit-euler")),
        Entry("Sharnir direct, leapfrog", _sharnir("direct", "leapfrog")),
        Entry("Sharnir direct, RK4", _sharnir("direct", "rk4")),
        Entry("Sharnir sequential, leapfrog", _sharnir("sequential-impulses", "leapfrog")),
        Entry("Sharnir sequential, Euler", _sharnir("sequential-impulses", "semi-implicit-euler")),
    ]
    found += [Entry(f"MuJoCo {integrator}", _mujoco(integrator, False)) for integrator in MUJOCO_INTEGRATORS]
    if problem.closed:
        found += [
            Entry(f"MuJoCo {integrator}, {STIFF}", _mujoco(integrator, True), tuned=True)
            for integrator in MUJOCO_INTEGRATORS
        ]
    for integrator in EXUDYN_INTEGRATORS:
        limits: dict[str, Any] = {"coarsest": 2, "patience": 3, "slowness": 5.0}
        found.append(Entry(f"Exudyn {integrator}", _exudyn(integrator, False), **limits))
        if problem.closed:
            found.append(Entry(f"Exudyn {integrator}, {SINGULAR}", _exudyn(integrator, True), tuned=True, **limits))
    return found


def _sharnir(solver: str, integrator: str) -> Build:
    folder = tempfile.gettempdir()

    def build(problem: Problem, scene: sh.Scene, dt: float) -> Traceable:
        return SharnirRun(scene, dt, efforts=problem.efforts, solver=solver, integrator=integrator, fault_folder=folder)

    return build


def _mujoco(integrator: str, stiff: bool) -> Build:
    def build(problem: Problem, scene: sh.Scene, dt: float) -> Traceable:
        # MuJoCo allows time constants down to twice the step
        solref, solimp = (f"{2 * dt!r} 1", _HARD) if stiff else (None, None)
        return MujocoRun(scene, dt, integrator=integrator, solref=solref, solimp=solimp, efforts=problem.efforts)

    return build


def _exudyn(integrator: str, singular: bool) -> Build:
    def build(problem: Problem, scene: sh.Scene, dt: float) -> Traceable:
        solver = "EigenDense" if singular else "EXUdense"
        return ExudynRun(scene, dt, integrator, solver, singular, efforts=problem.efforts)

    return build


def measure(problem: Problem, quick: bool) -> dict[Entry, Ladder]:
    """The ladders of all entries; times are taken in turns."""
    scene, reference = problem.scene(), problem.reference()
    longest = 0.01 if quick else 0.1  # s
    ladders = {}
    for entry in entries(problem):
        try:
            ladders[entry] = _climb(problem, scene, reference, entry, longest)
        except NotInstalled:
            continue
    for _ in range(1 if quick else 2):
        for ladder in ladders.values():
            for step in ladder:
                if math.isfinite(step.error) and step.time < 2 * longest:
                    step.times += _turn(step)
    return ladders


def _climb(problem: Problem, scene: sh.Scene, reference: Array, entry: Entry, longest: float) -> Ladder:
    """Ever smaller steps, until the error is small or a run takes long."""
    ladder: Ladder = []
    long_failures = 0
    for halvings in range(entry.coarsest, FINEST):
        steps = problem.samples * 2**halvings
        step = Run(entry.build(problem, scene, problem.duration / steps), steps, math.inf)
        ladder.append(step)
        begin = time.process_time()
        try:
            path = step.contender.path(steps, problem.samples)
            error = float(np.linalg.norm(path - reference, axis=-1).max()) / problem.size
            step.error = error if math.isfinite(error) else math.inf
        except (RuntimeError, sh.SimulationFault):
            pass  # the error stays infinite
        if math.isfinite(step.error):
            step.times += _turn(step)
            late = step.time > entry.slowness * longest
        else:
            long_failures += time.process_time() - begin > HOPE * longest
            late = long_failures > 1  # the first fault also loads what writes its file
        broken = len(ladder) >= entry.patience and all(math.isinf(run.error) for run in ladder[-entry.patience :])
        if late or broken or step.error < ENOUGH:
            break
    return ladder


def _turn(step: Run) -> list[float]:
    """One after the other until the turn is over, at least one: a single run of half a millisecond is mostly noise."""
    times: list[float] = []
    while not times or sum(times) < TURN:
        times.append(_time(step))
    return times


def _time(step: Run) -> float:
    step.contender.restart()
    begin = time.process_time()
    step.contender.step(step.steps)
    return time.process_time() - begin


def time_to(ladder: Ladder, target: float = TARGET) -> float:
    """Seconds until the error is at the target, and stays below it with smaller steps; infinite where it never is."""
    good = len(ladder)
    while good > 0 and ladder[good - 1].error <= target:
        good -= 1
    if good == len(ladder):
        return math.inf
    fine = ladder[good]
    if good == 0 or not math.isfinite(ladder[good - 1].error):
        return fine.time
    coarse = ladder[good - 1]
    share = math.log(coarse.error / target) / math.log(coarse.error / fine.error)
    return coarse.time * (fine.time / coarse.time) ** share


def best_error(ladder: Ladder) -> float:
    """The smallest error that a contender came to."""
    return min(step.error for step in ladder)


def _times(results: dict[Problem, dict[Entry, Ladder]]) -> Section:
    section = Section(
        title=f"Milliseconds of processor time until the relative error is {TARGET:g} (in brackets: the best error)",
        columns=["", *(problem.name for problem in results)],
        rows=table(results),
        notes=[
            f"{STIFF}: the loops' solref is twice dt and solimp {_HARD}; {SINGULAR}: linear solver EigenDense with "
            "ignoreSingularJacobian; all others as they come"
        ],
    )
    for problem, ladders in results.items():
        if problem.closed:
            section.bars += _bars(problem, ladders)
        reached = {entry.name: 1e3 * time_to(ladder) for entry, ladder in ladders.items()}
        said = {entry.name: f"at best {best_error(ladder):.0e}" for entry, ladder in ladders.items()}
        said = {name: text for name, text in said.items() if math.isinf(reached[name])}
        coming = {name: reached[name] for name in AS_THEY_COME if name in reached}
        for settings, values in ((AS_IT_COMES, coming), (TUNED, reached)):
            section.comparisons += compared(
                problem.name, f"time to an error of {TARGET:g}", "ms", values, settings=settings, errors=said
            )
        section.data[problem.name] = {
            entry.name: [
                {"steps": step.steps, "error": step.error, "s": step.time}
                for step in ladder
                if math.isfinite(step.error)
            ]
            for entry, ladder in ladders.items()
        }
    return section


def table(results: dict[Problem, dict[Entry, Ladder]]) -> list[list[str]]:
    """One row per contender, one column per problem."""
    rows: dict[str, list[str]] = {}
    for column, ladders in enumerate(results.values()):
        for entry, ladder in ladders.items():
            row = rows.setdefault(entry.name, [entry.name, *("" for _ in results)])
            row[1 + column] = _cell(ladder)
    return [rows[name] for name in sorted(rows, key=_order)]


def _order(name: str) -> tuple[bool, ...]:
    return (not name.startswith("Sharnir"), not name.startswith("MuJoCo"), STIFF in name or SINGULAR in name)


def _cell(ladder: Ladder) -> str:
    reached = time_to(ladder)
    if math.isfinite(reached):
        return f"{reached * 1000:.2f}"
    best = best_error(ladder)
    return f"({best:.0e})" if math.isfinite(best) else "fails"


def _bars(problem: Problem, ladders: dict[Entry, Ladder]) -> list[Bar]:
    """Our best against the best of the peers: in any setting, and as they come."""
    ours = min(time_to(ladder) for entry, ladder in ladders.items() if entry.engine == "Sharnir")
    bars = []
    for what, tuned in (("any setting", True), ("as it comes", False)):
        peers = {
            entry.name: time_to(ladder)
            for entry, ladder in ladders.items()
            if entry.engine != "Sharnir" and (tuned or not entry.tuned)
        }
        if not peers:
            continue
        best = min(peers, key=lambda name: peers[name])
        rival = best if math.isfinite(peers[best]) else "no peer gets there"
        value = math.inf if math.isinf(ours) else ours / peers[best]
        bars.append(Bar(f"{problem.name}: time against the faster peer, {what} ({rival})", value, 1.0, "×"))
    return bars


def _loops(results: dict[Problem, dict[Entry, Ladder]]) -> Section:
    """Whether each closed loop is passed, and with which settings."""
    rows = []
    for problem, ladders in results.items():
        for entry, ladder in ladders.items() if problem.closed else ():
            failed = sum(math.isinf(step.error) for step in ladder)
            best = best_error(ladder)
            verdict = "fails" if math.isinf(best) else f"{best:.0e}"
            rows.append([f"{problem.name}: {entry.name}", verdict, f"{failed} of {len(ladder)}"])
    return Section(
        title="Closed loops: the smallest error reached, and the step sizes at which the run broke down",
        columns=["", "error", "broke down"],
        rows=rows,
    )
