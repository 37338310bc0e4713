"""The wheel of a vehicle."""

from __future__ import annotations

from ..scene.materials import DEFAULT
from ..scene.shapes import Wheel
from ..scene.tyres import Tyre
from ..scene.values import Description, units


class RoadWheel(Description, frozen=True):
    """A wheel by ``radius`` and ``width`` (m) and by its ``mass`` (kg) with tyre and rim, spread evenly over its shape.

    It touches in one point: a disc with edges rounded by ``rounding`` (m), half of the width when not given.
    ``material`` is that of its tread; with a ``tyre`` it springs and slips, without one it is rigid.
    """

    above_zero = units(radius="m", width="m", mass="kg")

    radius: float = 0.15
    width: float = 0.10
    mass: float = 3.0
    rounding: float | None = None
    material: str = DEFAULT
    tyre: Tyre | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.shape().checked("RoadWheel")

    def shape(self) -> Wheel:
        """The wheel about its z axis."""
        return Wheel(self.radius, self.width, self.rounding, self.tyre, mass=self.mass)

    def sag(self, load: float) -> float:
        """How much lower than its radius the wheel's centre is under a load (N), m."""
        return 0.0 if self.tyre is None else load / self.tyre.stiffness
