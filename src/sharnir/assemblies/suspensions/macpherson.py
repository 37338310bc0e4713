"""MacPherson (на направляющих стойках): a lower arm, and a strut from the chassis in which the hub slides.

As with two arms, ``joints="hinges"`` is the set of [003], figure 4, a loop with three axes locked twice; with
``joints="balls"`` the arm carries the hub in a ball and the strut hangs in a universal joint.
"""

from __future__ import annotations

from typing import ClassVar, get_args

import numpy as np

from ...errors import SceneError, nearest
from ...scene.elements.spring import Spring
from ...scene.joints import Spherical, Universal
from ...scene.values import Range, Vec3, as_vec3
from ..mount import CENTER, Bar, Mount
from .suspension import Links, Suspension
from .two_arms import LoopJoints, wishbone


class MacPherson(Suspension, frozen=True, tag="macpherson"):
    """An arm from ``pivot`` to ``ball``, hinged about ``hinge_axis``, and a strut from ``strut_top`` to ``ball`` (m).

    With ``joints="hinges"`` all hinges are parallel; with ``"balls"`` nothing is locked twice, and the axis is free.
    """

    hardpoints: ClassVar[tuple[str, ...]] = ("pivot", "ball", "strut_top")

    pivot: Vec3 = (0.0, -0.36, -0.08)
    ball: Vec3 = (0.0, -0.06, -0.08)
    strut_top: Vec3 = (0.0, -0.12, 0.47)
    hinge_axis: Vec3 = (1.0, 0.0, 0.0)
    joints: LoopJoints = "hinges"
    spring_top: Vec3 = (0.0, -0.12, 0.47)
    spring_foot: Vec3 = (0.0, -0.0818181818181818, 0.12)
    kingpin_low: Vec3 = (0.0, -0.06, -0.08)
    kingpin_high: Vec3 = (0.0, -0.12, 0.47)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.joints not in get_args(LoopJoints):
            raise SceneError(f"MacPherson joints is {self.joints!r}{nearest(str(self.joints), get_args(LoopJoints))}")

    def brackets(self) -> list[Bar]:
        return [wishbone(self.pivot, self.ball, self.hinge_axis)[2]]

    def shaft_end(self) -> float:
        return self.pivot[1]

    def links(self, mount: Mount, limits: Range | None = None, spring: Spring | None = None) -> Links:
        middle = as_vec3((np.array(self.ball) + self.strut_top) / 2)
        arm = mount.link(
            "arm", [self.pivot, self.ball], self.arm_mass, wishbone(self.pivot, self.ball, self.hinge_axis)
        )
        hub = mount.link("hub", [middle, self.ball, CENTER], self.upright_mass)
        strut = mount.link("strut", [self.strut_top, middle], self.upright_mass / 2)
        hinge = mount.hinge(
            "pivot", mount.chassis, arm, self.pivot, self.hinge_axis, self.ball, limits=limits, spring=spring
        )
        along = as_vec3(np.subtract(self.strut_top, self.ball))
        mount.slide("strut", strut, hub, middle, along)
        if self.joints == "hinges":
            mount.hinge("ball", arm, hub, self.ball, self.hinge_axis, CENTER)
            mount.hinge("strut_top", mount.chassis, strut, self.strut_top, self.hinge_axis, self.ball)
        else:
            across = as_vec3(np.cross(along, self.hinge_axis))
            cross = Universal(
                axis_a=mount.direction(self.hinge_axis),
                axis_b=mount.direction(across),
                anchor=mount.point(self.strut_top),
            )
            mount.joint("ball", Spherical(anchor=mount.point(self.ball)), arm, hub)
            mount.joint("strut_top", cross, mount.chassis, strut)
        return Links(hinge, "angle", hub=hub, sprung=hub)
