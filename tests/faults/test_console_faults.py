"""A console whose physics stops or dies says so, and goes on where it can."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

import sharnir as sh
from sharnir.runtime import commands as c
from sharnir.runtime import runtime as handle
from sharnir.runtime.frame_bytes import HEADER, MODES
from sharnir.runtime.journal import LoggedRun, create_run
from sharnir.runtime.offered_faults import faults_offered
from sharnir.runtime.plant import Plant
from sharnir.runtime.process import Told
from sharnir.runtime.replay import check
from sharnir.runtime.runtime import Runtime

DT = 0.01
STORM = {"type": "gust", "body": "load", "force": [0.0, 1e12, 0.0]}


def machine() -> sh.Scene:
    scene = sh.Scene("machine", gravity=(0, 0, 0))
    load = scene.body("load", mass=1.0, inertia=(0.4, 0.4, 0.5), position=(1, 0, 0))
    motor = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    scene.joint("axle", sh.Revolute(anchor=(0, 0, 0)), scene.world, load, drive=motor)
    return scene


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runtime:
    monkeypatch.chdir(tmp_path)  # the last good states of a world that stops are written to ./out
    return Runtime(create_run(machine(), DT, {}, tmp_path / "runs"), paused=True)


def alarms_until(runtime: Runtime, text: str) -> list[str]:
    """What has been told, once one alarm has the text."""
    told: list[str] = []
    end = time.monotonic() + 20.0
    while not any(text in alarm for alarm in told):
        assert time.monotonic() < end, told
        told += [event.alarm.text for event in runtime.events() if isinstance(event, Told)]
        time.sleep(0.01)
    return told


def newest(runtime: Runtime) -> dict[str, float]:
    """The header of the newest frame, once there is one after this moment."""
    written = runtime.frames_written
    while runtime.frames_written < written + 2:
        time.sleep(0.01)
    frame = runtime.frame()
    assert frame is not None
    return dict(zip(HEADER, np.frombuffer(frame, "<f8", len(HEADER)), strict=True))


def test_a_world_that_stops_is_told_and_a_reset_starts_it_again(runtime: Runtime) -> None:
    runtime.send(c.Inject("storm", STORM))
    runtime.send(c.Step(5))
    told = alarms_until(runtime, "stopped")
    assert "Reset the run, or restore a snapshot" in told[-1]
    assert newest(runtime)["mode"] == MODES.index("fault")
    runtime.send(c.Run())  # refused: it stands where it stopped
    stopped = newest(runtime)
    assert (stopped["mode"], stopped["tick"]) == (MODES.index("fault"), newest(runtime)["tick"])
    runtime.send(c.Reset())
    runtime.send(c.Scale(2.0))
    runtime.send(c.Step(4))
    again = newest(runtime)
    assert (again["mode"], again["time"], again["scale"]) == (MODES.index("paused"), pytest.approx(4 * DT), 2.0)
    runtime.close()
    assert check(LoggedRun(runtime.run.folder)).differs_at is None


def test_one_name_is_one_fault() -> None:
    plant = Plant(machine(), DT, {})
    plant.apply(c.Inject("storm", STORM))
    with pytest.raises(sh.SceneError, match="there is another fault 'storm' already; give this one another name"):
        plant.apply(c.Inject("storm", STORM | {"force": [1.0, 0.0, 0.0]}))
    with pytest.raises(sh.SceneError, match="there is no fault 'strom' in effect; did you mean 'storm'"):
        plant.apply(c.Clear("strom"))


def test_the_failure_of_every_brake_is_offered() -> None:
    scene = machine()
    d = scene.diagram = sh.Diagram("braked")
    d.brake(scene.joints["axle"], d.to_real(d.input("brake", initial=False)), level=30.0)
    offered = faults_offered(scene)
    assert {name for name in offered if "axle" in name} == {"drive loss: axle", "brake failure: axle"}
    assert offered["brake failure: axle"] == {"type": "brake_failure", "joint": "axle"}


def test_the_physics_that_died_is_told_to_whoever_asks(runtime: Runtime) -> None:
    assert runtime.alive
    os.kill(runtime.pid, signal.SIGKILL)
    while runtime.alive:
        time.sleep(0.01)
    with pytest.raises(EOFError):
        runtime.events()
    with pytest.raises(sh.SceneError, match="the physics has ended; start the run anew"):
        for _ in range(2):  # the first may still fit into the pipe
            runtime.send(c.Pause())
    runtime.close()


def test_physics_that_hangs_is_ended_by_force(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handle, "END_WITHIN", 0.2)
    os.kill(runtime.pid, signal.SIGSTOP)
    runtime.close()
    assert not runtime.alive


def test_physics_that_ends_before_it_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handle, "main", os._exit)  # of the process, in place of the loop
    with pytest.raises(sh.SceneError, match="the physics of 'machine' ended before it began"):
        Runtime(create_run(machine(), DT, {}, tmp_path))
