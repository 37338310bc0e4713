"""Sliding pillar (свечная): the upright slides along a guide that is fixed to the chassis."""

from __future__ import annotations

from typing import ClassVar

from ...scene.elements.spring import Spring
from ...scene.values import Range, Vec3
from ..mount import CENTER, Bar, Mount
from .suspension import Links, Suspension


class SlidingPillar(Suspension, frozen=True, tag="sliding_pillar"):
    """An upright that slides along ``slide_axis`` through ``pillar`` (m)."""

    hardpoints: ClassVar[tuple[str, ...]] = ("pillar",)
    has_arm: ClassVar[bool] = False

    pillar: Vec3 = (0.0, -0.08, 0.0)
    slide_axis: Vec3 = (0.0, 0.0, 1.0)
    spring_top: Vec3 = (0.0, -0.08, 0.30)
    spring_foot: Vec3 = (0.0, -0.08, 0.05)

    def brackets(self) -> list[Bar]:
        """The pillar, as long as the travel needs it, held by two arms at its ends."""
        x, y, z = self.pillar
        high, low = max(self.spring_top[2], z + 2.0 * self.travel[1]), z + 1.6 * self.travel[0]
        radius = 0.05 * (high - low)
        ends = [(x, y, low), (x, y, high)]
        return [(ends[0], ends[1], radius), *((end, (end[0], 2.2 * y, end[2]), radius) for end in ends)]

    def links(self, mount: Mount, limits: Range | None = None, spring: Spring | None = None) -> Links:
        upright = mount.link("upright", [self.spring_foot, self.pillar, CENTER], self.upright_mass)
        slide = mount.slide(
            "pillar", mount.chassis, upright, self.pillar, self.slide_axis, limits=limits, spring=spring
        )
        return Links(slide, "displacement", hub=upright, sprung=upright)

    def first_guess(self, z: float, slope: float) -> float:
        return z / slope
