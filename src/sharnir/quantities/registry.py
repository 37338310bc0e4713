"""The registry of quantities: each named number of a scene is declared once, where it is derived.

    @quantity("body", "J")
    def kinetic_energy(r: Readings, i: int) -> Array:
        \"\"\"Kinetic energy of a body.\"\"\"

is all there is to a quantity: whose it is, its unit and components, how it follows from what is recorded, and, by
further arguments, where it lies in a running simulation and how it is set. ``sim.get``, ``sim.set``, ``run[...]``,
taps, plots, console channels, netCDF files, diagrams and the table in the documentation read this registry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from ..errors import SceneError, nearest
from ..model.layout import Layout
from ..scene.quantity import Quantity
from ..scene.values import Plain, shown
from ..spatial import Array

if TYPE_CHECKING:
    from .readings import Readings
    from .setting import Access

# Whose a quantity can be, with the names along that axis of a trajectory: a field of ``Layout``.
OWNERS = {
    "body": "bodies",
    "joint": "joints",
    "axis": "coordinates",
    "limit": "limits",
    "friction": "frictions",
    "soft": "softs",
    "coupling": "couplings",
    "term": "terms",
    "actuator": "actuators",
    "catch": "catches",
    "mover": "movers",
    "ruler": "rulers",
    "ray": "rays",
    "sensor": "readings",
    "beam": "beams",
    "vector_sensor": "vector_readings",
    "rope": "ropes",
    "node": "nodes",
    "element": "elements",
    "source": "sources",
}

Derivation = Callable[["Readings", int], Array]
Setter = Callable[["Access", int, Array], None]
Unit = str | tuple[str, str]

# Units that differ between axes that slide and axes that turn.
COORDINATE: Unit = ("m", "rad")
RATE: Unit = ("m/s", "rad/s")
ACCELERATION: Unit = ("m/s^2", "rad/s^2")
EFFORT: Unit = ("N", "N m")
IMPULSE: Unit = ("N s", "N m s")


@dataclass(frozen=True)
class Definition:
    """What is known of a quantity.

    ``owner`` is one of ``OWNERS``, None for the whole scene; ``unit`` differs where axes slide or turn; ``about`` is
    the first line of its docstring. ``derive`` makes an array [frame, world] or [frame, world, component] for one item.
    ``live`` is where the number lies while a simulation runs, (table, array); ``sent`` where diagrams and faults write
    it; ``set`` writes it for ``Simulation.set``. ``held``: it holds over the step that led to a frame. ``is_error``: it
    spans orders of magnitude. ``channel`` is its group on the console and the word that follows its item there.
    """

    name: str
    owner: str | None
    unit: Unit
    components: tuple[str, ...]
    about: str
    derive: Derivation
    live: tuple[str, str] | None = None
    sent: tuple[str, str] | None = None
    set: Setter | None = None
    held: bool = False
    is_error: bool = False
    channel: tuple[str, str] | None = None

    def address(self, item: str | None = None, linear: bool = False, unit: str | None = None) -> Quantity:
        """The quantity of an item; ``linear`` chooses the unit where axes slide or turn."""
        if unit is None:
            unit = self.unit if isinstance(self.unit, str) else self.unit[0 if linear else 1]
        return Quantity(self.name, item, unit, self.components)

    def names(self, layout: Layout) -> tuple[str, ...]:
        """The items of a scene that have it; none for a quantity of the whole scene."""
        return () if self.owner is None else getattr(layout, OWNERS[self.owner])

    def place(self, layout: Layout, item: str | None) -> int:
        """Where an item lies among those that have this quantity, or an error that names the nearest."""
        if self.owner is None:
            return 0
        known = self.names(layout)
        if item not in known:
            hint = nearest(str(item), known) if known else "; this scene has none"
            raise SceneError(f"there is no {self.name} of '{item}'{hint}")
        return known.index(str(item))

    def row(self, place: int) -> int:
        """The row of an item in the arrays of a simulation, where the world lies before the bodies."""
        return place + 1 if self.owner == "body" else place


QUANTITIES: dict[str, Definition] = {}


AnyDerivation = TypeVar("AnyDerivation", bound=Derivation)


def quantity(
    owner: str | None,
    unit: Unit,
    components: tuple[str, ...] = (),
    *,
    live: tuple[str, str] | None = None,
    sent: tuple[str, str] | None = None,
    set: Setter | None = None,
    held: bool = False,
    is_error: bool = False,
    channel: tuple[str, str] | None = None,
) -> Callable[[AnyDerivation], AnyDerivation]:
    """Declare the quantity that a function derives, by the function's name; see :class:`Definition`."""

    def declare(derive: AnyDerivation) -> AnyDerivation:
        name = derive.__name__
        assert name not in QUANTITIES and derive.__doc__, f"{name} is declared already, or does not say what it is"
        about = derive.__doc__.splitlines()[0].rstrip(".")
        about = about[0].lower() + about[1:]
        flags: Plain = {"held": held, "is_error": is_error, "channel": channel}
        QUANTITIES[name] = Definition(name, owner, unit, components, about, derive, live, sent, set, **flags)
        return derive

    return declare


def definition_of(quantity: object, doing: str = "") -> Definition:
    """The definition of a quantity, or an error that says what else to give."""
    if not isinstance(quantity, Quantity):
        raise SceneError(
            f"{doing}{shown(quantity)} is not a quantity; give one such as hinge.angle, body.mass or body.position"
        )
    if quantity.variable not in QUANTITIES:
        raise SceneError(f"there is no quantity '{quantity.variable}'{nearest(quantity.variable, QUANTITIES)}")
    return QUANTITIES[quantity.variable]


def those(choose: Callable[[Definition], object]) -> Mapping[str, Definition]:
    """The definitions of which something holds, such as that they can be set."""
    return {name: definition for name, definition in QUANTITIES.items() if choose(definition)}
