"""Every example runs, and its figures are what they should be."""

from __future__ import annotations

import pytest

import sharnir as sh
from sharnir.experiment import general_figures, general_plots, list_examples, load_example, load_experiment


@pytest.mark.parametrize("name", list_examples())
def test_the_figures_are_as_expected(name):
    experiment = load_example(name)
    run = experiment.run()
    assert run.warnings == ()
    figures = experiment.report(run)
    assert figures
    assert [figure for figure in figures if figure.ok is not True] == []


def test_every_example_has_a_title():
    titles = list_examples()
    assert "door" in titles
    assert all(len(title) > 10 and "\n" not in title for title in titles.values())


def test_an_unknown_example_is_explained():
    with pytest.raises(sh.SceneError, match="did you mean 'door'"):
        load_example("dor")


def test_a_file_without_an_experiment_is_explained(tmp_path):
    file = tmp_path / "empty.py"
    file.write_text("x = 1\n")
    with pytest.raises(sh.SceneError, match="no function experiment"):
        load_experiment(file)
    file.write_text("def experiment():\n    return 1\n")
    with pytest.raises(sh.SceneError, match="must return a sharnir"):
        load_experiment(file)


def test_figures_know_whether_they_are_right():
    assert sh.Figure("a", 1.0).ok is None
    assert sh.Figure("a", 1.0, "m", expected=1.1, tolerance=0.2).ok is True
    assert sh.Figure("a", 1.0, "m", expected=1.5, tolerance=0.2).ok is False
    assert sh.Figure("a", float("nan"), "m", expected=1.5, tolerance=0.2).ok is False
    assert sh.Figure("a", float("nan"), "m", expected=1.5, tolerance=0.2).as_dict()["value"] is None


def test_a_figure_may_have_bounds():
    assert sh.Figure("a", 1.0, at_most=2.0).ok is True
    assert sh.Figure("a", 1.0, at_least=2.0).ok is False
    assert sh.Figure("a", 1.0, at_least=0.0, at_most=0.5).ok is False
    assert sh.Figure("a", float("nan"), at_most=0.5).ok is False
    assert sh.Figure("a", 1.0, at_least=0.0, at_most=1.5).difference == -0.5  # from the nearer bound
    assert sh.Figure("a", 1.0, at_most=2.0, paper="002", note="n").as_dict() == {
        "name": "a", "value": 1.0, "unit": "", "at_most": 2.0, "ok": True, "paper": "002", "note": "n",
    }  # fmt: skip


def test_a_chart_is_drawn(tmp_path):
    curves = {"Sharnir": ([0.0, 1.0], [1.0, 2.0]), "exact twin": ([0.0, 1.0], [1.0, 2.1])}
    chart = sh.Chart("figure4", "a title", "angle, rad", curves, {"limit": 1.5}, {"end": 0.5})
    file = chart.save(tmp_path / "charts" / "figure4.png")
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_scene_without_figures_shows_what_any_scene_has():
    scene = sh.Scene("pendulum")
    bob = scene.body("bob", sh.Sphere(0.1, mass=1.0), position=(1, 0, 0))
    scene.joint("pivot", sh.Revolute(axis=(0, 1, 0)), scene.world, bob)
    run = sh.Experiment(scene, time=0.1, dt=0.01).run()
    names = [figure.name for figure in general_figures(scene, run)]
    assert names == ["pivot.angle at the end", "largest gap in a joint", "energy at the start", "energy at the end"]
    assert [quantity.variable for quantity in general_plots(scene)[0]] == ["coordinate", "rate"]
