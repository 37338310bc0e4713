"""Identification on logs that scipy made: the truth inside the intervals, wrong laws beaten, blindness admitted."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.friction_cases import CASES
from benchmarks.friction_logs import DELAY, NOISE, PENDULUM, dry, log_of, pendulum
from benchmarks.together import Joined, fit_together
from scipy.stats import chi2

import sharnir as sh
from sharnir.studies.identify import Identification, compare_inputs
from sharnir.studies.laws import rank
from sharnir.studies.logs import make_log

DURATION, LEVEL, VISCOUS = 2.0, 0.4, 0.08  # s, N m, N m s
COLUMNS = PENDULUM.columns
FREE = {"pivot.friction": "0.05:2", "pivot.viscous": "0.01:1"}
TRUTH = {"pivot.friction": LEVEL, "pivot.viscous": VISCOUS, "delay": DELAY}
COURSE = dry(PENDULUM, [LEVEL], [VISCOUS], DURATION)


def steady(level: float = 0.3, viscous: float = 0.1) -> sh.Scene:
    return pendulum(sh.Stribeck(level, level, 1.0, viscous))


def identification(log, **changed) -> Identification:
    details = {"delay": "0:0.01", "dt": 0.0005} | COLUMNS | changed
    return Identification(steady(), log, FREE, **details)


@pytest.fixture(scope="module")
def found():
    return identification(log_of(PENDULUM, COURSE, DURATION, seed=1)).fit(seed=2)


def test_the_truth_lies_in_the_intervals(found):
    for name, value in TRUTH.items():
        estimate = found[name]
        assert abs(estimate.value - value) < 3.0 * estimate.deviation, name  # 99.7 % of logs
        assert estimate.high - estimate.low < 0.1 * value or name == "delay"
    assert found.untold == [] and found.warnings == []
    assert found.noise["pivot.angle"] == pytest.approx(NOISE, rel=0.1)
    assert abs(found.whiteness["pivot.angle"]) < 0.1


def test_the_winner_agrees_with_the_exact_twin(found):
    """An error of the step is not sold as friction: below a quarter of the intervals, and a large one is told."""
    assert set(found.twin) == set(TRUTH) and max(found.twin.values()) < 0.25
    coarse = identification(log_of(PENDULUM, COURSE, DURATION, seed=1), dt=0.01)
    warned = coarse.fit(start={"pivot.friction": 0.4, "pivot.viscous": 0.08, "delay": 0.001}).warnings
    assert any("error of the step of 0.01 s" in text and "smaller dt" in text for text in warned)


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Of 12 numbers' errors in units of their deviation, the mean square is 1 within what chance allows."""
    errors = []
    for seed in range(4):
        one = identification(log_of(PENDULUM, COURSE, DURATION, seed=10 + seed))
        fit = one.fit(start=TRUTH, twin=False)
        errors += [(fit[name].value - value) / fit[name].deviation for name, value in TRUTH.items()]
    assert 0.2 < np.mean(np.square(errors)) < 2.5  # chi-square of 12, 0.1 % on either side


def test_an_error_of_the_step_is_not_sold_as_a_delay():
    """Friction that reverses makes joints start back late, by 0.05 steps or so in the mean. With a tenth of the noise
    that is several half widths of the interval of the delay, and must be taken out."""
    log = log_of(PENDULUM, COURSE, DURATION, seed=5, noise=0.1 * NOISE)
    found = identification(log, dt=0.002).fit(start=TRUTH, twin=False)
    assert found.corrected["delay"] > 2.0
    for name, value in TRUTH.items():
        assert abs(found[name].value - value) < 3.0 * found[name].deviation, name


@pytest.mark.parametrize("case", list(CASES.values())[1:], ids=lambda case: case.name)
def test_an_arm_and_bristles(case):
    """One log of each: of n numbers' errors in units of their deviation the squares add up to a chi-square of n."""
    found = fit_together([case.identification(3)], [lambda one: one.fit(start=case.truth, twin=False)])[0]
    errors = [(found[name].value - value) / found[name].deviation for name, value in case.truth.items()]
    assert np.sum(np.square(errors)) < chi2.ppf(0.999, len(errors))
    assert found.untold == [] and found.warnings == []


