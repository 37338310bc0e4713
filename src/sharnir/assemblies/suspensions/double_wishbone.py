"""Double wishbone (двойные поперечные рычаги): two arms across the vehicle carry the upright."""

from __future__ import annotations

from ...scene.values import Vec3
from .two_arms import TwoArms


class DoubleWishbone(TwoArms, frozen=True, tag="double_wishbone"):
    """A lower and an upper arm across the vehicle; the coil stands on the upper one, as in [003], figure 2."""

    lower_pivot: Vec3 = (0.0, -0.35, -0.10)
    lower_ball: Vec3 = (0.0, -0.05, -0.10)
    upper_pivot: Vec3 = (0.0, -0.31, 0.10)
    upper_ball: Vec3 = (0.0, -0.09, 0.10)
    spring_top: Vec3 = (0.0, -0.22, 0.35)
    spring_foot: Vec3 = (0.0, -0.15, 0.10)
    kingpin_low: Vec3 = (0.0, -0.05, -0.10)
    kingpin_high: Vec3 = (0.0, -0.09, 0.10)
