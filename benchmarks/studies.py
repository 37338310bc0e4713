"""Studies: what a kill costs, what two workers bring, doors by the hundred thousand."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import sharnir as sh
from sharnir.experiment import load_example
from sharnir.studies import Study, open_study

from .doors import PUSH, rest_angle
from .killing import MEASURES, children, finished, kill, start_study, wait_until
from .report import Bar, Section

KILLS, CHUNKS = 20, 24
DOORS = 100_000


def run(quick: bool) -> list[Section]:
    """Three sections."""
    return [killed(3 if quick else KILLS), workers(2 if quick else 48), doors(5_000 if quick else DOORS)]


def killed(kills: int) -> Section:
    """Driver and workers killed at random times, again and again; the bits, and what resuming costs.

    A study that has ended is compared and begun anew, until the kills are used up.
    """
    rolled, deaths, studies, same, extra = random.Random(0), {"driver": 0, "worker": 0}, 0, True, 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole, out = folder / "whole.zarr", folder / "killed.zarr"
        _complete(start_study(folder, whole, "--workers", "2"))  # kernels
        shutil.rmtree(whole)
        begun = time.perf_counter()
        _complete(start_study(folder, whole, "--workers", "2"))
        undisturbed = time.perf_counter() - begun
        while sum(deaths.values()) < kills:
            begun = time.perf_counter()
            while finished(out) < CHUNKS:
                left = kills - sum(deaths.values())
                process = start_study(folder, out, "--workers", "2")
                _kill_some(process, out, rolled, deaths, left)
                _complete(process)
            extra += time.perf_counter() - begun - undisturbed
            studies += 1
            same &= _bits(whole) == _bits(out)
            shutil.rmtree(out)
    total = sum(deaths.values())
    bars = [Bar(f"studies of {studies} whose bits differ after {total} kills", 0.0 if same else 1.0, 0.0, "")]
    rows = [["a study, undisturbed", f"{undisturbed:.1f}"], ["what a kill costs, mean", f"{extra / total:.2f}"]]
    notes = [f"{deaths['driver']} drivers and {deaths['worker']} workers killed by SIGKILL in {studies} studies."]
    return Section("Studies that are killed", ["", "s"], rows, bars, notes=notes, data=deaths | {"same_bits": same})


def _bits(out: Path) -> list[bytes]:
    return [open_study(out).values(measure)[1].tobytes() for measure in MEASURES]


def _complete(process: subprocess.Popen[bytes]) -> None:
    """Wait for a study; one that ends by itself must have ended well."""
    _, errors = process.communicate()
    if process.returncode not in (0, -signal.SIGKILL):
        raise RuntimeError(errors.decode())


def _kill_some(
    process: subprocess.Popen[bytes], out: Path, rolled: random.Random, deaths: dict[str, int], left: int
) -> None:
    """At a random time after the next finished chunk: a worker, or the driver, or first the one and then the other."""
    at = finished(out)
    for victim in rolled.choice((["worker"], ["driver"], ["worker", "driver"]))[:left]:
        wait_until(lambda at=at: finished(out) > at or process.poll() is not None)  # type: ignore[misc]
        time.sleep(rolled.uniform(0.0, 0.3))
        workers = children(process.pid)
        if process.poll() is not None or (victim == "worker" and not workers):
            return
        kill(process.pid if victim == "driver" else rolled.choice(workers))
        deaths[victim] += 1


def workers(widths: int) -> Section:
    """Two processes beside one, on batches that share nothing; what it takes to start them is counted in."""
    vary = {"door.shapes.0.x": f"0.6:0.9:{widths}", "hinge.friction": "15:30:512"}
    study = Study(load_example("door"), vary, ["hinge.angle final"], dt=0.0005)
    Study(load_example("door"), vary, ["hinge.angle final"], time=0.01, dt=0.0005).run()  # kernels
    seconds = {}
    for count in (1, 2):
        begun = time.perf_counter()
        study.run(chunk=512, workers=count)
        seconds[count] = time.perf_counter() - begun
    ratio = seconds[1] / seconds[2]
    rows = [
        [f"{count}", f"{value:.1f}", f"{len(study) / value:.0f}", f"{seconds[1] / value:.2f}"]
        for count, value in seconds.items()
    ]
    bars = [Bar("time of two workers over that of one", 1 / ratio, 1 / 1.8, "")]
    columns = ["workers", "s", "points a second", "times one worker"]
    return Section("Workers on one machine", columns, rows, bars, data={"ratio": ratio, "points": len(study)})


def doors(count: int) -> Section:
    """Doors whose friction and mass are spread: mean and quantiles of the closed form, time beside a plain batch."""
    vary = {"hinge.friction": "normal(20, 1.5)", "door.mass": "normal(26.5, 2)"}
    study = Study(load_example("door"), vary, ["hinge.angle final"], samples=count, seed=1)
    Study(load_example("door"), vary, ["hinge.angle final"], samples=256).run()  # kernels
    begun = time.perf_counter()
    angle = study.run().values("hinge.angle final")[1]
    taken = time.perf_counter() - begun
    plain = _plain_batch(study)
    exact = rest_angle(*np.random.default_rng(2).normal((20, 26.5), (1.5, 2), (1_000_000, 2)).T)
    rows, bars = [], [Bar("time per world over that of a plain batch", taken / plain, 1.1, "")]
    for name, ours, theirs, error in _moments(angle, exact, count):
        rows.append([name, f"{ours:.5f}", f"{theirs:.5f}", f"{error:.5f}"])
        bars.append(Bar(f"{name}: difference over its sampling error", abs(ours - theirs) / error, 3.0, ""))
    return Section(f"{count} doors", ["angle at rest, rad", "study", "closed form", "sampling error"], rows, bars)


def _moments(ours: np.ndarray, exact: np.ndarray, count: int) -> list[tuple[str, float, float, float]]:
    found = [("mean", float(ours.mean()), float(exact.mean()), float(exact.std() / np.sqrt(count)))]
    for share in (0.05, 0.5, 0.95):
        low, at, high = np.quantile(exact, (share - 0.01, share, share + 0.01))
        density = 0.02 / (high - low)
        error = np.sqrt(share * (1 - share) / count) / density
        found.append((f"{share:.0%} quantile", float(np.quantile(ours, share)), float(at), float(error)))
    return found


def _plain_batch(study: Study) -> float:
    """The same worlds as one would write them by hand, in one batch."""
    experiment = load_example("door")
    hinge, door = experiment.scene.joints["hinge"], experiment.scene.bodies["door"]
    begun = time.perf_counter()
    size = 2048
    for first in range(0, len(study), size):
        part = study.points.values[first : first + size]
        sim = sh.Simulation(experiment.scene, dt=experiment.dt, worlds=len(part))
        sim.set(hinge.friction_level(), part[:, study.points.names.index("hinge.friction")])
        sim.set(door.mass, part[:, study.points.names.index("door.mass")])
        sim.set(hinge.effort(), PUSH)
        sim.step(33)
        sim.set(hinge.effort(), 0.0)
        sim.step(167)
        sim.get(hinge.angle)
    return time.perf_counter() - begun
