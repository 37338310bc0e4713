"""Parts that come whole: wheels with their suspensions, hitches, tracks, arms, ready robots, robots from files.

A part is described by what an engineer chooses; it is built into the scene by the templates of ``assemblies``, and what
they add is the edit: plain bodies and joints, which the file holds like any others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from .. import spatial
from ..assemblies.anti_roll_bar import AntiRollBar
from ..assemblies.arm import Arm, ArmLink
from ..assemblies.axle import Axle
from ..assemblies.axles import AnyAxle
from ..assemblies.hitch import AnyHitch, BallHitch
from ..assemblies.mount import Side
from ..assemblies.robots import four_wheel_car, krt100, mf4, six_wheel_rover
from ..assemblies.springing import Coil, Torsion
from ..assemblies.steering import AnySteering
from ..assemblies.suspensions import AnySuspension, DoubleWishbone
from ..assemblies.track import Tracks
from ..assemblies.wheel import RoadWheel
from ..errors import SceneError
from ..files.scene_file import SceneFile, beside, content_of
from ..files.schema import schema_of
from ..files.typed import Misfit, to_plain, to_typed
from ..scene.body import Body
from ..scene.couplings import AnyCoupling, CouplingType, WeightedSum
from ..scene.elements.drive import AnyDrive
from ..scene.scene import Scene
from ..scene.values import ORIGIN, Description, Plain, Range, Vec3, positive
from .patch import Operation, path_of

CHASSIS = "_chassis"


class Wheels(Description, frozen=True):
    """Wheels on a body, the ``chassis``: a pair at each of the ``axles`` (m along its x axis, by name), mirrored.

    Wheels are ``track`` (m) apart, their centres ``height`` (m) above the origin of the chassis' frame; without one
    they stand on z = 0 of the world. ``side`` leaves out those of the other side. The hardpoints of the ``suspension``
    are multiplied by ``scale``; ``travel`` (m) is how far the wheel goes down and up, ``stiffness`` (N/m) and
    ``damping`` (N s/m) are felt at the wheel, without them the ride is 1.5 Hz; ``spring`` says what gives them. Each
    wheel is made for a ``load`` (kg) on the ground, without one for an even share of the weight of all.
    """

    chassis: str
    axles: dict[str, float] = msgspec.field(default_factory=lambda: {"front": 0.4})
    side: Literal["both", "left", "right"] = "both"
    track: float = 0.6
    height: float | None = None
    wheel: RoadWheel = RoadWheel()
    suspension: AnySuspension = DoubleWishbone()
    scale: float = 1.0
    travel: Range = (-0.05, 0.05)
    spring: Literal["coil", "torsion"] = "coil"
    stiffness: float | None = None
    damping: float | None = None
    drive: AnyDrive | None = None
    steering: AnySteering | None = None
    anti_roll_bar: AntiRollBar | None = None
    brake: bool = False
    load: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.track, "Wheels track (m)")
        positive(self.scale, "Wheels scale")
        if self.load is not None:
            positive(self.load, "Wheels load (kg)")

    def build(self, scene: Scene) -> None:
        """Put the wheels into a scene."""
        if not self.axles:
            raise SceneError("wheels have no axles; give one a name and its x (m)")
        chassis = _body(scene, self.chassis, "chassis")
        made = {name: self._axle(x, chassis) for name, x in self.axles.items()}
        load = self._load(chassis, list(made.values())) * float(np.linalg.norm(scene.gravity))
        for name, axle in made.items():
            full = f"{_stem(self.chassis)}_{name}"
            if self.side == "both":
                axle.build(scene, chassis, full, (load, load), self._wheelbase(axle), 0.0)
            else:
                self._one(scene, chassis, full, self.side, axle, load)

    def _axle(self, x: float, chassis: Body) -> Axle:
        kind = {"coil": Coil, "torsion": Torsion}[self.spring]
        spring = kind(self.stiffness, self.damping, at_wheel=True)
        height = self.wheel.radius - float(chassis.pose.position[2]) if self.height is None else self.height
        return Axle(
            x=x,
            track=self.track,
            wheel=self.wheel,
            suspension=self.suspension.scaled(self.scale, travel=self.travel, spring=spring),
            steering=self.steering,
            anti_roll_bar=self.anti_roll_bar,
            drive=self.drive,
            brake=self.brake,
            height=height,
        )

    def _one(self, scene: Scene, chassis: Body, name: str, side: Side, axle: Axle, load: float) -> None:
        if self.steering is not None or self.anti_roll_bar is not None:
            raise SceneError("steering and an anti-roll bar join two wheels; choose both sides, or none of them")
        center = axle.centers()[0 if side == "left" else 1]
        axle.suspension.attach(
            scene, chassis, f"{name}_{side}", center, side, self.wheel, load=load, drive=self.drive, brake=self.brake
        )

    def _load(self, chassis: Body, axles: list[Axle]) -> float:
        """What a wheel carries, kg."""
        if self.load is not None:
            return self.load
        own = sum(mass for axle in axles for mass, _ in axle.masses())
        body = 0.0 if chassis.properties is None else chassis.properties.mass
        return (body + own) / (2 * len(axles))

    def _wheelbase(self, axle: Axle) -> float | None:
        others = [x for x in self.axles.values() if x != axle.x]
        return abs(axle.x - sum(others) / len(others)) if others and axle.steering is not None else None


class AxlePart(Description, frozen=True):
    """An ``axle`` of any kind on a body, the ``chassis``, as ``name``, for a ``load`` (kg) on each of its sides."""

    chassis: str
    axle: AnyAxle
    load: float
    name: str = "axle"

    def build(self, scene: Scene) -> None:
        """Put the axle into a scene."""
        load = positive(self.load, "axle load (kg)") * float(np.linalg.norm(scene.gravity))
        chassis = _body(scene, self.chassis, "chassis")
        self.axle.build(scene, chassis, f"{_stem(self.chassis)}_{self.name}", (load, load), None, 0.0)


class HitchPart(Description, frozen=True):
    """A ``hitch`` of the body ``trailer`` behind the body ``tow``, at ``at`` (m in the frame of ``tow``).

    ``to`` (m in the frame of the trailer) is where the other end of a drawbar or a rope goes.
    """

    tow: str
    trailer: str
    at: Vec3
    to: Vec3 = ORIGIN
    hitch: AnyHitch = BallHitch()
    name: str = "hitch"

    def build(self, scene: Scene) -> None:
        """Put the hitch into a scene."""
        tow, trailer = _body(scene, self.tow, "tow"), _body(scene, self.trailer, "trailer")
        places = (tuple(tow.pose.point(self.at).tolist()), tuple(trailer.pose.point(self.to).tolist()))
        self.hitch.connect(scene, self.name, tow, trailer, *places)


class TracksPart(Description, frozen=True):
    """A pair of ``tracks`` under a body, the ``chassis``."""

    chassis: str
    tracks: Tracks

    def build(self, scene: Scene) -> None:
        """Put the tracks into a scene."""
        self.tracks.build(scene, _body(scene, self.chassis, "chassis"), _stem(self.chassis))


class ArmPart(Description, frozen=True):
    """An ``arm`` of links with hinges on a body, the ``chassis``, as ``name``."""

    chassis: str
    arm: Arm = Arm(base=ORIGIN, links=(ArmLink(name="link", along=(0.0, 0.0, 0.4), mass=2.0, axis=(0.0, 1.0, 0.0)),))
    name: str = "arm"

    def build(self, scene: Scene) -> None:
        """Put the arm into a scene."""
        self.arm.build(scene, _body(scene, self.chassis, "chassis"), self.name)


ROBOTS: dict[str, Callable[[Scene, str, Vec3, float], object]] = {
    "krt100": krt100,
    "mf4": mf4,
    "six_wheel_rover": six_wheel_rover,
    "four_wheel_car": four_wheel_car,
}


class RobotPart(Description, frozen=True):
    """A ready ``robot`` that stands at ``position`` (m), its ``heading`` (rad) left of x; parts begin with ``name``."""

    robot: Literal["krt100", "mf4", "six_wheel_rover", "four_wheel_car"] = "krt100"
    name: str = "robot"
    position: Vec3 = ORIGIN
    heading: float = 0.0

    def build(self, scene: Scene) -> None:
        """Put the robot into a scene."""
        ROBOTS[self.robot](scene, self.name, self.position, self.heading)


class ImportPart(Description, frozen=True):
    """A robot from a ``file`` (URDF, SDF, MJCF, USD, or a scene) at ``position`` (m), turned by ``heading`` (rad).

    The file is named relative to the scene file; its parts begin with ``name``. A robot ``on`` a body is mounted there.
    """

    file: str
    name: str = "robot"
    position: Vec3 = ORIGIN
    heading: float = 0.0
    on: str | None = None

    def build(self, scene: Scene, folder: Path = Path()) -> None:
        """Put the robot into a scene."""
        turn = spatial.about((0.0, 0.0, 1.0), self.heading)
        body = None if self.on is None else _body(scene, self.on, "on")
        scene.add(folder / self.file, name=self.name, at=self.position, rotation=turn, on=body)


PARTS: dict[str, tuple[str, type[Any]]] = {
    "wheels": ("Wheels", Wheels),
    "axle": ("Axle", AxlePart),
    "tracks": ("Tracks", TracksPart),
    "hitch": ("Hitch", HitchPart),
    "arm": ("Arm", ArmPart),
    "robot": ("Robot", RobotPart),
    "import": ("Robot from a file", ImportPart),
}


def described_parts() -> list[Plain]:
    """All parts: kind, title, and the schema of what is to be chosen."""
    return [{"kind": kind, "title": title, "schema": schema_of(made)} for kind, (title, made) in PARTS.items()]


def coupled_counts() -> dict[str, int | None]:
    """How many coordinates each coupling takes, by its type; None where that is as many as it has coefficients."""
    kinds: tuple[type[CouplingType], ...] = get_args(AnyCoupling)
    return {str(kind.__struct_config__.tag): None if kind is WeightedSum else len(kind.units) for kind in kinds}


def added_by(kind: str, given: Plain, scene: Scene, data: Plain, folder: Path) -> list[Operation]:
    """The operations that put a part into a document, whose ``scene`` is changed on the way."""
    if kind not in PARTS:
        raise SceneError(f"there is no part '{kind}'; choose one of {', '.join(PARTS)}")
    try:
        part = to_typed(PARTS[kind][1], given)
    except Misfit as misfit:
        place = ".".join(map(str, misfit.where))
        raise SceneError(f"{place}: {misfit}" if place else str(misfit)) from None
    before = _names(scene)
    if isinstance(part, ImportPart):
        part.build(scene, folder)
    else:
        part.build(scene)
    content = content_of(scene, lambda file: beside(folder, file))
    return _additions(data, {name: getattr(content, name) for name in before}, before)


def _names(scene: Scene) -> dict[str, set[str]]:
    content = content_of(scene, str)
    fields = msgspec.structs.asdict(content)
    return {name: set(named) for name, named in fields.items() if isinstance(named, dict) and name != "faults"}


def _additions(data: Plain, content: dict[str, Plain], before: dict[str, set[str]]) -> list[Operation]:
    made: list[Operation] = []
    order = [field.name for field in msgspec.structs.fields(SceneFile)]
    for section, named in content.items():
        fresh = {name: to_plain(spec) for name, spec in named.items() if name not in before[section]}
        if taken := [name for name in fresh if name in data.get(section, {})]:
            raise SceneError(f"there is already something called '{taken[0]}' in {section}; give another name")
        if section in data:
            made += [{"op": "add", "path": path_of((section, name)), "value": one} for name, one in fresh.items()]
        elif fresh:
            later = next((name for name in order[order.index(section) :] if name in data), None)
            place = {} if later is None else {"before": later}
            made.append({"op": "add", "path": path_of((section,)), "value": fresh, **place})
    return made


def _body(scene: Scene, name: str, what: str) -> Body:
    if name not in scene.bodies:
        raise SceneError(f"the {what} is '{name}', which is no body of the scene; choose one that is right")
    return scene.bodies[name]


def _stem(chassis: str) -> str:
    return re.sub(f"{CHASSIS}$", "", chassis)
