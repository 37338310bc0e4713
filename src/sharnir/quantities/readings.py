"""Readings: the frames of a scene, read item by item; what derivations of quantities have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..model.layout import FrictionRow, Layout, coordinates_of, friction_rows_of, layout_of
from ..model.rope_arrays import rope_arrays
from ..model.softs import SoftRow, softs_of
from ..scene.body import Body
from ..scene.elements.actuators import AnyActuator
from ..scene.joint import Joint
from ..scene.joint_coordinates import coordinate, coordinate_axis, lock_error
from ..scene.joints import Coordinate
from ..scene.mover import Mover, movers_of
from ..scene.scene import Scene
from ..scene.values import Plain
from ..spatial import IDENTITY, Array, Pose, conjugate, multiply, rotate
from .frames import Frames

SMALL_SHARE = 0.01  # of a step, over which rates are compared


class Readings:
    """The frames of one scene; ``i`` is an item's place in the scene's ``Layout``, arrays are [frame, world, ...]."""

    def __init__(self, scene: Scene, frames: Frames) -> None:
        self.scene = scene
        self.frames = frames
        # computed once, because every quantity of a joint needs them
        self._poses: dict[str, Pose] = {}
        self._frames_of: dict[str, tuple[Pose, Pose]] = {}

    @cached_property
    def layout(self) -> Layout:
        """The names along each item axis."""
        return layout_of(self.scene)

    @cached_property
    def coordinates(self) -> list[tuple[Joint, Coordinate]]:
        """Joint and coordinate of every place along the axis ``axis``."""
        return [(joint, found) for _, joint, found in coordinates_of(self.scene)]

    @cached_property
    def terms(self) -> list[tuple[int, int, float]]:
        """The coupling, the place in it and the factor of every term."""
        couplings = enumerate(self.scene.couplings.values())
        return [(g, place, factor) for g, coupling in couplings for place, factor in enumerate(coupling.factors)]

    @cached_property
    def frictions(self) -> list[FrictionRow]:
        """Everything that rubs, in the order of the arrays."""
        return friction_rows_of(self.scene)

    @cached_property
    def actuators(self) -> list[tuple[AnyActuator, int]]:
        """Every actuator with the place of its coordinate."""
        return [(row.actuator, place) for row, place in self.softs if row.actuator is not None]

    @cached_property
    def movers(self) -> list[Mover]:
        """Every body that is moved, in the order of the arrays."""
        return movers_of(self.scene)

    def mover(self, i: int) -> int:
        """The place of a mover among the bodies."""
        return self._places[self.layout.movers[i]]

    @cached_property
    def softs(self) -> list[tuple[SoftRow, int]]:
        """Every soft row with the place of its coordinate, or -1."""
        places = self.layout.coordinates
        return [(row, places.index(row.label) if row.kind >= 0 else -1) for row in softs_of(self.scene)]

    @cached_property
    def rope_model(self) -> Plain:
        """The arrays of the model that describe ropes."""
        return rope_arrays(self.scene)[0]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.layout.bodies)}

    def zeros(self, *shape: int) -> Array:
        """Zero at every frame and world."""
        return np.zeros((*self.frames.shape, *shape))

    def nothing(self) -> Array:
        """Not a number, for items that do not have a quantity."""
        return np.full(self.frames.shape, np.nan)

    def over_items(self, count: int, part: Callable[[Readings, int], Array], *shape: int) -> Array:
        """The sum of a quantity over items."""
        total = self.zeros(*shape)
        for i in range(count):
            total += part(self, i)
        return total

    # --- bodies -----------------------------------------------------------------------------------------------------

    def mass(self, i: int) -> Array:
        """kg; 0 for a fixed body, which has no part in weight, momentum and energy."""
        inverse = self.frames["inv_mass"][:, i]
        return np.divide(1.0, inverse, out=np.zeros_like(inverse), where=inverse > 0)

    def arm(self, i: int) -> Array:
        """From the centre of mass to the origin of the body's frame, m, world axes."""
        properties = self.scene.bodies[self.layout.bodies[i]].properties
        local = np.zeros(3) if properties is None else -properties.center
        return rotate(self.frames["rotation"][:, i], local)

    def spin_momentum(self, i: int) -> Array:
        """Angular momentum about the body's own centre of mass, N m s, world axes."""
        q, omega = self.frames["rotation"][:, i], self.frames["angular_velocity"][:, i]
        local = np.einsum("fwij,fwj->fwi", self.frames["inertia"][:, i], rotate(conjugate(q), omega))
        return rotate(q, local)

    def center_acceleration(self, i: int) -> Array:
        """Acceleration of the centre of mass, m/s^2; not a number where a step does not tell."""
        if not self.frames.is_leapfrog:
            return self.nothing()[..., None] * np.ones(3)
        return np.asarray(self.frames["kick"][:, i] / self.frames.dt)

    def angular_acceleration(self, i: int) -> Array:
        """Angular acceleration, rad/s^2, world axes: I w' = torque - w x I w; the kick has the torque's part."""
        if not self.frames.is_leapfrog:
            return self.nothing()[..., None] * np.ones(3)
        q, omega = self.frames["rotation"][:, i], self.frames["angular_velocity"][:, i]
        gyroscopic = rotate(conjugate(q), np.cross(omega, self.spin_momentum(i)))
        inertia = self.frames["inertia"][:, i]
        fixed = self.frames["inv_mass"][:, i, :, None, None] == 0.0
        change = np.linalg.solve(np.where(fixed, np.eye(3), inertia), gyroscopic[..., None])[..., 0]
        return np.asarray(self.frames["kick_spin"][:, i] / self.frames.dt - rotate(q, change))

    def moved(self, seconds: float) -> Readings:
        """The same a little later, as velocities and accelerations have it."""
        velocity, spin = self.frames["center_velocity"], self.frames["angular_velocity"]
        rotation = self.frames["rotation"]
        bodies = range(len(self.layout.bodies))
        pull = np.stack([self.center_acceleration(i) for i in bodies], axis=1)
        turn = np.stack([self.angular_acceleration(i) for i in bodies], axis=1)
        half = np.concatenate([0.5 * seconds * spin, np.zeros_like(spin[..., :1])], axis=-1)
        turned = rotation + multiply(half, rotation)
        raw = {
            "center": self.frames["center"] + seconds * velocity + 0.5 * seconds**2 * pull,
            "rotation": turned / np.linalg.norm(turned, axis=-1, keepdims=True),
            "center_velocity": velocity + seconds * pull,
            "angular_velocity": spin + seconds * turn,
        }
        return Readings(self.scene, replace(self.frames, raw={**self.frames.raw, **raw}))

    def pose(self, body: Body) -> Pose:
        """Where the frame of a body is."""
        if body.name not in self._poses:
            self._poses[body.name] = self._computed_pose(body)
        return self._poses[body.name]

    def _computed_pose(self, body: Body) -> Pose:
        if body is self.scene.world:
            return Pose(self.zeros(3), np.broadcast_to(IDENTITY, (*self.frames.shape, 4)))
        i = self._places[body.name]
        return Pose(self.frames["center"][:, i] + self.arm(i), self.frames["rotation"][:, i])

    # --- joints -----------------------------------------------------------------------------------------------------

    def joint_frames(self, joint: Joint) -> tuple[Pose, Pose]:
        """The frames of a joint on its bodies a and b."""
        if joint.name not in self._frames_of:
            frames = self.pose(joint.a) @ joint.frame_a, self.pose(joint.b) @ joint.frame_b
            self._frames_of[joint.name] = frames
        return self._frames_of[joint.name]

    def spin(self, joint: Joint) -> Array:
        """Angular velocity of a joint's body b against a, rad/s, world axes."""
        return np.asarray(self._spin_of(joint.b) - self._spin_of(joint.a))

    def slip(self, joint: Joint) -> Array:
        """Velocity of b against a at the joint's frame on b, m/s, world axes."""
        point = self.joint_frames(joint)[1].position
        return np.asarray(self._velocity_of(joint.b, point) - self._velocity_of(joint.a, point))

    def _spin_of(self, body: Body) -> Array:
        return (
            self.zeros(3) if body is self.scene.world else self.frames["angular_velocity"][:, self._places[body.name]]
        )

    def _velocity_of(self, body: Body, point: Array) -> Array:
        """Velocity of the point of a body that is at ``point`` now."""
        if body is self.scene.world:
            return self.zeros(3)
        i = self._places[body.name]
        arm = point - self.frames["center"][:, i]
        return np.asarray(self.frames["center_velocity"][:, i] + np.cross(self._spin_of(body), arm))

    def coordinate(self, i: int) -> Array:
        """A free coordinate, m or rad, turns counted."""
        joint, found = self.coordinates[i]
        if found.kind.is_turn and i in self.frames.counted:  # turns cannot be told from one instant
            return self.frames["twist"][:, self.frames.counted.index(i)]
        return coordinate(found.kind, *self.joint_frames(joint))

    def rate(self, i: int) -> Array:
        """The rate of a free coordinate, m/s or rad/s."""
        joint, found = self.coordinates[i]
        relative = self.slip(joint) if found.kind.is_linear else self.spin(joint)
        return np.asarray(np.sum(coordinate_axis(found.kind, *self.joint_frames(joint)) * relative, axis=-1))

    def coordinate_acceleration(self, i: int) -> Array:
        """The second derivative of a free coordinate, m/s^2 or rad/s^2: that of its rate along the motion.

        The difference over a hundredth of a step is off by (w dt)^2/60000 for a motion of frequency w, which a step
        itself is off by (w dt)^2/24.
        """
        later, earlier = self._around
        return np.asarray((later.rate(i) - earlier.rate(i)) / (2.0 * SMALL_SHARE * self.frames.dt))

    @cached_property
    def _around(self) -> tuple[Readings, Readings]:
        """The frames a little later and a little earlier."""
        seconds = SMALL_SHARE * self.frames.dt
        return self.moved(seconds), self.moved(-seconds)

    def lock_error(self, i: int) -> tuple[Array, Array]:
        """How far the locked axes of a joint are off: translations, m, and rotations, rad."""
        joint = self.scene.joints[self.layout.joints[i]]
        return lock_error(joint.type, joint.length, *self.joint_frames(joint))
