"""The vehicle: a chassis with axles or tracks and, behind it, a trailer.

The chassis' frame lies on the ground under the vehicle as it stands: x forward, y left, z up. The springs are set so
that it stands still like that. The static loads N_i of the wheels at (x_i, y_i) balance the weight W at (x_w, y_w), and
of all such loads are the most even ones:

    sum N_i = W,  sum N_i x_i = W x_w,  sum N_i y_i = W y_w,  sum N_i^2 least
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import msgspec
import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.body import Body
from ..scene.joint import Joint
from ..scene.materials import DEFAULT, Contact
from ..scene.rope import Rope
from ..scene.scene import Scene
from ..scene.shape import combined
from ..scene.shapes import AnyShape
from ..scene.values import Description, Vec3, as_vec3, number, vector
from ..spatial import Array, Pose
from .axle import Axle
from .axles import AnyAxle, AnyBuiltAxle, is_steered
from .hitch import AnyHitch, reach
from .mount import Side
from .suspensions import Corner
from .track import BuiltTracks, Tracks

Load = tuple[float, Array]  # kg, and where in the chassis' frame (m)


@dataclass(frozen=True)
class BuiltVehicle:
    """A vehicle in a scene: its ``chassis``, ``axles`` by name or ``tracks``, and a ``trailer`` with its ``hitch``."""

    chassis: Body
    axles: dict[str, AnyBuiltAxle]
    tracks: BuiltTracks | None = None
    trailer: BuiltVehicle | None = None
    hitch: Joint | Rope | None = None

    @property
    def corners(self) -> list[Corner]:
        """All wheels, from axle to axle, left before right."""
        return [corner for axle in self.axles.values() for corner in axle.corners]

    @property
    def left(self) -> list[Corner]:
        """The wheels on the left."""
        return [corner for axle in self.axles.values() for corner in axle.on("left")]

    @property
    def right(self) -> list[Corner]:
        """The wheels on the right."""
        return [corner for axle in self.axles.values() for corner in axle.on("right")]

    def spins(self, side: Side) -> list[Joint]:
        """The hinges that carry a side along: of its wheels, from front to rear, or of its track's sprocket."""
        wheels = [corner.spin for corner in (self.left if side == "left" else self.right)]
        track = None if self.tracks is None else self.tracks.left if side == "left" else self.tracks.right
        return wheels if track is None else [*wheels, track.spin]


class Vehicle(Description, frozen=True):
    """A chassis of ``shapes`` on ``axles`` by name, or on ``tracks`` (places in its frame, which lies on the ground).

    What else is ``mounted`` on the chassis, an arm or a mast, is told as masses (kg) with their places (m), so that the
    springs carry it. ``material`` is that of the chassis. ``hitch_point`` is where it tows, ``coupling_point`` where it
    is towed (m). A vehicle that is ``towing`` has a trailer behind it: another vehicle, and the hitch between them.
    """

    shapes: tuple[AnyShape, ...]
    axles: dict[str, AnyAxle] = msgspec.field(default_factory=dict)
    tracks: Tracks | None = None
    material: str = DEFAULT
    mounted: tuple[tuple[float, Vec3], ...] = ()
    hitch_point: Vec3 | None = None
    coupling_point: Vec3 | None = None
    towing: Towing | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.axles and self.tracks is None:
            raise SceneError("Vehicle has no axles; give axles={'front': Axle(...), 'rear': Axle(...)}, or tracks")
        for name in ("hitch_point", "coupling_point"):
            if getattr(self, name) is not None:
                vector(getattr(self, name), f"Vehicle {name} (m)")
        if self.towing is not None and self.hitch_point is None:
            raise SceneError("Vehicle tows a trailer but has no hitch_point; say where its hitch is (m)")

    def build(
        self, scene: Scene, name: str, position: Vec3 = (0.0, 0.0, 0.0), heading: float = 0.0, speed: float = 0.0
    ) -> BuiltVehicle:
        """Put the vehicle into a scene as ``name``, at ``position`` (m, on the ground), rolling at ``speed`` (m/s).

        ``heading`` (rad) is about the vertical, zero along x.
        """
        turn = spatial.about((0.0, 0.0, 1.0), number(heading, f"vehicle '{name}' heading (rad)"))
        pose = Pose(np.array(vector(position, f"vehicle '{name}' position (m)")), turn)
        gravity = float(np.linalg.norm(scene.gravity))
        return self._build(scene, name, pose, number(speed, f"vehicle '{name}' speed (m/s)"), gravity, None)

    def _build(
        self, scene: Scene, name: str, pose: Pose, speed: float, gravity: float, hitch: AnyHitch | None
    ) -> BuiltVehicle:
        chassis = scene.body(
            f"{name}_chassis",
            *self.shapes,
            *(shape for axle in self.axles.values() if isinstance(axle, Axle) for shape in axle.brackets()),
            position=pose.position,
            rotation=pose.rotation,
            velocity=speed * spatial.rotate(pose.rotation, (1.0, 0.0, 0.0)),
            contact=Contact(material=self.material, groups=(DEFAULT, f"{name}_chassis")),
        )
        loads, _ = self.static_loads(name, hitch)
        axles: dict[str, AnyBuiltAxle] = {}
        for i, (label, axle) in enumerate(self.axles.items()):
            pair = (gravity * loads[2 * i], gravity * loads[2 * i + 1])
            axles[label] = axle.build(scene, chassis, f"{name}_{label}", pair, self._wheelbase(axle), speed)
        tracks = None if self.tracks is None else self.tracks.build(scene, chassis, name)
        if self.towing is None:
            return BuiltVehicle(chassis, axles, tracks)
        trailer, joint = self.towing.build(scene, name, self, chassis, speed, gravity)
        return BuiltVehicle(chassis, axles, tracks, trailer, joint)

    def _wheelbase(self, axle: AnyAxle) -> float | None:
        """How far a steered axle is from those that are not; None where all are."""
        fixed = [other.x for other in self.axles.values() if not is_steered(other)]
        return abs(axle.x - sum(fixed) / len(fixed)) if fixed and is_steered(axle) else None

    def static_loads(self, name: str, hitch: AnyHitch | None = None) -> tuple[list[float], float]:
        """What wheels carry as the vehicle ``name`` stands, left and right of each axle, and what a hitch does, kg."""
        masses: list[Load] = [part for axle in self.axles.values() for part in axle.masses()]
        solids = [solid for shape in self.shapes if (solid := shape.mass_properties()) is not None]
        if not solids:
            raise SceneError(f"vehicle '{name}': none of its shapes has a mass; give one a mass (kg) or a density")
        body = combined(solids)
        masses.append((body.mass, body.center))
        masses += [(mass, np.array(place)) for mass, place in self.mounted]
        masses += [] if self.tracks is None else self.tracks.masses()
        if self.towing is not None:
            masses.append(self.towing.weight(self, name))
        if hitch is not None and hitch.own_mass > 0.0:  # a drawbar rests on both its ends
            masses.append((0.5 * hitch.own_mass, np.array(self.coupling_point)))
        supports = [np.array(center) for axle in self.axles.values() for center in axle.centers()]
        supports += [] if self.tracks is None else self.tracks.ends()
        held = hitch is not None and hitch.carries and (len(self.axles) == 1 or hitch.always_carries)
        if hitch is not None and not hitch.carries and len(self.axles) == 1:
            raise SceneError(
                f"vehicle '{name}' has one axle and a hitch that does not hold it up, so it falls over; "
                "give it two axles, or a BallHitch"
            )
        if held:
            assert self.coupling_point is not None  # checked where it was coupled
            supports.append(np.array(self.coupling_point))
        found = _most_even(supports, masses)
        for wheel, load in zip(
            [f"{axle} {side}" for axle in self.axles for side in ("left", "right")], found, strict=False
        ):
            if load < 0.0:
                raise SceneError(
                    f"vehicle '{name}' would lift its wheel '{wheel}' as it stands ({load:.4g} kg on it); "
                    "move the axles or the masses"
                )
        return found[: 2 * len(self.axles)], found[-1] if held else 0.0


