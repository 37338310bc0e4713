"""Cassie, a walking robot with closed loops, hung by its pelvis and let go: how far do its loops open?

``python -m benchmarks.cassie`` reads the SDF of example-robot-data, whose legs have links with two parents, swings it
for 2 s here and, written as MJCF, in MuJoCo, both at the same step, and prints the largest distance between the two
points of a joint.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import sharnir as sh

from .importing.wheels import folder_of

FILE = "cassie_description/robots/cassie_v2.sdf"
TIME = 2.0  # s


def hung() -> sh.Scene:
    """The robot with its pelvis fixed in the air, without motors."""
    folder = folder_of("example_robot_data")
    if folder is None:
        raise SystemExit("example-robot-data is not installed; install it with: pip install example-robot-data")
    scene = sh.Scene.load(folder / FILE, motors=False, search=[folder])
    scene.joint("hook", sh.Fixed(), scene.world, scene.bodies["pelvis"])
    return scene


def ours(scene: sh.Scene, dt: float) -> tuple[float, float]:
    """The largest gap of a joint (m), and how far a body moves (m)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = sh.Simulation(scene, dt=dt).run(TIME)
    gaps = [float(run[joint.gap].max()) for joint in scene.joints.values()]
    moved = [float(np.ptp(run[body.position].values, axis=0).max()) for body in scene.bodies.values()]
    return max(gaps), max(moved)


def theirs(scene: sh.Scene, dt: float) -> tuple[float, float]:
    """The same in MuJoCo, with its own settings."""
    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        model = mujoco.MjModel.from_xml_path(str(scene.save(Path(folder) / "cassie.xml")))
    model.opt.timestep = dt
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    start, worst, far = data.xpos.copy(), 0.0, 0.0
    for _ in range(round(TIME / dt)):
        mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        worst = max(worst, *(_gap(data, joint) for joint in scene.joints.values()))
        far = max(far, float(np.abs(data.xpos - start).max()))
    return worst, far


def _gap(data: Any, joint: sh.Joint) -> float:
    """The distance of the two frames' origins; slides have none here."""
    points = []
    for body, frame in ((joint.a, joint.frame_a), (joint.b, joint.frame_b)):
        there = data.body(body.name)
        points.append(there.xpos + there.xmat.reshape(3, 3) @ frame.position)
    return 0.0 if isinstance(joint.type, sh.Prismatic) else float(np.linalg.norm(points[1] - points[0]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cassie", description=__doc__)
    parser.add_argument("--dt", type=float, nargs="*", default=[0.002, 0.001, 0.0005])
    arguments = parser.parse_args()
    scene = hung()
    print("| step | Sharnir: largest gap | MuJoCo: largest gap | the feet move |\n|---|---|---|---|")
    for dt in arguments.dt:
        (gap, moved), (their_gap, _) = ours(scene, dt), theirs(scene, dt)
        print(f"| {1e3 * dt:g} ms | {gap:.1e} m | {their_gap:.1e} m | {moved:.2f} m |", flush=True)


if __name__ == "__main__":
    main()
