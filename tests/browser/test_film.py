"""A camera's own way through a video: through the places that are given, and around a machine that drives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from stills import EVERY, Still

import sharnir as sh
from sharnir.view.pictures import SHOW

Open = Callable[..., Still]
WAY = [[0.0, 4.0, 0.0, 1.0, 0.0, 0.0, 0.5], [1.0, 0.0, -4.0, 3.0, 0.0, 0.0, 0.5], [2.0, -4.0, 0.0, 1.0, 1.0, 0.0, 0.5]]
AT = """(time) => {
    sharnir.seek(time);
    sharnir.filmed.show(time);
    sharnir.view.render();
    const { camera, controls } = sharnir.view.cameras;
    return [...camera.position.toArray(), ...controls.target.toArray()];
}"""


def box_on_the_ground() -> sh.Scene:
    scene = sh.Scene("film")
    scene.ground(look="concrete")
    scene.body("box", sh.Box(0.6, 0.4, 0.3, mass=1.0), position=(0.0, 0.0, 0.15))
    return scene


def test_it_passes_the_places_that_are_given(open_still: Open) -> None:
    still = open_still(box_on_the_ground(), [{}] * 21)
    still.do("(rows) => { sharnir.film(rows) }", WAY)
    for time, *place in WAY:
        assert still.do(AT, time) == pytest.approx(place, abs=1e-6)
    between = np.array([still.do(AT, 0.02 * k) for k in range(101)])
    steps = np.linalg.norm(np.diff(between, axis=0), axis=1)
    assert steps.max() < 3 * steps[20:80].min() + 0.01  # it neither stops nor jumps on its way


def test_the_picture_goes_with_the_camera_where_nothing_else_moves(open_still: Open) -> None:
    still = open_still(box_on_the_ground(), quality="&fine")
    still.do("(rows) => { sharnir.film(rows) }", WAY)
    shots = []
    for time in (0.0, 1.0):
        still.do(SHOW, time)
        shots.append(still.page.screenshot())
    assert shots[0] != shots[1]


def test_it_goes_around_a_machine_that_shakes_and_is_not_shaken(open_still: Open) -> None:
    rng = np.random.default_rng(3)
    count = 61
    shaken = [{"box": (0.1 * k, 0.0, 0.15 + 0.05 * rng.uniform(-1.0, 1.0))} for k in range(count)]
    still = open_still(box_on_the_ground(), shaken)
    still.do("() => { sharnir.film(null) }")
    radius = still.do("() => sharnir.view.world.focus.radius")
    seen = np.array([still.do(AT, EVERY * k) for k in range(count)])
    eyes, targets = seen[:, :3], seen[:, 3:]
    assert eyes[:, 2].min() > 0.0
    far = np.linalg.norm(eyes - targets, axis=1)
    assert far.min() > 1.5 * radius and far.max() < 6 * radius
    turned = np.unwrap(np.arctan2(*(eyes - targets)[:, [1, 0]].T))
    assert np.ptp(turned) > 2.0  # rad
    machine = np.array([change["box"] for change in shaken])
    inner = slice(10, -10)
    assert np.abs(targets[inner, 0] - machine[inner, 0]).max() < 0.15  # it keeps up with it
    assert np.std(np.diff(targets[inner, 2])) < 0.2 * np.std(np.diff(machine[inner, 2]))  # without its bumps
