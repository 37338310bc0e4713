"""A sensor of a scene: what kind it is, what carries it, and the quantities that it reads."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import SceneError, nearest
from ..body import Body
from ..joint import Joint
from ..quantity import Quantity, declared
from ..values import Description, shown
from .axis import Encoder, Tachometer
from .force import ForceTorque, PressurePad
from .imu import Imu
from .pose import PoseSensor
from .ranging import Lidar, RangeFinder
from .sensor_type import Carrier, Reading, ReadingKind

AnySensor = Imu | Encoder | Tachometer | ForceTorque | PressurePad | RangeFinder | Lidar | PoseSensor


class SensorSpec(Description, frozen=True):
    """What a scene file says of a sensor: which ``sensor`` it is, and the body, joint or coordinate it sits ``on``."""

    sensor: AnySensor
    on: str


class Sensor:
    """A sensor of a scene, as returned by ``scene.sensor``."""

    def __init__(self, name: str, spec: SensorSpec, bodies: Mapping[str, Body], joints: Mapping[str, Joint]) -> None:
        self.name, self.spec, self.type = name, spec, spec.sensor
        what = f"sensor '{name}'"
        self.type.checked(what)
        self.on = _carrier(what, spec, bodies, joints)
        try:
            self.readings: dict[str, Reading] = {reading.name: reading for reading in self.type.readings(self.on)}
        except SceneError as error:
            raise SceneError(f"{what}: {error}") from None

    def __repr__(self) -> str:
        return f"<{type(self.type).__name__} '{self.name}' on '{self.spec.on}'>"

    def reading(self, name: str | int | None = None) -> Quantity:
        """What the sensor gives, by ``name`` or by the number of a beam, in its unit; the first if no name is given."""
        wanted = next(iter(self.readings)) if name is None else str(name)
        if wanted not in self.readings:
            raise SceneError(f"{self!r} gives no {shown(name)}{nearest(wanted, self.readings)}")
        found = self.readings[wanted]
        return declared(variable_of(self, found)).address(f"{self.name}.{wanted}", unit=found.unit)


def variable_of(sensor: Sensor, reading: Reading) -> str:
    """The quantity that a reading is of."""
    if isinstance(sensor.type, Lidar):
        return "beam"
    return "vector_reading" if reading.is_vector else "reading"


def _carrier(what: str, spec: SensorSpec, bodies: Mapping[str, Body], joints: Mapping[str, Joint]) -> Carrier:
    """The body, the joint, or the joint with the coordinate that a sensor sits on."""
    kind = spec.sensor.carrier
    known: Mapping[str, Carrier] = bodies if kind == "body" else joints
    if kind == "coordinate":
        known = {
            f"{joint.name}.{free.name}": (joint, free) for joint in joints.values() for free in joint.type.coordinates
        }
    if spec.on not in known:
        raise SceneError(f"{what} sits on a {kind} {shown(spec.on)} that is not in the scene{nearest(spec.on, known)}")
    return known[spec.on]


__all__ = ["AnySensor", "Reading", "ReadingKind", "Sensor", "SensorSpec", "variable_of"]
