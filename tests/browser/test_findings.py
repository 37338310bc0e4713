"""What a trial as operator and instructor found, looked for again in windows of a phone, a tablet and a desktop.

docs/console.md says where each of the numbered findings has its tests; those that depend on the window are here.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from consoles import FREE, STOPPED, WINDOW, Browser, wait_for

SIZES = [(390, 844), (1024, 768), (1440, 900)]
AXLE = "axle voltage"
INSIDE = """(selector) => {
    const { left, top, right, bottom, width } = document.querySelector(selector).getBoundingClientRect();
    return width > 0 && left >= -0.5 && top >= -0.5 && right <= innerWidth + 0.5 && bottom <= innerHeight + 0.5;
}"""
# No two words of the controls lie over each other, and none is cut off.
WORDS_APART = """() => {
    const all = [...document.querySelectorAll(".widgets .w-label, .widgets .w-value")];
    const words = all.filter((word) => word.offsetParent);
    const boxes = words.filter((word) => word.textContent.trim()).map((word) => word.getBoundingClientRect());
    const hides = (word) => getComputedStyle(word).overflow !== "visible";
    const cut = words.some((word) => hides(word) && word.scrollWidth > word.clientWidth + 1);
    const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    return boxes.length > 0 && !cut && boxes.every((a, i) => boxes.every((b, k) => i === k || !over(a, b)));
}"""


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}")
def sized(driver: Browser, request: pytest.FixtureRequest) -> Iterator[Browser]:
    """The operator's page in a window of a size."""
    driver.page.set_viewport_size({"width": request.param[0], "height": request.param[1]})
    yield driver
    driver.page.set_viewport_size(WINDOW)


def test_the_stop_holds_whatever_follows(sized: Browser) -> None:
    """Findings 1, 2, 4 and 10: a second press, Enter, a reset and a restored snapshot leave it on; it is in sight."""
    sized.send(do="save", name="before")
    stops = len(sized.console.commands("stop"))
    stop = sized.page.locator("#stop")
    sized.until(INSIDE, "#stop")
    stop.click()
    stop.click()
    stop.focus()
    sized.page.keyboard.press("Enter")
    wait_for(lambda: len(sized.console.commands("stop")) == stops + 3)
    for command in ({"do": "reset"}, {"do": "restore", "name": "before"}):
        sized.send(**command)
    sized.let_pass(0.3)
    assert sized.frame("held") == STOPPED
    sized.until(INSIDE, "#release")
    sized.release()
    sized.until(INSIDE, "#enable")
    sized.enable()


def test_a_gamepad_that_vanishes(sized: Browser) -> None:
    """Findings 3 and 24: the drives are held, and the page says why."""
    sized.do("() => { sharnir.keys.axes = [{ axis: 0, input: 'axle voltage' }] }")
    sized.do("() => { navigator.getGamepads = () => [{ axes: [0], buttons: [] }] }")
    sized.until("() => sharnir.keys.padThere && sharnir.keys.waiting.size === 0")
    sized.do("() => { navigator.getGamepads = () => [{ axes: [1], buttons: [] }] }")
    sized.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1")
    sized.do("() => { navigator.getGamepads = () => [null] }")
    sized.chain("held")
    sized.until_text("#banner-text", "gamepad is gone")
    sized.until(INSIDE, "#banner")
    sized.do("() => { navigator.getGamepads = () => [] }")


def test_a_dialog_is_within_the_window_and_escape_closes_it_alone(sized: Browser) -> None:
    """Findings 10 and 24: the link can be read to its end and copied; Esc is no stop while a dialog is open."""
    sized.page.locator("#invite").click()
    sized.page.locator(".invite-row button").first.wait_for(state="visible")
    sized.until("() => !document.querySelector('[class*=-enter-active]')")
    sized.until(INSIDE, ".invite")
    sized.until(INSIDE, ".invite-row button")
    sized.page.keyboard.press("Escape")
    sized.page.locator(".q-dialog").wait_for(state="detached")
    sized.let_pass(0.3)
    assert sized.frame("held") == FREE


def test_stops_are_among_the_alarms_and_acknowledged(sized: Browser) -> None:
    """Finding 23: the same again counts up instead of filling the list."""
    sized.page.locator("#stop").click()
    sized.chain("stopped")
    open_tab(sized, "alarms")
    sized.until_text("#alarms", "emergency stop by operator 1")
    assert sized.page.locator("#alarms .log-row", has_text="emergency stop by").count() == 1
    sized.page.locator("#acknowledge").click()
    sized.until(
        "() => [...document.querySelectorAll('#alarms .log-row')].every((row) => row.hasAttribute('data-known'))"
    )
    open_tab(sized, "console")


def open_tab(browser: Browser, name: str) -> None:
    """A tab of the side; on a phone the side is a drawer, which is opened first."""
    browser.do("(name) => document.getElementById(`tab-${name}`).click()", name)
    browser.until("(name) => document.getElementById('panels').dataset.open === name", name)


def test_words_of_the_controls_do_not_cover_each_other(sized: Browser) -> None:
    """Findings 17 and 24: values overlapped their dials, names were cut off to the same beginning."""
    open_tab(sized, "console")
    sized.do("() => document.getElementById('tab-console').scrollIntoView()")
    sized.until(WORDS_APART)


def test_the_page_says_its_language_and_its_states(sized: Browser) -> None:
    """Finding 25."""
    assert sized.do("() => document.documentElement.lang") == "en"
    assert sized.page.locator("#state[role=status]").count() == 1
    assert sized.page.locator("#banner-text[role=alert]").count() == 1
    assert sized.page.locator("#toasts[aria-live=polite]").count() == 1
    assert sized.do(
        "() => [...document.querySelectorAll('.chips button')].every((c) => c.ariaPressed ?? c.ariaExpanded)"
    )


def test_a_run_that_ended_says_so_within_the_window(sized: Browser) -> None:
    """Finding 11: what happened, and where the run is, whatever the window; here as the server would tell it."""
    told = {"event": "ended", "reason": "The run was ended by instructor 1", "wrong": False, "documents": []}
    told |= {"folder": "runs/" + 60 * "x", "ready": False, "closed": False}
    sized.do("(told) => sharnir.link.tell('ended', told)", told)
    sized.page.locator("#ending").wait_for(state="visible")
    sized.until(INSIDE, ".ending-card")
    sized.until_text("#ending-text", "ended by instructor 1")
    sized.until(INSIDE, "#again")
    sized.do("() => sharnir.link.tell('hello', { ...sharnir.link.hello, ending: {} })")
    sized.page.locator("#ending").wait_for(state="hidden")


def test_the_window_is_not_scrolled_sideways(sized: Browser) -> None:
    """Finding 2: on a phone the view was 42 pixels wide."""
    sized.until("() => document.documentElement.scrollWidth <= innerWidth")
    sized.until("() => document.getElementById('stage').getBoundingClientRect().width >= 0.5 * innerWidth")
