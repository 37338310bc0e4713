"""Ropes across and around things: elements as capsules, the capstan, knots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sharnir as sh

G = 9.81
THICK: dict[str, Any] = {"radius": 0.01, "density": 1000.0, "bending": 2e-3, "twisting": 2e-3}
ACROSS = (0.5**0.5, 0, 0, 0.5**0.5)  # turns z to y


def least_distance(nodes: np.ndarray, apart: int) -> float:
    """The smallest distance (m) between elements of a rope that are at least ``apart`` places from each other."""
    shares = np.linspace(0, 1, 9)
    points = nodes[:-1, None] + shares[:, None] * np.diff(nodes, axis=0)[:, None]
    number = np.arange(len(points))
    pairs = [(i, j) for i in number for j in number if j - i >= apart]
    return float(min(np.linalg.norm(points[i][:, None] - points[j][None], axis=-1).min() for i, j in pairs))


def octahedron(size: float) -> tuple[tuple[float, float, float], ...]:
    return tuple((s * size * (i == 0), s * size * (i == 1), s * size * (i == 2)) for i in range(3) for s in (1, -1))


# what a rope along x is caught by at y = 0, 0.3, ...: the shape with its top at z = 0
THINGS: list[Any] = [
    sh.Sphere(0.02, position=(0, 0, -0.02)),
    sh.Capsule(0.02, 0.1, rotation=ACROSS, position=(0, 0, -0.02)),
    sh.Cylinder(0.02, 0.1, rotation=ACROSS, position=(0, 0, -0.02)),
    sh.Wheel(radius=0.05, width=0.02, rotation=(0, 0.5**0.5, 0, 0.5**0.5), position=(0, 0, -0.05)),
    sh.Box(0.04, 0.1, 0.04, rotation=(0, np.sin(np.pi / 8), 0, np.cos(np.pi / 8)), position=(0, 0, -0.02 * 2**0.5)),
    sh.ConvexHull(points=octahedron(0.03), position=(0, 0, -0.03)),
    sh.Mesh(
        vertices=(
            (0, -0.1, 0),
            (0, 0.1, 0),
            (-0.1, -0.1, -0.1),
            (-0.1, 0.1, -0.1),
            (0.1, -0.1, -0.1),
            (0.1, 0.1, -0.1),
        ),
        triangles=((0, 1, 3), (0, 3, 2), (1, 0, 4), (1, 4, 5), (0, 2, 4), (1, 5, 3), (2, 3, 5), (2, 5, 4)),
    ),
]


def test_elements_are_caught_by_every_shape() -> None:
    """Ropes of three elements fall across things that are much smaller than an element, between their nodes.

    They stay there, r from what they lie on; one that leans by an angle a is (R + r)/cos a - R above the top of
    something round with radius R. The first lies on the ridge of a height field, the last on that of a mesh.
    """
    scene = sh.Scene("caught")
    ridge = sh.HeightField.sampled(lambda x, y: -np.abs(x) + 0 * y, size=(0.2, 0.2), spacing=0.1)
    scene.terrain("ridge", ridge, position=(0, -0.3, 0))
    ropes = []
    for i, shape in enumerate([None, *THINGS]):
        y = 0.3 * (i - 1)
        if shape is not None:
            scene.body(f"thing {i}", shape, position=(0, y, 0), fixed=True)
        path = [(x, y, 0.03) for x in (-0.45, -0.15, 0.15, 0.45)]
        ropes.append(scene.rope(f"rope {i}", path, damping=0.05, self_contact=False, **(THICK | {"bending": 0.02})))
    run = sh.Simulation(scene, dt=0.002).run(1.0, every=10)
    for rope, thing in zip(ropes, [None, *THINGS], strict=True):
        left, right = run[rope.node(1)].values, run[rope.node(2)].values
        middle = (left + (right - left) * (left[:, :1] / (left[:, :1] - right[:, :1])))[:, 2]  # where x = 0
        assert middle.min() > 0.01 - 1e-3, rope.name  # lands at 0.6 m/s, 1.3 mm a step
        along = right[-1] - left[-1]
        lean = along[0] / np.linalg.norm(along)  # cosine of the angle by which it leans to one side
        bulge = 0.02 if isinstance(thing, (sh.Sphere, sh.Capsule, sh.Cylinder)) else 0.0
        assert middle[-1] == pytest.approx((bulge + 0.01) / lean - bulge, abs=1e-4), rope.name
        assert lean > 0.8, rope.name


@pytest.mark.parametrize(("turns", "share"), [(0.5, 0.98), (0.5, 1.02), (1.5, 0.98), (1.5, 1.02)])
def test_capstan(turns: float, share: float) -> None:
    """A rope of weight w per metre is wound about a rough pole and hangs down on both sides, by L1 and L2.

    With R the radius at its middle, friction mu and the angle a from where it leaves on the first side, it is about to
    slip to the second side when

        dT/da = mu (T + w R sin a) + w R cos a,   T(0) = w L1,   T(angle) = w L2 with angle = pi, 3 pi, ...
        L2 = (L1 + b) e^(mu angle) + b,           b = 2 mu R/(1 + mu^2)

    the capstan's e^(mu angle) with the rope's own weight. Elements that turn by t each: ln T2/T1 is too large by the
    share t^2 (1 + mu^2)/12, here 0.4 %. Turns lie beside each other and do not touch.
    """
    mu, pole, radius = 0.3, 0.1, 0.005
    around = pole + radius
    angle, first = 2 * np.pi * turns, 0.3 if turns < 1 else 0.1
    b = 2 * mu * around / (1 + mu**2)
    second = share * ((first + b) * np.exp(mu * angle) + b)
    scene = sh.Scene("capstan")
    scene.material("hemp", sh.Material(friction=mu))
    hemp = sh.Contact(material="hemp")
    scene.body("pole", sh.Capsule(pole, 2.0, rotation=ACROSS), fixed=True, contact=hemp)
    step = 0.19  # rad by which an element turns
    bends = np.linspace(0, angle, round(angle / step) + 1)
    pitch = 2.4 * radius / (2 * np.pi) if turns > 1 else 0.0
    wound = [(-around * np.cos(a), pitch * a, around * np.sin(a)) for a in bends]
    down = [np.linspace(0, -length, int(length / (step * around)) + 2)[1:] for length in (first, second)]
    path = [(wound[0][0], 0, z) for z in down[0][::-1]] + wound + [(wound[-1][0], wound[-1][1], z) for z in down[1]]
    rope = scene.rope("rope", path, radius=radius, density=1000.0, bending=1e-5, twisting=1e-5, contact=hemp)
    run = sh.Simulation(scene, dt=0.002).run(0.3, every=10)
    tip = run[rope.node("end")].values[:, 2]
    lowest = np.linalg.norm(run.data["node_position"].values[..., [0, 2]], axis=-1).min()
    assert lowest > around - 1e-5
    if share < 1:
        assert tip[0] - tip[-1] < 2e-4
    else:
        assert tip[0] - tip[-1] > 2e-3


def overhand(step: float) -> list[tuple[float, float, float]]:
    """A loose overhand knot 12 cm wide in a line along x: Shastri's trefoil (t^3 - 3 t, t^4 - 4 t^2, t^5/5 - ...)."""
    t = np.linspace(-2.15, 2.15, 2001)
    knot = 0.03 * np.stack([t**3 - 3 * t, 0.5 * t**4 - 2 * t**2, -0.16 * t**5 + 0.96 * t**3 - 1.28 * t], axis=1)
    lead = np.linspace(0.15, 0, 200, endpoint=False)[:, None] * np.array([1.0, 0, 0])
    fine = np.concatenate([knot[0] - lead, knot, (knot[-1] + lead)[::-1]])
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
    places = np.linspace(0, along[-1], round(along[-1] / step) + 1)
    return [tuple(np.interp(place, along, fine[:, i]) for i in range(3)) for place in places]


