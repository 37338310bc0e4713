"""What acts on the free coordinates of a scene: inputs from outside, springs, drives; and their limits.

spring   e = preload - k (c - rest) - damping c',  or preload - table(c - rest) - damping c'
drive    e = r M_s (U - r c'/w_idle) - r^2 I_m c'',  I_m = M_s t_m/w_idle; the last term is a row of the system
servo    U = gain e - damping c' + integral I,  I' = e, within -1 and 1
gear     sum of c_i q_i stays: a row of the system that is a sum of coordinate rows; with play a limit of that sum
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import SceneError
from ..model.layout import coordinates_of
from ..quantities.springs import spring_force
from ..scene.body import Body
from ..scene.couplings import NEUTRAL, Coupling
from ..scene.elements.drive import AnyDrive, DcDrive, PositionServo
from ..scene.elements.spring import Spring
from ..scene.joint import Joint
from ..scene.joint_coordinates import counts_turns, start_value, unwrapped
from ..scene.joints import Coordinate, CoordinateKind
from ..scene.quantity import Quantity
from ..simulation.inputs import Input, InputsOf, wants_simulation
from ..spatial import Array
from .actuator_laws import ActuatorLaw
from .mechanism import Mechanism, Motion

JUST_BEFORE = 1e-12  # s
NO_ROW = -1  # of a coordinate that carries nothing


class Coordinates:
    """Coordinates with their turns counted, from the values at the start of the step."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self._before = {
            (j, found.kind): start_value(joint, found)
            for j, joint in enumerate(mechanism.joints)
            for found in joint.type.coordinates
            if counts_turns(joint, found)
        }

    def value(self, m: Motion, joint: int, kind: CoordinateKind) -> Array:
        """A coordinate, [k]."""
        value = self.mechanism.coordinate(m, joint, kind)
        return unwrapped(value, self._before[joint, kind]) if (joint, kind) in self._before else value

    def advance(self, m: Motion) -> None:
        """Count on from a motion [1]."""
        for joint, kind in self._before:
            self._before[joint, kind] = float(self.value(m, joint, kind)[0])


@dataclass(frozen=True)
class JointAxis:
    """A coordinate of a scene: its joint, its row and how it is measured."""

    label: str
    joint: int
    kind: CoordinateKind
    row: int
    coordinates: Coordinates

    def value(self, m: Motion) -> Array:
        """The coordinate, [k]."""
        return self.coordinates.value(m, self.joint, self.kind)


@dataclass(frozen=True)
class OnAxis:
    """What a coordinate carries."""

    axis: JointAxis

    @property
    def row(self) -> int:
        """The row of its coordinate."""
        return self.axis.row


@dataclass(frozen=True)
class Limit(OnAxis):
    """The limits of a coordinate; an open side is infinite."""

    lower: float
    upper: float

    def excess(self, m: Motion, side: int) -> Array:
        """How far the coordinate is above the lower (side 1) or the upper limit (side -1), [k]."""
        return self.axis.value(m) - (self.lower if side > 0 else self.upper)


@dataclass(frozen=True)
class Meshing:
    """A coupling without losses: what the sum of its coordinates is kept at, rigidly or between flanks."""

    axes: tuple[JointAxis, ...]
    factors: tuple[float, ...]
    offset: float
    gap: float  # how far the sum may be off either way

    def error(self, m: Motion) -> Array:
        """How far the sum is off, [k]."""
        values = (c * axis.value(m) for c, axis in zip(self.factors, self.axes, strict=True))
        return np.asarray(sum(values, np.full(len(m.x), -self.offset)))


@dataclass(frozen=True)
class Flanks:
    """The play of a coupling: its sum of coordinates is free between two flanks, which only push."""

    mechanism: Mechanism
    place: int  # of the coupling
    mesh: Meshing
    gap: float

    @property
    def row(self) -> int:
        """The row of its sum."""
        return len(self.mechanism.rows) + self.place

    @property
    def lower(self) -> float:
        """Where one flank is."""
        return -self.gap

    @property
    def upper(self) -> float:
        """Where the other is."""
        return self.gap

    def excess(self, m: Motion, side: int) -> Array:
        """How far the sum is above the lower (side 1) or the upper flank (side -1), [k]."""
        return self.mesh.error(m) + side * self.gap


