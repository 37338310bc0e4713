"""Faults that an instructor injects into a running simulation, and clears.

A fault is a law on numbers of the simulation: the torque that a motor has left, the friction of a joint, the force on
a body. The board applies the laws of all active faults before every step, on top of whatever else sets those numbers,
and puts the numbers back when a fault is cleared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ..errors import SceneError, nearest
from ..scene.quantity import XYZ, Quantity, declared
from ..scene.values import Description, Vec3, not_negative, units, vector
from .blocks.plant_signals import find_joint
from .sinks import ControlledPlant, Reader, Writer

if TYPE_CHECKING:
    from ..scene.scene import Scene

# What a number becomes, from what it would be, the steps since the fault began, and the step (s).
Law = Callable[[float, int, float], float]

LEAST_TORQUE = 1e-9  # of the motor's own: none at all would leave a motor without inertia undefined
NOTHING = -1e30  # N; every element pulls harder than this
FOREVER = 1 << 60  # steps


class Effect(NamedTuple):
    """A number that a fault changes, and how."""

    quantity: Quantity
    component: str | None
    law: Law


class Fault(Description, frozen=True, tag_field="type"):
    """Base of all faults."""

    def effects(self, scene: Scene) -> list[Effect]:
        """What it changes in a scene; SceneError where it cannot."""
        raise NotImplementedError


class DriveLoss(Fault, frozen=True, tag="drive_loss"):
    """The motor of a ``joint`` has lost its power: of its torque the share ``remaining`` (0 to 1) is left.

    The rotor and the gear stay.
    """

    joint: str
    remaining: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_share(self.remaining, "DriveLoss remaining")

    def effects(self, scene: Scene) -> list[Effect]:
        joint, axis = find_joint(scene, self.joint)
        voltage = joint.voltage(axis)
        share = max(self.remaining, LEAST_TORQUE)
        return [Effect(declared("stall_torque").address(voltage.item), None, lambda torque, *_: torque * share)]


class BrakeFailure(Fault, frozen=True, tag="brake_failure"):
    """The brake of a ``joint`` adds only the share ``remaining`` (0 to 1) of what it is told to.

    The joint's own friction stays.
    """

    joint: str
    remaining: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_share(self.remaining, "BrakeFailure remaining")

    def effects(self, scene: Scene) -> list[Effect]:
        joint, axis = find_joint(scene, self.joint)
        level = joint.friction_level(axis)
        own = float(getattr(joint.friction[str(level.item).partition(".")[2]], "level", 0.0))
        return [Effect(level, None, lambda given, *_: own + self.remaining * max(given - own, 0.0))]


class ExtraFriction(Fault, frozen=True, tag="extra_friction"):
    """A ``joint`` that turns hard: ``level`` (N m, N for sliding axes) more friction. It needs friction to raise."""

    from_zero = units(level="N m or N")

    joint: str
    level: float

    def effects(self, scene: Scene) -> list[Effect]:
        joint, axis = find_joint(scene, self.joint)
        return [Effect(joint.friction_level(axis), None, lambda given, *_: given + self.level)]


class Gust(Fault, frozen=True, tag="gust"):
    """A gust of ``force`` (N, world axes) on a ``body`` at its centre of mass: (1 - cos(2 pi t/T))/2 of it over the
    ``duration`` T (s), then nothing."""

    above_zero = units(duration="s")

    body: str
    force: Vec3
    duration: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        vector(self.force, "Gust force (N)")

    def effects(self, scene: Scene) -> list[Effect]:
        if self.body not in scene.bodies:
            raise SceneError(f"there is no body '{self.body}'{nearest(self.body, scene.bodies)}")
        quantity = declared("force").address(self.body)
        return [Effect(quantity, axis, self._law(peak)) for axis, peak in zip(XYZ, self.force, strict=True) if peak]

    def _law(self, peak: float) -> Law:
        def law(given: float, steps: int, dt: float) -> float:
            time = (steps + 0.5) * dt
            if time >= self.duration:
                return given
            return given + peak * 0.5 * (1.0 - math.cos(2.0 * math.pi * time / self.duration))

        return law


class RopeBreak(Fault, frozen=True, tag="rope_break"):
    """A ``rope`` that parts, at the element that pulls hardest. Clearing it does not repair the rope; a reset does."""

    rope: str

    def effects(self, scene: Scene) -> list[Effect]:
        if self.rope not in scene.ropes:
            raise SceneError(f"there is no rope '{self.rope}'{nearest(self.rope, scene.ropes)}")
        strength = declared("rope_strength").address(self.rope)
        return [
            Effect(strength, None, lambda given, steps, _: given if steps else NOTHING)
        ]  # in one step, at one place


AnyFault = DriveLoss | BrakeFailure | ExtraFriction | Gust | RopeBreak


def _check_share(value: object, what: str) -> None:
    if not 0.0 <= not_negative(value, what) <= 1.0:
        raise SceneError(f"{what} is {value}; it is a share from 0 to 1")


def checked_effects(name: str, fault: AnyFault, scene: Scene) -> list[Effect]:
    """What a fault changes, or an error that names it."""
    try:
        return fault.effects(scene)
    except SceneError as error:
        raise SceneError(f"fault '{name}': {error}") from None


Key = tuple[str, str | None, str | None]


@dataclass
class Cell:
    """A number under faults: what it would be without them, and what was written last."""

    read: Reader
    write: Writer
    base: float
    seen: float
    laws: dict[str, Law] = field(default_factory=dict)


@dataclass(frozen=True)
class FaultState:
    """What a fault board remembers."""

    active: tuple[tuple[str, int], ...]
    cells: tuple[tuple[Key, float, float], ...]


class FaultBoard:
    """The faults of a simulation, by name: ``inject``, ``clear``, ``active``.

    It is attached to one ``world`` of the simulation ``plant``, and so part of its snapshots; a reset clears all
    faults.
    """

    rank = 1  # after the controllers, whose outputs it changes

    def __init__(self, plant: ControlledPlant, faults: Mapping[str, AnyFault] | None = None, world: int = 0) -> None:
        self._plant, self.world = plant, world
        self.faults = dict(plant.scene.faults if faults is None else faults)
        self._cells: dict[Key, Cell] = {}
        self._started: dict[str, int] = {}  # the step in which each active fault began
        for name, fault in self.faults.items():
            checked_effects(name, fault, self._plant.scene)
        plant.attach(self)

    @property
    def active(self) -> tuple[str, ...]:
        """The names of the injected faults, in the order in which they were injected."""
        return tuple(self._started)

    def add(self, name: str, fault: AnyFault) -> None:
        """Prepare a ``fault`` under a ``name``, to be injected later."""
        if name in self.faults:
            raise SceneError(f"there is a fault '{name}' already; give the second one another name")
        checked_effects(name, fault, self._plant.scene)
        self.faults[name] = fault

    def inject(self, name: str) -> None:
        """Inject the fault called ``name``: it acts from the next step on."""
        if name not in self.faults:
            raise SceneError(f"there is no fault '{name}'{nearest(name, self.faults)}")
        self.clear(name)
        self._engage(name, self._plant.steps_of(self.world))

    def _engage(self, name: str, step: int) -> None:
        self._started[name] = step
        for effect in checked_effects(name, self.faults[name], self._plant.scene):
            key = (effect.quantity.variable, effect.quantity.item, effect.component)
            if key not in self._cells:
                taps = self._plant.taps
                read = taps.reader(effect.quantity, effect.component, self.world)
                write = taps.writer(effect.quantity, effect.component, self.world)
                taps.refresh()
                now = float(read())
                self._cells[key] = Cell(read, write, now, now)
            self._cells[key].laws[name] = effect.law

    def clear(self, name: str) -> None:
        """Clear the fault called ``name``; what it changed goes back to what it would be without it."""
        if name not in self._started:
            return
        self._plant.taps.refresh()
        for key, cell in list(self._cells.items()):
            if cell.laws.pop(name, None) is not None:
                self._settle(cell)
                if not cell.laws:
                    del self._cells[key]
        del self._started[name]
        self._plant.taps.flush()

    def tick(self) -> int:
        """Apply the laws of the active faults."""
        if not self._cells:
            return FOREVER
        self._plant.taps.refresh()
        for cell in self._cells.values():
            self._settle(cell)
        self._plant.taps.flush()
        return 1

    def _settle(self, cell: Cell) -> None:
        now = float(cell.read())
        if now != cell.seen:  # someone else has set it since
            cell.base = now
        value = cell.base
        for name, law in cell.laws.items():
            value = law(value, self._plant.steps_of(self.world) - self._started[name], self._plant.dt)
        if value != now:
            cell.write(value)
        cell.seen = float(cell.read())  # as it was stored, which in float32 is not what was written

    # --- starting over ----------------------------------------------------------------------------------------------

    def snapshot(self) -> FaultState:
        """What it remembers."""
        return FaultState(
            tuple(self._started.items()), tuple((key, cell.base, cell.seen) for key, cell in self._cells.items())
        )

    def restore(self, state: FaultState) -> None:
        """Go on from a snapshot's ``state``."""
        self.release()
        for name, step in state.active:
            self._engage(name, step)
        for key, base, seen in state.cells:
            cell = self._cells[key]
            cell.base, cell.seen = base, seen
            cell.write(seen)
        self._plant.taps.flush()

    def reset(self) -> None:
        """Clear all faults."""
        self.release()

    def release(self) -> None:
        """Clear all faults."""
        for name in list(self._started):
            self.clear(name)
