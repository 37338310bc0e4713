"""The problems of the accuracy benchmark: a scene, how long it runs, and where its bodies' centres of mass then are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import sharnir as sh
from sharnir.spatial import Array

from . import andrews as squeezer
from . import references, scenes

WINDOWS = 4  # of the N-four-bar
_SWING = (np.pi / 2, np.pi / 2)  # rad, the double pendulum at the start


@dataclass(frozen=True, eq=False)
class Problem:
    """What all contenders simulate. Errors are relative to ``size`` (m), the largest distance that matters in it."""

    name: str
    scene: Callable[[], sh.Scene]
    centers: Callable[[Array], Array]  # times (s) to centres of mass (m) [time, body, 3]
    duration: float  # s
    size: float  # m
    closed: bool  # joints close a loop
    samples: int = 20  # instants at which the error is looked at; the coarsest run makes one step between two
    efforts: dict[str, float] = field(default_factory=dict)  # N m, by joint

    def reference(self) -> Array:
        """The centres of mass at the samples [sample, body, 3]."""
        times = np.linspace(0.0, self.duration, self.samples + 1)
        return self.centers(times)[1:]


def _pendulum(times: Array) -> Array:
    angle = references.pendulum(times)
    return _in_plane(np.sin(angle), -np.cos(angle))[:, None]


def _double_pendulum(times: Array) -> Array:
    arms = [_in_plane(np.sin(angle), -np.cos(angle)) for angle in references.double_pendulum(_SWING, times).T]
    return np.stack([arms[0] / 2, arms[0] + arms[1] / 2], axis=1)


def _four_bar(times: Array) -> Array:
    angles = references.four_bar(times).T
    lengths = (scenes.CRANK, scenes.COUPLER, scenes.ROCKER)
    crank, coupler, rocker = (
        length * _in_plane(np.cos(angle), np.sin(angle)) for length, angle in zip(lengths, angles, strict=True)
    )
    ground = np.array([scenes.GROUND, 0.0, 0.0])
    return np.stack([crank / 2, crank + coupler / 2, ground + rocker / 2], axis=1)


def _n_four_bar(times: Array) -> Array:
    angle = references.n_four_bar(WINDOWS, times)
    crank = _in_plane(np.sin(angle), np.cos(angle))
    along = np.array([scenes.ROD, 0.0, 0.0])
    cranks = [i * along + crank / 2 for i in range(WINDOWS + 1)]
    couplers = [(i + 0.5) * along + crank for i in range(WINDOWS)]
    return np.stack(cranks + couplers, axis=1)


def _andrews(times: Array) -> Array:
    flat = [[squeezer.place(body.center, q) for body in squeezer.BODIES] for q in references.andrews(times)]
    return np.pad(np.array(flat), ((0, 0), (0, 0), (0, 1)))


def _governor(times: Array) -> Array:
    turn, angle, height = references.governor(times).T
    center = scenes.GOVERNOR_PIN_MOMENT / (scenes.SHAFT_MASS + scenes.BALL_MASS)  # from the hinge along the rod
    reach, drop = scenes.GOVERNOR_ARM + center * np.cos(angle), 1.0 - center * np.sin(angle)
    right = np.stack([reach * np.cos(turn), reach * np.sin(turn), drop], axis=1)
    left = right * np.array([-1.0, -1.0, 1.0])
    still = np.zeros((len(times), 2))
    shaft = np.column_stack([still, np.full(len(times), 0.5)])
    return np.stack([shaft, np.column_stack([still, height]), right, left], axis=1)


def _in_plane(x: Array, z: Array) -> Array:
    return np.stack([x, np.zeros_like(x), z], axis=-1)


PROBLEMS = (
    Problem("planar pendulum", scenes.pendulum, _pendulum, 4.0, 1.0, closed=False),
    Problem("double pendulum", lambda: scenes.double_pendulum(_SWING), _double_pendulum, 2.0, 2.0, closed=False),
    Problem("four-bar", scenes.four_bar, _four_bar, 2.0, scenes.GROUND, closed=True),
    Problem(f"{WINDOWS}-four-bar", lambda: scenes.n_four_bar(WINDOWS), _n_four_bar, 4.0, 1.0, closed=True),
    Problem("Bricard", scenes.bricard, references.bricard, 4.0, 1.0, closed=True),
    Problem(
        "Andrews",
        scenes.andrews,
        _andrews,
        0.03,
        0.07,
        closed=True,
        efforts={"crank_hinge": squeezer.TORQUE},
    ),
    Problem("flyball governor", scenes.governor, _governor, 4.0, 1.0, closed=False),
)
