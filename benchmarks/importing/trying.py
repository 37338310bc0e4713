"""One robot after the other, each in a process of its own with a bound on its processor time."""

from __future__ import annotations

import json
import os
import resource
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import sharnir as sh
from sharnir.importing import Options, load_robot
from sharnir.importing.standing import put_ground

from .beside import Skipped, beside_mujoco, beside_pinocchio, open_loops
from .elsewhere import elsewhere, in_its_own
from .trips import trips

PARTS = ("load", "compare", "run", "trips", "rivals")
DT, STEPS = 0.002, 1000  # s; 2 s are run
RAN, STILL = "ran", "nothing moves"


@dataclass
class Tried:
    """What became of one file, as far as its parts are ``done``.

    Whether it and its own engine load, ``why`` not, the ``losses`` of its report, the largest relative ``differences``
    and ``skipped``, why there are none, how it did ``run``, what differs after ``trips`` to files and back, and which
    ``rivals`` load it.
    """

    file: str
    done: list[str] = field(default_factory=list)
    loads: bool = False
    theirs: bool = False
    why: str = ""
    losses: int = 0
    differences: dict[str, float] = field(default_factory=dict)
    skipped: str = ""
    run: str = ""
    trips: dict[str, str] = field(default_factory=dict)
    rivals: dict[str, bool] = field(default_factory=dict)

    def __str__(self) -> str:
        told = "loads" if self.loads else "REFUSED" if self.theirs else "refused"
        largest = f"{max(self.differences.values()):.1e}" if self.differences else ""
        return f"{told:8} {largest:8} {self.run:6} {self.file} {self.why or self.skipped}"


def tried(file: Path, folder: Path, parts: Iterable[str], seconds: int, before: Tried | None) -> Tried:
    """Try the ``parts`` of one file that were not done ``before``; more processor time than ``seconds`` ends it."""
    result = before or Tried(str(file.relative_to(folder)))
    wanted = [part for part in parts if part not in result.done]
    if not wanted:
        return result
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        try:
            with os.fdopen(writing, "w") as out:
                _work(result, wanted, file, folder, out)
            os._exit(0)
        except BaseException as error:
            print(f"{file}: {type(error).__name__}: {error}", flush=True)
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as told:
        lines = told.readlines()
    _, status = os.waitpid(child, 0)
    result = Tried(**json.loads(lines[-1])) if lines else result
    if status:
        _note_end(result, wanted, f"was ended after {seconds} s of processor time" if os.WIFSIGNALED(status) else "")
    return result


def _note_end(result: Tried, wanted: list[str], why: str) -> None:
    """A part that its process did not survive."""
    part = next((part for part in wanted if part not in result.done), None)
    if part is None:
        return
    result.done.append(part)
    said = why or "ended its process"
    if part == "run":
        result.run = said
    elif part == "compare":
        result.skipped = said
    else:
        result.why = said


def _work(result: Tried, wanted: list[str], file: Path, folder: Path, out: object) -> None:
    scene = None
    for part in wanted:
        if part == "load":
            scene = _load(result, file, folder)
            result.theirs = in_its_own(file)
        elif part == "rivals":
            result.rivals = elsewhere(file)
        elif result.loads or "load" not in result.done:
            scene = scene or _load(result, file, folder)
            if scene is not None and part == "compare":
                _compare(result, file, scene)
            elif scene is not None and part == "trips":
                result.trips = trips(scene, file.suffix == ".urdf")
            elif scene is not None:
                result.run = two_seconds(scene)
                if result.run == STILL and file.suffix == ".urdf":
                    result.run = two_seconds(_falling(file, folder))
        result.done.append(part)
        print(json.dumps(asdict(result)), file=out, flush=True)  # type: ignore[call-overload]


def _load(result: Tried, file: Path, folder: Path) -> sh.Scene | None:
    try:
        scene = load_robot(file, Options(search=(folder,)))
    except sh.SceneError as error:
        result.why = str(error)
        return None
    assert scene.report is not None
    result.loads, result.losses, result.why = True, len(scene.report.entries), ""
    return scene


def _compare(result: Tried, file: Path, scene: sh.Scene) -> None:
    compared = beside_pinocchio if file.suffix == ".urdf" else beside_mujoco
    result.skipped, result.differences = "", {}
    try:
        if file.suffix not in (".urdf", ".xml"):
            raise Skipped(f"no other engine's equations are compared for {file.suffix}")
        result.differences = compared(file, scene)
        result.skipped = "" if result.differences else STILL
        loops = open_loops(scene)
        if loops is not None:
            result.differences["loops"] = loops
    except Skipped as error:
        result.skipped = str(error)
    except Exception as error:
        result.skipped = f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"


def _falling(file: Path, folder: Path) -> sh.Scene:
    """A thing without joints, free and on the ground."""
    scene = load_robot(file, Options(base="free", search=(folder,)))
    put_ground(scene)
    return scene


def two_seconds(scene: sh.Scene) -> str:
    """How 2 s of a scene end: RAN, STILL, or the fault in words."""
    if all(body.spec.fixed for body in scene.bodies.values()):
        return STILL
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sh.Simulation(scene, dt=DT).step(STEPS)
    except (sh.SceneError, sh.SimulationFault) as error:
        return " ".join(str(error).split())[:300]
    return RAN