@dataclass(frozen=True)
class SpringForce(OnAxis):
    """A spring on a coordinate."""

    spring: Spring

    def force(self, m: Motion) -> Array:
        """Its force on the coordinate, [k]."""
        return spring_force(self.spring, self.axis.value(m), m.rate[:, self.row])

    def kinks(self, m: Motion) -> list[Array]:
        """Functions whose zeros are the corners of its characteristic."""
        spring = self.spring
        deflection = self.axis.value(m) - (spring.rest or 0.0)
        corners = [0.0] if spring.side != "both" else []
        if spring.table is not None:
            corners += [point[0] for point in spring.table[1:-1]]
        return [deflection - corner for corner in corners]


@dataclass(frozen=True)
class DriveForce(OnAxis):
    """A drive on a coordinate, alone or in a servo."""

    given: AnyDrive
    integral: int  # the place of its integral among those of the scene; -1 for none

    @property
    def drive(self) -> DcDrive:
        """The motor and its gear."""
        return self.given if isinstance(self.given, DcDrive) else self.given.drive

    @property
    def inertia(self) -> float:
        """The motor's inertia at the joint: r^2 I_m, kg m^2 or kg."""
        return self.drive.ratio**2 * self.drive.inertia

    def error(self, m: Motion, target: Array) -> Array:
        """The servo's error, [k]."""
        now = self.axis.value(m) if isinstance(self.given, PositionServo) else m.rate[:, self.row]
        return np.asarray(target - now)

    def wanted(self, m: Motion, given: Array, integrals: Array) -> Array:
        """The voltage before it is bounded, [k]."""
        if isinstance(self.given, DcDrive):
            return given
        voltage = self.given.gain * self.error(m, given)
        if self.integral >= 0:
            voltage = voltage + self.given.integral * integrals[:, self.integral]
        if isinstance(self.given, PositionServo):
            voltage = voltage - self.given.damping * m.rate[:, self.row]
        return np.asarray(voltage * np.sign(self.drive.ratio))

    def force(self, m: Motion, voltage: Array) -> Array:
        """The drive's effort on the coordinate without the inertia of the motor, [k]."""
        drive = self.drive
        speed = drive.ratio * m.rate[:, self.row]
        return np.asarray(drive.ratio * drive.torque_at(np.asarray(drive.stall_torque), voltage, speed))


@dataclass(frozen=True)
class ActuatorForce(OnAxis):
    """An actuator on a coordinate."""

    law: ActuatorLaw

    @property
    def inertia(self) -> float:
        """Of its rotor at the joint, kg m^2 or kg."""
        return self.law.inertia


@dataclass
class Outside:
    """Efforts of a batch of states."""

    rows: Array  # [k, row]
    bodies: Array  # [k, body, 6]
    wanted: Array  # [k, drive] voltages before they are bounded
    integral_rates: Array  # [k, integral]
    actuated: Array  # [k, actuator] their efforts


