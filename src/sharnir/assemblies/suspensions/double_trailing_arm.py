"""Double trailing arm (двойные продольные рычаги): two arms along the vehicle carry the upright."""

from __future__ import annotations

from ...scene.values import Vec3
from .two_arms import TwoArms


class DoubleTrailingArm(TwoArms, frozen=True, tag="double_trailing_arm"):
    """A lower and an upper arm along the vehicle, hinged about its transverse axis; equal arms keep the wheel level."""

    lower_pivot: Vec3 = (0.30, -0.08, -0.08)
    lower_ball: Vec3 = (0.0, -0.08, -0.08)
    upper_pivot: Vec3 = (0.30, -0.08, 0.08)
    upper_ball: Vec3 = (0.0, -0.08, 0.08)
    lower_axis: Vec3 = (0.0, 1.0, 0.0)
    upper_axis: Vec3 = (0.0, 1.0, 0.0)
    spring_top: Vec3 = (0.14, -0.08, 0.33)
    spring_foot: Vec3 = (0.10, -0.08, 0.08)
