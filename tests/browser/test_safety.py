"""The safety chain in a real browser: what stops the machine, what sets it free again, and what must not."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest
from consoles import FREE, STOPPED, WINDOW, Browser, wait_for
from patient import TIMES

AXLE = "axle voltage"
DRIVEN = "() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1"
NEUTRAL = "() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 0"
SIGHTS = [(320, 568), (390, 844), (820, 1180), (1024, 768), (1080, 810), (1112, 834), (1440, 900), (844, 390)]
# The stop is large enough, all of it is in the window, and nothing lies over it.
IN_SIGHT = """() => {
    const { left, top, right, bottom, width, height } = document.getElementById("stop").getBoundingClientRect();
    const free = (share) => document.elementFromPoint(left + share * width, top + share * height)?.closest("#stop");
    const inside = left >= 0 && top >= 0 && right <= innerWidth + 0.5 && bottom <= innerHeight;
    return width >= 64 && height >= 44 && inside && [0.1, 0.5, 0.9].every(free);
}"""
VIEW_IN_SIGHT = """() => {
    const { width, height } = document.getElementById("stage").getBoundingClientRect();
    return width >= 0.5 * innerWidth && height >= 60 && document.documentElement.scrollWidth <= innerWidth;
}"""
# Does something in the page and returns the commands that it has sent by then, before anything else gets its turn.
SENDS_AT_ONCE = """(act) => {
    const { link } = sharnir;
    const sent = [];
    const send = link.socket.send.bind(link.socket);
    link.socket.send = (text) => { sent.push(JSON.parse(text).command); send(text); };
    eval(act);
    delete link.socket.send;
    return sent;
}"""


def hold_key(browser: Browser) -> None:
    """W drives the axle."""
    browser.do("() => document.activeElement.blur()")
    browser.page.keyboard.down("w")
    browser.until(DRIVEN)


def at_once(driver: Browser, act: str) -> Any:
    """What the page sends while something is done to it: it does not wait for a turn of its own to say it."""
    hold_key(driver)
    return driver.do(SENDS_AT_ONCE, act)


def neutral_and_held(driver: Browser, why: str) -> None:
    """The machine is in its safe state, and the page says why; no input was given after that."""
    driver.chain("held")
    driver.until(NEUTRAL)
    driver.until_text("#banner-text", why)
    after = [e["command"]["do"] for e in driver.console.commands()]
    last = len(after) - after[::-1].index("hold")
    assert "set" not in after[last:]
    driver.page.keyboard.up("w")


PRESSED_FOR_A_MOMENT = """() => {
    for (const event of ["pointerdown", "pointerup"]) {
        document.getElementById("release").dispatchEvent(new PointerEvent(event));
    }
}"""


# --- the emergency stop -----------------------------------------------------------------------------------------------


def test_an_emergency_stop_acts_at_once(driver: Browser) -> None:
    """The page sends it within the event, and the physics takes it between two steps; how long that is in all is
    measured by benchmarks/console.py."""
    press = "document.getElementById('stop').dispatchEvent(new PointerEvent('pointerdown'))"
    assert at_once(driver, press) == [{"do": "stop"}]
    driver.chain("stopped")
    driver.until("() => Math.abs(sharnir.link.reader.channel(sharnir.link.frame, 'axle.angle rate')) < 0.01")
    driver.until_text("#state", "Emergency stop")
    driver.page.keyboard.up("w")


@pytest.mark.parametrize("gap", [0.05, 0.12, 0.25, 0.5])
def test_pressing_twice_is_the_stop_again(driver: Browser, gap: float) -> None:
    """Finding 1."""
    box = driver.page.locator("#stop").bounding_box()
    assert box is not None
    before = len(driver.console.commands("stop"))
    driver.page.mouse.click(box["x"] + 20, box["y"] + 20)
    driver.page.wait_for_timeout(1000 * gap)
    driver.page.mouse.click(box["x"] + 20, box["y"] + 20)
    wait_for(lambda: len(driver.console.commands("stop")) == before + 2)
    driver.let_pass(0.4)
    assert driver.frame("held") == STOPPED
    driver.until_text("#stop", "EMERGENCY STOP")


@pytest.mark.parametrize("size", SIGHTS, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_stop_is_in_sight_and_large_at_every_size(driver: Browser, size: tuple[int, int]) -> None:
    """Finding 2; also with the banner, and the view keeps its share of the window."""
    page = driver.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    try:
        driver.until(IN_SIGHT)
        page.locator("#stop").click()
        driver.chain("stopped")
        page.locator("#release").wait_for(state="visible")
        driver.until(IN_SIGHT)
        driver.until(VIEW_IN_SIGHT)
    finally:
        page.set_viewport_size(WINDOW)


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_enter_and_space_on_the_focused_stop(driver: Browser, key: str) -> None:
    """Finding 10."""
    driver.page.locator("#stop").focus()
    driver.page.keyboard.press(key)
    driver.chain("stopped")


def test_a_key_and_a_gamepad_button_of_its_own(driver: Browser) -> None:
    driver.page.keyboard.press("F9")
    driver.chain("stopped")
    driver.release()
    driver.enable()
    pad = "[{ axes: [0, 0], buttons: Array.from({ length: 10 }, (_, i) => ({ pressed: i === 8 })) }]"
    driver.do(f"() => {{ navigator.getGamepads = () => {pad} }}")
    driver.chain("stopped")
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
    driver.let_pass(0.3)
    assert driver.frame("held") == FREE
    page.keyboard.press("Escape")
    driver.chain("stopped")


def test_two_quick_escapes_close_a_dialog_and_stop(driver: Browser) -> None:
    """A dialog that fades out is not open any more: a hand that hammers on the key is heard."""
    driver.page.locator("#invite").click()
    driver.page.locator(".q-dialog__inner").wait_for(state="visible")
    driver.until("() => !document.querySelector('[class*=-enter-active]')")
    driver.page.keyboard.press("Escape")
    driver.until(
        "() => document.querySelector('.q-dialog [class*=-leave-active]') || !document.querySelector('.q-dialog')"
    )
    driver.page.keyboard.press("Escape")
    driver.chain("stopped")


def test_escape_stops_while_a_key_is_being_changed(driver: Browser) -> None:
    """That is no dialog: the key is left as it was, and the machine stops."""
    driver.do("() => document.getElementById('tab-keys').click()")
    key = driver.page.locator(".keys-key").first
    key.click()
    driver.until_text(".keys-key", "press a key")
    driver.page.keyboard.press("Escape")
    driver.chain("stopped")
    driver.until_text(".keys-key", "W")
    assert driver.do("() => sharnir.keys.recording") is None
    driver.do("() => document.getElementById('tab-console').click()")


def test_a_stop_without_a_connection_is_sent_when_there_is_one(driver: Browser) -> None:
    press = "document.getElementById('stop').dispatchEvent(new PointerEvent('pointerdown'))"
    driver.do(f"() => {{ sharnir.link.socket.close(); {press} }}")  # it is just breaking: nothing is sent any more
    back_and_free(driver)
    driver.do("() => { sharnir.link.connect = () => {}; sharnir.link.socket.close() }")
    driver.until("() => !sharnir.link.connected")
    driver.page.locator("#stop").click()
    driver.toast("sent as soon as there is one")
    driver.do("() => { delete sharnir.link.connect; sharnir.link.connect() }")
    back_and_free(driver)
    driver.do("() => sharnir.link.socket.close()")  # it was heard, and is not sent again
    driver.until("() => !sharnir.link.connected")
    driver.until("() => sharnir.link.connected")
    driver.let_pass(0.3)
    assert driver.frame("held") != STOPPED
    driver.take_seat()


def test_a_stop_is_meant_until_the_chain_says_so(driver: Browser) -> None:
    """A connection may be dead without the page's knowing: what comes last over it is that the drives are held."""
    held = "{ event: 'chain', state: 'held', why: 'the operator is gone' }"
    driver.do("() => { window.unsent = 0; sharnir.link.on('unsent', () => (window.unsent += 1)) }")
    driver.do(f"() => {{ sharnir.link.socket.send = () => {{}}; sharnir.link.stop(); sharnir.link.take({held}) }}")
    driver.until("() => window.unsent > 0")
    driver.do("() => sharnir.link.socket.close()")
    back_and_free(driver)


