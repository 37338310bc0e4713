"""What the operator looks at: pictures of mounted cameras, labels, belts, ropes, ground, panels that fold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from consoles import READY, SIZES, WORDS_APART, Browser, Console

WIDE = {"width": 1440, "height": 900}


@pytest.fixture(scope="module")
def krt(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The robot with the most bodies, and cameras."""
    console = Console("krt100", tmp_path_factory.mktemp("runs"))
    context = chromium.new_context(viewport=WIDE)
    yield Browser(context, console, console.links["operator"])
    context.close()
    console.end()


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


# Names of pictures are on one line, and the figure of the drawing quality lies beside them.
CLEAR = """() => {
    const quality = document.querySelector(".view-quality").getBoundingClientRect();
    const boxes = [...document.querySelectorAll(".picture")].map((picture) => picture.getBoundingClientRect());
    const heads = [...document.querySelectorAll(".picture figcaption")].map((head) => head.offsetHeight);
    return Math.max(...heads) < 30 && boxes.every(({ bottom, left }) => bottom <= quality.top || left >= quality.right);
}"""


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
    for size in SIZES:
        krt.resize(size)
        krt.until(CLEAR)
    krt.page.set_viewport_size(WIDE)
    assert offered.nth(0).get_attribute("aria-pressed") == "false"
    assert offered.nth(4).get_attribute("aria-pressed") == "true"
    krt.page.keyboard.press("Escape")
    assert krt.frame("held") == 0  # it has folded the menu, and stopped nothing
    drawn = krt.do("() => sharnir.view.drawn")
    krt.until("(drawn) => sharnir.view.drawn > drawn + 1 || (sharnir.view.stale = true, false)", drawn)
    assert colours_in(krt, "rear camera") > 20  # the trailer; an empty canvas has one
    krt.page.reload()
    krt.until(READY)
    assert krt.page.locator(".picture").count() == 4
    for _ in range(4):
        krt.page.locator(".picture button").first.click()
    assert krt.page.locator(".picture").count() == 0


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}")
def test_cameras_see_the_machine_or_have_their_front_free(krt: Browser, size: tuple[int, int]) -> None:
    """Findings 13 and 14: the whole machine at first; nothing of it before the seat and the cameras."""
    krt.resize(size)
    krt.until(
        "() => { const { width, height } = stage.getBoundingClientRect(); "
        "return Math.abs(sharnir.view.cameras.camera.aspect - width / height) < 0.01 }"
    )
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


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}")
def test_four_keys_drive_and_no_words_of_the_controls_lie_over_each_other(krt: Browser, size: tuple[int, int]) -> None:
    """Finding 17: not a slider and a key pair for every wheel; dials with names of their own."""
    krt.resize(size)
    krt.stop_drawing()  # on a busy machine it makes the page so slow that it is taken for frozen
    krt.until(WORDS_APART)
    krt.set_free()
    labels = krt.page.locator(".widgets .w-label").all_text_contents()
    assert len(labels) == len(set(labels)) and not any("wheel" in label for label in labels)
    for key, name, value in (("ArrowUp", "forward", 1), ("ArrowLeft", "turn", -1)):
        krt.do("() => document.activeElement.blur()")
        krt.page.keyboard.down(key)
        krt.until("([n, v]) => sharnir.link.reader.input(sharnir.link.frame, n) === v", [name, value])
        krt.page.keyboard.up(key)
        krt.until("(n) => sharnir.link.reader.input(sharnir.link.frame, n) === 0", name)
    krt.draw_again()


def test_the_orbit_stays_above_the_ground(krt: Browser) -> None:
    """Finding 16; it does not depend on the window."""
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
    for size in SIZES:
        krt.resize(size)
        drawn = krt.do("() => sharnir.view.drawn")
        krt.until("(drawn) => sharnir.view.drawn > drawn + 1 || (sharnir.view.stale = true, false)", drawn)
        shown, covering = krt.do(COVERING)
        assert shown >= 1 and covering == 0, (size, shown, covering)
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


# --- the panel --------------------------------------------------------------------------------------------------------


def test_groups_and_the_panel_fold_and_the_view_takes_their_place(krt: Browser) -> None:
    krt.page.set_viewport_size(WIDE)
    group = krt.page.locator("details.group").first
    group.locator("summary").click()
    assert not group.locator("sh-joystick").is_visible()
    group.locator("summary").click()
    assert group.locator("sh-joystick").is_visible()
    for window in SIZES:
        krt.resize(window)
        size = "() => { const { width, height } = stage.getBoundingClientRect(); return width * height }"
        before, drawn = krt.do(size), krt.do("() => sharnir.view.drawn")
        fold = krt.page.locator("#fold-side")
        krt.stop_drawing()
        fold.click()
        krt.until("(drawn) => sharnir.view.drawn > drawn", drawn)  # at once: a canvas of another size is empty
        krt.draw_again()
        krt.until(f"(before) => ({size})() > 1.2 * before", before)
        assert fold.get_attribute("aria-expanded") == "false"
        assert krt.page.locator("#stop").is_visible()
        fold.click()
        krt.until(f"(before) => ({size})() < 1.1 * before", before)  # the strip above may need another line meanwhile


def test_a_sensors_bar_shows_its_channel_and_warns(krt: Browser) -> None:
    krt.do(
        """() => {
            const bar = document.createElement("sh-bar");
            const given = { name: "krt100_hitch reaction", label: "hitch", unit: "N", low: 0, high: 1e4, warns: -1 };
            for (const [name, value] of Object.entries(given)) bar.setAttribute(name, value);
            document.querySelector(".widgets").append(bar);
        }"""
    )
    krt.until("() => document.querySelector('sh-bar .w-value').textContent.endsWith(' N')")
    krt.until("() => document.querySelector('sh-bar').hasAttribute('data-warns')")
    assert krt.do("() => Number(document.querySelector('sh-bar [role=meter]').getAttribute('aria-valuenow'))") >= 0
    krt.do("() => document.querySelector('sh-bar').remove()")


def test_hills_have_normals_for_light_and_shadows(krt: Browser) -> None:
    """Finding 16: without them a shadow is moved by no number at all, and is there in patches or not at all."""
    slope = 0.5  # along x
    normal = krt.do(
        """async (slope) => {
            const { Heights } = await import("/view/heights.js");
            const { THREE } = await import("/view/three.js");
            const heights = Float32Array.from({ length: 9 }, (_, i) => slope * Math.floor(i / 3));
            const text = btoa(String.fromCharCode(...new Uint8Array(heights.buffer)));
            const surface = { heights: text, rows: 3, spacing: [1, 1] };
            const field = new Heights(surface, 100, new THREE.Vector3(0, 0, 1));
            const { normal } = field.group.children[0].geometry.attributes;
            return [normal.getX(4), normal.getY(4), normal.getZ(4)];
        }""",
        slope,
    )
    size = (1 + slope**2) ** 0.5
    assert normal == pytest.approx([-slope / size, 0.0, 1 / size], abs=1e-6)
