"""A joint of a scene: its type, the two bodies it connects, and what its free axes carry."""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar, get_args

import msgspec

from .. import spatial
from ..errors import SceneError, nearest
from .body import Body
from .elements.actuators import (
    COMMANDED,
    AnyActuator,
    HydraulicCylinder,
    IdealActuator,
    Muscle,
    PneumaticSpring,
    TorqueMotor,
    check_on,
)
from .elements.catches import CATCHES, AnyCatch
from .elements.drive import AnyDrive, DcDrive, PositionServo
from .elements.friction_laws import AnyFriction, Viscous, check_on_axes
from .elements.limits import Cone, SwingTwist, ranges_of
from .elements.spring import Spring
from .joint_coordinates import start_value
from .joints import AnyJoint, Coordinate, CoordinateKind, FreeAxes, JointType
from .quantity import Quantity, declared
from .values import Description, Plain, Range, number, shown

AnyLimits = Range | dict[str, Range] | SwingTwist | Cone
JointFriction = AnyFriction | dict[str, AnyFriction]
JointSpring = Spring | dict[str, Spring]
JointDrive = AnyDrive | dict[str, AnyDrive]
JointActuator = AnyActuator | dict[str, AnyActuator]
JointCatch = AnyCatch | dict[str, AnyCatch]

Element = TypeVar("Element")


class JointSpec(Description, frozen=True):
    """What a scene file says of a joint.

    ``joint`` is its type and place, ``between`` names body a and body b ("world" for the ground). ``friction``,
    ``limits``, ``spring``, ``drive``, ``actuator`` and ``catch`` belong to the free axes: one value, or a dictionary by
    the axis's name when there are several. ``initial`` is the coordinate (rad, m) at which it starts, or several by
    name: what hangs on the joint is moved there when the scene is first simulated.
    """

    joint: AnyJoint
    between: tuple[str, str]
    friction: JointFriction | None = None
    limits: AnyLimits | None = None
    spring: JointSpring | None = None
    drive: JointDrive | None = None
    actuator: JointActuator | None = None
    catch: JointCatch | None = None
    initial: float | dict[str, float] | None = None


