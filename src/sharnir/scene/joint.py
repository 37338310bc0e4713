"""A joint of a scene: its type, the two bodies it connects, and what its free axes carry."""

from __future__ import annotations

from functools import cached_property

from .. import spatial
from ..errors import SceneError, nearest
from .body import Body
from .elements.friction import Coulomb
from .elements.limits import Cone, SwingTwist, ranges_of
from .joints import AnyJoint, Coordinate, FreeAxes
from .quantity import XYZ, Quantity
from .values import Description, Range

AnyLimits = Range | dict[str, Range] | SwingTwist | Cone
AnyFriction = Coulomb | dict[str, Coulomb]


class JointSpec(Description, frozen=True):
    """What a scene file says of a joint.

    ``between`` names body a and body b ("world" for the ground). ``friction`` and ``limits`` belong to the free axes:
    one value, or a dictionary by the axis's name when there are several.
    """

    joint: AnyJoint
    between: tuple[str, str]
    friction: Coulomb | dict[str, Coulomb] | None = None
    limits: Range | dict[str, Range] | SwingTwist | Cone | None = None


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

    def __repr__(self) -> str:
        return f"<{type(self.type).__name__.lower()} joint '{self.name}' of '{self.a.name}' and '{self.b.name}'>"

    # --- quantities -------------------------------------------------------------------------------------------------

    @cached_property
    def _coordinates(self) -> dict[str, Coordinate]:
        return {coordinate.name: coordinate for coordinate in self.type.coordinates}

    def coordinate(self, name: str | None = None) -> Quantity:
        """A free coordinate by name (rad or m); the first one when no name is given."""
        found = self._coordinate(name)
        return Quantity("coordinate", f"{self.name}.{found.name}", found.unit)

    def rate(self, name: str | None = None) -> Quantity:
        """The rate of a free coordinate (rad/s or m/s)."""
        found = self._coordinate(name)
        return Quantity("rate", f"{self.name}.{found.name}", f"{found.unit}/s")

    def effort(self, name: str | None = None) -> Quantity:
        """The torque (N m) or force (N) put on a free coordinate from outside."""
        found = self._coordinate(name)
        return Quantity("effort", f"{self.name}.{found.name}", "N" if found.kind.is_linear else "N m")

    def lower(self, name: str | None = None) -> Quantity:
        """The lower limit of a coordinate; it can be set per world where the scene has one."""
        found = self._coordinate(name)
        return Quantity("lower", f"{self.name}.{found.name}", found.unit)

    def upper(self, name: str | None = None) -> Quantity:
        """The upper limit of a coordinate; it can be set per world where the scene has one."""
        found = self._coordinate(name)
        return Quantity("upper", f"{self.name}.{found.name}", found.unit)

    def limit_impulse(self, name: str | None = None) -> Quantity:
        """The impulse of a coordinate's limits over the step, N s or N m s; positive when it pushes up."""
        found = self._coordinate(name)
        return Quantity("limit_impulse", f"{self.name}.{found.name}", "N s" if found.kind.is_linear else "N m s")

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
        return Quantity("reaction_force", self.name, "N", XYZ)

    @property
    def reaction_torque(self) -> Quantity:
        """The torque of the joint on body b about the anchor, world axes, N m."""
        return Quantity("reaction_torque", self.name, "N m", XYZ)

    @property
    def gap(self) -> Quantity:
        """How far the locked axes are apart, m."""
        return Quantity("gap", self.name, "m")

    @property
    def tilt(self) -> Quantity:
        """How far the locked rotations are off, rad."""
        return Quantity("tilt", self.name, "rad")

    def friction_impulse(self, name: str | None = None) -> Quantity:
        """The friction impulse of a step on body b, in the axes of the joint's frame, N s or N m s."""
        axes = self._free_axes(name)
        return Quantity("friction_impulse", f"{self.name}.{axes.name}", axes.unit, XYZ)

    def friction_level(self, name: str | None = None) -> Quantity:
        """The dynamic friction level, N or N m; the static one scales with it when it is set."""
        axes = self._free_axes(name)
        return Quantity("friction_level", f"{self.name}.{axes.name}", "N" if axes.is_linear else "N m")

    def stuck(self, name: str | None = None) -> Quantity:
        """1 while the friction holds, 0 while it slides."""
        return Quantity("stuck", f"{self.name}.{self._free_axes(name).name}", "1")

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


def _friction_by_axes(friction: AnyFriction | None, free: tuple[FreeAxes, ...], what: str) -> dict[str, Coulomb]:
    names = [axes.name for axes in free]
    if friction is None:
        return {}
    if not free:
        raise SceneError(f"{what} has no free axis that could carry friction; leave friction out")
    if isinstance(friction, dict):
        for name in friction:
            if name not in names:
                raise SceneError(f"{what} has no free axis '{name}' for friction{nearest(name, names)}")
        for name, law in friction.items():
            _check_law(law, f"{what} friction on '{name}'")
        return friction
    _check_law(friction, f"{what} friction")
    if len({axes.is_linear for axes in free}) > 1:
        raise SceneError(f"{what} slides and turns; give friction by name: {', '.join(names)}")
    return dict.fromkeys(names, friction)


def _check_law(law: object, what: str) -> None:
    if not isinstance(law, Coulomb):
        raise SceneError(f"{what} is {law!r}; give Coulomb(level), in N or N m")
