"""How finely pictures are drawn: shadow maps, all pixels where nothing moves; and what joints carry, with numbers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from consoles import SIZES
from stills import PROJECT, Still

import sharnir as sh
from sharnir.view.robots import ROBOTS

Open = Callable[..., Still]
QUIET = "() => sharnir.view.renderer.setAnimationLoop(null)"


def cart() -> sh.Scene:
    """A cart with an arm on a hinge, and two cameras."""
    scene = sh.Scene("cart with an arm")
    scene.ground(look="concrete")
    scene.sky = sh.Sky(azimuth=-2.2, elevation=0.9)
    body = scene.body("cart", sh.Box(0.8, 0.6, 0.2, mass=10.0), position=(0.0, 0.0, 0.5))
    arm = scene.body("arm", sh.Box(0.1, 0.1, 0.6, mass=1.0), position=(0.2, 0.0, 0.9))
    scene.joint("hinge", sh.Revolute(anchor=(0.2, 0.0, 0.6), axis=(0, 1, 0)), body, arm)
    scene.camera("eye", body, position=(0.6, 0.0, 0.2), direction=(-1.0, 0.0, 0.2), field_of_view=1.0)
    scene.camera("side", body, position=(0.0, -1.2, 0.3), direction=(0.0, 1.0, -0.1), field_of_view=1.0)
    return scene


@pytest.mark.parametrize("quality", ["", "&fine"])
def test_the_shadow_map_is_half_as_wide_where_half_of_the_pixels_are_drawn(open_still: Open, quality: str) -> None:
    still = open_still(cart(), quality=quality)
    still.do(QUIET)
    widths = still.do(
        """() => {
            const { view } = sharnir;
            const { quality, lights } = view;
            const width = (step) => {
                quality.refined = false;
                quality.step = step;
                view.redraw();
                return [quality.share, lights.sun.shadow.map.width / lights.texels];
            };
            return [0, 2, 3, 4, 0].map(width);
        }"""
    )
    assert widths == [[1, 1], [0.65, 1], [0.5, 0.5], [0.4, 0.5], [1, 1]]


def test_shadows_are_drawn_once_for_all_pictures_of_a_moment(open_still: Open) -> None:
    still = open_still(cart())
    still.do(QUIET)
    drawn = still.do(
        """() => {
            const { view } = sharnir;
            for (const name of ["eye", "side"]) view.pictures.toggle(name);
            let [shadows, pictures] = [0, 0];
            const box = view.bodies.group.children.find((mesh) => mesh.isMesh && mesh.castShadow);
            box.frustumCulled = false;
            box.onBeforeShadow = () => (shadows += 1);
            box.onBeforeRender = () => (pictures += 1);
            view.render();
            const first = [shadows, pictures];
            view.render(); // another moment has shadows of its own
            return [first, [shadows, pictures]];
        }"""
    )
    assert drawn == [[1, 3], [2, 6]]


def test_what_stands_still_is_drawn_once_with_all_pixels(open_still: Open) -> None:
    still = open_still(cart(), ({}, {"cart": (0.1, 0.0, 0.5)}))
    still.do(QUIET)
    seen = still.do(
        """() => {
            const { view } = sharnir;
            const { quality, renderer } = view;
            const said = () => quality.element.textContent.split(" ")[0];
            const told = () => [view.drawn, renderer.getPixelRatio() / quality.most, said()];
            const stands = () => { view.drawnAt = -1e4; view.draw(); return told(); };
            Object.assign(quality, { step: 4, refined: false, fixed: false, taken: [] });
            renderer.setPixelRatio(quality.most * quality.share);
            view.redraw();
            view.measuring = view.fresh = view.stale = false;
            view.drawn = 0;
            const states = [stands(), stands()];
            view.took = 0;
            view.stale = true; // something moves again
            view.drawnAt = -1e4;
            view.draw();
            return [...states, told()];
        }"""
    )
    assert seen == [[1, 1, "100"], [1, 1, "100"], [2, 0.4, "40"]]


def test_force_and_torque_of_a_joint_are_rings_with_numbers(open_still: Open) -> None:
    """Rings of force and, dashed, of torque with numbers in N and N m; below a thousandth of the weight nothing."""
    names = ["hinge reaction", "hinge reaction torque"]
    frames = ({names[0]: 30.0, names[1]: 12.5}, {names[0]: 30.0}, {})
    still = open_still(cart(), frames, names)
    still.do("() => { for (const name in sharnir.view.overlays.shown) sharnir.view.overlay(name, false) }")
    still.look((1.2, -2.2, 1.6), (0.0, 0.0, 0.6))
    said = """() => [...document.querySelectorAll(".view-note")]
        .filter((note) => !note.hidden).map((note) => note.textContent)"""
    still.shot()
    assert still.do(said) == []
    still.do("() => sharnir.view.overlay('reactions', true)")
    counts = []
    for k, text in enumerate((["30.00 N · 12.50 N m"], ["30.00 N"], [])):
        still.shot(0.1 * k)
        assert still.do(said) == text
        counts.append(still.do("() => sharnir.view.overlays.count"))
    assert counts == [24 + 12, 24, 0]  # lines: a ring, and a ring with every other left out
    still.shot()
    x, y = still.do(PROJECT, [0.2, 0.0, 0.6])
    left, right, top, letters = still.do(
        """() => {
            const note = document.querySelector(".view-note");
            const { left, right, top } = note.getBoundingClientRect();
            return [left, right, top, note.textContent.length];
        }"""
    )
    assert left < x < right and y < top < y + 20
    assert right - left <= 7.5 * letters + 14  # as wide as room was kept for


SEEN_WORDS = """() => {
    const { view } = sharnir;
    view.render();
    const boxes = (selector) => [...document.querySelectorAll(selector)].filter((each) => !each.hidden)
        .map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 0);
    const cover = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const words = [...boxes(".view-labels .view-label, .view-labels .view-note")];
    const over = boxes("#view-tools > *, .view-quality, .card[data-open], .picture, .measure-label");
    const each = words.filter((a, i) => words.some((b, k) => k > i && cover(a, b))).length;
    return [words.length, each, words.filter((a) => over.some((b) => cover(a, b))).length, over.length];
}"""


def test_words_over_a_large_machine_can_all_be_read(open_still: Open) -> None:
    """Names of its bodies and numbers of its joints neither cover each other nor lie below buttons, the card, pictures
    in the picture or the words of a measure, in any window; forces are drawn at 16 joints at most."""
    scene = ROBOTS["krt100"]().scene
    assert len(scene.bodies) >= 36
    names = [f"{name} {ending}" for name in scene.joints for ending in ("reaction", "reaction torque")]
    still = open_still(scene, (dict.fromkeys(names, 200.0),), names)
    still.do("() => document.body.classList.remove('bare')")
    still.do(
        """() => {
            const { view } = sharnir;
            view.overlay("reactions", true);
            view.showLabels(true);
            const middle = view.cameras.controls.target;
            view.measure.on = true;
            view.measure.points = [0, 0.5].map((x) => ({ body: -1, at: middle.clone().setZ(middle.z + x) }));
            for (const name of [...view.pictures.offers.keys()].slice(0, 2)) view.pictures.toggle(name);
        }"""
    )
    for width, height in SIZES:
        still.page.set_viewport_size({"width": width, "height": height})
        still.page.wait_for_function("(w) => document.documentElement.scrollWidth <= w", arg=width)
        for selected in (-1, 0):
            still.do("(body) => sharnir.view.select(body)", selected)
            shown, covered, below, over = still.do(SEEN_WORDS)
            assert shown >= 3 and over >= 5
            assert (covered, below) == (0, 0), (width, selected)
    still.do("() => sharnir.view.select(-1)")
    assert still.do("() => sharnir.view.overlays.chosen(sharnir.view.bodies, sharnir.view.cameras.camera).length") == 16


def test_a_replay_names_its_machine_on_every_screen(open_still: Open) -> None:
    still = open_still(cart())
    still.do("() => document.body.classList.remove('bare')")
    for width, height in SIZES:
        still.page.set_viewport_size({"width": width, "height": height})
        still.page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
        name = still.page.locator("#name").bounding_box()
        time = still.page.locator("#time").bounding_box()
        assert name["width"] > 60 and name["height"] > 10 and name["x"] >= 0 and name["x"] + name["width"] <= width
        apart = name["y"] + name["height"] <= time["y"] + 1 or name["x"] + name["width"] <= time["x"] + 1
        assert apart
        assert still.page.locator("#name").inner_text() == "cart with an arm"
        middle = [name["x"] + 0.5 * name["width"], name["y"] + 0.5 * name["height"]]
        assert still.do("(at) => document.elementFromPoint(...at).id", middle) == "name"  # neither clipped nor covered


def test_on_a_phone_a_replay_gives_its_window_to_the_view_and_its_plots_unfold(open_still: Open) -> None:
    """Without a panel and without anything that happened there is nothing to stand below the view."""
    still = open_still(cart(), ({"hinge.angle": 0.1}, {}), ["hinge.angle"], size=SIZES[0])
    still.do("() => document.body.classList.remove('bare')")
    still.page.wait_for_function("() => document.getElementById('fold-plots').ariaExpanded === 'false'")
    assert still.page.locator("#stage").bounding_box()["height"] > 0.65 * SIZES[0][1]
    assert not still.page.locator("#plot").is_visible()
    still.page.locator("#fold-plots").click()
    still.page.locator("#picker").select_option("hinge.angle")
    assert still.page.locator("#plot canvas").bounding_box()["height"] > 80
    assert still.do("() => document.documentElement.scrollWidth <= innerWidth")
