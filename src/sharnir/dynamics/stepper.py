"""Launches the kernels: whole steps in one launch, or stage by stage against the clock."""

from __future__ import annotations

import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

from ..device import Launch, Table, WarpArray, load_warp
from ..model.features import Features
from ..model.fields import hand_over
from ..model.precision import Precision
from .compiled import GPU_BLOCK, ask, tables_in_memory
from .shells import BEGIN, FINISH, ITERATE, WHOLE
from .solvers.direct import IDLE_EVERY

TASK = 7  # place of the last kernel argument: the first world, how many steps or iterations, and the stages
# solver iterations between two looks at the clock; those that look everywhere stay the same with a budget
SWEEPS_PER_LOOK = IDLE_EVERY


class Stepper:
    """The recorded launches of one simulation. Recording once keeps Python's share of a step at a few microseconds.

    On the CPU the worlds are split between threads: Warp runs a launch on the calling thread and releases Python's
    lock meanwhile, so a thread per core uses all cores and every world is still computed by one thread, in order.
    """

    def __init__(
        self,
        precision: Precision,
        features: Features,
        arrays: tuple[Table, ...],
        worlds: int,
        device: str,
        threads: int,
        models: tuple[tuple[int, int, Table], ...] = (),
    ) -> None:
        """``arrays`` are the tables in the order of the kernels' arguments, the model first.

        ``models`` are others in its place, each for a first world and how many follow, together all of them.
        """
        self._kernel = ask("step", precision, features, device)
        in_memory = tables_in_memory(features, device)
        handed = [hand_over(table, in_memory, device) for table in arrays[:-1]]
        self._arrays, self._worlds, self._device = (*handed, arrays[-1]), worlds, device
        workers = min(threads, worlds) if device == "cpu" else 1
        edges = [worlds * i // workers for i in range(workers + 1)]
        self._parts = [(low, high - low, handed[0]) for low, high in itertools.pairwise(edges)]
        if models:
            self._parts = [(first, count, hand_over(model, in_memory, device)) for first, count, model in models]
        self._told = (1, WHOLE)  # how many of what the launches were last asked for
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None

    @cached_property
    def _launches(self) -> list[Launch]:
        """Recorded when the first step is made; until then the kernel may be compiled beside whatever goes on here."""
        wp = load_warp()
        kernel = self._kernel.get()
        return [
            wp.launch(
                kernel,
                dim=size,
                inputs=[model, *self._arrays[1:], wp.vec3i(first, *self._told)],
                device=self._device,
                record_cmd=True,
                block_dim=GPU_BLOCK,
            )
            for first, size, model in self._parts
        ]

    def _launch(self, count: int, stages: int) -> None:
        if self._told != (count, stages):
            for launch, (first, _, _) in zip(self._launches, self._parts, strict=True):
                launch.set_param_at_index(TASK, load_warp().vec3i(first, count, stages))
            self._told = (count, stages)
        if self._pool is None:
            for launch in self._launches:
                launch.launch()
        else:
            list(self._pool.map(lambda launch: launch.launch(), self._launches))

    def step(self, steps: int) -> None:
        """Make whole steps."""
        self._launch(steps, WHOLE)

    def step_within(self, seconds: float, iterations: int, done: WarpArray) -> bool:
        """One step whose iterations end with the budget at the latest. Returns whether the budget ended them."""
        self._launches  # noqa: B018 - compiled before the clock starts
        deadline = time.perf_counter() + seconds
        self._launch(0, BEGIN)
        made, ended = 0, False
        while made < iterations and not ended and not done.numpy().all():
            sweeps = min(SWEEPS_PER_LOOK, iterations - made)
            self._launch(sweeps, ITERATE)
            made += sweeps
            ended = time.perf_counter() >= deadline
        ended = ended and made < iterations and not bool(done.numpy().all())
        self._launch(0, FINISH)
        return ended
