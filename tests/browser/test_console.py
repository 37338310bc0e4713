"""The operator's console in a real browser: what is drawn, what the controls reach, and what stops the robot."""

from __future__ import annotations

import subprocess
import sys

import pytest
from consoles import SIZES, WINDOW, Browser, Console

ARM, AXLE = "shoulder target", "axle voltage"
CARD_WITHIN = """() => {
    const card = document.getElementById("card");
    const [inner, outer] = [card, document.getElementById("stage")].map((each) => each.getBoundingClientRect());
    const across = inner.left >= outer.left && inner.right <= outer.right && card.scrollWidth <= card.clientWidth;
    return across && inner.top >= outer.top && inner.bottom <= outer.bottom && inner.height > 0;
}"""


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


def test_reset_starts_over(driver: Browser) -> None:
    driver.press(ARM, 1.0)
    driver.until("() => sharnir.link.reader.channel(sharnir.link.frame, 'shoulder.angle') > 0.5")
    driver.let_go()
    driver.page.locator("#pause").click()
    driver.until("() => sharnir.link.frame.mode === 0")
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
    driver.until_text("#alarms", "clamped to 1")
    driver.page.locator("#tab-console").click()


def test_a_click_on_a_body_shows_its_numbers(driver: Browser) -> None:
    driver.do("() => sharnir.view.cameras.home()")
    canvas = driver.page.locator("#stage canvas").first
    box = canvas.bounding_box()
    assert box is not None
    canvas.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    driver.until("() => document.getElementById('card').hasAttribute('data-open')")
    driver.until_text("#card", "1.000 kg")
    driver.do("() => sharnir.view.select(-1)")


def test_keys_can_be_changed(driver: Browser) -> None:
    driver.page.locator("#tab-keys").click()
    driver.page.locator(".keys-key").first.click()
    driver.page.keyboard.press("m")
    driver.until("() => document.querySelector('.keys-key').textContent === 'M'")
    driver.page.keyboard.down("m")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 1")
    driver.page.keyboard.up("m")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 0")
    driver.page.get_by_text("standard keys").click()
    driver.until("() => document.querySelector('.keys-key').textContent === 'W'")
    driver.page.locator("#tab-console").click()


def test_a_command_that_was_held_up_is_not_taken(driver: Browser) -> None:
    old = """() => {
        const { link } = sharnir;
        const command = { do: "set", values: { "axle voltage": 1 } };
        link.number += 1;
        link.socket.send(JSON.stringify({ number: link.number, seen: link.frame.clock - 60, command }));
    }"""
    driver.do("() => sharnir.link.set('axle voltage', 0)")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') === 0")
    driver.do(old)
    driver.toast("s old")
    assert driver.input(AXLE) == 0.0


def test_a_broken_connection_is_mended_without_a_reload(driver: Browser) -> None:
    tick = driver.frame("tick")
    driver.do("() => { window.same = true; sharnir.link.socket.close() }")
    driver.until("() => !sharnir.link.connected")
    driver.until("() => sharnir.link.connected && sharnir.link.driving")
    driver.until("(tick) => sharnir.link.frame.tick > tick", tick)
    assert driver.do("() => window.same") is True


def test_the_card_of_a_body_stays_within_the_view(driver: Browser) -> None:
    """Finding 12: at every size, also for a body of many joints."""
    try:
        for size in SIZES:
            driver.resize(size)
            driver.do("() => sharnir.view.select(1)")
            driver.do("() => { for (let i = 0; i < 40; i++) sharnir.world.joints.push(sharnir.world.joints[1]) }")
            driver.until("() => document.querySelectorAll('#card dt').length >= 6")
            driver.until(CARD_WITHIN)
    finally:
        driver.page.set_viewport_size(WINDOW)
        driver.do("() => sharnir.view.select(-1)")


def test_the_run_is_repeated_bit_for_bit(operator: Browser, console: Console) -> None:
    """Last: all that the tests above have done to the run, made again from its log."""
    console.end()
    command = [sys.executable, "-m", "sharnir", "replay", str(console.folder), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "bit for bit" in done.stdout
