"""The wheel of a vehicle."""

from __future__ import annotations

from ..scene.values import Description, positive


class RoadWheel(Description, frozen=True):
    """A wheel by its radius and width (m) and its mass with tyre and rim (kg), spread evenly over the cylinder."""

    radius: float = 0.15
    width: float = 0.10
    mass: float = 3.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.radius, "RoadWheel radius (m)")
        positive(self.width, "RoadWheel width (m)")
        positive(self.mass, "RoadWheel mass (kg)")
