"""Another run drawn through the one that is shown: in the file of a replay, and on a console that is driven."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from consoles import READY, WINDOW, Browser, Console
from stills import PRESS, Still, recording

import sharnir as sh
from sharnir.errors import SceneError
from sharnir.experiment import load_example
from sharnir.view.ghost import ghost_of

PLACE = (1.0, 0.0, 0.2)
GHOST_AT = """(t) => {
    sharnir.seek(t);
    const { ghost } = sharnir.view;
    sharnir.view.fresh = sharnir.view.stale = true;
    sharnir.view.render();
    const [{ elements }] = ghost.bodies.matrix;
    return ghost.bodies.group.visible ? [elements[12], elements[13], elements[14]] : null;
}"""


def scene_of(rope: bool = True) -> sh.Scene:
    scene = sh.Scene("ghost")
    scene.ground(look="concrete")
    scene.body("box", sh.Box(0.4, 0.4, 0.4, mass=1.0, color="#803030"), position=(0.0, 0.0, 0.2))
    if rope:
        tie = sh.Tie(body="world")
        scene.rope("line", path=((0, 0, 1), (2, 0, 1)), radius=0.03, density=1000.0, start=tie, end=tie, elements=10)
    return scene


@pytest.fixture
def replay(open_still: Callable[..., Still]) -> Still:
    """A box that stands, with one through it that goes along x for a second and has signals of its own."""
    shown = recording(scene_of(), [{}] * 21)
    moved = [{"box": (0.1 * k, 0.0, 0.2)} for k in range(11)]
    other = recording(scene_of(), moved, [f"{name}.angle" for name in ("one", "two", "three")])
    assert other.frames.shape[1] > shown.frames.shape[1]
    return open_still(shown, ghost=other)


def test_it_is_where_the_other_run_has_it_and_gone_when_that_ends(replay: Still) -> None:
    for time in (0.0, 0.5, 1.0):
        assert replay.do(GHOST_AT, time) == pytest.approx((time, 0.0, 0.2), abs=1e-3)
    assert replay.do(GHOST_AT, 1.5) is None


def test_its_bodies_and_ropes_are_seen_and_a_button_takes_them_away(replay: Still) -> None:
    replay.do("() => (sharnir.view.ropes.ropes[0].mesh.material.visible = false)")  # the ghost's is where it was
    replay.look((1.0, -3.0, 1.0), (1.0, 0.0, 0.6))
    seen = replay.shot(1.0)
    assert replay.do(PRESS, "Another run") == "false"
    bare = replay.shot(1.0)
    for place in (PLACE, (1.0, 0.0, 1.0)):
        blue = (replay.around(seen, place) - replay.around(bare, place)) @ (-0.5, -0.5, 1.0)
        assert blue > 10, place
    assert replay.do(PRESS, "Another run") == "true"
    assert replay.do(GHOST_AT, 0.5) == pytest.approx((0.5, 0.0, 0.2), abs=1e-3)


def test_another_machine_is_no_ghost() -> None:
    other = sh.Scene("other")
    other.body("ball", sh.Sphere(0.3, mass=1.0))
    with pytest.raises(SceneError, match="another run of the same machine; this one differs in 'ball'"):
        ghost_of(recording(other), recording(scene_of()).world)
    assert ghost_of(recording(scene_of(rope=False)), recording(scene_of()).world).about["count"] == 1


@pytest.fixture
def driven(chromium: Any, tmp_path: Path) -> Iterator[Callable[[Path], Browser]]:
    consoles, contexts = [], []

    def opens(ghost: Path) -> Browser:
        consoles.append(Console("dc_drive", tmp_path / "runs", "--paused", "--ghost", str(ghost)))
        contexts.append(chromium.new_context(viewport=WINDOW))
        return Browser(contexts[-1], consoles[-1], consoles[-1].links["operator"])

    yield opens
    for context in contexts:
        context.close()
    for console in consoles:
        console.end()


def test_a_trajectory_is_drawn_through_a_driven_run(driven: Callable[[Path], Browser], tmp_path: Path) -> None:
    """Such as the exact twin's, saved as netCDF; it goes with the time of the run."""
    experiment = load_example("dc_drive")
    other = experiment.run().world(0)
    browser = driven(other.save(tmp_path / "other.nc"))
    browser.until(READY)
    menu = (
        "() => Object.fromEntries([...document.querySelectorAll('#show-menu button')].map((b) => [b.textContent, b]))"
    )
    assert browser.do(f"() => ({menu})()['Another run'].ariaPressed") == "true"
    turned = """(time) => {
        const { source, reader } = sharnir.other;
        const frame = source(time);
        return frame && [...frame.poses.subarray(3, 7)];
    }"""
    name = next(iter(experiment.scene.bodies))
    for time in (0.0, 0.4 * other.time[-1]):
        k = int(np.abs(other.time - time).argmin())
        expected = other.data["rotation"].sel(body=name).values[k]
        found = np.array(browser.do(turned, time))
        assert abs(found @ expected) == pytest.approx(1.0, abs=0.02)
    assert browser.do(turned, float(other.time[-1]) + 1.0) is None
    assert browser.do("() => sharnir.view.ghost.bodies.group.visible")
