"""Sinks: where a diagram acts on the simulation, or shows something to the operator.

A sink is a block whose output is the value that was sent, after its limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, get_args

from ..errors import SceneError, nearest
from ..scene.couplings import Coupling, Prescribed
from ..scene.elements.drive import DcDrive
from ..scene.mover import Mover, movers_of
from ..scene.quantity import XYZ, Quantity
from ..scene.values import Plain, bounds, units
from .blocks import takes
from .blocks.block import BOOL, NUMBER, REAL, Block, Places, Port, Tick, Wire, applied, gives, unit_field
from .blocks.plant_signals import find_joint

if TYPE_CHECKING:
    from ..scene.joint import Joint
    from ..scene.scene import Scene

Reader = Callable[[], float]
Writer = Callable[[float], None]


class ControlledPlant(Protocol):
    """What a diagram needs of a simulation; :class:`sharnir.Simulation` is one."""

    @property
    def scene(self) -> Scene: ...
    @property
    def dt(self) -> float: ...
    def steps_of(self, world: int) -> int: ...
    @property
    def taps(self) -> Taps: ...
    def attach(self, part: Any) -> None: ...


class Taps(Protocol):
    """Single numbers of a simulation, read and written quickly."""

    def reader(self, quantity: Quantity, component: str | None, world: int) -> Reader: ...
    def writer(self, quantity: Quantity, component: str | None, world: int) -> Writer: ...
    def refresh(self) -> None: ...
    def flush(self) -> None: ...


class Sink(Block, frozen=True):
    """Base of all sinks; what one sets ``stays`` when the diagram is taken off, or goes back to rest."""

    stays: ClassVar[bool] = False

    def acts_on(self, scene: Scene) -> tuple[tuple[Quantity, str | None], ...]:
        """The quantities of a scene that it sets, with the component of vectors; SceneError where there is none."""
        return ()

    def input_ports(self, scene: Scene | None) -> Mapping[str, Port]:
        """Its inputs; a scene tells the units that depend on it."""
        return self.ports()

    def at_rest(self, scene: Scene) -> float | None:
        """What is left in place when the diagram is taken off; None for what it set last."""
        return None if self.stays else 0.0

    def build_to(self, io: Places, write: list[Writer], scene: Scene) -> Tick:
        """The function of a tick, with a writer per quantity that it sets."""
        return _sending(io, "value", "out", write[0]) if write else applied(io, lambda value: value)


def _sending(io: Places, port: str, output: str, send: Writer, low: float = -math.inf, high: float = math.inf) -> Tick:
    """A function that sends a finite value on, brought within its bounds."""
    v, x, out = io.values, io[port], io.out(output)

    def run() -> None:
        value = v[x]
        if value - value != 0.0:
            raise ValueError(f"its value is {value}")
        v[out] = value = low if value < low else high if value > high else value
        send(value)

    return run


class OnJoint(Sink, frozen=True):
    """Base of sinks on a joint: ``joint`` is its name, or that of one of its coordinates: "axle", "sleeve.angle"."""

    outs = gives(out=REAL)
    sets: ClassVar[str]  # the quantity, by the joint's method for it

    joint: str
    value: takes.Free

    def on(self, scene: Scene) -> tuple[Joint, str | None]:
        """The joint and the name of the coordinate, if one was given."""
        return find_joint(scene, self.joint)

    def quantity(self, scene: Scene) -> Quantity:
        """What it sets."""
        joint, axis = self.on(scene)
        found: Quantity = getattr(joint, self.sets)(axis)
        return found

    def acts_on(self, scene: Scene) -> tuple[tuple[Quantity, str | None], ...]:
        return ((self.quantity(scene), None),)

    def input_ports(self, scene: Scene | None) -> Mapping[str, Port]:
        if scene is None:
            return self.ports()
        return {"value": Port("real", self.quantity(scene).unit)}


class Drive(OnJoint, frozen=True, tag="drive"):
    """The voltage of a drive, from -1 to 1 of the rated one; more is cut off."""

    sets = "voltage"

    value: takes.Pure

    def quantity(self, scene: Scene) -> Quantity:
        found = super().quantity(scene)
        joint, _ = self.on(scene)
        if not isinstance(joint.drives[_axis(found)], DcDrive):
            raise SceneError(f"the drive of '{found.item}' is a servo, which takes a target; use a servo sink")
        return found

    def build_to(self, io: Places, write: list[Writer], scene: Scene) -> Tick:
        return _sending(io, "value", "out", write[0], -1.0, 1.0)


class Servo(OnJoint, frozen=True, tag="servo"):
    """The target of a servo: a coordinate (rad, m) or a rate (rad/s, m/s)."""

    sets = "target"


class Effort(OnJoint, frozen=True, tag="effort"):
    """A torque (N m) or force (N) on a coordinate of a joint."""

    sets = "effort"


class Command(OnJoint, frozen=True, tag="command"):
    """The command of an actuator: an effort (N m, N), the opening of a valve or an excitation (1)."""

    sets = "command"


class Motion(OnJoint, frozen=True, tag="motion"):
    """Where a prescribed coordinate is to be at the end of the next step, rad or m; there it stays afterwards."""

    stays = True

    def coupling(self, scene: Scene) -> Coupling:
        """What prescribes the coordinate."""
        joint, axis = self.on(scene)
        label = joint.coordinate(axis).item
        for coupling in scene.couplings.values():
            if isinstance(coupling.type, Prescribed) and coupling.labels[0] == label:
                return coupling
        raise SceneError(f"'{label}' is not prescribed; first let it be: scene.couple('name', sh.Prescribed(), joint)")

    def quantity(self, scene: Scene) -> Quantity:
        return self.coupling(scene).motion

    def build_to(self, io: Places, write: list[Writer], scene: Scene) -> Tick:
        send, start = write[0], self.coupling(scene).offset  # the step has it from where the coordinate started
        return _sending(io, "value", "out", lambda value: send(value - start))


class GearShift(Sink, frozen=True, tag="gear"):
    """The gear that a gearbox is to be in, 0 for neutral; there it stays afterwards."""

    outs = gives(out=Port("number", "1"))
    stays = True

    coupling: str
    value: takes.PureNumber

    def acts_on(self, scene: Scene) -> tuple[tuple[Quantity, str | None], ...]:
        if self.coupling not in scene.couplings:
            raise SceneError(f"there is no coupling '{self.coupling}'{nearest(self.coupling, scene.couplings)}")
        return ((scene.couplings[self.coupling].gear, None),)


class Brake(OnJoint, frozen=True, tag="brake"):
    """Friction in a joint: value 0 leaves the joint the friction it has, 1 adds ``level`` (N m, N for sliding axes)."""

    from_zero = units(level="N m or N")

    value: takes.Pure
    level: float

    def quantity(self, scene: Scene) -> Quantity:
        joint, axis = self.on(scene)
        if not joint.friction:
            raise SceneError(f"{joint!r} has no friction that a brake could raise; give it friction=Coulomb(0)")
        return joint.friction_level(axis)

    def input_ports(self, scene: Scene | None) -> Mapping[str, Port]:
        return self.ports()

    def at_rest(self, scene: Scene) -> float:
        joint, _ = self.on(scene)
        return float(getattr(joint.friction[_axis(self.quantity(scene))], "level", 0.0))

    def build_to(self, io: Places, write: list[Writer], scene: Scene) -> Tick:
        base, send, level = self.at_rest(scene), write[0], self.level
        return _sending(io, "value", "out", lambda value: send(base + level * value), 0.0, 1.0)


class OnBody(Sink, frozen=True):
    """Base of sinks on a body: three components in world axes."""

    outs = gives(x=REAL, y=REAL, z=REAL)
    component: ClassVar[Port]  # what each of them takes

    body: str
    x: Wire = 0.0
    y: Wire = 0.0
    z: Wire = 0.0

    @classmethod
    def ports(cls) -> Mapping[str, Port]:
        return dict.fromkeys(XYZ, cls.component)

    def acts_on(self, scene: Scene) -> tuple[tuple[Quantity, str | None], ...]:
        if self.body not in scene.bodies:
            raise SceneError(f"there is no body '{self.body}'{nearest(self.body, scene.bodies)}")
        return tuple((scene.bodies[self.body].quantity(self.tag()), axis) for axis in XYZ)

    def build_to(self, io: Places, write: list[Writer], scene: Scene) -> Tick:
        parts = [_sending(io, axis, axis, send) for axis, send in zip(XYZ, write, strict=True)]

        def run() -> None:
            for part in parts:
                part()

        return run


class Force(OnBody, frozen=True, tag="force"):
    """A force on a body at its centre of mass, N, world axes."""

    component = Port("real", "N")


class Torque(OnBody, frozen=True, tag="torque"):
    """A torque on a body, N m, world axes."""

    component = Port("real", "N m")


class Shift(OnBody, frozen=True, tag="shift"):
    """How far a prescribed body is to be from where it started by the end of the next step, m, world axes."""

    component = Port("real", "m")
    stays = True

    def acts_on(self, scene: Scene) -> tuple[tuple[Quantity, str | None], ...]:
        return tuple((_mover(scene, self.body).shift, axis) for axis in XYZ)


class Turn(OnBody, frozen=True, tag="turn"):
    """How it is to be turned by then: rotation vector from how it started, rad, world axes."""

    component = Port("real", "rad")
    stays = True

    def acts_on(self, scene: Scene) -> tuple[tuple[Quantity, str | None], ...]:
        return tuple((_mover(scene, self.body).turn, axis) for axis in XYZ)


def _mover(scene: Scene, body: str) -> Mover:
    """What moves a body of a scene."""
    for mover in movers_of(scene):
        if mover.body.name == body:
            return mover
    raise SceneError(f"body '{body}' is not prescribed; first let it be: scene.prescribe('name', body)")


class Lamp(Sink, frozen=True, tag="lamp"):
    """A truth value shown to the operator."""

    outs = gives(out=BOOL)

    value: takes.Bool
    color: str = "green"


class Gauge(Sink, frozen=True, tag="gauge"):
    """A number shown to the operator; ``range`` is that of its scale, ``unit`` is needed for bare numbers only."""

    outs = gives(out=NUMBER)

    value: takes.Number
    range: tuple[float, float] | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.range is not None:
            bounds(self.range, "gauge range")
        if self.unit is not None:
            unit_field(self.unit, "gauge")


AnySink = Drive | Servo | Effort | Command | Motion | GearShift | Brake | Force | Torque | Shift | Turn | Lamp | Gauge


def _axis(quantity: Quantity) -> str:
    return str(quantity.item).partition(".")[2]


SINKS: Plain = {kind.tag(): kind for kind in get_args(AnySink)}
