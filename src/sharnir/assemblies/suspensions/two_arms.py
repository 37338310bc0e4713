"""Two arms over each other that carry an upright: a four-bar loop, across the vehicle or along it.

With ``joints="hinges"`` all four joints are hinges about one direction, which has to be the same for both arms: a loop
of four hinges that are not parallel, be it by a thousandth of a radian, cannot move. With ``joints="balls"`` the lower
arm carries the upright in a ball and the upper one in a sleeve along its own axis; then nothing is locked twice, and
the arms' axes are free to differ.
"""

from __future__ import annotations

import math
from typing import ClassVar, Literal, get_args

import numpy as np

from ...errors import SceneError, nearest
from ...scene.elements.spring import Spring
from ...scene.joints import Cylindrical, Spherical
from ...scene.values import Range, Vec3, as_vec3, direction
from ..mount import CENTER, Bar, Mount
from .suspension import Links, Suspension

LoopJoints = Literal["hinges", "balls"]


class TwoArms(Suspension, frozen=True):
    """Arms from ``lower_pivot`` to ``lower_ball`` and from ``upper_pivot`` to ``upper_ball`` (hardpoints, m).

    They turn about ``lower_axis`` and ``upper_axis``. With ``joints="hinges"`` these must be parallel; with ``"balls"``
    they are free to differ.
    """

    hardpoints: ClassVar[tuple[str, ...]] = ("lower_pivot", "lower_ball", "upper_pivot", "upper_ball")

    lower_pivot: Vec3
    lower_ball: Vec3
    upper_pivot: Vec3
    upper_ball: Vec3
    lower_axis: Vec3 = (1.0, 0.0, 0.0)
    upper_axis: Vec3 = (1.0, 0.0, 0.0)
    joints: LoopJoints = "hinges"

    def __post_init__(self) -> None:
        super().__post_init__()
        name = type(self).__name__
        if self.joints not in get_args(LoopJoints):
            raise SceneError(f"{name} joints is {self.joints!r}{nearest(str(self.joints), get_args(LoopJoints))}")
        lower = np.array(direction(self.lower_axis, f"{name} lower_axis"))
        upper = np.array(direction(self.upper_axis, f"{name} upper_axis"))
        apart = float(np.arctan2(np.linalg.norm(np.cross(lower, upper)), abs(lower @ upper)))
        if self.joints == "hinges" and apart > 1e-9:
            raise SceneError(
                f"{name}: lower_axis and upper_axis are {math.degrees(apart):.4g}° apart, and a loop of four hinges "
                "cannot move then; make them parallel, or give joints='balls'"
            )

    def _hub(self) -> list[Bar]:
        """The bearing that the wheel turns in."""
        size = float(np.linalg.norm(np.subtract(self.upper_ball, self.lower_ball)))
        return [((0.0, 0.6 * self.lower_ball[1], 0.0), CENTER, 0.2 * size)]

    def brackets(self) -> list[Bar]:
        pairs = (
            (self.lower_pivot, self.lower_ball, self.lower_axis),
            (self.upper_pivot, self.upper_ball, self.upper_axis),
        )
        return [wishbone(pivot, ball, axis)[2] for pivot, ball, axis in pairs]

    def shaft_end(self) -> float:
        return self.lower_pivot[1]

    def links(self, mount: Mount, limits: Range | None = None, spring: Spring | None = None) -> Links:
        legs = [
            wishbone(pivot, ball, axis)
            for pivot, ball, axis in (
                (self.lower_pivot, self.lower_ball, self.lower_axis),
                (self.upper_pivot, self.upper_ball, self.upper_axis),
            )
        ]
        lower = mount.link("lower_arm", [self.lower_pivot, self.lower_ball], self.arm_mass, legs[0])
        upper = mount.link("upper_arm", [self.upper_pivot, self.upper_ball], self.arm_mass, legs[1])
        upright = mount.link("upright", [self.lower_ball, CENTER, self.upper_ball], self.upright_mass, self._hub())
        chassis = mount.chassis
        hinge = mount.hinge(
            "lower_pivot",
            chassis,
            lower,
            self.lower_pivot,
            self.lower_axis,
            self.lower_ball,
            limits=limits,
            spring=spring,
        )
        mount.hinge("upper_pivot", chassis, upper, self.upper_pivot, self.upper_axis, self.upper_ball)
        if self.joints == "hinges":
            mount.hinge("lower_ball", lower, upright, self.lower_ball, self.lower_axis, CENTER)
            mount.hinge("upper_ball", upper, upright, self.upper_ball, self.upper_axis, CENTER)
        else:
            sleeve = Cylindrical(axis=mount.direction(self.upper_axis), anchor=mount.point(self.upper_ball))
            mount.joint("lower_ball", Spherical(anchor=mount.point(self.lower_ball)), lower, upright)
            mount.joint("upper_ball", sleeve, upper, upright)
        return Links(hinge, "angle", hub=upright, sprung=upper)


def wishbone(pivot: Vec3, ball: Vec3, axis: Vec3) -> list[Bar]:
    """The two legs of an arm that turns about an axis, and the pin that they turn on; only seen."""
    start, end = np.array(pivot), np.array(ball)
    reach = float(np.linalg.norm(end - start))
    side = 0.4 * reach * np.array(direction(axis, "axis"))
    feet = [as_vec3(start + side), as_vec3(start - side)]
    return [*((foot, ball, 0.05 * reach) for foot in feet), (feet[0], feet[1], 0.07 * reach)]