class Towing(Description, frozen=True):
    """A ``trailer`` and the ``hitch`` that it hangs on."""

    trailer: Vehicle
    hitch: AnyHitch

    def weight(self, tow: Vehicle, name: str) -> Load:
        """What the trailer puts on the hitch of the vehicle that tows it."""
        assert tow.hitch_point is not None  # the vehicle has checked it
        _, load = self.trailer.static_loads(f"{name}_trailer", self.hitch)
        return load + 0.5 * self.hitch.own_mass, np.array(tow.hitch_point)

    def build(
        self, scene: Scene, name: str, tow: Vehicle, chassis: Body, speed: float, gravity: float
    ) -> tuple[BuiltVehicle, Joint | Rope]:
        """Put the trailer into a ``scene`` behind the ``chassis`` of ``tow``, its parts named after ``name``.

        ``speed`` is in m/s, ``gravity`` in m/s^2. Returns the trailer, and the joint or rope of the hitch.
        """
        assert tow.hitch_point is not None
        coupling = self.trailer.coupling_point
        if coupling is None:
            raise SceneError(f"the trailer of vehicle '{name}' has no coupling_point; say where it is towed (m)")
        if abs(coupling[2] - tow.hitch_point[2]) > 1e-6:
            raise SceneError(
                f"the trailer of vehicle '{name}' is coupled {coupling[2]:g} m above the ground, its hitch is at "
                f"{tow.hitch_point[2]:g} m; make them equal, so that both stand level"
            )
        behind = np.array(tow.hitch_point) - [reach(self.hitch), 0.0, 0.0]
        pose = chassis.pose @ Pose(behind - coupling, spatial.IDENTITY)
        built = self.trailer._build(scene, f"{name}_trailer", pose, speed, gravity, self.hitch)
        places = as_vec3(chassis.pose.point(tow.hitch_point)), as_vec3(chassis.pose.point(behind))
        return built, self.hitch.connect(scene, f"{name}_hitch", chassis, built.chassis, *places)


def _most_even(supports: list[Array], masses: list[Load]) -> list[float]:
    """The loads (kg) at the supports that balance the masses, the most even ones."""
    rows = np.array([[1.0, place[0], place[1]] for place in supports]).T
    wanted = sum((mass * np.array([1.0, place[0], place[1]]) for mass, place in masses), np.zeros(3))
    found, _, rank, _ = np.linalg.lstsq(rows, wanted, rcond=1e-12)
    if rank < 3 and not np.allclose(rows @ found, wanted, atol=1e-9 * max(1.0, math.hypot(*wanted))):
        raise SceneError(
            "the wheels of a vehicle stand on one line and cannot carry it; give it a second axle or a hitch"
        )
    return [float(load) for load in found]
