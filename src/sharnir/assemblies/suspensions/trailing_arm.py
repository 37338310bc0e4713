"""Trailing arm (продольный рычаг): an arm along the vehicle swings about a transverse hinge; no camber."""

from __future__ import annotations

from typing import ClassVar

from ...scene.elements.spring import Spring
from ...scene.values import Range, Vec3
from ..mount import CENTER, Mount
from .suspension import Links, Suspension


class TrailingArm(Suspension, frozen=True, tag="trailing_arm"):
    """An arm from ``pivot`` on the chassis to ``stub``, beside the wheel (m), hinged about ``hinge_axis``."""

    hardpoints: ClassVar[tuple[str, ...]] = ("pivot", "stub")

    pivot: Vec3 = (0.30, -0.08, 0.0)
    stub: Vec3 = (0.0, -0.08, 0.0)
    hinge_axis: Vec3 = (0.0, 1.0, 0.0)
    spring_top: Vec3 = (0.12, -0.08, 0.25)
    spring_foot: Vec3 = (0.10, -0.08, 0.0)

    def links(self, mount: Mount, limits: Range | None = None, spring: Spring | None = None) -> Links:
        arm = mount.link("arm", [self.pivot, self.stub, CENTER], self.arm_mass)
        hinge = mount.hinge(
            "pivot", mount.chassis, arm, self.pivot, self.hinge_axis, lifts=CENTER, limits=limits, spring=spring
        )
        return Links(hinge, "angle", hub=arm, sprung=arm)
