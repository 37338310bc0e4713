"""A beam axle on leaf springs: one rigid axle for both wheels, which rises and rolls under the chassis.

A leaf is clamped to the axle at its seat and hung on the chassis at both ends: it springs vertically, holds the axle
lengthwise and against winding up, and gives way a little sideways. So the axle keeps three freedoms against the
chassis, which are those of a planar joint across the vehicle: up, sideways, roll. With the rate k of a leaf, the seats
a distance s apart and the static loads N of the wheels a track b apart, m the mass of axle and wheels:

    heave 2 k,  roll k s^2/2;    F_l + F_r = N_l + N_r - m g,    (F_l - F_r) s = (N_l - N_r) b
"""

from __future__ import annotations

import numpy as np

from ..errors import SceneError
from ..scene.body import Body
from ..scene.elements.drive import AnyDrive
from ..scene.elements.spring import Spring
from ..scene.joint import Joint
from ..scene.joints import Planar, Strut
from ..scene.scene import Scene
from ..scene.values import Description, Vec3, as_vec3, bounds, positive, units
from ..spatial import Array
from .axle import BuiltAxle
from .final_drive import FinalDrive
from .mount import Mount
from .springing import BumpStops, Leaf, stopped
from .suspensions import Corner
from .suspensions.suspension import Carried, rolling
from .wheel import RoadWheel

ACROSS: Vec3 = (0.0, 1.0, 0.0)


