"""The sky over a scene: the light that it is seen in. The physics does not know of it."""

from __future__ import annotations

import math
from typing import Literal

from ..errors import SceneError
from .values import Description, number, one_of, units

Light = Literal["day", "overcast", "night", "studio"]


class Sky(Description, frozen=True):
    """The ``light`` that a scene is seen in, as the viewer begins with it.

    "day" has a sun and shadows, "overcast" hardly any, at "night" lamps shine; "studio" has no sky at all, but the
    colours of the page. The sun stands ``elevation`` (rad) above the horizon, towards ``azimuth`` (rad, left of x). At
    a distance of ``fog`` (m) nothing is left to be seen; without it the air is clear.
    """

    above_zero = units(fog="m")
    finite = units(azimuth="rad")

    light: Light = "day"
    azimuth: float = -2.2
    elevation: float = 0.9
    fog: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.light, Light, "Sky light")
        if not 0.0 < number(self.elevation, "Sky elevation (rad)") <= 0.5 * math.pi:
            raise SceneError(f"Sky elevation is {self.elevation:g} rad; give more than 0 and at most pi/2")
