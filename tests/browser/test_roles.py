"""Operators, watchers and instructors in real browsers: who may do what, handing over, and the end of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from consoles import PATIENCE, SIZES, WINDOW, Browser, Console, wait_for

AXLE = "axle voltage"
DRIVING = "() => window.sharnir?.started && sharnir.link.driving"


@pytest.fixture
def windows(chromium: Any) -> Iterator[Any]:
    """Makes browsers of their own, and closes them."""
    made = []

    def new(console: Console, link: str, draws: bool = False, **more: Any) -> Browser:
        context = chromium.new_context(viewport=WINDOW, **more)
        made.append(context)
        browser = Browser(context, console, link)
        if not draws:
            browser.stop_drawing()
        return browser

    yield new
    for context in made:
        context.close()


def invited(browser: Browser, place: int) -> str:
    """A link from the dialog."""
    browser.page.locator("#invite").click()
    browser.page.get_by_text("Each link lets one browser in, once").wait_for()
    link = str(browser.page.locator(".q-dialog input").nth(place).input_value())
    browser.page.keyboard.press("Escape")
    browser.page.locator(".q-dialog").wait_for(state="detached")
    return link


def test_a_watcher_sees_and_can_only_stop(driver: Browser, windows: Any) -> None:
    watcher = windows(driver.console, driver.console.links["watcher"])
    assert watcher.do("() => document.body.classList.contains('watching')")
    for name in ("run", "release", "enable", "invite"):
        assert watcher.page.locator(f"#{name}").count() == 0, name
    tick = watcher.frame("tick")
    watcher.until("(tick) => sharnir.link.frame.tick > tick", tick)
    watcher.do("() => sharnir.link.post({ do: 'set', values: { 'axle voltage': 1 } })")
    watcher.toast("you are watching")
    driver.let_pass(0.1)
    assert driver.input(AXLE) == 0.0
    watcher.page.locator("#stop").click()
    driver.chain("stopped")
    driver.until_text("#banner-text", "watcher 1")


def test_a_link_can_be_copied_and_lets_one_browser_in_once(driver: Browser, chromium: Any) -> None:
    """Finding 24: the link was cut off and could not be copied."""
    driver.context.grant_permissions(["clipboard-read", "clipboard-write"])
    driver.page.locator("#invite").click()
    copy = driver.page.locator(".invite-row button").first
    copy.click()
    driver.until("() => document.querySelector('.invite-row button').textContent.includes('Copied')")
    link = str(driver.do("() => navigator.clipboard.readText()"))
    assert link == driver.page.locator(".q-dialog input").first.input_value()
    assert driver.page.locator(".q-dialog input").count() == 2  # an operator lets no instructor in
    driver.page.keyboard.press("Escape")
    driver.page.locator(".q-dialog").wait_for(state="detached")
    for status in (200, 401):
        context = chromium.new_context()
        assert context.request.get(link, max_redirects=0 if status == 401 else 5).status == status
        context.close()


def test_handing_over(driver: Browser, windows: Any) -> None:
    """One operator at a time; the machine is held meanwhile, and the stop survives it."""
    second = windows(driver.console, invited(driver, 1))
    assert not second.do("() => sharnir.link.driving")
    second.do("() => sharnir.link.send({ do: 'take' })")
    second.toast("operator 1 is in control")
    driver.page.locator("#stop").click()
    driver.chain("stopped")
    driver.page.locator("#give").click()
    second.page.locator("#take").wait_for(state="visible")
    driver.until("() => !sharnir.link.driving")
    second.page.locator("#take").click()
    second.until(DRIVING)
    assert second.do("() => sharnir.link.chain.state") == "stopped"
    driver.until_text("#role", "operator 2 is in control")
    second.release()
    second.enable()
    second.press(AXLE, 0.25)
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 0.25")
    driver.do("() => sharnir.link.post({ do: 'set', values: { 'axle voltage': -1 } })")
    driver.toast("you are watching")
    second.page.close()  # the operator's browser is gone: the machine is held, and the seat is free after a while
    driver.until("() => sharnir.link.frame.held === 2")
    driver.page.locator("#take").wait_for(state="visible")
    driver.page.locator("#take").click()
    driver.until(DRIVING)


def test_the_instructor_injects_what_the_operator_is_not_told(driver: Browser, windows: Any) -> None:
    """Finding 7; and 24: faults are in groups."""
    teacher = windows(driver.console, driver.console.links["instructor"])
    kinds = teacher.page.locator(".fault-kind summary").all_text_contents()
    assert "Drives (2)" in kinds and any(kind.startswith("Gusts") for kind in kinds)
    row = teacher.page.locator(".fault", has_text="drive loss: axle").first
    row.get_by_role("button").click()
    teacher.page.get_by_role("button", name="clear: drive loss: axle").wait_for()
    driver.press(AXLE, 1)
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1")
    driver.until_text("#alarms", "does not turn")
    assert abs(driver.channel("axle.angle rate")) < 0.01
    seen = driver.page.locator("#alarms").text_content() or ""
    assert "drive loss" not in seen and "fault" not in seen  # the symptom, not the cause
    teacher.until_text("#alarms", "fault injected: drive loss: axle")
    teacher.page.get_by_role("button", name="clear: drive loss: axle").click()
    driver.until("() => sharnir.link.reader.channel(sharnir.link.frame, 'axle.angle rate') > 4")
    driver.let_go()
    teacher.page.locator("textarea").fill("kept calm when the motor failed")
    teacher.page.locator("#write-note").click()
    teacher.page.locator("#pause").click()
    driver.until("() => sharnir.link.frame.mode === 0")
    teacher.page.locator("#reset").click()
    driver.until("() => sharnir.link.frame.step === 0")
    teacher.page.locator("#run").click()
    driver.until("() => sharnir.link.frame.mode === 1")
    teacher.page.locator("#stop").click()
    teacher.release()  # an instructor may, and leaves the drives held
    driver.until("() => sharnir.link.frame.held === 2")
    (note,) = wait_for(lambda: driver.console.commands("note"))
    assert note["by"] == "instructor 1" and "kept calm" in note["command"]["text"]


def test_the_end_of_a_run_and_another_one(chromium: Any, windows: Any, tmp_path: Any) -> None:
    """Finding 11: a page that says what happened, with the report and the replay, and starts again."""
    console = Console("dc_drive", tmp_path)
    try:
        teacher = windows(console, console.links["instructor"])
        for size in SIZES:  # finding 15: the physics waits for the first operator, and the page says so
            teacher.resize(size)
            teacher.until_text("#state", "paused")
            assert teacher.page.locator("#state").is_visible() and teacher.frame("tick") == 0
        operator = windows(console, console.links["operator"])
        operator.until("() => sharnir.link.frame.tick > 20")
        teacher.page.locator("#end").click()  # asks first: Esc, and nothing has happened
        teacher.page.locator("#end-now").wait_for(state="visible")
        teacher.page.keyboard.press("Escape")
        teacher.page.locator("#end-now").wait_for(state="detached")
        teacher.let_pass(0.3)
        assert console.commands("end") == [] and console.commands("stop") == []
        operator.page.locator("#invite").click()  # what is open elsewhere does not cover the end
        operator.page.locator(".invite-row").first.wait_for(state="visible")
        teacher.page.locator("#end").click()
        teacher.page.locator("#end-now").click()
        for browser in (teacher, operator):
            browser.page.locator("#ending").wait_for(state="visible")
            browser.until_text("#ending-text", "ended by instructor 1")
        operator.page.locator("#ending a", has_text="Report").wait_for()
        for name in ("report.html", "replay.html"):
            answer = operator.context.request.get(f"{console.address}/run/{name}")
            assert answer.status == 200 and "instructor 1" in answer.text()
        replay = operator.context.new_page()
        replay.goto(f"{console.address}/run/replay.html")
        replay.wait_for_function("() => window.sharnir?.started && sharnir.view.drawn > 0")
        replay.close()
        operator.page.bring_to_front()
        assert operator.page.locator("#popup").count() == 0 or operator.page.locator("#popup").is_hidden()
        operator.page.locator("#again").click()
        operator.until("() => document.getElementById('ending')?.hidden")
        operator.until("() => window.sharnir?.started && sharnir.link.frame?.tick > 5")
        assert len(list(tmp_path.iterdir())) == 2
        operator.take_seat()
    finally:
        console.end()


def test_a_page_whose_program_was_closed_says_so(windows: Any, tmp_path: Any) -> None:
    console = Console("dc_drive", tmp_path)
    operator = windows(console, console.links["operator"])
    console.process.terminate()
    operator.page.locator("#ending").wait_for(state="visible")
    operator.until_text("#ending-text", "The program was closed")
    operator.until_text("#ending-text", console.folder.name)
    assert console.process.wait(3 * PATIENCE) == 143
    operator.until("() => sharnir.link.ended && !sharnir.link.connected")
    operator.page.locator(".curtain").wait_for(state="hidden")  # no "trying again" for ever
    for name in ("report.html", "replay.html"):  # the page has them, though the server is gone
        with operator.page.expect_download() as saved:
            operator.page.locator(f"#ending a[download='{name}']").click()
        assert "DC drives" in saved.value.path().read_text()


def test_a_world_that_a_fault_has_stopped(windows: Any, tmp_path: Any) -> None:
    console = Console("dc_drive", tmp_path)
    try:
        operator = windows(console, console.links["operator"])
        teacher = windows(console, console.links["instructor"])
        storm = {"type": "gust", "body": "arm", "force": [1e15, 0.0, 0.0]}
        teacher.send(do="inject", name="storm", fault=storm)
        operator.until("() => sharnir.link.frame.mode === 3")
        link = operator.page.locator("#banner a")
        link.wait_for()
        operator.until_text("#banner-text", "Reset the run")
        address = f"{console.address}{link.get_attribute('href')}"
        assert operator.context.request.get(address).status == 200
        operator.page.locator("#reset").click()
        operator.until("() => sharnir.link.frame.mode === 0")
        operator.page.locator("#banner").wait_for(state="hidden")
    finally:
        console.end()


def test_a_browser_without_webgl_is_told_and_drives_all_the_same(chromium: Any, tmp_path: Any) -> None:
    """Finding 24."""
    console = Console("dc_drive", tmp_path)
    context = chromium.new_context(viewport=WINDOW)
    context.add_init_script(
        "HTMLCanvasElement.prototype.getContext = ((get) => function (kind, ...rest) "
        "{ return kind.startsWith('webgl') ? null : get.call(this, kind, ...rest) })"
        "(HTMLCanvasElement.prototype.getContext)"
    )
    try:
        operator = Browser(context, console, console.links["operator"])
        for size in SIZES:
            operator.resize(size)
            operator.until_text(".no-view", "cannot draw in 3D")
            assert operator.page.locator(".no-view").is_visible()
        operator.page.keyboard.down("w")
        operator.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1")
        operator.page.keyboard.up("w")
        operator.page.locator("#stop").click()
        operator.chain("stopped")
    finally:
        context.close()
        console.end()
