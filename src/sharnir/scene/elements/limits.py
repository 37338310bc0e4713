"""Limits of the free axes of a joint.

One free axis takes a plain ``(lower, upper)`` pair in rad or m, None for an open side. A joint with several takes a
dictionary of them by coordinate name. A ball joint takes :class:`SwingTwist` or :class:`Cone`.
"""

from __future__ import annotations

import math

from ...errors import SceneError, nearest
from ..values import Description, Range, bounds, positive


class SwingTwist(Description, frozen=True, tag_field="type", tag="swing_twist"):
    """Ball-joint limits, a range per axis (rad): ``twist`` about the joint's z axis, swing about its x and y axes.

    The relative rotation is split as swing * twist. The twist angle is 2 atan2(q_z, q_w). The swing is a rotation
    vector square to z: its direction is the axis, its length the angle; ``x`` and ``y`` (rad) bound its components.
    """

    x: Range | None = None
    y: Range | None = None
    twist: Range | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in self.ranges().items():
            low, high = bounds(value, f"SwingTwist {name} limits (rad)")
            if max(abs(low or 0.0), abs(high or 0.0)) > 3.1:
                raise SceneError(f"SwingTwist {name} limits are ({low}, {high}) rad; they must lie within ±3.1 rad")

    def ranges(self) -> dict[str, Range]:
        """The bounded coordinates by name."""
        given = {"swing_x": self.x, "swing_y": self.y, "twist": self.twist}
        return {name: value for name, value in given.items() if value is not None}


class Cone(Description, frozen=True, tag_field="type", tag="cone"):
    """Ball-joint limits: the z axes of the two bodies stay within ``angle`` (rad); ``twist`` (rad) may have a range."""

    angle: float
    twist: Range | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if positive(self.angle, "Cone angle (rad)") > math.pi:
            raise SceneError(f"Cone angle is {self.angle:g} rad; it must not exceed pi")
        if self.twist is not None:
            bounds(self.twist, "Cone twist limits (rad)")

    def ranges(self) -> dict[str, Range]:
        """The bounded coordinates by name."""
        cone: dict[str, Range] = {"swing": (None, self.angle)}
        return cone | ({} if self.twist is None else {"twist": self.twist})


def ranges_of(limits: object, coordinates: tuple[str, ...], what: str) -> dict[str, Range]:
    """Limits as the user wrote them, as ranges by coordinate name."""
    if limits is None:
        return {}
    if isinstance(limits, (SwingTwist, Cone)):
        if "twist" not in coordinates:
            raise SceneError(f"{what}: {type(limits).__name__} limits are for spherical joints; give (lower, upper)")
        return limits.ranges()
    if isinstance(limits, dict):
        for name in limits:
            if name not in coordinates:
                raise SceneError(f"{what} has no coordinate '{name}' to limit{nearest(str(name), coordinates)}")
        return {name: bounds(value, f"{what} {name} limits") for name, value in limits.items()}
    if len(coordinates) != 1:
        remedy = "SwingTwist or Cone limits" if "twist" in coordinates else f"limits by name: {', '.join(coordinates)}"
        raise SceneError(f"{what} has {len(coordinates)} coordinates; give {remedy}")
    return {coordinates[0]: bounds(limits, f"{what} limits")}