class Joint:
    """A joint of a scene, as returned by ``scene.joint``: plot its quantities, put torques on it."""

    def __init__(self, name: str, spec: JointSpec, a: Body, b: Body) -> None:
        self.name = name
        self.a = a
        self.b = b
        self.describe(spec)

    def describe(self, spec: JointSpec) -> None:
        """Take everything but the name and the two bodies from a description."""
        what = f"joint '{self.name}'"
        self.spec = spec
        self.type: AnyJoint = spec.joint
        self.frame_a, self.frame_b = self.type.frames(what, self.a.pose, self.b.pose)
        self.length = self.type.radial_length(*self.world_frames())
        names = tuple(coordinate.name for coordinate in self.type.coordinates)
        self.ranges: dict[str, Range] = ranges_of(spec.limits, names, what)
        self.friction = _friction_by_axes(spec.friction, self.type.free_axes, what)
        springs = _by_coordinate(spec.spring, (Spring,), "spring", self.type, what)
        self.springs = {name: self._rested(name, spring) for name, spring in springs.items()}
        self.drives: dict[str, AnyDrive] = _by_coordinate(spec.drive, get_args(AnyDrive), "drive", self.type, what)
        given: dict[str, AnyActuator] = _by_coordinate(
            spec.actuator, get_args(AnyActuator), "actuator", self.type, what
        )
        self.actuators = {name: self._placed(name, actuator) for name, actuator in given.items()}
        self.catches: dict[str, AnyCatch] = _by_coordinate(spec.catch, CATCHES, "catch", self.type, what)
        self.initial = _initial(spec.initial, self.type, what)

    def _rested(self, name: str, spring: Spring) -> Spring:
        """A spring whose rest is a number: where the coordinate starts, when none is given."""
        if spring.rest is not None:
            return spring
        return msgspec.structs.replace(spring, rest=start_value(self, self._coordinate(name)))

    def _placed(self, name: str, actuator: AnyActuator) -> AnyActuator:
        """An actuator that suits its coordinate; gas rests where the coordinate starts, when nothing else is given."""
        check_on(actuator, self._coordinate(name).kind.is_linear, f"joint '{self.name}' actuator on '{name}'")
        if isinstance(actuator, PneumaticSpring) and actuator.rest is None:
            return msgspec.structs.replace(actuator, rest=start_value(self, self._coordinate(name)))
        return actuator

    def __repr__(self) -> str:
        return f"<{type(self.type).__name__.lower()} joint '{self.name}' of '{self.a.name}' and '{self.b.name}'>"

    # --- quantities -------------------------------------------------------------------------------------------------

    @cached_property
    def _coordinates(self) -> dict[str, Coordinate]:
        return {coordinate.name: coordinate for coordinate in self.type.coordinates}

    def _of_axis(self, quantity: str, found: Coordinate) -> Quantity:
        return declared(quantity).address(f"{self.name}.{found.name}", found.kind.is_linear)

    def quantity(self, name: str, axis: str | None = None) -> Quantity:
        """A quantity of the joint, or of one ``axis`` of it, by the ``name`` it has in a trajectory."""
        definition = declared(name)
        if definition.owner == "joint":
            return definition.address(self.name)
        if definition.owner == "friction":
            axes = self._free_axes(axis)
            return definition.address(f"{self.name}.{axes.name}", axes.is_linear)
        return self._of_axis(name, self._coordinate(axis))

    def coordinate(self, name: str | None = None) -> Quantity:
        """A free coordinate by name (rad or m); the first one when no name is given."""
        return self.quantity("coordinate", name)

    def rate(self, name: str | None = None) -> Quantity:
        """The rate of the coordinate ``name`` (rad/s or m/s); the name may be left out where there is one."""
        return self.quantity("rate", name)

    def acceleration(self, name: str | None = None) -> Quantity:
        """The second derivative of the coordinate ``name`` (rad/s^2 or m/s^2); known with the default integrator."""
        return self.quantity("coordinate_acceleration", name)

    def effort(self, name: str | None = None) -> Quantity:
        """The torque (N m) or force (N) put on the coordinate ``name`` from outside."""
        return self.quantity("effort", name)

    def lower(self, name: str | None = None) -> Quantity:
        """The lower limit of the coordinate ``name``, rad or m; it can be set per world where the scene has one."""
        return self.quantity("lower", name)

    def upper(self, name: str | None = None) -> Quantity:
        """The upper limit of the coordinate ``name``, rad or m; it can be set per world where the scene has one."""
        return self.quantity("upper", name)

    def limit_impulse(self, name: str | None = None) -> Quantity:
        """The impulse of the limits of coordinate ``name`` over the step, N s or N m s; positive when it pushes up."""
        return self.quantity("limit_impulse", name)

    def spring_force(self, name: str | None = None) -> Quantity:
        """The force (N) or torque (N m) of spring and damper on coordinate ``name``, positive when it drives it up."""
        return self._of_axis("spring_force", self._carrier("spring", self.springs, name))

    def voltage(self, name: str | None = None) -> Quantity:
        """The voltage of the drive on coordinate ``name``, from -1 to 1 of the rated one; a servo sets it itself."""
        return self._of_axis("voltage", self._carrier("drive", self.drives, name))

    def target(self, name: str | None = None) -> Quantity:
        """The target of the servo on coordinate ``name``: a coordinate (rad or m) or a rate (rad/s or m/s)."""
        servos = {key: drive for key, drive in self.drives.items() if not isinstance(drive, DcDrive)}
        found = self._carrier("servo", servos, name)
        unit = found.unit if isinstance(servos[found.name], PositionServo) else f"{found.unit}/s"
        return declared("target").address(f"{self.name}.{found.name}", unit=unit)

    def motor_speed(self, name: str | None = None) -> Quantity:
        """The speed of the motor that drives coordinate ``name``, before the gear, rad/s."""
        return self._of_axis("motor_speed", self._carrier("drive", self.drives, name))

    def motor_torque(self, name: str | None = None) -> Quantity:
        """The electric torque of the motor that drives coordinate ``name``, proportional to its current, N m."""
        return self._of_axis("motor_torque", self._carrier("drive", self.drives, name))

    def command(self, name: str | None = None) -> Quantity:
        """What the actuator on coordinate ``name`` is told: an effort (N or N m), an opening or an excitation (1)."""
        told = {key: one for key, one in self.actuators.items() if isinstance(one, COMMANDED)}
        found = self._carrier("actuator that takes a command", told, name)
        is_effort = isinstance(told[found.name], (IdealActuator, TorqueMotor))
        unit = self.effort(found.name).unit if is_effort else "1"
        return declared("command").address(f"{self.name}.{found.name}", unit=unit)

    def actuator_effort(self, name: str | None = None) -> Quantity:
        """The force (N) or torque (N m) of the actuator on coordinate ``name``."""
        return self._of_axis("actuator_effort", self._carrier("actuator", self.actuators, name))

    def pressure(self, side: str = "a", name: str | None = None) -> Quantity:
        """The pressure (Pa) on the cap ``side`` "a" or rod side "b" of the actuator on coordinate ``name``."""
        kinds = {"a": (HydraulicCylinder, PneumaticSpring), "b": (HydraulicCylinder,)}
        if side not in kinds:
            raise SceneError(f"{self!r} has no pressure on side {shown(side)}; give 'a' or 'b'")
        return self._of_axis(f"pressure_{side}", self._carrier("pressure", self._actuators_of(*kinds[side]), name))

    def winding_temperature(self, name: str | None = None) -> Quantity:
        """How much warmer (K) than its surroundings the winding of the TorqueMotor on coordinate ``name`` is."""
        return self._of_axis("winding_temperature", self._carrier("motor", self._actuators_of(TorqueMotor), name))

    def activation(self, name: str | None = None) -> Quantity:
        """The activation, 0 to 1, of the muscle on coordinate ``name``."""
        return self._of_axis("activation", self._carrier("muscle", self._actuators_of(Muscle), name))

    def _actuators_of(self, *kinds: type) -> dict[str, AnyActuator]:
        return {key: one for key, one in self.actuators.items() if isinstance(one, kinds)}

    @property
    def angle(self) -> Quantity:
        """The joint's angle, rad, turns counted."""
        return self.coordinate("angle")

    @property
    def displacement(self) -> Quantity:
        """The joint's displacement, m."""
        return self.coordinate("displacement")

    @property
    def speed(self) -> Quantity:
        """The rate of the joint's first coordinate, rad/s or m/s."""
        return self.rate()

    @property
    def reaction_force(self) -> Quantity:
        """The force of the joint on body b, world axes, N."""
        return self.quantity("reaction_force")

    @property
    def reaction_torque(self) -> Quantity:
        """The torque of the joint on body b about the anchor, world axes, N m."""
        return self.quantity("reaction_torque")

    @property
    def gap(self) -> Quantity:
        """How far the locked axes are apart, m."""
        return self.quantity("gap")

    @property
    def tilt(self) -> Quantity:
        """How far the locked rotations are off, rad."""
        return self.quantity("tilt")

    def friction_impulse(self, name: str | None = None) -> Quantity:
        """The friction impulse of a step on body b, of the axes ``name``, in the joint's frame on a, N s or N m s."""
        return self.quantity("friction_impulse", name)

    def friction_level(self, name: str | None = None) -> Quantity:
        """The dynamic friction level of the axes ``name``, N or N m (1 with a load).

        The static one scales with it when it is set.
        """
        axes = self._free_axes(name)
        law = self.friction[axes.name]
        if isinstance(law, Viscous):
            raise SceneError(f"{self!r}: its friction on '{axes.name}' is Viscous, which has no level")
        unit = "1" if law.load is not None else None
        return declared("friction_level").address(f"{self.name}.{axes.name}", axes.is_linear, unit)

    def stuck(self, name: str | None = None) -> Quantity:
        """1 while the friction of the axes ``name`` holds, 0 while it slides; without unit."""
        return self.quantity("stuck", name)

    # --- lookups that explain themselves ----------------------------------------------------------------------------

    def _coordinate(self, name: str | None) -> Coordinate:
        known = self._coordinates
        if not known:
            raise SceneError(f"{self!r} has no free coordinate")
        if name is None:
            return next(iter(known.values()))
        if name not in known:
            raise SceneError(f"{self!r} has no coordinate '{name}'{nearest(name, known)}")
        return known[name]

    def _carrier(self, what: str, carried: Plain, name: str | None) -> Coordinate:
        """The coordinate that carries an element: the named one, or the first that has any."""
        found = self._coordinate(next(iter(carried), None) if name is None else name)
        if found.name not in carried:
            remedy = f"; it has one on {', '.join(carried)}" if carried else "; give it one in scene.joint"
            raise SceneError(f"{self!r} has no {what} on '{found.name}'{remedy}")
        return found

    def _free_axes(self, name: str | None) -> FreeAxes:
        known = {axes.name: axes for axes in self.type.free_axes if axes.name in self.friction}
        if not known:
            raise SceneError(f"{self!r} has no friction; give it friction=Coulomb(level)")
        if name is None:
            return next(iter(known.values()))
        if name not in known:
            raise SceneError(f"{self!r} has no friction on '{name}'{nearest(name, known)}")
        return known[name]

    def world_frames(self) -> tuple[spatial.Pose, spatial.Pose]:
        """The joint's two frames in world coordinates at the start."""
        return self.a.pose @ self.frame_a, self.b.pose @ self.frame_b


