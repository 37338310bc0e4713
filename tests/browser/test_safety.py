"""The safety chain in a real browser: what stops the machine, what sets it free again, and what must not."""

from __future__ import annotations

import time
from typing import Any

import pytest
from consoles import FREE, HOLDING, STOPPED, WINDOW, Browser

AXLE = "axle voltage"
DRIVEN = "() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1"
NEUTRAL = "() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 0"
SIZES = [(320, 568), (390, 844), (820, 1180), (1024, 768), (1080, 810), (1112, 834), (1440, 900), (844, 390)]
# How long the machine takes to its safe state, in ms: from a moment in the page to the first frame that says so.
TAKES = """async (act) => {
    const { link } = sharnir;
    const begun = performance.now();
    const held = new Promise((done) => link.on("sample", (f) => f.held !== 0 && done(performance.now() - begun)));
    eval(act);
    return held;
}"""


def chain(browser: Browser, state: str) -> None:
    browser.until("(state) => sharnir.link.chain.state === state", state)


def toast(browser: Browser, text: str) -> None:
    browser.until("(text) => [...document.querySelectorAll('.toast')].some((t) => t.textContent.includes(text))", text)


def hold_key(browser: Browser) -> None:
    """W drives the axle."""
    browser.do("() => document.activeElement.blur()")
    browser.page.keyboard.down("w")
    browser.until(DRIVEN)


def best_of(driver: Browser, begin: Any, act: str, times: int = 4) -> float:
    """The shortest time to the safe state; this machine may be busy with something else."""
    took = []
    for _ in range(times):
        driver.fresh()
        begin(driver)
        took.append(float(driver.do(TAKES, act)))
        driver.page.keyboard.up("w")
    return min(took)


# --- the emergency stop -----------------------------------------------------------------------------------------------


def test_an_emergency_stop_acts_within_a_tenth_of_a_second(driver: Browser) -> None:
    press = "document.getElementById('stop').dispatchEvent(new PointerEvent('pointerdown'))"
    assert best_of(driver, hold_key, press, 5) < 100
    assert driver.frame("held") == STOPPED
    driver.until("() => Math.abs(sharnir.link.reader.channel(sharnir.link.frame, 'axle.angle rate')) < 0.01")
    driver.until("() => document.getElementById('state').textContent === 'Emergency stop'")


@pytest.mark.parametrize("gap", [0.05, 0.12, 0.25, 0.5])
def test_pressing_twice_is_the_stop_again(driver: Browser, gap: float) -> None:
    """Finding 1."""
    box = driver.page.locator("#stop").bounding_box()
    assert box is not None
    driver.page.mouse.click(box["x"] + 20, box["y"] + 20)
    driver.page.wait_for_timeout(1000 * gap)
    driver.page.mouse.click(box["x"] + 20, box["y"] + 20)
    chain(driver, "stopped")
    driver.page.wait_for_timeout(400)
    assert driver.frame("held") == STOPPED
    assert "EMERGENCY STOP" in (driver.page.locator("#stop").text_content() or "")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_stop_is_in_sight_and_large_at_every_size(driver: Browser, size: tuple[int, int]) -> None:
    """Finding 2; also with the banner, and the view keeps its share of the window."""
    page = driver.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    try:
        for stopped in (False, True):
            if stopped:
                page.locator("#stop").click()
                chain(driver, "stopped")
                page.locator("#release").wait_for(state="visible")
            box = page.locator("#stop").bounding_box()
            assert box is not None
            assert box["width"] >= 64 and box["height"] >= 44
            assert box["x"] >= 0 and box["y"] >= 0
            assert box["x"] + box["width"] <= size[0] + 0.5 and box["y"] + box["height"] <= size[1]
            for share in (0.1, 0.5, 0.9):  # nothing lies over it
                at = [box["x"] + share * box["width"], box["y"] + share * box["height"]]
                assert driver.do("([x, y]) => !!document.elementFromPoint(x, y)?.closest('#stop')", at)
        view = page.locator("#stage").bounding_box()
        assert view is not None and view["width"] >= 0.5 * size[0] and view["height"] >= 60
        assert driver.do("() => document.documentElement.scrollWidth <= innerWidth")
    finally:
        page.set_viewport_size(WINDOW)


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_enter_and_space_on_the_focused_stop(driver: Browser, key: str) -> None:
    """Finding 10."""
    driver.page.locator("#stop").focus()
    driver.page.keyboard.press(key)
    chain(driver, "stopped")


def test_a_key_and_a_gamepad_button_of_its_own(driver: Browser) -> None:
    driver.page.keyboard.press("F9")
    chain(driver, "stopped")
    driver.release()
    driver.enable()
    pad = "[{ axes: [0, 0], buttons: Array.from({ length: 10 }, (_, i) => ({ pressed: i === 8 })) }]"
    driver.do(f"() => {{ navigator.getGamepads = () => {pad} }}")
    chain(driver, "stopped")
    driver.do("() => { navigator.getGamepads = () => [] }")


