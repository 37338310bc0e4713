"""Ropes that give way to twist and take a new shape, whose closed form is known."""

from __future__ import annotations

import numpy as np
import pytest
from ropes import FREE

import sharnir as sh
from sharnir import spatial
from sharnir.model.ropes import curvature


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
