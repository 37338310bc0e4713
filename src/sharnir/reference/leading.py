"""Prescribed motion in the exact twin: the position, velocity and acceleration that rows are given.

A row that is led keeps J v at a rate r(t), so J a + J' v = r'(t); where it is led by position, it is brought back to
that after every step. Functions of time come without derivatives: they are interpolated by pieces of Chebyshev
polynomials, as short as it takes to have them to rounding, and the derivatives are those of the pieces.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from .. import spatial
from ..errors import SceneError
from ..scene.body import Body
from ..scene.couplings import Coupling, Prescribed
from ..scene.joint import Joint
from ..scene.mover import Mover, movers_of
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..scene.values import shown
from ..simulation.inputs import InputsOf, wants_simulation
from ..spatial import Array
from .mechanism import Mechanism, Motion

DEGREE = 16
LONGEST, SHORTEST = 0.25, 1e-6  # s, of a piece
UNEVEN = 0.4871  # where pieces are cut: corners at round times are then inside a piece, and noticed
RESOLVED = 3e-14  # of the largest coefficient: the last ones of a piece that is short enough
MEETS = 1e-9  # m and rad: how exactly a motion must begin where its coordinate does
NODES = np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
TO_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(NODES, DEGREE))


class Path:
    """A function of time (s) with its first two derivatives; it may have corners at the ``edges`` (s), no others.

    Of quaternions (``is_turn``) either sign is the same turn.
    """

    def __init__(
        self, what: str, function: Callable[[float], Array], edges: Sequence[float], is_turn: bool = False
    ) -> None:
        self.what, self.function, self.edges, self.is_turn = what, function, tuple(edges), is_turn
        self._starts: list[float] = []
        self._pieces: list[tuple[float, float, Array]] = []  # from, to, coefficients [degree, part]

    def at(self, t: float) -> tuple[Array, Array, Array]:
        """Value, rate and acceleration at a time."""
        found = bisect.bisect_right(self._starts, t) - 1
        if found < 0 or t > self._pieces[found][1] or (t == self._pieces[found][1] and t in self.edges[:-1]):
            found = self._make(t)
        low, high, coefficients = self._pieces[found]
        place, scale = (2.0 * t - low - high) / (high - low), 2.0 / (high - low)
        first, second = chebyshev.chebder(coefficients), chebyshev.chebder(coefficients, 2)
        value, rate, change = (np.asarray(chebyshev.chebval(place, one)) for one in (coefficients, first, second))
        return value, scale * rate, scale * scale * change

    def _make(self, t: float) -> int:
        """A piece in which a time lies; its place among them."""
        k = min(max(bisect.bisect_right(self.edges, t) - 1, 0), len(self.edges) - 2)
        low, high = self.edges[k], self.edges[k + 1]
        if high - low > LONGEST:
            cell = low + LONGEST * (math.floor((t - low) / LONGEST - UNEVEN) + UNEVEN)
            low, high = max(low, cell), min(high, cell + LONGEST)
        while True:
            times = 0.5 * (low + high) + 0.5 * (high - low) * NODES
            times = np.clip(times, np.nextafter(low, high), np.nextafter(high, low))  # its own side of a corner
            values = np.array([self.function(float(time)) for time in times])
            if self.is_turn:
                values = values * _signs(values)[:, None]
            coefficients = TO_COEFFICIENTS @ values
            if (np.abs(coefficients[-3:]) <= RESOLVED * np.abs(coefficients).max(axis=0)).all():
                break
            if high - low < SHORTEST:
                raise SceneError(
                    f"{self.what} is not smooth near t = {t:g} s; the exact twin needs its second derivative: "
                    "give a smooth function, or the times of its corners as breaks"
                )
            middle = low + UNEVEN * (high - low)
            low, high = (low, middle) if t < middle else (middle, high)
        place = bisect.bisect_left(self._starts, low)
        self._starts.insert(place, low)
        self._pieces.insert(place, (low, high, coefficients))
        return place


@dataclass(frozen=True)
class Lead:
    """Where a coordinate, or a body, is led by its ``path``: by its value, or only by its rate (``by_rate``)."""

    path: Path | None
    by_rate: bool = False

    def at(self, t: float, start: Array) -> tuple[Array, Array, Array]:
        """Where it is to be, its rate and its acceleration; at its ``start`` for good without a path."""
        if self.path is None:
            return start, 0.0 * start, 0.0 * start
        value, rate, change = self.path.at(t)
        return (start, value, rate) if self.by_rate else (value, rate, change)


STAY = Lead(None)


@dataclass
class LedBody:
    """A mover: the rows of its weld, where its body starts, and how that is led."""

    mover: Mover
    rows: slice
    axes: Array  # [3, 3] the weld's directions, rows, world axes
    anchor: Array  # m, where the weld holds the body at the start
    frame: Array  # [3, 3] the weld's frame at the start
    place: Lead = STAY
    turn: Lead = STAY

    def led(self, t: float) -> tuple[Array, Array]:
        """The rates of the weld's rows, and their accelerations, [6] each."""
        _, velocity, acceleration = self.place.at(t, self.anchor)
        spin, angular = self._spins(t)
        ahead = np.concatenate([self.axes @ velocity, self.axes @ spin])
        return ahead, np.concatenate([self.axes @ acceleration, self.axes @ angular])

    def _spins(self, t: float) -> tuple[Array, Array]:
        """The angular velocity and acceleration: 2 q' q* and 2 q'' q* of a unit quaternion."""
        q, rate, change = self.turn.at(t, np.zeros(3) if self.turn.by_rate else spatial.IDENTITY)
        if self.turn.by_rate:
            return rate, change
        back = spatial.conjugate(q) / (q @ q)
        return 2.0 * spatial.multiply(rate, back)[:3], 2.0 * spatial.multiply(change, back)[:3]

    def errors(self, m: Motion, joint: int, t: float) -> Array:
        """How far the body is off, [6] of the first state; zero where it is led by rates alone."""
        off = np.zeros(6)
        if not self.place.by_rate:
            place, _, _ = self.place.at(t, self.anchor)
            off[:3] = self.axes @ (m.offset[0, joint] + self.anchor - place)
        if not self.turn.by_rate:
            q, _, _ = self.turn.at(t, spatial.IDENTITY)
            apart = m.frame_b[0, joint] @ (spatial.matrix(q / np.linalg.norm(q)) @ self.frame).T
            skew = 0.5 * (apart - apart.T)
            off[3:] = self.axes @ (skew[2, 1], skew[0, 2], skew[1, 0])
        return off


