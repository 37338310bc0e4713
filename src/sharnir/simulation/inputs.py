"""Inputs of a run: torques and forces from outside, as numbers or functions of time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import spatial
from ..device import Table
from ..errors import SceneError
from ..model.fields import checked_values, read, write_row
from ..model.layout import Layout
from ..scene.body import Body
from ..scene.couplings import Prescribed
from ..scene.joint import Joint
from ..scene.mover import Mover, movers_of
from ..scene.quantity import XYZ, XYZW, Quantity
from ..scene.scene import Scene
from ..scene.values import shown
from ..spatial import Array

if TYPE_CHECKING:
    from .simulation import Simulation

# A number, a vector, one row per world, or a function of time (s), perhaps of the simulation too, that returns one.
Input = ArrayLike | Callable[..., ArrayLike]
InputsOf = Mapping[Any, Input]  # by joint, body, quantity or coupling

UNITS = {"torque": "N m", "force": "N"}


class Inputs:
    """What a run is given, by word, written to the controls before a step.

    Torques (N m) and forces (N) by joint, joint effort or body; voltages and targets of drives and
    commands of actuators by joint or quantity.
    """

    def __init__(self, sim: Simulation, given: Mapping[str, InputsOf | None]) -> None:
        scene, layout, dt = sim._scene, sim._layout, sim.dt
        self._follows_state = False
        self._targets: list[_Target] = []
        self._motions: list[_Motion] = []
        self._moves: list[_Move] = []
        self._half = 0.5 * dt
        for word, inputs in given.items():
            if not isinstance(inputs, (Mapping, NoneType)):
                raise SceneError(f"{word} is {shown(inputs)}; give a dictionary such as {{hinge: 1.0}}")
            for key, told in (inputs or {}).items():
                value = self._bound(told, sim)
                if word == "motion":
                    moved = _move(scene, key, value)
                    if moved is None:
                        self._motions.append(_motion(scene, key, value))
                    else:
                        self._moves.append(moved)
                    continue
                if word == "command":
                    array, place = "command", _actuator(layout, key)
                elif word in UNITS:
                    array, place = _target(scene, layout, word, UNITS[word], key)
                else:
                    array, place = "drive_input", _drive(layout, word, key)
                name = key.item if isinstance(key, Quantity) else key.name
                self._targets.append(_Target(f"{word} of '{name}'", array, place, value))
        moving: list[_Motion | _Move] = [*self._motions, *self._moves]
        _check_once(moving)
        values = [target.value for target in self._targets] + [one.value for one in moving]
        self.constant = not any(callable(value) for value in values) and not any(one.is_rate for one in moving)
        self.on_bodies = any(target.array in UNITS for target in self._targets)

    def _bound(self, value: Input, sim: Simulation) -> Input:
        """An input by time alone: a function that wants the simulation, too, has it."""
        if not callable(value) or not wants_simulation(value):
            return value
        self._follows_state = True
        return lambda time: value(time, sim)

    def apply(self, control: Table, time: ArrayLike) -> None:
        """Write the inputs at a time (s), or at one of its own for each world."""
        for what, array, place, value in self._targets:
            rows = getattr(control, array)
            write_row(rows, place, _now(what, value, time, XYZ if array in UNITS else (), rows.shape[1]))
        for what, place, start, value, is_rate in self._motions:  # where they are to be at the end of the step
            rows = control.coupling_target
            now = _now(what, value, time if is_rate else np.add(time, self._half), (), rows.shape[1])
            if is_rate:  # the rate in the middle of the step moves it on
                write_row(rows, place, read(rows)[place] + 2.0 * self._half * now)
            else:
                write_row(rows, place, now - start)
        for move in self._moves:
            move.apply(control, time, self._half)

    @property
    def by_time(self) -> bool:
        """Whether they can be worked out for many steps ahead: none follows the state, or moves on from where it is."""
        return not self._follows_state and not self._moves and not any(motion.is_rate for motion in self._motions)

    def ahead(self, middles: Array, rows: Callable[[str], Array]) -> None:
        """Write the inputs of steps with these ``middles`` (s) into ``rows``: arrays [step, item, world] by name."""
        for what, array, place, value in self._targets:
            into = rows(array)
            into[:, place] = _over_time(what, value, middles, XYZ if array in UNITS else (), into.shape[2])
        for what, place, start, value, _ in self._motions:  # where they are to be at the end of the step
            into = rows("coupling_target")
            into[:, place] = _over_time(what, value, middles + self._half, (), into.shape[2]) - start

    def release(self, control: Table) -> None:
        """Set what the inputs had set back to zero; prescribed motions stay where they are."""
        for target in self._targets:
            write_row(getattr(control, target.array), target.place, 0.0)


def wants_simulation(function: Callable[..., ArrayLike]) -> bool:
    """Whether a function has a second parameter that must be given."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of a library that does not tell
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in positional and one.default is one.empty for one in parameters) == 2


