"""Worlds by the hundred thousand on a GPU: `python -m benchmarks.gpu [--out FILE]`, on a machine that has one.

Measures world-steps per second of the 32-link ball-joint chain with friction for both solvers and precisions and
several block sizes, `mujoco_warp` beside it where it is installed, and checks that batches behave: the same bits alone
and in a batch, faults kept to one world, arrays shared with PyTorch without a copy.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sharnir as sh
from sharnir.assemblies.robots import krt100
from sharnir.device import load_warp
from sharnir.dynamics import stepper
from sharnir.model.fields import write

from .peers.mujoco_peer import mjcf
from .scenes import chain

DT = 0.005
LINKS = 32
STEPS = 20
BLOCKS = (32, 64, 128)  # at most what the kernels are bounded to
CASES: dict[str, dict[str, Any]] = {
    "sequential float32": {"solver": "sequential-impulses", "iterations": 10, "precision": "float32"},
    "sequential float64": {"solver": "sequential-impulses", "iterations": 10, "precision": "float64"},
    "direct float32": {"solver": "direct", "iterations": 2, "precision": "float32"},
    "direct float64": {"solver": "direct", "iterations": 2, "precision": "float64"},
    "leapfrog float64": {"solver": "direct", "integrator": "leapfrog", "iterations": 2, "precision": "float64"},
}


def rate(step: Callable[[], None], worlds: int, steps: int, repeats: int = 5) -> float:
    """World-steps per second: the best of several timed calls after one to warm up."""
    wp = load_warp()
    step()
    wp.synchronize()
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        step()
        wp.synchronize()
        best = min(best, time.perf_counter() - start)
    return worlds * steps / best


def chains(worlds: int, **options: Any) -> sh.Simulation:
    """Many copies of the chain on the GPU."""
    return sh.Simulation(chain(LINKS), dt=DT, worlds=worlds, device="cuda", epsilon=0.0, **options)


def measure_ours(worlds: int, only: str, blocks: list[int]) -> dict[str, Any]:
    """World-steps per second of every case whose name holds ``only``, and every block size."""
    found: dict[str, Any] = {}
    for name, options in CASES.items():
        for block in blocks if only in name else ():
            stepper.GPU_BLOCK = block
            start = time.perf_counter()
            simulation = chains(worlds, **options)
            speed = rate(lambda simulation=simulation: simulation.step(STEPS), worlds, STEPS)  # type: ignore[misc]
            found[f"{name}, block {block}"] = speed
            print(
                f"{name:20s} block {block:3d}  {speed / 1e6:8.2f} M/s  ({time.perf_counter() - start:.1f} s)",
                flush=True,
            )
            del simulation
    return found


def measure_mujoco_warp(worlds: int) -> dict[str, Any]:
    """The same chain in mujoco_warp, its own defaults, recorded as a CUDA graph."""
    try:
        import mujoco
        import mujoco_warp as mjw
    except ImportError as error:
        return {"missing": str(error)}
    wp = load_warp()
    text = mjcf(chain(LINKS), {"timestep": str(DT), "iterations": "10"}, {}, {})
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    device_model, device_data = mjw.put_model(model), mjw.put_data(model, data, nworld=worlds)
    mjw.step(device_model, device_data)
    with wp.ScopedCapture() as capture:
        for _ in range(STEPS):
            mjw.step(device_model, device_data)
    return {"mujoco_warp": rate(lambda: wp.capture_launch(capture.graph), worlds, STEPS)}


def check_batches() -> dict[str, Any]:
    """Bits, faults and shared memory on the GPU."""
    many, alone = chains(1000), chains(1)
    many.step(40)
    alone.step(40)
    same = all((many.state.position.numpy()[:, w] == alone.state.position.numpy()[:, 0]).all() for w in (0, 1, 999))
    bad = chains(1000, fault_folder="out")
    force = np.zeros((1000, 3))
    force[7] = 1e30
    fault = None
    try:
        bad.run(0.1, force={bad.scene.bodies["link3"]: force}, every=20)
    except sh.SimulationFault as found:
        fault = str(found)
    except ImportError:  # the results room is not installed on every GPU machine
        fault = f"worlds {bad.stopped_worlds}"
    healthy = np.isfinite(bad.state.position.numpy()).all()
    found_worlds = bad.stopped_worlds
    shared = None
    try:
        import torch

        tensor = torch.from_dlpack(many.state.position)
        shared = tensor.data_ptr() == many.state.position.ptr and list(tensor.shape)
    except ImportError:
        pass
    return {
        "same bits": bool(same),
        "fault": fault,
        "faulty worlds": found_worlds,
        "all finite": bool(healthy),
        "torch": shared,
    }


def measure_robots(worlds: int, iterations: int, device: str = "cuda") -> dict[str, Any]:
    """Robot-steps per second of KRT-100 with its trailer on rough terrain, all loops closed, every world its own.

    The robots start at different places of the terrain, so their contacts differ; the distance driven says that they
    do drive.
    """
    scene = sh.Scene("krt100 on rough terrain")
    relief = sh.Roughness(rms=0.01, shortest=0.3, longest=2.0, seed=1)
    scene.terrain("field", sh.HeightField(relief=(relief,), size=(24.0, 24.0), spacing=(0.1, 0.1)))
    robot = krt100(scene, position=(0.0, 0.0, 0.05))
    options: dict[str, Any] = {"precision": "float32", "iterations": iterations, "epsilon": 1e-4}
    simulation = sh.Simulation(scene, dt=DT, worlds=worlds, device=device, **options)
    places = simulation.state.position.numpy()
    places[1:, :, 1] += np.linspace(-10.0, 10.0, worlds)
    write(simulation.state.position, places)
    for corner in robot.vehicle.corners:
        simulation.set(corner.spin.voltage(), 0.6)
    simulation.step(200)
    start = simulation.state.position.numpy()[1, :, 0].copy()
    steps = rate(lambda: simulation.step(STEPS), worlds, STEPS)
    driven = simulation.state.position.numpy()[1, :, 0] - start
    return {
        "robots": worlds,
        "bodies": len(scene.bodies),
        "joints": len(scene.joints),
        "robot-steps per second": steps,
        "mean distance driven, m": float(driven.mean()),
        "iterations": iterations,
        "mean iterations": float(np.mean(simulation.report.iterations)),
        "largest joint error, m": float(simulation.report_arrays.joint_error.numpy().max()),
        "stopped": len(simulation.stopped_worlds),
    }


def rope_scene(on_ground: bool) -> sh.Scene:
    """A rope of 20 elements that carries a ball; or a loose one that falls on the ground and on itself."""
    scene = sh.Scene("rope")
    made: dict[str, Any] = {"radius": 0.01, "density": 1000.0, "bending": 1e-3, "twisting": 1e-3, "elements": 20}
    if on_ground:
        scene.ground()
        turns = np.linspace(0.0, 4.0 * np.pi, 21)
        path = [(0.2 * np.cos(a), 0.2 * np.sin(a), 0.05 + 0.02 * a) for a in turns]
        scene.rope("rope", path, **made)
    else:
        scene.body("ball", sh.Sphere(0.05, mass=1.0), position=(1.0, 0.0, 0.0))
        scene.rope("rope", [(0, 0, 0), (1, 0, 0)], start=sh.Tie(body="world"), end=sh.Tie(body="ball"), **made)
    return scene


def measure_ropes(worlds: int, on_ground: bool, device: str = "cuda") -> dict[str, Any]:
    """Rope-steps per second, and how far the rope is from its path in double precision after 0.2 s."""
    ropes = sh.Simulation(rope_scene(on_ground), dt=DT, worlds=worlds, device=device, precision="float32")
    exact = sh.Simulation(rope_scene(on_ground), dt=DT, device=device)
    ropes.step(40)
    exact.step(40)
    apart = ropes.state.rope_position.numpy() - exact.state.rope_position.numpy()
    return {
        "ropes": worlds,
        "on the ground": on_ground,
        "rope-steps per second": rate(lambda: ropes.step(STEPS), worlds, STEPS),
        "from double precision, m": float(np.abs(apart).max()),
        "end of the rope, m": exact.state.rope_position.numpy()[-1, 0].tolist(),
        "stopped": len(ropes.stopped_worlds),
    }


def main() -> None:
    """Run everything and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/gpu.json"))
    parser.add_argument("--worlds", type=int, default=131072)
    parser.add_argument("--only", default="", help="part of a case's name, such as float32")
    parser.add_argument("--blocks", type=int, nargs="+", default=list(BLOCKS), help="threads of a block")
    parser.add_argument("--peer-worlds", type=int, default=8192)
    parser.add_argument("--robots", type=int, default=65536)
    parser.add_argument("--ropes", type=int, default=32768)
    arguments = parser.parse_args()
    wp = load_warp()
    results = {
        "device": wp.get_device("cuda:0").name,
        "worlds": arguments.worlds,
        "world-steps per second": measure_ours(arguments.worlds, arguments.only, arguments.blocks),
        "robots": [measure_robots(arguments.robots, iterations) for iterations in (10, 20)],
        "ropes": [measure_ropes(arguments.ropes, on_ground) for on_ground in (False, True)],
        "peer": measure_mujoco_warp(arguments.peer_worlds),
        "batches": check_batches(),
    }
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(results, indent=2))
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
