"""What all suspensions share: the travel, the spring with its stops, the wheel, its drive, brake and kingpin."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Self

import msgspec
import numpy as np

from ... import spatial
from ...errors import SceneError
from ...scene.body import Body
from ...scene.elements.drive import AnyDrive
from ...scene.elements.friction_laws import Coulomb
from ...scene.elements.spring import Spring
from ...scene.joint import Joint
from ...scene.joints import Revolute, Strut
from ...scene.quantity import Quantity
from ...scene.ruler import Ruler
from ...scene.scene import Scene
from ...scene.values import Description, Plain, Range, Vec3, as_vec3, bounds, not_negative, positive, units, vector
from ..kinematics import kinematics_of
from ..mount import CENTER, Bar, Mount, Side
from ..springing import AnyWheelSpring, BumpStops, Coil, Torsion, spring_element
from ..wheel import RoadWheel


class Kingpin(Description, frozen=True):
    """The pin that a steered wheel turns about: its ``limits`` (rad, left positive), and its own ``drive``, if any."""

    limits: Range = (-0.7, 0.7)
    drive: AnyDrive | None = None


@dataclass(frozen=True)
class Carried:
    """What the joints of a corner carry, worked out by :meth:`Suspension.attach`; nothing, for its bare kinematics."""

    limits: Range | None = None  # of the guiding coordinate
    spring: Spring | None = None
    kingpin: Kingpin | None = None
    drive: AnyDrive | None = None
    brake: bool = False
    speed: float = 0.0  # m/s, rolling at the start
    driven: bool = False  # by a motor of its own or by a final drive


class Links(NamedTuple):
    """What a linkage provides: the guiding joint and its coordinate, the hub, and the link with the coil's foot."""

    guide: Joint
    coordinate: str
    hub: Body
    sprung: Body


@dataclass(frozen=True)
class Corner:
    """One wheel with its suspension: the bodies and joints to plot, drive, brake and steer.

    ``hub`` is carried by the links; ``carrier`` carries the ``wheel`` and is the hub itself unless the wheel is
    steered; ``sprung`` is the link that the coil stands on. ``guide`` is the guiding joint, whose ``coordinate`` grows
    as the wheel rises; ``spin`` the wheel's hinge, forward is positive; ``ruler`` measures the travel; ``kingpin``
    and ``coil`` are joints, where there are any.
    """

    wheel: Body
    hub: Body
    carrier: Body
    sprung: Body
    guide: Joint
    coordinate: str
    spin: Joint
    ruler: Ruler
    kingpin: Joint | None = None
    coil: Joint | None = None

    @property
    def travel(self) -> Quantity:
        """How far the wheel's centre is above its neutral position, m, along the chassis' upright."""
        return self.ruler.travel

    @property
    def guided(self) -> Quantity:
        """The guiding coordinate, rad or m; zero in the neutral position, up is positive."""
        return self.guide.coordinate(self.coordinate)

    @property
    def brake(self) -> Quantity:
        """The brake's torque, N m: set it while running."""
        return self.spin.friction_level("angle")


