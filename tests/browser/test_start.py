"""The start page: what there is to drive, the runs that were, and from one to the next and back."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from audit import audit, needs_axe
from consoles import PATIENCE, WINDOW, Browser, Console, admitted, get
from finishing import finish

from sharnir.experiment import list_examples, load_example
from sharnir.runtime import commands as c
from sharnir.runtime.journal import SCENARIO, create_run
from sharnir.runtime.runtime import Runtime
from sharnir.view.robots import ROBOTS
from sharnir.view.texts import catalogue

TASK = """{name: a push, scene: door, time: 60, goals: [{type: attain, name: ajar, signal: hinge.angle, value: 0.1}]}"""


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """Without anything to drive, and with a run of the past."""
    runs = tmp_path_factory.mktemp("runs")
    past = create_run(load_example("door").scene, 0.01, {}, runs)
    (past.folder / SCENARIO).write_text(TASK)
    runtime = Runtime(past, paused=True)
    runtime.send(c.Step(20), "operator 1")
    finish(runtime, 20)
    (runs / "not a run").mkdir()
    running = Console(None, runs)
    yield running
    running.end()


@pytest.fixture(scope="module")
def cookies(console: Console) -> dict[str, str]:
    return {role: admitted(console, role) for role in console.links}


def post(console: Console, what: str, cookie: str, origin: str = "") -> tuple[int, str]:
    """Send the form."""
    connection = http.client.HTTPConnection(console.host, timeout=PATIENCE)
    headers = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/start", urlencode({"what": what}), headers | {"Origin": origin or console.address})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_it_lists_robots_scenes_scenarios_and_past_runs(console: Console, cookies: dict[str, str]) -> None:
    """Findings 15 and 24: nothing runs before somebody chooses; robots are among what there is."""
    page = get(console, "/", Cookie=cookies["operator"])[2].decode()
    for name in (*ROBOTS, *list_examples(), "mf4_door"):
        assert f"<h3>{name}</h3>" in page
    assert 'value="run door-' in page and "/debriefing.html" in page and "not a run" not in page
    assert get(console, "/state", Cookie=cookies["watcher"])[2] == b'{"running":false}'
    russian = get(console, "/", Cookie=cookies["operator"], **{"Accept-Language": "ru"})[2].decode()
    assert catalogue("ru")["Robots"] in russian and 'lang="ru"' in russian


def test_what_is_not_offered_is_not_driven(console: Console, cookies: dict[str, str]) -> None:
    assert post(console, "scene door", cookies["watcher"])[0] == 403
    assert post(console, "scene door", "sharnir=guess")[0] == 401
    assert post(console, "scene door", cookies["operator"], origin="https://evil.example")[0] == 403
    for what in ("", "scene", "scene ../door", "robot door", "run not a run", "run ..", "file /etc/passwd", "x" * 5000):
        status, page = post(console, what, cookies["operator"])
        assert status == 400 and "choose from the page" in page, what
    assert "<script>" not in post(console, "scene <script>", cookies["operator"])[1]
    for path in ("/runs/../door/replay.html", "/runs/%2e%2e/replay.html", "/runs/not%20a%20run/replay.html"):
        assert get(console, path, Cookie=cookies["operator"])[0] == 404
    past = console.folder.name if console.folder.name.startswith("door") else ""
    assert get(console, f"/runs/{past or 'door'}/run.jsonl", Cookie=cookies["operator"])[0] == 404
    assert get(console, "/state", Cookie=cookies["operator"])[2] == b'{"running":false}'


@pytest.fixture(scope="module")
def page(console: Console, chromium: Any) -> Iterator[Any]:
    """An operator's browser of its own: the link that a person would be given is used up by now."""
    context = chromium.new_context(viewport=WINDOW, bypass_csp=True)
    context.set_default_timeout(1000 * PATIENCE)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def start(console: Console, page: Any, cookies: dict[str, str]) -> Any:
    name, _, value = cookies["operator"].partition("=")
    page.context.add_cookies([{"name": name, "value": value, "url": console.address}])
    page.goto(console.address)
    page.locator("#find").wait_for()
    return page


@needs_axe
def test_the_start_page_has_no_violations(start: Any) -> None:
    audit(start)


def test_scenes_are_found_by_a_word(start: Any) -> None:
    start.locator("#find").fill("winch")
    start.wait_for_function(
        """() => {
            const found = document.querySelectorAll("#scene-list .choice:not([hidden]) h3");
            return [...found].map((head) => head.textContent).join() === "winch";
        }"""
    )
    start.locator("#find").fill("")


def test_a_past_run_has_its_debriefing(start: Any) -> None:
    """It is written when somebody asks for it."""
    with start.context.expect_page() as opened:
        start.locator("a", has_text="Debriefing").first.click()
    opened.value.wait_for_function("() => window.sharnir?.started && sharnir.about.score")
    opened.value.close()


def test_from_the_start_page_to_a_run_and_back(start: Any, console: Console, cookies: dict[str, str]) -> None:
    start.get_by_role("button", name="Drive: door", exact=True).click()
    driver = Browser.of(start, console)
    driver.take_seat()
    driver.until("() => sharnir.link.frame.tick > 5")
    assert console.folder.name.startswith("door-")
    assert post(console, "robot car", cookies["operator"])[0] == 303  # a run goes on: that is where it leads
    assert driver.do("() => sharnir.world.name") == "door"
    status = get(console, "/instructor", Cookie=cookies["instructor"])
    assert status[0] == 200 and b"about-page" in status[2]
    teacher = start.context.browser.new_context()
    name, _, value = cookies["instructor"].partition("=")
    teacher.add_cookies([{"name": name, "value": value, "url": console.address}])
    other = teacher.new_page()
    other.set_default_timeout(1000 * PATIENCE)
    other.goto(f"{console.address}/instructor")
    other.wait_for_function("() => window.sharnir?.started && sharnir.link.frame")
    other.locator("#end").click()
    other.locator("#end-now").click()
    start.locator("#ending a", has_text="Replay").wait_for()
    start.locator("#home").click()
    start.locator("#find").wait_for()  # the start page again, also for the other
    other.locator("#find").wait_for()
    teacher.close()
    assert get(console, "/state", Cookie=cookies["operator"])[2] == b'{"running":false}'
    assert start.locator("#runs ~ ul .choice").count() == 2
