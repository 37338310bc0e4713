"""Every row of a joint belongs to one kind of row, and kinds are visited in the order of ``BOUND_KINDS``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import sharnir as sh
from sharnir.model.bound_ranges import BOUND_KINDS, KINDS
from sharnir.model.compile import compile_scene
from sharnir.model.features import CATCH_KINDS


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


def test_the_rows_of_a_joint_are_parted_between_the_kinds() -> None:
    model = {name: np.asarray(values) for name, values in compile_scene(geared(), "direct", "leapfrog").model.items()}
    starts, ends = (model[name].reshape(2, len(BOUND_KINDS)) for name in ("bound_start", "bound_end"))
    rubbing = slice(BOUND_KINDS.index("friction"), BOUND_KINDS.index("loss") + 1)
    assert starts[:, 0].tolist() == [0, 0] and ends[:, 0].tolist() == [0, 1]
    assert starts[:, rubbing].tolist() == [[0, 1, 2], [3, 4, 4]] and ends[:, rubbing].tolist() == [[1, 2, 3], [4, 4, 4]]
    assert (starts[:, rubbing.stop :] == ends[:, rubbing.stop :]).all()
    dry, gear, loss = (
        np.concatenate([np.arange(start, end) for start, end in zip(starts[:, kind], ends[:, kind], strict=True)])
        for kind in range(rubbing.start, rubbing.stop)
    )
    assert (model["friction_soft"][gear] >= 0).all() and (model["friction_soft"][np.r_[dry, loss]] < 0).all()
    assert (model["friction_coupling"][loss] >= 0).all() and (model["friction_coupling"][np.r_[dry, gear]] < 0).all()


def test_every_kind_has_a_feature_and_the_whole_interface() -> None:
    from sharnir.dynamics.rows.bounds import kinds_of
    from sharnir.model.precision import precision_of

    features = replace(compile_scene(geared(), "direct", "leapfrog").features, catches=frozenset(CATCH_KINDS))
    assert all(getattr(features, feature) for feature in KINDS.values())
    made = kinds_of(precision_of("float64"), features)
    assert list(made) == list(range(len(BOUND_KINDS)))
    wanted = {"linear", "prepare", "warm", "visit", "is_idle", "end", "scale"}
    for kind in made.values():
        given = set(vars(kind))
        assert wanted <= given and {"push", "is_passed"} & given in ({"push", "is_passed"}, set())
