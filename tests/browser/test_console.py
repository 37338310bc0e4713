"""The operator's console in a real browser: what is drawn, what the controls reach, and what stops the robot."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest
from consoles import WINDOW, Browser, Console

ARM, AXLE = "shoulder target", "axle voltage"
RUNNING, PAUSED = 1, 0
EMERGENCY, CONNECTION = 1, 2


def colours(picture: bytes) -> int:
    """How many colours a picture has."""
    import io

    from PIL import Image

    return len(tuple(Image.open(io.BytesIO(picture)).convert("RGB").resize((160, 90)).getcolors(160 * 90) or ()))


def test_the_page_loads_from_this_machine_alone_and_draws_the_scene(operator: Browser) -> None:
    own = (operator.console.address, "data:", "blob:")
    assert [url for url in operator.requests if not url.startswith(own)] == []
    assert operator.errors == []
    assert operator.do("() => document.body.classList.contains('watching')") is False
    assert colours(operator.pixels()) > 20  # background, grid, two lit bodies, a shadow


def test_a_key_moves_the_drive_while_it_is_held(driver: Browser) -> None:
    before = driver.pixels()
    driver.page.locator("#stage canvas").first.click(position={"x": 5, "y": 200})
    driver.page.keyboard.down("w")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1")
    driver.until("() => sharnir.link.reader.channel(sharnir.link.frame, 'axle.angle rate') > 1")
    driver.page.keyboard.up("w")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 0")
    assert driver.channel("axle.angle") > 0.01
    driver.until("() => !sharnir.view.fresh && sharnir.link.reader.channel(sharnir.view.frame, 'axle.angle') > 0.01")
    assert driver.pixels() != before


def test_keys_count_as_released_when_the_window_loses_the_focus(driver: Browser) -> None:
    driver.page.keyboard.down("w")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1")
    driver.do("() => window.dispatchEvent(new Event('blur'))")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 0")
    driver.page.keyboard.up("w")


def test_a_slider_reaches_the_drive_and_the_arm_moves(driver: Browser) -> None:
    slider = driver.page.locator("sh-slider[name='axle voltage'] input")
    box = slider.bounding_box()
    assert box is not None
    driver.page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2)
    driver.until("() => Math.abs(sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') - 0.5) < 0.1")
    driver.until("() => sharnir.link.reader.channel(sharnir.link.frame, 'axle.angle rate') > 2")
    driver.press(ARM, 1.0)
    driver.until("() => Math.abs(sharnir.link.reader.channel(sharnir.link.frame, 'shoulder.angle') - 1.0) < 0.1")


def test_pause_freezes_and_a_step_is_exactly_one_step(driver: Browser) -> None:
    driver.page.locator("#pause").click()
    driver.until("() => sharnir.link.frame.mode === 0")
    tick, clock = driver.frame("tick"), driver.frame("clock")
    driver.until("(clock) => sharnir.link.frame.clock > clock + 0.3", clock)
    assert driver.frame("tick") == tick
    driver.page.locator("#step").click()
    driver.until("(tick) => sharnir.link.frame.tick > tick", tick)
    clock = driver.frame("clock")
    driver.until("(clock) => sharnir.link.frame.clock > clock + 0.3", clock)
    assert driver.frame("tick") == tick + 1
    driver.page.locator("#step10").click()
    driver.until("(tick) => sharnir.link.frame.tick === tick + 11", tick)
    driver.page.locator("#run").click()
    driver.until("() => sharnir.link.frame.mode === 1")


def test_an_emergency_stop_acts_within_a_tenth_of_a_second(driver: Browser) -> None:
    """From the press to the first frame that says so, as the browser itself measures it; the best of five presses,
    because this machine may be busy with something else."""
    script = """async () => {
        const { link } = sharnir;
        link.send({ do: "release" });
        await new Promise((done) => setTimeout(done, 200));
        const begun = performance.now();
        document.getElementById("stop").dispatchEvent(new PointerEvent("pointerdown"));
        return new Promise((done) => link.on("frame", (f) => f.held === 1 && done(performance.now() - begun)));
    }"""
    driver.do("() => sharnir.link.set('axle voltage', 1)")
    times = [float(driver.do(script)) for _ in range(5)]
    assert min(times) < 100, times
    assert driver.frame("held") == EMERGENCY
    driver.until("() => Math.abs(sharnir.link.reader.channel(sharnir.link.frame, 'axle.angle rate')) < 0.01")
    driver.do("() => sharnir.link.set('axle voltage', 1)")  # refused while the stop is on
    driver.until("() => document.querySelector('.toast')?.textContent.includes('emergency stop')")
    assert driver.input(AXLE) == 0.0
    driver.page.locator("#stop").dispatch_event("pointerdown")  # the same button releases it
    driver.until("() => sharnir.link.frame.held === 0")


def test_escape_is_the_emergency_stop(driver: Browser) -> None:
    driver.page.keyboard.press("Escape")
    driver.until("() => sharnir.link.frame.held === 1")
    driver.until("() => document.getElementById('state').textContent === 'Emergency stop'")


def test_reset_starts_over(driver: Browser) -> None:
    driver.press(ARM, 1.0)
    driver.until("() => sharnir.link.reader.channel(sharnir.link.frame, 'shoulder.angle') > 0.5")
    driver.let_go()
    driver.page.locator("#pause").click()
    driver.page.locator("#reset").click()
    driver.until("() => sharnir.link.frame.step === 0")
    assert driver.channel("shoulder.angle") == pytest.approx(0.0, abs=1e-9)
    assert driver.input(ARM) == 0.0
    assert driver.frame("tick") > 0  # the run goes on


def test_a_snapshot_is_saved_and_restored(driver: Browser) -> None:
    driver.press(ARM, 0.8)
    driver.until("() => sharnir.link.reader.channel(sharnir.link.frame, 'shoulder.angle') > 0.4")
    driver.let_go()
    driver.send(do="pause")
    driver.until("() => sharnir.link.frame.mode === 0")
    driver.send(do="save", name="here")
    angle, step = driver.channel("shoulder.angle"), driver.frame("step")
    driver.send(do="step", n=50)
    driver.until("(step) => sharnir.link.frame.step === step + 50", step)
    driver.page.locator("#snapshots").click()
    driver.page.get_by_text("Restore here").click()
    driver.until("(step) => sharnir.link.frame.step === step", step)
    assert driver.channel("shoulder.angle") == angle


def test_values_out_of_range_are_clamped_and_logged(driver: Browser) -> None:
    driver.do("() => sharnir.link.set('axle voltage', 7)")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1")
    driver.page.locator("#tab-alarms").click()
    driver.until("() => document.getElementById('alarms').textContent.includes('clamped to 1')")
    driver.page.locator("#tab-console").click()


def test_a_click_on_a_body_shows_its_numbers(driver: Browser) -> None:
    driver.do("() => sharnir.view.cameras.home()")
    canvas = driver.page.locator("#stage canvas").first
    box = canvas.bounding_box()
    assert box is not None
    canvas.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    driver.until("() => document.getElementById('card').hasAttribute('data-open')")
    assert "1.000 kg" in (driver.page.locator("#card").text_content() or "")
    driver.do("() => sharnir.view.select(-1)")


def test_keys_can_be_changed(driver: Browser) -> None:
    driver.page.locator("#tab-keys").click()
    driver.page.locator(".keys-key").first.click()
    driver.page.keyboard.press("m")
    assert driver.page.locator(".keys-key").first.text_content() == "M"
    driver.page.keyboard.down("m")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1")
    driver.page.keyboard.up("m")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 0")
    driver.page.get_by_text("standard keys").click()
    assert driver.page.locator(".keys-key").first.text_content() == "W"
    driver.page.locator("#tab-console").click()


def test_silence_of_the_operator_stops_the_robot(driver: Browser) -> None:
    driver.do("() => sharnir.link.set('axle voltage', 1)")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1")
    # the page goes on but says nothing: a frozen tab, a cable pulled out
    driver.do("() => { sharnir.link.said = sharnir.link.post; sharnir.link.post = () => {} }")
    driver.until("() => sharnir.link.frame.held === 2")
    assert driver.input(AXLE) == 0.0
    driver.do("() => { sharnir.link.post = sharnir.link.said }")
    driver.do("() => sharnir.link.set('axle voltage', 0.5)")  # the next input ends it
    driver.until("() => sharnir.link.frame.held === 0")


def test_a_command_that_was_held_up_is_not_taken(driver: Browser) -> None:
    old = """() => {
        const { link } = sharnir;
        const command = { do: "set", values: { "axle voltage": 1 } };
        link.number += 1;
        link.socket.send(JSON.stringify({ number: link.number, seen: link.frame.clock - 2, command }));
    }"""
    driver.do("() => sharnir.link.set('axle voltage', 0)")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 0")
    driver.do(old)
    driver.until("() => [...document.querySelectorAll('.toast')].some((t) => t.textContent.includes('s old'))")
    assert driver.input(AXLE) == 0.0


def test_a_broken_connection_is_mended_without_a_reload(driver: Browser) -> None:
    tick = driver.frame("tick")
    driver.do("() => { window.same = true; sharnir.link.socket.close() }")
    driver.until("() => !sharnir.link.connected")
    driver.until("() => sharnir.link.connected && sharnir.link.isOperator")
    driver.until("(tick) => sharnir.link.frame.tick > tick", tick)
    assert driver.do("() => window.same") is True


def test_a_second_browser_watches_and_cannot_drive(chromium: Any, driver: Browser) -> None:
    context = chromium.new_context(viewport=WINDOW)
    try:
        second = Browser(context, driver.console)
        second.stop_drawing()
        assert second.do("() => document.body.classList.contains('watching')") is True
        tick = second.frame("tick")
        second.until("(tick) => sharnir.link.frame.tick > tick", tick)
        second.do("""() => sharnir.link.post({ do: "set", values: { "axle voltage": 1 } })""")
        second.until("() => [...document.querySelectorAll('.toast')].some((t) => t.textContent.includes('watching'))")
        second.do("""() => sharnir.link.post({ do: "pause" })""")
        assert (driver.input(AXLE), driver.frame("mode")) == (0.0, RUNNING)
        driver.page.locator("#give").click()  # handing over
        second.until("() => document.getElementById('take').style.display === ''")
        second.page.locator("#take").click()
        second.until("() => sharnir.link.isOperator")
        driver.until("() => !sharnir.link.isOperator")
        second.press(AXLE, 0.25)
        driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 0.25")
        second.page.close()  # the operator's browser is gone: the robot stops
        driver.until("() => sharnir.link.frame.held === 2", timeout=5000)
        driver.until("() => sharnir.link.hello && document.getElementById('take').style.display === ''", timeout=15_000)
        driver.page.locator("#take").click()
        driver.until("() => sharnir.link.isOperator")
    finally:
        context.close()


def test_a_link_lets_one_browser_in_once(chromium: Any, driver: Browser) -> None:
    driver.page.get_by_title("Let another browser in").click()
    driver.page.get_by_text("Each link lets one browser in, once").wait_for()
    watch, teach = (driver.page.locator(".q-dialog input").nth(i).input_value() for i in (0, 1))
    driver.page.keyboard.press("Escape")
    for link, status in ((watch, 200), (watch, 401), (teach, 200), (teach, 401)):
        context = chromium.new_context()
        assert context.request.get(link, max_redirects=0 if status == 401 else 5).status == status
        context.close()


def test_the_instructor_brings_in_faults_and_writes_notes(chromium: Any, driver: Browser) -> None:
    context = chromium.new_context(viewport=WINDOW)
    try:
        teacher = Browser(context, driver.console, "/instructor")
        teacher.stop_drawing()
        row = teacher.page.locator(".fault", has_text="drive loss: axle").first
        row.get_by_role("button").click()
        teacher.page.get_by_role("button", name="take back").wait_for()
        driver.press(AXLE, 1)
        driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1")
        driver.page.wait_for_timeout(500)
        assert abs(driver.channel("axle.angle rate")) < 0.01
        teacher.page.get_by_role("button", name="take back").click()
        driver.until("() => sharnir.link.reader.channel(sharnir.link.frame, 'axle.angle rate') > 4")
        teacher.page.locator("textarea").fill("kept calm when the motor failed")
        teacher.page.locator("#write-note").click()
        log = driver.console.folder / "run.jsonl"
        deadline = time.monotonic() + 5
        while "kept calm" not in log.read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert "kept calm when the motor failed" in log.read_text()
        teacher.do("""() => sharnir.link.post({ do: "set", values: { "axle voltage": -1 } })""")  # it does not drive
        teacher.until("() => [...document.querySelectorAll('.toast')].some((t) => t.textContent.includes('watching'))")
    finally:
        context.close()


def test_the_run_is_repeated_bit_for_bit(operator: Browser, console: Console) -> None:
    """Last: all that the tests above have done to the run, made again from its log."""
    console.end()
    command = [sys.executable, "-m", "sharnir", "replay", str(console.folder), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "bit for bit" in done.stdout
