"""Friction laws for a joint, ranked by how well they predict the part of a log that they were not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from ..errors import SceneError, nearest
from ..files import scene_content, scene_of
from ..scene.elements.friction_laws import AnyFriction, Coulomb, Load, LuGre, Stribeck, Viscous
from ..scene.scene import Scene
from ..scene.values import Plain
from ..spatial import Array
from .identify import Found, Identification
from .logs import Log
from .plan import Factory

AS_GOOD = 1.02  # a simpler law is preferred while its error is no larger by more than this
HELD_OUT = 0.35  # share of the log
LEAST = 1e-3  # of a range that starts at zero: laws with a level of zero are other laws


@dataclass(frozen=True)
class Law:
    """A friction law to be tried: its ``name``, its numbers, and how it is made from them.

    ``scales`` are the largest values of its numbers: ``level`` (N m or N), ``speed`` (rad/s or m/s), ``viscous`` and
    ``stiffness`` are in the units of the laws, made from the range of the level and the speed of the log.
    """

    name: str
    numbers: tuple[str, ...]
    make: Callable[..., AnyFriction | None]


def _steady(level: float, viscous: float) -> Stribeck:
    return Stribeck(level, level, 1.0, viscous)


def _stribeck(level: float, static: float, speed: float, viscous: float) -> Stribeck:
    return Stribeck(level, level + static, speed, viscous)


def _lugre(level: float, static: float, speed: float, viscous: float, stiffness: float, damping: float) -> LuGre:
    return LuGre(level, level + static, speed, stiffness, damping, viscous)


def _loaded(coefficient: float) -> Coulomb:
    return Coulomb(coefficient, load=Load(radius=1.0))


LAWS = {
    law.name: law
    for law in (
        Law("none", (), lambda: None),
        Law("viscous", ("viscous",), lambda viscous: Viscous(viscous)),
        Law("coulomb", ("level",), lambda level: Coulomb(level)),
        Law("coulomb with load", ("coefficient",), _loaded),
        Law("coulomb and viscous", ("level", "viscous"), _steady),
        Law("stribeck", ("level", "static", "speed", "viscous"), _stribeck),
        Law("lugre", ("level", "static", "speed", "viscous", "stiffness", "damping"), _lugre),
    )
}  # from the simplest to the richest


@dataclass(frozen=True)
class Ranked:
    """A law that was tried, by its ``name``, and the numbers that were ``found`` for it.

    Its errors on ``held_out`` data and on the part it was ``fitted`` to are root mean squares over the noise, a ratio.
    """

    name: str
    held_out: float
    fitted: float
    found: Found


def with_law(scene: Scene, joint: str, friction: AnyFriction | None) -> Scene:
    """The same scene with another friction in a joint."""
    if joint not in scene.joints:
        raise SceneError(f"there is no joint '{joint}'{nearest(joint, scene.joints)}")
    content = scene_content(scene)
    spec = msgspec.structs.replace(content.joints[joint], friction=friction)
    made = scene_of(msgspec.structs.replace(content, joints=content.joints | {joint: spec}))
    made.diagram = scene.diagram
    return made


def factory_of(scene: Scene, joint: str, law: Law, ranges: Mapping[str, tuple[float, float]]) -> Factory:
    """A function that makes the scene with a law from its numbers; the defaults lie in the middle of their ranges."""
    import inspect

    def made(**numbers: float) -> Scene:
        given = {name: numbers.get(name, 0.5 * sum(ranges[name])) for name in law.numbers}
        return with_law(scene, joint, law.make(**given))

    keyword = inspect.Parameter.KEYWORD_ONLY
    parts = [inspect.Parameter(name, keyword, default=0.5 * sum(ranges[name])) for name in law.numbers]
    made.__signature__ = inspect.Signature(parts)  # type: ignore[attr-defined]
    return made


def ranges_of(level: tuple[float, float], speed: float, load: float) -> dict[str, tuple[float, float]]:
    """Ranges of the numbers of all laws, from that of the level (N m or N), the top speed and the load (N)."""
    high = level[1]
    return {
        "level": (max(level[0], LEAST * high), high),
        "coefficient": (LEAST * high / load, high / load),
        "static": (LEAST * high, high),
        "speed": (0.003 * speed, 0.5 * speed),
        "viscous": (LEAST * high / speed, 2.0 * high / speed),
        "stiffness": (high / 0.1, high / 1e-4),
        "damping": (1e-3 * high / speed, 3.0 * high / speed),
    }


def top_speed(log: Log, column: str) -> float:
    """The speed that the log reaches, from a smooth course through it."""
    from scipy.signal import savgol_filter

    values = log.columns[column]
    width = min(31, len(values) // 2 * 2 - 1)
    rates = savgol_filter(values, width, 3, deriv=1, delta=float(np.median(np.diff(log.time))))
    return float(np.quantile(np.abs(rates), 0.995)) or 1.0


def rank(
    scene: Scene,
    joint: str,
    log: Log,
    level: tuple[float, float],
    *,
    outputs: Mapping[str, str],
    inputs: Mapping[str, str] | None = None,
    free: Mapping[str, str | None] | None = None,
    laws: tuple[str, ...] = tuple(LAWS),
    load: float = 10.0,
    seed: int = 0,
    **details: Any,
) -> list[Ranked]:
    """Fit every law to the first part of the log and rank them by the rest, the best first.

    ``scene`` has the ``joint`` by name; ``laws`` are their names, ``seed`` is of the searches. ``level`` (N m or N) is
    where the friction may lie, ``load`` (N) a typical reaction of the joint; ``outputs``, ``inputs``, ``free`` and
    ``details`` are those of :class:`Identification`. Of laws as good the simplest wins.
    """
    for name in laws:
        if name not in LAWS:
            raise SceneError(f"there is no friction law '{name}'{nearest(name, LAWS)}")
    ranges = ranges_of(level, top_speed(log, next(iter(outputs.values()))), load)
    split = (1.0 - HELD_OUT) * float(log.time[-1])
    found = []
    for name in laws:
        law = LAWS[name]
        numbers = {number: "{!r}:{!r}".format(*ranges[number]) for number in law.numbers} | dict(free or {})
        made = factory_of(scene, joint, law, ranges)
        if not numbers and not isinstance(details.get("delay"), str):
            found.append(_unfitted(scene, joint, log, outputs, inputs, split, details))
            continue
        one = Identification(made, log, numbers, outputs=outputs, inputs=inputs, until=split, **details)
        fit = one.fit(seed=seed, check=False, twin=False)
        found.append(Ranked(name, *_errors(one, fit), fit))
    best = min(one.held_out for one in found)
    good = [
        one for one in found if one.held_out <= AS_GOOD * best
    ]  # in the order of the laws, so the simplest is first
    return [good[0], *sorted((one for one in found if one is not good[0]), key=lambda one: one.held_out)]


def _errors(one: Identification, found: Found) -> tuple[float, float]:
    """Root mean squares over held-out and over fitted rows, in units of the noise that is in the log itself."""

    def error(rows: Array) -> float:
        parts = [found.residuals[name][rows] / one._floor(name) for name in one.outputs]
        return float(np.sqrt(np.mean(np.concatenate(parts) ** 2)))

    return error(one.held_out_rows), error(one.fitted_rows)


def _unfitted(
    scene: Scene,
    joint: str,
    log: Log,
    outputs: Mapping[str, str],
    inputs: Mapping[str, str] | None,
    split: float,
    details: Plain,
) -> Ranked:
    """The law without numbers: simulated, not fitted."""
    body = next(iter(scene.bodies))
    one = Identification(
        with_law(scene, joint, None),
        log,
        {f"{body}.mass": None},
        outputs=outputs,
        inputs=inputs,
        until=split,
        **details,
    )
    from .address import find, value_of

    mass = value_of(one.base, find(one.base, f"{body}.mass")) or 1.0
    simulated = {name: rows[0] for name, rows in one.simulate(np.array([[mass]])).items()}
    nothing = dict.fromkeys(outputs, 0.0)
    found = Found([], [], one.noise, nothing, nothing, one.base, log.time, one._measured, simulated, 1)
    return Ranked("none", *_errors(one, found), found)