@dataclass
class Leading:
    """All that is prescribed in a scene: ``coordinates`` by the place of their coupling, and ``bodies`` by joint."""

    coordinates: dict[int, Lead] = field(default_factory=dict)
    bodies: dict[int, LedBody] = field(default_factory=dict)

    @property
    def some(self) -> bool:
        """Whether anything is."""
        return bool(self.coordinates or self.bodies)

    def rows(self, mechanism: Mechanism, t: Array) -> tuple[Array, Array]:
        """Rates and accelerations [k, row] at which rows are led at times [k]; zero of all others."""
        rate, change = np.zeros((2, len(t), mechanism.row_count))
        for k, time in enumerate(t.tolist()):
            if k and time == t[k - 1]:
                rate[k], change[k] = rate[k - 1], change[k - 1]
                continue
            for g, lead in self.coordinates.items():
                _, first, second = lead.at(time, np.zeros(1))
                row = len(mechanism.rows) + g
                rate[k, row], change[k, row] = first[0], second[0]
            for body in self.bodies.values():
                rate[k, body.rows], change[k, body.rows] = body.led(time)
        return rate, change


def leading_of(scene: Scene, mechanism: Mechanism, motion: InputsOf, edges: Sequence[float]) -> Leading:
    """What is prescribed in a scene, and the motions that a run is given for it; ``edges`` (s) are their corners."""
    couplings = list(scene.couplings.values())
    made = Leading({g: STAY for g, one in enumerate(couplings) if isinstance(one.type, Prescribed)})
    for mover in movers_of(scene):
        joint = mechanism.joints.index(mover.weld)
        rows = [i for i, row in enumerate(mechanism.rows[: mechanism.locked]) if row.joint == joint]
        pose = mover.weld.a.pose @ mover.weld.frame_a
        frame = spatial.matrix(pose.rotation)
        made.bodies[joint] = LedBody(mover, slice(rows[0], rows[-1] + 1), frame.T, pose.position, frame)
    taken: set[tuple[str, str]] = set()
    for key, value in motion.items():
        found = _body_led(made, key)
        if found is not None:
            _lead_body(found, key, value, edges, taken)
            continue
        g = _coordinate_led(couplings, key)
        _once(taken, couplings[g].labels[0], "coordinate")
        made.coordinates[g] = _coordinate_lead(couplings[g], key, value, edges)
    return made


def _coordinate_led(couplings: list[Coupling], key: object) -> int:
    label = key.coordinate().item if isinstance(key, Joint) else key.item if isinstance(key, Quantity) else None
    for g, coupling in enumerate(couplings):
        if isinstance(coupling.type, Prescribed) and (coupling is key or label in coupling.labels):
            return g
    raise SceneError(
        f"motion: {shown(key)} is not prescribed; first let it be: scene.couple('name', sh.Prescribed(), joint)"
    )


