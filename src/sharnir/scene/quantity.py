"""Quantities: the named numbers of a scene that can be plotted, read from a simulation, or set in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..quantities import Definition

XYZ = ("x", "y", "z")
XYZW = ("x", "y", "z", "w")


@dataclass(frozen=True)
class Quantity:
    """One named number or vector of a body, a joint or the whole scene.

    ``variable`` is the array that holds it in a trajectory, ``item`` its label along that array's item axis
    (None for quantities of the whole scene), ``unit`` its SI unit and ``components`` the names of its parts.
    """

    variable: str
    item: str | None
    unit: str
    components: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name shown in legends: ``hinge.angle``, ``hinge.angle rate``, ``door velocity``, ``total energy``."""
        if self.variable in ("coordinate", "reading", "beam", "vector_reading") and self.item is not None:
            return self.item
        return " ".join(word for word in (self.item, self.variable.replace("_", " ")) if word)


def declared(name: str) -> Definition:
    """What is declared of a quantity, by its name in a trajectory."""
    from ..quantities import definition_of

    return definition_of(Quantity(name, None, ""))
