"""Prescribed motion of a body: a fixed body without mass that is moved, and a weld to the body it leads.

The force and the torque that the motion takes are the reaction of the weld, so that whatever else holds, touches or
pushes the body is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import SceneError
from .body import Body, BodySpec
from .joint import Joint
from .joints import Fixed
from .quantity import Quantity, declared

if TYPE_CHECKING:
    from .scene import Scene


@dataclass(frozen=True)
class Mover:
    """What moves a ``body``, as ``scene.prescribe`` returns it; ``weld`` is the joint by which it does.

    Hand a function of time to ``Simulation.run(motion={body: f})``: it returns the position of the body's frame (m), or
    a pair of position and quaternion; ``motion={body.velocity: f, body.angular_velocity: g}`` has rates (m/s, rad/s,
    world axes) instead. ``force`` and ``torque`` are what that takes.
    """

    body: Body
    weld: Joint

    @property
    def name(self) -> str:
        """The name of the moved body and of the weld."""
        return self.weld.name

    @property
    def force(self) -> Quantity:
        """The force on the body that the motion takes, world axes, N."""
        return self.weld.reaction_force

    @property
    def torque(self) -> Quantity:
        """The torque on the body that the motion takes, about the origin of its frame, world axes, N m."""
        return self.weld.reaction_torque

    @property
    def shift(self) -> Quantity:
        """Where the body's frame is to be by the end of the next step: m from where it started, world axes."""
        return declared("shift").address(self.name)

    @property
    def turn(self) -> Quantity:
        """How it is to be turned there: rotation vector from how it started, rad, world axes."""
        return declared("turn").address(self.name)

    @classmethod
    def put(cls, scene: Scene, name: str, body: Body) -> Mover:
        """Add what moves a ``body`` to a ``scene``, under a ``name``."""
        if body.spec.fixed:
            raise SceneError(f"mover '{name}': body '{body.name}' is fixed; leave fixed out to have it moved")
        others = [joint.name for joint in scene.joints.values() if joint.b is body and joint.a.spec.moved]
        if others:
            raise SceneError(f"mover '{name}': body '{body.name}' is moved by '{others[0]}' already; use that one")
        spec = BodySpec(position=body.spec.position, rotation=body.spec.rotation, fixed=True, moved=True)
        return cls(body, scene.joint(name, Fixed(), scene.add_body(name, spec), body))


def movers_of(scene: Scene) -> list[Mover]:
    """All that is moved in a scene, in the order of the arrays; refused where a moved body does anything else."""
    return [_mover_of(scene, body) for body in scene.bodies.values() if body.spec.moved]


def _mover_of(scene: Scene, moved: Body) -> Mover:
    mine = [joint for joint in scene.joints.values() if moved in (joint.a, joint.b)]
    if len(mine) != 1 or mine[0].a is not moved or not isinstance(mine[0].type, Fixed):
        held = ", ".join(f"'{joint.name}'" for joint in mine) or "none"
        raise SceneError(
            f"body '{moved.name}' is moved and has the joints {held}; it leads one body by one Fixed joint of which it "
            "is body a: let scene.prescribe('name', body) make both"
        )
    return Mover(mine[0].b, mine[0])