class Efforts:
    """All efforts and limits of a scene."""

    def __init__(self, mechanism: Mechanism, inputs: dict[str, InputsOf]) -> None:
        self.mechanism = mechanism
        self.coordinates = Coordinates(mechanism)
        self.axes: dict[str, JointAxis] = {}
        self.limits: list[Limit | Flanks] = []
        self.springs: list[SpringForce] = []
        self.drives: list[DriveForce] = []
        self.actuators: list[ActuatorForce] = []
        self.integrals = 0  # of servos, and what is inside actuators
        couplings = list(mechanism.scene.couplings.values())
        self._geared = {label for coupling in couplings for label in coupling.labels}
        targets = [(word, _target(word, key), value) for word, given in inputs.items() for key, value in given.items()]
        pushed = {target.item for _, target, _ in targets if isinstance(target, Quantity)}
        for label, joint, free in coordinates_of(mechanism.scene):
            self._add(label, joint, free, label in pushed)
        self.meshings = [_meshing(coupling, self.axes) for coupling in couplings]
        self.stops = len(self.limits)  # limits of coordinates come before those of couplings
        for g, mesh in enumerate(self.meshings):
            mechanism.sums.append((tuple(axis.row for axis in mesh.axes), mesh.factors))
            if mesh.gap > 0.0:
                self.limits.append(Flanks(mechanism, g, mesh, mesh.gap))
        self.rigid = [g for g, mesh in enumerate(self.meshings) if mesh.gap == 0.0]
        self.until = np.inf  # inputs are taken just before this time, where a step ends at a jump of theirs
        self._row_inputs: list[tuple[int, Input]] = []
        self._body_inputs: list[tuple[int, int, Input]] = []
        self._drive_inputs: dict[int, Input] = {}
        self._commands: dict[int, Input] = {}
        for word, target, value in targets:
            self._aim(word, target, value)

    def _add(self, label: str, joint: Joint, free: Coordinate, pushed: bool) -> None:
        place = self.mechanism.joints.index(joint)
        elements = (joint.ranges, joint.springs, joint.drives, joint.actuators)
        carries = pushed or label in self._geared or any(free.name in given for given in elements)
        row = self.mechanism.coordinate_row(place, free.kind) if carries else NO_ROW
        axis = JointAxis(label, place, free.kind, row, self.coordinates)
        self.axes[label] = axis
        if free.name in joint.ranges:
            low, high = joint.ranges[free.name]
            self.limits.append(Limit(axis, -np.inf if low is None else low, np.inf if high is None else high))
        if free.name in joint.springs:
            self.springs.append(SpringForce(axis, joint.springs[free.name]))
        if free.name in joint.drives:
            drive = joint.drives[free.name]
            counted = not isinstance(drive, DcDrive) and drive.integral > 0.0
            self.drives.append(DriveForce(axis, drive, self.integrals if counted else -1))
            self.integrals += counted
            _check_drive(joint, self.drives[-1].drive)
            _check_servo(joint, drive)
        if free.name in joint.catches:
            raise SceneError(f"solve: the exact twin has no catches, and '{label}' has one; leave catch out")
        if free.name in joint.actuators:
            self.actuators.append(ActuatorForce(axis, ActuatorLaw(joint.actuators[free.name], self.integrals)))
            self.integrals += self.actuators[-1].law.states

    def _aim(self, word: str, target: Body | Quantity, value: Input) -> None:
        """Find the row, the body or the drive that an input acts on."""
        if callable(value) and wants_simulation(value):
            named = target.name if isinstance(target, Body) else target.item
            raise SceneError(
                f"{word} of '{named}' follows the simulation; the exact twin takes functions of time alone"
            )
        if isinstance(target, Body):
            if self.mechanism.scene.bodies.get(target.name) is not target or target.spec.fixed:
                raise SceneError(f"{word}: body '{target.name}' is not a moving body of this scene; give one that is")
            self._body_inputs.append((self.mechanism.place[target.name], 0 if word == "force" else 3, value))
        elif target.variable == "effort" and target.item in self.axes:
            self._row_inputs.append((self.axes[str(target.item)].row, value))
        elif target.variable == "command":
            told = [a for a, one in enumerate(self.actuators) if one.axis.label == target.item]
            if not told:
                raise SceneError(f"{word}: '{target.label}' has no actuator in this scene; give one of its own joints")
            self._commands[told[0]] = value
        else:
            driven = [d for d, drive in enumerate(self.drives) if drive.axis.label == target.item]
            if target.variable not in ("voltage", "target") or not driven:
                raise SceneError(f"{word}: '{target.label}' cannot be driven in this scene; give one of its own joints")
            self._drive_inputs[driven[0]] = value

    # ----------------------------------------------------------------------------------------------------------------

    def at(self, t: Array, m: Motion, mechanism: Mechanism, integrals: Array) -> Outside:
        """Efforts at times [k]."""
        count = len(t)
        t = np.minimum(t, self.until - JUST_BEFORE) if np.isfinite(self.until) else t
        rows = np.zeros((count, mechanism.row_count))
        bodies = np.zeros((count, mechanism.ground, 6))
        wanted = np.zeros((count, len(self.drives)))
        integral_rates = np.zeros((count, self.integrals))
        for row, value in self._row_inputs:
            rows[:, row] += _sampled(value, t)
        for body, place, value in self._body_inputs:
            bodies[:, body, place : place + 3] += _sampled(value, t)
        for spring in self.springs:
            rows[:, spring.row] += spring.force(m)
        for d, drive in enumerate(self.drives):
            given = _sampled(self._drive_inputs.get(d, 0.0), t)
            wanted[:, d] = drive.wanted(m, given, integrals)
            rows[:, drive.row] += drive.force(m, np.clip(wanted[:, d], -1.0, 1.0))
            if drive.integral >= 0:
                winding = np.abs(wanted[:, d]) > 1.0  # the integral waits while the drive gives all it has
                integral_rates[:, drive.integral] = np.where(winding, 0.0, drive.error(m, given))
        actuated = np.zeros((count, len(self.actuators)))
        for a, one in enumerate(self.actuators):
            inside = slice(one.law.first, one.law.first + one.law.states)
            command = np.broadcast_to(_sampled(self._commands.get(a, 0.0), t), count)
            actuated[:, a], integral_rates[:, inside] = one.law.at(
                command, one.axis.value(m), m.rate[:, one.row], integrals[:, inside]
            )
            rows[:, one.row] += actuated[:, a]
        return Outside(rows, bodies, wanted, integral_rates, actuated)

    def inputs_at(self, t: Array) -> Array:
        """The efforts from outside on each coordinate at times [k], [k, coordinate]."""
        found = np.zeros((len(t), len(self.axes)))
        rows = [axis.row for axis in self.axes.values()]
        for row, value in self._row_inputs:
            found[:, rows.index(row)] += _sampled(value, t)
        return found


