"""The debriefing of a run: score, map, faults, signals and what was done, each a way into the replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from audit import AXE, audit, needs_axe
from consoles import PATIENCE, WINDOW
from finishing import finish

from sharnir.cli.command import main
from sharnir.experiment import load_example
from sharnir.runtime import commands as c
from sharnir.runtime.journal import SCENARIO, LoggedRun, create_run
from sharnir.runtime.referee import score_of
from sharnir.runtime.runtime import Runtime

DT = 0.01
TASK = """
name: push the door
scene: door
time: 60
goals:
  - {type: attain, name: ajar, signal: hinge.angle, value: 0.5}
  - {type: attain, name: wide open, signal: hinge.angle, value: 100.0, weight: 2}
  - {type: stay, name: slowly, signal: hinge.angle rate, limit: 0.5, allowed: 0.2}
  - {type: reach, name: there, body: door, at: [0.0, 0.0], radius: 0.01}
"""
NOW = "() => sharnir.link.now"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> LoggedRun:
    """The door is pushed, a gust comes, somebody stops it; reset once, so the run's time is not the simulated one."""
    made = create_run(load_example("door").scene, DT, {}, tmp_path_factory.mktemp("runs"))
    (made.folder / SCENARIO).write_text(TASK)
    runtime = Runtime(made, paused=True)
    gust = {"type": "gust", "body": "door", "force": [0.0, 5.0, 0.0]}
    for command, by in (
        (c.Step(100), "operator 1"),
        (c.Reset(), "instructor 1"),
        (c.Set({"push hinge angle": 40.0}), "operator 1"),
        (c.Step(200), "operator 1"),
        (c.Inject("wind", gust), "instructor 1"),
        (c.Step(50), "operator 1"),
        (c.Stop(), "operator 1"),
        (c.Step(50), "operator 1"),
        (c.Clear("wind"), "instructor 1"),
        (c.Note("well <b>done</b>"), "instructor 1"),
        (c.Step(100), "operator 1"),
    ):
        runtime.send(command, by)
    finish(runtime, 500)
    return LoggedRun(made.folder)


@pytest.fixture(scope="module")
def page(run: LoggedRun, chromium: Any) -> Any:
    assert main(["score", str(run.folder), "--no-browser"]) == 1  # it did not pass
    context = chromium.new_context(viewport=WINDOW, bypass_csp=True)
    context.set_default_timeout(1000 * PATIENCE)
    made = context.new_page()
    made.requests = []
    made.errors = []
    made.on("request", lambda request: made.requests.append(request.url))
    made.on("pageerror", lambda error: made.errors.append(str(error)))
    made.goto((run.folder / "debriefing.html").as_uri())
    made.wait_for_function("() => window.sharnir?.started && sharnir.view.drawn > 0")
    yield made
    context.close()


def test_it_opens_from_disk_and_has_the_score_by_goal(page: Any, run: LoggedRun) -> None:
    assert [url for url in page.requests[1:] if not url.startswith(("data:", "blob:"))] == []
    assert page.errors == []
    score = score_of(run)
    assert f"{100 * score.total:.1f} %, not passed" in page.locator("#verdict").text_content()
    rows = page.locator("#goals tbody tr").all_text_contents()
    assert len(rows) == len(score.goals) == 4
    assert "✓ reached" in rows[0] and "… open" in rows[1] and "✗ failed" in rows[2]
    assert "above 0.5 for" in rows[2]


def test_what_has_a_time_goes_there(page: Any, run: LoggedRun) -> None:
    """The goal was reached so long after the reset, which itself was a second into the run."""
    ajar = score_of(run).goals[0]
    assert ajar.at is not None and ajar.tick == pytest.approx(ajar.at / DT + 100)
    page.locator("#goals .moment").first.click()
    page.wait_for_function("(t) => Math.abs(sharnir.link.now - t) < 0.05", arg=ajar.at)  # a second before it
    fault = page.locator("#faults tbody tr").first
    assert "wind" in fault.text_content() and "instructor 1" in fault.text_content()
    times = [button.text_content() for button in fault.locator(".moment").all()]
    assert times[0] == "3.0 s: instructor 1" and times[-2:] == ["3.5 s", "4.0 s"]  # injected, stopped, cleared
    fault.locator(".moment").last.click()
    page.wait_for_function("() => Math.abs(sharnir.link.now - 3) < 0.05")


def test_who_did_what_is_told_and_looked_through(page: Any) -> None:
    events = page.locator("#events")
    assert "operator 1: push hinge angle = 40" in events.text_content()
    assert "well <b>done</b>" in events.text_content()  # as it was written, not as it could be read
    page.locator("#author").select_option("instructor 1")
    shown = [row.text_content() for row in events.locator(".log-row:visible").all()]
    assert shown and all("instructor 1" in text for text in shown)
    page.locator("#author").select_option("")
    events.locator(".log-row", has_text="inject wind").click()
    page.wait_for_function("() => Math.abs(sharnir.link.now - 3) < 0.05")


def test_signals_have_a_cursor_and_the_map_a_way(page: Any) -> None:
    page.evaluate("() => sharnir.seek(0)")
    chart = page.locator(".chart").first
    assert chart.locator(".chart-limit").count() == 1  # what the goal asks for
    before = chart.locator("b").text_content()
    chart.scroll_into_view_if_needed()
    box = chart.locator("svg").bounding_box()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 20)
    page.wait_for_function("(before) => document.querySelector('.chart b').textContent !== before", arg=before)
    assert page.evaluate(NOW) == 0.0
    page.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + 20)
    page.wait_for_function("() => Math.abs(sharnir.link.now - 3) < 0.1")
    assert chart.locator(".chart-mark.fault").count() == 1
    assert page.locator("#map .map-zone").count() == 1
    ways = page.evaluate("() => [...document.querySelectorAll('.map-way')].map((way) => way.points.length)")
    assert ways and min(ways) > 100


def test_it_plays(page: Any) -> None:
    page.evaluate("() => sharnir.seek(0)")
    page.locator("#speed").select_option("5")
    page.locator("#play").click()
    page.wait_for_function("() => sharnir.link.index === sharnir.about.count - 1")
    angle = page.evaluate("() => sharnir.link.reader.channel(sharnir.link.frame, 'hinge.angle')")
    assert angle > 0.5


@needs_axe
def test_it_has_no_violations(page: Any) -> None:
    assert AXE.is_file()
    audit(page)


def test_a_run_without_a_scenario_is_refused_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = create_run(load_example("door").scene, DT, {}, tmp_path)
    runtime = Runtime(run, paused=True)
    runtime.close()
    assert main(["score", str(run.folder), "--no-browser"]) == 2
    assert "without a scenario" in capsys.readouterr().err
