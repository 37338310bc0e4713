"""What the operator looks at and takes hold of: the past of the live run, bodies pulled by a spring, labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from consoles import READY, WINDOW, Browser, Console

ANGLE = "sharnir.link.reader.channel(sharnir.link.frame, 'shoulder.angle')"
WIDE = {"width": 1440, "height": 900}
PULLED = "sharnir.link.frame.pull[0]"


@pytest.fixture(scope="module")
def krt(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The robot with the most bodies, and cameras."""
    console = Console("krt100", tmp_path_factory.mktemp("runs"))
    context = chromium.new_context(viewport=WIDE)
    yield Browser(context, console, console.links["operator"])
    context.close()
    console.end()


@pytest.fixture(scope="module")
def watcher(chromium: Any, console: Console) -> Iterator[Browser]:
    context = chromium.new_context(viewport=WINDOW)
    browser = Browser(context, console, console.links["watcher"])
    browser.stop_drawing()
    yield browser
    context.close()


def on_body(browser: Browser, name: str) -> tuple[float, float]:
    """Where the middle of a body is on the page."""
    browser.do("() => sharnir.view.cameras.home()")
    browser.until("() => !sharnir.view.stale && !sharnir.view.fresh || sharnir.view.drawn > 1")
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


def pulls_until(browser: Browser, begin: Callable[[], Any], end: Callable[[], Any], condition: str, given: Any) -> None:
    """Pull until a condition holds; once more where a busy machine has made the page slow, which lets go."""
    from playwright.sync_api import TimeoutError as Late

    for _ in range(8):
        begin()
        try:
            browser.page.wait_for_function(condition, arg=given, polling=30, timeout=4000)
            return
        except Late:
            end()
    raise AssertionError(condition)


def test_a_body_is_pulled_with_the_mouse_and_let_go(driver: Browser, console: Console) -> None:
    mouse = driver.page.mouse
    x, y = on_body(driver, "arm")
    before = driver.channel("shoulder.angle")
    eye = driver.do("() => sharnir.view.cameras.camera.position.toArray()")
    driver.page.locator("#pull-chip").click()

    def begin() -> None:
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + 120, y - 60, steps=6)

    moved = f"""(before) => {PULLED} > 0 && Math.abs({ANGLE} - before) > 0.001
        && document.getElementById("card").textContent.includes("pulled with")"""  # against its servo
    pulls_until(driver, begin, mouse.up, moved, before)
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
        pulls_until(driver, lambda: driver.do(begin), lambda: None, f"() => {PULLED} > 0", None)

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
    pulls_until(driver, lambda: driver.send(**stray), lambda: None, f"() => {PULLED} > 0", None)
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
    pulls_until(driver, lambda: keyboard.down("Enter"), up, f"() => {PULLED} > 0", None)
    up()
    driver.until(f"() => {PULLED} === 0")
    driver.do("() => sharnir.view.select(-1)")


def test_a_watcher_pulls_nothing(driver: Browser, watcher: Browser) -> None:
    assert watcher.page.locator("#pull-chip").count() == 0
    watcher.send(do="pull", body="arm", point=[0, 0, 0], target=[1, 1, 1])
    watcher.toast("you are watching")
    assert driver.do(f"() => {PULLED}") == 0


# --- pictures in the picture ------------------------------------------------------------------------------------------


def colours_in(browser: Browser, name: str) -> int:
    """How many colours the picture of a camera has, without its caption."""
    import io

    from PIL import Image

    box = browser.do(
        """(name) => {
            const { element } = sharnir.view.pictures.open.find((picture) => picture.name === name);
            const { left, top, width, height } = element.getBoundingClientRect();
            return [left + 2, top + 36, width - 4, height - 40];
        }""",
        name,
    )
    shot = browser.page.screenshot(clip=dict(zip(("x", "y", "width", "height"), box, strict=True)))
    return len(Image.open(io.BytesIO(shot)).convert("RGB").getcolors(1 << 20) or ())


