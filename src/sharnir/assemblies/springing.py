"""The spring, damper and bump stops of a wheel, as the designer states them."""

from __future__ import annotations

import math

from ..errors import SceneError
from ..scene.elements.spring import Spring
from ..scene.values import Description, positive, units
from .kinematics import Kinematics


class WheelSpring(Description, frozen=True, tag_field="type"):
    """What a coil and a torsion bar share.

    ``stiffness`` and ``damping`` are the spring's own; with ``at_wheel`` they are those felt at the wheel (N/m, N s/m),
    and the spring gets what the linkage makes of them. What is None follows from the wheel's static load: the ride
    ``frequency`` (Hz) and the ``damping_ratio``.
    """

    above_zero = units(frequency="Hz")
    from_zero = units(stiffness="N/m or N m/rad", damping="N s/m or N m s/rad", damping_ratio="")

    stiffness: float | None = None
    damping: float | None = None
    at_wheel: bool = False
    frequency: float = 1.5
    damping_ratio: float = 0.3

    def rates(self, ratio: float, carried: float, what: str) -> tuple[float, float]:
        """Stiffness and damping of the spring itself; ``ratio`` is ds/dz at the wheel, ``carried`` a mass (kg)."""
        own = ratio**2 if self.at_wheel else 1.0
        if self.stiffness is None:
            if carried <= 0.0:
                raise SceneError(f"{what}: its spring has no stiffness and carries no load; give one of them")
            stiffness = carried * (2.0 * math.pi * self.frequency) ** 2 / ratio**2
        else:
            stiffness = self.stiffness / own
        if self.damping is None:
            damping = 2.0 * self.damping_ratio * math.sqrt(stiffness * carried / ratio**2) if carried > 0.0 else 0.0
        else:
            damping = self.damping / own
        return stiffness, damping


class Coil(WheelSpring, frozen=True, tag="coil"):
    """A coil spring with its damper between the hardpoints ``spring_top`` and ``spring_foot``: N/m, N s/m."""


class Torsion(WheelSpring, frozen=True, tag="torsion"):
    """A torsion bar with its damper in the hinge of the guiding arm: N m/rad, N m s/rad."""


class Leaf(WheelSpring, frozen=True, tag="leaf"):
    """A leaf spring with its damper at its seat on the axle: N/m, N s/m."""


AnyWheelSpring = Coil | Torsion


class BumpStops(Description, frozen=True):
    """Elastic stops over the last part of the travel, before its hard ends.

    ``share`` of the travel to each side is theirs. ``stiffness`` (N/m at the wheel) adds to that of the spring there;
    None is ten times it.
    """

    from_zero = units(stiffness="N/m")

    share: float = 0.2
    stiffness: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < positive(self.share, "BumpStops share") < 1.0:
            raise SceneError(f"BumpStops share is {self.share:g}; give a share of the travel between 0 and 1")


def spring_element(
    spring: AnyWheelSpring,
    stops: BumpStops | None,
    motion: Kinematics,
    load: float,
    gravity: float,
    what: str,
    hung: float = 0.0,
) -> Spring:
    """The spring on its own coordinate: it holds the wheel in its neutral position under the static ``load`` (N)."""
    ratio = motion.motion_ratio(0.0)
    stiffness, damping = spring.rates(ratio, load / gravity if gravity > 0.0 else 0.0, what)
    preload = motion.spring_force(load, gravity, hung)
    if stops is None:
        return Spring(stiffness, damping, rest=None, preload=preload)
    extra = 10.0 * stiffness if stops.stiffness is None else stops.stiffness / ratio**2
    neutral = motion.neutral.spring
    low, high = sorted(
        motion.at_travel((1.0 - stops.share) * end).spring - neutral for end in motion.suspension.travel if end != 0.0
    )
    return stopped(stiffness, extra, (low, high), damping, preload)


def stopped(stiffness: float, extra: float, ends: tuple[float, float], damping: float, preload: float) -> Spring:
    """A spring that is stiffer by ``extra`` (N/m) beyond two ``ends`` (m)."""
    low, high = ends
    points = [low - (high - low), low, 0.0, high, high + (high - low)]
    forces = [stiffness * x + extra * (max(x - high, 0.0) - max(low - x, 0.0)) for x in points]
    return Spring(damping=damping, rest=None, preload=preload, table=tuple(zip(points, forces, strict=True)))
