"""The process that the physics runs in: steps, listens meanwhile, publishes frames, keeps the log.

It works ``AHEAD`` of the clock, and stamps its frames with the time they are to be seen at: a system that stands still
for some milliseconds is not noticed. Commands act that much later.

Waiting for the next step and listening for commands are one call (``select``), so that a command is taken the moment
it comes, between two steps. View frames come second: one waits when it would be in the way of the next step, down to
``FEWEST_FRAMES`` a second.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import select
import signal
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec

from ..errors import ControlFault, SceneError, SimulationFault
from ..scene.values import Plain
from . import commands as c
from .control import Input
from .frame_bytes import FrameLayout, FrameWriter
from .journal import Alarm, Journal, LogEntry, LoggedRun
from .offered_faults import faults_offered
from .pacing import Pacer
from .plant import Plant
from .referee import AUTHOR, Score, referee_of
from .ring import Ring

AHEAD = 0.02  # s that the physics is before the clock
FRAMES = 60.0  # published a second while running
FEWEST_FRAMES = 5.0  # also when steps are late
STILL_FRAMES = 10.0  # while nothing moves
DIGEST_EVERY = 500  # ticks
REPEAT_AFTER = 1.0  # s before the same alarm is told again
STATISTICS_EVERY = 0.5  # s
PRIORITY = 10  # of real-time scheduling, where the system lets us
STAY_IN_MEMORY = 1  # MCL_CURRENT of Linux: all that is there now


class Ready(msgspec.Struct, frozen=True, tag_field="event", tag="ready"):
    """The scene is compiled; where its frames are, and what it can be given."""

    ring: str
    layout: FrameLayout
    inputs: list[Input]
    faults: dict[str, Plain]
    briefing: str = ""  # of the scenario, for the operator


class Told(msgspec.Struct, frozen=True, tag_field="event", tag="alarm"):
    """An alarm."""

    alarm: Alarm


class Refused(msgspec.Struct, frozen=True, tag_field="event", tag="refused"):
    """A command that was not taken, for its author."""

    by: str
    reason: str


class Chain(msgspec.Struct, frozen=True, tag_field="event", tag="chain"):
    """The state of the safety chain has changed."""

    state: str
    why: str


class Kept(msgspec.Struct, frozen=True, tag_field="event", tag="kept"):
    """What is there by name: snapshots and faults."""

    snapshots: list[str]
    faults: list[str]


class Failed(msgspec.Struct, frozen=True, tag_field="event", tag="failed"):
    """The scene cannot be simulated."""

    reason: str


class Scored(msgspec.Struct, frozen=True, tag_field="event", tag="score"):
    """How far the operator has come in a scenario."""

    score: Score


AnyEvent = Ready | Told | Refused | Chain | Kept | Scored | Failed


def main(folder: str, pipe: Connection, paused: bool, source: str | None) -> None:
    """Run the physics of the run in ``folder`` until the pipe is closed or the run ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # the log is closed and the memory freed all the same
    try:
        run = LoggedRun(Path(folder))
        plant = Plant(run.scene(source), run.header.dt, run.settings)
        plant.simulation.step()  # compiles what is left to compile
        plant.simulation.reset()
    except (SceneError, SimulationFault, ControlFault) as error:
        pipe.send_bytes(c.encode(Failed(str(error))))
        return
    gc.collect()
    gc.freeze()
    gc.disable()  # a collection would make a step late; the loop makes no cycles
    loop = Loop(run, plant, pipe, paused)
    go_first()
    try:
        loop.run()
    except (EOFError, OSError):  # the parent is gone
        pass
    finally:
        loop.close()


def go_first() -> None:
    """Ask to be run when a step is due, whatever else the machine does, and to stay in memory.

    On a busy machine with two cores steps begin within 0.2 ms in 99 % of cases instead of 4 ms; a single core is left
    to the browser and the server. Pages that a system takes back because they are seldom used (code from a file counts,
    too) would have to be read again from the disk in the middle of a step.
    """
    if hasattr(os, "sched_setscheduler") and (os.cpu_count() or 1) > 1:
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(PRIORITY))
        ctypes.CDLL(None).mlockall(STAY_IN_MEMORY)  # refused without the right to, which does no harm


