"""Hitches: how a trailer hangs on the vehicle that tows it."""

from __future__ import annotations

import math
from typing import ClassVar

import msgspec

from ..errors import SceneError
from ..scene.body import Body
from ..scene.elements.friction_laws import AnyFriction
from ..scene.elements.limits import SwingTwist
from ..scene.joint import Joint
from ..scene.joints import Revolute, Spherical, Universal
from ..scene.rope import Rope, Tie
from ..scene.scene import Scene
from ..scene.values import Description, Range, Vec3, number, units
from .mount import Mount

PITCH = YAW = (-math.radians(18.0), math.radians(18.0))  # the towed trailer of [001]
ROLL = (-math.radians(15.0), math.radians(15.0))


class BallHitch(Description, frozen=True, tag_field="type", tag="ball_hitch"):
    """A ball with ranges (rad) ``pitch`` about y, ``yaw`` about z and ``roll`` about x, the way ahead.

    Pitch and yaw are the components ``swing_x`` and ``swing_y`` of the joint, roll its ``twist``. It may have
    ``friction`` (a law, N m).
    """

    carries: ClassVar[bool] = True  # it can hold the front of a trailer with one axle up
    always_carries: ClassVar[bool] = False  # and that of a trailer with more
    own_mass: ClassVar[float] = 0.0

    pitch: Range | None = PITCH
    yaw: Range | None = YAW
    roll: Range | None = ROLL
    friction: AnyFriction | None = None

    def connect(self, scene: Scene, name: str, tow: Body, trailer: Body, at: Vec3, to: Vec3) -> Joint:
        """The joint between two chassis; ``at`` is the vehicle's hitch, ``to`` the trailer's coupling, in the world."""
        frame = Mount(scene, tow, name, (0.0, 0.0, 0.0), "left")
        ball = Spherical(anchor=at, axis=frame.direction((1.0, 0.0, 0.0)), reference=frame.direction((0.0, 1.0, 0.0)))
        limits = SwingTwist(x=self.pitch, y=self.yaw, twist=self.roll)
        return scene.joint(name, ball, tow, trailer, limits=limits, friction=self.friction)


class FifthWheel(Description, frozen=True, tag_field="type", tag="fifth_wheel"):
    """A plate that pitches on the tractor and a kingpin that yaws in it; the trailer rolls with the tractor.

    ``pitch`` is the joint's ``angle_a``, ``yaw`` its ``angle_b``, rad.
    """

    carries: ClassVar[bool] = True
    always_carries: ClassVar[bool] = True
    own_mass: ClassVar[float] = 0.0

    pitch: Range = (-math.radians(15.0), math.radians(15.0))
    yaw: Range = (-math.radians(90.0), math.radians(90.0))

    def connect(self, scene: Scene, name: str, tow: Body, trailer: Body, at: Vec3, to: Vec3) -> Joint:
        """The joint between two chassis; ``at`` and ``to`` in m, in the world."""
        frame = Mount(scene, tow, name, (0.0, 0.0, 0.0), "left")
        cross = Universal(axis_a=frame.direction((0.0, 1.0, 0.0)), axis_b=frame.direction((0.0, 0.0, 1.0)), anchor=at)
        return scene.joint(name, cross, tow, trailer, limits={"angle_a": self.pitch, "angle_b": self.yaw})


class Drawbar(Description, frozen=True, tag_field="type", tag="drawbar"):
    """A bar of a ``length`` (m) and ``mass`` (kg), hinged up and down on the trailer, with an eye on the tow hook.

    The trailer needs two axles of its own. The hook's ranges ``pitch``, ``yaw`` and ``roll`` (rad) are those of
    :class:`BallHitch`, ``hinge`` (rad) is that of the bar on the trailer.
    """

    carries: ClassVar[bool] = False
    always_carries: ClassVar[bool] = False

    above_zero = units(length="m", mass="kg")

    length: float = 0.6
    mass: float = 3.0
    pitch: Range | None = (-math.radians(30.0), math.radians(30.0))
    yaw: Range | None = (-math.radians(60.0), math.radians(60.0))
    roll: Range | None = (-math.radians(30.0), math.radians(30.0))
    hinge: Range = (-math.radians(30.0), math.radians(30.0))

    @property
    def own_mass(self) -> float:
        """The mass that hitch and trailer carry half of each, kg."""
        return self.mass

    def connect(self, scene: Scene, name: str, tow: Body, trailer: Body, at: Vec3, to: Vec3) -> Joint:
        """The bar, its hinge on the trailer, and the eye, which is the joint returned; ``at`` and ``to`` in m."""
        frame = Mount(scene, tow, name, (0.0, 0.0, 0.0), "left")
        back = tow.pose.inverse()
        bar = frame.across("drawbar", [back.point(at), back.point(to)], self.mass, name)
        hinge = Revolute(axis=frame.direction((0.0, 1.0, 0.0)), anchor=to)
        scene.joint(f"{name}_hinge", hinge, bar, trailer, limits=self.hinge)
        ball = BallHitch(pitch=self.pitch, yaw=self.yaw, roll=self.roll)
        return ball.connect(scene, name, tow, bar, at, to)


class RopeHitch(Description, frozen=True, tag_field="type", tag="rope_hitch"):
    """A rope of a ``length`` (m) from the hitch to the coupling, which starts ``apart`` (m) behind; by default that of
    [002], nearly taut.

    ``radius`` (m), ``density`` (kg/m^3), ``youngs_modulus`` and ``shear_modulus`` (Pa) are those of :class:`RopeSpec`,
    ``elements`` its pieces.
    The trailer needs two axles of its own.
    """

    carries: ClassVar[bool] = False
    always_carries: ClassVar[bool] = False

    above_zero = units(length="m")

    length: float = 2.8
    apart: float = 2.78
    radius: float = 0.015
    density: float = 1200.0
    youngs_modulus: float = 0.05e6
    shear_modulus: float = 0.1e6
    elements: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < number(self.apart, "RopeHitch apart (m)") <= self.length:
            raise SceneError(f"RopeHitch apart is {self.apart:g} m; it must be above 0 and at most the length")

    @property
    def own_mass(self) -> float:
        """The rope's mass, half of which hangs on each end, kg."""
        return math.pi * self.radius**2 * self.length * self.density

    def connect(self, scene: Scene, name: str, tow: Body, trailer: Body, at: Vec3, to: Vec3) -> Rope:
        """The rope between two chassis; ``at`` and ``to`` in m, in the world."""
        ends = Tie(body=tow.name), Tie(body=trailer.name)
        made = {field: value for field, value in msgspec.structs.asdict(self).items() if field != "apart"}
        return scene.rope(name, (at, to), **made, velocity=tow.spec.velocity, start=ends[0], end=ends[1])


AnyHitch = BallHitch | FifthWheel | Drawbar | RopeHitch


def reach(hitch: AnyHitch) -> float:
    """How far behind the hitch the trailer's coupling is, m."""
    if isinstance(hitch, RopeHitch):
        return hitch.apart
    return hitch.length if isinstance(hitch, Drawbar) else 0.0
