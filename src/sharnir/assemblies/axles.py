"""All kinds of axles: with independent wheels, a beam on leaf springs, a walking beam."""

from __future__ import annotations

from .axle import Axle, BuiltAxle
from .beam_axle import BeamAxle
from .walking_beam import BuiltBeams, WalkingBeam

AnyAxle = Axle | BeamAxle | WalkingBeam
AnyBuiltAxle = BuiltAxle | BuiltBeams


def is_steered(axle: AnyAxle) -> bool:
    """Whether its wheels steer."""
    return isinstance(axle, Axle) and axle.steering is not None