def pulled_knot(friction: float) -> tuple[np.ndarray, np.ndarray]:
    """Rope (m) that a knot takes up over time, and all nodes: pulled with up to 10 N for 1 s, then with 0.5 N."""
    scene = sh.Scene("knot", gravity=(0, 0, 0))
    scene.material("line", sh.Material(friction=friction))
    path = overhand(0.008)
    hand = scene.body("hand", mass=0.2, inertia=(1e-4, 1e-4, 1e-4), position=path[-1])
    guide = scene.joint("guide", sh.Cylindrical(axis=(1, 0, 0), anchor=path[-1]), scene.world, hand)
    made: dict[str, Any] = {"radius": 0.004, "density": 1000.0, "bending": 1e-3, "twisting": 1e-3, "damping": 0.02}
    ends = {"start": sh.Tie(body="world"), "end": sh.Tie(body=hand)}
    rope = scene.rope("rope", path, contact=sh.Contact(material="line"), **made, **ends)
    pull = {guide.effort("displacement"): lambda time: 10 * min(time / 0.8, 1.0) if time < 1 else 0.5}
    run = sh.Simulation(scene, dt=0.002).run(1.5, force=pull, every=10)
    nodes = run.data["node_position"].values
    return rope.length - np.linalg.norm(nodes[:, -1] - nodes[:, 0], axis=1), nodes


@pytest.mark.parametrize(("friction", "holds"), [(0.5, True), (0.1, False)])
def test_knot(friction: float, holds: bool) -> None:
    """An overhand knot is pulled tight with 10 N, and held with 0.5 N.

    It does not pass through itself: the shortest there is takes up 10.1 diameters of rope (Pieranski, Przybyl and
    Stasiak 2001), a stiff one more. A loop of radius R pushes with B/(2 R^2) against the pull (Audoly, Clauvelin and
    Neukirch 2007): without friction 0.5 N hold R = 32 mm, and a knot that takes up more than 2 pi R = 0.2 m. With
    little friction it opens that far, with more it holds.
    """
    taken, nodes = pulled_knot(friction)
    diameter = 0.008
    assert 10.1 * diameter < taken.min()
    assert taken[50] < 20 * diameter
    assert min(least_distance(nodes[i], 5) for i in (20, 35, 50, 75)) > 0.7 * diameter
    if holds:
        assert taken[-1] < 0.15
    else:
        assert taken[-1] > 0.2
