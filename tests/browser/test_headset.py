"""The scene through a headset, an emulated one: one walks around the machine or sits in it, and can stop it."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stills import Still, recording

import sharnir as sh
from sharnir.spatial import Array

HEADSET = (Path(__file__).parent / "headset.js").read_text(encoding="utf-8")
EYE = """() => {
    headset.frame();
    const camera = sharnir.view.renderer.xr.getCamera();
    const at = camera.position.clone().setFromMatrixPosition(camera.matrixWorld);
    const ahead = camera.getWorldDirection(at.clone());
    return [...at.toArray(), ...ahead.toArray()];
}"""
SIZE = (480, 240)


def machine() -> sh.Scene:
    scene = sh.Scene("headset")
    scene.ground(look="concrete")
    scene.body("cart", sh.Box(1.0, 0.6, 0.4, mass=10.0, color="#a03020"), position=(0.0, 0.0, 0.2))
    return scene


@pytest.fixture
def still(chromium: Any, tmp_path: Path) -> Iterator[Still]:
    moved = [{"cart": (0.1 * k, 0.0, 0.2)} for k in range(5)]
    made = Still(chromium, tmp_path, recording(machine(), moved), size=SIZE, before=HEADSET)
    made.page.wait_for_function("() => document.querySelectorAll('#camera-menu button').length > 0")
    yield made
    assert made.errors == []
    made.page.close()


def enter(still: Still, text: str) -> None:
    """By its button in the camera's menu, which is there where there is a headset."""
    still.page.wait_for_function(
        "(text) => [...document.querySelectorAll('#camera-menu button')].some((b) => b.textContent === text)", arg=text
    )
    still.do(
        "(text) => [...document.querySelectorAll('#camera-menu button')].find((b) => b.textContent === text).click()",
        text,
    )
    still.page.wait_for_function("() => sharnir.view.vr.on")


def eye(still: Still) -> tuple[Array, Array]:
    still.do(EYE)
    seen = np.array(still.do(EYE))
    return seen[:3], seen[3:]


def test_one_stands_on_the_ground_and_walks_by_a_stick(still: Still) -> None:
    enter(still, "Walk in VR")
    at, ahead = eye(still)
    assert at[2] == pytest.approx(1.7, abs=1e-3)  # eyes above the ground
    assert ahead[:2] @ -at[:2] / np.linalg.norm(at[:2]) > 0.99 and abs(ahead[2]) < 1e-6  # the machine is ahead
    still.do("() => { headset.sticks.left = [0, -1]; headset.frame() }")
    still.page.wait_for_timeout(60)
    nearer, _ = eye(still)
    assert np.linalg.norm(nearer[:2]) < np.linalg.norm(at[:2]) - 0.02
    still.do("() => { headset.sticks.left = [0, 0]; headset.sticks.right = [1, 0] }")
    _, turned = eye(still)
    assert np.arccos(np.clip(turned @ ahead, -1, 1)) == pytest.approx(np.pi / 6, abs=1e-3)  # once, while it is pushed
    still.do("() => { headset.sticks.right = [0, 0]; headset.turn = 0.4 }")
    _, looking = eye(still)
    assert np.arccos(np.clip(looking @ turned, -1, 1)) == pytest.approx(0.4, abs=1e-3)
    from_here, _ = eye(still)
    still.do("() => { headset.sticks.left = [0, -1]; headset.frame() }")
    still.page.wait_for_timeout(60)
    way = eye(still)[0] - from_here
    assert way @ looking / np.linalg.norm(way) > 0.99  # along where one looks, not where the room does


def test_both_eyes_see_the_machine_a_little_apart(still: Still) -> None:
    from PIL import Image

    enter(still, "Walk in VR")
    still.do("() => { headset.high = 1.0; headset.frame(); headset.frame() }")
    url = still.do("() => { headset.frame(); return sharnir.view.canvas.toDataURL('image/png') }")
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")).astype(float)
    red = picture[..., 0] - 0.5 * (picture[..., 1] + picture[..., 2]) > 35
    half = picture.shape[1] // 2
    columns = [np.flatnonzero(side.any(axis=0)) for side in (red[:, :half], red[:, half:])]
    assert min(len(each) for each in columns) > 10
    assert columns[0].mean() > columns[1].mean()  # what is near is farther to the right for the left eye
    for sky in (picture[:20, :half], picture[:20, half:]):
        assert (sky[..., 2] - sky[..., 0]).mean() > 10  # blue above


def test_one_sits_in_the_machine_and_goes_with_it_and_stops_it(still: Still) -> None:
    enter(still, "Sit in VR")
    still.do("() => { window.stopped = 0; sharnir.link.stop = () => (window.stopped += 1) }")
    before, ahead = eye(still)
    assert ahead[0] > 0.9 and 0.4 < before[2] < 1.5
    still.do("() => sharnir.seek(0.4)")
    after, _ = eye(still)
    assert after - before == pytest.approx([0.4, 0.0, 0.0], abs=1e-3)
    still.do("() => headset.session.dispatchEvent(new Event('squeezestart'))")
    assert still.do("() => window.stopped") == 1
    still.do("() => sharnir.view.vr.leave()")
    still.page.wait_for_function("() => !sharnir.view.vr.on")
    drawn = still.do("() => sharnir.view.drawn")
    still.shot(0.2)
    assert still.do("() => sharnir.view.drawn") > drawn  # the page draws again
