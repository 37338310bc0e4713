"""Optimisation against closed forms of the door."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sharnir as sh
from sharnir.cli.command import main
from sharnir.experiment import load_example
from sharnir.studies.optimise import Optimisation

PUSH, PUSH_ENDS = 52.727272727, 0.33  # N m, s
INERTIA = 26.487360107 * (0.9**2 / 3 + 0.04**2 / 12)  # kg m^2
VARY = {"hinge.friction": "5:40"}


def top_speed(friction):
    """(M - F) t/I."""
    return (PUSH - friction) * PUSH_ENDS / INERTIA


def test_an_optimum_lies_on_its_constraint():
    """The door swings the farther the less friction it has; a bound on its speed bounds the friction from below."""
    aim = {"maximise": "hinge.angle final", "subject_to": "hinge.speed max < 1.2"}
    found = Optimisation(load_example("door"), VARY, **aim).run(evaluations=120, seed=1)
    assert found.feasible
    assert found.best["hinge.friction"] == pytest.approx(PUSH - 1.2 * INERTIA / PUSH_ENDS, rel=2e-3)
    assert found.constraints["hinge.speed max < 1.2"] == pytest.approx(1.2, rel=2e-3)
    assert found.constraints["hinge.speed max < 1.2"] < 1.2


def test_a_front_of_two_objectives():
    """Far and slow exclude each other: every friction is on the front, and none is on it twice."""
    aim = {"maximise": "hinge.angle final", "minimise": "hinge.speed max"}
    found = Optimisation(load_example("door"), {"hinge.friction": "10:40"}, **aim).run(evaluations=32)
    friction = np.array([point["hinge.friction"] for point in found.front])
    speed = np.array([point["hinge.speed max"] for point in found.front])
    angle = np.array([point["hinge.angle final"] for point in found.front])
    np.testing.assert_allclose(speed, top_speed(friction), rtol=2e-4)
    assert (np.diff(speed) > 0).all() and (np.diff(angle) > 0).all()
    assert friction.min() < 11 and friction.max() > 39
    assert np.diff(np.sort(friction)).max() < 6


def test_no_point_within_the_constraints_is_said(capsys, tmp_path):
    options = [
        "--vary",
        "hinge.friction=5:40",
        "--minimise",
        "hinge.angle final",
        "--subject-to",
        "hinge.speed max > 9",
    ]
    report, scene = str(tmp_path / "report.html"), str(tmp_path / "door.yaml")
    assert (
        main(["optimise", "door", *options, "--evaluations", "40", "--json", "--report", report, "--save", scene]) == 1
    )
    found = json.loads(capsys.readouterr().out)
    assert found["feasible"] is False
    assert "data:image/png" in (tmp_path / "report.html").read_text()
    level = sh.Scene.load(scene).joints["hinge"].friction["angle"].level
    assert level == pytest.approx(found["best"]["hinge.friction"])


@pytest.mark.parametrize(
    ("changed", "hint"),
    [
        ({"minimise": ()}, "nothing is optimised"),
        ({"subject_to": "hinge.angle max"}, "cannot be read"),
        ({"minimise": "hinge.angle series"}, "whole course"),
        ({"vary": {}}, "nothing may be chosen"),
        ({"vary": {"hinge.friction": "normal(20, 1)"}}, "give a range"),
        ({"vary": {"hinge.fricton": "5:40"}}, "did you mean 'hinge.friction"),
    ],
)
def test_bad_optimisations(changed, hint):
    given = {"vary": VARY, "minimise": "hinge.angle final"} | changed
    with pytest.raises(sh.SceneError, match=hint):
        Optimisation(load_example("door"), given.pop("vary"), **given)


def test_an_optimisation_without_simulations_is_refused():
    with pytest.raises(sh.SceneError, match="evaluations is 0; give a whole number of at least 1"):
        Optimisation(load_example("door"), VARY, minimise="hinge.angle final").run(evaluations=0)
