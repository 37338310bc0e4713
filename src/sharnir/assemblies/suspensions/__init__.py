"""Suspensions, one short file each: named hardpoints, and the links and joints between chassis and wheel."""

from .base import Corner, Kingpin, Suspension
from .double_trailing_arm import DoubleTrailingArm
from .double_wishbone import DoubleWishbone
from .macpherson import MacPherson
from .sliding_pillar import SlidingPillar
from .swing_axle import SwingAxle
from .trailing_arm import TrailingArm

AnySuspension = SwingAxle | TrailingArm | DoubleWishbone | DoubleTrailingArm | SlidingPillar | MacPherson

SUSPENSIONS: dict[str, type[AnySuspension]] = {
    "swing_axle": SwingAxle,
    "trailing_arm": TrailingArm,
    "double_wishbone": DoubleWishbone,
    "double_trailing_arm": DoubleTrailingArm,
    "sliding_pillar": SlidingPillar,
    "macpherson": MacPherson,
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
