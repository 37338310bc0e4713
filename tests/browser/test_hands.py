"""What the operator takes hold of: the past of the live run, bodies pulled by a spring, alarms, plots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from consoles import WINDOW, Browser, Console

ANGLE = "sharnir.link.reader.channel(sharnir.link.frame, 'shoulder.angle')"
PULLED = "sharnir.link.frame.pull[0]"


@pytest.fixture(scope="module")
def watcher(chromium: Any, console: Console) -> Iterator[Browser]:
    context = chromium.new_context(viewport=WINDOW)
    browser = Browser(context, console, console.links["watcher"])
    browser.stop_drawing()
    yield browser
    context.close()


def on_body(browser: Browser, name: str) -> tuple[float, float]:
    """Where the middle of a body is on the page, in a picture of now."""
    browser.do("() => { const { view } = sharnir; view.cameras.home(); view.show(sharnir.link.frame); view.render() }")
    x, y = browser.do(
        """(name) => {
            const { view, world } = sharnir;
            const i = world.bodies.findIndex((body) => body.name === name);
            const at = view.cameras.camera.position.clone().set(...world.bodies[i].center);
            at.applyMatrix4(view.bodies.matrix[i]).project(view.cameras.camera);
            const box = view.canvas.getBoundingClientRect();
            return [box.left + (0.5 + 0.5 * at.x) * box.width, box.top + (0.5 - 0.5 * at.y) * box.height];
        }""",
        name,
    )
    return float(x), float(y)


# --- looking back -----------------------------------------------------------------------------------------------------


def test_the_timeline_looks_back_while_the_run_goes_on(driver: Browser) -> None:
    driver.press("shoulder target", 1.0)
    driver.until(f"() => {ANGLE} > 0.9")
    driver.let_go()
    driver.until("() => sharnir.past.frames.length > 30")
    start = driver.do("() => sharnir.past.frames.findIndex((frame) => frame.time < 0.2 && frame.tick > 0)")
    tick, angle = driver.do("(i) => { const f = sharnir.past.frames[i]; return [f.tick, f.time] }", start)
    bar = driver.page.locator("#scrub")
    bar.evaluate("(bar, tick) => { bar.value = tick; bar.dispatchEvent(new Event('input')) }", tick)
    assert driver.do("() => sharnir.view.frame.time") == angle
    assert driver.do("() => document.body.classList.contains('past')")
    now = driver.frame("time")
    driver.until("(now) => sharnir.link.frame.time > now + 0.5", now)  # the physics goes on,
    assert driver.do("() => sharnir.view.frame.time") == angle  # the picture does not
    assert "s ago" in (driver.page.locator("#scrub-text").text_content() or "")
    driver.page.locator("#live").click()
    driver.until("(now) => sharnir.view.frame.time > now + 0.5", now)
    assert not driver.page.locator("#live").is_visible()


def test_the_stop_works_from_the_past_and_a_hand_on_the_controls_comes_back_to_now(driver: Browser) -> None:
    driver.until("() => sharnir.link.frame.time > 1 && sharnir.past.frames.length > 10")
    bar = driver.page.locator("#scrub")
    bar.focus()
    driver.page.keyboard.press("Home")
    driver.until("() => sharnir.timeline.back")
    driver.do("() => document.activeElement.blur()")
    driver.page.keyboard.down("w")
    driver.until("() => !sharnir.timeline.back && sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1")
    driver.page.keyboard.up("w")
    bar.focus()
    driver.page.keyboard.press("Home")
    driver.until("() => sharnir.timeline.back")
    assert driver.page.locator("#stop").is_visible()
    driver.page.keyboard.press("F9")
    driver.until("() => sharnir.link.frame.held === 1")
    driver.until("() => document.getElementById('state').dataset.state === 'stopped'")  # said, though one looks back
    assert driver.do("() => sharnir.timeline.back")
    driver.page.locator("#live").click()


def test_a_watcher_looks_back_to_the_beginning_and_plays_it(driver: Browser, watcher: Browser) -> None:
    """Also to before he came: the server keeps the past for those who come later."""
    driver.until("() => sharnir.link.frame.tick > 400")
    watcher.page.reload()
    watcher.until("() => window.sharnir?.started && sharnir.link.frame")
    assert watcher.do("() => sharnir.past.frames[0].tick") < watcher.frame("tick") - 300
    first = watcher.do("() => sharnir.past.frames[0].tick")
    watcher.page.locator("#play").click()
    watcher.until("(first) => sharnir.timeline.back && sharnir.timeline.frame.tick > first", first)
    watcher.page.locator("#live").click()
    watcher.until("() => !sharnir.timeline.back")


def test_the_past_is_kept_in_bounded_memory_from_the_beginning_on(driver: Browser) -> None:
    kept = driver.do(
        """async () => {
            const { Past } = await import("/view/past.js");
            const past = new Past(sharnir.link.reader);
            for (let i = 0; i < 20000; i += 1) past.add({ tick: i, time: 0.03 * i, clock: 0.031 * i });
            const ticks = past.frames.map((frame) => frame.tick);
            const gaps = ticks.slice(1).map((tick, i) => tick - ticks[i]);
            return [ticks.length, past.most, ticks[0], ticks.at(-1), Math.max(...gaps)];
        }"""
    )
    length, most, first, last, widest = kept
    assert length <= most and (first, last) == (0, 19999)
    assert widest <= 16  # 20000 frames in at most 3000 places: also long ago there is something to see


# --- pulling ----------------------------------------------------------------------------------------------------------


def pulls_until(browser: Browser, begin: Callable[[], Any], end: Callable[[], Any], condition: str) -> None:
    """Pull until a condition holds; once more where a busy machine has made the page slow, which lets go."""
    from playwright.sync_api import TimeoutError as Late

    browser.stop_drawing()  # which is what makes it slow
    for _ in range(30):
        begin()
        try:
            browser.page.wait_for_function(condition, polling=30, timeout=3000)
            break
        except Late:
            end()
    else:
        raise AssertionError(condition)
    browser.draw_again()


# What has been seen since: whether anything was pulled, how far the arm has moved, and what its card said.
WATCH = f"""() => {{
    const seen = (window.seen = {{ pulled: false, moved: 0, card: false }});
    const before = {ANGLE};
    const card = document.getElementById("card");
    const look = new MutationObserver(() => (seen.card ||= card.textContent.includes("pulled with")));
    look.observe(card, {{ subtree: true, childList: true }});
    sharnir.link.on("sample", () => {{
        seen.pulled ||= {PULLED} > 0;
        seen.moved = Math.max(seen.moved, Math.abs({ANGLE} - before));
    }});
}}"""


def test_a_body_is_pulled_with_the_mouse_and_let_go(driver: Browser, console: Console) -> None:
    mouse = driver.page.mouse
    x, y = on_body(driver, "arm")
    eye = driver.do("() => sharnir.view.cameras.camera.position.toArray()")
    driver.page.locator("#pull-chip").click()
    driver.do(WATCH)

    def begin() -> None:
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + 120, y - 60, steps=6)

    pulls_until(driver, begin, mouse.up, "() => seen.pulled && seen.moved > 1e-4 && seen.card")  # against its servo
    mouse.up()
    driver.until(f"() => {PULLED} === 0")
    assert driver.do("() => sharnir.view.cameras.camera.position.toArray()") == pytest.approx(eye)  # not turned
    driver.page.locator("#pull-chip").click()
    pulls = [entry for entry in console.log() if entry.get("command", {}).get("do") in ("pull", "loosen")]
    assert {entry["by"] for entry in pulls} <= {"operator 1", "server"} and pulls[0]["by"] == "operator 1"
    assert pulls[0]["command"]["body"] == "arm" and pulls[-1]["command"]["do"] == "loosen"


def test_a_pull_ends_with_the_focus_the_stop_and_the_page(driver: Browser) -> None:
    begin = """() => {
        const i = sharnir.world.bodies.findIndex((body) => body.name === "arm");
        sharnir.pulling.push(i, { x: 0, y: 0, z: 1 });
    }"""

    def pull() -> None:
        pulls_until(driver, lambda: driver.do(begin), lambda: None, f"() => {PULLED} > 0")

    for end in (
        "() => window.dispatchEvent(new Event('blur'))",
        "() => { const end = performance.now() + 700; while (performance.now() < end); }",  # a page that stands still
    ):
        pull()
        driver.do(end)
        driver.until(f"() => {PULLED} === 0")
    pull()
    driver.page.keyboard.press("F9")
    driver.until(f"() => sharnir.link.chain.state === 'stopped' && {PULLED} === 0")
    driver.do(begin)  # refused on the page
    assert driver.do("() => sharnir.pulling.held") is None


def test_a_pull_that_arrives_after_its_page_has_let_go_does_not_last(driver: Browser) -> None:
    """As one that was on its way does: nobody says that it goes on, so it is over."""
    stray = {"do": "pull", "body": "arm", "point": [0, 0, 0], "target": [1, 1, 1]}
    pulls_until(driver, lambda: driver.send(**stray), lambda: None, f"() => {PULLED} > 0")
    driver.until(f"() => {PULLED} === 0")


def test_a_body_is_chosen_and_pulled_by_keyboard(driver: Browser) -> None:
    keyboard = driver.page.keyboard
    picker = driver.page.locator("#body-picker")
    picker.focus()
    picker.select_option(label="arm")
    driver.until("() => document.getElementById('card').hasAttribute('data-open')")
    button = driver.page.locator("#card .chips button").nth(4)
    button.wait_for()
    button.focus()
    up = lambda: keyboard.up("Enter")  # noqa: E731
    pulls_until(driver, lambda: keyboard.down("Enter"), up, f"() => {PULLED} > 0")
    up()
    driver.until(f"() => {PULLED} === 0")
    driver.do("() => sharnir.view.select(-1)")


def test_a_watcher_pulls_nothing(driver: Browser, watcher: Browser) -> None:
    assert watcher.page.locator("#pull-chip").count() == 0
    watcher.send(do="pull", body="arm", point=[0, 0, 0], target=[1, 1, 1])
    watcher.toast("you are watching")
    assert driver.do(f"() => {PULLED}") == 0


# --- alarms and plots -------------------------------------------------------------------------------------------------


def test_alarms_are_filtered(driver: Browser) -> None:
    """Finding 23: the stop is among them, found by its words, and gone from the new ones when it is known."""
    driver.page.keyboard.press("F9")
    driver.until("() => sharnir.link.chain.state === 'stopped'")
    driver.page.locator("#tab-alarms").click()
    listed = "() => [...document.querySelectorAll('#alarms .log-row')].map((row) => row.dataset.level)"
    driver.until(f"() => ({listed})().includes('alarm')")
    driver.page.locator("#alarm-filter").select_option("alarm")
    assert set(driver.do(listed)) == {"alarm"}
    driver.page.locator("#alarm-search").fill("emergency stop by")
    assert "emergency stop by operator 1" in (driver.page.locator("#alarms").text_content() or "")
    driver.page.locator("#alarm-search").fill("nothing like it")
    assert driver.do(listed) == []
    driver.page.locator("#alarm-search").fill("")
    driver.page.locator("#alarm-filter").select_option("new")
    driver.page.locator("#acknowledge").click()
    assert driver.do(listed) == []
    driver.do("() => sharnir.link.socket.close()")  # what was acknowledged stays so over a new connection
    driver.until("() => !sharnir.link.connected")
    driver.take_seat()
    assert "emergency stop" not in (driver.page.locator("#alarms").text_content() or "")
    driver.page.locator("#alarm-filter").select_option("all")
    driver.until_text("#alarms", "emergency stop by operator 1")
    driver.page.locator("#tab-console").click()


def test_plots_show_any_number_of_signals_and_work_by_keyboard(driver: Browser) -> None:
    """Finding 22."""
    driver.do("() => { const { plot, world } = sharnir; plot.choose(world.layout.channels.map((c) => c.name)) }")
    names = driver.do("() => sharnir.plot.channels")
    assert len(names) > 8
    entries = driver.page.locator(".plot-legend span")
    assert entries.count() == len(names)
    box, legend = (driver.page.locator(name).bounding_box() for name in ("#plot", ".plot-legend"))
    assert box is not None and legend is not None
    assert legend["y"] + legend["height"] <= box["y"] + box["height"] + 1  # it scrolls
    driver.page.locator("#plot canvas").focus()
    driver.page.keyboard.press("ArrowLeft")
    assert driver.do("() => sharnir.plot.cursor") is not None
    span = driver.do("() => sharnir.plot.span")
    driver.page.keyboard.press("+")
    assert driver.do("() => sharnir.plot.span") < span
    assert driver.input("axle voltage") == 0.0  # the arrows belong to the plot while it has the focus
    driver.do("() => { sharnir.plot.choose(sharnir.world.panel.plotted); document.activeElement.blur() }")