class BeamAxle(Description, frozen=True, tag_field="type", tag="beam"):
    """A rigid axle of ``mass`` (kg) with a ``wheel`` at each end, ``track`` (m) apart, at ``x`` (m) along the chassis.

    It hangs on a ``leaf`` on each side, ``seats`` (m) apart, whose ends are ``height`` (m) above it. ``travel`` (m) is
    how far a seat may sink and rise; ``bump_stops`` act before its ends. Sideways the leaves give way with
    ``lateral_stiffness`` (N/m) and ``lateral_damping`` (N s/m), both together. ``drive`` is a motor for each wheel,
    ``final_drive`` a shaft with a differential between them; ``brake`` gives each a friction brake. The chassis'
    frame lies on the ground.
    """

    above_zero = units(track="m", height="m", mass="kg", lateral_stiffness="N/m")
    from_zero = units(lateral_damping="N s/m")
    finite = units(x="m")

    x: float
    track: float
    wheel: RoadWheel = RoadWheel()
    leaf: Leaf = Leaf()
    seats: float | None = None
    height: float = 0.15
    travel: tuple[float, float] = (-0.08, 0.08)
    bump_stops: BumpStops | None = BumpStops()
    lateral_stiffness: float = 2e5
    lateral_damping: float = 2e3
    mass: float = 10.0
    drive: AnyDrive | None = None
    final_drive: FinalDrive | None = None
    brake: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if positive(self.between_seats, "BeamAxle seats (m)") > self.track:
            raise SceneError(f"BeamAxle seats are {self.seats:g} m apart, more than its track {self.track:g} m")
        low, high = bounds(self.travel, "BeamAxle travel (m)")
        if low is None or high is None or not low < 0.0 < high:
            raise SceneError(f"BeamAxle travel is {self.travel} m; give how far a seat sinks (below 0) and rises")

    @property
    def between_seats(self) -> float:
        """Between the seats of the leaves, m; seven tenths of the track when not given."""
        return 0.7 * self.track if self.seats is None else self.seats

    @property
    def unsprung(self) -> float:
        """The mass of axle and wheels, kg."""
        return self.mass + 2.0 * self.wheel.mass

    def centers(self, loads: tuple[float, float] = (0.0, 0.0)) -> tuple[Vec3, Vec3]:
        """The centres of the left and the right wheel in the chassis' frame, under static loads (N).

        The axle lies level: tyres that give way differently would tilt it, and count by their mean.
        """
        height = self.wheel.radius - float(np.mean([self.wheel.sag(load) for load in loads]))
        return (self.x, self.track / 2, height), (self.x, -self.track / 2, height)

    def masses(self) -> list[tuple[float, Array]]:
        """Masses (kg) and their places in the chassis' frame, for the static loads."""
        left, right = self.centers()
        middle = (np.array(left) + right) / 2
        found = [(self.unsprung, middle)]
        if self.final_drive is not None:
            found.append((self.final_drive.whole_mass, middle))
        return found

    def build(
        self, scene: Scene, chassis: Body, name: str, loads: tuple[float, float], wheelbase: float | None, speed: float
    ) -> BuiltAxle:
        """Emit the axle with its wheels and leaves into a ``scene``, all parts named after ``name``.

        ``loads`` (N) are the static ones, left and right; ``speed`` (m/s) lets the wheels roll with the ``chassis``. A
        ``wheelbase`` (m) is of no use to it.
        """
        centers = self.centers(loads)
        left = Mount(scene, chassis, f"{name}_left", centers[0], "left")
        right = Mount(scene, chassis, f"{name}_right", centers[1], "right")
        beam = left.across("beam", [np.array(center) for center in centers], self.mass, name=name)
        middle = (np.array(centers[0]) + centers[1]) / 2
        across = Planar(
            normal=left.direction((1.0, 0.0, 0.0)),
            anchor=as_vec3(chassis.pose.point(middle)),
            reference=left.direction(ACROSS),
        )
        sideways = Spring(self.lateral_stiffness, self.lateral_damping)
        guide = scene.joint(f"{name}_beam", across, chassis, beam, spring={"x": sideways})
        springs = self._springs(loads, float(np.linalg.norm(scene.gravity)), name)
        carried = Carried(drive=self.drive, brake=self.brake, speed=speed)
        first = self._corner(left, beam, guide, springs[0], carried)
        second = self._corner(right, beam, guide, springs[1], carried)
        if self.final_drive is None:
            return BuiltAxle(first, second)
        pace = speed / self.wheel.radius
        driven = self.final_drive.connect(scene, chassis, name, as_vec3(middle), (first, second), pace)
        return BuiltAxle(first, second, None, None, *driven)

    def _corner(self, mount: Mount, beam: Body, guide: Joint, spring: Spring, carried: Carried) -> Corner:
        inward = 0.5 * (self.track - self.between_seats)
        seat, hung = (0.0, -inward, 0.0), (0.0, -inward, self.height)
        low, high = self.travel
        leaf = mount.joint(
            "leaf",
            Strut(anchor_a=mount.point(hung), anchor_b=mount.point(seat)),
            mount.chassis,
            beam,
            limits=(max(0.1 * self.height, self.height - high), self.height - low),
            spring=spring,
        )
        body, spin, ruler = rolling(mount, self.wheel, beam, ACROSS, carried)
        return Corner(body, beam, beam, beam, guide, "y", spin, ruler, coil=leaf)

    def _springs(self, loads: tuple[float, float], gravity: float, name: str) -> list[Spring]:
        """The leaves, left and right: each holds its share of what the chassis weighs on the axle."""
        whole = sum(loads) - self.unsprung * gravity
        tilt = (loads[0] - loads[1]) * self.track / self.between_seats
        what = f"axle '{name}'"
        carried = max(0.0, 0.5 * whole / gravity) if gravity > 0.0 else 0.0
        stiffness, damping = self.leaf.rates(1.0, carried, what)
        return [self._spring(stiffness, damping, 0.5 * (whole + sign * tilt)) for sign in (1.0, -1.0)]

    def _spring(self, stiffness: float, damping: float, preload: float) -> Spring:
        if self.bump_stops is None:
            return Spring(stiffness, damping, rest=None, preload=preload)
        extra = 10.0 * stiffness if self.bump_stops.stiffness is None else self.bump_stops.stiffness
        # the leaf is shorter as the seat rises
        low, high = ((self.bump_stops.share - 1.0) * end for end in reversed(self.travel))
        return stopped(stiffness, extra, (low, high), damping, preload)
