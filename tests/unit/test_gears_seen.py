"""Gears as they are drawn: sizes and teeth by the ratio, and teeth that stand in gaps, however far they turn."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sh
from sharnir import spatial
from sharnir.spatial import Array
from sharnir.view.gears import gears_of, radii_of, teeth_of


def shaft(scene: sh.Scene, name: str, place: tuple[float, float, float], axis: tuple[float, float, float]) -> sh.Joint:
    body = scene.body(name, sh.Cylinder(0.02, 0.2, mass=1.0), position=place)
    return scene.joint(f"{name} hinge", sh.Revolute(anchor=place, axis=axis), scene.world, body)


def pair(ratio: float, axis: tuple[float, float, float] = (0.0, 0.0, 1.0), second: float = 1.0) -> sh.Scene:
    """Two shafts, 0.45 m apart; the second may point the other way."""
    scene = sh.Scene("pair")
    across = spatial.perpendicular(np.array(axis)) * 0.45
    a = shaft(scene, "a", (0.0, 0.0, 0.0), axis)
    x, y, z = (float(value) for value in across)
    b = shaft(scene, "b", (x, y, z), (second * axis[0], second * axis[1], second * axis[2]))
    scene.couple("mesh", sh.Gear(ratio=ratio), a, b)
    return scene


def test_teeth_and_radii_follow_from_the_ratio() -> None:
    assert teeth_of(2.0) == (12, 24) and teeth_of(0.5) == (24, 12) and teeth_of(1.5) == (12, 18)
    assert teeth_of(math.pi) is None and teeth_of(100.0) is None
    assert radii_of(-2.0, 0.45) == pytest.approx((0.15, 0.3))
    first, second = radii_of(2.5, 0.3)  # one within the other
    assert second - first == pytest.approx(0.3) and second / first == pytest.approx(2.5)


def phase(scene: sh.Scene, name: str, turned: float, towards: Array) -> float:
    """Where between two teeth (0 at a tooth, 1/2 at a gap) a wheel has the line to the other, after a turn (rad)."""
    body, (gear,) = scene.bodies[name], gears_of(scene)[name]
    axis = np.array(next(joint for joint in scene.joints.values() if joint.b is body).type.axis)
    rotation = spatial.multiply(spatial.about(axis, turned), spatial.multiply(body.pose.rotation, gear["rotation"]))
    x, y, _ = spatial.rotate(spatial.conjugate(rotation), towards)
    share = math.atan2(y, x) / (2 * math.pi) * gear["size"][2]
    return abs(share - round(share))


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)])
@pytest.mark.parametrize(
    ("ratio", "second"), [(-2.0, 1.0), (-0.4, 1.0), (2.0, -1.0), (3.0, 1.0), (-3.0, -1.0), (0.5, 1.0)]
)
def test_teeth_mesh_however_far_they_have_turned(axis: tuple[float, float, float], ratio: float, second: float) -> None:
    scene = pair(ratio, axis, second)
    gears = gears_of(scene)
    towards = np.subtract(scene.bodies["b"].pose.position, scene.bodies["a"].pose.position) / 0.45
    rings = {name: bool(gears[name][0]["size"][3]) for name in "ab"}
    assert any(rings.values()) == (ratio * second > 0)
    for turn in (0.0, 0.37, 2.9):  # rad of the second
        sides = {"a": towards, "b": -towards}
        if any(rings.values()):  # they touch where the inner one is farthest from the ring's shaft
            sides = dict.fromkeys("ab", towards if rings["a"] else -towards)
        at = {"a": phase(scene, "a", ratio * turn, sides["a"]), "b": phase(scene, "b", turn, sides["b"])}
        # outlines: outside a tooth is opposite a gap, in a ring it is opposite what the outline leaves out
        wanted = at["a"] if any(rings.values()) else 0.5 - at["a"]
        assert at["b"] == pytest.approx(wanted, abs=1e-9)


def test_what_cannot_mesh_is_not_drawn_and_trains_stand_beside_each_other() -> None:
    scene = sh.Scene("train")
    shafts = [shaft(scene, name, (x, 0.0, 0.0), (0.0, 0.0, 1.0)) for name, x in (("a", 0.0), ("b", 0.4), ("c", 0.9))]
    aslant = shaft(scene, "d", (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    scene.couple("first", sh.Gear(ratio=-3.0), shafts[0], shafts[1])
    scene.couple("second", sh.Gear(ratio=-4.0), shafts[1], shafts[2])
    scene.couple("bevel", sh.Gear(ratio=-1.0), shafts[0], aslant)
    found = gears_of(scene)
    assert {name: len(gears) for name, gears in found.items()} == {"a": 1, "b": 2, "c": 1}
    low, high = sorted(found["b"], key=lambda gear: float(gear["position"][2]))
    assert high["position"][2] - low["position"][2] > 0.5 * (low["size"][1] + high["size"][1])
    assert found["c"][0]["position"][2] == pytest.approx(high["position"][2])
