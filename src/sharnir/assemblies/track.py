"""Tracks: the road wheels of a tracked vehicle, all of which its belt turns.

A belt is not simulated link by link. It is the row of road wheels that it runs over, close to each other, each on a
short trailing arm with a torsion bar, as in most tracked vehicles, and each with its share of the side's drive: one
voltage for the side. Wheels that the belt would hold together may slip against each other by what their motors allow.
"""

from __future__ import annotations

import msgspec
import numpy as np

from ..errors import SceneError
from ..scene.elements.drive import DcDrive
from .axle import Axle
from .springing import Torsion
from .suspensions import TrailingArm
from .wheel import RoadWheel


def track_axles(
    length: float,
    gauge: float,
    wheels: int,
    wheel: RoadWheel,
    drive: DcDrive,
    *,
    travel: tuple[float, float] = (-0.02, 0.02),
    spring: Torsion | None = None,
) -> dict[str, Axle]:
    """The axles ``track_1`` ... of two tracks, ``gauge`` (m) apart: wheel centres over a ``length`` (m), front first.

    ``drive`` is that of one side; each of its wheels has an equal share of the motor's torque.
    """
    if wheels < 2:
        raise SceneError(f"a track has {wheels} road wheel(s); give at least 2")
    spacing = length / (wheels - 1)
    if spacing <= 0.0 or gauge <= 0.0:
        raise SceneError(f"a track of {length:g} m, {gauge:g} m from the other: both must be above zero")
    share = msgspec.structs.replace(drive, stall_torque=drive.stall_torque / wheels)
    arm, beside = 0.8 * min(spacing, wheel.radius), -wheel.width / 2
    suspension = TrailingArm(
        pivot=(arm, beside, 0.0), stub=(0.0, beside, 0.0), travel=travel, spring=spring or Torsion(frequency=4.0)
    )
    places = np.linspace(length / 2, -length / 2, wheels)
    return {
        f"track_{i}": Axle(x=float(x), track=gauge, wheel=wheel, suspension=suspension, drive=share)
        for i, x in enumerate(places, start=1)
    }
