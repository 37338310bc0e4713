"""Signals: every named quantity of a run, derived from its raw frames.

Each signal is written once, for one item (a body, a joint, an axis), as an array [frame, world] or
[frame, world, component]. ``SIGNALS`` lists them; a trajectory stacks all items, ``evaluate`` reads a single quantity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import SceneError, nearest
from ..model.layout import Layout, coordinates_of, friction_rows_of, layout_of
from ..model.softs import SoftRow, softs_of
from ..scene.body import Body
from ..scene.elements.spring import Spring
from ..scene.joint import Joint
from ..scene.joints import Kind
from ..scene.measure import coordinate, coordinate_axis, lock_error
from ..scene.quantity import XYZ, XYZW, Quantity
from ..scene.scene import Scene
from ..scene.values import shown
from ..spatial import IDENTITY, Array, Pose, conjugate, rotate
from . import ropes
from .frames import Frames


class Readings:
    """The frames of one scene, read item by item; ``i`` is an item's place in the scene's ``Layout``."""

    def __init__(self, scene: Scene, frames: Frames) -> None:
        self.scene = scene
        self.frames = frames
        # computed once, because every signal of a joint needs them
        self._poses: dict[str, Pose] = {}
        self._frames_of: dict[str, tuple[Pose, Pose]] = {}

    @cached_property
    def layout(self) -> Layout:
        """The names along each item axis."""
        return layout_of(self.scene)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.layout.bodies)}

    @cached_property
    def _coordinates(self) -> list[tuple[Joint, Kind]]:
        return [(joint, found.kind) for _, joint, found in coordinates_of(self.scene)]

    # --- bodies -----------------------------------------------------------------------------------------------------

    def _arm(self, i: int) -> Array:
        """From the centre of mass to the origin of the body's frame, world axes."""
        properties = self.scene.bodies[self.layout.bodies[i]].properties
        local = np.zeros(3) if properties is None else -properties.center
        return rotate(self.frames.rotation[:, i], local)

    def position(self, i: int) -> Array:
        return self.frames.center[:, i] + self._arm(i)

    def rotation(self, i: int) -> Array:
        return self.frames.rotation[:, i]

    def velocity(self, i: int) -> Array:
        return self.frames.center_velocity[:, i] + np.cross(self.frames.angular_velocity[:, i], self._arm(i))

    def angular_velocity(self, i: int) -> Array:
        return self.frames.angular_velocity[:, i]

    def _spin(self, i: int) -> Array:
        """Angular momentum about the body's own centre of mass, world axes."""
        q, omega = self.frames.rotation[:, i], self.frames.angular_velocity[:, i]
        local = np.einsum("wij,fwj->fwi", self.frames.inertia[i], rotate(conjugate(q), omega))
        return rotate(q, local)

    def kinetic_energy(self, i: int) -> Array:
        v, omega = self.frames.center_velocity[:, i], self.frames.angular_velocity[:, i]
        return 0.5 * (self.frames.mass[i] * np.sum(v * v, axis=-1) + np.sum(omega * self._spin(i), axis=-1))

    # --- joints -----------------------------------------------------------------------------------------------------

    def _pose(self, body: Body) -> Pose:
        if body.name not in self._poses:
            self._poses[body.name] = self._computed_pose(body)
        return self._poses[body.name]

    def _computed_pose(self, body: Body) -> Pose:
        if body is self.scene.world:
            shape = self.frames.residual.shape
            return Pose(np.zeros((*shape, 3)), np.broadcast_to(IDENTITY, (*shape, 4)))
        i = self._places[body.name]
        return Pose(self.position(i), self.rotation(i))

    def _joint_frames(self, joint: Joint) -> tuple[Pose, Pose]:
        if joint.name not in self._frames_of:
            frames = self._pose(joint.a) @ joint.frame_a, self._pose(joint.b) @ joint.frame_b
            self._frames_of[joint.name] = frames
        return self._frames_of[joint.name]

    def _spin_rate(self, body: Body) -> Array | float:
        return 0.0 if body is self.scene.world else self.frames.angular_velocity[:, self._places[body.name]]

    def _point_velocity(self, body: Body, point: Array) -> Array | float:
        """Velocity of the point of a body that is at ``point`` now."""
        if body is self.scene.world:
            return 0.0
        i = self._places[body.name]
        arm = point - self.frames.center[:, i]
        return self.frames.center_velocity[:, i] + np.cross(self.frames.angular_velocity[:, i], arm)

    def coordinate(self, i: int) -> Array:
        joint, kind = self._coordinates[i]
        if kind.is_turn and i in self.frames.counted:  # turns cannot be told from one instant
            return self.frames.twist[:, self.frames.counted.index(i)]
        return coordinate(kind, *self._joint_frames(joint))

    def rate(self, i: int) -> Array:
        joint, kind = self._coordinates[i]
        frame_a, frame_b = self._joint_frames(joint)
        if kind.is_linear:
            point = frame_b.position
            relative = self._point_velocity(joint.b, point) - self._point_velocity(joint.a, point)
        else:
            relative = self._spin_rate(joint.b) - self._spin_rate(joint.a)
        return np.asarray(np.sum(coordinate_axis(kind, frame_a, frame_b) * relative, axis=-1))

    def effort(self, i: int) -> Array:
        return self.frames.effort[:, i]

    def _lock_error(self, i: int) -> tuple[Array, Array]:
        joint = self.scene.joints[self.layout.joints[i]]
        return lock_error(joint.type, joint.length, *self._joint_frames(joint))

    def gap(self, i: int) -> Array:
        return np.linalg.norm(self._lock_error(i)[0], axis=-1)

    def tilt(self, i: int) -> Array:
        return np.linalg.norm(self._lock_error(i)[1], axis=-1)

    def reaction_force(self, i: int) -> Array:
        return self.frames.reaction[:, i]

    def reaction_torque(self, i: int) -> Array:
        return self.frames.reaction_torque[:, i]

    def limit_impulse(self, i: int) -> Array:
        return self.frames.limit_impulse[:, i]

    def friction_impulse(self, i: int) -> Array:
        """In the axes of the joint's frame on body a."""
        joint = friction_rows_of(self.scene)[i][1]
        return rotate(conjugate(self._joint_frames(joint)[0].rotation), self.frames.friction_impulse[:, i])

    def stuck(self, i: int) -> Array:
        return self.frames.stuck[:, i]

    def _soft(self, i: int) -> tuple[SoftRow, int]:
        """A soft row and the place of its coordinate."""
        row = softs_of(self.scene)[i]
        return row, self.layout.coordinates.index(row.label) if row.kind >= 0 else -1

    def _nothing(self) -> Array:
        return np.full(self.frames.residual.shape, np.nan)

    def spring_force(self, i: int) -> Array:
        """By the spring's law from coordinate and rate; not a number where there is no spring."""
        row, place = self._soft(i)
        if row.spring is None:
            return self._nothing()
        return spring_force(row.spring, self.coordinate(place), self.rate(place))

    def voltage(self, i: int) -> Array:
        return self.frames.voltage[:, i] if self._soft(i)[0].motor is not None else self._nothing()

    def motor_speed(self, i: int) -> Array:
        row, place = self._soft(i)
        return self._nothing() if row.motor is None else row.motor.ratio * self.rate(place)

    def motor_torque(self, i: int) -> Array:
        """M_s (U - w/w_idle)."""
        motor, stall = self._soft(i)[0].motor, self.frames.stall_torque
        if motor is None:
            return self._nothing()
        strongest = motor.stall_torque if stall is None else stall[:, i]
        return strongest * (self.voltage(i) - self.motor_speed(i) / motor.idle_speed)

    # --- the whole scene --------------------------------------------------------------------------------------------

    def _sum(self, part: Callable[[int], Array], *shape: int) -> Array:
        total = np.zeros((*self.frames.residual.shape, *shape))
        for i in range(len(self.layout.bodies)):
            total += part(i)
        return total

    def total_kinetic_energy(self, _: int) -> Array:
        return self._sum(self.kinetic_energy) + ropes.total_kinetic_energy(self)

    def total_potential_energy(self, _: int) -> Array:
        weight = self.frames.mass[:, :, None] * self.frames.gravity
        return -np.einsum("fbwi,bwi->fw", self.frames.center, weight) + ropes.total_potential_energy(self)

    def total_energy(self, _: int) -> Array:
        return self.total_kinetic_energy(0) + self.total_potential_energy(0)

    def momentum(self, _: int) -> Array:
        return np.einsum("fbwi,bw->fwi", self.frames.center_velocity, self.frames.mass) + ropes.momentum(self)

    def angular_momentum(self, _: int) -> Array:
        orbit = np.cross(self.frames.center, self.frames.center_velocity)
        own = np.einsum("fbwi,bw->fwi", orbit, self.frames.mass) + self._sum(self._spin, 3)
        return own + ropes.angular_momentum(self)

    def contact_force(self, i: int) -> Array:
        return self.frames.contact_force[:, i]

    def ray_distance(self, i: int) -> Array:
        return self.frames.rays[:, i]

    def contacts(self, _: int) -> Array:
        return self.frames.contacts

    def iterations(self, _: int) -> Array:
        return self.frames.iterations

    def residual(self, _: int) -> Array:
        return self.frames.residual

    def out_of_budget(self, _: int) -> Array:
        return self.frames.out_of_budget