def _by_coordinate(
    given: Element | dict[str, Element] | None, kinds: tuple[type, ...], word: str, joint: JointType, what: str
) -> dict[str, Element]:
    """Springs or drives as the user wrote them, by coordinate name."""
    if given is None:
        return {}
    coordinates = {free.name: free for free in joint.coordinates}
    if not coordinates:
        raise SceneError(f"{what} has no free axis for the {word}; leave {word} out")
    if not isinstance(given, dict):
        if not isinstance(given, kinds):
            raise SceneError(f"{what} {word} is {shown(given)}; give {_choices(kinds)}")
        if len(coordinates) > 1:
            raise SceneError(
                f"{what} has {len(coordinates)} coordinates; give {word} by name: {', '.join(coordinates)}"
            )
        given = dict.fromkeys(coordinates, given)
    for name, element in given.items():
        if name not in coordinates:
            raise SceneError(f"{what} has no coordinate '{name}' for a {word}{nearest(str(name), coordinates)}")
        if not isinstance(element, kinds):
            raise SceneError(f"{what} {word} on '{name}' is {shown(element)}; give {_choices(kinds)}")
        _check_can_carry(coordinates[name], joint, word, what)
    return {name: given[name] for name in coordinates if name in given}


def _initial(given: object, joint: JointType, what: str) -> dict[str, float]:
    """Coordinates at the start as the user wrote them (rad, m), by name."""
    names = [free.name for free in joint.coordinates]
    if given is None:
        return {}
    if not isinstance(given, dict):
        if len(names) != 1:
            known = f"by name: {', '.join(names)}" if names else "none: it has no coordinate"
            raise SceneError(f"{what} initial is {shown(given)}; give {known}")
        given = {names[0]: given}
    for name in given:
        if name not in names:
            raise SceneError(f"{what} has no coordinate '{name}' for initial{nearest(str(name), names)}")
    return {name: number(value, f"{what} initial '{name}' (rad or m)") for name, value in given.items()}


