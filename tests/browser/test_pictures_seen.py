"""What pictures show, by features that any renderer has: where shadows fall, how long springs are, what lines show.

Compared are colours about places of the scene, not bytes, so that they hold on another machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from stills import EVERY, PROJECT, Still

import sharnir as sh
from sharnir.spatial import Array

SUN = sh.Sky(azimuth=-2.2, elevation=0.9)
GREY = "#9a9a9a"
Open = Callable[..., Still]


def sun_ray() -> Array:
    a, e = SUN.azimuth, SUN.elevation
    return -np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])


def brightness(color: Array) -> float:
    return float(color.mean())


# --- shadows ----------------------------------------------------------------------------------------------------------

SLOPE = 0.35


def sloped(surface: str) -> sh.Scene:
    """A ball above a slope that rises with x: a height field or a mesh."""
    scene = sh.Scene("slope")
    scene.sky = SUN
    if surface == "field":
        heights = tuple(tuple(SLOPE * (0.25 * i - 3.0) for _ in range(25)) for i in range(25))
        scene.terrain("slope", sh.HeightField(heights=heights, spacing=(0.25, 0.25)), color=GREY)
    else:
        corners = [(x, y, SLOPE * x) for x in (-3.0, 3.0) for y in (-3.0, 3.0)]
        scene.terrain("slope", sh.Mesh(vertices=corners, triangles=((0, 2, 3), (0, 3, 1))), color=GREY)
    scene.body("ball", sh.Sphere(0.3, mass=1.0), position=(0.0, 0.0, 1.2))
    return scene


@pytest.mark.parametrize("surface", ["field", "mesh"])
@pytest.mark.parametrize("quality", ["", "&fine"])
def test_a_shadow_falls_on_a_slope_where_the_sun_puts_it(open_still: Open, surface: str, quality: str) -> None:
    """The ray of the sun through the ball meets the slope z = s x; all else of the slope is lit evenly."""
    still = open_still(sloped(surface), quality=quality)
    still.do("() => sharnir.view.overlay('contacts', false)")
    still.look((3.2, -2.2, 4.5), (0.3, 0.4, 0.2))
    picture = still.shot()
    start, ray = np.array([0.0, 0.0, 1.2]), sun_ray()
    along = (SLOPE * start[0] - start[2]) / (ray[2] - SLOPE * ray[0])
    shadow = start + along * ray
    lit = [brightness(still.around(picture, (x, y, SLOPE * x), 3)) for x, y in ((-0.9, 0.9), (0.9, -0.9), (-0.9, -0.9))]
    dark = brightness(still.around(picture, shadow))
    assert dark < 0.75 * min(lit)  # there is one
    assert max(lit) < 1.45 * min(lit)  # no patches: the texture alone makes 1.3, a shadow 2.4
    side = np.array([ray[1], -ray[0], 0.0]) / math.hypot(ray[0], ray[1])
    for way in (0.55, -0.55):  # and none beside it
        beside = shadow + way * side
        assert brightness(still.around(picture, (beside[0], beside[1], SLOPE * beside[0]))) > 0.85 * min(lit)


def test_a_hill_throws_its_shadow_behind_it(open_still: Open) -> None:
    scene = sh.Scene("hill")
    scene.sky = sh.Sky(azimuth=math.pi, elevation=0.35)  # from -x, low
    side = np.linspace(-6.0, 6.0, 61)
    heights = tuple(tuple(1.5 * math.exp(-(x * x + y * y)) for y in side) for x in side)
    scene.terrain("hill", sh.HeightField(heights=heights, spacing=(0.2, 0.2)), color=GREY)
    scene.body("ball", sh.Sphere(0.05, mass=1.0), position=(0.0, 0.0, 1.6))
    still = open_still(scene)
    still.look((0.5, -6.0, 9.0), (0.5, 0.0, 0.0))
    picture = still.shot()
    behind, aside = (still.around(picture, (2.2, y, 0.01), 3) for y in (0.0, 3.0))
    assert brightness(behind) < 0.75 * brightness(aside)


def test_what_stands_far_beside_the_machine_has_its_shadow_too(open_still: Open) -> None:
    """Whole: from the machine to the rims of the first picture, and fading beyond instead of being cut off."""
    scene = sh.Scene("posts")
    scene.sky = SUN
    scene.ground(look="concrete")
    scene.body("cart", sh.Box(1.6, 0.8, 0.1, mass=10.0), position=(0.0, 0.0, 0.05))
    posts = [(x, y) for x in (-2.6, -1.6, 1.6) for y in (-1.3, 1.3, 3.2)]
    for x, y in posts:
        post = sh.Cylinder(0.06, 0.6, mass=1.0)
        scene.body(f"post {x:g} {y:g}".replace(".", "_"), post, position=(x, y, 0.3), fixed=True)
    still = open_still(scene, size=(640, 400))
    picture = still.shot()
    ray = sun_ray()
    seen = 0
    for x, y in posts:
        for high in (0.25, 0.5):  # m: the shadows of places of the post
            place = (x - high * ray[0] / ray[2], y - high * ray[1] / ray[2], 0.0)
            aside = (place[0] - 0.3 * ray[1], place[1] + 0.3 * ray[0], 0.0)
            spots = [still.do(PROJECT, spot) for spot in (place, aside)]
            if not all(20 < column < 620 and 20 < row < 380 for column, row in spots):
                continue
            seen += 1
            shadow, lit = (brightness(still.around(picture, spot, 1)) for spot in (place, aside))
            assert shadow < 0.8 * lit, (x, y, high)
    assert seen >= 8


def test_night_is_dark_but_for_what_lamps_shine_on(open_still: Open) -> None:
    scene = sh.Scene("lamp")
    scene.ground(look="concrete")
    turned = (0.0, math.sin(0.95), 0.0, math.cos(0.95))  # z towards x and down
    lamp = sh.Cylinder(0.05, 0.05, glow=1.0, color="#fff4d8", rotation=turned, position=(0.3, 0, 0), collides=False)
    scene.body("cart", sh.Box(0.5, 0.4, 0.3, mass=5.0), lamp, position=(0.0, 0.0, 0.6))
    still = open_still(scene)
    still.look((-2.0, -4.0, 3.0), (1.0, 0.0, 0.2))
    day = still.shot()
    still.do("() => sharnir.view.light('night')")
    night = still.shot()
    before, behind = (1.6, 0.0, 0.0), (-1.6, 0.0, 0.0)
    assert brightness(still.around(night, behind)) < 0.4 * brightness(still.around(day, behind))
    assert brightness(still.around(night, before)) > 2.0 * brightness(still.around(night, behind))


def test_every_machine_has_its_lamps_at_night(open_still: Open) -> None:
    scene = sh.Scene("column")
    scene.ground(look="concrete")
    turned = (0.0, math.sin(0.95), 0.0, math.cos(0.95))  # z towards x and down
    count = 6
    for i in range(count):
        lamps = [
            sh.Cylinder(0.05, 0.05, glow=1.0, rotation=turned, position=(0.3, y, 0), collides=False)
            for y in (-0.1, 0.1)
        ]
        scene.body(f"cart {i}", sh.Box(0.5, 0.4, 0.3, mass=5.0), *lamps, position=(0.0, 4.0 * i, 0.6))
    still = open_still(scene)
    still.look((-14.0, 10.0, 22.0), (1.0, 10.0, 0.0))
    still.do("() => sharnir.view.light('night')")
    night = still.shot()
    for i in range(count):
        before, behind = ((x, 4.0 * i, 0.0) for x in (1.6, -1.6))
        assert brightness(still.around(night, before)) > 2.0 * brightness(still.around(night, behind)), i


def test_stars_are_points(open_still: Open) -> None:
    from scipy.ndimage import label, median_filter

    scene = sh.Scene("stars")
    scene.sky = sh.Sky(light="night")
    scene.ground(look="concrete")
    scene.body("box", sh.Box(0.4, 0.4, 0.4, mass=1.0), position=(0.0, 0.0, 0.2))
    still = open_still(scene)
    still.look((0.0, 0.0, 1.0), (1.0, 0.0, 1.7))
    sky = still.shot()[:160].mean(axis=2)
    stars, count = label(sky > median_filter(sky, 11) + 25.0)
    assert count > 10
    assert np.bincount(stars.ravel())[1:].max() <= 9  # pixels


@pytest.mark.parametrize("light", ["day", "night", "studio"])
def test_the_grid_is_seen_where_there_is_no_ground(open_still: Open, light: str) -> None:
    scene = sh.Scene("grid")
    scene.sky = sh.Sky(light=light)
    scene.body("box", sh.Box(0.8, 0.4, 0.4, mass=1.0), position=(0.0, 0.0, 0.2))
    still = open_still(scene)
    still.look((0.5, -2.0, 1.5), (0.5, -0.6, 0.0))
    picture = still.shot()
    beside = brightness(still.around(picture, (0.5, -0.5, 0.0)))
    x, y = (round(c) for c in still.do(PROJECT, (1.0, -0.5, 0.0)))
    across = picture[y, x - 3 : x + 4].mean(axis=1)
    assert np.abs(across - beside).max() > 0.08 * beside


# --- what moves -------------------------------------------------------------------------------------------------------


def redness(color: Array) -> float:
    return float(color[0] - 0.5 * (color[1] + color[2]))


def test_a_coil_is_as_long_as_its_anchors_are_apart(open_still: Open) -> None:
    scene = sh.Scene("coil")
    load = scene.body("load", sh.Box(0.3, 0.3, 0.1, mass=1.0), position=(0.0, 0.0, 1.05))
    strut = sh.Strut(anchor_a=(0, 0, 0), anchor_b=(0, 0, 1.0))
    scene.joint("coil", strut, scene.world, load, spring=sh.Spring(100.0, 5.0))
    still = open_still(scene, ({}, {"load": (0.0, 0.0, 0.65)}))
    still.look((0.0, -3.0, 0.5), (0.0, 0.0, 0.5))
    for time, length in ((0.0, 1.0), (EVERY, 0.6)):
        picture = still.shot(time)
        top, foot = (still.do(PROJECT, [0.0, 0.0, z])[1] for z in (length, 0.0))
        middle = picture.shape[1] // 2
        strip = picture[:, middle - 40 : middle + 40]
        red = strip[..., 0] - 0.5 * (strip[..., 1] + strip[..., 2]) > 40
        rows = np.flatnonzero(red.any(axis=1))
        assert rows.min() == pytest.approx(top, abs=6) and rows.max() == pytest.approx(foot, abs=6)


def test_torsion_bars_run_to_the_middle_of_the_machine_that_holds_them_and_twist(open_still: Open) -> None:
    from sharnir.view.robots import ROBOTS

    scene = ROBOTS["rover"]().scene
    hinges = [name for name in scene.joints if name.endswith("pivot")]
    channels = [f"{name}.angle" for name in hinges]
    still = open_still(scene, ({}, dict.fromkeys(channels, 0.3)), channels)
    bars = """() => sharnir.view.springs.bars.map(({ mesh }) => {
        const places = mesh.geometry.getAttribute("position");
        const place = sharnir.view.cameras.camera.position.clone();
        const seen = (i) => place.fromBufferAttribute(places, i).applyMatrix4(mesh.matrix).toArray();
        const ring = [0, 1, 2, 3, 4, 5];
        const end = ring.map((k) => seen(places.count - 6 + k));
        return [ring.map(seen), end, [...mesh.geometry.index.array.slice(0, 3)].map(seen)];
    })"""
    still.shot()
    before = still.do(bars)
    still.shot(EVERY)
    assert len(before) == len(hinges) == 6
    for (start, end, face), (turned, held, _) in zip(before, still.do(bars), strict=True):
        near, far = np.mean(start, axis=0), np.mean(end, axis=0)
        assert abs(near[1]) > 0.3 and abs(far[1]) < 0.02  # m, from the middle
        a, b, c = np.array(face)
        outwards = np.mean(face, axis=0) - near
        assert np.cross(b - a, c - a) @ (outwards - [0.0, outwards[1], 0.0]) > 0.0
        moved = [np.linalg.norm(np.subtract(x, y), axis=1).max() for x, y in ((start, turned), (end, held))]
        assert min(moved) < 1e-6 < 1e-3 < max(moved)


def test_a_rope_has_strands_knots_and_an_eyelet(open_still: Open) -> None:
    scene = sh.Scene("rope")
    post = scene.body("post", sh.Box(0.02, 0.02, 0.02, mass=1.0), position=(1.0, 0.3, 1.0), fixed=True)
    rope: dict[str, Any] = {"radius": 0.03, "density": 1000.0, "bending": 0.0, "twisting": 0.0, "elements": 40}
    start = sh.Tie(body="world")
    scene.rope("line", path=((0, 0, 1), (2, 0, 1)), start=start, eyelets=(sh.Eyelet(body=post, at=1.0),), **rope)
    still = open_still(scene)
    still.look((0.5, -0.9, 1.0), (0.5, 0.0, 1.0))
    picture = still.shot()
    along = np.array([brightness(still.around(picture, (x, 0.0, 1.0), 0)) for x in np.linspace(0.2, 0.8, 120)])
    stripes = np.flatnonzero(np.diff(np.sign(along - along.mean())))
    assert len(stripes) >= 8  # light and dark in turn: the strands
    knot = still.around(picture, (0.0, 0.0, 1.045))  # thicker than the rope there
    empty = still.around(picture, (0.3, 0.0, 1.055))
    assert abs(brightness(knot) - brightness(empty)) > 10
    ring = still.around(picture, (1.0, 0.0, 1.096))
    assert abs(brightness(ring) - brightness(still.around(picture, (0.7, 0.0, 1.096)))) > 10


def test_the_links_of_a_belt_are_seen_to_run(open_still: Open) -> None:
    from sharnir.view.robots import ROBOTS

    scene = ROBOTS["mf4"]().scene
    sprocket = "mf4_right_sprocket_hinge.angle"
    pitch = 0.4  # rad, about one link; links are dark and light in turn
    still = open_still(scene, ({}, {sprocket: pitch}, {sprocket: 2 * pitch}), [sprocket])
    still.look((0.0, -1.8, 0.5), (0.0, -0.3, 0.12))
    still.do("() => sharnir.view.overlay('contacts', false)")
    shots = [still.shot(k * EVERY) for k in range(3)]
    places = [(x, -0.352, 0.235) for x in np.linspace(-0.3, 0.3, 60)]
    rows = [np.array([brightness(still.around(shot, place, 0)) for place in places]) for shot in shots]
    assert np.abs(rows[0] - rows[1]).mean() > 3.0  # it has run on


# --- lines and pictures -----------------------------------------------------------------------------------------------


def test_lines_show_contacts_support_and_slip(open_still: Open) -> None:
    scene = sh.Scene("lines")
    scene.ground(look="concrete")
    scene.body("cart", sh.Box(0.8, 0.6, 0.2, mass=10.0), position=(0.0, 0.0, 0.5))
    corners = [(x, y, 0.0) for x in (-0.45, 0.45) for y in (-0.35, 0.35)]
    still = open_still(scene, ({"contacts": [(*corner, 0.0, 0.0, 24.5) for corner in corners]},))
    still.look((0.3, -1.8, 1.5), (0.0, 0.0, 0.0))
    still.do("() => sharnir.view.overlay('contacts', false)")
    bare = still.shot()
    edge = (0.0, -0.35, 0.0)
    for name, place, channel in (("support", edge, 1), ("contacts", (0.45, -0.35, 0.03), 0)):
        still.do("(name) => sharnir.view.overlay(name, true)", name)
        drawn = still.shot()
        before, after = still.around(bare, place, 1), still.around(drawn, place, 1)
        others = [k for k in range(3) if k != channel]
        gain = (after - before)[channel] - (after - before)[others].mean()
        assert gain > 15, name  # green for the polygon that holds it, red for forces
        still.do("(name) => sharnir.view.overlay(name, false)", name)


def test_a_support_polygon_tells_how_far_the_mass_is_within_it(open_still: Open) -> None:
    scene = sh.Scene("bare")
    scene.body("ball", sh.Sphere(0.1, mass=1.0))
    still = open_still(scene)
    hull, inside, outside = still.do(
        """async () => {
            const { hullOf, within } = await import("sharnir/standing");
            const hull = hullOf([[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [1, 0.5, 0], [1, 0, 0]]);
            return [hull, within(hull, [1, 0.25]), within(hull, [1, -0.5])];
        }"""
    )
    assert sorted(corner[:2] for corner in hull) == [[0, 0], [0, 1], [2, 0], [2, 1]]
    assert (inside, outside) == (pytest.approx(0.25), pytest.approx(-0.5))


SLIPPING = """() => {
    const { view } = sharnir;
    const { overlays } = view;
    for (const name in overlays.shown) view.overlay(name, false);
    view.overlay("slip", true);
    view.render();
    const place = (i) => [0, 1, 2].map((k) => overlays.position.array[3 * i + k]);
    return overlays.count === 0 ? null : [place(0), place(1), overlays.size]; // the arrow's shaft is its first line
}"""


@pytest.mark.parametrize(
    ("velocity", "spin", "contacts", "slip"),
    [
        ((2.0, 0.0), 10.0, [(0.0, 0.0, 0.0, 0.0, 0.0, 9.8)], None),  # it rolls
        ((0.4, 0.0), 0.0, [(0.0, 0.0, 0.0, 0.0, 0.0, 9.8)], (0.4, 0.0, 0.0)),  # locked
        ((0.0, 0.3), 0.0, [(0.0, 0.0, 0.0, 0.0, 0.0, 9.8)], (0.0, 0.3, 0.0)),  # drifts
        ((0.0, 0.0), 3.0, [(0.2, 0.0, 0.2, -9.8, 0.0, 0.0)], (0.0, 0.0, -0.6)),  # turns at a wall, which is before it
        ((0.0, 0.0), 3.0, [], (-0.6, 0.0, 0.0)),  # where no contacts are recorded, by the ground below it
        ((0.0, 0.0), 3.0, [(9.0, 0.0, 0.0, 0.0, 0.0, 9.8)], None),  # in the air: what touches is something else
    ],
)
def test_the_slip_of_a_wheel_is_that_of_where_it_touches(
    open_still: Open, velocity: Any, spin: float, contacts: Any, slip: Any
) -> None:
    scene = sh.Scene("wheel")
    scene.ground(look="concrete")
    upright = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    scene.body("wheel", sh.Wheel(0.2, 0.1, mass=1.0, rotation=upright), position=(0.0, 0.0, 0.2))
    moving = {"velocities": {"wheel": (*velocity, 0.0, 0.0, spin, 0.0)}}
    arrow = open_still(scene, (moving | {"contacts": contacts},)).do(SLIPPING)
    if slip is None:
        assert arrow is None
        return
    touched = contacts[0][:3] if contacts else (0.0, 0.0, 0.0)
    start, end, size = np.array(arrow[0]), np.array(arrow[1]), arrow[2]
    assert start == pytest.approx(touched, abs=5e-5)  # places are rounded in the file
    assert (end - start) / (3 * size) == pytest.approx(slip, abs=1e-3)


def test_two_points_are_measured_and_a_ghost_is_seen(open_still: Open) -> None:
    scene = sh.Scene("measure")
    scene.ground(look="concrete")
    scene.body("box", sh.Box(0.4, 0.4, 0.4, mass=1.0, color="#803030"), position=(0.0, 0.0, 0.2))
    still = open_still(scene)
    still.look((0.0, -3.0, 2.0), (0.5, 0.0, 0.2))
    bare = still.shot()
    measured = still.do(
        """() => {
            const { view } = sharnir;
            view.measure.toggle(true);
            const box = view.canvas.getBoundingClientRect();
            for (const point of [[-0.15, -0.2, 0.1], [1.2, 0.0, 0.0]]) {
                const at = view.cameras.camera.position.clone().set(...point).project(view.cameras.camera);
                const [x, y] = [(0.5 + 0.5 * at.x) * box.width, (0.5 - 0.5 * at.y) * box.height];
                view.pick({ clientX: box.left + x, clientY: box.top + y });
            }
            return [view.measure.distance, view.measure.points.map(({ body }) => body)];
        }"""
    )
    assert measured[0] == pytest.approx(math.dist((-0.15, -0.2, 0.1), (1.2, 0.0, 0.0)), abs=0.02)
    assert measured[1] == [0, -1]
    still.do("() => sharnir.view.measure.toggle(false)")
    still.do(
        """() => sharnir.view.showGhost((time) => {
            const frame = sharnir.link.at(0);
            return { ...frame, poses: Float32Array.of(1, 0, 0.2, 0, 0, 0, 1) };
        })"""
    )
    ghostly = still.shot()
    place = (1.0, -0.2, 0.2)
    blue = (still.around(ghostly, place) - still.around(bare, place)) @ (-0.5, -0.5, 1.0)
    assert blue > 10
    still.do("() => sharnir.view.showGhost(null)")
    assert still.around(still.shot(), place) == pytest.approx(still.around(bare, place), abs=4)


def test_nothing_is_drawn_while_nothing_moves(open_still: Open) -> None:
    scene = sh.Scene("still")
    scene.ground()
    scene.body("box", sh.Box(0.4, 0.4, 0.4, mass=1.0), position=(0.0, 0.0, 0.2))
    still = open_still(scene, ({}, {}, {}, {}, {"box": (0.1, 0.0, 0.2)}))
    drawn = "() => sharnir.view.drawn"
    for k in range(4):
        still.shot(k * EVERY)
    still.do("() => { sharnir.view.renderer.setAnimationLoop(null); sharnir.view.quality.fixed = true }")
    before = still.do(drawn)
    show = """(t) => {
        const { view } = sharnir;
        view.stale = view.fresh = false;
        sharnir.seek(t);
        view.drawnAt = 0;
        view.draw();
    }"""
    still.do(show, 2 * EVERY)
    still.do(show, 3 * EVERY)
    assert still.do(drawn) == before
    still.do(show, 4 * EVERY)
    assert still.do(drawn) == before + 1


def test_quality_is_lowered_where_pictures_take_long_and_shown(open_still: Open) -> None:
    scene = sh.Scene("still")
    scene.body("box", sh.Box(0.4, 0.4, 0.4, mass=1.0))
    still = open_still(scene)
    shares = still.do(
        """() => {
            const { quality } = sharnir.view;
            sharnir.view.renderer.setAnimationLoop(null);
            Object.assign(quality, { step: 0, taken: [] });
            const after = (took) => {
                for (let i = 0; i < 6; i += 1) quality.measured(took, performance.now() + 1e4);
                return quality.share;
            };
            return [after(200), after(200), after(40), after(5), after(5), quality.element.textContent];
        }"""
    )
    assert shares[:5] == [0.8, 0.65, 0.65, 0.8, 1.0]
    assert "%" in shares[5]


def test_the_largest_robot_on_rough_ground_stays_within_what_is_drawn_at_most(open_still: Open) -> None:
    """At full quality, shadows among it: from its first view, and from so far that all of the ground is seen."""
    from sharnir.view.robots import ROBOTS

    still = open_still(ROBOTS["krt100_rough"]().scene, quality="&fine", size=(160, 90))
    drawn = """() => {
        const { info } = sharnir.view.renderer;
        info.autoReset = false; // it would forget what was drawn for shadows
        info.reset();
        sharnir.view.render();
        const { calls, triangles } = info.render;
        return [calls, triangles];
    }"""
    for eye in (None, (20.0, -20.0, 14.0)):
        if eye is not None:
            still.look(eye, (0.0, 0.0, 0.0))
        calls, triangles = still.do(drawn)
        assert calls <= 300 and triangles <= 400_000
