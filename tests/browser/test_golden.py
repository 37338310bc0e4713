"""Golden pictures: scenes as they stood when they were looked at, compared as eyes compare, drawn in software.

The difference is that of colours in CIELAB after a blur of a pixel or two, so that edges may be drawn otherwise, but
nothing may be missing, elsewhere or of another colour. Both are compared as they are kept, so that what a small file
loses does not count. Each picture is broken as well, thing by thing, and every time has to be told from the one before.
``SHARNIR_GOLDEN=write pytest tests/browser/test_golden.py`` writes them anew: look at them then.
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stills import Still

import sharnir as sh
from sharnir.spatial import Array

FOLDER = Path(__file__).parent / "golden"
SIZE = (360, 240)  # pixels
BLUR = 1.2  # pixels
MEAN, PART = 0.3, 0.0008  # difference of colours over the picture; share of the picture that differs by PLAIN
PLAIN = 10.0  # a difference that everybody sees; 2.3 is just seen
SUN = sh.Sky(azimuth=-2.2, elevation=0.7)
GREY = "#9a9a9a"
RUN = "(code) => { const { view } = sharnir; eval(code) }"
STILL = """() => {
    const { view } = sharnir;
    view.quality.fixed = true;
    view.renderer.setPixelRatio(1);
    view.resize();
    for (const name in view.overlays.shown) view.overlay(name, false);
    return view.plain;
}"""


@dataclass(frozen=True)
class Golden:
    """A scene with where it is seen from; what is set up before the picture; and what breaks, one after the other, what
    it shows."""

    scene: Callable[[], sh.Scene]
    eye: Sequence[float]
    at: Sequence[float]
    broken: Sequence[str]
    setup: str = ""
    frames: Sequence[dict[str, Any]] = field(default=({},))
    channels: Sequence[str] = ()


def slope() -> sh.Scene:
    scene = sh.Scene("slope")
    scene.sky = SUN
    corners = [(x, y, 0.4 * x) for x in (-3.0, 3.0) for y in (-3.0, 3.0)]
    scene.terrain("slope", sh.Mesh(vertices=corners, triangles=((0, 2, 3), (0, 3, 1))), color=GREY)
    scene.body("ball", sh.Sphere(0.3, mass=1.0), position=(0.0, 0.0, 0.9))
    scene.body("post", sh.Box(0.1, 0.1, 1.0, mass=1.0), position=(-0.8, 0.4, 0.2))
    return scene


def field_of_hills() -> sh.Scene:
    scene = sh.Scene("hills")
    scene.sky = sh.Sky(azimuth=math.pi, elevation=0.35)
    side = np.linspace(-6.0, 6.0, 61)
    heights = tuple(tuple(1.4 * math.exp(-(x * x + y * y)) + 0.1 * math.sin(2 * y) for y in side) for x in side)
    scene.terrain("hill", sh.HeightField(heights=heights, spacing=(0.2, 0.2)), color=GREY)
    scene.body("ball", sh.Sphere(0.3, mass=1.0), position=(1.0, -2.2, 0.6))
    return scene


def tracks() -> sh.Scene:
    from sharnir.view.robots import ROBOTS

    return ROBOTS["mf4"]().scene


def coils() -> sh.Scene:
    scene = sh.Scene("coils")
    scene.ground(look="concrete")
    load = scene.body("load", sh.Box(1.2, 0.4, 0.1, mass=1.0), position=(0.0, 0.0, 0.85))
    for name, x in (("left", -0.4), ("right", 0.4)):
        strut = sh.Strut(anchor_a=(x, 0, 0), anchor_b=(x, 0, 0.8))
        scene.joint(name, strut, scene.world, load, spring=sh.Spring(100.0, 5.0))
    return scene


def ropes() -> sh.Scene:
    scene = sh.Scene("rope")
    scene.ground(look="concrete")
    post = scene.body("post", sh.Box(0.1, 0.1, 0.9, mass=1.0), position=(0.5, 0.2, 0.45), fixed=True)
    load = scene.body("load", sh.Box(0.3, 0.3, 0.3, mass=1.0), position=(1.15, 0.0, 0.4))
    rope: dict[str, Any] = {"radius": 0.03, "density": 1000.0, "bending": 0.0, "twisting": 0.0, "elements": 40}
    start = sh.Tie(body="world")
    end = sh.Tie(body=load)
    path = ((0, 0, 0.6), (0.5, 0, 0.9), (1, 0, 0.5))
    scene.rope("line", path=path, start=start, end=end, eyelets=(sh.Eyelet(body=post, at=0.58),), **rope)
    return scene


def cart() -> sh.Scene:
    scene = sh.Scene("lines")
    scene.ground(look="concrete")
    body = scene.body("cart", sh.Box(0.8, 0.6, 0.2, mass=10.0), position=(0.0, 0.0, 0.5))
    arm = scene.body("arm", sh.Box(0.1, 0.1, 0.6, mass=1.0), position=(0.2, 0.0, 0.9))
    scene.joint("hinge", sh.Revolute(anchor=(0.2, 0.0, 0.6), axis=(0, 1, 0)), body, arm, limits=(-0.8, 0.8))
    scene.camera("eye", body, position=(0.6, 0.0, 0.2), direction=(-1.0, 0.0, 0.2), field_of_view=1.0)
    scene.camera("side", body, position=(0.0, -1.2, 0.3), direction=(0.0, 1.0, -0.1), field_of_view=1.0)
    return scene


CORNERS = [(x, y, 0.0, 0.0, 0.0, 24.5) for x in (-0.45, 0.45) for y in (-0.35, 0.35)]
SPROCKETS = [f"mf4_{side}_sprocket_hinge.angle" for side in ("right", "left")]
OVERLAYS = ("frames", "limits", "support", "contacts")
GOLDENS = {
    "shadow_on_a_slope": Golden(
        slope, (3.2, -2.2, 3.6), (0.0, 0.2, 0.1), ["for (const m of view.bodies.group.children) m.castShadow = false"]
    ),
    "shadow_on_a_field": Golden(
        field_of_hills,
        (1.5, -7.0, 6.5),
        (1.0, 0.0, 0.0),
        [
            "for (const { meshes } of view.ground.pieces) for (const m of meshes) m.castShadow = false",
            "for (const { meshes } of view.ground.pieces) for (const m of meshes) m.receiveShadow = false",
        ],
    ),
    "belt": Golden(
        tracks,
        (0.9, -1.5, 0.5),
        (0.0, -0.3, 0.15),
        [
            "view.bodies.belts.belts.forEach((belt) => (belt.joint = 'none'))",
            "view.bodies.belts.belts.forEach(({ mesh }) => (mesh.visible = false))",
        ],
        frames=({}, dict.fromkeys(SPROCKETS, 0.2)),
        channels=SPROCKETS,
    ),
    "springs": Golden(
        coils,
        (0.0, -2.6, 0.9),
        (0.0, 0.0, 0.45),
        [
            "view.springs.place(view.bodies.matrix.map((m) => m.clone().setPosition(0, 0, 0.85)), () => 0);"
            "view.springs.place = () => {}",
            "view.springs.pipeMesh.visible = false",
        ],
        frames=({}, {"load": (0.0, 0.0, 0.65)}),
    ),
    "ropes": Golden(
        ropes,
        (0.35, -1.2, 1.0),
        (0.45, 0.0, 0.7),
        [
            "view.ropes.ropes[0].knots.forEach(({ mesh }) => mesh.removeFromParent())",
            "view.ropes.ropes[0].eyelets.forEach(({ mesh }) => mesh.removeFromParent())",
            "view.ropes.ropes[0].winding.array.fill(0); view.ropes.ropes[0].winding.setXY = () => {}",
            "view.ropes.ropes[0].mesh.removeFromParent()",
        ],
    ),
    "overlays": Golden(
        cart,
        (0.6, -0.9, 1.0),
        (0.14, -0.05, 0.42),
        [f"view.overlay('{name}', false)" for name in OVERLAYS],
        ";".join(f"view.overlay('{name}', true)" for name in OVERLAYS),
        frames=({"contacts": CORNERS, "hinge.angle": 0.3},),
        channels=("hinge.angle",),
    ),
    "pictures_in_the_picture": Golden(
        cart,
        (1.2, -2.2, 1.6),
        (0.0, 0.0, 0.4),
        [f"view.pictures.toggle('{name}')" for name in ("side", "eye")],
        "for (const name of ['eye', 'side']) view.pictures.toggle(name)",
    ),
}


def lab(picture: Array) -> Array:
    """Colours of the screen as CIELAB (D65), in which distances are what eyes see, blurred a little."""
    from scipy.ndimage import gaussian_filter

    linear = np.where(picture <= 0.04045 * 255, picture / 255 / 12.92, ((picture / 255 + 0.055) / 1.055) ** 2.4)
    linear = gaussian_filter(linear, (BLUR, BLUR, 0))
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = linear @ to_xyz.T / (0.9505, 1.0, 1.089)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def apart(first: Array, second: Array) -> tuple[float, float]:
    """The mean difference of two pictures' colours, and the share of the picture in which it is plain."""
    difference = np.linalg.norm(lab(first) - lab(second), axis=-1)
    return float(difference.mean()), float((difference > PLAIN).mean())


