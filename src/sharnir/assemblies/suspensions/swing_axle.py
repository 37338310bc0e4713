"""Swing axle (качающаяся полуось): the wheel stays square to its half-axle, which swings about a longitudinal hinge."""

from __future__ import annotations

from typing import ClassVar

from ...scene.elements.spring import Spring
from ...scene.values import Range, Vec3
from ..mount import CENTER, Mount
from .suspension import Links, Suspension


class SwingAxle(Suspension, frozen=True, tag="swing_axle"):
    """A half-axle hinged to the chassis at ``pivot`` (m) about ``hinge_axis``; the camber follows its angle."""

    hardpoints: ClassVar[tuple[str, ...]] = ("pivot",)

    pivot: Vec3 = (0.0, -0.35, 0.0)
    hinge_axis: Vec3 = (1.0, 0.0, 0.0)

    def links(self, mount: Mount, limits: Range | None = None, spring: Spring | None = None) -> Links:
        arm = mount.link("arm", [self.pivot, CENTER], self.arm_mass)
        hinge = mount.hinge(
            "pivot", mount.chassis, arm, self.pivot, self.hinge_axis, lifts=CENTER, limits=limits, spring=spring
        )
        return Links(hinge, "angle", hub=arm, sprung=arm)