# What may lie over the page, and how it comes and goes.
COVERS = {
    "a dialog": ("() => document.getElementById('invite').click()", ".q-dialog__backdrop", "Escape"),
    "a menu": ("() => document.getElementById('snapshots').click()", ".q-menu", "Escape"),
    "the diagram": ("() => document.getElementById('sheet-chip').click()", "#sheet", "Escape"),
    "anything at all": ("() => document.body.append(Object.assign(document.createElement('div'), { id: 'cover', "
        "style: 'position: fixed; inset: 0; z-index: 2147483647; background: black' }))", "#cover", ""),
}  # fmt: skip


@pytest.mark.parametrize("cover", COVERS)
@pytest.mark.parametrize("size", [(1024, 768), (320, 568)], ids=str)
def test_nothing_lies_over_the_stop(driver: Browser, size: tuple[int, int], cover: str) -> None:
    """By mouse where the pointer is, whatever else the page shows: it is not looked for, it is on top."""
    opens, covering, closes = COVERS[cover]
    page = driver.page
    driver.resize(size)
    try:
        driver.do(opens)
        page.locator(covering).wait_for(state="visible")
        driver.until(IN_SIGHT)
        box = page.locator("#stop").bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        driver.chain("stopped")
    finally:
        if closes:
            page.keyboard.press(closes)
        driver.do("() => document.getElementById('cover')?.remove()")
        page.locator(covering).wait_for(state="hidden")
        driver.resize((WINDOW["width"], WINDOW["height"]))


