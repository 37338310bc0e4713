"""A rope: a thin elastic rod that does not stretch, of nodes with mass and elements with an orientation ([002])."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import NoneType

import numpy as np

from ..errors import SceneError
from .laying import laid_out, transported_frames
from .materials import Contact, check_contact
from .meshes import Mesh
from .quantity import Quantity, declared
from .values import (
    ORIGIN,
    Description,
    Vec3,
    direction,
    not_negative,
    number,
    place,
    positive,
    shown,
    truth,
    units,
    vector,
    whole,
)

DEFAULT_ELEMENTS = 20
MOST_ELEMENTS = 100_000


class Tie(Description, frozen=True):
    """What holds a node of a rope: a ``body`` (``"world"`` is one) or a node of another ``rope``.

    The node stays at the point of the body where it is at the start. A ``clamped`` tie also holds the direction and
    the twist of the rope there, through the rope's own stiffness; ``direction`` is that of the rope from its start to
    its end (world axes, at the start), None for that in which it is laid. ``at`` is the place along this rope (m from
    its start; the nearest node is tied), left out for ``start`` and ``end``; ``along`` is the place along the
    other rope (m).
    """

    from_zero = units(at="m", along="m")

    body: str | None = None
    rope: str | None = None
    at: float | None = None
    along: float | None = None
    clamped: bool = False
    direction: Vec3 | None = None

    def __post_init__(self) -> None:
        _take_names(self, "body", "rope")
        super().__post_init__()
        if (self.body is None) == (self.rope is None):
            raise SceneError(f"Tie holds body {shown(self.body)} and rope {shown(self.rope)}; give one of them")
        if self.rope is not None and (self.clamped or self.along is None):
            raise SceneError("Tie to a rope needs along (m), the place on that rope, and cannot be clamped")
        if self.direction is not None:
            direction(self.direction, "Tie direction")
            if not self.clamped:
                raise SceneError("Tie has a direction but is not clamped; add clamped=True")


class Eyelet(Description, frozen=True):
    """A point of a ``body`` that the rope runs through: a ring, or a pulley of small radius.

    It is where the rope's node nearest to ``at`` (m from the rope's start) is at the start. ``friction`` is the
    capstan's coefficient mu: the pulls on both sides differ by a factor of up to exp(mu a), a being the angle by which
    the rope is turned. Twist is passed on through it, bending is not.
    """

    from_zero = units(at="m", friction="")

    body: str
    at: float
    friction: float = 0.0

    def __post_init__(self) -> None:
        _take_names(self, "body")
        super().__post_init__()


class Winch(Description, frozen=True):
    """A drum that the start of the rope is wound on. It pays out as the angle of its ``joint`` grows.

    The drum is the joint's second body, of ``radius`` (m; negative to pay out as the angle falls); the rope leaves at
    a point of the joint's first body, where it starts. ``stored`` (m) is the rope on the drum beyond what is laid;
    what is on the drum has no mass.
    """

    from_zero = units(stored="m")

    joint: str
    radius: float
    stored: float = 0.0

    def __post_init__(self) -> None:
        _take_names(self, "joint")
        super().__post_init__()
        if number(self.radius, "Winch radius (m)") == 0.0:
            raise SceneError("Winch radius is 0 m; give that of the drum, negative to pay out as the angle falls")


class Skin(Description, frozen=True):
    """A mesh that the rope wears over its bones, from a ``file`` (GLB, OBJ, STL, ...): it bends and twists along.

    It is drawn straight, its z axis along the rope, and laid from its lowest to its highest z over the rope from start
    to end; ``scale`` (m per unit of the file, one for all or one for each of x, y and z) makes metres of its numbers
    across. What is to bend needs vertices along its length. ``color`` is as in CSS and paints the file's own over;
    ``texture`` is the file of a picture that lies on it. It is seen only: the rope touches by its own radius.
    """

    file: str
    scale: float | Vec3 = 1.0
    color: str | None = None
    texture: str | None = None

    def mesh(self) -> Mesh:
        """The mesh as it is drawn, straight."""
        return Mesh(file=self.file, scale=self.scale, color=self.color, texture=self.texture)


def _take_names(description: Description, *fields: str) -> None:
    """Let fields that are given bodies, ropes or joints hold their names."""
    for field in fields:
        given = getattr(description, field)
        if given is not None and not isinstance(given, str):
            _set(description, field, getattr(given, "name", given))


def _set(description: Description, name: str, value: object) -> None:
    import msgspec

    msgspec.structs.force_setattr(description, name, value)


class RopeSpec(Description, frozen=True):
    """What a scene file says of a rope.

    ``path`` (m) is where it is laid, as two points or more. Between two points a ``length`` (m) above their distance
    hangs as an arc. ``elements`` cuts it into that many pieces; None is 20 between two points, and one from point to
    point of a longer path. ``radius`` (m) and ``density`` (kg/m^3) give the mass. The stiffness comes from
    ``youngs_modulus`` and ``shear_modulus`` (Pa), K = E pi r^4/4 for bending and G pi r^4/2 for twisting, or is given
    as ``bending`` and ``twisting`` (N m^2); zero is a chain. ``curvature`` is that of the rope without load, in its own
    axes: two of bending and one of twist (1/m); ``as_laid`` takes that of the path instead. ``twist`` (rad) is wound
    into the rope from its start to its end when it is laid. ``damping`` (s) is Kelvin-Voigt's: the moment of a bend is
    K (u + damping du/dt). ``start``, ``end`` and ``ties`` hold it, it runs through ``eyelets``, and a ``winch`` may
    take the place of ``start``. ``velocity`` (m/s) is that of all nodes at the start. ``breaking_load`` (N) is the
    tension at which an element parts. ``contact`` says whether and how it touches things, as for bodies: None is yes as
    soon as there is terrain; ``self_contact`` is whether it then touches itself and other ropes as well. ``skin`` is a
    mesh that it is drawn as.
    """

    path: tuple[Vec3, ...]
    radius: float
    density: float
    youngs_modulus: float = 0.0
    shear_modulus: float = 0.0
    bending: float | None = None
    twisting: float | None = None
    length: float | None = None
    elements: int | None = None
    curvature: Vec3 = ORIGIN
    as_laid: bool = False
    twist: float = 0.0
    damping: float = 0.01
    velocity: Vec3 = ORIGIN
    start: Tie | None = None
    end: Tie | None = None
    ties: tuple[Tie, ...] = ()
    eyelets: tuple[Eyelet, ...] = ()
    winch: Winch | None = None
    breaking_load: float | None = None
    contact: Contact | bool | None = None
    self_contact: bool = True
    skin: Skin | None = None


@dataclass(frozen=True)
class TiedNode:
    """A tie and the node it holds."""

    node: int
    tie: Tie


class Rope:
    """A rope of a scene, as returned by ``scene.rope``: read and plot its quantities."""

    def __init__(self, name: str, spec: RopeSpec, gravity: Vec3) -> None:
        self.name = name
        self.spec = _checked(name, spec)
        down = np.array(gravity if any(gravity) else (0.0, 0.0, -1.0)) / (math.hypot(*gravity) or 1.0)
        nodes = laid_out(f"rope '{name}'", spec.path, spec.length, spec.elements or _elements_of(spec), down)
        lengths = np.linalg.norm(np.diff(nodes, axis=0), axis=1)
        rotations = transported_frames(nodes, spec.twist)
        stored = 0.0 if spec.winch is None else spec.winch.stored / lengths.mean()
        if stored > MOST_ELEMENTS:
            raise SceneError(
                f"rope '{name}': its winch stores {stored:g} elements of {lengths.mean():g} m; make them longer"
            )
        self.stored = math.ceil(stored)
        self.nodes, self.rotations = (np.concatenate([x[:1].repeat(self.stored, 0), x]) for x in (nodes, rotations))
        self.lengths = np.concatenate([np.full(self.stored, lengths.mean()), lengths])
        self.tied = self._tied_nodes()

    def __repr__(self) -> str:
        return f"<rope '{self.name}': {self.length:g} m, {self.elements} elements>"

    @property
    def elements(self) -> int:
        """The number of elements, those that start on a drum among them; nodes are one more."""
        return len(self.lengths)

    @property
    def length(self) -> float:
        """The length of the rope as it is laid, m."""
        return float(self.lengths[self.stored :].sum())

    @property
    def mass_per_metre(self) -> float:
        """Mass of a metre of rope, kg/m."""
        return self.spec.density * math.pi * self.spec.radius**2

    @property
    def stiffness(self) -> tuple[float, float]:
        """Stiffness against bending and twisting, N m^2."""
        spec = self.spec
        bending = spec.youngs_modulus * math.pi * spec.radius**4 / 4 if spec.bending is None else spec.bending
        twisting = spec.shear_modulus * math.pi * spec.radius**4 / 2 if spec.twisting is None else spec.twisting
        return bending, twisting

    def node_at(self, along: float, what: str) -> int:
        """The node nearest to a place along the rope (m from its start)."""
        if not 0.0 <= along <= self.length * (1 + 1e-9):
            raise SceneError(f"{what} is {along:g} m; rope '{self.name}' is {self.length:g} m long")
        places = np.concatenate([[0.0], np.cumsum(self.lengths[self.stored :])])
        return self.stored + int(np.argmin(np.abs(places - along)))

    def _tied_nodes(self) -> tuple[TiedNode, ...]:
        what, spec = f"rope '{self.name}'", self.spec
        found = [
            TiedNode(node, tie)
            for node, tie in ((self.stored, spec.start), (self.elements, spec.end))
            if tie is not None
        ]
        for tie in spec.ties:
            if tie.at is None:
                raise SceneError(f"{what}: a tie in the middle needs at (m from the start), or is start= or end=")
            found.append(TiedNode(self.node_at(tie.at, f"{what}: the place of a tie"), tie))
        for tied in found:
            if tied.tie.clamped and not self.stiffness[0] > 0.0:
                raise SceneError(f"{what} is clamped but does not resist bending; give youngs_modulus or bending")
        if spec.winch is not None and spec.start is not None:
            raise SceneError(f"{what} has a winch and a tie at its start; leave one of them out")
        held = [tied.node for tied in found] + [self.node_at(eye.at, f"{what}: an eyelet") for eye in spec.eyelets]
        held += [self.stored] if spec.winch is not None else []
        if len(set(held)) < len(held):
            raise SceneError(f"{what} has two ties or eyelets at one node; set them apart, or use more elements")
        for eyelet in spec.eyelets:
            if self.node_at(eyelet.at, f"{what}: an eyelet") in (self.stored, self.elements):
                raise SceneError(f"{what}: an eyelet is at the end of the rope; place it between the ends")
        return tuple(found)

    # --- quantities -------------------------------------------------------------------------------------------------

    def _place(self, place: str | int, count: int) -> str:
        places = {"start": 0, "end": count - 1}
        index = places.get(place, place) if isinstance(place, str) else place
        if not isinstance(index, int) or not -count <= index < count:
            raise SceneError(f"rope '{self.name}' has no place {shown(place)}; give 'start', 'end' or 0 to {count - 1}")
        return f"{self.name}.{index % count}"

    def quantity(self, name: str) -> Quantity:
        """A quantity of the whole rope by the ``name`` it has in a trajectory."""
        return declared(name).address(self.name)

    def node(self, place: str | int = "end") -> Quantity:
        """Position of the node at a ``place``, m: ``"start"``, ``"end"`` or its number."""
        return declared("node_position").address(self._place(place, self.elements + 1))

    def node_velocity(self, place: str | int = "end") -> Quantity:
        """Velocity of the node at a ``place``, m/s: ``"start"``, ``"end"`` or its number."""
        return declared("node_velocity").address(self._place(place, self.elements + 1))

    def bone(self, place: str | int) -> Quantity:
        """Orientation of the element at a ``place``, quaternion (x, y, z, w); its z axis is along the rope."""
        return declared("bone").address(self._place(place, self.elements))

    def tension(self, place: str | int = "start") -> Quantity:
        """Tension of the element at a ``place``, N: ``"start"``, ``"end"`` or its number."""
        return declared("tension").address(self._place(place, self.elements))

    @property
    def highest_tension(self) -> Quantity:
        """The highest tension along the rope, N."""
        return self.quantity("highest_tension")

    @property
    def stretch(self) -> Quantity:
        """The length by which the worst element is too long or too short, as a share of it."""
        return self.quantity("stretch")

    @property
    def paid_out(self) -> Quantity:
        """Length of rope between its first and its last node, m."""
        return self.quantity("rope_length")

    @property
    def kinetic_energy(self) -> Quantity:
        """Kinetic energy, J."""
        return self.quantity("rope_kinetic_energy")

    @property
    def elastic_energy(self) -> Quantity:
        """Energy stored in bending and twist, J."""
        return self.quantity("rope_elastic_energy")


def _elements_of(spec: RopeSpec) -> int:
    return DEFAULT_ELEMENTS if len(spec.path) == 2 else len(spec.path) - 1


def _check_parts(what: str, spec: RopeSpec) -> None:
    """Refuse what is no tie, eyelet, winch or skin."""
    for field, kind in (("start", Tie), ("end", Tie), ("winch", Winch), ("skin", Skin)):
        given = getattr(spec, field)
        if not isinstance(given, (kind, NoneType)):
            raise SceneError(f"{what} {field} is {shown(given)}; give sh.{kind.__name__}(...)")
    for field, part in (("ties", Tie), ("eyelets", Eyelet)):
        given = getattr(spec, field)
        if not isinstance(given, tuple) or not all(isinstance(one, part) for one in given):
            raise SceneError(f"{what} {field} are {shown(given)}; give a list of sh.{part.__name__}(...)")


def _checked(name: str, spec: RopeSpec) -> RopeSpec:
    what = f"rope '{name}'"
    if not isinstance(spec.path, tuple) or len(spec.path) < 2:
        raise SceneError(f"{what} path is {shown(spec.path)}; give at least two points")
    for i, point in enumerate(spec.path):
        place(point, f"{what} path[{i}] (m)")
    positive(spec.radius, f"{what} radius (m)")
    positive(spec.density, f"{what} density (kg/m^3)")
    for field, unit in (("youngs_modulus", "Pa"), ("shear_modulus", "Pa"), ("damping", "s")):
        not_negative(getattr(spec, field), f"{what} {field} ({unit})")
    for field, modulus in (("bending", "youngs_modulus"), ("twisting", "shear_modulus")):
        if getattr(spec, field) is not None:
            not_negative(getattr(spec, field), f"{what} {field} (N m^2)")
            if getattr(spec, modulus) != 0.0:
                raise SceneError(f"{what} has a {modulus} and a stiffness {field}; give one of them")
    if spec.elements is not None and whole(spec.elements, f"{what} elements", 1) > MOST_ELEMENTS:
        raise SceneError(f"{what} elements is {shown(spec.elements)}; give at most {MOST_ELEMENTS}")
    _check_parts(what, spec)
    if spec.skin is not None:
        spec.skin.mesh().checked(f"{what} skin")
    if spec.length is not None:
        positive(spec.length, f"{what} length (m)")
    if spec.breaking_load is not None:
        positive(spec.breaking_load, f"{what} breaking_load (N)")
    check_contact(spec.contact, what)
    vector(spec.velocity, f"{what} velocity (m/s)")
    number(spec.twist, f"{what} twist (rad)")
    truth(spec.as_laid, f"{what} as_laid")
    for i, value in enumerate(vector(spec.curvature, f"{what} curvature (1/m)")):
        if spec.as_laid and number(value, f"{what} curvature[{i}]") != 0.0:
            raise SceneError(f"{what} has a curvature and is as_laid; give one of them")
    return spec
