"""Studies: what a kill costs, what two workers bring, doors by the hundred thousand, intervals that hold the truth."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

import numpy as np

import sharnir as sh
from sharnir.experiment import load_example
from sharnir.studies import Identification, Study, open_study

from .friction_logs import DELAY, dry, log_of, pendulum
from .killing import MEASURES, children, finished, kill, start_study, wait_until
from .report import Bar, Section

KILLS, CHUNKS = 20, 24
DOORS, LOGS = 100_000, 100
PUSH, PUSH_ENDS, SHAPE = 52.727272727, 0.33, 0.9**2 / 3 + 0.04**2 / 12  # N m, s, m^2: of the example
LEVEL, VISCOUS, LOG_TIME = 0.4, 0.08, 2.0  # N m, N m s, s


def run(quick: bool) -> list[Section]:
    """Four sections."""
    return [killed(3 if quick else KILLS), workers(), doors(5_000 if quick else DOORS), coverage(5 if quick else LOGS)]


def killed(kills: int) -> Section:
    """Driver and workers killed at random times, again and again; the bits, and what resuming costs."""
    rolled = random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole, out = folder / "whole.zarr", folder / "killed.zarr"
        begun = time.perf_counter()
        start_study(folder, whole, "--workers", "2").communicate()
        undisturbed = time.perf_counter() - begun
        begun, deaths = time.perf_counter(), 0
        while True:
            process = start_study(folder, out, "--workers", "2")
            if deaths >= kills:
                process.communicate()
                break
            at = finished(out)
            wait_until(lambda at=at, process=process: finished(out) > at or process.poll() is not None)
            time.sleep(rolled.uniform(0.0, 0.5))
            workers = children(process.pid)
            if workers and rolled.random() < 0.5:
                kill(rolled.choice(workers))
                time.sleep(rolled.uniform(0.0, 0.5))
            kill(process.pid)
            process.communicate()
            deaths += 1
            if finished(out) >= CHUNKS:  # start over: there is nothing left to kill
                _remove(out)
        disturbed = time.perf_counter() - begun
        same = all(np.array_equal(open_study(whole).values(m)[1], open_study(out).values(m)[1]) for m in MEASURES)
    bars = [Bar("values that differ after the kills", 0.0 if same else 1.0, 0.0, "")]
    rows = [["undisturbed", f"{undisturbed:.1f}"], [f"killed {deaths} times", f"{disturbed:.1f}"]]
    rows.append(["a kill and a start, each", f"{(disturbed - undisturbed) / max(deaths, 1):.2f}"])
    return Section("Studies that are killed", ["", "s"], rows, bars, data={"kills": deaths, "same_bits": same})


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder)


def workers() -> Section:
    """Two processes beside one, on batches that share nothing."""
    vary = {"door.shapes.0.x": "0.6:0.9:16", "hinge.friction": "15:30:64"}
    study = Study(load_example("door"), vary, ["hinge.angle final"], dt=0.0005)
    study.run(chunk=64)  # kernels
    seconds = {}
    for count in (1, 2):
        begun = time.perf_counter()
        study.run(chunk=64, workers=count)
        seconds[count] = time.perf_counter() - begun
    ratio = seconds[1] / seconds[2]
    rows = [[f"{count} workers", f"{value:.1f}"] for count, value in seconds.items()]
    bars = [Bar("time of two workers over that of one", 1 / ratio, 1 / 1.8, "")]
    return Section("Workers on one machine", ["", "s"], rows, bars, data={"ratio": ratio})


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


def rest_angle(friction: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """w t/2 + w^2 I/(2 F), with w = (M - F) t/I."""
    inertia = mass * SHAPE
    speed = (PUSH - friction) * PUSH_ENDS / inertia
    return speed * PUSH_ENDS / 2 + speed**2 * inertia / (2 * friction)


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


def coverage(logs: int) -> Section:
    """How many of many logs have the truth inside their 95 % intervals; noise and an unknown delay of 1 ms."""
    course = dry(LEVEL, VISCOUS, LOG_TIME)
    truth = {"pivot.friction": LEVEL, "pivot.viscous": VISCOUS, "delay": DELAY}
    inside = dict.fromkeys(truth, 0)
    begun = time.perf_counter()
    for seed in range(logs):
        one = Identification(
            pendulum(sh.Stribeck(0.3, 0.3, 1.0, 0.1)),
            log_of(course, LOG_TIME, seed),
            {"pivot.friction": "0.05:2", "pivot.viscous": "0.01:1"},
            outputs={"pivot.angle": "angle"},
            inputs={"torque.pivot": "torque"},
            delay="0:0.01",
            dt=0.0005,
        )
        found = one.fit(start={"pivot.friction": 0.5, "pivot.viscous": 0.05, "delay": 0.002}, twin=False)
        for name, value in truth.items():
            inside[name] += found[name].low <= value <= found[name].high
    seconds = (time.perf_counter() - begun) / logs
    rows = [[name, f"{count} of {logs}"] for name, count in inside.items()]
    bars = [Bar(f"{name}: share of intervals off 95 %", abs(n / logs - 0.95), 0.02, "") for name, n in inside.items()]
    return Section(
        "Identification: truth in the 95 % interval", ["", "logs"], rows, bars, data={"seconds_per_log": seconds}
    )
