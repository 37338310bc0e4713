"""Anti-roll bar: a torsion bar across the axle that resists one wheel rising without the other."""

from __future__ import annotations

from ..scene.elements.spring import Spring
from ..scene.joint import Joint
from ..scene.joints import Distance, Revolute
from ..scene.values import Description, as_vec3, units
from .mount import Mount
from .suspensions.suspension import Corner, Suspension


class AntiRollBar(Description, frozen=True):
    """Two halves on the chassis, twisted against each other with ``stiffness`` (N m/rad) and ``damping`` (N m s/rad).

    Each ends in a ``lever`` (m), ahead of the bar, hung by a drop link, ``drop`` (m) long, on the suspension's
    ``spring_foot``. ``mass`` (kg) is that of both halves.
    """

    above_zero = units(lever="m", drop="m", mass="kg")
    from_zero = units(stiffness="N m/rad", damping="N m s/rad")

    stiffness: float = 200.0
    damping: float = 0.0
    lever: float = 0.15
    drop: float = 0.10
    mass: float = 1.0

    def hung(self, half_length: float) -> float:
        """What each drop link carries of the bar (kg), a half of which runs over ``half_length`` (m) to the middle.

        Only the lever weighs on it, by half of its own: the bar's middle part lies on the hinge's axis.
        """
        return 0.5 * self.mass * self.lever / (self.lever + half_length) / 2.0

    def connect(
        self, mounts: tuple[Mount, Mount], corners: tuple[Corner, Corner], suspension: Suspension, name: str
    ) -> Joint:
        """The two halves, the spring between them (the joint returned; its angle is the twist), and the drop links."""
        left, right = mounts
        x, y, z = suspension.spring_foot
        end, bend = (x, y, z + self.drop), (x - self.lever, y, z + self.drop)
        middle = (left.on_chassis(bend) + right.on_chassis(bend)) / 2
        halves = [
            mount.across("anti_roll_bar", [mount.on_chassis(end), mount.on_chassis(bend), middle], self.mass / 2)
            for mount in mounts
        ]
        place = as_vec3(left.chassis.pose.point(middle))
        hinge = Revolute(axis=left.direction((0.0, 1.0, 0.0)), anchor=place)
        left.joint("anti_roll_bar", hinge, left.chassis, halves[0])
        spring = Spring(self.stiffness, self.damping)
        twist = left.scene.joint(f"{name}_anti_roll_bar", hinge, halves[0], halves[1], spring=spring)
        for mount, corner, half in zip(mounts, corners, halves, strict=True):
            link = Distance(anchor_a=mount.point(end), anchor_b=mount.point(suspension.spring_foot))
            mount.joint("drop_link", link, half, corner.sprung)
        return twist
