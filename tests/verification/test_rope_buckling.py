"""Ropes that give way to twist and take a new shape, whose closed form is known."""

from __future__ import annotations

import numpy as np
import pytest
from ropes import FREE

import sharnir as sh
from sharnir import spatial
from sharnir.model.rope_arrays import curvature


def helix(elements: int, dt: float) -> tuple[float, float, float, float]:
    """1 m of rod, K11 = 1, K33 = 4 N m^2, wound by 11 rad between clamps 0.9 m apart, come to rest.

    The worst error of its envelope, its moment M, the least cosine of its angle to the axis, and its tension T.
    """
    scene = sh.Scene("helix", gravity=FREE)
    clamp = sh.Tie(body="world", clamped=True, direction=(1, 0, 0))
    made = {"radius": 0.02, "density": 100.0, "bending": 1.0, "twisting": 4.0, "damping": 0.02}
    laid = {"length": 1.0, "elements": elements, "twist": 11.0}
    scene.rope("rod", [(0, 0, 0), (0.9, 0, 0)], start=clamp, end=clamp, **laid, **made)
    sim = sh.Simulation(scene, dt=dt)
    sim.step(round(8.0 / dt))
    turns = sim.state.rope_rotation.numpy()[:elements, 0]
    cosine = spatial.rotate(turns, [0.0, 0.0, 1.0])[:, 0]
    moments = 4.0 * curvature(turns, np.full(elements, 1 / elements))[:-1, 2]
    pulls = sim.memory.rope_pull.numpy()[:elements, 0, 0] / dt
    assert np.ptp(pulls) < 1e-3 * pulls.mean()  # nothing pulls at the rod between its ends
    moment, least, s = moments.mean(), cosine.min(), (np.arange(elements) + 0.5) / elements - 0.5
    bend = moment * np.sqrt((1 - least) / (1 + least)) / elements  # of a joint in the middle, rad
    assert np.ptp(moments) < bend**2 / 4 * moment  # one moment all along, to second order
    width = 2.0 / moment * np.sqrt((1 + least) / (1 - least))
    envelope = (cosine - least) / (1 - least)
    return float(np.abs(envelope - np.tanh(s / width) ** 2).max()), float(moment), float(least), float(pulls.mean())


def test_helical_buckling() -> None:
    """The rod winds into a helix that is localised in its middle (Coyne 1990; van der Heijden and Thompson 2000):

    (cos a - cos a_0)/(1 - cos a_0) = tanh^2(s/s*),  1/s* = (M/(2 K11)) sqrt((1 - cos a_0)/(1 + cos a_0)),

    under the tension T = M^2/(2 K11 (1 + cos a_0)). The errors are of second order in the element's length.
    """
    coarse, fine = helix(50, 0.005), helix(100, 0.005)
    assert fine[0] < 0.01
    assert coarse[0] / fine[0] > 3
    _, moment, least, tension = fine
    assert tension == pytest.approx(moment**2 / (2 * (1 + least)), rel=0.01)


def writhe(nodes: np.ndarray) -> float:
    """Writhe of a polygon: the sum of the solid angles under which its edges see each other, over 2 pi (Klenin and
    Langowski 2000)."""
    i, j = np.triu_indices(len(nodes) - 1, k=2)
    a, b, c, d = nodes[i], nodes[i + 1], nodes[j], nodes[j + 1]
    sides = (np.cross(c - a, d - a), np.cross(d - a, d - b), np.cross(d - b, c - b), np.cross(c - b, c - a))
    normals = [side / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-300) for side in sides]
    cosines = [np.sum(normals[k] * normals[k - 3], axis=1) for k in range(4)]
    angles = sum(np.arcsin(np.clip(cosine, -1.0, 1.0)) for cosine in cosines)
    return float(np.sum(angles * np.sign(np.sum(np.cross(d - c, b - a) * (c - a), axis=1))) / (2 * np.pi))


def twist(bones: np.ndarray) -> float:
    """Turns of twist: the angle about its axis of the shortest turn from each element to the next."""
    a, b = bones[:-1], bones[1:]
    z = a[:, 3] * b[:, 2] - a[:, 2] * b[:, 3] - a[:, 0] * b[:, 1] + a[:, 1] * b[:, 0]
    w = np.sum(a * b, axis=1)
    return float(np.sum(2 * np.arctan2(z * np.sign(w), np.abs(w))) / (2 * np.pi))


def turns_of(sim: sh.Simulation, joint: sh.Joint) -> float:
    """How many turns a joint has made."""
    return float(sim.get(joint.coordinate("angle"))) / (2 * np.pi)


def test_plectoneme() -> None:
    """A slack rope is wound between two clamps: it leaves its line and winds up around itself.

    What the clamps wind in is kept, turns = twist + writhe (Calugareanu), at every instant: exactly so for a polygon,
    whose twist is that of the shortest turn from edge to edge, with its ends prolonged along the clamps. The springs of
    the two clamps, half an element each, take a joint's share of the twist; what the torque M at the chuck twists its
    own by, M l/(2 K33), may run ahead of the rest. The rope does not pass through itself, so that more than half of the
    turns end as writhe of two strands side by side.
    """
    elements, radius, twisting, wound, torque = 60, 0.005, 3e-3, 5.0, 0.03
    scene = sh.Scene("plectoneme", gravity=(0, 0, -0.2))
    chuck = scene.body("chuck", mass=0.2, inertia=(1e-4, 1e-4, 1e-4), position=(0.9, 0, 0))
    guide = scene.joint("guide", sh.Cylindrical(axis=(1, 0, 0), anchor=(0.9, 0, 0)), scene.world, chuck)
    made = {"radius": radius, "density": 1000.0, "bending": 2e-3, "twisting": twisting, "damping": 0.02}
    ends = {
        end: sh.Tie(body=body, clamped=True, direction=(1, 0, 0)) for end, body in (("start", "world"), ("end", chuck))
    }
    scene.rope("rope", [(0, 0, 0), (0.9, 0, 0)], length=1.0, elements=elements, contact=True, **made, **ends)
    sim = sh.Simulation(scene, dt=0.004)
    far = np.abs(np.subtract.outer(np.arange(elements), np.arange(elements))) >= 6  # along the rope
    for _ in range(12):
        sim.set(guide.effort("angle"), torque if turns_of(sim, guide) < wound else 0.0)
        sim.step(75)
        nodes = sim.state.rope_position.numpy()[:, 0]
        beyond = np.array([1e3, 0.0, 0.0])
        writhed = writhe(np.vstack([nodes[0] - beyond, nodes, nodes[-1] + beyond]))
        twisted = twist(sim.state.rope_rotation.numpy()[:elements, 0]) * elements / (elements - 1)
        ahead = torque / (2 * elements * twisting) / (2 * np.pi)
        assert turns_of(sim, guide) == pytest.approx(twisted + writhed, abs=ahead)
        middle = (nodes[1:] + nodes[:-1]) / 2
        nearest = np.linalg.norm(middle[:, None] - middle[None], axis=-1)[far].min()
        assert nearest > 0.9 * 2 * radius
    assert nearest < 1.25 * 2 * radius
    assert writhed > 0.5 * wound