def test_up_to_four_pictures_of_mounted_cameras(krt: Browser) -> None:
    krt.page.set_viewport_size(WIDE)
    assert krt.do("() => sharnir.view.pictures.open.length") == 0
    krt.page.locator("#picture-menu summary").click()
    offered = krt.page.locator("#picture-menu button")
    names = offered.all_text_contents()
    assert names[:3] == ["mast camera", "front camera", "rear camera"] and "From above" in names
    for i in range(5):
        offered.nth(i).click()
    assert krt.page.locator(".picture").count() == 4  # the fifth has closed the first
    assert offered.nth(0).get_attribute("aria-pressed") == "false"
    assert offered.nth(4).get_attribute("aria-pressed") == "true"
    krt.page.keyboard.press("Escape")
    assert krt.frame("held") == 0  # it has folded the menu, and stopped nothing
    drawn = krt.do("() => sharnir.view.drawn")
    krt.until("(drawn) => sharnir.view.drawn > drawn + 1", drawn)
    assert colours_in(krt, "rear camera") > 20  # the trailer; an empty canvas has one
    krt.page.reload()
    krt.until(READY)
    assert krt.page.locator(".picture").count() == 4
    for _ in range(4):
        krt.page.locator(".picture button").first.click()
    assert krt.page.locator(".picture").count() == 0


def test_cameras_see_the_machine_or_have_their_front_free(krt: Browser) -> None:
    """Findings 13 and 14: the whole machine at first; nothing of it before the seat and the cameras."""
    krt.do("() => sharnir.view.cameras.home()")
    outside = krt.do(
        """() => {
            const { view, world } = sharnir;
            const { camera } = view.cameras;
            camera.updateMatrixWorld();
            return world.bodies.filter((body, i) => {
                if (body.fixed) return false;
                const at = camera.position.clone().set(...body.center);
                at.applyMatrix4(view.bodies.matrix[i]).project(camera);
                return Math.abs(at.x) > 0.95 || Math.abs(at.y) > 0.95 || at.z > 1;
            }).map((body) => body.name);
        }"""
    )
    assert outside == []
    blocked = krt.do(
        """() => {
            const { view, world } = sharnir;
            const eyes = { bodies: view.bodies, ropes: view.ropes, body: view.cameras.body };
            const camera = view.cameras.camera.clone();
            return ["Seat", "mast camera", "front camera"].filter((name) => {
                view.pictures.offers.get(name)({ camera, ...eyes });
                camera.updateMatrixWorld();
                view.raycaster.set(camera.position, camera.getWorldDirection(camera.position.clone()));
                const hit = view.bodies.pick(view.raycaster);
                return hit && !world.bodies[hit.body].fixed;
            });
        }"""
    )
    assert blocked == []


def test_the_orbit_stays_above_the_ground(krt: Browser) -> None:
    krt.do("() => { sharnir.view.camera('orbit'); sharnir.view.cameras.camera.position.z = -3 }")
    krt.until("() => sharnir.view.cameras.camera.position.z > 0")
    krt.do("() => { sharnir.view.cameras.home(); sharnir.view.camera('follow') }")


# --- labels -----------------------------------------------------------------------------------------------------------

COVERING = """() => {
    const labels = [...document.querySelectorAll(".view-label")].filter((element) => !element.hidden);
    const boxes = labels.map((element) => element.getBoundingClientRect());
    const cover = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return [boxes.length, boxes.filter((a, i) => boxes.some((b, k) => k > i && cover(a, b))).length];
}"""


