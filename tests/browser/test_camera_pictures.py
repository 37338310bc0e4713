"""Pictures of mounted cameras from Python: depth and what is shown agree with the rays of the engine."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sharnir as sh
from sharnir.spatial import Array
from sharnir.view.pictures import save_picture
from sharnir.view.recording import recording_of

SIZE = (96, 64)  # pixels
VIEW = 0.9  # rad
LENS = (-0.28, 0.04)
EYE, AHEAD = (-3.0, -1.0, 1.6), (1.0, 0.32, -0.42)


@pytest.fixture(scope="module")
def simulation() -> sh.Simulation:
    scene = sh.Scene("still life")
    scene.ground(look="concrete")
    heights = tuple(tuple(0.12 * math.sin(0.9 * i) * math.cos(0.7 * k) for k in range(24)) for i in range(24))
    scene.terrain("hill", sh.HeightField(heights=heights, spacing=(0.1, 0.1)), position=(0.4, 1.3, 0.1), look="grass")
    turned = (0.0, 0.0, math.sin(0.3), math.cos(0.3))
    scene.body("box", sh.Box(0.5, 0.4, 0.6, mass=1.0), position=(0.2, -0.3, 0.3), rotation=turned, fixed=True)
    scene.body("ball", sh.Sphere(0.3, mass=1.0), position=(-0.6, 0.5, 0.5), fixed=True)
    scene.body(
        "peg", sh.Capsule(0.15, 0.5, mass=1.0), position=(1.2, 0.2, 0.7), rotation=(0.5, 0.5, 0.5, 0.5), fixed=True
    )
    eye = scene.body("eye", sh.Sphere(0.02, mass=1.0), position=EYE)
    given: dict[str, Any] = {"position": (0.05, 0.0, 0.0), "direction": AHEAD, "field_of_view": VIEW}
    scene.camera("camera", eye, **given)
    scene.camera("bent", eye, distortion=LENS, **given)
    return sh.Simulation(scene, dt=0.001)


@pytest.fixture(scope="module")
def picture(simulation: sh.Simulation) -> Iterator[sh.CameraPicture]:
    yield simulation.picture("camera", SIZE)


def straightened(shown: Array, lens: tuple[float, float]) -> Array:
    """How far from the middle (tangent) a lens shows what it shows at a distance, by halving."""
    low, high = np.zeros_like(shown), np.full_like(shown, 2.0)
    for _ in range(60):
        middle = 0.5 * (low + high)
        short = middle * (1.0 + lens[0] * middle**2 + lens[1] * middle**4) < shown
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return 0.5 * (low + high)


def pixel_rays(lens: tuple[float, float], aside: tuple[float, float] = (0.0, 0.0)) -> Array:
    """Directions [row, column, 3] through the middles of pixels or ``aside`` of them, one m along the camera's."""
    ahead = np.array(AHEAD) / np.linalg.norm(AHEAD)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    half = math.tan(VIEW / 2)
    y = half * (1.0 - 2.0 * (np.arange(SIZE[1]) + 0.5 + aside[1]) / SIZE[1])
    x = half * SIZE[0] / SIZE[1] * (2.0 * (np.arange(SIZE[0]) + 0.5 + aside[0]) / SIZE[0] - 1.0)
    shown = np.hypot(x[None, :], y[:, None])
    scale = (straightened(shown, lens) / shown)[..., None]
    return ahead + scale * (x[None, :, None] * right + y[:, None, None] * up)


def cast(simulation: sh.Simulation, rays: Array) -> tuple[Array, Array]:
    """Depth (m) and name of what the engine's rays meet."""
    lengths = np.linalg.norm(rays, axis=-1)
    hits = simulation.ray(np.add(EYE, (0.05, 0.0, 0.0)), rays.reshape(-1, 3) / lengths.reshape(-1, 1))
    names = np.array([{"world": "ground", None: ""}.get(name, name) for name in hits.body])
    return hits.distance.reshape(lengths.shape) / lengths, names.reshape(lengths.shape)


@pytest.mark.parametrize(("camera", "lens"), [("camera", (0.0, 0.0)), ("bent", LENS)])
def test_depth_and_segments_agree_with_rays(simulation: sh.Simulation, camera: str, lens: tuple[float, float]) -> None:
    """To a millimetre wherever a pixel and its neighbours show one thing, and to a pixel at the edges of things."""
    picture = simulation.picture(camera, SIZE)
    depth, names = cast(simulation, pixel_rays(lens))
    shown = np.array([[picture.names.get(number, "") for number in row] for row in picture.shown])
    assert {"ground", "box", "ball", "peg"} <= set(names.flat)
    inner = (slice(1, -1), slice(1, -1))
    moves = [(i, k) for i in (-1, 0, 1) for k in (-1, 0, 1)]
    around = np.stack([np.roll(names, move, (0, 1))[inner] for move in moves])
    assert (around == shown[inner]).any(axis=0).all()  # to a pixel
    whole = (around == names[inner]).all(axis=0)
    assert whole.mean() > 0.7
    assert (shown[inner] == names[inner])[whole].all()
    met = whole & np.isfinite(depth[inner])
    near = np.stack([np.roll(np.where(np.isfinite(depth), depth, 1e6), move, (0, 1))[inner] for move in moves])
    spans = 0.5 * (near.max(axis=0) - near.min(axis=0))  # m of depth from pixel to pixel
    smooth = met & (spans < 0.15)  # hills hide parts of themselves
    assert smooth.sum() > 2000
    seen = np.where(np.isfinite(picture.depth), picture.depth, 0.0)[inner]
    off = np.abs(seen - depth[inner])
    # renderers put corners to a sixteenth of a pixel: on what is seen at a slant that is more than a millimetre
    good = off < 1e-3 + spans / 16
    if any(
        lens
    ):  # behind ridges of the hill depth jumps: there it is that of a place a quarter of a pixel away at most
        beside = [cast(simulation, pixel_rays(lens, (i / 4, k / 4)))[0][inner] for i, k in moves]
        low, high = np.min(beside, axis=0), np.max(beside, axis=0)
        assert (good[smooth]).mean() > 0.995
        good |= (seen > low - 1e-3) & (seen < high + 1e-3)
    assert good[smooth].all(), (off - spans / 16)[smooth & ~good]
    assert np.median(off[smooth]) < 1e-3
    assert not np.isfinite(picture.depth[inner][whole & (names[inner] == "")]).any()


