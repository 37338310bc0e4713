"""A sweep on a GPU: `python -m benchmarks.gpu_sweep [--device cuda] [--doors 1000000]`, on a machine that has one.

Doors whose friction and mass are spread, as `sharnir sweep --device cuda` simulates them, but without its store: numpy,
Warp, msgspec and PyYAML are all it needs. Every door is compared with its own closed form, so that a batch that mixes
its worlds up cannot pass; the time is given beside that of a plain batch, and one door beside the same on the CPU.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

import sharnir as sh
from sharnir.device import load_warp, resolve_device
from sharnir.studies.batch import Runner
from sharnir.studies.plan import make_plan

from .doors import PUSH, PUSH_ENDS, rest_angle

NAMES, CHUNK, DT, DURATION = ("hinge.friction", "door.mass"), 65536, 0.01, 2.0


def door() -> tuple[sh.Scene, sh.Joint]:
    """The door of the examples."""
    scene = sh.Scene("door", gravity=(0, 0, 0))
    body = scene.body("door", sh.Box(0.9, 0.04, 2.0, mass=26.5), position=(0.45, 0, 1))
    return scene, scene.joint("hinge", sh.Revolute(axis=(0, 0, 1)), scene.world, body, friction=sh.Coulomb(20.0))


def swept(points: np.ndarray, device: str) -> np.ndarray:
    """The angles at rest, rad, as a study finds them, chunk by chunk."""
    scene, hinge = door()
    push = {"torque": {hinge: lambda t: PUSH if t < PUSH_ENDS else 0.0}}
    runner = Runner(make_plan(scene, NAMES, ("hinge.angle final",), time=DURATION, dt=DT, inputs=push), device=device)
    parts = [runner.run(points[first : first + CHUNK]) for first in range(0, len(points), CHUNK)]
    for part in parts:
        assert not any(part.reasons), next(filter(None, part.reasons))
    return np.concatenate([part.values["hinge.angle final"] for part in parts])


def plain(points: np.ndarray, device: str) -> np.ndarray:
    """The same as one would write it by hand."""
    scene, hinge = door()
    found = []
    for first in range(0, len(points), CHUNK):
        part = points[first : first + CHUNK]
        sim = sh.Simulation(scene, dt=DT, worlds=len(part), device=device)
        sim.set(hinge.friction_level(), part[:, 0])
        sim.set(scene.bodies["door"].mass, part[:, 1])
        sim.set(hinge.effort(), PUSH)
        sim.step(round(PUSH_ENDS / DT))
        sim.set(hinge.effort(), 0.0)
        sim.step(round((DURATION - PUSH_ENDS) / DT))
        found.append(np.atleast_1d(sim.get(hinge.angle)))
    return np.concatenate(found)


def main() -> None:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_sweep", description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--doors", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, default=Path("out/gpu_sweep.json"))
    given = parser.parse_args()
    device = resolve_device(given.device)
    points = np.random.default_rng(1).normal((20.0, 26.5), (1.5, 2.0), (given.doors, 2))
    swept(points[:CHUNK], device)  # kernels
    seconds = {"sweep": np.inf, "plain batch": np.inf}
    for _ in range(3):
        for name, how in (("sweep", swept), ("plain batch", plain)):
            begun = time.perf_counter()
            angles = how(points, device)
            seconds[name] = min(seconds[name], time.perf_counter() - begun)
            off = float(np.abs(angles - rest_angle(*points.T)).max())
            assert off < 1e-3, f"{name}: a door is {off:g} rad off its closed form"
    one = points[: min(1000, given.doors)]
    result = {
        "device": load_warp().get_device(device).name,
        "doors": given.doors,
        "s of the sweep": seconds["sweep"],
        "doors a second": given.doors / seconds["sweep"],
        "sweep over plain batch": seconds["sweep"] / seconds["plain batch"],
        "largest error of a door, rad": float(np.abs(swept(points, device) - rest_angle(*points.T)).max()),
        "largest difference from the CPU, rad": float(np.abs(swept(one, device) - swept(one, "cpu")).max()),
    }
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    for name, value in result.items():
        print(f"{name:40s} {value if isinstance(value, (int, str)) else f'{value:.4g}'}")


if __name__ == "__main__":
    main()
