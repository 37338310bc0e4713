"""Worlds that a fault has stopped: which, why, and the error that tells."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..dynamics.watch import EMPTY_DRUM, NOT_FINITE, RUNAWAY
from ..errors import SimulationFault
from ..spatial import Array

if TYPE_CHECKING:
    from ..record.recorder import Recorder
    from .simulation import Simulation

CALMER = "Try a smaller dt or more iterations; check the inputs"
FAULTS = {  # why a world stopped, and the remedy
    NOT_FINITE: ("the velocity of {} is no longer a number", CALMER),
    RUNAWAY: ("the velocity of {} ran away", CALMER),
    EMPTY_DRUM: ("the drum of {} is empty and still pays out", "Give its winch more stored rope, or its joint a limit"),
}


class Stops:
    """The worlds of a simulation that have stopped, each told once."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._known: set[int] = set()
        self._report = simulation.report_arrays
        self._view = self._report.fault.numpy()  # on the CPU this is the array itself, not a copy

    @property
    def worlds(self) -> tuple[int, ...]:
        """The worlds that have stopped."""
        return tuple(np.flatnonzero(self._report.fault.numpy()).tolist())

    def forget(self, mask: Array) -> None:
        """Let the worlds of a mask go on."""
        self._known -= set(np.flatnonzero(mask).tolist())

    def know(self) -> None:
        """Take the worlds that have stopped as told."""
        self._known = set(self.worlds)

    def raise_new(self, recorder: Recorder | None) -> None:
        """Raise ``SimulationFault`` for worlds that have stopped since the last look."""
        faults = self._view if self._simulation.device == "cpu" else self._report.fault.numpy()
        if not np.count_nonzero(faults):
            return
        new = [world for world in np.flatnonzero(faults).tolist() if world not in self._known]
        if new:
            self._known.update(new)
            raise self._fault(new, recorder)

    def why(self, world: int) -> str:
        """Why and when (s) a world has stopped, in words; empty for one that goes on."""
        if not self._report.fault.numpy()[world]:
            return ""
        step, _, _, why, _ = self._stop_of(world)
        return f"stopped at step {step} (t = {step * self._simulation.dt:g} s): {why}"

    def _stop_of(self, world: int) -> tuple[int, str, str | None, str, str]:
        """The step at which a world stopped, the body or rope, the joint that holds it, why, and the remedy."""
        layout = self._simulation._layout
        step = int(self._report.step.numpy()[world])
        body = int(self._report.fault_body.numpy()[world])
        is_rope = body < 0  # ropes count down from -1
        name = layout.ropes[-body - 1] if is_rope else layout.bodies[body - 1]
        joint = None if is_rope else self._worst_joint(body, world)
        what = f"{'rope' if is_rope else 'body'} '{name}'" + (f", held by joint '{joint}'," if joint else "")
        why, remedy = FAULTS[int(self._report.fault.numpy()[world])]
        return step, name, joint, why.format(what), remedy

    def _worst_joint(self, body: int, world: int) -> str | None:
        """The joint of a body whose locked axes were farthest off in the last step."""
        sim = self._simulation
        gaps = np.linalg.norm(sim.work.gap.numpy()[:, world], axis=-1)
        ends = zip(gaps, sim._layout.joints, sim.model.joint_a.numpy(), sim.model.joint_b.numpy(), strict=True)
        mine = [(not np.isfinite(gap), gap, name) for gap, name, a, b in ends if body in (a, b)]
        return max(mine)[2] if mine else None

    def _fault(self, worlds: list[int], recorder: Recorder | None) -> SimulationFault:
        from ..record.trajectory import Trajectory

        sim, world = self._simulation, worlds[0]
        step, name, joint, why, remedy = self._stop_of(world)
        if recorder is None:
            recorder = sim.recorder(1)
            recorder.capture(step * sim.dt)
        run = Trajectory.from_frames(sim._scene, recorder.frames(), sim.warnings, sim.kernels)
        sim.fault_folder.mkdir(parents=True, exist_ok=True)
        scene = re.sub(r"[^\w-]+", "_", sim.scene.name)
        file = run.save(sim.fault_folder / f"fault-{scene}-world{world}-step{step}.nc")
        others = "" if len(worlds) == 1 else f" ({len(worlds)} worlds stopped)"
        return SimulationFault(
            f"world {world} stopped at step {step} (t = {step * sim.dt:g} s): {why}{others}; "
            f"the last good states are in {file}. {remedy}",
            world=world,
            step=step,
            body=name,
            joint=joint,
            worlds=tuple(worlds),
            file=Path(file),
            run=run,
        )
