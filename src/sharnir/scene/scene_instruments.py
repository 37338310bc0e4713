"""What measures and looks in a scene: rays, cameras, rulers and sensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from ..errors import SceneError, nearest
from .body import Body
from .camera import Camera, CameraSpec
from .joint import Joint
from .quantity import Quantity
from .ray import Ray, RaySpec
from .ruler import Ruler, RulerSpec
from .scene_quantities import SceneQuantities
from .sensors import AnySensor, Sensor, SensorSpec, SensorType
from .values import ORIGIN, described, floats, shown


class Named(Protocol):
    """What lies in a scene under its name."""

    name: str


Item = TypeVar("Item", bound=Named)


class SceneInstruments(SceneQuantities):
    """What :class:`Scene` has of things that are put on bodies and joints, and move nothing."""

    world: Body
    bodies: dict[str, Body]
    joints: dict[str, Joint]

    def __init__(self) -> None:
        self.rays: dict[str, Ray] = {}
        self.cameras: dict[str, Camera] = {}
        self.rulers: dict[str, Ruler] = {}
        self.sensors: dict[str, Sensor] = {}

    def ray(
        self,
        name: str,
        body: Body | str,
        position: Iterable[float] = ORIGIN,
        direction: Iterable[float] = (1.0, 0.0, 0.0),
        reach: float = 10.0,
    ) -> Ray:
        """Put a distance sensor on a body, and return it.

        Args:
            name: unique among rays, without dots.
            body: what carries it.
            position: where it starts, m, in the body's frame.
            direction: where it looks, in the body's axes.
            reach: m; the distance it gives where it meets nothing.
        """
        carrier = self._body(f"ray '{name}'", body).name
        spec = RaySpec(body=carrier, position=floats(position), direction=floats(direction), reach=reach)
        return self.add_ray(name, spec)

    def add_ray(self, name: str, spec: RaySpec) -> Ray:
        """Add a distance sensor under a ``name`` from its description ``spec``."""
        self._body(f"ray '{name}'", spec.body)
        return self._added(Ray(name, spec), self.rays)

    def camera(
        self,
        name: str,
        body: Body | str,
        position: Iterable[float] = ORIGIN,
        direction: Iterable[float] = (1.0, 0.0, 0.0),
        up: Iterable[float] = (0.0, 0.0, 1.0),
        field_of_view: float = 1.0,
        distortion: tuple[float, float] = (0.0, 0.0),
    ) -> Camera:
        """Mount a camera on a body, and return it: the console shows its picture.

        Args:
            name: unique among cameras, without dots.
            body: what carries it.
            position: where it is, m, in the body's frame.
            direction: where it looks, in the body's axes.
            up: what is up in its picture, in the body's axes.
            field_of_view: rad, between the lower and the upper edge of its picture.
            distortion: k1 and k2 of its lens, see ``CameraSpec``.
        """
        body = self._body(f"camera '{name}'", body).name
        position, direction, up = floats(position), floats(direction), floats(up)
        return self.add_camera(name, described(CameraSpec, locals()))

    def add_camera(self, name: str, spec: CameraSpec) -> Camera:
        """Add a camera under a ``name`` from its description ``spec``."""
        self._body(f"camera '{name}'", spec.body)
        return self._added(Camera(name, spec), self.cameras)

    def ruler(
        self,
        name: str,
        a: Body | str,
        b: Body | str,
        axis: Iterable[float] = (0.0, 0.0, 1.0),
        point: Iterable[float] = ORIGIN,
    ) -> Ruler:
        """Measure how far a point of body b moves along an axis of body a, and return the ruler.

        Args:
            name: unique among rulers, without dots.
            a: a body, its name, or ``scene.world``.
            b: the other body.
            axis: in the axes of a, of any length.
            point: m, in the frame of b; it reads 0 as the bodies stand now.
        """
        names = tuple(self._body(f"ruler '{name}'", body).name for body in (a, b))
        spec = RulerSpec(between=(names[0], names[1]), axis=floats(axis), point=floats(point))
        return self.add_ruler(name, spec)

    def add_ruler(self, name: str, spec: RulerSpec) -> Ruler:
        """Add a ruler under a ``name`` from its description ``spec``."""
        a, b = (self._body(f"ruler '{name}'", body) for body in spec.between)
        return self._added(Ruler(name, spec, a, b), self.rulers)

    def sensor(self, name: str, sensor: AnySensor, on: Body | Joint | Quantity | str) -> Sensor:
        """Put a sensor on a body, a joint or a coordinate, and return it; ``sensor.reading()`` is what it reads.

        Args:
            name: unique among sensors, without dots.
            sensor: Imu, Encoder, Tachometer, ForceTorque, PressurePad, RangeFinder, Lidar or PoseSensor.
            on: a body; a joint for ForceTorque; for an encoder or a tachometer a joint, for its first coordinate, or a
                quantity such as ``sleeve.coordinate("angle")``.
        """
        if not isinstance(sensor, SensorType):
            raise SceneError(f"sensor '{name}': {shown(sensor)} is not a sensor; give Imu(...), Encoder(...), ...")
        if isinstance(on, Joint) and sensor.carrier == "coordinate":
            on = on.coordinate()
        carrier = str(on.item) if isinstance(on, Quantity) else on if isinstance(on, str) else on.name
        return self.add_sensor(name, SensorSpec(sensor=sensor, on=carrier))

    def add_sensor(self, name: str, spec: SensorSpec) -> Sensor:
        """Add a sensor under a ``name`` from its description ``spec``."""
        sensor = Sensor(name, spec, {self.world.name: self.world} | self.bodies, self.joints)
        return self._added(sensor, self.sensors)

    def reading(self, label: str) -> Quantity:
        """What a sensor reads, by its ``label``: ``imu.acceleration``, ``lidar.7``; in the unit of the reading."""
        name, _, rest = label.partition(".")
        if name not in self.sensors:
            raise SceneError(f"there is no sensor '{name}'{nearest(name, self.sensors)}")
        return self.sensors[name].reading(rest or None)

    def _added(self, item: Item, among: dict[str, Item]) -> Item:
        """An item, now among its like, if its name is new there."""
        what, name = type(item).__name__.lower(), item.name
        if not isinstance(name, str) or not name or "." in name:
            raise SceneError(f"a {what} is named {shown(name)}; give a text without dots")
        if name == self.world.name and what == "body":
            raise SceneError("a body cannot be named 'world': that is the ground")
        if name in among:
            raise SceneError(f"there is a {what} '{name}' already; give the second one another name")
        among[name] = item
        return item

    def _body(self, what: str, body: Body | str) -> Body:
        name = body.name if isinstance(body, Body) else body
        known = {self.world.name: self.world} | self.bodies
        if not isinstance(name, str) or name not in known:
            raise SceneError(f"{what} names a body {shown(name)} that is not in the scene{nearest(str(name), known)}")
        if isinstance(body, Body) and known[name] is not body:
            raise SceneError(f"{what}: body '{name}' belongs to another scene; add it to this one first")
        return known[name]