def test_a_stop_is_kept_that_is_pressed_while_the_page_is_being_loaded(driver: Browser) -> None:
    """The button is there before the scene is: what is pressed then is sent with the first connection."""
    page = driver.page
    waiting: list[Any] = []
    page.route("**/view/world.json", lambda route: waiting.append(route))
    page.reload()
    page.locator("#stop:popover-open").wait_for()
    wait_for(lambda: (page.wait_for_timeout(20), waiting)[1])
    assert driver.do("() => window.sharnir === undefined")
    page.locator("#stop").click()
    waiting[0].continue_()
    page.unroute("**/view/world.json")
    driver.until("() => window.sharnir?.started && sharnir.link.frame")
    driver.stop_drawing()
    back_and_free(driver)


def back_and_free(driver: Browser) -> None:
    """The stop has arrived; take the seat, where it took long, and set the machine free."""
    driver.chain("stopped")
    driver.take_seat()
    driver.release()
    driver.enable()


def test_the_release_is_pressed_for_a_second_and_the_drives_are_enabled_after_it(driver: Browser) -> None:
    page = driver.page
    page.locator("#stop").click()
    driver.chain("stopped")
    page.locator("#release").wait_for(state="visible")
    driver.do(PRESSED_FOR_A_MOMENT)
    driver.send(do="release")  # a page that does not wait is refused
    driver.toast("a second")
    driver.let_pass(1.5)
    assert driver.frame("held") == STOPPED
    page.locator("#release").focus()
    page.keyboard.down("Enter")  # by keyboard, too
    driver.chain("held")
    page.keyboard.up("Enter")
    page.keyboard.press("w")
    driver.let_pass(0.3)
    assert driver.input(AXLE) == 0.0
    driver.until_text("#banner-text", "released by operator 1")
    driver.enable()
    hold_key(driver)
    page.keyboard.up("w")


def test_the_stop_survives_reset_restore_and_a_new_connection(driver: Browser) -> None:
    """Finding 4."""
    driver.send(do="save", name="before")
    hold_key(driver)
    driver.page.locator("#stop").click()
    driver.chain("stopped")
    driver.page.keyboard.up("w")
    for command in ({"do": "reset"}, {"do": "restore", "name": "before"}, {"do": "pause"}, {"do": "run"}):
        given = len(driver.console.commands(command["do"]))
        driver.send(**command)
        wait_for(lambda: len(driver.console.commands(command["do"])) > given)  # noqa: B023 (asked at once)
        driver.let_pass(0.1)
        assert driver.frame("held") == STOPPED, command
    driver.do("() => sharnir.link.socket.close()")
    driver.until("() => !sharnir.link.connected")
    driver.until("() => sharnir.link.connected && sharnir.link.driving")
    assert driver.do("() => sharnir.link.chain.state") == "stopped"
    driver.reload()
    assert driver.do("() => sharnir.link.chain.state") == "stopped"
    driver.page.locator("#release").wait_for(state="visible")
    driver.until_text("#alarms", "emergency stop by operator 1")  # finding 23
    stop = driver.console.commands("stop")[-1]
    assert stop["by"] == "operator 1" and stop["at"] > 0


