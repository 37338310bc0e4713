"""Signals of the simulation as sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import SceneError, nearest
from ...scene.quantity import Quantity
from ...scene.values import shown
from .base import Block, Kind

if TYPE_CHECKING:
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
        found: Quantity = find_quantity(scene, self.of, self.what)
        if found.components and self.component not in found.components:
            known = ", ".join(found.components)
            raise SceneError(f"'{found.label}' is a vector and component is {shown(self.component)}; give {known}")
        if not found.components and self.component is not None:
            raise SceneError(f"'{found.label}' is a number and component is {self.component!r}; leave it out")
        return found

    def kind(self, scene: Scene | None) -> Kind:
        """What it carries; without a scene the unit is not known."""
        if self.what == "stuck":
            return Kind("bool")
        return Kind("real", None if scene is None else self.quantity(scene).unit)


# Quantities of a joint that belong to one of its axes, of a joint as a whole, of a body, and of the scene.
OF_AXES = (
    "coordinate",
    "rate",
    "effort",
    "limit_impulse",
    "spring_force",
    "voltage",
    "motor_speed",
    "motor_torque",
    "friction_impulse",
    "stuck",
)
OF_JOINTS = ("reaction_force", "reaction_torque", "gap", "tilt")
OF_BODIES = ("position", "rotation", "velocity", "angular_velocity", "kinetic_energy")
OF_SCENE = {
    "total_energy": "energy",
    "total_kinetic_energy": "kinetic_energy",
    "total_potential_energy": "potential_energy",
    "momentum": "momentum",
    "angular_momentum": "angular_momentum",
}


def find_quantity(scene: Scene, of: str | None, what: str) -> Any:
    """A quantity by the name of its item and its own."""
    if what in OF_SCENE:
        return getattr(scene, OF_SCENE[what])
    if of is None:
        raise SceneError(f"of is missing: '{what}' is of what? Give the name of a joint or a body")
    if what in OF_BODIES:
        if of not in scene.bodies:
            raise SceneError(f"there is no body '{of}'{nearest(of, scene.bodies)}")
        return getattr(scene.bodies[of], what)
    name, _, axis = of.partition(".")
    if what not in OF_AXES and what not in OF_JOINTS:
        raise SceneError(f"there is no quantity '{what}'{nearest(what, [*OF_AXES, *OF_JOINTS, *OF_BODIES, *OF_SCENE])}")
    if name not in scene.joints:
        raise SceneError(f"there is no joint '{name}'{nearest(name, scene.joints)}")
    joint = scene.joints[name]
    return getattr(joint, what) if what in OF_JOINTS else getattr(joint, what)(axis or None)
