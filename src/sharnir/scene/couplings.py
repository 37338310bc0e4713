"""Couplings: gears and their like, one exact row between free coordinates of joints.

Every coupling is a linear equation of coordinates, sum of c_i q_i = offset, whatever the bodies between them do: a
meshing pair, a rack, a screw, a differential. Its effort l acts on each coordinate with c_i l. What it loses is
friction on its first coordinate, in proportion to that coordinate's effort: see :class:`Mesh`.
"""

from __future__ import annotations

import math
from typing import ClassVar

from ..errors import SceneError, nearest
from .joint import Joint
from .joint_coordinates import start_value
from .joints import Coordinate
from .quantity import Quantity
from .values import Description, not_negative, number, positive, shown

ANGLE, LENGTH, ANY = "rad", "m", ""
MOST_RATIO = 1e9
NEUTRAL = 1e12  # rad or m of play: what a gearbox has in neutral


class CouplingType(Description, frozen=True, tag_field="type"):
    """Base of all couplings: how many coordinates they take, of what unit, and the factors c_i."""

    units: ClassVar[tuple[str, ...]] = (ANY, ANY)

    def takes(self) -> tuple[str, ...]:
        """The unit of every coordinate that it takes, empty for any."""
        return self.units

    def factors(self) -> tuple[float, ...]:
        """The factor c of every coordinate."""
        raise NotImplementedError

    def held_at(self) -> float | None:
        """The value of the sum that is kept; None for that at the start."""
        return None

    def losses(self) -> tuple[float, float]:
        """Friction on the first coordinate over its effort: while that one drives, and while it is driven."""
        return (0.0, 0.0)

    def play(self) -> float:
        """How far the first coordinate (rad or m) is free to move while the others stand."""
        return 0.0

    def checked(self, what: str) -> None:
        """Refuse numbers that make no sense."""
        sizes = [abs(number(value, f"{what} factor")) for value in self.factors()]
        if 0.0 in sizes:
            raise SceneError(f"{what} has the factor 0 on a coordinate; give a ratio that is not zero")
        if max(sizes, default=0.0) > MOST_RATIO * min(sizes, default=0.0):
            raise SceneError(
                f"{what} has factors of {max(sizes):g} and {min(sizes):g}, too far apart to compute; give a ratio "
                f"between {1 / MOST_RATIO:g} and {MOST_RATIO:g}"
            )
        self.losses()
        self.play()


class Mesh(CouplingType, frozen=True, kw_only=True):
    """What transmissions share: losses, and play between their teeth.

    With ``efficiency`` (a share of 1) the other side gets that share of the power that the first coordinate puts in,
    and the first coordinate that share of what drives it back. A ``self_locking`` one cannot be driven back: at rest it
    holds any load, and a load that helps is let down no faster than the first coordinate goes by itself. ``backlash``
    (rad or m of the first coordinate) is the whole gap between the two flanks; it starts in its middle.
    """

    efficiency: float = 1.0
    self_locking: bool = False
    backlash: float = 0.0

    def losses(self) -> tuple[float, float]:
        what = type(self).__name__
        if not 0.0 < number(self.efficiency, f"{what} efficiency") <= 1.0:
            raise SceneError(f"{what} efficiency is {self.efficiency:g}; it must be above 0 and at most 1")
        if not isinstance(self.self_locking, bool):
            raise SceneError(f"{what} self_locking is {shown(self.self_locking)}; give True or False")
        # power e u goes in, e u/(1 + loss) comes out; driven back e u comes in, e u (1 - loss) goes on
        return (
            1.0 / self.efficiency - 1.0,
            max(1.0, 1.0 / self.efficiency - 1.0) if self.self_locking else 1.0 - self.efficiency,
        )

    def play(self) -> float:
        return not_negative(self.backlash, f"{type(self).__name__} backlash (rad or m)")


class Gear(Mesh, frozen=True, tag="gear"):
    """The first coordinate goes at ``ratio`` times the rate of the second, from where both start.

    Negative for spur gears that mesh outside: -z2/z1 with the numbers of teeth z; positive for a chain or an internal
    gear. Between an angle and a length the ratio is in rad/m or m/rad.
    """

    ratio: float

    def factors(self) -> tuple[float, ...]:
        return (1.0, -number(self.ratio, "Gear ratio"))


