"""Sensors, one description each."""

from .axis import Encoder, Tachometer
from .force import ForceTorque, PressurePad
from .imu import Imu
from .pose import PoseSensor
from .ranging import Lidar, RangeFinder
from .sensor import AnySensor, Sensor, SensorSpec, variable_of
from .sensor_type import Noise, Reading, ReadingKind, SensorType

__all__ = [
    "AnySensor",
    "Encoder",
    "ForceTorque",
    "Imu",
    "Lidar",
    "Noise",
    "PoseSensor",
    "PressurePad",
    "RangeFinder",
    "Reading",
    "ReadingKind",
    "Sensor",
    "SensorSpec",
    "SensorType",
    "Tachometer",
    "variable_of",
]