def test_escape_closes_the_topmost_dialog_and_stops_where_there_is_none(driver: Browser) -> None:
    """Finding 10."""
    page = driver.page
    page.locator("#invite").click()
    page.locator(".q-dialog").wait_for()
    page.keyboard.press("Escape")
    page.locator(".q-dialog").wait_for(state="detached")
    page.locator(".chips button", has_text="Diagram").click()
    page.keyboard.press("Escape")
    driver.until("() => !document.getElementById('sheet').hasAttribute('data-open')")
    driver.page.wait_for_timeout(300)
    assert driver.frame("held") == FREE
    page.keyboard.press("Escape")
    chain(driver, "stopped")


def test_the_release_is_pressed_for_a_second_and_the_drives_are_enabled_after_it(driver: Browser) -> None:
    page = driver.page
    page.locator("#stop").click()
    chain(driver, "stopped")
    box = page.locator("#release").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.wait_for_timeout(400)
    page.mouse.up()
    driver.send(do="release")  # a page that does not wait is refused
    toast(driver, "a second")
    page.wait_for_timeout(1200)
    assert driver.frame("held") == STOPPED
    page.locator("#release").focus()
    page.keyboard.down("Enter")  # by keyboard, too
    chain(driver, "held")
    page.keyboard.up("Enter")
    page.keyboard.press("w")
    page.wait_for_timeout(200)
    assert driver.input(AXLE) == 0.0
    assert "released by operator 1" in (page.locator("#banner-text").text_content() or "")
    driver.enable()
    hold_key(driver)
    page.keyboard.up("w")


def test_the_stop_survives_reset_restore_and_a_new_connection(driver: Browser) -> None:
    """Finding 4."""
    driver.send(do="save", name="before")
    hold_key(driver)
    driver.page.locator("#stop").click()
    chain(driver, "stopped")
    driver.page.keyboard.up("w")
    for command in ({"do": "reset"}, {"do": "restore", "name": "before"}, {"do": "pause"}, {"do": "run"}):
        driver.send(**command)
        driver.page.wait_for_timeout(250)
        assert driver.frame("held") == STOPPED, command
    driver.do("() => sharnir.link.socket.close()")
    driver.until("() => !sharnir.link.connected")
    driver.until("() => sharnir.link.connected && sharnir.link.driving")
    assert driver.do("() => sharnir.link.chain.state") == "stopped"
    driver.page.reload()
    driver.until("() => window.sharnir?.started && sharnir.link.driving && sharnir.link.frame", timeout=60_000)
    assert driver.do("() => sharnir.link.chain.state") == "stopped"
    driver.page.locator("#release").wait_for(state="visible")
    alarms = driver.page.locator("#alarms").text_content() or ""
    assert "emergency stop by operator 1" in alarms  # finding 23
    log = [entry for entry in driver.console.log() if entry.get("command", {}).get("do") == "stop"]
    assert log[-1]["by"] == "operator 1" and log[-1]["at"] > 0


# --- a hand that is off -----------------------------------------------------------------------------------------------


def use_gamepad(driver: Browser) -> None:
    """Its first axis drives the axle."""
    driver.do("() => { navigator.getGamepads = () => []; sharnir.keys.axes = [{ axis: 0, input: 'axle voltage' }] }")
    driver.do("() => { navigator.getGamepads = () => [{ axes: [0], buttons: [] }] }")
    driver.until("() => sharnir.keys.padThere && sharnir.keys.waiting.size === 0")
    driver.do("() => { navigator.getGamepads = () => [{ axes: [1], buttons: [] }] }")
    driver.until(DRIVEN)


def test_a_gamepad_that_vanishes_stops_the_machine(driver: Browser) -> None:
    """Finding 3; and it has to come to its middle before it counts again."""
    assert best_of(driver, use_gamepad, "navigator.getGamepads = () => [null]") < 300
    assert (driver.input(AXLE), driver.frame("held")) == (0.0, HOLDING)
    assert "gamepad is gone" in (driver.page.locator("#banner-text").text_content() or "")
    assert driver.page.locator("#pad-lamp").get_attribute("aria-label") == "gamepad gone"
    driver.do("() => { navigator.getGamepads = () => [{ axes: [1], buttons: [] }] }")
    driver.page.wait_for_timeout(200)
    driver.enable()
    driver.page.wait_for_timeout(300)
    assert driver.input(AXLE) == 0.0  # it is still pushed: it was not taken hold of again
    driver.do("() => { navigator.getGamepads = () => [{ axes: [0], buttons: [] }] }")
    driver.until("() => sharnir.keys.waiting.size === 0")
    driver.do("() => { navigator.getGamepads = () => [{ axes: [1], buttons: [] }] }")
    driver.until(DRIVEN)
    driver.do("() => { navigator.getGamepads = () => [] }")
    chain(driver, "held")


