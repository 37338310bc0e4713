"""Identification on logs that scipy made: honest intervals, starts that find the truth, MuJoCo's sysid beside it.

`python -m benchmarks --only identification` measures all of it on this machine. The statistics alone, for a machine
with many cores and few packages (numpy, scipy, Warp, msgspec, PyYAML, rich; cma for the starts), are

    COLUMNS=140 python -m benchmarks.identification --processes 16 --logs 300 --starts 20 --minutes 9

which prints how often the truth lies in the intervals and from how many starts it is found. With `--resume` it goes on
with what its file holds. From such a file a machine with all packages makes the page docs/benchmarks-identification.md:

    python -m benchmarks.identification --resume --logs 0 --starts 0 --peers 10 --page docs
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.device import core_count
from sharnir.studies.identify import Identification

from .contender import NotInstalled
from .friction_cases import CASES, Case
from .many_fits import LOG, START, Answer, in_processes, read_answers, tasks_of, write_answers
from .peers import mujoco_sysid
from .report import Bar, Comparison, Section, machine

LOGS, STARTS, PEER_LOGS = 100, 20, 10
LEVEL = 0.95
CHANCE = 1e-3  # how often an honest count would be outside its bar
PAGE = """# Identification, measured

How honest the intervals of [`sharnir identify`](studies.md#identification) are, and from where it finds the truth, on
logs that scipy made of a pendulum and of a two-joint arm with friction, noise and an unknown delay of 1 ms. Made by
`python -m benchmarks.identification`, which says how; nothing on this page is written by hand. Times are of one thread
of {cpu}; Python {python}, mujoco {mujoco}.
"""


def run(quick: bool) -> list[Section]:
    """How often the truth lies in the intervals, from where it is found, and how fast."""
    logs, begins = (8, 4) if quick else (LOGS, STARTS)
    tasks = tasks_of(CASES, LOG, logs, core_count()) + tasks_of(CASES, START, begins, core_count())
    answers = [one for part in in_processes(tasks, core_count()) for one in part]
    return [coverage(answers), starts(answers), beside_mujoco(2 if quick else PEER_LOGS)]


def coverage(answers: Iterable[Answer]) -> Section:
    """How many of many logs have the truth inside their 95 % intervals; noise and an unknown delay of 1 ms."""
    rows, bars, counts, seconds = [], [], set(), {}
    for case, found in _by_case(answers, LOG):
        counts.add(logs := len(found))
        inside = {name: sum(one.holds(name, value) for one in found) for name, value in case.truth.items()}
        for name, count in inside.items():
            off = [one.off(name, case.truth[name]) for one in found]
            share = f"{count} of {logs}, {count / logs:.1%}"
            rows.append([case.name, name, share, f"{np.mean(off):+.2f}", f"{np.std(off):.2f}"])
        share = sum(inside.values()) / (logs * len(inside))
        worst = max(inside.values(), key=lambda count: abs(count / logs - LEVEL))
        bars.append(
            Bar(f"{case.name}: share of all {logs * len(inside)} intervals off 95 %", abs(share - LEVEL), 0.02, "")
        )
        margin = LEVEL * logs - expected(logs)[0]
        bars.append(Bar(f"{case.name}: worst number, logs off 95 % of {logs}", abs(worst - LEVEL * logs), margin, ""))
        seconds[case.name] = float(np.mean([one.seconds for one in found]))
    notes = [
        f"Of {logs} honest 95 % intervals {LEVEL * logs:.0f} are expected to hold the truth, and {expected(logs)[0]} "
        f"to {expected(logs)[1]} in all but one of {1 / CHANCE:.0f} such counts; 93 to 97 of 100 in three of four."
        for logs in sorted(counts)
    ]
    notes.append(
        "Errors: of the estimates, in the standard deviations that are told; honest ones have a mean of 0 and a spread "
        f"of 1, by chance {' or '.join(f'{1 / math.sqrt(logs):.2f}' for logs in sorted(counts))} off."
    )
    notes += [f"{name}: {value:.1f} s of processor time a log." for name, value in seconds.items()]
    columns = ["machine and law", "number", "truth in the interval", "mean error", "spread of errors"]
    data = {"seconds_per_log": seconds}
    return Section("Identification: truth in the 95 % interval", columns, rows, bars, notes=notes, data=data)


def expected(logs: int) -> tuple[int, int]:
    """Between which counts all but one of a thousand honest counts lie."""
    from scipy.stats import binom

    return int(binom.ppf(CHANCE / 2, logs, LEVEL)), int(binom.ppf(1 - CHANCE / 2, logs, LEVEL))


def starts(answers: Iterable[Answer]) -> Section:
    """Random points of the ranges, each the start of a search; one log."""
    rows, bars = [], []
    for case, found in _by_case(answers, START):
        good = [one for one in found if all(abs(one.off(name, value)) <= 5.0 for name, value in case.truth.items())]
        evaluations, seconds = (np.mean([getattr(one, what) for one in found]) for what in ("evaluations", "seconds"))
        lost = ", ".join(str(one.seed) for one in found if one not in good)
        rows.append([case.name, f"{len(good)} of {len(found)}", lost, f"{evaluations:.0f}", f"{seconds:.1f}"])
        bars.append(Bar(f"{case.name}: starts that do not find it", float(len(found) - len(good)), 0.0, ""))
    columns = ["machine and law", "starts that find it", "those that do not", "simulations of each", "s of each"]
    notes = ["Found: all numbers within five deviations of the truth, which chance alone hardly ever exceeds."]
    return Section("Identification: random starts", columns, rows, bars, notes=notes)


def _by_case(answers: Iterable[Answer], kind: str) -> list[tuple[Case, list[Answer]]]:
    """The answers of a kind without errors, by case."""
    good = [one for one in answers if one.kind == kind and not one.error]
    found = [(case, [one for one in good if one.case == name]) for name, case in CASES.items()]
    return [(case, part) for case, part in found if part]


def beside_mujoco(logs: int) -> Section:
    """The same logs, ranges, starts and steps in MuJoCo's sysid: seconds, errors, and how often its intervals hold."""
    rows, comparisons, notes = [], [], []
    for case in (CASES["pendulum"], CASES["arm"]):
        first = case.starts(1, seed=2)[0]
        engines = {"Sharnir": _ours(case, first)}
        try:
            mujoco_sysid.identify(*_asked(case, 0, first))
            engines["MuJoCo"] = lambda seed, case=case, first=first: mujoco_sysid.identify(*_asked(case, seed, first))
        except NotInstalled as error:
            notes.append(str(error))
        errors, seconds = {}, {}
        for name, identify in engines.items():
            begun = time.perf_counter()
            answers = [identify(seed) for seed in range(logs)]
            seconds[name] = (time.perf_counter() - begun) / logs
            friction = {n: v for n, v in case.truth.items() if n != "delay"}
            off = np.array([[a.values[n] / v - 1 for n, v in friction.items()] for a in answers])
            inside = np.array([[abs(a.values[n] - v) <= a.widths[n] for n, v in friction.items()] for a in answers])
            errors[name] = float(np.sqrt(np.mean(off**2)))
            rows.append([case.name, name, f"{seconds[name]:.2f}", f"{errors[name]:.2%}", f"{inside.mean():.0%}"])
        for name in engines.keys() - {"Sharnir"}:
            comparisons.append(
                Comparison(case.name, "time of an identification", "s", seconds["Sharnir"], name, seconds[name])
            )
            comparisons.append(
                Comparison(case.name, "error of the friction", "1", errors["Sharnir"], name, errors[name])
            )
    notes.append("Error: root mean square over the friction numbers of all logs. MuJoCo has no LuGre friction.")
    columns = ["machine and law", "engine", "s of a log", "error of the friction", "truth in the interval"]
    return Section("Identification beside MuJoCo's sysid", columns, rows, comparisons=comparisons, notes=notes)


def _asked(case: Case, seed: int, start: dict[str, float]) -> tuple[Any, ...]:
    """What MuJoCo's sysid is asked."""
    one = case.identification(seed)
    ranges = {part.name: (part.low, part.high) for part in one.ranges} | {"delay": (-0.01, 0.01)}
    return case.machine, one.log, ranges, start, case.dt, dict.fromkeys(case.machine.joints, 1.0 / case.noise)


def _ours(case: Case, start: dict[str, float]) -> Callable[[int], mujoco_sysid.Answer]:
    """The same by us: from the same start, without a search."""

    def identify(seed: int) -> mujoco_sysid.Answer:
        log = case.identification(seed).log
        details: dict[str, Any] = {"delay": "0:0.01", "dt": case.dt} | case.machine.columns
        found = Identification(case.scene(), log, case.free, **details).fit(start=start, twin=False)
        values = {one.name: one.value for one in found.estimates}
        return mujoco_sysid.Answer(values, {one.name: (one.high - one.low) / 2 for one in found.estimates})

    return identify


# --- the statistics alone ---------------------------------------------------------------------------------------------


def main() -> int:
    """Fit, keep, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.identification", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--processes", type=int, default=core_count(), help="how many work at a time (all cores)")
    parser.add_argument("--logs", type=int, default=LOGS, help="logs of each case, for the intervals")
    parser.add_argument("--starts", type=int, default=STARTS, help="random starts of each case")
    parser.add_argument("--case", choices=CASES, action="append", help="this one alone (may be repeated)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop then, and print what there is")
    parser.add_argument("--out", type=Path, default=Path("out/fits.jsonl"), help="where every answer is kept")
    parser.add_argument("--resume", action="store_true", help="go on with the answers of that file")
    parser.add_argument("--peers", type=int, default=0, help="logs that MuJoCo's sysid is given beside ours")
    parser.add_argument("--page", type=Path, metavar="FOLDER", help="write the page there")
    given = parser.parse_args()
    answers = [one for one in read_answers(given.out) if not one.error] if given.resume else []
    write_answers(given.out, answers, "w")
    # the longest first, so that none is left alone at the end
    chosen, begun = sorted(given.case or CASES, key=lambda name: -len(CASES[name].truth)), time.monotonic()
    tasks = [
        task
        for kind, count in ((LOG, given.logs), (START, given.starts))
        for task in tasks_of(chosen, kind, count, given.processes, answers)
    ]
    left = sum(len(task.seeds) for task in tasks)
    print(f"{left} fits to make in {given.processes} processes; {len(answers)} are done", flush=True)
    for part in in_processes(tasks, given.processes, given.minutes):
        write_answers(given.out, part)
        answers += part
        left -= len(part)
        print(f"{(time.monotonic() - begun) / 60:6.1f} min  {part[0].case} {part[0].kind}: {left} left", flush=True)
    sections = [section for section in (coverage(answers), starts(answers)) if section.rows]
    sections += [beside_mujoco(given.peers)] if given.peers else []
    show(sections, answers, left)
    if given.page is not None:
        write_page(sections, given.page / "benchmarks-identification.md")
    return 0


def write_page(sections: Sequence[Section], file: Path) -> None:
    """The sections as a page of the documentation."""
    from .page import section_text

    here = machine()
    head = PAGE.format(cpu=here["cpu"], python=here["python"], mujoco=here["packages"]["mujoco"])
    parts = [head.strip(), *(section_text(section.as_dict()).strip() for section in sections)]
    file.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def show(sections: Sequence[Section], answers: Sequence[Answer], left: int) -> None:
    """Print what there is."""
    for section in sections:
        section.show()
    for one in (one for one in answers if one.error):
        print(f"{one.case} {one.kind} {one.seed} failed: {one.error}")
    if left:
        print(f"{left} fits were not made; give the command again with --resume")


if __name__ == "__main__":
    raise SystemExit(main())