def _coordinate_lead(coupling: Coupling, key: object, value: object, edges: Sequence[float]) -> Lead:
    what = f"motion of '{coupling.labels[0]}'"
    by_rate = isinstance(key, Quantity) and key.variable == "rate"
    path = Path(what, _numbers(what, value, 1), edges)
    if not by_rate:
        _check_start(what, float(path.function(0.0)[0]), coupling.offset)
    return Lead(path, by_rate)


def _body_led(made: Leading, key: object) -> LedBody | None:
    """The body that a key of a motion names; None where it names none."""
    is_rate = isinstance(key, Quantity) and key.variable in ("velocity", "angular_velocity")
    body = key.body if isinstance(key, Mover) else key
    if not isinstance(body, Body) and not is_rate:
        return None
    name = key.item if isinstance(key, Quantity) else body.name if isinstance(body, Body) else ""
    for led in made.bodies.values():
        if led.mover.body.name == name:
            return led
    raise SceneError(f"motion: body '{name}' is not prescribed; first let it be: scene.prescribe('name', body)")


def _lead_body(led: LedBody, key: object, value: object, edges: Sequence[float], taken: set[tuple[str, str]]) -> None:
    name = led.mover.body.name
    what = f"motion of '{name}'"
    if isinstance(key, Quantity):
        _once(taken, name, key.variable)
        lead = Lead(Path(what, _numbers(what, value, 3), edges), by_rate=True)
        if key.variable == "velocity":
            led.place = lead
        else:
            led.turn = lead
        return
    for part in ("velocity", "angular_velocity"):
        _once(taken, name, part)
    whole: Callable[[float], Any] = value if callable(value) else lambda _: value
    _refuse_state(what, value)
    first = whole(0.0)
    if not (isinstance(first, tuple) and len(first) == 2):
        led.place = Lead(Path(what, _numbers(what, value, 3), edges))
        _check_start(what, *_apart(led.place.at(0.0, led.anchor)[0], led.anchor))
        return
    led.place = Lead(Path(what, _numbers(what, lambda t: whole(t)[0], 3), edges))
    start = spatial.conjugate(led.mover.weld.a.pose.rotation)
    turned = _numbers(what, lambda t: whole(t)[1], 4)

    def turn(t: float) -> Array:
        """From how it starts."""
        return np.asarray(spatial.multiply(turned(t), start))

    led.turn = Lead(Path(what, turn, edges, is_turn=True))
    _check_start(what, *_apart(led.place.at(0.0, led.anchor)[0], led.anchor))
    _check_start(f"{what}, its turn", float(np.linalg.norm(turn(0.0)[:3])), 0.0)


def _signs(turns: Array) -> Array:
    """Signs that make quaternions follow each other by the shorter way."""
    steps = np.where(np.einsum("ki,ki->k", turns[1:], turns[:-1]) < 0.0, -1.0, 1.0)
    return np.concatenate([[1.0], np.cumprod(steps)])


def _apart(place: Array, start: Array) -> tuple[float, float]:
    worst = int(np.argmax(np.abs(place - start)))
    return float(place[worst]), float(start[worst])


def _check_start(what: str, begins: float, start: float) -> None:
    if abs(begins - start) > MEETS * max(1.0, abs(start)):
        raise SceneError(
            f"{what} begins at {begins:.9g}, and the scene has it at {start:.9g}; the exact twin does not jump: "
            "pose the scene there, or let the motion begin where it stands"
        )


def _once(taken: set[tuple[str, str]], name: str, part: str) -> None:
    if (name, part) in taken:
        raise SceneError(f"motion of '{name}' is given twice; give where it is to be, or its rate")
    taken.add((name, part))


def _refuse_state(what: str, value: object) -> None:
    if callable(value) and wants_simulation(value):
        raise SceneError(f"{what} follows the simulation; the exact twin takes functions of time alone")


def _numbers(what: str, value: object, count: int) -> Callable[[float], Array]:
    """A motion as a function of time that gives ``count`` finite numbers."""
    _refuse_state(what, value)

    def numbers(t: float) -> Array:
        told = value(t) if callable(value) else value
        try:
            found = np.asarray(told, float).reshape(-1)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.shape != (count,) or not np.isfinite(found).all():
            many = "one finite number" if count == 1 else f"{count} finite numbers"
            raise SceneError(f"{what} is given {shown(told)} at t = {t:g} s; give {many}")
        return found

    return numbers
