"""What an operator sees while he drives: ropes off a drum, cameras outside their machines, a home that comes along, and
labels that leave pictures in the picture alone."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from stills import PROJECT, Still

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
