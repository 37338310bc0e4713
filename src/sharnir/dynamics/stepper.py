"""Launches the kernels: whole steps in one launch, or stage by stage against the clock."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from ..device import load_warp
from ..model.features import Features
from ..model.fields import hand_over
from ..model.precision import Precision
from .pipeline import GPU_BLOCK, budget_kernels, step_kernel, tables_in_memory
from .solvers.direct import IDLE_EVERY

TASK = 7  # place of the last kernel argument: the first world, and how many steps or iterations
# solver iterations between two looks at the clock; those that look everywhere stay the same with a budget
SWEEPS_PER_LOOK = IDLE_EVERY


NOTICE_AFTER = 1.0  # s; kernels from the cache load sooner


@contextmanager
def announced() -> Iterator[None]:
    """Say on standard error that kernels are being compiled, if it takes longer than loading them from the cache."""
    text = "Compiling the kernels for this kind of scene: once, ten seconds to a minute ..."
    notice = threading.Timer(NOTICE_AFTER, lambda: print(text, file=sys.stderr, flush=True))
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()


class Stepper:
    """The recorded launches of one simulation. Recording once keeps Python's share of a step at a few microseconds.

    On the CPU the worlds are split between threads: Warp runs a launch on the calling thread and releases Python's
    lock meanwhile, so a thread per core uses all cores and every world is still computed by one thread, in order.
    """

    def __init__(
        self,
        precision: Precision,
        features: Features,
        arrays: tuple[Any, ...],
        worlds: int,
        device: str,
        threads: int,
        models: tuple[tuple[int, int, Any], ...] = (),
    ) -> None:
        """``arrays`` are the tables in the order of the kernels' arguments, the model first.

        ``models`` are others in its place, each for a first world and how many follow, together all of them.
        """
        self._precision, self._features = precision, features
        in_memory = tables_in_memory(precision, features)
        handed = [hand_over(table, in_memory, device) for table in arrays[:-1]]
        self._arrays, self._worlds, self._device = (*handed, arrays[-1]), worlds, device
        workers = min(threads, worlds) if device == "cpu" else 1
        edges = [worlds * i // workers for i in range(workers + 1)]
        self._parts = [(low, high - low, handed[0]) for low, high in itertools.pairwise(edges)]
        if models:
            self._parts = [(first, count, hand_over(model, in_memory, device)) for first, count, model in models]
        self._count: dict[int, int] = {}  # what each set of launches was last told
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None
        self._step = self._record(step_kernel(precision, features))
        self._stages: tuple[list[Any], list[Any], list[Any]] | None = None

    def _record(self, kernel: Any) -> list[Any]:
        wp = load_warp()
        with announced():
            return [
                wp.launch(
                    kernel,
                    dim=size,
                    inputs=[model, *self._arrays[1:], wp.vec2i(first, 1)],
                    device=self._device,
                    record_cmd=True,
                    block_dim=GPU_BLOCK,
                )
                for first, size, model in self._parts
            ]

    def _launch(self, launches: list[Any], count: int) -> None:
        if self._count.get(id(launches)) != count:
            self._count[id(launches)] = count
            for launch, (first, _, _) in zip(launches, self._parts, strict=True):
                launch.set_param_at_index(TASK, load_warp().vec2i(first, count))
        if self._pool is None:
            for launch in launches:
                launch.launch()
        else:
            list(self._pool.map(lambda launch: launch.launch(), launches))

    def step(self, steps: int) -> None:
        """Make whole steps."""
        self._launch(self._step, steps)

    def step_within(self, seconds: float, iterations: int, done: Any) -> bool:
        """One step whose iterations end with the budget at the latest. Returns whether the budget ended them."""
        deadline = time.perf_counter() + seconds
        if self._stages is None:
            kernels = budget_kernels(self._precision, self._features)
            self._stages = tuple(self._record(k) for k in (kernels.begin, kernels.iterate, kernels.finish))  # type: ignore[assignment]
            deadline = time.perf_counter() + seconds
        begin, iterate, finish = self._stages  # type: ignore[misc]
        self._launch(begin, 0)
        made, ended = 0, False
        while made < iterations and not ended and not done.numpy().all():
            sweeps = min(SWEEPS_PER_LOOK, iterations - made)
            self._launch(iterate, sweeps)
            made += sweeps
            ended = time.perf_counter() >= deadline
        ended = ended and made < iterations and not bool(done.numpy().all())
        self._launch(finish, 0)
        return ended
