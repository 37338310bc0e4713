"""How a scene is to be seen: its sky, the looks of ground and shapes; kept in files, refused where they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import sharnir as sh
from sharnir.view.world import world_of


def looked_at() -> sh.Scene:
    scene = sh.Scene("seen")
    scene.sky = sh.Sky(light="night", azimuth=0.5, elevation=0.3, fog=40.0)
    scene.ground(look="gravel")
    hill = sh.HeightField(heights=((0.0, 0.0), (0.0, 1.0)), spacing=(1.0, 1.0))
    scene.terrain("hill", hill, look="grass", color="#556b2f")
    body = sh.Box(1.0, 1.0, 1.0, mass=1.0, roughness=0.2, metalness=0.9)
    lamp = sh.Cylinder(0.05, 0.02, color="#fff4d0", glow=1.0, collides=False)
    scene.body("box", body, lamp, position=(0, 0, 2))
    return scene


def test_what_is_seen_is_saved_and_loaded(tmp_path: Path) -> None:
    scene = looked_at()
    loaded = sh.Scene.load(scene.save(tmp_path / "seen.yaml"))
    assert loaded.sky == scene.sky
    assert [t.spec for t in loaded.terrains.values()] == [t.spec for t in scene.terrains.values()]
    assert loaded.bodies["box"].spec.shapes == scene.bodies["box"].spec.shapes
    assert world_of(loaded) == world_of(scene)


def test_the_browser_is_told_how_things_look() -> None:
    world = world_of(looked_at())
    assert world["sky"] == {"light": "night", "azimuth": 0.5, "elevation": 0.3, "fog": 40.0}
    assert [(t["look"], t["color"]) for t in world["terrain"]] == [("gravel", None), ("grass", "#556b2f")]
    body, lamp = world["bodies"][0]["shapes"]
    assert (body["roughness"], body["metalness"]) == (0.2, 0.9) and "glow" not in body
    assert lamp["glow"] == 1.0 and "roughness" not in lamp


def test_without_a_sky_there_is_day_over_ground_and_else_the_page() -> None:
    scene = sh.Scene("bare")
    scene.body("ball", sh.Sphere(0.1, mass=1.0))
    assert world_of(scene)["sky"]["light"] == "studio"
    scene.ground()
    assert world_of(scene)["sky"]["light"] == "day"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sh.Sky(light="dusk"), "Sky light is 'dusk'"),
        (lambda: sh.Sky(elevation=-0.1), "Sky elevation is -0.1 rad; give more than 0"),
        (lambda: sh.Sky(fog=0.0), "Sky fog .* above zero"),
        (lambda: sh.Scene("a").ground(look="grss"), "look is 'grss'; did you mean 'grass'"),
        (lambda: sh.Scene("a").body("b", sh.Box(1, 1, 1, mass=1, roughness=1.5)), "roughness is 1.5; give a number"),
        (lambda: sh.Scene("a").body("b", sh.Box(1, 1, 1, mass=1, glow=-1.0)), "glow is -1; give a number"),
    ],
)
def test_wrong_looks_are_refused(make: object, message: str) -> None:
    with pytest.raises(sh.SceneError, match=message):
        make()  # type: ignore[operator]
