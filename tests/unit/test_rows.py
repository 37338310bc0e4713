"""Every row of a joint belongs to one kind of row, and kinds are visited in the order of ``bounds.KINDS``."""

from __future__ import annotations

import numpy as np

import sharnir as sh
from sharnir.model.compile import compile_scene


def geared() -> sh.Scene:
    """Two shafts with a lossy gear between them: dry friction and a lossy drive on the first, limits on the second."""
    scene = sh.Scene("geared")
    shafts = []
    for i in range(2):
        wheel = scene.body(f"wheel{i}", sh.Sphere(0.1, mass=1.0), position=(0, i, 0))
        rubs = {"friction": sh.Coulomb(0.1), "drive": sh.DcDrive(0.5, 300.0, 0.05, 100.0, efficiency=0.8)}
        stops = {"limits": (-1.0, 1.0), "friction": sh.Coulomb(0.2)}
        details = rubs if i == 0 else stops
        shafts.append(scene.joint(f"shaft{i}", sh.Revolute(axis=(0, 0, 1)), scene.world, wheel, **details))
    scene.couple("mesh", sh.Gear(2.0, efficiency=0.9), *shafts)
    return scene


def test_the_rows_that_rub_are_parted_between_the_kinds() -> None:
    compiled = compile_scene(geared(), "direct", "leapfrog")
    model = {
        name: np.asarray(values)
        for name, values in compiled.model.items()
        if name.startswith(("friction", "gear_s", "loss_s"))
    }
    parts = [model[name] for name in ("friction_start", "gear_start", "loss_start", "friction_end")]
    assert [list(part) for part in parts] == [[0, 3], [1, 4], [2, 4], [3, 4]]
    dry, gear, loss = (
        np.concatenate([np.arange(*ends) for ends in zip(*parts[i : i + 2], strict=True)]) for i in range(3)
    )
    assert (model["friction_soft"][gear] >= 0).all() and (model["friction_soft"][np.r_[dry, loss]] < 0).all()
    assert (model["friction_coupling"][loss] >= 0).all() and (model["friction_coupling"][np.r_[dry, gear]] < 0).all()


def test_every_kind_has_a_feature_and_the_whole_interface() -> None:
    from sharnir.dynamics.rows.bounds import KINDS
    from sharnir.model.precision import precision_of

    features = compile_scene(geared(), "direct", "leapfrog").features
    wanted = {"first", "last", "linear", "prepare", "warm", "visit", "is_idle", "end", "scale"}
    for make, feature in KINDS.items():
        assert getattr(features, feature), feature
        given = set(vars(make(precision_of("float64"), features)))
        assert wanted <= given and {"push", "is_passed"} & given in ({"push", "is_passed"}, set()), feature
