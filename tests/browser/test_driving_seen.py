"""What an operator sees while he drives: ropes off a drum, cameras outside their machines, a home that comes along, and
labels that leave pictures in the picture alone."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from stills import EVERY, PRESS, PROJECT, SEEK, Still

import sharnir as sh
from sharnir.view.robots import ROBOTS

Open = Callable[..., Still]


def test_a_rope_that_comes_off_a_drum_is_drawn_from_there_on(open_still: Open) -> None:
    """What is wound lies in one place, so that the rope has no direction there."""
    scene = sh.Scene("winch")
    drum = scene.body("drum", sh.Sphere(0.1, mass=5.0))
    hinge = scene.joint("hinge", sh.Revolute(axis=(0, 1, 0)), scene.world, drum)
    winch = sh.Winch(joint=hinge, radius=0.1, stored=1.0)
    path, eyelets = [(0, 0, 0), (1, 0, 0), (1, 0, -1)], (sh.Eyelet(body="world", at=1.0),)
    rope = scene.rope("line", path, elements=20, radius=0.002, density=1000.0, winch=winch, eyelets=eyelets)
    still = open_still(scene)
    still.look((0.5, -3.0, -0.5), (0.5, 0.0, -0.5))
    picture = still.shot()
    still.do("() => (sharnir.view.ropes.ropes[0].mesh.material.visible = false)")
    without = still.shot()
    wound = sum(np.allclose(node, rope.nodes[0]) for node in rope.nodes)
    assert wound > 5
    for place in ((0.5, 0.0, 0.0), (1.0, 0.0, -0.5)):
        x, y = still.do(PROJECT, list(place))
        near = np.s_[round(y) - 3 : round(y) + 4, round(x) - 3 : round(x) + 4]
        assert np.abs(picture[near] - without[near]).max() > 15


@pytest.mark.parametrize("robot", ["krt100", "mf4", "rover", "car"])
def test_cameras_are_outside_the_bodies_that_carry_them(open_still: Open, robot: str) -> None:
    """The body that carries a camera takes less than a third of what it sees."""
    still = open_still(ROBOTS[robot]().scene, size=(160, 90))
    seen = still.do(
        """() => {
            const { view, world } = sharnir;
            return Object.fromEntries(world.cameras.map(({ name, body }) => {
                const pixels = view.sense(name, 32, 20).filter((_, i) => i % 2 === 1);
                return [name, pixels.filter((shown) => shown === body + 1).length / pixels.length];
            }));
        }"""
    )
    assert len(seen) >= 2 and max(seen.values()) < 1 / 3, seen


def test_home_is_where_the_machine_has_gone(open_still: Open) -> None:
    """As at the start, moved and turned with what is followed."""
    robot = ROBOTS["krt100"]()
    chassis = next(name for name in robot.scene.bodies if name.endswith("chassis"))
    still = open_still(robot.scene, ({}, {chassis: (5.0, 3.0, 0.4)}), size=(160, 90))
    at_home = """() => {
        const { view } = sharnir;
        view.camera("orbit");
        view.cameras.home();
        return [view.cameras.camera.position.toArray(), view.cameras.controls.target.toArray()];
    }"""
    still.shot(0.0)
    start = robot.scene.bodies[chassis].pose.position
    first = np.array(still.do(at_home)) - start
    still.shot(0.1)
    np.testing.assert_allclose(np.array(still.do(at_home)) - (5.0, 3.0, 0.4), first, atol=1e-3)
    still.do(
        """([i, turn]) => {
            const { matrix } = sharnir.view.bodies;
            matrix[i] = matrix[i].clone().multiply(matrix[i].clone().makeRotationZ(turn));
        }""",
        [list(robot.scene.bodies).index(chassis), 0.5 * math.pi],
    )
    turned = np.column_stack([-first[:, 1], first[:, 0], first[:, 2]])
    np.testing.assert_allclose(np.array(still.do(at_home)) - (5.0, 3.0, 0.4), turned, atol=1e-3)


def test_labels_leave_pictures_in_the_picture_alone_and_four_of_these_stand_in_a_row(open_still: Open) -> None:
    still = open_still(ROBOTS["krt100"]().scene, size=(932, 426))
    seen = """() => {
        sharnir.view.render();
        const boxes = (selector) => [...document.querySelectorAll(selector)].filter((each) => !each.hidden)
            .map((each) => each.getBoundingClientRect());
        const [labels, pictures] = [boxes(".view-label"), boxes(".picture")];
        const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        return [labels.length, labels.filter((label) => pictures.some((one) => over(label, one))).length,
            new Set(pictures.map(({ top }) => top)).size, pictures.length];
    }"""
    still.do("() => { sharnir.view.showLabels(true); sharnir.view.camera('Seat'); sharnir.view.camera('orbit') }")
    alone = still.do(seen)
    still.do(
        """() => {
            const { pictures } = sharnir.view;
            for (const name of [...pictures.offers.keys()].slice(0, 4)) pictures.toggle(name);
        }"""
    )
    labels, covered, rows, pictures = still.do(seen)
    assert alone[0] > labels >= 1 and covered == 0
    assert (rows, pictures) == (1, 4)


@pytest.mark.parametrize(
    ("look", "light", "way"), [("asphalt", "day", 1), ("asphalt", "night", -1), ("grass", "day", -1)]
)
def test_marks_are_darker_than_the_ground_they_lie_on(open_still: Open, look: str, light: str, way: int) -> None:
    """Whichever way the wheel rolls."""
    scene = sh.Scene("wheel")
    scene.sky = sh.Sky(light=light)
    scene.ground(look=look)
    upright = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    scene.body("wheel", sh.Wheel(0.3, 0.3, mass=1.0, rotation=upright), position=(0.0, 0.0, 0.3))
    still = open_still(scene, tuple({"wheel": (way * (0.1 * k - 1.0), 0.0, 0.3)} for k in range(21)))
    still.look((0.2, -1.5, 2.5), (0.0, 0.0, 0.0))
    bare = still.shot(2.0)
    still.do("() => sharnir.view.showMarks(true)")
    for k in range(21):
        marked = still.shot(0.1 * k)
    rolled, beside = (0.0, 0.0, 0.0), (0.0, -0.4, 0.0)
    assert still.around(marked, rolled).mean() < 0.9 * still.around(bare, rolled).mean()
    assert still.around(marked, beside) == pytest.approx(still.around(bare, beside), abs=2)


def test_nothing_of_a_rope_is_seen_before_it_is_known_where_it_is(open_still: Open) -> None:
    """Knots and eyelets are balls and rings of a metre when they are made."""
    scene = sh.Scene("tied")
    post = scene.body("post", sh.Box(0.1, 0.1, 0.9, mass=1.0), position=(1.0, 0.0, 0.45), fixed=True)
    rope = {"radius": 0.01, "density": 1000.0, "start": sh.Tie(body="world"), "end": sh.Tie(body=post)}
    path = [(0, 0, 0.6), (0.5, 0, 0.6), (1, 0, 0.5)]
    scene.rope("line", path, elements=10, eyelets=(sh.Eyelet(body="world", at=0.5),), **rope)
    still = open_still(scene)
    seen = """() => {
        const { view } = sharnir;
        const ends = ({ knots, eyelets }) => [...knots, ...eyelets];
        const parts = () => ends(view.ropes.ropes[0]).map(({ mesh }) => mesh.visible);
        view.renderer.setAnimationLoop(null);
        const frame = view.frame;
        view.reload(view.world, sharnir.world.layout);
        view.render();
        const before = parts();
        view.show(frame);
        view.render();
        return [before, parts()];
    }"""
    before, after = still.do(seen)
    assert before == [False] * 3 and after == [True] * 3


def test_the_whole_machine_is_seen_at_first_in_any_window_until_one_looks_elsewhere(open_still: Open) -> None:
    """With its trailer, also after the window has become narrow, and while it drives."""
    scene = ROBOTS["krt100"]().scene
    moved = {name: tuple(np.add(body.pose.position, (3.0, 0.0, 0.0))) for name, body in scene.bodies.items()}
    still = open_still(scene, ({}, moved), size=(480, 300))
    outside = """() => {
        const { view, world } = sharnir;
        const { camera } = view.cameras;
        const seen = (body, i) => {
            const at = camera.position.clone().set(...body.center).applyMatrix4(view.bodies.matrix[i]).project(camera);
            return Math.abs(at.x) < 0.95 && Math.abs(at.y) < 0.95;
        };
        return world.bodies.filter((body, i) => !body.fixed && !seen(body, i)).length;
    }"""
    offset = "() => sharnir.view.cameras.camera.position.clone().sub(sharnir.view.cameras.controls.target).toArray()"
    for size in ((480, 300), (195, 422)):
        still.page.set_viewport_size({"width": size[0], "height": size[1]})
        still.page.wait_for_function("(w) => sharnir.view.canvas.clientWidth === w", arg=size[0])
        for time in (0.0, 0.1):
            still.shot(time)
            still.page.wait_for_function(f"() => ({outside})() === 0", timeout=60_000)
    still.do("() => sharnir.view.cameras.camera.position.multiplyScalar(1.1)")
    still.shot(0.1)
    chosen = still.do(offset)
    still.page.set_viewport_size({"width": 480, "height": 300})
    still.page.wait_for_function("() => sharnir.view.canvas.clientWidth === 480")
    still.shot(0.1)
    np.testing.assert_allclose(still.do(offset), chosen, atol=1e-3)


def uneven(surface: str) -> sh.Scene:
    """A field of random heights, or a mesh of the same, turned, with a roof over a part of it."""
    rng = np.random.default_rng(5)
    heights = rng.uniform(0.0, 0.8, (9, 7))
    scene = sh.Scene("uneven")
    turned = (0.0, 0.0, math.sin(0.2), math.cos(0.2))
    if surface == "field":
        scene.terrain("field", sh.HeightField(heights=heights, spacing=(0.5, 0.4)), rotation=turned)
    else:
        places = [(0.5 * (i - 4), 0.4 * (k - 3), heights[i, k]) for i in range(9) for k in range(7)]
        squares = [(7 * i + k, 7 * i + k + 7, 7 * i + k + 8, 7 * i + k + 1) for i in range(8) for k in range(6)]
        faces = [face for a, b, c, d in squares for face in ((a, b, c), (a, c, d))]
        roof = len(places)
        places += [(x, y, z) for z in (5.0, 5.1) for x, y in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))]
        lower, upper = ((0, 2, 1), (0, 3, 2)), ((4, 5, 6), (4, 6, 7))
        faces += [(roof + a, roof + b, roof + c) for a, b, c in lower + upper]
        scene.terrain("mesh", sh.Mesh(vertices=places, triangles=faces), rotation=turned)
    scene.body("ball", sh.Sphere(0.1, mass=1.0), position=(0.0, 0.0, 1.2))
    return scene


@pytest.mark.parametrize("surface", ["field", "mesh"])
def test_the_ground_is_as_high_for_the_view_as_for_the_engine(open_still: Open, surface: str) -> None:
    """On the triangles that the physics has: marks lie on it, and the orbit stays above it."""
    scene = uneven(surface)
    places = np.random.default_rng(6).uniform(-1.0, 1.0, (60, 2))
    simulation = sh.Simulation(scene, dt=0.001)
    down = np.tile((0.0, 0.0, -1.0), (60, 1))
    hits = simulation.ray(np.column_stack([places, np.full(60, 1.0)]), down)
    still = open_still(scene, size=(160, 90))
    high = still.do("(places) => places.map(([x, y]) => sharnir.view.ground.height(x, y, 1.0))", places.tolist())
    expected = 1.0 - hits.distance
    free = np.array([body == "world" for body in hits.body])  # the ball lies over some of it
    assert free.sum() > 50
    np.testing.assert_allclose(np.array(high)[free], expected[free], atol=2e-4)
    assert still.do("() => Number.isFinite(sharnir.view.ground.height(90, 0))") is False


@pytest.mark.parametrize("surface", ["field", "mesh"])
def test_the_orbit_stays_above_hills(open_still: Open, surface: str) -> None:
    scene = uneven(surface)
    simulation = sh.Simulation(scene, dt=0.001)
    still = open_still(scene, size=(160, 90))
    eye = """([x, y]) => {
        const { view } = sharnir;
        view.camera("orbit");
        view.cameras.controls.target.set(0, 0, 0.1);
        view.cameras.camera.position.set(x, y, 0.101);
        view.cameras.controls.update();
        view.cameras.update(view.bodies, view.ropes);
        return view.cameras.camera.position.toArray();
    }"""
    places = np.random.default_rng(7).uniform(-0.9, 0.9, (20, 2))
    eyes = np.array([still.do(eye, place.tolist()) for place in places])
    above = simulation.ray(np.column_stack([eyes[:, :2], np.full(20, 2.0)]), np.tile((0.0, 0.0, -1.0), (20, 1)))
    free = np.array([body == "world" for body in above.body])  # the ball lies over some of it
    assert free.sum() > 15 and (eyes[:, 2] > 2.0 - above.distance)[free].all()
    assert eyes[:, 2].max() < 2.0  # not on the roof


def test_colours_of_tension_come_and_go_while_nothing_moves(open_still: Open) -> None:
    """They are drawn at once; a tension that changes redraws what stands still only where it is seen."""
    scene = sh.Scene("rope")
    tie = sh.Tie(body="world")
    scene.rope("line", path=((0, 0, 1), (2, 0, 1)), radius=0.05, density=1000.0, start=tie, end=tie, elements=10)
    tight = [{"line tension": tension} for tension in (1.0, 1.0, 1.0, 1.0, 1.5e6, 3e6)]
    still = open_still(scene, tight)
    still.look((1.0, -1.5, 1.0), (1.0, 0.0, 1.0))
    still.shot(0.0)
    still.do("() => { sharnir.view.renderer.setAnimationLoop(null); sharnir.view.quality.fixed = true }")
    after = """(t) => {
        const { view } = sharnir;
        view.drawn += 5; // it is no longer new
        const before = view.drawn;
        view.drawnAt = view.took = 0;
        view.measuring = false;
        sharnir.seek(t);
        view.draw();
        return view.drawn - before;
    }"""
    still.do(after, 0.3)  # as the camera has moved
    assert [still.do(after, t) for t in (0.2, 0.4)] == [0, 0]
    still.do(PRESS, "Tension")
    assert still.do(after, 0.4) == 1
    colour = still.around(still.shot(0.4), (1.0, 0.0, 1.0))
    assert colour[0] > colour[2] + 40  # red
    assert [still.do(after, t) for t in (0.4, 0.5, 0.1)] == [0, 0, 1]
    colour = still.around(still.shot(0.1), (1.0, 0.0, 1.0))
    assert colour[2] > colour[0] + 40  # blue


def test_the_words_of_a_measure_are_not_seen_where_it_is_behind_the_camera(open_still: Open) -> None:
    scene = sh.Scene("measure")
    scene.ground(look="concrete")
    still = open_still(scene)
    hidden = """(eye) => {
        const { view } = sharnir;
        view.measure.on = true;
        view.measure.points = [0, 1].map((x) => ({ body: -1, at: view.cameras.camera.position.clone().set(x, 0, 0) }));
        view.cameras.camera.position.set(...eye);
        view.cameras.camera.lookAt(0, 9, 0);
        view.cameras.camera.updateMatrixWorld();
        view.measure.show(view.cameras.camera);
        return view.measure.label.hidden;
    }"""
    assert still.do(hidden, [0.5, -3.0, 1.0]) is False
    assert still.do(hidden, [0.5, 3.0, 1.0]) is True


def test_all_that_light_falls_on_is_physically_based_with_a_graphics_card(open_still: Open) -> None:
    """Bodies, springs, ropes with knots and rings, and ground of every look."""
    scene = uneven("field")
    drum = scene.body("drum", sh.Wheel(0.2, 0.1, mass=1.0), position=(0.0, 0.0, 2.0))
    strut = sh.Strut(anchor_a=(0, 0, 0), anchor_b=(0, 0, 2.0))
    scene.joint("strut", strut, scene.world, drum, spring=sh.Spring(10.0, 1.0))
    eyes, tie = (sh.Eyelet(body="world", at=1.0),), sh.Tie(body="world")
    scene.rope("line", path=((0, 0, 3), (2, 0, 3)), radius=0.01, density=1000.0, start=tie, eyelets=eyes)
    still = open_still(scene, quality="&fine", size=(160, 90))
    materials = """() => {
        const { scene, ground } = sharnir.view;
        const kinds = () => {
            const found = [];
            scene.traverse(({ isMesh, material }) => isMesh && found.push(material));
            const lit = ({ isShaderMaterial: sky, isMeshBasicMaterial: lines }) => !sky && !lines;
            return found.filter(lit).map(({ type }) => type);
        };
        return ["grid", "grass", "gravel", "sand", "asphalt", "concrete"].flatMap((look) => {
            ground.setLook(look);
            return kinds();
        });
    }"""
    assert set(still.do(materials)) == {"MeshStandardMaterial"}
    assert still.do("() => sharnir.view.scene.environment !== null")


def test_fog_hides_what_is_far_and_leaves_what_is_near(open_still: Open) -> None:
    scene = sh.Scene("fog")
    scene.sky = sh.Sky(fog=30.0)
    scene.ground(look="concrete")
    posts = {"near": (4.0, 0.6), "far": (40.0, -4.0)}
    for name, (x, y) in posts.items():
        scene.body(name, sh.Box(0.05 * x, 0.05 * x, 4.0, mass=1.0, color="#a02020"), position=(x, y, 2.0), fixed=True)
    scene.body("cart", sh.Box(0.4, 0.4, 0.2, mass=1.0), position=(0.0, 0.0, 0.1))
    still = open_still(scene)
    still.look((-1.0, 0.0, 1.0), (4.0, 0.0, 1.0))

    def reds() -> dict[str, float]:
        picture = still.shot()
        colors = {name: still.around(picture, (x, y, 1.2)) for name, (x, y) in posts.items()}
        return {name: float(color[0] - color[2]) for name, color in colors.items()}

    foggy = reds()
    still.do("() => sharnir.view.fog(false)")
    clear = reds()
    assert clear["far"] > 30 and foggy["far"] < 0.1 * clear["far"]
    assert foggy["near"] > 0.6 * clear["near"]


def test_the_view_from_above_shows_the_path_and_no_other_does(open_still: Open) -> None:
    scene = sh.Scene("path")
    scene.ground(look="concrete")
    scene.body("cart", sh.Box(0.4, 0.4, 0.2, mass=1.0), position=(0.0, 0.0, 0.1))
    still = open_still(scene, [{"cart": (0.2 * k, 0.0, 0.1)} for k in range(9)])

    def marked() -> float:
        """Whether the path's colour is where the cart was, and only there."""
        for k in range(9):
            still.do(SEEK, k * EVERY)
        picture = still.shot(8 * EVERY)
        was, beside = ((still.around(picture, (0.6, y, 0.105), 1)) for y in (0.0, 0.15))
        return float((was[0] - was[2]) - (beside[0] - beside[2]))

    still.look((0.6, -3.0, 3.0), (0.6, 0.0, 0.0))
    assert abs(marked()) < 10
    still.do("() => sharnir.view.camera('From above')")
    assert marked() > 60