class Gearbox(Mesh, frozen=True, tag="gearbox"):
    """The first coordinate goes at one of several ``ratios`` times the rate of the second; which one may change.

    ``gear`` is the one it starts in, counted from 1; 0 is neutral, in which nothing is passed on. Set
    ``coupling.gear`` while running. A change moves nothing: the gear that comes in meshes as both sides stand. Where
    their speeds do not agree with its ratio, it brings them together within a step, by an impulse that both sides feel:
    energy is lost, as in a clutch that grabs, and none is gained.
    """

    ratios: tuple[float, ...]
    gear: int = 0

    def factors(self) -> tuple[float, ...]:
        return (1.0, -self.ratio(max(1, self.checked_gear(self.gear, "Gearbox gear"))))

    def ratio(self, gear: int) -> float:
        """The ratio of a ``gear`` that is not neutral."""
        if not self.ratios:
            raise SceneError("Gearbox ratios are empty; give one for each gear, such as (3.5, 2.0, 1.0)")
        return number(self.ratios[gear - 1], f"Gearbox ratios[{gear - 1}]")

    def checked_gear(self, gear: float, what: str) -> int:
        """A ``gear`` as a whole number in its range, or an error that says ``what`` is wrong and what there is."""
        if isinstance(gear, bool) or gear != int(gear) or not 0 <= gear <= len(self.ratios):
            raise SceneError(f"{what} is {shown(gear)}; give 0 for neutral, or 1 to {len(self.ratios)}")
        return int(gear)

    def checked(self, what: str) -> None:
        for gear in range(1, len(self.ratios) + 1):
            if self.ratio(gear) == 0.0:
                raise SceneError(f"{what} has the ratio 0 in gear {gear}; leave it out, neutral is gear 0")
        super().checked(what)


class Mimic(CouplingType, frozen=True, tag="mimic"):
    """The first coordinate is ``multiplier`` times the second plus ``offset`` (rad or m), as URDF has it."""

    multiplier: float = 1.0
    offset: float = 0.0

    def factors(self) -> tuple[float, ...]:
        return (1.0, -number(self.multiplier, "Mimic multiplier"))

    def held_at(self) -> float | None:
        return number(self.offset, "Mimic offset (rad or m)")


class WeightedSum(CouplingType, frozen=True, tag="weighted_sum"):
    """Any linear equation: the sum of ``coefficients`` times coordinates stays at ``offset`` (None: as at the start).

    The coordinates come in the order of the coefficients; a tendon that runs over several joints is one.
    """

    coefficients: tuple[float, ...]
    offset: float | None = None

    def takes(self) -> tuple[str, ...]:
        return (ANY,) * len(self.coefficients)

    def factors(self) -> tuple[float, ...]:
        return tuple(number(one, "WeightedSum coefficient") for one in self.coefficients)

    def held_at(self) -> float | None:
        return None if self.offset is None else number(self.offset, "WeightedSum offset (rad or m)")


class BeltDrive(Mesh, frozen=True, tag="belt_drive"):
    """A belt or chain without slip over pulleys of ``radius_a`` and ``radius_b`` (m), ``crossed`` or not."""

    units: ClassVar[tuple[str, ...]] = (ANGLE, ANGLE)

    radius_a: float
    radius_b: float
    crossed: bool = False

    def factors(self) -> tuple[float, ...]:
        a, b = positive(self.radius_a, "BeltDrive radius_a (m)"), positive(self.radius_b, "BeltDrive radius_b (m)")
        return (1.0, b / a if self.crossed else -b / a)


class RackAndPinion(Mesh, frozen=True, tag="rack_and_pinion"):
    """A pinion of pitch ``radius`` (m), the first coordinate, moves a rack, the second, by radius times its angle.

    A negative radius lets it move the other way.
    """

    units: ClassVar[tuple[str, ...]] = (ANGLE, LENGTH)

    radius: float

    def factors(self) -> tuple[float, ...]:
        return (number(self.radius, "RackAndPinion radius (m)"), -1.0)


