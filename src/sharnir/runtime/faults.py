"""Faults an instructor can bring into a running simulation, and take back."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from ..errors import SceneError, nearest
from ..model.fields import read, write_row
from ..model.layout import layout_of
from ..model.softs import softs_of
from ..scene.scene import Scene
from ..scene.values import Vec3


class Fault(msgspec.Struct, frozen=True, tag_field="fault", forbid_unknown_fields=True):
    """What goes wrong. ``apply`` brings it in, ``act`` is called before every step, ``withdraw`` takes it back."""

    def check(self, scene: Scene) -> None:
        """Refuse what the scene does not have."""

    def apply(self, simulation: Any) -> Any:
        """Bring it in; returns what ``withdraw`` needs."""

    def act(self, simulation: Any, age: float) -> None:
        """Called before every step with the fault's age (s)."""

    def withdraw(self, simulation: Any, kept: Any) -> None:
        """Take it back."""


class DriveLoss(Fault, frozen=True, tag="drive_loss"):
    """A drive gets no voltage; a servo's motor none either."""

    joint: str

    def _places(self, scene: Scene) -> list[int]:
        return [i for i, row in enumerate(softs_of(scene)) if row.joint.name == self.joint and row.drive is not None]

    def check(self, scene: Scene) -> None:
        if not self._places(scene):
            driven = {row.joint.name for row in softs_of(scene) if row.drive is not None}
            raise SceneError(f"drive_loss: joint '{self.joint}' has no drive{nearest(self.joint, driven)}")

    def apply(self, simulation: Any) -> Any:
        places, stall = self._places(simulation.scene), simulation.model.drive_stall
        kept = read(stall)[places]
        for place in places:  # a motor without torque; its rotor still turns with the joint
            write_row(stall, place, 1e-12)
        return kept

    def withdraw(self, simulation: Any, kept: Any) -> None:
        for place, value in zip(self._places(simulation.scene), kept, strict=True):
            write_row(simulation.model.drive_stall, place, value)


class ExtraFriction(Fault, frozen=True, tag="extra_friction"):
    """The dry friction of a joint is multiplied by ``factor``."""

    joint: str
    factor: float = 5.0

    def _places(self, scene: Scene) -> list[int]:
        return [i for i, label in enumerate(layout_of(scene).frictions) if label.split(".")[0] == self.joint]

    def check(self, scene: Scene) -> None:
        known = {label.split(".")[0] for label in layout_of(scene).frictions}
        if self.joint not in known:
            raise SceneError(f"extra_friction: joint '{self.joint}' has no dry friction{nearest(self.joint, known)}")
        if not 0.0 <= self.factor <= 1e6:
            raise SceneError(f"extra_friction: factor is {self.factor}; give one between 0 and a million")

    def apply(self, simulation: Any) -> Any:
        model, places = simulation.model, self._places(simulation.scene)
        kept = read(model.dynamic_level)[places], read(model.static_level)[places]
        for place, dynamic, static in zip(places, *kept, strict=True):
            write_row(model.dynamic_level, place, dynamic * self.factor)
            write_row(model.static_level, place, static * self.factor)
        return kept

    def withdraw(self, simulation: Any, kept: Any) -> None:
        for place, dynamic, static in zip(self._places(simulation.scene), *kept, strict=True):
            write_row(simulation.model.dynamic_level, place, dynamic)
            write_row(simulation.model.static_level, place, static)


class Gust(Fault, frozen=True, tag="gust"):
    """A force (N, world axes) on a body's centre of mass that swells and dies down like half a sine wave."""

    body: str
    force: Vec3
    duration: float = 1.0  # s

    def check(self, scene: Scene) -> None:
        if self.body not in scene.bodies or scene.bodies[self.body].spec.fixed:
            free = [name for name, body in scene.bodies.items() if not body.spec.fixed]
            raise SceneError(f"gust: there is no free body '{self.body}'{nearest(self.body, free)}")
        if not np.isfinite(self.force).all() or not 0.0 < self.duration <= 3600.0:
            raise SceneError(f"gust: force {self.force} N for {self.duration} s; give finite numbers")

    def act(self, simulation: Any, age: float) -> None:
        share = np.sin(np.pi * age / self.duration) if age < self.duration else 0.0
        place = list(simulation.scene.bodies).index(self.body) + 1
        write_row(simulation.control.force, place, share * np.array(self.force))

    def withdraw(self, simulation: Any, kept: Any) -> None:
        write_row(simulation.control.force, list(simulation.scene.bodies).index(self.body) + 1, 0.0)


AnyFault = DriveLoss | ExtraFriction | Gust


def fault_of(described: dict[str, Any], scene: Scene) -> AnyFault:
    """A fault from its description, checked against the scene."""
    try:
        fault: AnyFault = msgspec.convert(described, AnyFault)
    except msgspec.ValidationError as error:
        raise SceneError(f"fault: {error}") from None
    fault.check(scene)
    return fault


def possible_faults(scene: Scene) -> list[dict[str, Any]]:
    """The faults that make sense in a scene, ready to be offered."""
    driven = dict.fromkeys(row.joint.name for row in softs_of(scene) if row.drive is not None)
    rubbing = dict.fromkeys(label.split(".")[0] for label in layout_of(scene).frictions)
    free = {name: body.properties for name, body in scene.bodies.items() if body.properties is not None}
    found: list[AnyFault] = [DriveLoss(joint) for joint in driven]
    found += [ExtraFriction(joint) for joint in rubbing]
    found += [Gust(name, (round(5.0 * p.mass, 1), 0.0, 0.0)) for name, p in free.items()]
    return [msgspec.to_builtins(fault) for fault in found]
