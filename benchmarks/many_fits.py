"""Hundreds of identifications, shared by processes with one thread each; every answer is kept as it comes.

A share of several logs is fitted together, as one batch, in one process. Answers are lines of JSON in a file, so that
what is done is not lost when the rest is interrupted, and need not be done again.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sharnir.studies.identify import Found

from .friction_cases import CASES, Case
from .together import Joined, fit_together

LOG, START = "log", "start"  # a log of its own from the truth; the log of seed 0 from a random start, with a search
STARTS_SEED = 1
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Task:
    """Fits of one case of ``CASES``: the seeds of logs, or the numbers of starts."""

    case: str
    kind: str
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class Answer:
    """What one fit found: by number its value, deviation and interval, in its unit; or ``error``, why there is none.

    ``seconds`` of processor time are the share of a fit in those of all that were made together.
    """

    case: str
    kind: str
    seed: int
    seconds: float
    numbers: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    evaluations: int = 0
    error: str = ""

    def holds(self, name: str, value: float) -> bool:
        """Whether a value lies in the 95 % interval of a number."""
        _, _, low, high = self.numbers[name]
        return low <= value <= high

    def off(self, name: str, value: float) -> float:
        """By how many deviations a number is above a value."""
        found, deviation, _, _ = self.numbers[name]
        return (found - value) / deviation


def answers_of(task: Task) -> list[Answer]:
    """The fits of a task, made together; what goes wrong is an answer, too."""
    case, begun = CASES[task.case], time.process_time()
    try:
        found = _starts(case, task.seeds) if task.kind == START else _logs(case, task.seeds)
    except Exception:
        error = traceback.format_exc(limit=-2)
        return [Answer(task.case, task.kind, seed, 0.0, error=error) for seed in task.seeds]
    seconds = (time.process_time() - begun) / len(found)
    return [
        Answer(
            task.case,
            task.kind,
            seed,
            seconds,
            {e.name: (e.value, e.deviation, e.low, e.high) for e in one.estimates},
            one.evaluations,
        )
        for seed, one in zip(task.seeds, found, strict=True)
    ]


def _logs(case: Case, seeds: Sequence[int]) -> list[Found]:
    def fit(one: Joined) -> Found:
        return one.fit(start=case.truth, twin=False)

    return fit_together([case.identification(seed) for seed in seeds], [fit] * len(seeds))


def _starts(case: Case, numbers: Sequence[int]) -> list[Found]:
    starts = case.starts(max(numbers) + 1, STARTS_SEED)

    def fit_from(number: int) -> Callable[[Joined], Found]:
        return lambda one: one.fit(start=starts[number], search=True, seed=number, check=False, twin=False)

    return fit_together([case.identification(0) for _ in numbers], [fit_from(number) for number in numbers])


def tasks_of(
    cases: Iterable[str], kind: str, count: int, processes: int, done: Iterable[Answer] = (), share: int = 12
) -> list[Task]:
    """Shares of ``count`` fits of each case, as large as keeps all processes busy, without those that are done."""
    made = []
    for case in cases:
        finished = {one.seed for one in done if (one.case, one.kind) == (case, kind) and not one.error}
        left = [seed for seed in range(count) if seed not in finished]
        size = max(1, min(share, -(-len(left) // processes)))
        made += [Task(case, kind, tuple(left[k : k + size])) for k in range(0, len(left), size)]
    return made


def in_processes(tasks: Sequence[Task], processes: int, minutes: float = float("inf")) -> Iterator[list[Answer]]:
    """The answers of tasks as they come, until so many minutes are over."""
    if not tasks:
        return
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    begun = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(min(processes, len(tasks))) as pool:  # terminated at the end
        coming = pool.imap_unordered(answers_of, tasks)
        for _ in tasks:
            left = 60 * minutes + begun - time.monotonic()
            try:
                yield coming.next(timeout=None if left == float("inf") else max(left, 0.0))
            except multiprocessing.TimeoutError:
                return


def read_answers(file: Path) -> list[Answer]:
    """The answers that a file holds; a last line that was cut off is left out."""
    found = []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        try:
            found.append(Answer(**json.loads(line)))
        except json.JSONDecodeError:
            continue
    return found


def write_answers(file: Path, answers: Iterable[Answer], mode: str = "a") -> None:
    """Write answers to the end of a file, or (``w``) in the place of what it held."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open(mode, encoding="utf-8") as out:
        out.writelines(json.dumps(asdict(one)) + "\n" for one in answers)
