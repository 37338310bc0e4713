"""What a scene does not have is not in its kernel: no cost and no other bits without couplings and the like."""

from __future__ import annotations

import os
from functools import cache

import pytest
from benchmarks.golden import SCENES

from sharnir.device import load_warp
from sharnir.dynamics.compiled import gpu_kernel
from sharnir.experiment import load_example
from sharnir.model.compile import compile_scene
from sharnir.model.features import Features
from sharnir.model.precision import precision_of

PARTS = {
    "couplings": "sharnir.dynamics.rows.coupling",
    "losses": "sharnir.dynamics.rows.loss",
    "actuators": "sharnir.dynamics.rows.actuator",
    "movers": "sharnir.dynamics.movers",
}
SENSING = "sharnir.dynamics.sensing"  # has kernels of its own, whatever a scene has
FEW = ("friction", "springs on wheels", "rope")  # joints alone, contacts with drives, a rope
LOOKED_INTO = tuple(SCENES) if os.environ.get("SHARNIR_SLOW") else FEW


def features_of(name: str) -> Features:
    example, settings = SCENES[name]
    experiment = load_example(example)
    given = experiment.settings | settings
    return compile_scene(experiment.scene, given.get("solver", "direct"), given.get("integrator", "leapfrog")).features


@cache
def parts_of(features: Features) -> frozenset[str]:
    """The modules whose functions a step of these features calls."""
    load_warp()
    from warp._src.context import ModuleBuilder

    module = gpu_kernel("step", precision_of("float64", by_reference=True), features).module
    return frozenset(function.func.__module__ for function in ModuleBuilder(module, dict(module.options)).functions)


@pytest.mark.parametrize("name", SCENES)
def test_golden_scenes_have_none_of_them(name: str) -> None:
    features = features_of(name)
    assert not any(getattr(features, part) for part in PARTS)


@pytest.mark.parametrize("name", LOOKED_INTO)
def test_what_a_scene_does_not_have_is_not_in_its_kernel(name: str) -> None:
    parts = parts_of(features_of(name))
    assert "sharnir.dynamics.pipeline" in parts
    assert not parts & {*PARTS.values(), SENSING}


def test_what_a_scene_has_is_in_its_kernel() -> None:
    experiment = load_example("differential")
    assert PARTS["couplings"] in parts_of(compile_scene(experiment.scene, "direct", "leapfrog").features)