def _now(what: str, value: Input, time: ArrayLike, parts: tuple[str, ...], worlds: int) -> Array:
    """An input at a time (s); where the clocks of the worlds differ, its own row for each of them."""
    if not callable(value):
        return checked_values(what, value, parts, worlds)
    times = np.asarray(time).tolist()
    if isinstance(times, float):
        return checked_values(what, value(times), parts, worlds)
    shape = (worlds, len(parts)) if parts else (worlds,)
    found = {one: checked_values(what, value(one), parts, worlds) for one in set(times)}
    return np.stack([np.broadcast_to(found[one], shape)[world] for world, one in enumerate(times)])


def _over_time(what: str, value: Input, times: Array, parts: tuple[str, ...], worlds: int) -> Array:
    """An input at many times (s): [time, world, ...], or one row for all."""
    if not callable(value):
        return checked_values(what, value, parts, worlds)
    found = [value(time) for time in times.tolist()]
    if not parts and all(type(one) is float for one in found):
        numbers = np.array(found)
        if np.isfinite(numbers).all():
            return numbers[:, None]
    shape = (worlds, len(parts)) if parts else (worlds,)
    return np.stack([np.broadcast_to(checked_values(what, one, parts, worlds), shape) for one in found])


class _Motion(NamedTuple):
    """A prescribed motion: what it is called, its coupling, where it starts, what it is, and whether that is a rate."""

    what: str
    place: int
    start: float
    value: Input
    is_rate: bool


def _motion(scene: Scene, key: object, value: Input) -> _Motion:
    label = key.coordinate().item if isinstance(key, Joint) else key.item if isinstance(key, Quantity) else None
    for place, coupling in enumerate(scene.couplings.values()):
        if isinstance(coupling.type, Prescribed) and (coupling is key or label in coupling.labels):
            is_rate = isinstance(key, Quantity) and key.variable == "rate"
            return _Motion(f"motion of '{coupling.labels[0]}'", place, coupling.offset, value, is_rate)
    raise SceneError(
        f"motion: {shown(key)} is not prescribed; first let it be: scene.couple('name', sh.Prescribed(), joint)"
    )


@dataclass(frozen=True)
class _Move:
    """The motion of a body: its mover's place and pose at the start, what it is, and which rate that is, if one."""

    what: str
    place: int
    start: spatial.Pose
    value: Input
    rate: str  # "velocity", "angular_velocity", or "" for where it is to be

    @property
    def is_rate(self) -> bool:
        """Whether it moves on from where it is."""
        return bool(self.rate)

    def apply(self, control: Table, middle: Any, half: float) -> None:
        """Write where the body is to be at the end of a step of twice ``half`` (s) with that ``middle`` (s)."""
        worlds = control.mover_shift.shape[1]
        time = middle if self.rate else middle + half
        if callable(self.value) and np.ndim(time) > 0:
            each = [self._row(self.value(now), worlds, world) for world, now in enumerate(time.tolist())]
            given = tuple(np.stack(parts) for parts in zip(*each, strict=True))
        else:
            given = self._parts(self.value(time) if callable(self.value) else self.value, worlds)
        if not self.rate:
            write_row(control.mover_shift, self.place, given[0] - self.start.position)
            if len(given) == 2:
                turn = spatial.multiply(given[1], spatial.conjugate(self.start.rotation))
                write_row(control.mover_turn, self.place, spatial.to_vector(turn))
        elif self.rate == "velocity":  # the rate in the middle of the step moves it on
            write_row(control.mover_shift, self.place, read(control.mover_shift)[self.place] + 2.0 * half * given[0])
        else:
            turn = spatial.multiply(_rotations(2.0 * half * given[0]), _rotations(read(control.mover_turn)[self.place]))
            write_row(control.mover_turn, self.place, spatial.to_vector(turn))

    def _row(self, value: object, worlds: int, world: int) -> tuple[object, ...]:
        """What a function gives for one of the worlds whose clocks differ."""
        parts = self._parts(value, worlds)
        return tuple(part[world] if part.ndim == 2 else part for part in parts)

    def _parts(self, value: object, worlds: int) -> tuple[Array, ...]:
        """A vector, or a position and an orientation, checked."""
        if not self.rate and isinstance(value, tuple) and len(value) == 2:
            turned = checked_values(f"{self.what}, its quaternion", value[1], XYZW, worlds)
            if (np.abs(np.linalg.norm(turned, axis=-1) - 1.0) > 1e-3).any():
                raise SceneError(f"{self.what} is given {shown(value[1])}; give unit quaternions (x, y, z, w)")
            return checked_values(f"{self.what}, its position (m)", value[0], XYZ, worlds), turned
        return (checked_values(self.what, value, XYZ, worlds),)


