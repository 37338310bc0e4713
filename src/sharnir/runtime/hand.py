"""The hand: a spring from a place on a body to a place in the world, as an operator pulls it with the mouse.

    F = k (target - p) - c v,  |F| <= F_most,  T = r x F

with p and v the place on the body and its velocity, r from the centre of mass to p. It is made for the machine that the
body belongs to, of mass M: k = M w^2 and c = 2 M w would bring a free machine to the target without overshoot. Both are
bounded by the least mass m that any direction at p can have,

    1/m = the largest eigenvalue of  1/mass + [r]^T I^-1 [r]

(joints only add to it): the force is that of the last step, and with k dt^2/m <= 1/4 and c dt/m <= 1/2 that is stable,
as k dt^2/m + 2 c dt/m < 4.

It adds to whatever else pushes the body. So it takes its part off before the diagram and the faults look at the forces
(``Lifted``, ranked first) and puts it on after them (``Hand``, ranked last).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import SceneError, nearest
from ..scene.machines import machines_of
from ..scene.quantity import XYZ, Quantity
from ..scene.scene import Scene
from ..spatial import Array, rotate

if TYPE_CHECKING:
    from ..simulation.live_access import Reader, Writer
    from ..simulation.simulation import Simulation

OMEGA = 2.0 * math.pi * 1.5  # rad/s, of the whole machine on the spring
SOFTEST, CALMEST = 0.25, 0.5  # of m/dt^2 and of m/dt
MOST = 2.0  # times the machine's weight is what it pulls at most
GRAVITY = 9.81  # m/s^2, where a scene has none
FOREVER = 1 << 60  # steps


class HandSpring(NamedTuple):
    """How a body is pulled at a place: N/m, N s/m, N at most."""

    stiffness: float
    damping: float
    most: float


def spring_for(scene: Scene, body: str, point: Array, dt: float) -> HandSpring:
    """The spring for a place (m, in the body's frame) with steps of ``dt`` (s)."""
    machine = next(names for names in machines_of(scene) if body in names)
    whole = sum(p.mass for name in machine if (p := scene.bodies[name].properties) is not None)
    properties = scene.bodies[body].properties
    assert properties is not None  # what is fixed cannot be pulled
    x, y, z = point - properties.center
    arm = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    mobility = np.eye(3) / properties.mass + arm.T @ np.linalg.solve(properties.inertia, arm)
    least = 1.0 / float(np.linalg.eigvalsh(mobility)[-1])
    stiffness = min(whole * OMEGA**2, SOFTEST * least / dt**2)
    damping = min(2.0 * math.sqrt(stiffness * whole), CALMEST * least / dt)
    gravity = float(np.linalg.norm(scene.gravity)) or GRAVITY
    return HandSpring(stiffness, damping, MOST * whole * gravity)


@dataclass
class Grip:
    """What the hand has hold of."""

    body: str
    place: int  # of the body in the state's arrays, the world being the first
    point: Array  # m, from the centre of mass, in the body's axes
    target: Array  # m, in the world
    spring: HandSpring
    cells: list[tuple[Reader, Writer]]  # a reader and a writer of each component of force and torque
    given: list[float] | None = None  # what they were before the hand added to them


class Hand:
    """Attached to a simulation, after everything else that pushes bodies."""

    rank, world = 3, 0

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._grip: Grip | None = None
        self.force: Array = np.zeros(3)  # N, in the last step
        simulation.attach(Lifted(self))
        simulation.attach(self)

    @property
    def pulled(self) -> Grip | None:
        """What it has hold of."""
        return self._grip

    def pull(self, body: str, point: tuple[float, ...], target: tuple[float, ...]) -> None:
        """Pull a body at a point (m, in its frame) towards a target (m, in the world), from the next step on."""
        scene = self._simulation.scene
        if body not in scene.bodies:
            raise SceneError(f"there is no body '{body}'{nearest(body, scene.bodies)}")
        properties = scene.bodies[body].properties
        if scene.bodies[body].spec.fixed or properties is None:
            raise SceneError(f"body '{body}' is fixed; pull one that can move")
        for name, values in (("point", point), ("target", target)):
            if not np.all(np.isfinite(values)):
                raise SceneError(f"the {name} of the pull on '{body}' is {values}; give finite numbers (m)")
        grip = self._grip
        if grip is not None and grip.body == body and np.array_equal(self._point(body, point), grip.point):
            grip.target = np.array(target)
            return
        self.loosen()
        spring = spring_for(scene, body, np.array(point), self._simulation.dt)
        place = 1 + list(scene.bodies).index(body)
        self._grip = Grip(body, place, self._point(body, point), np.array(target), spring, self._cells(body))

    def _point(self, body: str, point: tuple[float, ...]) -> Array:
        return np.array(point) - self._simulation.scene.bodies[body].center

    def _cells(self, body: str) -> list[tuple[Reader, Writer]]:
        taps = self._simulation.taps
        kinds = (Quantity("force", body, "N", XYZ), Quantity("torque", body, "N m", XYZ))
        pairs = [(quantity, axis) for quantity in kinds for axis in XYZ]
        return [(taps.reader(*pair), taps.writer(*pair)) for pair in pairs]

    def loosen(self) -> None:
        """Let go."""
        self.lift()
        self._grip = None
        self.force = np.zeros(3)

    def lift(self) -> None:
        """Take off what was added: others see the forces as they left them."""
        grip = self._grip
        if grip is not None and grip.given is not None:
            for (_, write), value in zip(grip.cells, grip.given, strict=True):
                write(value)
            grip.given = None
            self._simulation.taps.flush()

    def ends(self) -> tuple[Array, Array]:
        """The place on the body and its target (m, in the world)."""
        assert self._grip is not None
        state, grip = self._simulation.state, self._grip
        turn, at = state.rotation.numpy()[grip.place, 0], state.position.numpy()[grip.place, 0]
        return at + rotate(turn, grip.point), grip.target

    def tick(self) -> int:
        """Add the spring's force and torque."""
        grip = self._grip
        if grip is None:
            return FOREVER
        state, place = self._simulation.state, grip.place
        arm = rotate(state.rotation.numpy()[place, 0], grip.point)
        point = state.position.numpy()[place, 0] + arm
        velocity = state.velocity.numpy()[place, 0] + np.cross(state.spin.numpy()[place, 0], arm)
        force = grip.spring.stiffness * (grip.target - point) - grip.spring.damping * velocity
        size = float(np.linalg.norm(force))
        self.force = force * (grip.spring.most / size) if size > grip.spring.most else force
        self._simulation.taps.refresh()
        grip.given = [float(read()) for read, _ in grip.cells]
        added = (*self.force, *np.cross(arm, self.force))
        for (_, write), given, more in zip(grip.cells, grip.given, added, strict=True):
            write(given + float(more))
        self._simulation.taps.flush()
        return 1

    def snapshot(self) -> None:
        """A hand is not part of what is gone back to."""

    def restore(self, _: object) -> None:
        """Let go; the forces are those of the snapshot already."""
        self.reset()

    def reset(self) -> None:
        """Let go."""
        if self._grip is not None:
            self._grip.given = None
        self.loosen()

    def release(self) -> None:
        """Let go."""
        self.loosen()


class Lifted:
    """Takes the hand off the forces before anything else of a simulation looks at them."""

    rank, world = -1, 0

    def __init__(self, hand: Hand) -> None:
        self._hand = hand

    def tick(self) -> int:
        """The hand's part is off."""
        self._hand.lift()
        return FOREVER if self._hand.pulled is None else 1

    def snapshot(self) -> None: ...
    def restore(self, _: object) -> None: ...
    def reset(self) -> None: ...
    def release(self) -> None: ...