def test_labels_do_not_cover_each_other_with_36_bodies(krt: Browser) -> None:
    """Finding 24."""
    assert krt.do("() => sharnir.world.bodies.length") >= 36
    krt.page.locator("#show-menu summary").click()
    krt.page.get_by_role("button", name="Labels").click()
    krt.until(f"() => ({COVERING})()[0] >= 6")
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        krt.page.set_viewport_size({"width": width, "height": height})
        drawn = krt.do("() => sharnir.view.drawn")
        krt.until("(drawn) => sharnir.view.drawn > drawn + 1", drawn)
        shown, covering = krt.do(COVERING)
        assert shown >= 1 and covering == 0, (width, shown, covering)
        assert krt.do("() => document.documentElement.scrollWidth <= innerWidth")
    krt.do("() => sharnir.view.select(sharnir.world.followed)")
    name = krt.do("() => sharnir.world.bodies[sharnir.world.followed].name")
    krt.until(
        "(name) => [...document.querySelectorAll('.view-label')].some((e) => !e.hidden && e.textContent === name)", name
    )


# --- what moves -------------------------------------------------------------------------------------------------------


def test_the_links_of_a_belt_run_at_the_speed_of_the_sprocket(krt: Browser) -> None:
    """The upper run goes forward by angle times radius, the lower one back; links are evenly spaced all round."""
    half, radius, angle = 0.4, 0.1, 0.5
    before, after = krt.do(
        """async ([half, radius, angle]) => {
            const { Bodies } = await import("/view/shapes.js");
            const place = { position: [0, 0, 0], rotation: [0, 0, 0, 1] };
            const belt = { kind: "belt", size: [half, radius, 0.1], joint: "s.angle", ...place };
            const track = { fixed: false, ...place, shapes: [belt] };
            const bodies = new Bodies({ bodies: [track] }, { add() {} }, true);
            const places = (value) => {
                const reader = { channel: (frame, name) => (name === "s.angle" ? value : NaN) };
                bodies.show({ poses: [0, 0, 0, 0, 0, 0, 1] }, reader);
                const { mesh, count } = bodies.belts.belts[0];
                const numbers = mesh.instanceMatrix.array;
                return Array.from({ length: count }, (_, k) => [numbers[16 * k + 12], numbers[16 * k + 14]]);
            };
            return [places(0), places(angle)];
        }""",
        [half, radius, angle],
    )
    upper = [k for k, (x, z) in enumerate(before) if z > 0 and abs(x) < half - 0.06]
    lower = [k for k, (x, z) in enumerate(before) if z < 0 and abs(x) < half - 0.06]
    assert len(upper) > 5 and len(lower) > 5
    for links, way in ((upper, 1.0), (lower, -1.0)):
        for k in links:
            assert after[k][0] - before[k][0] == pytest.approx(way * angle * radius, abs=1e-6)
    gaps = [((ax - bx) ** 2 + (az - bz) ** 2) ** 0.5 for (ax, az), (bx, bz) in pairwise([*after, after[0]])]
    assert max(gaps) < 1.05 * min(gaps)


def test_a_thin_rope_is_seen_from_far_away(krt: Browser) -> None:
    """A rope of 2 mm at 50 m would be a thirtieth of a pixel wide."""
    width = krt.do(
        """async () => {
            const { Ropes } = await import("/view/ropes.js");
            const { THREE } = await import("/view/three.js");
            const ropes = new Ropes({ ropes: [{ name: "r", nodes: 2, radius: 0.001, strength: 1 }] }, { add() {} });
            const camera = new THREE.PerspectiveCamera(45, 1, 0.01, 2000);
            camera.position.set(0, -50, 0);
            camera.up.set(0, 0, 1);
            camera.lookAt(0, 0, 0);
            camera.updateMatrixWorld();
            ropes.show({ "rope r": [-1, 0, 0, 0, 1, 0, 0, 0] }, camera, 600);
            const z = Array.from({ length: 8 }, (_, k) => {
                const at = new THREE.Vector3().fromBufferAttribute(ropes.ropes[0].position, k);
                return 300 * at.project(camera).y;
            });
            return Math.max(...z) - Math.min(...z);
        }"""
    )
    assert 1.4 < width < 2.0  # pixels
