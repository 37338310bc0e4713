"""Kernels are compiled for a GPU, which takes none: what only users with one would find out is found here."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

import sharnir as sh
from sharnir.device import load_warp
from sharnir.dynamics.compiled import KINDS, gpu_kernel
from sharnir.model.compile import compile_scene
from sharnir.model.features import ALL_SHAPES, Features
from sharnir.model.precision import Precision, precision_of

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="Warp has no CUDA compiler there")
SOLVERS = ("direct", "sequential-impulses") if os.environ.get("SHARNIR_SLOW") else ("direct",)
AMPERE = 80  # the architecture; any that the compiler knows will do


def machine() -> sh.Scene:
    """All of joint space: couplings with losses and play, a gearbox, what is prescribed, every actuator."""
    scene = sh.Scene()
    actuators = (
        sh.IdealActuator(limit=10.0),
        sh.TorqueMotor(torque_constant=0.1, current_limit=10.0),
        sh.HydraulicCylinder(area=1e-3, stroke=1.0, supply=1e7, flow=1e-3),
        sh.PneumaticSpring(area=1e-3, volume=1e-3, pressure=3e5),
        sh.Muscle(force=100.0, length=0.3, fastest=1.0),
        sh.ForceMap(coordinates=(-1.0, 1.0), speeds=(-1.0, 1.0), forces=((1.0, 0.0), (0.0, -1.0))),
    )
    joints = []
    for i, actuator in enumerate(actuators):
        body = scene.body(f"body {i}", sh.Box(0.1, 0.1, 0.1, mass=1.0), position=(float(i), 0, 0))
        guide = sh.Prismatic(axis=(0, 0, 1), anchor=(float(i), 0, 0))
        carried: dict[str, Any] = {"actuator": actuator, "friction": sh.Coulomb(1.0), "limits": (-1.0, 1.0)}
        joints.append(scene.joint(f"guide {i}", guide, scene.world, body, **carried))
    scene.couple("lossy", sh.Gear(2.0, efficiency=0.9, backlash=0.01), joints[0], joints[1])
    scene.couple("box", sh.Gearbox((2.0, 1.0), gear=1), joints[2], joints[3])
    scene.couple("shaker", sh.Prescribed(), joints[4])
    scene.prescribe("mover", scene.body("table", sh.Box(1, 1, 0.1, mass=1.0), position=(0, 5, 0)))
    return scene


def compiles(kind: str, features: Features, folder: Path) -> bool:
    precision: Precision = precision_of("float32", by_reference=True)
    module = gpu_kernel(kind, precision, features).module
    load_warp().compile_aot_module(module, arch=AMPERE, module_dir=folder, use_ptx=True)
    return bool(list(folder.glob("*.ptx")))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "step"])
def test_what_reads_compiles_for_a_gpu(kind: str, tmp_path: Path) -> None:
    """Measuring, sensors, and rays that meet shapes of all kinds."""
    assert compiles(kind, ALL_SHAPES, tmp_path)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_step_of_joint_space_compiles_for_a_gpu(solver: str, tmp_path: Path) -> None:
    features = compile_scene(machine(), solver, "leapfrog", device="cuda:0").features
    assert features.couplings and features.losses and features.backlash and features.actuators and features.movers
    assert compiles("step", features, tmp_path)


def rubbing_chain() -> sh.Scene:
    """Of so many links that the paths through the elimination are long."""
    scene = sh.Scene()
    before = scene.world
    for i in range(40):
        link = scene.body(f"link{i}", sh.Box(1, 0.1, 0.1, mass=1.0), position=(i + 0.5, 0, 0))
        joint = sh.Revolute(axis=(0, 1, 0), anchor=(i, 0, 0))
        scene.joint(f"hinge{i}", joint, before, link, friction=sh.Coulomb(0.1))
        before = link
    return scene


def test_iterations_that_differ_from_world_to_world_are_for_processors() -> None:
    """On a GPU friction in the matrix and contacts together cost more than they save."""
    grounded = rubbing_chain()
    grounded.ground()
    for device, wanted in (("cpu", True), ("cuda:0", False)):
        assert compile_scene(rubbing_chain(), "direct", "leapfrog", device=device).features.held is wanted
        assert compile_scene(grounded, "direct", "leapfrog", device=device).features.together is wanted