def test_a_key_whose_window_loses_the_focus(driver: Browser) -> None:
    assert best_of(driver, hold_key, "window.dispatchEvent(new Event('blur'))") < 300
    assert (driver.input(AXLE), driver.frame("held")) == (0.0, HOLDING)
    assert "lost the focus" in (driver.page.locator("#banner-text").text_content() or "")
    driver.enable()
    driver.do("() => window.dispatchEvent(new Event('blur'))")  # with nothing held it does not matter
    driver.page.wait_for_timeout(200)
    assert driver.frame("held") == FREE


def test_a_tab_that_is_hidden(driver: Browser) -> None:
    hide = """Object.defineProperty(document, 'hidden', { value: true, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));"""
    assert best_of(driver, hold_key, hide) < 300
    assert (driver.input(AXLE), driver.frame("held")) == (0.0, HOLDING)
    assert "hidden" in (driver.page.locator("#banner-text").text_content() or "")
    driver.do("() => { delete document.hidden }")


def test_a_connection_that_is_silent(driver: Browser) -> None:
    """The page goes on and hears, but neither it nor its worker says anything: a cable pulled out. What was held goes
    back at once; when the silence lasts, the drives are held."""
    silence = "sharnir.link.heart.postMessage({ url: null }); sharnir.link.post = () => {};"
    speak = """() => {
        const { link } = sharnir;
        delete link.post;
        link.heart.postMessage({ url: `${link.scheme}://${link.base}/beat?key=${link.key}` });
    }"""
    took = []
    for _ in range(4):
        driver.fresh()
        hold_key(driver)
        took.append(float(driver.do(TAKES.replace("f.held !== 0", "f.inputs[0] === 0"), silence)))
        driver.until("() => sharnir.link.frame.held === 2")
        driver.do(speak)
        driver.page.keyboard.up("w")
    assert min(took) < 300, took
    assert driver.do("() => sharnir.link.reader.inputPlace.get('axle voltage')") == 0
    assert driver.input(AXLE) == 0.0
    assert "connection is lost" in (driver.page.locator("#banner-text").text_content() or "")


BUSY = "(ms) => { const end = performance.now() + ms; while (performance.now() < end); }"


def test_a_slow_page_is_not_a_lost_one(driver: Browser) -> None:
    """Finding 9: the page stands still for a second; what was held goes back, the connection is there all the time."""
    hold_key(driver)
    driver.do(BUSY, 1000)
    toast(driver, "too slow")
    driver.until(NEUTRAL)
    driver.page.wait_for_timeout(300)
    assert driver.frame("held") == FREE
    assert driver.input(AXLE) == 0.0  # the key is still pressed, and has to be pressed anew
    driver.page.keyboard.up("w")
    hold_key(driver)
    driver.page.keyboard.up("w")
    sets = [entry for entry in driver.console.log() if entry.get("command", {}).get("do") == "set"]
    assert any(entry["by"] == "server" and entry["command"]["values"] == {AXLE: 0.0} for entry in sets)


def test_a_page_that_stands_still_while_nothing_is_held_loses_nothing(driver: Browser) -> None:
    holds = sum(entry.get("command", {}).get("do") == "hold" for entry in driver.console.log())
    driver.do(BUSY, 1200)
    driver.page.wait_for_timeout(300)
    assert driver.frame("held") == FREE
    assert sum(entry.get("command", {}).get("do") == "hold" for entry in driver.console.log()) == holds


def test_a_page_that_is_frozen_holds_the_drives(driver: Browser) -> None:
    driver.do(BUSY, 3000)
    chain(driver, "held")
    assert "does not respond" in (driver.page.locator("#banner-text").text_content() or "")


def test_taking_hold_again_is_said_and_needed(driver: Browser) -> None:
    driver.do("() => sharnir.link.letGo('hidden')")
    chain(driver, "held")
    driver.page.locator("#enable").wait_for(state="visible")
    assert "enable them to go on" in (driver.page.locator("#banner-text").text_content() or "")
    driver.page.keyboard.down("w")
    driver.do("() => sharnir.link.post({ do: 'set', values: { 'axle voltage': 1 } })")  # past the page's own check
    toast(driver, "enable them first")
    time.sleep(0.2)
    assert driver.input(AXLE) == 0.0
    driver.enable()
    driver.page.wait_for_timeout(200)
    assert driver.input(AXLE) == 0.0  # held over from before
    driver.page.keyboard.up("w")
    hold_key(driver)
    driver.page.keyboard.up("w")
