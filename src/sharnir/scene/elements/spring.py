"""Springs and dampers in the free coordinates of a joint."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Literal

from ...errors import SceneError
from ..values import Description, not_negative, number, one_of, positive, shown, units

SpringSide = Literal["both", "push", "pull"]
Table = tuple[tuple[float, float], ...]


class Spring(Description, frozen=True, tag_field="type", tag="spring"):
    """A spring with a damper on a coordinate c: F = preload - stiffness (c - rest) - damping c'.

    ``stiffness`` is in N/m or N m/rad, ``damping`` in N s/m or N m s/rad, ``preload`` in N or N m. ``rest`` (m or rad)
    is the coordinate without force; None is where it starts. A one-sided spring acts, with all of its force, only
    while c < rest (``side="push"``: a bump stop, which pushes the coordinate up) or only while c > rest
    (``side="pull"``: tension only). A progressive spring has a ``table`` (m or rad, N or N m) instead of a
    stiffness: points (c - rest, force that replaces stiffness (c - rest)), joined by straight lines and continued by
    the first and the last of them.
    """

    from_zero = units(stiffness="N/m or N m/rad", damping="N s/m or N m s/rad")
    finite = units(rest="m or rad", preload="N or N m")

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float | None = 0.0
    preload: float = 0.0
    side: SpringSide = "both"
    table: Table | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.side, SpringSide, "Spring side")
        if self.table is not None:
            _check_table(self.table)
            if self.stiffness != 0.0:
                raise SceneError(f"Spring has a table and a stiffness of {self.stiffness:g}; give one of them")

    @classmethod
    def tuned(
        cls,
        frequency: float,
        damping_ratio: float,
        mass: float,
        *,
        rest: float | None = 0.0,
        preload: float = 0.0,
        side: SpringSide = "both",
    ) -> Spring:
        """The spring on which ``mass`` (kg, or kg m^2 for angles) swings at ``frequency`` (Hz) with ``damping_ratio``.

        ``rest`` (m or rad), ``preload`` (N or N m) and ``side`` are those of the spring.
        """
        angular_frequency = 2.0 * math.pi * positive(frequency, "Spring frequency (Hz)")
        stiffness = positive(mass, "Spring mass (kg or kg m^2)") * angular_frequency**2
        damping = 2.0 * not_negative(damping_ratio, "Spring damping ratio") * math.sqrt(stiffness * mass)
        return cls(stiffness, damping, rest=rest, preload=preload, side=side)


def _check_table(table: object) -> None:
    if not isinstance(table, tuple) or len(table) < 2:
        raise SceneError(f"Spring table is {shown(table)}; give at least two points (deflection, force)")
    for i, point in enumerate(table):
        if not isinstance(point, tuple) or len(point) != 2:
            raise SceneError(f"Spring table[{i}] is {shown(point)}; give (deflection, force)")
        number(point[0], f"Spring table[{i}] deflection (m or rad)")
        number(point[1], f"Spring table[{i}] force (N or N m)")
    for i, ((before, weaker), (after, stronger)) in enumerate(pairwise(table), start=1):
        if after <= before:
            raise SceneError(
                f"Spring table[{i}] has deflection {after:g} after {before:g}; sort the points, each deflection once"
            )
        if stronger < weaker:
            raise SceneError(
                f"Spring table[{i}] has force {stronger:g} after {weaker:g}; it must not fall as the deflection grows"
            )