def _choices(kinds: tuple[type, ...]) -> str:
    return " or ".join(f"{kind.__name__}(...)" for kind in kinds)


def _check_can_carry(coordinate: Coordinate, joint: JointType, word: str, what: str) -> None:
    if coordinate.kind.is_swing:
        raise SceneError(f"{what}: its {coordinate.name} cannot carry a {word}; of a ball joint only the twist can")
    if coordinate.kind == CoordinateKind.RADIAL and word == "drive":
        raise SceneError(f"{what}: its {coordinate.name} cannot carry a drive; drive a Prismatic joint instead")
    if coordinate.kind == CoordinateKind.RADIAL and joint.keeps_length():
        raise SceneError(f"{what}: its {coordinate.name} is locked and cannot carry a {word}; use Strut")


def _friction_by_axes(friction: JointFriction | None, free: tuple[FreeAxes, ...], what: str) -> dict[str, AnyFriction]:
    names = [axes.name for axes in free]
    if friction is None:
        return {}
    if not free:
        raise SceneError(f"{what} has no free axis that could carry friction; leave friction out")
    if isinstance(friction, dict):
        for name in friction:
            if name not in names:
                raise SceneError(f"{what} has no free axis '{name}' for friction{nearest(name, names)}")
        for axes in free:
            if axes.name in friction:
                check_on_axes(friction[axes.name], axes.is_linear, f"{what} friction on '{axes.name}'")
        return friction
    if len({axes.is_linear for axes in free}) > 1:
        raise SceneError(f"{what} slides and turns; give friction by name: {', '.join(names)}")
    check_on_axes(friction, free[0].is_linear, f"{what} friction")
    return dict.fromkeys(names, friction)
