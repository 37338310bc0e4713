"""A run: steps made with inputs, recorded as they go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SceneError
from ..model.recorded_block import INPUTS, RecordedBlock
from ..quantities.frames import Frames
from ..scene.values import positive, shown, whole
from ..spatial import Array
from .inputs import Inputs, InputsOf

if TYPE_CHECKING:
    from ..control.controller import Controller
    from ..control.diagram import Diagram
    from ..record.recorder import Recorder
    from .simulation import Simulation

BeforeStep = Callable[["Simulation"], None]
Progress = Callable[[int, int], None]


def run(
    sim: Simulation,
    duration: float,
    given: Mapping[str, InputsOf | None],
    control: Diagram | None,
    every: int,
    before_step: BeforeStep | None,
    progress: Progress | None,
) -> Frames:
    """Simulate ``duration`` seconds; see :meth:`Simulation.run`."""
    total = round(positive(duration, "run: duration (s)") / sim.dt)
    whole(every, "run: every", 1)
    inputs = Inputs(sim, given)
    sim.warner.before_run(float(duration), total)
    is_closed = before_step is None and control is None and (every == 1 or not any(given.values()))
    is_closed = is_closed and sim.warner.is_closed(inputs)
    _check_callables(control, before_step, progress)
    controllers: list[Controller] = []
    if control is not None:
        controllers = [control.start(sim, world=world) for world in range(sim.worlds)]
    recorder = sim.recorder(total // every + 1)
    try:
        _record(sim, recorder, inputs, total, every, before_step, progress)
    except KeyboardInterrupt:
        pass
    finally:
        inputs.release(sim.control)
        for controller in controllers:
            sim.detach(controller)
    frames = recorder.frames()
    sim.warner.look_back()
    if is_closed:
        sim.warner.energy(frames)
    sim.stops.raise_new(recorder)
    return frames


def _record(
    sim: Simulation,
    recorder: Recorder,
    inputs: Inputs,
    total: int,
    every: int,
    before_step: BeforeStep | None,
    progress: Progress | None,
) -> None:
    """Make all steps, and capture every ``every``-th."""
    recorder.capture(sim.time)
    if before_step is None and every == 1 and inputs.by_time and sim.can_record:
        _record_in_chunks(sim, recorder, inputs, total, progress)
        return
    chunk = every if before_step is None and inputs.constant else 1
    done, captured = 0, True
    while done < total:
        if before_step is not None:
            before_step(sim)
        inputs.apply(sim.control, sim.input_times())
        steps = 1 if captured and recorder.learns_later else min(chunk, total - done, every - done % every)
        sim.advance(steps)
        if done == 0 or sim.device == "cpu":
            sim.warner.targets()
        done += steps
        if captured:
            recorder.complete()
        captured = done % every == 0
        if captured:
            recorder.capture(sim.time, sim.out_of_budget)
        if sim.worlds == 1:
            sim.stops.raise_new(recorder)
        if progress is not None:
            progress(done, total)


def _record_in_chunks(
    sim: Simulation, recorder: Recorder, inputs: Inputs, total: int, progress: Progress | None
) -> None:
    """Make all steps on the tape, many in one launch, with inputs that are known ahead."""
    done = 0
    while done < total:
        steps = min(sim.block.rows, total - done)
        rows = sim.block.written[:steps]
        rows[:, :, : sim.block.inputs] = sim.block.now[:, : sim.block.inputs]
        starts = (sim.steps + np.arange(steps + 1)) * sim.dt
        middles, ends = starts[:-1] + 0.5 * sim.dt, starts[1:]
        inputs.ahead(middles, partial(_controls, sim.block, rows))
        sim.record(steps)
        sim.warner.targets_on(rows)
        if sim.worlds == 1:
            stopped = np.flatnonzero(sim.block.values(rows, ("report", "fault"))[:, 0])
            steps = int(stopped[0]) + 1 if len(stopped) else steps
            recorder.take(rows[:steps], ends[:steps])
            sim.stops.raise_new(recorder)
        else:
            recorder.take(rows, ends)
        done += steps
        if progress is not None:
            progress(done, total)


def _controls(block: RecordedBlock, rows: Array, array: str) -> Array:
    """An array of the controls in rows of the tape [step, item, world, ...], to be written to."""
    return block.values(rows, (INPUTS, array))


def _check_callables(control: object, before_step: object, progress: object) -> None:
    """Refuse what a run cannot call or start."""
    from ..control.diagram import Diagram

    if control is not None and not isinstance(control, Diagram):
        raise SceneError(f"run: control is {shown(control)}; give a sh.Diagram")
    for name, given in (("before_step", before_step), ("progress", progress)):
        if given is not None and not callable(given):
            raise SceneError(f"run: {name} is {shown(given)}; give a function")