# --- a hand that is off -----------------------------------------------------------------------------------------------


def use_gamepad(driver: Browser) -> None:
    """Its first axis drives the axle."""
    driver.do("() => { navigator.getGamepads = () => []; sharnir.keys.axes = [{ axis: 0, input: 'axle voltage' }] }")
    driver.do("() => { navigator.getGamepads = () => [{ axes: [0], buttons: [] }] }")
    driver.until("() => sharnir.keys.padThere && sharnir.keys.waiting.size === 0")
    driver.do("() => { navigator.getGamepads = () => [{ axes: [1], buttons: [] }] }")
    driver.until(DRIVEN)


def test_a_gamepad_that_vanishes_stops_the_machine(driver: Browser) -> None:
    """Finding 3; the next look at it is enough, and it has to come to its middle before it counts again."""
    use_gamepad(driver)
    vanish = "navigator.getGamepads = () => [null]; sharnir.keys.poll()"
    assert driver.do(SENDS_AT_ONCE, vanish) == [{"do": "let_go", "why": "gamepad"}]
    neutral_and_held(driver, "gamepad is gone")
    driver.until("() => document.getElementById('pad-lamp').ariaLabel === 'gamepad gone'")
    driver.do("() => { navigator.getGamepads = () => [{ axes: [1], buttons: [] }] }")
    driver.until("() => sharnir.keys.padThere && sharnir.keys.waiting.size > 0")
    driver.enable()
    driver.let_pass(0.3)
    assert driver.input(AXLE) == 0.0  # it is still pushed: it was not taken hold of again
    driver.do("() => { navigator.getGamepads = () => [{ axes: [0], buttons: [] }] }")
    driver.until("() => sharnir.keys.waiting.size === 0")
    driver.do("() => { navigator.getGamepads = () => [{ axes: [1], buttons: [] }] }")
    driver.until(DRIVEN)
    driver.do("() => { navigator.getGamepads = () => [] }")
    driver.chain("held")


def test_of_two_gamepads_the_one_that_is_used_drives(driver: Browser) -> None:
    """One that lies beside it does not take back what it gives, and does not hide that it vanishes."""
    use_gamepad(driver)
    pushed, idle = "{ axes: [1], buttons: [] }", "{ axes: [0.02], buttons: [] }"
    beside = f"navigator.getGamepads = () => [{pushed}, {idle}]"
    given = "const given = []; link.set = (_, value) => given.push(value); keys.poll(); keys.poll(); delete link.set"
    assert driver.do(f"() => {{ const {{ keys, link }} = sharnir; {beside}; {given}; return given }}") == []
    vanish = f"navigator.getGamepads = () => [null, {idle}]; sharnir.keys.poll()"
    assert driver.do(SENDS_AT_ONCE, vanish) == [{"do": "let_go", "why": "gamepad"}]
    neutral_and_held(driver, "gamepad is gone")
    driver.do("() => { navigator.getGamepads = () => [] }")


def test_a_key_whose_window_loses_the_focus(driver: Browser) -> None:
    blur = "window.dispatchEvent(new Event('blur'))"
    assert at_once(driver, blur) == [{"do": "let_go", "why": "blurred"}]
    neutral_and_held(driver, "lost the focus")
    driver.enable()
    assert driver.do(SENDS_AT_ONCE, blur) == []  # with nothing held it does not matter


def test_a_tab_that_is_hidden(driver: Browser) -> None:
    hide = """Object.defineProperty(document, 'hidden', { value: true, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));"""
    assert at_once(driver, hide) == [{"do": "let_go", "why": "hidden"}]
    neutral_and_held(driver, "hidden")
    driver.do("() => { delete document.hidden }")


