"""Cassie, a walking robot with closed loops, hung by its pelvis and let go: how far do its loops open?

``python -m benchmarks --only cassie`` reads the SDF of example-robot-data, whose legs have links with two parents, and
swings it for 2 s here and, written as MJCF with its loops as ``connect`` and ``weld``, in MuJoCo, at the same step. It
measures the largest distance between the two points of a joint.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import sharnir as sh

from .importing.wheels import folder_of
from .report import AS_IT_COMES, Bar, Section, compared

TITLE = "Cassie's loops"
COLUMNS = ["step", "Sharnir: largest gap, m", "MuJoCo: largest gap, m", "Sharnir: moves, m", "MuJoCo: moves, m"]
STEPS = (0.002, 0.001, 0.0005)  # s
BAR = 1e-9  # m
FILE = "cassie_description/robots/cassie_v2.sdf"
TIME = 2.0  # s


def hung() -> sh.Scene:
    """The robot with its pelvis fixed in the air, without motors."""
    folder = folder_of("example_robot_data")
    assert folder is not None, "install it with: pip install example-robot-data"
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


def run(quick: bool = False) -> list[Section]:
    """The largest gap of a joint in both, at several steps."""
    if folder_of("example_robot_data") is None:
        return [Section(TITLE, COLUMNS, [], notes=["example-robot-data is not installed, so it was not measured."])]
    scene, rows, gaps = hung(), [], {}
    for dt in STEPS[:1] if quick else STEPS:
        (gap, moved), (their_gap, their_moved) = ours(scene, dt), theirs(scene, dt)
        gaps[f"{1e3 * dt:g} ms"] = {"Sharnir": gap, "MuJoCo": their_gap}
        rows.append([f"{1e3 * dt:g} ms", f"{gap:.1e}", f"{their_gap:.1e}", f"{moved:.2f}", f"{their_moved:.2f}"])
    worst = {name: max(pair[name] for pair in gaps.values()) for name in ("Sharnir", "MuJoCo")}
    told = "largest gap of a joint, hung for 2 s"
    return [
        Section(
            TITLE,
            COLUMNS,
            rows,
            [Bar(f"Cassie: {told}", worst["Sharnir"], BAR, "m")],
            compared("Cassie", told, "m", worst, 1e-6, AS_IT_COMES),
            [
                "Cassie (cassie_v2.sdf of example-robot-data), its pelvis held, without motors; in MuJoCo the same "
                "scene, its loops as `connect` and `weld`, with MuJoCo's own settings."
            ],
            {"gaps": gaps},
        )
    ]