def spring_force(spring: Spring, value: Array, rate: Array) -> Array:
    """The force of a spring and damper on its coordinate (N or N m), positive towards larger values."""
    x = value - (spring.rest or 0.0)
    force = spring.stiffness * x
    if spring.table is not None:
        xs, fs = np.array(spring.table).T
        first, last = (fs[1] - fs[0]) / (xs[1] - xs[0]), (fs[-1] - fs[-2]) / (xs[-1] - xs[-2])
        force = np.interp(x, xs, fs) + first * np.minimum(x - xs[0], 0.0) + last * np.maximum(x - xs[-1], 0.0)
    acts = {"both": np.ones_like(x, bool), "push": x < 0, "pull": x > 0}[spring.side]
    return np.where(acts, spring.preload - force - spring.damping * rate, 0.0)


@dataclass(frozen=True)
class Signal:
    """What a trajectory says of one variable: its item axis, its unit, its parts and how it is read."""

    read: Callable[[Readings, int], Array]
    about: str
    items: str | None = None  # the item axis: body, joint, axis, limit or friction; None for the whole scene
    unit: str = ""  # empty where it differs from item to item
    components: tuple[str, ...] = ()


SIGNALS: dict[str, Signal] = {
    "position": Signal(Readings.position, "position of the body's frame", "body", "m", XYZ),
    "rotation": Signal(Readings.rotation, "orientation of the body's frame", "body", "1", XYZW),
    "velocity": Signal(Readings.velocity, "velocity of the origin of the body's frame", "body", "m/s", XYZ),
    "angular_velocity": Signal(Readings.angular_velocity, "angular velocity, world axes", "body", "rad/s", XYZ),
    "kinetic_energy": Signal(Readings.kinetic_energy, "kinetic energy of a body", "body", "J"),
    "contact_force": Signal(Readings.contact_force, "force of all contacts on a body", "body", "N", XYZ),
    "coordinate": Signal(Readings.coordinate, "joint coordinate", "axis"),
    "rate": Signal(Readings.rate, "rate of a joint coordinate", "axis"),
    "effort": Signal(Readings.effort, "force or torque from outside", "axis"),
    "gap": Signal(Readings.gap, "distance of locked axes", "joint", "m"),
    "tilt": Signal(Readings.tilt, "angle between locked axes", "joint", "rad"),
    "reaction_force": Signal(Readings.reaction_force, "force of the joint on body b", "joint", "N", XYZ),
    "reaction_torque": Signal(Readings.reaction_torque, "torque of the joint on body b", "joint", "N m", XYZ),
    "limit_impulse": Signal(Readings.limit_impulse, "impulse of a limit over the step", "limit"),
    "friction_impulse": Signal(Readings.friction_impulse, "friction impulse of the step", "friction", "", XYZ),
    "stuck": Signal(Readings.stuck, "whether the friction holds", "friction", "1"),
    "spring_force": Signal(Readings.spring_force, "force of a spring and damper", "soft"),
    "voltage": Signal(Readings.voltage, "voltage of a drive, of the rated one", "soft", "1"),
    "motor_speed": Signal(Readings.motor_speed, "speed of a drive's motor", "soft", "rad/s"),
    "motor_torque": Signal(Readings.motor_torque, "electric torque of a drive's motor", "soft", "N m"),
    "ray_distance": Signal(Readings.ray_distance, "distance to what a ray meets", "ray", "m"),
    "total_kinetic_energy": Signal(Readings.total_kinetic_energy, "kinetic energy", None, "J"),
    "total_potential_energy": Signal(Readings.total_potential_energy, "potential energy", None, "J"),
    "total_energy": Signal(Readings.total_energy, "kinetic and potential energy", None, "J"),
    "momentum": Signal(Readings.momentum, "linear momentum", None, "N s", XYZ),
    "angular_momentum": Signal(Readings.angular_momentum, "angular momentum about the origin", None, "N m s", XYZ),
    "contacts": Signal(Readings.contacts, "points where shapes touch or are about to", None, "1"),
    "iterations": Signal(Readings.iterations, "iterations of the solver", None, "1"),
    "residual": Signal(Readings.residual, "largest change of an impulse in the last iteration", None, "N s"),
    "out_of_budget": Signal(Readings.out_of_budget, "whether the time budget ended the iterations", None, "1"),
    **{name: Signal(*parts) for name, parts in ropes.SIGNALS.items()},
}