def test_fits_that_are_made_together_end_as_they_would_alone():
    logs = [log_of(PENDULUM, COURSE, DURATION, seed=seed) for seed in (20, 21)]
    made = [Joined(steady(), log, FREE, delay="0:0.01", dt=0.004, **COLUMNS) for log in logs]
    together = fit_together(made, [lambda one: one.fit(start=TRUTH, twin=False)] * 2)
    alone = [identification(log, dt=0.004).fit(start=TRUTH, twin=False) for log in logs]
    assert [one.estimates for one in together] == [one.estimates for one in alone]
    assert together[0].estimates != together[1].estimates


def test_a_log_without_motion_is_answered_by_name():
    time = np.arange(0.0, 1.0, 0.002)
    quiet = np.random.default_rng(0).normal(0.0, NOISE, len(time))
    log = make_log(time, {"pivot torque": 0.01 * np.sin(time), "pivot angle": quiet})
    found = identification(log).fit()
    assert found.untold == [f"'{name}': 'pivot.angle' does not move in the log" for name in TRUTH]
    assert np.isinf(found["pivot.friction"].high)


def test_a_scene_that_is_not_driven_is_wrong_and_its_log_does_move():
    """A forgotten input leaves residuals as large as the motion; the log is not blamed for that."""
    log = log_of(PENDULUM, COURSE, DURATION, seed=1)
    found = identification(log, inputs={}, dt=0.002).fit(start=TRUTH, twin=False)
    assert any("are not noise" in text for text in found.warnings)
    assert not any("does not move" in text for text in found.warnings)


def test_what_cannot_be_told_apart_is_named():
    """Without gravity torque, inertia and friction only appear as ratios: all three times two move alike."""
    scene = sh.Scene("turntable", gravity=(0.0, 0.0, 0.0))
    disc = scene.body("disc", sh.Cylinder(0.2, 0.02, mass=2.0))
    scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, disc, friction=sh.Coulomb(0.1))
    time = np.arange(0.0, 1.0, 0.004)
    inertia = 2.0 * 0.2**2 / 2
    angle = 0.5 * (0.5 - 0.1) / inertia * time**2
    log = make_log(
        time, {"angle": angle + np.random.default_rng(1).normal(0, 1e-3, len(time)), "torque": 0 * time + 0.5}
    )
    free = {"axle.friction": "0.01:1", "disc.mass": "0.2:20"}
    one = Identification(scene, log, free, outputs={"axle.angle": "angle"}, inputs={"torque.axle": "torque"}, dt=0.004)
    found = one.fit(start={"axle.friction": 0.1, "disc.mass": 2.0}, twin=False)
    assert len(found.untold) == 1
    assert "'axle.friction'" in found.untold[0] and "'disc.mass'" in found.untold[0] and "apart" in found.untold[0]
    # a push that ends tells them: braked it slows by the friction alone
    trials = compare_inputs(
        one, {"axle.friction": 0.1, "disc.mass": 2.0},
        {"constant": 0.5 + 0 * time, "push and coast": np.where(time < 0.5, 0.5, 0.0)},
        "torque.axle", {"axle.angle": 1e-3},
    )  # fmt: skip
    assert [trial.name for trial in trials] == ["push and coast", "constant"]
    assert trials[0].worst < 0.1 < trials[1].worst


def test_degrees_and_signs_are_noticed():
    log = log_of(PENDULUM, COURSE, DURATION, seed=1, delay=0.0)
    for factor, words in ((180 / np.pi, "is in degrees"), (-1.0, "opposite sign")):
        wrong = make_log(log.time, log.columns | {"pivot angle": factor * log.columns["pivot angle"]})
        with pytest.raises(sh.SceneError, match=words):
            identification(wrong, delay=0.0, dt=0.002).check_units()


def test_wrong_laws_lose_on_held_out_data():
    laws = ("none", "viscous", "coulomb", "coulomb and viscous")
    log = log_of(PENDULUM, COURSE, DURATION, seed=3, delay=0.0)
    ranked = rank(pendulum(None), "pivot", log, (0.02, 2.0), laws=laws, dt=0.002, **COLUMNS)
    assert ranked[0].name == "coulomb and viscous"
    assert ranked[0].held_out == pytest.approx(1.0, abs=0.25)
    assert all(one.held_out > 3.0 for one in ranked[1:])