def _target(word: str, key: object) -> Body | Quantity:
    """What the user named: a body, or a quantity of a joint."""
    if isinstance(key, Body) and word in ("torque", "force"):
        return key
    if isinstance(key, Joint):
        key = {"voltage": key.voltage, "target": key.target, "command": key.command}.get(word, key.effort)()
    if not isinstance(key, Quantity) or key.variable not in ("effort", "voltage", "target", "command"):
        raise SceneError(f"{word}: {key!r} cannot be driven; give a joint, one of its efforts or drives, or a body")
    other = {"torque": ("force", "N"), "force": ("torque", "N m")}.get(word)
    if other is not None and key.unit == other[1]:
        raise SceneError(f"{word}: '{key.item}' takes {key.unit}; pass it as {other[0]}=")
    return key


def _sampled(value: Input, t: Array) -> Array:
    if callable(value) and wants_simulation(value):
        raise SceneError("solve: an input follows the simulation; the exact twin takes functions of time alone")
    return np.array([value(float(now)) for now in t]) if callable(value) else np.asarray(value)


def _meshing(coupling: Coupling, axes: dict[str, JointAxis]) -> Meshing:
    """A coupling as a row, or why there is none for it."""
    if coupling.loses_power:
        raise SceneError(
            f"solve: the exact twin has couplings without losses, and the {type(coupling.type).__name__} "
            f"'{coupling.name}' loses power; give efficiency 1, not locking, and no friction"
        )
    gap = np.inf if coupling.gap >= NEUTRAL else coupling.gap
    return Meshing(tuple(axes[label] for label in coupling.labels), coupling.factors, coupling.offset, gap)


def _check_servo(joint: Joint, drive: AnyDrive) -> None:
    if isinstance(drive, PositionServo) and drive.feed_forward > 0.0:
        raise SceneError(
            f"joint '{joint.name}': the exact twin knows no rate of a target, and its servo has feed_forward "
            f"{drive.feed_forward:g}; give 0"
        )


def _check_drive(joint: Joint, drive: DcDrive) -> None:
    if drive.efficiency < 1.0 or drive.self_locking:
        raise SceneError(
            f"joint '{joint.name}': the exact twin takes gears without loss only, and its drive has efficiency "
            f"{drive.efficiency:g}{' and locks itself' if drive.self_locking else ''}; give efficiency 1, not locking"
        )