def item_names(layout: Layout) -> dict[str, tuple[str, ...]]:
    """The labels along each item axis of a trajectory."""
    return {
        "body": layout.bodies,
        "joint": layout.joints,
        "axis": layout.coordinates,
        "limit": layout.limits,
        "friction": layout.frictions,
        "soft": layout.softs,
        "ray": layout.rays,
        "rope": layout.ropes,
        "node": layout.nodes,
        "element": layout.elements,
    }


def place_of(quantity: Quantity, known: tuple[str, ...]) -> int:
    """Where a quantity's item lies among the known ones, or an error that names the nearest."""
    if quantity.item not in known:
        hint = nearest(str(quantity.item), known) if known else "; this scene has none"
        raise SceneError(f"there is no {quantity.variable} of '{quantity.item}'{hint}")
    return known.index(quantity.item)


def evaluate(scene: Scene, frames: Frames, quantity: Quantity) -> Array:
    """One quantity of the frames: [frame, world], or [frame, world, component] for vectors."""
    if not isinstance(quantity, Quantity):
        raise SceneError(f"{shown(quantity)} is not a quantity; give one such as hinge.angle or body.position")
    if quantity.variable not in SIGNALS:
        raise SceneError(f"there is no signal '{quantity.variable}'{nearest(quantity.variable, SIGNALS)}")
    signal = SIGNALS[quantity.variable]
    readings = Readings(scene, frames)
    place = 0 if signal.items is None else place_of(quantity, item_names(readings.layout)[signal.items])
    return signal.read(readings, place)
