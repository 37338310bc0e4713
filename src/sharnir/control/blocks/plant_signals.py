"""Signals of the simulation as sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import SceneError, nearest
from ...scene.quantity import Quantity, declared
from ...scene.values import shown
from .block import Block, SignalKind

if TYPE_CHECKING:
    from ...scene.joint import Joint
    from ...scene.scene import Scene


class Signal(Block, frozen=True, tag="signal"):
    """A quantity of the scene, read at the start of the tick.

    ``of`` names a joint, one of its coordinates ("hinge.angle") or a body; ``what`` is the quantity by the name it has
    in a trajectory: coordinate, rate, motor_speed, position, velocity and so on. Of a vector ``component`` is x, y, z
    or w. Quantities of the whole scene, such as total_energy, have no ``of``.
    """

    what: str = "coordinate"
    of: str | None = None
    component: str | None = None

    def quantity(self, scene: Scene) -> Quantity:
        """The quantity that is meant, or an error that names the nearest one."""
        found = find_quantity(scene, self.of, self.what)
        if found.components and self.component not in found.components:
            known = ", ".join(found.components)
            raise SceneError(f"'{found.label}' is a vector and component is {shown(self.component)}; give {known}")
        if not found.components and self.component is not None:
            raise SceneError(f"'{found.label}' is a number and component is {self.component!r}; leave it out")
        return found

    def kind(self, scene: Scene | None) -> SignalKind:
        """What it carries; without a scene the unit is not known."""
        if self.what == "stuck":
            return SignalKind("bool")
        return SignalKind("real", None if scene is None else self.quantity(scene).unit)


def find_joint(scene: Scene, of: str) -> tuple[Joint, str | None]:
    """A joint by its name, and the name of a coordinate if that was given as well: "axle", "sleeve.angle"."""
    name, _, axis = of.partition(".")
    if name not in scene.joints:
        raise SceneError(f"there is no joint '{name}'{nearest(name, scene.joints)}")
    return scene.joints[name], axis or None


def find_quantity(scene: Scene, of: str | None, what: str) -> Quantity:
    """A quantity by the name of its item and its own."""
    owner = declared(what).owner
    if owner is None:
        return declared(what).address()
    if of is None:
        raise SceneError(f"of is missing: '{what}' is of what? Give the name of a joint or a body")
    if owner == "body":
        if of not in scene.bodies:
            raise SceneError(f"there is no body '{of}'{nearest(of, scene.bodies)}")
        return scene.bodies[of].quantity(what)
    if owner in ("sensor", "beam", "vector_sensor"):
        return scene.reading(of)
    if owner in ("coupling", "term", "ray", "rope", "node", "element", "source"):
        return declared(what).address(of)
    joint, axis = find_joint(scene, of)
    found = getattr(joint, what, None)  # those that need more than a name, such as the unit of a target
    if found is None:
        return joint.quantity(what, axis)
    made: Quantity = found(axis) if callable(found) else found
    return made
