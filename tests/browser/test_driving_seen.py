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
    still.do("() => [...sharnir.view.pictures.offers.keys()].slice(0, 4).forEach((name) => sharnir.view.pictures.toggle(name))")
    labels, covered, rows, pictures = still.do(seen)
    assert alone[0] > labels >= 1 and covered == 0
    assert (rows, pictures) == (1, 4)