class Screw(Mesh, frozen=True, tag="screw"):
    """A screw, the first coordinate, moves its nut, the second, by ``lead`` (m) in a turn; negative if left-handed.

    With ``friction`` (a coefficient) on threads of mean ``radius`` (m) its losses are those of a square thread, with
    the lead angle a, tan a = lead/(2 pi radius), and friction = tan r: a load F takes F radius tan(a + r) to raise
    and lets itself down with F radius tan(a - r). It locks itself if a <= r.
    """

    units: ClassVar[tuple[str, ...]] = (ANGLE, LENGTH)

    lead: float
    friction: float = 0.0
    radius: float | None = None

    def factors(self) -> tuple[float, ...]:
        return (number(self.lead, "Screw lead (m)") / (2.0 * math.pi), -1.0)

    def losses(self) -> tuple[float, float]:
        friction = not_negative(self.friction, "Screw friction")
        if friction == 0.0:
            return super().losses()
        if self.efficiency != 1.0 or self.self_locking:
            raise SceneError("Screw has friction, and efficiency or self_locking too; friction tells them, give one")
        if self.radius is None:
            raise SceneError(f"Screw friction is {friction:g} without a radius; give the mean radius of the thread (m)")
        slope = abs(self.lead) / (2.0 * math.pi * positive(self.radius, "Screw radius (m)"))
        if friction * slope >= 1.0:
            raise SceneError(
                f"Screw friction is {friction:g} at a lead angle of {math.degrees(math.atan(slope)):.1f} deg: nothing "
                "can turn it; lower the friction or the lead"
            )
        raising, lowering = (slope + friction) / (1.0 - friction * slope), (slope - friction) / (1.0 + friction * slope)
        return (raising / slope - 1.0, 1.0 - lowering / slope)


class Differential(Mesh, frozen=True, tag="differential"):
    """The input, the first coordinate, turns at ``ratio`` times the mean of the two outputs.

    Both outputs get the same torque, ratio/2 times that of the input, whatever their speeds are.
    """

    units: ClassVar[tuple[str, ...]] = (ANGLE, ANGLE, ANGLE)

    ratio: float = 1.0

    def factors(self) -> tuple[float, ...]:
        half = -0.5 * number(self.ratio, "Differential ratio")
        return (1.0, half, half)


class Planetary(CouplingType, frozen=True, tag="planetary"):
    """Sun, ring and carrier, in this order: z_s (sun - carrier) + z_r (ring - carrier) = 0 (Willis).

    ``sun_teeth`` and ``ring_teeth`` are numbers of teeth, or radii, of which only the ratio counts.
    """

    units: ClassVar[tuple[str, ...]] = (ANGLE, ANGLE, ANGLE)

    sun_teeth: float
    ring_teeth: float

    def factors(self) -> tuple[float, ...]:
        ratio = positive(self.ring_teeth, "Planetary ring_teeth ratio") / positive(
            self.sun_teeth, "Planetary sun_teeth ratio"
        )
        return (1.0, ratio, -1.0 - ratio)


class Prescribed(CouplingType, frozen=True, tag="prescribed"):
    """A coordinate that goes where it is told, whatever force that takes, and else stays where it is.

    Hand a function of time to ``Simulation.run(motion={joint: f})``, or set ``coupling.motion``. The force or torque it
    takes is ``coupling.effort()``.
    """

    units: ClassVar[tuple[str, ...]] = (ANY,)

    def factors(self) -> tuple[float, ...]:
        return (1.0,)


AnyCoupling = (
    Prescribed | Gear | Gearbox | Mimic | WeightedSum | BeltDrive | RackAndPinion | Screw | Differential | Planetary
)


class CouplingSpec(Description, frozen=True):
    """What a scene file says of a coupling: which ``coupling`` it is, and the labels of its ``coordinates``."""

    coupling: AnyCoupling
    coordinates: tuple[str, ...]