def test_a_connection_that_is_silent(driver: Browser) -> None:
    """The page goes on and hears, but neither it nor its worker says anything: a cable pulled out. What was held goes
    back first; when the silence lasts, the drives are held."""
    hold_key(driver)
    before = len(driver.console.commands())
    driver.do("() => { sharnir.link.heart.postMessage({ url: null }); sharnir.link.post = () => {} }")
    driver.chain("held")
    driver.until(NEUTRAL)
    driver.until_text("#banner-text", "connection is lost")
    driver.do("""() => {
        const { link } = sharnir;
        delete link.post;
        link.heart.postMessage({ url: `${link.scheme}://${link.base}/beat?key=${link.key}` });
    }""")
    driver.page.keyboard.up("w")
    neutral, hold = [e for e in driver.console.commands()[before:] if e["by"] == "server"][:2]
    assert neutral["command"] == {"do": "set", "values": {AXLE: 0.0}}
    assert hold["command"] == {"do": "hold", "reason": "the operator's connection is lost"}


@pytest.mark.parametrize(
    ("silent", "state", "said"),
    [("server", "No signal", "Nothing comes from the server"), ("physics", "No answer", "physics does not respond")],
)
def test_a_page_that_hears_nothing_says_so(driver: Browser, silent: str, state: str, said: str) -> None:
    """The connection is open, and nothing comes over it: what is shown is old. The page says so after the time in which
    the server would have taken it for lost, not when somebody closes the connection."""
    process = driver.console.process.pid if silent == "server" else driver.console.physics()
    driver.until_text("#state", "running")
    os.kill(process, signal.SIGSTOP)
    try:
        driver.until_text("#state", state)
        driver.until_text("#curtain", said)
        assert driver.page.locator("#curtain").is_visible()
        assert driver.do("() => sharnir.link.connected")
        assert driver.do("() => sharnir.link.hello.silent") == TIMES["DEAD_MAN"]  # the server's, and the page's
        if silent == "server":
            driver.do("() => { sharnir.link.hello.lost = 0 }")  # it has been silent for too long: another connection
            driver.until_text("#state", "Connection lost")
    finally:
        os.kill(process, signal.SIGCONT)
    driver.page.locator("#curtain").wait_for(state="hidden")
    driver.take_seat()
    if silent == "server":
        driver.chain("held")


BUSY = "(ms) => { const end = performance.now() + ms; while (performance.now() < end); }"


def test_a_slow_page_is_not_a_lost_one(driver: Browser) -> None:
    """Finding 9: the page stands still; what was held goes back, the connection is there all the time."""
    hold_key(driver)
    driver.do(BUSY, 1000 * TIMES["SLOW"] + 1500)
    driver.toast("too slow")
    driver.until(NEUTRAL)
    driver.let_pass(0.3)
    assert driver.frame("held") == FREE
    assert driver.input(AXLE) == 0.0  # the key is still pressed, and has to be pressed anew
    driver.page.keyboard.up("w")
    hold_key(driver)
    driver.page.keyboard.up("w")
    sets = driver.console.commands("set")
    assert any(entry["by"] == "server" and entry["command"]["values"] == {AXLE: 0.0} for entry in sets)


def test_a_page_that_stands_still_while_nothing_is_held_loses_nothing(driver: Browser) -> None:
    holds = len(driver.console.commands("hold"))
    driver.do(BUSY, 1000 * TIMES["DEAD_MAN"] + 1000)
    driver.let_pass(0.3)
    assert driver.frame("held") == FREE
    assert len(driver.console.commands("hold")) == holds


def test_a_page_that_is_frozen_holds_the_drives(driver: Browser) -> None:
    driver.do(BUSY, 1000 * TIMES["FROZEN"] + 1500)
    driver.chain("held")
    driver.until_text("#banner-text", "does not respond")


def test_taking_hold_again_is_said_and_needed(driver: Browser) -> None:
    driver.do("() => sharnir.link.letGo('hidden')")
    driver.chain("held")
    driver.page.locator("#enable").wait_for(state="visible")
    driver.until_text("#banner-text", "enable them to go on")
    driver.page.keyboard.down("w")
    driver.do("() => sharnir.link.post({ do: 'set', values: { 'axle voltage': 1 } })")  # past the page's own check
    driver.toast("enable them first")
    driver.let_pass(0.3)
    assert driver.input(AXLE) == 0.0
    driver.enable()
    driver.let_pass(0.3)
    assert driver.input(AXLE) == 0.0  # held over from before
    driver.page.keyboard.up("w")
    hold_key(driver)
    driver.page.keyboard.up("w")