def encoded(picture: Array) -> bytes:
    """A picture as a small file."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(picture.astype(np.uint8)).save(stream, "WEBP", quality=92, method=6)
    return stream.getvalue()


def decoded(small: bytes) -> Array:
    from PIL import Image

    with Image.open(io.BytesIO(small)) as image:
        return np.asarray(image.convert("RGB")).astype(float)


def same(first: Array, second: Array) -> bool:
    mean, part = apart(first, second)
    return mean < MEAN and part < PART


@pytest.mark.parametrize("name", GOLDENS)
def test_a_picture_is_as_it_was_when_it_was_looked_at(open_still: Callable[..., Still], name: str) -> None:
    golden, file = GOLDENS[name], FOLDER / f"{name}.webp"
    still = open_still(golden.scene(), golden.frames, golden.channels, size=SIZE)
    if not still.do(STILL):
        pytest.skip("golden pictures are of the software renderer")
    still.do(RUN, golden.setup)
    still.look(golden.eye, golden.at)
    time = 0.1 * (len(golden.frames) - 1)
    small = encoded(still.shot(time))
    if os.environ.get("SHARNIR_GOLDEN") == "write":
        FOLDER.mkdir(exist_ok=True)
        file.write_bytes(small)
    picture, before = decoded(small), decoded(file.read_bytes())
    assert same(picture, before), (name, apart(picture, before))
    for broken in golden.broken:
        still.do(RUN, broken)
        now = decoded(encoded(still.shot(time)))
        assert not same(now, picture), (name, broken, "and not told", apart(now, picture))
        picture = now