class Suspension(Description, frozen=True, kw_only=True, tag_field="type"):
    """Base of all suspensions.

    Hardpoints are in corner axes (m): from the wheel's centre in its neutral position, x forward, y outward, z up.
    ``travel`` (m) is how far the wheel's centre may sink and rise from there. The ``spring`` carries the wheel's static
    load in the neutral position, a coil between ``spring_top`` and ``spring_foot`` (m); ``bump_stops`` act before the
    ends of the travel. ``camber`` (top outward) and ``toe`` (front inward) are those of the neutral position, rad.
    ``kingpin_low`` and ``kingpin_high`` are two points of the axis that the wheel steers about (m). Each link has
    ``arm_mass``, the upright ``upright_mass`` (kg).
    """

    hardpoints: ClassVar[tuple[str, ...]] = ()
    has_arm: ClassVar[bool] = True  # a hinge that could carry a torsion bar

    above_zero = units(arm_mass="kg", upright_mass="kg")
    finite = units(camber="rad", toe="rad")

    travel: tuple[float, float] = (-0.06, 0.06)
    spring: AnyWheelSpring | None = Coil()
    bump_stops: BumpStops | None = BumpStops()
    spring_top: Vec3 = (0.0, -0.20, 0.25)
    spring_foot: Vec3 = (0.0, -0.15, 0.0)
    kingpin_low: Vec3 = (0.0, -0.05, -0.05)
    kingpin_high: Vec3 = (0.0, -0.05, 0.05)
    camber: float = 0.0
    toe: float = 0.0
    arm_mass: float = 0.8
    upright_mass: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        name = type(self).__name__
        low, high = bounds(self.travel, f"{name} travel (m)")
        if low is None or high is None or not low < 0.0 < high:
            raise SceneError(f"{name} travel is {self.travel} m; give how far the wheel sinks (below 0) and rises")
        if isinstance(self.spring, Torsion) and not self.has_arm:
            raise SceneError(f"{name} has no arm that could carry a torsion bar; give spring=Coil(...)")
        for point in self._points():
            vector(getattr(self, point), f"{name} {point} (m)")

    @classmethod
    def _points(cls) -> tuple[str, ...]:
        return (*cls.hardpoints, "spring_top", "spring_foot", "kingpin_low", "kingpin_high")

    def scaled(self, factor: float, **changes: object) -> Self:
        """The same suspension, all hardpoints and the travel larger by the ratio ``factor``.

        Then ``changes`` (other fields by name) are made.
        """
        size = positive(factor, f"{type(self).__name__} scale")
        grown: Plain = {point: tuple(size * x for x in getattr(self, point)) for point in self._points()}
        grown["travel"] = tuple(size * end for end in self.travel)
        return msgspec.structs.replace(self, **(grown | changes))

    # --- what each type says for itself -------------------------------------------------------------------------------

    def links(self, mount: Mount, limits: Range | None = None, spring: Spring | None = None) -> Links:
        """Emit the links between chassis and hub; the guiding joint carries ``limits`` (rad or m) and ``spring``."""
        raise NotImplementedError

    def brackets(self) -> list[Bar]:
        """What the chassis carries for it and is only seen, in corner axes: the hinge pins of arms, a pillar."""
        return []

    def shaft_end(self) -> float | None:
        """How far outward of the wheel's centre (m) the drive shaft between arms ends; nothing where none fits."""
        return None

    def first_guess(self, z: float, slope: float) -> float:
        """A guess at the guiding coordinate at a travel z (m), ``slope`` being dz per unit of it."""
        reach = abs(slope)  # m/rad: the arm length, seen from the side
        return math.copysign(math.asin(max(-0.9, min(0.9, z / reach))), z * slope)

    # --- emitting -----------------------------------------------------------------------------------------------------

    def attach(
        self,
        scene: Scene,
        chassis: Body,
        name: str,
        at: Vec3,
        side: Side,
        wheel: RoadWheel | None = None,
        *,
        load: float = 0.0,
        hung: float = 0.0,
        drive: AnyDrive | None = None,
        brake: bool = False,
        kingpin: Kingpin | None = None,
        speed: float = 0.0,
        driven: bool = False,
    ) -> Corner:
        """Hang a wheel on a chassis: its centre ``at`` a place of the chassis' frame (m), neutral, as things start.

        Bodies and joints are added to ``scene``, named after ``name``; ``side`` is left or right.
        ``load`` (N) is the vertical force under the wheel in that position, which the spring holds, and ``hung`` (kg)
        what else hangs on ``spring_foot``. A ``kingpin`` makes it steerable, ``brake`` gives it a friction brake,
        ``drive`` a motor in its hinge, ``speed`` (m/s) lets it roll. A wheel that is ``driven`` without a motor of its
        own has a drive shaft to be seen, too.
        """
        what = f"wheel '{name}'"
        wheel = wheel or RoadWheel()
        motion = kinematics_of(self, wheel, kingpin is not None)
        limits, spring = motion.limits, None
        if self.spring is not None:
            gravity = float(np.linalg.norm(scene.gravity))
            load = not_negative(load, f"{what} load (N)")
            spring = spring_element(self.spring, self.bump_stops, motion, load, gravity, what, hung)
        carried = Carried(limits, spring, kingpin, drive, brake, speed, driven or drive is not None)
        return self.emit(Mount(scene, chassis, name, at, side), wheel, carried)

    def emit(self, mount: Mount, wheel: RoadWheel, carried: Carried) -> Corner:
        """The links, the coil, the carrier of a steered wheel, and the wheel."""
        torsion = carried.spring if isinstance(self.spring, Torsion) else None
        links = self.links(mount, limits=carried.limits, spring=torsion)
        corner = self._with_wheel(mount, links, wheel, carried)
        if not isinstance(self.spring, Coil):
            return corner
        line = Strut(anchor_a=mount.point(self.spring_top), anchor_b=mount.point(self.spring_foot))
        return replace(corner, coil=mount.joint("coil", line, mount.chassis, links.sprung, spring=carried.spring))

    def _with_wheel(self, mount: Mount, links: Links, wheel: RoadWheel, carried: Carried) -> Corner:
        carrier, pin = links.hub, None
        if carried.kingpin is not None:
            carrier = mount.link("carrier", [self.kingpin_low, CENTER, self.kingpin_high], self.upright_mass / 2)
            low, high = (np.array(mount.point(end)) for end in (self.kingpin_low, self.kingpin_high))
            turning = Revolute(axis=as_vec3(high - low), anchor=as_vec3(low))
            steered = carried.kingpin
            pin = mount.joint("kingpin", turning, links.hub, carrier, limits=steered.limits, drive=steered.drive)
        # the axes of both wheels point left, so that forward is positive; the right wheel's is mirrored and reversed
        sign = 1.0 if mount.side == "left" else -1.0
        lean, turn = sign * self.camber, sign * self.toe
        axis = (math.sin(turn) * math.cos(lean), math.cos(turn) * math.cos(lean), -math.sin(lean))
        shaft = self.shaft_end() if carried.driven and pin is None else None
        body, spin, ruler = rolling(mount, wheel, carrier, axis, carried, shaft)
        return Corner(body, links.hub, carrier, links.sprung, links.guide, links.coordinate, spin, ruler, pin)


def rolling(
    mount: Mount, wheel: RoadWheel, carrier: Body, axis: Vec3, carried: Carried, shaft: float | None = None
) -> tuple[Body, Joint, Ruler]:
    """A wheel on its carrier: the body, its hinge about an ``axis`` of the chassis, and the ruler of its travel."""
    body = mount.wheel(wheel, axis, carried.speed, carried.brake, shaft)
    hinge = Revolute(axis=as_vec3(spatial.rotate(mount.chassis.pose.rotation, axis)), anchor=mount.point(CENTER))
    friction = Coulomb(0.0) if carried.brake else None
    spin = mount.joint("spin", hinge, carrier, body, drive=carried.drive, friction=friction)
    return body, spin, mount.scene.ruler(f"{mount.name}_travel", mount.chassis, body)
