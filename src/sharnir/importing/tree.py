"""A robot between its file and a scene: links, the joints that hang them on each other, and what closes loops.

Every format is read into this one description, and one builder makes a scene of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from .. import spatial
from ..scene.camera import CameraSpec
from ..scene.elements.drive import AnyDrive
from ..scene.elements.spring import Spring
from ..scene.joints import AnyJoint
from ..scene.materials import Contact, Material
from ..scene.sensors import AnySensor
from ..scene.shape import MassProperties
from ..scene.shapes import AnyShape
from ..scene.surfaces import TerrainSpec
from ..scene.values import ORIGIN, Vec3
from ..spatial import IDENTITY, Array, Pose

Kind = Literal["revolute", "prismatic", "fixed", "spherical", "floating", "planar"]

NOWHERE = Pose(np.zeros(3), IDENTITY)
MOST_LINKS = 4000  # of a robot that is read


def from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """The rotation by roll about x, then pitch about y, then yaw about z, all of them fixed axes (rad)."""
    turns = [spatial.about(axis, angle) for axis, angle in (((0, 0, 1), yaw), ((0, 1, 0), pitch), ((1, 0, 0), roll))]
    return spatial.multiply(spatial.multiply(turns[0], turns[1]), turns[2])


@dataclass
class Link:
    """A rigid part: ``mass`` in the link's frame (None for none), its ``shapes``, how it touches others.

    It starts at ``velocity`` (m/s) and ``angular_velocity`` (rad/s), in world axes.
    ``light`` marks a link that the reader made up to carry one joint of several, and that is meant to weigh nothing,
    ``bare`` one that is to be seen by what it touches with, unless it is welded to something that is to be seen.
    """

    name: str
    where: str
    mass: MassProperties | None = None
    shapes: list[AnyShape] = field(default_factory=list)
    material: Material | None = None
    contact: Contact | None = None
    light: bool = False
    bare: bool = False
    velocity: Vec3 = ORIGIN
    angular_velocity: Vec3 = ORIGIN


@dataclass
class Connection:
    """A joint of the tree.

    At coordinate zero the child's frame has the ``pose`` in the parent's. ``axis`` and ``anchor`` (m) are in the
    child's frame. ``low`` and ``high`` (rad or m) bound the coordinate, which begins at ``start``; a ball begins turned
    by the quaternion ``turn``. A ``fixed`` joint makes one body of two links unless it is ``kept``, with a frame at
    ``anchor`` and ``turn``, for a sensor of the forces through it. ``friction`` is dry (N m or N), ``damping`` viscous,
    ``stiffness`` that of a spring with its ``rest``, ``armature`` the inertia of a rotor at the joint (kg m^2 or kg),
    ``ratio`` that of its gear.
    ``effort`` (N m or N) and ``velocity`` (rad/s or m/s) are the most that a motor gives, and its servo may be asked
    for what is in ``reach`` (rad or m); ``drive`` is one that the file describes itself.
    """

    name: str
    kind: Kind
    parent: str
    child: str
    where: str
    pose: Pose = NOWHERE
    axis: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    anchor: Array = field(default_factory=lambda: np.zeros(3))
    low: float | None = None
    high: float | None = None
    start: float = 0.0
    turn: Array = field(default_factory=lambda: np.array(IDENTITY))
    friction: float = 0.0
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0
    ratio: float = 1.0
    effort: float = 0.0
    velocity: float = 0.0
    reach: tuple[float, float] | None = None
    drive: AnyDrive | None = None
    kept: bool = False

    @property
    def has_coordinate(self) -> bool:
        """Whether it moves by one number, which can carry limits, springs and drives."""
        return self.kind in ("revolute", "prismatic")

    @property
    def is_linear(self) -> bool:
        """Whether the coordinate is a length (m)."""
        return self.kind == "prismatic"


@dataclass
class Loop:
    """A joint that closes a loop between two links: its type, with the frames in the frames of the links.

    A strut may carry a ``spring`` and ``limits`` of its length (m).
    """

    name: str
    joint: AnyJoint
    a: str
    b: str
    where: str
    spring: Spring | None = None
    limits: tuple[float | None, float | None] | None = None


@dataclass
class Coupling:
    """The sum of factors times coordinates, by joint in ``terms``, stays at ``offset`` (rad or m).

    The first joint, whose factor is 1, is the ``follower`` of the others.
    """

    name: str
    terms: dict[str, float]
    offset: float
    where: str

    @staticmethod
    def mimic(follower: str, leader: str, multiplier: float, offset: float, where: str) -> Coupling:
        """The coordinate of ``follower`` is ``multiplier`` times that of ``leader`` plus ``offset`` (rad or m)."""
        return Coupling(follower, {follower: 1.0, leader: -multiplier}, offset, where)

    def led_by_others(self, follower: str) -> Coupling:
        """The same equation with another joint as the follower."""
        factor = self.terms[follower]
        terms = {follower: 1.0} | {name: c / factor for name, c in self.terms.items() if name != follower}
        return Coupling(self.name, terms, self.offset / factor, self.where)

    @property
    def follower(self) -> str:
        """The joint that follows the others."""
        return next(iter(self.terms))

    @property
    def leaders(self) -> list[str]:
        """The joints that it follows."""
        return list(self.terms)[1:]


@dataclass
class Sense:
    """A sensor, or a camera, on a link or a joint, with its place in the frame of the link."""

    name: str
    sensor: AnySensor | CameraSpec
    on: str
    where: str


@dataclass
class Tree:
    """All of a robot. ``root`` is the link that everything hangs on, at ``place`` in the world.

    ``gravity`` (m/s^2) is given by some files.

    With ``larger_friction`` the larger friction of two surfaces holds between them, as in MuJoCo.
    """

    name: str
    root: str
    place: Pose = NOWHERE
    gravity: Vec3 | None = None
    links: dict[str, Link] = field(default_factory=dict)
    joints: dict[str, Connection] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)
    terrains: dict[str, tuple[TerrainSpec, Material]] = field(default_factory=dict)
    larger_friction: bool = False
    senses: list[Sense] = field(default_factory=list)