def _rotations(vectors: Array) -> Array:
    """The quaternions of one rotation vector, or of a row for each world."""
    return (
        np.array([spatial.from_vector(row) for row in vectors]) if vectors.ndim == 2 else spatial.from_vector(vectors)
    )


RATES = ("velocity", "angular_velocity")


def _move(scene: Scene, key: Any, value: Input) -> _Move | None:
    """The motion of a body, or None where the key names no body."""
    is_rate = isinstance(key, Quantity) and key.variable in RATES
    if isinstance(key, Mover):
        key = key.body
    if not isinstance(key, Body) and not is_rate:
        return None
    name = key.item if is_rate else key.name
    for place, mover in enumerate(movers_of(scene)):
        if mover.body.name == name and (is_rate or mover.body is key):
            return _Move(f"motion of '{name}'", place, mover.weld.a.pose, value, key.variable if is_rate else "")
    raise SceneError(f"motion: body '{name}' is not prescribed; first let it be: scene.prescribe('name', body)")


def _check_once(moving: Sequence[_Motion | _Move]) -> None:
    """Refuse two motions of one coordinate or body; the velocity and the angular velocity of a body are one each."""
    taken: set[tuple[str, str]] = set()
    for one in moving:
        parts = RATES if isinstance(one, _Motion) or not one.rate else (one.rate,)
        if taken & {(one.what, part) for part in parts}:
            raise SceneError(f"{one.what} is given twice; give where it is to be, or its rate")
        taken |= {(one.what, part) for part in parts}


class _Target(NamedTuple):
    """An input: what it is called, where it goes, and what it is."""

    what: str
    array: str
    place: int
    value: Input


def _target(scene: Scene, layout: Layout, word: str, unit: str, key: object) -> tuple[str, int]:
    """The control array and the place in it that an input acts on."""
    if isinstance(key, Body):
        if scene.bodies.get(key.name) is not key:
            raise SceneError(f"{word}: body '{key.name}' is not in this scene; take one that scene.body(...) returned")
        return word, list(scene.bodies).index(key.name) + 1
    effort = key.effort() if isinstance(key, Joint) else key
    if not isinstance(effort, Quantity) or effort.variable != "effort" or effort.item not in layout.coordinates:
        raise SceneError(
            f"{word}: {shown(key)} cannot be driven; give a joint, joint.effort('name') or a body of this scene"
        )
    if effort.unit != unit:
        other = "force" if word == "torque" else "torque"
        raise SceneError(f"{word}: '{effort.item}' takes {effort.unit}, not {unit}; pass it as {other}=")
    return "effort", layout.coordinates.index(effort.item)


def _actuator(layout: Layout, key: object) -> int:
    """The place of an actuator."""
    quantity = key.command() if isinstance(key, Joint) else key
    if not isinstance(quantity, Quantity) or quantity.variable != "command" or quantity.item not in layout.actuators:
        raise SceneError(
            f"command: {shown(key)} has no actuator to give it to; give a joint with one, or joint.command('name')"
        )
    return layout.actuators.index(quantity.item)


def _drive(layout: Layout, word: str, key: object) -> int:
    """The place of a drive among the soft rows."""
    quantity = getattr(key, word)() if isinstance(key, Joint) else key
    if not isinstance(quantity, Quantity) or quantity.variable != word or quantity.item not in layout.softs:
        raise SceneError(
            f"{word}: {shown(key)} has no drive to give it to; give a joint with one, or joint.{word}('name')"
        )
    return layout.softs.index(quantity.item)