class Loop:
    """Everything that happens between two steps."""

    def __init__(self, run: LoggedRun, plant: Plant, pipe: Connection, paused: bool) -> None:
        self._plant, self._pipe = plant, pipe
        self._journal = Journal(run.folder)
        self._referee = referee_of(run, plant)
        self._scored: Score | None = None
        self._writer = FrameWriter(plant.scene, plant.channels, tuple(plant.inputs))
        self._ring = Ring(self._writer.layout.size)
        self._pacer = Pacer(plant.simulation.dt, ahead=AHEAD)
        self._statistics, self._statistics_due = self._pacer.statistics(), 0.0
        self._mode, self._scale = "paused" if paused else "running", 1.0
        self._frame_due, self._frame_takes = 0.0, 0.0
        self._told: dict[str, float] = {}
        self._warm_up()
        briefing = "" if self._referee is None else self._referee.scenario.briefing
        inputs, faults = list(plant.inputs.values()), faults_offered(plant.scene)
        self._send(Ready(self._ring.name, self._writer.layout, inputs, faults, briefing))

    def _warm_up(self) -> None:
        """Do once what is done between steps: the first time takes milliseconds, of imports and of fresh memory."""
        for _ in range(2):
            self._pacer.end(self._pacer.begin())
            self._pacer.statistics()
            self._publish()
        self._plant.watch()
        self._plant.digest()
        self._pacer = Pacer(self._plant.simulation.dt, ahead=AHEAD)

    def run(self) -> None:
        """Until the end of the run."""
        self._pacer.restart()
        while self._mode != "ended":
            if select.select([self._pipe], [], [], self._idle_time())[0]:
                self._take(c.decode_order(self._pipe.recv_bytes()))
            elif self._mode == "running" and self._pacer.wait <= 0:
                self._paced_step()
            self._publish_if_due()

    def close(self) -> None:
        """End the log and free the memory."""
        self._log(digest=self._plant.digest())
        self._journal.close()
        self._ring.close()

    # --- stepping ---------------------------------------------------------------------------------------------------

    def _idle_time(self) -> float:
        """How long nothing is due."""
        until_frame = self._frame_due - time.perf_counter()
        due = min(until_frame, self._pacer.wait) if self._mode == "running" else until_frame
        return max(due, 0.0)

    def _paced_step(self) -> None:
        begun = self._pacer.begin()
        self._step()
        self._pacer.end(begun)

    def _step(self) -> None:
        plant = self._plant
        try:
            plant.step()
        except (SimulationFault, ControlFault) as fault:
            self._mode = "fault"
            self._tell("alarm", f"{fault}. Reset the run, or restore a snapshot")
        else:
            self._referee_looks()
        if plant.tick % DIGEST_EVERY == 0:
            self._log(digest=plant.digest())

    def _referee_looks(self) -> None:
        if self._referee is None:
            return
        for due in self._referee.look():
            if isinstance(due, str):
                self._tell("info", due)
            else:
                self._take(c.Order(AUTHOR, due))  # type: ignore[arg-type]

    # --- commands ---------------------------------------------------------------------------------------------------

    def _take(self, order: c.Order) -> None:
        command = order.command
        self._log(command=command, by=order.by, at=round(time.time(), 3))
        before = (self._plant.chain, self._plant.why)
        try:
            if isinstance(command, c.MOVING):
                self._plant.apply(command, order.by)
            self._obey(command)
        except SceneError as error:
            self._log(alarm=Alarm("warning", str(error), self._plant.tick, self._plant.simulation.time))
            self._send(Refused(order.by, str(error)))
        if (self._plant.chain, self._plant.why) != before:
            self._send(Chain(self._plant.chain, self._plant.why))
        self._tell_all()
        self._frame_due = 0.0

    def _obey(self, command: c.AnyCommand) -> None:
        """What concerns the clock and the run rather than the plant."""
        if isinstance(command, c.Run) and self._mode == "paused":
            self._mode = "running"
            self._pacer.restart()
        elif isinstance(command, c.Pause) and self._mode == "running":
            self._mode = "paused"
        elif isinstance(command, c.Step) and self._mode in ("paused", "running"):
            self._mode = "paused"
            for _ in range(command.n):
                if self._mode == "paused":
                    self._step()
        elif isinstance(command, (c.Reset, c.Restore)):
            self._mode = "paused" if self._mode == "fault" else self._mode
            self._pacer.restart()
        elif isinstance(command, c.Scale):
            self._scale = command.factor
            self._pacer.rescale(command.factor)
        elif isinstance(command, c.End):
            self._mode = "ended"
        if isinstance(command, (c.Save, c.Inject, c.Clear, c.Reset, c.Restore)):
            self._send(Kept(list(self._plant.snapshots), list(self._plant.board.active)))

    # --- telling ----------------------------------------------------------------------------------------------------

    def _publish_if_due(self) -> None:
        now = time.perf_counter()
        in_the_way = self._mode == "running" and self._pacer.wait < self._frame_takes
        if now < self._frame_due + (1.0 / FEWEST_FRAMES if in_the_way else 0.0):
            return
        self._frame_due = now + 1.0 / (FRAMES if self._mode == "running" else STILL_FRAMES)
        if now > self._statistics_due:
            self._statistics, self._statistics_due = self._pacer.statistics(), now + STATISTICS_EVERY
            self._plant.watch()
            self._tell_all()
            self._tell_score()
        self._publish()

    def _tell_score(self) -> None:
        score = None if self._referee is None else self._referee.score
        if score is not None and score != self._scored:
            self._scored = score
            self._send(Scored(score))

    def _publish(self) -> None:
        """Write a frame, and remember about how long that takes."""
        begun = time.perf_counter()
        statistics = self._statistics._replace(misses=self._pacer.misses, worst=self._pacer.worst)
        seen_at = time.time() + (min(self._pacer.lead, AHEAD) if self._mode == "running" else 0.0)
        self._ring.write(self._writer.write(self._plant, seen_at, self._mode, self._scale, statistics))
        self._frame_takes += 0.1 * (time.perf_counter() - begun - self._frame_takes)

    def _tell_all(self) -> None:
        for level, text in self._plant.alarms:
            self._tell(level, text)
        self._plant.alarms.clear()

    def _tell(self, level: str, text: str) -> None:
        now = time.perf_counter()
        if now - self._told.get(text, -REPEAT_AFTER) < REPEAT_AFTER:
            return
        if len(self._told) > 200:
            self._told.clear()
        self._told[text] = now
        alarm = Alarm(level, text, self._plant.tick, self._plant.simulation.time)
        self._log(alarm=alarm)
        self._send(Told(alarm))

    def _log(self, **what: Any) -> None:
        self._journal.write(LogEntry(self._plant.tick, self._plant.simulation.time, **what))

    def _send(self, event: AnyEvent) -> None:
        self._pipe.send_bytes(c.encode(event))
