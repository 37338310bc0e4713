"""Kernels are compiled for a GPU, which takes none: what only users with one would find out is found here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import sharnir as sh
from sharnir.device import load_warp
from sharnir.dynamics.contacts import rays
from sharnir.dynamics.measure import measure_kernel
from sharnir.dynamics.pipeline import step_kernel
from sharnir.dynamics.sensing import beam_kernel, sense_kernel
from sharnir.model.compile import compile_scene
from sharnir.model.precision import Precision, precision_of

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="Warp has no CUDA compiler there")
AMPERE = 80  # the architecture; any that the compiler knows will do


def features() -> Any:
    scene = sh.Scene()
    scene.joint("hinge", sh.Revolute(axis=(0, 1, 0)), scene.world, scene.body("rod", sh.Box(1, 0.1, 0.1, mass=1.0)))
    return compile_scene(scene, "direct", "leapfrog").features


KERNELS = {
    "coordinates": lambda p: measure_kernel(p),
    "sensors": lambda p: sense_kernel(p),
    "beams": lambda p: beam_kernel(p, features()),
    "rays of a world": lambda p: rays.sense_kernel(p, features()),
    "rays": lambda p: rays.cast_kernel(p, features()),
    "step": lambda p: step_kernel(p, features()),
}


@pytest.mark.parametrize("name", KERNELS)
def test_it_compiles_for_a_gpu(name: str, tmp_path: Path) -> None:
    precision: Precision = precision_of("float32", by_reference=True)
    load_warp().compile_aot_module(KERNELS[name](precision).module, arch=AMPERE, module_dir=tmp_path, use_ptx=True)
    assert list(tmp_path.glob("*.ptx"))
