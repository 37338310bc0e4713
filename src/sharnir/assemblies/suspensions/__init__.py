"""Suspensions, one short file each: named hardpoints, and the links and joints between chassis and wheel."""

from typing import get_args

from .double_trailing_arm import DoubleTrailingArm
from .double_wishbone import DoubleWishbone
from .macpherson import MacPherson
from .sliding_pillar import SlidingPillar
from .suspension import Corner, Kingpin, Suspension
from .swing_axle import SwingAxle
from .trailing_arm import TrailingArm

AnySuspension = SwingAxle | TrailingArm | DoubleWishbone | DoubleTrailingArm | SlidingPillar | MacPherson

SUSPENSIONS: dict[str, type[AnySuspension]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(AnySuspension)
}

__all__ = [
    "SUSPENSIONS",
    "AnySuspension",
    "Corner",
    "DoubleTrailingArm",
    "DoubleWishbone",
    "Kingpin",
    "MacPherson",
    "SlidingPillar",
    "Suspension",
    "SwingAxle",
    "TrailingArm",
]