def test_a_lens_bends_colours_as_it_bends_depth(simulation: sh.Simulation, picture: sh.CameraPicture) -> None:
    """Where the straight picture has a colour, the bent one has it where its lens puts that place."""
    bent = simulation.picture("bent", SIZE)
    assert not np.array_equal(bent.shown, picture.shown)
    for name in ("box", "ball", "ground"):
        inside = [each.mask(name) & _whole(each.mask(name)) for each in (bent, picture)]
        colors = [each.color[where].mean(axis=0) for each, where in zip((bent, picture), inside, strict=True)]
        assert colors[0] == pytest.approx(colors[1], abs=12), name
    edge = bent.mask("ball") != np.roll(bent.mask("ball"), 1, axis=1)
    steps = np.abs(np.diff(bent.color.astype(float).sum(axis=2), axis=1, prepend=0.0))
    assert steps[edge].mean() > 3 * np.median(steps)  # colours change where what is shown does


def _whole(mask: Array) -> Array:
    return np.logical_and.reduce([np.roll(mask, (i, k), (0, 1)) for i in (-1, 0, 1) for k in (-1, 0, 1)])


def test_a_lens_that_folds_its_picture_is_refused() -> None:
    scene = sh.Scene("lens")
    with pytest.raises(sh.SceneError, match=r"camera 'wide' distortion is .* folds a picture of 1.5 rad"):
        scene.camera("wide", scene.world, field_of_view=1.5, distortion=(-0.6, 0.0))


def test_a_picture_has_colours_and_masks(picture: sh.CameraPicture) -> None:
    assert picture.color.shape == (SIZE[1], SIZE[0], 3) and picture.color.dtype == np.uint8
    assert picture.mask("ball").sum() > 50
    assert picture.color[picture.mask("ball")].std() > 3  # lit from one side
    with pytest.raises(sh.SceneError, match="a picture shows no 'bal'; did you mean 'ball'"):
        picture.mask("bal")


def test_it_shows_what_is_now(simulation: sh.Simulation, picture: sh.CameraPicture) -> None:
    """The camera falls with its body, and a second picture costs no second browser."""
    simulation.run(0.2)
    later = simulation.picture("camera", SIZE)
    assert not np.array_equal(later.depth, picture.depth)
    with pytest.raises(sh.SceneError, match="no camera 'camra'; did you mean 'camera'"):
        simulation.picture("camra")


def falling_ball() -> sh.Simulation:
    scene = sh.Scene("ball")
    scene.body("ball", sh.Sphere(0.3, mass=1.0), position=(0.0, 0.0, 1.0))
    scene.camera("eye", scene.world, position=(-2.0, 0.0, 1.0), direction=(1.0, 0.0, 0.0), field_of_view=VIEW)
    return sh.Simulation(scene, dt=0.001)


def test_pictures_are_taken_within_a_running_loop(tmp_path: Path) -> None:
    """As in Jupyter, two simulations side by side, and a picture of a run beside them."""

    async def take() -> tuple[sh.CameraPicture, sh.CameraPicture]:
        first, second = falling_ball(), falling_ball()
        run = second.run(0.3)
        save_picture(recording_of(second.scene, run), tmp_path / "run.png", 0.1, (120, 80), "light", True)
        return first.picture("eye", SIZE), second.picture("eye", SIZE)

    with ThreadPoolExecutor(1) as beside:  # the tests' own browser has a loop in this thread
        before, after = beside.submit(lambda: asyncio.run(take())).result()
    rows = [np.flatnonzero(picture.mask("ball").any(axis=1)).mean() for picture in (before, after)]
    assert rows[1] - rows[0] > 5  # it has fallen by 0.44 m
    assert (tmp_path / "run.png").stat().st_size > 500


def test_a_program_that_took_a_picture_ends_by_itself(tmp_path: Path) -> None:
    """The browser is closed by a finalizer, when pools of threads are gone already."""
    script = tmp_path / "take.py"
    script.write_text(
        "import sharnir as sh\n"
        "scene = sh.Scene('ball')\n"
        "scene.body('ball', sh.Sphere(0.3, mass=1.0))\n"
        "scene.camera('eye', scene.world, position=(-2.0, 0.0, 0.0), direction=(1.0, 0.0, 0.0), field_of_view=0.9)\n"
        "sim = sh.Simulation(scene, dt=0.001)\n"
        "print(int(sim.picture('eye', (64, 48)).mask('ball').sum()))\n"
    )
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0 and ended.stderr == "" and int(ended.stdout) > 100