class Coupling:
    """A coupling of a scene, as returned by ``scene.couple``."""

    def __init__(self, name: str, spec: CouplingSpec, joints: dict[str, Joint]) -> None:
        self.name, self.spec, self.type = name, spec, spec.coupling
        what = f"coupling '{name}'"
        self.terms = tuple(_coordinate(what, label, joints) for label in spec.coordinates)
        _check_units(what, self.type, self.terms)
        self.type.checked(what)
        self.factors = self.type.factors()
        self.losses = self.type.losses()
        self.gap = self.gap_in(self.type.gear if isinstance(self.type, Gearbox) else 1)

    def gap_in(self, gear: int) -> float:
        """How far the sum of c_i q_i may be off either way (rad or m), in a ``gear``; any way in neutral."""
        return 0.5 * abs(self.factors[0]) * self.type.play() if gear else NEUTRAL

    @property
    def has_play(self) -> bool:
        """Whether its two sides are free of each other at times."""
        return self.gap > 0.0 or isinstance(self.type, Gearbox)

    @property
    def loses_power(self) -> bool:
        """Whether power that goes through it is lost, or goes one way only."""
        return any(loss > 0.0 for loss in self.losses)

    def __repr__(self) -> str:
        return f"<{type(self.type).__name__} '{self.name}' of {', '.join(self.labels)}>"

    @property
    def labels(self) -> tuple[str, ...]:
        """The coordinates by label."""
        return tuple(f"{joint.name}.{free.name}" for joint, free in self.terms)

    @property
    def start(self) -> float:
        """The sum of c_i q_i (rad or m) as the bodies start."""
        return sum(c * start_value(joint, free) for c, (joint, free) in zip(self.factors, self.terms, strict=True))

    @property
    def offset(self) -> float:
        """What the sum of c_i q_i is kept at, rad or m."""
        held = self.type.held_at()
        return self.start if held is None else held

    @property
    def motion(self) -> Quantity:
        """The coordinate (rad or m) that a prescribed motion leads to by the end of the next step."""
        if not isinstance(self.type, Prescribed):
            raise SceneError(f"{self!r} is not prescribed; couple its coordinate with Prescribed() to move it")
        return Quantity("motion", self.name, self.terms[0][1].unit)

    @property
    def gear(self) -> Quantity:
        """The gear that a gearbox is in, without unit, 0 in neutral; set it while running."""
        if not isinstance(self.type, Gearbox):
            raise SceneError(
                f"{self!r} has one ratio for good; couple its coordinates with Gearbox(ratios) to change it"
            )
        return Quantity("gear", self.name, "1")

    def effort(self, place: int = 0) -> Quantity:
        """The effort (N or N m) of the coupling on its coordinate number ``place``, counted from 0."""
        if not isinstance(place, int) or not 0 <= place < len(self.terms):
            raise SceneError(f"{self!r} has no coordinate number {shown(place)}; count from 0")
        joint, free = self.terms[place]
        return Quantity("coupling_effort", f"{self.name}.{self.labels[place]}", joint.effort(free.name).unit)


def _coordinate(what: str, label: str, joints: dict[str, Joint]) -> tuple[Joint, Coordinate]:
    known = {f"{joint.name}.{free.name}": (joint, free) for joint in joints.values() for free in joint.type.coordinates}
    if label not in known:
        raise SceneError(
            f"{what} names a coordinate {shown(label)} that is not in the scene{nearest(str(label), known)}"
        )
    joint, free = known[label]
    if free.kind.is_swing:
        raise SceneError(
            f"{what}: '{label}' is a swing of a ball joint and cannot be coupled; of a ball only the twist can"
        )
    return joint, free


def _check_units(what: str, coupling: CouplingType, terms: tuple[tuple[Joint, Coordinate], ...]) -> None:
    units = coupling.takes()
    if len(terms) != len(units) or not terms:
        raise SceneError(f"{what}: a {type(coupling).__name__} takes {len(units)} coordinates, {len(terms)} were given")
    for wanted, (joint, free) in zip(units, terms, strict=True):
        if wanted and free.unit != wanted:
            word = "an angle" if wanted == ANGLE else "a length"
            raise SceneError(
                f"{what}: '{joint.name}.{free.name}' is in {free.unit}; a {type(coupling).__name__} takes {word} there"
            )
    labels = [(joint.name, free.name) for joint, free in terms]
    if len(set(labels)) < len(labels):
        raise SceneError(f"{what} names a coordinate twice; give different ones")
